// contract.test.js - openapi.yaml against the route table and against what the server really says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { conforms, document, operations, readEvents, resolve } from './contract.js';
import { Reply, binary, start } from './harness.js';

const server = await start({ after });
const table = JSON.parse(execFileSync(binary, ['routes'], { encoding: 'utf8' }));
const isAdmin = (path) => Boolean(document.paths[path].servers);
// Asks on the port that a path of the document is served on.
const ask = (path, target, headers, method, body) =>
  (isAdmin(path) ? server.admin : server.get).call(server, target, headers, method, body);

test('the operations are those of the route table', () => {
  assert.deepEqual(
    operations.map(({ path, verb }) => `${verb.toUpperCase()} ${path}`).sort(),
    table.map(({ path, method }) => `${method} ${path}`).sort(),
  );
  for (const route of table) {
    assert.equal(route.port, isAdmin(route.path) ? 'admin' : 'public', route.path);
    assert.deepEqual(
      Object.keys(document.paths[route.path][route.method.toLowerCase()].responses['200'].content).sort(),
      route.media_types.map((type) => type.split(';')[0]).sort(),
      route.path,
    );
  }
});

const documented = (path, method) =>
  operations.find((entry) => entry.path === path && entry.verb === method.toLowerCase()).parameters;

test('the parameters are those of the route table', () => {
  for (const { path, method, parameters } of table) {
    const inQuery = documented(path, method).filter((parameter) => parameter.in === 'query');
    assert.deepEqual(
      inQuery.map((parameter) => parameter.name).sort(),
      parameters.map((parameter) => parameter.name).sort(),
      path,
    );
    for (const { name, type, required, minimum, maximum, choices, default: preset } of parameters) {
      const { schema, ...rest } = inQuery.find((parameter) => parameter.name === name);
      const what = `${method} ${path} ${name}`;
      const words = schema.type === 'boolean' ? ['false', 'true'] : schema.enum?.map(String);
      assert.equal(Boolean(rest.required), Boolean(required), what);
      assert.deepEqual(words?.sort(), choices?.sort(), what);
      assert.equal(String(schema.default), String(preset), what);
      assert.equal(schema.minimum, minimum, what);
      assert.equal(schema.maximum, maximum > Number.MAX_SAFE_INTEGER ? undefined : maximum, what);
      if (!choices) assert.equal(schema.type, type === 'number' ? 'integer' : 'string', what);
    }
  }
});

test('what a path holds is documented as a parameter of the path', () => {
  for (const { path, verb, parameters } of operations)
    assert.deepEqual(
      parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name),
      `${verb} ${path}`,
    );
});

test('a job takes what a count does, but for estimates', () => {
  const count = table.find(({ path }) => path === '/count').parameters.map(({ name }) => name);
  const { properties } = document.components.schemas.JobRequest;
  const members = Object.keys(properties).filter((name) => name !== 'kind');
  assert.deepEqual(members.sort(), count.filter((name) => !['walks', 'seed'].includes(name)).sort());
  for (const { name, schema } of documented('/count', 'get'))
    if (schema.enum && !['method', 'base'].includes(name)) {
      const { enum: words = [properties[name].const] } = properties[name];
      assert.deepEqual(words, schema.enum, name);
    }
});

test('the version is the one served', async () => {
  const info = (await server.metrics()).find((sample) => sample.name === 'nq_build_info');
  assert.equal(info.labels.version, document.info.version);
});

test('the document served is this one', async () => {
  const { text } = await server.get('/openapi.yaml');
  assert.equal(text, readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
});

test('names a parameter takes are those of /algorithms', async () => {
  const { solvers, constructions } = await server.getJson('/algorithms');
  const names = (list) => list.map((entry) => entry.name);
  const choices = (path, name) => {
    const { schema } = documented(path, 'get').find((parameter) => parameter.name === name);
    return [schema.enum, schema.default];
  };
  const preset = (list) => list.filter((entry) => entry.default).map((entry) => entry.name);
  for (const [list, path, name] of [
    [solvers, '/solve', 'algorithm'],
    [constructions, '/construct', 'method'],
  ]) {
    const [words, standard] = choices(path, name);
    assert.deepEqual(words, names(list));
    assert.deepEqual([standard], preset(list));
  }
});

// Every example: {path, status, type, value, x-request, ...}.
function* examples() {
  for (const { path, operation } of operations)
    for (const [status, reference] of Object.entries(operation.responses))
      for (const [type, media] of Object.entries(resolve('', reference)[1].content ?? {}))
        for (const example of Object.values(media.examples ?? {})) yield { path, status, type, ...example };
}

// A cursor belongs to one release and means nothing to a reader: in examples it is the word CURSOR.
const masked = (text) => text.replaceAll(/(cursor(?:=|": ?"))[A-Za-z0-9_-]{20,}/g, '$1CURSOR');

test('every example is what the server says', async () => {
  const done = new Set();
  for (const example of examples()) {
    const { path, status, type, value, 'x-request': request } = example;
    const { 'x-request-headers': headers = {}, 'x-request-body': body } = example;
    const key = `${request} ${body}`;
    if (!request || done.has(key)) continue;
    done.add(key);
    const [method, target] = request.split(' ');
    const reply = await ask(path, target, headers, method, body);
    if (status !== 'default') assert.equal(String(reply.status), status, request);
    assert.equal(reply.headers['content-type'].split(';')[0], type, request);
    const text = masked(reply.text);
    if (/[/+]json$/.test(type)) assert.deepEqual(JSON.parse(text), value, request);
    else assert.equal(text, value, request);
  }
  assert.ok(done.size >= 30, `${done.size} examples`);
});

test('examples of requests are accepted', async () => {
  const { examples: bodies } = document.paths['/jobs'].post.requestBody.content['application/json'];
  for (const { value } of Object.values(bodies))
    assert.equal((await server.post('/jobs?dry-run=true', value)).status, 200, JSON.stringify(value));
});

test('every route refuses in the same words', async () => {
  for (const { path, verb, parameters } of operations) {
    const method = verb.toUpperCase();
    const target = path.replace(/\{.*\}/, '0123456789abcdef'); // there is no such job, and no such file
    const takesN = parameters.some((parameter) => parameter.name === 'n');
    const allowed = Object.keys(document.paths[path]).filter((key) => ['get', 'post', 'delete'].includes(key));
    const call = (query, headers, verb = method) => ask(path, `${target}${query}`, headers, verb);
    (await call('?nonsense=1')).isProblem(400, 'nonsense', ...(takesN ? ['n'] : []));
    (await call(takesN ? '?n=8' : '', { accept: 'x/y' })).isProblem(406);
    (await call('', {}, 'PUT')).isProblem(405);
    for (const options of [await call('', {}, 'OPTIONS'), await call('', {}, 'PATCH')])
      assert.deepEqual(
        options.headers.allow.split(', ').sort(),
        ['OPTIONS', ...(allowed.includes('get') ? ['HEAD'] : []), ...allowed.map((key) => key.toUpperCase())].sort(),
        path,
      );
    const expected = !allowed.includes('get') ? 405 : takesN ? 400 : path === target ? 200 : 404;
    assert.equal((await call('', {}, 'HEAD')).status, expected, path);
  }
});

test('the check notices what is wrong', () => {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'server-timing': 'total;dur=1',
    'x-request-id': 'a',
  };
  const body = { n: 8, base: 1, count: 92, count_text: '92', provenance: 'computed' };
  const judge =
    (changes, otherHeaders = {}, target = '/count?n=8', method = 'GET', status = 200, sent = undefined) =>
    () =>
      conforms(
        method,
        target,
        new Reply(status, { ...headers, ...otherHeaders }, JSON.stringify({ ...body, ...changes })),
        sent,
      );
  judge({})();
  for (const changes of [{ extra: 1 }, { count: '92' }, { count_text: undefined }, { provenance: 'guess' }, { n: 33 }])
    assert.throws(judge(changes), /breaks/);
  assert.throws(judge({}, { 'content-type': 'text/html' }), /content type/);
  assert.throws(judge({}, { 'x-request-id': undefined }), /no header/);
  assert.throws(judge({}, { 'cache-control': 'private' }), /breaks/);
  assert.throws(judge({ provenance: 'table' }), /breaks/); // no oeis
  assert.throws(judge({ provenance: 'estimate' }), /breaks/);
  assert.throws(judge({}, {}, '/count?n=8', 'GET', 202), /breaks/); // not a job
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef'), /breaks/);
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef', 'DELETE'), /breaks/);
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef', 'GET', 204), /has a body/);
  assert.throws(judge({}, {}, '/jobs', 'POST'), /breaks/);
  const cost = {
    ...{ core_seconds: 1, placements: 1, memory_bytes: 0, kernel: 'scalar', threads: 1, accepted: true },
    query: '/count?n=8',
  };
  const lessOfCount = { count: undefined, count_text: undefined, provenance: undefined };
  const dry = (sent) => judge({ ...cost, ...lessOfCount }, {}, '/jobs', 'POST', 200, JSON.stringify(sent));
  dry({ kind: 'count', n: 8 })();
  dry({ kind: 'count', n: '8', base: '0' })();
  for (const sent of [{ n: 8 }, { kind: 'count', n: 8.5 }, { kind: 'count', n: 8, seed: 1 }])
    assert.throws(dry(sent), /the body of .* breaks/);
});

test('events are read as a browser reads them', () => {
  assert.deepEqual(readEvents(': hello\n\nid: 1\nevent: progress\ndata: a\ndata: b\n\nid: 2\ndata: c\n\nid: 3\ndata: d\n'), [
    { id: '1', event: 'progress', data: 'a\nb' },
    { id: '2', data: 'c' },
  ]);
});
