// signals.test.js - signals at any moment: those that end the process end it well, the others do nothing. What a stop does to
// those who are being served is in tests/http/stop.test.js.
import { spawn } from 'node:child_process';
import { assert, binary, long, longer, longPath, sleep, slow, start, test, until, within } from '../http/harness.js';
import { isDone, newFile, on } from '../http/storing.js';


// Starts a server and sends it signals, one so many milliseconds after the other, or when it has written a word; [exit status or
// signal, what it wrote].
async function interrupted(flags, ...steps) {
  const server = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--admin', 'off', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const exit = new Promise((resolve) => server.once('close', (code, signal) => resolve(code ?? signal)));
  let text = '';
  server.stderr.setEncoding('utf8').on('data', (more) => (text += more));
  await new Promise((resolve) => server.once('spawn', resolve));
  for (const [moment, signal] of steps) {
    if (typeof moment === 'number') await sleep(moment / 1000);
    else await until(() => text.includes(moment), `it writes ${moment}`);
    server.kill(signal);
  }
  const status = await within(exit, `exit after ${JSON.stringify(steps)}: ${text}`, 20);
  process.removeListener('exit', kill);
  return [status, text];
}

test('SIGTERM and SIGINT during the start', async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file));
  await first.begin(long); // something to be taken up
  await first.crash();
  const ends = { 0: 0, early: 0 };
  const [step, rounds] = longer ? [0.5, 4] : [10, 1];
  for (let round = 0; round < rounds; round++)
    for (const delay of [...Array.from({ length: 50 / step }, (_, i) => i * step), 100, 200, 400, 'listening'])
      for (const signal of ['SIGTERM', 'SIGINT']) {
        const [status, text] = await interrupted(on(file), [delay, signal]);
        // Before it has come to take signals one ends it as the system has it: then nothing has been done yet.
        if (status === signal) assert.equal(text, '');
        else assert.equal(status, 0, `${signal} after ${delay}: ${text}`);
        ends[status === 0 ? 0 : 'early']++;
      }
  t.diagnostic(`${ends[0]} ended well, ${ends.early} before they began`);
  assert.ok(ends[0] >= 2 * rounds); // those that came when it was listening
  const last = await start(t, ...on(file));
  assert.equal(await last.metric('nq_jobs_resumed_total'), 1);
});

test('two signals, at any moment', async () => {
  for (let delay = 20; delay <= 60; delay += longer ? 1 : 20)
    for (const second of ['SIGTERM', 'SIGHUP', 'SIGUSR1'])
      for (const between of [0, 2]) {
        const [status, text] = await interrupted(['--store', 'memory'], [delay, 'SIGTERM'], [between, second]);
        if (status === 'SIGTERM') assert.equal(text, '');
        else assert.equal(status, 0, `${second} ${between} ms after ${delay} ms: ${text}`);
      }
});

test('signals without effect, under load', async (t) => {
  const server = await start(t);
  const stream = (await server.connect()).ask('GET', '/solve?n=12&format=ndjson');
  const search = (await server.connect()).ask('GET', longPath);
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'the search runs');
  const signals = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGXFSZ'];
  for (let round = 0; round < (longer ? 200 : 10); round++)
    for (const signal of signals) {
      server.process.kill(signal);
      if (round % 5 === 0) assert.equal((await server.getJson('/solve?n=8&limit=1')).returned, 1);
    }
  assert.ok((await stream.reply()).complete);
  assert.equal(await server.metric('nq_searches_running'), 1);
  const told = (signal) => server.logs.some(({ event, text }) => ['signal', 'keys'].includes(event) && text.startsWith(signal));
  for (const signal of signals.slice(0, 3)) await until(() => told(signal), `it tells of ${signal}`);
  search.drop();
});

test('stopped (SIGSTOP) and continued (SIGCONT)', async (t) => {
  const server = await start(t, ...on(newFile()));
  const { id } = await server.begin({ n: slow ? 13 : 16 });
  const stream = (await server.connect()).ask('GET', '/solve?n=12&format=ndjson');
  const [kept, half] = [await server.connect(), await server.connect()];
  assert.equal((await kept.ask('GET', '/count?n=8').reply()).status, 200);
  half.send('GET /count?n=8 HTTP/1.1\r\nHost: x\r\n');
  server.process.kill('SIGSTOP');
  half.send('\r\n'); // it arrives while nobody is there to read it
  kept.ask('GET', '/count?n=9');
  await sleep(2);
  server.process.kill('SIGCONT');
  assert.equal((await half.reply()).status, 200);
  assert.equal((await kept.reply()).status, 200);
  assert.ok((await stream.reply()).complete);
  await server.look(id, isDone, 'the job is done', 60);
  for (let i = 0; i < 20; i++) {
    server.process.kill(i % 2 ? 'SIGCONT' : 'SIGSTOP');
    await sleep(0.02);
  }
  assert.equal((await server.getJson('/count?n=8')).count, 92);
});

test('while it drains SIGHUP changes nothing, and a second SIGTERM ends it', async (t) => {
  const server = await start(t, '--drain-seconds', 600);
  const client = (await server.connect()).ask('GET', longPath);
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'the search runs');
  const stop = server.stop();
  await until(async () => (await server.admin('/readyz')).status === 503, 'it drains');
  for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE']) server.process.kill(signal);
  await sleep(0.5);
  assert.equal((await server.admin('/readyz')).json.status, 'draining');
  assert.equal(await server.metric('nq_searches_running'), 1);
  server.process.kill('SIGTERM');
  (await client.reply()).isProblem(503);
  await stop;
});

test('SIGTERM and SIGINT at any moment under load: it exits cleanly, and everything reported as stored is there', async (t) => {
  const file = newFile();
  const told = new Map();
  for (let life = 0; life < (longer ? 30 : 4); life++) {
    const server = await start(t, ...on(file), '--drain-seconds', life % 2, '--max-jobs', 1000);
    for (const [id, exclude] of told) assert.ok((await server.getJson(`/jobs/${id}`)).query.includes(`exclude=${exclude}`));
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.connect()));
    const targets = ['/solve?n=60&algorithm=bitboard', '/solve?n=25&format=ndjson', longPath, '/construct?n=100000000&format=ndjson'];
    clients.forEach((client, i) => client.ask('GET', targets[i % targets.length]));
    const asked = Array.from({ length: 4 }, async (_, i) => {
      const exclude = `${1 + (life % 18)}:${1 + i + 4 * Math.floor(life / 18)}`;
      const { id } = await server.begin({ n: 18, exclude }).catch(() => ({}));
      if (id) told.set(id, exclude);
    });
    const before = told.size;
    if (life % 4 > 1) await until(() => told.size > before, 'a job is acknowledged');
    await sleep(Math.random() * 0.3);
    if (life % 3 === 1) server.process.kill('SIGINT'); // then stop() is the second
    await server.stop();
    await Promise.all(asked);
    clients.forEach((client) => client.drop());
  }
  assert.ok(told.size > 0);
  const server = await start(t, ...on(file), '--max-jobs', 1000);
  for (const id of told.keys()) assert.notEqual((await server.getJson(`/jobs/${id}`)).state, 'failed');
});
