// serving.test.js - what requests cost the one thread that serves everybody, by schedstat: it only moves bytes, whatever is asked. Each
// is asked several times, and the least counts: what a busy machine adds (cold caches, interrupts) is not the request's. For the same
// reason what is asked is answered in some milliseconds: while all processors count for long, every request costs several times as much.
import { readFileSync, readdirSync } from 'node:fs';
import { after, assert, slow, start, test, until } from './harness.js';
import { nameOf, routes } from './table.js';

const TIMES = 12;
const MOST = 500; // microseconds a request,
const MOST_MB = 1500; // and for each megabyte that is sent or comes
const only = { skip: slow && 'sanitizers take longer' };

const server = await start({ after }, '--threads', 2, '--max-jobs', 1000, '--max-client-jobs', 1000, '--max-target-bytes', '8K');
const job = await server.begin({ n: 12, exclude: '1:1' });
await server.look(job.id, ({ state }) => state === 'done');
const script = (await server.get('/')).text.match(/web\/([\w.-]+\.js)/)[1];
const diagonal = (count) => Array.from({ length: count }, (_, row) => `${row + 1}:${2 * row + 1}`).join(',');
const strips = Array.from({ length: 16 }, (_, row) => String.fromCharCode(97 + row).repeat(16)).join('/');

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
  ],
  'GET /count': [
    (i) => `/count?n=8-14&exclude=1:${1 + (i % 8)}`, (i) => `/count?n=14&method=compute&exclude=1:${i}`, (i) => `/count?n=40&method=estimate&walks=200&seed=${i}`, () => '/count?n=0-27',
  ],
  'GET /construct': [(i) => `/construct?n=${999999 - i}&format=octet-stream`, (i) => `/construct?n=100000&method=local-search&seed=${i}`, (i) => `/construct?n=${3999 - i}&format=png`],
  'GET /trace': [(i) => `/trace?n=64&algorithm=forward-checking&format=ndjson&solutions=${i}`, (i) => `/trace?n=20&algorithm=mrv&limit=${1000 + i}`],
  'GET /compare': [(i) => `/compare?n=8&seed=${i}`],
  'GET /puzzle': [(i) => `/puzzle?n=64&seed=${i}`, (i) => `/puzzle?kind=regions&n=16&seed=${i}`],
  'GET /hint': [(i) => `/hint?n=12&place=1:${i}`, (i) => `/hint?regions=${strips}&place=1:${i}`],
  'POST /verify': [() => '/verify'],
  'POST /jobs': [() => '/jobs'],
  'GET /jobs/{id}': [() => job.self],
  'DELETE /jobs/{id}': [() => job.self],
  'GET /jobs/{id}/events': [() => job.events],
  'GET /jobs/{id}/units': [() => `${job.self}/units`],
  'GET /algorithms': [() => '/algorithms'],
  'GET /openapi.yaml': [() => '/openapi.yaml'],
  'GET /': [() => '/'],
  'GET /docs': [() => '/docs'],
  'GET /web/{file}': [() => `/web/${script}`],
};
const bodyOf = {
  'POST /verify': (i) => JSON.stringify({ permutation: Array.from({ length: 10000 }, (_, row) => 1 + ((row + i) % 10000)) }),
  'POST /jobs': (i) => JSON.stringify({ kind: 'count', n: 16, place: `1:${i}` }),
};

const tasks = (of) => `/proc/${of.process.pid}/task`;
const serving = (of) => readdirSync(tasks(of)).find((task) => readFileSync(`${tasks(of)}/${task}/comm`, 'utf8') === 'http\n');
const used = (of) => Number(readFileSync(`${tasks(of)}/${serving(of)}/schedstat`, 'utf8').split(' ')[0]) / 1000;

// Asks by a connection of its own until the head of the reply is there, and as much of the body as comes with it: the rest of a long one
// is bytes that are moved. Returns the status.
async function ask(of, method, target, body = '') {
  const client = await of.connect();
  const type = body ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` : '';
  const head = await client.send(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\n${type}\r\n${body}`).head();
  client.drop();
  return { status: head.status, bytes: body.length + Number(head.headers['content-length'] ?? 0) };
}

// The least of what a request costs, but for its bytes; the reply has one of these statuses.
async function cost(of, statuses, ask) {
  const costs = [];
  for (let i = 1; i <= TIMES; i++) {
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
      const least = await cost(server, [200, 202, 404, 422], (i) => ask(server, route.method, target(i), bodyOf[nameOf(route)]?.(i)));
      const most = MOST * (least > MOST ? await slowness() : 1);
      assert.ok(least <= most, `${target(1).slice(0, 100)}: ${least.toFixed(0)} us, at most ${most.toFixed(0)}`);
    }
  });

test('a refused request costs less than an answered one (plain)', only, async (t) => {
  const own = await start(t, '--threads', 1, '--max-streams', 1, '--max-client-searches', 8);
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
    const little = await cost(own, [status, 400], (i) => ask(own, 'GET', refused(i)));
    const much = await cost(answered[0], [200], (i) => ask(answered[0], 'GET', answered[1](i)));
    // What both have is the head of the request, the log, and a reply: where the answer is no more than that, they are alike.
    assert.ok(little <= Math.max(1.2 * much, 200 * (await slowness())), `${route}: ${little.toFixed(0)} us, an answer ${much.toFixed(0)} us`);
  }
  held.drop();
});
