// walls.test.js - rows, columns and walls beyond counts, lists and verdicts: traces. Compared with what /solve lists, which other tests
// compare with a recursion that looks along rays.
import { after, assert, slow, start, test } from './harness.js';

const server = await start({ after });

let state = 23;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};
const squaresOf = ({ m, n }) => [...Array(m * n).keys()].map((i) => `${1 + Math.floor(i / n)}:${1 + (i % n)}`);
function drawn(side) {
  const [m, n] = [1 + below(side), 1 + below(side)];
  const squares = squaresOf({ m, n });
  return { m, n, walls: [...new Set(Array.from({ length: below(2) * below(7) }, () => squares[below(squares.length)]))].join(',') };
}
const query = (object) => `${new URLSearchParams(Object.entries(object).filter(([, value]) => value !== ''))}`;
const lines = async (path) => (await server.get(path)).text.trimEnd().split('\n').map((line) => JSON.parse(line));

test('what an algorithm finds is what /solve lists with one queen in each row, and it tries no wall', async () => {
  let found = 0;
  for (let round = 0; round < (slow ? 15 : 60); round++) {
    const board = { ...drawn(6), rules: below(3) ? '' : 'superqueens' };
    const listed = (await lines(`/solve?${query({ ...board, queens: board.m, limit: 100000, format: 'ndjson' })}`)).slice(0, -1);
    const wanted = listed.filter(({ permutation }) => permutation).map(({ permutation }) => String(permutation));
    for (const algorithm of board.rules ? ['bitboard', 'mrv'] : ['bitboard', 'recursion', 'mrv']) {
      const steps = await lines(`/trace?${query({ ...board, algorithm, format: 'ndjson' })}`);
      const end = steps.pop();
      const solutions = steps.filter((step) => step.do === 'solution').map((step) => String(step.board));
      assert.deepEqual(algorithm === 'mrv' ? solutions.sort() : solutions, algorithm === 'mrv' ? [...wanted].sort() : wanted, `${query(board)} ${algorithm}`);
      assert.deepEqual([end.n, end.ended, end.stats.solutions], [board.n, true, wanted.length]);
      assert.deepEqual(steps.filter(({ row, column }) => board.walls.split(',').includes(`${row}:${column}`)), []);
      found += solutions.length;
    }
  }
  assert.ok(found > 100, found);
});

test('a trace of m rows goes on from its cursor, and comes by POST', async () => {
  const whole = await server.getJson('/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=200');
  const pages = [];
  for (let path = '/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=37'; path && pages.length < 200; ) {
    const page = await server.getJson(path);
    pages.push(...page.steps);
    path = page.next;
  }
  assert.deepEqual(pages.slice(0, 200), whole.steps);
  const body = { n: 5, m: 4, walls: [[2, 3]] };
  const sent = await server.post('/trace?algorithm=mrv&limit=200', JSON.stringify(body));
  assert.deepEqual(sent.json, whole);
  const { next_cursor: cursor } = await server.getJson('/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=3');
  const { status, json } = await server.get(`/trace?n=5&m=4&walls=2:4&algorithm=mrv&limit=3&cursor=${cursor}`);
  assert.deepEqual([status, json.errors[0].code], [400, 'not-a-cursor']);
});

test('a board of n x n without walls is what it is without the words, and what knows no walls says so', async () => {
  assert.equal((await server.get('/trace?n=5&m=5')).headers.etag, (await server.get('/trace?n=5')).headers.etag);
  for (const [path, status, parameter, code, reason] of [
    ['/trace?n=5&m=4&algorithm=romani-1', 400, 'm', 'not-with', /use algorithm=bitboard, mrv or recursion$/],
    ['/trace?n=5&walls=1:1&algorithm=annealing', 400, 'walls', 'not-with', /use algorithm=bitboard, mrv or recursion$/],
    ['/trace?n=5&m=4&rules=toroidal', 422, 'rules', 'not-by-rule', /as many rows as columns/],
    ['/trace?n=65&m=4', 422, 'n', 'above-limit', /at most 64/],
    ['/trace?n=5&walls=6:1', 400, 'walls', 'square-off-board', /not on the board/],
  ]) {
    const { status: found, json } = await server.get(path);
    assert.deepEqual([found, json.errors?.[0].parameter, json.errors?.[0].code], [status, parameter, code], path);
    assert.match(json.errors[0].reason, reason, path);
  }
});
