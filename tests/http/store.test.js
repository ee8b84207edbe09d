// store.test.js - what outlives the process: results, finished units and jobs in a file. What happens when that file cannot be had,
// read or written is in tests/faults/disk.test.js.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert, brisk, long, longPath, patience, refuse, slow, start, startAsTold, startWithin, tables, temporaryFolder, test, until } from './harness.js';
import { filled, isDone, newFile, on, state } from './storing.js';

const { terms } = tables().all;

// ---- What is reported of jobs ----

test('small jobs, some of which end before they are reported, are all stored', async (t) => {
  const server = await start(t, ...on(newFile()));
  const questions = [];
  for (const n of [9, 10, 11])
    for (let i = 0; i < 64; i++) questions.push({ n, method: 'compute', exclude: `1:${1 + (i % 8)},2:${1 + (i >> 3)}` });
  const lost = [];
  const ask = async () => {
    for (let question; (question = questions.pop());) {
      const job = await server.begin(question);
      if (!job.stored) lost.push(job);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  assert.deepEqual(lost, []);
});

// ---- From process to process ----

test('the next process does not count again what is stored', async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file));
  assert.equal(await state(first), 'ready');
  const { id } = await first.begin({ n: 16 });
  const job = await first.look(id, isDone, 'n = 16 is counted', 120);
  assert.ok(job.nodes > 0 && job.units.total > 0);
  await first.stop();

  const second = await start(t, ...on(file));
  assert.equal(await state(second), 'ready');
  assert.deepEqual(await second.getJson(`/jobs/${id}`), job); // the job itself
  assert.deepEqual(await second.begin({ n: 16 }, 200), job);
  assert.equal(await second.metric('nq_jobs_resumed_total'), 0);
  const async = await second.get('/count?n=16&method=compute', { prefer: 'respond-async' });
  const count = await second.get('/count?n=16&method=compute');
  assert.deepEqual(count.json, job.result);
  assert.deepEqual([async.status, async.text, async.headers.etag], [200, count.text, count.headers.etag]);
  assert.match(count.headers.etag, /./);
  const mirror = await second.begin({ n: 16, distinct: 'mirror' }); // another question, from the same number
  const half = await second.look(mirror.id, isDone);
  assert.deepEqual([half.result.count, half.nodes, half.units], [terms[16] / 2, 0, { done: 0, total: 0, restored: 0 }]);
  await second.stop();

  const third = await start(t, ...on(file), '--threads', 1, '--kernel', 'auto'); // whoever counts: it is the same
  assert.equal((await third.getJson('/count?n=16&distinct=mirror&method=compute')).count, terms[16] / 2);
  assert.equal((await third.getJson(`/jobs/${id}`)).shares, 1);
});

test('a stop during a job keeps every finished unit, and the next process continues', async (t) => {
  const file = newFile();
  const proxied = ['--trusted-proxies', '127.0.0.1'], others = [1, 2].map((i) => ({ 'x-forwarded-for': `192.0.2.${i}` }));
  const first = await start(t, ...brisk, ...on(file), '--drain-seconds', 0, ...proxied);
  const { id, self } = await first.begin(long);
  await first.begin(long, 202, others[0]);
  const seen = await first.look(id, ({ units }) => units.done >= 5, 'some units are done');
  const seconds = await first.stop();
  assert.ok(seconds < 10 * patience, `${seconds} s`);

  const second = await start(t, ...brisk, ...on(file), ...proxied);
  assert.equal(await second.metric('nq_jobs_resumed_total'), 1);
  const job = await second.look(id, ({ units }) => units.total > 0, 'it is laid out again');
  assert.deepEqual([job.state, job.shares, job.created], ['running', 2, seen.created]);
  assert.ok(job.units.restored >= seen.units.done, `${job.units.restored} of ${seen.units.done}`);
  assert.ok(job.progress >= seen.progress);
  const more = await second.look(id, ({ units }) => units.done > job.units.restored, 'it goes on');
  assert.equal(more.units.restored, job.units.restored);
  assert.equal((await second.begin(long, 202, others[1])).shares, 3);
  for (const [i, client] of [{}, ...others].entries()) assert.equal((await second.delete(self, client)).json.shares, 2 - i);
  await until(async () => (await second.metric('nq_searches_running')) === 0, 'the search is stopped');
  const given = await second.getJson(self);
  assert.ok(given.units.done >= more.units.done && given.units.done < given.units.total, JSON.stringify(given));
  assert.ok(given.progress >= more.progress && given.progress < 1 && given.nodes >= more.nodes, JSON.stringify(given));
  await second.stop();

  const third = await start(t, ...brisk, ...on(file)); // what was given up is not taken up
  assert.deepEqual(await third.getJson(self), given);
  assert.equal(await third.metric('nq_jobs_resumed_total'), 0);
  assert.equal(await third.metric('nq_searches_started_total'), 0);
  const again = await third.begin(long); // but what was counted of it is still good
  const restored = await third.look(id, ({ units }) => units.total > 0);
  assert.ok(restored.units.restored >= more.units.done, `${restored.units.restored} of ${more.units.done}`);
  assert.equal(again.id, id);
});

test('a count without a job stores its units, too', async (t) => {
  const file = newFile();
  const first = await start(t, ...brisk, ...on(file));
  const client = (await first.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await until(async () => (await first.metric('nq_store_written_total')) >= 3, 'some units are stored');
  client.drop();
  await first.stop();
  const second = await start(t, ...brisk, ...on(file));
  const { id } = await second.begin(long);
  const job = await second.look(id, ({ units }) => units.total > 0);
  assert.ok(job.units.restored >= 3);
});

const semiqueens = (n) => ({ n, rules: 'toroidal-semiqueens', method: 'compute' });
const rows = (file, statement) => execFileSync('sqlite3', [file, statement], { encoding: 'utf8' }).trim().split('\n');

test('a unit that comes to a number of 128 bits is stored (plain)', { skip: slow && 'half a second of AVX-512 is nine seconds there' }, async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file), '--threads', 1, '--kernel', 'auto', '--drain-seconds', 0);
  const { id } = await server.begin(semiqueens(25));
  await server.look(id, ({ units }) => units.done >= 1, 'a unit is done', 120);
  await server.stop();
  const facts = rows(file, "SELECT CAST(value AS TEXT) FROM unit WHERE key LIKE '%correlations.1 n=25 rules=toroidal-semiqueens #%'");
  assert.ok(facts.includes('337683754713896883733932686468732745831 268977612'), `${facts}`);
});

test('units of numbers of 128 bits are taken up, and stored units that come to no count fail the job with a code', async (t) => {
  const file = newFile();
  const first = await start(t, ...brisk, ...on(file), '--drain-seconds', 0);
  const { id, self } = await first.begin(long);
  await first.look(id, ({ units }) => units.done >= 1, 'a unit is done');
  await first.delete(self); // its units stay
  await first.stop();
  const build = "substr(key, 1, instr(key, 'search') - 1)"; // of a build that is no release, before its keys
  for (const [n, fact] of [[25, '337683754713896883733932686468732745831 268977612'], [19, '12345 1']])
    rows(file, `INSERT INTO unit (key, value) SELECT ${build} || 'correlations.1 n=${n} rules=toroidal-semiqueens #0', CAST('${fact}' AS BLOB) FROM unit WHERE key LIKE '%search%' LIMIT 1`);

  const second = await start(t, ...brisk, ...on(file));
  const wide = await second.begin(semiqueens(25));
  const job = await second.look(wide.id, ({ units: { total } }) => total > 0, 'it is laid out', 120);
  assert.equal(job.units.restored, 1);
  await second.delete(job.self);
  const forged = await second.begin(semiqueens(19));
  const failed = await second.look(forged.id, ({ state: at }) => at === 'failed', 'it fails');
  assert.deepEqual([failed.failure.code, failed.units.restored], ['impossible-sum', 1]);
  const again = await second.begin(semiqueens(19));
  assert.equal((await second.look(again.id, isDone)).result.count, 87656896891);
});

test('any number of jobs is resumed', async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file), '--threads', 1, '--queue', 100);
  const jobs = [];
  for (let column = 1; column <= 12; column++) jobs.push(await first.begin({ n: 19, exclude: `1:${column}` }));
  await first.crash();
  const second = await start(t, ...on(file), '--threads', 1, '--queue', 2);
  for (const { self } of jobs) {
    const { state, why } = await second.getJson(self);
    assert.ok(['queued', 'running'].includes(state), `${state}: ${why}`);
  }
  for (const { self } of jobs) assert.equal((await second.delete(self)).json.state, 'cancelled');
  await until(async () => (await second.metric('nq_searches_running')) === 0, 'all are stopped');
});

test('a store written with one kernel serves another', async (t) => {
  const file = newFile();
  const n = slow ? 16 : 17; // neither is over at once
  const first = await start(t, ...on(file), '--threads', 1);
  const { id } = await first.begin({ n });
  await first.look(id, ({ units }) => units.done >= 3, 'some units are done', 60);
  await first.stop();
  const second = await start(t, ...on(file), '--kernel', 'auto');
  const job = await second.look(id, isDone, 'it is done', 120);
  assert.equal(job.result.count, terms[n]);
});

test('--store memory keeps nothing', async (t) => {
  const first = await start(t, '--store', 'memory');
  const { self, id } = await first.begin({ n: 8 });
  await first.look(id, isDone);
  await first.stop();
  (await (await start(t, '--store', 'memory')).get(self)).isProblem(404);
});

test('the default file belongs to the user and is where the system keeps such files', async (t) => {
  const folder = path.join(process.env.XDG_STATE_HOME, 'nqueensd');
  const server = await start(t, '--store', 'auto');
  const file = path.join(folder, 'nqueensd.db');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const [code, text] = await refuse('--store', 'auto');
  assert.notEqual(code, 0);
  assert.ok(text.includes(file), text);
  const { id } = await server.begin({ n: 8 });
  await server.look(id, isDone);
  await server.stop();
  const again = await start(t, '--store', `sqlite:${file}`);
  assert.equal((await again.getJson(`/jobs/${id}`)).result.count, 92);
  await again.stop();

  const homeless = await startWithin(t, ['env', '-u', 'HOME', '-u', 'XDG_STATE_HOME'], '--store', 'auto');
  assert.equal(await state(homeless), 'ready');
  assert.ok(homeless.logs.some(({ event }) => event === 'store'));
  const elsewhere = temporaryFolder();
  await startWithin(t, ['env', '-u', 'XDG_STATE_HOME', `HOME=${elsewhere}`], '--store', 'auto');
  assert.ok(existsSync(path.join(elsewhere, '.local/state/nqueensd/nqueensd.db')));
  const relative = await startWithin(t, ['env', `HOME=${temporaryFolder()}`, 'XDG_STATE_HOME=state'], '--store', 'auto');
  assert.equal(await state(relative), 'ready');
  const named = newFile();
  await startAsTold(t, { NQ_STORE: `sqlite:${named}` });
  assert.ok(existsSync(named), 'the environment says where, as well');
});

// ---- Who must not have it ----

test('a second process on the same file does not start, and the first does not notice', async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file));
  const { id } = await first.begin({ n: 9 });
  for (let i = 0; i < 3; i++) {
    const [code, text] = await refuse(...on(file));
    assert.equal(code, 1, text);
    assert.match(text, /another process/);
    assert.ok(text.includes(file), text);
    assert.doesNotMatch(text, /"event":"listening"/);
  }
  assert.equal((await first.look(id, isDone)).result.count, 352);
  assert.equal(await state(first), 'ready');
  const { id: next } = await first.begin({ n: 10 });
  await first.look(next, isDone);
  await first.crash();
  const heir = await start(t, ...on(file)); // a crash leaves no lock behind
  assert.equal((await heir.getJson(`/jobs/${id}`)).result.count, 352);
  assert.ok((await heir.getJson(`/jobs/${next}`)).result.count, 724);
});

test('files of other programs are rejected and not changed', async (t) => {
  const { file: ours } = await filled(t);
  const patched = (offset, ...bytes) => {
    const copy = Buffer.from(readFileSync(ours));
    copy.set(bytes, offset);
    return copy;
  };
  for (const [what, content, words] of [
    ['a text', Buffer.from('Dear diary,\n'.repeat(1000)), /not a store|another program/],
    ['a short text', Buffer.from('Dear me'), /not a store|another program/],
    ['zeros', Buffer.alloc(8192), /not a store|another program/],
    ["another program's database", patched(68, 0, 0, 0, 1), /another program/],
    ['a database of nobody', patched(68, 0, 0, 0, 0), /another program/],
    ['one of a later release', patched(60, 0, 0, 1, 0), /newer release/],
  ]) {
    const file = newFile();
    writeFileSync(file, content);
    const [code, text] = await refuse(...on(file)).catch((error) => assert.fail(`${what}: ${error.message}`));
    assert.equal(code, 1, `${what}: ${text}`);
    assert.match(text, words, what);
    assert.ok(text.includes(file), text);
    assert.ok(readFileSync(file).equals(content), `${what} was changed`);
    assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)], what);
  }
});

// ---- Its size ----

test('the file stays within --store-bytes', async (t) => {
  const file = newFile(), small = ['--store-bytes', '1M'];
  const server = await start(t, ...on(file), ...small, '--max-jobs', 2000, '--queue', 2000);
  // Sixteen rows without squares: there is nothing to count, and much to keep.
  const all = Array.from({ length: 288 }, (_, i) => `${1 + Math.floor(i / 18)}:${1 + (i % 18)}`);
  for (let round = 1; round <= 6 && !(await server.metric('nq_store_lost_total')); round++) {
    await Promise.all(all.slice(0, 100).map((one) => server.begin({ n: 18, exclude: `${all.filter((square) => square !== one)},17:${round}` })));
    await until(async () => (await server.metric('nq_jobs_active')) === 0, 'all are over');
    await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored or given up');
  }
  assert.ok((await server.metric('nq_store_lost_total')) > 0, 'it was filled');
  assert.ok(statSync(file).size <= 1 << 20, `${statSync(file).size}`);
  const log = `${file}-wal`;
  if (existsSync(log)) assert.ok(statSync(log).size <= 4 << 20);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  await server.stop();
  await (await start(t, ...on(file), ...small)).stop();
});
