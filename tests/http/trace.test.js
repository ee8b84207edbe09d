// trace.test.js - GET /trace, /compare and the other lists of /solve: what algorithms do, told in pages and streams, adds up to what
// they find; every page goes on where the one before it ended.
import { golden } from '../golden.js';
import { readEvents } from './contract.js';
import { after, assert, start, test, until } from './harness.js';

const server = await start({ after });
const { solvers } = await server.getJson('/algorithms');
const traced = solvers.filter(({ trace }) => trace);
const drawing = (row) => (row.parameters.includes('seed') ? '&seed=1' : '');

// All pages of a target, following next.
async function* pages(target) {
  for (let next = target; next; ) {
    const page = await server.getJson(next);
    yield page;
    next = page.next;
  }
}

const gather = async (target, member) => {
  const all = [];
  for await (const page of pages(target)) all.push(...page[member]);
  return all;
};

// The board after a step; `board` is changed.
function follow(board, step) {
  if (step.do === 'place' || step.do === 'move') board[step.row - 1] = step.column;
  if (step.do === 'remove') board[step.row - 1] = null;
  if (step.board) board.splice(0, board.length, ...step.board);
}

test('the steps are consistent, and pages join to the stream', async () => {
  for (const row of traced) {
    const n = 6;
    const target = `/trace?n=${n}&algorithm=${row.name}${drawing(row)}`;
    const stream = (await server.get(`${target}&format=ndjson&limit=500`)).lines;
    const end = stream.pop();
    assert.equal(end.returned, stream.length, row.name);
    const board = Array(n).fill(null);
    let number = 0;
    for await (const page of pages(`${target}&limit=137`)) {
      assert.deepEqual(page.board, board, `${row.name}, step ${number}`);
      assert.equal(page.offset, number);
      for (const step of page.steps) {
        assert.equal(step.step, number);
        if (number < stream.length) assert.deepEqual(step, stream[number], row.name);
        follow(board, step);
        assert.equal(board.filter((column) => column !== null).length, step.do === 'keep' ? step.queens - 1 : step.queens);
        number++;
      }
      assert.equal(page.returned, page.steps.length);
      assert.equal(page.ended, page.next === null, row.name);
      assert.equal(page.stats.steps, number);
      if (number >= 2000) break;
    }
    assert.ok(number >= stream.length, row.name);
  }
});

// What the programs of the articles do, step by step, and what that costs on larger boards.
test('every trace is the one that is kept', async () => {
  const { constructions } = await server.getJson('/algorithms');
  const lines = [];
  const told = ({ do: kind, step, by, ...rest }) => [kind, ...Object.entries({ ...rest, ...(by && { by: `${by.row}:${by.column}` }) }).map((pair) => pair.join('='))].join(' ');
  for (const row of [...traced, ...constructions.filter(({ code }) => code)]) {
    const query = `algorithm=${row.name}${row.trace ? drawing(row) : row.seeded ? '&seed=1' : ''}`;
    const ask = (n) => server.getJson(`/trace?n=${n}&${query}&limit=10000&solutions=1`);
    lines.push(`${row.name}, n = 4: ${(await ask(4)).steps.map(told).join('; ')}`, `${row.name}, n = 8: ${JSON.stringify((await ask(8)).stats)}`);
  }
  golden('traces.txt', lines);
});

test('server-sent events are the same steps', async () => {
  const target = '/trace?n=5&algorithm=rapella';
  const { lines } = await server.get(`${target}&format=ndjson`);
  const reply = await server.get(target, { accept: 'text/event-stream' });
  const events = readEvents(reply.text);
  assert.deepEqual(events.map(({ data }) => JSON.parse(data)), lines);
  assert.deepEqual(events.slice(0, -1).map(({ id }) => Number(id)), [...lines.keys()].slice(0, -1));
  assert.equal(events.at(-1).event, 'end');
  assert.ok(events.slice(0, -1).every(({ event }) => event === 'step'));
});

test('the solutions and statistics of a trace are those of the list', async () => {
  for (const row of traced) {
    const n = 7;
    const query = `n=${n}&algorithm=${row.name}${drawing(row)}`;
    const list = await server.getJson(`/solve?${query}&stats=true`);
    const { lines } = await server.get(`/trace?${query}&format=ndjson`);
    const end = lines.pop();
    const found = lines.filter((step) => step.do === 'solution').map((step) => step.board);
    assert.deepEqual(found, list.solutions.map(({ permutation }) => permutation), row.name);
    assert.deepEqual(end.stats, list.stats, row.name);
    assert.ok(end.ended && list.complete);
    assert.equal(end.stats.solutions, found.length);
    assert.equal(list.order, row.order);
    if (row.lists === 'some') assert.equal(list.total, undefined, row.name);
    else assert.equal(list.total, found.length, row.name);
  }
});

test('the pages of every algorithm join to its list', async () => {
  for (const row of solvers) {
    const query = `n=7&algorithm=${row.name}${drawing(row)}`;
    const whole = (await server.getJson(`/solve?${query}`)).solutions;
    assert.deepEqual(await gather(`/solve?${query}&limit=3`, 'solutions'), whole, row.name);
    const { lines } = await server.get(`/solve?${query}&format=ndjson`);
    assert.deepEqual(lines.slice(0, -1), whole, row.name);
    if (row.resume === 'position' && whole.length) {
      const after = whole[0].permutation.join();
      assert.deepEqual((await server.getJson(`/solve?${query}&after=${after}`)).solutions, whole.slice(1), row.name);
    } else if (whole.length) {
      (await server.get(`/solve?${query}&after=${whole[0].permutation}`)).isProblem(400, 'after');
    }
  }
});

test('a trace ends after the requested number of solutions', async () => {
  const { lines } = await server.get('/trace?n=8&algorithm=rapella&solutions=1&format=ndjson');
  const end = lines.pop();
  assert.equal(lines.at(-1).do, 'solution');
  assert.equal(end.stats.tests, 876);
  assert.equal(end.ended, true);
  const page = await server.getJson(`/trace?n=8&algorithm=rapella&solutions=1&limit=${lines.length}`);
  assert.equal(page.ended, true);
  assert.equal(page.next, null);
  const shorter = await server.getJson(`/trace?n=8&algorithm=rapella&solutions=1&limit=${lines.length - 1}`);
  assert.equal(shorter.ended, false);
  assert.equal((await server.getJson(shorter.next)).returned, 1);
});

test('a cursor belongs to its trace', async () => {
  const { next_cursor: cursor } = await server.getJson('/trace?n=6&algorithm=rapella&limit=5');
  const page = await server.getJson(`/trace?n=6&algorithm=rapella&limit=2&cursor=${cursor}`);
  assert.equal(page.offset, 5);
  const { next_cursor: list } = await server.getJson('/solve?n=6&limit=1');
  for (const bad of [`/trace?n=7&algorithm=rapella&cursor=${cursor}`, `/trace?n=6&algorithm=rapella&cursor=${cursor}A`,
    `/trace?n=6&algorithm=rapella&cursor=${list}`])
    (await server.get(bad)).isProblem(400, 'cursor');
  (await server.get(`/solve?n=6&cursor=${cursor}`)).isProblem(400, 'cursor');
  (await server.get(`/trace?n=6&algorithm=rapella&solutions=1&cursor=${cursor}`)).isProblem(400, 'cursor');
  for (const row of traced.slice(0, 3))
    if (row.name !== 'rapella')
      (await server.get(`/trace?n=6&algorithm=${row.name}&cursor=${cursor}`)).isProblem(400, 'cursor');
});

test('without enough memory a stream is cut detectably, and a page is rejected', async () => {
  for (const target of ['/solve?n=64&algorithm=romani-5&strategy=breadth', '/trace?n=64&algorithm=romani-5&strategy=breadth']) {
    const reader = await server.connect();
    const reply = await reader.ask('GET', `${target}&format=ndjson`).reply();
    assert.equal(reply.complete, false, target);
    assert.doesNotMatch(reply.text, /"end"/, target);
    reader.drop();
  }
  (await server.get('/solve?n=64&algorithm=romani-5&strategy=breadth')).isProblem(422);
  await until(async () => (await server.metric('nq_streams_running')) === 0, 'no stream is left');
});

test('every algorithm that is traced has its program, one line of which does each of its steps', async () => {
  const { constructions } = await server.getJson('/algorithms');
  for (const { name, title, trace, code } of [...solvers, ...constructions]) {
    assert.ok(title, `${name} has no .title in its row of the table: who, when, a word`);
    const { json } = await server.get(`/trace?n=6&algorithm=${name}&limit=10000`);
    const { steps } = json;
    assert.equal(Boolean(steps), Boolean(trace ?? code), name);
    if (!steps) continue;
    assert.ok(code, `${name} has no .listing in its struct machine_class, see src/steps/listing.h`);
    for (const kind of new Set(steps.map((step) => step.do))) {
      const doing = code.lines.filter((line) => line.steps.includes(kind)).length;
      assert.equal(doing, 1, `${name}: ${doing} lines of its .listing have STEP_${kind.toUpperCase()}`);
    }
    const text = code.lines.map((line) => line.text).join('\n');
    for (const word of Object.values(code.variables).filter(Boolean)) assert.ok(text.includes(word), `${name}: ${word} in its lines`);
  }
});

test('all algorithms on one board', async () => {
  const { algorithms, steps } = await server.getJson('/compare?n=8');
  assert.equal(steps, 1000000);
  assert.deepEqual(algorithms.slice(0, traced.length).map(({ algorithm }) => algorithm), traced.map(({ name }) => name));
  for (const { algorithm, finished, first, stats } of algorithms) {
    assert.equal(finished, true, algorithm);
    assert.ok(first.stats.steps <= stats.steps && first.stats.solutions === 1, algorithm);
    const row = traced.find(({ name }) => name === algorithm);
    const total = { all: 92, mirror: 46, fundamental: 12, column: 18 }[row?.lists];
    if (total) assert.equal(stats.solutions, total, algorithm);
  }
  const short = await server.getJson('/compare?n=20&steps=50');
  for (const { finished, stats } of short.algorithms) assert.ok(finished || stats.steps === 50);
  const small = await server.getJson('/compare?n=3');
  assert.ok(small.algorithms.every(({ first, finished }) => first === null && finished));
  assert.deepEqual(await server.getJson('/compare?n=8'), await server.getJson('/compare?n=8'));
});

test('a range of sizes is refused from its first size on', async () => {
  const { status, json } = await server.get('/compare?n=0-9');
  assert.deepEqual([status, json.errors[0].reason], [400, 'must be at least 1']);
});

// The least number that this share of them does not exceed.
const share = (numbers, part) => numbers.sort((a, b) => a - b)[Math.ceil(numbers.length * part) - 1];

test('/compare over sizes and seeds is what single requests say', async () => {
  const range = await server.getJson('/compare?n=4-6&seeds=5&seed=7&rules=queens');
  assert.deepEqual([range.seed, range.seeds, range.sizes.map(({ n }) => n)], [7, 5, [4, 5, 6]]);
  for (const { n, algorithms } of range.sizes) {
    const single = await Promise.all([7, 8, 9, 10, 11].map((seed) => server.getJson(`/compare?n=${n}&seed=${seed}`)));
    assert.deepEqual(algorithms.map(({ runs, ...row }) => row), single[0].algorithms);
    for (const { algorithm, runs } of algorithms.filter((row) => row.runs)) {
      const firsts = single.map((one) => one.algorithms.find((row) => row.algorithm === algorithm).first?.stats).filter(Boolean);
      assert.deepEqual([runs.seeds, runs.found], [5, firsts.length], algorithm);
      for (const what of ['steps', 'tests']) {
        const [lower, median, upper] = [0.25, 0.5, 0.75].map((part) => (firsts.length ? share(firsts.map((first) => first[what]), part) : null));
        assert.deepEqual(runs[what], { lower, median, upper }, algorithm);
      }
    }
  }
});

test('/compare as CSV has the numbers of its JSON', async () => {
  const { sizes } = await server.getJson('/compare?n=5-6&seeds=4');
  const { text } = await server.get('/compare?n=5-6&seeds=4&format=csv');
  const records = text.trimEnd().split('\r\n').slice(1).map((line) => line.match(/("[^"]*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, '')));
  const rows = sizes.flatMap(({ n, algorithms }) => algorithms.map((row) => ({ n, ...row })));
  assert.equal(records.length, rows.length);
  for (const [i, { n, algorithm, unit, finished, first, stats, runs }] of rows.entries()) {
    const cells = ['steps', 'tests'].flatMap((what) => (runs ? Object.values(runs[what]) : Array(3).fill(first?.stats[what] ?? null)));
    const expected = [n, algorithm, `"${unit}"`, runs?.seeds ?? 1, runs?.found ?? (first ? 1 : 0), ...cells.map((cell) => cell ?? ''), finished, stats.steps, stats.tests];
    assert.deepEqual(records[i].slice(0, expected.length), expected.map(String));
  }
});
