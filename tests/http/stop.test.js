// stop.test.js - the stop sequence: whatever is going on, SIGTERM ends the process cleanly and in time.
import { assert, longPath, patience, slow, start, test, until } from './harness.js';

// A server in the middle of everything: searches, streams read and not read, an idle connection, half a request.
async function busy(t, ...flags) {
  const server = await start(t, ...flags);
  const clients = [];
  const open = async (target) => clients[clients.push((await server.connect()).ask('GET', target)) - 1];
  for (let n = 50; n < 60; n++) await open(`/solve?n=${n}`);
  for (let i = 0; i < 5; i++) await open(longPath);
  for (let i = 0; i < 5; i++) await open('/solve?n=25&format=ndjson'); // these never read
  for (let i = 0; i < 5; i++) await open('/construct?n=1000000000');
  for (let i = 0; i < 3; i++) (await open('/solve?n=27&format=ndjson')).end(); // these do
  await (await open('/count?n=8')).reply();
  clients[clients.push(await server.connect()) - 1].send('GET /count?n=8 HTTP/1.1\r\n');
  await until(async () => (await server.metric('nq_streams_running')) === 13, 'the streams run');
  await until(async () => (await server.metric('nq_searches_running')) > 0, 'a search runs');
  return { server, clients };
}

for (const drain of [0, 1])
  test(`everything running, ${drain} s to drain`, async (t) => {
    const { server, clients } = await busy(t, '--drain-seconds', drain);
    const seconds = await server.stop();
    assert.ok(seconds < (drain + 10) * patience, `${seconds} s`);
    clients.forEach((client) => client.drop());
  });

test('the same several times, at any moment', async (t) => {
  for (let round = 0; round < (slow ? 2 : 4); round++) {
    const server = await start(t, '--drain-seconds', 0);
    const clients = await Promise.all(Array.from({ length: 40 }, () => server.connect()));
    const targets = ['/solve?n=60&algorithm=bitboard', '/solve?n=25&format=ndjson', longPath, '/construct?n=100000000&format=ndjson', '/solve?n=8'];
    clients.forEach((client, i) => client.ask('GET', targets[i % targets.length]));
    clients.slice(0, 10).forEach((client) => client.drop());
    await server.stop();
    clients.forEach((client) => client.drop());
  }
});

test('nothing running: it exits without waiting for idle connections, also without any client before', async (t) => {
  const idle = await start(t, '--drain-seconds', 600);
  assert.equal((await idle.get('/count?n=8')).status, 200);
  await idle.stop();
  await (await start(t, '--drain-seconds', 600)).stop();
});

// The head of a POST, without its body.
const headOf = (body) => `POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
const board = '{"n":4,"permutation":[2,4,1,3]}';

test('--drain-delay: only /readyz changes, and a second signal ends it', async (t) => {
  const server = await start(t, '--drain-delay', 3600, '--drain-seconds', 3600, '--threads', 1);
  const kept = await Promise.all([1, 2, 3, 4].map(() => server.connect()));
  for (const client of kept) assert.equal((await client.ask('GET', '/count?n=8').reply()).status, 200);
  server.process.kill('SIGTERM');
  await until(async () => (await server.admin('/readyz')).status === 503, '/readyz says so');
  const early = (await server.admin('/readyz')).json;
  assert.equal(early.status, 'draining');
  assert.match(early.reasons[0].detail, /until then it accepts connections/);
  const served = await kept[0].ask('GET', '/count?n=9').reply();
  assert.deepEqual([served.status, served.headers.connection], [200, undefined]);
  const late = await server.connect(); // a new one
  assert.equal((await late.ask('GET', '/count?n=10').reply()).status, 200);
  late.drop();
  server.process.kill('SIGTERM'); // asks for an end at once, so that the test need not wait
  assert.equal(await server.exit, 0);
});

test('a request that comes while it drains is answered, and closes its connection: a search, a stream, a POST whose body comes later', async (t) => {
  const server = await start(t, '--drain-seconds', 3600);
  const [search, stream, post, job, begun] = await Promise.all([1, 2, 3, 4, 5].map(() => server.connect()));
  for (const client of [search, stream, post, job]) assert.equal((await client.ask('GET', '/count?n=8').reply()).status, 200);
  begun.send(headOf(board)); // its head is read before the signal, its body comes after it
  await until(async () => (await server.metric('nq_http_requests_active')) === 1, 'the head is read');
  const stop = server.stop(300);
  await until(async () => (await server.connect().then((client) => client.drop(), (error) => error.code)) === 'ECONNREFUSED', 'no connections are accepted');
  assert.match((await server.admin('/readyz')).json.reasons[0].detail, /accepts no new connections/);
  post.send(headOf(board));
  for (const [client, target] of [[search, '/count?n=13&method=compute'], [stream, '/solve?n=6&format=ndjson'], [job, '/hint?n=8&place=1:1']]) {
    const reply = await client.ask('GET', target).reply();
    assert.deepEqual([reply.status, reply.complete, reply.headers.connection], [200, true, 'close'], target);
    assert.equal(await client.end(), 'end');
  }
  for (const client of [post, begun]) {
    const reply = await client.send(board).reply();
    assert.deepEqual([reply.status, reply.headers.connection, reply.json.valid], [200, 'close', true]);
    assert.equal(await client.end(), 'end');
  }
  await stop;
});

test('connections that wait to be accepted when the port is closed are served', async (t) => {
  const server = await start(t, '--drain-seconds', 3600);
  const clients = [];
  const stop = server.stop(300);
  for (;;) {
    const client = await server.connect().catch((error) => assert.equal(error.code, 'ECONNREFUSED'));
    if (!client) break;
    clients.push(client.send(`${headOf(board)}${board}`).reply());
  }
  for (const reply of await Promise.all(clients)) assert.equal(reply?.status, 200);
  await stop;
});

test('while it drains, requests under way continue and new ones are served', async (t) => {
  const server = await start(t, '--drain-seconds', 300);
  const stream = (await server.connect()).ask('GET', '/construct?n=600000&format=csv'); // more than the kernel takes
  const kept = await server.connect();
  assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
  const admin = await server.connect(server.adminPort);
  assert.equal((await admin.ask('GET', '/readyz').reply()).json.status, 'ready');
  await until(async () => (await server.metric('nq_streams_running')) === 1, 'the stream runs');

  const stop = server.stop(300);
  await until(async () => (await server.admin('/readyz')).status === 503, 'it drains');
  const { status, reasons } = (await server.admin('/readyz')).json;
  assert.deepEqual([status, reasons.map(({ what }) => what)], ['draining', ['draining']]);
  assert.match(reasons[0].detail, /\b1 requests are /);
  assert.equal((await server.admin('/healthz')).status, 200);
  await until(async () => (await server.connect().then((client) => client.drop(), (error) => error.code)) === 'ECONNREFUSED', 'no connections are accepted');
  const last = await kept.ask('GET', '/count?n=9').reply();
  assert.deepEqual([last.status, last.headers.connection], [200, 'close']);
  assert.ok(await kept.end());

  const whole = await stream.reply();
  assert.ok(whole.complete);
  assert.match(whole.text, /\n600000,\d+\r\n$/);
  await stop;
});

test('requests that take longer than the drain get 503', async (t) => {
  const server = await start(t, '--threads', 1, '--drain-seconds', 1);
  const client = (await server.connect()).ask('GET', longPath);
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'the search runs');
  const stop = server.stop();
  (await client.reply()).isProblem(503);
  assert.ok(await client.end());
  await stop;
});
