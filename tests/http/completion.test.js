// Whether queens can be completed: /solve with place= against a SAT solver, on boards of 8 to 200 rows on both sides of the
// hard region. NQ_LONG=1: 500 of them; else a share.
import { completableBySat, isSolution, placeAtRandom, random } from './completion.js';
import { after, assert, longer, slow, start, test } from './harness.js';

const server = await start({ after }, '--threads', '1');
const name = (queens) => queens.map((queen) => queen.join(':')).join(',');
const ask = (n, queens, more = '') => server.getJson(`/solve?n=${n}&place=${name(queens)}${more}`);
const has = (queens) => ({ permutation }) => queens.every(([row, column]) => permutation[row - 1] === column);

// Below three fifths of the rows nearly every board can be completed, above nine tenths nearly none.
function instance(seed) {
  const next = random(seed);
  const n = 8 + Math.floor(193 * next());
  return [n, placeAtRandom(n, Math.floor(n * (0.4 + 0.55 * next())), next)];
}

test('completions agree with a SAT solver: decided, or said not to be, and never wrong (plain)', { skip: slow && 'sixty searches of many placements' }, async (context) => {
  const [count, stride] = longer ? [500, 1] : [60, 8];
  const answers = { true: 0, false: 0, null: 0 };
  for (let i = 0; i < count; i++) {
    const [n, queens] = instance(1 + i * stride);
    const page = await ask(n, queens, '&limit=1');
    const { completable, placements } = page.completion;
    answers[completable]++;
    const what = `n=${n}&place=${name(queens)}`;
    if (completable === null) {
      assert.deepEqual([placements, page.returned, page.complete], [2 ** 27, 0, false], what);
      assert.ok(page.next, what);
      continue;
    }
    assert.equal(page.returned, Number(completable), what);
    assert.ok(page.solutions.every(({ permutation }) => isSolution(n, permutation)) && page.solutions.every(has(queens)), what);
    assert.equal(completable, completableBySat(n, queens, 600), what);
  }
  context.diagnostic(`${answers.true} can be completed, ${answers.false} cannot, ${answers.null} not decided`);
  assert.ok(answers.true >= count / 5 && answers.false >= count / 5 && answers.null <= count / 20, JSON.stringify(answers));
});

test('the SAT solver and the service agree on every pair of queens of a small board', async () => {
  const n = 6;
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b += slow ? 2 : 1) {
      const queens = [[1, a + 1], [4, b + 1]];
      const { completion, returned } = await ask(n, queens);
      assert.deepEqual(completion, { completable: returned > 0, count: returned, placements: completion.placements });
      const attacked = a === b || Math.abs(a - b) === 3; // placed all the same: the formula is of boards where none is
      if (!attacked) assert.equal(completion.completable, completableBySat(n, queens, 60), name(queens));
      else assert.equal(completion.completable, false, name(queens));
    }
});

test('few completions are counted: the same number in both orders, in pages, and by /count', async () => {
  let counted = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const next = random(seed);
    const n = 18 + Math.floor(15 * next());
    const queens = placeAtRandom(n, n - 14, next);
    const any = await ask(n, queens, '&order=any&limit=10000');
    const ordered = await ask(n, queens, '&order=lexicographic&limit=10000');
    assert.deepEqual([ordered.completion.completable, ordered.completion.count], [any.completion.completable, any.completion.count]);
    assert.equal(any.completion.count, any.next ? null : any.returned);
    const { count } = await server.getJson(`/count?n=${n}&place=${name(queens)}`);
    if (any.completion.count === null) continue;
    assert.equal(any.completion.count, count);
    counted += Math.min(count, 1);
    if (count < 2) continue;
    const first = await ask(n, queens, '&order=any&limit=1');
    assert.deepEqual([first.completion.completable, first.completion.count], [true, null]);
    const rest = await server.getJson(first.next.replace('limit=1', 'limit=10000'));
    assert.deepEqual([rest.completion.completable, rest.completion.count, rest.returned], [true, count, count - 1]);
  }
  assert.ok(counted >= 3, `${counted}`);
});

test('where a page begins does not change whether there is a completion', async () => {
  const completion = async (query) => (await server.getJson(`/solve?n=8&${query}`)).completion;
  const some = { completable: true, count: 4 };
  for (const [query, expected] of [
    ['place=1:1&offset=3', some],
    ['place=1:1&offset=30', some], // beyond the end
    ['place=1:1,2:2&offset=30', { completable: false, count: 0 }],
    ['place=1:1&after=1,7,5,8,2,4,6,3', some], // the last one
    ['place=1:1&symmetry=point', { completable: false, count: 0 }],
    ['exclude=1:1', { completable: true, count: 88 }],
  ]) {
    const { completable, count } = await completion(query);
    assert.deepEqual({ completable, count }, expected, query);
  }
  const { solutions } = await ask(16, [[1, 1], [2, 3], [3, 5], [5, 13]]);
  const after = await ask(16, [[1, 1], [2, 3], [3, 5], [5, 13]], `&after=${solutions.at(-1).permutation}`);
  assert.deepEqual([after.completion.completable, after.completion.count], [true, null]); // how many come before is not known
  for (const query of ['place=', 'limit=3', 'place=1:1&sample=2&seed=1']) assert.equal(await completion(query), undefined, query);
});

test('a page that ends at its budget says that it has not decided (plain)', { skip: slow && 'a page of so many placements' }, async () => {
  const page = await server.getJson('/solve?n=60&place=1:1&order=lexicographic&limit=1');
  assert.deepEqual([page.completion, page.complete], [{ completable: null, count: null, placements: 2 ** 27 }, false]);
  assert.ok(page.next);
});

// rows from..to without the columns from..to
const block = (fromRow, toRow, fromColumn, toColumn) =>
  range(fromRow, toRow).flatMap((row) => range(fromColumn, toColumn).map((column) => `${row}:${column}`)).join(',');
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('rows with fewer columns than queens are decided by counting, without a placement, by every route that decides', async () => {
  const none = { completable: false, count: 0, placements: 0 };
  for (const [n, exclude] of [[40, block(1, 20, 1, 21)], [64, block(50, 64, 1, 50)], [70, block(1, 10, 10, 70)], [40, block(1, 21, 20, 40)]])
    for (const order of n > 64 ? ['any'] : ['any', 'lexicographic'])
      for (const symmetry of ['any', 'point']) {
        const { completion } = await server.getJson(`/solve?n=${n}&limit=1&order=${order}&symmetry=${symmetry}&exclude=${exclude}`);
        assert.deepEqual(completion, none, `${n} ${order} ${symmetry}`);
      }
  const exclude = block(1, 20, 1, 21);
  const { completions } = await server.getJson(`/hint?n=40&exclude=${exclude}`);
  assert.equal(completions, 0);
  assert.equal((await server.getJson(`/count?n=40&method=estimate&exclude=${exclude}`)).estimate, 0);
  // One column more, and it is not a matter of counting.
  const { completion } = await server.getJson(`/solve?n=40&limit=1&exclude=${block(1, 20, 1, 20)}`);
  assert.notDeepEqual(completion, none);
});

test('it is decided by counting after what a row and a column with one square force, too', async () => {
  // Row 70 is the only one with column 1, and so has its queen there: the rows 1 to 10 are left with nine columns.
  const exclude = [block(1, 69, 1, 1), block(1, 10, 11, 70)].join(',');
  const { completion } = await server.getJson(`/solve?n=70&limit=1&exclude=${exclude}`);
  assert.deepEqual(completion, { completable: false, count: 0, placements: 0 });
});
