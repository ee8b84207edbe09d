// threads.test.js - the names of the threads that a broker brings along, in a server and in a worker.
import { readFileSync, readdirSync } from 'node:fs';
import { assert, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { startServer, startWorker } from './workers.js';

const names = ({ pid }) => readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim());

test('every thread of a server and of a worker has the name of what it does', async (t) => {
  const broker = await startBroker(t, {});
  const server = await startServer(t, broker.url);
  const worker = await startWorker(t, broker.url, '--threads', '2');
  assert.equal((await server.get('/count?n=8')).status, 200);
  for (const each of [server, worker]) assert.equal((await each.admin('/healthz')).status, 200);
  for (const [{ process }, expected] of [
    [server, ['admin', 'coordinator', 'http', 'journal', 'nats', 'watcher']],
    [worker, ['admin', 'checker', 'nats', 'publisher', 'worker-0', 'worker-1']],
  ]) {
    const unnamed = () => names(process).filter((name) => name === 'nqueensd').length;
    await until(() => expected.every((name) => names(process).includes(name)), `${expected} are among ${names(process)}`);
    await until(() => unnamed() === 1, `only the first thread has the name of the program, of ${names(process)}`);
  }
});
