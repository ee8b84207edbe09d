// slice.test.js - a step of a search that takes far longer than its slice: the others go on, who leaves is seen to leave, and the
// process can be stopped. The step is made long by system.c: it takes a processor for a while, then it sleeps until the test lets it
// go on. What is answered meanwhile did not wait for it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { assert, assertNoSanitizer, long, longPath, patience, slow, start, temporaryFolder, test, until, within } from '../http/harness.js';
import { Faults, errors } from './faults.js';

const UNTIL_LET_GO = 3600000;

test('one of two threads overruns its slice: the other serves all clients', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 2);
  const client = (await server.connect()).ask('GET', '/solve?n=60&algorithm=bitboard');
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'the search runs');
  const before = await server.metric('nq_slices_overrun_total');
  faults.set({ stall_ms: UNTIL_LET_GO, stalls: 1 });
  await until(() => faults.get('stalls') === 0, 'it overruns');
  for (let n = 5; n < 12; n++) assert.equal((await server.get(`/solve?n=${n}&limit=3`)).status, 200);
  const stream = await server.get('/solve?n=8&format=ndjson');
  assert.equal(stream.lines.at(-1).returned, 92);
  client.drop();
  await until(async () => (await server.metric('nq_searches_cancelled_total')) === 1, 'who left was seen to');
  await until(async () => (await server.metric('nq_pool_running')) === 1, 'it has its thread yet, and the last answers have none');
  faults.set({ stall_ms: 0 });
  await until(async () => (await server.metric('nq_slices_overrun_total')) > before, 'it shows');
  await until(async () => (await server.metric('nq_pool_running')) === 0, 'it is over');
});

test('all threads overrun their slices: other clients get answers, and the slow searches continue', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 2);
  assert.equal((await server.get('/solve?n=8')).status, 200);
  faults.set({ stall_ms: UNTIL_LET_GO, stalls: 2 });
  let answered = 0;
  // Smaller boards are brief: no thread of the pool has them, and no step of theirs can take long.
  const waiting = [11, 12, 13].map((n) => server.get(`/solve?n=${n}`).finally(() => answered++));
  await until(async () => (await server.metric('nq_pool_running')) === 2, 'both threads are taken');
  for (let i = 0; i < 20; i++) assert.equal((await server.get('/solve?n=8')).status, 200);
  assert.equal((await server.admin('/readyz')).status, 200);
  for (let n = 12; n < 16; n++) assert.equal((await server.get(`/solve?n=${n}&limit=3`)).status, 200);
  const left = (await server.connect()).ask('GET', '/solve?n=50&algorithm=bitboard');
  await until(async () => (await server.metric('nq_pool_running')) === 3, 'it has a place');
  left.drop();
  await until(async () => (await server.metric('nq_searches_cancelled_total')) === 1, 'who left was seen to');
  assert.ok(answered <= 1, 'two of them are not over');
  faults.set({ stall_ms: 0 });
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 200);
});

test('no thread of the pool goes on, and its queue is full: brief counts are answered, and nothing else', { skip: slow && 'with a sanitizer few counts are brief' }, async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 1, '--queue', 1);
  const state = async () => `${await server.metric('nq_pool_running')} ${await server.metric('nq_pool_queue_depth')}`;
  const clients = [];
  faults.set({ stall_ms: UNTIL_LET_GO, stalls: 1000000 });
  for (const reached of ['1 0', '2 0', '2 1']) { // one client has one thread more than there are places
    clients.push((await server.connect()).ask('GET', `/solve?n=60&limit=${1 + clients.length}`));
    await until(async () => (await state()) === reached, reached);
  }
  for (const target of ['/count?n=12', '/solve?n=12']) (await server.get(target)).isProblem(503);
  for (const [n, count] of [[4, 2], [5, 10], [6, 4], [7, 40], [8, 92]]) {
    let reply; // one that takes longer than 50 us needs the queue
    await until(async () => (reply = await server.get(`/count?n=${n}`)).status === 200, 'it is counted');
    assert.equal(reply.json.count, count);
  }
  assert.equal(await state(), '2 1');
  clients.forEach((client) => client.drop());
  faults.set({ stall_ms: 0 });
  await until(async () => (await server.get('/count?n=12')).status === 200, 'there is room again');
});

test('SIGTERM while threads overrun for longer than the drain: it exits, and everything reported as stored is kept', async (t) => {
  const faults = new Faults();
  const file = path.join(temporaryFolder(), 'store.db');
  const server = await faults.start(t, '--threads', 2, '--store', `sqlite:${file}`, '--drain-seconds', 1);
  const done = await server.begin({ n: 9 });
  await server.look(done.id, ({ state }) => state === 'done');
  const running = await server.begin(long);
  faults.set({ stall_ms: UNTIL_LET_GO, stalls: 4 });
  const clients = [];
  for (const target of ['/solve?n=60&algorithm=bitboard', '/solve?n=25&format=ndjson', longPath, '/construct?n=1000000000'])
    clients.push((await server.connect()).ask('GET', target));
  await until(async () => (await server.metric('nq_pool_running')) >= 2, 'as many as there are places');
  assert.equal((await server.getJson('/count?n=9')).count, 352); // from the table of what is known
  const seconds = await server.stop();
  assert.ok(seconds < 10 * patience, `${seconds} s`);
  assert.match(server.logs.at(-1).text, /does not end/);
  for (const client of clients) await within(client.end(), 'the connection ends');
  const next = await start(t, '--store', `sqlite:${file}`);
  assert.equal((await next.getJson(`/jobs/${done.id}`)).result.count, 352);
  assert.equal((await next.look(running.id, ({ units }) => units.total > 0)).state, 'running');
});

test('SIGTERM while threads overrun and the store cannot be written: it exits, and reports what is lost', async (t) => {
  const [faults, folder] = [new Faults('store.db'), temporaryFolder()];
  const admin = path.join(folder, 'admin');
  const server = await faults.start(t, '--threads', 2, '--store', `sqlite:${path.join(folder, 'store.db')}`, '--drain-seconds', 0, '--admin', `unix:${admin}`);
  faults.set({ disk_error: errors.EIO });
  await server.begin(long);
  faults.set({ stall_ms: UNTIL_LET_GO, stalls: 3 }); // both threads, and the one that takes the place of one that does not look around
  const clients = [];
  for (const target of ['/solve?n=60&algorithm=bitboard', '/solve?n=25&format=ndjson', longPath, '/construct?n=1000000000'])
    clients.push((await server.connect()).ask('GET', target));
  await until(() => faults.get('stalls') <= 0, 'they overrun');
  server.process.kill('SIGTERM');
  assert.equal(await within(server.exit, 'exit', 20), 1, server.stderr.slice(-2000));
  process.removeListener('exit', server.kill);
  server.stopped = -1;
  assertNoSanitizer(server.stderr);
  assert.match(server.logs.at(-1).text, /Lost: [1-9]\d* changes of jobs/);
  for (const client of clients) await within(client.end(), 'the connection ends');
  assert.ok(!existsSync(admin), 'its sockets are gone');
});
