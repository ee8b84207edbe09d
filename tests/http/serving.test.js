// serving.test.js - what requests cost the one thread that serves everybody, by schedstat: it only moves bytes, whatever is asked. Each
// is asked several times, and the least counts: what a busy machine adds (cold caches, interrupts) is not the request's. For the same
// reason what is asked is answered in some milliseconds: while all processors count for long, every request costs several times as much.
// All of it (plain).
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { after, assert, binary, slow, start, temporaryFolder, test, until } from './harness.js';
import { needed, nameOf, routes } from './table.js';

const TIMES = 12;
const MOST = 500; // microseconds a request,
const MOST_MB = 1500; // and for each megabyte that is sent or comes
const only = { skip: slow && 'sanitizers take longer' };

const server = await start({ after }, '--kernel', 'auto', '--threads', 2, '--max-jobs', 1000, '--max-client-jobs', 1000, '--max-target-bytes', '8K');
const job = await server.begin({ n: 12, exclude: '1:1' });
await server.look(job.id, ({ state }) => state === 'done');
const script = (await server.get('/')).text.match(/web\/([\w.-]+\.js)/)[1];
const shapeCursor = (await server.getJson('/solve?n=64&m=64&queens=any&limit=1')).next_cursor;
const diagonal = (count) => Array.from({ length: count }, (_, row) => `${row + 1}:${2 * row + 1}`).join(',');
const strips = Array.from({ length: 16 }, (_, row) => String.fromCharCode(97 + row).repeat(16)).join('/');

// `strict` takes small bodies, and has keys. `full` lets a client have one search, which is under way.
const keys = path.join(temporaryFolder(), 'keys');
writeFileSync(keys, spawnSync(binary, ['new-key', 'ann'], { encoding: 'utf8' }).stdout);
const strict = await start({ after }, '--threads', 1, '--max-body-bytes', '1K', '--api-keys', keys);
const full = await start({ after }, '--threads', 1, '--max-client-searches', 1);
for (const of of [strict, full]) await of.get('/'); // the thread that serves has its name after the first connection
const search = await full.connect();
search.ask('GET', '/solve?n=64&algorithm=forward-checking&format=ndjson');
await until(async () => (await full.metric('nq_streams_running')) === 1, 'it is under way');

// By route: the largest that there is of each kind of question, each time another one. Streams are dropped when their head is there.
const largest = {
  'GET /solve': [
    (i) => `/solve?n=64&algorithm=forward-checking&format=ndjson&exclude=1:${i}`,
    (i) => `/solve?n=1000&limit=${i}&format=ndjson&place=${diagonal(199)}`,
    (i) => `/solve?n=1000&limit=1&exclude=${diagonal(198)},1000:${i}`,
    (i) => `/solve?n=15&format=ndjson&exclude=1:${i}`,
    (i) => `/solve?n=12&limit=2000&board=unicode&exclude=1:${i}`,
    (i) => `/solve?n=14&sample=100&seed=${i}`,
    (i) => `/solve?regions=${strips}&limit=${i}`,
    (i) => `/solve?n=200&limit=1&format=svg&exclude=1:${i}`,
    (i) => `/solve?n=64&m=64&queens=any&limit=${i}`,
    (i) => `/solve?n=10&m=64&walls=${i}:1&limit=1`,
    (i) => [`/solve?n=64&m=64&queens=any&limit=${i}`, shapeCursor].join('&cursor='),
  ],
  'GET /count': [
    (i) => `/count?n=10&m=64&queens=2&exclude=${1 + i}:${1 + (i % 10)}`, (i) => `/count?n=64&m=64&queens=any&method=estimate&walks=200&seed=${i}`,
    (i) => `/count?n=8-14&exclude=1:${1 + (i % 8)}`, (i) => `/count?n=14&method=compute&exclude=1:${i}`, (i) => `/count?n=40&method=estimate&walks=200&seed=${i}`, () => '/count?n=0-27',
  ],
  'GET /construct': [(i) => `/construct?n=${999999 - i}&format=octet-stream`, (i) => `/construct?n=100000&method=local-search&seed=${i}`, (i) => `/construct?n=${3999 - i}&format=png`],
  'GET /trace': [(i) => `/trace?n=64&algorithm=forward-checking&format=ndjson&solutions=${i}`, (i) => `/trace?n=20&algorithm=mrv&limit=${1000 + i}`],
  'GET /compare': [(i) => `/compare?n=8&seed=${i}`],
  'GET /puzzle': [(i) => `/puzzle?n=64&seed=${i}`, (i) => `/puzzle?kind=regions&n=16&seed=${i}`],
  'GET /hint': [(i) => `/hint?n=12&place=1:${i}`, (i) => `/hint?regions=${strips}&place=1:${i}`],
  'GET /verify': [(i) => `/verify?n=1000&place=${diagonal(198)},1000:${i}`, (i) => `/verify?n=1000&place=${diagonal(198)},1000:${i}&format=png`],
  'POST /verify': [() => '/verify'],
  'POST /solve': [() => '/solve?limit=1', () => '/solve?limit=1&format=ndjson'],
  'POST /count': [(i) => `/count?method=estimate&walks=200&seed=${i}`],
  'POST /hint': [() => '/hint'],
  'POST /trace': [(i) => `/trace?limit=${1000 + i}`],
  'POST /puzzle': [(i) => `/puzzle?seed=${i}`],
  'POST /jobs': [() => '/jobs'],
  'GET /jobs/{id}': [() => job.self],
  'DELETE /jobs/{id}': [() => job.self],
  'GET /jobs/{id}/events': [() => job.events],
  'GET /jobs/{id}/units': [() => `${job.self}/units`],
  'GET /algorithms': [() => '/algorithms'],
  'GET /openapi.yaml': [() => '/openapi.yaml'],
  'GET /openapi.json': [() => '/openapi.json'],
  'GET /': [() => '/'],
  'GET /play': [() => '/play'],
  'GET /play/{board}': [() => '/play/131w'],
  'GET /watch': [() => '/watch'],
  'GET /watch/{algorithm}': [() => '/watch/rapella'],
  'GET /board': [() => '/board'],
  'GET /build': [() => '/build'],
  'GET /docs': [() => '/docs'],
  'GET /embed': [() => '/embed?code=131w'],
  'GET /web/{file}': [() => `/web/${script}`],
  'GET /favicon.ico': [() => '/favicon.ico'],
  'GET /apple-touch-icon.png': [() => '/apple-touch-icon.png'],
  'GET /icons/{icon}': [() => '/icons/512.png'],
  'GET /robots.txt': [() => '/robots.txt'],
  'GET /manifest.webmanifest': [() => '/manifest.webmanifest'],
  'GET /worker.js': [() => '/worker.js'],
};
const marks = (n, i) => Array.from({ length: 999 }, (_, k) => [n - Math.floor(k / n), 1 + ((k + i) % n)]); // as many as a parameter may have
const bodyOf = {
  'POST /solve': (i) => JSON.stringify({ n: 1000, queens: Array.from({ length: 198 }, (_, row) => [row + 1, 2 * row + 1]), exclude: marks(1000, i) }),
  'POST /count': (i) => JSON.stringify({ n: 40, exclude: marks(40, i) }),
  'POST /hint': (i) => JSON.stringify({ regions: strips.split('/'), states: Array.from({ length: 16 }, (_, r) => Array.from({ length: 16 }, (__, c) => (r || c + 1 === i ? 0 : 2))) }),
  'POST /trace': () => JSON.stringify({ regions: strips }),
  'POST /puzzle': () => JSON.stringify({ n: 64 }),
  'POST /verify': (i) => JSON.stringify({ permutation: Array.from({ length: 10000 }, (_, row) => 1 + ((row + i) % 10000)) }),
  'POST /jobs': (i) => JSON.stringify({ kind: 'count', n: 16, place: `1:${i}` }),
};

const tasks = (of) => `/proc/${of.process.pid}/task`;
const serving = (of) => readdirSync(tasks(of)).find((task) => readFileSync(`${tasks(of)}/${task}/comm`, 'utf8') === 'http\n');
const used = (of) => Number(readFileSync(`${tasks(of)}/${serving(of)}/schedstat`, 'utf8').split(' ')[0]) / 1000;

async function logged(of, id) {
  let found;
  await until(() => (found = of.logs.find((line) => line.event === 'request' && line.id === id)), 'the request is over');
  return found;
}

// Asks by a connection of its own until the head of the reply is there, and as much of the body as comes with it: the rest of a long one
// is bytes that are moved. Returns the status, and the bytes; of a stream it is the log that knows how many went before it was dropped.
async function ask(of, method, target, body = '', fields = {}) {
  const client = await of.connect();
  const type = body ? { 'Content-Type': 'application/json', 'Content-Length': body.length } : {};
  const lines = Object.entries({ Host: 'localhost', Prefer: 'wait=60', ...type, ...fields }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = await client.send(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`).head();
  client.drop();
  const length = head.headers['content-length'] ?? (await logged(of, head.headers['x-request-id'])).bytes;
  return { status: head.status, bytes: body.length + Number(length) };
}

// The least of what a request costs, but for its bytes; the reply has one of these statuses. What costs no more than is `enough` is asked
// no more.
async function cost(of, statuses, ask, enough = 0) {
  const costs = [];
  for (let i = 1; i <= TIMES && !(costs.at(-1) <= enough); i++) {
    const before = used(of);
    const { status, bytes } = await ask(i);
    costs.push(used(of) - before - (MOST_MB * bytes) / 1e6);
    assert.ok(statuses.includes(status), `${status}, not ${statuses}: ${ask}`);
  }
  return Math.min(...costs);
}

// On a machine that is slower, or has more to do, each takes so many times as long: as a cached answer does, which took 50 us.
const USUAL = 50;
const slowness = async () => Math.max(1, (await cost(server, [200], () => ask(server, 'GET', '/count?n=8'))) / USUAL);

for (const route of routes.filter(({ port }) => port === 'public'))
  test(`${nameOf(route)} takes the thread that serves everybody at most ${MOST} us (plain)`, only, async () => {
    for (const target of largest[nameOf(route)] ?? assert.fail(`serving.test.js has nothing for ${nameOf(route)}`)) {
      const least = await cost(server, [200, 202, 404, 422], (i) => ask(server, route.method, target(i), bodyOf[nameOf(route)]?.(i)), MOST);
      const most = MOST * (least > MOST ? await slowness() : 1);
      assert.ok(least <= most, `${target(1).slice(0, 100)}: ${least.toFixed(0)} us, at most ${most.toFixed(0)}`);
    }
  });

// Each reason for which a route refuses a request before any work: the status, of which routes, and what is asked.
const limited = ({ parameters }) => parameters.find(({ type, maximum }) => type === 'number' && maximum);
const asked = ({ parameters }) => (parameters.some(needed) ? '?n=12' : '');
const posted = ({ method }) => method === 'POST';
const wanted = (route) => (route.path === '/embed' ? '?code=131w' : asked(route));
const reasons = [
  ['a parameter that is not sound', 400, () => true, (route) => ({ query: route.any_parameter ? '?lang=xx' : '?nonsense=1' })],
  ['a number beyond its limit', 422, limited, (route) => ({ query: `?${limited(route).name}=${BigInt(limited(route).maximum) + 1n}` })],
  ['no such job or file', 404, (route) => route.path.includes('{') && !route.any_parameter, () => ({ of: full })],
  ['no acceptable type', 406, () => true, (route) => ({ query: wanted(route), fields: { Accept: 'x/y' } })],
  ['an unknown key', 401, () => true, (route) => ({ query: wanted(route), fields: { Authorization: 'Bearer nobody' } })],
  ['another media type', 415, posted, () => ({ fields: { 'Content-Type': 'image/png' } })],
  ['a large body', 413, posted, () => ({ body: ' '.repeat(4096) })],
  ['a search too many', 429, (route) => route.path !== '/embed' && (asked(route) || route.board || route.path === '/verify'), (route) => ({ query: asked(route), of: full })],
];
const small = {
  ...Object.fromEntries(routes.filter(({ board }) => board).map((route) => [nameOf(route), '{"n":12}'])),
  'POST /verify': '{"permutation":[2,4,1,3]}', 'POST /jobs': '{"kind":"count","n":8}',
};

// What a refused and an answered one have in common is the head of the request, the log, and a reply: where an answer is no more than
// that, they are alike.
const ALIKE = 200;

for (const route of routes.filter(({ port }) => port === 'public'))
  test(`${nameOf(route)} refuses a request for less than it answers one (plain)`, only, async () => {
    const [name, path] = [nameOf(route), route.path.replace(/\{.*\}/, '0123456789abcdef')];
    for (const [reason, status, , request] of reasons.filter(([, , has]) => has(route))) {
      const { of = strict, query = '', body = small[name], fields } = request(route);
      const little = await cost(of, [status], () => ask(of, route.method, path + query, body, fields), ALIKE);
      if (little <= ALIKE) continue;
      const much = await cost(server, [200, 202, 404, 422], (i) => ask(server, route.method, largest[name][0](i), bodyOf[name]?.(i)));
      const most = Math.max(1.2 * much, ALIKE * (await slowness()));
      assert.ok(little <= most, `${reason}: ${little.toFixed(0)} us, an answer ${much.toFixed(0)} us`);
    }
  });

test('what is refused for want of streams, or above a limit of its kind, costs less than an answer (plain)', only, async (t) => {
  const own = await start(t, '--kernel', 'auto', '--threads', 1, '--max-streams', 1, '--max-client-searches', 8);
  const held = await own.connect();
  held.ask('GET', '/solve?n=64&algorithm=forward-checking&format=ndjson');
  await until(async () => (await own.metric('nq_streams_running')) === 1, 'a stream is open');
  for (const [route, status, refused, answered] of [
    ['a stream beyond --max-streams', 503, (i) => `/solve?n=64&algorithm=forward-checking&format=ndjson&exclude=1:${i}`, [server, (i) => `/solve?n=64&algorithm=forward-checking&format=ndjson&exclude=2:${i}`]],
    ['a trace beyond --max-streams', 503, (i) => `/trace?n=64&algorithm=forward-checking&format=ndjson&solutions=${i}`, [server, (i) => `/trace?n=64&algorithm=forward-checking&format=ndjson&solutions=${20 + i}`]],
    ['a count beyond its limit', 422, (i) => `/count?n=30&exclude=1:${i}`, [own, (i) => `/count?n=13&method=compute&exclude=1:${i}`]],
    ['a construction beyond --max-streams', 503, (i) => `/construct?n=${20000000 + i}`, [server, (i) => `/construct?n=${20000000 + i}`]],
    ['a puzzle beyond its limit', 422, (i) => `/puzzle?n=2000&seed=${i}`, [own, (i) => `/puzzle?n=20&seed=${i}`]],
  ]) {
    const little = await cost(own, [status, 400], (i) => ask(own, 'GET', refused(i)), ALIKE);
    if (little <= ALIKE) continue;
    const much = await cost(answered[0], [200], (i) => ask(answered[0], 'GET', answered[1](i)));
    assert.ok(little <= Math.max(1.2 * much, ALIKE * (await slowness())), `${route}: ${little.toFixed(0)} us, an answer ${much.toFixed(0)} us`);
  }
  held.drop();
});

// Milliseconds that a cached answer takes, in the middle of at least a hundred, until enough are there.
async function median(of, enough) {
  const client = await of.connect();
  const took = [];
  while (took.length < 100 || !enough()) {
    const before = performance.now();
    assert.equal((await client.send('HEAD /count?n=8 HTTP/1.1\r\nHost: localhost\r\n\r\n').head()).status, 200);
    took.push(performance.now() - before);
  }
  client.drop();
  return took.sort((a, b) => a - b)[took.length >> 1];
}

// Both have stalled everybody once: streams, whose searches ended on the thread that serves, and bodies, which it read and compared. The
// processors have more to do meanwhile, so that the same answer takes a few times as long, but no stall.
const crowds = {
  'streams are opened and closed': { streams: [...Array(3).fill('/solve'), ...Array(3).fill('/trace')].map((path) => `${path}?n=64&algorithm=forward-checking&format=ndjson`), bodies: 0 },
  'large bodies are posted': { streams: [], bodies: 2 },
};
for (const [what, crowd] of Object.entries(crowds))
  test(`a cached answer comes at once while ${what} (plain)`, only, async (t) => {
    const own = await start(t, '--threads', 2);
    await own.get('/count?n=8');
    await median(own, () => true); // the first ones are compiled
    const quiet = await median(own, () => true);
    let turns = {};
    const worker = new Worker(new URL('crowd.js', import.meta.url), { workerData: { port: own.port, numbers: 300000, ...crowd } });
    t.after(() => worker.terminate());
    worker.on('message', (message) => (turns = message));
    const all = crowd.streams.length + crowd.bodies;
    await until(() => Object.keys(turns).length === all, 'each has had a turn');
    const medians = []; // whatever else the machine does adds to some of them; a stall adds to each
    while (medians.length < 5 && !(Math.min(...medians) <= 5 * quiet + 0.5)) {
      const before = { ...turns };
      medians.push(await median(own, () => Object.keys(turns).every((who) => turns[who] >= before[who] + 3)));
    }
    assert.ok(Math.min(...medians) <= 5 * quiet + 0.5, `${medians.map((one) => one.toFixed(3))} ms, ${quiet.toFixed(3)} ms before`);
  });
