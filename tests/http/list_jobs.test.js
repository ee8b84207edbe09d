// list_jobs.test.js - lists and ranks whose total or index is a job that is done, perhaps of an earlier process.
import { execFileSync } from 'node:child_process';
import { assert, start, test } from './harness.js';
import { isDone, newFile, on } from './storing.js';

const prefer = 'respond-async';

// Asks for what becomes a job; the job, done. One that is done before it is acknowledged is an answer: then its question as a job.
async function begun(server, ask, query) {
  const reply = await ask(server);
  assert.ok([200, 202].includes(reply.status), reply.text);
  const { id } = reply.status === 202 ? reply.json : await server.begin(query);
  return server.look(id, isDone, 'the job is done', 120);
}

test('the result of a job that is done needs no search', async (t) => {
  const target = '/count?n=14&method=compute&exclude=1:1';
  const file = newFile();
  const first = await start(t, ...on(file));
  const job = await begun(first, (server) => server.get(target, { prefer }), { n: 14, exclude: '1:1' });
  await first.stop();

  const second = await start(t, ...on(file));
  for (const wish of [prefer, 'wait=0']) {
    const { status, json } = await second.get(target, { prefer: wish });
    assert.deepEqual([status, json], [200, job.result], wish);
  }
  assert.equal(await second.metric('nq_searches_started_total'), 0);
  assert.equal((await second.getJson(job.self)).shares, job.shares);
});

test('the total is that of a stored job', async (t) => {
  const target = '/solve?n=14&exclude=1:1&total=true&limit=1';
  const ask = (server) => server.get(target, { prefer });
  const file = newFile();
  const first = await start(t, ...on(file));
  const job = await begun(first, ask, { n: 14, exclude: '1:1' });
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

const listed = '/solve?n=13&distinct=mirror&offset=30000&limit=2';
const solution = { n: 15, permutation: [1, 3, 5, 2, 10, 12, 14, 4, 13, 9, 6, 15, 7, 11, 8] };
const asks = {
  list: [(server, headers) => server.get(listed, headers), { n: 13, distinct: 'mirror', by: 'index' }],
  rank: [(server, headers) => server.post('/verify?rank=true', solution, headers), { n: 15, by: 'index' }],
};

for (const [what, [ask, query]] of Object.entries(asks))
  test(`an index whose job is done, but that is not there any more, is made again for a ${what}`, async (t) => {
    const file = newFile();
    const first = await start(t, ...on(file));
    const job = await begun(first, (server) => ask(server, { prefer }), query);
    assert.match(job.query, /by=index/);
    const plain = await ask(first, { prefer: 'wait=600' });
    assert.equal(plain.status, 200);
    await first.stop();

    assert.equal(job.shares, 1);
    for (const options of [[], ['--cache-bytes', 1]]) {
      const server = await start(t, ...on(file), ...options);
      for (const prefer of ['respond-async', 'wait=0']) {
        const reply = await ask(server, { prefer });
        assert.deepEqual([reply.status, reply.text], [200, plain.text], prefer);
      }
      assert.ok((await server.metric('nq_searches_started_total')) <= 4); // of each request two: the index, and what is looked up in it
      assert.equal((await server.getJson(job.self)).shares, 1);
      await server.stop();
    }
  });

test('an index that takes longer than a client may wait, and whose job is done, is a 503', async (t) => {
  const file = newFile();
  const target = '/solve?n=20&offset=30000&limit=2'; // minutes on any machine
  const first = await start(t, ...on(file), '--drain-seconds', 0, '--threads', 1);
  const { status, json: job } = await first.get(target, { prefer });
  assert.equal(status, 202);
  await first.stop();
  // As if it were done, and the store had lost the units.
  const body = JSON.stringify(JSON.stringify({ n: 20, base: 1, count: 39029188884, count_text: '39029188884', provenance: 'computed' }));
  const record = `json_set(CAST(value AS TEXT), '$.state', 'done', '$.finished', json_extract(CAST(value AS TEXT), '$.created'), '$.body', json('${body}'))`;
  execFileSync('sqlite3', [file, `UPDATE job SET value = CAST(${record} AS BLOB), sum = NULL WHERE key = '${job.id}'; DELETE FROM unit`]);

  const second = await start(t, ...on(file), '--max-wait', 1, '--threads', 1);
  assert.equal((await second.getJson(job.self)).state, 'done');
  for (const wish of ['respond-async', 'wait=1']) {
    const reply = await second.get(target, { prefer: wish });
    reply.isProblem(503);
    assert.match(reply.json.type, /too-slow$/);
  }
});

test('a client whose requests became the job of an index owns it once, whatever their method', async (t) => {
  const server = await start(t, '--threads', 1);
  const { permutation } = await server.getJson('/construct?n=20');
  const verify = () => server.post('/verify?rank=true', { permutation }, { prefer });
  const list = () => server.get('/solve?n=20&offset=30000&limit=2', { prefer });
  for (const ask of [verify, verify, list, verify, list]) {
    const { status, json } = await ask();
    assert.deepEqual([status, json.query, json.shares], [202, '/count?n=20&method=compute&by=index', 1]);
  }
  const { self, shares } = await server.begin({ n: 20, by: 'index' });
  assert.equal(shares, 1);
  assert.equal((await server.delete(self)).json.state, 'cancelled');
});
