// healthcheck.test.js - `nqueensd healthcheck`: the server itself as the client that containers need.
import { spawn } from 'node:child_process';
import net from 'node:net';
import { after, assert, binary, start, test, within } from './harness.js';

const server = await start({ after });

// [exit status, standard error]
function check(flags, env = {}) {
  const child = spawn(binary, ['healthcheck', ...flags], { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => (text += piece));
  const closed = new Promise((resolve) => child.once('close', (code, signal) => resolve([code ?? signal, text])));
  return within(closed, 'an exit status');
}

// Someone who is not nqueensd; what it does with a connection is given.
async function stranger(t, answer) {
  const listener = net.createServer((socket) => answer(socket.on('error', () => {})));
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  t.after(() => listener.close());
  return `127.0.0.1:${listener.address().port}`;
}

test('a running server is healthy', async () => {
  const admin = `127.0.0.1:${server.adminPort}`;
  assert.deepEqual(await check(['--admin', admin]), [0, '']);
  assert.deepEqual(await check([`--admin=localhost:${server.adminPort}`]), [0, '']);
  assert.deepEqual(await check([`--admin=:${server.adminPort}`]), [0, ''], 'no host is this machine');
  assert.deepEqual(await check([`--admin=0.0.0.0:${server.adminPort}`]), [0, ''], 'as one listens everywhere');
});

test('the environment names the server, as it does for serve', async () => {
  assert.deepEqual(await check([], { NQ_ADMIN: `127.0.0.1:${server.adminPort}` }), [0, '']);
  assert.equal((await check([], { NQ_ADMIN: '127.0.0.1:1' }))[0], 1);
});

test('no server, or another program, is not healthy', async (t) => {
  const other = await start(t);
  const admin = `127.0.0.1:${other.adminPort}`;
  await other.stop();
  assert.deepEqual(await check(['--admin', admin]), [1, `nqueensd: healthcheck: ${admin}: Connection refused\n`]);
  assert.equal((await check(['--admin', `127.0.0.1:${server.port}`]))[0], 1, 'the public port has no /healthz');
  const odd = [
    (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
    (socket) => socket.end('HTTP/1.1 20'),
    (socket) => socket.destroy(),
    (socket) => socket.end('SSH-2.0-of some kind or other\r\n'),
  ];
  for (const answer of odd) {
    const [code, text] = await check(['--admin', await stranger(t, answer)]);
    assert.deepEqual([code, /the answer is not 200/.test(text)], [1, true], `${answer}: ${text}`);
  }
});

test('a server that hangs is not healthy', async (t) => {
  const held = [];
  const where = await stranger(t, (socket) => held.push(socket));
  t.after(() => held.forEach((socket) => socket.destroy()));
  const [code, text] = await check(['--admin', where]);
  assert.equal(code, 1);
  assert.match(text, /no answer in time/);
});

test('without a second port the check fails', async () => {
  for (const admin of ['off', '127.0.0.1:0', 'systemd']) {
    const [code, text] = await check(['--admin', admin]);
    assert.equal(code, 1);
    assert.match(text, /off or unknown/);
  }
});

test('an unknown flag exits with 2', async () => {
  assert.equal((await check(['--color', 'red']))[0], 2);
});
