// conditional.test.js - tags, 304, Vary and Cache-Control: what caches may do with an answer, and HEAD.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const targets = [
  '/solve?n=8', '/solve?n=8&limit=3', '/solve?n=8&format=ndjson', '/count?n=8', '/count?n=27', '/count?n=8&format=json',
  '/count?n=20&method=estimate&seed=1&walks=1000', '/count?n=50&method=estimate', '/construct?n=8', '/construct?n=8&rows=2-3',
  '/algorithms', '/openapi.yaml', '/openapi.json',
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
    for (const match of [headers.etag, `"x", ${headers.etag}`, `W/${headers.etag}`, `${headers.etag.slice(0, -1)}-gzip"`, `W/${headers.etag.slice(0, -1)}-gzip"`, '*']) {
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

// The only statement of drawn seeds: every route that draws one is here.
test('an answer whose seed the server draws says it in Content-Location, is never cached, and its seed repeats it', async () => {
  for (const target of [
    '/solve?n=10&sample=3&format=csv', '/solve?n=8&sample=5', '/solve?n=12&algorithm=min-conflicts', '/construct?n=50&method=random&format=text',
    '/construct?n=8&method=random', '/construct?n=40000&method=local-search&format=octet-stream', '/construct?n=20&method=neural&format=svg',
    '/trace?n=12&algorithm=neural&format=ndjson', '/trace?n=12&algorithm=min-conflicts', '/puzzle?n=10', '/puzzle?kind=regions&n=6',
    '/count?n=20&method=estimate&walks=2000', '/count?n=20-23&method=estimate&walks=1000',
  ]) {
    const drawn = await server.get(target, { 'if-none-match': '*' });
    const location = drawn.headers['content-location'];
    assert.deepEqual([drawn.status, drawn.headers['cache-control'], drawn.headers.etag], [200, 'no-store', undefined], target);
    assert.match(location, /[?&]seed=[0-9]+/, target);
    const seeds = [...drawn.text.matchAll(/"seed": ?(\d+)/g)].map(([, seed]) => seed);
    if (seeds.length) assert.deepEqual([...new Set(seeds)], [location.match(/seed=(\d+)/)[1]], target);
    const again = await server.get(location);
    assert.deepEqual(again.bytes, drawn.bytes, target);
    assert.deepEqual([again.headers['content-location'], again.headers['cache-control']], [undefined, 'public, max-age=86400'], target);
    assert.notEqual((await server.get(target)).headers['content-location'], location);
    const head = await server.get(target, {}, 'HEAD');
    assert.deepEqual([head.status, head.headers['cache-control'], head.headers.etag], [200, 'no-store', undefined], target);
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
