// puzzle.test.js - GET /puzzle and /hint: puzzles have one solution, hints lead to it, and the same seed tells the same.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const squares = (list) => list.map(({ row, column }) => `${row}:${column}`).join(',');

test('boards without a completion', async () => {
  const stuck = await server.getJson('/hint?n=4&place=1:1');
  assert.deepEqual([stuck.completable, stuck.completions, stuck.hint, stuck.conflicts], [false, 0, null, []]);
  const wrong = await server.getJson('/hint?n=8&place=1:1,1:5,3:3,8:5&base=1');
  assert.equal(wrong.completable, false);
  assert.equal(wrong.conflict_count, 4);
  assert.deepEqual(
    wrong.conflicts.map(({ a, b, line }) => [squares([a, b]), line]),
    [['1:1,1:5', 'row'], ['1:5,8:5', 'column'], ['1:1,3:3', 'diagonal'], ['1:5,3:3', 'antidiagonal']],
  );
  for (const n of [2, 3]) {
    assert.equal((await server.getJson(`/hint?n=${n}`)).completable, false);
    const reply = await server.get(`/puzzle?n=${n}&seed=1`);
    reply.isProblem(422);
    assert.equal(reply.json.type, 'urn:nqueensd:problem:no-solution');
  }
});

test('as many queens as a request may place', async () => {
  const queens = Array.from({ length: 1000 }, (_, i) => ({ row: 1 + (i % 40), column: 1 + Math.floor(i / 40) }));
  const { completable, conflict_count: count, conflicts } = await server.getJson(`/hint?n=40&place=${squares(queens)}`);
  assert.deepEqual([completable, count > 1000, conflicts.length], [false, true, 100]);
});

test('the same seed is the same puzzle and cacheable; one that the server draws is returned and not cacheable', async () => {
  const first = await server.get('/puzzle?n=12&seed=3');
  assert.equal(first.headers['cache-control'], 'public, max-age=86400');
  assert.ok(first.headers.etag);
  assert.equal(first.headers.link, `<${first.json.solution_url}>; rel="related"`);
  const again = await server.get('/puzzle?seed=3&minimal=true&n=12'); // which it is in any case
  assert.equal(again.text, first.text);
  assert.equal(again.headers.etag, first.headers.etag);
  assert.notEqual((await server.get('/puzzle?n=12&seed=4')).headers.etag, first.headers.etag);
  const drawn = await server.get('/puzzle?n=12');
  assert.equal(drawn.headers['cache-control'], 'no-store');
  assert.equal(drawn.headers.etag, undefined);
  assert.equal((await server.get(`/puzzle?n=12&seed=${drawn.json.seed}`)).text, drawn.text);
  assert.notEqual((await server.get('/puzzle?n=12')).json.seed, drawn.json.seed);
  const hint = await server.get('/hint?n=8&place=2:4,1:1');
  assert.ok(hint.headers.etag);
  assert.equal((await server.get('/hint?n=8&place=1:1,2:4')).headers.etag, hint.headers.etag);
});
