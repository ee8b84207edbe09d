#!/usr/bin/env node
// floors.js [BUILD] - the direction of the sources: each file uses only what is on a lower floor or in its own room, rooms on one
// floor do not use each other, no files form a circle, and from outside the engine only engine.h and the headers that it includes
// itself are included. What a file uses are its includes and, by `nm` over BUILD's objects, the symbols it takes from others. A file
// here is NAME.c and NAME.h together. Exits with 1 and a line for each violation.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

// From the lowest to the highest.
const floors = [
  ['include'],
  ['base'],
  ['board', 'kernels', 'stores', 'steps', 'http/wire'],
  ['count/methods'],
  ['count', 'formats', 'constructions', 'solvers'],
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
  ['bench'],
  ['commands'],
  ['main'],
];

process.chdir(new URL('../..', import.meta.url).pathname);
const build = process.argv[2] ?? 'build';
const roomOf = (file) => (file === 'main' ? 'main' : path.dirname(file));
const floorOf = (file) => {
  const floor = floors.findIndex((rooms) => rooms.includes(roomOf(file)));
  if (floor < 0) throw new Error(`${file}: its room has no floor`);
  return floor;
};

const sources = readdirSync('src', { recursive: true }).filter((name) => /\.[ch]$/.test(name));
const files = new Map([...sources.map((name) => name.replace(/\.[ch]$/, '')), 'include/nqueens'].map((file) => [file, new Set()]));
const use = (user, used) => user !== used && files.get(user).add(used);

const includes = (source) => [...readFileSync(path.join('src', source), 'utf8').matchAll(/^#include "([^"]*)\.h"/gm)].map(([, header]) => header);
const door = new Set(['engine/engine', ...includes('engine/engine.h')]);
const violations = [];

for (const source of [...sources, '../include/nqueens.h'])
  for (const header of includes(source)) {
    use(source.replace(/^\.\.\//, '').replace(/\.[ch]$/, ''), header);
    if (header.startsWith('engine/') && !source.startsWith('engine/') && !door.has(header))
      violations.push(`${source} includes ${header}, which engine.h does not`);
  }

const symbols = [...files.keys()].filter((file) => sources.includes(`${file}.c`)).flatMap((file) =>
  execFileSync('nm', ['-P', '--extern-only', `${build}/src/${file}.o`], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => ({ file, name: line.split(' ')[0], type: line.split(' ')[1] })),
);
const definers = new Map(symbols.filter(({ type }) => !'Uwv'.includes(type)).map(({ name, file }) => [name, file]));
for (const { file, name, type } of symbols) if (type === 'U' && definers.has(name)) use(file, definers.get(name));

// Tarjan: Depth-First Search and Linear Graph Algorithms, SIAM Journal on Computing 1 (1972).
function circles() {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const used of files.get(file)) {
      if (!order.has(used)) visit(used);
      if (stack.includes(used)) low.set(file, Math.min(low.get(file), low.get(used)));
    }
    if (low.get(file) === order.get(file)) found.push(stack.splice(stack.indexOf(file)));
  };
  for (const file of files.keys()) if (!order.has(file)) visit(file);
  return found.filter((circle) => circle.length > 1);
}

for (const [user, all] of files)
  for (const used of all) {
    const down = roomOf(user) === roomOf(used) || floorOf(used) < floorOf(user);
    if (!down) violations.push(`${user} uses ${used}, which is not below it`);
  }
for (const circle of circles()) violations.push(`a circle: ${circle.sort().join(' ')}`);
if (violations.length) console.log(violations.join('\n'));
process.exit(violations.length ? 1 : 0);
