// verify.test.js - POST /verify: what is said of a board, however it is sent, and what is not taken for one.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { document } from './contract.js';
import { after, assert, sleep, slow, start, tables, test, until } from './harness.js';

const server = await start({ after }, '--kernel', 'auto');
const run = promisify(execFile);
const ndjson = { 'content-type': 'application/x-ndjson' };

// From tests/data: the first solution in lexicographic order.
const firstOf = (n) => tables().lex_first.n[n].solution;

async function verify(board, headers = {}) {
  const reply = await server.post('/verify', board, headers);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

test('the smallest boards', async () => {
  const rest = { valid: true, symmetry: 'quarter', orbit: 1, rank: 0 };
  const has = (reply, wanted) => assert.deepEqual({ ...reply, ...wanted }, reply);
  has(await verify({ permutation: [] }), { ...rest, n: 0, canonical: [] });
  has(await verify({ n: 0, queens: [] }), { ...rest, n: 0, queens: 0 });
  has(await verify({ permutation: [1] }), { ...rest, n: 1, canonical: [1] });
  has(await verify({ permutation: [0], base: 0 }), { ...rest, base: 0, canonical: [0] });
  const none = { valid: false, symmetry: null, orbit: null, canonical: null, rank: null };
  has(await verify({ n: 1, queens: [] }), { ...none, peaceful: true, queens: 0 });
  has(await verify({ n: 8, queens: [{ row: 1, column: 5 }] }), { ...none, peaceful: true, queens: 1 });
  has(await verify({ permutation: [2, 1] }), { ...none, peaceful: false, conflict_count: 1 });
});

test('a larger board has its rank on request, or a job that finds it', async () => {
  const first = await server.post('/verify?rank=true', { n: 16, permutation: firstOf(16) }, { prefer: 'respond-async' });
  assert.equal(first.status, 202);
  assert.match(first.json.query, /^.count.n=16&method=compute&by=index$/);
  await server.delete(first.json.self);
  const offset = 1234567;
  const { solutions } = await server.getJson(`/solve?n=15&offset=${offset}&limit=1`); // which makes the same index
  const reply = await server.post('/verify?rank=true', solutions[0], { prefer: 'wait=600' });
  assert.equal(reply.json.rank, offset);
  assert.equal((await verify(solutions[0])).rank, null);
  const attacked = await server.post('/verify?rank=true', { n: 15, queens: [] }, { prefer: 'wait=600' });
  assert.deepEqual([attacked.json.valid, attacked.json.rank], [false, null]);
  (await server.post('/verify?rank=yes', solutions[0])).isProblem(400, 'rank');
});

test('the rank is returned up to n = 14, the canonical form up to 10000', async () => {
  const last = async (n) => {
    const { count } = await server.getJson(`/count?n=${n}`);
    const { solutions } = await server.getJson(`/solve?n=${n}&offset=${count - 1}`);
    return [solutions[0].permutation, count - 1];
  };
  const [permutation, rank] = await last(14);
  assert.equal((await verify({ permutation })).rank, rank);
  for (const [n, whole] of [[15, true], [10000, true], [10001, false]]) {
    const { permutation } = await server.getJson(`/construct?n=${n}`);
    const { valid, rank, canonical, orbit } = await verify({ permutation });
    assert.deepEqual([valid, rank, canonical?.length], [true, null, whole ? n : undefined]);
    assert.ok([2, 4, 8].includes(orbit));
  }
});

test('all pairs on a line are counted, and the first hundred are listed', async () => {
  const { conflict_count: all, conflicts } = await verify({ permutation: Array.from({ length: 1000 }, (_, i) => i + 1) });
  assert.deepEqual([all, conflicts.length], [499500, 100]);
  assert.deepEqual(conflicts[99], { a: { row: 1, column: 1 }, b: { row: 101, column: 101 }, line: 'diagonal' });
});

test('other types, methods and bodies without an end are refused', async () => {
  (await server.post('/verify', '{"row":1,"column":1}\n', ndjson)).isProblem(400, 'body');
  (await server.post('/verify', `{"base":0,"permutation":[${'0,'.repeat(1000000)}0]}`)).isProblem(422, 'body');
  for (const type of ['text/html', 'image/svg+xml', 'application/jsonx', 'application/x-www-form-urlencoded'])
    (await server.post('/verify', '{"permutation":[1]}', { 'content-type': type })).isProblem(415);
  assert.equal((await verify({ permutation: [1] }, { 'content-type': 'Application/JSON; charset=utf-8' })).valid, true);
  (await server.post('/verify', { permutation: [1] }, { accept: 'text/html' })).isProblem(406);
  assert.equal((await server.get('/verify', {}, 'OPTIONS')).headers.allow, 'GET, HEAD, POST, OPTIONS');
  (await server.get('/verify')).isProblem(400, 'n');
});

test('what /construct writes is accepted', async () => {
  const pipe = async (query, format = 'ndjson', type = 'application/x-ndjson', size = '') => {
    const base = `http://127.0.0.1:${server.port}`;
    const command = `curl -s '${base}/construct?format=${format}&${query}' |
      curl -s --data-binary @- -H 'Content-Type: ${type}' '${base}/verify${size}'`;
    return JSON.parse((await run('bash', ['-c', command])).stdout);
  };
  const drawn = ['n=1000&method=local-search', 'n=20&method=neural&base=0', 'n=8&method=random', 'n=20&method=random'];
  for (const query of ['n=1000', 'n=1000&base=0', 'n=1', 'n=4&base=0', ...drawn]) {
    const { n, base, valid } = await pipe(query);
    assert.deepEqual([n, base, valid], [Number(query.match(/n=(\d+)/)[1]), query.includes('base=0') ? 0 : 1, true]);
  }
  const part = await pipe('n=1000&rows=1-10');
  assert.deepEqual([part.valid, part.peaceful, part.queens, part.n], [false, true, 10, 1000]);
  const whole = await pipe('n=100000');
  assert.deepEqual([whole.valid, whole.queens, whole.canonical, whole.rank], [true, 100000, null, null]);
  for (const [format, type, n, size] of [['csv', 'text/csv', 100000], ['text', 'text/plain', 100000], ['json', 'application/json', 100000], ['octet-stream', 'application/octet-stream', 1000000, '?n=1000000']]) {
    const { valid, queens } = await pipe(`n=${n}`, format, type, size);
    assert.deepEqual([valid, queens], [true, n], format);
  }
});

test('a permutation of a million, and one with a single error (plain)', { skip: slow && 'sanitizers keep memory of their own' }, async () => {
  const n = 1000000;
  const { text } = await server.get(`/construct?n=${n}&format=csv&base=0`);
  const permutation = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => Number(line.split(',')[1]));
  assert.equal(permutation.length, n);
  const send = async () => {
    const client = await server.connect();
    const body = `{"base":0,"permutation":[${permutation}]}`;
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, Connection: 'close' };
    const reply = await client.ask('POST', '/verify', headers).send(body).reply();
    assert.equal(reply.status, 200);
    return reply.json;
  };
  assert.equal((await send()).valid, true);
  permutation[n / 2] = permutation[0];
  const { valid, conflicts } = await send();
  assert.equal(valid, false);
  assert.deepEqual(conflicts[0], {
    a: { row: 0, column: permutation[0] },
    b: { row: n / 2, column: permutation[0] },
    line: 'column',
  });
  assert.ok(server.resident('VmHWM') < 150, `${server.resident('VmHWM')} MB`);
});

const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };

test('chunks may end anywhere, and the connection stays open', async () => {
  const text = '{ "n": 8, "permutation": [1,5,8,6,3,7,2,4] }';
  const client = await server.connect();
  for (const size of [1, 2, 3, 7, text.length]) {
    client.ask('POST', '/verify', chunked);
    for (let at = 0; at < text.length; at += size) client.send(chunk(text.slice(at, at + size)));
    const reply = await client.send('0\r\n\r\n').reply();
    assert.deepEqual([reply.status, reply.json.rank], [200, 0]);
  }
  client.ask('POST', '/verify', chunked).send(chunk('[]')).send(chunk(' '.repeat(100000))); // read away, then refused
  (await client.send('0\r\n\r\n').reply()).isProblem(400, 'body');
  client.ask('POST', '/verify', chunked).send(chunk(text)).send('0\r\n\r\n');
  assert.equal((await client.reply()).status, 200);
  client.drop();
});

test('Expect: 100-continue is answered', async () => {
  const client = await server.connect();
  const body = '{"permutation":[2,4,1,3]}';
  const headers = { 'Content-Type': 'application/json', Expect: '100-continue' };
  client.ask('POST', '/verify', { ...headers, 'Content-Length': body.length });
  assert.equal((await client.head()).status, 100);
  assert.equal((await client.send(body).reply()).json.valid, true);
  client.ask('POST', '/verify', { ...headers, 'Content-Length': (16 << 20) + 1 });
  (await client.reply()).isProblem(413); // at once
  assert.ok(await client.end());
});

test('a body of 16 MiB is read, octets of 64, none of more', async () => {
  const spaces = ' '.repeat(1 << 20);
  const send = async (type, begin, blocks, more) => {
    const client = await server.connect();
    client.ask('POST', '/verify?' + (type.includes('octet') ? 'n=1' : ''), { ...chunked, 'Content-Type': type, Connection: 'close' }).send(chunk(begin));
    for (let i = 0; i < blocks; i++) client.send(chunk(spaces));
    return client.send(chunk(' '.repeat(more))).send('0\r\n\r\n').reply();
  };
  const types = { 'application/json': '{"permutation":[1]}', 'application/x-ndjson': '{"permutation":[1]}', 'text/plain': '1                  ' };
  for (const [type, begin] of Object.entries(types)) {
    assert.equal((await send(type, begin, 15, (1 << 20) - 19)).status, 200, type);
    const refused = await send(type, begin, 15, (1 << 20) - 18);
    refused.isProblem(413);
    assert.equal(refused.json.maximum, 16 << 20);
  }
  (await send('text/csv', 'row 1..1,column 1..', 15, (1 << 20) - 18)).isProblem(413);
  (await send('application/octet-stream', '    ', 17, 4)).isProblem(422, 'body'); // more than a million of them
  const refused = await send('application/octet-stream', '    ', 63, 1 << 20);
  refused.isProblem(413);
  assert.equal(refused.json.maximum, 64 << 20);
  assert.equal(await send('application/json', '{}', 33, 1), null); // enough is enough
});

test('bodies of every form that the second pool reads', async () => {
  const n = 100000; // a diagonal: every form is larger than 1 MiB, or is made so by what says nothing
  const queens = Array.from({ length: n }, (_, i) => i + 1);
  const pad = ' '.repeat(1 << 20);
  const forms = {
    'application/json': `{"permutation":[${queens}],"id":"${pad}"}`,
    'application/x-ndjson': `${queens.map((i) => `{"row":${i},"column":${i}}`).join('\n')}\n{"end":true,"n":${n}}\n`,
    'text/plain': `n = ${n}, base = 1\n\n${queens.join('  ')}${pad}\n\nREADY.\n`,
    'text/csv': `row 1..${n},column 1..${n}\r\n${queens.map((i) => `${i},${i}`).join('\r\n')}\r\n`,
    'application/octet-stream': Buffer.from(Uint32Array.from({ length: 3 * n }, (_, i) => i + 1).buffer),
  };
  for (const [type, body] of Object.entries(forms)) {
    const octets = type.includes('octet');
    const size = octets ? 3 * n : n;
    assert.ok(body.length > 1 << 20, type);
    const reply = await server.get(`/verify${octets ? `?n=${size}` : ''}`, { 'content-type': type }, 'POST', body);
    assert.deepEqual([reply.status, reply.json.n, reply.json.queens, reply.json.conflict_count], [200, size, size, (size * (size - 1)) / 2], type);
  }
});

// By schedstat, against what the other threads use for the same body, which a busy or slow machine makes longer alike: they read it and
// look at the board in eight to twenty times as long as it takes to receive it. Jansson on that thread would be a third of all.
test('the thread that serves everybody only copies a body (plain)', { skip: slow && 'sanitizers take longer' }, async () => {
  await verify({ permutation: [1] }); // the thread has its name with the first connection
  const tasks = `/proc/${server.process.pid}/task`;
  const used = () => {
    const sums = { http: 0, others: 0 };
    for (const task of readdirSync(tasks)) {
      const own = readFileSync(`${tasks}/${task}/comm`, 'utf8') === 'http\n';
      sums[own ? 'http' : 'others'] += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    }
    return sums;
  };
  const body = JSON.stringify({ permutation: Array.from({ length: 300000 }, (_, i) => i + 1) });
  const shares = [];
  for (let i = 0; i < 7; i++) {
    const before = used();
    assert.equal((await server.post('/verify', body)).status, 200);
    const now = used();
    shares.push((now.http - before.http) / (now.others - before.others));
  }
  assert.ok(Math.min(...shares) < 0.2, `${shares.map((share) => share.toFixed(2))} of what the others used`);
});

test('a slow sender holds no more than it announced, and nothing of a type that is refused', async () => {
  const held = () => server.metric('nq_reply_bytes');
  await until(async () => (await held()) === 0, 'nothing is held');
  const clients = [];
  for (let i = 1; i <= 20; i++) {
    const client = await server.connect();
    client.ask('POST', '/verify', { 'Content-Type': 'application/json', 'Content-Length': 5000 }).send(' '.repeat(3000));
    clients.push(client);
    await until(async () => (await held()) >= 3000 * i, 'it has come');
    assert.ok((await held()) <= 5000 * i);
  }
  for (const client of clients) assert.equal((await client.send(`${' '.repeat(1981)}{"permutation":[1]}`).reply()).status, 200);
  for (const client of clients) client.drop();
  await until(async () => (await held()) === 0, 'nothing is held');
  const other = await server.connect();
  other.ask('POST', '/verify', { 'Content-Type': 'text/html', 'Content-Length': 5000 }).send(' '.repeat(4999));
  await sleep(0.2);
  assert.equal(await held(), 0);
  (await other.send(' ').reply()).isProblem(415);
  other.drop();
});

test('a client that leaves while its body is read leaves nothing behind', async () => {
  const body = `{"permutation":[${'1,'.repeat(7 << 20)}1]}`;
  for (let i = 0; i < 4; i++) {
    const client = await server.connect();
    client.ask('POST', '/verify', { 'Content-Type': 'application/json', 'Content-Length': body.length }).send(body.slice(0, -1));
    await until(async () => (await server.metric('nq_reply_bytes')) >= body.length - 1, 'it has come'); // and is held until the rest has
    client.send(body.slice(-1));
    await sleep(0.05 * i);
    client.drop();
    await until(async () => (await server.metric('nq_reply_bytes')) === 0, 'nothing is held');
  }
  assert.equal((await verify({ permutation: [2, 4, 1, 3] })).valid, true);
});

test('a service that stops does not wait for a body that is read', async (t) => {
  const ending = await start(t, '--drain-seconds', 0);
  const body = `{"permutation":[${'1,'.repeat(7 << 20)}1]}`;
  const client = await ending.connect();
  client.ask('POST', '/verify', { 'Content-Type': 'application/json', 'Content-Length': body.length }).send(body.slice(0, -1));
  await until(async () => (await ending.metric('nq_reply_bytes')) >= body.length - 1, 'it has come'); // and is held until the rest has
  client.send(body.slice(-1));
  await ending.stop();
  client.drop();
});

test('a document that needs more memory than there is left is a 503', async (t) => {
  const small = await start(t, '--reply-bytes', '8M');
  const objects = `{"permutation":[1],"x":[${'{},'.repeat(1 << 19)}0]}`;
  (await small.post('/verify', objects)).isProblem(503);
  await until(async () => (await small.metric('nq_reply_bytes')) === 0, 'nothing is held');
  assert.ok(small.resident('VmHWM') < 100, `${small.resident('VmHWM')} MB`);
  assert.equal((await small.post('/verify', { permutation: [2, 4, 1, 3] })).json.valid, true);
});

test('an upload has the deadline of any request, and leaves no memory behind', async (t) => {
  const hasty = await start(t, '--request-seconds', slow ? 20 : 3);
  const text = '{"permutation":[2,4,1,3]}';
  const client = await hasty.connect();
  client.ask('POST', '/verify', chunked);
  for (let at = 0; at < text.length; at += 5) {
    client.send(chunk(text.slice(at, at + 5)));
    await sleep(0.05);
  }
  assert.equal((await client.send('0\r\n\r\n').reply()).json.valid, true);
  await until(async () => (await hasty.metric('nq_reply_bytes')) === 0, 'the first request is over');
  client.ask('POST', '/verify', chunked).send(chunk('{"permutation":['));
  const drip = setInterval(() => client.send(chunk('1,')), 100);
  await until(async () => (await hasty.metric('nq_reply_bytes')) > 0, 'some of it is held');
  (await client.reply()).isProblem(408);
  clearInterval(drip);
  client.drop();
  await until(async () => (await hasty.metric('nq_reply_bytes')) === 0, 'nothing is held');
});

test('all uploads together are bounded, and are freed when their clients disconnect', async (t) => {
  const small = await start(t, '--reply-bytes', '8M');
  const many = async (count) => {
    const client = await small.connect();
    client.ask('POST', '/verify', chunked).send(chunk('{"base":0,"permutation":['));
    for (let i = 0; i < count; i += 10000) client.send(chunk('0,'.repeat(10000)));
    return client;
  };
  const holds = (what, wanted) => until(async () => wanted(await small.metric('nq_reply_bytes')), what);
  const first = await many(1250000);
  await holds('half of the memory is held', (bytes) => bytes === 4 << 20);
  const second = await many(2500000);
  (await second.send(chunk('0]}')).send('0\r\n\r\n').reply()).isProblem(503);
  assert.equal((await small.post('/verify', { permutation: [2, 4, 1, 3] })).json.valid, true);
  first.drop(); // in the middle of its body
  await holds('nothing is held', (bytes) => bytes === 0);
  const third = await many(100000);
  assert.equal((await third.send(chunk('0]}')).send('0\r\n\r\n').reply()).json.conflict_count, (100001 * 100000) / 2);
  second.drop();
  third.drop();
});

test('many boards at once, each with its own answer', async () => {
  const boards = Array.from({ length: 60 }, (_, i) => Array.from({ length: 12 }, (_, row) => (row * (i + 1)) % 12));
  const replies = await Promise.all(boards.map((permutation) => verify({ base: 0, permutation })));
  replies.forEach(({ conflict_count: count }, i) => {
    const queens = boards[i].map((column, row) => ({ row, column }));
    const attack = (a, b) => a.column === b.column || b.row - a.row === Math.abs(b.column - a.column);
    const pairs = queens.flatMap((a, j) => queens.slice(j + 1).filter((b) => attack(a, b)));
    assert.equal(count, pairs.length, `board ${i}`);
  });
  await until(async () => (await server.metric('nq_reply_bytes')) === 0, 'nothing is held');
  assert.equal(await server.metric('nq_searches_running'), 0);
});

test('every example of a text in the contract is the same solution, as text and as a string', async () => {
  const { examples } = document.paths['/verify'].post.requestBody.content['text/plain'];
  const source = readFileSync(new URL('../../src/http/ask/verify_drawn.c', import.meta.url), 'utf8');
  const readers = [...source.matchAll(/\.name = "(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(Object.keys(examples).map((name) => name.split('-')[0]))], readers);
  assert.equal(Object.keys(examples).length, 21);
  for (const [name, { value }] of Object.entries(examples)) {
    const text = await server.get('/verify', { 'content-type': 'text/plain' }, 'POST', value);
    assert.deepEqual([text.status, text.json.valid, text.json.n, text.json.rank], [200, true, 4, 0], `${name}: ${text.text}`);
    if (/^python/.test(name)) continue; // in JSON it is no string
    assert.deepEqual(await verify({ board: value }), text.json, name);
    assert.deepEqual(await verify({ permutation: value }), text.json, name);
    assert.deepEqual((await server.post('/verify?index=1', { solutions: ['.Q/..', value] })).json, text.json, name);
    const several = await server.get('/verify?index=1', { 'content-type': 'text/plain' }, 'POST', `${value.replaceAll('\n', '/')}\n`.repeat(2));
    if (!/^(names|blanks)/.test(name)) assert.deepEqual(several.json, text.json, `${name}: ${several.text}`);
  }
});

test('a board of blanks, and a list as Python prints it', async () => {
  const text = (body) => server.get('/verify', { 'content-type': 'text/plain' }, 'POST', body);
  const blanks = 'Q   \n  Q \nQ   \n  Q \n';
  const verdict = await text(blanks);
  assert.deepEqual([verdict.status, verdict.json.n, verdict.json.queens], [200, 4, 4]);
  assert.deepEqual((await text(blanks.replaceAll(' ', '.'))).json, verdict.json);
  const mixed = await text("{'n': 4, 'base': 0, 'solutions': [{'permutation': (1, 3, 0, 2)}], 'next': None, 'complete': True}");
  assert.deepEqual([mixed.status, mixed.json.valid], [200, true]);
});

test('lists of boards, of permutations and of squares', async () => {
  const [one, other] = [[2, 4, 1, 3], [3, 1, 4, 2]];
  const drawn = (columns) => columns.map((column) => '.'.repeat(column - 1) + 'Q' + '.'.repeat(4 - column));
  const lists = [[drawn(one), drawn(other)], [one, other], [one.join(''), other.join('')], [drawn(one).join('\n'), drawn(other).join('/')], [{ permutation: one }, drawn(other)], [drawn(one).map((row) => [...row]), drawn(other).map((row) => [...row])]];
  for (const list of lists)
    for (const body of [list, { solutions: list }]) {
      (await server.post('/verify', body)).isProblem(400, 'body');
      for (const index of [0, 1]) assert.equal((await server.post(`/verify?index=${index}`, body)).json.rank, index, JSON.stringify(body));
    }
  const squares = one.map((column, i) => [i + 1, column]);
  const forms = [squares, squares.map(([row, col]) => ({ row, col })), squares.map(([y, x]) => ({ x, y })), squares.map(([row, column]) => 'abcd'[column - 1] + row)];
  for (const queens of forms) for (const body of [queens, { n: 4, queens }]) assert.equal((await verify(body)).rank, 0, JSON.stringify(body));
  const lines = squares.map(([row, col]) => JSON.stringify({ row, col })).join('\n');
  assert.equal((await verify(`${lines}\n{"end":true,"n":4}\n`, ndjson)).rank, 0);
});

test('our CSV comes back as a spreadsheet saves it', async () => {
  const saves = {
    semicolons: (text) => text.replaceAll(',', ';'),
    tabs: (text) => text.replaceAll(',', '\t'),
    quotes: (text) => text.replace(/[^,\r\n]+/g, '"$&"'),
    all: (text) => `\ufeff${text.replace(/[^,\r\n]+/g, '"$&"').replaceAll(',', ';')}`,
    feeds: (text) => text.replaceAll('\r', ''),
  };
  for (const target of ['/solve?n=8&limit=1', '/solve?n=8&limit=1&board=ascii&rank=true', '/solve?n=5&limit=1&rules=toroidal&base=0', '/construct?n=8', '/construct?n=9&base=0'])
    for (const [name, save] of Object.entries(saves)) {
      const body = save((await server.get(`${target}&format=csv`)).text);
      const reply = await server.get('/verify', { 'content-type': 'text/csv' }, 'POST', body);
      assert.deepEqual([reply.status, reply.json.valid], [200, true], `${target} ${name} ${reply.text}`);
    }
});

test('a body of gzip is decoded, and no other coding', async () => {
  const send = (body, coding, type = 'application/json', path = '/verify') => server.get(path, { 'content-type': type, 'content-encoding': coding }, 'POST', body);
  const bodies = { 'application/json': '{"permutation":[2,4,1,3]}', 'text/plain': '\ufeff. Q . .\n. . . Q\nQ . . .\n. . Q .\n', 'text/csv': 'row 1..4,column 1..4\r\n1,2\r\n2,4\r\n3,1\r\n4,3\r\n' };
  for (const [type, body] of Object.entries(bodies))
    for (const coding of ['gzip', 'x-gzip', 'GZIP']) {
      const reply = await send(gzipSync(body), coding, type);
      assert.deepEqual([reply.status, reply.json.rank], [200, 0], reply.text);
    }
  const two = Buffer.concat([gzipSync('[2,4,'), gzipSync('1,3]')]);
  assert.equal((await send(two, 'gzip')).json.rank, 0);
  const octets = await send(gzipSync(Buffer.from(Uint32Array.of(2, 4, 1, 3).buffer)), 'gzip', 'application/octet-stream', '/verify?n=4');
  assert.equal(octets.json.rank, 0);
  for (const body of ['[2,4,1,3]', gzipSync('[2,4,1,3]').subarray(0, -3), Buffer.concat([gzipSync('[1]'), Buffer.from('x')])]) {
    const reply = await send(body, 'gzip');
    reply.isProblem(400, 'body');
    assert.match(reply.json.detail, /must be complete gzip/);
  }
  for (const coding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
    const reply = await send('x', coding);
    reply.isProblem(415);
    assert.match(reply.json.detail, /gzip/);
  }
  const most = 16 << 20;
  const largest = await send(gzipSync(`[2,4,1,3]${' '.repeat(most - 9)}`), 'gzip');
  assert.equal(largest.json.rank, 0);
  const bomb = await send(gzipSync(' '.repeat(most + 1)), 'gzip');
  bomb.isProblem(413);
  assert.equal(bomb.json.maximum, most);
  (await send(gzipSync('{"kind":"count","n":8}'), 'gzip', 'application/json', '/jobs')).isProblem(415);
  await until(async () => (await server.metric('nq_reply_bytes')) === 0, 'nothing is held');
});
