// mock.test.js - other tools that read openapi.yaml: Spectral finds no error in it, the mock of Prism answers with the plain example, and
// Prism as a proxy finds nothing in requests and replies of a client that breaks the contract.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, assert, start, temporaryFolder, test } from '../../http/harness.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const contract = path.join(here, '../../../openapi.yaml');
const bin = (name) => path.join(here, 'node_modules/.bin', name);

test('Spectral finds no error in the contract', async () => {
  const { stdout } = await promisify(execFile)(bin('spectral'), ['lint', contract, '--fail-severity', 'error', '--ruleset', path.join(here, 'spectral.yaml')]);
  assert.match(stdout, /\(0 errors,|No results/);
});

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

// Starts Prism and returns its port.
async function prism(command, ...rest) {
  const port = await freePort();
  const child = spawn(bin('prism'), [command, '-h', '127.0.0.1', '-p', port, contract, ...rest], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => child.kill());
  for await (const line of createInterface(child.stdout)) if (line.includes('listening on')) break;
  child.stdout.resume();
  return port;
}

test('Prism as a proxy finds no violation in what clients ask and get', async () => {
  const server = await start({ after });
  const port = await prism('proxy', `http://127.0.0.1:${server.port}`, '--errors');
  const folder = temporaryFolder();
  await promisify(execFile)(path.join(here, '../node_modules/.bin/tsc'), ['--target', 'es2022', '--module', 'es2022', '--outDir', folder, path.join(here, '../calls.ts')]);
  const { questions: asked } = await import(path.join(folder, 'calls.js'));
  // Prism says what breaks the contract in `sl-violations`, or replies with a 4xx or 5xx of its own.
  const ask = async (target, { method = 'GET', body, status = 200 } = {}) => {
    const options = body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await fetch(`http://127.0.0.1:${port}${target}`, { method, ...options });
    const text = await reply.text();
    assert.equal(reply.headers.get('sl-violations'), null, target);
    assert.ok([status].flat().includes(reply.status), `${target}: ${reply.status} ${text.slice(0, 1000)}`);
    return text;
  };
  const search = (query) => new URLSearchParams(query);
  for (const name of ['solve', 'count', 'construct', 'puzzle', 'hint', 'trace', 'compare', 'embed']) await ask(`/${name}?${search(asked[name])}`);
  await ask(`/verify?${search(asked.check)}`);
  await ask('/verify', { method: 'POST', body: asked.verify });
  for (const target of ['/algorithms', '/openapi.yaml', '/openapi.json', '/', '/docs']) await ask(target);
  const { id } = JSON.parse(await ask('/jobs', { method: 'POST', body: asked.startJob, status: [200, 202] }));
  for (const at of ['/events', '']) await ask(`/jobs/${id}${at}`);
  await ask(`/jobs/${id}/units`, { status: 404 });
  await ask(`/jobs/${id}`, { method: 'DELETE' });
});

test('the mock of Prism answers with the plain example', async () => {
  const port = await prism('mock');
  const ask = async (target, body) => {
    const options = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await fetch(`http://127.0.0.1:${port}${target}`, options);
    assert.ok(reply.ok, `${target}: ${reply.status}`);
    return reply.json();
  };
  assert.equal((await ask('/count?n=8')).count, 92);
  assert.deepEqual((await ask('/solve?n=8')).solutions[0].permutation, [1, 5, 8, 6, 3, 7, 2, 4]);
  assert.equal((await ask('/construct?n=8')).n, 8);
  assert.equal((await ask('/puzzle?n=8')).n, 8);
  assert.equal((await ask('/trace?n=4')).steps[0].do, 'place');
  assert.equal((await ask('/verify', { permutation: [1, 5, 8, 6, 3, 7, 2, 4] })).valid, true);
  assert.equal((await ask('/jobs', { kind: 'count', n: 8 })).kind, 'count');
});
