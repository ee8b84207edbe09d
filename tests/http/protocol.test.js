// protocol.test.js - HTTP itself, byte by byte: what keeps a connection usable. What must not get through is in raw.test.js.
import { document, resolve } from './contract.js';
import { after, assert, sleep, start, test, until } from './harness.js';

const server = await start({ after }, '--kernel', 'auto');

test('blanks around values, and empty values, are no folded lines', async () => {
  const client = await server.connect();
  const fields = ['X-A:', 'X-B: ', 'X-C:\t \t', 'X-D:z', 'X-E: \t z', 'X-F: z \t', 'X-G: z  z', `X-H: ${'z'.repeat(9000)}`];
  const reply = await client.send(`GET /count?n=8 HTTP/1.1\r\nHost: x\r\n${fields.join('\r\n')}\r\n\r\n`).reply();
  assert.equal(reply.status, 200, reply.text);
  client.drop();
});

test('HTTP/1.0 needs no host and closes', async () => {
  const [reply, end] = await server.raw('GET /count?n=8 HTTP/1.0\r\n\r\n');
  assert.equal(reply.json.count, 92);
  assert.equal(end, 'end');
});

test('HEAD and OPTIONS on every route, over one connection, leave it usable', async () => {
  // Asked for once, an answer is at hand, and a HEAD of it has a length: the connection stays.
  const queries = { '/puzzle': '?n=8&seed=1', '/embed': '?code=131w' };
  const needsN = ({ get }) => get?.parameters?.some((parameter) => resolve('', parameter)[1].name === 'n');
  for (const [path, entry] of Object.entries(document.paths)) if (needsN(entry)) queries[path] ??= '?n=8';
  for (const query of Object.entries(queries)) await server.get(query.join(''));
  const [, script] = /src="web\/([^"]+)"/.exec((await server.get('/')).text);
  const { id } = await server.begin({ n: 14, rules: 'semiqueens' }); // it takes so long that its units are listed
  await server.look(id, ({ state }) => state === 'done');
  for (const port of [server.port, server.adminPort]) {
    const client = await server.connect(port);
    const ask = async (method, target, status) => {
      const reply = await client.ask(method, target).reply();
      assert.equal(reply?.status, status, `${method} ${target}`);
      return reply;
    };
    for (const path of Object.keys(document.paths).filter(
      (path) => Boolean(document.paths[path].servers) === (port === server.adminPort),
    )) {
      const { get, post, delete: del } = document.paths[path];
      const target = path.replace('{id}', id).replace('{file}', script).replace('{board}', '131w').replace('{algorithm}', 'rapella').replace('{icon}', '192.png');
      if (!path.endsWith('/events')) // which has no end that is known, so that HEAD closes: see events.test.js
        await ask('HEAD', target + (queries[path] ?? ''), get ? 200 : 405);
      await ask('HEAD', `${target}?nonsense=1`, get?.['x-any-parameter'] ? 200 : get ? 400 : 405);
      const allowed = [...(del ? ['DELETE'] : []), ...(get ? ['GET', 'HEAD'] : []), 'OPTIONS', ...(post ? ['POST'] : [])];
      assert.deepEqual((await ask('OPTIONS', target, 204)).headers.allow.split(', ').sort(), allowed);
    }
    await ask('HEAD', '/nothing', 404);
    await ask('GET', port === server.port ? '/count?n=8' : '/readyz', 200);
    client.drop();
  }
});

test('HEAD of an uncached answer searches nothing, has no body and no length', async () => {
  const searched = await server.metric('nq_searches_started_total');
  for (const target of [
    '/solve?n=60&algorithm=bitboard', '/solve?n=60&algorithm=bitboard&format=ndjson', '/count?n=19&method=compute', '/construct?n=9', '/construct?n=1000000000',
  ]) {
    const client = await server.connect();
    const reply = await client.ask('HEAD', target).reply();
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-length'], undefined);
    if (reply.headers.connection === 'close') assert.equal(await client.reply(), null);
    else assert.equal((await client.ask('GET', '/count?n=8').reply()).status, 200);
    client.drop();
  }
  assert.equal(await server.metric('nq_searches_started_total'), searched);
});

test('OPTIONS * is about the whole server', async () => {
  const client = await server.connect();
  assert.equal((await client.ask('OPTIONS', '*').reply()).status, 204);
  assert.equal((await client.ask('OPTIONS', '/nothing').reply()).status, 404);
  assert.equal((await client.ask('GET', '/count?n=8').reply()).json.count, 92);
  client.drop();
});

test('pipelined requests are answered in order', async () => {
  const client = await server.connect();
  const targets = [
    '/count?n=8', '/solve?n=11&limit=7', '/nothing', '/solve?n=6&format=ndjson', '/construct?n=20000', '/count?n=x', '/count?n=10',
  ];
  targets.forEach((target, i) => client.ask('GET', target, { 'X-Request-Id': `id-${i}` }));
  for (const [i, target] of targets.entries()) {
    const reply = await client.reply();
    assert.ok(reply.complete, target);
    assert.equal(reply.headers['x-request-id'], `id-${i}`);
  }
  client.drop();
});

test('a body that a route does not need is read and ignored', async () => {
  const client = await server.connect();
  for (const headers of ['Content-Length: 5\r\n\r\nhello', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'])
    for (const [method, target, status] of [
      ['GET', '/count?n=8', 200],
      ['POST', '/construct?n=8', 405],
      ['POST', '/count?n=8', 415],
      ['GET', '/nothing', 404],
      ['OPTIONS', '/count', 204],
      ['GET', '/count', 400],
    ])
      assert.equal(
        (await client.send(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}`).reply())?.status,
        status,
        method + target + headers,
      );
  client.drop();
});

test('a request byte by byte is a request', async () => {
  const client = await server.connect();
  for (const byte of 'GET /count?n=8 HTTP/1.1\r\nHost: x\r\n\r\n') {
    client.send(byte);
    await sleep(0.002);
  }
  assert.equal((await client.reply()).json.count, 92);
  client.drop();
});

test('Connection: close closes the connection', async () => {
  const [reply, end] = await server.raw('GET /solve?n=8 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.equal(reply.json.returned, 92);
  assert.equal(end, 'end');
});

test('a client that closes its sending side gets a cached answer; a search for it is cancelled', async () => {
  await server.getJson('/count?n=8');
  for (const [target, ...expected] of [
    ['/count?n=8', 200],
    ['/count?n=x', 400],
    ['/algorithms', 200],
    ['/solve?n=61&algorithm=bitboard', 503, undefined],
  ]) {
    const client = await server.connect();
    client.ask('GET', target).socket.end();
    const reply = await client.reply();
    assert.ok(expected.includes(reply?.status), `${target}: ${reply?.status}`);
    client.drop();
  }
  await until(async () => (await server.metric('nq_searches_running')) === 0, 'the search is given up');
});

test('a target may be absolute', async () => {
  const client = await server.connect();
  const reply = await client.send('GET http://localhost/count?n=8 HTTP/1.1\r\nHost: localhost\r\n\r\n').reply();
  assert.equal(reply.json.count, 92);
  client.drop();
});

test('escapes in a path are decoded once', async () => {
  assert.equal((await server.get('/c%6funt?n=8')).status, 200);
  assert.equal((await server.get('/count%3Fn=8')).status, 404);
  assert.equal((await server.get('/%2563ount?n=8')).status, 404);
});

test('as many requests at once as libmicrohttpd takes events: none waits for later ones', async (t) => {
  const server = await start(t, '--keep-alive-seconds', 3600);
  const clients = await Promise.all(Array.from({ length: 128 }, () => server.connect()));
  for (const client of clients) assert.equal((await client.ask('GET', '/algorithms').reply()).status, 200);
  for (let round = 0; round < 3; round++) {
    server.process.kill('SIGSTOP');
    for (const client of clients) client.ask('GET', '/algorithms');
    await until(() => clients.every(({ socket }) => socket.writableLength === 0), 'all are sent');
    server.process.kill('SIGCONT');
    for (const client of clients) assert.equal((await client.reply()).status, 200);
  }
});
