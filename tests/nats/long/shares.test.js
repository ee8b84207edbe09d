// shares.test.js - shares of one job are taken and given back on two servers while of three brokers the one that leads is killed or
// frozen, and comes back: words get lost, and no share does. NQ_SHARES_ROUNDS: so often. Prints what it did.
import { assert, long, sleep, test } from '../../http/harness.js';
import { startBroker } from '../broker.js';
import { startServer } from '../workers.js';

const rounds = Number(process.env.NQ_SHARES_ROUNDS ?? 3);
const say = (...words) => console.log(`# ${new Date().toISOString().slice(11, 19)}`, ...words);

test(`shares while the leader fails ${rounds} times`, async (t) => {
  const broker = await startBroker(t, { nodes: 3 });
  const servers = await Promise.all([1, 2].map(() => startServer(t, broker.url, '--nats-replicas', 3)));
  const query = { kind: 'count', ...long, n: 19, method: 'compute' };
  const { id } = await servers[0].begin(query);
  await servers[1].look(id);
  let [taken, given, paused, over] = [1, 0, false, false];
  const clients = [0, 1, 2, 3, 4, 5].map(async (i) => {
    const server = servers[i % 2];
    for (let held = 0; !over; await sleep(0.02)) {
      if (paused) continue;
      if (held < 3) {
        const reply = await server.post('/jobs', query);
        assert.equal(reply.status, 202, reply.text);
        taken++;
        held++;
      } else {
        const reply = await server.delete(`/jobs/${id}`);
        assert.equal(reply.status, 200, reply.text);
        given++;
        held--;
      }
    }
  });
  const left = () => taken - given;
  for (let round = 0; round < rounds; round++) {
    await sleep(2);
    const leader = await broker.leaderOf('KV_nqueens_job');
    const before = taken + given;
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
    say(`broker ${leader}, which led, ${round % 2 ? 'stood still' : 'was killed'}: ${taken + given - before} shares came or went meanwhile`);
  }
  over = true;
  await Promise.all(clients);
  for (const server of servers) await server.look(id, ({ shares }) => shares === left(), `${left()} shares are left of ${taken}`, 90);
  say(`${left()} shares are left of ${taken}`);
  while (left() > 0) {
    assert.equal((await servers[left() % 2].delete(`/jobs/${id}`)).status, 200);
    given++;
  }
  for (const server of servers) await server.look(id, ({ state }) => state === 'cancelled', 'it is cancelled');
});
