// prefer.test.js - GET /count: HEAD and tags, and what the client prefers: to wait, and for how long.
import { after, assert, longPath, start, test, until } from './harness.js';

const server = await start({ after });

test('HEAD and ETags of counts of every kind', async (t) => {
  const server = await start(t); // one that has nothing at hand
  for (const query of [
    'n=9&distinct=fundamental', 'n=9&symmetry=point', 'n=9&place=2:3', 'n=9&by=square', 'n=9&place=1:1,2:2',
    'n=20&method=estimate&seed=1&walks=2000', 'n=50&method=estimate', 'n=27&distinct=mirror',
  ]) {
    const target = `/count?${query}`;
    const first = await server.get(target, {}, 'HEAD'); // nobody has it yet
    assert.equal(first.status, 200, target);
    const got = await server.get(target);
    const head = await server.get(target, {}, 'HEAD');
    const { provenance } = got.json;
    const promised = /table|asymptotic/.test(provenance) || (provenance === 'computed' && !query.includes('by=')); // else perhaps a 202 or 422
    for (const name of ['etag', 'cache-control', 'vary', 'content-type']) {
      assert.equal(head.headers[name], got.headers[name], `${target} ${name}`);
      if (promised || name === 'vary' || name === 'content-type')
        assert.equal(first.headers[name], got.headers[name], `${target} ${name}`);
    }
    if (!promised) {
      assert.equal(first.headers.etag, undefined);
      assert.equal(first.headers['cache-control'], 'no-store');
    }
    assert.equal(got.headers.vary, 'Accept, Prefer, Accept-Encoding');
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

test('respond-async returns a job at once', async (t) => {
  const own = await start(t);
  for (const prefer of ['respond-async', 'respond-async, wait=10', 'wait=0', 'handling=lenient, wait=0']) {
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

test('two Prefer lines are one list', async (t) => {
  const own = await start(t);
  const client = await own.connect();
  client.send(`GET ${longPath} HTTP/1.1\r\nHost: x\r\nPrefer: handling=strict\r\nPrefer: respond-async\r\n\r\n`);
  assert.equal((await client.reply()).status, 202);
  client.drop();
});

test('wait=N returns a job after N seconds', async (t) => {
  const own = await start(t, '--threads', 1);
  const reply = await own.get(longPath, { prefer: 'wait=1' });
  assert.equal(reply.status, 202);
  assert.equal(reply.headers.location, reply.json.self);
  assert.equal(reply.json.shares, 1);
  assert.equal(await own.metric('nq_searches_started_total'), 1); // it goes on, it does not begin again
  assert.equal((await own.delete(reply.json.self)).json.state, 'cancelled');
  await until(async () => (await own.metric('nq_searches_running')) === 0, 'the search is stopped');
});

test('no client waits longer than --max-wait', async (t) => {
  const own = await start(t, '--max-wait', 1, '--threads', 1);
  for (const headers of [{ prefer: 'wait=1000' }, {}]) {
    const reply = await own.get(longPath, headers);
    assert.equal(reply.status, 202, reply.text);
    await own.delete(reply.json.self);
    await until(async () => (await own.metric('nq_searches_running')) === 0, 'the search is stopped');
  }
});

test('a quick answer comes at once, with any preference', async () => {
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

test('HEAD starts no job', async (t) => {
  const own = await start(t);
  assert.equal((await own.get(longPath, { prefer: 'respond-async' }, 'HEAD')).status, 200);
  assert.equal(await own.metric('nq_jobs_begun_total'), 0);
  assert.equal(await own.metric('nq_searches_started_total'), 0);
});

test('after a job /count returns its result, also when nothing is cached', async (t) => {
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
