// loss.test.js - workers and servers that go without a word, as users start them: how soon others go on, and what is told of it.
import { after, assert, long, test, until, within } from '../http/harness.js';
import { shareBroker } from './broker.js';
import { hired, leased, led, listener, madeUp, startServer, startWorker, takeBatch } from './workers.js';

const share = await shareBroker({ after });
const brisk = { ...long, method: 'compute' }; // many units, and no end

test('the batches of a killed and of a frozen worker go to another within five seconds, and the log reports both', async (t) => {
  const broker = share();
  const server = await startServer(t, broker.url, '--audit', '0');
  const client = await listener(t, broker);
  const workers = [await startWorker(t, broker.url), await startWorker(t, broker.url)];
  madeUp(t, client, 'other', 1);
  await hired(server, 3);
  const job = await server.begin(brisk);
  const all = (name) => workers.forEach((worker) => worker.signal(name));
  const stopped = async () => {
    all('SIGSTOP');
    return (await leased(client)) === 2 || all('SIGCONT'); // or one was between two batches
  };
  await until(stopped, 'both have a batch');
  await workers[0].crash();
  const again = new Set();
  const comesAgain = async () => {
    while (again.size < 2) {
      const batch = await takeBatch(client);
      if (batch?.lease.redelivered) again.add(JSON.stringify(batch.places));
      batch?.lease.ack(); // what is its for the first time nobody misses
    }
  };
  await within(comesAgain(), 'batches of both', 10); // within five seconds, and what a busy machine takes; a lease has three
  await until(async () => (await server.metric('nq_workers_lost_total')) >= 2, 'both are lost');
  assert.equal(server.logs.filter(({ event, text }) => event === 'worker' && /^[0-9a-f]{16} .* lost/.test(text)).length, 2);
  assert.equal(await server.metric('nq_workers', { compatible: 'true' }), 1);
  await server.delete(`/jobs/${job.id}`);
});

test('eta_seconds depends on the connected workers: it grows when most of them are gone', async (t) => {
  const broker = share();
  const server = await startServer(t, broker.url, '--audit', '0');
  const client = await listener(t, broker);
  const leave = madeUp(t, client, 'large', 15);
  madeUp(t, client, 'small', 1);
  await hired(server, 2);
  const job = await server.begin(brisk);
  let reports = 0;
  while (reports < 20) {
    const batch = await takeBatch(client);
    for (const place of batch?.places ?? []) batch.report(place, { worker: 'large', parts: '1', seconds: 10 });
    reports += batch?.places.length ?? 0;
    batch?.lease.ack();
  }
  // Of all of them: units of different weight take as long here. It is reckoned when the key is written.
  await until(async () => (await led(client)).some(({ unitsDone }) => unitsDone >= reports), 'all of them are reckoned with');
  const sixteen = await server.look(job.id, ({ eta_seconds }) => eta_seconds > 100, 'it tells how long sixteen threads take');
  leave();
  await hired(server, 1);
  const one = await server.look(job.id, ({ eta_seconds }) => eta_seconds > 8 * sixteen.eta_seconds, 'it tells how long one takes');
  assert.ok(one.eta_seconds < 32 * sixteen.eta_seconds, `${sixteen.eta_seconds} s, ${one.eta_seconds} s`);
  await server.delete(`/jobs/${job.id}`);
});

test('a server that is killed and restarted reports the progress of its job at once, and continues it', async (t) => {
  const broker = share();
  const first = await startServer(t, broker.url, '--audit', '0');
  await startWorker(t, broker.url);
  await hired(first, 1);
  const client = await listener(t, broker);
  const job = await first.begin(brisk);
  await until(async () => (await led(client)).some(({ unitsDone }) => unitsDone > 0), 'some units are counted, and it has told');
  await first.crash();
  const again = await startServer(t, broker.url, '--audit', '0');
  const metric = (name) => again.metric(name);
  await until(async () => (await metric('nq_counts_followed')) + (await metric('nq_counts_led')) === 1, 'it has taken the job up');
  const { units } = await again.look(job.id);
  assert.ok(units.total > 0 && units.done > 0, `${units.done} of ${units.total}`);
  await until(async () => (await metric('nq_counts_led')) === 1, 'it leads');
  await again.look(job.id, ({ units: now }) => now.done > units.done, 'more are counted');
  await again.delete(`/jobs/${job.id}`);
});
