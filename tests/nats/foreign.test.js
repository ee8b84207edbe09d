// foreign.test.js - what another client of the broker puts where stores keep jobs, or sends as a worker: it changes nothing, and the log
// reports it once, in plain words.
import { StringCodec } from 'nats';
import { after, assert, tables, test, until } from '../http/harness.js';
import { isDone } from '../http/storing.js';
import { shareBroker } from './broker.js';
import { hired, listener, madeUp, startServer } from './workers.js';

const share = await shareBroker({ after });
const codec = StringCodec();
const question = { n: 12, method: 'compute' };
const path = '/count?n=12&method=compute';
const count = Number(tables().all.terms[12]);

// The record of a job that is done, with another result.
async function forgedRecord(t) {
  const broker = share();
  const server = await startServer(t, broker.url);
  const { id } = await server.begin(question);
  await server.look(id, isDone);
  const { connection } = await listener(t, broker);
  const bucket = await connection.jetstream().views.kv('nqueens_job', { bindOnly: true });
  const record = JSON.parse(codec.decode((await bucket.get(id)).value));
  const forged = { ...record, body: record.body.replaceAll(String(count), '42') };
  assert.notEqual(forged.body, record.body);
  return { id, text: JSON.stringify(forged) };
}

const told = (server) => server.logs.filter(({ event, text }) => event === 'store' && /not written by nqueensd/.test(text));

test('records that no store has written change nothing, now and after a restart, and one line of the log reports them', async (t) => {
  const { id, text } = await forgedRecord(t);
  const broker = share();
  const first = await startServer(t, broker.url);
  const { connection } = await listener(t, broker);
  const put = (key) => connection.jetstream().publish(`$KV.nqueens_job.${key}`, codec.encode(text));
  await until(() => put(id).then(() => true, () => false), 'the bucket of jobs is there');
  await put('","state":"done","x":"'); // would forge a member of a line in the log
  for (const key of ['0123456789abcdef', '0123456789abcdeg']) await put(key);
  for (const server of [first, await startServer(t, broker.url)]) {
    await until(() => told(server).length > 0, 'it reports what it ignores');
    for (const key of ['0123456789abcdef', ...(server === first ? [id] : [])]) assert.equal((await server.get(`/jobs/${key}`)).status, 404);
    const job = await server.get(path, { prefer: 'respond-async' });
    const done = job.status === 202 ? await server.look(job.json.id, isDone) : { result: job.json };
    assert.equal(done.result.count, count);
    assert.equal((await server.getJson(path)).count, count);
    assert.equal(told(server).length, 1, JSON.stringify(told(server)));
    assert.ok(server.logs.every(({ event, id: name }) => event !== 'job' || /^[0-9a-f]{16}$/.test(name)));
  }
});

test('workers whose ids are none are ignored', async (t) => {
  const broker = share();
  const server = await startServer(t, broker.url);
  const client = await listener(t, broker);
  for (const name of ['no"id', 'no-id', 'a'.repeat(41)]) madeUp(t, client, name, 1);
  madeUp(t, client, 'id', 1);
  await hired(server, 1);
  assert.deepEqual(server.logs.filter(({ event }) => event === 'worker').map(({ text }) => text), ['id joined with 1 threads']);
});

test('a bucket of leaders that another client made without a time to live gets one: others could never take over', async (t) => {
  const broker = share();
  const { connection } = await listener(t, broker);
  const { jsm } = await connection.jetstream().views.kv('nqueens_claim');
  const lapses = async () => Number((await jsm.streams.info('KV_nqueens_claim')).config.max_age) / 1e9;
  assert.equal(await lapses(), 0);
  const server = await startServer(t, broker.url);
  madeUp(t, await listener(t, broker), 'id', 1);
  await hired(server, 1);
  const { id } = await server.begin({ n: 20, method: 'compute' });
  await until(async () => (await lapses()) === 12, 'its keys lapse');
  await server.delete(`/jobs/${id}`);
});
