// workers.test.js - counts carried out by workers over a real broker, while workers, servers and the broker fail.
import { connect } from 'nats';
import { assert, sleep, tables, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { hired, listener, madeUp, startServer, startWorker, takeBatch } from './workers.js';

const known = tables().all.terms;
const solutions = (n) => Number(known[n]);

// A stream of the broker, by its own account.
async function stream(broker, wanted) {
  const [, { account_details: accounts }] = await broker.nodes[0].monitored('/jsz?accounts=true&streams=true');
  return accounts[0].stream_detail.find(({ name }) => name === wanted).state;
}
// How many results of units were ever written.
const writes = async (broker) => (await stream(broker, 'KV_nqueens_unit')).last_seq;

const units = (server) => server.metric('nq_units_remote_total');

test('two workers count for a server: it counts nothing itself, and every unit is stored once', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0');
  const workers = [await startWorker(t, broker.url), await startWorker(t, broker.url)];
  await hired(server, 2);
  const job = await server.begin({ n: 18, method: 'compute' });
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
  assert.equal(done.result.count, solutions(18));
  assert.equal(done.result.provenance, 'computed');
  assert.equal(await units(server), done.units.total);
  assert.equal(await writes(broker), done.units.total);
  const counted = await Promise.all(workers.map((worker) => worker.metric('nq_worker_units_total')));
  assert.equal(counted[0] + counted[1], done.units.total);
  assert.ok(counted[0] > 0 && counted[1] > 0, `shared: ${counted}`);
  assert.equal(await server.metric('nq_algorithm_nodes_total', { algorithm: 'join' }), 0);
});

test('a worker killed, another frozen for longer than a lease: the count is exact, no unit counts twice', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0');
  const workers = [await startWorker(t, broker.url), await startWorker(t, broker.url)];
  const third = await startWorker(t, broker.url); // with none left the server would count, and write over what a worker stores late
  await hired(server, 3);
  const job = await server.begin({ n: 19, method: 'compute' });
  await until(async () => (await units(server)) > 5, 'some units are counted', 120);
  await workers[0].crash();
  workers[1].signal('SIGSTOP');
  await sleep(5); // longer than a lease
  const takenOver = ({ event, text }) => event === 'takeover' && text.includes('/count?n=19');
  await until(() => third.logs.some(takenOver), 'it logs whose batch it got', 60); // before the other one can get it
  workers[1].signal('SIGCONT');
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(19));
  const [written, own] = [await writes(broker), await server.metric('nq_algorithm_nodes_total', { algorithm: 'join' })];
  assert.ok(written === done.units.total || own > 0, `a second result of a worker is refused: ${written} of ${done.units.total}`);
  assert.ok((await third.metric('nq_worker_units_total')) > 0);
});

test('the broker killed and restarted: the job pauses and continues', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url);
  await startWorker(t, broker.url);
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  await until(async () => (await units(server)) > 3, 'some units are counted', 120);
  await broker.kill(0);
  await until(async () => (await server.admin('/readyz')).json.status === 'degraded', 'it says so');
  assert.equal((await server.getJson('/solve?n=8')).total, 92, 'other questions are answered meanwhile');
  const before = await server.look(job.id);
  assert.equal(before.state, 'running');
  await broker.restart(0);
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(18));
  await until(async () => (await server.admin('/readyz')).json.status === 'ready', 'it is well again');
});

test('without a broker a server still answers; when there is one, it uses workers and store', async (t) => {
  const broker = await startBroker(t, {});
  await broker.kill(0);
  const server = await startServer(t, broker.url);
  const worker = await startWorker(t, broker.url);
  assert.equal((await server.admin('/readyz')).json.status, 'degraded');
  assert.equal((await (await worker.admin('/readyz')).json()).status, 'degraded');
  assert.equal((await server.getJson('/count?n=15&method=compute')).count, solutions(15));
  await broker.restart(0);
  await until(async () => (await server.admin('/readyz')).json.status === 'ready', 'it is well');
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
  assert.equal(done.result.count, solutions(18));
  assert.ok((await units(server)) > 0);
});

test('a count that starts while the broker is away does not wait for the earlier workers', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url);
  await startWorker(t, broker.url);
  await hired(server, 1);
  await broker.kill(0);
  await until(async () => (await server.admin('/readyz')).json.status === 'degraded', 'it says so');
  assert.equal((await server.getJson('/count?n=18&method=compute')).count, solutions(18));
  await broker.restart(0); // or what waits for it would be lost at the end
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'what was found is stored');
});

test('a deleted bucket is made again', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0');
  await startWorker(t, broker.url);
  await hired(server, 1);
  assert.equal((await server.getJson('/count?n=18&method=compute')).count, solutions(18));
  const connection = await connect({ servers: `127.0.0.1:${broker.ports[0]}` });
  t.after(() => connection.close());
  const { streams } = await connection.jetstreamManager();
  for (const name of ['KV_nqueens_claim', 'NQUEENS_BATCHES', 'KV_nqueens_unit', 'KV_nqueens_result']) await streams.delete(name);
  assert.equal((await server.getJson('/count?n=18&method=compute&base=0')).count, solutions(18));
});

test('of two servers with one question one leads and the other waits; when the leader is killed the other continues', async (t) => {
  const broker = await startBroker(t, {});
  const servers = [await startServer(t, broker.url), await startServer(t, broker.url)];
  await startWorker(t, broker.url);
  await Promise.all(servers.map((server) => hired(server, 1)));
  const job = await servers[0].begin({ n: 19, method: 'compute' });
  assert.equal((await servers[1].begin({ n: 19, method: 'compute' })).id, job.id, 'it is the same job');
  const led = () => Promise.all(servers.map((server) => server.metric('nq_counts_led')));
  await until(async () => (await led()).join('') === '10' || (await led()).join('') === '01', 'one of them leads');
  if ((await led())[1]) servers.reverse(); // whichever was faster
  const [leader, follower] = servers;
  await until(async () => (await follower.metric('nq_counts_followed')) === 1, 'the other follows');
  await until(async () => (await follower.look(job.id)).units?.done > 3, 'it tells how far the first has come', 120);
  await leader.crash();
  const done = await follower.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(19));
  assert.ok(done.units.restored > 0, 'what had been counted was not counted again');
});

test('the result of one server is the result of the other', async (t) => {
  const broker = await startBroker(t, {});
  const servers = [await startServer(t, broker.url), await startServer(t, broker.url)];
  const path = '/count?n=18&method=compute';
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => servers[i % 2].getJson(path)));
  assert.deepEqual(new Set(replies.map(({ count }) => count)), new Set([solutions(18)]));
  const nodes = await Promise.all(servers.map((server) => server.metric('nq_algorithm_nodes_total', { algorithm: 'join' })));
  assert.equal(Math.min(...nodes), 0, 'one search for all of them');
});

// A worker that reports whatever it is told to.
async function liar(t, broker, lie) {
  const client = await listener(t, broker);
  madeUp(t, client, 'liar', 1);
  const attend = setInterval(async () => {
    const batch = await takeBatch(client);
    for (const place of batch && batch.not !== 'liar' ? batch.places : []) lie(batch, place);
    batch?.lease.ack();
  }, 200);
  t.after(() => clearInterval(attend));
}

test('--audit 1 finds a worker with wrong counts, and nothing it stored remains', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '1');
  const lies = [];
  await liar(t, broker, (batch, place) => {
    lies.push(place);
    batch.report(place, { worker: 'liar', parts: '12345', seconds: 0.01 });
  });
  await startWorker(t, broker.url);
  await hired(server, 2);
  const job = await server.begin({ n: 18, method: 'compute' });
  const failed = await server.look(job.id, ({ state }) => state === 'failed', 'the job fails', 120);
  assert.ok(lies.length > 0);
  assert.match(JSON.stringify(failed), /does not agree with .* on unit \d+: no result can be believed/);
  assert.ok((await server.metric('nq_audit_disagreements_total')) >= 1);
  for (const bucket of ['KV_nqueens_result', 'KV_nqueens_unit'])
    await until(async () => (await stream(broker, bucket)).messages === 0, `${bucket} is empty`);
});

test('an audit that came back because its worker must not do it is not taken for the batch of a lost worker', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '1');
  madeUp(t, await listener(t, broker), 'another', 1); // or the server would audit itself
  const worker = await startWorker(t, broker.url);
  await hired(server, 2);
  const job = await server.begin({ n: 18, method: 'compute' });
  await until(async () => (await worker.metric('nq_worker_returned_total')) > 0, 'it returns audits of its own units', 120);
  const other = await startWorker(t, broker.url);
  await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.ok((await other.metric('nq_worker_units_total')) > 0);
  for (const one of [worker, other])
    assert.equal(await one.metric('nq_worker_redeliveries_total'), one.logs.filter(({ event }) => event === 'takeover').length);
});

test('after SIGTERM a worker finishes its batch, and another one continues', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0.5');
  const worker = await startWorker(t, broker.url);
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  await until(async () => (await units(server)) > 2, 'some units are counted', 120);
  await worker.stop();
  await until(() => server.logs.some(({ event, text }) => event === 'worker' && / left$/.test(text)), 'the log tells that it left');
  assert.equal(await server.metric('nq_workers_lost_total'), 0);
  const other = await startWorker(t, broker.url);
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(18));
  assert.equal(await other.metric('nq_worker_refused_total'), 0);
});

test('a worker that has no time to finish gives its batch up: another one counts what is left of it', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0');
  const hasty = await startWorker(t, broker.url, '--drain-seconds', '0');
  const other = await startWorker(t, broker.url);
  await hired(server, 2);
  const job = await server.begin({ n: 19, method: 'compute' });
  await until(async () => (await hasty.metric('nq_worker_units_total')) > 2, 'it has counted some units', 120);
  await until(async () => (await hasty.metric('nq_worker_busy')) === 1, 'it counts');
  await hasty.stop();
  assert.deepEqual(hasty.logs.at(-1).text, 'no batch is left');
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(19));
  assert.ok((await other.metric('nq_worker_units_total')) > 0);
  assert.equal(await writes(broker), done.units.total, 'what it had counted is not counted again');
});

test('when all workers are gone the server counts itself', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url, '--audit', '0');
  const worker = await startWorker(t, broker.url);
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  await until(async () => (await units(server)) > 2, 'some units are counted', 120);
  await worker.crash();
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 240);
  assert.equal(done.result.count, solutions(18));
  for (const told of [/^worker: .* lost/, /^takeover: no worker is left/])
    assert.ok(server.logs.some(({ event, text }) => told.test(`${event}: ${text}`)), `the log has ${told}`);
  assert.ok((await server.metric('nq_algorithm_nodes_total', { algorithm: 'join' })) > 0);
});
