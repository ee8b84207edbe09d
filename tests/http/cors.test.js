// cors.test.js - which pages may read replies, and what their browsers are told.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { refuse, start } from './harness.js';

const plain = await start({ after });
const listed = await start({ after }, '--cors-origin', 'https://a.example,http://localhost:3000');
const open = await start({ after }, '--cors-origin', '*');
const from = (origin, headers = {}) => ({ origin, ...headers });
const allowed = ({ headers }) => headers['access-control-allow-origin'];

test('a page reads replies if its origin is listed, to the letter', async () => {
  for (const target of ['/solve?n=6', '/solve?n=x', '/nothing', '/solve?n=6&format=ndjson', '/algorithms']) {
    for (const origin of ['https://a.example', 'http://localhost:3000']) {
      const reply = await listed.get(target, from(origin));
      assert.equal(allowed(reply), origin, target);
      assert.match(reply.headers['access-control-expose-headers'], /\bLink\b/);
      assert.match(reply.headers.vary, /(^|, )Origin$/);
    }
    for (const origin of ['https://b.example', 'http://a.example', 'https://a.example:444', 'https://a.example/', 'null', ''])
      assert.equal(allowed(await listed.get(target, from(origin))), undefined, origin);
    assert.match((await listed.get(target)).headers.vary, /(^|, )Origin$/); // a cache must not give this one to a page
    assert.equal(allowed(await plain.get(target, from('https://a.example'))), undefined);
    assert.doesNotMatch((await plain.get(target)).headers.vary ?? '', /Origin/);
    const any = await open.get(target, from('https://b.example'));
    assert.equal(allowed(any), '*');
    assert.doesNotMatch(any.headers.vary ?? '', /Origin/);
  }
});

test('a 304 and a HEAD say so as well', async () => {
  const { headers } = await listed.get('/solve?n=6', from('https://a.example'));
  const unchanged = await listed.get('/solve?n=6', from('https://a.example', { 'if-none-match': headers.etag }));
  assert.deepEqual([unchanged.status, allowed(unchanged)], [304, 'https://a.example']);
  assert.equal(allowed(await listed.get('/solve?n=6', from('https://a.example'), 'HEAD')), 'https://a.example');
});

test('a browser that asks first learns what it may', async () => {
  const asking = (origin) => from(origin, { 'access-control-request-method': 'POST' });
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

test('the admin port is for no page', async () => {
  const reply = await open.admin('/healthz', from('https://a.example'));
  assert.equal(allowed(reply), undefined);
});

test('what is no list of origins is refused at the start', async () => {
  for (const bad of ['a.example', 'https://', 'https://a.example/', 'https://A.example', 'ftp://a.example', '*,https://a.example',
    'https://a.example,', 'https://a.example, https://b.example', 'null', 'https://*.example']) {
    const [code, text] = await refuse('--cors-origin', bad);
    assert.equal(code, 2, bad);
    assert.match(text, /--cors-origin/);
  }
});
