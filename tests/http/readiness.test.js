// readiness.test.js - /readyz says what is not as it should be, and as soon as it is again. That of a store is told of in
// store.test.js, the end in stop.test.js.
import { spawn } from 'node:child_process';
import { assert, binary, longPath, start, test, until } from './harness.js';

const told = async (server) => {
  const { status, json } = await server.admin('/readyz');
  assert.equal(status, 200);
  return [json.status, ...(json.reasons ?? []).map(({ what }) => what)].join(' ');
};
const becomes = (server, wanted) => until(async () => (await told(server)) === wanted, wanted);

test('a full queue', async (t) => {
  const server = await start(t, '--threads', 1, '--queue', 1, '--max-wait', 600);
  assert.equal(await told(server), 'ready');
  const clients = [];
  let reasons;
  const full = async () => {
    for (let i = 0; i < 3; i++) clients.push((await server.connect()).ask('GET', `/solve?n=${60 + (clients.length % 5)}&limit=${1 + clients.length}`));
    ({ reasons } = (await server.admin('/readyz')).json);
    return reasons?.length === 1 && reasons[0].what === 'queue';
  };
  await until(full, 'the queue is full');
  assert.match(reasons[0].detail, /^1 searches wait .*--queue/);
  clients.forEach((client) => client.drop());
  await becomes(server, 'ready');
});

test('the limit of streams', async (t) => {
  const server = await start(t, '--max-streams', 1);
  const client = (await server.connect()).ask('GET', '/solve?n=16&format=ndjson');
  await becomes(server, 'degraded streams');
  client.drop();
  await becomes(server, 'ready');
});

test('the limit of jobs', async (t) => {
  const server = await start(t, '--max-jobs', 1);
  const { self } = await server.begin({ n: 18, exclude: '1:1' });
  assert.equal(await told(server), 'degraded jobs');
  await server.delete(self);
  await becomes(server, 'ready');
});

test('the limit of connections', async (t) => {
  const server = await start(t, '--max-connections', 3, '--max-client-connections', 3);
  const clients = [];
  for (let i = 0; i < 3; i++) {
    assert.equal(await told(server), 'ready'); // whoever asks here does not count
    clients.push((await server.connect()).ask('GET', longPath, { prefer: 'wait=600' })); // idle ones would give way
    await until(async () => (await server.metric('nq_http_requests_active')) > i, 'it waits for its answer');
  }
  assert.equal(await told(server), 'degraded connections');
  clients[0].drop();
  await becomes(server, 'ready');
});

test('two reasons at once', async (t) => {
  const server = await start(t, '--max-jobs', 1, '--max-streams', 1);
  await server.begin({ n: 18, exclude: '1:1' });
  const client = (await server.connect()).ask('GET', '/solve?n=16&format=ndjson');
  await becomes(server, 'degraded streams jobs');
  client.drop();
});

test('a log that is not read', async (t) => {
  // Not the harness: that one reads the log.
  const server = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--store', 'memory', '--log', 'json'], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => server.kill('SIGKILL'));
  const first = await new Promise((resolve) => {
    let text = '';
    server.stderr.setEncoding('utf8').on('data', (piece) => (text += piece).includes('\n') && resolve(text));
  });
  server.stderr.pause();
  const { address, admin } = JSON.parse(first.split('\n')[0]);
  const state = async () => (await fetch(`http://${admin}/readyz`)).json();
  assert.deepEqual(await state(), { status: 'ready' });
  const target = `/solve?n=8&${'x'.repeat(7000)}`; // a line tells all of it
  const ask = () => Promise.all(Array.from({ length: 50 }, async () => (await fetch(`http://${address}${target}`)).arrayBuffer()));
  const dropping = async () => {
    await ask();
    return (await state()).status === 'degraded';
  };
  await until(dropping, 'lines are lost', 60);
  assert.deepEqual((await state()).reasons.map(({ what }) => what), ['log']);
  server.stderr.resume();
  const better = async () => {
    await (await fetch(`http://${address}/count?n=8`)).arrayBuffer();
    return (await state()).status === 'ready';
  };
  await until(better, 'it is read again');
});
