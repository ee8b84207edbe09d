// nginx.test.js - two servers that share a broker's store, behind nginx with docker/nginx.conf but for its cache: whom of them it
// asks is nothing that a client could tell, also when one of them dies.
import { after, assert, long, sleep, tables, test, until } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { startBroker } from './broker.js';
import { startServer } from './workers.js';

const owner = { after };
const broker = await startBroker(owner);
const flags = ['--threads', 2, '--max-client-searches', 1000, '--max-client-connections', 1000];
const servers = await Promise.all([1, 2].map(() => startServer(owner, broker.url, ...flags)));
const nginx = await behindNginx(servers.map(({ port }) => port), { gzip: 'off', cache: 'off' });
after(() => nginx.stop());
const front = servers[0].through(nginx.port);

// All of them, or what each of them says.
const each = (ask) => Promise.all(servers.map(ask));
const metrics = (name, labels) => each((server) => server.metric(name, labels));
const ended = ({ state }) => !['queued', 'running'].includes(state);

// What is asked meanwhile is asked of both.
async function bothAreAsked(route, during) {
  const before = await metrics('nq_http_requests_total', { route });
  await during();
  const asked = await metrics('nq_http_requests_total', { route });
  asked.forEach((count, i) => assert.ok(count > before[i], `${route} of each: ${before} became ${asked}`));
}

async function walk(server, target) {
  const pages = [];
  for (let next = target; next; next = pages.at(-1).next) pages.push(await server.getJson(next));
  return pages;
}

test('pages are the same, whichever replica makes the next one', async () => {
  const target = '/solve?n=8&limit=9';
  const direct = await each((server) => walk(server, target));
  await bothAreAsked('/solve', async () => direct.push(await walk(front, target)));
  assert.equal(direct[0].flatMap(({ solutions }) => solutions).length, 92);
  for (const pages of direct) assert.deepEqual(pages, direct[0]);
});

test('a job can be started, read, followed and cancelled on any replica', async () => {
  const query = { ...long, method: 'compute' };
  for (let i = 0; i < 3; i++) { // it is begun again where it was not cancelled
    const job = await front.begin(query);
    for (let k = 0; k < 6; k++) assert.ok(!ended(await front.look(job.id)), 'it goes on'); // at once, and everywhere
    assert.equal((await front.begin(query)).id, job.id);
    const clients = await Promise.all([1, 2].map(() => front.listenTo(job.events)));
    const heard = Promise.all(clients.map(async ({ events }) => {
      const states = [];
      for await (const { data } of events) states.push(data.state);
      return states;
    }));
    const given = await front.delete(`/jobs/${job.id}`);
    assert.deepEqual([given.status, given.json.shares], [200, 0]); // it is one client
    for (const states of await heard) {
      assert.ok(!ended({ state: states[0] }), 'it ran when they began to listen');
      assert.equal(states.at(-1), 'cancelled');
    }
    await until(async () => `${await metrics('nq_searches_running')}` === '0,0', 'nothing is searched');
  }
  const [jobs, events] = [metrics('nq_http_requests_total', { route: '/jobs' }), metrics('nq_http_requests_total', { route: '/jobs/{id}/events' })];
  for (const counts of await Promise.all([jobs, events])) assert.ok(Math.min(...counts) > 0, `of each: ${counts}`);
});

test('hundreds of equal questions make one search', async () => {
  const expected = Number(tables().all.terms[18]);
  await bothAreAsked('/count', async () => {
    const counts = await Promise.all(Array.from({ length: 300 }, () => front.getJson('/count?n=18&method=compute')));
    assert.deepEqual([...new Set(counts.map(({ count }) => count))], [expected]);
  });
  const nodes = await metrics('nq_algorithm_nodes_total', { algorithm: 'join' });
  assert.ok(Math.max(...nodes) > 0);
  assert.equal(Math.min(...nodes), 0, `one of them searched: ${nodes}`);
});

test('one replica is killed: every request has an answer, and jobs continue', async () => {
  const job = await front.begin({ ...long, exclude: '1:3', method: 'compute' });
  const led = () => metrics('nq_counts_led');
  await until(async () => Math.max(...(await led())) === 1, 'one of them leads the count');
  await front.look(job.id, ({ units }) => units.done > 0, 'some units are counted', 120);
  const i = (await led()).indexOf(1);
  const [dying, survivor] = [servers[i], servers[1 - i]];
  let over = false;
  const asking = [1, 2, 3, 4, 5, 6, 7].map(async (client) => {
    let answers = 0;
    for (; !over; answers++) {
      const reply = await front.get(answers % 2 ? `/jobs/${job.id}` : `/count?n=7&place=1:${(answers % 7) + 1}&exclude=2:${client}`);
      assert.equal(reply.status, 200, reply.text);
    }
    return answers;
  });
  await sleep(0.5);
  await dying.crash();
  const { units } = await survivor.look(job.id);
  await sleep(0.5);
  over = true;
  for (const answers of await Promise.all(asking)) assert.ok(answers > 0);
  await front.look(job.id, (now) => !ended(now) && now.units.done > units.done, 'the other goes on', 120);
  await until(async () => (await survivor.metric('nq_counts_led')) === 1, 'it leads the count'); // units that the dead one wrote count, too
  await until(async () => (await survivor.metric('nq_pool_running')) === 2, 'with all its threads', 120);
  assert.equal((await front.delete(`/jobs/${job.id}`)).json.state, 'cancelled');
});
