// workers.test.js - counts carried out by workers over a real broker, while workers, servers and the broker fail.
import { after, assert, long, tables, test, until } from '../http/harness.js';
import { shareBroker, startBroker } from './broker.js';
import { audits, hired, listener, madeUp, startServer, startWorker, takeBatch } from './workers.js';

const known = tables().all.terms;
const solutions = (n) => Number(known[n]);
const share = await shareBroker({ after });

// A server and so many workers, each with flags of its own, that share an account.
async function company(t, audit, ...workers) {
  const broker = share();
  const server = await startServer(t, broker.url, '--audit', audit);
  const started = [];
  for (const flags of workers) started.push(await startWorker(t, broker.url, ...flags));
  await hired(server, workers.length);
  return { broker, server, workers: started };
}
const slow = ['--kernel', 'scalar']; // its part of n = 18 takes a second or two

// How many results of units were ever written.
const writes = async (broker) => (await broker.stream('KV_nqueens_unit')).state.last_seq;

// What workers have done together: one of them may do all of it. They count what they did when they have reported it.
const together = async (workers, name) => (await Promise.all(workers.map((worker) => worker.metric(name)))).reduce((sum, value) => sum + value);

const units = (server) => server.metric('nq_units_remote_total');
const counted = (server, more) => until(async () => (await units(server)) > more, 'some units are counted', 120);
const isDone = ({ state }) => state === 'done';
const result = async (server, { id }) => {
  const done = await server.look(id, isDone, 'the job is done', 240);
  assert.equal(done.result.count, solutions(18));
  return done;
};
const question = { n: 18, method: 'compute' };
const is = (server, status) => until(async () => (await server.admin('/readyz')).json.status === status, `it is ${status}`);

test('two workers count for a server: it counts nothing itself, and every unit is stored once', async (t) => {
  const { broker, server, workers } = await company(t, 0, [], []);
  const job = await result(server, await server.begin(question));
  assert.equal(job.result.provenance, 'computed');
  assert.equal(await units(server), job.units.total);
  assert.equal(await writes(broker), job.units.total);
  await until(async () => (await together(workers, 'nq_worker_units_total')) === job.units.total, 'they have counted all of them');
  assert.equal(await server.metric('nq_algorithm_nodes_total', { algorithm: 'join' }), 0);
});

test('numbers of 128 bits come from workers, are stored and audited, and make a count only all together', async (t) => {
  const { broker, server, workers } = await company(t, 1, [], []);
  const job = await server.begin({ n: 23, rules: 'toroidal-semiqueens', method: 'compute' });
  const counted = await server.look(job.id, isDone, 'the job is done', 240);
  assert.deepEqual([counted.result.count, counted.result.provenance], [452794797220965, 'computed']);
  assert.equal(counted.units.total, 3);
  assert.equal(await units(server), 3);
  assert.equal(await server.metric('nq_audit_disagreements_total'), 0);
  await until(async () => (await together(workers, 'nq_worker_units_total')) >= 3, 'they have counted all of them');
  assert.equal(await writes(broker), 3);
});

test('an index, a statistic and a shape are divided among workers, whose results are bytes: the server counts nothing itself', async (t) => {
  const { server, workers } = await company(t, 0, [], []);
  const valueOf = ({ distribution }, value) => distribution.find((one) => one.value === value).count;
  const asked = [
    [{ n: 17, by: 'index' }, (result) => assert.equal(result.count, solutions(17))],
    [{ n: 16, by: 'first-column' }, (result) => assert.deepEqual([result.count, valueOf(result, 1)], [solutions(16), valueOf(result, 16)])],
    [{ n: 12, by: 'queens' }, (result) => assert.deepEqual([0, 1, 12].map((k) => valueOf(result, k)), [1, 144, solutions(12)])],
  ];
  for (const [question, check] of asked) {
    const before = await units(server);
    const { id } = await server.begin({ ...question, method: 'compute' });
    const done = await server.look(id, isDone, 'the job is done', 240);
    check(done.result);
    assert.ok(done.units.total > 1 && (await units(server)) > before, `${JSON.stringify(question)}: ${await units(server)} after ${before}`);
  }
  for (const algorithm of ['index', 'statistic', 'shape']) assert.equal(await server.metric('nq_algorithm_nodes_total', { algorithm }), 0, algorithm);
});

test('a worker killed, another frozen for longer than a lease: the count is exact, no unit counts twice', async (t) => {
  const { server, workers: [killed, frozen, third] } = await company(t, 0, slow, slow, slow);
  const job = await server.begin(question);
  await counted(server, 5);
  await killed.crash();
  await until(async () => (await frozen.metric('nq_worker_busy')) === 1, 'it counts');
  frozen.signal('SIGSTOP');
  const takenOver = ({ event, text }) => event === 'takeover' && text.includes('/count?n=18');
  await until(() => third.logs.some(takenOver), 'it logs whose batch it got', 60); // before the other one can get it
  frozen.signal('SIGCONT');
  const done = await result(server, job);
  const reported = await units(server);
  assert.ok(reported <= done.units.total, `what comes twice counts once: ${reported} of ${done.units.total}`);
  assert.ok((await third.metric('nq_worker_units_total')) > 0);
});

test('the broker killed and restarted: the job pauses and continues, and other counts do not wait for the workers', async (t) => {
  const { broker, server } = await company(t, 0.01, slow);
  const job = await server.begin(question);
  await counted(server, 3);
  await broker.kill(0);
  await is(server, 'degraded');
  assert.equal((await server.getJson('/solve?n=8')).total, 92, 'other questions are answered meanwhile');
  const parts = ['exclude', 'place'].map((which) => server.getJson(`/count?n=16&${which}=1:1&method=compute`));
  const [without, within] = await Promise.all(parts); // the former is one that workers would count
  assert.equal(without.count + within.count, solutions(16));
  assert.equal((await server.look(job.id)).state, 'running');
  await broker.restart(0);
  await result(server, job);
  await is(server, 'ready');
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'what was found is stored');
});

test('without a broker a server still answers; when there is one, it uses workers and store', async (t) => {
  const broker = share();
  await broker.kill(0);
  const server = await startServer(t, broker.url);
  const worker = await startWorker(t, broker.url);
  assert.equal((await server.admin('/readyz')).json.status, 'degraded');
  const probed = await worker.admin('/readyz');
  assert.equal((await probed.json()).status, 'degraded');
  assert.equal(probed.headers.get('cache-control'), 'no-store');
  assert.equal((await server.getJson('/count?n=15&method=compute')).count, solutions(15));
  await broker.restart(0);
  await is(server, 'ready');
  await hired(server, 1);
  await result(server, await server.begin(question));
  assert.ok((await units(server)) > 0);
});

test('only with the credentials of a user of the broker a server and a worker use it', async (t) => {
  const [broker, other] = [await startBroker(t, { credentials: true }), await startBroker(t, { credentials: true })];
  const flags = ['--nats-credentials', broker.credentials];
  const server = await startServer(t, broker.url, ...flags);
  assert.equal((await server.admin('/readyz')).json.status, 'ready');
  await startWorker(t, broker.url, ...flags);
  await hired(server, 1);
  const stranger = await startServer(t, broker.url, '--nats-credentials', other.credentials);
  assert.equal((await stranger.admin('/readyz')).json.status, 'degraded');
});

// A worker that reports whatever it is told to.
async function liar(t, broker, lie) {
  const client = await listener(t, broker);
  madeUp(t, client, 'liar', 1);
  const attend = setInterval(async () => {
    const batch = await takeBatch(client);
    for (const place of batch?.places ?? []) lie(batch, place);
    batch?.lease.ack();
  }, 200);
  t.after(() => clearInterval(attend));
}

test('--audit 1 finds a worker with wrong counts, and nothing it stored remains', async (t) => {
  const broker = share();
  const server = await startServer(t, broker.url, '--audit', '1');
  const lies = [];
  await liar(t, broker, (batch, place) => {
    lies.push(place);
    batch.report(place, { worker: 'liar', parts: '12345', seconds: 0.01 });
  });
  await startWorker(t, broker.url);
  await hired(server, 2);
  const job = await server.begin({ ...long, method: 'compute' }); // it does not end while nobody has lied
  const failed = await server.look(job.id, ({ state }) => state === 'failed', 'the job fails', 120);
  assert.ok(lies.length > 0);
  assert.match(JSON.stringify(failed), /does not agree with .* on unit \d+: no result can be believed/);
  assert.ok((await server.metric('nq_audit_disagreements_total')) >= 1);
  for (const bucket of ['KV_nqueens_result', 'KV_nqueens_unit'])
    await until(async () => (await broker.stream(bucket)).state.messages === 0, `${bucket} is empty`);
});

test('audits that a worker takes with it are asked of another one', async (t) => {
  const { broker, server, workers } = await company(t, 1, [], []);
  const client = await listener(t, broker);
  const asked = audits(client, 'deaf');
  const leave = madeUp(t, client, 'deaf', 1);
  await hired(server, 3);
  const job = await server.begin(question);
  await until(() => asked.length > 0, 'it is asked', 120);
  leave();
  await result(server, job);
  assert.ok((await server.metric('nq_audits_total')) >= (await units(server)));
  await until(async () => (await together(workers, 'nq_worker_audits_total')) > 0, 'they have audited'); // but for what they were late with
});

test('after SIGTERM a worker finishes its batch, and another one continues', async (t) => {
  const { broker, server, workers: [worker] } = await company(t, 0.5, []);
  const job = await server.begin(question);
  await counted(server, 2);
  await worker.stop();
  await until(() => server.logs.some(({ event, text }) => event === 'worker' && / left$/.test(text)), 'the log tells that it left');
  assert.equal(await server.metric('nq_workers_lost_total'), 0);
  await startWorker(t, broker.url);
  await result(server, job);
});

test('a worker that has no time to finish gives its batch up: another one counts it', async (t) => {
  const { broker, server, workers: [hasty] } = await company(t, 0, [...slow, '--drain-seconds', '0']);
  madeUp(t, await listener(t, broker), 'another', 1); // or the server would count what is left
  await hired(server, 2);
  const job = await server.begin(question);
  await until(async () => (await hasty.metric('nq_worker_units_total')) > 2, 'it has counted some units', 120);
  await until(async () => (await hasty.metric('nq_worker_busy')) === 1, 'it counts');
  await hasty.stop();
  assert.deepEqual(hasty.logs.at(-1).text, 'no batch is left');
  const other = await startWorker(t, broker.url);
  await result(server, job);
  assert.ok((await other.metric('nq_worker_units_total')) > 0);
});

test('when all workers are gone the server counts itself', async (t) => {
  const { server, workers: [worker] } = await company(t, 0, slow);
  const job = await server.begin(question);
  await counted(server, 2);
  await worker.crash();
  await result(server, job);
  for (const told of [/^worker: .* lost/, /^takeover: no worker is left/])
    assert.ok(server.logs.some(({ event, text }) => told.test(`${event}: ${text}`)), `the log has ${told}`);
  assert.ok((await server.metric('nq_algorithm_nodes_total', { algorithm: 'join' })) > 0);
});
