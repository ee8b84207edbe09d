// store.test.js - what outlives the process: results, finished units and jobs in a file; and what happens when that file cannot be
// had, read or written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brisk, long, longPath, refuse, slow, start, startWithin, tables, temporaryFolder, until } from './harness.js';

const { terms } = tables().all;
const isDone = ({ state }) => state === 'done';
const newFile = () => path.join(temporaryFolder(), 'store.db');
const on = (file) => ['--store', `sqlite:${file}`];
const state = async (server) => (await server.admin('/readyz')).json.status;

// A file with something in it: one count that is done.
async function filled(t, n = 10) {
  const file = newFile();
  const server = await start(t, ...on(file));
  const { id } = await server.begin({ n });
  const job = await server.look(id, isDone);
  await server.stop();
  return { file, job };
}

// ---- From process to process ----

test('what was found out is not counted again by the next process', async (t) => {
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
  assert.deepEqual(await second.begin({ n: 16 }, 200), { ...job, shares: 2 });
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
  assert.equal((await third.getJson(`/jobs/${id}`)).shares, 2);
});

test('a stop in the middle of a job keeps every unit that was finished, and the next process goes on', async (t) => {
  const file = newFile();
  const first = await start(t, ...brisk, ...on(file), '--drain-seconds', 0);
  const { id, self } = await first.begin(long);
  await first.begin(long);
  const seen = await first.look(id, ({ units }) => units.done >= 5, 'some units are done');
  const seconds = await first.stop();
  assert.ok(seconds < 10 * (slow ? 10 : 1), `${seconds} s`);

  const second = await start(t, ...brisk, ...on(file));
  assert.equal(await second.metric('nq_jobs_resumed_total'), 1);
  const job = await second.look(id, ({ units }) => units.total > 0, 'it is laid out again');
  assert.deepEqual([job.state, job.shares, job.created], ['running', 2, seen.created]);
  assert.ok(job.units.restored >= seen.units.done, `${job.units.restored} of ${seen.units.done}`);
  assert.ok(job.progress >= seen.progress);
  const more = await second.look(id, ({ units }) => units.done > job.units.restored, 'it goes on');
  assert.equal(more.units.restored, job.units.restored);
  assert.equal((await second.begin(long)).shares, 3);
  for (let shares = 2; shares >= 0; shares--) assert.equal((await second.delete(self)).json.shares, shares);
  await until(async () => (await second.metric('nq_searches_running')) === 0, 'the search is stopped');
  await second.stop();

  const third = await start(t, ...brisk, ...on(file)); // what was given up is not taken up
  assert.equal((await third.getJson(self)).state, 'cancelled');
  assert.equal(await third.metric('nq_jobs_resumed_total'), 0);
  assert.equal(await third.metric('nq_searches_started_total'), 0);
  const again = await third.begin(long); // but what was counted of it is still good
  const restored = await third.look(id, ({ units }) => units.total > 0);
  assert.ok(restored.units.restored >= more.units.done, `${restored.units.restored} of ${more.units.done}`);
  assert.equal(again.id, id);
});

test('a count somebody waited for leaves its units too', async (t) => {
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

test('jobs are taken up however many there are', async (t) => {
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

test('a store of one kernel is good for another', async (t) => {
  const file = newFile();
  const n = slow ? 17 : 18; // neither is over at once
  const first = await start(t, ...on(file), '--threads', 1);
  const { id } = await first.begin({ n });
  await first.look(id, ({ units }) => units.done >= 3, 'some units are done', 60);
  await first.stop();
  const second = await start(t, ...on(file), '--kernel', 'auto');
  const job = await second.look(id, isDone, 'it is done', 120);
  assert.equal(job.result.count, terms[n]);
});

test('memory forgets', async (t) => {
  const first = await start(t, '--store', 'memory');
  const { self, id } = await first.begin({ n: 8 });
  await first.look(id, isDone);
  await first.stop();
  (await (await start(t, '--store', 'memory')).get(self)).isProblem(404);
});

test('the file is the user\'s own, where the system keeps such files', async (t) => {
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
  const fromEnvironment = await startWithin(t, ['env', `NQ_STORE=sqlite:${named}`], '--store-bytes', '10M');
  await fromEnvironment.stop();
});

// ---- Who must not have it ----

test('a second process on the same file is refused, and the first does not notice', async (t) => {
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

test('a store that is none is a start-up error naming it', async () => {
  for (const store of ['nonsense', 'sqlite', 'sqlite:', 'memory:x', '', 'file:/tmp/x', 'SQLITE:/tmp/x']) {
    const [code, text] = await refuse('--store', store);
    assert.ok(code === 1 || code === 2, `${store}: ${code}`);
    assert.ok(text.includes(`'${store}'`), text);
    assert.match(text, /memory/);
    assert.match(text, /sqlite:PATH/);
  }
  for (const bytes of ['0', '1', '4096', 'x', '-1']) {
    const [code, text] = await refuse(...on(newFile()), '--store-bytes', bytes);
    assert.ok(code === 1 || code === 2, `${bytes}: ${code}`);
    assert.match(text, /bytes/);
  }
});

test('files of others are refused, and left as they were', async (t) => {
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

// A server to which the disk can be made full: no file may be written beyond so many bytes, and that is an error, not a signal.
const confined = (t, ...flags) => startWithin(t, ['bash', '-c', "trap '' XFSZ; exec \"$@\"", 'bash'], ...flags);
const allow = (server, bytes) => execFileSync('prlimit', [`--fsize=${bytes}:`, '--pid', `${server.process.pid}`]);

test('a full disk degrades it; with room again it catches up, and nothing is lost', async (t) => {
  const file = newFile();
  const server = await confined(t, ...on(file));
  const ids = [];
  const begin = async () => {
    const { id } = await server.begin({ n: 10, exclude: `${1 + Math.floor(ids.length / 10)}:${1 + (ids.length % 10)}` });
    ids.push(id);
    await server.look(id, isDone);
  };
  const told = () => server.logs.filter(({ event }) => event === 'store');
  for (let times = 1; times <= 2; times++) {
    for (let i = 0; i < 5; i++) await begin();
    assert.equal(await state(server), 'ready');
    allow(server, 1024);
    for (let i = 0; i < 5; i++) await begin(); // everything goes on, jobs are told of
    await until(async () => (await state(server)) === 'degraded', 'it is degraded');
    assert.equal(await server.metric('nq_store_broken'), 1);
    assert.ok((await server.metric('nq_store_waiting')) > 0);
    await until(() => told().length === 2 * times - 1, 'it says so, once');
    assert.ok(told().at(-1).text.includes(file), told().at(-1).text);
    const { reasons } = (await server.admin('/readyz')).json;
    assert.deepEqual(reasons.map(({ what }) => what), ['store']);
    assert.match(reasons[0].detail, /cannot be written: .* [1-9]\d* facts wait/);
    assert.ok(reasons[0].detail.includes(file) && (await server.metric('nq_store_failures_total')) > 0, reasons[0].detail);
    for (const id of ids) assert.equal((await server.getJson(`/jobs/${id}`)).state, 'done');
    assert.equal((await server.getJson(`/count?n=${10 + times}`)).count, terms[10 + times]);

    allow(server, 'unlimited');
    await until(async () => (await state(server)) === 'ready', 'it works again', 60);
    await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
    await until(() => told().length === 2 * times, 'it says that too');
    assert.equal(await server.metric('nq_store_lost_total'), 0);
  }
  await server.crash();
  const next = await start(t, ...on(file));
  for (const id of ids) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done', id);
});

test('with a full disk it stops all the same', async (t) => {
  const file = newFile();
  const server = await confined(t, ...on(file), '--drain-seconds', 0);
  const { id } = await server.begin({ n: 9 });
  await server.look(id, isDone);
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'it is stored');
  allow(server, 1024);
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
  const limited = ['bash', '-c', "trap '' XFSZ; ulimit -f 4; exec \"$@\"", 'bash'];
  const server = await startWithin(t, limited, ...on(newFile()));
  await isDegraded(server);
});

// ---- Its size ----

test('the file keeps to its size', async (t) => {
  const file = newFile();
  const server = await start(t, ...on(file), '--store-bytes', '1M', '--max-jobs', 2000, '--queue', 2000);
  for (let round = 0; round < (slow ? 4 : 12); round++)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        server.begin({ n: 14, exclude: `${1 + Math.floor(i / 10)}:${1 + (i % 10)}`, place: `14:${round + 1},13:14`, by: 'square' }),
      ),
    );
  await until(async () => (await server.metric('nq_jobs_active')) === 0, 'all are over');
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored or given up');
  assert.ok(statSync(file).size <= 1 << 20, `${statSync(file).size}`);
  const log = `${file}-wal`;
  if (existsSync(log)) assert.ok(statSync(log).size <= 4 << 20);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  await server.stop();
  await (await start(t, ...on(file), '--store-bytes', '1M')).stop();
});
