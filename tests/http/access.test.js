// access.test.js - keys: what takes one, what it allows, whose jobs are whose, that the file is read again on SIGHUP, and that no
// key is ever told.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, assert, binary, long, longPath, refuse, sleep, start, startWithin, temporaryFolder, test, until } from './harness.js';
import { behindNginx } from './nginx.js';

const folder = temporaryFolder();
const told = []; // every key, of whoever

// A key and its line.
function newKey(...words) {
  const { status, stdout, stderr } = spawnSync(binary, ['new-key', ...words], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  told.push(stderr.trimEnd());
  return { key: stderr.trimEnd(), line: stdout };
}
// Writes a file of keys, whole or not at all.
function keep(name, ...lines) {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, lines.join(''));
  renameSync(`${file}.new`, file);
  return file;
}
const bearing = (key) => ({ authorization: `Bearer ${key}` });
const now = { prefer: 'respond-async' };
const problem = (reply, status, slug) => {
  reply.isProblem(status);
  assert.equal(reply.json.type, `urn:nqueensd:problem:${slug}`, reply.text);
  const challenges = { 'key-needed': 'Bearer realm="nqueensd"', 'key-unknown': 'Bearer realm="nqueensd", error="invalid_token"' };
  assert.equal(reply.headers['www-authenticate'], challenges[slug], slug);
};
const needsKey = (reply) => problem(reply, 401, 'key-needed');
const unknown = (reply) => problem(reply, 401, 'key-unknown');
const forbidden = (reply) => problem(reply, 403, 'forbidden');
const lines = (server, event) => server.logs.filter((line) => line.event === event);
// Lets a server read its file again; what it says of that.
async function reload(server) {
  const before = lines(server, 'keys').length;
  server.process.kill('SIGHUP');
  await until(() => lines(server, 'keys').length > before, 'it has heard SIGHUP');
  return lines(server, 'keys').at(-1).text;
}
// The same long count for everybody but for one square; each is a search of its own.
const longest = (k) => ({ ...long, exclude: `${long.exclude},2:${k + 3}` });

const ann = newKey('ann');
const bob = newKey('bob', 'jobs=1', 'searches=1');
const cal = newKey('cal', 'jobs=0', 'hours=0');
const file = keep('keys', '# of the tests\n', ann.line, bob.line, cal.line);
const keyed = await start({ after }, '--api-keys', file, '--free-seconds', '1', '--cors-origin', '*');
const keyless = await start({ after });

test('a new key is long, is printed once, and its line has its hash', () => {
  assert.match(ann.key, /^nq_[A-Za-z0-9_-]{43}$/);
  assert.notEqual(ann.key, newKey('ann').key);
  assert.equal(ann.line, `ann ${createHash('sha256').update(ann.key).digest('hex')}\n`);
  assert.match(bob.line, /^bob [0-9a-f]{64} jobs=1 searches=1\n$/);
  for (const words of [[], ['a b'], ['a/b'], ['ann', 'jobs'], ['ann', 'jobs=x'], ['ann', 'hours=1', 'hours=1'], ['#']]) {
    const { status, stdout, stderr } = spawnSync(binary, ['new-key', ...words], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.doesNotMatch(stderr, /nq_/); // a key that is in no file is none
  }
});

test('--help behind a command prints the help, and new-key makes no key', () => {
  const { stdout: help } = spawnSync(binary, ['--help'], { encoding: 'utf8' });
  for (const command of ['serve', 'worker', 'healthcheck', 'new-key', 'routes']) {
    const { status, stdout, stderr } = spawnSync(binary, [command, '--help'], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, help, ''], command);
  }
});

test('without --api-keys no key is needed, and a key is ignored', async () => {
  const id = { 'x-request-id': 'keyless' };
  const reply = await keyless.get('/count?n=8', { ...bearing('nonsense'), 'x-api-key': 'more', ...id });
  assert.equal(reply.status, 200);
  await until(() => keyless.logs.some((line) => line.id === 'keyless'), 'it is in the log');
  assert.ok(!('key' in keyless.logs.find((line) => line.id === 'keyless')));
  const job = await keyless.begin(long);
  assert.equal((await keyless.delete(job.self, bearing('nonsense'))).status, 200);
  const count = await keyless.get(`${longPath},2:9`, now);
  assert.equal(count.status, 202);
  await keyless.delete(count.json.self);
});

test('an unknown key is rejected on every route except those of the admin port', async () => {
  const before = await keyed.metric('nq_access_refused_total');
  const wrong = [bearing('nq_wrong'), { 'x-api-key': 'nq_wrong' }, { 'x-api-key': '' }, bearing(''), bearing(`${ann.key}x`),
    { authorization: 'bEARER nq_wrong' }];
  for (const headers of wrong) unknown(await keyed.get('/count?n=8', headers));
  for (const target of ['/solve?n=4', '/solve?n=x', '/solve?n=6&format=ndjson', '/nothing', '/algorithms', '/openapi.yaml', '/jobs/0'])
    unknown(await keyed.get(target, wrong[0]));
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'PUT']) unknown(await keyed.get('/count?n=8', wrong[0], method));
  unknown(await keyed.post('/verify', { permutation: [2, 4, 1, 3] }, wrong[1]));
  unknown(await keyed.post('/jobs', '{', wrong[1]));
  const head = await keyed.get('/count?n=8', wrong[0], 'HEAD');
  assert.deepEqual([head.status, head.headers['www-authenticate']], [401, 'Bearer realm="nqueensd", error="invalid_token"']);
  const { headers } = await keyed.get('/count?n=8');
  unknown(await keyed.get('/count?n=8', { ...wrong[0], 'if-none-match': headers.etag }));
  assert.equal((await keyed.admin('/healthz', wrong[0])).status, 200);
  assert.equal(await keyed.metric('nq_access_refused_total'), before + wrong.length + 7 + 4 + 2 + 2);
  assert.ok((await keyed.metric('nq_http_requests_total', { code: 401, route: '/count' })) >= wrong.length);
  const client = await keyed.connect(); // a connection goes on
  for (let i = 0; i < 2; i++) assert.equal((await client.ask('GET', '/count?n=8', wrong[0]).reply()).status, 401);
  client.drop();
});

test('two keys in a request are a 400', async () => {
  problem(await keyed.get('/count?n=8', { ...bearing(ann.key), 'x-api-key': ann.key }), 400, 'bad-request');
  for (const field of [`X-API-Key: ${ann.key}`, `Authorization: Bearer ${ann.key}`]) {
    const [reply, end] = await keyed.raw(`GET /count?n=8 HTTP/1.1\r\nHost: a\r\n${field}\r\n${field}\r\n\r\n`);
    assert.deepEqual([reply.status, end], [400, 'end']);
  }
  // What a proxy asks for itself is no key of ours.
  const basic = { authorization: 'Basic YTpi' };
  assert.equal((await keyed.get('/count?n=8', basic)).status, 200);
  needsKey(await keyed.post('/jobs', { kind: 'count', n: 8 }, basic));
  const job = await keyed.post('/jobs', { kind: 'count', n: 8 }, { ...basic, 'x-api-key': ann.key });
  assert.ok([200, 202].includes(job.status), job.text);
});

test('starting a job needs a key in every form; reading, following and dry runs do not', async () => {
  const body = { kind: 'count', ...longest(0) };
  needsKey(await keyed.post('/jobs', body));
  for (const prefer of ['respond-async', 'wait=0', 'respond-async, wait=5'])
    needsKey(await keyed.get('/count?n=15&method=compute&exclude=1:1', { prefer }));
  needsKey(await keyed.get('/count?n=15&method=compute&exclude=1:1', now, 'HEAD').then((reply) => {
    assert.equal(reply.text, '');
    return Object.assign(reply, { text: '{"type":"urn:nqueensd:problem:key-needed","status":401}' });
  }));
  needsKey(await keyed.get('/solve?n=12&exclude=2:2&total=true', now));
  needsKey(await keyed.get('/solve?n=12&exclude=2:2&offset=5', now));
  assert.equal(await keyed.metric('nq_jobs_active'), 0);
  const cost = await keyed.post('/jobs?dry-run=true', body);
  assert.deepEqual([cost.status, cost.json.accepted], [200, false]);
  assert.equal((await keyed.post('/jobs?dry-run=true', body, bearing(ann.key))).json.accepted, true);
  assert.equal((await keyed.post('/jobs?dry-run=true', body, bearing(cal.key))).json.accepted, false);
  const begun = await keyed.post('/jobs', body, bearing(ann.key));
  assert.equal(begun.status, 202, begun.text);
  const { id, self } = begun.json;
  await keyed.look(id, ({ state }) => state === 'running');
  const listener = await keyed.listenTo(`${self}/events`);
  needsKey(await keyed.delete(self));
  forbidden(await keyed.delete(self, bearing(bob.key)));
  assert.equal((await keyed.get(self)).json.shares, 1);
  assert.equal((await keyed.delete(self, { 'x-api-key': ann.key })).json.state, 'cancelled');
  assert.equal((await keyed.delete(self, { 'x-api-key': ann.key })).status, 200); // as often as one likes
  needsKey(await keyed.delete('/jobs/0123456789abcdef'));
  assert.equal((await keyed.delete('/jobs/0123456789abcdef', bearing(ann.key))).status, 404);
  for await (const event of listener.events) if (event.event === 'done') assert.equal(event.data.state, 'cancelled');
});

test('cached, published and quick answers need no key', async () => {
  for (const target of ['/count?n=27', '/solve?n=8', '/construct?n=1000', '/puzzle?n=8&seed=1', '/hint?n=8', '/count?n=12',
    '/solve?n=10&format=ndjson', '/solve?n=10&offset=3', '/solve?n=20&limit=3', '/compare?n=5', '/trace?n=5'])
    assert.equal((await keyed.get(target)).status, 200, target);
  assert.equal((await keyed.get('/count?n=12', now)).status, 200); // it is cached by now
  assert.equal((await keyed.get('/count?n=30&method=compute', {}, 'HEAD')).status, 200); // a HEAD never counts
  const nothing = await start({ after }, '--api-keys', file, '--free-seconds', '0');
  for (const target of ['/count?n=8', '/hint?n=8', '/solve?n=9&offset=3']) assert.equal((await nothing.get(target)).status, 200);
});

test('longer counts need a key, and each key has its own limit', async () => {
  const dear = [longPath, '/solve?n=18&distinct=mirror&exclude=1:1&offset=5', '/solve?n=18&exclude=1:1&total=true',
    '/count?n=40&method=estimate&walks=10000000'];
  for (const target of dear) {
    const reply = await keyed.get(target);
    needsKey(reply);
    assert.match(reply.json.detail, /core-seconds/);
    forbidden(await keyed.get(target, bearing(cal.key)));
  }
  const board = { permutation: [1, 3, 5, 7, 9, 11, 13, 15, 17, 2, 4, 6, 8, 10, 12, 14, 16, 18] };
  needsKey(await keyed.post('/verify?rank=true', board));
  forbidden(await keyed.post('/jobs', { kind: 'count', ...long }, bearing(cal.key)));
  await until(async () => (await keyed.metric('nq_searches_running')) === 0, 'nothing is searched for');
  const count = await keyed.get(longPath, { ...bearing(ann.key), ...now });
  assert.equal(count.status, 202, count.text);
  needsKey(await keyed.get(longPath)); // nor is another's count to be had by waiting for it
  assert.equal((await keyed.delete(count.json.self, bearing(ann.key))).json.state, 'cancelled');
  assert.ok((await keyed.metric('nq_http_requests_total', { code: 403 })) >= dear.length);
});

test('without the right to a job a client waits up to the limit, and then the search ends', async () => {
  const generous = await start({ after }, '--api-keys', file, '--free-seconds', '1000000000', '--threads', '1');
  needsKey(await generous.get(longPath, { prefer: 'wait=1' }));
  await until(async () => (await generous.metric('nq_searches_running')) === 0, 'nobody counts');
  assert.equal(await generous.metric('nq_jobs_begun_total'), 0);
  const waiting = await generous.connect(); // no preference: not ten seconds, as who gets a job then
  waiting.ask('GET', longPath);
  await until(async () => (await generous.metric('nq_searches_running')) === 1, 'it is counted');
  waiting.drop();
});

test('a key limits jobs and searches at once, without an effect on other clients', async () => {
  const id = async (headers, k) => {
    const reply = await keyed.post('/jobs', { kind: 'count', ...longest(k) }, headers);
    assert.equal(reply.status, 202, reply.text);
    return reply.json.self;
  };
  const own = await id(bearing(bob.key), 1);
  for (const refused of [await keyed.post('/jobs', { kind: 'count', ...longest(2) }, bearing(bob.key)), await keyed.get(longPath, { ...bearing(bob.key), ...now })]) {
    refused.isProblem(429);
    assert.deepEqual([refused.headers['ratelimit-policy'], refused.headers.ratelimit], ['"jobs";q=1', '"jobs";r=0;t=1']);
    assert.match(refused.headers['retry-after'], /^[1-9]/);
  }
  const others = [await id(bearing(ann.key), 2), await id(bearing(ann.key), 3), await id(bearing(ann.key), 1)];
  assert.equal((await keyed.get(own)).json.shares, 2); // one of each
  forbidden(await keyed.post('/jobs', { kind: 'count', n: 9 }, bearing(cal.key)));
  assert.ok(['queued', 'running'].includes((await keyed.delete(own, bearing(bob.key))).json.state));
  const next = await id(bearing(bob.key), 2); // ann's; it counts for him too
  (await keyed.post('/jobs', { kind: 'count', ...longest(4) }, bearing(bob.key))).isProblem(429);
  await keyed.delete(next, bearing(bob.key));
  for (const self of others) assert.equal((await keyed.delete(self, bearing(ann.key))).json.state, 'cancelled');
  const searching = await keyed.connect();
  searching.ask('GET', '/solve?n=30&order=lexicographic&format=ndjson', bearing(bob.key));
  assert.equal((await searching.head()).status, 200);
  const refused = await keyed.get('/solve?n=9&limit=17', bearing(bob.key));
  refused.isProblem(429);
  assert.equal(refused.headers['ratelimit-policy'], '"searches";q=1');
  for (const headers of [{}, bearing(ann.key)]) assert.equal((await keyed.get('/solve?n=9&limit=18', headers)).status, 200);
  assert.equal((await keyed.get('/solve?n=9&limit=18', bearing(bob.key))).status, 200); // what is cached is for everybody
  searching.drop();
});

test('a key is one client, from any address', async () => {
  const behind = await start({ after }, '--api-keys', file, '--trusted-proxies', '127.0.0.1', '--threads', '1');
  const from = (address, key) => ({ ...bearing(key), 'x-forwarded-for': address, 'x-request-id': address });
  const searching = await behind.connect();
  searching.ask('GET', '/solve?n=30&order=lexicographic&format=ndjson', from('203.0.113.5', bob.key));
  assert.equal((await searching.head()).status, 200);
  (await behind.get('/solve?n=9', from('203.0.113.6', bob.key))).isProblem(429);
  assert.equal((await behind.get('/solve?n=9', from('203.0.113.5', ann.key))).status, 200);
  const line = () => behind.logs.find((entry) => entry.id === '203.0.113.6');
  await until(line, 'it is in the log');
  assert.deepEqual([line().client, line().key], ['203.0.113.6', 'bob']);
  searching.drop();
});

test('SIGHUP reads the file again, and requests under way continue', async () => {
  const [first, second] = [newKey('dan'), newKey('dan')];
  const changing = keep('changing', first.line);
  const server = await start({ after }, '--api-keys', changing, '--free-seconds', '1');
  const job = await server.post('/jobs', { kind: 'count', ...long }, bearing(first.key));
  const waiting = await server.connect();
  waiting.ask('GET', `${longPath},2:9`, { ...bearing(first.key), prefer: 'wait=600', 'x-request-id': 'waiting' });
  await until(async () => (await server.metric('nq_searches_running')) === 2, 'both are counted');
  keep('changing', second.line, ann.line);
  assert.equal((await server.get('/count?n=8', bearing(first.key))).status, 200);
  assert.equal(await reload(server), '2 in force');
  unknown(await server.get('/count?n=8', bearing(first.key)));
  for (const { key } of [second, ann]) assert.equal((await server.get('/count?n=8', bearing(key))).status, 200);
  assert.equal(await server.metric('nq_searches_running'), 2);
  for (const [bad, why] of [
    [() => keep('changing', second.line, 'ann\n'), 'line 2: after the name comes the SHA-256 of the key, 64 hexadecimal digits'],
    [() => rmSync(changing), 'No such file or directory'],
    [() => mkdirSync(changing), 'it is not a file'],
  ]) {
    bad();
    assert.equal(await reload(server), `${changing}: ${why}; the keys are unchanged`);
    assert.equal((await server.get('/count?n=8', bearing(ann.key))).status, 200);
  }
  rmSync(changing, { recursive: true });
  keep('changing');
  assert.equal(await reload(server), '0 in force');
  unknown(await server.get('/count?n=8', bearing(ann.key)));
  keep('changing', second.line);
  assert.equal(await reload(server), '1 in force');
  // It is the name whose job it is: a key that was exchanged goes on where the one before ended.
  assert.equal((await server.delete(job.json.self, bearing(second.key))).json.state, 'cancelled');
  waiting.drop();
  await until(() => server.logs.some((line) => line.id === 'waiting'), 'the request is over');
  assert.equal(server.logs.find((line) => line.id === 'waiting').key, 'dan');
});

test('SIGHUP never ends the process: without keys, at the start, while it drains', async () => {
  assert.match(await reload(keyless), /has no effect without --api-keys/);
  assert.equal((await keyless.get('/count?n=8')).status, 200);
  // One that came before anything is set up: it is blocked from outside until then.
  const early = ['env', '--block-signal=HUP', 'sh', '-c', 'kill -HUP $$; exec "$@"', 'sh'];
  const server = await startWithin({ after }, early, '--api-keys', file, '--drain-seconds', '60');
  await until(() => lines(server, 'keys').length === 1, 'it is heard in the end');
  const client = await server.connect();
  client.ask('GET', longPath, { ...bearing(ann.key), prefer: 'wait=600', 'x-request-id': 'drained' });
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'it is counted');
  server.process.kill('SIGTERM');
  await until(() => lines(server, 'stopping').length === 1, 'it drains');
  for (let i = 0; i < 10; i++) {
    server.process.kill('SIGHUP');
    await sleep(0.02);
  }
  assert.equal((await server.admin('/readyz')).status, 503);
  client.drop();
  assert.equal(await server.exit, 0);
  assert.equal(server.logs.find((line) => line.id === 'drained').status, 499); // it was not sent away
});

test('pages of listed origins may send a key if keys are in use', async () => {
  const asking = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  const allowed = async (server, target = '/jobs') =>
    (await server.get(target, asking, 'OPTIONS')).headers['access-control-allow-headers'];
  assert.match(await allowed(keyed), /^Authorization, .*, X-API-Key, /);
  assert.match(await allowed(keyed, '/count'), /^Authorization, .*, X-API-Key, /);
  const others = await start({ after }, '--api-keys', file, '--cors-origin', 'https://b.example');
  assert.equal(await allowed(others), undefined);
  assert.doesNotMatch(await allowed(others, '/count'), /Authorization|X-API-Key|Prefer/);
  const open = await start({ after }, '--cors-origin', '*');
  assert.doesNotMatch(await allowed(open), /Authorization|X-API-Key/);
  const refused = await keyed.post('/jobs', { kind: 'count', n: 8 }, { origin: 'https://a.example' });
  needsKey(refused);
  assert.equal(refused.headers['access-control-allow-origin'], '*');
  assert.match(refused.headers['access-control-expose-headers'], /\bWWW-Authenticate\b/);
});

test('an invalid file is an error at the start, which names the line and quotes nothing', async () => {
  const secret = newKey('eve').key;
  for (const [text, why] of [
    [`${ann.line}eve ${secret}\n`, /bad: line 2: /],
    [`${secret}\n`, /bad: line 1: /],
    [`${ann.line}${ann.line}`, /line 2: has the name of line 1/],
  ]) {
    const [code, stderr] = await refuse('--api-keys', keep('bad', text));
    assert.equal(code, 2);
    assert.match(stderr, /^nqueensd: --api-keys: /);
    assert.match(stderr, why);
    assert.ok(!stderr.includes(secret));
  }
  for (const none of [folder, path.join(folder, 'none'), '/dev/zero']) assert.equal((await refuse('--api-keys', none))[0], 2, none);
});

test('a proxy caches no rejection, and serves cached answers to all clients', async () => {
  const server = await start({ after }, '--api-keys', file, '--free-seconds', '0', '--trusted-proxies', '127.0.0.1');
  const front = await behindNginx(server.port);
  after(() => front.stop());
  const ask = async (headers) => {
    const reply = await fetch(`http://127.0.0.1:${front.port}/count?n=15&exclude=1:1`, { headers: { ...headers, prefer: 'wait=600' } });
    await reply.arrayBuffer();
    return [reply.status, reply.headers.get('x-cache')];
  };
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await ask({}), [401, 'MISS']);
    assert.deepEqual(await ask(bearing('nq_wrong')), [401, 'MISS']);
    assert.deepEqual(await ask(bearing(cal.key)), [403, 'MISS']);
  }
  assert.deepEqual(await ask(bearing(ann.key)), [200, 'MISS']);
  assert.deepEqual(await ask({}), [200, 'HIT']);
});

test('no key appears in a log', async () => {
  await keyed.get('/count?n=8', { 'x-api-key': ann.key, 'x-request-id': 'last' });
  await until(() => keyed.logs.some((line) => line.id === 'last'), 'it is in the log');
  assert.equal(keyed.logs.find((line) => line.id === 'last').key, 'ann');
  assert.ok(lines(keyed, 'request').some((line) => line.status === 401 && !('key' in line)));
  for (const key of [...told, 'nq_wrong']) assert.ok(!keyed.stderr.includes(key));
});
