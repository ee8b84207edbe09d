// reload.test.js - SIGHUP reads the credentials and the authorities of the broker again, in servers and workers, and takes nothing
// that cannot be used.
import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, temporaryFolder, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { startServer, startWorker } from './workers.js';

const secretsOf = (name) => {
  const folder = path.join(temporaryFolder(), name);
  execFileSync(fileURLToPath(new URL('../../docker/nats/secrets.sh', import.meta.url)), [folder, '127.0.0.1'], { stdio: 'ignore' });
  return folder;
};
const hup = async (one) => {
  const lines = () => one.logs.filter(({ event }) => event === 'broker');
  const before = lines().length;
  one.process.kill('SIGHUP');
  await until(() => lines().length > before, 'it has read its files');
  return lines().at(-1).text;
};
const status = async (server) => (await server.admin('/readyz')).json.status;

test('a new authority is trusted after SIGHUP, in a server and a worker that go on counting', async (t) => {
  const [old, next] = [secretsOf('old'), secretsOf('next')];
  const folder = temporaryFolder();
  const bring = (from, ...names) => names.forEach((name) => copyFileSync(path.join(from, name), path.join(folder, name)));
  bring(old, 'server.crt', 'server.key', 'ca.crt');
  const conf = (node) => [
    `server_name: "${node.name}"`, `listen: 127.0.0.1:${node.port}`, `http: 127.0.0.1:${node.monitor}`,
    `jetstream { store_dir: "${node.store}", max_memory_store: 64MB, max_file_store: 100GB }`,
    `tls { cert_file: "${folder}/server.crt", key_file: "${folder}/server.key" }`,
  ].join('\n');
  const broker = await startBroker(t, { conf });
  const url = broker.url.replace('nats://', 'tls://');
  const ca = path.join(folder, 'ca.crt');
  const server = await startServer(t, url, '--nats-ca', ca);
  const worker = await startWorker(t, url, '--nats-ca', ca);
  await until(async () => (await status(server)) === 'ready' && (await server.metric('nq_workers', { compatible: true })) === 1, 'all are connected');

  const counted = async (n) => server.look((await server.begin({ n })).id, ({ state }) => state === 'done', `n = ${n} is counted`, 60);
  assert.equal((await counted(10)).result.count, 724);

  writeFileSync(ca, 'nonsense'); // it is not taken, and changes nothing
  assert.match(await hup(server), /^the certificates cannot be read: .*; the connection is unchanged$/);
  assert.match(await hup(worker), /^the certificates cannot be read: /);
  assert.deepEqual((await server.admin('/readyz')).json.notes.map(({ what }) => what), ['reload']);
  assert.equal(await server.metric('nq_reload_success'), 0);
  assert.equal((await counted(11)).result.count, 2680);

  bring(next, 'ca.crt', 'server.crt', 'server.key');
  for (const one of [server, worker]) assert.match(await hup(one), /are read again/);
  assert.equal(await server.metric('nq_reload_success'), 1);
  await broker.restart(0); // with the next certificate
  await until(async () => (await status(server)) === 'ready' && (await worker.metric('nq_worker_connected')) === 1, 'both trust the next authority', 60);
  const before = await worker.metric('nq_worker_units_total');
  await until(async () => (await server.metric('nq_workers', { compatible: true })) === 1, 'the worker is known', 60);
  assert.equal((await counted(12)).result.count, 14200);
  assert.equal((await server.look((await server.begin({ n: 17, exclude: '1:1' })).id, ({ state }) => state === 'done', 'a long one is counted', 120)).state, 'done');
  assert.ok((await worker.metric('nq_worker_units_total')) > before, 'the worker has counted again');
});

test('credentials that were replaced are used after SIGHUP', async (t) => {
  const [broker, other] = [await startBroker(t, { credentials: true }), await startBroker(t, { credentials: true })];
  const file = path.join(temporaryFolder(), 'user.creds');
  copyFileSync(broker.credentials, file);
  const server = await startServer(t, broker.url, '--nats-credentials', file);
  await until(async () => (await status(server)) === 'ready', 'it is connected');
  writeFileSync(file, 'none');
  assert.match(await hup(server), /^the credentials cannot be read: /);
  assert.equal((await server.admin('/readyz')).json.notes.length, 1);
  copyFileSync(other.credentials, file); // well-formed, but of another broker: the connection is made anew, and refused
  assert.match(await hup(server), /are read again/);
  await until(async () => (await server.get('/count?n=9'), await status(server)) === 'degraded', 'it is refused', 60);
  copyFileSync(broker.credentials, file);
  assert.match(await hup(server), /are read again/);
  await until(async () => (await status(server)) === 'ready', 'it is connected again', 60);
});
