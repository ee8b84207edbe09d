// events.test.js - GET /jobs/{id}/events: the course of a job, as it happens.
import { assert, brisk, long, patience, slow, start, tables, test, until, within } from './harness.js';

const { terms } = tables().all;
const isDone = ({ state }) => state === 'done';
const calm = [...brisk, '--threads', 1]; // while a test listens, its job counts on

// The next so many events.
async function take(client, count) {
  const list = [];
  while (list.length < count) {
    const { value, done } = await within(client.events.next(), 'event', 60);
    assert.ok(!done, `the stream ended after ${list.length} events`);
    list.push(value);
  }
  return list;
}

// All events to come: [list, whether the stream was whole].
async function drain(client) {
  const list = [];
  for (;;) {
    const { value, done } = await within(client.events.next(), 'event', 60);
    if (done) return [list, value];
    list.push(value);
  }
}

// Waits until so many streams have ended: each then has a line in the log.
const gone = (server, count) =>
  until(() => server.logs.filter(({ route }) => route === '/jobs/{id}/events').length >= count, `${count} have gone`);

test('progress is sent as it happens, at most four times a second', async (t) => {
  const server = await start(t, ...calm);
  const { id, events, self } = await server.begin(long);
  const begun = Date.now();
  const client = await server.listenTo(events);
  assert.equal(client.headers['cache-control'], 'no-store');
  assert.equal(client.headers['x-accel-buffering'], 'no');
  assert.equal(client.headers.etag, undefined);
  const list = await take(client, slow ? 4 : 12);
  for (const [i, { event, id: number, data }] of list.entries()) {
    assert.equal(event, 'progress');
    assert.equal(data.id, id);
    assert.equal(number, `${data.units.done}`);
    assert.ok(['queued', 'running'].includes(data.state) && data.progress < 1);
    if (i) assert.ok(data.units.done > list[i - 1].data.units.done, 'there is something new');
    if (i) assert.ok(data.progress >= list[i - 1].data.progress);
  }
  // They may arrive late, but not be sent early: between the first and the last there are pauses, of which one may be spared.
  const seconds = (list.at(-1).time - begun) / 1000;
  assert.ok(seconds >= 0.25 * (list.length - 2), `${list.length} events in ${seconds} s`);
  await server.delete(self);
  const [rest, whole] = await drain(client);
  assert.ok(whole);
  assert.deepEqual([rest.at(-1).event, rest.at(-1).id, rest.at(-1).data.state], ['done', 'end', 'cancelled']);
  assert.ok(rest.slice(0, -1).every(({ event }) => event === 'progress'));
  client.drop();
});

test('the end comes with the result', async (t) => {
  const server = await start(t);
  const { id, events } = await server.begin({ n: slow ? 14 : 16 });
  const [list, whole] = await drain(await server.listenTo(events));
  assert.ok(whole);
  const last = list.at(-1);
  assert.deepEqual([last.event, last.id], ['done', 'end']);
  assert.deepEqual(last.data, await server.getJson(`/jobs/${id}`));
  assert.equal(last.data.result.count, terms[slow ? 14 : 16]);
  assert.equal(list.filter(({ event }) => event === 'done').length, 1);
  await gone(server, 1);
  const { bytes } = server.logs.find(({ route }) => route === '/jobs/{id}/events');
  assert.ok(bytes > JSON.stringify(last.data).length, `${bytes} bytes`);
});

test('the stream of a finished job has only the end', async (t) => {
  const server = await start(t);
  const { id, events } = await server.begin({ n: 8 });
  await server.look(id, isDone);
  for (const headers of [{}, { 'Last-Event-ID': '2' }, { 'Last-Event-ID': '4' }, { 'Last-Event-ID': 'x' }]) {
    const [list, whole] = await drain(await server.listenTo(events, headers));
    assert.ok(whole);
    assert.deepEqual(
      list.map(({ id, event, data }) => [id, event, data.result.count]),
      [['end', 'done', 92]],
      JSON.stringify(headers),
    );
  }
  const reply = await server.get(events); // as fetch and curl see it
  assert.equal(reply.status, 200);
  assert.match(reply.text, /^id: end\nevent: done\ndata: \{.*\}\n\n$/);
  assert.equal((await server.get(events, { accept: 'text/event-stream' })).status, 200);
  (await server.get(events, { accept: 'application/json' })).isProblem(406);
});

test('a client that has received the end gets 204 and stops asking', async (t) => {
  const server = await start(t);
  const { id, events } = await server.begin({ n: 8 });
  await server.look(id, isDone);
  const reply = await server.get(events, { 'last-event-id': 'end' });
  assert.deepEqual([reply.status, reply.text, reply.headers['cache-control']], [204, '', 'no-store']);
  (await server.get('/jobs/0123456789abcdef/events', { 'last-event-id': 'end' })).isProblem(404);
  const client = await server.connect();
  for (let i = 0; i < 2; i++)
    assert.equal((await client.ask('GET', events, { 'Last-Event-ID': 'end' }).reply()).status, 204);
  assert.equal((await client.ask('GET', '/count?n=8').reply()).json.count, 92);
  client.drop();
});

test('a client that reconnects receives what is new', async (t) => {
  const server = await start(t, ...calm);
  const { events, self } = await server.begin(long);
  const first = await server.listenTo(events);
  const received = await take(first, 2);
  first.drop();
  const last = received.at(-1).id;
  const second = await server.listenTo(events, { 'Last-Event-ID': last });
  const [next] = await take(second, 1);
  assert.ok(Number(next.id) > Number(last), `${next.id} after ${last}`);
  second.drop();
  await Promise.all(['', 'x', '-1', '1x', '99999999999999999999999', '0x5', `${last} ${last}`, 'END', 'end ', 'x'.repeat(5000)].map(async (id) => {
    const client = await server.listenTo(events, { 'Last-Event-ID': id }); // whatever it is, the stream goes on
    await take(client, 1);
    client.drop();
  }));
  await server.delete(self);
});

test('all clients of one job receive its end', async (t) => {
  const server = await start(t, ...calm);
  const { id, events, self } = await server.begin(long);
  const clients = await Promise.all(Array.from({ length: 50 }, () => server.listenTo(events)));
  await Promise.all(clients.map((client) => take(client, 2)));
  assert.equal((await server.getJson(self)).shares, 1); // a stream of events is no share
  await server.delete(self);
  for (const [list, whole] of await Promise.all(clients.map(drain))) {
    assert.ok(whole);
    assert.deepEqual([list.at(-1).event, list.at(-1).data.id, list.at(-1).data.state], ['done', id, 'cancelled']);
  }
  clients.forEach((client) => client.drop());
});

test('clients that disconnect free their places, and the job continues (also plain)', async (t) => {
  const server = await start(t, ...calm, '--max-connections', 20, '--max-client-connections', 20);
  const { id, events, self } = await server.begin(long);
  await server.look(id, ({ units }) => units.done > 0, 'it has all it needs', 120);
  const idle = await server.resident();
  for (let round = 0; round < (slow ? 3 : 10); round++) {
    const clients = await Promise.all(Array.from({ length: 15 }, () => server.listenTo(events)));
    await take(clients[0], 1);
    clients.forEach((client) => client.drop());
    await gone(server, 15 * (round + 1));
  }
  assert.equal((await server.getJson(self)).state, 'running');
  if (!slow) assert.ok(server.resident() < idle + 16, `${idle} MB, then ${server.resident()} MB`);
  await server.delete(self);
});

test('the stream of a client that closes its side ends', async (t) => {
  const server = await start(t, ...calm);
  const { events, self } = await server.begin(long);
  const client = await server.listenTo(events);
  await take(client, 1);
  client.socket.end();
  await gone(server, 1);
  client.drop();
  await server.delete(self);
});

test('a client that does not read delays no other', async (t) => {
  const server = await start(t, ...calm);
  const { events, self } = await server.begin(long);
  const stalled = (await server.connect()).ask('GET', events);
  const other = await server.listenTo(events);
  await take(other, 3);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  assert.equal((await server.delete(self)).json.state, 'cancelled');
  assert.ok((await drain(other))[1]);
  stalled.drop();
  other.drop();
});

test('HEAD has the headers and no body', async (t) => {
  const server = await start(t, ...calm);
  const { events, self } = await server.begin(long);
  const client = await server.connect();
  const reply = await client.ask('HEAD', events).reply();
  assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'text/event-stream']);
  assert.equal(reply.headers['content-length'], undefined);
  if (reply.headers.connection === 'close') assert.equal(await client.reply(), null);
  else assert.equal((await client.ask('GET', '/count?n=8').reply()).json.count, 92);
  client.drop();
  assert.equal((await server.get('/jobs/0123456789abcdef/events', {}, 'HEAD')).status, 404);
  await server.delete(self);
});

test('over HTTP/1.0 the end of the stream is the end of the connection', async (t) => {
  const server = await start(t);
  const { id, events } = await server.begin({ n: 8 });
  await server.look(id, isDone);
  const [reply, end] = await server.raw(`GET ${events} HTTP/1.0\r\n\r\n`);
  assert.match(reply.text, /^id: end\n[^]*\n\n$/);
  assert.equal(end, 'end');
});

test('a stop cuts streams so that the client sees it', async (t) => {
  const server = await start(t, ...calm, '--drain-seconds', 1);
  const { events } = await server.begin(long);
  const clients = await Promise.all(Array.from({ length: 10 }, () => server.listenTo(events)));
  await take(clients[0], 2);
  const ends = Promise.all(clients.map(drain));
  const seconds = await server.stop();
  assert.ok(seconds < 10 * patience, `${seconds} s`);
  for (const [list, whole] of await ends) {
    assert.equal(whole, false);
    assert.ok(list.every(({ event }) => event === 'progress')); // the job is not over, it is to be resumed
  }
});

test('a stop while a job ends, many times over', async (t) => {
  for (let round = 0; round < (slow ? 2 : 6); round++) {
    const server = await start(t, '--drain-seconds', 0);
    const jobs = await Promise.all([11, 12, 13, 14].map((n) => server.begin({ n })));
    const clients = await Promise.all(jobs.map(({ events }) => server.listenTo(events)));
    const ends = Promise.all(clients.map((client) => drain(client).catch(() => [])));
    await take(clients[round % 4], 1).catch(() => {});
    await server.stop();
    await ends;
    clients.forEach((client) => client.drop());
  }
});

test('streams of events are limited in number and in time', async (t) => {
  const narrow = await start(t, ...calm, '--max-streams', 2);
  const { self: waited, events: path } = await narrow.begin(long);
  const listeners = [await narrow.listenTo(path), await narrow.listenTo(path)];
  (await narrow.get(path)).isProblem(503);
  listeners.forEach((client) => client.drop());
  await narrow.delete(waited);

  const server = await start(t, ...calm, '--stream-seconds', 1);
  const { id: job, self, events } = await server.begin(long);
  await server.look(job, ({ units }) => units.done > 0, 'it is under way');
  const [one, two] = [await server.listenTo(events), await server.listenTo(events)];
  const [list, whole] = await drain(one); // the client may come again, with the last id
  assert.ok(whole && list.every(({ event }) => event === 'progress'));
  assert.ok((await drain(two))[1]);
  await gone(server, 2);
  const { id } = list.at(-1);
  const again = await server.listenTo(events, { 'Last-Event-ID': id });
  const [rest, wholeAgain] = await drain(again);
  assert.ok(wholeAgain && rest.every((event) => Number(event.id) > Number(id)));
  await server.delete(self);
});
