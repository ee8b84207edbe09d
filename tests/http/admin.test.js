// admin.test.js - what the operator sees: health, metrics, request ids, the access log.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { document } from './contract.js';
import { after, assert, binary, long, longPath, start, test, until } from './harness.js';

const server = await start({ after });

test('alive and ready', async () => {
  assert.deepEqual((await server.admin('/healthz')).json, { status: 'ok' });
  assert.deepEqual((await server.admin('/readyz')).json, { status: 'ready' });
});

test('every metric of the contract is there, with HELP and TYPE', async () => {
  await server.get('/solve?n=8');
  const { text, headers } = await server.admin('/metrics');
  assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  const names = [...document.paths['/metrics'].get.description.matchAll(/`((?:nq|process)_[a-z_]+)`/g)].map(([, name]) => name);
  for (const name of names) {
    assert.match(text, new RegExp(`^# HELP ${name} .+$`, 'm'));
    assert.match(text, new RegExp(`^# TYPE ${name} (counter|gauge|histogram|summary)$`, 'm'));
    assert.match(text, new RegExp(`^${name}(_bucket|_sum)?[{ ]`, 'm'));
  }
  for (const { name } of await server.metrics())
    assert.ok(names.includes(name.replace(/_(bucket|sum|count)$/, '')), name);
});

test('requests are counted by route and code', async () => {
  const count = (route, code) => server.metric('nq_http_requests_total', { route, code });
  const before = [await count('/count', 200), await count('/count', 400), await count('/solve', 200)];
  for (const target of ['/count?n=8', '/count?n=9', '/count?n=x']) await server.get(target);
  await server.get('/no/such/path');
  await until(async () => (await count('/count', 400)) === before[1] + 1, 'the request is counted');
  assert.deepEqual([await count('/count', 200), await count('/solve', 200)], [before[0] + 2, before[2]]);
  const routes = new Set((await server.metrics()).map((sample) => sample.labels.route));
  assert.ok(!routes.has('/no/such/path'), 'strangers cannot make up labels');
});

test('durations are a histogram', async () => {
  const samples = async (suffix) =>
    (await server.metrics()).filter(
      ({ name, labels }) => name === `nq_http_request_duration_seconds${suffix}` && labels.route === '/count',
    );
  await server.get('/count?n=8');
  const buckets = (await samples('_bucket')).map(({ labels, value }) => [Number(labels.le.replace('+Inf', 'Infinity')), value]);
  assert.ok(buckets.length > 5);
  assert.equal(buckets.at(-1)[0], Infinity);
  buckets.slice(1).forEach(([edge, value], i) => assert.ok(edge > buckets[i][0] && value >= buckets[i][1], `${edge}`));
  assert.equal(buckets.at(-1)[1], (await samples('_count'))[0].value);
  assert.ok((await samples('_sum'))[0].value > 0);
});

test('the cache, the pool and connections have metrics', async () => {
  const [hits, misses] = [await server.metric('nq_cache_hits_total'), await server.metric('nq_cache_misses_total')];
  for (let i = 0; i < 3; i++) await server.get('/solve?n=9&limit=77');
  assert.equal((await server.metric('nq_cache_hits_total')) - hits, 2);
  assert.equal((await server.metric('nq_cache_misses_total')) - misses, 1);
  assert.ok((await server.metric('nq_pool_workers')) >= 1);
  const client = await server.connect();
  await client.ask('GET', '/count?n=8').reply();
  assert.ok((await server.metric('nq_connections')) >= 1);
  client.drop();
  assert.ok((await server.metric('nq_solutions_streamed_total')) === 0);
  await server.get('/solve?n=8&format=ndjson');
  assert.equal(await server.metric('nq_solutions_streamed_total'), 92);
});

test('the work of algorithms is counted by their names', async (t) => {
  const own = await start(t); // nobody else asks it anything
  const figure = (what) => async (algorithm) => own.metric(`nq_algorithm_${what}_total`, { algorithm });
  const [searches, nodes, cpu] = ['searches', 'nodes', 'cpu_seconds'].map(figure);
  const told = await own.metrics();
  const { solvers, constructions } = await own.getJson('/algorithms');
  const algorithms = [...solvers, ...constructions];
  for (const { name } of algorithms) assert.ok(told.some(({ labels }) => labels.algorithm === name), name);

  // Where an algorithm tells what it has done, that is what is counted.
  const { stats } = await own.getJson('/solve?n=7&algorithm=rapella&stats=true');
  assert.equal(stats.solutions, 40);
  assert.equal(await searches('rapella'), 1);
  await until(async () => (await nodes('rapella')) === 8 * stats.steps + stats.tests, 'all its work is counted'); // soon after the reply
  for (const other of ['bitboard', 'zironi', 'explicit', 'search']) assert.deepEqual([await searches(other), await nodes(other), await cpu(other)], [0, 0, 0], other);
  await own.getJson('/solve?n=7&algorithm=rapella&stats=true'); // cached: nobody searches
  assert.equal(await searches('rapella'), 1);

  const { id } = await own.begin({ n: 10, exclude: '1:1' });
  const { nodes: counted } = await own.look(id, ({ state }) => state === 'done');
  await until(async () => (await nodes('search')) === counted, 'the nodes of the job are those of its method');
  assert.equal(await searches('search'), 1);
  await until(async () => (await cpu('search')) > 0, 'its time is counted');
  await own.get('/solve?n=8&format=ndjson');
  await own.get('/construct?n=1000&method=local-search&seed=1');
  await own.get('/count?n=20&method=estimate&seed=1&walks=5000');
  await own.get('/solve?n=8&sample=2&seed=1');
  assert.deepEqual([await searches('bitboard'), await searches('local-search'), await searches('estimate'), await searches('explicit')], [1, 1, 1, 0]);
  await until(async () => (await nodes('estimate')) === 5000 && (await nodes('local-search')) >= 1000 && (await nodes('bitboard')) > 500, 'their work is counted');
  assert.ok((await searches('index')) >= 2);

  const before = await Promise.all(algorithms.map(({ name }) => searches(name)));
  const { algorithms: compared } = await own.getJson('/compare?n=6');
  for (const { algorithm, stats: done } of compared) {
    const i = algorithms.findIndex(({ name }) => name === algorithm);
    assert.equal(await searches(algorithm), before[i] + 1, algorithm);
    await until(async () => (await nodes(algorithm)) >= done.placements, algorithm);
  }
  await until(async () => (await own.metric('nq_pool_running')) === 0, 'all is done');
  const spent = await own.metric('nq_pool_cpu_seconds_total');
  const sum = await own.metric('nq_algorithm_cpu_seconds_total');
  assert.ok(sum > 0 && sum <= spent + 1e-6 && spent <= (await own.metric('process_cpu_seconds_total')) + 0.1, `${sum} ${spent}`);
  assert.ok((await own.metric('nq_pool_slices_total')) >= 7);
});

test('nq_build_info names the build', async () => {
  const { labels, value } = (await server.metrics()).find((sample) => sample.name === 'nq_build_info');
  assert.equal(value, 1);
  assert.equal(`nqueensd ${labels.version}\n`, execFileSync(binary, ['--version'], { encoding: 'utf8' }));
  assert.ok((await server.getJson('/algorithms')).kernels.some((kernel) => kernel.name === labels.kernel));
});

test('a well-formed request id is kept, another is replaced', async () => {
  const id = async (given) =>
    (await server.get('/count?n=8', given === undefined ? {} : { 'x-request-id': given })).headers['x-request-id'];
  for (const good of ['a', 'A-b_c.9', 'x'.repeat(64)]) assert.equal(await id(good), good);
  for (const bad of ['', 'x'.repeat(65), 'a b', 'ü', '"', 'a,b', undefined]) assert.notEqual(await id(bad), bad);
  assert.notEqual(await id(), await id());
});

test('every request is a line in the log', async () => {
  const line = async (id) => {
    const find = () => server.logs.find((entry) => entry.event === 'request' && entry.id === id);
    await until(find, `the log line of ${id}`);
    return find();
  };
  const solved = await server.get('/solve?n=8&limit=2', { 'x-request-id': 'log-1' });
  const { seconds, ...entry } = await line('log-1');
  assert.ok(seconds >= 0 && seconds < 60);
  const expected = {
    event: 'request',
    id: 'log-1',
    method: 'GET',
    route: '/solve',
    target: '/solve?n=8&limit=2',
    status: 200,
    bytes: solved.text.length,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(entry[key], value, key);
  assert.ok(['trace', 'span', 'parent', 'job'].every((field) => !(field in entry)));
  await server.get('/no%0apath?%22\\', { 'x-request-id': 'log-2' });
  assert.equal((await line('log-2')).status, 404);
});

// The fields of the log's lines, as docs/operations.md lists them; true: every line of that kind has the field.
const lines = {
  request: { time: true, event: true, id: true, method: true, target: true, route: true, status: true, bytes: true, seconds: true, cache: true, client: true,
    wait: false, cpu: false, nodes: false, job: false, trace: false, span: false, parent: false },
  job: { time: true, event: true, id: true, state: true, query: true, seconds: false, cpu: false, nodes: false, why: false, trace: false },
};

test('the log has the cost of requests and jobs, and their trace', async (t) => {
  const own = await start(t);
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const traceparent = `00-${trace}-${parent}-01`;
  const line = async (wanted) => {
    const found = () => own.logs.find((entry) => Object.entries(wanted).every(([key, value]) => entry[key] === value));
    await until(found, `the log line of ${JSON.stringify(wanted)}`);
    return found();
  };
  const ask = async (id, target, headers = {}) => {
    const reply = await own.get(target, { 'x-request-id': id, ...headers });
    return [reply, await line({ event: 'request', id })];
  };
  const [reply, miss] = await ask('miss', '/solve?n=9&limit=50', { traceparent });
  assert.ok(miss.wait >= 0 && miss.cpu > 0 && miss.cpu < 60 && miss.nodes > 100, JSON.stringify(miss));
  assert.deepEqual([miss.trace, miss.parent], [trace, parent]);
  assert.equal(reply.headers.traceresponse, `00-${trace}-${miss.span}-01`);
  assert.match(reply.headers['server-timing'], /^cache;desc=miss, total;dur=[0-9.]+, queue;dur=[0-9.]+, search;dur=[0-9.]+, idle;dur=[0-9.]+$/);
  assert.match((await own.get('/count?n=9')).headers['server-timing'], /, idle;dur=[0-9.]+, kernel;desc=scalar$/);

  const [again, hit] = await ask('hit', '/solve?n=9&limit=50', { traceparent: traceparent.replace(/1$/, '0') });
  for (const field of ['wait', 'cpu', 'nodes', 'job']) assert.ok(!(field in hit), field);
  assert.equal(again.headers.traceresponse, `00-${trace}-${hit.span}-00`);
  assert.notEqual(hit.span, miss.span);
  const [plain] = await ask('plain', '/solve?n=9&limit=50');
  assert.equal(plain.headers.traceresponse, undefined);
  const [refused] = await ask('refused', '/solve?n=x', { traceparent });
  refused.isProblem(400, 'n');
  assert.match(refused.headers.traceresponse, new RegExp(`^00-${trace}-`));

  const [, stream] = await ask('stream', '/solve?n=9&format=ndjson');
  assert.ok(stream.cpu > 0 && stream.nodes > 1000 && stream.wait >= 0, JSON.stringify(stream));
  const [, twice] = await ask('twice', '/solve?n=9&offset=100&limit=1'); // for the index, then for the page
  assert.ok(twice.nodes > 100 && twice.cpu > 0, JSON.stringify(twice));

  const [begun, job] = await ask('job', '/count?n=11&method=compute&exclude=1:1', { traceparent, prefer: 'respond-async' });
  const id = begun.headers.location?.split('/').at(-1) ?? job.job;
  assert.equal(job.job, id);
  const first = await line({ event: 'job', id, state: 'begun' });
  assert.deepEqual([first.trace, first.query], [trace, '/count?n=11&method=compute&exclude=1:1']);
  const done = await line({ event: 'job', id, state: 'done' });
  assert.equal(done.trace, trace);
  assert.ok(done.seconds >= 0 && done.cpu > 0 && done.nodes > 1000, JSON.stringify(done));

  for (const entry of own.logs.filter(({ event }) => event in lines)) {
    for (const field of Object.keys(entry)) assert.ok(field in lines[entry.event], `${entry.event} has ${field}`);
    for (const [field, always] of Object.entries(lines[entry.event])) assert.ok(!always || field in entry, `${entry.event} lacks ${field}`);
  }
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const described = operations.slice(operations.indexOf('### The log'), operations.indexOf('## Many machines'));
  for (const field of new Set(Object.values(lines).flatMap(Object.keys))) assert.ok(described.includes(`\`${field}\``), `docs/operations.md does not list ${field}`);
});

test('blanks around a traceparent are ignored, and two of them are no traceparent', async () => {
  const one = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const ask = async (fields) => (await server.raw(`GET /count?n=8 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n\r\n`))[0].headers.traceresponse;
  assert.match(await ask(one), /^00-0af7651916cd43dd8448eb211c80319c-/);
  assert.match(await ask(one.replace(': ', ': \t ').replace('traceparent', 'TraceParent')), /^00-0af7651916cd43dd8448eb211c80319c-/);
  assert.match(await ask(`${one}  \t`), /^00-0af7651916cd43dd8448eb211c80319c-/);
  assert.equal(await ask(`${one}\r\n${one}`), undefined);
  assert.equal(await ask(`${one}\r\n${one}\r\n${one}`), undefined);
});

const prefixes = { '--base-path': [['--base-path', '/queens'], {}], 'X-Forwarded-Prefix of a trusted proxy': [['--trusted-proxies', '127.0.0.1'], { 'x-forwarded-prefix': '/queens' }] };
for (const [name, [flags, fields]] of Object.entries(prefixes))
  test(`links have the public prefix by ${name}, compressed or not, and lead to the service with it and without`, async (t) => {
    const prefixed = await start(t, ...flags);
    for (const target of ['/solve?n=8&limit=30', '/solve?n=8&limit=3&format=ndjson', '/puzzle?n=8&seed=1', '/puzzle?kind=regions&n=6&seed=1'])
      for (const coding of ['identity', 'gzip']) {
        const [plain, reply] = [await server.get(target, { 'accept-encoding': coding }), await prefixed.get(target, { 'accept-encoding': coding, ...fields })];
        assert.equal(reply.text.replaceAll('/queens', ''), plain.text, target);
        assert.equal(reply.headers.link, plain.headers.link?.replace('</', '</queens/'), target);
        for (const [link] of reply.text.matchAll(/\/queens[^"]*/g))
          for (const path of [link, link.replace('/queens', '')]) {
            const client = await prefixed.connect();
            const lines = Object.entries({ Host: 'x', ...fields }).map((field) => `${field.join(': ')}\r\n`);
            assert.equal((await client.send(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`).reply()).status, 200, path);
            client.drop();
          }
      }
    const { headers, json } = await prefixed.post('/jobs', { kind: 'count', ...long }, fields);
    assert.deepEqual([json.self, json.events, json.query], [`/queens/jobs/${json.id}`, `/queens/jobs/${json.id}/events`, `/queens${longPath}`]);
    assert.equal(headers.location, json.self);
    assert.equal((await prefixed.get(longPath, { prefer: 'respond-async', ...fields })).headers.location, json.self);
    assert.equal((await prefixed.get(`/jobs/${json.id}`, fields)).json.self, json.self);
    const events = await prefixed.listenTo(`/jobs/${json.id}/events`, fields);
    assert.equal((await events.events.next()).value.data.self, json.self);
    events.drop();
    assert.equal((await prefixed.post('/jobs?dry-run=true', { kind: 'count', n: 8 }, fields)).json.query, '/queens/count?n=8&method=compute');
    assert.match((await prefixed.get('/solve?n=8&sample=2', fields)).headers['content-location'], /^\/queens\/solve\?/);
  });

test('X-Forwarded-Prefix: each prefix has tags and copies of its own, and caches learn of it', async (t) => {
  const behind = await start(t, '--trusted-proxies', '127.0.0.1', '--base-path', '/queens');
  const base = await start(t, '--base-path', '/other');
  const target = '/solve?n=8&limit=30';
  for (const coding of ['identity', 'gzip']) {
    const ask = (fields, of = behind) => of.get(target, { 'accept-encoding': coding, ...fields });
    const [plain, other, again] = [await ask({}), await ask({ 'x-forwarded-prefix': '/other' }), await ask({})];
    const configured = await ask({}, base);
    assert.match(plain.json.next, /^\/queens\/solve/);
    assert.match(other.json.next, /^\/other\/solve/);
    assert.deepEqual([again.text, again.headers.etag], [plain.text, plain.headers.etag]);
    assert.deepEqual([other.text, other.headers.etag], [configured.text, configured.headers.etag]);
    assert.notEqual(other.headers.etag, plain.headers.etag);
    for (const reply of [plain, other]) assert.match(reply.headers.vary, /\bX-Forwarded-Prefix\b/);
    assert.doesNotMatch(configured.headers.vary, /X-Forwarded-Prefix/, 'nobody is trusted');
    assert.equal((await ask({ 'x-forwarded-prefix': '/other', 'if-none-match': other.headers.etag })).status, 304);
    assert.equal((await ask({ 'if-none-match': other.headers.etag })).status, 200);
  }
  const dry = (fields) => behind.post('/jobs?dry-run=true', { kind: 'count', n: 12 }, fields).then(({ json }) => json.query);
  const queries = await Promise.all(Array.from({ length: 8 }, (_, i) => dry({ 'x-forwarded-prefix': `/p${i}` }))); // at the same time
  assert.deepEqual(queries, queries.map((_, i) => `/p${i}/count?n=12&method=compute`));
});

test('X-Forwarded-Prefix is ignored from those who are not trusted, and if it is no prefix', async (t) => {
  const behind = await start(t, '--trusted-proxies', '127.0.0.2', '--base-path', '/queens');
  const next = async (from, value) => {
    const client = await behind.connect(behind.port, from);
    const { json } = await client.send(`GET /solve?n=8&limit=1 HTTP/1.1\r\nHost: x\r\nX-Forwarded-Prefix: ${value}\r\n\r\n`).reply();
    client.drop();
    return json.next.replace(/\/solve.*/, '');
  };
  assert.equal(await next('127.0.0.1', '/other'), '/queens');
  assert.equal(await next('127.0.0.2', '/other'), '/other');
  assert.equal(await next('127.0.0.2', `/${'p'.repeat(199)}`), `/${'p'.repeat(199)}`);
  for (const value of ['', '//host', 'https://host', 'other', '/', '/other/', '/a//b', '/a/../b', '/..', '/a b', '/a?b', '/a#b', '/%2e', '/a"b', '/a<b', '/a, /b', '/a\r\nX-Forwarded-Prefix: /a', `/${'p'.repeat(200)}`])
    assert.equal(await next('127.0.0.2', value), '/queens', value);
});
