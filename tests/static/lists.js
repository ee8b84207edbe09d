#!/usr/bin/env node
// lists.js [BUILD] - tests/fuzz/http.dict has the words of all routes, as `nqueensd routes` prints them. Exits with 1 and a line for each
// that it lacks; with NQ_BLESS=1 adds these.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

process.chdir(new URL('../..', import.meta.url).pathname);
const routes = JSON.parse(execFileSync(`${process.argv[2] ?? 'build'}/nqueensd`, ['routes'], { encoding: 'utf8' }));
const dictionary = 'tests/fuzz/http.dict';
const known = readFileSync(dictionary, 'utf8');
const words = routes.flatMap(({ path, parameters }) => [path.replace(/\{.*/, ''), ...parameters.flatMap(({ name, choices }) => [`${name}=`, ...(choices ?? [])])]);
const missing = [...new Set(words)].map((word) => `"${word}"\n`).filter((line) => !known.includes(`\n${line}`));
for (const line of missing) console.log(`${dictionary} lacks ${line.trim()}`);

if (missing.length && process.env.NQ_BLESS) writeFileSync(dictionary, known + missing.join(''));
else if (missing.length) {
  console.log('`make bless` adds them');
  process.exitCode = 1;
}
