// clients.test.js - who is taken for a client, how much it may have under way at once, and that none waits for the searches of
// another.
import { after, assert, longPath, start, test, until } from './harness.js';

const behind = await start({ after }, '--threads', '1', '--trusted-proxies', '127.0.0.0/8', '--max-client-searches', '3');
const as = (address) => ({ 'x-forwarded-for': address });
const lastLog = async (server, id) => {
  const find = () => server.logs.find((line) => line.id === id);
  await until(find, 'the request is in the log');
  return find();
};

// Requests that go on until their clients leave: different ones, so that each is a search of its own.
async function occupy(server, count, headers) {
  const clients = [];
  for (let i = 0; i < count; i++) {
    const client = await server.connect();
    client.ask('GET', `${longPath},2:${i + 3}`, { ...headers, prefer: 'wait=600' });
    clients.push(client);
  }
  return clients;
}

test('a client has a limit of searches and streams at once; other clients are not affected', async () => {
  const greedy = await occupy(behind, 3, as('203.0.113.5'));
  await until(async () => (await behind.metric('nq_searches_running')) === 3, 'all of them search');
  const refused = await behind.get('/solve?n=9', as('203.0.113.5'));
  refused.isProblem(429);
  assert.equal(refused.headers['ratelimit-policy'], '"searches";q=3');
  assert.equal(refused.headers.ratelimit, '"searches";r=0;t=1');
  assert.equal(refused.headers['retry-after'], '1');
  for (const target of ['/solve?n=9&format=ndjson', '/trace?n=5&format=events', '/puzzle?n=8&seed=5', '/hint?n=7'])
    (await behind.get(target, as('203.0.113.5'))).isProblem(429);
  assert.equal(await behind.metric('nq_clients_refused_total'), 5);
  assert.equal((await behind.get('/solve?n=9', as('203.0.113.6'))).status, 200);
  assert.equal((await behind.get('/solve?n=9', as('203.0.113.5'))).status, 200); // it is cached now
  greedy.forEach((client) => client.drop());
  await until(async () => (await behind.metric('nq_searches_running')) === 0, 'they are stopped');
  assert.equal((await behind.get('/solve?n=10', as('203.0.113.5'))).status, 200);
});

test('a client gets its answers between the searches of another', async () => {
  const greedy = await occupy(behind, 3, as('2001:db8::1'));
  await until(async () => (await behind.metric('nq_searches_running')) === 3, 'all of them search');
  for (let n = 4; n < 12; n++) assert.equal((await behind.get(`/solve?n=${n}&limit=7`, as('2001:db8:1::1'))).status, 200);
  (await behind.get('/solve?n=9&limit=8', as('2001:db8::2'))).isProblem(429); // of the same network
  greedy.forEach((client) => client.drop());
});

test('the log names the client that a trusted proxy names, and otherwise the peer', async () => {
  const strict = await start({ after });
  const forwarded = await start({ after }, '--trusted-proxies', '127.0.0.1', '--forwarded', 'forwarded');
  const fields = { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=203.0.113.6' };
  for (const [server, client] of [[strict, '127.0.0.1'], [behind, '203.0.113.5'], [forwarded, '203.0.113.6']]) {
    await server.get('/solve?n=4', { ...fields, 'x-request-id': 'who' });
    assert.equal((await lastLog(server, 'who')).client, client);
  }
});

test('a client has a limit of connections, a trusted proxy has none', async () => {
  const few = await start({ after }, '--max-client-connections', '3');
  const open = [];
  for (let i = 0; i < 3; i++) open.push(await few.connect());
  for (const client of open) assert.equal((await client.ask('GET', '/solve?n=4').reply()).status, 200);
  const fourth = await few.connect();
  assert.ok(await fourth.end()); // it is closed without a word
  assert.equal(await few.metric('nq_connections_refused_total'), 1);
  open.forEach((client) => client.drop());
  await until(async () => (await few.metric('nq_connections')) <= 1, 'they are gone');
  assert.equal((await few.get('/solve?n=4')).status, 200);
  const many = [];
  for (let i = 0; i < 20; i++) many.push(await behind.connect());
  for (const client of many) assert.equal((await client.ask('GET', '/solve?n=4').reply()).status, 200);
  many.forEach((client) => client.drop());
});

test('one client has at most half of all connections, and the others are served', async (t) => {
  const server = await start(t, '--max-connections', 20);
  const slow = await Promise.all(Array.from({ length: 30 }, () => server.connect()));
  for (const client of slow) client.ask('GET', '/construct?n=1000000000'); // and none reads
  await until(async () => (await server.metric('nq_connections_refused_total')) === 20, 'twenty are refused');
  const other = await server.connect(server.port, '127.0.0.2');
  assert.equal((await other.ask('GET', '/count?n=8').reply()).json.count, 92);
  [...slow, other].forEach((client) => client.drop());
});

test('a start that lets one client have more than half of all connections has a warning in its log', async (t) => {
  for (const [own, warned] of [[10, false], [11, true], [500, true]]) {
    const server = await start(t, '--max-connections', 20, '--max-client-connections', own);
    const warnings = server.logs.filter(({ event }) => event === 'connections').map(({ text }) => text);
    assert.equal(warnings.length, warned ? 1 : 0, `${warnings}`);
    if (warned) assert.match(warnings[0], new RegExp(`^warning: one client may have ${own} of 20,`));
  }
});
