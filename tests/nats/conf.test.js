// That docker/nats does what docs/operations.md says of it: three servers started with nats.conf and with what secrets.sh makes, but
// for addresses and folders; who gets in, and what each may do there.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { connect, StringCodec } from 'nats';
import { start, tables, temporaryFolder } from '../http/harness.js';
import { startBroker } from './broker.js';
import { hired, startWorker } from './workers.js';

const nats = fileURLToPath(new URL('../../docker/nats/', import.meta.url));
const text = readFileSync(path.join(nats, 'nats.conf'), 'utf8');
const folder = temporaryFolder();
const secrets = path.join(folder, 'secrets');
execFileSync(path.join(nats, 'secrets.sh'), [secrets, '127.0.0.1', 'localhost']);

function conf(node, nodes, store) {
  const changes = [
    ['0.0.0.0:4222', `127.0.0.1:${node.port}`],
    ['0.0.0.0:8222', `127.0.0.1:${node.monitor}`],
    ['0.0.0.0:6222', `127.0.0.1:${node.route}`],
    ...nodes.map(({ route }, i) => [`nats://nats-${i}.nats:6222`, `nats://127.0.0.1:${route}`]),
    ['store_dir: /data', `store_dir: "${store}"`],
    ['include secrets/', `include ${path.relative(path.dirname(store), secrets)}/`],
    ['/etc/nats/secrets/', `${secrets}/`],
    ['name: nqueensd', `name: ${nodes[0].name}`],
  ];
  return changes.reduce((rest, [from, to]) => {
    assert.ok(rest.includes(from), `nats.conf says ${from}`);
    return rest.replaceAll(from, to);
  }, text);
}
const broker = await startBroker({ after }, { nodes: 3, conf });

// What a process is told to connect to, but for ports.
const address = (user) => new URL(readFileSync(path.join(secrets, `${user}.env`), 'utf8').trim().split(/[=,]/)[1]);
async function join(t, user, options = {}) {
  const { username, password } = address(user);
  const servers = broker.ports.map((port) => `127.0.0.1:${port}`);
  const client = await connect({ servers, user: username, pass: password, tls: { caFile: path.join(secrets, 'ca.crt') }, timeout: 5000, ...options });
  t.after(() => client.close());
  return client;
}

test('serve makes streams and buckets on all three, a worker reads and writes them and destroys none', async (t) => {
  const [serve, worker] = [await join(t, 'serve'), await join(t, 'worker')];
  const manager = await serve.jetstreamManager();
  await manager.streams.add({ name: 'Q', subjects: ['q.>'], retention: 'workqueue', num_replicas: 3 });
  await manager.consumers.add('Q', { durable_name: 'w', ack_policy: 'explicit' });
  await serve.jetstream().publish('q.1', StringCodec().encode('batch'));
  const message = await (await worker.jetstream().consumers.get('Q', 'w')).next({ expires: 10000 });
  assert.equal(message.string(), 'batch');
  assert.ok(await message.ackAck());
  const [mine, theirs] = [await serve.jetstream().views.kv('units', { replicas: 3 }), await worker.jetstream().views.kv('units', { bindOnly: true })];
  await theirs.put('a', '1');
  assert.equal((await mine.get('a')).string(), '1');
  const workers = await worker.jetstreamManager();
  for (const forbidden of [() => workers.streams.delete('Q'), () => workers.streams.purge('KV_units'), () => workers.streams.update('Q', { subjects: ['r'] })])
    await assert.rejects(forbidden(), /Permissions Violation/i);
  assert.equal((await manager.streams.info('KV_units')).state.messages, 1);
  await manager.streams.delete('Q');
});

test('a server and a worker, as they are told to, count on it', async (t) => {
  const where = (user) => {
    const { username, password } = address(user);
    return broker.ports.map((port) => `tls://${username}:${password}@127.0.0.1:${port}`).join(',');
  };
  const flags = ['--nats-ca', path.join(secrets, 'ca.crt'), '--nats-replicas', 3];
  const server = await start(t, '--store', `nats:${where('serve')}`, '--kernel', 'auto', ...flags);
  await startWorker(t, `nats:${where('worker')}`, ...flags.map(String));
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
  assert.equal(done.result.count, Number(tables().all.terms[18]));
  assert.ok((await server.metric('nq_units_remote_total')) > 0);
  const password = address('serve').password;
  assert.ok(!server.stderr.includes(password) && !(await server.admin('/readyz')).text.includes(password));
});

test('nobody else gets in', async (t) => {
  for (const options of [{ pass: 'another' }, { user: undefined, pass: undefined }, { user: 'someone' }, { tls: {} }, { tls: null }])
    await assert.rejects(join(t, 'worker', options), JSON.stringify(options));
});

test('clients are told no addresses that the certificate has not', async (t) => {
  assert.deepEqual((await join(t, 'serve')).info.connect_urls ?? [], []);
});

test('the probes answer, also while one of the three is away', async () => {
  const [container] = load(readFileSync(path.join(nats, 'statefulset.yaml'), 'utf8')).spec.template.spec.containers;
  const probe = (name) => container[name].httpGet.path;
  const status = async (i, target) => (await broker.nodes[i].monitored(target))?.[0];
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    for (const i of [0, 1, 2]) assert.equal(await status(i, probe(name)), 200, name);
  await broker.kill(0);
  assert.equal(await status(1, probe('livenessProbe')), 200);
  await broker.restart(0);
  for (const i of [0, 1, 2]) assert.equal(await status(i, probe('readinessProbe')), 200);
});

test('secrets.sh: names that the servers have, ours alone, and never over what is there', () => {
  const made = path.join(folder, 'made');
  const run = () => spawnSync(path.join(nats, 'secrets.sh'), [made], { encoding: 'utf8' });
  assert.equal(run().status, 0);
  assert.equal(statSync(made).mode & 0o777, 0o700);
  const certificate = path.join(made, 'server.crt');
  for (const [, host] of text.matchAll(/nats:\/\/(.*):6222/g)) {
    assert.match(execFileSync('openssl', ['x509', '-in', certificate, '-noout', '-checkhost', host], { encoding: 'utf8' }), /does match/);
    for (const user of ['serve', 'worker']) assert.ok(readFileSync(path.join(made, `${user}.env`), 'utf8').includes(`@${host}:4222`));
  }
  execFileSync('openssl', ['verify', '-CAfile', path.join(made, 'ca.crt'), certificate]);
  const before = readFileSync(certificate, 'utf8');
  assert.notEqual(run().status, 0);
  assert.equal(readFileSync(certificate, 'utf8'), before);
});
