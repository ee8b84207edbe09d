// Behind a real nginx as it comes: HTTP/1.0 towards its upstream, buffering on. What is cut must look cut there too.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert, sleep, start, test, until } from './harness.js';

const answers = (door) =>
  new Promise((resolve) => {
    const socket = net.connect(door, () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

// nginx in front of an upstream port; returns the socket it listens on, a file: it cannot pick a free port itself.
async function nginx(t, upstream) {
  const folder = mkdtempSync(path.join(tmpdir(), 'nq-nginx-'));
  const door = path.join(folder, 'door');
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temp.join(' ')}
       server { listen unix:${door}; location / { proxy_pass http://127.0.0.1:${upstream}; } } }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  t.after(async () => {
    child.kill('SIGKILL');
    await new Promise((resolve) => (child.exitCode ?? child.signalCode ? resolve() : child.once('close', resolve)));
    rmSync(folder, { recursive: true, force: true });
  });
  await until(() => answers(door), 'nginx');
  return door;
}

// curl's exit status and output.
function curl(door, target) {
  const args = ['-sS', '--max-time', '300', '--unix-socket', door, `http://localhost${target}`];
  try {
    return [0, execFileSync('curl', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 30 }).toString()];
  } catch (error) {
    return [error.status, error.stdout.toString()];
  }
}

test('answers and whole streams pass through nginx', async (t) => {
  const server = await start(t);
  const door = await nginx(t, server.port);
  const [status, text] = curl(door, '/count?n=8');
  assert.equal(status, 0);
  assert.equal(JSON.parse(text).count, 92);
  const [streamed, lines] = curl(door, '/solve?n=9&format=ndjson');
  assert.equal(streamed, 0);
  assert.equal(lines.trimEnd().split('\n').length, 353);
});

test('a stream cut by its lifetime looks cut behind nginx', async (t) => {
  const server = await start(t, '--stream-seconds', Math.ceil(Number(process.env.NQ_PATIENCE))); // so that some of it comes
  const door = await nginx(t, server.port);
  const [status, text] = curl(door, '/solve?n=60&algorithm=mrv&format=ndjson');
  assert.ok(status > 0, `curl takes the stream for whole: ${status}`);
  assert.ok(text.length > 0, 'something came before the cut');
  assert.doesNotMatch(text, /"end":true/);
});

test('a stream cut by SIGTERM looks cut behind nginx', async (t) => {
  const server = await start(t, '--drain-seconds', 0);
  const door = await nginx(t, server.port);
  const args = ['-sS', '-o', '/dev/null', '--unix-socket', door, 'http://localhost/solve?n=20&format=ndjson'];
  const child = spawn('curl', args, { stdio: 'ignore' });
  const closed = new Promise((resolve) => child.once('close', resolve));
  await until(async () => (await server.metric('nq_solutions_streamed_total')) > 1000, 'a stream');
  await sleep(0.05);
  await server.stop();
  assert.notEqual(await closed, 0, 'curl takes the stream for whole');
});
