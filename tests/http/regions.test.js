// regions.test.js - boards with regions, compared with a search of its own.
import { after, assert, start, test } from './harness.js';
import { fitting, lettersOf, painted, solutionsBy } from './reference.js';

const server = await start({ after });
const all = Object.fromEntries([4, 5, 6, 7].map((n) => [n, solutionsBy('touching', n)]));

let state = 25;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

const squares = (list) => list.map(([row, column]) => `${row}:${column}`).join(',');

test('counts of painted boards, with squares placed and excluded', async () => {
  const counts = new Set();
  for (let round = 0; round < 60; round++) {
    const n = 4 + (round % 4);
    const board = painted(n, below);
    const letters = lettersOf(board);
    const place = below(3) ? [] : [[below(n), below(n)]];
    const exclude = below(2) ? [] : [[below(n), below(n)]];
    const expected = fitting(all[n], board).filter((columns) => place.every(([row, column]) => columns[row] === column) && exclude.every(([row, column]) => columns[row] !== column)).length;
    const path = `/count?regions=${letters}&base=0&place=${squares(place)}&exclude=${squares(exclude)}`;
    const answer = await server.getJson(path);
    assert.deepEqual(answer, { n, base: 0, rules: 'touching', regions: letters, count: expected, count_text: String(expected), unique: expected === 1, limit: 1000000, provenance: 'computed' }, path);
    for (const limit of expected ? [expected, Math.max(1, expected - 1)] : []) {
      const { count, at_least: least } = await server.getJson(`${path}&limit=${limit}`);
      assert.deepEqual([count, least], limit < expected ? [null, limit + 1] : [expected, undefined]);
    }
    counts.add(expected);
  }
  assert.ok(counts.has(0) && counts.has(1) && counts.size > 4);
});

test('equal boards are one answer, however they are written', async () => {
  const forms = ['ABCDE/ABCDE/ABCDE/ABCDE/ABCDE', 'zbcde/zbcde/zbcde/zbcde/zbcde', 'abcde/abcde/abcde/abcde/abcde&n=5&rules=touching&method=compute&limit=1000000', 'https://puzz.link/p?starbattle/5/5/1/vvvv0000', 'starbattle/5/5/1/vvvv0000'];
  const replies = [];
  for (const form of forms) replies.push(await server.get(`/count?regions=${form}`));
  for (const { json, etag } of replies.map((reply) => ({ json: reply.json, etag: reply.headers.etag }))) {
    assert.equal(json.regions, 'abcde/abcde/abcde/abcde/abcde');
    assert.equal(json.count, 14);
    assert.equal(etag, replies[0].headers.etag);
  }
  assert.equal(replies[0].headers['content-location'], replies[3].headers['content-location']);
});

test('what is wrong with a board is said, with its square', async () => {
  const wrong = {
    'aabb/aabb/ccdd/ccd': ['not-regions'],
    'aabb/aabb/ccdd/cc.d': ['not-regions-square', 4, 3],
    'aabb/aabb/ccdd/cc1d': ['not-regions-square', 4, 3],
    'aabb/aabb/ccdd/ccde': ['not-regions-square', 4, 4],
    'aabb/aabb/ccdd/ccda': ['not-regions-square', 4, 4],
    'aabb/aabb/cccc/cccc': ['not-regions'],
    'abc/abc/abc': ['not-regions'],
    'starbattle/5/6/1/vvvv0000': ['not-regions'],
    'starbattle/5/5/2/vvvv0000': ['not-regions'],
  };
  for (const [form, [code, row, column]] of Object.entries(wrong)) {
    const { json } = await server.get(`/count?regions=${form}`);
    assert.deepEqual([json.status, ...json.errors.map(({ code, row, column }) => [code, row, column])], [400, [code, row, column]], form);
  }
  const { json } = await server.get('/count?regions=aabb/aabb/ccdd/ccda&base=0');
  assert.deepEqual([json.errors[0].row, json.errors[0].column], [3, 3]);
});
