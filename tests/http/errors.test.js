// errors.test.js - every status of the contract that says no, and that it says why.
import { after, assert, sleep, slow, start, test, until } from './harness.js';

const server = await start({ after });
const endless = '/count?n=40&method=estimate&walks=10000000&seed=1'; // minutes, and it does not become a job

test('at most twenty errors are listed', async () => {
  const reply = await server.get(`/solve?${Array.from({ length: 25 }, (_, i) => `x${i}=1`).join('&')}`);
  assert.equal(reply.status, 400);
  assert.equal(reply.json.errors.length, 20);
  const members = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`x${i}`, 1]));
  assert.equal((await server.post('/jobs', members)).json.errors.length, 20);
});

test('names and values from clients do not break the reply', async () => {
  for (const query of [
    '%22=1',
    '%ff=%fe',
    '%3Cscript%3E=1',
    'a%0d%0aSet-Cookie:x=1',
    '='.repeat(50),
    '=',
    'x'.repeat(3000),
    '%',
    '%zz=%',
  ]) {
    const reply = await server.get(`/solve?n=8&${query}`);
    assert.equal(reply.status, 400, query);
    assert.equal(reply.headers['set-cookie'], undefined);
  }
});

test('what asks for nothing is ignored in every position, and is not part of the key', async () => {
  const query = ['n=8', 'base=0', 'limit=3'];
  const { headers } = await server.get(`/solve?${query.join('&')}`);
  for (const idle of ['', '&', '_=123', 'utm_source=x', 'utm_medium=x', 'utm_campaign=x', 'utm_term=x', 'utm_content=x', 'fbclid=x', 'gclid=x', 'msclkid=x', '_=1&_=2&utm_source'])
    for (let at = 0; at <= query.length; at++) {
      const target = `/solve?${[...query.slice(0, at), idle, ...query.slice(at)].join('&')}`;
      const reply = await server.get(target);
      assert.deepEqual([reply.status, reply.headers.etag], [200, headers.etag], target);
      assert.match(reply.headers['server-timing'], /^cache;desc=hit/, target);
    }
  for (const wrong of ['=', '=1', 'utm_=1', 'utm=1', 'FBCLID=1', '__=1']) assert.equal((await server.get(`/solve?n=8&${wrong}`)).status, 400, wrong);
  (await server.get('/solve?&')).isProblem(400, 'n');
  assert.equal((await server.get('/algorithms?')).status, 200);
});

test('slashes that follow each other, or end a path, are read as meant', async () => {
  const { headers } = await server.get('/count?n=8');
  for (const target of ['/count/?n=8', '//count?n=8', '///count//?n=8&', '/count%2f?n=8'])
    assert.equal((await server.get(target)).headers.etag, headers.etag, target);
  assert.equal((await server.post('//verify/', { n: 1, permutation: [1] })).status, 200);
  for (const target of ['/jobs//', '/docs/', '//']) assert.equal((await server.get(target)).status, target === '/jobs//' ? 405 : 200, target);
});

test('unknown paths are 404', async () => {
  for (const target of ['/nothing', '/Solve', '/so/lve', '/healthz', '/metrics', '/jobs/a/b/events', `/${'x/'.repeat(200)}`])
    (await server.get(target)).isProblem(404);
  (await server.admin('/solve?n=8')).isProblem(404);
});

test('negotiation headers that are malformed are not held against the request', async () => {
  for (const accept of ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', '*', '*/*;q=.2', '*/*;q=0.8000', '*/*;q="0.5"', '*/*;q=x', 'application/json;q=', 'a/b, , ;, application/*;q=7'])
    assert.equal((await server.get('/count?n=8', { accept })).status, 200, accept);
  for (const accept of ['*/*;q=0', 'text/html']) (await server.get('/count?n=8', { accept })).isProblem(406);
});

test('the next page of the longest target is accepted', async (t) => {
  const squares = [...Array.from({ length: 999 }, (_, i) => `1000:${i + 1}`), ...Array.from({ length: 499 }, (_, i) => `${i + 1}:${2 * i + 2}`)];
  for (const [most, ...options] of [[8192], [300, '--max-target-bytes', '300'], [12288, '--max-target-bytes', '12K']]) {
    const server = await start(t, ...options);
    let target = '/solve?n=1000'; // the link has limit=100, too
    for (let i = 0; target.length < most - 20; i++) target += `${{ 0: '&exclude=', 999: '&place=' }[i] ?? ','}${squares[i]}`;
    const first = await server.getJson(target);
    assert.ok(first.next.length > most, target);
    const second = await server.get(first.next, { 'x-long': 'x'.repeat(500) });
    assert.equal(second.status, 200);
    assert.ok(second.headers.link.length > most); // its target and its link are in memory at once, and with them the fields:
    for (const page of [target, first.next])
      for (let size = 1000; size < 16000; size += 1000) {
        const reply = await server.get(page, { 'x-long': 'x'.repeat(size) });
        if (reply.status === 200) continue;
        reply.isProblem(431);
        assert.match(reply.json.detail, /leave no room/);
        assert.ok(size > 1000, `${size} bytes beside ${page.length}`);
        break;
      }
    const long = `/solve?n=1000&${'x'.repeat(most)}`;
    assert.equal((await server.get(`${long}&cursor=x`)).status, 400);
    for (const [more, maximum] of [['', most], [`${'x'.repeat(3072)}&cursor=x`, most + 3072]]) {
      const refused = await server.get(long + more);
      refused.isProblem(414);
      assert.equal(refused.json.maximum, maximum);
    }
  }
});

test('targets, headers and bodies have limits', async (t) => {
  const small = await start(t, '--max-body-bytes', '2K');
  for (const [size, status] of [[2048, 200], [2049, 413]]) assert.equal((await small.post('/jobs?dry-run=true', '{"kind":"count","n":8}'.padEnd(size))).status, status);
  const get = (target, headers = '', body = '') =>
    server.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${body}`);
  const status = async (...request) => (await get(...request))[0].status;
  (await get(`/solve?n=8&${'x'.repeat(8200)}`))[0].isProblem(414);
  assert.equal(await status(`/count?n=8&${'x'.repeat(8000)}`), 400);
  (await get('/count?n=8', `X-Long: ${'x'.repeat(17000)}\r\n`))[0].isProblem(431);
  (await get('/count?n=8', `X-Long: ${'x'.repeat(4000)}\r\n`.repeat(5)))[0].isProblem(431);
  assert.equal(await status('/count?n=8', 'X-Short: x\r\n'.repeat(1500)), 431); // the library's own page: so many fields never reach us
  assert.equal(await status('/count?n=8', 'X-Short: x\r\n'.repeat(200)), 200);
  assert.equal(await status('/count?n=8', `X-Long: ${'x'.repeat(15000)}\r\n`), 200);
  (await get('/count?n=8', 'Content-Length: 65537\r\n', 'x'.repeat(65537)))[0].isProblem(413);
  (await get('/count?n=8', 'Transfer-Encoding: chunked\r\n', `11000\r\n${'x'.repeat(0x11000)}\r\n0\r\n\r\n`))[0].isProblem(413);
  assert.equal(await status('/count?n=8', 'Content-Length: 65536\r\n', 'x'.repeat(65536)), 200);
  assert.equal(await status('/count?n=8', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'), 200);
});

// The library's memory of a connection is full then. It would forget a request whose client leaves before its own limit.
test('a target for which a connection has no memory is refused at once, and nothing of it stays', async () => {
  for (const parameters of [1, 60, 64])
    for (let size = 15000; size < 33000; size += 600) {
      const target = `/count?n=8${'&x'.repeat(parameters - 1)}`.padEnd(size, 'x');
      const [reply] = await server.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.ok([400, 414].includes(reply?.status), `${size} bytes, ${parameters} parameters: ${reply?.status}`);
      assert.equal(reply.headers['content-type'], 'application/problem+json');
    }
  await until(async () => (await server.metric('nq_http_requests_active')) === 0, 'all are over');
});

// Both heads share the library's memory of a connection, and only the library knows what is left of it.
test('every head that fills the memory of a connection gets a whole reply, which the log has', async (t) => {
  const server = await start(t);
  const seen = new Map(); // by target, which names the head: the status that the client got
  const send = async (target, fields, body = '', method = 'GET') => {
    const [reply, end] = await server.raw(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n${body}`);
    assert.ok(reply?.complete, `${target}: ${end}`);
    const own = reply.headers['content-type'] === 'application/problem+json'; // or the library's page, which the log has as 499
    if (own) assert.ok(reply.headers['x-request-id'], target);
    seen.set(target, own ? reply.status : 499);
    return [own ? reply.status : 499, reply];
  };
  const sweep = async (name, from, to, step, ask) => {
    const got = new Set();
    for (let i = from; i <= to; i += step) got.add((await ask(`/${name}/${i}`, i))[0]);
    return [...got].sort();
  };
  const letters = (count) => 'a:b\r\n'.repeat(count);
  const long = (target, size) => send(target, `X: ${'x'.repeat(size - 60)}\r\n`);
  assert.deepEqual(await sweep('long', 20000, 31000, 500, long), [431]);
  assert.deepEqual(await sweep('full', 31500, 32768, 12, long), [431, 499]);
  assert.deepEqual(await sweep('letters', 430, 480, 1, (target, count) => send(target, letters(count))), [404, 431, 499]);
  assert.deepEqual(await sweep('cookies', 430, 470, 1, (target, count) => send(target, `Cookie: ${'a=b;'.repeat(count)}\r\n`)), [404, 431, 499]);
  const chunk = 'Transfer-Encoding: chunked\r\n';
  const trailers = (target, count) => send(target, chunk, `1\r\na\r\n0\r\n${letters(count)}\r\n`, 'POST');
  assert.deepEqual(await sweep('trailers', 430, 480, 1, trailers), [404, 431, 499]);
  const [status, reply] = await send('/solve?n=8', letters(468));
  assert.equal(status, 431);
  reply.isProblem(431);
  assert.match(reply.json.detail, /leave no room/);
  const logged = (line) => line.target && seen.has(line.target);
  await until(() => server.logs.filter(logged).length === seen.size, 'all are in the log');
  for (const line of server.logs.filter(logged)) assert.equal(line.status, seen.get(line.target), line.target);
  await until(async () => (await server.metric('nq_http_requests_active')) === 0, 'all are over');
});

test('a pipelined request in the last bytes of the memory gets its reply', async () => {
  const head = (target, fields = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
  const second = head('/count?n=8');
  for (let size = 16384 - 300; size <= 16384; size += 4) {
    const client = await server.connect();
    client.send(head('/nothing', `X: ${'x'.repeat(size - head('/nothing', 'X: \r\n').length)}\r\n`) + second.repeat(10));
    assert.equal((await client.reply()).status, 404, `${size} bytes`);
    for (let i = 0; i < 10; i++) assert.equal((await client.reply())?.status, 200, `${size} bytes, request ${i}`);
    client.drop();
  }
});

test('empty lines before a request that fill the memory get a reply, and nothing of them stays', async () => {
  const got = new Set();
  for (const parameters of [1, 10, 60])
    for (let lines = 14000; lines <= 16400; lines += 40) {
      const target = `/count?n=8${'&a=1'.repeat(parameters)}`;
      const [reply] = await server.raw(`${'\r\n'.repeat(lines)}GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.ok(reply?.complete, `${lines} lines, ${parameters} parameters`);
      got.add(reply.status);
    }
  assert.deepEqual([...got].sort(), [400, 414, 431]);
  await until(async () => (await server.metric('nq_http_requests_active')) === 0, 'all are over');
});

test('a stream whose head finds no room is a 431 over HTTP/1.0, too, and its search ends', async (t) => {
  const server = await start(t);
  for (const version of ['1.0', '1.1']) {
    const [reply, end] = await server.raw(`GET /solve?n=12&format=ndjson HTTP/${version}\r\nHost: x\r\n${'a:b\r\n'.repeat(468)}\r\n`);
    reply.isProblem(431);
    assert.equal(end, 'end');
  }
  await until(async () => (await server.metric('nq_streams_running')) === 0, 'no stream is left');
  const lines = () => server.logs.filter(({ target }) => target?.startsWith('/solve'));
  await until(() => lines().length === 2, 'both are in the log');
  for (const { status, cache } of lines()) assert.deepEqual([status, cache], [431, 'stream']);
});

test('an endless body is not read without end', async () => {
  const client = await server.connect();
  client.send('GET /count?n=8 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const flood = setInterval(() => client.socket.writableLength < 1 << 20 && client.send(`10000\r\n${'x'.repeat(0x10000)}\r\n`), 1);
  await client.end();
  clearInterval(flood);
  assert.ok(client.socket.bytesWritten - client.socket.writableLength < 64 << 20);
});

test('a query of very many parameters gets an answer', async (t) => {
  const hasty = await start(t, '--request-seconds', slow ? 10 : 2); // which is for its bytes to come, and to be read
  for (const count of [100, 500, 1000, 4000]) {
    const [reply] = await hasty.raw(`GET /count?n=8${'&x'.repeat(count)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.equal(reply?.status, 400, `${count} parameters`);
  }
});

test('parameters beyond the longest target are counted too', async () => {
  const [reply] = await server.raw(`GET /count?n=8&${'y'.repeat(8200)}${'&a'.repeat(3000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.equal(reply?.status, 400);
});

test('answers that wait for slow readers are bounded', async (t) => {
  const small = await start(t, '--reply-bytes', '8M');
  const page = '/solve?n=13&limit=10000&board=grid';
  const size = (await small.get(page)).text.length;
  const stalled = await Promise.all([1, 2].map(() => small.connect()));
  for (const client of stalled) for (let i = 0; i < 8; i++) client.ask('GET', page); // more than the kernel's buffers take
  let still = 0; // for so many looks both clients have been stuck in a page
  const stuck = async () => (still = (await small.metric('nq_reply_bytes')) === 2 * size ? still + 1 : 0) >= 20;
  await until(stuck, 'both clients are stuck');
  (await small.get(page)).isProblem(503);
  assert.equal((await small.getJson('/count?n=8')).count, 92);
  stalled.forEach((client) => client.drop());
  await until(async () => (await small.metric('nq_reply_bytes')) === 0, 'the pages are gone');
  assert.equal((await small.get(page)).status, 200);
});

test('a log that is not read stops nothing', async (t) => {
  const silent = await start(t, '--max-wait', 1, '--threads', 1);
  silent.process.stderr.pause();
  const client = await silent.connect();
  for (let i = 0; i < 400; i++) await client.ask('GET', `/count?n=8&${'x'.repeat(4000)}`).reply();
  for (let i = 0; i < 200; i++) await silent.raw('GET /count?n=8 HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n');
  (await silent.get(endless)).isProblem(503);
  assert.equal((await silent.get('/algorithms')).status, 200);
  await until(async () => (await silent.metric('nq_searches_running')) === 0, 'the search is stopped');
  silent.process.stderr.resume();
});

test('endless headers are a 408', async (t) => {
  const hasty = await start(t, '--request-seconds', 1);
  const begun = ['GET /count?n=8 HTTP/1.1\r\nHost: x\r\n', 'GET /cou', 'GET /count?n=8 HTTP/1.1\r\nX: '];
  for (const [reply, end] of await Promise.all(begun.map((text) => hasty.raw(text)))) {
    reply.isProblem(408);
    assert.ok(end);
  }
  await until(() => hasty.logs.filter(({ status }) => status === 408).length === 2, 'those with a first line are in the log');
});

test('the deadline runs from the first bytes of a request, not while the connection is idle', async (t) => {
  const hasty = await start(t, '--request-seconds', 1);
  const client = await hasty.connect();
  for (let i = 0; i < 2; i++) {
    await sleep(1.5);
    assert.equal((await client.ask('GET', '/count?n=8').reply())?.status, 200);
  }
  await sleep(0.5);
  (await client.send('GET /count?n=9 HTTP/1.1\r\nHo').reply()).isProblem(408);
  assert.ok(await client.end());
});

test('a full queue is a 503', async (t) => {
  const small = await start(t, '--threads', 1, '--queue', 1);
  const clients = await Promise.all(Array.from({ length: 6 }, () => small.connect()));
  clients.forEach((client, i) => client.ask('GET', `/solve?n=${60 + (i % 5)}&algorithm=bitboard&limit=${1 + i}`)); // one runs, one waits, the rest go
  (await Promise.race(clients.map((client) => client.reply()))).isProblem(503);
  assert.ok((await small.metric('nq_searches_refused_total')) >= 1);
  clients.forEach((client) => client.drop());
  await until(async () => (await small.get('/solve?n=8')).status === 200, 'there is room again');
});

test('a client that fills the queue shuts out no other', async (t) => {
  const small = await start(t, '--threads', 1, '--queue', 2, '--max-jobs', 300, '--max-client-jobs', 300, '--max-client-searches', 300);
  const greedy = await Promise.all(Array.from({ length: 30 }, () => small.connect()));
  greedy.forEach((client, i) => client.ask('GET', `/solve?n=${60 + (i % 5)}&algorithm=bitboard&limit=${1 + i}`));
  await until(async () => (await small.metric('nq_searches_refused_total')) >= 20, 'the queue is full');
  const jobs = await Promise.all(Array.from({ length: 18 }, (_, i) => small.post('/jobs', { kind: 'count', n: 18, exclude: `2:${i + 1}` })));
  assert.ok(jobs.some(({ status }) => status === 503), 'its own next ones are refused');
  const other = await small.connect(small.port, '127.0.0.2');
  for (let i = 0; i < 30; i++) {
    const reply = await other.ask('GET', `/solve?n=${9 + (i % 4)}&limit=${3 + i}`).reply();
    assert.equal(reply.status, 200, `question ${i}: ${reply.text}`);
  }
  [...greedy, other].forEach((client) => client.drop());
});

test('an answer that takes longer than --max-wait is a 503', async (t) => {
  const impatient = await start(t, '--max-wait', 1, '--threads', 1);
  (await impatient.get(endless)).isProblem(503);
  await until(async () => (await impatient.metric('nq_searches_running')) === 0, 'the search is stopped');
});
