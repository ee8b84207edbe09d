// contract.test.js - openapi.yaml against the route table and against what the server really says, and how it is made.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { conforms, document, examples, jobExamples, operations, readEvents, resolve } from './contract.js';
import { after, assert, binary, Reply, slow, start, test } from './harness.js';
import { contractOf } from '../static/contract.js';

const server = await start({ after });
const table = JSON.parse(execFileSync(binary, ['routes'], { encoding: 'utf8' }));
const isAdmin = (path) => Boolean(document.paths[path].servers);
// Asks on the port that a path of the document is served on.
const ask = (path, target, headers, method, body) =>
  (isAdmin(path) ? server.admin : server.get).call(server, target, headers, method, body);

const documented = (path, method) =>
  operations.find((entry) => entry.path === path && entry.verb === method.toLowerCase()) ?? assert.fail(`openapi.yaml does not have ${method} ${path}`);

test('the operations are those of the route table', () => {
  assert.deepEqual(
    operations.map(({ path, verb }) => `${verb.toUpperCase()} ${path}`).sort(),
    table.map(({ path, method }) => `${method} ${path}`).sort(),
  );
  for (const route of table) {
    const { operation } = documented(route.path, route.method);
    assert.equal(route.port, isAdmin(route.path) ? 'admin' : 'public', route.path);
    assert.ok(operation.responses['200']?.content, `openapi.yaml has no response 200 with a content for ${route.method} ${route.path}`);
    assert.deepEqual(Object.keys(operation.responses['200'].content).sort(), [...new Set(route.media_types.map((type) => type.split(';')[0]))].sort(), route.path);
  }
});

test('parts of a path are documented as parameters of the path', () => {
  for (const { path, verb, parameters } of operations)
    assert.deepEqual(
      parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name),
      `${verb} ${path}`,
    );
});

test('every operation declares the problems that its path or its body can have', () => {
  for (const { path, verb, operation } of operations) {
    for (const status of [...(path.includes('{') ? [404] : []), ...(operation.requestBody ? [415] : [])]) {
      assert.ok(status in operation.responses, `openapi.yaml: ${verb} ${path} does not declare ${status}`);
      const { content } = resolve('', operation.responses[status])[1];
      assert.ok(content['application/problem+json'], `openapi.yaml: ${status} of ${verb} ${path} is no problem`);
    }
  }
});

test('a job has the parameters of a count, except those of estimates and regions', () => {
  const count = table.find(({ path }) => path === '/count').parameters.map(({ name }) => name);
  const { properties } = document.components.schemas.JobRequest;
  const members = Object.keys(properties).filter((name) => name !== 'kind');
  assert.deepEqual(members.sort(), count.filter((name) => !['walks', 'seed', 'regions', 'apart', 'limit'].includes(name)).sort());
});

test('the version is that of the server', async () => {
  const info = (await server.metrics()).find((sample) => sample.name === 'nq_build_info');
  assert.equal(info.labels.version.replace(/\+.*/, ''), document.info.version); // the build may be of a commit after it
});

test('the server returns this document', async () => {
  const { text } = await server.get('/openapi.yaml');
  assert.equal(text, readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
});

test('and the same as JSON', async () => {
  const { status, json } = await server.get('/openapi.json');
  assert.equal(status, 200);
  assert.deepEqual(json, document);
});

test('parameters whose values are names have those of /algorithms', async () => {
  const { solvers, constructions } = await server.getJson('/algorithms');
  const names = (list) => list.map((entry) => entry.name);
  const choices = (path, name) => {
    const { schema } = documented(path, 'get').parameters.find((parameter) => parameter.name === name);
    return [schema.enum, schema.default];
  };
  const preset = (list) => list.filter((entry) => entry.default).map((entry) => entry.name);
  for (const [list, path, name] of [[solvers, '/solve', 'algorithm'], [constructions, '/construct', 'method']]) {
    const [words, standard] = choices(path, name);
    assert.deepEqual(words, names(list));
    assert.deepEqual([standard], preset(list));
  }
});

// Every value of the document that has a type or a list of words, with its place.
function* typed(part, name) {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part) && (part.type || part.enum) && !/\/properties$/.test(name)) yield [part, name];
  for (const [key, value] of Object.entries(part)) if (!['example', 'examples', 'value'].includes(key)) yield* typed(value, `${name}/${key}`);
}

// Generators for Java, Kotlin, C# and Go make 32 bits of an integer that does not say int64, and stop at, or mistype, the rest.
test('the schemas are such that generators of clients make the right types of them', () => {
  let wide = 0;
  for (const [schema, name] of typed(document, '#')) {
    const types = [schema.type ?? []].flat();
    assert.ok(types.filter((type) => type !== 'null').length < 2, `${name} has several types`);
    if (types.includes('integer') && !schema.enum && !(schema.maximum < 2 ** 31)) {
      assert.equal(schema.format, 'int64', `${name} can pass 2^31`);
      wide++;
    }
    if (!schema.enum) continue;
    assert.ok(!schema.enum.includes(null), `${name} has null among its words`);
    assert.ok(new Set(schema.enum.map((word) => typeof word)).size === 1, `${name} has words of several types`);
    assert.equal(schema.format, undefined, `${name} has a format and words`);
  }
  assert.ok(wide > 50, `${wide} wide integers`);
  // A default makes a member required in the types of TypeScript. Bodies are made of components.
  for (const [schema, name] of typed(document.components.schemas, '#')) assert.equal(schema.default, undefined, `${name} has a default`);
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length, 'two operations with one id');
});

// Every schema in a part of the document, with what it is called.
function* schemas(part, name) {
  if (typeof part !== 'object' || part === null) return;
  if (part.type === 'object' || part.properties) yield [part, name];
  for (const [key, value] of Object.entries(part)) if (!['example', 'examples', 'value'].includes(key)) yield* schemas(value, `${name}/${key}`);
}

test('schemas require only members that they have, and both members of a number and its text', () => {
  let pairs = 0;
  for (const [schema, name] of schemas(document, '#')) {
    const { properties = {}, required = [], dependentRequired = {} } = schema;
    const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((other) => other.required ?? []);
    for (const member of [...required, ...alternatives, ...Object.entries(dependentRequired).flat(2)])
      assert.ok(member in properties, `${name} demands ${member}`);
    const demanded = (member, other) => required.includes(other) || dependentRequired[member]?.includes(other);
    for (const member of Object.keys(properties).filter((key) => `${key}_text` in properties)) {
      assert.ok(demanded(member, `${member}_text`) && demanded(`${member}_text`, member), `${name}: ${member} without its text, or the other way round`);
      pairs++;
    }
  }
  assert.ok(pairs > 5, `${pairs} numbers as text`);
});

test('the tables of /algorithms name the parameters that take their names, and only those', async () => {
  const tables = await server.getJson('/algorithms');
  const { properties } = document.components.schemas.Algorithms;
  assert.deepEqual(Object.keys(tables), Object.keys(properties));
  for (const table of Object.keys(tables)) {
    const only = await server.getJson(`/algorithms?table=${table.replace('_', '-')}`);
    const named = 'rules' in tables[table][0] ? { rules: tables.rules } : {};
    assert.deepEqual(only, { [table]: tables[table], ...named });
  }
  const traced = document.paths['/trace'].get.parameters.find(({ name }) => name === 'algorithm').schema.enum;
  const those = (table) => tables[table].filter(({ name }) => traced.includes(name));
  assert.deepEqual(await server.getJson('/algorithms?table=traced'), { solvers: those('solvers'), constructions: those('constructions'), rules: tables.rules });
  const without = (row) => (row.code && row.name !== 'annealing' ? { ...row, code: null } : row);
  const one = Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(without)]));
  assert.deepEqual(await server.getJson('/algorithms?program=annealing'), one);
  const takers = (names) =>
    operations.flatMap(({ path, parameters }) =>
      parameters.filter(({ name, schema }) => ['algorithm', 'method'].includes(name) && schema.enum?.some((word) => names.includes(word))).map(({ name }) => `${name} of ${path}`),
    );
  for (const [table, { description = '' }] of Object.entries(properties))
    assert.deepEqual(
      [...description.matchAll(/`([a-z]+)` of `(\/[a-z]+)`/g)].map(([, name, path]) => `${name} of ${path}`).sort(),
      [...new Set(takers(tables[table].map(({ name }) => name)))].sort(),
      table,
    );
});

// A cursor belongs to one release and means nothing to a reader: in examples it is the word CURSOR.
const masked = (text) => text.replaceAll(/(cursor(?:=|": ?"))[A-Za-z0-9_-]{20,}/g, '$1CURSOR');

async function checkExamples(least, wanted) {
  const done = new Set();
  for (const example of examples()) {
    const { path, status, type, value, 'x-request': request } = example;
    const { 'x-request-headers': headers = {}, 'x-request-body': body } = example;
    const key = `${request} ${body}`;
    if (!request || done.has(key) || !wanted(request)) continue;
    done.add(key);
    const [method, target] = request.split(' ');
    const reply = await ask(path, target, headers, method, body);
    if (status !== 'default') assert.equal(String(reply.status), status, request);
    assert.equal(reply.headers['content-type'].split(';')[0], type, request);
    const text = masked(reply.text);
    if (/[/+]json$/.test(type)) assert.deepEqual(JSON.parse(text), value, request);
    else assert.equal(text, value, request);
  }
  assert.ok(done.size >= least, `${done.size} examples`);
}
const isFar = (request) => /n=60\b/.test(request); // a page of many placements
test('every example is what the server returns', () => checkExamples(30, (request) => !isFar(request)));
test('so is every example of a long search (plain)', { skip: slow && 'pages of many placements' }, () => checkExamples(1, isFar));

test('examples of requests are accepted', async () => {
  for (const value of jobExamples)
    assert.equal((await server.post('/jobs?dry-run=true', value)).status, 200, JSON.stringify(value));
});

test('every route rejects requests in the same words', async () => {
  for (const { path, verb, parameters } of operations) {
    const method = verb.toUpperCase();
    const target = path.replace(/\{.*\}/, '0123456789abcdef'); // there is no such job, and no such file
    const allowed = Object.keys(document.paths[path]).filter((key) => ['get', 'post', 'delete'].includes(key));
    const isSent = verb === 'post' && allowed.includes('get'); // a board, which has what is required
    const required = parameters.filter((parameter) => parameter.in === 'query' && !isSent && (parameter.required || parameter['x-required-without']));
    const names = required.map(({ name }) => name);
    const sound = new URLSearchParams();
    for (const { name, schema, example = schema.type === 'integer' ? 8 : undefined } of required) {
      assert.notEqual(example, undefined, `openapi.yaml has no example of ${name}, which ${path} requires`);
      sound.append(name, example);
    }
    const call = (query, headers, verb = method) => ask(path, `${target}${query}`, headers, verb);
    const any = document.paths[path][verb]['x-any-parameter'];
    if (any) assert.equal((await call('?nonsense=1')).status, 200);
    else (await call('?nonsense=1')).isProblem(400, 'nonsense', ...names);
    (await call(names.length ? `?${sound}` : '', { accept: 'x/y' })).isProblem(406);
    (await call('', {}, 'PUT')).isProblem(405);
    for (const options of [await call('', {}, 'OPTIONS'), await call('', {}, 'PATCH')])
      assert.deepEqual(
        options.headers.allow.split(', ').sort(),
        ['OPTIONS', ...(allowed.includes('get') ? ['HEAD'] : []), ...allowed.map((key) => key.toUpperCase())].sort(),
        path,
      );
    const expected = !allowed.includes('get') ? 405 : names.length ? 400 : path === target || any ? 200 : 404;
    if (verb === 'get' || !allowed.includes('get')) assert.equal((await call('', {}, 'HEAD')).status, expected, path);
  }
});

test('the check notices replies that break the contract', () => {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'server-timing': 'total;dur=1',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'a',
  };
  const body = { n: 8, base: 1, count: 92, count_text: '92', provenance: 'computed' };
  const judge =
    (changes, otherHeaders = {}, target = '/count?n=8', method = 'GET', status = 200, sent = undefined) =>
    () =>
      conforms(method, target, new Reply(status, { ...headers, ...otherHeaders }, JSON.stringify({ ...body, ...changes })), sent);
  judge({})();
  for (const changes of [{ extra: 1 }, { count: '92' }, { count_text: undefined }, { provenance: 'guess' }, { n: 65 }])
    assert.throws(judge(changes), /breaks/);
  assert.throws(judge({}, { 'content-type': 'text/html' }), /content type/);
  assert.throws(judge({}, { 'x-request-id': undefined }), /no header/);
  assert.throws(judge({}, { 'cache-control': 'private' }), /breaks/);
  assert.throws(judge({}, { 'retry-after': '1' }), /does not declare/);
  assert.throws(judge({}, { 'x-anything': '1' }, '/nothing', 'GET', 404), /does not declare/);
  assert.throws(judge({ provenance: 'table' }), /breaks/); // no oeis
  assert.throws(judge({ provenance: 'estimate' }), /breaks/);
  assert.throws(judge({}, {}, '/count?n=8', 'GET', 202), /breaks/); // not a job
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef'), /breaks/);
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef', 'DELETE'), /breaks/);
  assert.throws(judge({}, {}, '/jobs/0123456789abcdef', 'GET', 204), /has a body/);
  assert.throws(judge({}, {}, '/jobs', 'POST'), /breaks/);
  const cost = {
    ...{ core_seconds: 1, placements: 1, memory_bytes: 1048576, kernel: 'scalar', threads: 1, accepted: true },
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

// A contract of two routes that share the parameter `rank`, and a table for it with these changes to its rows. What is made of the real
// ones is compared whole by tests/static/contract.js.
const made = (rows = {}, schema = '') => () => {
  const row = (name, facts) => ({ name, type: 'number', required: false, summary: `what ${name} does`, minimum: 0, maximum: 9, ...facts, ...rows[name] });
  const rank = row('rank', { choices: ['false', 'true'], default: 'false' });
  const table = [['/a', [row('n'), rank]], ['/b', [{ ...rank, ...rows['/b rank'] }]]].map(([path, parameters]) => ({ path, method: 'GET', port: 'public', parameters }));
  const shared = "        - $ref: '#/components/parameters/Rank'\n";
  const route = (path, lines) => `  ${path}:\n    get:\n      parameters:\n${lines}${shared}      responses:\n        '200': {description: own}\n`;
  const document = `openapi: 3.1.0\npaths:\n${route('/a', `        - name: n\n${schema}          example: 8\n`)}\n${route('/b', '')}
components:\n  parameters:\n    Rank:\n      name: rank\n  schemas:\n    Rank:\n      enum: rank of /b but true\n`;
  return contractOf([['made.yaml', document]], table);
};
const words = { rank: { choices: ['none', 'true', '0'], default: 'none' } };

test('what the table does not have, or docs/contract says again, is refused with its place', () => {
  assert.throws(made({ ...words, n: { name: 'm' } }), /get \/a: the table has no parameter n/);
  assert.throws(made({ ...words, '/b rank': { default: '0' } }), /made\.yaml:\d+: the rows of rank differ: \/a and \/b/);
  assert.throws(made(words, '          schema: {minimum: 1}\n'), /made\.yaml:6: n: minimum is made of the table/);
  assert.throws(made(words, '          required: true\n'), /n: required is made of the table/);
  assert.throws(made(), /there is no enum of rank of \/b/);
  assert.throws(made(words, '          : x\n'), /made\.yaml:\d+: /);
});
