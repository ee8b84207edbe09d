#!/usr/bin/env node
// lists.js [BUILD] - the lists of names that repeat a table: in openapi.yaml the choices of parameters, as `nqueensd routes` prints them, and
// the lines that queens share (src/rules/rule.h); in tests/fuzz/http.dict the words of all routes. Exits with 1 and a line for each
// difference; with NQ_BLESS=1 writes these anew. A list may leave out a name that others have, such as the default.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

process.chdir(new URL('../..', import.meta.url).pathname);
const routes = JSON.parse(execFileSync(`${process.argv[2] ?? 'build'}/nqueensd`, ['routes'], { encoding: 'utf8' }));
const named = [...readFileSync('src/rules/rule.h', 'utf8').matchAll(/X\(LINE_\w+, "(\w+)"\)/g)].map(([, name]) => name);
const tables = [named, ...routes.flatMap(({ parameters }) => parameters.map(({ choices }) => choices ?? []))];

// How much of two lists is the same, from 0 to 1.
const alike = (list, table) => {
  const common = list.filter((name) => table.includes(name)).length;
  return common / (list.length + table.length - common);
};
const [LEAST, ALIKE] = [6, 0.7]; // shorter ones are no tables that grow
const file = 'openapi.yaml';
const lines = readFileSync(file, 'utf8').split('\n');
const lists = lines.flatMap((text, line) => {
  const words = text.match(/\benum: \[([^\]]*)\]/)?.[1];
  const list = words?.split(', ') ?? [];
  const table = tables.reduce((best, other) => (alike(list, other) > alike(list, best) ? other : best), []);
  return table.length >= LEAST && alike(list, table) >= ALIKE ? [{ line, words, list, table: table.join(', ') }] : [];
});
if (lists.length < 8) throw new Error(`${file}: only ${lists.length} lists`);

let different = 0;
for (const { line, words, list, table } of lists) {
  const known = lists.filter((other) => other.table === table).flatMap((other) => other.list);
  const wanted = table.split(', ').filter((name) => list.includes(name) || !known.includes(name)).join(', ');
  if (wanted === words) continue;
  different++;
  lines[line] = lines[line].replace(`[${words}]`, `[${wanted}]`);
  console.log(`${file}:${line + 1}: [${words}] should be [${wanted}]`);
}

const dictionary = 'tests/fuzz/http.dict';
const known = readFileSync(dictionary, 'utf8');
const words = routes.flatMap(({ path, parameters }) => [path.replace(/\{.*/, ''), ...parameters.flatMap(({ name, choices }) => [`${name}=`, ...(choices ?? [])])]);
const missing = [...new Set(words)].map((word) => `"${word}"\n`).filter((line) => !known.includes(`\n${line}`));
for (const line of missing) console.log(`${dictionary} lacks ${line.trim()}`);
different += missing.length;

if (different && process.env.NQ_BLESS) {
  writeFileSync(file, lines.join('\n'));
  writeFileSync(dictionary, known + missing.join(''));
} else if (different) {
  console.log('`make bless` writes these lists anew');
  process.exitCode = 1;
}
