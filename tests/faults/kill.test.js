// kill.test.js - kill -9 at any moment: a job goes on in the next process on the same file, from all that was stored of it, and
// comes to the right number. NQ_LONG=1: a larger board and more kills.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { assert, longer, patience, sleep, slow, start, tables, temporaryFolder, test, until } from '../http/harness.js';
import { Faults } from './faults.js';

const { terms } = tables().all;
const [n, kills] = longer ? [19, 20] : slow ? [16, 3] : [18, 3];
const isDone = ({ state }) => state === 'done';

// What a file says that no process has open: rows of a query. It is looked at in a copy, for looking tidies up.
function facts(file, query) {
  const copy = path.join(temporaryFolder(), 'copy.db');
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return JSON.parse(execFileSync('sqlite3', ['-json', copy, query]).toString() || '[]');
}
// The finished units of the one count there is: [{ unit, nodes }].
const units = (file) =>
  facts(file, 'SELECT key, CAST(value AS TEXT) AS value FROM unit').map(({ key, value }) => ({
    unit: Number(key.split('#')[1]),
    nodes: Number(value.split(' ')[1]),
  }));

test(`a job of n = ${n} survives ${kills} kills`, { timeout: (longer ? 3600 : 600) * 1000 * patience }, async (t) => {
  const file = path.join(temporaryFolder(), 'store.db');
  const lives = [];
  let [server, id, promised] = [null, null, 0];
  for (let life = 0; life <= kills; life++) {
    const stored = life ? units(file) : null;
    server = await start(t, '--store', `sqlite:${file}`, '--threads', life < 2 ? 1 : 2); // with more it would be over too soon
    if (life === 0) ({ id } = await server.begin({ n }));
    else if (isDone(await server.getJson(`/jobs/${id}`)) && !(await server.metric('nq_jobs_resumed_total'))) break; // even so
    else assert.equal(await server.metric('nq_jobs_resumed_total'), 1, `life ${life}`);
    assert.equal((await server.admin('/readyz')).json.status, 'ready');

    const restoring = ({ units }) => units.total === 0 || units.restored < promised; // it is laid out before it is restored
    const laidOut = await server.look(id, (job) => !restoring(job) || isDone(job), `${promised} units are restored`, 120);
    const { restored, total } = laidOut.units;
    assert.equal(laidOut.shares, 1);
    if (stored) {
      assert.equal(new Set(stored.map(({ unit }) => unit)).size, stored.length);
      assert.equal(restored, stored.length, `life ${life}`);
    }
    lives.push({ restored, total, stored });
    if (isDone(laidOut) || life === kills) break;

    // Something has to be done in every life, or it would never end; then comes the end, at any moment. What was seen as done
    // before the store had nothing more to write is stored.
    const seen = await server.look(id, (job) => job.units.done > restored || isDone(job), 'a unit is done', 120);
    assert.equal(seen.units.restored, restored);
    await until(async () => (await server.metric('nq_store_waiting')) === 0, 'it is stored');
    promised = seen.units.done;
    await sleep(Math.random() * (longer ? 3 : 0.05));
    await server.crash();
  }

  const done = await server.look(id, isDone, 'it is done', longer ? 1800 : 300);
  if (!slow) assert.ok(lives.length > 2, 'it lived for a while');
  const last = lives.at(-1);
  assert.equal(done.result.count, terms[n]);
  assert.equal(done.result.count_text, `${terms[n]}`);
  assert.deepEqual(done.units, { done: last.total, total: last.total, restored: last.restored });
  assert.ok(lives.every(({ total }) => total === last.total));
  assert.ok(lives.every(({ restored }, i) => !i || restored >= lives[i - 1].restored), JSON.stringify(lives));
  t.diagnostic(`restored of ${last.total}: ${lives.map(({ restored }) => restored).join(', ')}`);

  // Nothing that was stored was counted again: the queens placed in the last life and those of the units it found stored are
  // as many as one process alone places.
  if (last.stored && !slow) {
    const alone = await start(t, '--kernel', 'auto');
    const whole = await alone.look((await alone.begin({ n })).id, isDone, 'it is counted in one go', longer ? 1800 : 300);
    assert.equal(done.nodes + last.stored.reduce((sum, { nodes }) => sum + nodes, 0), whole.nodes);
    assert.equal(whole.units.total, last.total);
    await alone.stop();
  }

  // And once more, when there is only the result: it is there, and nothing is left over.
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
  await server.crash();
  assert.deepEqual(units(file), []);
  const after = await start(t, '--store', `sqlite:${file}`);
  assert.deepEqual(await after.getJson(`/jobs/${id}`), done);
  assert.equal(await after.metric('nq_jobs_resumed_total'), 0);
  const count = await after.get(`/count?n=${n}&method=compute`, { prefer: 'wait=100' });
  assert.deepEqual(count.json, done.result);
});

// ---- Right after an answer ----

// Each of them asks, and returns what it was told at the very end; then comes the kill, and the next process is to tell the same.
// A job that goes on must be one that does: it is not done before the process ends.
const lasting = (i) => ({ n: 23, place: `1:${1 + i}` });
const brief = (i) => ({ n: 10, exclude: `1:${1 + (i % 10)},2:${1 + Math.floor(i / 10)}` });
const proxied = ['--trusted-proxies', '127.0.0.1'];
const somebodyElse = { 'x-forwarded-for': '192.0.2.2' };
const goesOn = ({ id, shares }) => ({ id, shares, over: false });
const isOver = ({ state }) => !['queued', 'running'].includes(state);
const acts = {
  'begins a job': async (server, i) => goesOn(await server.begin(lasting(i), 202)),
  'joins a job': async (server, i) => {
    await server.begin(lasting(i), 202, somebodyElse);
    return goesOn(await server.begin(lasting(i), 202));
  },
  'is sent to a job by /count': async (server, i) => {
    const { n, place } = lasting(i);
    const reply = await server.get(`/count?n=${n}&place=${place}&method=compute`, { prefer: 'respond-async' });
    assert.equal(reply.status, 202);
    return goesOn(reply.json);
  },
  'leaves a job that another client has': async (server, i) => {
    await server.begin(lasting(i), 202, somebodyElse);
    const { self } = await server.begin(lasting(i), 202);
    return goesOn((await server.delete(self)).json);
  },
  'gives a job up': async (server, i) => (await server.delete((await server.begin(lasting(i), 202)).self)).json,
  'sees a job given up by somebody else': async (server, i) => {
    const { id, self } = await server.begin(lasting(i), 202);
    const given = server.delete(self).catch(() => {}); // the kill may come before the reply
    const seen = await server.look(id, isOver);
    return Object.assign(seen, { given });
  },
  'sees a job begun anew by somebody else': async (server, i) => {
    const { id, self } = await server.begin(lasting(i), 202);
    await server.delete(self);
    const given = server.begin(lasting(i), 202).catch(() => {});
    return { ...goesOn(await server.look(id, (job) => !isOver(job))), given };
  },
  'sees that a job is done': async (server, i) => server.look((await server.begin(brief(i))).id, isDone),
  'hears that a job is done': async (server, i) => {
    const { events } = await server.begin(brief(i));
    const client = await server.listenTo(events);
    for await (const { event, data } of client.events) if (event === 'done') return data;
    return assert.fail('no end');
  },
  'asks for a job until it is done': async (server, i) => {
    let job;
    await until(async () => isDone((job = await server.begin(brief(i)))), 'it is done');
    return job;
  },
};

async function tellsTheSame(t, act) {
  const faults = new Faults('store.db'); // a slow disk, so that what is told too soon shows
  faults.set({ disk_delay_ms: 5 });
  const flags = ['--store', `sqlite:${path.join(temporaryFolder(), 'store.db')}`, '--kernel', 'auto', '--threads', 1, '--max-jobs', 1000, ...proxied];
  const forgotten = [];
  let told = null;
  for (let i = 0; i <= (longer ? 200 : 3); i++) {
    const server = await faults.start(t, ...flags);
    if (told) {
      const { over, given, ...wanted } = told;
      const again = await server.metric('nq_jobs_resumed_total'); // what was told to be over is not counted again
      const { status, text } = await server.get(`/jobs/${told.id}`);
      const now = status === 200 ? JSON.parse(text) : {};
      const same = over === false ? now.shares === told.shares && !isOver(now) : !again && JSON.stringify(now) === JSON.stringify(wanted);
      if (!same) forgotten.push(`${i}: ${JSON.stringify(wanted)}, then ${text}, ${again} resumed`);
      if (now.shares && !isOver(now)) for (const client of [{}, somebodyElse]) await server.delete(now.self, client);
    }
    told = await act(server, i % 23);
    await server.crash();
    await told.given;
  }
  assert.deepEqual(forgotten, []);
}

test('everything that a reply reported is still true after a kill right after it', { concurrency: 3 }, async (t) => {
  const each = Object.entries(acts).map(([who, act]) => t.test(`who ${who}`, (t) => tellsTheSame(t, act)));
  await Promise.all(each);
});
