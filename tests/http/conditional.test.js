// conditional.test.js - tags, 304, Vary and Cache-Control: what caches may do with an answer, and HEAD.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const targets = [
  '/solve?n=8', '/solve?n=8&limit=3', '/solve?n=8&format=ndjson', '/count?n=8', '/count?n=27', '/count?n=8&format=json',
  '/count?n=20&method=estimate&seed=1&walks=1000', '/count?n=50&method=estimate', '/construct?n=8', '/construct?n=8&rows=2-3',
  '/algorithms', '/openapi.yaml',
];

test('complete answers may be cached for a day and have an ETag', async () => {
  for (const target of targets) {
    const { headers } = await server.get(target);
    assert.equal(headers['cache-control'], 'public, max-age=86400', target);
    assert.match(headers.etag, /^"[^"]+"$/, target);
    const looked = [...(target.includes('format=') ? [] : ['Accept']), ...(/^.(count|solve)/.test(target) ? ['Prefer'] : []), 'Accept-Encoding'];
    assert.equal(headers.vary, looked.join(', '), target);
  }
});

test('ETags differ by question and representation, not by time', async () => {
  const tag = async (target, headers) => (await server.get(target, headers)).headers.etag;
  const all = [
    '/solve?n=8', '/solve?n=9', '/solve?n=8&limit=3', '/solve?n=8&base=0', '/solve?n=8&board=ascii', '/solve?n=8&format=ndjson',
    '/count?n=8', '/count?n=8&method=table', '/construct?n=8', '/construct?n=8&rows=1-8', '/algorithms', '/openapi.yaml',
  ];
  const tags = [];
  for (const target of all) tags.push(await tag(target));
  assert.equal(new Set(tags).size, all.length);
  for (const [i, target] of all.entries()) assert.equal(await tag(target), tags[i], target);
  assert.equal(await tag('/solve?base=1&board=none&n=8'), tags[0]);
  assert.notEqual(await tag('/solve?n=8', { accept: 'application/x-ndjson' }), tags[0]);
});

test('ETags survive a restart, and a 304 needs no search', async (t) => {
  const other = await start(t, '--threads', 1);
  for (const target of targets) {
    const { etag } = (await server.get(target)).headers;
    assert.equal((await other.get(target, { 'if-none-match': etag })).status, 304, target);
  }
  assert.equal(await other.metric('nq_searches_started_total'), 0);
});

test('If-None-Match returns a 304 with the headers of the 200', async () => {
  for (const target of targets) {
    const { headers } = await server.get(target);
    for (const match of [headers.etag, `"x", ${headers.etag}`, `W/${headers.etag}`, '*']) {
      const reply = await server.get(target, { 'if-none-match': match });
      assert.equal(reply.status, 304, `${target} ${match}`);
      for (const name of ['etag', 'cache-control', 'vary'])
        assert.equal(reply.headers[name], headers[name], `${target} ${name}`);
      assert.equal(reply.headers['content-type'], undefined);
    }
    for (const match of ['"x"', headers.etag.slice(1, -1), `${headers.etag.slice(0, -1)}x"`, ''])
      assert.equal((await server.get(target, { 'if-none-match': match })).status, 200, `${target} ${match}`);
  }
});

test('an answer whose seed the server draws never returns a 304', async () => {
  for (const target of ['/construct?n=20000&method=local-search', '/trace?n=8&algorithm=neural&format=ndjson', '/solve?n=8&algorithm=min-conflicts&format=ndjson']) {
    const { status, headers } = await server.get(target, { 'if-none-match': '*' });
    assert.equal(status, 200, target);
    assert.equal(headers['cache-control'], 'no-store', target);
    assert.equal(headers.etag, undefined, target);
  }
});

test('errors take precedence over a 304', async () => {
  (await server.get('/solve?n=1001', { 'if-none-match': '*' })).isProblem(422, 'n');
  (await server.get('/solve?n=8', { 'if-none-match': '*', accept: 'text/html' })).isProblem(406);
});

test('errors are never cached', async () => {
  for (const target of ['/solve?n=1001', '/nothing']) {
    const { headers } = await server.get(target);
    assert.equal(headers['cache-control'], 'no-store', target);
    assert.equal(headers.etag, undefined, target);
  }
});

test('the Vary of a 406 names the headers that were read', async () => {
  assert.equal((await server.get('/count?n=8', { accept: 'text/html' })).headers.vary, 'Accept, Prefer');
  assert.equal((await server.get('/solve?n=8', { accept: 'text/html' })).headers.vary, 'Accept, Prefer');
});

test('HEAD has the headers of GET', async () => {
  const plain = ({ headers }) => {
    const {
      date,
      'server-timing': timing,
      'x-request-id': id,
      'transfer-encoding': coding,
      connection,
      'keep-alive': keep,
      ...rest
    } = headers;
    return rest;
  };
  for (const target of [...targets, '/solve?n=1001', '/solve?foo=1', '/nothing']) {
    const got = await server.get(target);
    const head = await server.get(target, {}, 'HEAD');
    assert.equal(head.status, got.status, target);
    for (const [name, value] of Object.entries(plain(head)))
      assert.equal(value, got.headers[name], `${target} ${name}`);
    for (const name of ['content-type', 'cache-control', 'etag', 'vary'])
      assert.equal(head.headers[name], got.headers[name], `${target} ${name}`);
  }
});

test('HEAD promises nothing about a page that may be incomplete', async () => {
  const head = await server.get('/solve?n=60&algorithm=bitboard', {}, 'HEAD');
  assert.equal(head.headers.etag, undefined);
  assert.equal(head.headers['cache-control'], 'no-store');
  assert.equal((await server.get('/solve?n=60&algorithm=bitboard', { 'if-none-match': '*' }, 'HEAD')).status, 200);
});

test('two spellings of one query have one ETag', async () => {
  const tag = async (target, headers) => (await server.get(target, headers)).headers.etag;
  assert.equal(await tag('/solve?n=9'), await tag('/solve?limit=100&n=9&board=none&base=1'));
  assert.equal(await tag('/solve?n=9&format=ndjson'), await tag('/solve?n=9', { accept: 'application/x-ndjson' }));
  assert.notEqual(await tag('/solve?n=9&format=ndjson'), await tag('/solve?n=9'));
});

test('the link of a stream that Accept chose leads to a stream', async () => {
  const { lines } = await server.get('/solve?n=8&limit=2', { accept: 'application/x-ndjson' });
  const { next } = lines.at(-1);
  assert.match(next, /[?&]format=ndjson&/);
  assert.equal((await server.get(next)).lines.at(-1).returned, 2);
});

test('a 304 has the length of the 200, or none', async () => {
  for (const target of targets) {
    const { headers } = await server.get(target);
    const again = await server.get(target, { 'if-none-match': headers.etag });
    assert.equal(again.headers['content-length'], headers['content-length'], target);
  }
});

test('the link of a page that `format` chose does not depend on Accept', async () => {
  const { json } = await server.get('/solve?n=8&limit=2&format=json', { accept: 'application/x-ndjson' });
  assert.equal((await server.get(json.next, { accept: 'application/x-ndjson' })).json.offset, 2);
});

test('method=auto has the ETag of the method it chooses', async () => {
  const tag = async (target) => (await server.get(target)).headers.etag;
  assert.equal(await tag('/count?n=9'), await tag('/count?n=9&method=compute'));
  assert.equal(await tag('/count?n=20'), await tag('/count?n=20&method=table'));
});

test('HEAD returns a 304 too', async () => {
  const { etag } = (await server.get('/count?n=8')).headers;
  assert.equal((await server.get('/count?n=8', { 'if-none-match': etag }, 'HEAD')).status, 304);
});
