// Orders of /solve: every board has solutions at once, in an order that pages, streams and `after` continue.
import { isSolution } from './completion.js';
import { after, assert, longer, start, tables, test } from './harness.js';

const server = await start({ after }, '--threads', '1');

const few = [1, 1, 0, 0, 2, 10, 4, 40, 92];

test('every board up to n = 1000 has ten solutions, or all, on its first page (as delivered, too)', async () => {
  for (let n = 0; n <= 1000; n += n < 65 || longer ? 1 : 55) { // of which neither 2 nor 3 is a factor
    const page = await server.getJson(`/solve?n=${n}&limit=10`);
    assert.equal(page.order, n <= 28 ? 'lexicographic' : 'any');
    assert.equal(page.complete, true, `n=${n}`);
    assert.equal(page.returned, Math.min(10, few[n] ?? 10), `n=${n}`);
    assert.ok(page.solutions.every(({ permutation }) => isSolution(n, permutation)), `n=${n}`);
  }
});

test('the default list makes ground with each of ten next, on boards from 0 to 1000 (as delivered, too)', async () => {
  for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8, 28, 29, 64, 65, 257, 1000]) {
    const seen = new Set();
    const pages = [];
    let target = `/solve?n=${n}&limit=10`;
    for (; target && pages.length <= 10; target = pages.at(-1).next) {
      pages.push(await server.getJson(target));
      assert.ok(pages.length === 1 || pages.at(-1).returned > 0 || !pages.at(-1).next, `n=${n}: ${target}`);
      for (const { permutation } of pages.at(-1).solutions) seen.add(String(permutation));
    }
    assert.ok(pages.every(({ complete }) => complete), `n=${n}`);
    assert.equal(seen.size, Math.min(110, few[n] ?? 110), `n=${n}`);
  }
});

test('next makes ground ten times, on boards of every kind', async () => {
  for (const query of ['n=29', 'n=64', 'n=100&symmetry=point', 'n=101&symmetry=quarter', 'n=200&distinct=fundamental', 'n=257',
    'n=300&place=1:1,2:3,300:5&exclude=4:4', 'n=1000', 'n=12&order=any']) {
    const seen = new Set();
    let target = `/solve?${query}&limit=3`;
    for (let i = 0; i < 10; i++) {
      const page = await server.getJson(target);
      for (const { permutation } of page.solutions) seen.add(String(permutation));
      assert.ok(page.next && page.next !== target, query);
      if (page.order === 'any') assert.equal(seen.size, 3 * (i + 1), query);
      target = page.next;
    }
  }
});

test('a stream, and what follows a solution, are the same list', async () => {
  for (const query of ['n=9&order=any', 'n=9&order=any&distinct=fundamental', 'n=70&place=1:1', 'n=80&symmetry=point']) {
    const page = await server.getJson(`/solve?${query}&limit=40`);
    const lines = (await server.get(`/solve?${query}&limit=40&format=ndjson`)).lines;
    assert.deepEqual(lines.slice(0, 40), page.solutions);
    const rest = await server.getJson(`/solve?${query}&limit=20&after=${page.solutions[19].permutation}`);
    assert.deepEqual(rest.solutions, page.solutions.slice(20));
  }
});

test('order=any lists every solution once', async () => {
  const { solutions } = await server.getJson('/solve?n=8&order=any');
  const ordered = (await server.getJson('/solve?n=8')).solutions.map(({ permutation }) => String(permutation));
  assert.deepEqual(solutions.map(({ permutation }) => String(permutation)).sort(), ordered.sort());
});

test('squares of large boards are kept to, and a board without a completion is an empty list', async () => {
  const page = await server.getJson('/solve?n=150&limit=5&base=0&place=0:3,149:70&exclude=5:5,6:6');
  for (const { permutation } of page.solutions) {
    assert.deepEqual([permutation[0], permutation[149]], [3, 70]);
    assert.ok(permutation[5] !== 5 && permutation[6] !== 6);
  }
  assert.equal(page.returned, 5);
  const none = await server.getJson('/solve?n=150&place=1:1,2:2');
  assert.deepEqual([none.returned, none.complete, none.next], [0, true, null]);
  (await server.get('/solve?n=150&place=151:1')).isProblem(400, 'place');
  (await server.get(`/solve?n=150&place=1:1&cursor=${page.next_cursor}`)).isProblem(400, 'cursor');
});

test('statistics, pictures and boards of large lists', async () => {
  const { stats } = await server.getJson('/solve?n=100&limit=1&stats=true');
  assert.ok(stats.placements >= 100 && stats.solutions === 1);
  assert.match((await server.get('/solve?n=100&format=svg')).text, /^<svg /);
  const page = await server.get('/solve?n=1000&limit=10&board=unicode');
  assert.ok(page.json.returned >= 1 && page.json.returned < 10 && Buffer.byteLength(page.text) <= 4 << 20);
});

test('an algorithm asked for by name is not taken for none, cached or not', async () => {
  for (const [query, order] of [['', 'any'], ['&algorithm=bitboard', 'lexicographic'], ['', 'any'], ['&algorithm=bitboard', 'lexicographic']]) {
    const page = await server.getJson(`/solve?n=29&limit=1${query}`);
    assert.equal(page.order, order);
    assert.equal((await server.getJson(page.next)).order, order);
  }
});

test('lexicographic lists of large boards begin with a published solution, say so, and continue by searching', async () => {
  const published = tables().lex_first.n;
  const ask = (query) => server.getJson(`/solve?order=lexicographic&${query}`);
  for (let n = 29; n <= 41; n++) {
    if (n === 40) continue; // not known
    const { first, solutions, complete } = await ask(`n=${n}&limit=1`);
    assert.deepEqual([first, complete], [{ provenance: 'table', oeis: 'A141843' }, true], `n=${n}`);
    assert.ok(isSolution(n, solutions[0].permutation), `n=${n}`);
    if (published[n]) assert.deepEqual(solutions[0].permutation, published[n].solution, `n=${n}`);
  }
  // With n = 31 the search needs no table: the same list.
  const searched = await server.getJson('/solve?n=31&algorithm=bitboard&limit=5');
  assert.equal(searched.first, undefined);
  const list = await ask('n=31&limit=5');
  assert.deepEqual(list.solutions, searched.solutions);
  assert.deepEqual((await server.get('/solve?n=31&order=lexicographic&limit=5&format=ndjson')).lines.slice(0, 5), list.solutions);
  const one = await ask('n=31&limit=1');
  const next = await server.getJson(one.next);
  assert.deepEqual([next.first, next.offset, next.solutions], [undefined, 1, list.solutions.slice(1, 2)]);
  // A filter that the solution passes; one that it does not pass; where to begin.
  const [{ permutation }] = list.solutions;
  for (const [query, from] of [
    ['n=31&exclude=1:2', 0],
    [`n=31&exclude=31:${permutation[30]}`, null],
    ['n=31&symmetry=point', null],
    ['n=31&distinct=fundamental', 0],
    [`n=31&after=${permutation}`, 1],
  ]) {
    const page = await ask(`${query}&limit=1`);
    assert.equal(Boolean(page.first), from === 0, query);
    if (from !== null) assert.deepEqual(page.solutions, list.solutions.slice(from, from + 1), query);
    else assert.notDeepEqual(page.solutions, list.solutions.slice(0, 1), query);
  }
  assert.match((await server.get('/solve?n=41&order=lexicographic&format=svg')).text, /^<svg /);
});
