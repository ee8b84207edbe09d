// admin.test.js - what the operator sees: health, metrics, request ids, the access log.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { document } from './contract.js';
import { start, until } from './harness.js';

const server = await start({ after });

test('alive and ready', async () => {
  assert.deepEqual((await server.admin('/healthz')).json, { status: 'ok' });
  assert.deepEqual((await server.admin('/readyz')).json, { status: 'ready' });
});

test('every metric the contract names is there, explained and typed', async () => {
  await server.get('/solve?n=8');
  const { text, headers } = await server.admin('/metrics');
  assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  const names = [...document.paths['/metrics'].get.description.matchAll(/`(nq_[a-z_]+)`/g)].map(([, name]) => name);
  assert.equal(names.length, 40);
  for (const name of names) {
    assert.match(text, new RegExp(`^# HELP ${name} .+$`, 'm'));
    assert.match(text, new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm'));
    assert.match(text, new RegExp(`^${name}(_bucket)?[{ ]`, 'm'));
  }
  for (const { name } of await server.metrics())
    assert.ok(names.includes(name.replace(/_(bucket|sum|count)$/, '')), name);
});

test('requests are counted by route and code', async () => {
  const count = (route, code) => server.metric('nq_http_requests_total', { route, code });
  const before = [await count('/count', 200), await count('/count', 400), await count('/solve', 200)];
  for (const target of ['/count?n=8', '/count?n=9', '/count?n=x']) await server.get(target);
  await server.get('/no/such/path');
  await until(async () => (await count('/count', 400)) === before[1] + 1, 'the request is counted');
  assert.deepEqual([await count('/count', 200), await count('/solve', 200)], [before[0] + 2, before[2]]);
  const routes = new Set((await server.metrics()).map((sample) => sample.labels.route));
  assert.ok(!routes.has('/no/such/path'), 'strangers cannot make up labels');
});

test('durations are a histogram', async () => {
  const samples = async (suffix) =>
    (await server.metrics()).filter(
      ({ name, labels }) => name === `nq_http_request_duration_seconds${suffix}` && labels.route === '/count',
    );
  await server.get('/count?n=8');
  const buckets = (await samples('_bucket')).map(({ labels, value }) => [
    Number(labels.le.replace('+Inf', 'Infinity')),
    value,
  ]);
  assert.ok(buckets.length > 5);
  assert.equal(buckets.at(-1)[0], Infinity);
  buckets.slice(1).forEach(([edge, value], i) => assert.ok(edge > buckets[i][0] && value >= buckets[i][1], `${edge}`));
  assert.equal(buckets.at(-1)[1], (await samples('_count'))[0].value);
  assert.ok((await samples('_sum'))[0].value > 0);
});

test('the cache, the pool and connections are measured', async () => {
  const [hits, misses] = [await server.metric('nq_cache_hits_total'), await server.metric('nq_cache_misses_total')];
  for (let i = 0; i < 3; i++) await server.get('/solve?n=9&limit=77');
  assert.equal((await server.metric('nq_cache_hits_total')) - hits, 2);
  assert.equal((await server.metric('nq_cache_misses_total')) - misses, 1);
  assert.ok((await server.metric('nq_pool_workers')) >= 1);
  const client = await server.connect();
  await client.ask('GET', '/count?n=8').reply();
  assert.ok((await server.metric('nq_connections')) >= 1);
  client.drop();
  assert.ok((await server.metric('nq_solutions_streamed_total')) === 0);
  await server.get('/solve?n=8&format=ndjson');
  assert.equal(await server.metric('nq_solutions_streamed_total'), 92);
});

test('the build is named', async () => {
  const { labels, value } = (await server.metrics()).find((sample) => sample.name === 'nq_build_info');
  assert.equal(value, 1);
  assert.equal(labels.version, document.info.version);
  assert.ok((await server.getJson('/algorithms')).kernels.some((kernel) => kernel.name === labels.kernel));
});

test('a well-formed request id is kept, another is replaced', async () => {
  const id = async (given) =>
    (await server.get('/count?n=8', given === undefined ? {} : { 'x-request-id': given })).headers['x-request-id'];
  for (const good of ['a', 'A-b_c.9', 'x'.repeat(64)]) assert.equal(await id(good), good);
  for (const bad of ['', 'x'.repeat(65), 'a b', 'ü', '"', 'a,b', undefined]) assert.notEqual(await id(bad), bad);
  assert.notEqual(await id(), await id());
});

test('every request is a line in the log', async () => {
  const line = async (id) => {
    const find = () => server.logs.find((entry) => entry.event === 'request' && entry.id === id);
    await until(find, `the log line of ${id}`);
    return find();
  };
  const solved = await server.get('/solve?n=8&limit=2', { 'x-request-id': 'log-1' });
  const { seconds, ...entry } = await line('log-1');
  assert.ok(seconds >= 0 && seconds < 60);
  const expected = {
    event: 'request',
    id: 'log-1',
    method: 'GET',
    route: '/solve',
    target: '/solve?n=8&limit=2',
    status: 200,
    bytes: solved.text.length,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(entry[key], value, key);
  await server.get('/no%0apath?%22\\', { 'x-request-id': 'log-2' });
  assert.equal((await line('log-2')).status, 404);
});

test('links stand under the public prefix', async (t) => {
  const prefixed = await start(t, '--base-path', '/queens');
  const reply = await prefixed.get('/solve?n=8&limit=3');
  assert.match(reply.json.next, /^\/queens\/solve\?n=8&limit=3&cursor=/);
  assert.equal(reply.headers.link, `<${reply.json.next}>; rel="next"`);
  assert.notEqual(reply.headers.etag, (await server.get('/solve?n=8&limit=3')).headers.etag);
  const { lines } = await prefixed.get('/solve?n=8&limit=3&format=ndjson');
  assert.match(lines.at(-1).next, /^\/queens\/solve\?/);
  assert.equal((await prefixed.get(reply.json.next.slice('/queens'.length))).json.offset, 3);
});
