// mock.test.js - other tools that read openapi.yaml: Spectral finds no error in it, and the mock of Prism answers with the plain example.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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

test('the mock of Prism answers with the plain example', async () => {
  const port = await freePort();
  const mock = spawn(bin('prism'), ['mock', '-h', '127.0.0.1', '-p', port, contract], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => mock.kill());
  const lines = createInterface(mock.stdout);
  for await (const line of lines) if (line.includes('listening on')) break;
  mock.stdout.resume();
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
