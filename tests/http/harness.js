// harness.js - starts the server for a test, talks to it, and stops it. It knows nothing of what the answers mean.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { conforms, readEvents } from './contract.js';

export { after, test } from 'node:test'; // with assert, what every test file needs
export { assert };

const root = fileURLToPath(new URL('../..', import.meta.url));
export const binary = path.resolve(root, process.env.NQUEENSD ?? 'build/nqueensd');
export const tables = () => JSON.parse(readFileSync(path.join(root, 'tests/data/tables.json'), 'utf8')).tables;
// The names of the kernels that this machine can run.
export const kernels = () => {
  const told = execFileSync(binary, ['bench', 'count', '--n', '5', '--rounds', '1']).toString();
  return [...told.matchAll(/^search (\S+)/gm)].map(([, name]) => name);
};

// Sanitizers make the server 5 to 15 times slower: NQ_SLOW=1. tests/run.sh runs all tests on a sanitized build, and those whose names
// end with (plain) or (also plain) on the plain one: the first skip themselves elsewhere, of the others the build is the point.
export const slow = Boolean(process.env.NQ_SLOW);
// How often a test draws cases at random: NQ_LONG=1 has all of its rounds, `make test` a tenth.
export const longer = Boolean(process.env.NQ_LONG);
export const rounds = (all) => (longer ? all : Math.ceil(all / 10));
// What every limit of a wait is multiplied by: tests/patience.sh measures the machine, once for all files that tests/run.sh runs
// together. No test asserts that something is fast.
process.env.NQ_PATIENCE ??= execFileSync(path.join(root, 'tests/patience.sh'), { encoding: 'utf8' }).trim();
export const patience = (slow ? 10 : 1) * Number(process.env.NQ_PATIENCE);
// A count whose end no test lives to see, as a job and as a path: minutes on any machine, by search, in thousands of units that
// are done one by one from the first moment. A whole board by joining would be sooner over, and its units larger: jobs run when
// nobody else wants the processor, so that on a busy machine one may wait long for a large unit.
export const long = { n: 18, exclude: '1:1' };
export const longPath = '/count?n=18&method=compute&exclude=1:1';
// For who waits for several of its units: a sanitizer's build may then be as fast as it can.
export const brisk = slow ? ['--threads', '2', '--kernel', 'auto'] : ['--threads', '2'];
export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// A folder that is gone with the process. State that a server would keep in the user's home goes there too.
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'nqueensd-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
process.setMaxListeners(0); // one for each server and folder
process.env.XDG_STATE_HOME = temporaryFolder();

export function within(promise, what, seconds = 30) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${seconds * patience} s`)), seconds * patience * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export async function until(condition, what, seconds = 30) {
  const end = Date.now() + seconds * patience * 1000;
  for (let pause = 0.02; !(await condition()); pause = Math.min(1.3 * pause, 0.1)) {
    assert.ok(Date.now() < end, `not within ${seconds * patience} s: ${what}`);
    await sleep(pause);
  }
}

export class Reply {
  constructor(status, headers, text, complete = true) {
    Object.assign(this, { status, headers, text, complete });
  }
  get json() {
    return JSON.parse(this.text);
  }
  get lines() {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
  isProblem(status, ...parameters) {
    assert.equal(this.status, status, this.text);
    assert.equal(this.headers['content-type'], 'application/problem+json');
    assert.equal(this.headers['cache-control'], 'no-store');
    assert.equal(this.headers.etag, undefined);
    assert.equal(this.json.status, status);
    if (status === 503 && !this.json.type.endsWith(':client-left')) assert.match(this.headers['retry-after'], /^[1-9]/);
    const { quota, maximum, detail } = this.json; // what the words say is there as members, too
    assert.equal(maximum !== undefined, [413, 414, 429].includes(status), this.text);
    assert.equal(quota !== undefined, status === 429, this.text);
    if (maximum !== undefined) assert.match(detail, new RegExp(`\\b${maximum}\\b`));
    if (quota) assert.equal(this.headers['ratelimit-policy'], `"${quota}";q=${maximum}`);
    assert.deepEqual((this.json.errors ?? []).map((error) => error.parameter).sort(), parameters.sort(), this.text);
  }
}

// A connection whose replies are read one by one. Nothing is read until asked for: a client that asks nothing stalls.
export class Client {
  #buffer = Buffer.alloc(0);
  #asked = [];

  // door: a port here, or the path of a unix socket. from: the address of the client.
  static async connect(door, from = undefined) {
    const socket = net.connect(typeof door === 'string' ? door : { port: door, host: '127.0.0.1', localAddress: from, noDelay: true });
    await within(new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)), 'connection');
    return new Client(socket);
  }
  constructor(socket) {
    this.socket = socket.on('error', () => {}).unref(); // a forgotten client keeps no test from ending
    this.pieces = socket[Symbol.asyncIterator]();
    this.ended = null; // 'end' or 'reset'
  }
  send(text) {
    this.socket.write(text);
    return this;
  }
  // Writes a request; its reply will be checked against the contract.
  ask(method, target, headers = {}, version = '1.1') {
    const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#asked.push([method, target]);
    return this.send(`${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`);
  }
  async #fill() {
    if (this.ended) return false;
    try {
      const { value, done } = await within(this.pieces.next(), 'bytes from the server');
      if (done) this.ended = 'end';
      else this.#buffer = this.#buffer.length ? Buffer.concat([this.#buffer, value]) : value;
    } catch (error) {
      if (!['ECONNRESET', 'EPIPE'].includes(error.code)) throw error;
      this.ended = 'reset';
    }
    return !this.ended;
  }
  async #take(most) {
    if (!this.#buffer.length && !(await this.#fill())) return null;
    const piece = this.#buffer.subarray(0, most);
    this.#buffer = this.#buffer.subarray(piece.length);
    return piece;
  }
  async #line() {
    let end;
    while ((end = this.#buffer.indexOf('\r\n')) < 0) if (!(await this.#fill())) return null;
    return (await this.#take(end + 2)).toString('latin1').slice(0, -2);
  }
  // Status line and headers; names in lower case, lines of one name joined by commas.
  async head() {
    const line = await this.#line();
    if (line === null) return null;
    const [, version, status] = line.match(/^HTTP\/(1\.[01]) (\d{3}) [ -~]+$/) ?? assert.fail(`status line: ${line}`);
    const headers = {};
    for (let field; (field = await this.#line());) {
      const [, name, value] = field.match(/^([!-9;-~]+): *(.*)$/) ?? assert.fail(`header line: ${field}`);
      const key = name.toLowerCase();
      headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
    }
    return { version, status: Number(status), headers };
  }
  // The bytes of a body as they come; returns whether it was all there.
  async *body({ version, status, headers }, method) {
    if (method === 'HEAD' || status === 204 || status === 304) return true;
    if (headers['transfer-encoding'] === 'chunked') {
      assert.equal(version, '1.1');
      for (;;) {
        const size = await this.#line();
        if (size === null) return false;
        if (!(yield* this.#exactly(parseInt(size, 16)))) return false;
        if ((await this.#line()) === null) return false;
        if (size === '0') return true;
      }
    }
    if ('content-length' in headers) return yield* this.#exactly(Number(headers['content-length']));
    yield* this.#exactly(Infinity);
    return this.ended === 'end';
  }
  async *#exactly(bytes) {
    while (bytes > 0) {
      const piece = await this.#take(bytes);
      if (!piece) return false;
      bytes -= piece.length;
      yield piece;
    }
    return true;
  }
  // The next reply, or null when the server closed the connection instead.
  async reply() {
    const [method, target] = this.#asked.shift() ?? [];
    const head = await this.head();
    if (!head) return null;
    const pieces = [];
    const body = this.body(head, method);
    let step;
    while (!(step = await body.next()).done) pieces.push(step.value);
    const reply = new Reply(head.status, head.headers, Buffer.concat(pieces).toString(), step.value);
    if (method && step.value) conforms(method, target, reply);
    return reply;
  }
  // Reads away what comes until the server closes; 'end' or 'reset'.
  async end() {
    while (await this.#fill()) this.#buffer = Buffer.alloc(0);
    return this.ended;
  }
  drop() {
    this.socket.destroy();
  }
}

async function* events(pieces) {
  let [text, step] = ['', null];
  while (!(step = await pieces.next()).done) {
    text += step.value;
    const end = text.lastIndexOf('\n\n') + 2;
    if (end < 2) continue;
    for (const event of readEvents(text.slice(0, end)))
      yield { ...event, data: JSON.parse(event.data), time: Date.now() };
    text = text.slice(end);
  }
  return step.value;
}

// fetch would accept gzip: who wants that says so. Its body comes unpacked.
async function ask(port, target, options) {
  const headers = new Headers(options.headers);
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
  const read = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, { ...options, headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return Object.assign(new Reply(answer.status, Object.fromEntries(answer.headers), bytes.toString()), { bytes });
  };
  const reply = await within(read(), `reply to ${target}`, 60);
  const json = /^application\/json\b/i.test(headers.get('content-type') ?? 'application/json') && !headers.has('content-encoding');
  conforms(options.method ?? 'GET', target, reply, json ? options.body : undefined);
  return reply;
}

// No sanitizer has told of anything.
export function assertNoSanitizer(stderr) {
  assert.doesNotMatch(stderr, /ERROR: \w+Sanitizer|WARNING: \w+Sanitizer|runtime error:/);
}

// Starts a program that dies with this process, in a session of its own. Linux shares the processors among sessions first
// (sched_autogroup), then among their threads: threads that step back (nice 10) then step back behind those of their own
// process, and not behind everything else on a busy machine, which would leave them nothing.
export function launch(command, argv, env) {
  const options = { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'pipe'], detached: true };
  return spawn('setpriv', ['--pdeathsig', 'KILL', command, ...argv], options);
}

class Server {
  logs = []; // access log and what else was told, as objects
  stderr = '';

  constructor([command, ...argv], env = {}) {
    this.process = launch(command, argv, env);
    this.exit = new Promise((resolve) => this.process.once('close', (code, signal) => resolve(code ?? signal)));
    this.kill = () => this.process.kill('SIGKILL');
    process.once('exit', this.kill);
    let rest = '';
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      this.logs.push(...lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)));
    });
  }
  async listen() {
    const find = () => this.logs.find((line) => line.event === 'listening');
    let code;
    this.exit.then((status) => (code = status));
    await until(() => find() || code !== undefined, 'the server listens');
    if (!find()) assert.fail(`exited with ${code}: ${this.stderr}`);
    const doorOf = (address) => address.match(/^unix:(.*)$/)?.[1] ?? Number(address.split(':')[1]);
    [this.port, this.adminPort] = ['address', 'admin'].map((key) => doorOf(find()[key]));
  }
  // The same, asked by way of somebody in front of it.
  through(port) {
    return Object.assign(Object.create(this), { port });
  }
  // Asks, and checks the reply against the contract.
  // Counts and indexes are waited for as long as the server lets one wait, unless a test says otherwise: how fast the machine is proves nothing.
  get(target, headers = {}, method = 'GET', body = undefined) {
    if (/^.(count|solve)/.test(target) && !Object.keys(headers).some((name) => name.toLowerCase() === 'prefer'))
      headers = { ...headers, prefer: 'wait=600' };
    return ask(this.port, target, { headers, method, body });
  }
  // Sends a value as JSON, or a text as it is.
  post(target, body, headers = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.get(target, { 'content-type': 'application/json', ...headers }, 'POST', text);
  }
  delete(target, headers = {}) {
    return this.get(target, headers, 'DELETE');
  }
  // Begins a count as a job; its object.
  async begin(query, status = undefined, headers = {}) {
    const reply = await this.post('/jobs', { kind: 'count', ...query }, headers);
    assert.equal(reply.status, status ?? (reply.json.state === 'done' ? 200 : 202), reply.text);
    assert.equal(reply.headers.location, reply.json.self);
    return reply.json;
  }
  // Looks at a job until it is as wanted; its object then.
  async look(id, wanted = () => true, what = 'the job is as wanted', seconds = 30) {
    let job;
    const seen = async () => wanted((job = await this.getJson(`/jobs/${id}`)));
    await until(seen, what, seconds).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(job)}`));
    return job;
  }
  async getJson(target) {
    const reply = await this.get(target);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  }
  admin(target, headers = {}, method = 'GET', body = undefined) {
    // On a connection of its own: the server may close an idle one at the moment at which it would be used again.
    return ask(this.adminPort, target, { headers: { connection: 'close', ...headers }, method, body });
  }
  // Listens to the events of a job: a client with an iterator `events` of { id, event, data, time }, data read as JSON, whose
  // return value is whether the stream was whole.
  async listenTo(target, headers = {}) {
    const client = await this.connect();
    const head = await client.ask('GET', target, headers).head();
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-type'], 'text/event-stream');
    return Object.assign(client, { headers: head.headers, events: events(client.body(head, 'GET')) });
  }
  connect(port = this.port, from = undefined) {
    return Client.connect(port, from);
  }
  // One raw request on a connection of its own; [reply, how the server ended the connection or null].
  async raw(text, wait = true) {
    const client = await this.connect();
    const reply = await client.send(text).reply();
    const end = wait ? await client.end() : null;
    client.drop();
    return [reply, end];
  }
  // The sum of a metric's samples, of those with the given labels.
  async metric(name, labels = {}) {
    const samples = (await this.metrics()).filter((sample) => sample.name === name);
    assert.ok(samples.length, `no metric ${name}`);
    return samples
      .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === String(value)))
      .reduce((sum, sample) => sum + sample.value, 0);
  }
  async metrics() {
    const { text } = await this.admin('/metrics');
    return text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const [, name, labels, value] =
          line.match(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/) ?? assert.fail(`metric line: ${line}`);
        const pairs = [...(labels ?? '').matchAll(/([a-z_]+)="([^"]*)",?/g)].map(([, key, text]) => [key, text]);
        return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) };
      });
  }
  // Resident memory in MB, now (VmRSS) or at most so far (VmHWM).
  resident(which = 'VmRSS') {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(status.match(new RegExp(`${which}:\\s+(\\d+)`))[1]) / 1024;
  }
  // Ends it at once, as a crash would.
  async crash() {
    this.process.kill('SIGKILL');
    await within(this.exit, 'exit after SIGKILL');
    process.removeListener('exit', this.kill);
    this.stopped = -1;
  }
  // Asks it to stop and fails unless it ends well. Returns the seconds that took.
  async stop(seconds = 30) {
    if (this.stopped) return this.stopped;
    const begin = Date.now();
    this.process.kill('SIGTERM');
    const code = await within(this.exit, 'exit after SIGTERM', seconds);
    process.removeListener('exit', this.kill);
    this.stopped = (Date.now() - begin) / 1000;
    assertNoSanitizer(this.stderr);
    assert.equal(code, 0, this.stderr.slice(-2000));
    return this.stopped;
  }
  // Lets go what the server told so far: the log of an hour is longer than a string may be.
  forget() {
    assertNoSanitizer(this.stderr);
    this.stderr = '';
    this.logs.length = 0;
  }
}

// The command of a test's server. wrapper: a command before its own, which must come to it by exec.
function command(flags, wrapper = []) {
  const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  // The scalar kernel, unless told otherwise: what a test takes for slow must be slow on every machine. The last of two
  // equal flags counts.
  // A client that does not read for long is not cut for it: on a busy machine any test may take a minute.
  // And whatever a test counts long, it may count without asking for a job: tests/http/free.test.js has the defaults.
  const presets = ['--log', 'json', '--kernel', 'scalar', '--store', 'memory', '--max-wait', `${Math.min(120 * patience, 86400)}`, '--min-drain-rate', '0',
    '--free-seconds', '1000000000', '--max-client-jobs', '100000', '--max-job-hours', '100'];
  return [...wrapper, binary, 'serve', ...ports, ...presets, ...flags.map(String)];
}

// A running server that is stopped when the test, or the file given as { after }, is over.
export async function start(owner, ...flags) {
  return startWithin(owner, [], ...flags);
}

// The same, started by a command: see Server.
export async function startWithin(owner, wrapper, ...flags) {
  return started(owner, new Server(command(flags, wrapper)));
}

// One that knows nothing but what it is told by its environment and the flags after `serve`, as whoever deploys it has them; but
// for where it listens and the form of its log.
export const here = { NQ_LISTEN: '127.0.0.1:0', NQ_ADMIN: '127.0.0.1:0', NQ_LOG: 'json' };
export async function startAsTold(owner, env, ...flags) {
  return started(owner, new Server([binary, 'serve', ...flags], { ...env, ...here }));
}

async function started(owner, server) {
  owner.after(() => server.stop());
  await server.listen();
  return server;
}

// A server that is not to start: [exit code, what it wrote].
export async function refuse(...flags) {
  const server = new Server(command(flags));
  const listens = () => server.logs.some((line) => line.event === 'listening');
  let ended = false;
  const code = server.exit.then((code) => (ended = true) && code);
  await until(() => ended || listens(), 'it is refused');
  if (!ended) server.kill();
  process.removeListener('exit', server.kill);
  assert.ok(ended, `it started with ${flags.join(' ')}`);
  // With --log json its last words are a line of the log, too.
  return [await code, server.stderr.split('\n').map((line) => {
    const { event, text } = line.startsWith('{') ? JSON.parse(line) : {};
    return event === 'fatal' ? `nqueensd: ${text}` : line;
  }).join('\n')];
}
