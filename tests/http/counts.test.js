// counts.test.js - GET /count for a range of sizes, and as a b-file.
import { writeFileSync } from 'node:fs';
import { temporaryFolder, after, assert, slow, start, tables, test } from './harness.js';

const server = await start({ after }, '--kernel', 'auto');
const { terms } = tables().all;
const version = (await server.metrics()).find(({ name }) => name === 'nq_build_info').labels.version.replace(/\+.*/, ''); // of the release
const most = slow ? 12 : 14; // computed here

// One after the other, as for their own n: [status, body].
async function apart(first, last, query) {
  const replies = [];
  for (let n = first; n <= last; n++) replies.push(await server.get(`/count?n=${n}&${query}`));
  return replies.map(({ status, json }) => [status, json]);
}

test('a range has what each n has', async () => {
  for (const [first, last, query] of [
    [0, most, 'base=1'],
    [0, 40, 'method=table'],
    [4, most, 'base=0'],
    [17, 41, 'distinct=fundamental'],
    [17, 30, 'distinct=mirror'],
    [20, 40, 'symmetry=point&method=table'],
    [0, 60, 'symmetry=quarter&method=table'],
    [3, 8, 'place=3:2'],
    [5, 9, 'exclude=1:1,5:5&distinct=fundamental'],
    [2, 8, 'by=square'],
    [26, 29, 'method=estimate&walks=500&seed=1'],
    [39, 42, 'method=estimate&walks=2000&seed=7'],
    [7, 7, 'base=1'],
    [999999990, 1000000000, 'method=estimate'],
    [17, 30, 'base=1'],
  ]) {
    const target = `/count?n=${first}-${last}&${query}`;
    const { counts, ...range } = await server.getJson(target);
    const base = query.includes('base=0') ? 0 : 1;
    assert.deepEqual(range, { first, last, base }, target);
    const expected = (await apart(first, last, query)).map(([status, json], i) =>
      status === 200 ? json : { n: first + i, base, count: null, count_text: null, errors: json.errors },
    );
    assert.deepEqual(counts, expected, target);
  }
});

test('method=any is what auto answers, and else what estimate does', async () => {
  const walks = 'walks=200&seed=1';
  const { counts } = await server.getJson(`/count?n=14-31&method=any&${walks}`);
  const auto = await server.getJson('/count?n=14-31');
  const estimates = await server.getJson(`/count?n=28-31&method=estimate&${walks}`);
  assert.deepEqual(counts, [...auto.counts.slice(0, 14), ...estimates.counts]);
  for (const [query, as] of [[`n=8&method=any&${walks}`, 'n=8'], ['n=20&method=any&seed=3', 'n=20'], [`n=28&method=any&${walks}`, `n=28&method=estimate&${walks}`], ['n=50&method=any', 'n=50&method=estimate']])
    assert.equal((await server.get(`/count?${query}`)).text, (await server.get(`/count?${as}`)).text, query);
  const filtered = await server.getJson('/count?n=27-28&distinct=fundamental&method=any');
  assert.deepEqual(filtered, await server.getJson('/count?n=27-28&distinct=fundamental'));
  (await server.get('/count?n=8-9&method=any&format=bfile')).isProblem(400, 'method');
});

test('method=any without an estimate is what it is without a seed, and may be cached', async () => {
  for (const query of ['n=1-10&method=any', 'n=27-28&distinct=fundamental&method=any', 'n=16-20&method=any']) {
    const replies = await Promise.all(['', '', '&seed=3', '&walks=500&seed=4'].map((more) => server.get(`/count?${query}${more}`)));
    for (const { headers, text } of replies) {
      assert.equal(headers['cache-control'], 'public, max-age=86400', query);
      assert.equal(headers['content-location'], undefined, query);
      assert.deepEqual([headers.etag, text], [replies[0].headers.etag, replies[0].text], query);
    }
    const { etag } = replies[0].headers;
    assert.equal((await server.get(`/count?${query}`, { 'if-none-match': etag })).status, 304, query);
    assert.equal((await server.get(`/count?${query}`, {}, 'HEAD')).headers.etag, etag, query);
  }
  const drawn = await server.get('/count?n=27-28&method=any&walks=2000');
  assert.deepEqual([drawn.headers['cache-control'], drawn.headers.etag], ['no-store', undefined]);
  const again = await server.get(drawn.headers['content-location']);
  assert.deepEqual([again.text, again.headers['cache-control']], [drawn.text, 'public, max-age=86400']);
  const formula = await server.get('/count?n=1000-1002&method=estimate');
  assert.match(formula.headers.etag, /^"/);
  assert.equal(formula.headers['content-location'], undefined);
});

test('a size whose estimate fails says so in its place, and the others have their counts', async () => {
  const target = '/count?n=26-40&method=any&walks=140&seed=1';
  const { counts } = await server.getJson(target);
  assert.equal(counts.length, 15);
  const without = counts.filter(({ code }) => code);
  assert.ok(without.length > 0 && counts[0].count_text && counts.some(({ estimate }) => estimate));
  for (const { n, base, count, count_text: text, ...why } of without) {
    assert.deepEqual([base, count, text], [1, null, null]);
    const alone = await server.get(`/count?n=${n}&method=any&walks=140&seed=1`);
    alone.isProblem(422);
    const { detail, code, completed, walks } = alone.json;
    assert.deepEqual(why, { detail, code, completed, walks });
    const more = detail.match(/use walks=(\d+)/)[1];
    assert.ok((await server.getJson(`/count?n=${n}&method=any&walks=${more}&seed=1`)).estimate > 0, detail);
  }
  assert.deepEqual((await server.getJson(target)).counts, counts);
  const [first] = without;
  assert.equal((await server.get(`/count?n=${first.n}-${first.n}&method=estimate&walks=140&seed=1`)).json.detail, first.detail);
});

test('a range without any answer is refused as its first size is', async () => {
  for (const query of ['', '&format=bfile', '&distinct=fundamental']) {
    const one = await server.get(`/count?n=28${query}`);
    const range = await server.get(`/count?n=28-40${query}`);
    one.isProblem(422, 'n');
    assert.deepEqual(range.json, one.json);
  }
});

test('nothing in a range is searched for long, nor becomes a job (plain)', { skip: slow && 'seventeen rows' }, async () => {
  const { counts } = await server.getJson(`/count?n=${most}-32&method=compute&place=1:1`);
  counts.forEach(({ n, provenance, errors }) => {
    assert.equal(provenance, n <= 17 || n === most ? 'computed' : undefined, n);
    if (errors) assert.equal(errors[0].parameter, 'n');
  });
  const reply = await server.get('/count?n=5-9&exclude=2:2', { prefer: 'respond-async' });
  assert.equal(reply.status, 200);
  assert.equal((await server.get('/count?n=5-9&exclude=2:3', { prefer: 'wait=0' })).status, 200);
  assert.equal(await server.metric('nq_jobs_begun_total'), 0);
});

test('equal ranges have equal bodies and tags, and are not counted again', async () => {
  const target = '/count?n=6-12&exclude=1:1';
  const first = await server.get(target);
  const second = await server.get('/count?exclude=1:1&method=auto&n=6-12&base=1');
  assert.equal(second.text, first.text);
  assert.match(first.headers.etag, /^"[0-9a-f]{16}"$/);
  assert.equal(second.headers.etag, first.headers.etag);
  assert.equal(first.headers['cache-control'], 'public, max-age=86400');
  assert.match(first.headers['server-timing'], /cache;desc=miss/);
  assert.match(second.headers['server-timing'], /cache;desc=hit/);
  assert.equal((await server.get(target, { 'if-none-match': first.headers.etag })).status, 304);
  const own = await server.get('/count?n=9&exclude=1:1');
  assert.match(own.headers['server-timing'], /cache;desc=hit/);
  for (const other of ['/count?n=6-12&exclude=1:2', '/count?n=6-11&exclude=1:1', '/count?n=6-12&exclude=1:1&format=bfile', '/count?n=9&exclude=1:1'])
    assert.notEqual((await server.get(other)).headers.etag, first.headers.etag);
  assert.notEqual((await server.get('/count?n=9-9')).headers.etag, (await server.get('/count?n=9')).headers.etag);
});

test('a HEAD of a range, or of a count that is there at once, has the tag and the time of the GET', async () => {
  for (const query of ['n=17-27', 'n=0-27', 'n=4-9&place=1:2&method=compute', 'n=8-10&format=bfile', 'n=10&exclude=1:4', 'n=60&method=estimate']) {
    const head = await server.get(`/count?${query}`, {}, 'HEAD');
    assert.equal(head.status, 200);
    const { headers } = await server.get(`/count?${query}`);
    for (const name of ['etag', 'cache-control', 'vary']) assert.equal(head.headers[name], headers[name], `${query} ${name}`);
    assert.equal(headers['cache-control'], 'public, max-age=86400', query);
  }
  for (const [query, headers] of [ // these may be refused, or become jobs
    ['n=18&method=compute&exclude=1:2'],
    ['n=18&method=compute&exclude=1:2&format=bfile'],
    ['n=10&exclude=1:3', { prefer: 'respond-async' }],
    ['n=26-29&method=any&seed=1'],
    ['n=9&by=square&exclude=1:3'],
  ])
    assert.equal((await server.get(`/count?${query}`, headers, 'HEAD')).headers['cache-control'], 'no-store', query);
});

test('a drawn seed is one for the whole range', async () => {
  const reply = await server.get('/count?n=20-23&method=estimate&walks=1000');
  const { counts } = reply.json;
  assert.equal(new Set(counts.map(({ seed }) => seed)).size, 1);
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['content-location'], `/count?n=20-23&method=estimate&walks=1000&seed=${counts[0].seed}`);
  assert.deepEqual((await server.getJson(reply.headers['content-location'])).counts, counts);
});

// ---- b-files ----

// { comments, terms: [[n, text]] } of a b-file, which must be one.
function read(reply) {
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(reply.text, /^(# [ -~]+\n)+(\d+ \d+\n)+$/);
  const lines = reply.text.split('\n').slice(0, -1);
  const terms = lines.filter((line) => line[0] !== '#').map((line) => line.split(' '));
  terms.forEach(([n], i) => assert.equal(Number(n), Number(terms[0][0]) + i));
  return { comments: lines.filter((line) => line[0] === '#'), terms };
}

test('a b-file has the terms, and says where they are from (plain)', { skip: slow && 'counts up to n = 16' }, async () => {
  const { comments, terms: found } = read(await server.get(`/count?n=12-40&format=bfile`));
  assert.deepEqual(found.map((pair) => pair.map(Number)), [...terms.entries()].slice(12));
  assert.deepEqual(found.at(-1), ['27', '234907967154122528']);
  assert.deepEqual(comments, [
    '# Number of placements of n nonattacking queens on an n X n board',
    `# nqueensd ${version}: /count?n=12-40&format=bfile`,
    '# Method: auto',
    '# n = 12..16: computed',
    '# n = 17..27: table, OEIS A000170',
    '# n = 28..40: left out, no exact count is at hand',
  ]);
});

test('a b-file of one size, of filters, of another method, by Accept', async () => {
  const one = read(await server.get('/count?n=9&format=bfile'));
  assert.deepEqual([one.terms, one.comments.at(-1)], [[['9', '352']], '# n = 9: computed']);
  const half = read(await server.get('/count?n=25-27&distinct=mirror', { accept: 'text/plain' }));
  assert.deepEqual(half.terms.at(-1), ['27', '117453983577061264']);
  assert.deepEqual(half.comments.slice(0, 2), [
    '# Number of placements of n nonattacking queens on an n X n board, with the filters of this query',
    `# nqueensd ${version}: /count?n=25-27&distinct=mirror&format=bfile`,
  ]);
  assert.equal(half.comments.at(-1), '# n = 25..27: table, OEIS A000170; half of the term: no solution is its own mirror image');
  const table = read(await server.get('/count?n=8-9&method=table&format=bfile'));
  assert.deepEqual(table.comments.slice(2), ['# Method: table', '# n = 8..9: table, OEIS A000170']);
  (await server.get('/count?n=28&format=bfile')).isProblem(422, 'n');
  for (const [query, sources] of [
    ['n=18-21&rules=superqueens&symmetry=quarter', ['# n = 18..21: table, OEIS A352661; twice the term: each class has two solutions']],
    ['n=0-21&rules=superqueens&symmetry=point', ['# n = 0..9: table, OEIS A352662', '# n = 10..21: table, OEIS A352662; four times the term, and twice that of A352661: the solutions of these classes']],
    ['n=0-33&rules=toroidal', ['# n = 0..33: table, OEIS A007705']], // that there are none is of the board, not of the sequence
  ])
    assert.deepEqual(read(await server.get(`/count?${query}&method=table&format=bfile`)).comments.slice(3), sources);
});

test('a count that one may not have is refused for its range, too', async (t) => {
  const keys = `${temporaryFolder()}/keys`;
  writeFileSync(keys, '', { mode: 0o600 });
  const closed = await start(t, '--api-keys', keys, '--free-seconds', '0');
  assert.equal((await closed.get('/count?n=16&exclude=1:1')).status, 401);
  assert.equal((await closed.get('/count?n=4-16&exclude=1:1')).status, 401);
  assert.equal((await closed.get('/count?n=0-27&method=table')).status, 200);
});
