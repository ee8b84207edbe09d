// operator.test.js - what the log, /readyz and the commands tell the person who runs the service: where its threads come from, what
// a reload failed for, and what is wrong with the settings before it starts.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert, binary, start, startAsTold, startWithin, temporaryFolder, test, until } from './harness.js';

const folder = temporaryFolder();
const file = (name, text) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

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

test('a reload that fails is in /readyz and in the metrics until one succeeds; the service stays ready', async (t) => {
  const line = (name) => `${name} ${'0'.repeat(64)}\n`;
  const keys = file('keys', line('ann'));
  const begun = Date.now() / 1000;
  const server = await start(t, '--api-keys', keys);
  const reload = async (text) => {
    writeFileSync(keys, text);
    const before = server.logs.filter((line) => line.event === 'keys').length;
    server.process.kill('SIGHUP');
    await until(() => server.logs.filter((line) => line.event === 'keys').length > before, 'it has read the file');
    return (await server.admin('/readyz')).json;
  };
  const metrics = async () => [await server.metric('nq_reload_success'), await server.metric('nq_reload_timestamp_seconds')];
  const [success, time] = await metrics();
  assert.ok(success === 1 && Math.abs(time - begun) < 30, `${success} ${time}`);
  const failed = await reload(`${line('ann')}nonsense\n`);
  assert.equal(failed.status, 'ready');
  assert.deepEqual(failed.notes.map(({ what }) => what), ['reload']);
  assert.match(failed.notes[0].detail, /SIGHUP.* failed: .*keys: line 2: .* Correct the file and send SIGHUP again\.$/);
  assert.equal((await metrics())[0], 0);
  assert.deepEqual(await reload(line('bob')), { status: 'ready' });
  const [again, later] = await metrics();
  assert.ok(again === 1 && later >= time, `${again} ${later}`);
});

const check = (flags, env = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, ['serve', '--check', ...flags], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder, ...env } });
  return [status, stdout, stderr];
};
const sound = 'nqueensd: the configuration is sound\n';

test('--check says that settings are sound, or every fault, and starts nothing', async (t) => {
  const keys = file('good', `ann ${'0'.repeat(64)}\n`);
  const running = await start(t);
  for (const flags of [[], ['--store', 'memory'], ['--api-keys', keys], ['--store', `sqlite:${folder}/new/a.db`], ['--listen', `unix:${folder}/socket`], ['--listen', 'systemd', '--admin', 'off'],
    ['--listen', `127.0.0.1:${running.port}`], ['--store', 'nats://127.0.0.1:1']])
    assert.deepEqual(check(flags), [0, sound, ''], flags.join(' '));
  assert.ok(!existsSync(path.join(folder, 'new')) && !existsSync(path.join(folder, 'socket')) && !existsSync(path.join(folder, '.local')));
  assert.equal(check([], { NQ_MAX_WAIT: 'long' })[0], 2);
  assert.equal(check(['--kernel', 'abacus', '--store', 'paper'])[2].trim().split('\n').length, 2); // all faults at once
  assert.equal(check(['--log', 'json', '--queue', '0'])[2].trim().split('\n').map(JSON.parse)[0].event, 'fatal');
});

test('--check does not disturb a store that a server has open', async (t) => {
  const store = `sqlite:${folder}/open.db`;
  const server = await start(t, '--store', store);
  assert.deepEqual(check(['--store', store]), [0, sound, '']);
  assert.equal((await server.get('/count?n=9')).status, 200);
  await until(async () => (await server.metric('nq_store_broken')) === 0, 'the store works');
});

test('a variable that is no setting is a warning with the nearest name', async (t) => {
  assert.deepEqual(check([], { NQ_LISTN: '1' }), [0, sound, 'nqueensd: warning: NQ_LISTN has no effect: no setting has this name; the nearest is NQ_LISTEN\n']);
  assert.match(check([], { NQ_MAXWAIT: '1' })[2], /nearest is NQ_MAX_WAIT\n/);
  assert.match(check([], { NQ_XYLOPHONE: '1' })[2], /NQ_XYLOPHONE has no effect: no setting has this name; --help lists them\n/);
  assert.deepEqual(check([], { NQUEENSD_SERVICE_HOST: '10.0.0.1', nq_listn: '1', NQ_MAX_WAIT: '5' }), [0, sound, '']);
  const server = await startAsTold(t, { NQ_CACHE_BITES: '1M' }, '--store', 'memory');
  await until(() => server.logs.some(({ event, text }) => event === 'settings' && /NQ_CACHE_BITES .*NQ_CACHE_BYTES$/.test(text)), 'the log warns');
  assert.equal(server.logs[0].event, 'listening'); // the first line, whatever follows
});

test('with --log json whatever ends a start is a line of JSON, and says what the text says', async () => {
  for (const [flags, code] of [[['--queue', '0'], 2], [['--no-such=1'], 2], [['--kernel', 'abacus'], 2], [['--api-keys', '/none'], 2], [['--store', 'paper'], 1], [['--listen', '192.0.2.1:80'], 1]]) {
    const run = (...form) => spawnSync(binary, ['serve', ...form, '--store', 'memory', ...flags], { encoding: 'utf8' });
    const [text, json] = [run(), run('--log=json')];
    assert.deepEqual([text.status, json.status], [code, code], json.stderr);
    const lines = json.stderr.trim().split('\n').map(JSON.parse);
    assert.deepEqual(lines.map(({ event }) => event), ['fatal']);
    assert.equal(`nqueensd: ${lines[0].text}\n`, text.stderr);
    assert.match(lines[0].time, /^\d{4}-\d\d-\d\dT.*Z$/);
  }
  const told = spawnSync(binary, ['serve', '--queue', '0'], { encoding: 'utf8', env: { ...process.env, NQ_LOG: 'json' } });
  assert.equal(JSON.parse(told.stderr).event, 'fatal');
});
