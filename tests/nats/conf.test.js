// That docker/nats does what docs/operations.md says of it: three servers started with nats.conf and with what secrets.sh makes, but
// for addresses and folders; a server and a worker started from the very files that it wrote; who gets in, and what each may do there.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { connect } from 'nats';
import { after, assert, long, longer, startAsTold, tables, temporaryFolder, test, until, within } from '../http/harness.js';
import { startBroker } from './broker.js';
import { hired, startWorkerAsTold } from './workers.js';

const docker = fileURLToPath(new URL('../../docker/', import.meta.url));
const nats = path.join(docker, 'nats');
const text = readFileSync(path.join(nats, 'nats.conf'), 'utf8');
const folder = temporaryFolder();
const secrets = path.join(folder, 'nats/secrets');
// secrets.sh knows one port. So that nothing need be changed in what it writes each server has an address of its own.
const net = `127.${randomInt(64, 255)}.${randomInt(1, 255)}`;
const hosts = [1, 2, 3].map((i) => `${net}.${i}`);
execFileSync(path.join(nats, 'secrets.sh'), [secrets, ...hosts]);

function conf(node, nodes) {
  const changes = [
    ['0.0.0.0:4222', `${hosts[nodes.indexOf(node)]}:4222`],
    ['0.0.0.0:8222', `127.0.0.1:${node.monitor}`],
    ['0.0.0.0:6222', `${hosts[nodes.indexOf(node)]}:6222`],
    ...hosts.map((host, i) => [`nats://nats-${i}.nats:6222`, `nats://${host}:6222`]),
    ['store_dir: /data', `store_dir: "${node.store}"`],
    ['include secrets/', `include ${path.relative(path.dirname(node.store), secrets)}/`],
    ['/etc/nats/secrets/', `${secrets}/`],
    ['name: nqueensd', `name: ${nodes[0].name}`],
  ];
  return changes.reduce((rest, [from, to]) => {
    assert.ok(rest.includes(from), `nats.conf says ${from}`);
    return rest.replaceAll(from, to);
  }, text);
}
const broker = await startBroker({ after }, { nodes: 3, conf });

const settings = (user) => Object.fromEntries(readFileSync(path.join(secrets, `${user}.env`), 'utf8').trim().split('\n').map((line) => line.split(/=(.*)/s)));
const address = (user) => new URL(settings(user).NQ_STORE.split(',')[0]);
async function join(t, user, { tls = {}, ...options } = {}) {
  const { username, password } = address(user);
  const trust = tls && { caFile: path.join(secrets, 'ca.crt'), host: hosts[0], ...tls }; // whose certificate has all three
  const client = await connect({ servers: hosts, user: username, pass: password, timeout: 5000, ...options, tls: trust });
  t.after(() => client.close());
  return client;
}

// What compose tells a service: its environment, and before that what its env_file has; secrets are files where they were made.
const composed = ['compose.yaml', 'compose.workers.yaml'].map((name) => load(readFileSync(path.join(docker, name), 'utf8')));
function told(service) {
  const env = Object.assign({}, ...composed.flatMap(({ services }) => services[service] ?? []).flatMap(({ env_file: files = [], environment }) =>
    [...files.map((file) => settings(file.match(/^nats\/secrets\/(\w+)\.env$/)[1])), environment]));
  const at = ([name, value]) => [name, String(value).replace(/^\/run\/secrets\/([\w-]+)$/, (_, secret) => path.join(folder, composed[1].secrets[secret].file))];
  return Object.fromEntries(Object.entries(env).map(at));
}

test('a server and a worker count with the files of compose.workers.yaml and secrets.sh', async (t) => {
  const server = await startAsTold(t, told('nqueensd'));
  const worker = await startWorkerAsTold(t, told('worker'));
  await hired(server, 1);
  const job = await server.begin({ n: 18, method: 'compute' });
  const done = await server.look(job.id, ({ state }) => state === 'done', 'the job is done', 120);
  assert.equal(done.result.count, Number(tables().all.terms[18]));
  assert.ok((await server.metric('nq_units_remote_total')) > 0);
  const all = server.stderr + worker.stderr + (await server.admin('/readyz')).text;
  for (const user of ['serve', 'worker']) assert.ok(!all.includes(address(user).password), 'no password is told');
});

// The flags of a command of a document.
function flagsIn(name, command) {
  const manual = readFileSync(path.join(docker, '../docs', name), 'utf8');
  const [, rest] = manual.match(new RegExp(`^nqueensd ${command} (--store \\S*PASSWORD.*)$`, 'm'));
  const { password } = address(command);
  return rest.replaceAll('PASSWORD', password).replace(/nats-(\d)/g, (_, i) => hosts[i]).replace('ca.crt', path.join(secrets, 'ca.crt')).split(' ');
}

// How a server of the broker answers a probe of Kubernetes.
const [container] = load(readFileSync(path.join(nats, 'statefulset.yaml'), 'utf8')).spec.template.spec.containers;
const probed = async (i, name) => (await broker.nodes[i].monitored(container[name].httpGet.path))?.[0];

test('the commands of docs/operations.md and of docs/scale.md count, also while the server is away that they name first; the probes answer', async (t) => {
  const [servers, workers] = [[], []];
  for (const name of ['operations.md', 'scale.md']) {
    servers.push(await startAsTold(t, {}, ...flagsIn(name, 'serve')));
    workers.push(await startWorkerAsTold(t, {}, ...flagsIn(name, 'worker')));
  }
  const before = `nats:${settings('worker').NQ_STORE}`; // as it was written before
  workers.push(await startWorkerAsTold(t, { NQ_STORE: before }, '--nats-ca', path.join(secrets, 'ca.crt')));
  for (const server of servers) await hired(server, 3);
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    for (const i of [0, 1, 2]) assert.equal(await probed(i, name), 200, name);
  const { id } = await servers[0].begin(long);
  await broker.kill(0);
  assert.equal(await probed(1, 'livenessProbe'), 200);
  const counted = () => Promise.all(workers.map((worker) => worker.metric('nq_worker_units_total')));
  const first = await counted();
  await until(async () => (await counted()).every((units, i) => units > first[i]), 'each worker counts without it', 60);
  for (const server of servers) {
    const { units } = await server.look(id);
    await server.look(id, ({ units: now }) => now.done > units.done, 'units are counted without it', 60);
  }
  await servers[0].delete(`/jobs/${id}`);
  await broker.restart(0);
  for (const i of [0, 1, 2]) await until(async () => (await probed(i, 'readinessProbe')) === 200, `${i} is ready`);
});

test('a worker has all the rights it needs', () => {
  assert.doesNotMatch(broker.nodes.map(({ log }) => log).join(''), /Violation/);
});

test('a worker has no other rights: streams, batches, messages of servers, subscriptions', async (t) => {
  const worker = await join(t, 'worker');
  const kinds = ['unit', 'job', 'result', 'claim'].map((kind) => `KV_nqueens_${kind}`);
  const verbs = ['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE', 'LEADER.STEPDOWN', 'PEER.REMOVE'].map((verb) => `STREAM.${verb}`);
  const subjects = [
    ...['NQUEENS_BATCHES', ...kinds, 'ANOTHER'].flatMap((stream) => [...verbs.map((verb) => `${verb}.${stream}`), `CONSUMER.CREATE.${stream}`, `CONSUMER.CREATE.${stream}.c`, `CONSUMER.DURABLE.CREATE.${stream}.c`, `CONSUMER.DELETE.${stream}.c`]),
    ...['STREAM.NAMES', 'STREAM.LIST', 'META.LEADER.STEPDOWN', 'ACCOUNT.PURGE.$G'],
  ].filter((rest) => rest !== 'STREAM.PURGE.KV_nqueens_unit') // what a worker stored too late it deletes
    .map((rest) => `$JS.API.${rest}`);
  subjects.push('nqueens.work.0.0.0.batch', 'nqueens.say.work.0', 'nqueens.audit.0', '$JS.API.STREAM.MSG.GET.KV_nqueens_claim', '_INBOX.0', '$JS.ACK.KV_nqueens_job.c.1.1.1.1.0', '$SYS.REQ.SERVER.PING', 'anything', ...['job', 'result', 'claim'].map((kind) => `$KV.nqueens_${kind}.0`));
  for (const subject of subjects) await assert.rejects(worker.request(subject, '', { timeout: 5000 }), /Permissions Violation/i, subject);
  for (const subject of ['>', '*', 'nqueens.>', 'nqueens.say.*.*', 'nqueens.say.report.*', 'nqueens.work.>', '$KV.>', '$JS.API.>']) {
    const refused = new Promise((resolve) => worker.subscribe(subject, { callback: (error) => resolve(error) }));
    assert.match((await within(refused, `${subject} is refused`)).message, /Permissions Violation/i, subject);
  }
});

test('nobody else can connect', async (t) => {
  for (const options of [{ pass: 'another' }, { user: undefined, pass: undefined }, { user: 'someone' }, { tls: { caFile: undefined } }, { tls: null }])
    await assert.rejects(join(t, 'worker', options), JSON.stringify(options));
});

test('clients receive only addresses that the certificate has', async (t) => {
  assert.deepEqual((await join(t, 'serve')).info.connect_urls ?? [], []);
});

test('secrets.sh: the names of the servers, private files, and nothing overwritten', () => {
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

test('secrets.sh: addresses have the ports that are named, also after a rotation; the certificate has hosts only', () => {
  const made = path.join(folder, 'ports');
  const run = (...words) => execFileSync(path.join(nats, 'secrets.sh'), words, { stdio: 'ignore' });
  run(made, 'nats.example', 'nats.example:5222', '127.0.0.1:6222');
  run('--rotate', made);
  for (const at of [made, path.join(made, 'next')]) {
    for (const user of ['serve', 'worker'])
      assert.match(readFileSync(path.join(at, `${user}.env`), 'utf8'), /^NQ_STORE=tls:[^@]*@nats\.example:4222,tls:[^@]*@nats\.example:5222,tls:[^@]*@127\.0\.0\.1:6222\n$/);
    for (const check of [['-checkhost', 'nats.example'], ['-checkip', '127.0.0.1']])
      assert.match(execFileSync('openssl', ['x509', '-in', path.join(at, 'server.crt'), '-noout', ...check], { encoding: 'utf8' }), /does match/);
  }
});

// Everybody has new ones, one after the other as they are rolled out, while a count goes on. NQ_LONG: the broker's servers are
// started again, as Kubernetes does it; otherwise they read their files again, as docs/operations.md has it for compose.
test('secrets are rotated under a running count without an interruption, and the old ones are invalid afterwards', async (t) => {
  const { username, password } = address('serve');
  const authority = path.join(folder, 'old.crt');
  copyFileSync(path.join(secrets, 'ca.crt'), authority);
  const renew = async (i) => {
    if (longer) {
      await broker.kill(i, 'SIGTERM');
      return broker.restart(i);
    }
    const { length } = broker.nodes[i].log;
    broker.nodes[i].process.kill('SIGHUP');
    await until(() => broker.nodes[i].log.slice(length).includes('Reloaded server configuration'), `${i} has read its files again`);
  };
  const begin = async () => [await startAsTold(t, told('nqueensd')), await startWorkerAsTold(t, told('worker'), '--kernel', 'scalar', '--threads', '1')];
  let [server, worker] = await begin();
  const replace = async () => {
    const before = [server, worker];
    [server, worker] = await begin();
    await hired(server, 2);
    for (const one of before) await one.stop();
  };
  await hired(server, 1);
  const since = broker.nodes.map(({ log }) => log.length);
  const n = 18;
  const { id } = await server.begin({ n, method: 'compute' });
  const seen = [];
  for (let step = 1; step <= 3; step++) {
    seen.push(execFileSync(path.join(nats, 'secrets.sh'), ['--rotate', secrets], { encoding: 'utf8' }));
    await renew(step % 3); // in whatever order: here one, then those who use them, then the others
    await replace();
    await renew((step + 1) % 3);
    await renew((step + 2) % 3);
    await server.look(id, ({ state }) => state === 'running' || state === 'done', 'the count goes on');
  }
  const trouble = broker.nodes.map(({ log }, i) => log.slice(since[i])).join('').split('\n').filter((line) => /\[ERR\].*(TLS|x509|certificate|Violation|uthori[sz]|uthentica)/.test(line) && !/i\/o timeout|EOF$/.test(line)); // a handshake that a stop cut is none
  assert.deepEqual(trouble, []);
  assert.deepEqual(seen.map((text) => text.match(/^Step (\d) of 3: /)[1]), ['1', '2', '3']);
  const done = await server.look(id, ({ state }) => state === 'done', 'the job is done', 120);
  assert.equal(done.result.count, Number(tables().all.terms[n]));
  await join(t, 'serve');
  await assert.rejects(join(t, 'serve', { user: username, pass: password }), /Authorization/i);
  await assert.rejects(join(t, 'serve', { tls: { caFile: authority } }), /certificate/i);
});
