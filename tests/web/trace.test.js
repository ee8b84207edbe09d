// trace.test.js - what the tab Watch knows of a trace, without a page: the state after any step, of every algorithm, and the tree.
import { readFileSync } from 'node:fs';
import { after, assert, start, test } from '../http/harness.js';
import { visit } from './modules.js';
import { follow } from '../../src/web/trace.js';
import { growth, WIDTHS } from '../../src/web/tree.js';

const server = await start({ after });
visit(`http://127.0.0.1:${server.port}/`);
const { algorithms } = await server.getJson('/compare?n=6');
const quiet = () => {};

// Every step of a trace, and the boards before the first and after each.
async function whole(query) {
  const [steps, boards] = [[], []];
  for (let next = `/trace?${query}&limit=1000`; next;) {
    const page = await server.getJson(next);
    const { board } = page;
    if (!boards.length) boards.push([...board]);
    for (const step of page.steps) {
      if (step.board) board.splice(0, board.length, ...step.board);
      else if (['place', 'move'].includes(step.do)) board[step.row - 1] = step.column;
      else if (step.do === 'remove') board[step.row - 1] = null;
      steps.push(step);
      boards.push([...board]);
    }
    ({ next } = page);
  }
  return { steps, boards };
}

for (const { algorithm, stats, first } of algorithms)
  test(`the trace of ${algorithm}: boards, sums and solutions`, async () => {
    const query = `n=6&algorithm=${algorithm}${['min-conflicts', 'local-search', 'neural', 'freeman', 'hill-climbing', 'annealing', 'genetic'].includes(algorithm) ? '&seed=1' : ''}`;
    const { steps, boards } = await whole(query);
    const trace = follow(Object.fromEntries(new URLSearchParams(query)), undefined, quiet);
    await trace.reach(0, quiet);
    assert.ok(trace.known() <= 100, 'the first page is small');
    await trace.reach(steps.length, quiet);
    assert.equal(trace.end(), stats.steps);
    const { sums, done } = trace.at(Infinity);
    assert.equal(done, steps.length);
    assert.deepEqual(sums, { ...sums, ...Object.fromEntries(['placements', 'tests', 'backtracks', 'solutions', 'levels'].map((key) => [key, stats[key]])) });
    assert.deepEqual([trace.whole(), trace.first() ?? undefined], [stats, first?.stats.steps]);
    for (const at of [steps.length, Math.ceil(steps.length / 2), 7, 8, 0]) {
      await trace.reach(at, quiet);
      const { board, step } = trace.at(at);
      assert.deepEqual([board, step], [boards[at], steps[at - 1]], `after ${at} steps`);
    }
    const solutions = steps.flatMap((step, i) => (step.do === 'solution' ? [i + 1] : [])).slice(0, 50);
    let at = 0;
    for (const wanted of [...solutions, ...(solutions.length < 50 ? [steps.length] : [])]) assert.equal((at = await trace.next(at, quiet)), wanted);
    for (const wanted of [...solutions.reverse().filter((one) => one < at), 0]) assert.equal((at = await trace.previous(at, quiet)), wanted);
  });

test('of a long trace few pages are in memory, and each is there when it is needed', async () => {
  const { steps, boards } = await whole('n=8&algorithm=rapella');
  const seen = [];
  const trace = follow({ n: 8, algorithm: 'rapella' }, undefined, ({ steps }) => seen.push(steps.length));
  await trace.reach(12345, quiet);
  assert.deepEqual([seen[0], new Set(seen.slice(1))], [100, new Set([1000])]);
  for (const at of [12345, 1000, 1001, 100, 101, 11000, 3, 2000]) {
    await trace.reach(at, quiet);
    assert.deepEqual([trace.at(at).board, trace.after(at)], [boards[at], steps[at]], `after ${at} steps`);
  }
  assert.equal(trace.at(9000), null);
  assert.equal(seen.length, 14, 'each page is told once');
});

// All placements of queens in the first rows, level by level: for each, the number of the one it extends.
function parentsOf(n, first) {
  const parents = [];
  let level = [[]];
  for (let row = 1; row <= n; row++) {
    const next = [];
    parents.push([]);
    level.forEach((queens, parent) => {
      for (let column = 1; column <= n; column++) {
        if (row === 1 && first && column !== first) continue;
        if (queens.some((at, i) => at === column || Math.abs(at - column) === row - 1 - i)) continue;
        next.push([...queens, column]);
        parents.at(-1).push(parent);
      }
    });
    level = next;
  }
  return parents;
}

for (const [algorithm, query, first] of [['bitboard', '', null], ['rapella', '', null], ['romani-2', '&column=2', 2]])
  test(`the tree of ${algorithm} has the branches of the search, and the path leads to the board`, async () => {
    const n = 6;
    const wanted = parentsOf(n, first);
    const grown = growth(n, algorithm !== 'romani-2');
    let sums = { levels: [] };
    let next = `/trace?n=${n}&algorithm=${algorithm}${query}&limit=50`;
    let last;
    while (next) {
      const { board, steps, stats, next: further } = await server.getJson(next);
      grown.add({ board, steps, sums });
      sums = stats;
      next = further;
      last = { board, steps };
    }
    wanted.forEach((parents, i) => assert.deepEqual(parents.map((_, at) => grown.parent(i + 1, at)), parents, `level ${i + 1}`));
    assert.deepEqual(sums.levels, wanted.map(({ length }) => length));
    if (algorithm !== 'romani-2') return;
    const take = last.steps.find(({ do: does }) => does === 'take'); // the last but one level, in order
    const path = grown.path(take.board, sums.levels, take);
    for (let level = path.length; level > 1; level--) assert.equal(wanted[level - 1][path[level - 1]], path[level - 2]);
  });

test('the levels of the search row by row add up to OEIS A319283', () => {
  const terms = readFileSync(new URL('../../docs/sequences/b319283.txt', import.meta.url), 'utf8');
  for (const [n, levels] of Object.entries(WIDTHS)) {
    assert.equal(levels.length, Number(n));
    const [, nodes] = terms.match(new RegExp(`^${n} (\\d+)$`, 'm'));
    assert.equal(levels.reduce((sum, count) => sum + count, 1), Number(nodes), `n = ${n}`);
  }
});
