// rolling.test.js - servers, workers and the three servers of the broker are restarted one after the other while a count of n = 19 goes
// on and clients ask, through docker/nginx.conf: no request fails, but for a 503 that says when to come again, and the count is
// exact. NQ_ROLLING_N: the board. Prints what it did.
import { assert, sleep, start, tables, test, until } from '../../http/harness.js';
import { behindNginx, freePort } from '../../http/nginx.js';
import { startBroker } from '../broker.js';
import { hired, startWorker } from '../workers.js';

const n = Number(process.env.NQ_ROLLING_N ?? 19);
const say = (...words) => console.log(`# ${new Date().toISOString().slice(11, 19)}`, ...words);

test(`n = ${n} while everything is restarted under load`, async (t) => {
  const broker = await startBroker(t, { nodes: 3 });
  const flags = ['--store-bytes', '256M', '--nats-replicas', '3'];
  const ports = [await freePort(), await freePort()];
  const serve = (i) => start(t, '--store', broker.url, '--threads', 1, ...flags, '--max-client-searches', 1000, '--listen', `127.0.0.1:${ports[i]}`);
  const hire = () => startWorker(t, broker.url, '--max-table-bytes', '0', ...flags);
  const servers = [await serve(0), await serve(1)];
  const workers = [await hire(), await hire()];
  await hired(servers[0], 2);
  const nginx = await behindNginx(ports, { cache: 'off' });
  t.after(() => nginx.stop());
  const front = `http://127.0.0.1:${nginx.port}`;

  const replies = {};
  let over = false;
  const ask = async (target, options) => {
    const reply = await fetch(front + target, options);
    const text = await reply.text();
    const kind = reply.status === 503 && reply.headers.has('retry-after') ? '503 with Retry-After' : reply.status;
    replies[kind] = (replies[kind] ?? 0) + 1;
    assert.ok(reply.status < 400 || kind === '503 with Retry-After', `${target}: ${reply.status} ${text.slice(0, 300)}`);
    return { status: reply.status, text };
  };
  const body = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const client = async (k) => {
    for (let i = 0; !over; i++) {
      await ask(`/solve?n=8&limit=1&offset=${i % 92}`);
      await ask(`/count?n=${8 + (i % 4)}&rules=toroidal`);
      await ask('/verify', { ...body, body: '{"n":4,"permutation":[2,4,1,3]}' });
      await sleep(0.02 * (k + 1));
    }
  };
  let job;
  while (!job) {
    const { status, text } = await ask('/jobs', { ...body, body: JSON.stringify({ kind: 'count', n, method: 'compute' }) });
    if (status < 300) job = JSON.parse(text);
  }
  const look = async () => {
    const { status, text } = await ask(`/jobs/${job.id}`);
    return status === 200 ? JSON.parse(text) : {};
  };
  const clients = Promise.all([0, 1, 2, 3].map(client));
  const steps = [
    ...servers.map((_, i) => [`server ${i}`, async () => (await servers[i].stop(60), (servers[i] = await serve(i)))]),
    ...workers.map((_, i) => [`worker ${i}`, async () => (await workers[i].stop(), (workers[i] = await hire()))]),
    ...[0, 1, 2].map((i) => [`broker ${i}`, async () => (await broker.kill(i, 'SIGTERM'), await broker.restart(i))]),
  ];
  for (const [what, restart] of steps) {
    const { state, units } = await look();
    say(`${what}; the job is ${state}, ${units?.done} of ${units?.total} units`);
    await restart();
    await until(async () => (await ask('/solve?n=6')).status === 200, `it answers after ${what}`, 60);
  }
  let last;
  await until(async () => (last = await look()).state === 'done', 'the count is done', 1200);
  over = true;
  await clients;
  say(replies);
  assert.equal(last.result.count_text, String(tables().all.terms[n]));
});
