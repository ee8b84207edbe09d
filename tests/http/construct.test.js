// construct.test.js - GET /construct: one solution of any size by every method, whole or in part, in little memory.
import { execFile } from 'node:child_process';
import { after, assert, slow, start, test, until } from './harness.js';

const server = await start({ after });

function assertSolution(permutation, n, base = 1) {
  const [columns, up, down] = [new Set(permutation), new Set(), new Set()];
  permutation.forEach((column, row) => up.add(column + row) && down.add(column - row));
  assert.deepEqual([permutation.length, columns.size, up.size, down.size], [n, n, n, n], `n = ${n}`);
  assert.ok(permutation.every((column) => column >= base && column < n + base), `n = ${n}`);
}

test('rows are a part of the whole, in the requested base', async () => {
  const { permutation } = await server.getJson('/construct?n=50');
  assert.deepEqual((await server.getJson('/construct?n=50&base=0')).permutation, permutation.map((column) => column - 1));
  const part = await server.getJson('/construct?n=50&rows=7-12');
  assert.deepEqual(part.rows, { first: 7, last: 12 });
  assert.deepEqual(part.permutation, permutation.slice(6, 12));
  const zero = await server.getJson('/construct?n=50&rows=0-0&base=0');
  assert.deepEqual(zero, { n: 50, base: 0, method: 'explicit', rows: { first: 0, last: 0 }, permutation: [permutation[0] - 1] });
  assert.deepEqual((await server.getJson('/construct?n=50&rows=1-50')).permutation, permutation);
});

test('a few rows of a very large board', async () => {
  assert.deepEqual((await server.getJson('/construct?n=1000000&rows=1-5')).permutation, [2, 4, 6, 8, 10]);
  const { permutation } = await server.getJson('/construct?n=1000000000&rows=999999998-1000000000');
  assert.equal(permutation.length, 3);
});

test('NDJSON has one queen per line and an end line', async () => {
  for (const n of [1, 8, 20000]) {
    const reply = await server.get(`/construct?n=${n}&format=ndjson&base=0`);
    assert.equal(reply.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(reply.lines.at(-1), { end: true, n, base: 0, returned: n, next: null });
    const queens = reply.lines.slice(0, -1);
    assert.ok(queens.every((queen, row) => queen.row === row));
    assertSolution(queens.map((queen) => queen.column), n, 0);
  }
  const part = await server.get('/construct?n=8&rows=3-4&format=ndjson');
  assert.deepEqual(part.lines.map((line) => line.row), [3, 4, undefined]);
  assert.equal(part.lines.at(-1).returned, 2);
});

test('a small answer has its length, a large one is chunked', async () => {
  const client = await server.connect();
  const small = await client.ask('GET', '/construct?n=16384').reply();
  assert.equal(Number(small.headers['content-length']), small.text.length);
  const large = await client.ask('GET', '/construct?n=16385').reply();
  assert.equal(large.headers['transfer-encoding'], 'chunked');
  assert.equal(large.headers['x-accel-buffering'], 'no');
  assert.ok(large.complete);
  client.drop();
});

test('a long stream needs no memory (plain)', { skip: slow && 'sanitizers keep memory of their own' }, async () => {
  const n = 1e7;
  const client = await server.connect();
  const head = await client.send(`GET /construct?n=${n}&format=ndjson HTTP/1.1\r\nHost: x\r\n\r\n`).head();
  let lines = 0;
  const body = client.body(head, 'GET');
  for (let step; !(step = await body.next()).done;)
    for (let at = -1; (at = step.value.indexOf(10, at + 1)) >= 0;) lines++;
  assert.equal(lines, n + 1);
  client.drop();
  assert.ok(server.resident('VmHWM') < 64, `${server.resident('VmHWM')} MB`);
});

// ---- Methods ----

const columnsOf = (bytes) => Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));

test('random is the solution of sample=1 up to n = 14, and local search beyond', async () => {
  for (let n = 0; n <= 14; n++) {
    if (n === 2 || n === 3) continue;
    for (const seed of [0, 7, 2 ** 53 - 1]) {
      const drawn = await server.getJson(`/construct?n=${n}&method=random&seed=${seed}`);
      const { solutions } = await server.getJson(`/solve?n=${n}&sample=1&seed=${seed}`);
      assert.deepEqual(drawn, { n, base: 1, method: 'random', seed, uniform: true, ...solutions[0] });
    }
  }
  for (const n of [15, 100, 20000]) {
    const drawn = await server.getJson(`/construct?n=${n}&method=random&seed=3`);
    const searched = await server.getJson(`/construct?n=${n}&method=local-search&seed=3`);
    assert.deepEqual(drawn, { ...searched, method: 'random', uniform: false });
  }
  const { lines } = await server.get('/construct?n=8&method=random&seed=7&format=ndjson');
  assert.deepEqual(lines.at(-1), { end: true, n: 8, base: 1, seed: 7, uniform: true, returned: 8, next: null });
});

test('/algorithms says which methods depend on a seed', async () => {
  const { constructions } = await server.getJson('/algorithms');
  const seeded = constructions.filter((row) => row.seeded).map((row) => row.name);
  assert.ok(seeded.includes('local-search') && seeded.includes('random') && !seeded.includes('linear'));
  for (const { name, max_n: most } of constructions) {
    (await server.get(`/construct?n=${most + 1}&method=${name}`)).isProblem(422, 'n');
    const reply = await server.get(`/construct?n=${most}&method=${name}&rows=1-2&format=csv`, {}, 'HEAD');
    assert.ok([200, 422].includes(reply.status), name); // no search; 422: none of this size
  }
});

// ---- Octets ----

test('octets are the columns, four bytes each, with their length', async () => {
  for (const n of [0, 1, 8, 999, 16384, 16385, 300000])
    for (const base of [0, 1]) {
      const { headers, bytes } = await server.get(`/construct?n=${n}&base=${base}`, { accept: 'application/octet-stream' });
      assert.equal(headers['content-type'], 'application/octet-stream');
      assert.equal(Number(headers['content-length']), 4 * n);
      assertSolution(columnsOf(bytes), n, base);
    }
  const { permutation } = await server.getJson('/construct?n=300000');
  const part = await server.get('/construct?n=300000&rows=100-250000&format=octet-stream');
  assert.deepEqual(columnsOf(part.bytes), permutation.slice(99, 250000));
  const searched = await server.getJson('/construct?n=20000&method=local-search&seed=1');
  const octets = await server.get('/construct?n=20000&method=local-search&seed=1&format=octet-stream');
  assert.deepEqual(columnsOf(octets.bytes), searched.permutation);
});

test('a HEAD of octets has the length, and the connection stays open', async () => {
  const client = await server.connect();
  for (const [rows, length] of [['', 4e9], ['&rows=7-1000006', 4e6], ['&rows=7-7', 4]]) {
    const head = await client.ask('HEAD', `/construct?n=1000000000&format=octet-stream${rows}`).reply();
    assert.equal(Number(head.headers['content-length']), length);
    assert.equal(head.headers['transfer-encoding'], undefined);
  }
  const whole = await client.ask('GET', '/construct?n=100000&format=octet-stream').reply();
  assert.equal(Number(whole.headers['content-length']), 400000);
  assert.equal(whole.headers['transfer-encoding'], undefined);
  assert.equal(whole.headers['x-accel-buffering'], 'no');
  assert.equal((await client.ask('GET', '/construct?n=8').reply()).status, 200);
  client.drop();
});

// What curl exits with, and how many bytes it got.
const curl = (port, target, ...flags) =>
  new Promise((resolve) => {
    const argv = ['-s', '-o', '/dev/null', '-w', '%{size_download}', ...flags, `http://127.0.0.1:${port}${target}`];
    execFile('curl', argv, (error, stdout) => resolve([error ? error.code : 0, Number(stdout)]));
  });

test('complete octets end normally, truncated ones do not', async (t) => {
  const short = await start(t, '--stream-seconds', 1);
  for (const version of ['--http1.0', '--http1.1']) {
    assert.deepEqual(await curl(server.port, '/construct?n=1000000&format=octet-stream', version), [0, 4e6]);
    const [code, size] = await curl(short.port, '/construct?n=1000000000&format=octet-stream', version, '--limit-rate', '64M');
    assert.ok(code !== 0 && size < 4e9, `${version}: ${code}, ${size} bytes`);
  }
  await until(async () => (await server.metric('nq_streams_running')) === 0, 'the streams are over');
  assert.equal(await server.metric('nq_streams_cut_total'), 0);
  await until(async () => (await short.metric('nq_streams_cut_total')) === 2, 'both were cut');
  assert.ok(server.logs.some((line) => line.cache === 'stream' && line.bytes === 4e6));
});

test('a board that can never fit into --search-bytes is a 422 with the largest that does, whatever its format', async (t) => {
  const small = await start(t, '--search-bytes', '16M');
  const construct = (n, more = '&rows=1-2', method = 'GET') => small.get(`/construct?n=${n}&method=local-search${more}`, {}, method);
  assert.equal((await construct(10000)).status, 200);
  const refused = await construct(5000000); // 20 MB of columns
  refused.isProblem(422);
  const { type, code, detail, bytes, limit_bytes: limit, largest_n: largest } = refused.json;
  assert.deepEqual([type, code, limit], ['urn:nqueensd:problem:beyond-limit', 'search-memory', 16 << 20]);
  assert.ok(bytes > 20e6 && bytes < 25e6, `${bytes}`);
  for (const word of ['--search-bytes', bytes, limit, largest]) assert.ok(detail.includes(`${word}`), detail);
  assert.equal(refused.headers['retry-after'], undefined);
  assert.equal((await construct(largest)).status, 200);
  for (const more of ['', '&format=ndjson', '&format=octet-stream', '&seed=5']) (await construct(largest + 1, more)).isProblem(422);
  assert.equal((await construct(largest + 1, '', 'HEAD')).status, 422);
  (await small.get(`/construct?n=${largest + 1}&method=random&rows=1-2`)).isProblem(422); // which is left to the local search
  assert.equal((await small.get(`/construct?n=${largest + 1}&rows=1-2`)).status, 200); // by a method that needs no memory
  assert.equal(await small.metric('nq_searches_too_large_total'), 7);
  assert.equal(await small.metric('nq_searches_refused_total'), 0);
  assert.equal(await small.metric('nq_http_requests_total', { code: 503 }), 0);
});

test('a board that has no room because of another one is a 503', async (t) => {
  const small = await start(t, '--search-bytes', '16M');
  const target = (n) => `/construct?n=${n}&method=local-search`;
  const reader = await small.connect(); // it stops reading, so that the board stays
  assert.equal((await reader.ask('GET', `${target(3000000)}&format=ndjson`).head()).status, 200);
  const refused = await small.get(`${target(2000000)}&rows=1-2`);
  assert.deepEqual([refused.status, refused.json.type], [503, 'urn:nqueensd:problem:busy']);
  assert.ok(refused.headers['retry-after']);
  reader.drop();
  await until(async () => (await small.get(`${target(2000000)}&rows=1-2`)).status === 200, 'the memory is given back');
  assert.equal(await small.metric('nq_searches_too_large_total'), 0);
});
