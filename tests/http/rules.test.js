// rules.test.js - rules=: other pieces and other boards, compared with definitions square by square, and with published counts.
import { readFileSync } from 'node:fs';
import { after, assert, start, test, until } from './harness.js';
import { lineOf, solutionsBy as solutions } from './reference.js';

const server = await start({ after });
const names = (await server.getJson('/algorithms?table=rules')).rules.map(({ name }) => name);
const variants = JSON.parse(readFileSync(new URL('../data/variants.json', import.meta.url), 'utf8'));

let state = 1;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

async function verify(rules, body) {
  const reply = await server.post(`/verify?rules=${rules}`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

test('verify lists every conflict with its line, by each rule', async () => {
  const seen = new Set();
  for (const rules of names) {
    for (let round = 0; round < 40; round++) {
      const n = 1 + below(12);
      const queens = [...Array(below(n + 1))].map(() => [below(n), below(n)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const expected = queens.flatMap((a, i) => queens.slice(i + 1).map((b) => [a, b, lineOf(rules, n, a, b)])).filter(([, , line]) => line);
      const square = ([row, column]) => ({ row, column });
      const verdict = await verify(rules, { n, base: 0, queens: queens.map(square).reverse() });
      assert.equal(verdict.conflict_count, expected.length);
      assert.equal(verdict.peaceful, expected.length === 0);
      const found = verdict.conflicts.map(({ a, b, line }) => [[a.row, a.column], [b.row, b.column], line]);
      const first = rules === 'queens' ? found.sort() : found; // queens: line by line
      assert.deepEqual(first, (rules === 'queens' ? expected.sort() : expected).slice(0, 100));
      for (const [, , line] of found) seen.add(line);
    }
  }
  assert.deepEqual([...seen].sort(), ['antidiagonal', 'column', 'diagonal', 'knight', 'neighbour', 'reflection', 'row', 'square']);
});

test('a solution by one rule, its images by that rule', async () => {
  const toroidal = await verify('toroidal', { permutation: [1, 3, 5, 2, 4] });
  assert.deepEqual([toroidal.valid, toroidal.symmetry, toroidal.orbit, toroidal.canonical, toroidal.rank], [true, 'none', 8, [1, 3, 5, 2, 4], 0]);
  // Queens that only attack one way: reflected at the main diagonal it stays itself, at a side it is none.
  const semi = await verify('semiqueens', { permutation: [3, 2, 1] });
  assert.deepEqual([semi.valid, semi.orbit, semi.canonical, semi.rank], [true, 1, [3, 2, 1], 2]);
  const mirrored = await verify('semiqueens', { permutation: [1, 2, 3] });
  assert.deepEqual([mirrored.valid, mirrored.orbit, mirrored.canonical], [false, null, null]);
  assert.deepEqual(mirrored.conflicts.map(({ line }) => line), ['diagonal', 'diagonal', 'diagonal']);
  const large = await verify('touching', { permutation: [...Array(5000)].map((_, i) => i * 2 + 1).concat([...Array(5000)].map((_, i) => i * 2 + 2)) });
  assert.deepEqual([large.valid, large.canonical.length, large.rank], [true, 10000, null]);
});

test('what a rule does not have, and no rule', async () => {
  const unknown = await server.post('/verify?rules=kings', { permutation: [1] });
  unknown.isProblem(400, 'rules');
  assert.equal(unknown.json.errors[0].reason, `must be one of ${names.join(', ')}`);
  const n = 10001;
  const many = { n, queens: [...Array(n)].map((_, i) => ({ row: 1 + i, column: 1 })) };
  const refused = await server.post('/verify?rules=toroidal', many);
  refused.isProblem(422, 'body');
  assert.deepEqual([refused.json.errors[0].code, refused.json.errors[0].maximum], ['too-many-items', 10000]);
  many.queens.pop();
  assert.equal((await verify('toroidal', many)).conflict_count, (10000 * 9999) / 2);
});

test('count has the largest published number of each rule, and says why there are none', async () => {
  for (const [rules, { oeis, counts }] of Object.entries(variants).filter(([name]) => name !== 'queens' && names.includes(name))) {
    const [n, count] = counts.at(-1);
    const table = await server.getJson(`/count?n=${n}&rules=${rules}&method=table`);
    assert.deepEqual([table.rules, table.count, table.provenance, table.oeis], [rules, count, 'table', oeis]);
  }
  const rooks = await server.getJson('/count?n=10&rules=rooks'); // of which no unit test counts so many
  assert.deepEqual([rooks.count, rooks.provenance], [3628800, 'computed']);
  assert.equal((await server.getJson('/count?n=16&rules=toroidal')).note, 'there are none on a torus whose n is divisible by 2 or 3');
  assert.equal((await server.getJson('/count?n=32&rules=toroidal-semiqueens')).note, 'there are none on a torus whose n is even');
});

test('what a count of toroidal semiqueens costs is known: whole boards take no search', async () => {
  const cost = async (n, more) => (await server.post('/jobs?dry-run=true', { kind: 'count', n, rules: 'toroidal-semiqueens', ...more })).json;
  const placements = [];
  for (const n of [23, 25, 27]) {
    const one = await cost(n);
    assert.ok(one.accepted, `${n}: ${one.core_seconds} s`);
    placements.push(one.placements);
  }
  assert.deepEqual(placements.map((number) => Math.round(number / 1e9)), [2, 37, 605]);
  assert.ok((await cost(23, { exclude: '1:1' })).placements > 1e13, 'with a square excluded it is searched');
});

test('a theorem settles boards of every size', async () => {
  const note = 'there are none on a torus whose n is divisible by 2 or 3';
  for (const query of ['n=34', 'n=64', 'n=64&method=compute', 'n=64&place=1:1', 'n=63&distinct=torus', 'n=62&distinct=fundamental', 'n=50&symmetry=point']) {
    const reply = await server.getJson(`/count?${query}&rules=toroidal`);
    assert.deepEqual([reply.count, reply.provenance, reply.note], [0, 'computed', note], query);
  }
  const { counts } = await server.getJson('/count?n=34-64&rules=toroidal');
  for (const { n, count, note: why } of counts) assert.deepEqual([count, why], n % 2 && n % 3 ? [null, undefined] : [0, note]);
  const lines = (await server.get('/count?n=34-40&rules=toroidal&format=bfile')).text.split('\n').filter((line) => /^\d/.test(line));
  assert.deepEqual(lines, ['34 0', '36 0', '38 0', '39 0', '40 0']);
  const { json: dry } = await server.post('/jobs?dry-run=true', { kind: 'count', n: 64, rules: 'toroidal' });
  assert.deepEqual([dry.core_seconds, dry.accepted], [0, true]);
  for (const query of ['n=65', 'n=66', 'n=66&method=compute', 'n=66&place=1:1']) (await server.get(`/count?${query}&rules=toroidal`)).isProblem(422, 'n');
});

// The least board of each rule on which there is something to find.
const sizes = { toroidal: [5, 7], superqueens: [10], semiqueens: [4, 6], 'toroidal-semiqueens': [5, 7], reflecting: [5, 8], touching: [5, 6], rooks: [3, 5] };
const fitting = (all, clues) => all.filter((columns) => clues.every(({ row, column }) => columns[row] === column));

test('a puzzle has exactly one completion by its rule, and more without any of its clues', async () => {
  for (const [rules, boards] of Object.entries(sizes)) {
    for (const n of boards) {
      const all = solutions(rules, n);
      for (let seed = 0; seed < 4; seed++) {
        const reply = await server.get(`/puzzle?n=${n}&rules=${rules}&base=0&seed=${seed}`);
        const { clues, minimal, rules: named, solution_url: link } = reply.json;
        assert.deepEqual([named, minimal, fitting(all, clues).length], [rules, true, 1], reply.text);
        for (const clue of clues) assert.ok(fitting(all, clues.filter((other) => other !== clue)).length > 1, reply.text);
        const place = clues.map(({ row, column }) => `${row}:${column}`);
        assert.equal(link, `/solve?n=${n}${place.length ? `&place=${place}` : ''}&rules=${rules}&base=0`);
        const { returned, solutions: found } = await server.getJson(link);
        assert.deepEqual([returned, fitting(all, clues)], [1, [found[0].permutation]]);
        assert.equal((await server.get(`/puzzle?n=${n}&rules=${rules}&base=0&seed=${seed}`)).text, reply.text);
      }
    }
    const n = rules === 'toroidal' ? 25 : 41;
    const large = await server.getJson(`/puzzle?n=${n}&rules=${rules}&seed=1&clues=${n - 1}`);
    assert.equal(large.clues.length, n - 1);
  }
});

test('a hint counts the completions by its rule, and draws conflicts along its lines', async () => {
  for (const [rules, boards] of Object.entries(sizes)) {
    const n = boards.at(-1);
    const all = solutions(rules, n);
    for (let round = 0; round < 12; round++) {
      const solution = all[below(all.length)];
      const rows = [...Array(n).keys()].filter(() => below(3) === 0);
      const clues = rows.map((row) => ({ row, column: below(6) ? solution[row] : below(n) }));
      const place = clues.length ? `&place=${clues.map(({ row, column }) => `${row}:${column}`)}` : '';
      const hint = await server.getJson(`/hint?n=${n}&rules=${rules}&base=0${place}`);
      const left = fitting(all, clues);
      assert.deepEqual([hint.rules, hint.completions, hint.completable], [rules, left.length, left.length > 0]);
      if (hint.hint) assert.equal(fitting(left, [hint.hint]).length, hint.hint.completions);
      const pairs = clues.flatMap((a, i) => clues.slice(i + 1).map((b) => lineOf(rules, n, [a.row, a.column], [b.row, b.column]))).filter(Boolean);
      assert.deepEqual(hint.conflicts.map(({ line }) => line), pairs);
      for (const { row, column } of hint.dead) assert.equal(fitting(left, [{ row, column }]).length, 0);
    }
  }
  const whole = await server.getJson('/hint?n=13&rules=toroidal');
  assert.deepEqual([whole.completions, whole.hint.completions], [4524, 348]);
  assert.equal((await server.getJson('/hint?n=16&rules=toroidal')).note, 'there are none on a torus whose n is divisible by 2 or 3');
});

test('what is constructed by a rule is a solution by it, with every method that is listed', async () => {
  const { constructions } = await server.getJson('/algorithms');
  for (const rules of names.slice(1)) {
    const able = constructions.filter((method) => method.rules.includes(rules)).map(({ name }) => name);
    for (const { name, max_n: most } of constructions) {
      const ask = (seed) => server.get(`/construct?n=${Math.min(25, most) < 25 ? 8 : 25}&rules=${rules}&method=${name}${seed}`);
      let reply = await ask('');
      for (let seed = 1; reply.json.code === 'settled-without' && seed < 20; seed++) reply = await ask(`&seed=${seed}`); // a network
      if (able.includes(name)) {
        assert.equal((await verify(rules, reply.json)).valid, true, reply.text);
        assert.deepEqual([reply.json.rules, reply.json.method], [rules, name]);
      } else {
        reply.isProblem(422, 'method');
        const [{ code, reason }] = reply.json.errors;
        assert.deepEqual([code, reason], ['not-by-rule', `has no solutions with rules=${rules}; use one of: ${able.join(', ')}`]);
      }
    }
    const chosen = await server.getJson(`/construct?n=11&rules=${rules}`);
    assert.equal(chosen.method, able[0]);
  }
  const lines = await server.get('/construct?n=7&rules=toroidal&format=ndjson');
  assert.equal(JSON.parse(lines.text.trim().split('\n').at(-1)).rules, 'toroidal');
  const text = await server.get('/construct?n=7&rules=toroidal&format=text');
  assert.match(text.text, /^n = 7, base = 1, rules = toroidal\n/);
});

test('the lines of a rule are those along which two queens attack each other', async () => {
  const n = 8;
  for (const { name, lines: listed, torus } of (await server.getJson('/algorithms')).rules) {
    const found = new Set();
    for (let a = 0; a < n * n; a++) for (let b = 0; b < a; b++) found.add(lineOf(name, n, [a % n, Math.floor(a / n)], [b % n, Math.floor(b / n)]));
    found.delete(undefined);
    assert.deepEqual([...listed].sort(), [...found].sort());
    assert.equal(torus, name.startsWith('toroidal') || name === 'rooks');
  }
});

test('boards without a solution by a rule count 0; small and large boards with one', async () => {
  for (const [rules, n] of Object.entries({ toroidal: 8, superqueens: 9, 'toroidal-semiqueens': 4, reflecting: 6, touching: 3 }))
    assert.equal((await server.getJson(`/count?n=${n}&rules=${rules}`)).count, 0);
  assert.deepEqual((await server.getJson('/construct?n=2&rules=semiqueens&seed=1&method=random')).permutation, [2, 1]);
  assert.equal((await verify('superqueens', await server.getJson('/construct?n=5000&rules=superqueens'))).valid, true);
  const plain = await server.get('/puzzle?n=9&seed=2');
  assert.equal((await server.get('/puzzle?n=9&seed=2&rules=queens')).text, plain.text);
});

test('without a method every rule constructs the smallest boards, and with a seed by a method that takes one', async () => {
  const { constructions } = await server.getJson('/algorithms');
  for (const rules of names.slice(1)) {
    for (const n of [0, 1]) assert.deepEqual((await server.getJson(`/construct?n=${n}&rules=${rules}`)).permutation, [1].slice(0, n));
    for (const n of [0, 1, 11, 25, 35]) {
      const reply = await server.getJson(`/construct?n=${n}&rules=${rules}&seed=1`);
      const able = constructions.filter((method) => method.seeded && method.rules.includes(rules));
      assert.deepEqual([reply.method, reply.seed, (await verify(rules, reply)).valid], [able[0].name, 1, true], `${rules} ${n}`);
    }
  }
});

// Placements of so many rows without an attack, for each number of rows that has some.
function levels(rules, n) {
  const counts = [];
  for (let stand = [[]]; stand.length;) {
    stand = stand.flatMap((columns) => [...Array(n).keys()].map((column) => [...columns, column]).filter((more) =>
      columns.every((column, row) => !lineOf(rules, n, [row, column], [columns.length, more.at(-1)])))).filter((columns) => columns.length <= n);
    if (stand.length) counts.push(stand.length);
  }
  return counts;
}

test('an algorithm that is watched searches boards without a solution, too; a list of them ends at once', async () => {
  for (const [rules, n] of [['toroidal', 6], ['superqueens', 7], ['toroidal-semiqueens', 6], ['reflecting', 6]]) {
    const expected = levels(rules, n);
    const { stats } = await server.getJson(`/trace?n=${n}&rules=${rules}&limit=10000`);
    assert.deepEqual([stats.levels, stats.solutions], [expected, 0], rules);
    const { algorithms } = await server.getJson(`/compare?n=${n}&rules=${rules}`);
    assert.deepEqual(algorithms[0].stats.levels, expected);
    for (const { algorithm, stats: { placements } } of algorithms) assert.ok(placements > 0, `${rules} ${algorithm}`);
  }
  const list = await server.getJson('/solve?n=40&rules=toroidal&stats=true');
  assert.deepEqual([list.returned, list.complete, list.stats.placements], [0, true, 0]);
});

test('rules=queens is no rule at all', async () => {
  const [plain, named] = await Promise.all(['/count?n=9', '/count?n=9&rules=queens'].map((path) => server.get(path)));
  assert.equal(named.text, plain.text);
  assert.equal(named.headers.etag, plain.headers.etag);
  const other = await server.get('/count?n=9&rules=semiqueens');
  assert.notEqual(other.headers.etag, plain.headers.etag);
});

test('count up to the motions of a torus', async () => {
  for (const [n, count] of [[0, 1], [1, 1], [5, 1], [7, 1], [11, 2], [13, 11], [14, 0], [29, 90120677]]) {
    const reply = await server.getJson(`/count?n=${n}&rules=toroidal&distinct=torus`);
    assert.deepEqual([reply.distinct, reply.rules, reply.count, reply.provenance], ['torus', 'toroidal', count, n > 17 ? 'table' : 'computed']);
  }
  assert.equal((await server.getJson('/count?n=0&rules=rooks&distinct=torus')).count, 1);
});

test('estimates by a rule: the same seed, the same number, near the published one', async () => {
  const path = '/count?n=19&rules=superqueens&method=estimate&walks=20000&seed=1';
  const reply = await server.getJson(path);
  const [, count] = variants.superqueens.counts.find(([n]) => n === 19);
  assert.deepEqual([reply.rules, reply.provenance], ['superqueens', 'estimate']);
  assert.ok(reply.completed >= 100 && Math.abs(reply.estimate - count) < 5 * reply.standard_error, JSON.stringify(reply));
  const none = await server.getJson('/count?n=16&rules=toroidal&method=estimate&seed=1');
  assert.deepEqual([none.estimate, none.standard_error, none.note], [0, 0, 'there are none on a torus whose n is divisible by 2 or 3']);
});

test('a long count by a rule is a job: its cost is known, and it can be cancelled', async () => {
  const body = { kind: 'count', n: 14, rules: 'touching' };
  const cost = (await server.post('/jobs?dry-run=true', body)).json;
  assert.ok(cost.placements > 1e9, `${cost.placements}`);
  const job = (await server.post('/jobs', body)).json;
  assert.equal(job.query, '/count?n=14&method=compute&rules=touching');
  await until(async () => (await server.getJson(job.self)).state === 'running', 'it runs');
  assert.equal((await server.delete(job.self)).json.state, 'cancelled');
  await until(async () => (await server.metric('nq_searches_running')) === 0, 'it is stopped');
});

test('a b-file says by which rule it counts', async () => {
  const { text } = await server.get('/count?n=5-9&rules=reflecting&format=bfile');
  assert.match(text, /^# Number of placements of n nonattacking queens on an n X n board, by the rule reflecting\n/);
  assert.deepEqual(text.split('\n').filter((line) => !line.startsWith('#')), ['5 4', '6 0', '7 2', '8 10', '9 32', '']);
  assert.match((await server.get('/count?n=5&rules=touching&place=1:1&format=bfile')).text, /, by the rule touching, with the filters of this query\n/);
});

const others = names.slice(1);
const columnsOf = ({ permutation }) => permutation.map((column) => column - 1);
const linesIn = (text) => text.trim().split('\n').map((line) => JSON.parse(line));

test('every format of a list says by which rule it is', async () => {
  const path = '/solve?n=3&rules=semiqueens&format=';
  assert.equal((await server.get(`${path}csv`)).text, 'offset rules=semiqueens,row 1,row 2,row 3\r\n0,1,3,2\r\n1,2,1,3\r\n2,3,2,1\r\n');
  assert.match((await server.get(`${path}text`)).text, /^n = 3, base = 1, rules = semiqueens\n\n 1 > {2}1 {2}3 {2}2\n/);
  const drawn = await server.get(`${path}svg`); // of queens there is none
  assert.deepEqual([drawn.status, (drawn.text.match(/<use /g) ?? []).length], [200, 3]);
  assert.match(drawn.text, /<title [^>]*>3 queens on a board of 3 by 3, none attacking another by the rule semiqueens<\/title>/);
  const built = await server.get('/construct?n=5&rules=toroidal&format=svg');
  assert.match(built.text, /, none attacking another by the rule toroidal<\/title>/);
  const rows = await server.get('/construct?n=5&rules=toroidal&format=csv&rows=2-2');
  assert.match(rows.text, /^row 1\.\.5 rules=toroidal,column 1\.\.5\r\n2,\d\r\n$/);
  for (const [query, why] of [['n=6&rules=toroidal', ': there are none on a torus whose n is divisible by 2 or 3'], ['n=2&rules=touching', ''], ['n=6&rules=toroidal&distinct=fundamental', ': there are none']])
    for (const format of ['svg', 'png']) {
      const refused = await server.get(`/solve?${query}&format=${format}`);
      refused.isProblem(422);
      assert.deepEqual([refused.json.code, refused.json.n], ['no-solution', Number(query[2])], refused.text);
      assert.ok(refused.json.detail.includes(`without attacking each other by rules=${query.split(/[=&]/)[3]}${why}`), refused.text);
    }
  for (const some of ['place=1:1', 'offset=7']) { // an empty list that does not mean an empty board
    const refused = await server.get(`/solve?n=4&rules=semiqueens&format=svg&${some}`);
    refused.isProblem(422);
    assert.equal(refused.json.code, undefined);
  }
  const none = await server.getJson('/solve?n=6&rules=toroidal');
  assert.deepEqual([none.solutions, none.total, none.note], [[], 0, 'there are none on a torus whose n is divisible by 2 or 3']);
  const { stats } = await server.getJson('/solve?n=5&rules=touching&stats=true');
  assert.equal(stats.solutions, 14);
  const first = await server.getJson('/solve?n=29&rules=semiqueens&limit=1'); // nothing published about queens is used
  assert.deepEqual([first.first, first.order], [undefined, 'lexicographic']);
  assert.ok((await verify('semiqueens', { permutation: first.solutions[0].permutation })).valid);
});

test('a list by a rule goes on by that rule only', async () => {
  const { next_cursor: cursor } = await server.getJson('/solve?n=7&rules=touching&limit=2');
  assert.equal((await server.get(`/solve?n=7&rules=touching&cursor=${cursor}`)).status, 200);
  for (const rules of ['queens', 'semiqueens', 'superqueens']) (await server.get(`/solve?n=7&rules=${rules}&cursor=${cursor}`)).isProblem(400, 'cursor');
  const all = solutions('semiqueens', 7); // more than queens have
  const late = await server.getJson(`/solve?n=7&rules=semiqueens&offset=${all.length - 2}&limit=1`);
  assert.deepEqual((await server.getJson(late.next)).solutions.map(columnsOf), all.slice(-1));
  (await server.get('/solve?n=4&rules=superqueens&after=2,4,1,3')).isProblem(400, 'after'); // by queens it is a solution
  const long = await server.get('/solve?n=13&rules=semiqueens&format=ndjson&limit=70000');
  const lines = long.text.trim().split('\n');
  const rest = await server.get(`${JSON.parse(lines.at(-1)).next}`);
  const page = await server.getJson(`/solve?n=13&rules=semiqueens&after=${JSON.parse(lines.at(-2)).permutation}&limit=3`);
  assert.deepEqual(rest.text.split('\n').slice(0, 3).map((line) => JSON.parse(line)), page.solutions);
});

test('a trace and a comparison by a rule', async () => {
  for (const rules of others) {
    const all = solutions(rules, 5);
    for (const algorithm of ['bitboard', 'mrv', 'forward-checking']) {
      const { steps, stats, rules: named, ended } = await server.getJson(`/trace?n=5&rules=${rules}&algorithm=${algorithm}&limit=10000`);
      assert.deepEqual([named, ended, stats.solutions], [rules, true, all.length]);
      const board = [];
      const found = [];
      for (const step of steps) {
        if (step.do === 'place') board[step.row - 1] = step.column - 1;
        if (step.do === 'remove') delete board[step.row - 1];
        if (step.do === 'solution') found.push([...board]);
      }
      assert.deepEqual(found.sort(), all);
      const listed = await server.getJson(`/solve?n=5&base=0&rules=${rules}&algorithm=${algorithm}&limit=1000`);
      assert.deepEqual(listed.solutions.map(({ permutation }) => permutation).sort(), all);
    }
    const comparison = await server.getJson(`/compare?n=5&rules=${rules}`);
    assert.equal(comparison.rules, rules);
    const able = (await server.getJson('/algorithms')).solvers.filter((solver) => solver.rules.includes(rules) && solver.trace);
    assert.deepEqual(comparison.algorithms.map(({ algorithm }) => algorithm), able.map(({ name }) => name));
    for (const row of comparison.algorithms) assert.equal(row.stats.solutions, all.length);
  }
  const page = await server.getJson('/trace?n=6&rules=touching&limit=5');
  (await server.get(`/trace?n=6&cursor=${page.next_cursor}`)).isProblem(400, 'cursor');
  assert.deepEqual((await server.getJson(page.next)).steps[0].step, 5);
  assert.equal(linesIn((await server.get('/trace?n=3&rules=semiqueens&format=ndjson')).text).at(-1).rules, 'semiqueens');
  assert.match((await server.get('/trace?n=3&rules=semiqueens&format=events')).text, /"end":true,"n":3,"base":1,"rules":"semiqueens"/);
});

test('an index by a rule is a job, which is kept for lists and verdicts', async () => {
  const { self, query } = await server.begin({ n: 10, rules: 'touching', by: 'index' });
  assert.equal(query, '/count?n=10&method=compute&rules=touching&by=index');
  await until(async () => (await server.getJson(self)).state === 'done', 'it is done');
  const { result } = await server.getJson(self);
  assert.deepEqual([result.rules, result.count], ['touching', 479306]);
  const { solutions: [at] } = await server.getJson('/solve?n=10&rules=touching&offset=300000&limit=1');
  const verdict = await server.post('/verify?rules=touching&rank=true', { permutation: at.permutation });
  assert.equal(verdict.json.rank, 300000);
});
