// session.js - one server under test by the model, from its start over its deaths to its end: asks it one thing after the
// other, writes down how one would with curl, and compares what it holds with what it should. What is asked it does not know.
import path from 'node:path';
import { assert, patience, sleep, start, temporaryFolder, until } from '../harness.js';

let stores = 0;
const folder = temporaryFolder();

// Looks again soon: most of what is waited for here takes a millisecond.
export async function soon(condition, what, seconds = 20) {
  const end = Date.now() + seconds * patience * 1000;
  for (let wait = 0.001; !(await condition()); wait = Math.min(2 * wait, 0.05)) {
    assert.ok(Date.now() < end, `not within ${seconds * patience} s: ${what}`);
    await sleep(wait);
  }
}

const quoted = (text) => `'${text}'`;
function curl(method, target, headers, body, flags = '-s') {
  const verb = { GET: '', HEAD: ' -I' }[method] ?? ` -X ${method}`;
  const fields = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  return `curl ${flags}${verb}${fields.join('')}${body === undefined ? '' : ` -d ${quoted(body)}`} ${quoted(`$S${target}`)}`;
}

const typed = (body) => body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };

export class Session {
  lines = []; // what was asked, as curl-like lines
  asked = 0; // requests
  #ids = 0;
  #counted = new Map(); // what /metrics said last

  constructor(limits, threads) {
    const { store, jobs, searches, streams } = limits;
    const where = store === 'sqlite' ? `sqlite:${path.join(folder, `${++stores}.db`)}` : store;
    this.flags = ['--store', where, '--threads', threads, '--drain-seconds', 0];
    this.flags.push('--max-jobs', jobs, '--max-client-searches', searches, '--max-streams', streams);
  }
  async start() {
    this.server = await start({ after: () => {} }, ...this.flags);
    this.lines.push(`nqueensd ${this.flags.join(' ').replace(folder, '...')} &  # S: its address`);
    this.#counted.clear();
    this.main = this.admin = null;
  }
  // Ends the process by a signal, and starts the next one with the same flags.
  async restart(signal) {
    this.lines.push(`kill -${signal} %nqueensd`);
    await (signal === 'KILL' ? this.server.crash() : this.server.stop());
    assert.doesNotMatch(this.server.stderr, /Sanitizer:|runtime error:/);
    this.disconnect();
    await this.start();
  }
  disconnect() {
    this.main?.drop();
    this.admin?.drop();
  }
  async end() {
    await this.server.stop();
    this.disconnect();
  }
  async abandon() {
    await this.server.crash();
    this.disconnect();
  }

  // ---- Asking ----

  // Asks on one connection, so that what was asked before is over when the next comes.
  async ask(method, target, headers = {}, body = undefined) {
    const line = curl(method, target, headers, body);
    const again = /curl -s '[^']*\/jobs\//.test(line) && this.lines.at(-1)?.startsWith(`${line}  #`); // looks until it is over
    if (!again) this.lines.push(line);
    this.main ??= await this.server.connect();
    this.asked++;
    this.main.ask(method, target, { ...typed(body), ...headers });
    if (body !== undefined) this.main.send(body);
    const reply = await this.main.reply();
    assert.ok(reply, 'no reply');
    assert.ok(reply.complete, 'the reply is not whole');
    if (reply.headers.connection === 'close') {
      this.main.drop();
      this.main = null;
    }
    this.lines.splice(-1, 1, `${line}  # ${reply.status}`);
    return reply;
  }
  post(target, value, headers = {}) {
    return this.ask('POST', target, headers, JSON.stringify(value));
  }
  // Asks on a connection of its own, for what is not over with the reply's head, or for what is asked at once with other things.
  async open(target, headers = {}, method = 'GET', body = undefined) {
    const id = `held-${++this.#ids}`;
    this.lines.push(`${curl(method, target, headers, body, '-sN')} &  # ${id}`);
    const client = await this.server.connect();
    this.asked++;
    client.ask(method, target, { ...typed(body), 'X-Request-Id': id, ...headers });
    if (body !== undefined) client.send(body);
    return { id, client };
  }
  // The replies to equal requests that are made at once.
  async all(size, ...request) {
    const all = await Promise.all(Array.from({ length: size }, () => this.open(...request)));
    const replies = await Promise.all(all.map(({ client }) => client.reply()));
    for (const one of all) await this.closed(one);
    return replies;
  }
  isLogged = (id) => this.server.logs.some((line) => line.id === id);
  // Waits until the server is through with what was opened.
  closed({ id, client }) {
    client.drop();
    return soon(() => this.isLogged(id), `${id} is over`);
  }
  async leave(one) {
    this.lines.push(`kill %${one.id}`);
    await this.closed(one);
  }

  // ---- What it holds ----

  async #operator(target) {
    this.admin ??= await this.server.connect(this.server.adminPort);
    const reply = await this.admin.ask('GET', target).reply();
    assert.equal(reply?.status, 200, `${target}: ${reply?.text}`);
    return reply.text;
  }
  // Every sample of /metrics by its name with labels; none that counts may fall.
  async figures() {
    const now = new Map();
    for (const line of (await this.#operator('/metrics')).split('\n')) {
      const end = line.lastIndexOf(' ');
      if (end > 0 && !line.startsWith('#')) now.set(line.slice(0, end), Number(line.slice(end + 1)));
    }
    for (const [name, value] of this.#counted)
      if (/_(total|bucket|count|sum)(\{|$)/.test(name)) assert.ok(now.get(name) >= value, `${name} fell from ${value}`);
    return (this.#counted = now);
  }
  async figure(name) {
    return (await this.figures()).get(`nq_${name}`);
  }
  // Fails unless it says of itself what the model does. A request is over a little after its last byte has come.
  async holds(model) {
    const { counters } = model;
    const wanted = {
      jobs_active: model.active().length,
      jobs_kept: model.over().length,
      jobs_begun_total: counters.begun,
      jobs_cancelled_total: counters.cancelled,
      jobs_done_total: counters.done,
      jobs_refused_total: counters.refusedJobs,
      jobs_failed_total: 0,
      streams_running: model.ofKind('stream').length,
      streams_started_total: counters.streams,
      streams_refused_total: counters.refusedStreams,
      clients_refused_total: counters.refusedClients,
      store_broken: 0,
      store_lost_total: 0,
      searches_refused_total: 0,
    };
    const searches = model.searches().size;
    let wrong;
    const isHeld = async () => {
      const figures = await this.figures();
      wrong = Object.entries(wanted).filter(([name, value]) => figures.get(`nq_${name}`) !== value);
      wrong = wrong.map(([name, value]) => `nq_${name} is ${figures.get(`nq_${name}`)}, not ${value}`);
      const running = figures.get('nq_searches_running');
      if (running === searches) model.stopping = 0;
      if (running < searches || running > searches + model.stopping) wrong.push(`${running} searches run, ${searches} are wanted`);
      return wrong.length === 0;
    };
    await soon(isHeld, '', 3).catch((error) => assert.fail(wrong.length ? wrong.join('; ') : error));
    const full = ['streams', 'jobs'].filter((what) => ({ streams: wanted.streams_running, jobs: wanted.jobs_active })[what] >= model.limits[what]);
    const { status, reasons = [] } = JSON.parse(await this.#operator('/readyz'));
    assert.deepEqual([status, ...reasons.map(({ what }) => what)], [full.length ? 'degraded' : 'ready', ...full]);
    await this.isSound();
  }
  // Builds with checks (sanitizers, DEBUG_LOCKS=1) look at all of their structures when they are told to, and end if one is not
  // sound. Others ignore the signal. Both log it.
  async isSound() {
    const isAnswer = ({ event, text }) => event === 'signal' && text.startsWith('SIGUSR2');
    const answers = () => this.server.logs.filter(isAnswer).length;
    const [before, server] = [answers(), this.server.process];
    server.kill('SIGUSR2');
    await soon(() => answers() > before || server.exitCode !== null || server.signalCode, 'it has looked at its structures');
    assert.ok(answers() > before, `it ended: ${this.server.stderr.slice(-2000)}`);
  }
  // When nothing is under way nothing is held.
  async rests() {
    for (const name of ['searches_running', 'streams_running', 'pool_running', 'pool_queue_depth'])
      await soon(async () => (await this.figure(name)) === 0, `nq_${name} is 0`, 60);
    for (const name of ['reply_bytes', 'store_waiting'])
      await soon(async () => (await this.figure(name)) === 0, `nq_${name} is 0`, 60);
  }
}
