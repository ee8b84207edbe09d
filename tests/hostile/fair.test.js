// fair.test.js - two clients: one asks for long counts without end, the other for what is short. The second is never refused and
// never waits for an end of the first's. tests/bench/fair.sh measures how long it waits.
import { after, assert, slow, start, test, until } from '../http/harness.js';
import { connectFrom, long, metric, other, quiet } from './hostile.js';

const server = await start({ after }, '--threads', 2);
const GREEDY = 100;
const MODEST = long ? 200 : slow ? 20 : 50;

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
    if (i % 10 === 0) assert.equal((await modest.ask('GET', `/count?n=${8 + (i % 4)}`).reply()).status, 200);
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

// What one client asks without end by eight connections, each time something else, and another client's question of some tenths of a
// core-second beside it. While that one is under way, processors belong to its client as much as to the first: what they spend in
// all is in proportion to what its own answer costs, however busy the machine is. Units of a count are units of turns, too: hence the
// second that everybody has.
const EACH = 8;
const question = (i) => `/count?n=${slow ? 14 : 15}&method=compute&exclude=1:${1 + (i % 14)},2:${1 + Math.floor(i / 14)}`;
const demands = {
  pages: (i) => `/solve?n=60&algorithm=bitboard&limit=${1 + (i % 90)}&place=1:${1 + (i % 50)},60:${2 + ((7 * i) % 55)}`,
  streams: (i) => `/solve?n=64&algorithm=forward-checking&format=ndjson&exclude=1:${1 + (i % 60)}`,
  'compressed streams': (i) => `/solve?n=15&format=ndjson&exclude=1:${1 + (i % 15)}`,
  samples: (i) => `/solve?n=16&sample=2000&seed=${i}`,
  traces: (i) => `/trace?n=14&algorithm=mrv&format=ndjson&limit=${200000 + i}`,
  estimates: (i) => `/count?n=40&method=estimate&seed=${i}`,
  puzzles: (i) => `/puzzle?n=64&seed=${i}`,
  'puzzles with regions': (i) => `/puzzle?kind=regions&n=18&seed=${i}`,
  counts: (i) => `/count?n=16&method=compute&exclude=1:${1 + (i % 16)},2:${1 + (Math.floor(i / 16) % 16)},3:1`,
  comparisons: (i) => `/compare?n=24&seed=${i}`,
};
const kinds = ['pages', 'streams', 'samples', 'puzzles with regions', 'counts']; // NQ_LONG=1: all
let asked = 0;
let questions = 0;

for (const [name, demand] of Object.entries(demands).filter(([name]) => long || kinds.includes(name)))
  test(`${name} of one client leave another its part of the processors`, async () => {
    let over = false;
    const wrong = [];
    const clients = await Promise.all(Array.from({ length: EACH }, () => server.connect()));
    const demanding = clients.map(async (client) => {
      for (; !over; asked++) {
        const [target, more] = [demand(asked), name.startsWith('compressed') ? 'Accept-Encoding: gzip\r\n' : ''];
        const head = await client.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=600\r\n${more}\r\n`).head();
        if (!over && ![200, 202, 503].includes(head?.status)) wrong.push(`${target}: ${head?.status}`);
        if (!head) return;
        for await (const piece of client.body(head, 'GET')) if (over && piece) return;
      }
    });
    await until(async () => (await metric(server, 'nq_pool_running')) >= 2, 'all threads are busy');
    const modest = await connectFrom(other, server.port);
    const unfair = [];
    // A virtual machine that is set aside is charged to whichever thread ran, but seldom thrice.
    for (let fair = false; !fair && unfair.length < 3;) {
      const before = await metric(server, 'nq_pool_cpu_seconds_total');
      const target = question(questions++);
      const reply = await modest.ask('GET', target, { Prefer: 'wait=600' }).reply();
      const spent = (await metric(server, 'nq_pool_cpu_seconds_total')) - before;
      assert.equal(reply.status, 200, reply.text);
      const line = () => server.logs.findLast(({ target: of, cpu }) => of === target && cpu !== undefined);
      await until(line, 'it is logged');
      fair = spent <= 3 * line().cpu + 1;
      if (!fair) unfair.push(`${spent} s were spent while a question of ${line().cpu} s was under way`);
    }
    over = true;
    assert.deepEqual(wrong, []);
    assert.ok(unfair.length < 3, unfair.join('; '));
    [...clients, modest].forEach((client) => client.drop());
    await Promise.allSettled(demanding);
    await quiet(server);
  });
