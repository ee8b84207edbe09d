// cors.test.js - which pages may read replies, and what their browsers are told.
import { after, assert, start, test } from './harness.js';

const plain = await start({ after });
const listed = await start({ after }, '--cors-origin', 'https://a.example,http://localhost:3000');
const every = await start({ after }, '--cors-origin', '*');
const from = (origin, headers = {}) => ({ origin, ...headers });
const asking = (origin, method = 'POST') => from(origin, { 'access-control-request-method': method });
const allowed = ({ headers }) => headers['access-control-allow-origin'];
const strangers = ['https://b.example', 'http://a.example', 'https://a.example:444', 'https://a.example/', 'null', ''];

test('a page of any origin can read what depends on its request only, and no cache needs to know the origin', async () => {
  for (const target of ['/solve?n=6', '/solve?n=x', '/nothing', '/solve?n=6&format=ndjson', '/algorithms', '/count?n=8',
    '/openapi.yaml', '/'])
    for (const server of [plain, listed, every])
      for (const headers of [{}, from('https://a.example'), from('https://b.example'), from('null')]) {
        const reply = await server.get(target, headers);
        assert.equal(allowed(reply), '*', target);
        assert.equal(reply.headers['access-control-expose-headers'], '*');
        assert.equal(reply.headers['access-control-allow-credentials'], undefined);
        assert.doesNotMatch(reply.headers.vary ?? '', /Origin/);
      }
  const verdict = await plain.post('/verify', { permutation: [2, 4, 1, 3] }, from('https://b.example'));
  assert.deepEqual([verdict.json.valid, allowed(verdict)], [true, '*']);
});

test('a page can use jobs only if its exact origin is listed', async () => {
  for (const target of ['/jobs/0123456789abcdef', '/jobs/0123456789abcdef/events', '/jobs/0123456789abcdef/units', '/jobs']) {
    for (const origin of ['https://a.example', 'http://localhost:3000']) {
      const reply = await listed.get(target, from(origin));
      assert.equal(allowed(reply), origin, target);
      assert.match(reply.headers['access-control-expose-headers'], /\bLocation\b/);
      assert.match(reply.headers.vary, /(^|, )Origin$/);
    }
    for (const origin of strangers) assert.equal(allowed(await listed.get(target, from(origin))), undefined, origin);
    assert.equal(allowed(await plain.get(target, from('https://a.example'))), undefined);
    assert.doesNotMatch((await plain.get(target)).headers.vary ?? '', /Origin/);
    assert.equal(allowed(await every.get(target, from('https://b.example'))), '*');
  }
  const begun = await listed.post('/jobs', { kind: 'count', n: 8 }, from('https://b.example'));
  assert.equal(allowed(begun), undefined);
  assert.equal(allowed(await listed.delete(begun.json.self, from('https://b.example'))), undefined);
});

test('a 304 and a HEAD have the same CORS headers', async () => {
  const { headers } = await listed.get('/solve?n=6', from('https://b.example'));
  const unchanged = await listed.get('/solve?n=6', { 'if-none-match': headers.etag });
  assert.deepEqual([unchanged.status, allowed(unchanged)], [304, '*']);
  assert.equal(allowed(await listed.get('/solve?n=6', {}, 'HEAD')), '*');
});

test('a preflight request for /jobs returns methods and headers to listed origins only', async () => {
  const told = await listed.get('/jobs', asking('https://a.example'), 'OPTIONS');
  assert.equal(told.status, 204);
  assert.equal(allowed(told), 'https://a.example');
  assert.equal(told.headers['access-control-allow-methods'], told.headers.allow);
  assert.match(told.headers['access-control-allow-headers'], /\bContent-Type\b.*\bPrefer\b/);
  assert.equal(told.headers['access-control-max-age'], '86400');
  for (const [server, headers] of [
    [listed, asking('https://b.example')],
    [plain, asking('https://a.example')],
    [listed, from('https://a.example')],
  ])
    assert.equal((await server.get('/jobs', headers, 'OPTIONS')).headers['access-control-allow-methods'], undefined);
});

test('a preflight request for any other path succeeds, and only listed origins may send Prefer', async () => {
  for (const [target, method] of [['/verify', 'POST'], ['/count', 'POST'], ['/hint?lang=it', 'POST'], ['/count?n=8', 'GET'], ['/solve?n=8', 'GET']])
    for (const [server, origin, more] of [
      [plain, 'https://b.example', false],
      [listed, 'https://b.example', false],
      [listed, 'https://a.example', true],
      [every, 'https://b.example', true],
    ]) {
      const told = await server.get(target, asking(origin, method), 'OPTIONS');
      assert.deepEqual([told.status, allowed(told)], [204, '*']);
      assert.equal(told.headers['access-control-allow-methods'], told.headers.allow);
      const names = told.headers['access-control-allow-headers'];
      assert.match(names, /\bContent-Type\b/);
      assert.equal(/\bPrefer\b/.test(names), more, `${origin} ${names}`);
      assert.doesNotMatch(names, /Authorization|X-API-Key/);
      if (server === listed) assert.match(told.headers.vary, /(^|, )Origin$/);
    }
});

test('replies that every page may read can be embedded by pages that isolate themselves, others not', async () => {
  const policy = ({ headers }) => headers['cross-origin-resource-policy'];
  for (const server of [listed, every])
    for (const origin of [{}, from('https://a.example'), from('https://other.example')]) {
      for (const target of ['/', '/docs', '/embed?code=131w', '/openapi.yaml', '/algorithms', '/solve?n=6', '/solve?n=6&format=svg', '/solve?n=6&format=ndjson',
        '/construct?n=6&format=png', '/trace?n=4&format=events', '/puzzle?n=6&seed=1', '/count?n=0x', '/solve?n=2000', '/nothing'])
        assert.equal(policy(await server.get(target, origin)), 'cross-origin', target);
      for (const target of ['/jobs', '/jobs/0123456789abcdef', '/jobs/0123456789abcdef/events', '/jobs/0123456789abcdef/units'])
        assert.equal(policy(await server.get(target, origin)), undefined, target);
      assert.equal(policy(await server.admin('/healthz', origin)), undefined);
    }
});

test('the admin port has no CORS headers', async () => {
  const reply = await every.admin('/healthz', from('https://a.example'));
  assert.equal(allowed(reply), undefined);
});
