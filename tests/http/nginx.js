// nginx.js - a real nginx with docker/nginx.conf, as it is but for where it listens, what it asks and where it keeps things.
// It knows nothing of what passes through.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { patience } from './harness.js';
import { freePort } from './ports.js';

export { freePort };

export const conf = fileURLToPath(new URL('../../docker/nginx.conf', import.meta.url));
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

export const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

// Whether the nginx that is here looks names up again, as that of compose.yaml does: since 1.27.3.
const [, major, minor, patch] = spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr.match(/(\d+)\.(\d+)\.(\d+)/).map(Number);
export const resolves = major * 1e6 + minor * 1e3 + patch >= 1027003;

// The configuration with other places; every one of them must be there to be replaced. resolver: the port of one that is asked for
// the name instead; upstreams are then not told.
function settled(port, upstreams, folder, { gzip = 'on', cache = 'on', resolver }) {
  const replica = (upstream) => `server ${typeof upstream !== 'string' ? `127.0.0.1:${upstream}` : upstream.includes(':') ? upstream : `unix:${upstream}`}`;
  const told = /server nqueensd:8080 resolve([^;]*;)/;
  const places = [
    ['gzip on;', `gzip ${gzip};`],
    ['default answers;', `default ${cache === 'on' ? 'answers' : 'off'};`],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    [told, resolver ? '$&' : upstreams.map((upstream) => `${replica(upstream)}$1`).join(' ')],
    ['resolver 127.0.0.11 ', `resolver 127.0.0.1${resolver ? `:${resolver}` : ''} `],
    ['/tmp/nginx', `${folder}/nginx`],
    ['/var/cache/nginx', folder],
  ];
  return places.reduce((text, [from, to]) => {
    assert.ok(from instanceof RegExp ? from.test(text) : text.includes(from), `${conf} does not say ${from}`);
    return from instanceof RegExp ? text.replace(from, to) : text.replaceAll(from, to);
  }, readFileSync(conf, 'utf8'));
}

// In front of a port, of a host and a port, of the path of a unix socket, or of several of them; { port, stderr(), stop() }. gzip 'off': bodies as the
// service sends them; cache 'off': every request reaches it.
export async function behindNginx(upstream, changes = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'nq-front-'));
  const file = path.join(folder, 'nginx.conf');
  for (let tries = 1; ; tries++) {
    const port = await freePort(); // nginx cannot pick one itself
    writeFileSync(file, settled(port, [upstream].flat(), folder, changes));
    // setpriv: it does not outlive who started it, however that ends.
    const command = ['--pdeathsig', 'KILL', 'nginx', '-p', folder, '-c', file, '-g', 'daemon off; master_process off;'];
    const child = spawn('setpriv', command, { stdio: ['ignore', 'ignore', 'pipe'] });
    const closed = new Promise((resolve) => child.once('close', resolve));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const stop = async () => {
      kill();
      await closed;
      process.removeListener('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    };
    const end = Date.now() + 30000 * patience;
    while (child.exitCode === null && !(await answers(port)) && Date.now() < end) await sleep(0.02);
    if (child.exitCode === null && (await answers(port))) return { port, stderr: () => stderr, stop };
    kill();
    await closed;
    process.removeListener('exit', kill);
    const taken = stderr.includes('Address already in use'); // by someone else, in between
    if (!taken || tries === 5) {
      rmSync(folder, { recursive: true, force: true });
      assert.fail(`nginx does not start: ${stderr}`);
    }
  }
}
