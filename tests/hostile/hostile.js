// hostile.js - what the attacks have in common: the polite client beside them, and what must be as it was when they are over.
// It knows nothing of how they attack.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { assert, Client, longer, sleep, slow, until, within } from '../http/harness.js';

// Clients are told apart by their addresses: who attacks is at 127.0.0.1, with all of the harness.
const polite = '127.0.0.2';
export const other = '127.0.0.3';

// How much of an attack there is time for: NQ_LONG=1 has all of it.
export const long = longer;
export const scale = (many, few) => (long ? many : slow ? Math.ceil(few / 5) : few);

// A connection from another address than the attacker's.
export async function connectFrom(localAddress, port) {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  await within(once(socket, 'connect'), 'connection');
  return new Client(socket);
}

// Who attacks, and the polite client, have machines of their own. Here they share that of the service: all threads of the attacker,
// those that collect its garbage too, step back further than the threads of the service that search (nice 10). The polite client
// is in a session of its own, since Linux shares the processors among sessions first (sched_autogroup) and it would share the
// attacker's part; and before all others (SCHED_FIFO), if it may. Else what it feels is how long it waits for a processor: seconds.
const ATTACKER = 19;
function nice(priority) {
  for (const thread of readdirSync('/proc/self/task'))
    try {
      os.setPriority(Number(thread), priority);
    } catch (error) {
      assert.ok(priority === 0 || error.info.code === 'ESRCH', error); // only root may come forward again; or the thread is over
    }
}
const FIRST = ['chrt', '-f', '1'];
const first = spawnSync(FIRST[0], [...FIRST.slice(1), 'true']).status === 0 ? FIRST : [];

const script = fileURLToPath(new URL('polite.js', import.meta.url));
const show = ({ asked, half, most, longest }) => `${asked} in ${half} / ${most} / ${longest} ms`;

// Runs an attack while a polite client asks. What that one felt is printed; none of its questions fails or is refused.
export async function besieged(t, server, attack, port = server.port) {
  const [execPath, ...execArgv] = ['setpriv', '--pdeathsig', 'KILL', ...first, process.execPath];
  const client = fork(script, [port, polite, long ? 'lengthy' : ''], { stdio: 'inherit', detached: true, execPath, execArgv });
  const kill = () => client.kill('SIGKILL');
  process.once('exit', kill);
  try {
    await within(once(client, 'message'), 'first answers for the polite client');
    nice(ATTACKER);
    await attack();
    const told = within(once(client, 'message'), 'figures of the polite client');
    client.send('stop');
    const [{ cached, uncached, lengthy, failed }] = await told;
    const more = long ? `, of a fifth of a second ${show(lengthy)}` : '';
    const felt = `cached ${show(cached)}, uncached ${show(uncached)}${more}`;
    t.diagnostic(`polite client (half / 99 % / longest): ${felt}; load ${os.loadavg()[0].toFixed(1)}`);
    assert.deepEqual(failed, []);
    assert.ok(cached.asked > 0 && uncached.asked > 0, 'it was answered meanwhile');
  } finally {
    nice(0);
    kill();
    process.removeListener('exit', kill);
  }
}

// The metrics, by one connection that stays as long as it is not idle: what is said of connections has no others of ours in it.
const readers = new WeakMap();
async function metrics(server) {
  const ask = () => readers.get(server)?.ask('GET', '/metrics').reply();
  let reply = await ask();
  if (!reply) readers.set(server, await server.connect(server.adminPort));
  reply ??= await ask();
  return reply.text;
}
export async function metric(server, name) {
  const [, value] = (await metrics(server)).match(new RegExp(`^${name} (\\S+)$`, 'm')) ?? assert.fail(`no metric ${name}`);
  return Number(value);
}

const gauges = [
  'nq_searches_running',
  'nq_pool_queue_depth',
  'nq_pool_running',
  'nq_streams_running',
  'nq_reply_bytes',
];

// Nothing is under way any more, and nobody is connected but whoever asks for that, and as many as a proxy keeps.
export async function quiet(server, kept = 0) {
  for (const gauge of gauges) await until(async () => (await metric(server, gauge)) === 0, `${gauge} is 0`);
  await until(async () => (await metric(server, 'nq_connections')) <= 1 + kept, 'all connections are gone');
}

const descriptors = (server) => readdirSync(`/proc/${server.process.pid}/fd`).length;

// Runs an attack twice: the second leaves what the first left, in descriptors and, within a tenth and a megabyte, in memory, but for
// the cached answers: the longer it takes, the more the polite client asks. If more threads met in the second, malloc keeps an arena
// for each of them: then a third leaves what the second left. Sanitizers keep memory of their own.
export async function unharmed(t, server, attack) {
  const memory = async () => server.resident() - (await metric(server, 'nq_cache_bytes')) / 2 ** 20;
  await attack();
  await quiet(server);
  await sleep(3); // what is freed goes back to the system when nothing is under way
  const [before, open] = [await memory(), descriptors(server)];
  const again = async (former) => {
    await attack();
    await quiet(server);
    const most = former * 1.1 + 1;
    return slow || until(async () => (await memory()) <= most, '').then(() => true, () => false);
  };
  assert.ok((await again(before)) || (await again(await memory())), `${before.toFixed(1)} MB but for the cache, and ever more`);
  t.diagnostic(`resident but for the cache: ${before.toFixed(1)} MB, then ${(await memory()).toFixed(1)} MB`);
  await until(() => descriptors(server) <= open, `descriptors are ${open} again`); // they close just after the gauge has fallen
}
