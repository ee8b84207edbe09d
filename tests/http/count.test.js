// count.test.js - GET /count: the right number, and where it comes from.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { binary, slow, start, tables } from './harness.js';

const server = await start({ after });
const { terms } = tables().all;

test('every kernel this machine has counts the same', async (t) => {
  const table = execFileSync(binary, ['bench', 'count', '--n', '5', '--rounds', '1']).toString();
  const names = [...table.matchAll(/^search (\S+)/gm)].map(([, name]) => name);
  assert.ok(names.includes('scalar'));
  for (const name of ['auto', ...names]) {
    const server = await start(t, '--kernel', name);
    assert.equal((await server.getJson('/count?n=12&method=compute')).count, 14200, name);
  }
});

test('computed numbers are those of the table', async () => {
  for (let n = 0; n <= (slow ? 12 : 14); n++) {
    const expected = { n, base: 1, count: terms[n], count_text: `${terms[n]}` };
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=compute`), { ...expected, provenance: 'computed' });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=table`), {
      ...expected,
      provenance: 'table',
      oeis: 'A000170',
    });
    assert.deepEqual(await server.getJson(`/count?n=${n}&method=auto`), { ...expected, provenance: 'computed' });
  }
});

test('auto computes up to 16 and looks up to 27', async () => {
  if (!slow) assert.equal((await server.getJson('/count?n=16')).provenance, 'computed');
  for (let n = 17; n <= 27; n++) {
    const fact = await server.getJson(`/count?n=${n}`);
    assert.equal(fact.provenance, 'table');
    assert.equal(fact.oeis, 'A000170');
    assert.equal(fact.count, terms[n]);
  }
});

test('numbers above 2^53 keep their digits', async () => {
  const { text, json } = await server.get('/count?n=27');
  assert.match(text, /"count": ?234907967154122528[,}]/);
  assert.equal(json.count_text, '234907967154122528');
});

test('base is repeated, for every reply states it', async () => {
  assert.equal((await server.getJson('/count?n=6&base=0')).base, 0);
});

test('limits are told', async () => {
  for (const [target, limit] of [
    ['n=28&method=table', 27],
    ['n=33&method=compute', 32],
    ['n=4294967304', 1000000000],
  ]) {
    const reply = await server.get(`/count?${target}`);
    reply.isProblem(422, 'n');
    assert.match(reply.json.errors[0].reason, new RegExp(`\\b${limit}\\b`), target);
  }
});
