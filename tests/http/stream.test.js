// stream.test.js - GET /solve as NDJSON: the same list as the pages, at the client's pace, and never cut unnoticed.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, assert, longPath, start, temporaryFolder, test, until } from './harness.js';

const server = await start({ after });
const endless = '/solve?n=25&format=ndjson';

// What curl exits with. Node itself may take a reset for an ordinary end when both come with the last bytes.
const [WHOLE, PARTIAL, RESET] = [0, 18, 56];
const curl = (from, version, target, ...flags) =>
  new Promise((resolve) => {
    const exit = (error) => resolve(error ? error.code : 0);
    execFile('curl', ['-s', '-o', '/dev/null', version, ...flags, `http://127.0.0.1:${from.port}${target}`], exit);
  });

// Opens a stream and reads its beginning only.
async function open(from, target, version = '1.1') {
  const client = await from.connect();
  const head = await client.send(`GET ${target} HTTP/${version}\r\nHost: x\r\n\r\n`).head();
  assert.equal(head.status, 200);
  return Object.assign(client, { bytes: client.body(head, 'GET') });
}

// Reads a stream to its end: [lines, whether it was whole].
async function drain(client) {
  let [text, step] = ['', null];
  while (!(step = await client.bytes.next()).done) text += step.value;
  return [text.split('\n').slice(0, -1), step.value];
}

test('the end line of a stream with a limit has next', async () => {
  const all = (await server.getJson('/solve?n=8')).solutions;
  const first = (await server.get('/solve?n=8&format=ndjson&limit=90')).lines;
  assert.equal(first.at(-1).returned, 90);
  const second = (await server.get(first.at(-1).next)).lines;
  assert.deepEqual([...first.slice(0, -1), ...second.slice(0, -1)], all);
  assert.deepEqual([second.at(-1).returned, second.at(-1).next], [2, null]);
});

test('a stream can be longer than a page', async () => {
  const { lines } = await server.get('/solve?n=12&format=ndjson&limit=14199');
  assert.equal(lines.length, 14200);
  assert.match(lines.at(-1).next, /^\/solve\?.*limit=14199/);
});

test('clients that do not read hold no thread, and can continue later', async (t) => {
  const single = await start(t, '--threads', 1);
  const stalled = await Promise.all(Array.from({ length: 2 }, () => open(single, '/solve?n=14&format=ndjson')));
  await until(async () => (await single.metric('nq_pool_running')) === 0, 'the streams are parked');
  assert.equal(await single.metric('nq_streams_running'), 2);
  assert.equal((await single.getJson('/solve?n=8')).returned, 92);
  assert.equal((await single.getJson('/count?n=10&method=compute')).count, 724);
  const [lines, whole] = await drain(stalled[0]);
  assert.ok(whole);
  assert.equal(lines.length, 365596 + 1);
  assert.deepEqual(JSON.parse(lines.at(-1)), { end: true, n: 14, base: 1, returned: 365596, next: null });
  stalled.forEach((client) => client.drop());
  await until(async () => (await single.metric('nq_streams_running')) === 0, 'the streams are gone');
  assert.ok((await single.metric('nq_solutions_streamed_total')) >= 365596);
});

test('streams share the threads', async (t) => {
  const single = await start(t, '--threads', 1);
  const hungry = await open(single, endless);
  const eat = (async () => {
    while (!(await hungry.bytes.next()).done);
  })();
  assert.equal((await single.get('/solve?n=11&format=ndjson')).lines.at(-1).returned, 2680);
  hungry.drop();
  await eat.catch(() => {});
});

test('a complete stream ends normally, a truncated one with a reset (HTTP/1.0) or without its last chunk (HTTP/1.1)', async (t) => {
  const short = await start(t, '--stream-seconds', 1);
  const both = (target, from) => Promise.all(['--http1.0', '--http1.1'].map((version) => curl(from, version, target)));
  assert.deepEqual(await both('/solve?n=9&format=ndjson', server), [WHOLE, WHOLE]);
  const searching = '/solve?n=60&algorithm=bitboard&format=ndjson';
  const endlessly = [endless, searching, ...['json', 'csv', 'text'].map((format) => `/construct?n=1000000000&format=${format}`), '/solve?n=25&format=csv', '/solve?n=25&format=text'];
  const cuts = await Promise.all(endlessly.map((target) => both(target, short)));
  assert.deepEqual(cuts, endlessly.map(() => [RESET, PARTIAL]));
  const [lines, whole] = await drain(await open(short, endless));
  assert.equal(whole, false);
  assert.ok(!lines.some((line) => line.includes('"end"')));
  await until(async () => (await short.metric('nq_streams_running')) === 0, 'the streams are gone');
});

test('a client that does not read for too long is cut off, one that waits for a search is not', async (t) => {
  const strict = await start(t, '--threads', 1, '--keep-alive-seconds', 1);
  const waiting = (await strict.connect()).ask('GET', longPath, { prefer: 'wait=600' });
  await until(async () => (await strict.metric('nq_searches_running')) === 1, 'it searches');
  for (let round = 0; round < 2; round++) {
    const stalled = await open(strict, '/construct?n=1000000000'); // fills every buffer at once
    await until(async () => (await strict.metric('nq_streams_running')) === 0, 'the stalled stream is gone');
    stalled.drop();
  }
  assert.equal(await strict.metric('nq_searches_running'), 1); // which ends with its client
  waiting.drop();
});

test('a stop cuts streams so that every client can detect it', async (t) => {
  const stopping = await start(t, '--drain-seconds', 0);
  const ends = [];
  const heads = temporaryFolder(); // one that is stopped before it has begun is a 503
  for (const target of [endless, '/solve?n=60&algorithm=bitboard&format=ndjson'])
    for (const [version, ...rest] of [['--http1.0'], ['--http1.0', '--limit-rate', '100k'], ['--http1.1']])
      ends.push(curl(stopping, version, target, '--dump-header', path.join(heads, `${ends.length}`), ...rest));
  const begun = () => readdirSync(heads).filter((name) => / 200 /.test(readFileSync(path.join(heads, name), 'utf8')));
  await until(() => begun().length === ends.length, 'the streams have begun');
  await stopping.stop();
  assert.deepEqual(await Promise.all(ends), [RESET, RESET, PARTIAL, RESET, RESET, PARTIAL]);
});

test('--max-streams limits the streams', async (t) => {
  const narrow = await start(t, '--max-streams', 2);
  const streams = [await open(narrow, endless), await open(narrow, endless)];
  (await narrow.get(endless)).isProblem(503);
  assert.equal((await narrow.getJson('/solve?n=8')).returned, 92);
  streams.forEach((client) => client.drop());
  await until(async () => (await narrow.get('/solve?n=8&format=ndjson')).status === 200, 'there is room again');
});
