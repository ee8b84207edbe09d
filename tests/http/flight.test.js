// flight.test.js - the cache and the single flight: one question is searched once, whoever asks and however often.
import { assert, start, test } from './harness.js';

test('a hundred equal requests make one search', async (t) => {
  const server = await start(t);
  const before = await server.metric('nq_searches_started_total');
  const replies = await Promise.all(Array.from({ length: 100 }, () => server.get('/solve?n=24&limit=300')));
  assert.ok(replies.every((reply) => reply.status === 200 && reply.text === replies[0].text));
  assert.equal((await server.metric('nq_searches_started_total')) - before, 1);
});

test('a hundred equal counts make one search', async (t) => {
  const server = await start(t);
  const before = await server.metric('nq_searches_started_total');
  const replies = await Promise.all(Array.from({ length: 100 }, () => server.get('/count?n=13&method=compute')));
  assert.ok(replies.every((reply) => reply.json.count === 73712));
  assert.equal((await server.metric('nq_searches_started_total')) - before, 1);
});

test('different spellings have one cache entry', async (t) => {
  const server = await start(t);
  const etag = (await server.get('/solve?n=9&limit=10')).headers.etag;
  const hits = await server.metric('nq_cache_hits_total');
  for (const target of [
    '/solve?limit=10&n=9', '/solve?n=9&limit=10&base=1&board=none', '/solve?n=%39&limit=10', '/solve?board=none&%6e=9&limit=10',
  ])
    assert.equal((await server.get(target)).headers.etag, etag, target);
  assert.equal((await server.metric('nq_cache_hits_total')) - hits, 4);
});

test('the cache stays within --cache-bytes', async (t) => {
  const budget = 256 * 1024;
  const server = await start(t, '--cache-bytes', budget);
  for (let limit = 200; limit < 240; limit++) await server.getJson(`/solve?n=12&limit=${limit}`);
  assert.ok((await server.metric('nq_cache_bytes')) <= budget);
  assert.ok((await server.metric('nq_cache_evictions_total')) > 0);
  assert.ok((await server.metric('nq_cache_entries')) > 0);
});
