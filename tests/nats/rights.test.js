// rights.test.js - a worker whose user of the broker has fewer rights than docker/nats/nats.conf gives: it says so.
import { readFileSync } from 'node:fs';
import { assert, long, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { hired, startServer, startWorker } from './workers.js';

const conf = readFileSync(new URL('../../docker/nats/nats.conf', import.meta.url), 'utf8');

test('a worker that may not receive audits says so once, and counts batches', async (t) => {
  const [, rights] = conf.match(/default_permissions: (\{[^]*?\n {2}\})/);
  const before = rights.replace(', "nqueens.audit.*"', ''); // of 1.0.0
  assert.notEqual(before, rights);
  const users = `authorization { users: [{ user: serve, password: s }, { user: worker, password: w, permissions: ${before} }] }`;
  const broker = await startBroker(t, { conf: ({ port, monitor, store }) => `listen: 127.0.0.1:${port}\nhttp: 127.0.0.1:${monitor}\njetstream { store_dir: "${store}" }\n${users}` });
  const [at] = broker.servers;
  const server = await startServer(t, `nats://serve:s@${at}`, '--audit', '0');
  const worker = await startWorker(t, `nats://worker:w@${at}`);
  await until(() => worker.logs.some(({ event }) => event === 'forbidden'), 'it says so');
  assert.match(worker.logs.find(({ event }) => event === 'forbidden').text, /docker\/nats\/nats\.conf/);
  await hired(server, 1);
  const job = await server.begin(long);
  await until(async () => (await worker.metric('nq_worker_units_total')) > 0, 'it counts units');
  await server.delete(`/jobs/${job.id}`);
  assert.equal(worker.logs.filter(({ event }) => event === 'forbidden').length, 1);
});
