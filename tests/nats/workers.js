// workers.js - starts `nqueensd worker` for a test, and makes it fail. It knows nothing of what is counted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { assertNoSanitizer, binary, start, until, within } from '../http/harness.js';

process.setMaxListeners(50); // each server and worker that is started sees to its own end

// A lease of two seconds: tests wait for some to lapse.
const lease = ['--lease-seconds', '2'];

export class Worker {
  stderr = '';

  constructor(url, flags) {
    const presets = ['--log', 'json', '--store-bytes', '64M', '--threads', '1', '--admin', '127.0.0.1:0', ...lease];
    this.process = spawn(binary, ['worker', '--store', url, ...presets, ...flags], { stdio: ['ignore', 'inherit', 'pipe'] });
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
    await until(() => (line = this.logs.find(({ event }) => event === 'working')) || code !== undefined, 'the worker works');
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

export async function startWorker(owner, url, ...flags) {
  const worker = new Worker(url, flags);
  owner.after(() => worker.stop());
  await worker.ready();
  return worker;
}

// A server with the broker's store.
export function startServer(owner, url, ...flags) {
  return start(owner, '--store', url, '--store-bytes', '64M', '--kernel', 'auto', '--threads', '1', ...lease, ...flags);
}

// Waits until a server has heard of so many workers.
export async function hired(server, count) {
  await until(async () => (await server.metric('nq_workers')) === count, `${count} workers are there`);
}
