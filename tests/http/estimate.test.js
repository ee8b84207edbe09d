// estimate.test.js - GET /count?method=estimate: near the count, the same for the same seed.
import { after, assert, kernels, slow, start, tables, test } from './harness.js';

const server = await start({ after });
const { terms } = tables().all;

test('an estimate depends only on its question and seed, not on threads or kernel', async (t) => {
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
  for (const flags of [['--threads', 1], ['--threads', 4], ...kernels().map((name) => ['--kernel', name])]) {
    const other = await start(t, ...flags);
    for (const [i, target] of targets.entries()) {
      const reply = await other.get(target);
      assert.deepEqual([reply.text, reply.headers.etag], said[i], `${flags}: ${target}`);
    }
    await other.stop();
  }
});

test('estimates are near the count, within their standard error', async () => {
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

test('more walks have a smaller error', async () => {
  const error = async (walks) =>
    (await server.getJson(`/count?n=22&method=estimate&seed=1&walks=${walks}`)).standard_error;
  assert.ok((await error(slow ? 10000 : 40000)) < 0.75 * (await error(slow ? 2500 : 10000)));
});

test('where nothing is random the estimate is the exact count', async () => {
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

test('fewer than 100 completed walks are a 422', async () => {
  const reply = await server.get('/count?n=40&method=estimate&walks=100&seed=1');
  reply.isProblem(422);
  assert.match(reply.json.detail, /\b[0-9]{1,2} of 100 walks\b/);
  const [, enough] = reply.json.detail.match(/use walks=(\d+)/);
  assert.equal((await server.getJson(`/count?n=40&method=estimate&walks=${enough}&seed=1`)).walks, Number(enough));
});

test('beyond 40 the estimate is the formula', async () => {
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
