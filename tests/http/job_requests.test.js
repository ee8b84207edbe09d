// job_requests.test.js - requests to /jobs that are no question, and those that only look like none.
import { after, assert, patience, start, test, until } from './harness.js';

const server = await start({ after });

test('unknown jobs are a 404', async () => {
  for (const id of ['0123456789abcdef', 'x', '-', '_', 'A'.repeat(64), '0123456789ABCDEF']) {
    (await server.get(`/jobs/${id}`)).isProblem(404);
    (await server.get(`/jobs/${id}/events`)).isProblem(404);
    (await server.delete(`/jobs/${id}`)).isProblem(404);
  }
  const { id } = await server.begin({ n: 8 });
  for (const path of [
    `/jobs/${id}x`,
    `/jobs/${id.slice(1)}`,
    `/jobs/${id.toUpperCase()}${/[a-f]/.test(id) ? '' : 'X'}`,
    `/jobs/${id}/other`,
    `/jobs//events`,
    `/jobs/${'a'.repeat(65)}`,
    `/jobs/${'a'.repeat(4000)}`,
    '/jobs/..',
    '/jobs/%2e%2e/events',
    `/jobs/%7bid%7d`,
    `/jobs/${id}%2Fother%2F`,
    `/jobs/a%20b`,
    `/jobs/%C3%BC`,
    `/Jobs/${id}`,
  ]) {
    const client = await server.connect();
    (await client.ask('GET', path).reply()).isProblem(404);
    client.drop();
  }
  assert.equal((await server.getJson(`/jobs/${id}/`)).id, id); // a slash too many
  (await server.get('/jobs/')).isProblem(405);
  (await server.get(`/jobs/${id}?n=8`)).isProblem(400, 'n');
  (await server.delete(`/jobs/${id}?force=true`)).isProblem(400, 'force');
  (await server.get(`/jobs/${id}`, { accept: 'text/html' })).isProblem(406);
});

// Other texts that are no question are rows of tests/data/golden/refusals.txt.
test('bytes that are no question are a 400', async () => {
  const begun = await server.metric('nq_jobs_begun_total');
  for (const body of [
    '', ' ', '{"kind":"count","n":8}\0', '\0{"kind":"count","n":8}', '{"kind":"count","n":8,"place":"1:1\0"}', '\ufeff{"kind":"count","n":8}',
    '['.repeat(60000), '{"a":'.repeat(10000), `{"kind":"count","n":${'9'.repeat(60000)}}`,
    Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{"kind":"count","n":8,"place":"\xc0\x80"}', 'latin1'),
  ])
    (await server.get('/jobs', { 'content-type': 'application/json' }, 'POST', body)).isProblem(400);
  assert.equal(await server.metric('nq_jobs_begun_total'), begun);
});

test('errors in a body are described in JSON terms', async () => {
  for (const body of ['{"kind":"count","n":"8\\u0000"}', '{"kind":"count","n\\u0000":8}']) {
    const reply = await server.post('/jobs', body, { 'content-type': 'application/json' });
    assert.equal(reply.status, 400);
    assert.match(reply.json.detail, /NUL/);
    assert.doesNotMatch(reply.json.detail, /JSON_/);
  }
});

test('other content types are a 415', async () => {
  const body = '{"kind":"count","n":8}';
  for (const type of [
    'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'application/ld+json', 'text/json', '', 'json', '*/*',
  ])
    (await server.post('/jobs', body, { 'content-type': type })).isProblem(415);
  const client = await server.connect();
  (await client.ask('POST', '/jobs', { 'Content-Length': body.length }).send(body).reply()).isProblem(415);
  for (const type of ['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json ;x=y']) {
    client.ask('POST', '/jobs?dry-run=true', { 'Content-Type': type, 'Content-Length': body.length }).send(body);
    assert.equal((await client.reply()).status, 200, type);
  }
  client.drop();
});

// A server that closes under what still arrives resets the connection: the client then reads that, not the answer.
test('who sends more than is read before it reads gets the answer', async () => {
  for (let i = 0; i < 20; i++)
    (await server.post('/jobs?dry-run=true', 'x'.repeat(8 << 20))).isProblem(413);
});

test('a body that is announced as too large is refused before it comes (also plain)', async (t) => {
  const server = await start(t);
  const refused = (sent) => server.logs.filter(({ status }) => status === 413).length === sent;
  const announced = [['POST', '/jobs', 70000], ['POST', '/jobs', 65537], ['POST', '/verify', (64 << 20) + 1], ['GET', '/count?n=8', 1 << 30], ['POST', '/nothing', 70000]];
  for (const [i, [method, target, size]] of announced.entries()) {
    const client = await server.connect();
    const begin = Date.now();
    client.ask(method, target, { 'Content-Type': 'application/json', 'Content-Length': size });
    (await client.reply()).isProblem(413);
    assert.equal(await client.end(), 'end', target); // of the reply: the server still reads
    assert.ok(Date.now() - begin < 2000 * patience);
    client.drop();
    await until(() => refused(i + 1), 'it is in the log');
  }
  // One that sends nothing more is not waited for long, and one that sends without end not at all.
  const [silent, endless] = [await server.connect(), await server.connect()];
  for (const client of [silent, endless]) {
    client.socket.allowHalfOpen = true; // it does not close because the server has no more to send
    client.ask('POST', '/jobs', { 'Content-Length': 1 << 30 });
    (await client.reply()).isProblem(413);
  }
  const flood = setInterval(() => endless.socket.writableLength < 1 << 20 && endless.send('x'.repeat(1 << 18)), 1);
  await until(async () => (await server.metric('nq_http_requests_active')) === 0, 'both are over', 20);
  clearInterval(flood);
  assert.ok(endless.socket.bytesWritten - endless.socket.writableLength < 64 << 20);
  [silent, endless].forEach((client) => client.drop());
  await until(() => refused(announced.length + 2), 'they are in the log');
});

test('a body may have 64 KiB and no more, in one piece or in many', async () => {
  const padded = (size) => '{"kind":"count","n":8}'.padEnd(size);
  assert.equal((await server.post('/jobs?dry-run=true', padded(65536))).status, 200);
  (await server.post('/jobs?dry-run=true', padded(65537))).isProblem(413);
  const chunked = async (...pieces) => {
    const client = await server.connect();
    client.ask('POST', '/jobs?dry-run=true', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    for (const piece of [...pieces, '']) client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    const reply = await client.reply();
    client.drop();
    return reply;
  };
  assert.equal((await chunked('{"kind":', '"count","n"', ':8}')).status, 200);
  assert.equal((await chunked(...'{"kind":"count","n":8}')).status, 200);
  assert.equal((await chunked(padded(65000), ' '.repeat(536))).status, 200);
  (await chunked(padded(65000), ' '.repeat(537))).isProblem(413);
  (await chunked(padded(65000), ' '.repeat(500000))).isProblem(413);
});

test('a body byte by byte, and several on one connection', async () => {
  const client = await server.connect();
  const body = '{"kind":"count","n":8}';
  for (let i = 0; i < 3; i++) {
    client.ask('POST', '/jobs?dry-run=true', { 'Content-Type': 'application/json', 'Content-Length': body.length });
    for (const byte of body) {
      client.send(byte);
      await new Promise(setImmediate);
    }
    assert.equal((await client.reply()).json.n, 8);
    assert.equal((await client.ask('GET', '/count?n=8').reply()).json.count, 92);
  }
  client.drop();
});
