// kill.test.js - kill -9 at any moment: a job goes on in the next process on the same file, from all that was stored of it, and
// comes to the right number. NQ_LONG=1: a larger board and more kills.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sleep, slow, start, tables, temporaryFolder, until } from '../http/harness.js';

const { terms } = tables().all;
const longer = Boolean(process.env.NQ_LONG);
const [n, kills] = longer ? [19, 20] : slow ? [16, 3] : [18, 5];
const isDone = ({ state }) => state === 'done';

// What a file says that no process has open: rows of a query. It is looked at in a copy, for looking tidies up.
function facts(file, query) {
  const copy = path.join(temporaryFolder(), 'copy.db');
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return JSON.parse(execFileSync('sqlite3', ['-json', copy, query]).toString() || '[]');
}
const canLook = (() => {
  try {
    return Boolean(execFileSync('sqlite3', ['-version']));
  } catch {
    return false; // then that part is left out
  }
})();
// The finished units of the one count there is: [{ unit, nodes }].
const units = (file) =>
  facts(file, 'SELECT key, CAST(value AS TEXT) AS value FROM unit').map(({ key, value }) => ({
    unit: Number(key.split('#')[1]),
    nodes: Number(value.split(' ')[1]),
  }));

test(`a job of n = ${n} outlives ${kills} kills`, { timeout: (longer ? 3600 : 600) * 1000 }, async (t) => {
  const file = path.join(temporaryFolder(), 'store.db');
  const lives = [];
  let [server, id, promised] = [null, null, 0];
  for (let life = 0; life <= kills; life++) {
    const stored = life && canLook ? units(file) : null;
    server = await start(t, '--store', `sqlite:${file}`, '--threads', 2); // with more it would be over too soon
    if (life === 0) ({ id } = await server.begin({ n }));
    else if (isDone(await server.getJson(`/jobs/${id}`)) && !(await server.metric('nq_jobs_resumed_total'))) break; // even so
    else assert.equal(await server.metric('nq_jobs_resumed_total'), 1, `life ${life}`);
    assert.equal((await server.admin('/readyz')).json.status, 'ready');

    const laidOut = await server.look(id, (job) => job.units.total > 0 || isDone(job), 'it is laid out', 120);
    const { restored, total } = laidOut.units;
    assert.equal(laidOut.shares, 1);
    assert.ok(restored >= promised, `life ${life}: ${restored} units, of ${promised} that were stored`);
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
    await sleep(Math.random() * (longer ? 3 : 0.2));
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
    const alone = await start(t);
    const whole = await alone.look((await alone.begin({ n })).id, isDone, 'it is counted in one go', longer ? 1800 : 300);
    assert.equal(done.nodes + last.stored.reduce((sum, { nodes }) => sum + nodes, 0), whole.nodes);
    assert.equal(whole.units.total, last.total);
    await alone.stop();
  }

  // And once more, when there is only the result: it is there, and nothing is left over.
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
  await server.crash();
  if (canLook) assert.deepEqual(units(file), []);
  const after = await start(t, '--store', `sqlite:${file}`);
  assert.deepEqual(await after.getJson(`/jobs/${id}`), done);
  assert.equal(await after.metric('nq_jobs_resumed_total'), 0);
  const count = await after.get(`/count?n=${n}&method=compute`, { prefer: 'wait=100' });
  assert.deepEqual(count.json, done.result);
});

test('a job that was told of is there after a kill, however soon that comes', async (t) => {
  const file = path.join(temporaryFolder(), 'store.db');
  const ids = new Map();
  for (let life = 0; life < (longer ? 18 : slow ? 3 : 5); life++) {
    const server = await start(t, '--store', `sqlite:${file}`, '--max-jobs', 1000);
    for (const [id, exclude] of ids) {
      const job = await server.getJson(`/jobs/${id}`);
      assert.ok(job.query.includes(`exclude=${exclude}`), job.query);
    }
    // Several at once; what a reply came for before the end must be there, what none came for may be.
    const before = ids.size;
    const asked = Array.from({ length: 4 }, async (_, i) => {
      const exclude = `${life + 1}:${i + 1}`;
      const { id } = await server.begin({ n: 18, exclude }).catch(() => ({}));
      if (id) ids.set(id, exclude);
    });
    await until(() => ids.size > before, 'one is told of', 60);
    await server.crash();
    await Promise.all(asked);
  }
  const server = await start(t, '--store', `sqlite:${file}`, '--max-jobs', 1000);
  for (const id of ids.keys()) {
    assert.ok(['queued', 'running', 'done'].includes((await server.getJson(`/jobs/${id}`)).state));
    assert.ok(['cancelled', 'done'].includes((await server.delete(`/jobs/${id}`)).json.state));
  }
});

test('what was given up stays so, however soon the process is killed', async (t) => {
  const file = path.join(temporaryFolder(), 'store.db');
  for (let i = 0; i < 5; i++) {
    const server = await start(t, '--store', `sqlite:${file}`);
    const { self } = await server.begin({ n: 20 + (i % 2), place: `1:${i + 1}` });
    assert.equal((await server.delete(self)).json.state, 'cancelled');
    await server.crash();
    const next = await start(t, '--store', `sqlite:${file}`);
    assert.equal((await next.getJson(self)).state, 'cancelled');
    assert.equal(await next.metric('nq_jobs_resumed_total'), 0);
    await next.crash();
  }
});
