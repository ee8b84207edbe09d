// chaos.test.js - one count over three brokers while everything fails in turn: workers are killed at random, one is frozen for longer
// than a lease, the leader of the streams is killed twice, the server once. NQ_CHAOS_N: the board (21, two minutes);
// NQ_CHAOS_KILLS: of workers, at least, spread over most of the units. Prints what it did.
import { assert, sleep, slow, start, tables, test, until } from '../../http/harness.js';
import { startBroker } from '../broker.js';
import { hired, startWorker } from '../workers.js';

const n = Number(process.env.NQ_CHAOS_N ?? 21);
const kills = Number(process.env.NQ_CHAOS_KILLS ?? 6);
const LEASE = 3; // seconds, as everywhere
const say = (...words) => console.log(`# ${new Date().toISOString().slice(11, 19)}`, ...words);

// Numbers below 2^32 by a fixed seed: what happens when is left to the machine, in which order is not.
let seed = 20261122;
const draw = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

test(`n = ${n} with ${kills} kills and more`, async (t) => {
  const broker = await startBroker(t, { nodes: 3 });
  const flags = ['--store-bytes', '256M', '--nats-replicas', '3', '--max-job-hours', '100'];
  const serve = () => start(t, '--store', broker.url, '--kernel', 'auto', '--threads', 1, '--audit', '0.02', ...flags);
  const hire = () => startWorker(t, broker.url, ...flags);
  let server = await serve();
  const workers = [await hire(), await hire(), await hire()];
  await hired(server, 3);
  const begun = Date.now();
  const job = await server.begin({ n, method: 'compute' });
  let last = {};
  const look = async () => {
    try {
      last = await server.getJson(`/jobs/${job.id}`);
    } catch {
      // it is away
    }
    return last;
  };
  const done = () => look().then(({ state }) => state === 'done');
  await until(async () => (await look()).units?.done > 3, 'it is under way', 300);

  let killed = 0;
  const killOne = async () => {
    const i = Math.floor(draw() * workers.length);
    await workers[i].crash();
    workers[i] = await hire();
    killed++;
    await until(async () => (await done()) || last.units.done > ((0.8 * killed) / kills) * last.units.total, 'it has gone on', 600);
  };
  const freezeOne = async () => {
    const [frozen] = workers;
    frozen.signal('SIGSTOP');
    say('a worker is frozen');
    await sleep(LEASE * 1.3);
    frozen.signal('SIGCONT');
  };
  const killLeader = async () => {
    const leader = await broker.leaderOf('KV_nqueens_unit');
    await broker.kill(leader);
    say(`broker ${leader} is killed, which led`);
    await sleep(3);
    await broker.restart(leader);
  };
  const killServer = async () => {
    await server.crash();
    say('the server is killed');
    server = await serve();
  };
  const events = [killLeader, freezeOne, killServer, killLeader];
  const each = Math.max(1, Math.floor(kills / (events.length + 1)));
  while ((killed < kills || events.length) && !(await done())) {
    for (let i = 0; i < each && !(await done()); i++) await killOne();
    if (events.length && !(await done())) await events.shift()();
    say(`${killed} workers killed; ${last.units?.done} of ${last.units?.total} units, ${last.units?.restored} restored`);
  }
  await until(done, 'it is done', slow ? 3600 : 7200);
  const wall = (Date.now() - begun) / 1000;
  const { state } = await broker.stream('KV_nqueens_unit');
  say(`${wall.toFixed(1)} s, ${killed} workers killed, ${last.units.total} units, ${state.last_seq} results stored, ${last.units.restored} restored`);
  assert.equal(last.result.count_text, String(tables().all.terms[n]));
  assert.ok(state.last_seq >= last.units.total && state.last_seq < 1.05 * last.units.total, 'few units were counted twice');
  assert.ok(killed >= kills && !events.length, `it was over before all had failed: ${killed} kills, ${events.length} left`);
});
