// replicas.test.js - servers that share a broker's store: what is made on one serves on the other.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, assert, binary, long, sleep, start, tables, temporaryFolder, test, until } from '../http/harness.js';
import { shareBroker, startBroker } from './broker.js';
import { hired, startServer, startWorker } from './workers.js';

const solutions = (n) => Number(tables().all.terms[n]);
const share = await shareBroker({ after });
const pair = async (t, ...flags) => {
  const broker = share();
  return [broker, await startServer(t, broker.url, ...flags), await startServer(t, broker.url, ...flags)];
};
const ended = ({ state }) => !['queued', 'running'].includes(state);

test('a job started on one server is on the other at once, with its events, its result and what workers found of its units', async (t) => {
  const [broker, one, other] = await pair(t);
  await startWorker(t, broker.url);
  await Promise.all([one, other].map((server) => hired(server, 1)));
  const job = await one.begin({ n: 18, method: 'compute' });
  const seen = await other.getJson(`/jobs/${job.id}`);
  assert.deepEqual([seen.id, seen.query], [job.id, job.query]);
  const client = await other.listenTo(job.events);
  let last;
  for await (const event of client.events) last = event;
  assert.equal(last.data.state, 'done');
  const done = [await one.look(job.id, ended, 'it is done', 120), await other.look(job.id, ended, 'it is done there', 120)];
  for (const { state, result } of done) assert.deepEqual([state, result.count], ['done', solutions(18)]);
  assert.equal((await other.getJson('/count?n=18&method=compute')).count, solutions(18));
  const again = spawnSync(binary, ['units', '--n', '18'], { encoding: 'utf8' });
  for (const server of [one, other]) assert.equal((await server.get(`/jobs/${job.id}/units`)).text, again.stdout);
});

// Keys of so many names: their headers, and the file.
function keysOf(...names) {
  const made = names.map((name) => spawnSync(binary, ['new-key', name], { encoding: 'utf8' }));
  const file = path.join(temporaryFolder(), 'keys');
  writeFileSync(file, made.map(({ stdout }) => stdout).join(''));
  return [made.map(({ stderr }) => ({ authorization: `Bearer ${stderr.trim()}` })), file];
}

test('the owners of a job are exact, though all of them come and leave on two servers at the same time', async (t) => {
  const [keys, file] = keysOf('ann', 'bob', 'cal', 'dan');
  const broker = await startBroker(t, { nodes: 3 }); // where two messages on their way at once may both be taken
  const flags = ['--nats-replicas', 3, '--api-keys', file, '--free-seconds', 1];
  const servers = await Promise.all([1, 2].map(() => startServer(t, broker.url, ...flags)));
  const rounds = 6;
  const all = Array.from({ length: rounds * keys.length * servers.length }, (_, i) => [servers[i % 2], keys[(i >> 1) % keys.length]]);
  const [[, first]] = all;
  const query = { kind: 'count', ...long, method: 'compute' };
  const give = ([server, key], id) => server.delete(`/jobs/${id}`, key);
  const shares = async (id, count) => {
    const exact = async (server) => (await server.look(id)).shares === count;
    for (const server of servers) await until(() => exact(server), `${count} owners are known`);
    await sleep(0.3); // for late news
    for (const server of servers) assert.ok(await exact(server));
  };
  for (let begun = 0; begun < 2; begun++) { // it is begun again after it was cancelled
    const taken = await Promise.all(all.map(([server, key]) => server.post('/jobs', query, key)));
    assert.deepEqual([...new Set(taken.map(({ status }) => status))], [202], taken.find(({ status }) => status !== 202)?.text);
    const { id } = taken[0].json;
    await shares(id, keys.length);
    const given = await Promise.all(all.filter(([, key]) => key !== first).map((who) => give(who, id)));
    assert.deepEqual([...new Set(given.map(({ status }) => status))], [200]);
    await shares(id, 1);
    for (const server of servers) assert.ok(!ended(await server.look(id)), 'it goes on');
    assert.equal((await give(all[0], id)).status, 200);
    await shares(id, 0);
    for (const server of servers) {
      await server.look(id, ({ state }) => state === 'cancelled', 'it is cancelled');
      await until(async () => (await server.metric('nq_searches_running')) === 0, 'nothing is searched');
    }
  }
});

test('a job restarted right after it was cancelled continues on both', async (t) => {
  const [, one, other] = await pair(t);
  const query = { ...long, method: 'compute' };
  for (let i = 0; i < 5; i++) {
    const job = await one.begin(query);
    await until(async () => (await other.metric('nq_jobs_active')) === 1, 'the other knows of it');
    assert.equal((await one.delete(`/jobs/${job.id}`)).status, 200);
    await until(async () => (await one.post('/jobs', { kind: 'count', ...query })).status === 202, 'it is begun again'); // 503 while it ends
    await other.look(job.id, (now) => !ended(now), 'it goes on there');
    await sleep(0.3); // for late news
    for (const server of [one, other]) assert.ok(!ended(await server.look(job.id)), 'it goes on');
    assert.equal((await other.delete(`/jobs/${job.id}`)).status, 200);
    await one.look(job.id, ({ state }) => state === 'cancelled', 'it is cancelled');
    await until(async () => (await Promise.all([one, other].map((server) => server.metric('nq_searches_running')))).join('') === '00', 'nothing is searched');
  }
});

test('the end of a job reaches the other server, a later one, and one that was away', async (t) => {
  const [broker, one, other] = await pair(t);
  const job = await one.begin({ n: 17, method: 'compute' });
  await one.look(job.id, ended, 'it is done', 120);
  await other.look(job.id, ended, 'it is done there', 120);
  await one.crash();
  const later = await startServer(t, broker.url);
  const done = await later.look(job.id);
  assert.deepEqual([done.state, done.result.count], ['done', solutions(17)]);
});

test('cursors and indexes made on one server work on the other', async (t) => {
  const [, one, other] = await pair(t);
  const first = await one.getJson('/solve?n=10&limit=5');
  assert.deepEqual(await other.getJson(first.next), await one.getJson(first.next));
  const path = '/solve?n=16&offset=2000000&limit=3&total=true';
  const page = await one.getJson(path);
  assert.ok((await made(one)) > 0);
  await until(async () => (await one.metric('nq_store_waiting')) === 0, 'it is stored');
  assert.deepEqual(await other.getJson(path), page);
  assert.equal(await made(other), 0, 'nothing was counted again');
});

// What a server has done for indexes; a thread tells when its slice is over.
async function made(server) {
  await until(async () => (await server.metric('nq_pool_running')) === 0, 'nothing is under way');
  return server.metric('nq_algorithm_nodes_total', { algorithm: 'index' });
}
// The reply of a server that nobody else has to do with, and what the index for it takes.
async function alone(t, path) {
  const server = await start(t, '--kernel', 'auto');
  return [await server.getJson(path), await made(server)];
}

test('one of two servers leads an index that both need, a worker makes it, and both have it', async (t) => {
  const [broker, one, other] = await pair(t, '--kernel', 'scalar'); // long enough to be shared
  const worker = await startWorker(t, broker.url);
  await Promise.all([one, other].map((server) => hired(server, 1)));
  const path = '/solve?n=15&offset=200000&limit=3';
  const [page, nodes] = await alone(t, path);
  const pages = await Promise.all([one, other].map((server) => server.getJson(path)));
  assert.deepEqual(pages, [page, page]);
  const [less, more] = [await made(one), await made(other)].sort((a, b) => a - b);
  assert.equal(less, 0, 'one of them leads it');
  assert.ok(more < nodes, `${more} of ${nodes}: it counts no more than audits`);
  assert.ok((await worker.metric('nq_worker_units_total')) > 0);
  for (const server of [one, other]) await until(async () => (await server.metric('nq_counts_led')) === 0, 'it is over');
});

test('a server is frozen during an index: the other continues from what is stored, and both have the same', async (t) => {
  const broker = share();
  const scalar = ['--kernel', 'scalar']; // else it is done too soon, and too brief to be shared
  const leader = await startServer(t, broker.url, ...scalar);
  const path = '/solve?n=16&offset=7000000&limit=3';
  const [page, nodes] = await alone(t, path);
  const follower = await startServer(t, broker.url, ...scalar);
  const job = await leader.begin({ n: 16, by: 'index', method: 'compute' });
  await until(async () => (await leader.metric('nq_counts_led')) === 1, 'it does it');
  await until(async () => (await follower.metric('nq_counts_followed')) === 1, 'the other waits for it');
  await follower.look(job.id, ({ units }) => units.done > 3, 'it tells how far the first has come', 120);
  leader.process.kill('SIGSTOP');
  const done = await follower.look(job.id, ended, 'the other has taken over', 120).finally(() => leader.process.kill('SIGCONT'));
  assert.ok(done.units.restored > 0, 'what was made was restored');
  assert.ok((await made(follower)) < nodes, 'it was not made again');
  for (const { state, result } of [done, await leader.look(job.id, ended, 'it is done', 120)])
    assert.deepEqual([state, result.count], ['done', solutions(16)]);
  for (const server of [follower, leader]) assert.deepEqual(await server.getJson(path), page);
});
