// resume.test.js - traces as server-sent events that go on after a cut: what an EventSource of a browser does, without one.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const events = (query) => `/trace?${query}&format=events`;
const stepsOf = async (query) => (await server.get(`/trace?${query}&format=ndjson`)).lines.slice(0, -1);

// As the standard of HTML has it: connects again after each end of the stream, with the id of the last event, until it gets something
// else than 200. `cuts`: after so many events it loses the connection instead, once each.
async function eventSource(target, cuts = []) {
  const [heard, statuses] = [[], []];
  let last;
  for (const cut of [...cuts, Infinity, Infinity]) {
    const client = await server.connect();
    const head = await client.ask('GET', target, last === undefined ? {} : { 'Last-Event-ID': last }).head();
    statuses.push(head.status);
    client.drop();
    if (head.status !== 200) break;
    const stream = await server.listenTo(target, last === undefined ? {} : { 'Last-Event-ID': last });
    let left = cut;
    for await (const { id, event, data } of stream.events) {
      heard.push({ id, event, data });
      last = id;
      if (!--left) break;
    }
    stream.drop();
  }
  return { heard, statuses };
}

test('a reader that does not close hears each step once, then the end, then 204', async () => {
  const query = 'n=6&algorithm=rapella';
  for (const cuts of [[], [1], [3, 1, 40]]) {
    const { heard, statuses } = await eventSource(events(query), cuts);
    assert.deepEqual(statuses, [...cuts.map(() => 200), 200, 204]);
    assert.deepEqual(heard.slice(0, -1).map(({ data }) => data), await stepsOf(query));
    assert.deepEqual([heard.at(-1).event, heard.at(-1).id], ['end', 'end']);
  }
});

test('statistics are those of the whole trace, returned those of this reply', async () => {
  const target = events('n=5&algorithm=bitboard');
  const whole = (await eventSource(target)).heard.at(-1).data;
  const { heard } = await eventSource(target, [7]);
  assert.deepEqual(heard.at(-1).data, { ...whole, returned: whole.returned - 7 });
});

test('limit counts the steps before; where it ends the link is the same', async () => {
  const target = events('n=6&algorithm=rapella&limit=10');
  const whole = (await eventSource(target)).heard;
  assert.equal(whole.length, 11);
  for (const last of [0, 4, 8, 9]) {
    const { text } = await server.get(target, { 'last-event-id': `${last}` });
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    assert.deepEqual(ids, whole.slice(last + 1).map(({ id }) => id));
    const end = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6));
    assert.deepEqual(end, { ...whole.at(-1).data, returned: 9 - last });
  }
  const { next } = whole.at(-1).data; // the next ten, and within them
  const { text } = await server.get(next, { 'last-event-id': '17' });
  assert.deepEqual([...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id), ['18', '19', 'end']);
  const earlier = await server.get(next, { 'last-event-id': '3' }); // of no event of this reply
  assert.match(earlier.text, /^id: 10\n/);
});

test('a drawn seed goes on', async () => {
  const target = events('n=8&algorithm=min-conflicts');
  const { heard } = await eventSource(target, [1]);
  const [, seed] = /^0-(\d+)$/.exec(heard[0].id);
  assert.deepEqual(heard.slice(0, -1).map(({ data }) => data), await stepsOf(`n=8&algorithm=min-conflicts&seed=${seed}`));
  const other = await server.get(`${target}&seed=1`, { 'last-event-id': '0-2' }); // not of this trace
  assert.match(other.text, /^id: 0-1\n/);
  assert.match((await server.get(target, { 'last-event-id': '0' })).text, /^id: 0-/);
});

test('an id that is none begins anew', async () => {
  const target = events('n=4');
  const { text } = await server.get(target);
  for (const id of ['', 'x', '-1', '1x', '01', '+1', '0x5', '1-', '1-1', '99999999999999999999999', 'END', 'x'.repeat(5000)])
    assert.equal((await server.get(target, { 'last-event-id': id })).text, text, id);
  const beyond = await server.get(target, { 'last-event-id': '999999999999999999' });
  assert.match(beyond.text, /^id: end\nevent: end\n/);
});

test('caches keep the whole, and know what it depends on', async () => {
  const target = events('n=4');
  const [whole, rest] = [await server.get(target), await server.get(target, { 'last-event-id': '2' })];
  assert.match(whole.headers.etag, /^"/);
  assert.match(whole.headers['cache-control'], /^public/);
  assert.equal(rest.headers.etag, undefined);
  assert.equal(rest.headers['content-location'], undefined);
  assert.equal(rest.headers['cache-control'], 'no-store');
  assert.ok(whole.text.includes(rest.text.slice(0, rest.text.indexOf('id: end'))));
  for (const { headers } of [whole, rest]) assert.match(headers.vary, /\bLast-Event-ID\b/);
  const lines = await server.get('/trace?n=4&format=ndjson', { 'last-event-id': '2' }); // other formats have no ids
  assert.equal(lines.lines[0].step, 0);
  assert.doesNotMatch(lines.headers.vary ?? '', /Last-Event-ID/);
});

test('the end is 204 for GET and HEAD; what is wrong with the request goes before', async () => {
  for (const method of ['GET', 'HEAD']) {
    const reply = await server.get(events('n=4'), { 'last-event-id': 'end' }, method);
    assert.deepEqual([reply.status, reply.text, reply.headers['cache-control']], [204, '', 'no-store']);
    assert.match(reply.headers.vary, /Last-Event-ID/);
  }
  (await server.get(events('n=0'), { 'last-event-id': 'end' })).isProblem(400, 'n');
  assert.equal((await server.get('/trace?n=4', { 'last-event-id': 'end' })).status, 200);
});
