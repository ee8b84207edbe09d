// count.test.js - GET /count: the right number, and where it comes from.
import { after, assert, kernels, slow, start, tables, test } from './harness.js';

const server = await start({ after });
const { terms } = tables().all;

// ---- Whole boards ----

test('every kernel of this machine returns the same counts', async (t) => {
  assert.ok(kernels().includes('scalar'));
  for (const name of ['auto', ...kernels()]) {
    const server = await start(t, '--kernel', name);
    assert.equal((await server.getJson('/count?n=12&method=compute')).count, 14200, name);
    assert.equal((await server.getJson('/count?n=12&distinct=fundamental')).count, 1787, name);
    assert.equal((await server.getJson('/count?n=12&by=square')).squares[0][0], 500, name);
    assert.equal((await server.getJson('/count?n=12&place=1:1&exclude=2:3')).count, 466, name);
  }
});

test('auto computes up to 16 and uses the table up to 27 (plain)', { skip: slow && 'counts of some seconds' }, async () => {
  assert.equal((await server.getJson('/count?n=16')).provenance, 'computed');
  for (let n = 17; n <= 27; n++) {
    const fact = await server.getJson(`/count?n=${n}`);
    assert.equal(fact.provenance, 'table');
    assert.equal(fact.oeis, 'A000170');
    assert.match(fact.source, n < 24 ? /^OEIS A000170$/ : /^[A-Z].* 20\d\d.*; OEIS A000170$/);
    assert.equal(fact.count, terms[n]);
  }
});

test('every reply repeats base', async () => {
  assert.equal((await server.getJson('/count?n=6&base=0')).base, 0);
  assert.equal((await server.getJson('/count?n=6&base=0&method=estimate&seed=1')).base, 0);
  assert.equal((await server.getJson('/count?n=60&base=0&method=estimate')).base, 0);
});

// ---- Filters ----

test('rows and columns of a count by square sum to the count, on boards too large to list', async () => {
  for (const query of ['n=11&place=2:5', 'n=14&symmetry=point', 'n=12&symmetry=quarter']) {
    const { count, squares } = await server.getJson(`/count?${query}&by=square`);
    assert.ok(count > 0 && count === (await server.getJson(`/count?${query}`)).count);
    const columns = squares.map((_, i) => squares.map((row) => row[i]));
    for (const line of [...squares, ...columns]) assert.equal(line.reduce((sum, number) => sum + number), count, query);
  }
  assert.deepEqual((await server.getJson('/count?n=0&by=square')).squares, []);
});

test('contradictory squares have no solutions, and a note', async () => {
  for (const query of [
    'place=1:1,1:2', // a row
    'place=1:1,5:1', // a column
    'place=1:1,5:5', // a diagonal
    'place=1:8,8:1',
    'place=4:4&exclude=4:4',
    'exclude=1:1,1:2,1:3,1:4,1:5,1:6,1:7,1:8',
    'place=1:1,2:3,3:5,4:7,5:2', // four that leave nothing for others
  ]) {
    const fact = await server.getJson(`/count?n=8&${query}`);
    assert.deepEqual([fact.count, fact.count_text, fact.provenance], [0, '0', 'computed'], query);
    assert.ok(fact.note, query);
  }
  const large = await server.getJson('/count?n=30&place=1:1,2:2'); // no search is needed to see it, however large
  assert.deepEqual([large.count, large.provenance], [0, 'computed']);
  const squares = await server.getJson('/count?n=5&place=1:1,2:2&by=square');
  assert.ok(squares.note);
  assert.deepEqual(squares.squares.flat(), Array(25).fill(0));
  assert.equal((await server.getJson('/count?n=3')).note, undefined); // this is no contradiction
});

test('different spellings of the same squares are one question', async () => {
  const tag = async (query) => (await server.get(`/count?${query}`)).headers.etag;
  const one = await tag('n=9&place=1:1,2:3,3:5&exclude=9:9,8:8');
  assert.ok(one);
  for (const query of [
    'n=9&place=3:5,2:3,1:1&exclude=8:8,9:9', 'exclude=8:8,9:9&place=2:3,3:5,1:1&n=9&distinct=all&symmetry=any&by=none&base=1',
    'n=9&place=3%3A5%2C2:3,1:1&exclude=9:9,8:8&method=compute',
  ])
    assert.equal(await tag(query), one, query);
  const others = ['n=9&place=1:1,2:3&exclude=9:9,8:8', 'n=9&place=9:9,8:8&exclude=1:1,2:3,3:5', 'n=9&place=1:1,2:3,3:5'];
  const tags = await Promise.all(others.map(tag));
  assert.equal(new Set([one, ...tags]).size, 4);
  assert.notEqual(await tag('n=9&place=0:0&base=0'), await tag('n=9&place=1:1&base=1')); // the body says its base
});

// ---- Which way, and how far ----

test('auto counts free rows, not rows', async (t) => {
  const quick = await start(t, '--kernel', 'auto');
  const diagonal = Array.from({ length: 15 }, (_, i) => `${i + 1}:${2 * i + 1}`); // every second column
  for (const [query, provenance] of [
    ['n=17&place=1:1', 'computed'],
    [`n=31&place=${diagonal}`, 'computed'],
    ['n=24&symmetry=point', 'computed'],
    ['n=25&symmetry=point', 'table'],
    ['n=32&symmetry=quarter', 'computed'],
    ['n=33&symmetry=quarter', 'table'],
    ['n=17&distinct=fundamental', 'table'],
    ['n=17&distinct=mirror', 'table'],
  ]) {
    assert.equal((await quick.getJson(`/count?${query}`)).provenance, provenance, query);
  }
});
