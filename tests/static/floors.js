#!/usr/bin/env node
// floors.js [BUILD] - the direction of the sources: each file uses only what is on a lower floor or in its own room, rooms on one
// floor do not use each other, no files form a circle, and from outside the engine only engine.h and the headers that it includes
// itself are included. Exits with 1 and a line for each violation.
import { files, floorOf, includes, roomOf, sources } from './sources.js';

const door = new Set(['engine/engine', ...includes('engine/engine.h')]);
const violations = sources.flatMap((source) =>
  includes(source)
    .filter((header) => header.startsWith('engine/') && !source.startsWith('engine/') && !door.has(header))
    .map((header) => `${source} includes ${header}, which engine.h does not`),
);

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
