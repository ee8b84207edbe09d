// estimate.test.js - GET /count?method=estimate: near the count, the same for the same seed.
import { after, assert, slow, start, test } from './harness.js';

const server = await start({ after });

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
  const other = await start(t, '--threads', 4, '--kernel', 'auto');
  for (const [i, target] of targets.entries()) {
    const reply = await other.get(target);
    assert.deepEqual([reply.text, reply.headers.etag], said[i], target);
  }
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
    const { log10, log10_error: error, source, ...rest } = reply.json;
    assert.deepEqual(rest, { n, base: 1, formula: '2.53 n! e^(-0.944001 n)', provenance: 'asymptotic' });
    assert.match(source, /Simkin 2021 .*Nobel, Agrawal and Boyd 2022 .*2\.53: fitted/);
    assert.ok(Math.abs(error - (0.012 + 4.3429448e-7 * n)) < 1e-6 * error, `${error}`);
    if (n === 50) assert.ok(Math.abs(log10 - Math.log10(2.53 * [...Array(50).keys()].reduce((a, i) => a * (i + 1), 1) * Math.exp(-0.944001 * 50))) < 1e-9);
    assert.ok(reply.headers.etag);
    // Simkin (2021), and Bowtell and Keevash: ((1 + o(1)) n e^-a)^n with a about 1.94.
    assert.ok(log10 > before && Math.abs(log10 / (n * Math.log10(n * Math.exp(-1.94))) - 1) < 0.05, `${n}: ${log10}`);
    before = log10;
  }
  const tag = async (query) => (await server.get(`/count?n=50&method=estimate${query}`)).headers.etag;
  assert.ok(await tag('&seed=1'));
  assert.equal((await server.get('/count?n=50&method=estimate&walks=100')).status, 200);
});
