// count.test.js - GET /count: the right number, and where it comes from.
import { after, assert, kernels, slow, start, tables, test } from './harness.js';

const server = await start({ after });
const { all, fundamental, point_symmetric: point, rot90_symmetric: quarter } = tables();
const { terms } = all;
const at = (table, n) => table.terms[n - table.offset];

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

test('computed counts equal the table', async () => {
  for (let n = 0; n <= (slow ? 12 : 14); n++) {
    const expected = { n, base: 1, count: terms[n], count_text: `${terms[n]}` };
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=compute`), { ...expected, provenance: 'computed' });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=table`), { ...expected, provenance: 'table', oeis: 'A000170', source: 'OEIS A000170' });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=auto`), { ...expected, provenance: 'computed' });
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

test('fundamental solutions: computed and from the table (plain)', { skip: slow && 'counts of some seconds' }, async () => {
  for (let n = 1; n <= 27; n++) {
    const fact = await server.getJson(`/count?n=${n}&distinct=fundamental&method=table`);
    assert.deepEqual([fact.count, fact.oeis, fact.distinct], [at(fundamental, n), 'A002562', 'fundamental']);
    if (n > 14) continue;
    const computed = await server.getJson(`/count?n=${n}&distinct=fundamental`);
    assert.deepEqual([computed.count, computed.provenance, computed.distinct], [at(fundamental, n), 'computed', 'fundamental']);
  }
});

test('symmetric solutions: computed and from the table (plain)', { skip: slow && 'counts of some seconds' }, async () => {
  const limits = { point: 24, quarter: 32 };
  for (const [symmetry, table, oeis] of [['point', point, 'A032522'], ['quarter', quarter, 'A033148']]) {
    const most = table.offset + table.terms.length - 1;
    for (let n = table.offset; n <= most; n++) {
      const target = `/count?n=${n}&symmetry=${symmetry}`;
      const fact = await server.getJson(`${target}&method=table`);
      assert.deepEqual([fact.count, fact.oeis, fact.symmetry], [at(table, n), oeis, symmetry]);
      const computed = n <= limits[symmetry];
      const found = await server.getJson(target);
      assert.deepEqual([found.count, found.provenance], [at(table, n), computed ? 'computed' : 'table'], target);
    }
    (await server.get(`/count?n=${most + 1}&symmetry=${symmetry}&method=table`)).isProblem(422, 'n');
    (await server.get(`/count?n=${most + 1}&symmetry=${symmetry}`)).isProblem(422, 'n');
  }
});

test('up to reflection there are half as many solutions, except for n = 1', async () => {
  for (let n = 0; n <= 27; n++) {
    const expected = n <= 1 ? 1 : Number(BigInt(terms[n]) / 2n);
    const fact = await server.getJson(`/count?n=${n}&distinct=mirror&method=table`);
    assert.deepEqual([fact.count, fact.oeis, Boolean(fact.note)], [expected, 'A000170', n > 1]);
    if (n <= 12) assert.equal((await server.getJson(`/count?n=${n}&distinct=mirror`)).count, expected);
  }
});

test('numbers above 2^53 keep their digits', async () => {
  const { text, json } = await server.get('/count?n=27');
  assert.match(text, /"count": ?234907967154122528[,}]/);
  assert.equal(json.count_text, '234907967154122528');
});

test('every reply repeats base', async () => {
  assert.equal((await server.getJson('/count?n=6&base=0')).base, 0);
  assert.equal((await server.getJson('/count?n=6&base=0&method=estimate&seed=1')).base, 0);
  assert.equal((await server.getJson('/count?n=60&base=0&method=estimate')).base, 0);
});

test('the reply repeats parameters that are not at their defaults', async () => {
  for (const query of ['distinct=all', 'symmetry=any', 'by=none', 'method=compute', ''])
    assert.deepEqual(Object.keys(await server.getJson(`/count?n=6&${query}`.replace(/&$/, ''))), [
      'n', 'base', 'count', 'count_text', 'provenance',
    ]);
  const both = await server.getJson('/count?n=8&distinct=fundamental&symmetry=point');
  assert.deepEqual([both.distinct, both.symmetry, both.count], ['fundamental', 'point', 1]);
});

// ---- Filters ----

test('the smallest boards', async () => {
  for (const [query, expected] of [
    ['n=0', 1],
    ['n=0&distinct=fundamental', 1],
    ['n=0&distinct=mirror', 1],
    ['n=0&symmetry=quarter', 1],
    ['n=1', 1],
    ['n=1&distinct=fundamental', 1],
    ['n=1&distinct=mirror', 1],
    ['n=1&symmetry=point', 1],
    ['n=1&symmetry=quarter', 1],
    ['n=1&place=1:1', 1],
    ['n=1&place=0:0&base=0', 1],
    ['n=1&exclude=1:1', 0],
    ['n=2', 0],
    ['n=2&place=1:1', 0],
    ['n=2&distinct=fundamental', 0],
    ['n=3', 0],
    ['n=3&place=1:1', 0],
    ['n=3&exclude=2:2', 0],
    ['n=3&symmetry=point', 0],
  ])
    assert.equal((await server.getJson(`/count?${query}`)).count, expected, query);
  for (const [n, squares] of [[0, []], [1, [[1]]], [2, [[0, 0], [0, 0]]], [3, [[0, 0, 0], [0, 0, 0], [0, 0, 0]]]])
    assert.deepEqual((await server.getJson(`/count?n=${n}&by=square`)).squares, squares);
});

test('a queen in the first row: the published distribution', async () => {
  const { n: boards } = tables().first_row_column_distribution;
  for (let n = 1; n <= (slow ? 10 : 13); n++) {
    const found = [];
    for (let column = 1; column <= n; column++)
      found.push((await server.getJson(`/count?n=${n}&place=1:${column}`)).count);
    assert.deepEqual(found, boards[n], `n = ${n}`);
  }
});

test('rows and columns of a count by square sum to the count', async () => {
  for (const query of ['n=10', 'n=11&place=2:5', 'n=9&exclude=1:1,9:9', 'n=14&symmetry=point', 'n=12&symmetry=quarter']) {
    const { n, count, squares } = await server.getJson(`/count?${query}&by=square`);
    assert.ok(count > 0);
    assert.equal(squares.length, n);
    for (let i = 0; i < n; i++) {
      assert.equal(squares[i].length, n);
      assert.equal(squares[i].reduce((sum, number) => sum + number), count, `${query}, row ${i}`);
      assert.equal(squares.reduce((sum, row) => sum + row[i], 0), count, `${query}, column ${i}`);
    }
    assert.equal((await server.getJson(`/count?${query}`)).count, count);
  }
  const { squares } = await server.getJson('/count?n=11&place=2:5&by=square');
  assert.deepEqual(squares[1].map((number) => number > 0), Array.from({ length: 11 }, (_, column) => column === 4));
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
