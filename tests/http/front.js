#!/usr/bin/env node
// front.js - stands in for the server's binary in the tests: NQUEENSD=tests/http/front.js runs the image NQ_IMAGE, or without
// one the binary that was built, behind nginx with docker/nginx.conf unless NQ_FRONT is "none". What it tells of is nginx's port; the rest passes through.
// Without gzip, which makes tags weak: the tests compare with the contract of the service itself.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { behindNginx } from './nginx.js';

const built = path.join(fileURLToPath(new URL('../..', import.meta.url)), 'build/nqueensd');
const flags = process.argv.slice(2);
// As it is to be run anywhere: nothing to write to, nothing that it may, as the user that the image says. Its network is the host's,
// because the tests ask from there.
const container = ['run', '--rm', '--runtime', 'runc', '--network', 'host', '--read-only', '--cap-drop', 'all'];
const { NQ_IMAGE: image, NQ_FRONT: between } = process.env;
const [command, ...argv] = image
  ? ['podman', ...container, '--security-opt', 'no-new-privileges', image, ...flags]
  : [built, ...flags];

const child = spawn(command, argv, { stdio: ['ignore', 'inherit', 'pipe'] });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
process.once('exit', () => child.kill('SIGKILL'));

let front;
for await (const line of createInterface({ input: child.stderr })) {
  let told = line;
  if (between !== 'none' && line.startsWith('{"') && line.includes('"event":"listening"')) {
    const event = JSON.parse(line);
    front = await behindNginx(Number(event.address.split(':').at(-1)), { gzip: 'off' });
    told = JSON.stringify({ ...event, address: `127.0.0.1:${front.port}` });
  }
  process.stderr.write(`${told}\n`);
}
const status = await new Promise((resolve) => {
  if (child.exitCode !== null || child.signalCode) resolve(child.exitCode ?? 1);
  child.once('close', (code) => resolve(code ?? 1));
});
await front?.stop();
process.exit(status);
