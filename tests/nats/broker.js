// broker.js - starts real NATS servers with JetStream for a test, one or a cluster of three, and makes them fail. They end with the
// test's process, however that ends. It knows nothing of what is kept in them.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert, patience, temporaryFolder, until, within } from '../http/harness.js';
import { freePort } from '../http/ports.js';
import { operator } from './operator.js';

class Node {
  log = '';
  frozen = false;

  constructor(name, ports, file, store) {
    Object.assign(this, { name, ...ports, file, store });
  }
  // setpriv: the kernel ends it when the test's process is gone, even by SIGKILL.
  start() {
    this.process = spawn('setpriv', ['--pdeathsig', 'KILL', 'nats-server', '-c', this.file], { env: { ...process.env, HOSTNAME: this.name }, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.log = (this.log + text).slice(-100000)));
    this.frozen = false;
    this.running = true;
    this.exit = new Promise((resolve) => this.process.once('close', resolve)).then(() => (this.running = false));
  }
  async kill(signal) {
    this.process.kill(signal);
    if (this.frozen) this.process.kill('SIGCONT');
    await within(this.exit, `end of ${this.name}`);
  }
  // What its monitor says as [status, object], or null when it does not answer.
  async monitored(target) {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.monitor}${target}`, { signal: AbortSignal.timeout(2000 * patience) });
      return [answer.status, await answer.json()];
    } catch {
      return null;
    }
  }
  // Whether JetStream runs in it and has all it should have; in a cluster also that it knows who leads.
  async healthy() {
    return (await this.monitored('/healthz'))?.[0] === 200;
  }
}

class Broker {
  account = '$G'; // that of who has no name

  constructor(nodes, credentials) {
    Object.assign(this, { nodes, credentials });
    this.servers = nodes.map(({ port }) => `127.0.0.1:${port}`);
    this.url = this.servers.map((server) => `nats://${server}`).join(); // as --store takes it
  }
  // The same, as a user of a certain account sees it: nothing of another account is there.
  as(account) {
    const url = this.servers.map((server) => `nats://${account}:${account}@${server}`).join();
    return Object.assign(Object.create(this), { account, url });
  }
  get living() {
    return this.nodes.filter(({ running, frozen }) => running && !frozen);
  }
  // Until all that live are healthy; in a cluster under one leader, who sees them so.
  async ready(seconds = 30) {
    const well = async () => {
      const ended = this.nodes.find(({ running, killed }) => !running && !killed);
      if (ended) throw new Error(`${ended.name} ended: ${ended.log}`);
      if ((await Promise.all(this.living.map((node) => node.healthy()))).includes(false)) return false;
      if (this.nodes.length === 1) return true;
      const told = await Promise.all(this.living.map((node) => node.monitored('/jsz')));
      const leaders = new Set(told.map((answer) => answer?.[1].meta_cluster?.leader));
      const leader = this.living.find(({ name }) => leaders.size === 1 && leaders.has(name));
      const others = told[this.living.indexOf(leader)]?.[1].meta_cluster.replicas ?? [];
      return leader !== undefined && others.filter(({ current, offline }) => current && !offline).length >= this.living.length - 1;
    };
    await until(well, 'the broker is ready', seconds).catch((error) => {
      throw new Error(`${error.message}: ${this.nodes.map(({ name, log }) => `\n${name}: ${log.slice(-2000)}`)}`);
    });
  }
  // Ends one: at once, as a crash would, or as asked.
  async kill(i, signal = 'SIGKILL') {
    this.nodes[i].killed = true;
    await this.nodes[i].kill(signal);
  }
  // Starts one again, on its ports and with what it had stored; one that runs is killed before. Waits until it is healthy, if more
  // than half of them run: fewer elect no leader.
  async restart(i, tries = 3) {
    if (this.nodes[i].running) await this.kill(i);
    // Before 2.9.11 one that was killed may stay behind its leader for ever (nats-server issue 3563): a probe would start it again, and
    // an operator would have it copy everything from the others.
    if (tries === 1) rmSync(this.nodes[i].store, { recursive: true });
    this.nodes[i].start();
    this.nodes[i].killed = false;
    if (this.living.length > this.nodes.length / 2) await this.ready(20).catch((error) => (tries > 1 ? this.restart(i, tries - 1) : Promise.reject(error)));
    else await until(() => this.nodes[i].monitored('/varz'), `${this.nodes[i].name} answers`);
  }
  // Holds one as it is: its connections stay open and nothing comes. Waits until all its threads stand still.
  async freeze(i) {
    const { process } = this.nodes[i];
    process.kill('SIGSTOP');
    this.nodes[i].frozen = true;
    const threads = `/proc/${process.pid}/task`;
    const still = () => readdirSync(threads).every((thread) => /\) T /.test(readFileSync(`${threads}/${thread}/stat`, 'utf8')));
    await until(still, `${this.nodes[i].name} stands still`);
  }
  thaw(i) {
    this.nodes[i].process.kill('SIGCONT');
    this.nodes[i].frozen = false;
  }
  // What a server that lives says of a stream; undefined: it does not know it.
  async stream(wanted, node = this.living[0]) {
    const accounts = (await node.monitored('/jsz?accounts=true&streams=true'))?.[1].account_details;
    return accounts?.find(({ name }) => name === this.account)?.stream_detail?.find(({ name }) => name === wanted);
  }
  // Which of them leads a stream: one that lives and that all who live agree on. Waits for an election.
  async leaderOf(stream) {
    let leader;
    const agreed = async () => {
      const details = await Promise.all(this.living.map((node) => this.stream(stream, node)));
      const leaders = new Set(details.filter(Boolean).map(({ cluster }) => cluster?.leader));
      leader = this.nodes.findIndex(({ name }) => leaders.size === 1 && leaders.has(name));
      return leader >= 0 && this.living.includes(this.nodes[leader]);
    };
    await until(agreed, `${stream} has a leader`);
    return leader;
  }
  async stop() {
    await Promise.all(this.nodes.map((_, i) => this.nodes[i].running && this.kill(i)));
  }
}

// Accounts that a single server has, each with streams of its own; user and password of each are its name.
const names = Array.from({ length: 20 }, (_, i) => `a${i}`);
const accounts = names.map((name) => `${name} { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`).join(', ');

// Servers as configured, not yet started. Names and the cluster's are drawn: one that finds another test's server stays a stranger.
async function configured(count, { shared, credentials, conf }) {
  const folder = temporaryFolder();
  const id = `n${randomBytes(4).toString('hex')}`; // a letter first: nats.conf would read digits as a number
  const nodes = [];
  for (let i = 0; i < count; i++) {
    const ports = { port: await freePort(), monitor: await freePort(), route: await freePort() };
    nodes.push(new Node(`${id}-${i}`, ports, path.join(folder, `${i}.conf`), path.join(folder, `${i}`)));
  }
  const routes = nodes.map(({ route }) => `"nats://127.0.0.1:${route}"`);
  const tree = credentials && operator();
  const file = tree && path.join(folder, 'nq.creds');
  if (tree) writeFileSync(file, tree.credentials, { mode: 0o600 });
  for (const node of nodes) {
    const lines = [
      `server_name: "${node.name}"`,
      `server_tags: ["${node.name}"]`, // so that a stream can be put there
      `listen: 127.0.0.1:${node.port}`,
      `http: 127.0.0.1:${node.monitor}`,
      `jetstream { store_dir: "${node.store}", max_memory_store: 64MB, max_file_store: 100GB }`, // reserved, not taken
      tree?.config,
      shared && `accounts { ${accounts} }`,
      count > 1 && `cluster { name: "${id}", listen: 127.0.0.1:${node.route}, routes: [${routes.join(', ')}] }`,
    ];
    writeFileSync(node.file, conf ? conf(node, nodes) : lines.filter(Boolean).join('\n'));
  }
  return new Broker(nodes, file);
}

// Stops something when all that is started later has been stopped, though hooks run in the order they are given: a server whose
// broker is gone says what it could not store, and ends with 1.
function stopLast(owner, stop) {
  const [after, hooks] = [owner.after.bind(owner), []];
  owner.after = (hook) => hooks.unshift(hook);
  after(async () => {
    const ends = [];
    for (const hook of hooks) ends.push(...(await Promise.allSettled([hook()])));
    await stop();
    for (const { reason } of ends) if (reason) throw reason;
  });
}

// A broker that is stopped when the test, or the file given as { after }, is over. nodes: 1 or 3; credentials: asks for those of a
// file in the form of nsc, `credentials`. conf(node, nodes) tells the configuration instead: of a node with its port, monitor, route
// and folder, `store`, among all; its name is in $HOSTNAME. A port that somebody took meanwhile is no reason to fail.
export async function startBroker(owner, { nodes = 1, ...options } = {}) {
  assert.ok([1, 3].includes(nodes));
  for (let tries = 1; ; tries++) {
    const broker = await configured(nodes, options);
    stopLast(owner, () => broker.stop());
    for (const node of broker.nodes) node.start();
    try {
      await broker.ready();
      return broker;
    } catch (error) {
      await broker.stop();
      if (tries === 5 || !/address already in use/.test(error.message)) throw error;
    }
  }
}

// One server for all tests of a file, one after the other: a function whose every call returns it as another account sees it.
export async function shareBroker(owner) {
  const broker = await startBroker(owner, { shared: true });
  let next = 0;
  return () => broker.as(names[next++] ?? assert.fail('more accounts are needed'));
}
