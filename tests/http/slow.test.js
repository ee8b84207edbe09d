// slow.test.js - clients that hardly take what is sent: they are cut, so that they can tell, and nothing of them stays. Nobody
// else is: who waits for us, and who reads, at whatever pace the flag asks for.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { assert, long, longPath, sleep, slow, start, test, until } from './harness.js';

const endless = '/construct?n=1000000000'; // as fast as it is read
const page = '/solve?n=13&limit=10000&board=grid'; // 4 MB
const cut = (server) => server.metric('nq_slow_readers_cut_total');
const patient = ['--keep-alive-seconds', 3600]; // nobody is cut for silence

// curl on an endless stream, in a session of its own, as launch() says; what it ends with.
const RESET = 56; // Node itself may take a reset for an ordinary end
async function curl(t, server, ...flags) {
  const streams = await server.metric('nq_streams_started_total');
  const url = `http://127.0.0.1:${server.port}${endless}`;
  const child = spawn('curl', ['-s', '-o', '/dev/null', ...flags, url], { detached: true });
  t.after(() => child.kill('SIGKILL'));
  child.end = new Promise((resolve) => child.once('close', resolve));
  await until(async () => (await server.metric('nq_streams_started_total')) > streams, 'curl has asked');
  return child;
}

// One that has come to a halt, and then goes on: what it exits with.
async function halted(t, server, version) {
  const child = await curl(t, server, version);
  child.kill('SIGSTOP');
  return () => child.kill('SIGCONT') && child.end;
}

// One that reads some hundred times the rate: what is acknowledged comes in large steps. How many bytes it has read so far is what it has written, to nowhere.
async function polite(t, server, rate) {
  const child = await curl(t, server, '--limit-rate', 128 * rate);
  const read = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))[1]);
  return Object.assign(child, { read });
}

// Begins a reply and reads no more than its beginning.
async function open(t, server, target) {
  const client = await server.connect();
  t.after(() => client.drop());
  const head = await client.ask('GET', target).head();
  assert.equal(head.status, 200);
  return Object.assign(client, { bytes: client.body(head, 'GET') });
}

// Reads so many bytes, or some more, again and again; ends with the connection.
async function read(client, bytes, seconds) {
  for (let step, got = 0; ; got = 0) {
    while (got < bytes) {
      step = await client.bytes.next();
      if (step.done) return;
      got += step.value.length;
    }
    await sleep(seconds);
  }
}

test('a client below --min-drain-rate is cut off, and no other', async (t) => {
  const rate = 64 << 10;
  const server = await start(t, ...patient, '--threads', 1, '--min-drain-rate', rate, '--min-drain-seconds', Math.ceil(1.5 * Number(process.env.NQ_PATIENCE))); // 3 on an idle machine
  const { events: path } = await server.begin(long);
  const [busy, idle] = [await server.connect(), await server.listenTo(path)];
  busy.ask('GET', `${longPath},2:5`, { prefer: 'wait=600' }); // before which the job stands still
  assert.equal((await idle.events.next()).value.event, 'progress');
  const waiting = (await server.connect()).ask('GET', '/solve?n=60&algorithm=bitboard&format=ndjson'); // whose search finds nothing for long
  const [stalled, dripping] = await Promise.all([1, 2].map(() => open(t, server, endless)));
  const curls = [await halted(t, server, '--http1.0'), await halted(t, server, '--http1.1')];
  const hardly = read(dripping, 1, 4); // as little as node can, a quarter of the rate
  const reader = await polite(t, server, rate);
  const reads = () => assert.equal(reader.exitCode, null, 'who reads is not cut');
  await until(async () => (reads(), (await cut(server)) === 4), 'four are cut');
  assert.deepEqual(await Promise.all(curls.map((goOn) => goOn())), [RESET, RESET]);
  assert.ok(await stalled.end());
  const before = reader.read();
  await sleep(4);
  assert.equal(await cut(server), 4);
  reads();
  assert.ok(reader.read() > before);
  for (const client of [waiting, idle, busy]) assert.ok(!client.socket.destroyed && !client.ended);
  const ends = () => server.logs.filter((line) => line.target === endless && line.cache === 'cut').length;
  await until(() => ends() === 4, 'four stand in the log as cut');
  assert.equal(await server.metric('nq_streams_running'), 2);
  reader.kill('SIGKILL');
  for (const client of [waiting, idle, busy, dripping]) client.drop();
  await Promise.allSettled([hardly]); // it was cut
});

test('many clients that read nothing are cut off, while others get answers (plain)', { skip: slow && 'sanitizers keep memory of their own' }, async (t) => {
  const many = 80;
  const limits = ['--max-streams', many, '--max-client-searches', 2 * many];
  const server = await start(t, ...patient, ...limits, '--min-drain-rate', '1K', '--min-drain-seconds', 1);
  const before = server.resident();
  for (let round = 1; round <= 2; round++) {
    const stalled = await Promise.all(Array.from({ length: many }, () => open(t, server, endless)));
    for (let n = 0; (await cut(server)) < many * round; n++) {
      assert.equal((await server.getJson(`/count?n=${4 + (n % 8)}`)).provenance, 'computed');
      await sleep(0.1);
    }
    await until(async () => (await server.metric('nq_streams_running')) === 0, 'their streams are gone');
    assert.equal((await server.get('/solve?n=8&format=ndjson')).lines.length, 93); // there is room for a stream
    await until(async () => (await server.metric('nq_connections')) <= 2, 'their connections are gone');
    for (const client of stalled) client.drop();
  }
  await until(() => server.resident() < before + 4, `memory is what it was, ${before} MB, or little more`);
});

test('memory for answers is free again after slow readers are cut off', async (t) => {
  const server = await start(t, ...patient, '--min-drain-rate', '1K', '--min-drain-seconds', 1);
  const { length } = (await server.get(page)).text;
  const stalled = await Promise.all([1, 2].map(() => server.connect()));
  for (const client of stalled) for (let i = 0; i < 8; i++) client.ask('GET', page, { 'x-request-id': `page-${i}` }); // more than the kernel takes
  await until(async () => (await server.metric('nq_reply_bytes')) >= length, 'an answer is held');
  await until(async () => (await cut(server)) === 2, 'both are cut');
  await until(async () => (await server.metric('nq_reply_bytes')) === 0, 'nothing is held');
  for (const client of stalled) assert.ok(await client.end());
  const ends = () => server.logs.filter((line) => /^page-/.test(line.id) && line.cache === 'cut').length;
  await until(() => ends() === 2, 'both stand in the log as cut');
});

test('an answer whose client leaves in the middle of it stands in the log as cut', async (t) => {
  const server = await start(t, ...patient);
  const client = await server.connect();
  for (let i = 0; i < 8; i++) client.ask('GET', page, { 'x-request-id': `page-${i}` }); // more than the kernel takes
  await until(async () => (await server.metric('nq_reply_bytes')) > 0, 'an answer is held');
  client.drop();
  await until(() => server.logs.some(({ id, cache }) => /^page-/.test(id) && cache === 'cut'), 'it is cut');
  await until(async () => (await server.metric('nq_connections')) <= 1, 'it is gone');
  const pages = server.logs.filter(({ id }) => /^page-/.test(id)).map(({ cache }) => cache);
  assert.equal(pages.pop(), 'cut');
  assert.ok(!pages.includes('cut'), `${pages}`);
});

test('with 0 a client may read as slowly as it wants', async (t) => {
  const server = await start(t, ...patient, '--min-drain-rate', 0, '--min-drain-seconds', 1);
  const stalled = await open(t, server, endless);
  await sleep(4);
  assert.equal(await cut(server), 0);
  assert.equal(await server.metric('nq_streams_running'), 1);
  assert.equal((await stalled.bytes.next()).done, false);
  stalled.drop();
});
