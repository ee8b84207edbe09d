// operator.test.js - what the log, /readyz and the commands tell the person who runs the service: where its threads come from.
import { execFileSync } from 'node:child_process';
import { assert, startWithin, test, until } from './harness.js';

const event = async (server, name) => {
  await until(() => server.logs.some((line) => line.event === name), `the log has a line ${name}`);
  return server.logs.findLast((line) => line.event === name).text;
};

test('the log says how many threads search, and why so many', async (t) => {
  const allowed = execFileSync('nproc', { encoding: 'utf8', env: { PATH: process.env.PATH } }).trim();
  assert.equal(await event(await startWithin(t, [], '--threads', '3'), 'threads'), '3 search threads: set by --threads or NQ_THREADS');
  assert.match(await event(await startWithin(t, [], '--threads', '0'), 'threads'), new RegExp(
    `^(${allowed} search threads?: (the processors|the affinity) |\\d+ search threads?: a CPU quota of \\d+\\.\\d{3} processors; without it ${allowed}$)`));
  if (allowed === '1') return;
  const first = execFileSync('sh', ['-c', "taskset -cp $$ | sed 's/.*: //; s/[-,].*//'"], { encoding: 'utf8' }).trim();
  assert.match(await event(await startWithin(t, ['taskset', '-c', first], '--threads', '0'), 'threads'), /^1 search thread: (the affinity of the process, 1 of \d+ processors|the processors of the machine)$/);
});
