// sources.js - the sources as a graph: rooms on floors, files, and what each file uses, by its includes and by `nm` over the objects of a
// build. A file here is NAME.c and NAME.h together.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

// From the lowest to the highest.
export const floors = [
  ['include'],
  ['base'],
  ['rules'],
  ['kernels/vectors'],
  ['board', 'kernels', 'kernels/torus', 'stores', 'steps', 'http/wire'],
  ['kernels/rows'],
  ['count/methods', 'puzzles', 'shapes'],
  ['count', 'formats', 'constructions', 'solvers'],
  ['statistics', 'library'],
  ['engine/ask', 'engine/journal'],
  ['engine/run'],
  ['engine/units'],
  ['engine/lists', 'engine/boards'],
  ['engine/jobs', 'engine/cluster'],
  ['engine/counts', 'engine/worker'],
  ['engine'],
  ['http/guard'],
  ['http/ask'],
  ['http/reply'],
  ['http/routes'],
  ['http/server'],
  ['sequences', 'bench'],
  ['commands'],
  ['main'],
];

process.chdir(new URL('../..', import.meta.url).pathname);
const build = process.argv[2] ?? 'build';
export const roomOf = (file) => (file.includes('/') ? path.dirname(file) : 'main');
export const floorOf = (file) => {
  const floor = floors.findIndex((rooms) => rooms.includes(roomOf(file)));
  if (floor < 0) throw new Error(`${file}: its room has no floor`);
  return floor;
};

export const sources = readdirSync('src', { recursive: true }).filter((name) => /\.[ch]$/.test(name));
export const files = new Map([...sources.map((name) => name.replace(/\.[ch]$/, '')), 'include/nqueens'].map((file) => [file, new Set()]));
const use = (user, used) => user !== used && files.get(user).add(used);

// Of the headers in angle brackets only the public one is a source.
export const includes = (source) =>
  [...readFileSync(path.join('src', source), 'utf8').matchAll(/^#include (?:"([^"]*)\.h"|<(nqueens)\.h>)/gm)].map(([, header, public_]) => header ?? `include/${public_}`);

for (const source of [...sources, '../include/nqueens.h'])
  for (const header of includes(source)) use(source.replace(/^\.\.\//, '').replace(/\.[ch]$/, ''), header);

const objects = [...files.keys()].filter((file) => sources.includes(`${file}.c`)).map((file) => `${build}/src/${file}.o`);
const symbols = execFileSync('nm', ['-A', '-P', '--extern-only', ...objects], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .trim()
  .split('\n')
  .map((line) => line.match(/^(.*)\.o: (\S+) (\S)/))
  .map(([, object, name, type]) => ({ file: object.slice(`${build}/src/`.length), name, type }));
const definers = new Map(symbols.filter(({ type }) => !'Uwv'.includes(type)).map(({ name, file }) => [name, file]));
for (const { file, name, type } of symbols) if (type === 'U' && definers.has(name)) use(file, definers.get(name));
