// That broker.js does what tests of the store and of workers take for granted: servers that are there and that fail when told to, and
// none that outlives its test.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connect, credsAuthenticator } from 'nats';
import { assert, sleep, test, until } from '../http/harness.js';
import { startBroker } from './broker.js';

// A connection that ends with the test; of those that are refused, why.
async function join(t, broker, options = {}) {
  const tls = broker.ca ? { tls: { caFile: broker.ca } } : {};
  const client = await connect({ servers: broker.ports.map((port) => `127.0.0.1:${port}`), user: broker.user, pass: broker.password, maxReconnectAttempts: -1, reconnectTimeWait: 100, ...tls, ...options });
  t.after(() => client.close());
  return client;
}
const refused = (t, broker, options) => assert.rejects(join(t, broker, { timeout: 5000, ...options }));

// Asks the manager of streams until it answers: while servers choose a leader nobody does.
async function managed(client, ask) {
  let answer;
  const asked = async () => {
    const silent = (error) => assert.ok(['TIMEOUT', '503'].includes(error.code), error);
    return (answer = await client.jetstreamManager({ timeout: 2000 }).then(ask).catch(silent));
  };
  await until(asked, 'the manager of streams answers');
  return answer;
}

// Puts messages into a stream, each until it is acknowledged; the sequence numbers they had.
async function publish(client, subject, texts) {
  const sequences = [];
  for (const text of texts) {
    let answer;
    const sent = async () => (answer = await client.jetstream().publish(subject, text, { msgID: text, timeout: 2000 }).catch(() => null));
    await until(sent, `${text} is acknowledged`);
    sequences.push(answer.seq);
  }
  return sequences;
}
const range = (from, to) => Array.from({ length: to - from }, (_, i) => `m${from + i}`);

test('one server: what is stored survives kill -9, on the same port', async (t) => {
  const broker = await startBroker(t);
  assert.equal(broker.url, `nats://127.0.0.1:${broker.ports[0]}`);
  const client = await join(t, broker);
  await managed(client, ({ streams }) => streams.add({ name: 'S', subjects: ['s'] }));
  assert.deepEqual(await publish(client, 's', range(0, 10)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(await broker.leaderOf('S'), 0);
  await broker.kill(0);
  await broker.restart(0);
  assert.deepEqual(await publish(client, 's', ['m9', 'm10']), [10, 11], 'it still knows what it had');
  const bucket = await client.jetstream().views.kv('bucket');
  await bucket.put('key', 'value');
  assert.equal((await bucket.get('key')).string(), 'value');
});

test('a frozen server answers nothing, and continues when it is thawed', async (t) => {
  const broker = await startBroker(t);
  const client = await join(t, broker);
  await client.flush();
  await broker.freeze(0);
  const flushed = client.flush();
  assert.equal(await Promise.race([flushed, sleep(0.5).then(() => 'late')]), 'late');
  broker.thaw(0);
  await flushed;
  await broker.freeze(0); // and can be stopped so
});

test('three servers: killing the leader loses nothing acknowledged, and it comes back', async (t) => {
  const broker = await startBroker(t, { nodes: 3 });
  const client = await join(t, broker);
  await managed(client, ({ streams }) => streams.add({ name: 'S', subjects: ['s'], num_replicas: 3 }));
  await publish(client, 's', range(0, 100));
  const first = await broker.leaderOf('S');
  await broker.kill(first);
  await publish(client, 's', range(100, 200));
  const second = await broker.leaderOf('S');
  assert.notEqual(second, first);
  await broker.restart(first);
  await broker.kill(second);
  await publish(client, 's', range(200, 300));
  assert.notEqual(await broker.leaderOf('S'), second);
  assert.equal((await managed(client, ({ streams }) => streams.info('S'))).state.messages, 300);
  const other = [0, 1, 2].find((i) => i !== first && i !== second);
  await broker.kill(other);
  await broker.restart(second); // two of three again
  assert.equal((await managed(await join(t, broker), ({ streams }) => streams.info('S'))).state.messages, 300);
});

test('TLS: only with the right authority, and never without encryption', async (t) => {
  const broker = await startBroker(t, { nodes: 3, tls: true });
  assert.match(broker.url, /^tls:.*,tls:.*,tls:/);
  const client = await join(t, broker);
  await managed(client, ({ streams }) => streams.add({ name: 'S', subjects: ['s'], num_replicas: 3 }));
  await publish(client, 's', ['m0']);
  await refused(t, broker, { tls: {} });
  await refused(t, broker, { tls: null });
});

test('users: only with the password in the address', async (t) => {
  const broker = await startBroker(t, { users: true });
  const { username, password } = new URL(broker.url);
  await (await join(t, broker, { user: username, pass: password })).flush();
  await refused(t, broker, { user: undefined, pass: undefined });
  await refused(t, broker, { pass: 'another' });
});

test('credentials: only with the right file', async (t) => {
  const [broker, other] = [await startBroker(t, { credentials: true }), await startBroker(t, { credentials: true })];
  const authenticator = ({ credentials }) => credsAuthenticator(readFileSync(credentials));
  const client = await join(t, broker, { authenticator: authenticator(broker) });
  await (await client.jetstream().views.kv('bucket')).put('key', 'value');
  await refused(t, broker);
  await refused(t, broker, { authenticator: authenticator(other) });
});

test('no broker outlives its test, even if the test is killed', async () => {
  const code = `
    import { startBroker } from ${JSON.stringify(fileURLToPath(new URL('broker.js', import.meta.url)))};
    const broker = await startBroker({ after() {} }, { nodes: 3 });
    console.log(JSON.stringify(broker.nodes.map((node) => node.process.pid)));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await child.stdout.setEncoding('utf8').take(1).toArray();
  const pids = JSON.parse(line);
  for (const pid of pids) assert.equal(readFileSync(`/proc/${pid}/comm`, 'utf8'), 'nats-server\n');
  child.kill('SIGKILL');
  const gone = (pid) => {
    try {
      return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return true;
    }
  };
  await until(() => pids.every(gone), 'they are gone');
});
