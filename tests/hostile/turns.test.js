// turns.test.js - one client has long counts under way; another, from another address, asks what takes a fifth of a second of one core.
// That one is answered soon, whatever is counted by whatever method, and so are small questions of the first. "Soon" is measured in
// what the searching threads have had of the processors meanwhile, so that it does not depend on who else uses the machine. What is
// cancelled or refused stays nowhere.
import { assert, slow, start, test, until } from '../http/harness.js';
import { connectFrom, long, metric, other } from './hostile.js';

const THREADS = 2;
const FLAGS = ['--threads', THREADS, '--kernel', 'auto', '--max-jobs', 200, '--max-client-searches', 1000, '--max-job-hours', 1e6];

// Core-seconds that the threads have worked. A unit that is under way counts from when its thread last looked around.
const worked = (server) => metric(server, 'nq_pool_cpu_seconds_total');

const ended = (server) => until(async () => (await metric(server, 'nq_searches_running')) === 0, 'no search is left');

const spansOf = (header) => Object.fromEntries([...header.matchAll(/(\w+);dur=([0-9.]+)/g)].map(([, name, ms]) => [name, Number(ms)]));

// What one client has under way.
const jobs = {
  'joined quadrants, n = 24': [{ n: 24 }],
  'joined quadrants, n = 26': [{ n: 26 }],
  'a search': [{ n: 22, exclude: '1:1,2:5,3:9' }],
  'many searches': Array.from({ length: 30 }, (_, i) => ({ n: 22, exclude: `1:${1 + (i % 20)},3:${1 + Math.floor(i / 20)}` })),
  'half turns': [{ n: 30, symmetry: 'point' }],
  'an index': [{ n: 20, by: 'index' }],
  'every square': [{ n: 18, by: 'square', exclude: '1:2' }],
  classes: [{ n: 20, distinct: 'fundamental', exclude: '1:1' }],
};

// What the other one asks, each time another question.
const questions = {
  'a count by searching': (i) => `/count?n=16&exclude=2:${2 + i}`,
  'a count with a queen': (i) => `/count?n=17&place=2:${2 + i}&method=compute`,
  'a hint': (i) => `/hint?n=16&place=3:${2 + i}`,
  'a count square by square': (i) => `/count?n=14&by=square&exclude=3:${2 + i}`,
  'half turns': (i) => `/count?n=21&symmetry=point&exclude=2:${2 + i}`,
  'a list by its index': (i) => `/solve?n=15&exclude=4:${2 + i}&offset=100000&limit=2`,
  'a sample': (i) => `/solve?n=14&exclude=5:${2 + i}&sample=50&seed=1`,
  'a page that takes long to find': (i) => `/solve?n=33&algorithm=bitboard&limit=1&exclude=1:${2 + i}`,
  'an estimate': (i) => `/count?n=30&method=estimate&walks=30000&seed=${i}`,
  'a puzzle': (i) => `/puzzle?n=24&seed=${i}`,
  'a comparison': (i) => `/compare?n=14&base=${i % 2}`,
};

const pairs = Object.keys(jobs).flatMap((job, j) =>
  Object.keys(questions).flatMap((question, q) => (long || (q + j) % 8 === 0 ? [[job, question]] : [])),
);

// What was not as it should be while this job was under way, and the other client asked.
async function faultsBeside(t, job, cost) {
  const faults = [];
  const spans = [];
  const server = await start(t, ...FLAGS);
  const begun = [];
  for (const query of jobs[job]) begun.push(await server.begin(query, 202));
  await until(async () => (await metric(server, 'nq_pool_running')) > 0, 'it counts', 120);
  const client = await connectFrom(other, server.port);
  for (const [i, [, question]] of pairs.filter(([name]) => name === job).entries()) {
    const before = await worked(server);
    const reply = await client.ask('GET', questions[question](1 + (i % 8))).reply();
    spans.push(spansOf(reply.headers['server-timing']));
    const meanwhile = (await worked(server)) - before;
    const bound = THREADS * (3 * cost[question] + 0.3);
    assert.equal(reply.status, 200, reply.text);
    if (meanwhile > bound) faults.push(`${question} beside ${job}: ${meanwhile.toFixed(2)} core-seconds, ${bound.toFixed(2)} at most`);
  }
  // The client who has the jobs gets answers to small questions as well, in a thread that its jobs leave.
  for (let i = 0; i < 3; i++) {
    const before = await worked(server);
    assert.equal((await server.get(`/count?n=12&exclude=1:${2 + i},4:5`)).status, 200);
    const meanwhile = (await worked(server)) - before;
    if (meanwhile > THREADS * 0.5) faults.push(`a small question of the same client beside ${job}: ${meanwhile.toFixed(2)} core-seconds`);
  }
  for (const { search, idle } of spans)
    if (search) assert.ok(idle <= search + 1, `idle for ${idle} of ${search} ms`); // rounded, and tasks are averaged
  if (spans.some(({ search }) => search > 100) && !spans.some(({ idle }) => idle > 0)) faults.push(`${job}: nobody had a turn meanwhile`);
  const overruns = await metric(server, 'nq_slices_overrun_total');
  if (!slow && overruns > 0) faults.push(`${job}: ${overruns} slices took longer than they may`);
  assert.ok((await metric(server, 'nq_jobs_active')) > 0, 'it was not done before');
  client.drop();
  for (const { id } of begun) await server.delete(`/jobs/${id}`);
  await ended(server);
  await server.stop();
  return faults;
}

test(`${pairs.length} pairs of a job and a question of another client meanwhile`, async (t) => {
  const alone = await start(t, ...FLAGS);
  const cost = {}; // of each kind of question, in core-seconds
  const costs = await connectFrom(other, alone.port);
  for (const [name, target] of Object.entries(questions)) {
    const before = await worked(alone);
    assert.equal((await costs.ask('GET', target(0)).reply()).status, 200, target(0));
    cost[name] = (await worked(alone)) - before;
  }
  await alone.stop();
  for (const job of Object.keys(jobs)) {
    // A virtual machine that is set aside is charged to whichever thread ran, but seldom thrice; a step that is too long is so each time.
    let faults;
    for (let attempt = 0; attempt < 3 && (attempt === 0 || faults.length > 0); attempt++) {
      if (attempt > 0) t.diagnostic(`once more, since: ${faults.join('; ')}`);
      faults = await faultsBeside(t, job, cost);
    }
    assert.deepEqual(faults, []);
  }
});

// Limits are in core-seconds, and a lengthy count waits behind shorter ones of its client: both rely on what it is said to cost.
test('what a count is said to cost is about what it uses', async (t) => {
  const server = await start(t, ...FLAGS);
  const queries = [{ n: 16, exclude: '2:3' }, { n: 17, place: '2:3' }, { n: 14, by: 'square', exclude: '3:2' }, { n: 18 }, { n: 24, symmetry: 'point' },
    { n: 16, distinct: 'fundamental', exclude: '1:1' }, { n: 17, rules: 'superqueens', exclude: '1:2' }];
  for (const query of queries) {
    const { core_seconds: cost } = (await server.post('/jobs?dry-run=true', { kind: 'count', ...query })).json;
    const before = await worked(server);
    await server.begin(query);
    await ended(server);
    const used = (await worked(server)) - before;
    assert.ok(cost > used / 4 && cost < 4 * used, `${JSON.stringify(query)}: ${cost} said, ${used} used`);
  }
});

test('rejected and abandoned questions beside a job leave their queue', async (t) => {
  const server = await start(t, ...FLAGS, '--threads', 1, '--max-jobs', 2);
  const mine = [await server.begin({ n: 24 }, 202), await server.begin({ n: 23 }, 202)];
  await until(async () => (await metric(server, 'nq_pool_running')) > 0, 'they count', 120);
  for (let i = 0; i < 40; i++) {
    const exclude = `1:${1 + (i % 20)},2:${1 + Math.floor(i / 20)}`;
    assert.equal((await server.post('/jobs', { kind: 'count', n: 22, exclude })).status, 503);
  }
  for (let round = 0; round < 3; round++) {
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
    clients.forEach((client, i) => client.ask('GET', `/count?n=22&method=compute&exclude=3:${1 + round},4:${1 + i}`));
    await until(async () => (await metric(server, 'nq_searches_running')) > 2, 'they are asked');
    const begun = await worked(server);
    clients.forEach((client) => client.drop());
    await until(async () => (await metric(server, 'nq_searches_running')) === 2, 'only the jobs are left');
    assert.ok((await worked(server)) - begun < (slow ? 80 : 8), 'before the jobs have come to the end of a unit');
  }
  assert.ok((await metric(server, 'nq_pool_queue_depth')) <= 2);
  for (const { id } of mine) await server.delete(`/jobs/${id}`);
  await ended(server);
});

test('no more long searches wait than --queue allows', async (t) => {
  const server = await start(t, ...FLAGS, '--threads', 1, '--queue', 5);
  const mine = await server.begin({ n: 24 }, 202);
  const clients = [];
  const refused = [];
  for (let i = 0; i < 20; i++) {
    const client = await server.connect();
    clients.push(client);
    const asked = client.ask('GET', `/count?n=22&method=compute&exclude=1:${1 + i}`);
    asked.reply().then(
      ({ status }) => refused.push(status),
      () => {}, // dropped, in the end
    );
    await until(async () => (await metric(server, 'nq_searches_running')) + refused.length === 2 + i, 'it waits, or is refused');
  }
  await until(() => refused.length >= 8, 'many are refused'); // five wait, and some have been begun
  assert.ok(refused.every((status) => status === 503), `${refused}`);
  clients.forEach((client) => client.drop());
  await server.delete(`/jobs/${mine.id}`);
  await ended(server);
});
