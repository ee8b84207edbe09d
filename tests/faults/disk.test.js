// disk.test.js - the disk is full, may only be read, fails, hangs, or what is on it is damaged: requests are answered all the same,
// nothing wrong is told, and what was acknowledged is there again as soon as the disk is.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertNoSanitizer, binary, long, longer, longPath, patience, sleep, slow, start, startWithin, tables, temporaryFolder, until, within } from '../http/harness.js';
import { generator } from '../hostile/random.js';
import { filled, isDone, newFile, on, state } from '../http/storing.js';
import { Faults, disk, errors, limit } from './faults.js';

const { terms } = tables().all;
const seed = Number(process.env.NQ_SEED ?? (longer ? Date.now() % 2 ** 31 : 1)); // of what is damaged
const random = generator(seed);
const quick = ['--threads', 2, '--kernel', 'auto']; // where several units of a long job are waited for
const stored = (server) => until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
const told = (server) => server.logs.filter(({ event }) => event === 'store');
const finished = async (server, query) => server.look((await server.begin(query)).id, isDone);
const isSoon = (server, wanted, seconds) => until(async () => (await state(server)) === wanted, `it is ${wanted}`, seconds);

// Stops a server whose disk may not take what waits: it tries for five seconds, and then says what is lost. How many changes.
async function losses(server) {
  const before = server.logs.length;
  server.process.kill('SIGTERM');
  const status = await within(server.exit, 'exit', 20);
  process.removeListener('exit', server.kill);
  server.stopped = -1;
  assertNoSanitizer(server.stderr);
  const [last, ...more] = server.logs.slice(before).filter(({ event }) => event === 'stopped');
  assert.deepEqual(more, []);
  const [, ...lost] = last?.text?.match(/within five seconds[.] Lost: (\d+) changes of jobs, (\d+) of counted units and (\d+) of results: ./) ?? [];
  const sum = lost.map(Number).reduce((sum, count) => sum + count, 0);
  assert.equal(status, sum > 0 ? 1 : 0, server.stderr.slice(-2000));
  return sum;
}

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

test('without a store file it serves from memory and reports this', async (t) => {
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
    for (let i = 0; i < 5; i++) await begin(); // everything goes on, jobs are told of, and that they are not stored
    assert.equal((await server.getJson(`/jobs/${ids.at(-1)}`)).stored, false);
    await isSoon(server, 'degraded');
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
    await isSoon(server, 'ready', 60);
    await stored(server);
    for (const id of ids) assert.ok((await server.getJson(`/jobs/${id}`)).stored);
    await until(() => told(server).length === 2 * times, 'it says that too');
    assert.equal(await server.metric('nq_store_lost_total'), 0);
  }
  await server.crash();
  const next = await start(t, ...on(file));
  for (const id of ids) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done', id);
});

test('SIGTERM with a full disk (a real one): it tries for five seconds, then reports what is lost; what is stored is in the file itself', async (t) => {
  const folder = disk(t, 1 << 20);
  if (!folder) return t.skip('mounting is not ours to do');
  const [file, ballast] = [path.join(folder, 'store.db'), path.join(folder, 'ballast')];
  copyFileSync((await filled(t)).file, file);
  const server = await start(t, ...on(file), '--drain-seconds', 0);
  const jobs = [];
  const begin = async (column) => jobs.push(await finished(server, { n: 10, exclude: `1:${column}` }));
  for (let column = 1; column <= 3; column++) await begin(column);
  assert.ok(jobs.every(({ stored }) => stored));
  await stored(server);
  assert.throws(() => writeFileSync(ballast, Buffer.alloc(2 << 20)), { code: 'ENOSPC' });
  for (let column = 4; column <= 10; column++) await begin(column);
  await server.begin({ n: 19 });
  const client = (await server.connect()).ask('GET', longPath, { Prefer: 'wait=100' });
  await isSoon(server, 'degraded');
  assert.match(told(server)[0].text, /full|disk/);
  const [waits, began] = [await server.metric('nq_store_waiting'), Date.now()];
  const lost = await losses(server);
  const seconds = (Date.now() - began) / 1000;
  assert.ok(waits > 0 && lost >= waits, `${lost} of ${waits}`);
  assert.ok(seconds > 4 && seconds < 10 * patience, `${seconds} s`);
  client.drop();
  assert.ok(!existsSync(`${file}-wal`), 'the log was not written back');
  rmSync(ballast);
  const next = await start(t, ...on(file)); // what was stored before is there
  assert.equal(await state(next), 'ready');
  for (const { id, stored } of jobs) assert.equal((await next.get(`/jobs/${id}`)).status, stored ? 200 : 404);
  await next.stop();
});

test('SIGTERM while writing fails for less than five seconds: nothing is lost', async (t) => {
  const [file, faults] = [newFile(), new Faults('store.db')];
  const server = await faults.start(t, ...on(file), '--drain-seconds', 0);
  faults.set({ disk_error: errors.EIO });
  const done = await finished(server, { n: 10 });
  const running = await server.begin(long);
  await isSoon(server, 'degraded');
  const stop = server.stop();
  await until(() => server.logs.some(({ event }) => event === 'stopping'), 'it is told to stop');
  await sleep(0.5); // its last tries come every quarter of a second
  faults.set({ disk_error: 0 });
  await stop; // with 0
  const next = await start(t, ...on(file));
  assert.equal((await next.getJson(`/jobs/${done.id}`)).state, 'done');
  assert.equal(await next.metric('nq_jobs_resumed_total'), 1);
  assert.ok(['queued', 'running'].includes((await next.getJson(`/jobs/${running.id}`)).state));
});

test('the file is removed', async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file));
  const { id } = await finished(server, { n: 9 });
  rmSync(path.dirname(file), { recursive: true });
  assert.equal((await finished(server, { n: 10 })).result.count, 724);
  assert.equal((await server.getJson(`/jobs/${id}`)).result.count, 352);
  assert.ok(['ready', 'degraded'].includes(await state(server)));
});

test('a full disk from the start', async (t) => {
  const server = await startWithin(t, ['prlimit', '--fsize=4096'], ...on(newFile()));
  await isDegraded(server);
});

// ---- By an error of the disk, while it is at work ----

test('writing fails: a job continues, a new one is accepted, and all is stored once writing works', async (t) => {
  const [file, faults] = [newFile(), new Faults('store.db')];
  const server = await faults.start(t, ...quick, ...on(file));
  const early = await finished(server, { n: 9 });
  const running = await server.begin(long);
  await server.look(running.id, ({ units }) => units.done > 0, 'a unit is done');
  faults.set({ disk_error: errors.EIO });
  const late = await server.begin({ n: 12 });
  const { events } = await server.listenTo(late.events);
  let end;
  for await (const each of events) end = each; // of a disk that fails nobody waits to be told
  assert.equal(end.event, 'done');
  const done = await server.look(late.id, isDone);
  assert.deepEqual(end.data, done);
  assert.deepEqual([done.result.count, done.stored], [terms[12], false]);
  await isSoon(server, 'degraded');
  assert.equal(await server.metric('nq_store_broken'), 1);
  await until(() => told(server).length === 1, 'it says so, once');
  assert.ok(told(server)[0].text.includes(file), told(server)[0].text);
  const before = await server.getJson(`/jobs/${running.id}`);
  const seen = await server.look(running.id, ({ units }) => units.done > before.units.done + 2, 'it goes on', 60);
  assert.ok((await server.metric('nq_store_waiting')) > 0);
  assert.equal((await server.getJson('/count?n=11')).count, terms[11]);

  faults.set({ disk_error: 0 });
  await isSoon(server, 'ready');
  await until(() => told(server).length === 2, 'it says that too');
  const after = await finished(server, { n: 13 });
  await server.look(after.id, ({ stored }) => stored); // and what came before it, for the journal is written in order
  await server.crash();

  const next = await start(t, ...quick, ...on(file));
  assert.equal(await state(next), 'ready');
  assert.equal((await next.getJson(`/jobs/${early.id}`)).result.count, terms[9]);
  assert.deepEqual(await next.getJson(`/jobs/${late.id}`), { ...done, stored: true });
  assert.equal((await next.getJson(`/jobs/${after.id}`)).result.count, terms[13]);
  const resumed = await next.look(running.id, ({ units }) => units.total > 0, 'it is laid out again');
  assert.ok(resumed.units.restored >= seen.units.done, `${resumed.units.restored} of ${seen.units.done}`);
});

test('a disk that can only be read from the start', async (t) => {
  const { file, job } = await filled(t);
  const faults = new Faults('store.db');
  faults.set({ disk_error: errors.EROFS });
  const server = await faults.start(t, ...on(file));
  assert.equal((await server.getJson('/count?n=8')).count, terms[8]);
  assert.equal((await finished(server, { n: 11 })).result.count, terms[11]);
  await isSoon(server, 'degraded');
  assert.ok(told(server).length > 0);
  await server.crash();
  const next = await start(t, ...on(file)); // and the file is as it was
  assert.deepEqual(await next.getJson(`/jobs/${job.id}`), job);
  await next.stop();
});

test('a read-only disk (a real one)', async (t) => {
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

test('a disk that hangs: no request waits for it, and everything it finally accepts is there', async (t) => {
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
  assert.ok(Date.now() - began < 20000 * patience, `${Date.now() - began} ms`);
  await isSoon(server, 'degraded');
  faults.set({ disk_hangs: 0 });
  await isSoon(server, 'ready');
  await stored(server);
  await server.crash();
  const next = await start(t, ...on(file));
  for (const { id } of jobs) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done');
});

test('SIGTERM while the disk hangs: it exits in time and reports what is lost', async (t) => {
  const [file, faults] = [newFile(), new Faults('store.db')];
  const server = await faults.start({ after() {} }, ...on(file), '--drain-seconds', 1);
  const kept = await finished(server, { n: 9 });
  await stored(server);
  faults.set({ disk_hangs: 1 });
  await server.begin({ n: 10 });
  const client = (await server.connect()).ask('GET', longPath);
  await until(async () => (await server.metric('nq_searches_running')) > 0, 'it searches');
  const began = Date.now();
  const stop = losses(server);
  (await client.reply()).isProblem(503);
  assert.ok((await stop) > 0); // not all was kept
  assert.ok(Date.now() - began < 10000 * patience, `${Date.now() - began} ms`); // 1 to drain, 5 for the store
  faults.set({ disk_hangs: 0 });
  const next = await start(t, ...on(file));
  assert.equal((await next.getJson(`/jobs/${kept.id}`)).result.count, terms[9]);
});

// Whether a process has a handler for SIGTERM, the 15th signal: it is set before the store is opened.
const caught = (pid) => (BigInt(`0x${readFileSync(`/proc/${pid}/status`, 'utf8').match(/^SigCgt:\s*(\w+)/m)[1]}`) >> 14n) & 1n;

test('SIGTERM while the disk hangs from the start', async () => {
  const faults = new Faults('store.db');
  faults.set({ disk_hangs: 1 });
  const [command, ...words] = faults.wrapper;
  const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  const server = spawn(command, [...words, binary, 'serve', ...ports, ...on(newFile())], { stdio: 'ignore' });
  const exit = new Promise((resolve) => server.once('exit', (code, signal) => resolve(code ?? signal)));
  await until(() => caught(server.pid), 'it knows how to end');
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
  for (let n = 8; n < 14; n++) jobs.push(await finished(server, { n }));
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
    assert.match(error.message, /exited with 1: (\{.*\}\n)*\{[^\n]*"event":"fatal","text":"--store: [^\n]*store\.db[^\n]*\n$/, what);
    return 'refused';
  }
  for (const job of jobs) {
    const reply = await server.get(job.self);
    if (reply.status === 503) { // its page cannot be read: whether there was such a job is not known
      assert.match(reply.json.type, /:store-unread$/, what);
      await isSoon(server, 'degraded');
      assert.equal(await server.metric('nq_store_broken'), 1, what);
    }
    if ([404, 503].includes(reply.status)) continue;
    assert.equal(reply.status, 200, what);
    const { result } = await server.look(job.id, isDone, what); // where its end is forgotten it is counted again
    assert.deepEqual(result, job.result, what);
  }
  const n = 8 + random.below(6);
  const again = await server.begin({ n });
  assert.equal((await server.look(again.id, isDone, what)).result.count, terms[n], what);
  const seen = await state(server);
  assert.ok(['ready', 'degraded'].includes(seen), what);
  const lost = await losses(server);
  rmSync(copy, { recursive: true });
  if (lost === 0) return seen;
  assert.match(told(server).at(-1).text, /malformed|corrupt|I\/O/, what); // some pages are looked at only when they are written to
  return 'lossy';
}

test('the first page of the store is damaged: it serves from memory, reports this, and keeps the file under another name', async (t) => {
  const { file, job } = await filled(t);
  const whole = readFileSync(file);
  const fillers = [randomBytes(4096), Buffer.alloc(4096, 0xff), Buffer.alloc(4096), Buffer.from('SQLite format 4')];
  for (const [i, filler] of fillers.entries()) {
    const damaged = Buffer.from(whole);
    filler.copy(damaged);
    writeFileSync(file, damaged);
    const server = await start(t, ...on(file));
    await isDegraded(server, /first page of this store was damaged; it is kept as .*store[.]db[.]damaged-[0-9]/);
    assert.equal((await server.get(`/jobs/${job.id}`)).status, 404); // what the file had is gone for this process
    await server.stop();
    assert.ok(readFileSync(`${file}.damaged-${i + 1}`).equals(damaged), 'as it was');
    assert.equal(readdirSync(path.dirname(file)).length, i + 1);
  }
  for (const size of [2, 15, 16]) { // what a disk that was full, or a copy that broke off, leaves
    writeFileSync(file, whole.subarray(0, size));
    const server = await start(t, ...on(file));
    await isDegraded(server, /first page of this store was damaged; it is kept as .*store[.]db[.]damaged-[0-9]/);
    await server.stop();
  }
  // As docs/operations.md says: the next start begins a new store; mended, the old one is as before.
  const fresh = await start(t, ...on(file));
  assert.equal(await state(fresh), 'ready');
  await fresh.stop();
  writeFileSync(file, whole);
  const mended = await start(t, ...on(file));
  assert.deepEqual([await state(mended), await mended.getJson(`/jobs/${job.id}`)], ['ready', job]);
  await mended.stop();
});

test('damage of every kind: it does not start, or serves and returns nothing wrong', async (t) => {
  t.diagnostic(`NQ_SEED=${seed}`);
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
  const filled = (filler) => (file) => edit(file, (data) => data.fill(filler, 0, 4096));
  for (const filler of [0, 0x5a]) assert.notEqual(await attempt(`page 0 is all ${filler}`, filled(filler)), 'refused');
  await attempt('a folder', (file) => (rmSync(file), mkdirSync(file)));
  await attempt('a folder for a log', (file) => (rmSync(log(file)), mkdirSync(log(file))));
  await attempt('no log', (file) => rmSync(log(file)));
  await attempt('no file', (file) => rmSync(file));
  assert.equal(await attempt('another database', (file) => {
    rmSync(file), rmSync(log(file));
    execFileSync('sqlite3', [file, 'CREATE TABLE t (x)']);
  }), 'refused');
  const some = (end, most) => Array.from({ length: longer ? 4 * most : slow ? most / 4 : most }, () => random.below(end));
  for (const at of [0, 1, 15, 16, 18, 20, 24, 28, 40, 44, 56, 60, 68, 92, 96, 99, 100, 103, 105].filter((_, i) => longer || i % 6 === 0))
    await attempt(`byte ${at} of the header`, (file) => edit(file, (data) => data.fill(~data[at], at, at + 1)));
  const apart = longer ? 1 : slow ? 4 : 2;
  const first = random.below(apart);
  const spoil = (page, filler) =>
    attempt(`page ${page} is all ${filler}`, (file) => edit(file, (data) => data.fill(filler, 4096 * page, 4096 * (page + 1))));
  for (let page = first; page < size / 4096; page += apart) for (const filler of longer ? [0, 0xff, 0x5a] : [0x5a]) await spoil(page, filler);
  for (const at of some(size, 3)) await attempt(`cut at ${at}`, (file) => truncateSync(file, at));
  for (const at of [32, logSize >> 1, ...some(logSize, 2)]) await attempt(`log cut at ${at}`, (file) => truncateSync(log(file), at));
  for (const at of some(logSize, 4)) await attempt(`bit ${at} of the log`, (file) => edit(log(file), (data) => data.fill(data[at] ^ 1, at, at + 1)));

  // The log written back, so that all is in the file, and single bits of that.
  const copy = path.join(store.folder, 'store.db');
  const tidy = await start(t, ...quick, ...on(copy), '--drain-seconds', 0);
  await tidy.stop();
  const whole = readFileSync(copy).length;
  for (const at of some(whole, 4)) await attempt(`bit ${at} of the file`, (file) => edit(file, (data) => data.fill(data[at] ^ 4, at, at + 1)));
  for (let at = 4096 * (1 + random.below(apart)); at < whole; at += 4096 * apart)
    await attempt(`the kind of page ${at / 4096}`, (file) => edit(file, (data) => data.fill(data[at] ^ 4, at, at + 1)));
  // Which page is only looked at when it is written to depends on what was stored in which order: perhaps one of those left out.
  for (let page = 0; page < size / 4096 && !seen.lossy && !slow; page++) if (page % apart !== first) await spoil(page, 0x5a);
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.ready > 0 && seen.degraded > 0 && (slow || seen.lossy > 0));
});

test('another program overwrites the file of a running process', async (t) => {
  for (const filler of [0, 0xa5]) {
    const { file, job } = await filled(t);
    const server = await start(t, ...on(file));
    const size = readFileSync(file).length;
    for (const name of readdirSync(path.dirname(file)))
      writeFileSync(path.join(path.dirname(file), name), Buffer.alloc(Math.max(size, 65536), filler), { flag: 'r+' });
    for (let n = 8; n < 14; n++) {
      assert.equal((await finished(server, { n })).result.count, terms[n]);
    }
    assert.deepEqual((await server.getJson(`/jobs/${job.id}`)).result, job.result);
    for (let n = 14; n < 16; n++) assert.equal((await server.getJson(`/count?n=${n}&method=compute`)).count, terms[n]);
    const seen = await state(server);
    t.diagnostic(`${filler}: ${seen}`);
    await server.stop();
    const next = await start({ after() {} }, ...on(file)).catch((error) => error.message);
    if (typeof next === 'string') {
      assert.match(next, /"event":"fatal","text":"--store: /);
      continue;
    }
    assert.equal((await next.getJson('/count?n=15&method=compute')).count, terms[15]);
    await next.stop();
  }
});
