// older.js - a file of jobs and a list of cursors, as a release leaves them behind for the next one: `make faults && node
// tests/http/older.js` has written tests/data/release-1.0.0, by the binary under test as a build of that name, before questions became
// values. It is not written anew when the code changes. The jobs are dated a century ahead: one that is over is forgotten after a week,
// but one that ended in the future counts as ended now.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Faults } from '../faults/faults.js';
import { buildAs, release } from '../nats/release.js';
import { assert, startWithin } from './harness.js';
import { isDone, on } from './storing.js';

// A server that is another program than the one under test.
const instead = (program) => ['sh', '-c', 'shift; exec "$0" "$@"', program];
export const startProgram = (owner, program, ...flags) => startWithin(owner, instead(program), ...flags);

export const folderOf = (version) => fileURLToPath(new URL(`../data/release-${version}`, import.meta.url));

const CENTURY = 36525 * 86400;

// One of each kind of count that a job can be.
const BY = ['none', 'square', 'index', 'first-column', 'fixed-points', 'displacement', 'torus-conflicts', 'torus-engaged', 'torus-components', 'torus-largest', 'torus-class'];
const RULES = ['toroidal', 'superqueens', 'semiqueens', 'toroidal-semiqueens', 'reflecting', 'touching'];
const JOBS = [
  ...BY.map((by) => ({ n: 7, by })),
  ...RULES.map((rules) => ({ n: 7, rules })),
  { n: '8', method: 'compute', base: '0', place: '0:3,2:1' },
  { n: 8, exclude: '1:1,8:8', format: 'json' },
  { n: 8, place: '1:4', exclude: '2:1', distinct: 'mirror' },
  { n: 9, distinct: 'fundamental' },
  { n: 7, distinct: 'torus', rules: 'toroidal' },
  { n: 8, symmetry: 'point' },
  { n: 12, symmetry: 'quarter', distinct: 'fundamental' },
  { n: 6, rules: 'superqueens', by: 'square', place: '1:2' },
];
const HALF = { n: 17, exclude: '1:1,3:3' };
const CANCELLED = { n: 18, exclude: '1:1' };

// Questions whose first page leads on.
const PAGES = [
  '/solve?n=8&limit=3',
  '/solve?n=8&limit=5&base=0&rank=true&board=ascii',
  '/solve?n=8&limit=4&offset=5&distinct=fundamental&place=1:3',
  '/solve?n=7&limit=2&after=1,3,5,7,2,4,6&exclude=4:4',
  '/solve?n=6&limit=7&rules=touching&symmetry=point',
  '/solve?n=40&limit=1',
  '/solve?n=300&limit=1&order=any',
  '/solve?regions=aabb/aabb/ccdd/ccdd&limit=1',
  '/solve?n=8&limit=3&algorithm=zironi',
  '/trace?n=5&algorithm=rapella&limit=9',
  '/trace?n=6&algorithm=min-conflicts&seed=3&limit=4',
  '/trace?regions=aabbb/aacbb/ddccc/ddeec/deeee&limit=6',
];

async function keep() {
  const folder = folderOf(release);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [program, file] = [buildAs(release), path.join(folder, 'store.db')];
  const owner = { after: () => {} };
  const faults = new Faults();
  faults.set({ date_shift: CENTURY });
  const server = await startWithin(owner, [...faults.wrapper, ...instead(program)], ...on(file), '--threads', 1, '--drain-seconds', 0);
  const jobs = [];
  for (const asked of JOBS) {
    const { id } = await server.begin(asked);
    jobs.push({ asked, job: await server.look(id, isDone) });
  }
  const cancelled = await server.begin(CANCELLED);
  await server.delete(cancelled.self);
  jobs.push({ asked: CANCELLED, job: await server.look(cancelled.id, ({ state }) => state === 'cancelled') });
  const pages = [];
  for (const question of PAGES) {
    const { next } = await server.getJson(question);
    assert.ok(next, `${question} has one page`);
    pages.push({ question, next, body: (await server.get(next)).text });
  }
  const { id } = await server.begin(HALF);
  const { units } = await server.look(id, ({ units: now }) => now.done >= 3, 'some units are done');
  await server.stop();
  // The whole of what was left at half-way, by somebody else.
  const other = await startProgram(owner, program, '--kernel', 'auto');
  const { count } = await other.getJson(`/count?${new URLSearchParams({ ...HALF, method: 'compute' })}`);
  await other.stop();
  const half = { asked: HALF, id, done: units.done, count };
  writeFileSync(path.join(folder, 'asked.json'), `${JSON.stringify({ release, jobs, half, pages }, null, 1)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await keep();
