// threads.test.js - the names of the threads, as `top -H` and a debugger show them.
import { readFileSync, readdirSync } from 'node:fs';
import { assert, start, test, until } from './harness.js';
import { newFile, on } from './storing.js';

const names = ({ pid }) => readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim());
const sorted = (list) => [...list].sort().join(' ');

test('every thread of a server has the name of what it does', async (t) => {
  const server = await start(t, '--threads', 2, ...on(newFile()));
  // libmicrohttpd's threads get theirs with the first connection.
  for (const get of ['get', 'admin']) assert.ok((await server[get](get === 'get' ? '/count?n=8' : '/healthz')).status === 200);
  const expected = sorted(['nqueensd', 'http', 'admin', 'journal', 'watcher', 'pool-0', 'pool-1', 'pool-2', 'pool-watch']); // pool-0 is the one for new clients
  await until(() => sorted(names(server.process)) === expected, `the threads are ${expected}, not ${names(server.process)}`);
});
