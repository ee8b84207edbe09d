// Behind nginx as docker/nginx.conf has it: what is kept, what is packed, what is passed on as it comes, and what links say.
import { randomInt } from 'node:crypto';
import dgram from 'node:dgram';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { after, assert, sleep, start, test, until, within } from './harness.js';
import { behindNginx, conf, resolves } from './nginx.js';
import { freePort } from './ports.js';

const server = await start({ after }, '--base-path', '/queens', '--trusted-proxies', '127.0.0.0/8');
const front = await behindNginx(server.port);
after(() => front.stop());

// fetch would unpack by itself, and says nothing of the connection.
function ask(target, headers = {}, agent = undefined, port = front.port) {
  const answer = new Promise((resolve, reject) => {
    const request = http.get({ port, host: '127.0.0.1', path: target, headers, agent }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece)).once('error', reject);
      reply.once('end', () => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(pieces) }));
    });
    request.once('error', reject);
  });
  return within(answer, `reply to ${target}`);
}

// A request is counted when its last byte is sent: its client may know that first.
async function asked(route) {
  await until(async () => (await server.metric('nq_http_requests_active')) === 0, 'every request is over');
  return server.metric('nq_http_requests_total', { route });
}

test('complete answers are cached, and If-None-Match returns a 304', async () => {
  const target = '/solve?n=8&limit=5';
  const first = await ask(target);
  const direct = await ask(target, {}, undefined, server.port);
  assert.deepEqual([first.status, first.headers['x-cache']], [200, 'MISS']);
  assert.equal(first.headers.etag, direct.headers.etag);
  const before = await asked('/solve');
  const again = await ask(target);
  assert.deepEqual([again.status, again.headers['x-cache']], [200, 'HIT']);
  assert.deepEqual(again.body, first.body);
  for (const tag of [first.headers.etag, `W/${first.headers.etag}`, `"x", ${first.headers.etag}`]) {
    const same = await ask(target, { 'if-none-match': tag });
    assert.deepEqual([same.status, same.headers['x-cache'], same.body.length], [304, 'HIT', 0], tag);
    assert.equal(same.headers.etag, first.headers.etag);
  }
  assert.equal((await ask(target, { 'if-none-match': '"other"' })).status, 200);
  assert.equal(await asked('/solve'), before, 'the service was asked no more');
});

test('long targets, and the link to their next page, pass', async () => {
  let target = '/queens/solve?n=1000&limit=1&exclude=';
  for (let column = 1; target.length < 8180; column++) target += `${column > 1 ? ',' : ''}1000:${column}`;
  const first = await ask(target);
  assert.equal(first.status, 200, String(first.body));
  const { next } = JSON.parse(first.body);
  assert.ok(first.headers.link.includes(next) && next.length > 8192, first.headers.link);
  const second = await ask(next);
  assert.deepEqual([second.status, second.headers['x-cache']], [200, 'MISS']);
});

test('each representation is cached separately', async () => {
  const types = ['application/json', 'text/plain', 'application/json', 'text/plain'];
  const seen = [];
  for (const accept of types) {
    const { headers } = await ask('/construct?n=12', { accept });
    seen.push([headers['content-type'].split(';')[0], headers['x-cache']]);
  }
  assert.deepEqual(seen, types.map((type, i) => [type, i < 2 ? 'MISS' : 'HIT']));
});

test('of one answer nginx keeps two copies at most, whatever codings browsers accept', async () => {
  const target = '/solve?n=8&limit=44';
  const before = await asked('/solve').catch(() => 0);
  const seen = [];
  for (const [coding, wanted] of [
    ['gzip', 'gzip, deflate, br, zstd'], ['gzip', 'gzip, deflate, br'], ['gzip', 'deflate, gzip;q=1.0, *;q=0.5'], ['gzip', 'br;q=1, GZIP;q=0.05'], ['gzip', 'gzip'],
    [undefined, 'identity'], [undefined, ''], [undefined, 'br'], [undefined, 'gzip;q=0'], [undefined, 'deflate, gzip;q=0.0'], [undefined, 'gzipped'],
  ]) {
    const reply = await ask(target, wanted && { 'accept-encoding': wanted });
    assert.equal(reply.headers['content-encoding'], coding, wanted);
    assert.match(reply.headers.vary, /Accept-Encoding/);
    assert.equal(JSON.parse(coding ? gunzipSync(reply.body) : reply.body).returned, 44);
    seen.push(reply.headers['x-cache']);
  }
  assert.deepEqual(seen, seen.map((_, i) => (i === 0 || i === 5 ? 'MISS' : 'HIT')));
  assert.equal(await asked('/solve'), before + 2);
});

test('the key of the cache has every field that a complete answer depends on', async (t) => {
  const strict = await start(t, '--cors-origin', 'https://a.example');
  const key = readFileSync(conf, 'utf8').match(/proxy_cache_key "(.*)";/)[1];
  let compared = 0;
  const named = { 'accept-encoding': '$coding', accept: '$http_accept', prefer: '$http_prefer' };
  for (const target of ['/', '/docs', '/openapi.yaml', '/algorithms', '/solve?n=8', '/count?n=9', '/count?n=0-9', '/construct?n=9', '/trace?n=5', '/compare?n=5', '/hint?n=8&place=1:1', '/puzzle?n=8&seed=1&clues=4']) {
    const { headers } = await ask(target, { origin: 'https://a.example' }, undefined, strict.port);
    if (!headers['cache-control'].includes('public')) continue;
    compared++;
    for (const field of headers.vary.toLowerCase().split(', ')) assert.ok(named[field] && key.includes(named[field]), `${target}: ${field}`);
  }
  assert.ok(compared >= 8);
});

test('incomplete, rejected and random answers are not cached', async () => {
  for (const target of ['/solve?n=8.0', '/solve?n=9&sample=2', '/construct?n=8&method=random', '/nothing']) {
    const first = await ask(target);
    assert.equal(first.headers['cache-control'], 'no-store', target);
    const again = await ask(target);
    assert.equal(again.status, first.status, target);
    assert.notEqual(again.headers['x-cache'], 'HIT', target);
  }
});

test('a cached answer has the request id and times of the current request', async () => {
  const target = '/count?n=9';
  const replies = [await ask(target), await ask(target), await ask(target, { 'x-request-id': 'my-own.1' })];
  const ids = replies.map(({ headers }) => headers['x-request-id']);
  assert.equal(new Set(ids).size, 3);
  assert.equal(ids[2], 'my-own.1');
  assert.match(replies[0].headers['server-timing'], /^cache;desc=miss, total;dur=/);
  assert.equal(replies[1].headers['server-timing'], 'proxy;desc=hit');
  await until(() => server.logs.some((line) => line.id === ids[0]), 'the service logs the id that nginx made');
});

test('the client is the one that nginx sees, not the one that a request names', async () => {
  const { headers } = await ask('/count?n=10', { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' });
  const line = () => server.logs.find((line) => line.id === headers['x-request-id']);
  await until(line, 'a line in the log');
  assert.equal(line().client, '127.0.0.1');
});

test('connections to the service are kept', async () => {
  const before = await server.metric('nq_connections');
  for (let i = 0; i < 20; i++) assert.equal((await ask(`/count?n=8&place=1:${1 + (i % 8)}&exclude=8:${1 + (i >> 3)}`)).status, 200);
  assert.ok((await server.metric('nq_connections')) - before <= 1, 'they share one');
});

test('long text is compressed by the service, and has a tag of its own', async () => {
  const target = '/solve?n=8';
  const plain = await ask(target);
  const packed = await ask(target, { 'accept-encoding': 'gzip' });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.body.length * 3 < plain.body.length);
  assert.deepEqual(gunzipSync(packed.body), plain.body);
  assert.match(packed.headers.vary, /Accept-Encoding/);
  assert.match(packed.headers.etag, /^"/);
  assert.notEqual(packed.headers.etag, plain.headers.etag);
  const same = await ask(target, { 'accept-encoding': 'gzip', 'if-none-match': packed.headers.etag });
  assert.equal(same.status, 304);
  const stream = await ask('/solve?n=8&format=ndjson', { 'accept-encoding': 'gzip' });
  assert.equal(stream.headers['content-encoding'], 'gzip');
  assert.match(gunzipSync(stream.body).toString(), /\n{"end":true.*}\n$/);
});

// The first bytes of an answer that does not end soon, and how much of it the service had made by then.
async function begin(target) {
  const request = http.get({ port: front.port, host: '127.0.0.1', path: target });
  const reply = await within(new Promise((resolve) => request.once('response', resolve)), 'headers');
  const piece = await within(new Promise((resolve) => reply.once('data', resolve)), 'bytes');
  reply.on('error', () => {}).pause();
  return { reply, piece, drop: () => request.on('error', () => {}).destroy() };
}

test('a stream is not buffered, and a reader that stops stops the search', async () => {
  const { piece, reply, drop } = await begin('/solve?n=16&format=ndjson');
  assert.ok(piece.toString().startsWith('{"permutation":['));
  assert.equal(reply.headers['x-cache'], 'MISS');
  const made = () => server.metric('nq_solutions_streamed_total');
  let last = -1;
  await until(async () => {
    const now = await made();
    const stands = now === last;
    last = now;
    await sleep(0.2);
    return stands;
  }, 'the search stands still');
  drop();
  await until(async () => (await server.metric('nq_streams_running')) === 0, 'the service sees that the client left');
});

test('octets arrive as they are read', async () => {
  const { piece, reply, drop } = await begin('/construct?n=1000000000&format=octet-stream');
  assert.equal(reply.headers['content-length'], '4000000000');
  assert.equal(piece.readUInt32LE(0), 2);
  drop();
  await until(async () => (await server.metric('nq_streams_running')) === 0, 'the service sees that the client left');
});

test('events arrive one by one', async () => {
  const job = await server.begin({ n: 18, exclude: '1:1' });
  const { piece, reply, drop } = await begin(`/jobs/${job.id}/events`);
  assert.equal(reply.headers['content-type'], 'text/event-stream');
  assert.match(piece.toString(), /^(id|event|data|retry|:)/);
  drop();
  await server.delete(`/jobs/${job.id}`);
});

test('a HEAD searches nothing behind nginx either, and returns a 304 for its ETag', async () => {
  const before = await server.metric('nq_searches_started_total');
  const head = (target, headers = {}) => fetch(`http://127.0.0.1:${front.port}${target}`, { method: 'HEAD', headers });
  for (const target of ['/count?n=13&place=1:3', '/construct?n=21']) assert.equal((await head(target)).status, 200);
  const tag = (await head('/construct?n=21')).headers.get('etag');
  assert.equal((await head('/construct?n=21', { 'if-none-match': tag })).status, 304);
  assert.equal(await server.metric('nq_searches_started_total'), before);
});

test('a count whose client disconnects stops behind nginx, too', async () => {
  const started = await server.metric('nq_searches_started_total');
  const request = http.get({ port: front.port, host: '127.0.0.1', path: '/count?n=18&method=compute&exclude=1:2' });
  request.on('error', () => {});
  await until(async () => (await server.metric('nq_searches_started_total')) > started, 'a search');
  const cancelled = await server.metric('nq_searches_cancelled_total');
  request.destroy();
  await until(async () => (await server.metric('nq_searches_cancelled_total')) > cancelled, 'it is stopped', 8); // before it is made a job
});

test('the prefix: links have it, and it leads to the service', async () => {
  const page = JSON.parse((await ask('/queens/solve?n=6&limit=3')).body);
  assert.match(page.next, /^\/queens\/solve\?n=6&limit=3&cursor=/);
  const next = await ask(page.next);
  assert.equal(JSON.parse(next.body).returned, 1);
  const to = await ask('/queens');
  assert.deepEqual([to.status, to.headers.location], [308, '/queens/'], 'whatever port and scheme it was asked by');
  assert.equal((await ask('/queens/count?n=8')).status, 200);
});

test('a body that is too large is rejected before it is read', async () => {
  const client = await server.connect(front.port);
  client.send(`POST /verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${(64 << 20) + 1}\r\n\r\n`);
  const { status, headers, json } = await client.reply();
  client.drop();
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [413, 'application/problem+json', 'no-store']);
  assert.equal(json.status, 413);
});

test('nginx does not forward the second port', async () => {
  for (const target of ['/metrics', '/healthz', '/queens/metrics']) assert.equal((await ask(target)).status, 404, target);
});

// Somebody who takes a stream and reads no further.
async function reading(server) {
  const reader = await server.connect();
  assert.equal((await reader.ask('GET', '/solve?n=16&format=ndjson').head()).status, 200);
  return reader;
}

test('replicas restart one by one: no request fails', async (t) => {
  const begin = (port) => start(t, '--drain-seconds', 1, '--listen', `127.0.0.1:${port}`);
  const replicas = [await begin(await freePort()), await begin(await freePort())];
  const gate = await behindNginx(replicas.map(({ port }) => port), { cache: 'off' });
  t.after(() => gate.stop());
  const told = {};
  let over = false;
  const asking = Array.from({ length: 8 }, async (_, client) => {
    for (let i = 0; !over; i++) {
      const status = await ask(`/count?n=7&place=1:${(i % 7) + 1}&exclude=7:${(client % 7) + 1}`, {}, undefined, gate.port).then((reply) => reply.status, (error) => error.message);
      told[status] = (told[status] ?? 0) + 1;
    }
  });
  for (const i of [0, 1]) {
    const { port } = replicas[i];
    const reader = await reading(replicas[i]); // whom it waits for, and tells others no meanwhile
    await replicas[i].stop();
    reader.drop();
    replicas[i] = await begin(port);
  }
  over = true;
  await Promise.all(asking);
  assert.deepEqual(Object.keys(told), ['200'], JSON.stringify(told));
});

test('busy replicas reject searches themselves, and still return cached answers', async (t) => {
  const replicas = await Promise.all([1, 2].map(() => start(t, '--max-streams', 1)));
  const gate = await behindNginx(replicas.map(({ port }) => port), { cache: 'off' });
  t.after(() => gate.stop());
  const readers = await Promise.all(replicas.map(reading));
  for (let i = 0; i < 4; i++) {
    const refused = await ask('/solve?n=16&format=ndjson', {}, undefined, gate.port);
    assert.deepEqual([refused.status, JSON.parse(refused.body).type], [503, 'urn:nqueensd:problem:busy']);
    assert.equal((await ask('/count?n=7', {}, undefined, gate.port)).status, 200);
  }
  readers.forEach((reader) => reader.drop());
});

test('a request without an answer is sent once more, unless it may have started something', async (t) => {
  let asked = 0;
  const replica = http.createServer(({ url }, reply) => (++asked % 2 ? reply.destroy() : reply.end(url)));
  await new Promise((resolve) => replica.listen(0, '127.0.0.1', resolve));
  t.after(() => replica.close());
  const gate = await behindNginx(replica.address().port);
  t.after(() => gate.stop());
  for (const [target, expected] of [['/count?n=8', '/count?n=8'], ['/queens/jobs/a%20b?x=%2F', '/jobs/a%20b?x=%2F'], ['/queens/', '/']]) {
    const { status, body } = await ask(target, {}, undefined, gate.port);
    assert.deepEqual([status, `${body}`], [200, expected]);
  }
  const before = asked;
  const reply = await within(fetch(`http://127.0.0.1:${gate.port}/jobs`, { method: 'POST', body: '{}' }), 'reply to POST');
  assert.deepEqual([reply.status, (await reply.json()).type, asked], [503, 'urn:nqueensd:problem:unavailable', before + 1]);
});

// A server of names that knows one, which has the address that is told last; { port, tell(address) }.
async function names(t) {
  let address = null;
  const socket = dgram.createSocket('udp4', (query, { port, address: asker }) => {
    const end = query.indexOf(0, 12) + 5; // of the question
    const found = query.readUInt16BE(end - 4) === 1; // A
    const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, Number(found), 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 2, 88, 0, 4, ...address.split('.').map(Number)]); // good for ten minutes, as Docker's
    socket.send(Buffer.concat([head, query.subarray(12, end), ...(found ? [answer] : [])]), port, asker);
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => socket.close());
  return { port: socket.address().port, tell: (text) => (address = text) };
}

test('the service gets another address: nginx finds it', { skip: !resolves && 'this nginx does not look names up again' }, async (t) => {
  const net = `127.${randomInt(64, 255)}.${randomInt(1, 255)}`;
  const at = (host) => start(t, '--listen', `${net}.${host}:8080`);
  const dns = await names(t);
  dns.tell(`${net}.1`);
  const first = await at(1);
  const gate = await behindNginx([], { cache: 'off', resolver: dns.port });
  t.after(() => gate.stop());
  const status = async () => (await ask('/count?n=7', {}, undefined, gate.port)).status;
  await until(async () => (await status()) === 200, 'the name is looked up');
  await first.stop();
  await at(2);
  assert.equal(await status(), 503);
  dns.tell(`${net}.2`);
  await until(async () => (await status()) === 200, 'it is looked up again', 15);
});

test('without the service nginx returns cached answers, and a 503 for the rest', async (t) => {
  const other = await start(t);
  const gate = await behindNginx(other.port);
  t.after(() => gate.stop());
  const kept = await ask('/count?n=7', {}, undefined, gate.port);
  await other.stop();
  const again = await ask('/count?n=7', {}, undefined, gate.port);
  assert.deepEqual([again.status, again.body], [200, kept.body]);
  const reply = await ask('/count?n=6', {}, undefined, gate.port);
  assert.equal(reply.status, 503);
  assert.equal(reply.headers['content-type'], 'application/problem+json');
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.match(reply.headers['retry-after'], /^[1-9]/);
  assert.equal(JSON.parse(reply.body).status, 503);
});
