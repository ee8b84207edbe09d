// workers.js - starts `nqueensd worker` for a test, and makes it fail. It knows nothing of what is counted.
import { connect, StringCodec } from 'nats';
import { assert, assertNoSanitizer, binary, here, launch, start, startWithin, until, within } from '../http/harness.js';
import { buildOf } from './release.js';

const build = buildOf(binary);

export class Worker {
  stderr = '';

  constructor(flags, { env = {}, program = binary } = {}) {
    this.process = launch(program, ['worker', ...flags], env);
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.exit = new Promise((resolve) => this.process.once('close', (code, signal) => resolve(code ?? signal)));
    this.kill = () => this.process.kill('SIGKILL');
    process.once('exit', this.kill);
  }
  get logs() {
    return this.stderr.split('\n').slice(0, -1).filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }
  async ready() {
    let line;
    let code;
    this.exit.then((status) => (code = status));
    await until(() => (line = this.logs.find(({ event }) => event === 'working')) || code !== undefined, 'the worker works').catch((error) => assert.fail(`${error.message}: ${this.stderr.slice(0, 2000)}`));
    if (!line) assert.fail(`exited with ${code}: ${this.stderr}`);
    this.port = Number(line.text.match(/admin 127\.0\.0\.1:(\d+)/)[1]);
  }
  async admin(target) {
    return fetch(`http://127.0.0.1:${this.port}${target}`);
  }
  async metric(name) {
    const text = await (await this.admin('/metrics')).text();
    return Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))[1]);
  }
  signal(name) {
    this.process.kill(name);
  }
  async crash() {
    this.process.kill('SIGKILL');
    await within(this.exit, 'exit after SIGKILL');
    process.removeListener('exit', this.kill);
    this.stopped = true;
  }
  async stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.process.kill('SIGCONT');
    this.process.kill('SIGTERM');
    const code = await within(this.exit, 'exit after SIGTERM');
    process.removeListener('exit', this.kill);
    assertNoSanitizer(this.stderr);
    assert.equal(code, 0, this.stderr.slice(-2000));
  }
}

export function startWorker(owner, url, ...flags) {
  return startWorkerOf(owner, binary, url, ...flags);
}

// The same of another build.
export function startWorkerOf(owner, program, url, ...flags) {
  const presets = ['--log', 'json', '--store-bytes', '64M', '--threads', '1', '--admin', '127.0.0.1:0'];
  return started(owner, new Worker(['--store', url, ...presets, ...flags], { program }));
}

// One that knows nothing but what it is told, as startAsTold has it of a server.
export async function startWorkerAsTold(owner, env, ...flags) {
  return started(owner, new Worker(flags, { env: { ...env, ...here } }));
}

async function started(owner, worker) {
  owner.after(() => worker.stop());
  await worker.ready();
  return worker;
}

// A server with the broker's store.
const presets = (url) => ['--store', url, '--store-bytes', '64M', '--kernel', 'auto', '--threads', '1'];
export function startServer(owner, url, ...flags) {
  return start(owner, ...presets(url), ...flags);
}

// The same of another build, which takes the place of the one that the harness starts.
export function startServerOf(owner, program, url, ...flags) {
  return startWithin(owner, ['sh', '-c', 'shift; exec "$0" "$@"', program], ...presets(url), ...flags);
}

// Waits until a server has heard of so many workers.
export async function hired(server, count) {
  await until(async () => (await server.metric('nq_workers', { compatible: 'true' })) === count, `${count} workers are there`);
}

// FNV-1a of a text and a NUL, 64 bits: src/base/hash.h.
function hash(text) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of [...Buffer.from(text), 0]) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum.toString(16).padStart(16, '0');
}

const codec = StringCodec();

// A client of the broker: { connection, say(subject, object) }.
export async function listener(owner, broker) {
  const connection = await connect({ servers: broker.servers, user: broker.account, pass: broker.account });
  owner.after(() => connection.close());
  const say = (subject, object) => connection.isClosed() || connection.publish(subject, codec.encode(JSON.stringify(object)));
  return { connection, say };
}

// What leaders wrote with their keys: how far each work is. Their bucket may not be there yet: servers make it, with its time to live.
export async function led(client) {
  const keys = await client.connection.jetstream().views.kv('nqueens_claim', { bindOnly: true });
  const notes = [];
  const ids = await keys.keys().catch((error) => (error.code === '404' ? [] : Promise.reject(error)));
  for await (const id of ids) {
    const note = codec.decode((await keys.get(id)).value).slice(16); // who it is
    if (!note) continue;
    const [weight, weightDone, , units, unitsDone] = JSON.parse(note);
    notes.push({ id, weight, weightDone, units, unitsDone });
  }
  return notes;
}

// A worker in another language, which says that it is there, until the returned function is called, and counts nothing.
export function madeUp(owner, client, name, threads) {
  const beat = setInterval(() => client.say(`nqueens.say.worker.${name}`, { threads, version: build }), 500);
  const end = () => clearInterval(beat);
  owner.after(end);
  return end;
}

// The audits that a worker is asked for, as they come.
export function audits(client, name) {
  const asked = [];
  client.connection.subscribe(`nqueens.audit.${name}`, { callback: (_, message) => asked.push(JSON.parse(codec.decode(message.data))) });
  return asked;
}

// How many batches workers have now.
export async function leased(client) {
  const manager = await client.connection.jetstreamManager();
  return (await manager.consumers.info('NQUEENS_BATCHES', hash(build))).num_ack_pending;
}

// Takes a batch: { lease, places, report(place, more) }; null: there is none now. A place: [term, unit, piece].
export async function takeBatch(client) {
  let lease;
  try {
    lease = await client.connection.jetstream().pull('NQUEENS_BATCHES', hash(build));
  } catch {
    return null;
  }
  const { term, runs } = JSON.parse(codec.decode(lease.data));
  const whole = 0xfffff;
  const places = runs.flatMap(([unit, piece, count]) =>
    Array.from({ length: count }, (_, i) => (piece === whole ? [term, unit + i, piece] : [term, unit, piece + i])));
  const [, , , id] = lease.subject.split('.');
  const report = (place, more) => client.say(`nqueens.say.report.${id}`, { report: 'counted', place, nodes: '1', ...more });
  return { lease, places, report };
}
