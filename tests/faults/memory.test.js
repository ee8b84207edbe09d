// memory.test.js - memory that is out at the k-th allocation of a request, for every k until it is answered as if nothing had
// been: the reply is the right one, or a 503 that says so, or the connection ends in a way nobody takes for an answer; the next
// one is right, and in the end nothing is held. NQ_LONG=1: every kind and every k; otherwise some of both. On the plain build.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assert, patience, sleep, startWithin, tables, temporaryFolder, test, until } from '../http/harness.js';
import { Memory, ask, exhaust, long } from './memory.js';

// ---- Kinds of requests ----

const json = { 'Content-Type': 'application/json' };
// Waits for counts as long as it takes: they are done when nobody else wants the processor.
const get = (target, headers = { Prefer: 'wait=600' }) => ({ method: 'GET', target, headers });
const post = (target, body, headers = json) => ({ method: 'POST', target, headers, body: Buffer.from(body) });
const other = (method, target, headers = {}) => ({ method, target, headers });

const solutions = [
  '/solve?n=6',
  '/solve?n=6&limit=2&board=unicode&base=0',
  '/solve?n=6&limit=2&format=text&board=ascii',
  '/solve?n=6&limit=2&format=csv',
  '/solve?n=6&limit=2&format=ndjson&board=grid',
  '/solve?n=6&format=ndjson',
  '/solve?n=6&format=csv',
  '/solve?n=6&format=text',
  '/solve?n=10&limit=100000&format=csv&rank=true',
  '/solve?n=12&format=ndjson', // more than one part, and than one piece of libmicrohttpd's
  '/solve?n=12&limit=10000', // some 500 KB
  '/solve?n=7&format=svg',
  '/solve?n=7&format=png',
  '/solve?n=8&distinct=fundamental&symmetry=point',
  '/solve?n=8&place=1:1&exclude=2:5&total=true',
  '/solve?n=8&offset=90&rank=true',
  '/solve?n=8&after=8,3,1,6,2,5,7,4&rank=true',
  '/solve?n=8&sample=3&seed=7',
  '/solve?n=8&sample=3&seed=7&format=ndjson',
  '/solve?n=24&limit=1',
  '/solve?n=6&stats=true&limit=1',
  '/solve?n=3&format=svg',
];
const counts = [
  '/count?n=8',
  '/count?n=27',
  '/count?n=8&distinct=fundamental',
  '/count?n=8&distinct=mirror',
  '/count?n=12&symmetry=quarter',
  '/count?n=8&place=1:1&exclude=2:5,2:6',
  '/count?n=6&by=square',
  '/count?n=8&by=index',
  '/count?n=9&method=compute&place=1:2',
  ...(long ? ['/count?n=14&method=compute', '/count?n=15&method=compute'] : []), // the latter by joining quadrants
  '/count?n=20&method=estimate&seed=1&walks=2000',
  '/count?n=1000&method=estimate',
];
const constructions = [
  '/construct?n=8',
  '/construct?n=1000000&rows=1-5',
  '/construct?n=8&format=text&board=ascii',
  '/construct?n=8&format=csv',
  '/construct?n=1000&format=ndjson',
  '/construct?n=1000&format=octet-stream',
  '/construct?n=100000&format=octet-stream',
  '/construct?n=30&format=svg',
  '/construct?n=30&format=png',
  '/construct?n=1069&method=linear&rows=1-5',
  '/construct?n=25&method=tensor&factors=5x5',
  '/construct?n=100&method=local-search&seed=1',
  '/construct?n=100&method=local-search&seed=1&format=ndjson',
  '/construct?n=20&method=neural&seed=1',
  '/construct?n=8&method=freeman&seed=1',
  '/construct?n=8&method=genetic&seed=1',
  '/construct?n=8&method=random&seed=7',
  '/construct?n=9&method=random&seed=7&rules=touching',
];
const [script] = readdirSync(new URL('../../build/embedded/web/', import.meta.url)).filter((name) => /^main-.*js$/.test(name)).map((name) => `/web/${name}`);
const teaching = [
  '/',
  '/docs',
  script,
  '/trace?n=5&algorithm=rapella&limit=5',
  '/trace?n=5&algorithm=mrv&limit=5&format=ndjson',
  '/trace?n=5&algorithm=dancing-links&limit=5&format=events',
  '/trace?n=8&algorithm=local-search&seed=1&limit=5',
  '/trace?n=8&algorithm=neural&seed=1&limit=5',
  '/compare?n=5',
  '/puzzle?n=6&seed=1',
  '/puzzle?n=5&seed=1&rules=toroidal',
  '/puzzle?n=8&clues=2&minimal=true&seed=1',
  '/puzzle?kind=regions&n=5&seed=1',
  '/puzzle?kind=regions&n=5&seed=1&format=svg&sheet=2',
  '/puzzle?code=1233&format=png',
  '/hint?n=8&place=5:5,6:8',
  '/hint?n=6&place=1:1,2:2',
  '/hint?n=6&place=1:2&steps=all',
  '/hint?regions=aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee&place=1:1&exclude=1:6',
  '/algorithms',
  '/openapi.yaml',
];
const placements = [
  post('/verify', '{"permutation":[4,2,7,3,6,8,5,1]}'),
  post('/verify?rank=true', '{"permutation":[4,2,7,3,6,8,5,1]}'),
  post('/verify', '{"n":8,"queens":[{"row":5,"column":3},{"row":8,"column":6}]}'),
  post('/verify', `{"permutation":[${Array.from({ length: 3000 }, (_, i) => i + 1)}]}`),
  post('/verify', '{"row":1,"column":2}\n{"row":2,"column":1}\n{"end":true,"n":2,"base":1}\n', { 'Content-Type': 'application/x-ndjson' }),
  post('/verify', '{"permutation":[1,2,'),
];
const refusals = [
  get('/solve?n=8.0&color=red&limit=0&board=none&board=ascii'),
  get('/solve?n=8&algorithm=magic'),
  get('/solve?n=8&cursor=AAAA'),
  get('/solve?n=99'),
  get('/count?n=40&method=compute'),
  get('/construct?n=1000&method=linear'),
  get('/nothing'),
  get('/jobs/0123456789abcdef'),
  get('/solve?n=8', { Accept: 'audio/ogg' }),
  get(`/solve?n=8&after=${'1,'.repeat(6000)}1`),
  get(`/solve?n=8&${'a=1&'.repeat(70)}`),
  other('DELETE', '/solve?n=8'),
  other('BREW', '/solve?n=8'),
  post('/jobs', '{"kind":"count","n":"x"}'),
  post('/jobs', '{"kind":"count",'),
  post('/jobs', '{"kind":"count","n":8}', { 'Content-Type': 'text/plain' }),
  post('/jobs', Buffer.alloc(100000, ' ')),
];
const headers = [
  get('/solve?n=6', { 'If-None-Match': '*' }),
  get('/algorithms', { 'If-None-Match': '*' }),
  other('HEAD', '/solve?n=6'),
  other('HEAD', '/construct?n=1000&format=octet-stream'),
  other('HEAD', '/count?n=27'),
  other('OPTIONS', '/solve'),
  other('OPTIONS', '*'),
  other('OPTIONS', '/jobs', { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }),
  get('/solve?n=6&format=ndjson', { Origin: 'https://a.example' }),
  get('/solve?n=6', { Accept: 'text/csv' }),
  // node may take a reset for an end; http/stream.test.js looks closer
  { ...get('/solve?n=6&format=ndjson'), version: '1.0', whole: (body) => /\n{"end":true.*}\n$/.test(body) },
];
// Without memory for the gzip copy the answer comes as it is.
const unpacked = (body) => (body[0] === 0x1f ? gunzipSync(body) : body).toString();
const zipped = ['/solve?n=8&limit=50', '/solve?n=6&format=ndjson'].map((target) => ({
  ...get(target, { 'Accept-Encoding': 'gzip' }),
  mask: unpacked,
}));
// Of the second port.
const types = (body) => body.toString().match(/^# TYPE (?!process_).*/gm).join(); // those that the system tells may be missing
const operations = [get('/healthz'), get('/readyz'), { ...get('/metrics'), mask: types }].map((kind) => ({ ...kind, admin: true }));


// ---- Jobs, in a file ----

const begin = (query) => post('/jobs', JSON.stringify({ kind: 'count', ...query }));
const unending = { n: 18, exclude: '1:1' }; // no test lives to see its end
// What of a job is always the same; a fault may end it as soon as it is begun.
const lasting = (body) => {
  const { id, kind, query, self, events } = JSON.parse(body);
  return JSON.stringify({ id, kind, query, self, events });
};

// Sets the job that does not end to where a kind of request finds it: nothing is left of it, or it is under way.
async function ended(server, self) {
  const look = async () => JSON.parse((await ask(server, get(self))).body);
  for (let job = await look(); job.shares; ) job = JSON.parse((await ask(server, other('DELETE', self))).body);
  await until(async () => (await server.metric('nq_searches_running')) === 0, 'it has ended');
}
async function underWay(server, self) {
  const job = JSON.parse((await ask(server, get(self))).body);
  if (['queued', 'running'].includes(job.state) && job.shares === 1) return;
  await ended(server, self);
  await server.begin(unending);
}

async function jobKinds(server) {
  const { id } = await server.begin({ n: 8, by: 'square' });
  const { id: listed } = await server.begin({ n: 17 }); // long enough that its units are listed
  for (const each of [id, listed]) await server.look(each, ({ state }) => state === 'done', 'it is done', 120);
  const { self } = await server.begin(unending);
  // What comes after those that end it has it ended: nothing else is held than what is asked for.
  const none = () => ended(server, self), one = () => underWay(server, self);
  const kept = async (verdict) => {
    const { status } = await ask(server, get(self));
    return verdict !== 'right' || status === 200 ? null : 'it is gone';
  };
  const given = async (verdict) => {
    const { state, shares } = JSON.parse((await ask(server, get(self))).body);
    const over = state === 'cancelled' || state === 'failed'; // for want of memory, before it was given back
    return verdict !== 'right' || (over && !shares) ? null : `it is ${state} with ${shares} shares`;
  };
  return [
    { ...other('DELETE', self), before: one, mask: lasting, after: given },
    { ...begin(unending), before: none, mask: lasting, after: kept },
    { ...get('/count?n=18&exclude=1:1&method=compute', { Prefer: 'respond-async' }), before: none, mask: lasting, after: kept },
    { ...begin({ n: 8, by: 'square' }), mask: lasting },
    post('/jobs?dry-run=true', '{"kind":"count","n":18,"distinct":"mirror"}'),
    get(`/jobs/${id}`),
    get(`/jobs/${id}/events`),
    get(`/jobs/${id}/events`, { 'Last-Event-ID': 'end' }),
    get(`/jobs/${id}/units`),
    get(`/jobs/${listed}/units`),
  ];
}

// ---- The tests ----

const descriptors = (server) => readdirSync(`/proc/${server.process.pid}/fd`).length;
const limit = { timeout: (long ? 3600 : 120) * 1000 * patience };

// Every kind of request, and in the end nothing goes on and nothing is held. kindsOf: makes them, of a server.
async function run(t, kindsOf, ...flags) {
  const memory = new Memory();
  const server = await startWithin(t, memory.wrapper, '--threads', 2, ...flags);
  await server.get('/healthz');
  const connections = await server.metric('nq_connections'), before = descriptors(server), wrong = [];
  for (const [i, kind] of (await kindsOf(server)).entries())
    for (const most of long || i % 3 === 0 ? [1, 1e9] : [1]) wrong.push(...(await exhaust(server, memory, kind, most, i)));
  assert.deepEqual(wrong, []);
  const job = await server.begin(unending);
  await ended(server, job.self);
  for (const gauge of ['reply_bytes', 'searches_running', 'streams_running', 'jobs_active', 'store_waiting'])
    await until(async () => (await server.metric(`nq_${gauge}`)) === 0, `nq_${gauge} is 0`);
  await until(async () => (await server.metric('nq_connections')) <= connections, 'connections are closed');
  await until(() => descriptors(server) <= before, `there are no more than ${before} descriptors`);
}

const file = () => `sqlite:${path.join(temporaryFolder(), 'store.db')}`;
const kinds = [
  ...[solutions, counts, constructions, teaching].flat().map((target) => get(target)),
  ...placements, ...refusals, ...headers, ...zipped, ...operations,
];
test('requests whose answer is not cached', limit, (t) => run(t, () => kinds, '--cache-bytes', 0, '--cors-origin', 'https://a.example'));
test('requests whose answer is cached', limit, (t) => run(t, () => kinds.filter((_, i) => long || i % 8 === 0), '--base-path', '/queens'));
test('jobs', limit, (t) => run(t, jobKinds, '--store', file(), '--threads', 1));

test('acknowledged jobs survive a process that ran out of memory several times', limit, async (t) => {
  const memory = new Memory();
  const store = file(), promised = new Map(); // id: the result that was told, if it was
  const server = await startWithin(t, memory.wrapper, '--threads', 2, '--store', store);
  for (let i = 0; i < (long ? 1000 : 60); i++) {
    const query = { n: 9, exclude: `${1 + (i % 9)}:${1 + (Math.floor(i / 9) % 9)}`, base: i < 81 ? 1 : 0, ...(i < 162 ? {} : { by: 'square' }) };
    const arm = () => memory.arm(long ? 1 + (i % 420) : 60 + 6 * i, i % 3 ? 1 : 1e9);
    if (i % 2) arm(); // or only once it is acknowledged
    const begun = await ask(server, begin(query));
    if (!(i % 2)) arm();
    const look = begun?.complete && [200, 202].includes(begun.status) ? JSON.parse(begun.body) : null;
    const seen = look && (await ask(server, get(look.self)));
    memory.disarm();
    if (look) promised.set(look.id, null);
    if (seen?.complete && seen.status === 200) promised.set(look.id, JSON.parse(seen.body).result ?? null);
  }
  assert.ok(promised.size > 5);
  await server.crash();
  const heir = await startWithin(t, [], '--threads', 2, '--store', store);
  for (const [id, result] of promised) {
    const job = await heir.look(id, ({ state }) => !['queued', 'running'].includes(state));
    if (result) assert.deepEqual(job.result, result);
    else assert.ok(job.state === 'done' || job.why === 'out of memory', JSON.stringify(job));
  }
});

test('a job that is out of memory for a second goes on when there is some', limit, async (t) => {
  const memory = new Memory();
  const server = await startWithin(t, memory.wrapper, '--threads', 2);
  const { id } = await server.begin({ n: 18, method: 'compute' });
  const { units } = await server.look(id, ({ units }) => units.done > 0, 'a unit is done');
  memory.arm(1, 1e9);
  await until(() => memory.failed > 2, 'a unit is out of memory');
  await sleep(1);
  memory.disarm();
  const job = await server.look(id, ({ state }) => !['queued', 'running'].includes(state), 'it is over', 120);
  assert.ok(units.done < units.total);
  assert.deepEqual([job.state, job.result?.count], ['done', Number(tables().all.terms[18])], job.why);
});

// A process that starts with memory out at the k-th allocation serves, or says in a sentence why not.
async function startPoorly(memory, k, most, store) {
  const nobody = { after() {} }; // to stop what may not have started
  memory.arm(k, most);
  const server = await startWithin(nobody, memory.wrapper, '--threads', 2, '--store', store).catch((error) => error);
  return { server, ...memory.disarm() };
}

test('a start', limit, async (t) => {
  const memory = new Memory(), store = file();
  const first = await startWithin(t, [], '--store', store);
  const { id } = await first.begin({ n: 9, exclude: '1:1' });
  const done = await first.look(id, ({ state }) => state === 'done');
  await first.begin(unending);
  await first.crash();
  const outcomes = { served: 0, refused: 0 };
  for (const most of [1, 1e9])
    for (let k = 1, failed = 1; failed; k = k < (long ? 300 : 3) ? k + 1 : k + 1 + Math.floor(k / (long ? 16 : 3))) {
      const { server, ...found } = await startPoorly(memory, k, most, store);
      failed = found.failed;
      if (server instanceof Error) {
        assert.match(server.message, /^exited with 1: (?:.*\n)*(?:nqueensd: .*|.*"event":"fatal","text":".*)[a-z].*\n$/, `allocation ${k}${most > 1 ? ' on' : ''}`);
        outcomes.refused++;
      } else {
        assert.deepEqual(await server.getJson(`/jobs/${id}`), done);
        await server.stop();
        outcomes.served++;
      }
    }
  assert.ok(outcomes.refused > 10 && outcomes.served > 1, JSON.stringify(outcomes));
});
