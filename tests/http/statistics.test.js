// statistics.test.js - by= a statistic: all solutions by a quantity that each has, compared with published counts; as a job that a kill
// interrupts. Their definitions are compared in tests/unit/statistics.
import { readFileSync } from 'node:fs';
import { after, assert, slow, start, test, until } from './harness.js';
import { newFile, on } from './storing.js';

const server = await start({ after });
const { sequences } = JSON.parse(readFileSync(new URL('../data/sequences.json', import.meta.url)));
const published = (id) => sequences.find((sequence) => sequence.id === id);

test('rows of triangles, and classes, as they are published', async () => {
  const last = slow ? 10 : 13;
  for (const [by, id] of [['torus-conflicts', 'A181499'], ['torus-engaged', 'A181500'], ['torus-components', 'A181501'], ['torus-largest', 'A181502']]) {
    const { first, published: terms } = published(id);
    const { counts } = await server.getJson(`/count?n=1-${last}&by=${by}`);
    for (const { n, oeis, distribution } of counts) {
      const row = Array(n + 1).fill('0');
      for (const { value, count_text } of distribution) row[value] = count_text;
      const from = (n * (n + 1)) / 2 - first;
      assert.deepEqual([oeis, row], [id, terms.slice(from, from + n + 1)]);
    }
  }
  const { first, published: terms } = published('A062164');
  const { counts } = await server.getJson(`/count?n=1-${last}&by=torus-class`);
  for (const { n, classes, classes_text } of counts) assert.deepEqual([classes_text, `${classes}`], [terms[n - first], terms[n - first]]);
});

test('by other rules, but for classes', async () => {
  const { distribution } = await server.getJson('/count?n=7&rules=toroidal&by=torus-conflicts');
  assert.deepEqual(distribution, [{ value: 0, count: 28, count_text: '28' }]);
  const classes = await server.getJson('/count?n=5&rules=toroidal&by=first-column&distinct=fundamental');
  assert.equal(classes.count, 2);
  const touching = await server.getJson('/count?n=3&rules=semiqueens&by=fixed-points');
  assert.equal(touching.count, 3);
  assert.ok(!('oeis' in touching));
  const even = await server.getJson('/count?n=8&rules=touching&by=torus-conflicts'); // n / 2 apart two queens share both diagonals
  assert.deepEqual(even.distribution.map(({ value, count }) => [value, count]), [[2, 520], [4, 1908], [6, 1766], [8, 840], [10, 182], [12, 26]]);
  assert.ok(!('oeis' in even));
  const refused = await server.get('/count?n=7&rules=toroidal&by=torus-class');
  refused.isProblem(422, 'by');
  assert.equal(refused.json.errors[0].code, 'not-by-rule');
});

test('a dry run, a job, and the job of the next process', async (t) => {
  const file = newFile();
  const query = { n: 16, by: 'torus-class' };
  const first = await start(t, ...on(file), '--max-job-hours', 24);
  const { json: dry } = await first.post('/jobs?dry-run=true', { kind: 'count', ...query });
  assert.ok(dry.core_seconds > 5 && dry.memory_bytes < 4e6, JSON.stringify(dry));
  const { id } = await first.begin(query);
  const seen = await first.look(id, ({ units }) => units.done >= 2, 'some units are done');
  assert.equal(seen.units.total, 105);
  await first.stop();
  const second = await start(t, ...on(file), '--max-job-hours', 24);
  const job = await second.look(id, ({ units }) => units.total > 0, 'it is laid out again');
  assert.ok(job.units.restored >= seen.units.done, `${job.units.restored} of ${seen.units.done}`);
  await second.delete(job.self);
  await until(async () => (await second.metric('nq_searches_running')) === 0, 'the search is stopped');
});
