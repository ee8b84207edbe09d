// release.test.js - servers and workers of two releases over one broker: none waits for who does not understand it.
import { assert, binary, tables, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';
import { buildRelease, release } from './release.js';
import { startServerOf, startWorkerOf } from './workers.js';

const older = { program: binary, number: release };
const newer = { program: buildRelease(`${release}-next`), number: `${release}-next` };
const { terms } = tables().all;
const reasons = async (who) => JSON.stringify((await (await who.admin('/readyz')).json())?.reasons ?? []);

for (const [serving, working] of [[older, newer], [newer, older]])
  test(`a server of release ${serving.number} with workers of ${working.number} counts itself, and reports why`, async (t) => {
    const broker = await startBroker(t, {});
    const server = await startServerOf(t, serving.program, broker.url);
    const worker = await startWorkerOf(t, working.program, broker.url);
    const readiness = async () => JSON.stringify((await server.admin('/readyz')).json);
    await until(async () => (await server.metric('nq_workers', { compatible: 'false' })) === 1, 'it has heard of the worker');
    assert.equal(await server.metric('nq_workers', { compatible: 'true' }), 0);
    assert.equal(await server.metric('nq_workers_threads'), 0);
    const both = (text) => text.includes(`${release}-next`) && text.replaceAll(`${release}-next`, '').includes(release);
    assert.ok(/"degraded".*"workers"/.test(await readiness()) && both(await readiness()), await readiness());
    assert.ok(server.logs.some(({ event, text }) => event === 'worker' && both(text)), JSON.stringify(server.logs));
    const job = await server.begin({ n: 18, method: 'compute' });
    const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
    assert.equal(done.result.count, Number(terms[18]));
    assert.equal(await worker.metric('nq_worker_batches_total'), 0);
  });

test('two servers and two workers are upgraded one by one under a running count, which is exact', async (t) => {
  const broker = await startBroker(t, {});
  const serve = ({ program }) => startServerOf(t, program, broker.url, '--kernel', 'scalar', '--audit', '0');
  const work = ({ program }, kernel = 'scalar') => startWorkerOf(t, program, broker.url, '--kernel', kernel);
  const servers = [await serve(older), await serve(older)];
  const workers = [await work(older), await work(older)];
  for (const server of servers) await until(async () => (await server.metric('nq_workers')) === 2, 'two workers are there');
  // By symmetry half of all. Slow kernels, so that it is under way until everybody has been replaced; then quick ones finish it.
  const n = 18;
  const right = Array.from({ length: n / 2 }, (_, i) => `1:${n / 2 + 1 + i}`);
  const { id } = await servers[0].begin({ n, exclude: right.join(','), method: 'compute' });
  // Every server sees the count come on from here.
  const comesOn = async (what) => {
    for (const server of servers) {
      const { units } = await server.look(id, ({ units }) => units.total > 0, `it tells how far it is, ${what}`);
      await server.look(id, ({ state, units: now }) => state === 'done' || now.done > units.done, `it comes on, ${what}`, 60);
    }
  };
  await comesOn('before');
  for (const i of [0, 1]) {
    await servers[i].stop();
    servers[i] = await serve(newer);
    await comesOn(`server ${i + 1} being of the next release`);
    assert.equal((await servers[1 - i].look(id)).state, 'running');
    await workers[i].stop();
    workers[i] = await work(newer);
    await comesOn(`worker ${i + 1} being of the next release, too`);
  }
  for (const worker of workers) await worker.stop();
  for (const _ of workers) await work(newer, 'auto');
  for (const server of servers) {
    const done = await server.look(id, ({ state }) => state === 'done', 'the job is done', 300);
    assert.equal(2 * done.result.count, Number(terms[n]));
  }
});
