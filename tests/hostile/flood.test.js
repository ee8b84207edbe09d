// flood.test.js - connections up to what one client and all of them may have, and beyond.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { start, until, within } from '../http/harness.js';
import { besieged, connectFrom, metric, other, unharmed } from './hostile.js';

const [ALL, ONE] = [300, 200];
const server = await start(
  { after },
  ...['--max-connections', ALL, '--max-client-connections', ONE, '--request-seconds', 3600, '--keep-alive-seconds', 3600],
);
const some = (count, make) => Promise.all(Array.from({ length: count }, make));
const drop = (clients) => clients.forEach((client) => client.drop());

test('one client opens more than it may: the rest is closed, others come in', async (t) => {
  const attack = async () => {
    const refused = await metric(server, 'nq_connections_refused_total');
    const clients = await some(2 * ONE, () => server.connect());
    const ends = clients.map((client) => client.end().then(() => 1));
    await until(async () => (await metric(server, 'nq_connections_refused_total')) >= refused + ONE, 'the rest is refused');
    await Promise.race(ends); // they are closed, not left to wait
    for (const address of ['127.0.0.2', other]) {
      const client = await connectFrom(address, server.port);
      assert.equal((await client.ask('GET', '/count?n=8').reply()).status, 200);
      client.drop();
    }
    drop(clients);
  };
  await unharmed(t, server, () => besieged(t, server, attack));
});

test('two clients take every connection: who has one is served, who comes then is served when there is room', async (t) => {
  const attack = async () => {
    const first = await some(ONE, () => server.connect());
    const second = await some(ONE, () => connectFrom(other, server.port)); // the system takes those that the server does not yet
    await until(async () => (await metric(server, 'nq_connections')) >= ALL, 'there is no room');
    const late = await connectFrom('127.0.0.2', server.port);
    let answered = false;
    const reply = late.ask('GET', '/count?n=8').reply().finally(() => (answered = true));
    assert.equal(answered, false);
    drop(first);
    drop(second);
    assert.equal((await within(reply, 'answer once there is room')).status, 200);
    late.drop();
  };
  await unharmed(t, server, () => besieged(t, server, attack));
});

test('connections opened and closed without a word', async (t) => {
  const attack = async () => {
    for (let round = 0; round < 10; round++) {
      const clients = await some(100, () => server.connect());
      clients.forEach((client, i) => (i % 2 ? client.drop() : client.socket.resetAndDestroy()));
      await until(async () => (await metric(server, 'nq_connections')) <= 4, 'they are gone');
    }
  };
  await unharmed(t, server, () => besieged(t, server, attack));
});
