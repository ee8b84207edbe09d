// release.test.js - two builds over one broker or with one file: none waits for who does not understand it, and none takes what another
// one has counted for its own, unless both are releases.
import { after, assert, tables, test, until } from '../http/harness.js';
import { isDone, newFile, on } from '../http/storing.js';
import { shareBroker } from './broker.js';
import { buildAs, buildOf, release } from './release.js';
import { hired, startServerOf, startWorkerOf } from './workers.js';

const share = await shareBroker({ after });
const as = (name) => ({ program: buildAs(name), name });
const older = as(release);
const newer = as(`${release}-next`);
const commit = as(`${release}+g0123456789ab`);
const changed = as(`${release}+g0123456789ab.dirty.0123456789ab`);
const { terms } = tables().all;

test('a build is named by the command line of make alone', () => {
  for (const { program, name } of [older, newer, commit, changed]) assert.equal(buildOf(program), name);
});

for (const [serving, working] of [[older, newer], [commit, changed]])
  test(`a server of ${serving.name} with workers of ${working.name} counts itself, and reports why`, async (t) => {
    const broker = share();
    const server = await startServerOf(t, serving.program, broker.url);
    const worker = await startWorkerOf(t, working.program, broker.url);
    const readiness = async () => JSON.stringify((await server.admin('/readyz')).json);
    await until(async () => (await server.metric('nq_workers', { compatible: 'false' })) === 1, 'it has heard of the worker');
    assert.equal(await server.metric('nq_workers', { compatible: 'true' }), 0);
    assert.equal(await server.metric('nq_workers_threads'), 0);
    const [short, long] = [serving.name, working.name].sort((a, b) => a.length - b.length);
    const both = (text) => text.includes(long) && text.replaceAll(long, '').includes(short);
    assert.ok(/"degraded".*"workers"/.test(await readiness()) && both(await readiness()), await readiness());
    assert.ok(server.logs.some(({ event, text }) => event === 'worker' && both(text)), JSON.stringify(server.logs));
    const job = await server.begin({ n: 18, method: 'compute' });
    const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
    assert.equal(done.result.count, Number(terms[18]));
    assert.equal(await worker.metric('nq_worker_batches_total'), 0);
  });

test('two servers and a worker are upgraded one by one under a running count, which is exact', async (t) => {
  const broker = share();
  const serve = ({ program }) => startServerOf(t, program, broker.url, '--kernel', 'scalar', '--audit', '0');
  const work = ({ program }, kernel = 'scalar') => startWorkerOf(t, program, broker.url, '--kernel', kernel, '--drain-seconds', '0');
  const servers = [await serve(older), await serve(older)];
  let worker = await work(older);
  for (const server of servers) await hired(server, 1);
  // Slow kernels, so that it is under way until everybody has been replaced; then a quick one finishes it.
  const [n, middle] = [17, 9];
  const right = Array.from({ length: n - middle + 1 }, (_, i) => `1:${middle + i}`);
  const { id } = await servers[0].begin({ n, exclude: right.join(','), method: 'compute' });
  // Every server sees the count come on from here.
  const comesOn = async (what) => {
    for (const server of servers) {
      const { units } = await server.look(id, ({ units }) => units.total > 0, `it tells how far it is, ${what}`);
      await server.look(id, ({ state, units: now }) => state === 'done' || now.done > units.done, `it comes on, ${what}`, 60);
    }
  };
  const replace = async (i) => {
    await servers[i].stop();
    servers[i] = await serve(newer);
    assert.equal((await servers[1 - i].look(id)).state, 'running');
  };
  await comesOn('before');
  await replace(0);
  await comesOn('one server being of the next release');
  await worker.stop();
  worker = await work(newer);
  await replace(1);
  await comesOn('all being of the next release');
  await worker.stop();
  await work(newer, 'auto');
  const half = [];
  for (const server of servers) half.push((await server.look(id, isDone, 'the job is done', 300)).result.count);
  const rest = await servers[0].getJson(`/count?n=${n}&place=1:${middle}&method=compute`);
  assert.deepEqual(half.map((count) => 2 * count + rest.count), [terms[n], terms[n]].map(Number)); // by symmetry
});

// What a server logs of the store, and a count of n = 16 there: how much of it was counted now.
async function counts(t, { program }, file) {
  const server = await startServerOf(t, program, `sqlite:${file}`);
  const { id } = await server.begin({ n: 16 });
  const job = await server.look(id, isDone, 'n = 16 is counted', 120);
  assert.equal(job.result.count, terms[16]);
  const news = server.logs.filter(({ event }) => event === 'store').map(({ text }) => text);
  return { server, job, nodes: job.nodes, news };
}

test('a file has the facts of every build: a release counts for the next, all others only for themselves', async (t) => {
  const file = newFile();
  const first = await counts(t, older, file);
  assert.ok(first.nodes > 0);
  assert.deepEqual(first.news, []);
  await first.server.stop();

  const second = await counts(t, commit, file);
  assert.ok(second.nodes > 0, 'it is counted again');
  assert.equal(second.news.length, 1, 'the log says so once');
  assert.ok(second.news[0].includes('a release') && second.news[0].includes(commit.name), second.news[0]);
  assert.notEqual(second.job.id, first.job.id);
  assert.deepEqual(await second.server.getJson(first.job.self), first.job, 'what was answered then can be read');
  await second.server.stop();

  const third = await counts(t, changed, file);
  assert.ok(third.nodes > 0, 'a rule may have been changed since the commit');
  await third.server.stop();

  const again = await counts(t, commit, file);
  assert.deepEqual([again.job.id, again.nodes], [second.job.id, second.nodes], 'it knows the job that it has counted itself');
  const half = await again.server.begin({ n: 16, distinct: 'mirror' });
  assert.equal((await again.server.look(half.id, isDone)).nodes, 0, 'and its facts');
  await again.server.stop();

  const next = await counts(t, newer, file);
  assert.equal(next.nodes, 0, 'a release trusts a release');
  assert.equal(next.news.length, 1);
  assert.ok(next.news[0].includes(commit.name) || next.news[0].includes(changed.name), next.news[0]);
});

test('a cursor and an entity tag are of one build', async (t) => {
  const servers = [];
  for (const { program } of [commit, changed]) servers.push(await startServerOf(t, program, 'memory'));
  const [one, other] = servers;
  const page = await one.get('/solve?n=8&limit=10');
  assert.equal((await one.get(page.json.next)).status, 200);
  assert.equal((await other.get(page.json.next)).status, 400);
  assert.equal((await one.get('/solve?n=8&limit=10', { 'If-None-Match': page.headers.etag })).status, 304);
  assert.equal((await other.get('/solve?n=8&limit=10', { 'If-None-Match': page.headers.etag })).status, 200);
});
