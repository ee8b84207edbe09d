// shares.test.js - clients come to one job and leave it on two servers while of three brokers the one that leads is killed or
// frozen, and comes back: words get lost, and no owner does. NQ_SHARES_ROUNDS: so often. Prints what it did.
import { assert, long, sleep, test } from '../../http/harness.js';
import { startBroker } from '../broker.js';
import { startServer } from '../workers.js';

const rounds = Number(process.env.NQ_SHARES_ROUNDS ?? 3);
const say = (...words) => console.log(`# ${new Date().toISOString().slice(11, 19)}`, ...words);

test(`owners while the leader fails ${rounds} times`, async (t) => {
  const broker = await startBroker(t, { nodes: 3 });
  const servers = await Promise.all([1, 2].map(() => startServer(t, broker.url, '--nats-replicas', 3, '--trusted-proxies', '127.0.0.1')));
  const query = { kind: 'count', ...long, n: 19, method: 'compute' };
  const { id } = await servers[0].begin(query);
  await servers[1].look(id);
  let [changes, paused, over] = [0, false, false];
  const held = new Set([0, 7]); // these stay: a lone owner's job anybody without a key may end
  const from = (i) => (i ? { 'x-forwarded-for': `192.0.2.${i}` } : {});
  assert.equal((await servers[0].post('/jobs', query, from(7))).status, 202);
  const clients = [1, 2, 3, 4, 5, 6].map(async (i) => {
    for (let round = 0; !over; await sleep(0.02)) {
      if (paused) continue;
      const server = servers[round++ % 2]; // another one each time
      const reply = held.has(i) ? await server.delete(`/jobs/${id}`, from(i)) : await server.post('/jobs', query, from(i));
      assert.equal(reply.status, held.has(i) ? 200 : 202, reply.text);
      if (!held.delete(i)) held.add(i);
      changes++;
    }
  });
  for (let round = 0; round < rounds; round++) {
    await sleep(2);
    const leader = await broker.leaderOf('KV_nqueens_job');
    const before = changes;
    if (round % 2) {
      await broker.freeze(leader);
      await sleep(6);
      broker.thaw(leader);
    } else {
      await broker.kill(leader);
      await sleep(4);
      paused = true; // or it would be long behind the others
      await broker.restart(leader);
      paused = false;
    }
    say(`broker ${leader}, which led, ${round % 2 ? 'stood still' : 'was killed'}: ${changes - before} times one came or left meanwhile`);
  }
  over = true;
  await Promise.all(clients);
  for (const server of servers) await server.look(id, ({ shares }) => shares === held.size, `${held.size} are left`, 90);
  say(`${held.size} are left after ${changes} changes`);
  for (const i of held) assert.equal((await servers[i % 2].delete(`/jobs/${id}`, from(i))).status, 200);
  for (const server of servers) await server.look(id, ({ state }) => state === 'cancelled', 'it is cancelled');
});
