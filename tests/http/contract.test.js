// contract.test.js - openapi.yaml against the route table and against what the server really says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { conforms, document, resolve } from './contract.js';
import { Reply, binary, start } from './harness.js';

const server = await start({ after });
const table = JSON.parse(execFileSync(binary, ['routes'], { encoding: 'utf8' }));
const isAdmin = (path) => Boolean(document.paths[path].servers);
const get = (target, headers, method) =>
  isAdmin(target.split('?')[0]) ? server.admin(target, headers, method) : server.get(target, headers, method);

test('the paths are those of the route table', () => {
  assert.deepEqual(Object.keys(document.paths).sort(), table.map((route) => route.path).sort());
  for (const route of table) {
    assert.equal(route.port, isAdmin(route.path) ? 'admin' : 'public', route.path);
    assert.deepEqual(route.methods.sort(), ['GET', 'HEAD', 'OPTIONS'], route.path);
    assert.deepEqual(
      Object.keys(document.paths[route.path].get.responses['200'].content).sort(),
      route.media_types.map((type) => type.split(';')[0]).sort(),
      route.path,
    );
  }
});

test('the parameters are those of the route table', () => {
  for (const { path, parameters } of table) {
    const documented = (document.paths[path].get.parameters ?? []).map((parameter) => resolve('', parameter)[1]);
    assert.deepEqual(
      documented.map((parameter) => parameter.name).sort(),
      parameters.map((parameter) => parameter.name).sort(),
      path,
    );
    for (const { name, type, required, minimum, maximum, choices, default: preset } of parameters) {
      const { schema, ...rest } = documented.find((parameter) => parameter.name === name);
      const what = `${path} ${name}`;
      assert.equal(Boolean(rest.required), Boolean(required), what);
      assert.equal(rest.in, 'query', what);
      assert.deepEqual(schema.enum?.map(String).sort(), choices?.sort(), what);
      assert.equal(String(schema.default), String(preset), what);
      assert.equal(schema.minimum, minimum, what);
      assert.equal(schema.maximum, maximum > Number.MAX_SAFE_INTEGER ? undefined : maximum, what);
      if (!choices) assert.equal(schema.type, type === 'number' ? 'integer' : 'string', what);
    }
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
    const { schema } = document.paths[path].get.parameters
      .map((parameter) => resolve('', parameter)[1])
      .find((parameter) => parameter.name === name);
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

// Every example with an x-request: [request, headers, path, status, media type, value].
function* examples() {
  for (const [path, item] of Object.entries(document.paths))
    for (const [status, reference] of Object.entries(item.get.responses))
      for (const [type, media] of Object.entries(resolve('', reference)[1].content ?? {}))
        for (const example of Object.values(media.examples ?? {})) yield { path, status, type, ...example };
}

// A cursor belongs to one release and means nothing to a reader: in examples it is the word CURSOR.
const masked = (text) => text.replaceAll(/(cursor(?:=|": ?"))[A-Za-z0-9_-]{20,}/g, '$1CURSOR');

test('every example is what the server says', async () => {
  const done = new Set();
  for (const { path, status, type, value, 'x-request': request, 'x-request-headers': headers } of examples()) {
    if (!request || done.has(request)) continue;
    done.add(request);
    const [method, target] = request.split(' ');
    const reply = await (isAdmin(path) ? server.admin : server.get).call(server, target, headers, method);
    if (status !== 'default') assert.equal(String(reply.status), status, request);
    assert.equal(reply.headers['content-type'].split(';')[0], type, request);
    const text = masked(reply.text);
    if (/[/+]json$/.test(type)) assert.deepEqual(JSON.parse(text), value, request);
    else assert.equal(text, value, request);
  }
  assert.ok(done.size >= 20, `${done.size} examples`);
});

test('every route refuses in the same words', async () => {
  for (const path of Object.keys(document.paths)) {
    const takesN = Boolean(document.paths[path].get.parameters);
    (await get(`${path}?nonsense=1`)).isProblem(400, 'nonsense', ...(takesN ? ['n'] : []));
    (await get(takesN ? `${path}?n=8` : path, { accept: 'x/y' })).isProblem(406);
    (await get(path, {}, 'POST')).isProblem(405);
    assert.equal((await get(path, {}, 'OPTIONS')).status, 204);
    assert.equal((await get(path, {}, 'HEAD')).status, takesN ? 400 : 200);
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
    (changes, lessHeaders = {}) =>
    () =>
      conforms(
        'GET',
        '/count?n=8',
        new Reply(200, { ...headers, ...lessHeaders }, JSON.stringify({ ...body, ...changes })),
      );
  judge({})();
  for (const changes of [{ extra: 1 }, { count: '92' }, { count_text: undefined }, { provenance: 'guess' }, { n: 28 }])
    assert.throws(judge(changes), /breaks/);
  assert.throws(judge({}, { 'content-type': 'text/html' }), /content type/);
  assert.throws(judge({}, { 'x-request-id': undefined }), /no header/);
  assert.throws(judge({}, { 'cache-control': 'private' }), /breaks/);
});
