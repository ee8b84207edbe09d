// departure.test.js - clients that leave: their searches stop, their streams end, and nothing of them stays.
import { assert, long, longPath, slow, start, test, until } from './harness.js';

async function idle(server) {
  for (const gauge of ['nq_searches_running', 'nq_pool_queue_depth', 'nq_pool_running', 'nq_streams_running'])
    await until(async () => (await server.metric(gauge)) === 0, `${gauge} is 0`);
}

test('many endless searches, opened and dropped (also plain)', async (t) => {
  const server = await start(t, '--max-connections', 400, '--queue', 200);
  const rounds = slow ? 2 : 10;
  for (let round = 0; round < rounds; round++) {
    const clients = await Promise.all(Array.from({ length: 100 }, () => server.connect()));
    clients.forEach((client, i) =>
      client.ask('GET', i % 2 ? '/solve?n=60&algorithm=bitboard' : `/solve?n=60&algorithm=bitboard&limit=${1 + i + 100 * round}`),
    );
    await until(async () => (await server.metric('nq_searches_running')) > 0, 'a search runs');
    clients.forEach((client) => client.drop());
    if (round === 0) await idle(server).then(() => (server.before = server.resident()));
  }
  await idle(server);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  assert.ok((await server.metric('nq_searches_cancelled_total')) > 0);
  if (!slow) assert.ok(server.resident() < server.before + 16, `${server.before} MB, then ${server.resident()} MB`);
});

test('a shared search continues until the last client disconnects', async (t) => {
  const server = await start(t, '--threads', 1);
  const [first, second] = [await server.connect(), await server.connect()];
  first.ask('GET', longPath);
  second.ask('GET', longPath);
  await until(async () => (await server.metric('nq_cache_misses_total')) === 2, 'both wait');
  first.drop();
  await until(async () => (await server.metric('nq_connections')) <= 2, 'the first client is gone'); // the second, and maybe ours
  assert.equal(await server.metric('nq_searches_running'), 1);
  second.drop();
  await idle(server);
  assert.equal(await server.metric('nq_searches_started_total'), 1);
});

test('streams whose clients disconnect end', async (t) => {
  const server = await start(t);
  const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
  const targets = [
    '/solve?n=25&format=ndjson', '/construct?n=1000000000', '/solve?n=60&algorithm=bitboard&format=ndjson',
    '/solve?n=16&rules=touching&format=ndjson', '/solve?n=64&rules=superqueens&symmetry=quarter&format=ndjson',
  ];
  clients.forEach((client, i) => client.ask('GET', targets[i % targets.length]));
  await Promise.all(clients.map((client) => client.head()));
  assert.ok((await server.metric('nq_streams_running')) > 0);
  clients.forEach((client) => client.drop());
  await idle(server);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
});

test('streams that end close their connections, however long another has been idle', async (t) => {
  const server = await start(t, '--threads', 1, '--keep-alive-seconds', 3600);
  const idle = await server.connect();
  assert.equal((await idle.ask('GET', '/count?n=8').reply()).status, 200);
  for (const [version, path] of [
    ['1.0', '/construct?n=1000000000'],
    ['1.1', '/solve?n=25&format=ndjson'],
    ['1.0', '/solve?n=11&format=ndjson'], // read to its end, which over HTTP/1.0 is that of the connection
    ['1.1', null], // of a job, which counts as long as they last
  ]) {
    const target = path ?? (await server.begin(long)).events;
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
    clients.forEach((client) => client.ask('GET', target, {}, version));
    await Promise.all(clients.map((client) => client.head()));
    if (target.includes('n=11')) await Promise.all(clients.map((client) => client.end()));
    clients.forEach((client) => client.drop());
    await until(async () => (await server.metric('nq_connections')) <= 3, `those of ${target} are gone`); // idle and our own stay
  }
  idle.drop();
});

test('clients that close their sending side with the request are disconnected', async (t) => {
  const server = await start(t, '--keep-alive-seconds', 3600);
  const clients = await Promise.all(Array.from({ length: 200 }, () => server.connect()));
  for (const [i, client] of clients.entries()) {
    client.ask('GET', '/count?n=8');
    for (let turn = 0; turn < i % 8; turn++) await new Promise(setImmediate); // some before, some after the reply
    client.socket.end();
  }
  await until(async () => (await server.metric('nq_connections')) <= 1, 'only the connection that asks is left');
});

test('a client that disconnects before its turn frees its place in the queue', async (t) => {
  const server = await start(t, '--threads', 1, '--queue', 2);
  const clients = [(await server.connect()).ask('GET', '/solve?n=60&algorithm=bitboard')];
  await until(async () => (await server.metric('nq_pool_running')) === 1, 'the first search runs');
  for (const n of [61, 62]) clients.push((await server.connect()).ask('GET', `/solve?n=${n}&algorithm=bitboard`));
  await until(async () => (await server.metric('nq_pool_queue_depth')) === 2, 'the queue is full');
  clients.forEach((client) => client.drop());
  await idle(server);
  assert.equal((await server.getJson('/solve?n=8')).returned, 92);
});

// Of n rows, those with odd numbers, except the last, are crossed in the first half of the columns, the others in the second half: a
// search for a hint must try nearly all of them.
const crowded = [...Array(22 * 22).keys()].map((at) => [Math.floor(at / 22), at % 22]).filter(([row, column]) => (row % 2 === 1 && row < 20) === column < 11);

test('whatever a client waits for is given up when it disconnects (plain)', { skip: slow && 'boards of ten million' }, async (t) => {
  const server = await start(t, '--threads', 1, '--max-client-searches', 1000);
  const body = `{"permutation":[${(await server.getJson('/solve?n=14&limit=1')).solutions[0].permutation}]}`;
  for (const [count, target] of [
    [20, (i) => `/puzzle?n=64&clues=1&seed=${i}`],
    [10, (i) => `/puzzle?kind=regions&n=20&level=expert&seed=${i}`],
    [10, (i) => `/hint?n=22&rules=touching&base=0&steps=all&exclude=${crowded.map((at) => at.join(':'))},21:${i}`],
    [1, () => '/construct?n=10000000&method=local-search&seed=1&rows=1-2'],
    [1, () => '/construct?n=10000000&method=local-search&seed=1&format=octet-stream'],
    [60, () => '/verify'], // each takes a thread for a while
  ]) {
    const before = await server.metric('nq_searches_cancelled_total');
    const clients = await Promise.all(Array.from({ length: count }, () => server.connect()));
    for (const [i, client] of clients.entries())
      if (target() === '/verify') client.ask('POST', '/verify', { 'Content-Type': 'application/json', 'Content-Length': body.length }).send(body);
      else client.ask('GET', target(i));
    await until(async () => (await server.metric('nq_pool_running')) > 0, `it runs: ${target(1)}`);
    clients.forEach((client) => client.drop());
    await idle(server);
    await until(async () => (await server.metric('nq_reply_bytes')) === 0, 'nothing is held');
    if (!target().includes('octet-stream')) assert.ok((await server.metric('nq_searches_cancelled_total')) > before, target(1));
  }
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  assert.ok(server.resident() < 40, `${server.resident()} MB`);
});
