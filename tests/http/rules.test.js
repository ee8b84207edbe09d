// rules.test.js - rules=: other pieces and other boards, compared with definitions square by square.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const names = ['queens', 'toroidal', 'superqueens', 'semiqueens', 'toroidal-semiqueens', 'reflecting', 'touching'];
const modulo = (a, n) => ((a % n) + n) % n;

// The line that two queens share which stand on different rows and columns, by the definition of each rule; 0-based.
const diagonals = (rows, columns) => (rows === columns ? 'diagonal' : rows === -columns ? 'antidiagonal' : undefined);
const lines = {
  queens: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]),
  toroidal: (n, a, b) => (modulo(a[0] - b[0], n) === modulo(a[1] - b[1], n) ? 'diagonal' : modulo(a[0] - b[0], n) === modulo(b[1] - a[1], n) ? 'antidiagonal' : undefined),
  superqueens: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]) ?? (Math.abs((a[0] - b[0]) * (a[1] - b[1])) === 2 ? 'knight' : undefined),
  semiqueens: (n, a, b) => (a[0] - b[0] === a[1] - b[1] ? 'diagonal' : undefined),
  'toroidal-semiqueens': (n, a, b) => (modulo(a[0] - b[0], n) === modulo(a[1] - b[1], n) ? 'diagonal' : undefined),
  // Numbered from 1: sums and differences are all different.
  reflecting: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]) ?? (a[0] - a[1] === b[0] + b[1] + 2 || a[0] + a[1] + 2 === b[0] - b[1] ? 'reflection' : undefined),
  touching: (n, a, b) => (Math.abs(a[0] - b[0]) === 1 && Math.abs(a[1] - b[1]) === 1 ? 'neighbour' : undefined),
};
const lineOf = (rules, n, a, b) => (a[0] === b[0] ? (a[1] === b[1] ? 'square' : 'row') : a[1] === b[1] ? 'column' : lines[rules](n, a, b));

let state = 1;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

async function verify(rules, body) {
  const reply = await server.post(`/verify?rules=${rules}`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

test('verify lists every conflict with its line, by each rule', async () => {
  const seen = new Set();
  for (const rules of names) {
    for (let round = 0; round < 40; round++) {
      const n = 1 + below(12);
      const queens = [...Array(below(n + 1))].map(() => [below(n), below(n)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const expected = queens.flatMap((a, i) => queens.slice(i + 1).map((b) => [a, b, lineOf(rules, n, a, b)])).filter(([, , line]) => line);
      const square = ([row, column]) => ({ row, column });
      const verdict = await verify(rules, { n, base: 0, queens: queens.map(square).reverse() });
      assert.equal(verdict.conflict_count, expected.length);
      assert.equal(verdict.peaceful, expected.length === 0);
      const found = verdict.conflicts.map(({ a, b, line }) => [[a.row, a.column], [b.row, b.column], line]);
      const first = rules === 'queens' ? found.sort() : found; // queens: line by line
      assert.deepEqual(first, (rules === 'queens' ? expected.sort() : expected).slice(0, 100));
      for (const [, , line] of found) seen.add(line);
    }
  }
  assert.deepEqual([...seen].sort(), ['antidiagonal', 'column', 'diagonal', 'knight', 'neighbour', 'reflection', 'row', 'square']);
});

test('a solution by one rule, its images by that rule', async () => {
  const toroidal = await verify('toroidal', { permutation: [1, 3, 5, 2, 4] });
  assert.deepEqual([toroidal.valid, toroidal.symmetry, toroidal.orbit, toroidal.canonical, toroidal.rank], [true, 'none', 8, [1, 3, 5, 2, 4], null]);
  // Queens that only attack one way: reflected at the main diagonal it stays itself, at a side it is none.
  const semi = await verify('semiqueens', { permutation: [3, 2, 1] });
  assert.deepEqual([semi.valid, semi.orbit, semi.canonical], [true, 1, [3, 2, 1]]);
  const mirrored = await verify('semiqueens', { permutation: [1, 2, 3] });
  assert.deepEqual([mirrored.valid, mirrored.orbit, mirrored.canonical], [false, null, null]);
  assert.deepEqual(mirrored.conflicts.map(({ line }) => line), ['diagonal', 'diagonal', 'diagonal']);
  const large = await verify('touching', { permutation: [...Array(5000)].map((_, i) => i * 2 + 1).concat([...Array(5000)].map((_, i) => i * 2 + 2)) });
  assert.deepEqual([large.valid, large.canonical.length], [true, 10000]);
});

test('verify without rules is verify by queens', async () => {
  const board = { permutation: [4, 2, 7, 3, 6, 8, 5, 1] };
  const reply = await server.post('/verify', board);
  assert.deepEqual(await verify('queens', board), reply.json);
  assert.equal(reply.json.rank, 32);
});

test('what a rule does not have, and no rule', async () => {
  const unknown = await server.post('/verify?rules=kings', { permutation: [1] });
  unknown.isProblem(400, 'rules');
  assert.equal(unknown.json.errors[0].reason, `must be one of ${names.join(', ')}`);
  const rank = await server.post('/verify?rules=touching&rank=true', { permutation: [1] });
  rank.isProblem(422, 'rank');
  assert.deepEqual([rank.json.errors[0].code, rank.json.errors[0].rules], ['not-by-rule', 'touching']);
  const n = 10001;
  const many = { n, queens: [...Array(n)].map((_, i) => ({ row: 1 + i, column: 1 })) };
  const refused = await server.post('/verify?rules=toroidal', many);
  refused.isProblem(422, 'body');
  assert.deepEqual([refused.json.errors[0].code, refused.json.errors[0].maximum], ['too-many-items', 10000]);
  many.queens.pop();
  assert.equal((await verify('toroidal', many)).conflict_count, (10000 * 9999) / 2);
});
