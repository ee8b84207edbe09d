// older.test.js - what a release has left behind, read by the builds after it: tests/data/release-VERSION has jobs of every kind, one of
// them half-way, and cursors; http/older.js says how they were made. A job that is over stays what it is, and one half-way goes on from
// its units. Cursors belong to one release: another one refuses them in words.
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildAs, buildOf, release } from '../nats/release.js';
import { assert, binary, start, test } from './harness.js';
import { folderOf, startProgram } from './older.js';
import { isDone, newFile, on } from './storing.js';

const OLDER = ['1.0.0'];

// A copy of the store of a release, and what was asked of it.
function leftBy(version) {
  const file = newFile();
  copyFileSync(path.join(folderOf(version), 'store.db'), file);
  return { file, ...JSON.parse(readFileSync(path.join(folderOf(version), 'asked.json'), 'utf8')) };
}

// The jobs that were over then are what they were, by their ids and for who asks the same again.
async function areOver(server, jobs) {
  for (const { job } of jobs) assert.deepEqual(await server.getJson(job.self), job);
  assert.ok(jobs.filter(({ job }) => isDone(job)).length > 20);
}

// The job that was half-way goes on, with the units that were stored unless they are another build's.
async function goesOn(server, { id, done }, restored) {
  const job = await server.look(id, ({ units }) => units.total > 0, 'it is laid out', 120);
  assert.ok(restored ? job.units.restored >= done : job.units.restored === 0, JSON.stringify(job.units));
}

for (const version of OLDER) {
  test(`the jobs and the cursors of ${version} are read by a build of that name`, async (t) => {
    const { file, jobs, half, pages } = leftBy(version);
    const server = await startProgram(t, buildAs(version), ...on(file), '--kernel', 'auto');
    await areOver(server, jobs);
    await goesOn(server, half, true);
    const { result } = await server.look(half.id, isDone, 'the job is done', 120);
    assert.deepEqual([result.count, result.n], [half.count, half.asked.n]);
    for (const { asked, job } of jobs.filter((one) => isDone(one.job))) assert.deepEqual((await server.begin(asked)).result, job.result);
    assert.ok(pages.length >= 10);
    for (const { question, next, body } of pages) {
      assert.equal((await server.get(next)).text, body, next);
      assert.equal((await server.getJson(question)).next, next);
    }
  });

  test(`the jobs of ${version} are read by the next release, which refuses its cursors`, async (t) => {
    const { file, jobs, half, pages } = leftBy(version);
    const server = await startProgram(t, buildAs(`${release}-next`), ...on(file), '--kernel', 'auto');
    await areOver(server, jobs);
    await goesOn(server, half, true);
    assert.equal((await server.delete(`/jobs/${half.id}`)).json.state, 'cancelled'); // or it would count beside all that follow
    for (const { asked, job } of jobs.filter((one) => isDone(one.job))) {
      const { id } = await server.begin(asked); // a job of its own
      assert.notEqual(id, job.id);
      assert.deepEqual((await server.look(id, isDone)).result, job.result);
    }
    for (const { next } of pages) {
      const reply = await server.get(next);
      reply.isProblem(400, 'cursor');
      assert.equal(reply.json.errors[0].code, 'not-a-cursor');
    }
  });

  test(`the binary reads the jobs of ${version}, and if it is no release counts anew what was half-way`, async (t) => {
    const { file, jobs, half } = leftBy(version);
    const server = await start(t, ...on(file), '--kernel', 'auto');
    await areOver(server, jobs);
    await goesOn(server, half, !buildOf(binary).includes('+'));
  });
}
