// jobs.test.js - counts that go on when nobody waits: begun, looked at, shared, given back.
import { after, assert, brisk, long, longPath, patience, rounds, sleep, slow, start, tables, test, until } from './harness.js';
import { sequence } from './reference.js';

const server = await start({ after });
const { terms } = tables().all;
const isOver = ({ state }) => ['done', 'failed', 'cancelled'].includes(state);
const isDone = ({ state }) => state === 'done';

async function idle(from) {
  for (const gauge of ['nq_searches_running', 'nq_pool_queue_depth', 'nq_pool_running'])
    await until(async () => (await from.metric(gauge)) === 0, `${gauge} is 0`);
}

// ---- A job's way ----

test('the result of a job is that of /count', async (t) => {
  const other = await start(t); // whose cache knows nothing of the jobs
  for (const query of [
    { n: 13 },
    { n: 0 },
    { n: 2 },
    { n: '12', distinct: 'fundamental' },
    { n: 13, distinct: 'mirror', base: 0 },
    { n: 16, symmetry: 'point', base: '0' },
    { n: 12, place: '1:1,3:4', exclude: '12:12' },
    { n: 10, by: 'square' },
    { n: 8, place: '1:1,2:2' },
    { n: 9, method: 'auto', format: 'json' },
    { n: 9, method: 'compute', distinct: 'all', symmetry: 'any', by: 'none' },
  ]) {
    const begun = await server.begin(query);
    assert.ok(!('result' in begun) || isOver(begun));
    assert.equal(begun.self, `/jobs/${begun.id}`);
    assert.equal(begun.events, `/jobs/${begun.id}/events`);
    const job = await server.look(begun.id, isOver);
    assert.equal(job.state, 'done', JSON.stringify(job));
    const asked = `/count?method=compute&${new URLSearchParams({ ...query, method: 'compute' })}`;
    const answer = await other.getJson(asked.replace('method=compute&', '').replaceAll('%3A', ':').replaceAll('%2C', ','));
    assert.deepEqual(job.result, answer);
    assert.deepEqual(await other.getJson(job.query), answer); // the path it tells is the question
    assert.equal(job.progress, 1);
    assert.equal(job.eta_seconds, null);
    assert.deepEqual([job.units.done, job.units.restored], [job.units.total, 0]);
    assert.ok(Date.parse(job.finished) >= Date.parse(job.created));
    assert.ok(Math.abs(Date.parse(job.created) - Date.now()) < 3600_000);
  }
});

test('a job reports its progress', async (t) => {
  const own = await start(t, ...brisk);
  const { id } = await own.begin(long);
  const seen = [];
  await own.look(id, (job) => seen.push(job) && job.units.done >= (slow ? 3 : 10) && job.eta_seconds !== null, 'some units are done');
  for (const [i, job] of seen.entries()) {
    assert.ok(!('result' in job || 'why' in job));
    assert.equal(job.finished, null);
    assert.ok(job.units.done <= job.units.total && job.progress < 1);
    if (i) assert.ok(job.progress >= seen[i - 1].progress && job.units.done >= seen[i - 1].units.done);
    if (i) assert.ok(job.nodes >= seen[i - 1].nodes);
  }
  const last = seen.at(-1);
  assert.ok(last.progress > 0 && last.nodes > 0 && last.units.total > 50);
  assert.ok(last.eta_seconds > 0);
  assert.equal(await own.metric('nq_jobs_active'), 1);
});

// ---- Owners ----

const proxied = ['--trusted-proxies', '127.0.0.1'];
const from = (i) => ({ 'x-forwarded-for': `192.0.2.${i}` }); // a client of its own

test('a hundred clients with one question start one job, which each of them leaves alone', async (t) => {
  const own = await start(t, '--threads', 1, ...proxied);
  const all = Array.from({ length: 100 }, (_, i) => from(i));
  const jobs = await Promise.all([...all, ...all].map((client) => own.begin(long, 202, client)));
  const { id, self } = jobs[0];
  assert.equal(new Set(jobs.map((job) => job.id)).size, 1);
  assert.equal((await own.look(id)).shares, 100);
  assert.equal(await own.metric('nq_searches_started_total'), 1);
  await Promise.all([...all.slice(1), ...all.slice(1)].map((client) => own.delete(self, client)));
  const left = await own.look(id);
  assert.deepEqual([left.shares, isOver(left)], [1, false]);
  assert.equal((await own.delete(self, all[0])).json.state, 'cancelled');
  await idle(own);
});

test('long jobs delay no other client', async (t) => {
  const own = await start(t, '--threads', 2, '--max-job-hours', 10000); // a slow build is a slow machine
  for (const column of [1, 2, 3]) await own.begin({ ...long, exclude: `1:${column}` });
  await until(async () => (await own.metric('nq_pool_running')) === 2 && (await own.metric('nq_pool_queue_depth')) === 4, 'they keep both threads busy');
  for (let n = 8; n < 30; n++) assert.equal((await own.get(`/solve?n=${n}&limit=1`)).status, 200);
  assert.equal((await own.get('/count?n=11&method=compute')).json.count, terms[11]);
  assert.equal((await own.post('/jobs?dry-run=true', { kind: 'count', n: 21 })).status, 200);
});

test('when the last client leaves the job is cancelled and its search stops', async (t) => {
  const own = await start(t, ...brisk, ...proxied);
  const { id, self } = await own.begin(long);
  await own.begin(long, 202, from(2));
  await own.begin(long, 202, from(2)); // who is there already
  await own.look(id, ({ units }) => units.done > 0, 'it has begun');
  const one = await own.delete(self);
  assert.deepEqual([one.status, one.json.shares, isOver(one.json)], [200, 1, false]);
  assert.equal(await own.metric('nq_searches_running'), 1);
  assert.equal((await own.delete(self)).json.shares, 1); // as often as one likes
  const none = await own.delete(self, from(2));
  assert.deepEqual([none.status, none.json.shares, none.json.state], [200, 0, 'cancelled']);
  assert.ok(none.json.finished);
  await idle(own);
  assert.equal(await own.metric('nq_jobs_cancelled_total'), 1);
  assert.equal(await own.metric('nq_jobs_active'), 0);
  const after = await own.delete(self); // nobody is left
  assert.deepEqual([after.status, after.json.shares, after.json.state], [200, 0, 'cancelled']);
  assert.ok(!('result' in after.json));

  const again = await own.begin(long); // and it may be wanted again
  assert.deepEqual([again.id, again.shares, again.finished], [id, 1, null]);
  await own.look(id, ({ state }) => state === 'running', 'it runs again');
  await own.delete(self);
  await idle(own);
});

test('a client that disconnects while it waits stops the search', async (t) => {
  const own = await start(t);
  const client = (await own.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await until(async () => (await own.metric('nq_searches_running')) === 1, 'the search runs');
  client.drop();
  await idle(own);
  assert.equal(await own.metric('nq_jobs_begun_total'), 0);
  assert.equal(await own.metric('nq_searches_cancelled_total'), 1);
});

test('a client that disconnects does not stop a job that others share', async (t) => {
  const own = await start(t, ...brisk);
  const { id, self } = await own.begin(long);
  const [begun, misses] = [await own.metric('nq_searches_started_total'), await own.metric('nq_cache_misses_total')];
  const client = (await own.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await until(async () => (await own.metric('nq_cache_misses_total')) === misses + 1, 'the client waits too');
  client.drop();
  await until(() => own.logs.some(({ status }) => status === 499), 'the client is gone');
  const { units } = await own.look(id);
  const job = await own.look(id, (now) => now.units.done > units.done, 'it goes on');
  assert.equal(job.shares, 1);
  assert.equal(await own.metric('nq_searches_started_total'), begun);

  // Nor does a job that is given up take the search away from a client that waits for it.
  const waiting = (await own.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await until(async () => (await own.metric('nq_cache_misses_total')) === misses + 2, 'another client waits');
  assert.equal((await own.delete(self)).json.state, 'cancelled');
  assert.equal(await own.metric('nq_searches_running'), 1);
  waiting.drop();
  await idle(own);
});

test('many clients start, read, follow, wait, cancel and disconnect at the same time', async (t) => {
  const own = await start(t, '--threads', 3, '--queue', 1000);
  const random = sequence(7);
  const queries = [long, { n: 18 }, { n: 18, place: '1:1' }, { n: 13 }, { n: 12 }, { n: 12, by: 'square' }];
  const target = (query) => `/count?${new URLSearchParams({ ...query, method: 'compute' })}`.replaceAll('%3A', ':');
  const known = new Set();
  const pick = () => [...known][random(known.size)]; // known holds paths
  const acts = [
    async () => {
      const { json, status } = await own.post('/jobs', { kind: 'count', ...queries[random(queries.length)] });
      if (status === 503) return; // the same job is just being given up
      known.add(json.self);
    },
    async () => known.size && (await own.getJson(pick())),
    async () => known.size && (await own.delete(pick())),
    async () => {
      const { json, status } = await own.get(target(queries[random(queries.length)]), { prefer: 'respond-async' });
      if (status === 202) known.add(json.self);
    },
    async () => {
      const client = (await own.connect()).ask('GET', target(queries[random(3)]), { Prefer: 'wait=100' });
      await sleep(random(100) / 1000);
      client.drop();
    },
    async () => {
      if (!known.size) return;
      const client = await own.listenTo(`${pick()}/events`);
      await sleep(random(100) / 1000);
      client.drop();
    },
  ];
  const clients = Array.from({ length: 16 }, async () => {
    for (let i = 0; i < rounds(150); i++) await acts[random(acts.length)]();
  });
  await Promise.all(clients);
  for (const self of known) {
    for (let { shares } = await own.getJson(self); shares > 0; ) ({ shares } = (await own.delete(self)).json);
    assert.ok(isOver(await own.getJson(self)));
  }
  await idle(own);
  assert.equal(await own.metric('nq_jobs_active'), 0);
  assert.equal(await own.metric('nq_jobs_failed_total'), 0);
  const { id } = await own.begin({ n: 12 });
  assert.equal((await own.look(id, isDone)).result.count, terms[12]);
});

// ---- What it would cost ----

test('a dry run returns the cost and starts nothing', async (t) => {
  const own = await start(t);
  const cost = async (query) => {
    const reply = await own.post('/jobs?dry-run=true', { kind: 'count', ...query });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.location, undefined);
    assert.equal(reply.headers['cache-control'], 'no-store');
    return reply.json;
  };
  const boards = {};
  for (const n of [8, 14, 15, 16, 17, 18, 20, 32]) {
    boards[n] = await cost({ n });
    assert.deepEqual([boards[n].n, boards[n].base, boards[n].kernel], [n, 1, 'scalar']);
    assert.equal(boards[n].query, `/count?n=${n}&method=compute`);
    assert.equal(boards[n].accepted, n < 32);
  }
  for (const n of [15, 16, 17, 18]) {
    const growth = boards[n].placements / boards[n - 1]?.placements;
    if (boards[n - 1]) assert.ok(growth > 2 && growth < 20, `${n}: ${growth}`);
  }
  const per = (fact) => fact.placements / fact.core_seconds;
  assert.ok(Math.abs(per(boards[18]) / per(boards[14]) - 1) < 0.01);
  assert.ok(per(boards[18]) > 1e5 && per(boards[18]) < 1e11);
  assert.ok((await cost({ n: 14, place: '1:1' })).core_seconds < boards[14].core_seconds / 2);
  assert.ok((await cost({ n: 18, by: 'square' })).core_seconds > boards[18].core_seconds);
  assert.ok((await cost({ n: 20, symmetry: 'point' })).core_seconds < boards[20].core_seconds);
  assert.equal((await cost({ n: 20, place: '1:1,2:2' })).placements, 0);
  assert.equal((await cost({ n: 0 })).accepted, true);
  assert.equal((await cost({ n: 12, base: 0 })).base, 0);
  assert.equal(await own.metric('nq_jobs_begun_total'), 0);
  (await own.get('/jobs/e2b15b67be685d0f')).isProblem(404);
  (await own.post('/jobs?dry-run=true', { kind: 'count', n: 33 })).isProblem(422, 'n');
  (await own.post('/jobs?dry-run=true', { kind: 'count' })).isProblem(400, 'n');

  // dry-run=false is none.
  const reply = await own.post('/jobs?dry-run=false', { kind: 'count', n: 14 });
  const { nodes, result } = await own.look(reply.json.id, isDone);
  assert.equal(result.count, terms[14]);
  const said = boards[14].placements; // it is about what the search then places
  assert.ok(said > nodes / 5 && said < nodes * 5, `${said} said, ${nodes} were`);
});

// ---- Limits ----

test('--max-jobs limits the unfinished jobs', async (t) => {
  const own = await start(t, '--max-jobs', 1, '--threads', 1);
  const { id, self } = await own.begin(long);
  const refused = await own.post('/jobs', { kind: 'count', n: 20 });
  refused.isProblem(503);
  (await own.get('/count?n=20&method=compute', { prefer: 'respond-async' })).isProblem(503);
  (await own.get('/count?n=20&method=compute', { prefer: 'wait=1' })).isProblem(503);
  assert.equal(await own.metric('nq_jobs_refused_total'), 3);
  assert.equal((await own.begin(long)).id, id); // the same one is no other
  assert.equal((await own.post('/jobs?dry-run=true', { kind: 'count', n: 18 })).status, 200);
  assert.equal((await own.getJson('/count?n=8')).count, 92);
  await own.delete(self);
  await own.delete(self);
  let second;
  await until(async () => (second = await own.post('/jobs', { kind: 'count', n: 12 })).status < 300, 'there is room again');
  assert.equal((await own.look(second.json.id, isDone)).result.count, terms[12]);
  assert.equal((await own.begin({ n: 11 })).shares, 1); // one that is over takes no room
});

test('a job beyond the limit is rejected with its estimate', async (t) => {
  const own = await start(t, '--max-job-hours', 1);
  for (const query of [{ n: 24 }, { n: 32 }, { n: 28, place: '1:1' }]) {
    const cost = (await own.post('/jobs?dry-run=true', { kind: 'count', ...query })).json;
    assert.equal(cost.accepted, false);
    assert.ok(cost.core_seconds > 3600);
    const reply = await own.post('/jobs', { kind: 'count', ...query });
    reply.isProblem(422);
    assert.match(reply.json.detail, /\b[0-9.e+]+ core-hours\b.*\blimit is 1\b/);
  }
  (await own.get('/count?n=24&method=compute', { prefer: 'respond-async' })).isProblem(422);
  assert.equal(await own.metric('nq_jobs_active'), 0);
  const { id } = await own.begin({ n: 13 });
  await own.look(id, isDone);
});

// ---- Links ----

// ---- The end of the process ----

test('a stop does not wait for jobs', async (t) => {
  const own = await start(t, '--drain-seconds', 1);
  await own.begin(long);
  const { id } = await own.begin({ n: 20 });
  await own.look(id, ({ state }) => !isOver({ state }));
  const seconds = await own.stop();
  assert.ok(seconds < 10 * patience, `${seconds} s`);
});

test('while it drains jobs can be read, and begun for the next process', async (t) => {
  const own = await start(t, '--drain-seconds', 60, '--threads', 1);
  const { id } = await own.begin(long);
  const look = await own.connect(); // new connections are refused then
  assert.equal((await look.ask('GET', `/jobs/${id}`).reply()).status, 200);
  const body = '{"kind":"count","n":18}';
  const begin = await own.connect();
  assert.equal((await begin.ask('GET', '/count?n=8').reply()).status, 200);
  const stream = (await own.connect()).ask('GET', '/solve?n=25&format=ndjson'); // which nobody reads: it keeps it from ending
  await until(async () => (await own.metric('nq_streams_running')) === 1, 'the stream runs');
  const stop = own.stop(30);
  await until(async () => (await own.admin('/readyz')).status === 503, 'it drains');
  const seen = await look.ask('GET', `/jobs/${id}`).reply();
  assert.equal(seen.status, 200);
  begin.ask('POST', '/jobs', { 'Content-Type': 'application/json', 'Content-Length': body.length }).send(body);
  const begun = await begin.reply();
  assert.deepEqual([begun.status, begun.headers.connection], [202, 'close']);
  for (const client of [stream, look, begin]) client.drop();
  await stop;
});

// ---- Tables ----

test('tables stay within --max-table-bytes, and counts without room work without them (plain)', { skip: slow && 'sanitizers keep memory of their own' }, async (t) => {
  const counts = {};
  for (const bytes of ['768M', '0']) {
    const own = await start(t, '--threads', 2, '--kernel', 'auto', '--max-table-bytes', bytes);
    const { memory_bytes: told } = (await own.post('/jobs?dry-run=true', { kind: 'count', n: 16 })).json;
    const before = own.resident();
    const { id } = await own.begin({ n: 16 });
    const first = await own.look(id, ({ units }) => units.done > 0, 'it has what it needs');
    const tables = await own.metric('nq_table_bytes');
    counts[bytes] = { told, tables, total: first.units.total };
    assert.ok((own.resident() - before) * 2 ** 20 < told + 8 * 2 ** 20, `${before}, then ${own.resident()} MB`);
    assert.equal((await own.look(id, isDone, 'it is done', 120)).result.count, terms[16]);
    assert.equal(await own.metric('nq_table_bytes'), tables); // for the next one
  }
  assert.ok(counts['768M'].tables > 9e5 && counts['768M'].told > counts['768M'].tables);
  assert.ok(counts[0].told > 1e6 && counts[0].told < counts['768M'].told);
  assert.equal(counts[0].tables, 0);
  assert.equal(counts[0].total, counts['768M'].total); // the same units
});
