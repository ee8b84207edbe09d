// construct.test.js - GET /construct: one solution of any size, whole or in part, in little memory.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { slow, start } from './harness.js';

const server = await start({ after });

function assertSolution(permutation, n, base = 1) {
  const [columns, up, down] = [new Set(permutation), new Set(), new Set()];
  permutation.forEach((column, row) => up.add(column + row) && down.add(column - row));
  assert.deepEqual([permutation.length, columns.size, up.size, down.size], [n, n, n, n], `n = ${n}`);
  assert.ok(
    permutation.every((column) => column >= base && column < n + base),
    `n = ${n}`,
  );
}

test('every board up to 60 and some larger ones', async () => {
  for (const n of [0, 1, ...Array.from({ length: 57 }, (_, i) => i + 4), 999, 1000, 16384, 16385, 100003]) {
    const { permutation, ...rest } = await server.getJson(`/construct?n=${n}`);
    assert.deepEqual(rest, { n, base: 1, method: 'explicit' });
    assertSolution(permutation, n);
  }
});

test('two and three queens have no solution', async () => {
  for (const n of [2, 3]) {
    const reply = await server.get(`/construct?n=${n}`);
    reply.isProblem(422);
    assert.equal(reply.json.type, 'urn:nqueensd:problem:no-solution');
  }
});

test('rows are a part of the whole, in the base asked for', async () => {
  const { permutation } = await server.getJson('/construct?n=50');
  assert.deepEqual(
    (await server.getJson('/construct?n=50&base=0')).permutation,
    permutation.map((column) => column - 1),
  );
  const part = await server.getJson('/construct?n=50&rows=7-12');
  assert.deepEqual(part.rows, { first: 7, last: 12 });
  assert.deepEqual(part.permutation, permutation.slice(6, 12));
  const zero = await server.getJson('/construct?n=50&rows=0-0&base=0');
  assert.deepEqual(zero, {
    n: 50,
    base: 0,
    method: 'explicit',
    rows: { first: 0, last: 0 },
    permutation: [permutation[0] - 1],
  });
  assert.deepEqual((await server.getJson('/construct?n=50&rows=1-50')).permutation, permutation);
});

test('a few rows of a very large board', async () => {
  assert.deepEqual((await server.getJson('/construct?n=1000000&rows=1-5')).permutation, [2, 4, 6, 8, 10]);
  const { permutation } = await server.getJson('/construct?n=1000000000&rows=999999998-1000000000');
  assert.equal(permutation.length, 3);
});

test('NDJSON has a queen a line and says when it is over', async () => {
  for (const n of [1, 8, 20000]) {
    const reply = await server.get(`/construct?n=${n}&format=ndjson&base=0`);
    assert.equal(reply.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(reply.lines.at(-1), { end: true, n, base: 0, returned: n, next: null });
    const queens = reply.lines.slice(0, -1);
    assert.ok(queens.every((queen, row) => queen.row === row));
    assertSolution(
      queens.map((queen) => queen.column),
      n,
      0,
    );
  }
  const part = await server.get('/construct?n=8&rows=3-4&format=ndjson');
  assert.deepEqual(
    part.lines.map((line) => line.row),
    [3, 4, undefined],
  );
  assert.equal(part.lines.at(-1).returned, 2);
});

test('a small answer has its length, a large one comes in chunks', async () => {
  const client = await server.connect();
  const small = await client.ask('GET', '/construct?n=16384').reply();
  assert.equal(Number(small.headers['content-length']), small.text.length);
  const large = await client.ask('GET', '/construct?n=16385').reply();
  assert.equal(large.headers['transfer-encoding'], 'chunked');
  assert.equal(large.headers['x-accel-buffering'], 'no');
  assert.ok(large.complete);
  client.drop();
});

test('a long stream needs no memory', async () => {
  const n = slow ? 1e6 : 1e7;
  const client = await server.connect();
  const head = await client.send(`GET /construct?n=${n}&format=ndjson HTTP/1.1\r\nHost: x\r\n\r\n`).head();
  let lines = 0;
  const body = client.body(head, 'GET');
  for (let step; !(step = await body.next()).done;)
    for (let at = -1; (at = step.value.indexOf(10, at + 1)) >= 0;) lines++;
  assert.equal(lines, n + 1);
  client.drop();
  if (!slow) assert.ok(server.resident('VmHWM') < 64, `${server.resident('VmHWM')} MB`); // sanitizers keep memory of their own
});

test('rows that mean nothing, and rows beyond the board', async () => {
  for (const rows of [
    '5',
    '5-',
    '-5',
    '5-3',
    'a-b',
    '1-2-3',
    '+1-2',
    '1- 2',
    '1..2',
    '0x1-2',
    '01-2',
    '0-3',
    '1-99999999999999999999',
    '',
  ])
    (await server.get(`/construct?n=8&rows=${encodeURIComponent(rows)}`)).isProblem(400, 'rows');
  for (const query of ['rows=1-9', 'rows=9-9', 'rows=1-2000000000', 'base=0&rows=0-8', 'base=0&rows=8-8'])
    (await server.get(`/construct?n=8&${query}`)).isProblem(422, 'rows');
  (await server.get('/construct?n=1000000001')).isProblem(422, 'n');
});
