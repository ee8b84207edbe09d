// count.test.js - GET /count: the right number, and where it comes from.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { binary, longPath, slow, start, tables, until } from './harness.js';
import { count, sequence, solutions } from './reference.js';

const server = await start({ after });
const { all, fundamental, point_symmetric: point, rot90_symmetric: quarter } = tables();
const { terms } = all;
const at = (table, n) => table.terms[n - table.offset];
const kernels = [
  ...execFileSync(binary, ['bench', 'count', '--n', '5', '--rounds', '1'])
    .toString()
    .matchAll(/^search (\S+)/gm),
].map(([, name]) => name);

// The reason given for one parameter.
const reason = (reply, parameter) => reply.json.errors.find((error) => error.parameter === parameter).reason;

// ---- Whole boards ----

test('every kernel this machine has counts the same', async (t) => {
  assert.ok(kernels.includes('scalar'));
  for (const name of ['auto', ...kernels]) {
    const server = await start(t, '--kernel', name);
    assert.equal((await server.getJson('/count?n=12&method=compute')).count, 14200, name);
    assert.equal((await server.getJson('/count?n=12&distinct=fundamental')).count, 1787, name);
    assert.equal((await server.getJson('/count?n=12&by=square')).squares[0][0], 500, name);
    assert.equal((await server.getJson('/count?n=12&place=1:1&exclude=2:3')).count, 466, name);
  }
});

test('computed numbers are those of the table', async () => {
  for (let n = 0; n <= (slow ? 12 : 14); n++) {
    const expected = { n, base: 1, count: terms[n], count_text: `${terms[n]}` };
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=compute`), { ...expected, provenance: 'computed' });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=table`), {
      ...expected,
      provenance: 'table',
      oeis: 'A000170',
    });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=auto`), { ...expected, provenance: 'computed' });
  }
});

test('auto computes up to 16 and looks up to 27 (as delivered, too)', async () => {
  if (!slow) assert.equal((await server.getJson('/count?n=16')).provenance, 'computed');
  for (let n = 17; n <= 27; n++) {
    const fact = await server.getJson(`/count?n=${n}`);
    assert.equal(fact.provenance, 'table');
    assert.equal(fact.oeis, 'A000170');
    assert.equal(fact.count, terms[n]);
  }
});

test('fundamental solutions are counted, and looked up (as delivered, too)', async () => {
  for (let n = 1; n <= 27; n++) {
    const fact = await server.getJson(`/count?n=${n}&distinct=fundamental&method=table`);
    assert.deepEqual([fact.count, fact.oeis, fact.distinct], [at(fundamental, n), 'A002562', 'fundamental']);
    if (n > (slow ? 11 : 14)) continue;
    const computed = await server.getJson(`/count?n=${n}&distinct=fundamental`);
    assert.deepEqual(
      [computed.count, computed.provenance, computed.distinct],
      [at(fundamental, n), 'computed', 'fundamental'],
    );
  }
});

test('symmetric solutions are counted, and looked up (as delivered, too)', async () => {
  const limits = { point: slow ? 16 : 24, quarter: slow ? 25 : 32 };
  for (const [symmetry, table, oeis] of [
    ['point', point, 'A032522'],
    ['quarter', quarter, 'A033148'],
  ]) {
    const most = table.offset + table.terms.length - 1;
    for (let n = table.offset; n <= most; n++) {
      const target = `/count?n=${n}&symmetry=${symmetry}`;
      const fact = await server.getJson(`${target}&method=table`);
      assert.deepEqual([fact.count, fact.oeis, fact.symmetry], [at(table, n), oeis, symmetry]);
      const computed = n <= limits[symmetry];
      if (slow && n > limits[symmetry]) continue;
      const found = await server.getJson(target);
      assert.deepEqual([found.count, found.provenance], [at(table, n), computed ? 'computed' : 'table'], target);
    }
    (await server.get(`/count?n=${most + 1}&symmetry=${symmetry}&method=table`)).isProblem(422, 'n');
    (await server.get(`/count?n=${most + 1}&symmetry=${symmetry}`)).isProblem(422, 'n');
  }
});

test('half of the solutions are there up to reflection, of a board of more than one square', async () => {
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

test('base is repeated, for every reply states it', async () => {
  assert.equal((await server.getJson('/count?n=6&base=0')).base, 0);
  assert.equal((await server.getJson('/count?n=6&base=0&method=estimate&seed=1')).base, 0);
  assert.equal((await server.getJson('/count?n=60&base=0&method=estimate')).base, 0);
});

test('what was asked for is repeated where it is not the ordinary', async () => {
  for (const query of ['distinct=all', 'symmetry=any', 'by=none', 'method=compute', ''])
    assert.deepEqual(Object.keys(await server.getJson(`/count?n=6&${query}`.replace(/&$/, ''))), [
      'n',
      'base',
      'count',
      'count_text',
      'provenance',
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
  for (const [n, squares] of [
    [0, []],
    [1, [[1]]],
    [2, [[0, 0], [0, 0]]],
    [3, [[0, 0, 0], [0, 0, 0], [0, 0, 0]]],
  ])
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

test('any filter, against every solution of small boards', async () => {
  const random = sequence(20240607);
  const rounds = slow ? 60 : 400;
  const boards = [4, 5, 6, 7, 8].map((n) => [n, solutions(n)]);
  const pick = (list) => list[random(list.length)];
  for (let round = 0; round < rounds; round++) {
    const [n, every] = pick(boards);
    const base = random(2);
    const squares = (count) => {
      const kept = new Map();
      for (let i = 0; i < count; i++) {
        const square = [random(n), random(n)];
        kept.set(`${square}`, square);
      }
      return [...kept.values()];
    };
    const solution = pick(every);
    // Mostly squares of some solution, or there would be none to count; sometimes any, which contradict each other.
    const rows = squares(random(4)).map(([row]) => row);
    const place = random(5) ? [...new Set(rows)].map((row) => [row, solution[row]]) : squares(random(4));
    const exclude = squares(random(random(2) ? 3 : n));
    // Now and then a filter with a symmetry of its own, so that classes are not all of one solution.
    if (random(4) === 0) exclude.push(...exclude.map(([row, column]) => [n - 1 - row, n - 1 - column]));
    const unique = [...new Map(exclude.map((square) => [`${square}`, square])).values()];
    const query = {
      place,
      exclude: unique,
      distinct: pick(['all', 'fundamental', 'mirror']),
      symmetry: pick(['any', 'any', 'point', 'quarter']),
    };
    const bySquare = query.distinct === 'all' && random(2);
    const words = (list) => list.map(([row, column]) => `${row + base}:${column + base}`).join(',');
    const target = [
      `/count?n=${n}&base=${base}&distinct=${query.distinct}&symmetry=${query.symmetry}`,
      ...(place.length ? [`place=${words(place)}`] : []),
      ...(unique.length ? [`exclude=${words(unique)}`] : []),
      ...(bySquare ? ['by=square'] : []),
    ].join('&');
    const fact = await server.getJson(target);
    const expected = count(every, n, query);
    assert.equal(fact.count, expected.count, target);
    if (bySquare) assert.deepEqual(fact.squares, expected.squares, target);
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
  assert.deepEqual(
    squares[1].map((number) => number > 0),
    Array.from({ length: 11 }, (_, column) => column === 4),
  );
});

test('what contradicts itself has no solutions, and a note', async () => {
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

test('squares off the board, or written wrongly, are a 400', async () => {
  for (const name of ['place', 'exclude']) {
    for (const squares of ['9:1', '1:9', '0:1', '1:0', '1:1,9:9', '65535:1'])
      (await server.get(`/count?n=8&${name}=${squares}`)).isProblem(400, name);
    for (const squares of ['8:0', '0:8', '8:8'])
      (await server.get(`/count?n=8&base=0&${name}=${squares}`)).isProblem(400, name);
    for (const squares of ['1:1,1:1', '1:1,2:3,1:1'])
      assert.match(reason(await server.get(`/count?n=8&${name}=${squares}`), name), /1:1 twice/);
    for (const text of [
      '',
      '1',
      '1:',
      ':1',
      '1:1,',
      ',1:1',
      '1:1,,2:2',
      '1:1;2:2',
      '1-1',
      '1:1:1',
      '1:01',
      '%2b1:1',
      '1:-1',
      '1: 1',
      '1:1, 2:2',
      '1:1.0',
      '1:1%00',
      '1:0x1',
      'a1',
      '1:65536',
      '1:18446744073709551617',
    ])
      (await server.get(`/count?n=8&${name}=${encodeURI(text).replaceAll('%25', '%')}`)).isProblem(400, name);
    (await server.get(`/count?n=8&${name}=1:1&${name}=2:3`)).isProblem(400, name);
    (await server.get(`/count?n=8&${name}`)).isProblem(400, name);
    const all = Array.from({ length: 289 }, (_, i) => `${1 + Math.floor(i / 17)}:${1 + (i % 17)}`);
    (await server.get(`/count?n=17&${name}=${all.slice(0, 257)}`)).isProblem(422, name);
    const few = (await server.get(`/count?n=17&${name}=${all.slice(0, 256)}`)).json;
    assert.equal(few.count, 0);
  }
  (await server.get('/count?n=8&place=9:1&exclude=1:1,1:1&base=1')).isProblem(400, 'exclude');
});

test('one question has one name, however its squares are written', async () => {
  const tag = async (query) => (await server.get(`/count?${query}`)).headers.etag;
  const one = await tag('n=9&place=1:1,2:3,3:5&exclude=9:9,8:8');
  assert.ok(one);
  for (const query of [
    'n=9&place=3:5,2:3,1:1&exclude=8:8,9:9',
    'exclude=8:8,9:9&place=2:3,3:5,1:1&n=9&distinct=all&symmetry=any&by=none&base=1',
    'n=9&place=3%3A5%2C2:3,1:1&exclude=9:9,8:8&method=compute',
  ])
    assert.equal(await tag(query), one, query);
  const others = ['n=9&place=1:1,2:3&exclude=9:9,8:8', 'n=9&place=9:9,8:8&exclude=1:1,2:3,3:5', 'n=9&place=1:1,2:3,3:5'];
  const tags = await Promise.all(others.map(tag));
  assert.equal(new Set([one, ...tags]).size, 4);
  assert.notEqual(await tag('n=9&place=0:0&base=0'), await tag('n=9&place=1:1&base=1')); // the body says its base
});

// ---- Which way, and how far ----

test('limits are told', async () => {
  for (const [target, limit] of [
    ['n=28&method=table', 27],
    ['n=33&method=compute', 32],
    ['n=28&method=table&distinct=fundamental', 27],
    ['n=28&method=table&distinct=mirror', 27],
    ['n=33&method=table&symmetry=point', 32],
    ['n=56&method=table&symmetry=quarter', 55],
    ['n=19&by=square', 18],
    ['n=19&by=square&method=compute', 18],
    ['n=65&place=1:1', 64],
    ['n=65&place=1:1&method=compute', 64],
    ['n=41&place=1:1&method=estimate', 40],
    ['n=1000000001&method=estimate', 1000000000],
    ['n=4294967304', 1000000000],
    ['n=4294967304&method=estimate', 1000000000],
  ]) {
    const reply = await server.get(`/count?${target}`);
    reply.isProblem(422, 'n');
    assert.match(reply.json.errors[0].reason, new RegExp(`\\b${limit}\\b`), target);
  }
  for (const [name, value, limit] of [
    ['walks', 10000001, 10000000],
    ['seed', '9007199254740992', 9007199254740991],
  ]) {
    const reply = await server.get(`/count?n=10&method=estimate&${name}=${value}`);
    reply.isProblem(422, name);
    assert.ok(reply.json.errors[0].reason.includes(limit));
  }
});

test('auto begins nothing long: it names what would', async () => {
  for (const query of [
    'n=28',
    'n=100',
    'n=1000000000',
    'n=18&place=1:1',
    'n=64&place=1:1',
    'n=33&symmetry=point',
    'n=56&symmetry=quarter',
    'n=17&by=square',
    'n=20&exclude=1:1',
    'n=20&exclude=1:1&distinct=fundamental',
    'n=28&distinct=mirror',
  ]) {
    const reply = await server.get(`/count?${query}`);
    reply.isProblem(422, 'n');
    const can = { compute: parseInt(query.slice(2)) <= 32, estimate: !/distinct|symmetry|by=|n=64/.test(query) };
    for (const [word, is] of Object.entries(can)) assert.equal(reply.json.detail.includes(`method=${word}`), is, query);
  }
  assert.equal(await server.metric('nq_jobs_begun_total'), 0);
});

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

test('parameters that do not go together are a 400, and all of them are named', async () => {
  for (const [query, ...parameters] of [
    ['n=8&walks=1000', 'walks'],
    ['n=8&seed=1', 'seed'],
    ['n=8&seed=1&walks=1000&method=compute', 'seed', 'walks'],
    ['n=20&walks=1000', 'walks'],
    ['n=20&seed=0&method=table', 'seed'],
    ['n=8&method=estimate&distinct=fundamental', 'distinct'],
    ['n=8&method=estimate&symmetry=point', 'symmetry'],
    ['n=8&method=estimate&by=square', 'by'],
    ['n=8&method=estimate&by=square&distinct=mirror', 'distinct'],
    ['n=8&method=estimate&symmetry=quarter&by=square', 'by', 'symmetry'],
    ['n=8&by=square&distinct=fundamental', 'distinct'],
    ['n=8&by=square&distinct=mirror', 'distinct'],
    ['n=8&by=square&method=table', 'method'],
    ['n=8&place=1:1&method=table', 'method'],
    ['n=8&exclude=1:1&method=table', 'method'],
    ['n=8&distinct=fundamental&symmetry=point&method=table', 'method'],
    ['n=8&method=estimate&walks=99', 'walks'],
    ['n=8&method=estimate&walks=0', 'walks'],
    ['n=8&method=estimate&seed=-1', 'seed'],
    ['n=8&distinct=some&symmetry=none&by=row&method=guess', 'distinct', 'symmetry', 'by', 'method'],
    ['n=8&distinct=', 'distinct'],
    ['n=8&distinct=all&distinct=all', 'distinct'],
    ['n=8&limit=5', 'limit'],
    ['n=8&cursor=x', 'cursor'],
    ['n=x&place=1:1,1:1&colour=red', 'n', 'place', 'colour'],
    ['place=1:1', 'n'],
  ]) {
    const reply = await server.get(`/count?${query}`);
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    const named = new Set(reply.json.errors.map((error) => error.parameter));
    for (const parameter of parameters) assert.ok(named.has(parameter), `${query}: ${reply.text}`);
  }
});

// ---- Estimates ----

test('an estimate is a function of its question and seed, on any number of threads and with any kernel', async (t) => {
  const targets = [
    `/count?n=20&method=estimate&seed=7&walks=${slow ? 5000 : 20000}`,
    '/count?n=18&method=estimate&seed=9007199254740991&walks=4321&place=1:3,2:5&exclude=18:18',
    `/count?n=32&method=estimate&seed=0&walks=${slow ? 3000 : 10000}&base=0`,
    `/count?n=40&method=estimate&seed=3&walks=${slow ? 2000 : 5000}`,
  ];
  const said = [];
  for (const target of targets) {
    const reply = await server.get(target);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers['cache-control'], 'public, max-age=86400');
    assert.ok(reply.headers.etag);
    assert.equal(reply.json.provenance, 'estimate');
    assert.equal(`${reply.json.seed}`, new URLSearchParams(target.split('?')[1]).get('seed'));
    assert.equal(`${reply.json.walks}`, new URLSearchParams(target.split('?')[1]).get('walks'));
    said.push([reply.text, reply.headers.etag]);
  }
  for (const flags of [['--threads', 1], ['--threads', 4], ...kernels.map((name) => ['--kernel', name])]) {
    const other = await start(t, ...flags);
    for (const [i, target] of targets.entries()) {
      const reply = await other.get(target);
      assert.deepEqual([reply.text, reply.headers.etag], said[i], `${flags}: ${target}`);
    }
    await other.stop();
  }
});

test('estimates are about right, and say how far off they may be', async () => {
  const cases = [
    ['n=12', 14200],
    ['n=16', terms[16]],
    ['n=20', terms[20]],
    ['n=27', terms[27]],
    ['n=14&place=1:1', tables().first_row_column_distribution.n[14][0]],
  ];
  for (const [query, exact] of cases)
    for (const seed of slow ? [1] : [1, 2, 3]) {
      const fact = await server.getJson(`/count?${query}&method=estimate&seed=${seed}&walks=10000`);
      assert.ok(fact.completed >= 100 && fact.completed <= fact.walks);
      const distance = Math.abs(fact.estimate - exact);
      assert.ok(distance <= 6 * fact.standard_error, `${query}, seed ${seed}: ${JSON.stringify(fact)}`);
      assert.ok(fact.standard_error < exact / 5, `${query}, seed ${seed}: ${JSON.stringify(fact)}`);
      assert.ok(Math.abs(Number(fact.estimate_text) - fact.estimate) <= fact.standard_error, fact.estimate_text);
    }
});

test('more walks come nearer', async () => {
  const error = async (walks) =>
    (await server.getJson(`/count?n=22&method=estimate&seed=1&walks=${walks}`)).standard_error;
  assert.ok((await error(slow ? 10000 : 40000)) < 0.75 * (await error(slow ? 2500 : 10000)));
});

test('where nothing is left to chance the estimate is the count', async () => {
  for (const [query, expected] of [
    ['n=0', 1],
    ['n=1', 1],
    ['n=2', 0],
    ['n=3', 0],
    ['n=6', 4],
    ['n=8', 92],
    ['n=30&place=1:1,2:2', 0],
  ]) {
    const fact = await server.getJson(`/count?${query}&method=estimate&seed=5`);
    assert.deepEqual([fact.estimate, fact.estimate_text, fact.standard_error], [expected, `${expected}`, 0], query);
  }
  assert.ok((await server.getJson('/count?n=30&place=1:1,2:2&method=estimate&seed=5')).note);
});

test('without a seed one is drawn, told, and good for the same again', async () => {
  const target = '/count?n=20&method=estimate&walks=2000';
  const [one, two] = [await server.get(target), await server.get(target)];
  for (const reply of [one, two]) {
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['cache-control'], 'no-store');
    assert.equal(reply.headers.etag, undefined);
    assert.ok(Number.isSafeInteger(reply.json.seed) && reply.json.seed >= 0);
    const again = await server.get(`${target}&seed=${reply.json.seed}`);
    assert.equal(again.text, reply.text);
    assert.equal(again.headers['cache-control'], 'public, max-age=86400');
  }
  assert.notEqual(one.json.seed, two.json.seed);
  const head = await server.get(target, {}, 'HEAD');
  assert.deepEqual([head.headers['cache-control'], head.headers.etag], ['no-store', undefined]);
  assert.equal((await server.get(target, { 'if-none-match': '*' })).status, 200);
  const known = await server.get(`${target}&seed=1&walks=100000`.replace('walks=2000&', ''));
  const preset = await server.get('/count?n=20&method=estimate&seed=1');
  assert.equal(known.headers.etag, preset.headers.etag);
  assert.equal(preset.json.walks, 100000);
});

test('too few walks that end well are no estimate', async () => {
  const reply = await server.get('/count?n=40&method=estimate&walks=100&seed=1');
  reply.isProblem(422);
  assert.match(reply.json.detail, /\b[0-9]{1,2} of 100 walks\b/);
  assert.match(reply.json.detail, /more walks/);
  assert.equal((await server.getJson('/count?n=40&method=estimate&walks=1000&seed=1')).walks, 1000);
});

test('beyond 40 there is the formula', async () => {
  let before = 0;
  for (const n of [41, 42, 50, 64, 65, 100, 1000, 10 ** 6, 10 ** 9]) {
    const reply = await server.get(`/count?n=${n}&method=estimate`);
    const { log10, ...rest } = reply.json;
    assert.deepEqual(rest, { n, base: 1, provenance: 'asymptotic' });
    assert.ok(reply.headers.etag);
    // Simkin (2021), and Bowtell and Keevash: ((1 + o(1)) n e^-a)^n with a about 1.94.
    assert.ok(log10 > before && Math.abs(log10 / (n * Math.log10(n * Math.exp(-1.94))) - 1) < 0.05, `${n}: ${log10}`);
    before = log10;
  }
  const tag = async (query) => (await server.get(`/count?n=50&method=estimate${query}`)).headers.etag;
  assert.ok(await tag('&seed=1'));
  assert.equal((await server.get('/count?n=50&method=estimate&walks=100')).status, 200);
});

// ---- HEAD, tags, and what the client prefers ----

test('HEAD and tags of counts of every kind', async (t) => {
  const server = await start(t); // one that has nothing at hand
  for (const query of [
    'n=9&distinct=fundamental',
    'n=9&symmetry=point',
    'n=9&place=2:3',
    'n=9&by=square',
    'n=9&place=1:1,2:2',
    'n=20&method=estimate&seed=1&walks=2000',
    'n=50&method=estimate',
    'n=27&distinct=mirror',
  ]) {
    const target = `/count?${query}`;
    const first = await server.get(target, {}, 'HEAD'); // nobody has it yet
    assert.equal(first.status, 200, target);
    const got = await server.get(target);
    const head = await server.get(target, {}, 'HEAD');
    const promised = ['table', 'asymptotic'].includes(got.json.provenance); // others may come to a 202 or 422
    for (const name of ['etag', 'cache-control', 'vary', 'content-type']) {
      assert.equal(head.headers[name], got.headers[name], `${target} ${name}`);
      if (promised || name === 'vary' || name === 'content-type')
        assert.equal(first.headers[name], got.headers[name], `${target} ${name}`);
    }
    if (!promised) {
      assert.equal(first.headers.etag, undefined);
      assert.equal(first.headers['cache-control'], 'no-store');
    }
    assert.equal(got.headers.vary, 'Accept, Prefer');
    assert.equal(head.headers['content-length'], `${got.text.length}`);
    for (const method of ['GET', 'HEAD']) {
      const same = await server.get(target, { 'if-none-match': got.headers.etag }, method);
      assert.equal(same.status, 304, target);
      assert.equal(same.headers.etag, got.headers.etag);
      assert.equal(same.headers.vary, got.headers.vary);
    }
    assert.equal((await server.get(target, { 'if-none-match': '"other"' })).status, 200);
  }
});

test('who prefers not to wait is told of a job at once', async (t) => {
  const own = await start(t);
  for (const prefer of [
    'respond-async',
    'RESPOND-ASYNC',
    'respond-async, wait=10',
    'wait=0',
    'wait=0, respond-async',
    'Wait=0',
    'wait="0"',
    'handling=lenient, wait=0',
    'foo="a, b", respond-async',
    'respond-async; foo=bar',
    ' , respond-async',
  ]) {
    const reply = await own.get(longPath, { prefer });
    assert.equal(reply.status, 202, `${prefer}: ${reply.text}`);
    const { headers, json } = reply;
    assert.equal(headers.location, json.self, prefer);
    assert.equal(json.query, longPath);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers.etag, undefined);
    assert.match(headers['retry-after'], /^[1-9]/);
    assert.equal(headers.vary, 'Accept, Prefer');
    if (/respond-async/i.test(prefer)) assert.equal(headers['preference-applied'], 'respond-async', prefer);
    assert.ok(['queued', 'running'].includes(json.state));
  }
  assert.equal(await own.metric('nq_jobs_begun_total'), 1);
});

test('two Prefer lines are one', async (t) => {
  const own = await start(t);
  const client = await own.connect();
  client.send(`GET ${longPath} HTTP/1.1\r\nHost: x\r\nPrefer: handling=strict\r\nPrefer: respond-async\r\n\r\n`);
  assert.equal((await client.reply()).status, 202);
  client.drop();
});

test('what cannot be understood of Prefer is ignored', async (t) => {
  const own = await start(t);
  for (const prefer of [
    'wait',
    'wait=',
    'wait=-1',
    'wait=1x',
    'wait=x',
    'wait="0',
    'respond-asyncx',
    'respond',
    'async',
    'x="respond-async"',
    'x="a, respond-async"',
    'x="a\\", respond-async"',
    ';respond-async',
    'wait=20, wait=0', // the first counts
    'wait=99999999999999999999',
    'wait=20; wait=0',
    '""',
    '"',
    ',,,',
    '=',
    'x'.repeat(8000),
  ]) {
    const [misses, started] = await Promise.all(
      ['nq_cache_misses_total', 'nq_searches_started_total'].map((name) => own.metric(name)),
    );
    const client = (await own.connect()).ask('GET', longPath, { Prefer: prefer });
    await until(async () => (await own.metric('nq_cache_misses_total')) === misses + 1, `it waits: ${prefer}`);
    await until(async () => (await own.metric('nq_searches_started_total')) === started + 1, `it searches: ${prefer}`);
    assert.equal(await own.metric('nq_jobs_begun_total'), 0, prefer);
    client.drop();
    await until(async () => (await own.metric('nq_searches_running')) === 0, 'the search is stopped');
  }
});

test('who waits for so long is told of a job then', async (t) => {
  const own = await start(t);
  const reply = await own.get(longPath, { prefer: 'wait=1' });
  assert.equal(reply.status, 202);
  assert.equal(reply.headers.location, reply.json.self);
  assert.equal(reply.json.shares, 1);
  assert.equal(await own.metric('nq_searches_started_total'), 1); // it goes on, it does not begin again
  assert.equal((await own.delete(reply.json.self)).json.state, 'cancelled');
  await until(async () => (await own.metric('nq_searches_running')) === 0, 'the search is stopped');
});

test('nobody waits for longer than the server lets them', async (t) => {
  const own = await start(t, '--max-wait', 1);
  for (const headers of [{ prefer: 'wait=1000' }, {}]) {
    const reply = await own.get(longPath, headers);
    assert.equal(reply.status, 202, reply.text);
    await own.delete(reply.json.self);
    await until(async () => (await own.metric('nq_searches_running')) === 0, 'the search is stopped');
  }
});

test('what is quick comes, whatever the client prefers', async () => {
  for (const target of ['/count?n=8', '/count?n=27', '/count?n=20&method=estimate&seed=1&walks=1000', '/count?n=99&method=estimate']) {
    const plain = await server.get(target);
    for (const prefer of ['respond-async', 'wait=0', 'wait=5']) {
      const reply = await server.get(target, { prefer });
      assert.deepEqual([reply.status, reply.text, reply.headers.etag], [200, plain.text, plain.headers.etag], target);
      assert.equal((await server.get(target, { prefer, 'if-none-match': plain.headers.etag })).status, 304);
      assert.equal((await server.get(target, { prefer }, 'HEAD')).headers.etag, plain.headers.etag);
    }
  }
  (await server.get('/count?n=8&foo=1', { prefer: 'respond-async' })).isProblem(400, 'foo');
});

test('HEAD begins no job', async (t) => {
  const own = await start(t);
  assert.equal((await own.get(longPath, { prefer: 'respond-async' }, 'HEAD')).status, 200);
  assert.equal(await own.metric('nq_jobs_begun_total'), 0);
  assert.equal(await own.metric('nq_searches_started_total'), 0);
});

test('a count is a count, also when its job is over and nothing is cached', async (t) => {
  const own = await start(t, '--cache-bytes', 1);
  const target = '/count?n=9&method=compute';
  const { json, status } = await own.get(target, { prefer: 'respond-async' });
  if (status === 202) await own.look(json.id, ({ state }) => state === 'done');
  const reply = await own.get(target, { prefer: 'respond-async' });
  assert.equal(reply.status, 200);
  assert.equal(reply.json.count, 352, reply.text);
  const plain = await own.get(target);
  for (const name of ['etag', 'cache-control', 'content-type', 'vary', 'location'])
    assert.equal(reply.headers[name], plain.headers[name], name);
});

test('a count that would take too long is refused with the figure', async (t) => {
  const own = await start(t, '--max-job-hours', 1);
  for (const query of ['n=24&method=compute', 'n=32&method=compute', 'n=28&method=compute&place=1:1']) {
    const reply = await own.get(`/count?${query}`);
    reply.isProblem(422);
    assert.match(reply.json.detail, /\b[0-9.e+]+ hours\b.*\b1 is the most/);
    assert.match(reply.json.detail, /method=estimate/);
  }
});
