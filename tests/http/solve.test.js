// solve.test.js - GET /solve as pages: what is listed, in which order, and how one page leads to the next.
import { forger, opened } from './forging.js';
import { after, assert, longer, rounds, slow, start, tables, test, until } from './harness.js';
import { sequence } from './reference.js';

const server = await start({ after });
const { all: { terms }, lex_first: first } = tables();

const key = ({ permutation }) => String.fromCharCode(...permutation);
function assertSolution({ permutation }, n, base = 1) {
  const lines = [permutation, permutation.map((column, row) => column + row), permutation.map((column, row) => column - row)];
  for (const line of lines) assert.equal(new Set(line).size, n, `${permutation}`);
  assert.ok(permutation.every((column) => column >= base && column < n + base), `${permutation}`);
}

test('the total is known up to 27', async () => {
  for (const n of [20, 26, 27]) {
    const page = await server.getJson(`/solve?n=${n}&limit=1`);
    assert.equal(page.total_text, (await server.getJson(`/count?n=${n}`)).count_text);
    assertSolution(page.solutions[0], n);
  }
  assert.equal((await server.getJson('/solve?n=28&limit=1')).total, undefined);
});

test('next keeps the query, and the Link header is equal to it', async () => {
  const target = '/solve?n=9&limit=5&board=grid&base=0&algorithm=bitboard&format=json';
  const reply = await server.get(target);
  const { next, next_cursor: cursor } = reply.json;
  assert.equal(reply.headers.link, `<${next}>; rel="next"`);
  const second = await server.getJson(next);
  assert.deepEqual([second.n, second.limit, second.base, second.offset], [9, 5, 0, 5]);
  assert.equal(second.solutions[0].board.length, 9);
  assert.deepEqual(await server.getJson(`${target}&cursor=${cursor}`), second);
  const last = await server.get('/solve?n=8&limit=92');
  assert.equal(last.json.next, null);
  assert.equal(last.headers.link, undefined);
});

test('a cursor is valid with another limit, base, board or format', async () => {
  const all = (await server.getJson('/solve?n=8')).solutions;
  const { next_cursor: cursor } = await server.getJson('/solve?n=8&limit=10');
  const rest = await server.getJson(`/solve?n=8&limit=50&board=ascii&cursor=${cursor}`);
  assert.deepEqual(rest.solutions.map(key), all.slice(10, 60).map(key));
  const lines = (await server.get(`/solve?n=8&format=ndjson&cursor=${cursor}`)).lines;
  assert.deepEqual(lines.slice(0, -1), all.slice(10));
});

test('a cursor that was altered, or is of another board, is rejected', async () => {
  const { next_cursor: cursor } = await server.getJson('/solve?n=8&limit=10');
  const refused = async (target) => (await server.get(target)).isProblem(400, 'cursor');
  for (const other of ['n=9', 'n=8&place=1:2', 'n=8&distinct=mirror', 'n=8&rules=semiqueens']) await refused(`/solve?${other}&cursor=${cursor}`);
  const large = (await server.getJson('/solve?n=100&limit=1&place=1:2')).next_cursor; // squares of such boards stand in no mask
  for (const other of ['n=100&place=2:1', 'n=100&exclude=1:1&place=1:2', 'n=100']) await refused(`/solve?${other}&cursor=${large}`);
  for (let i = 0; i < cursor.length; i++) {
    const letter = cursor[i] === 'A' ? 'B' : 'A';
    await refused(`/solve?n=8&cursor=${cursor.slice(0, i)}${letter}${cursor.slice(i + 1)}`);
  }
  for (const bad of [cursor.slice(1), cursor.slice(0, -1), cursor + 'A', cursor + '=', 'x', '%00', 'A'.repeat(4000)])
    await refused(`/solve?n=8&cursor=${bad}`);
});

// A cut stream makes the client fail, and a page that is not of the list the test.
test('forged cursors lead to a position in the list, or are rejected before the reply starts', async () => {
  const random = sequence(7);
  const { solvers } = await server.getJson('/algorithms');
  const lists = [
    ...solvers.filter(({ parameters }) => !parameters.includes('seed')).map(({ name }) => `/solve?n=6&algorithm=${name}`),
    ...solvers.map(({ name }) => `/solve?n=7&algorithm=${name}${name === 'min-conflicts' ? '&seed=3' : ''}`),
    '/solve?n=6&algorithm=bitboard&stats=true',
    '/solve?n=6&distinct=fundamental',
    '/solve?n=7&symmetry=point&exclude=1:1',
    '/solve?n=11&distinct=fundamental',
    '/trace?n=5&algorithm=rapella',
    '/trace?n=5&algorithm=mrv',
  ];
  let [refused, taken] = [0, 0];
  for (const target of lists) {
    const page = await server.getJson(`${target}&limit=10000`);
    const part = await server.getJson(`${target}&limit=1`);
    if (!part.next_cursor) continue;
    const forge = forger(part.next_cursor);
    const { ordinal, prefix } = opened(part.next_cursor);
    assert.equal(forge({ ordinal, prefix }), part.next_cursor); // so the forger knows his trade
    const whole = (page.solutions ?? page.steps).map((one) => JSON.stringify(one));
    const found = (page.solutions ?? []).map(({ permutation }) => permutation.map((column) => column - 1));
    const ordinals = () => [0, 1, 2, random(12), whole.length - 1, whole.length, whole.length + 1, -1, -2, 2n ** 63n][random(10)];
    const prefixes = () => [[], prefix, found[random(found.length)] ?? [], Array.from({ length: random(page.n + 2) }, () => random(page.n))][random(4)];
    for (let i = 0; i < rounds(40); i++) {
      const made = { ordinal: ordinals(), prefix: prefixes() };
      const asked = `${target}&cursor=${forge(made)}&${['limit=10000', 'format=ndjson'][random(2)]}`;
      const reply = await server.get(asked);
      const what = `${asked}, ${made.ordinal} ${made.prefix}: ${reply.text.slice(0, 300)}`;
      if (reply.status === 400) {
        reply.isProblem(400, 'cursor');
        refused++;
        continue;
      }
      assert.equal(reply.status, 200, what);
      const lines = reply.headers['content-type'].includes('ndjson') ? reply.lines.slice(0, -1) : (reply.json.solutions ?? reply.json.steps);
      const rest = lines.map((one) => JSON.stringify(one));
      assert.deepEqual(rest, whole.slice(whole.length - rest.length), what);
      taken++;
    }
  }
  assert.ok(refused > (longer ? 50 : 20) && taken > (longer ? 50 : 20), `${refused} refused, ${taken} taken`);
});

test('a page is at most 4 MB', async () => {
  const reply = await server.get('/solve?n=25&limit=10000&board=grid');
  assert.ok(reply.text.length <= 4 << 20, `${reply.text.length} bytes`);
  assert.ok(reply.json.returned > 1000 && reply.json.returned < 10000, `${reply.json.returned} solutions`);
  const next = await server.getJson(reply.json.next.replace('10000', '2'));
  assert.equal(next.offset, reply.json.returned);
  assert.ok(key(reply.json.solutions.at(-1)) < key(next.solutions[0]));
});

test('pages that found nothing are not cacheable, not kept, and lead to the first solution (plain)', { skip: slow && 'three pages of many placements' }, async () => {
  // All of n = 34 takes seven budgets; with ten of its rows, and four columns in the next but one, it is three.
  const rows = first.n[34].solution.slice(0, 10).map((column, row) => `${row + 1}:${column}`);
  const others = Array.from({ length: 34 }, (_, i) => i + 1).filter((column) => ![20, 24, 25, 26].includes(column)).map((column) => `12:${column}`);
  const first34 = `/solve?n=34&place=${rows}&exclude=${others}&algorithm=bitboard&limit=1`;
  const cursors = new Set();
  let page;
  for (let target = first34; ; target = page.next) {
    const { status, headers, json } = await server.get(target);
    page = json;
    assert.deepEqual([status, page.offset], [200, 0]);
    if (page.complete) break;
    assert.equal(page.returned, 0);
    assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
    assert.equal(headers.link, `<${page.next}>; rel="next"`);
    assert.ok(!cursors.has(page.next_cursor) && cursors.size < 5);
    cursors.add(page.next_cursor);
  }
  assert.deepEqual([page.complete, page.returned], [true, 1]);
  assert.equal(cursors.size, 2);
  assert.deepEqual(page.solutions[0].permutation, first.n[34].solution);
  const searches = await server.metric('nq_searches_started_total');
  const again = (await server.connect()).ask('GET', first34);
  await until(async () => (await server.metric('nq_searches_started_total')) === searches + 1, 'it is searched again');
  again.drop();
});

test('an empty place or exclude means none', async () => {
  const { text, headers } = await server.get('/solve?n=6');
  for (const query of ['place=', 'exclude=', 'place=&exclude=']) {
    const same = await server.get(`/solve?n=6&${query}`);
    assert.deepEqual([same.status, same.text, same.headers.etag], [200, text, headers.etag]);
  }
  assert.equal((await server.getJson('/count?n=8&place=')).count, 92);
  assert.equal((await server.getJson('/hint?n=8&place=')).completions, 92);
});
