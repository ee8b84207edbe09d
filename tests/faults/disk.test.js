// disk.test.js - the disk is full, may only be read, fails, hangs, or what is on it is damaged: requests are answered all the same,
// nothing wrong is told, and what was acknowledged is there again as soon as the disk is.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { binary, long, longPath, sleep, slow, start, startWithin, tables, temporaryFolder, until, within } from '../http/harness.js';
import { filled, isDone, newFile, on, state } from '../http/storing.js';
import { Faults, disk, errors, limit } from './faults.js';

const longer = Boolean(process.env.NQ_LONG);
const { terms } = tables().all;
const quick = ['--threads', 2, '--kernel', 'auto']; // where several units of a long job are waited for
const stored = (server) => until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
const told = (server) => server.logs.filter(({ event }) => event === 'store');

// ---- What cannot be read ----

async function isDegraded(server, word = /./) {
  assert.equal(await state(server), 'degraded');
  const { status, json } = await server.admin('/readyz');
  assert.equal(status, 200);
  assert.deepEqual(json.reasons.map(({ what }) => what), ['store']);
  assert.match(json.reasons[0].detail, word);
  assert.match(json.reasons[0].detail, /restart/); // it could not be opened
  assert.equal(await server.metric('nq_store_fallback'), 1);
  const line = server.logs.find(({ event }) => event === 'store');
  assert.match(line?.text ?? '', word);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  const { id } = await server.begin({ n: 11 }); // jobs too, while the process lasts
  assert.equal((await server.look(id, isDone)).result.count, 2680);
}

test('without a file to be had it serves from memory, and says so', async (t) => {
  const folder = temporaryFolder();
  const inTheWay = path.join(folder, 'file');
  writeFileSync(inTheWay, 'x');
  const aFolder = path.join(folder, 'folder');
  mkdirSync(aFolder);
  for (const where of [path.join(inTheWay, 'store.db'), aFolder, '/proc/nqueensd/store.db', `/tmp/${'x'.repeat(300)}`]) {
    const server = await start(t, ...on(where));
    await isDegraded(server, new RegExp(where.slice(0, 200).replaceAll('.', '[.]')));
    await server.stop();
  }
  assert.equal(readFileSync(inTheWay, 'utf8'), 'x');
  assert.deepEqual(readdirSync(aFolder), []);
});

test('a damaged file does not keep it from serving', async (t) => {
  const { file } = await filled(t);
  const whole = readFileSync(file);
  const damage = {
    'pages of noise': (copy) => copy.fill(0xa5, 4096),
    'a page of noise': (copy) => copy.fill(0x5a, 4096, 8192),
    'no schema': (copy) => copy.fill(0, 100, 4096),
    'half of it': (copy) => copy.subarray(0, copy.length / 2),
  };
  for (const [what, spoil] of Object.entries(damage)) {
    const other = newFile();
    writeFileSync(other, spoil(Buffer.from(whole)));
    const server = await start(t, ...on(other)).catch((error) => assert.fail(`${what}: ${error.message}`));
    assert.equal((await server.getJson('/count?n=8')).count, 92, what);
    const { id } = await server.begin({ n: 11 });
    assert.equal((await server.look(id, isDone)).result.count, 2680, what);
    if (what === 'pages of noise') await isDegraded(server);
    await server.stop();
  }
});

test('a log without its file, and a file without its log', async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file));
  const { id } = await first.begin({ n: 9 });
  await first.look(id, isDone);
  await first.crash();
  const names = readdirSync(path.dirname(file));
  assert.ok(names.length >= 1);
  for (const name of names.filter((each) => each.endsWith('-wal'))) truncateSync(path.join(path.dirname(file), name), 100);
  const second = await start(t, ...on(file)); // what was in the log is gone, what it was about can be counted again
  const again = await second.begin({ n: 9 });
  assert.equal((await second.look(again.id, isDone)).result.count, 352);
  assert.equal(await state(second), 'ready');
});

// ---- A disk that is full ----

test('a full disk degrades it; with room again it catches up, and nothing is lost', async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file));
  const ids = [];
  const begin = async () => {
    const { id } = await server.begin({ n: 10, exclude: `${1 + Math.floor(ids.length / 10)}:${1 + (ids.length % 10)}` });
    ids.push(id);
    await server.look(id, isDone);
  };
  for (let times = 1; times <= 2; times++) {
    for (let i = 0; i < 5; i++) await begin();
    assert.equal(await state(server), 'ready');
    limit(server, 'fsize', 1024);
    for (let i = 0; i < 5; i++) await begin(); // everything goes on, jobs are told of
    await until(async () => (await state(server)) === 'degraded', 'it is degraded');
    assert.equal(await server.metric('nq_store_broken'), 1);
    assert.ok((await server.metric('nq_store_waiting')) > 0);
    await until(() => told(server).length === 2 * times - 1, 'it says so, once');
    assert.ok(told(server).at(-1).text.includes(file), told(server).at(-1).text);
    const { reasons } = (await server.admin('/readyz')).json;
    assert.deepEqual(reasons.map(({ what }) => what), ['store']);
    assert.match(reasons[0].detail, /cannot be written: .* [1-9]\d* facts wait/);
    assert.ok(reasons[0].detail.includes(file) && (await server.metric('nq_store_failures_total')) > 0, reasons[0].detail);
    for (const id of ids) assert.equal((await server.getJson(`/jobs/${id}`)).state, 'done');
    assert.equal((await server.getJson(`/count?n=${10 + times}`)).count, terms[10 + times]);

    limit(server, 'fsize', 'unlimited');
    await until(async () => (await state(server)) === 'ready', 'it works again', 60);
    await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
    await until(() => told(server).length === 2 * times, 'it says that too');
    assert.equal(await server.metric('nq_store_lost_total'), 0);
  }
  await server.crash();
  const next = await start(t, ...on(file));
  for (const id of ids) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done', id);
});

test('with a full disk it stops all the same', async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file), '--drain-seconds', 0);
  const { id } = await server.begin({ n: 9 });
  await server.look(id, isDone);
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'it is stored');
  limit(server, 'fsize', 1024);
  await server.begin({ n: 19 });
  const client = (await server.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await until(async () => (await state(server)) === 'degraded', 'it is degraded');
  const seconds = await server.stop();
  assert.ok(seconds < 10 * (slow ? 10 : 1), `${seconds} s`);
  client.drop();
  const next = await start(t, ...on(file)); // what was stored before is there
  assert.equal(await state(next), 'ready');
  assert.equal((await next.getJson(`/jobs/${id}`)).result.count, 352);
});

test('a file that is taken away', async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file));
  const { id } = await server.begin({ n: 9 });
  await server.look(id, isDone);
  rmSync(path.dirname(file), { recursive: true });
  const { id: other } = await server.begin({ n: 10 });
  assert.equal((await server.look(other, isDone)).result.count, 724);
  assert.equal((await server.getJson(`/jobs/${id}`)).result.count, 352);
  assert.ok(['ready', 'degraded'].includes(await state(server)));
});

test('no room at all from the start', async (t) => {
  const server = await startWithin(t, ['prlimit', '--fsize=4096'], ...on(newFile()));
  await isDegraded(server);
});

// ---- By an error of the disk, while it is at work ----

for (const error of ['ENOSPC', 'EIO', 'EROFS'])
  test(`writing fails, ${error}: a job goes on, a new one is told of, and all of it is kept once writing works`, async (t) => {
    const [file, faults] = [newFile(), new Faults('store.db')];
    const server = await faults.start(t, ...quick, ...on(file));
    const early = await server.begin({ n: 9 });
    await server.look(early.id, isDone);
    const running = await server.begin(long);
    await server.look(running.id, ({ units }) => units.done > 0, 'a unit is done');
    faults.set({ disk_error: errors[error] });
    const late = await server.begin({ n: 12 });
    const done = await server.look(late.id, isDone);
    assert.equal(done.result.count, terms[12]);
    await until(async () => (await state(server)) === 'degraded', 'it is degraded');
    assert.equal(await server.metric('nq_store_broken'), 1);
    await until(() => told(server).length === 1, 'it says so, once');
    assert.ok(told(server)[0].text.includes(file), told(server)[0].text);
    const before = await server.getJson(`/jobs/${running.id}`);
    const seen = await server.look(running.id, ({ units }) => units.done > before.units.done + 2, 'it goes on', 60);
    assert.ok((await server.metric('nq_store_waiting')) > 0);
    assert.equal((await server.getJson('/count?n=11')).count, terms[11]);

    faults.set({ disk_error: 0 });
    await until(async () => (await state(server)) === 'ready', 'it works again');
    await until(() => told(server).length === 2, 'it says that too');
    const after = await server.begin({ n: 13 });
    await server.look(after.id, isDone);
    // The long job goes on: what it has done by now is stored a moment later.
    const written = await server.metric('nq_store_written_total');
    await until(async () => (await server.metric('nq_store_written_total')) > written || (await server.metric('nq_store_waiting')) === 0, 'it is stored');
    await server.crash();

    const next = await start(t, ...quick, ...on(file));
    assert.equal(await state(next), 'ready');
    assert.equal((await next.getJson(`/jobs/${early.id}`)).result.count, terms[9]);
    assert.deepEqual(await next.getJson(`/jobs/${late.id}`), done);
    assert.equal((await next.getJson(`/jobs/${after.id}`)).result.count, terms[13]);
    const resumed = await next.look(running.id, ({ units }) => units.total > 0, 'it is laid out again');
    assert.ok(resumed.units.restored >= seen.units.done, `${resumed.units.restored} of ${seen.units.done}`);
  });

for (const error of ['ENOSPC', 'EIO', 'EROFS'])
  test(`writing fails from the start, ${error}`, async (t) => {
    const { file, job } = await filled(t);
    const faults = new Faults('store.db');
    faults.set({ disk_error: errors[error] });
    const server = await faults.start(t, ...on(file));
    assert.equal((await server.getJson('/count?n=8')).count, terms[8]);
    const { id } = await server.begin({ n: 11 });
    assert.equal((await server.look(id, isDone)).result.count, terms[11]);
    await until(async () => (await state(server)) === 'degraded', 'it is degraded');
    assert.ok(told(server).length > 0);
    await server.stop();
    const next = await start(t, ...on(file)); // and the file is as it was
    assert.deepEqual(await next.getJson(`/jobs/${job.id}`), job);
    await next.stop();
  });

test('a full disk, a real one', async (t) => {
  const folder = disk(t, 512 << 10);
  if (!folder) return t.skip('mounting is not ours to do');
  const file = path.join(folder, 'store.db');
  const ballast = path.join(folder, 'ballast');
  const server = await start(t, ...on(file));
  const first = await server.begin({ n: 9 });
  await server.look(first.id, isDone);
  await stored(server);
  assert.throws(() => writeFileSync(ballast, Buffer.alloc(1 << 20)), { code: 'ENOSPC' });
  const ids = [first.id];
  for (let i = 0; i < 20; i++) {
    const { id } = await server.begin({ n: 10, exclude: `1:${1 + (i % 10)},2:${1 + Math.floor(i / 10)}` });
    await server.look(id, isDone);
    ids.push(id);
  }
  await until(async () => (await state(server)) === 'degraded', 'it is degraded');
  assert.match(told(server)[0].text, /full|disk/);
  rmSync(ballast);
  await until(async () => (await state(server)) === 'ready', 'it works again');
  await stored(server);
  await server.crash();
  const next = await start(t, ...on(file));
  for (const id of ids) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done');
  await next.stop();
});

test('a disk that may only be read, a real one', async (t) => {
  const folder = disk(t, 1 << 20);
  if (!folder) return t.skip('mounting is not ours to do');
  const file = path.join(folder, 'store.db');
  const { file: whole } = await filled(t);
  copyFileSync(whole, file);
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  for (const where of [file, path.join(folder, 'another.db')]) {
    const server = await start(t, ...on(where));
    await isDegraded(server, /read/i);
    await server.stop();
  }
  execFileSync('mount', ['-o', 'remount,rw', folder]);
  const server = await start(t, ...on(file));
  assert.equal(await state(server), 'ready');
  await server.stop();
});

// ---- A disk that hangs ----

test('a disk that hangs: nobody waits for it, and what it has taken in the end is there', async (t) => {
  const [file, faults] = [newFile(), new Faults('store.db')];
  const server = await faults.start(t, ...on(file));
  faults.set({ disk_hangs: 1 });
  const began = Date.now();
  const jobs = [];
  for (let n = 9; n < 13; n++) jobs.push(await server.begin({ n }));
  for (const { id } of jobs) await server.look(id, isDone);
  assert.equal((await server.getJson('/count?n=10')).count, terms[10]);
  assert.equal((await server.getJson('/solve?n=8')).returned, 92);
  assert.equal((await server.getJson('/count?n=15&method=compute')).count, terms[15]); // looks into the store first
  assert.ok(Date.now() - began < 20000 * (slow ? 10 : 1), `${Date.now() - began} ms`);
  await until(async () => (await state(server)) === 'degraded', 'it is degraded');
  faults.set({ disk_hangs: 0 });
  await until(async () => (await state(server)) === 'ready', 'it works again');
  await stored(server);
  await server.crash();
  const next = await start(t, ...on(file));
  for (const { id } of jobs) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done');
});

test('SIGTERM while the disk hangs: it ends in time, and says what is lost', async (t) => {
  const [file, faults] = [newFile(), new Faults('store.db')];
  const server = await faults.start({ after() {} }, ...on(file), '--drain-seconds', 1);
  const kept = await server.begin({ n: 9 });
  await server.look(kept.id, isDone);
  await stored(server);
  faults.set({ disk_hangs: 1 });
  await server.begin({ n: 10 });
  const client = (await server.connect()).ask('GET', longPath);
  await until(async () => (await server.metric('nq_searches_running')) > 0, 'it searches');
  const began = Date.now();
  server.process.kill('SIGTERM');
  (await client.reply()).isProblem(503);
  const status = await within(server.exit, 'exit', 20);
  process.removeListener('exit', server.kill);
  assert.ok(Date.now() - began < 10000 * (slow ? 10 : 1), `${Date.now() - began} ms`); // 1 to drain, 5 for the store
  assert.equal(status, 1); // not all was kept
  assert.match(server.logs.at(-1).text, /is lost/);
  faults.set({ disk_hangs: 0 });
  const next = await start(t, ...on(file));
  assert.equal((await next.getJson(`/jobs/${kept.id}`)).result.count, terms[9]);
});

test('SIGTERM while the disk hangs from the start', async () => {
  const faults = new Faults('store.db');
  faults.set({ disk_hangs: 1 });
  const [command, ...words] = faults.wrapper;
  const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  const server = spawn(command, [...words, binary, 'serve', ...ports, ...on(newFile())], { stdio: 'ignore' });
  const exit = new Promise((resolve) => server.once('exit', (code, signal) => resolve(code ?? signal)));
  await sleep(slow ? 3 : 0.5);
  server.kill('SIGTERM');
  const status = await within(exit, 'exit', 10).catch((error) => error.message);
  server.kill('SIGKILL');
  assert.equal(status, 0);
});

// ---- Damage ----

// A store with results, finished units and jobs of each state in it, file and log; and what is true of it.
async function furnished(t) {
  const file = newFile();
  const server = await start(t, ...quick, ...on(file));
  const jobs = [];
  for (let n = 8; n < 14; n++) jobs.push(await server.look((await server.begin({ n })).id, isDone));
  const running = await server.begin(long);
  await server.look(running.id, ({ units }) => units.done > 3, 'units are done');
  await stored(server);
  await server.crash(); // so that there is a log
  return { folder: path.dirname(file), jobs, running };
}

// Starts a server on a store that was damaged: it refuses it with a sentence, or serves, and nothing it tells is wrong.
async function survives(t, what, { folder, jobs }, spoil) {
  const copy = temporaryFolder();
  for (const name of readdirSync(folder)) copyFileSync(path.join(folder, name), path.join(copy, name));
  const file = path.join(copy, 'store.db');
  spoil(file);
  let server;
  try {
    server = await start({ after() {} }, ...on(file));
  } catch (error) {
    assert.match(error.message, /exited with 1: (\{.*\}\n)*nqueensd: --store: [^\n]*store\.db[^\n]*\n$/, what);
    return 'refused';
  }
  for (const job of jobs) {
    const reply = await server.get(job.self);
    if (reply.status === 404) continue;
    assert.equal(reply.status, 200, what);
    const { result } = await server.look(job.id, isDone, what); // where its end is forgotten it is counted again
    assert.deepEqual(result, job.result, what);
  }
  const n = 8 + Math.floor(Math.random() * 6);
  const again = await server.begin({ n });
  assert.equal((await server.look(again.id, isDone, what)).result.count, terms[n], what);
  const seen = await state(server);
  assert.ok(['ready', 'degraded'].includes(seen), what);
  await server.stop();
  rmSync(copy, { recursive: true });
  return seen;
}

test('damage of every kind: it refuses, or serves and tells nothing wrong', async (t) => {
  const store = await furnished(t);
  const seen = {};
  const attempt = async (what, spoil) => {
    const how = await survives(t, what, store, spoil);
    seen[how] = (seen[how] ?? 0) + 1;
    return how;
  };
  const edit = (file, change) => writeFileSync(file, change(readFileSync(file)));
  const log = (file) => `${file}-wal`;
  const size = readFileSync(path.join(store.folder, 'store.db')).length;
  const logSize = readFileSync(path.join(store.folder, 'store.db-wal')).length;

  await attempt('an empty file', (file) => edit(file, () => Buffer.alloc(0)));
  await attempt('a folder', (file) => (rmSync(file), mkdirSync(file)));
  await attempt('a folder for a log', (file) => (rmSync(log(file)), mkdirSync(log(file))));
  await attempt('no log', (file) => rmSync(log(file)));
  await attempt('no file', (file) => rmSync(file));
  assert.equal(await attempt('another database', (file) => {
    rmSync(file), rmSync(log(file));
    execFileSync('sqlite3', [file, 'CREATE TABLE t (x)']);
  }), 'refused');
  const some = (end, most) => Array.from({ length: longer ? 4 * most : slow ? most / 4 : most }, () => Math.floor(Math.random() * end));
  for (const at of [0, 1, 15, 16, 18, 20, 24, 28, 40, 44, 56, 60, 68, 92, 96, 99, 100, 103, 105].filter((_, i) => longer || i % 3 === 0))
    await attempt(`byte ${at} of the header`, (file) => edit(file, (data) => data.fill(~data[at], at, at + 1)));
  for (let page = 0; page < size / 4096; page += slow ? 4 : 1)
    for (const filler of longer ? [0, 0xff, 0x5a] : [0x5a])
      await attempt(`page ${page} is all ${filler}`, (file) => edit(file, (data) => data.fill(filler, 4096 * page, 4096 * (page + 1))));
  for (const at of some(size, 3)) await attempt(`cut at ${at}`, (file) => truncateSync(file, at));
  for (const at of [32, logSize >> 1, ...some(logSize, 3)]) await attempt(`log cut at ${at}`, (file) => truncateSync(log(file), at));
  for (const at of some(logSize, 8)) await attempt(`bit ${at} of the log`, (file) => edit(log(file), (data) => data.fill(data[at] ^ 1, at, at + 1)));

  // The log written back, so that all is in the file, and single bits of that.
  const copy = path.join(store.folder, 'store.db');
  const tidy = await start(t, ...quick, ...on(copy), '--drain-seconds', 0);
  await tidy.stop();
  const whole = readFileSync(copy).length;
  for (const at of some(whole, 16)) await attempt(`bit ${at} of the file`, (file) => edit(file, (data) => data.fill(data[at] ^ 4, at, at + 1)));
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.ready > 0 && seen.degraded > 0);
});

test('the file is overwritten under the process', async (t) => {
  for (const filler of [0, 0xa5]) {
    const { file, job } = await filled(t);
    const server = await start(t, ...on(file));
    const size = readFileSync(file).length;
    for (const name of readdirSync(path.dirname(file)))
      writeFileSync(path.join(path.dirname(file), name), Buffer.alloc(Math.max(size, 65536), filler), { flag: 'r+' });
    for (let n = 8; n < 14; n++) {
      const { id } = await server.begin({ n });
      assert.equal((await server.look(id, isDone)).result.count, terms[n]);
    }
    assert.deepEqual((await server.getJson(`/jobs/${job.id}`)).result, job.result);
    for (let n = 14; n < 16; n++) assert.equal((await server.getJson(`/count?n=${n}&method=compute`)).count, terms[n]);
    const seen = await state(server);
    t.diagnostic(`${filler}: ${seen}`);
    await server.stop();
    const next = await start({ after() {} }, ...on(file)).catch((error) => error.message);
    if (typeof next === 'string') {
      assert.match(next, /nqueensd: --store: /);
      continue;
    }
    assert.equal((await next.getJson('/count?n=15&method=compute')).count, terms[15]);
    await next.stop();
  }
});
