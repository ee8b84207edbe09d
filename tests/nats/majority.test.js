// majority.test.js - two of three servers of the broker are killed: the one that is left still answers, but stores nothing and returns
// nothing. Servers and workers say so though nobody asks them for anything, and do not take what they cannot read for absent.
import { connect } from 'nats';
import { assert, long, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { startServer, startWorker } from './workers.js';

const [SOON, STAYS] = [10, 2]; // seconds until it is said, and for how long it then stays so at least
const streams = ['KV_nqueens_result', 'KV_nqueens_unit', 'KV_nqueens_job'];
const told = ({ logs }) => logs.filter(({ event }) => event === 'store').map(({ text }) => text);

// A broker with what uses it: two servers that know a job, and a worker.
async function cluster(t, replicas, broker) {
  broker ??= await startBroker(t, { nodes: 3 });
  const flags = ['--nats-replicas', replicas];
  const servers = [await startServer(t, broker.url, ...flags), await startServer(t, broker.url, ...flags)];
  const worker = await startWorker(t, broker.url, ...flags);
  const job = await servers[0].begin({ n: 12, method: 'compute' });
  await until(async () => (await servers[1].getJson(`/jobs/${job.id}`)).stored, 'the other has it');
  const all = [
    ...servers.map((server) => ({ told: () => told(server), state: async () => (await server.admin('/readyz')).json, fault: () => server.metric('nq_store_broken') })),
    { told: () => told(worker), state: async () => (await worker.admin('/readyz')).json(), fault: async () => 1 - (await worker.metric('nq_worker_connected')) },
  ];
  return { broker, flags, servers, job, all };
}

const are = async (all, wanted) => (await Promise.all(all.map(({ state }) => state()))).every(({ status }) => status === wanted);
// And stay so for some looks: a connection to a server that was killed is lost, and made anew to the one that is left, which first
// answers as if nothing had happened.
async function become(t, all, wanted, seconds = 30) {
  const began = Date.now();
  let looks = 0; // ten a second
  await until(async () => (looks = (await are(all, wanted)) ? looks + 1 : 0) === 10 * STAYS, `all are ${wanted}`, seconds + STAYS);
  t.diagnostic(`${wanted} after ${(Date.now() - began) / 1000} s`);
}

// A connection to a broker, for what an operator asks of it.
async function operator(t, broker) {
  const connection = await connect({ servers: broker.servers });
  t.after(() => connection.close());
  return connection;
}

// Has one server lead all buckets: who is asked to give a bucket up gives it to anybody.
async function lead(t, broker, keep) {
  const connection = await operator(t, broker);
  for (const name of streams)
    for (let leader; (leader = await broker.leaderOf(name)) !== keep; ) {
      await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${name}`);
      await until(async () => (await broker.leaderOf(name)) !== leader, 'another leads');
    }
  await connection.close();
}

// Kills all servers of the broker but one.
async function leave(broker, keep) {
  await Promise.all(broker.nodes.map((_, i) => i !== keep && broker.kill(i)));
}
async function restore(broker, keep) {
  for (let i = 0; i < broker.nodes.length; i++) if (i !== keep) await broker.restart(i);
}

async function say(all) {
  for (const one of all) {
    assert.equal(await one.fault(), 1);
    assert.match(JSON.stringify((await one.state()).reasons), /NATS/);
    assert.match(one.told().at(-1), /NATS/);
  }
}

// They mostly wait: for elections, and for what the broker takes ten seconds to see.
test('two of three servers of the broker are away', { concurrency: true }, async (t) => {
  await Promise.all([
    t.test('without a majority all are degraded within ten seconds, whoever leads, until it is there again', async (t) => {
      const { broker, servers, job, all } = await cluster(t, 3);
      for (const leads of [true, false]) {
        await become(t, all, 'ready');
        assert.ok(all.every((one) => one.told().length % 2 === 0), 'what was said is over');
        const leader = await broker.leaderOf(streams[2]);
        const keep = leads ? leader : (leader + 1) % 3;
        await lead(t, broker, leader);
        await become(t, all, 'ready');
        await leave(broker, keep);
        await become(t, all, 'degraded', SOON);
        await say(all);
        // The one that is left first believes that it leads, then waits until others vote, and answers all the time.
        const leaderless = async () => {
          if (!(await are(all, 'degraded'))) return false; // a client that comes back to it asks it once more
          return (await Promise.all(streams.map((name) => broker.stream(name)))).every((stream) => !stream?.cluster?.leader);
        };
        await until(leaderless, 'it leads nothing', 60);
        for (let i = 0; i < 20; i++) assert.ok(await leaderless(), 'it stays so');
        await say(all);
        assert.equal((await servers[1].getJson('/count?n=10&method=compute')).count, 724); // they serve on
        await Promise.all([restore(broker, keep), become(t, all, 'ready', 60)]);
        for (const one of all) assert.deepEqual([await one.fault(), one.told().at(-1)], [0, 'it works again']);
        assert.equal((await servers[1].getJson(`/jobs/${job.id}`)).state, 'done');
      }
    }),

    t.test('buckets of one copy, whose server lives: without a majority nothing is read', async (t) => {
      const broker = await startBroker(t, { nodes: 3 });
      const connection = await operator(t, broker);
      const manager = await connection.jetstreamManager();
      const keep = 1;
      for (const name of streams) {
        const placement = { tags: [broker.nodes[keep].name] };
        await manager.streams.add({ name, subjects: [`$KV.${name.slice(3)}.>`], max_msgs_per_subject: 1, allow_rollup_hdrs: true, num_replicas: 1, placement });
      }
      await connection.close();
      const { all } = await cluster(t, 1, broker);
      await become(t, all, 'ready');
      for (const name of streams) assert.equal(await broker.leaderOf(name), keep);
      await leave(broker, keep);
      await become(t, all, 'degraded', 3 * SOON); // the broker sees it after 10 to 20 s, and reads and writes until then
      await say(all);
      await Promise.all([restore(broker, keep), become(t, all, 'ready', 60)]);
    }),

    t.test('a job that cannot be read is a 503 with Retry-After, not a 404', async (t) => {
      const { broker, flags, servers, job, all } = await cluster(t, 3);
      await become(t, all, 'ready');
      assert.equal((await servers[1].get('/jobs/0123456789abcdef')).status, 404); // nobody has it
      await leave(broker, 0);
      const unread = (reply) => {
        reply.isProblem(503);
        assert.equal(reply.json.type, 'urn:nqueensd:problem:store-unread');
      };
      await become(t, all, 'degraded', SOON); // until then a leader that is alone returns what it has: all that was acknowledged
      unread(await servers[1].get('/jobs/0123456789abcdef'));
      const { id } = await servers[0].begin({ ...long, method: 'compute' }); // only this one has it
      const late = await startServer(t, broker.url, ...flags); // it has not read the first one
      for (const [server, unknown] of [[servers[1], id], [late, job.id], [late, id]]) {
        for (const part of ['', '/events', '/units']) unread(await server.get(`/jobs/${unknown}${part}`));
        unread(await server.delete(`/jobs/${unknown}`));
        assert.equal((await server.get('/jobs/no-such-id')).status, 404); // no job has such an id
      }
      assert.equal((await servers[1].getJson(`/jobs/${job.id}`)).state, 'done'); // what it knows it returns
      await restore(broker, 0);
      await until(async () => (await late.get(`/jobs/${id}`)).status === 200, 'all is read', 60);
      assert.equal((await late.getJson(`/jobs/${job.id}`)).state, 'done');
      assert.equal((await late.delete(`/jobs/${id}`)).status, 200);
      await until(async () => (await servers[1].getJson(`/jobs/${id}`)).state === 'cancelled', 'it is over there, too', 60);
      await become(t, all, 'ready', 60);
    }),
  ]);
});
