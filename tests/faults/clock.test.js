// clock.test.js - the date jumps, and hours pass unnoticed: no job dies of it or lives for ever, nobody is cut off for a date, and
// what was told to take so long at most takes no longer.
import { readFileSync } from 'node:fs';
import { assert, long, longPath, patience, sleep, start, test, until } from '../http/harness.js';
import { isDone, newFile, on } from '../http/storing.js';
import { Faults } from './faults.js';

const DAY = 86400;
const YEARS = 3652 * DAY;
// Whether a date is that of the machine, off by so many seconds.
const near = (date, shift) => Math.abs(Date.parse(date) / 1000 - Date.now() / 1000 - shift) < 100;
// So much time passes. Idle connections, ours too, are closed then; who asks over one at that moment gets no answer.
async function pass(server, faults, seconds) {
  faults.set({ elapsed_shift: seconds });
  const answers = (asked) => asked.then(() => true).catch((error) => assert.equal(error.message, 'fetch failed'));
  await until(() => answers(server.get('/algorithms')), 'it answers');
  await until(() => answers(server.admin('/healthz')), 'it answers operators');
}

test('the date jumps, forwards and backwards', async (t) => {
  const [faults, file] = [new Faults(), newFile()];
  const server = await faults.start(t, ...on(file), '--threads', 1);
  const done = await server.begin({ n: 9 });
  await server.look(done.id, isDone);
  const running = await server.begin(long);
  const events = await server.listenTo(`/jobs/${running.id}/events`);
  await events.events.next();
  const [kept, half, waits] = [await server.connect(), await server.connect(), await server.connect()];
  assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
  half.send('GET /count?n=8 HTTP/1.1\r\nHost: x\r\n');
  waits.ask('GET', `${longPath},1:2`, { prefer: 'wait=100' });
  await until(async () => (await server.metric('nq_searches_running')) === 2, 'both counts run');

  const told = [];
  for (const [i, shift] of [DAY, -DAY, YEARS, -YEARS, 400 * YEARS, 0].entries()) {
    faults.set({ date_shift: shift });
    await sleep(0.3); // three sweeps of who is late
    const reply = await kept.ask('GET', '/count?n=8', { 'X-Request-Id': `jump-${i}` }).reply();
    assert.equal(reply.status, 200, `${shift}`);
    assert.ok(near(reply.headers.date, shift), reply.headers.date);
    const line = () => server.logs.find(({ id }) => id === `jump-${i}`);
    await until(line, 'it is in the log');
    if (shift < 400 * YEARS) assert.ok(near(line().time, shift), line().time);
    assert.ok(line().seconds < 10, `${line().seconds} s`);

    const { id } = await server.begin({ n: 10, exclude: `1:${i + 1}` }); // forgets what is to be forgotten
    const job = await server.look(id, isDone);
    if (shift < 400 * YEARS) assert.ok(near(job.created, shift) && near(job.finished, shift), JSON.stringify(job));
    told.push(id);
    for (const each of [done.id, ...told]) assert.equal((await server.getJson(`/jobs/${each}`)).state, 'done', `${shift}`);
    const { state, eta_seconds: eta } = await server.getJson(`/jobs/${running.id}`);
    assert.equal(state, 'running', `${shift}`);
    assert.ok(eta === null || eta < 30 * DAY, `${eta} s`);
    assert.equal((await server.admin('/readyz')).json.status, 'ready');
  }
  assert.equal(await server.metric('nq_searches_running'), 2);
  assert.ok(!(await events.events.next()).done); // goes on
  assert.equal((await half.send('\r\n').reply()).status, 200); // was not late
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'all is stored');
  await server.crash();

  for (const shift of [-YEARS, 0]) { // the next process has another date; what was done in its future is not over for ever, nor lost
    faults.set({ date_shift: shift });
    const next = await faults.start(t, ...on(file), '--threads', 2);
    const later = shift < 0 ? [done.id, ...told] : told.filter((_, i) => [0, 1, 2, 4, 5].includes(i)); // but ten years ago is over
    for (const id of later) assert.equal((await next.getJson(`/jobs/${id}`)).state, 'done', `${shift}: ${later.indexOf(id)}`);
    await next.look(running.id, ({ state }) => state === 'running');
    assert.equal(await next.metric('nq_jobs_resumed_total'), 1);
    await next.crash();
  }
});

test('a job is kept as long if the date jumps before the job is stored', async (t) => {
  const [faults, file] = [new Faults('store.db'), newFile()];
  const server = await faults.start(t, ...on(file));
  faults.set({ disk_hangs: 1 });
  const { id, self } = await server.begin({ n: 9 });
  await server.look(id, isDone);
  faults.set({ date_shift: YEARS });
  faults.set({ disk_hangs: 0 });
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'it is stored');
  await server.begin({ n: 10 }); // forgets what is to be forgotten
  assert.equal((await server.getJson(self)).state, 'done');
});

test('a job that ended at a wrong future date is removed a week after that date', async (t) => {
  const [faults, file] = [new Faults(), newFile()];
  faults.set({ date_shift: YEARS });
  const first = await faults.start(t, ...on(file));
  const { id, self } = await first.begin({ n: 9 });
  await first.look(id, isDone);
  await first.stop();
  faults.set({ date_shift: 0 });
  const next = await faults.start(t, ...on(file));
  assert.equal((await next.getJson(self)).state, 'done');
  await pass(next, faults, 6 * DAY);
  await next.begin({ n: 10 });
  assert.equal((await next.getJson(self)).state, 'done');
  await pass(next, faults, 8 * DAY);
  const forgotten = async () => (await next.begin({ n: 11 })) && (await next.get(self)).status === 404;
  await until(forgotten, 'it is forgotten'); // as soon as the watcher has found that the time has passed
});

test('an hour passes at once', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, ...on(newFile()), '--threads', 1, '--kernel', 'auto', '--stream-seconds', 1800);
  const done = await server.begin({ n: 9 });
  await server.look(done.id, isDone);
  const running = await server.begin({ ...long, n: 20 }); // the fastest kernel needs a quarter of an hour
  await server.look(running.id, ({ units }) => units.done > 0, 'a unit is done');
  const [kept, waits, stream] = [await server.connect(), await server.connect(), await server.connect()];
  assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
  waits.ask('GET', '/solve?n=60&algorithm=bitboard');
  const head = await stream.ask('GET', '/solve?n=25&format=ndjson').head();
  assert.equal(head.status, 200);
  await until(async () => (await server.metric('nq_searches_running')) === 2, 'it waits');

  await pass(server, faults, 3600);
  (await waits.reply()).isProblem(503); // it had two minutes
  assert.ok(await kept.end()); // and this one a minute
  const body = stream.body(head, 'GET');
  let step;
  while (!(step = await body.next()).done);
  assert.equal(step.value, false, 'a stream that is cut does not look whole');
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  assert.equal((await server.admin('/readyz')).json.status, 'ready');
  const before = await server.getJson(`/jobs/${running.id}`); // no time was set for it
  assert.equal(before.state, 'running');
  await server.look(running.id, ({ units }) => units.done > before.units.done, 'it goes on');
  assert.equal((await server.getJson(`/jobs/${done.id}`)).state, 'done');
  const { id } = await server.begin({ n: 10 });
  await server.look(id, isDone);
  await until(async () => (await server.metric('nq_store_waiting')) === 0, 'the store is written');
  const begin = Date.now();
  await server.stop();
  assert.ok(Date.now() - begin < 20000 * patience);
});

// The time that a client waits is that for which the server ran; of the rest one second counts.
test('limits of a process that was stopped, or whose machine was, count the time that it ran', async (t) => {
  const wait = 3;
  const server = await start(t, '--threads', 1);
  const client = await server.connect();
  const asked = Date.now();
  client.ask('GET', longPath, { prefer: `wait=${wait}` });
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'it counts');
  const stopped = Date.now();
  server.process.kill('SIGSTOP');
  await sleep(wait + 0.5);
  const continued = Date.now();
  server.process.kill('SIGCONT');
  const { status, json } = await client.reply();
  assert.equal(status, 202);
  const ran = (stopped - asked + Date.now() - continued) / 1000;
  assert.ok(ran > wait - 1.2, `it became a job after ${ran} s`);
  await server.delete(`/jobs/${json.id}`);
});

// The date of both ends is the server's. One that gets no processor at the end is late, but seldom five times in turn; one that waits
// for a second more is so each time.
test('without Prefer a count is waited for as long as the documents say', async (t) => {
  const said = [
    ['docs/api.md', /A count that takes longer than (\w+) seconds/, { ten: 10 }],
    ['docs/architecture.md', /the time the client waits, by default (\w+) seconds/, { ten: 10 }],
    ['openapi.yaml', /waits N\s+seconds: (\d+) by default/, { 10: 10 }],
  ].map(([name, pattern, numbers]) => numbers[readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').match(pattern)?.[1]]);
  const [documented] = said;
  assert.ok(said.every((seconds) => seconds && seconds === documented), `the documents say ${said} seconds`);
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 1);
  const took = [];
  do {
    const id = `attempt-${took.length}`;
    const client = await server.connect();
    client.ask('GET', `${longPath},1:${2 + took.length}`, { 'X-Request-Id': id });
    await until(async () => (await server.metric('nq_searches_running')) === 1, 'it is counted');
    faults.set({ elapsed_shift: (took.length + 1) * (documented - 1) });
    const { status, json } = await client.reply();
    assert.equal(status, 202);
    const line = () => server.logs.find((line) => line.id === id);
    await until(line, 'it is in the log');
    took.push(line().seconds);
    await server.delete(json.self);
    await until(async () => (await server.metric('nq_searches_running')) === 0, 'none is left');
  } while (took.at(-1) >= documented + 0.9 && took.length < 5);
  assert.ok(took.at(-1) >= documented && took.at(-1) < documented + 0.9, `${took} seconds`);
});

test('the first page has another picture on the next day, and a kept one is not taken for it', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--threads', 1);
  const ask = (path, tag) => server.get(path, tag ? { 'if-none-match': tag } : {});
  const dayOf = ({ text }) => /&amp;daily=(\d{4}-\d\d-\d\d)&amp;/.exec(text)[1];
  const [first, other] = [await ask('/'), await ask('/play/2026-11-27')];
  for (const days of [1, 40, 3652]) {
    faults.set({ date_shift: days * DAY });
    const next = await ask('/', first.headers.etag);
    assert.deepEqual([next.status, near(dayOf(next), days * DAY - (Date.now() / 1000) % DAY)], [200, true], dayOf(next));
    assert.equal((await ask('/', next.headers.etag)).status, 304);
    assert.equal((await ask('/play/2026-11-27', other.headers.etag)).status, 304, 'a page that names its day stays');
  }
  faults.set({ date_shift: 9000 * 365 * DAY });
  assert.match((await ask('/')).text, /\/solve\?n=8&amp;format=png"/, 'of a day that has no board: eight queens');
});
