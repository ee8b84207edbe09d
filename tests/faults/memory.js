// memory.js - asks for one thing again and again while memory is out at its k-th allocation, for every k until it is answered
// as if nothing had been, and judges what comes. memory.c is the allocator that fails; what is asked for is the test's.
import { openSync, readSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, longer, patience, sleep, temporaryFolder } from '../http/harness.js';

const library = fileURLToPath(new URL('../../build/faults/memory.so', import.meta.url));
export const long = longer;

// ---- Orders to the library: struct orders in memory.c ----

export class Memory {
  #file;
  #words = new BigUint64Array(6); // armed, first, most, seen, failed, live
  constructor() {
    this.path = path.join(temporaryFolder(), 'orders');
    writeFileSync(this.path, Buffer.alloc(this.#words.byteLength));
    this.#file = openSync(this.path, 'r+');
  }
  // A command before the server's own.
  get wrapper() {
    return ['env', `LD_PRELOAD=${library}`, `NQ_FAULT_MEMORY=${this.path}`];
  }
  #write(from, ...words) {
    writeSync(this.#file, Buffer.from(BigUint64Array.from(words.map(BigInt)).buffer), 0, 8 * words.length, 8 * from);
  }
  #read(word) {
    readSync(this.#file, this.#words, 0, this.#words.byteLength, 0);
    return Number(this.#words[word]);
  }
  // From now on so many allocations fail, after first - 1 that do not. 0: none, but they are counted.
  arm(first, most = 1) {
    this.#write(1, first, most, 0, 0);
    this.#write(0, 1);
  }
  // No more: how many there were, and how many of them failed.
  disarm() {
    this.#write(0, 0);
    return { seen: this.#read(3), failed: this.#read(4) };
  }
  // How many have failed since it was armed.
  get failed() {
    return this.#read(4);
  }
  // How many there are now that were not given back.
  get live() {
    return this.#read(5);
  }
}

// ---- Asking, and judging what comes ----

// What may differ from reply to reply. A 503 made when there was memory, for when there is none, has only the first.
const own = ['date', 'server-timing', 'x-request-id'];

// A request on a connection of its own: { status, headers, body, complete }, or null when that was closed without a word.
export async function ask(server, { method, target, headers, body, version = '1.1', whole, admin }) {
  const client = await server.connect(admin ? server.adminPort : server.port);
  const fields = { Host: 'x', ...headers, ...(body ? { 'Content-Length': body.length } : {}) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  client.send(`${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`);
  if (body) client.send(body);
  const head = await client.head();
  const pieces = [];
  let step = {};
  if (head) for (const read = client.body(head, method); !(step = await read.next()).done; ) pieces.push(step.value);
  client.drop();
  const bytes = Buffer.concat(pieces);
  return head && { ...head, body: bytes, complete: step.value && (!whole || head.status !== 200 || whole(bytes)) };
}

const fieldsOf = ({ headers }) => JSON.stringify(Object.entries(headers).filter(([name]) => !own.includes(name)).sort());
// The length of a body that is masked goes with it.
const equal = (one, two, { mask }) =>
  one.status === two.status &&
  (mask || fieldsOf(one) === fieldsOf(two)) &&
  (mask ? mask(one.body) === mask(two.body) : one.body.equals(two.body));

// What a reply is: right, told (that memory is out), closed, cut; or, in more words, wrong.
export function judge(kind, reply, right) {
  if (!reply) return 'closed';
  if (!reply.complete) return right.body.subarray(0, reply.body.length).equals(reply.body) ? 'cut' : `cut, but ${reply.body}`;
  if (equal(reply, right, kind)) return 'right';
  const problem = reply.headers['content-type'] === 'application/problem+json';
  if (reply.status === 503 && problem && reply.headers['cache-control'] === 'no-store' && reply.headers['retry-after'])
    if (kind.method === 'HEAD' || JSON.parse(reply.body).type.endsWith(':out-of-memory')) return 'told';
  return `${reply.status} ${fieldsOf(reply)} ${reply.body.subarray(0, 400)}`;
}
const fair = ['right', 'told', 'closed', 'cut'];

export const nameOf = ({ method, target, version, name }) => name ?? `${method} ${target.slice(0, 60)}${version ? ` HTTP/${version}` : ''}`;

// Every k at first, then some, further and further apart: `long` up to 300, else a few. Kinds have their first allocations in
// common, and shift is another one for each, so that those that are left out for one are not for the next.
function next(k, most, shift) {
  const dense = long ? 300 : most > 1 ? 2 : 5;
  return k < dense ? k + 1 : k + 1 + Math.floor((k + (shift % 8)) / (long ? 16 : 2));
}

const alive = ({ process }) => process.exitCode === null && process.signalCode === null;

// What is held once nothing is going on any more: allocations of the process, but for one of the system's for each thread. A pool
// starts more threads, which stay, when searches take long: on a busy machine at any moment. Not long, if they are no more than expected.
const held = (memory, { process }) => memory.live - readdirSync(`/proc/${process.pid}/task`).length;
async function settled(memory, server, expected = -1) {
  let least = held(memory, server);
  for (let quiet = 0; quiet < (expected < 0 ? 10 : 2000 * patience) && least > expected; quiet++) {
    await sleep(0.005);
    least = Math.min(least, held(memory, server));
  }
  return least;
}

// One kind of request with memory out at the k-th allocation, for one k after the other until none is reached: at that one only,
// or (most) at all that follow. Returns what went wrong, in words.
export async function exhaust(server, memory, kind, most, shift) {
  const wrong = [], tally = {};
  const complain = (k, what) => wrong.push(`${nameOf(kind)}, allocation ${k}${most > 1 ? ' on' : ''}: ${what}`);
  const fresh = async () => {
    await kind.before?.();
    return ask(server, kind);
  };
  const right = await fresh(), started = Date.now();
  assert.ok(right?.complete, nameOf(kind));
  await kind.before?.();
  const before = await settled(memory, server);
  for (let k = 1, failed = 1; failed && alive(server); k = next(k, most, shift)) {
    await kind.before?.();
    memory.arm(k, most);
    const reply = await ask(server, kind).catch(({ message }) => ({ status: message, headers: {}, body: '', complete: true }));
    const found = memory.disarm();
    failed = found.failed;
    const verdict = judge(kind, reply, right);
    tally[verdict] = (tally[verdict] ?? 0) + 1;
    if (!fair.includes(verdict) || (!failed && verdict !== 'right')) complain(k, verdict);
    const trouble = await kind.after?.(verdict);
    if (trouble) complain(k, trouble);
    const then = alive(server) ? judge(kind, await fresh(), right) : 'right';
    if (then !== 'right') complain(k, `and then ${then}`);
    if (!failed && process.env.NQ_SHOW) console.log(`${nameOf(kind)}: ${found.seen} ${JSON.stringify(tally)} ${Date.now() - started} ms`);
  }
  if (!alive(server)) return [...wrong, `it ended by ${await server.exit}: ${server.stderr.slice(-300)}`];
  await kind.before?.();
  const leaked = (await settled(memory, server, before)) - before;
  if (leaked > 0) complain('any', `${leaked} allocations are not given back`);
  return wrong;
}
