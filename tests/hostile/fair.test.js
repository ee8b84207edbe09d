// fair.test.js - two clients: one asks for long counts without end, the other for what is short. The second is never refused and
// never waits for an end of the first's. tests/bench/fair.sh measures how long it waits.
import { after, assert, slow, start, test, until } from '../http/harness.js';
import { connectFrom, metric, other, quiet } from './hostile.js';

const server = await start({ after }, '--threads', 2);
const GREEDY = 100;
const MODEST = slow ? 20 : 200;

test(`${GREEDY} long counts of one client run while ${MODEST} questions of another are answered`, async () => {
  const greedy = [];
  for (let i = 0; i < GREEDY; i++) {
    const client = await server.connect();
    client.ask('GET', `/count?n=18&method=compute&exclude=1:1,2:${1 + (i % 18)},3:${1 + Math.floor(i / 18)}`, { Prefer: 'wait=600' });
    greedy.push(client);
  }
  await until(async () => (await metric(server, 'nq_searches_running')) === GREEDY, 'all of them are under way');
  const modest = await connectFrom(other, server.port);
  for (let i = 0; i < MODEST; i++) {
    const reply = await modest.ask('GET', `/solve?n=8&limit=${1 + (i % 90)}&exclude=1:1,2:${1 + (i % 8)}`).reply();
    assert.equal(reply.status, 200, reply.text);
    if (i % 50 === 0) assert.equal((await modest.ask('GET', `/count?n=${8 + (i % 4)}`).reply()).status, 200);
  }
  assert.equal(await metric(server, 'nq_searches_running'), GREEDY); // none was answered before
  assert.equal(await metric(server, 'nq_clients_refused_total'), 0);
  assert.equal(await metric(server, 'nq_searches_refused_total'), 0);
  [...greedy, modest].forEach((client) => client.drop());
  await quiet(server);
});

test('a client above its limit gets 429, and nothing else happens', async () => {
  const greedy = [];
  for (let i = 0; i < 200; i++) {
    const client = await server.connect();
    greedy.push(client.ask('GET', `/solve?n=60&algorithm=bitboard&limit=${1 + i}&exclude=1:1`));
  }
  await until(async () => (await metric(server, 'nq_clients_refused_total')) > 0, 'some are refused');
  const modest = await connectFrom(other, server.port);
  for (let i = 0; i < MODEST; i++)
    assert.equal((await modest.ask('GET', `/solve?n=7&limit=${1 + (i % 40)}&exclude=2:${1 + (i % 7)}`).reply()).status, 200);
  [...greedy, modest].forEach((client) => client.drop());
  await quiet(server);
});
