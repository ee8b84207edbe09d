// Behind a real nginx as it comes: HTTP/1.0 towards its upstream, buffering on. What is cut must look cut there too.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { sleep, start, until } from './harness.js';

// A port nobody listens on now; nginx cannot pick one itself.
const freePort = () =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

// nginx in front of an upstream port; returns its own port.
async function nginx(t, upstream) {
  const folder = mkdtempSync(path.join(tmpdir(), 'nq-nginx-'));
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temp.join(' ')}
       server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream}; } } }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  t.after(async () => {
    child.kill('SIGKILL');
    await new Promise((resolve) => (child.exitCode ?? child.signalCode ? resolve() : child.once('close', resolve)));
    rmSync(folder, { recursive: true, force: true });
  });
  await until(() => answers(port), 'nginx');
  return port;
}

// curl's exit status and output.
function curl(...args) {
  try {
    return [0, execFileSync('curl', ['-sS', '--max-time', '300', ...args], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()];
  } catch (error) {
    return [error.status, error.stdout.toString()];
  }
}

test('answers and whole streams pass through nginx', async (t) => {
  const server = await start(t);
  const port = await nginx(t, server.port);
  const [status, text] = curl(`http://127.0.0.1:${port}/count?n=8`);
  assert.equal(status, 0);
  assert.equal(JSON.parse(text).count, 92);
  const [streamed, lines] = curl(`http://127.0.0.1:${port}/solve?n=9&format=ndjson`);
  assert.equal(streamed, 0);
  assert.equal(lines.trimEnd().split('\n').length, 353);
});

test('a stream cut by its lifetime looks cut behind nginx', async (t) => {
  const server = await start(t, '--stream-seconds', 1);
  const port = await nginx(t, server.port);
  const [status, text] = curl(`http://127.0.0.1:${port}/solve?n=20&format=ndjson`);
  assert.notEqual(status, 0, 'curl takes the stream for whole');
  assert.ok(text.length > 0, 'something came before the cut');
  assert.doesNotMatch(text, /"end":true/);
});

test('a stream cut by SIGTERM looks cut behind nginx', async (t) => {
  const server = await start(t, '--drain-seconds', 0);
  const port = await nginx(t, server.port);
  const child = spawn('curl', ['-sS', '-o', '/dev/null', `http://127.0.0.1:${port}/solve?n=20&format=ndjson`], { stdio: 'ignore' });
  const closed = new Promise((resolve) => child.once('close', resolve));
  await until(async () => (await server.metric('nq_solutions_streamed_total')) > 1000, 'a stream');
  await sleep(0.05);
  await server.stop();
  assert.notEqual(await closed, 0, 'curl takes the stream for whole');
});
