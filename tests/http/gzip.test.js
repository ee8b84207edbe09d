// gzip.test.js - answers and streams that are sent as gzip: the same body, with a tag of its own, for those who ask for it.
import { execFile } from 'node:child_process';
import http from 'node:http';
import { constants, gunzipSync } from 'node:zlib';
import { conforms } from './contract.js';
import { after, assert, Reply, slow, start, test, until, within } from './harness.js';

const server = await start({ after });

// A reply with its bytes as they came; it keeps to the contract.
const ask = (target, headers = {}, { method = 'GET', body, to = server } = {}) =>
  within(
    new Promise((resolve, reject) => {
      const request = http.request({ port: to.port, host: '127.0.0.1', path: target, method, headers: { prefer: 'wait=600', ...headers } }, (reply) => {
        const pieces = [];
        reply.on('data', (piece) => pieces.push(piece));
        reply.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const text = (reply.headers['content-encoding'] && bytes.length ? gunzipSync(bytes) : bytes).toString();
          conforms(method, target, new Reply(reply.statusCode, reply.headers, text));
          resolve({ status: reply.statusCode, headers: reply.headers, bytes, text });
        });
      });
      request.on('error', reject).end(body);
    }),
    `reply to ${target}`,
  );
const gzip = { 'accept-encoding': 'gzip' };

const long = [
  '/solve?n=8', '/solve?n=8&limit=40&board=grid', '/solve?n=10&format=svg', '/solve?n=11&limit=2000',
  '/count?n=0-27', '/count?n=14&by=square', '/construct?n=1000', '/trace?n=6&algorithm=rapella&limit=100',
  '/puzzle?kind=regions&n=7&seed=1&format=svg', '/hint?regions=aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee&steps=all', '/compare?n=6', '/algorithms',
];

test('an answer of 1000 bytes comes as gzip with a tag of its own, also for HEAD and If-None-Match', async () => {
  for (const target of long) {
    const plain = await ask(target);
    const packed = [await ask(target, gzip), await ask(target, gzip)]; // made, and found
    assert.equal(plain.status, 200, plain.text);
    assert.equal(plain.headers['content-encoding'], undefined, target);
    assert.ok(plain.bytes.length >= 1000, `${target}: ${plain.bytes.length}`);
    for (const reply of packed) {
      assert.equal(reply.headers['content-encoding'], 'gzip', target);
      assert.deepEqual(gunzipSync(reply.bytes), plain.bytes, target);
      assert.ok(reply.bytes.length < 0.6 * plain.bytes.length, `${target}: ${reply.bytes.length} of ${plain.bytes.length}`);
      for (const name of ['content-type', 'cache-control', 'vary', 'link']) assert.equal(reply.headers[name], plain.headers[name], `${target} ${name}`);
    }
    assert.deepEqual(packed[0].bytes, packed[1].bytes);
    assert.equal(packed[0].headers.etag, packed[1].headers.etag);
    assert.match(packed[0].headers.etag, /^"[0-9a-f]{16}"$/);
    assert.notEqual(packed[0].headers.etag, plain.headers.etag, target);
    assert.match(plain.headers.vary, /(^|, )Accept-Encoding$/);
    const head = await ask(target, gzip, { method: 'HEAD' });
    for (const name of ['content-type', 'vary']) assert.equal(head.headers[name], packed[0].headers[name], `${target} ${name}`);
    assert.equal(head.headers['cache-control'], packed[0].headers['cache-control'], target);
    if (!target.includes('n=0-')) // that is put together for each request, but not for a HEAD
      for (const name of ['content-length', 'content-encoding', 'etag']) assert.equal(head.headers[name], packed[0].headers[name], `${target} ${name}`);
    for (const [headers, tag, status] of [
      [gzip, packed[0].headers.etag, 304],
      [gzip, `"x", W/${packed[0].headers.etag}`, 304],
      [gzip, plain.headers.etag, 304], // the client has the body, whichever coding it came in
      [{}, plain.headers.etag, 304],
      [{}, packed[0].headers.etag, 200],
      ...(target.includes('n=0-') ? [] : [[gzip, '*', 304]]),
      [gzip, '"x"', 200],
    ]) {
      const reply = await ask(target, { ...headers, 'if-none-match': tag });
      assert.equal(reply.status, status, `${target} ${tag}`);
      assert.equal(reply.headers.vary, plain.headers.vary);
      if (status === 304 && tag !== '*') assert.ok(tag.includes(reply.headers.etag), `${target} ${tag} ${reply.headers.etag}`);
      if (status === 304 && tag === '*') assert.equal(reply.headers.etag, packed[0].headers.etag);
      if (status === 304) assert.equal(reply.bytes.length, 0);
    }
  }
});

test('both tags survive a restart, and a 304 needs no search', async (t) => {
  const other = await start(t, '--threads', 1);
  for (const headers of [{}, gzip])
    for (const target of ['/solve?n=11&limit=2000', '/count?n=14&by=square', '/construct?n=1000']) {
      const { etag } = (await ask(target, headers)).headers;
      const reply = await ask(target, { ...headers, 'if-none-match': etag }, { to: other });
      assert.equal(reply.status, 304, target);
      assert.equal(reply.headers.etag, etag);
    }
  assert.equal(await other.metric('nq_searches_started_total'), 0);
});

test('what is short, is points, numbers or events, or is a problem comes as it is', async () => {
  const plain = async (target, coded, headers) => {
    const reply = await ask(target, { ...gzip, ...headers });
    assert.equal(reply.headers['content-encoding'], undefined, target);
    assert.equal(/Accept-Encoding/.test(reply.headers.vary ?? ''), coded, target);
    return reply;
  };
  for (const target of ['/count?n=8', '/count?n=0-27&format=bfile']) assert.ok((await plain(target, true)).bytes.length < 1000);
  await plain('/solve?n=30&format=png', false);
  await plain('/construct?n=1000&format=octet-stream', false);
  await plain('/trace?n=5&algorithm=rapella&format=events', false);
  const errors = Array.from({ length: 30 }, (_, i) => `colour${i}=red`).join('&');
  const problem = await plain(`/solve?n=8&${errors}`, false);
  assert.equal(problem.status, 400);
  assert.ok(problem.bytes.length > 1000);
});

test('a body that was sent and what a job has are compressed, but not kept', async () => {
  const body = JSON.stringify({ permutation: Array.from({ length: 400 }, (_, i) => i + 1) });
  const sent = { method: 'POST', body };
  const [plain, packed] = [await ask('/verify', { 'content-type': 'application/json' }, sent), await ask('/verify', { 'content-type': 'application/json', ...gzip }, sent)];
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(packed.text, plain.text);
  const { id } = await server.begin({ n: 12, by: 'square' });
  await server.look(id, ({ state }) => state === 'done');
  const job = await ask(`/jobs/${id}`, gzip);
  assert.equal(job.headers['content-encoding'], 'gzip');
  assert.equal(job.headers['cache-control'], 'no-store');
  assert.equal(job.text, (await ask(`/jobs/${id}`)).text);
});

test('equal questions of clients with and without gzip are searched once', async (t) => {
  const other = await start(t);
  const all = await Promise.all(Array.from({ length: 8 }, (_, i) => ask('/solve?n=12&limit=9000', i % 2 ? gzip : {}, { to: other })));
  assert.equal(new Set(all.map(({ text }) => text)).size, 1);
  assert.equal(new Set(all.map(({ headers }) => headers.etag)).size, 2);
  assert.equal(await other.metric('nq_searches_started_total'), 1);
});

test('a client that has all searches it may have gets the answer as it is', async (t) => {
  const other = await start(t, '--max-client-searches', 1);
  const stream = await other.connect(); // and reads nothing of it
  await stream.ask('GET', '/solve?n=16&format=csv').head();
  const reply = await ask('/algorithms', gzip, { to: other });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-encoding'], undefined);
  assert.equal(await other.metric('nq_clients_refused_total'), 0, 'the client has its answer');
  (await other.get('/solve?n=9')).isProblem(429);
  assert.equal(await other.metric('nq_clients_refused_total'), 1);
  stream.drop();
});

// ---- Streams ----

const streams = [
  '/solve?n=3&format=ndjson', '/solve?n=6&format=ndjson', '/solve?n=11&format=ndjson', '/solve?n=12&format=ndjson&limit=777', '/solve?n=11&format=csv',
  '/solve?n=11&format=csv&rank=true', '/solve?n=10&format=text&board=ascii', '/solve?n=10&format=ndjson&place=1:3', '/solve?n=9&algorithm=rapella&format=ndjson',
  '/solve?n=12&sample=500&seed=1&format=ndjson', '/construct?n=20000&format=ndjson', '/construct?n=20000&format=csv', '/trace?n=8&algorithm=rapella&format=ndjson',
];

test('a stream comes as gzip for those who ask for it', async () => {
  for (const target of streams) {
    const [plain, packed] = [await ask(target), await ask(target, gzip)];
    assert.equal(plain.headers['content-encoding'], undefined, target);
    assert.equal(packed.headers['content-encoding'], 'gzip', target);
    assert.equal(packed.text, plain.text, target);
    if (plain.bytes.length > 1000) assert.ok(packed.bytes.length < 0.4 * plain.bytes.length, `${target}: ${packed.bytes.length} of ${plain.bytes.length}`);
    assert.match(packed.headers.etag, /^W\/"[0-9a-f]{16}"$/, target); // its blocks end where a reader waited
    assert.ok(!packed.headers.etag.includes(plain.headers.etag), target);
    const head = await ask(target, gzip, { method: 'HEAD' });
    for (const name of ['content-encoding', 'content-type', 'etag', 'vary', 'cache-control', 'x-accel-buffering'])
      assert.equal(head.headers[name], packed.headers[name], `${target} ${name}`);
    for (const [headers, tag, status, told] of [
      [gzip, packed.headers.etag, 304, packed.headers.etag],
      [gzip, packed.headers.etag.slice(2), 304, packed.headers.etag],
      [gzip, plain.headers.etag, 304, plain.headers.etag],
      [gzip, '*', 304, packed.headers.etag],
      [{}, packed.headers.etag, 200, plain.headers.etag],
    ]) {
      const reply = await ask(target, { ...headers, 'if-none-match': tag });
      assert.deepEqual([reply.status, reply.headers.etag, reply.headers.vary], [status, told, packed.headers.vary], `${target} ${tag}`);
    }
  }
});

test('a page that Accept makes a stream ends with a link, and goes on', async () => {
  const accept = { accept: 'application/x-ndjson', ...gzip };
  const first = (await ask('/solve?n=8&limit=90', accept)).text.trim().split('\n').map(JSON.parse);
  const second = (await ask(first.at(-1).next, accept)).text.trim().split('\n').map(JSON.parse);
  assert.deepEqual([first.length, second.length, second.at(-1).next], [91, 3, null]);
});

// What a client can unpack of what it has.
const unpack = (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();

// Opens a stream as gzip; what comes of its body is read by `bytes`.
async function open(from, target, version = '1.1') {
  const client = await from.connect();
  const head = await client.send(`GET ${target} HTTP/${version}\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`).head();
  assert.deepEqual([head.status, head.headers['content-encoding']], [200, 'gzip']);
  return Object.assign(client, { bytes: client.body(head, 'GET') });
}

// What curl exits with. Node itself may take a reset for an ordinary end when both come with the last bytes.
const [WHOLE, PARTIAL, RESET] = [0, 18, 56];
const curl = (from, version, target) =>
  new Promise((resolve) => {
    const url = `http://127.0.0.1:${from.port}${target}`;
    execFile('curl', ['-s', version, '-H', 'Accept-Encoding: gzip', url], { encoding: 'buffer', maxBuffer: 1 << 30 }, (error, bytes) => resolve([error ? error.code : 0, bytes]));
  });

test('a compressed stream that is cut never looks complete', async (t) => {
  const short = await start(t, '--stream-seconds', Math.ceil(Number(process.env.NQ_PATIENCE))); // so that some of it comes
  for (const [version, code] of [['--http1.1', PARTIAL], ['--http1.0', RESET]]) {
    const [whole, all] = await curl(server, version, '/solve?n=9&format=ndjson');
    assert.deepEqual([whole, gunzipSync(all).toString().split('\n').length], [WHOLE, 352 + 2]);
    const [exit, bytes] = await curl(short, version, '/solve?n=60&algorithm=mrv&format=ndjson');
    assert.equal(exit, code);
    assert.throws(() => gunzipSync(bytes), /unexpected end of file/);
    assert.match(unpack(bytes).slice(0, 1000), /^{"permutation":\[[\d,]+\]}\n/);
    assert.doesNotMatch(unpack(bytes).slice(-1000), /"end"/);
  }
});

const STREAMS = 12;
test('who waits gets the first solutions at once; who does not read holds no thread, and half a MB (plain)', { skip: slow && 'full buffers of compressed solutions' }, async (t) => {
  const narrow = await start(t, '--threads', 1);
  await ask('/solve?n=12&format=ndjson', gzip, { to: narrow });
  const before = narrow.resident(), clients = [];
  // Of large boards solutions come so slowly that the sockets would not be full within a minute.
  for (let i = 0; i < STREAMS; i++) clients.push(await open(narrow, `/solve?n=${16 + (i % 2)}&format=ndjson`));
  for (const client of clients) {
    const pieces = [];
    let text = '';
    while (!text.includes('\n')) {
      pieces.push((await client.bytes.next()).value);
      text = unpack(Buffer.concat(pieces));
    }
    assert.match(text, /^{"permutation":\[[\d,]+\]}\n/);
  }
  assert.equal(await narrow.metric('nq_streams_running'), STREAMS);
  let made, still = 0;
  const stand = async () => (still = made === (made = await narrow.metric('nq_solutions_streamed_total')) ? still + 1 : 0);
  await until(async () => (await stand()) === 10, 'the streams stand still');
  assert.equal((await ask('/solve?n=9&limit=300', gzip, { to: narrow })).status, 200);
  assert.ok(narrow.resident() < before + STREAMS / 2, `${before} MB, then ${narrow.resident()} MB`);
  clients.forEach((client) => client.drop());
  await until(async () => (await narrow.metric('nq_streams_running')) === 0, 'the streams are gone');
});
