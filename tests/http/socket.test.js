// socket.test.js - unix sockets and sockets that are passed, as by systemd: files that come and go, who asks, and proxies.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { behindNginx } from './nginx.js';
import { assert, binary, Client, refuse, sleep, start, startWithin, temporaryFolder, test, until } from './harness.js';

const folder = temporaryFolder();
let doors = 0;
const door = () => path.join(folder, `door-${doors++}`);
const count = async (server, headers = {}, at = server.port) => {
  const client = await server.connect(at);
  const reply = await client.ask('GET', '/count?n=8', headers).reply();
  client.drop();
  assert.equal(reply?.json.count, 92);
  return reply;
};
const lineOf = async (server, id) => {
  const find = () => server.logs.find((line) => line.id === id);
  await until(find, `the log line of ${id}`);
  return find();
};
const endless = '/solve?n=25&format=ndjson';

test('a unix socket is served like a port, and its file is removed at the end', async (t) => {
  const [listen, admin] = [door(), door()];
  const server = await start(t, '--listen', `unix:${listen}`, '--admin', `unix:${admin}`);
  const first = server.logs.find((line) => line.event === 'listening');
  assert.deepEqual([first.address, first.admin], [`unix:${listen}`, `unix:${admin}`]);
  for (const file of [listen, admin]) {
    assert.ok(statSync(file).isSocket());
    assert.equal(statSync(file).mode & 0o777, 0o660);
  }
  await count(server, { 'x-request-id': 'local', 'x-forwarded-for': '203.0.113.5' });
  assert.equal((await lineOf(server, 'local')).client, 'unix');
  const text = execFileSync('curl', ['-sS', '--unix-socket', listen, 'http://localhost/solve?n=9&format=ndjson']).toString();
  assert.equal(text.trimEnd().split('\n').length, 353);
  assert.equal(spawnSync(binary, ['healthcheck', '--admin', `unix:${admin}`]).status, 0);
  await server.stop();
  assert.ok(!existsSync(listen) && !existsSync(admin));
  const { status, stderr } = spawnSync(binary, ['healthcheck', '--admin', `unix:${admin}`], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /No such file/);
});

// The kernel counts no bytes of such a connection: that a request is arriving is known by its first line, whose pieces may be looked at
// before they are read.
test('a request that does not arrive is a 408 at a unix socket, too', async (t) => {
  const listen = path.join(temporaryFolder(), 'late.sock');
  const server = await start(t, '--listen', `unix:${listen}`, '--request-seconds', 1, '--keep-alive-seconds', 3600);
  const [late, first, idle] = await Promise.all([1, 2, 3].map(() => Client.connect(listen)));
  assert.equal((await idle.ask('GET', '/count?n=8').reply()).status, 200);
  assert.equal((await first.ask('GET', '/count?n=8').reply()).status, 200); // kept alive
  for (const client of [late, first]) client.send('GET /count?n=9 HTTP/1.1\r\nHo');
  for (const client of [late, first]) (await client.reply()).isProblem(408);
  assert.equal((await idle.ask('GET', '/count?n=8').reply()).status, 200);
  await until(() => server.logs.filter(({ status }) => status === 408).length === 2, 'both are in the log');
});

test('a file that a dead server left is replaced; one in use, or no socket, stays', async (t) => {
  const [at, file] = [door(), door()];
  const dead = await start({ after() {} }, '--listen', `unix:${at}`);
  await dead.crash();
  assert.ok(existsSync(at));
  const server = await start(t, '--listen', `unix:${at}`);
  await count(server);
  const [code, text] = await refuse('--listen', `unix:${at}`);
  assert.equal(code, 1);
  assert.ok(text.includes(`cannot listen on --listen unix:${at}: Address already in use`), text);
  await count(server);
  writeFileSync(file, 'mine');
  assert.match((await refuse('--listen', `unix:${file}`))[1], /a file that is no socket/);
  assert.equal(statSync(file).size, 4);
  renameSync(file, at); // somebody took the place
  await server.stop();
  assert.equal(statSync(at).size, 4);
});

test('a file whose mode was changed is removed all the same', async (t) => {
  const server = await start(t, '--listen', `unix:${door()}`);
  await sleep(0.05);
  chmodSync(server.port, 0o666);
  await server.stop();
  assert.ok(!existsSync(server.port));
});

test('an abstract name', async (t) => {
  const name = `nqueensd-test-${process.pid}`;
  const server = await start(t, '--listen', `unix:@${name}`);
  const ask = () => spawnSync('curl', ['-sS', '--abstract-unix-socket', name, 'http://localhost/count?n=8'], { encoding: 'utf8' });
  assert.equal(JSON.parse(ask().stdout).count, 92);
  assert.match((await refuse('--listen', `unix:@${name}`))[1], /in use/);
});

test('disconnects are noticed, and truncated streams look truncated', async (t) => {
  const server = await start(t, '--listen', `unix:${door()}`, '--stream-seconds', 1);
  const client = (await server.connect()).ask('GET', '/solve?n=60&algorithm=bitboard&limit=10000');
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'it searches');
  client.drop();
  await until(async () => (await server.metric('nq_searches_running')) === 0, 'the search is stopped');
  const curl = (...flags) => spawnSync('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...flags, '--unix-socket', server.port, `http://localhost${endless}`]);
  assert.equal(curl('--http1.1').status, 18);
  assert.equal(curl('--http1.0').stdout.toString(), '505'); // where the end of a connection is the end of the stream, come what may
  const old = await server.connect();
  const reply = await old.ask('GET', endless, {}, '1.0').reply();
  reply.isProblem(505);
  assert.match(reply.json.type, /:http-version$/);
  assert.equal((await (await server.connect()).ask('GET', '/solve?n=8', {}, '1.0').reply()).json.total, 92);
  assert.equal((await (await server.connect()).ask('GET', '/construct?n=1000&format=octet-stream', {}, '1.0').reply()).status, 200);
});

test('behind nginx clients are those it names, if it is trusted', async (t) => {
  const server = await start(t, '--listen', `unix:${door()}`, '--trusted-proxies', 'unix', '--max-client-connections', 1);
  const front = await behindNginx(server.port, { gzip: 'off' });
  t.after(() => front.stop());
  const ask = async (target, id) => {
    const reply = await fetch(`http://127.0.0.1:${front.port}${target}`, { headers: { 'x-request-id': id } });
    assert.equal(reply.status, 200);
    return reply.text();
  };
  assert.equal(JSON.parse(await ask('/count?n=8', 'proxied')).count, 92);
  assert.equal((await lineOf(server, 'proxied')).client, '127.0.0.1');
  const texts = await Promise.all(Array.from({ length: 20 }, (_, i) => ask('/solve?n=10&format=ndjson', `stream-${i}`)));
  for (const text of texts) assert.equal(text.trimEnd().split('\n').length, 725);
});

// ---- Sockets that are passed ----

const activate = fileURLToPath(new URL('activate.pl', import.meta.url));
const passing = (sockets, env = []) => ['env', ...env, 'perl', activate, ...sockets, '--', 'setpriv', '--pdeathsig', 'KILL'];

test('sockets of systemd are chosen by name, and stay open when the server stops', async (t) => {
  const at = door();
  const wrapper = passing(['admin=127.0.0.1:0', `http=${at}`]);
  const server = await startWithin(t, wrapper, '--listen', 'systemd', '--admin', 'systemd');
  assert.equal(server.port, at);
  await count(server);
  assert.equal((await server.admin('/healthz')).status, 200);
  for (let life = 2; life <= 3; life++) {
    const client = await server.connect();
    assert.equal((await client.ask('GET', '/count?n=8').reply())?.status, 200);
    server.process.kill('SIGHUP');
    assert.ok(await client.end());
    const begun = () => server.logs.filter((line) => line.event === 'stopped').length;
    await until(() => begun() === life - 1, 'it has stopped');
    assert.ok(existsSync(at), 'the file is not ours to remove');
    await count(server); // which begins the next one
    assert.equal((await server.admin('/readyz')).status, 200);
    assert.equal(server.logs.filter((line) => line.event === 'listening').length, life);
  }
});

test('without names the first socket is the public one', async (t) => {
  for (const [sockets, env] of [[['=127.0.0.1:0'], ['NAMES=no']], [['nqueensd.socket=127.0.0.1:0'], []]]) {
    const server = await startWithin(t, passing(sockets, env), '--listen', 'systemd');
    await count(server);
    assert.equal((await server.admin('/healthz')).status, 200);
  }
});

test('only listening sockets meant for this process are accepted', async () => {
  const said = async (wrapper, ...flags) => {
    const [command, ...argv] = [...wrapper, binary, 'serve', '--store', 'memory', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', ...flags];
    const { status, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
    assert.notEqual(status, 0);
    return stderr;
  };
  assert.match(await said([], '--listen', 'systemd'), /cannot listen on --listen systemd: no socket was passed/);
  assert.match(await said(['env', 'LISTEN_PID=1', 'LISTEN_FDS=1'], '--listen', 'systemd'), /no socket was passed/);
  assert.match(await said(passing(['http=127.0.0.1:0']), '--listen', 'systemd', '--admin', 'systemd'), /--admin systemd: no socket of that name/);
  const shell = ['sh', '-c', 'exec 3</dev/null; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"', 'sh'];
  assert.match(await said(shell, '--listen', 'systemd'), /no listening stream socket/);
});
