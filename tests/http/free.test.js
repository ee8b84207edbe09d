// free.test.js - without keys: how much work a request may leave behind that asks for no job, and how many jobs a client may have.
import { after, assert, brisk, long, longPath, start, test, until } from './harness.js';

const free = ['--free-seconds', 2, '--max-job-hours', 1000];
const server = await start({ after }, ...free, '--max-client-jobs', 2, '--trusted-proxies', '127.0.0.1');
const jobs = () => server.metric('nq_jobs_begun_total');
const from = (address, headers = {}) => ({ 'x-forwarded-for': address, ...headers });

test('a request that asks for no job leaves none behind that is long, and its advice works', async () => {
  for (const target of [longPath, '/solve?n=18&exclude=1:1&total=true&limit=1', '/solve?n=18&distinct=mirror&exclude=1:1&offset=5',
    '/solve?n=18&exclude=1:1&offset=5&limit=1'])
    for (const headers of [{}, { prefer: 'wait=100' }]) {
      const reply = await server.get(target, headers);
      reply.isProblem(422);
      assert.match(reply.json.detail, /needs about \d+ core-seconds; .* is 2\. Send Prefer: respond-async to start one\./);
    }
  const { permutation } = await server.getJson('/construct?n=19');
  (await server.post('/verify?rank=true', { permutation })).isProblem(422); // the rank needs an index
  assert.equal(await jobs(), 0);
  await until(async () => (await server.metric('nq_searches_running')) === 0, 'nothing is searched for');
  const begun = await server.get(longPath, { prefer: 'respond-async' });
  assert.deepEqual([begun.status, begun.headers['preference-applied']], [202, 'respond-async']);
  (await server.get(longPath)).isProblem(422); // nor by waiting for another's count
  await server.look(begun.json.id, ({ state }) => state === 'running');
  const same = await server.post('/jobs', { kind: 'count', ...long });
  assert.equal(same.json.self, begun.headers.location);
  await server.delete(begun.headers.location);
  assert.equal((await server.get(begun.headers.location)).json.state, 'cancelled');
});

test('an index is made by a job, too, and what it made is free', async (t) => {
  const small = await start(t, ...brisk, '--kernel', 'auto', '--free-seconds', 0);
  for (const n of [14, 15, 16, 17]) {
    const { status, json } = await small.get(`/solve?n=${n}&exclude=1:1&total=true&limit=1`);
    if (status !== 422) continue; // on a fast machine it is free
    const some = json.core_seconds < 10 ? json.core_seconds.toFixed(2) : json.core_seconds.toFixed(0); // never none
    assert.ok(json.detail.startsWith(`This needs about ${some} core-seconds; `), json.detail);
  }
  const target = '/solve?n=15&offset=1234567&limit=1';
  const first = await small.get(target);
  if (first.status === 422) { // on a fast machine it is free
    const { headers } = await small.get(target, { prefer: 'respond-async' });
    await until(async () => (await small.get(headers.location)).json.state === 'done', 'the index is made');
  }
  const { status, json } = await small.get(target, { prefer: 'wait=600' });
  assert.deepEqual([status, json.solutions.length], [200, 1]);
});

test('a range that lacks a count which a job would make is not cached, and has it after that job', async (t) => {
  const none = await start(t, '--free-seconds', 0);
  // Both of the others have none, so that they cost nothing on any machine.
  const [one, range] = ['17', '15-17'].map((n) => `/count?rules=toroidal&exclude=1:1&n=${n}`), ranges = [range, `${range}&format=bfile`];
  const cached = async (target) => (({ headers }) => [headers['cache-control'], !!headers.etag])(await none.get(target));
  assert.deepEqual((await none.getJson(range)).counts.map(({ code }) => code), [undefined, undefined, 'too-costly-without-job']);
  for (const target of ranges) assert.deepEqual(await cached(target), ['no-store', false], target);
  const { headers } = await none.get(one, { prefer: 'respond-async' });
  await until(async () => (await none.get(headers.location)).json.state === 'done', 'it is counted');
  const { count } = await none.getJson(one);
  assert.equal((await none.getJson(range)).counts[2].count, count);
  for (const target of ranges) assert.deepEqual(await cached(target), ['public, max-age=86400', true], target);
});

test('what is quick, cached, published or estimated is free', async () => {
  for (const target of ['/count?n=27', '/count?n=12', '/solve?n=8', '/solve?n=10&offset=3', '/hint?n=8', '/puzzle?n=8&seed=1',
    '/solve?n=20&limit=3', '/construct?n=1000', '/count?n=20&method=estimate&walks=100000&seed=1'])
    assert.equal((await server.get(target)).status, 200, target);
  assert.equal((await server.get(longPath, {}, 'HEAD')).status, 200); // a HEAD never counts
});

test('one client has so many unfinished jobs, and others have theirs', async () => {
  const begin = (address, row, headers = {}) =>
    server.get(`/count?n=18&method=compute&exclude=1:1,2:${row}`, from(address, { prefer: 'respond-async', ...headers }));
  const mine = [await begin('203.0.113.1', 1), await begin('203.0.113.1', 2)];
  for (const { status } of mine) assert.equal(status, 202);
  const third = await begin('203.0.113.1', 3);
  third.isProblem(429);
  assert.equal(third.headers['ratelimit-policy'], '"jobs";q=2');
  assert.match(third.json.detail, /^This client has 2 unfinished jobs/);
  (await server.post('/jobs', { kind: 'count', n: 18, exclude: '1:1,2:4' }, from('203.0.113.1'))).isProblem(429);
  assert.equal((await begin('203.0.113.1', 1)).status, 202); // the same job
  const others = await begin('203.0.113.2', 3);
  assert.equal(others.status, 202);
  for (const { headers } of [mine[0], mine[0]]) await server.delete(headers.location, from('203.0.113.1'));
  await until(async () => (await server.get(mine[0].headers.location)).json.state === 'cancelled', 'it is over');
  const next = await begin('203.0.113.1', 5);
  assert.equal(next.status, 202);
  for (const { headers } of [mine[1], others, next]) await server.delete(headers.location);
});
