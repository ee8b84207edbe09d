// flood.test.js - connections up to what one client and all of them may have, and beyond.
import net from 'node:net';
import { after, assert, longPath, start, test, until, within } from '../http/harness.js';
import { besieged, connectFrom, metric, other, unharmed } from './hostile.js';

const [ALL, ONE] = [300, 200];
const server = await start(
  { after },
  ...['--max-connections', ALL, '--max-client-connections', ONE, '--max-client-searches', ONE],
  ...['--request-seconds', 3600, '--keep-alive-seconds', 3600],
);
const some = (count, make) => Promise.all(Array.from({ length: count }, make));
const drop = (clients) => clients.forEach((client) => client.drop());

test('a client opens more connections than allowed: the others are closed, and other clients can connect', async (t) => {
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

test('two clients wait on every connection: connected clients are served, later ones when there is room', async (t) => {
  const begin = async (client) => (await client).ask('GET', longPath, { prefer: 'wait=600' });
  const attack = async () => {
    const first = await some(ONE, () => begin(server.connect()));
    const second = await some(ONE, () => begin(connectFrom(other, server.port))); // the system takes those that the server does not yet
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

test('connections opened and closed without a byte', async (t) => {
  const attack = async () => {
    for (let round = 0; round < 10; round++) {
      const clients = await some(100, () => server.connect());
      clients.forEach((client, i) => (i % 2 ? client.drop() : client.socket.resetAndDestroy()));
      await until(async () => (await metric(server, 'nq_connections')) <= 4, 'they are gone');
    }
  };
  await unharmed(t, server, () => besieged(t, server, attack));
});

// Silent in every way there is, and back soon after they are closed.
const question = 'GET /count?n=8 HTTP/1.1\r\nHost: x\r\n\r\n';
const silences = { 'that never send a byte': '', 'that have been answered': question, 'that send one byte': 'G' };
for (const [what, text] of Object.entries(silences))
  test(`plain build, as many connections as two clients may have, ${what}: a third client gets its answers`, async (t) => {
    const crowded = await start(t);
    const most = await metric(crowded, 'nq_connections_limit');
    const held = new Set();
    let [over, begun] = [false, 0];
    const hold = (localAddress) => {
      const socket = net.connect({ port: crowded.port, host: '127.0.0.1', localAddress }).resume();
      const again = () => held.delete(socket) && !over && setTimeout(hold, 100, localAddress);
      held.add(socket.on('error', () => {}).once('close', again).once('connect', () => begun++));
      socket.write(text);
    };
    t.after(() => ((over = true), held.forEach((socket) => socket.destroy())));
    for (const address of [other, '127.0.0.4']) some(most / 2, () => hold(address));
    await until(async () => begun >= most && (await metric(crowded, 'nq_connections')) > most * 0.95, 'there is hardly any room');
    const waits = [];
    for (let i = 1; i <= 4; i++) {
      const begin = Date.now();
      const client = await connectFrom('127.0.0.2', crowded.port);
      const target = `/count?n=13&method=compute&exclude=1:${i}`;
      assert.equal((await within(client.ask('GET', target).reply(), 'answer meanwhile', 15)).status, 200);
      client.drop();
      waits.push(Date.now() - begin);
    }
    t.diagnostic(`the third client's answers took ${waits.join(', ')} ms`);
  });
