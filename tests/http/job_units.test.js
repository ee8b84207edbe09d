// job_units.test.js - GET /jobs/{id}/units: what each unit of a finished job came to, for who wants to count one of them again.
import { spawnSync } from 'node:child_process';
import { after, assert, binary, brisk, long, slow, start, tables, test } from './harness.js';
import { isDone, newFile, on } from './storing.js';

const { terms } = tables().all;
const server = await start({ after }, ...brisk);
const units = (job) => `${job.self}/units`;
const counted = async (from, query) => from.look((await from.begin(query)).id, isDone, 'it is counted', 120);

test('the list is what `nqueensd units` prints, and is kept (plain)', { skip: slow && 'a count of seconds' }, async (t) => {
  const file = newFile();
  const first = await start(t, ...on(file));
  const job = await counted(first, { n: 17 });
  const list = await first.get(units(job));
  assert.equal(list.status, 200);
  assert.equal(list.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(list.headers['cache-control'], 'no-store'); // the store may lose it
  const again = spawnSync(binary, ['units', '--n', '17'], { encoding: 'utf8' });
  assert.equal(list.text, again.stdout, again.stderr);
  assert.ok(list.text.endsWith(`\n# ${3 * terms[17]}\n`));
  await first.stop();

  const second = await start(t, ...on(file));
  assert.equal((await second.get(units(job))).text, list.text);
  const head = await second.get(units(job), {}, 'HEAD');
  assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, `${list.text.length}`, '']);
  const packed = await second.get(units(job), { 'accept-encoding': 'gzip' });
  assert.equal(packed.status, 200);

  // Another question, whose terms are this count and others: each has its lines, or one that says that it has none.
  const classes = await counted(second, { n: 17, distinct: 'fundamental' });
  const lists = (await second.get(units(classes))).text;
  assert.ok(lists.startsWith(list.text) && lists.length > list.text.length, lists.slice(list.text.length));
  for (const line of lists.slice(list.text.length).split('\n').slice(0, -1)) assert.match(line, /^(# .*|\d+ \d+)$/);
});

test('a job that is not done, a quick one, one with other units and an unknown one have no list', async () => {
  const running = await server.begin(long);
  const early = await server.get(units(running));
  early.isProblem(404);
  assert.match(early.json.detail, /when the job is done/);
  await server.delete(running.self);
  (await server.get(units(running))).isProblem(404);
  for (const query of [{ n: 9 }, { n: 9, by: 'index' }, { n: 9, by: 'torus-conflicts' }]) {
    const quick = await server.get(units(await counted(server, query)));
    quick.isProblem(404);
    assert.match(quick.json.detail, /no list of this job's units/);
  }
  const unknown = await server.get('/jobs/0123456789abcdef/units');
  unknown.isProblem(404);
  assert.match(unknown.json.detail, /no such job/);
  (await server.get('/jobs/0123456789abcdef/units', {}, 'POST')).isProblem(405);
});
