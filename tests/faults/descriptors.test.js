// descriptors.test.js - the system has no descriptors left, from the start or all at once: who has a connection is served, the rest
// waits, nothing spins, and when there are some again all is as before.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { assert, binary, longer, patience, sleep, start, startWithin, temporaryFolder, test, until, within } from '../http/harness.js';
import { Faults, descriptors, errors, limit, worked } from './faults.js';

const spread = { timeout: 60000 * patience };
const withDescriptors = (count) => ['prlimit', `--nofile=${count}:${count}`];
const complaints = (server) => server.logs.filter(({ event }) => event === 'libmicrohttpd');

// Fails if the server uses the processor more than a little while nobody asks anything.
async function rests(server, seconds = 1) {
  const before = worked(server);
  await sleep(seconds);
  const spent = worked(server) - before;
  assert.ok(spent < seconds / 4, `${spent} s of the processor in ${seconds} s`);
}

// Starts a server, and ends it as soon as it listens: null, or what it wrote instead.
async function refusal(command, words) {
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
    if (/listening on/.test(told)) child.kill();
  });
  const status = await within(new Promise((resolve) => child.once('close', resolve)), 'end');
  if (/listening on/.test(told)) return null;
  assert.notEqual(status, 0);
  return told;
}

// Clients that connect, all at once; who is served first is not for them to say.
const crowd = (server, count) => Promise.all(Array.from({ length: count }, () => server.connect()));

test('few descriptors from the start: fewer connections, and three times as many clients are served in turn', spread, async (t) => {
  const server = await startWithin(t, withDescriptors(100), '--max-client-connections', 1000); // all come from one address
  const told = server.logs.find(({ event }) => event === 'connections');
  const [, most] = /^(\d+) at once, not 1000: the system allows 100 descriptors$/.exec(told.text);
  assert.equal(await server.metric('nq_connections_limit'), Number(most)); // told where one looks, too
  const idle = descriptors(server);
  const silent = await crowd(server, 300);
  await rests(server);
  let answered = 0;
  await Promise.all(
    silent.map(async (one, i) => {
      one.drop(); // it may have given way to others
      let reply = null;
      for (let tries = 0; !reply && tries < 10; tries++) { // who has not asked within a second gives way, too
        const client = await server.connect();
        reply = await client.ask('GET', `/solve?n=${8 + (i % 3)}&limit=${1 + (i % 20)}`, { Connection: 'close' }).reply();
      }
      assert.equal(reply?.status, 200);
      answered++;
    }),
  );
  assert.equal(answered, 300);
  assert.equal((await server.admin('/readyz')).json.status, 'ready');
  assert.deepEqual(complaints(server), []); // it never came to that
  await until(() => descriptors(server) <= idle + 2, 'nothing is leaked'); // ours are kept alive
});

test('few descriptors from the start: half of the connections stay for others than one client', spread, async (t) => {
  const server = await startWithin(t, withDescriptors(64));
  const most = await server.metric('nq_connections_limit');
  const slow = await crowd(server, 3 * most);
  for (const client of slow) client.ask('GET', '/construct?n=1000000000');
  await until(async () => (await server.metric('nq_connections_refused_total')) === 3 * most - Math.floor(most / 2), 'the rest is refused');
  const client = await server.connect(server.port, '127.0.0.2');
  assert.equal((await client.ask('GET', '/count?n=8').reply()).json.count, 92);
  [...slow, client].forEach((one) => one.drop());
});

test('the smallest number of descriptors with which it starts', spread, async (t) => {
  const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  const store = () => ['--store', `sqlite:${path.join(temporaryFolder(), 'store.db')}`];
  let least = 4;
  for (; ; least += longer ? 1 : 4) {
    const [command, ...words] = [...withDescriptors(least), binary, 'serve', ...ports, ...store()];
    const told = await refusal(command, words);
    if (told === null) break;
    assert.ok(least < 40, `${least}: ${told}`);
    if (!/loading shared libraries|prlimit/.test(told))
      assert.match(told, /nqueensd: (the system allows \d+ descriptors, and it takes 40|out of memory or threads)$/m, `${least}`);
  }
  for (let more = 0; more < (longer ? 20 : 3); more++) {
    const server = await startWithin(t, withDescriptors(least + more), ...store());
    for (let i = 0; i < 5; i++) assert.equal((await server.get('/count?n=8', { connection: 'close' })).json.count, 92);
    assert.match((await server.admin('/readyz', { connection: 'close' })).json.status, /^(ready|degraded)$/);
    await server.stop();
  }
});

test('no descriptors left: connected clients stay connected', spread, async (t) => {
  const server = await start(t, '--keep-alive-seconds', 3600);
  const idle = descriptors(server);
  const kept = await server.connect();
  assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
  limit(server, 'nofile', descriptors(server) + 3);
  const clients = await crowd(server, 30);
  clients.forEach((client) => client.ask('GET', '/count?n=9'));
  await until(() => complaints(server).length > 0, 'it says so');
  await rests(server);
  assert.equal((await kept.ask('GET', '/count?n=10').reply()).json.count, 724); // who is in stays in
  assert.ok(complaints(server).length <= 2, `${complaints(server).length} of them`);
  limit(server, 'nofile', 1000); // with nobody leaving
  for (const client of clients) assert.equal((await client.reply()).json.count, 352);
  assert.equal((await server.admin('/readyz')).status, 200);
  [...clients, kept].forEach((client) => client.drop());
  await until(() => descriptors(server) <= idle + 2, 'nothing is leaked');
});

test('no descriptors left and no client connected: it does not spin', spread, async (t) => {
  const server = await start(t);
  limit(server, 'nofile', 3); // what it has it keeps
  const clients = await crowd(server, 20);
  clients.forEach((client) => client.ask('GET', '/count?n=9'));
  await until(() => complaints(server).length > 0, 'it says so');
  await rests(server, 2);
  assert.ok(complaints(server).length <= 2, `${complaints(server).length} of them`);
  limit(server, 'nofile', 1000);
  for (const client of clients) assert.equal((await client.reply()).json.count, 352);
});

for (const error of ['ENFILE', 'EMFILE', 'ENOBUFS', 'ENOMEM'])
  test(`accept fails for a while: ${error}`, spread, async (t) => {
    const faults = new Faults();
    const server = await faults.start(t);
    const kept = await server.connect();
    assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
    faults.set({ accept_error: errors[error] });
    const clients = await crowd(server, 10);
    clients.forEach((client) => client.ask('GET', '/count?n=9'));
    await until(() => complaints(server).length > 0, 'it says so');
    await rests(server);
    assert.equal((await kept.ask('GET', '/count?n=10').reply()).json.count, 724);
    assert.ok(complaints(server).length <= 2, `${complaints(server).length} of them`);
    faults.set({ accept_error: 0 });
    for (const client of clients) assert.equal((await client.reply()).json.count, 352);
  });

test('a store that gets no descriptor is opened again later', spread, async (t) => {
  const file = path.join(temporaryFolder(), 'store.db');
  const faults = new Faults('store.db');
  const server = await faults.start(t, '--store', `sqlite:${file}`);
  const { id } = await server.begin({ n: 9 });
  faults.set({ disk_error: errors.EIO });
  await server.begin({ n: 10 });
  await until(async () => (await server.metric('nq_store_broken')) === 1, 'it is broken, and the file is closed');
  limit(server, 'nofile', 4);
  faults.set({ disk_error: 0 });
  await sleep(1);
  limit(server, 'nofile', 1000);
  await until(async () => (await server.admin('/readyz')).json.status === 'ready', 'it works again');
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
  await server.crash();
  const next = await start(t, '--store', `sqlite:${file}`);
  assert.equal((await next.getJson(`/jobs/${id}`)).result.count, 352);
});

test('SIGTERM with no descriptors left', spread, async (t) => {
  const server = await start(t, '--drain-seconds', 0);
  const clients = await crowd(server, 10);
  limit(server, 'nofile', 3);
  const more = await crowd(server, 10);
  await server.stop();
  [...clients, ...more].forEach((client) => client.drop());
});
