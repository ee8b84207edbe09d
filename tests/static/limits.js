#!/usr/bin/env node
// limits.js - the size of the sources and of the tests' C files: no file above 1200 lines, no function above 70 lines or 6
// parameters, no folder of src above 30 files. A function that a header declares has a user in another file; not too many have only
// one. Exits with 1 and a line for each violation; `--exports` lists those with one user. It relies on clang-format: a function's
// body stands between a { and a } that begin a line.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

// lone: of a hundred functions that headers declare, those with a single user in src. The house's aim is 35: when it falls, lower it.
const most = { file: 1200, function: 70, parameters: 6, folder: 30, lone: 57 };
// libmicrohttpd calls a request's handler with 8 parameters, one of them a struct MHD_Connection: its signature is not ours.
const mostOfCallback = 8;
process.chdir(new URL('../..', import.meta.url).pathname);
const violations = [];
const check = (what, limit, size, name) => {
  if (size > limit) violations.push(`${what} ${name}: ${size}, the limit is ${limit}`);
};

// The parameters of "int f(int a, int (*b)(int, int))": what stands between the commas that are not in further brackets.
function parameters(signature) {
  const list = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'));
  let depth = 0;
  return [...list].filter((character) => {
    depth += '([{'.includes(character) - ')]}'.includes(character);
    return character === ',' && !depth;
  }).length + 1;
}

function checkFunctions(file, lines) {
  lines.forEach((line, brace) => {
    if (line !== '{') return;
    let first = brace - 1;
    while (first && /^\s/.test(lines[first])) first--;
    const signature = lines.slice(first, brace).join(' ');
    const name = `${file} ${signature.match(/(\w+)\(/)[1]}`;
    check('function', most.function, lines.indexOf('}', brace) - first + 1, name);
    check('parameters', signature.includes('struct MHD_Connection') ? mostOfCallback : most.parameters, parameters(signature), name);
  });
}

const folders = new Map();
const sources = ['src', 'tests'].flatMap((top) => readdirSync(top, { recursive: true }).map((name) => path.join(top, name)));
const programs = sources.filter((name) => /\.[ch]$/.test(name) && !name.includes('node_modules'));
for (const file of programs) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  check('file', most.file, lines.length, file);
  checkFunctions(file, lines);
  folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + 1);
}
for (const [folder, size] of folders) if (folder.startsWith('src')) check('folder', most.folder, size, folder);

// ---- Users of what headers declare ----

// Without comments and texts.
const code = new Map(programs.map((file) => [file, readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"/g, ' ')]));
const words = new Map([...code].map(([file, text]) => [file, new Set(text.match(/\w+/g))]));
const declared = /^(?!static|typedef|struct \w+ \{|enum|union)[a-z_][\w ]*[ *](\w+)\([^;{}]*;/gm;
const lone = [];
let exports = 0;
for (const header of programs.filter((name) => /^src.*\.h$/.test(name))) {
  const text = code.get(header);
  for (const [, name] of text.matchAll(declared)) {
    const users = programs.filter((file) => file !== header && words.get(file).has(name));
    const inline = text.match(new RegExp(`\\b${name}\\b`, 'g')).length > 1;
    const defined = new RegExp(`^[a-z_][\\w ]*[ *]${name}\\([^;]*\\)\n\\{`, 'm');
    const others = users.filter((file) => !(file.startsWith('src') && defined.test(code.get(file))));
    exports++;
    if (!others.length && !inline && !name.endsWith('_check')) violations.push(`${header} ${name}: no other file uses it; make it static`);
    if (others.filter((file) => file.startsWith('src')).length <= 1) lone.push(`${header} ${name}`);
  }
}
if (process.argv.includes('--exports')) console.log(`${lone.join('\n')}\n${lone.length} of ${exports} have one user or none in src`);
check('share of exports with a single user,', most.lone, Math.round((100 * lone.length) / exports), 'per cent');
if (violations.length) console.log(violations.join('\n'));
process.exit(violations.length ? 1 : 0);
