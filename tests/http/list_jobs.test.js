// list_jobs.test.js - lists and ranks whose total or index is a job that is done, perhaps of an earlier process.
import { assert, start, test } from './harness.js';
import { isDone, newFile, on } from './storing.js';

const prefer = 'respond-async';

// Asks for what first becomes a job; the job, done.
async function begun(server, ask) {
  const reply = await ask(server);
  assert.equal(reply.status, 202, reply.text);
  return server.look(reply.json.id, isDone, 'the job is done', 120);
}

test('the total is that of a stored job', async (t) => {
  const target = '/solve?n=14&exclude=1:1&total=true&limit=1';
  const ask = (server) => server.get(target, { prefer });
  const file = newFile();
  const first = await start(t, ...on(file));
  const job = await begun(first, ask);
  const before = await ask(first);
  await first.stop();

  const second = await start(t, ...on(file));
  const { status, json, headers } = await ask(second); // the first that asks: nothing is cached
  assert.deepEqual([status, json.total, json.total_text], [200, job.result.count, job.result.count_text]);
  assert.ok(json.next && headers.link, JSON.stringify(json));
  assert.deepEqual([json, headers.etag], [before.json, before.headers.etag]);
  assert.deepEqual((await second.get(target)).json, before.json);
  assert.equal((await second.getJson(`/jobs/${job.id}`)).shares, job.shares);
});
