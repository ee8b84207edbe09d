// slice.test.js - a step of a search that takes far longer than its slice: the others go on, who leaves is seen to leave, and the
// process can be stopped. The step is made long by system.c: it sleeps.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { long, longPath, slow, start, temporaryFolder, until, within } from '../http/harness.js';
import { Faults } from './faults.js';

const factor = slow ? 10 : 1;
// Fails unless it takes less than so many seconds: less than the step, so nobody waited for that.
async function inTime(seconds, promise) {
  const began = Date.now();
  const result = await promise;
  assert.ok(Date.now() - began < seconds * 1000, `${Date.now() - began} ms`);
  return result;
}

test('one thread of two overruns: the other serves everybody', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 2);
  const client = (await server.connect()).ask('GET', '/solve?n=60');
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'the search runs');
  const before = await server.metric('nq_slices_overrun_total'); // on a busy machine some do
  faults.set({ stall_ms: 4000 * factor, stalls: 1 });
  await until(() => faults.get('stalls') === 0, 'it overruns');
  for (let n = 5; n < 12; n++) assert.equal((await inTime(3 * factor, server.get(`/solve?n=${n}&limit=3`))).status, 200);
  const stream = await inTime(3 * factor, server.get('/solve?n=8&format=ndjson'));
  assert.equal(stream.lines.at(-1).returned, 92);
  client.drop();
  await until(async () => (await server.metric('nq_searches_cancelled_total')) === 1, 'who left was seen to', 3);
  await until(async () => (await server.metric('nq_slices_overrun_total')) > before, 'it shows');
  await until(async () => (await server.metric('nq_pool_running')) === 0, 'it is over');
});

test('all threads overrun: what is known is told, the rest waits, and then goes on', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 2);
  assert.equal((await server.get('/solve?n=8')).status, 200);
  faults.set({ stall_ms: 3000 * factor, stalls: 2 });
  const waiting = [9, 10, 11].map((n) => server.get(`/solve?n=${n}`));
  await until(async () => (await server.metric('nq_pool_running')) === 2, 'both threads are taken');
  for (let i = 0; i < 20; i++) assert.equal((await inTime(2 * factor, server.get('/solve?n=8'))).status, 200);
  assert.equal((await inTime(2 * factor, server.admin('/readyz'))).status, 200);
  const left = (await server.connect()).ask('GET', '/solve?n=50');
  await until(async () => (await server.metric('nq_searches_running')) === 4, 'it waits in line');
  left.drop();
  await until(async () => (await server.metric('nq_searches_cancelled_total')) === 1, 'who left was seen to', 2);
  for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 200);
});

test('SIGTERM while threads overrun for longer than anybody waits: it ends, and what was told of is kept', async (t) => {
  const faults = new Faults();
  const file = path.join(temporaryFolder(), 'store.db');
  const server = await faults.start(t, '--threads', 2, '--store', `sqlite:${file}`, '--drain-seconds', 1);
  const done = await server.begin({ n: 9 });
  await server.look(done.id, ({ state }) => state === 'done');
  const running = await server.begin(long);
  faults.set({ stall_ms: 600000, stalls: 4 });
  const clients = [];
  for (const target of ['/solve?n=60', '/solve?n=25&format=ndjson', longPath, '/construct?n=1000000000'])
    clients.push((await server.connect()).ask('GET', target));
  await until(async () => (await server.metric('nq_pool_running')) === 2, 'both threads are taken');
  assert.equal((await server.getJson('/count?n=9')).count, 352); // from the table of what is known
  const seconds = await server.stop();
  assert.ok(seconds < 10 * factor, `${seconds} s`);
  assert.match(server.logs.at(-1).text, /does not end/);
  for (const client of clients) await within(client.end(), 'the connection ends');
  const next = await start(t, '--store', `sqlite:${file}`);
  assert.equal((await next.getJson(`/jobs/${done.id}`)).result.count, 352);
  assert.equal((await next.look(running.id, ({ units }) => units.total > 0)).state, 'running');
});
