// shapes.test.js - counts on boards of every shape: rows and columns, walls, few queens, sets to which none can be added. Compared with
// a recursion of its own that looks along rays, and some with published terms (tests/data/shapes.json).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, assert, rounds, slow, start, temporaryFolder, test } from './harness.js';

const published = JSON.parse(readFileSync(new URL('../data/shapes.json', import.meta.url), 'utf8'));
const server = await start({ after }, '--kernel', 'auto');
const count = (query) => server.getJson(`/count?${new URLSearchParams(query)}`);
const profileOf = ({ distribution }) => distribution.reduce((all, { value, count }) => Object.assign(all, { [value]: count }), Array(distribution.at(-1)?.value + 1 || 0).fill(0));
const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''));

let state = 5;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

// Whether two squares attack each other, by looking from one along its eight rays, as far as a wall.
const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);
function reachOf({ m, n, walls }, [row, column]) {
  const seen = [];
  for (const [down, right] of STEPS)
    for (let [r, c] = [row + down, column + right]; r > 0 && r <= m && c > 0 && c <= n && !walls.has(`${r}:${c}`); [r, c] = [r + down, c + right]) seen.push(`${r}:${c}`);
  return seen;
}

// All placements of a board as lists of squares, square by square.
function placements({ m, n, walls, place, exclude, maximal }) {
  const open = [...Array(m * n).keys()].map((i) => [1 + Math.floor(i / n), 1 + (i % n)]).map((square) => ({ square, name: square.join(':') })).filter(({ name }) => !walls.has(name));
  for (const one of open) one.reach = new Set([one.name, ...reachOf({ m, n, walls }, one.square)]);
  const found = [];
  const go = (i, queens) => {
    if (i < open.length) {
      const { name, reach } = open[i];
      if (!exclude.has(name) && !queens.some((queen) => reach.has(queen.name))) go(i + 1, [...queens, open[i]]);
      if (!place.has(name)) go(i + 1, queens);
    } else if (!maximal || open.every(({ name }) => queens.some(({ reach }) => reach.has(name)))) {
      found.push(queens.map(({ name }) => name));
    }
  };
  go(0, []);
  return found;
}

// The symmetries of a rectangle or a square, of 1-based squares.
const turned = ([row, column], m) => [column, m + 1 - row];
const mirrored = ([row, column], n) => [row, n + 1 - column];
function images({ m, n }) {
  const half = ([row, column]) => [m + 1 - row, n + 1 - column];
  const four = [(square) => square, half, (square) => mirrored(square, n), (square) => mirrored(half(square), n)];
  return m === n ? [...four, ...four.map((of) => (square) => turned(of(square), n))] : four;
}
function classes(board, all) {
  const fixes = (of) => [board.walls, board.place, board.exclude].every((set) => [...set].every((name) => set.has(of(name.split(':').map(Number)).join(':'))));
  const group = images(board).filter(fixes);
  const named = (queens) => [...queens].sort().join(' ');
  return new Set(all.map((queens) => group.map((of) => named(queens.map((name) => of(name.split(':').map(Number)).join(':')))).sort()[0])).size;
}

test('500 boards at random agree with a recursion: all, by queens, maximal, in classes', async () => {
  for (let round = 0; round < rounds(500); round++) {
    const [m, n] = [1 + below(below(8) ? 5 : 7), 1 + below(5)];
    const squares = [...Array(m * n).keys()].map((i) => `${1 + Math.floor(i / n)}:${1 + (i % n)}`);
    const some = (most) => new Set(Array.from({ length: below(most) }, () => squares[below(squares.length)]));
    const walls = some(below(2) ? 5 : 1);
    const free = (set) => new Set([...set].filter((name) => !walls.has(name)));
    const board = { m, n, walls, place: below(3) ? new Set() : free(some(2)), exclude: below(2) ? new Set() : free(some(5)), maximal: below(3) === 0 };
    for (const name of board.place) board.exclude.delete(name);
    const lists = Object.fromEntries(['walls', 'place', 'exclude'].map((name) => [name, [...board[name]].join(',')]));
    const query = given({ m, n, ...lists, maximal: board.maximal || undefined });
    const all = placements(board);
    const what = JSON.stringify(query);
    const profile = Array.from({ length: Math.max(0, ...all.map((queens) => queens.length + 1)) }, (_, k) => all.filter((queens) => queens.length === k).length);
    assert.deepEqual(profileOf(await count({ ...query, by: 'queens' })), profile, what);
    const [first, last] = [below(4), 3 + below(3)];
    const within = all.filter((queens) => queens.length >= first && queens.length <= last);
    assert.equal((await count({ ...query, queens: `${first}-${last}` })).count, within.length, `${what} ${first}-${last}`);
    assert.equal((await count({ ...query, queens: `${first}-${last}`, distinct: 'fundamental' })).count, classes(board, within), `${what} ${first}-${last} in classes`);
  }
});

// A board at random, and what it is asked with.
function drawn() {
  const [m, n] = [1 + below(5), 1 + below(5)];
  const squares = [...Array(m * n).keys()].map((i) => `${1 + Math.floor(i / n)}:${1 + (i % n)}`);
  const walls = new Set(Array.from({ length: below(2) * below(5) }, () => squares[below(squares.length)]));
  const free = squares.filter((name) => !walls.has(name));
  const exclude = new Set(Array.from({ length: free.length ? below(3) : 0 }, () => free[below(free.length)]));
  const place = new Set(below(3) || !free.length ? [] : [free.find((name) => !exclude.has(name))].filter(Boolean));
  const board = { m, n, walls, exclude, place, maximal: below(3) === 0 };
  const lists = Object.fromEntries(['walls', 'place', 'exclude'].map((name) => [name, [...board[name]].join(',')]));
  return { board, query: given({ m, n, ...lists, queens: 'any', maximal: board.maximal || undefined }) };
}
const numbers = (names) => names.map((name) => name.split(':').map(Number));
const byReading = (a, b) => {
  const at = a.findIndex((square, i) => i >= b.length || square.join() !== b[i].join());
  if (at < 0) return a.length - b.length;
  return at >= b.length ? 1 : a[at][0] - b[at][0] || a[at][1] - b[at][1];
};
// Whether squares are a placement of a board, however many queens there are.
const isPlacement = (board, names) => {
  const reaches = names.map((name) => new Set(reachOf(board, name.split(':').map(Number))));
  const peaceful = names.every((name, i) => !board.walls.has(name) && !board.exclude.has(name) && reaches.every((reach, k) => k === i || !reach.has(name)));
  const covered = (square) => names.some((name, i) => name === square || reaches[i].has(square));
  const squares = [...Array(board.m * board.n).keys()].map((i) => `${1 + Math.floor(i / board.n)}:${1 + (i % board.n)}`);
  return peaceful && [...board.place].every((name) => names.includes(name)) && (!board.maximal || squares.every((square) => board.walls.has(square) || covered(square)));
};
const stream = async (query) => {
  const lines = (await server.get(`/solve?${new URLSearchParams({ ...query, format: 'ndjson' })}`)).text.trimEnd().split('\n').map((line) => JSON.parse(line));
  return { end: lines.pop(), list: lines.map(({ squares }) => squares), lines };
};

test('lists at random: in order, whole, in pages, in classes, as text and CSV', async () => {
  for (let round = 0; round < rounds(200); round++) {
    const { board, query } = drawn();
    const what = JSON.stringify(query);
    const expected = placements(board).map(numbers).sort(byReading);
    const { end, list, lines } = await stream(query);
    assert.deepEqual(list, expected, what);
    assert.deepEqual([end.end, end.n, end.m, end.returned, end.next], [true, board.n, query.m, expected.length, null], what);
    for (const { squares, permutation } of lines) {
      const whole = squares.length === board.m && squares.every(([row], i) => row === i + 1);
      assert.deepEqual(permutation, whole ? squares.map(([, column]) => column) : undefined, what);
    }
    const pages = [];
    for (let path = `/solve?${new URLSearchParams({ ...query, limit: 1 + below(4) })}`; path; ) {
      const page = await server.getJson(path);
      assert.equal(page.offset, pages.length);
      pages.push(...page.solutions.map(({ squares }) => squares));
      path = pages.length > 40 ? null : page.next;
    }
    assert.deepEqual(pages, expected.slice(0, pages.length), what);
    assert.ok(pages.length > 40 || pages.length === expected.length, what);
    const distinct = await stream({ ...query, distinct: 'fundamental' });
    assert.equal(distinct.list.length, classes(board, expected.map((squares) => squares.map((square) => square.join(':')))), what);
    const shown = expected.map((squares) => squares.map((square) => square.join(':')).join(' '));
    const csv = (await server.get(`/solve?${new URLSearchParams({ ...query, format: 'csv' })}`)).text.split('\r\n');
    assert.deepEqual(csv, [`offset m=${board.m} n=${board.n},squares`, ...shown.map((text, i) => `${i},${text}`), ''], what);
    const text = (await server.get(`/solve?${new URLSearchParams({ ...query, format: 'text' })}`)).text;
    assert.deepEqual(text.match(/(?<=^ \d+ > ).*$/gm) ?? [], shown, what);
  }
});

test('a list goes on after each of its placements, and after nothing else', async () => {
  const refusal = { parameter: 'after', code: 'not-a-solution', reason: 'must be a solution of this board that agrees with place and exclude' };
  for (let round = 0; round < rounds(60); round++) {
    const { board, query } = drawn();
    const all = placements(board).map(numbers).sort(byReading);
    const base = below(2);
    const shift = (squares) => squares.map((square) => square.map((number) => number - 1 + base));
    const based = base ? {} : Object.fromEntries(['walls', 'place', 'exclude'].filter((name) => query[name]).map((name) => [name, numbers(query[name].split(',')).map((square) => square.map((number) => number - 1).join(':')).join(',')]));
    const what = JSON.stringify(query);
    for (let i = 0; i < Math.min(all.length, 5); i++) {
      const at = below(all.length);
      const squares = shift(all[at]);
      const after = squares.length && squares.length === board.m && below(2) && squares.every(([row], k) => row === k + base) ? squares.map(([, column]) => column).join(',') : squares.map((square) => square.join(':')).join(',');
      const { list } = await stream({ ...query, ...based, base, after });
      assert.deepEqual(list, all.slice(at + 1).map(shift), `${what} after ${after}`);
    }
    const least = below(4);
    const names = Array.from({ length: 1 + below(3) }, () => `${1 + below(board.m)}:${1 + below(board.n)}`).filter((name, i, them) => them.indexOf(name) === i);
    const { status, json } = await server.get(`/solve?${new URLSearchParams({ ...query, queens: `${least}-9`, limit: 1, after: names.join(',') })}`);
    const right = isPlacement(board, names) && names.length >= least;
    assert.deepEqual(right ? [status] : [status, json.errors], right ? [200] : [400, [refusal]], `${what} ${least} after ${names}`);
  }
  for (const [query, after] of [['n=8&m=3', '2,4'], ['n=8&m=3', '2,4,9'], ['n=8&queens=3', '2,4,6'], ['n=4&queens=any', '4:5'], ['n=4&queens=2&rules=superqueens', '1:1,3:2'], ['n=4&queens=1-4', '']])
    assert.deepEqual((await server.get(`/solve?${query}&after=${after}`)).json.errors, [refusal], `${query} ${after}`);
  // Classes: after any placement come the first ones of each class behind it.
  const classesAfter = await stream({ n: 5, queens: 2, distinct: 'fundamental', after: '3:3,4:1' });
  const firsts = await stream({ n: 5, queens: 2, distinct: 'fundamental' });
  assert.deepEqual(classesAfter.list, firsts.list.filter((squares) => byReading(squares, [[3, 3], [4, 1]]) > 0));
  const page = await server.getJson('/solve?n=8&queens=3&limit=2&after=1:1,2:3,3:5&total=true');
  assert.deepEqual([page.offset, page.total, page.solutions[0].squares], [null, 10320, [[1, 1], [2, 3], [3, 6]]]);
  const next = await server.getJson(page.next);
  assert.deepEqual([next.offset, byReading(next.solutions[0].squares, page.solutions[1].squares)], [null, 1]);
  // Of whole boards either form will do.
  const plain = await server.get('/solve?n=8&after=1,5,8,6,3,7,2,4');
  assert.deepEqual((await server.getJson('/solve?n=8&after=1:1,2:5,3:8,4:6,5:3,6:7,7:2,8:4')).solutions, plain.json.solutions);
  assert.deepEqual((await server.get('/solve?n=4&after=1:2,2:4,2:1,4:3')).json.errors, [refusal]);
  for (const n of [0, 8]) assert.equal((await server.get(`/solve?n=${n}&after=`)).json.errors[0].code, 'needs-value');
});

test('any order lists the same placements, each once, and goes on in pages', async () => {
  for (let round = 0; round < rounds(120); round++) {
    const { board, query: { maximal, ...query } } = drawn();
    const queens = below(6);
    if (queens === board.m && board.m === board.n && !board.walls.size) continue; // a list of permutations
    const expected = placements({ ...board, maximal: false }).filter((squares) => squares.length === queens).map(numbers).sort(byReading);
    const what = JSON.stringify({ ...query, queens });
    const { list, end } = await stream({ ...query, queens, order: 'any' });
    assert.deepEqual([...list].sort(byReading), expected, what);
    assert.equal(end.next, null);
    const pages = [];
    for (let path = `/solve?${new URLSearchParams({ ...query, queens, order: 'any', limit: 1 + below(3) })}`; path; ) {
      const page = await server.getJson(path);
      assert.deepEqual([page.offset, page.complete], [pages.length, true], what);
      pages.push(...page.solutions.map(({ squares }) => squares));
      path = pages.length > 30 ? null : page.next;
    }
    assert.deepEqual(pages, list.slice(0, pages.length), what);
    assert.ok(pages.length > 30 || pages.length === list.length, what);
  }
});

test('large boards have placements at once: rectangles, and one queen more with each wall', async () => {
  const wallsOf = (m, n, count) => new Set(Array.from({ length: count }, () => `${2 + below(m - 2)}:${2 + below(n - 2)}`));
  for (const [m, n, count, more] of [[200, 200, 1, 1], [200, 200, 30, 10], [120, 200, 0, 0], [200, 66, 5, 0], [199, 199, 400, 60], [65, 3, 0, 0]]) {
    const walls = count ? wallsOf(m, n, count) : new Set();
    const board = { m, n, walls, place: new Set(), exclude: new Set(), maximal: false };
    const queens = Math.min(m, n) + more;
    const query = given({ m, n, walls: [...walls].join(','), queens, order: 'any', limit: 2 });
    const page = await server.getJson(`/solve?${new URLSearchParams(query)}`);
    const next = await server.getJson(page.next);
    const lists = [...page.solutions, ...next.solutions].map(({ squares }) => squares);
    assert.deepEqual([page.returned, page.complete, page.order, page.queens, new Set(lists.map(String)).size], [2, true, 'any', queens, 4]);
    for (const squares of lists) {
      assert.equal(squares.length, queens);
      assert.ok(isPlacement(board, squares.map((square) => square.join(':'))), `${m} x ${n} with ${count} walls`);
    }
    const { text } = await server.get(`/solve?${new URLSearchParams({ ...query, format: 'svg' })}`);
    assert.equal(text.match(/<use /g).length, queens);
    for (const other of [{ walls: '2:3' }, { queens: queens - 1 }, { order: 'lexicographic', queens: 3, m: 60, n: 60, walls: '' }])
      assert.equal((await server.get(`/solve?${new URLSearchParams({ ...query, ...other, cursor: page.next_cursor })}`)).json.errors[0].code, 'not-a-cursor');
  }
  // A page ends before it has no room for one more.
  const drawings = await server.get('/solve?n=200&queens=60&order=any&board=petscii&limit=10000');
  assert.ok(drawings.bytes.length > 3e6 && drawings.bytes.length <= 4 << 20, `${drawings.bytes.length} bytes`);
  assert.deepEqual([drawings.json.complete, (await server.getJson(drawings.json.next)).offset], [true, drawings.json.returned]);
  // Placed queens are there, excluded squares are not.
  const { solutions } = await server.getJson('/solve?n=100&m=90&order=any&limit=5&place=3:4,10:50&exclude=1:1,2:2,89:99&base=0');
  for (const { squares } of solutions.map(({ squares: list }) => ({ squares: list.map(String) }))) {
    assert.ok(squares.includes('3,4') && squares.includes('10,50'));
    assert.ok(!squares.includes('1,1') && !squares.includes('2,2'));
  }
});

test('what is not decided within a page says so and goes on', async () => {
  const walls = [...new Set(Array.from({ length: 100 }, () => `${1 + below(40)}:${1 + below(40)}`))];
  const page = await server.getJson(`/solve?${new URLSearchParams({ n: 40, walls: walls.join(','), queens: walls.length + 5, order: 'any' })}`);
  assert.deepEqual([page.solutions, page.complete, typeof page.next], [[], false, 'string']);
  const next = await server.getJson(page.next);
  assert.deepEqual([next.solutions, next.complete, next.offset], [[], false, 0]);
  assert.notEqual(next.next, page.next);
  const drawing = await server.get(`/solve?${new URLSearchParams({ n: 40, walls: walls.join(','), queens: walls.length + 5, order: 'any', format: 'svg' })}`);
  assert.deepEqual([drawing.status, drawing.json.code], [422, 'not-drawn']);
  const none = await server.getJson('/solve?n=8&queens=9&walls=1:1&order=any');
  assert.deepEqual([none.returned, none.complete, none.next], [0, true, null]);
});

test('boards at random are drawn in every style, walls too, and in pictures', async () => {
  const styles = { ascii: ['.', 'Q', '#'], unicode: ['·', '♛', '█'], grid: ['0', '1', '2'], petscii: ['🭼', '●', '▒'] };
  for (let round = 0; round < rounds(80); round++) {
    const { board, query } = drawn();
    const expected = placements(board).map(numbers).sort(byReading).slice(0, 100);
    const [style, [empty, queen, wall]] = Object.entries(styles)[round % 4];
    const drawing = (squares) => {
      const queens = new Set(squares.map((square) => square.join(':')));
      const rows = Array.from({ length: board.m }, (_, row) => Array.from({ length: board.n }, (_, column) => `${row + 1}:${column + 1}`).map((name) => (queens.has(name) ? queen : board.walls.has(name) ? wall : empty)).join(''));
      return style === 'petscii' ? ['▁'.repeat(board.n), ...rows.map((row) => `${row}▏`)] : rows;
    };
    const what = JSON.stringify(query);
    const path = (format) => `/solve?${new URLSearchParams({ ...query, limit: 100, board: style, format })}`;
    const { solutions } = await server.getJson(path('json'));
    assert.deepEqual(solutions.map(({ board: rows }) => rows.map((row) => [...row].join(''))), expected.map(drawing), what);
    const records = (await server.get(path('csv'))).text.split('\r\n').slice(0, -1).map((line) => line.split(',').at(-1));
    assert.deepEqual(records, ['board', ...expected.map((squares) => drawing(squares).join('/'))], what);
    const { text } = await server.get(path('text'));
    for (const squares of expected) assert.ok(text.includes(`> ${squares.map((square) => square.join(':')).join(' ')}\n${drawing(squares).join('\n')}\n-----`), what);
    const svg = await server.get(path('svg'));
    if (!expected.length) {
      assert.deepEqual([svg.status, svg.json.type.split(':').at(-1), svg.json.detail], [422, 'no-solution', 'No such placement exists.'], what);
      continue;
    }
    const uses = [...svg.text.matchAll(/<use href="#[^"]*" x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => [Number(y) + 1, Number(x) + 1]);
    assert.deepEqual(uses, expected[0], what);
    const walls = [...svg.text.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
    assert.deepEqual(new Set(walls), board.walls, what);
    const png = await server.get(path('png'));
    const scale = Math.min(64, Math.floor(1024 / Math.max(board.m, board.n)));
    assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [board.n * scale, board.m * scale], what);
  }
  const none = await server.get('/solve?n=3&m=2&queens=3&format=svg');
  assert.deepEqual([none.status, none.json.detail], [422, 'No such placement exists.']);
});

test('a list goes on from its cursor in another format, with a total, and takes no other list\'s cursor', async () => {
  const page = await server.getJson('/solve?n=8&queens=3&limit=5&total=true');
  assert.equal(page.total, 10320);
  const rest = (await server.get(`/solve?n=8&queens=3&format=ndjson&cursor=${page.next_cursor}`)).text.trimEnd().split('\n');
  assert.equal(rest.length, 10320 - 5 + 1);
  assert.equal(rest[0], JSON.stringify((await server.getJson(page.next)).solutions[0]));
  for (const other of ['n=8&queens=4', 'n=8&queens=3&walls=4:4', 'n=8&queens=3&m=7', 'n=8&queens=3&maximal=true', 'n=8&queens=3&exclude=1:1', 'n=8', 'n=8&queens=3&distinct=mirror']) {
    const { status, json } = await server.get(`/solve?${other}&cursor=${page.next_cursor}`);
    assert.deepEqual([status, json.errors[0].code], [400, 'not-a-cursor'], other);
  }
  const many = await server.get('/solve?n=9&queens=4&format=ndjson');
  assert.equal(many.text.split('\n').length - 2, (await count('n=9&queens=4')).count);
});

test('estimates are within their errors of the counts, and the same on any number of threads', async (t) => {
  const single = await start(t, '--threads', 1);
  for (const [query, exact] of [
    ['n=12&queens=8', published.A252593.terms[4]], ['n=11&maximal=true', published.A146303.terms[10]], ['n=8&queens=9&walls=4:5', 10],
    ['n=40&m=40&queens=4', 162778537232], ['n=8&m=6&queens=0-3', (await count('n=8&m=6&queens=0-3')).count], ['n=10&rules=superqueens&queens=3', (await count('n=10&rules=superqueens&queens=3')).count],
  ]) {
    const found = await count(`${query}&method=estimate&seed=3&walks=${slow ? 20000 : 100000}`);
    assert.ok(Math.abs(found.estimate - exact) <= 4 * found.standard_error, `${query}: ${found.estimate} +- ${found.standard_error}, ${exact}`);
    assert.ok(found.standard_error < exact / 10, query);
    assert.deepEqual(await single.getJson(`/count?${query}&method=estimate&seed=3&walks=${slow ? 20000 : 100000}`), found);
  }
  const drawn = await server.get('/count?n=60&queens=3&method=estimate');
  assert.deepEqual([drawn.status, drawn.headers['cache-control']], [200, 'no-store']);
});

test('a board of n x n with n queens is what it is without the words', async () => {
  for (const words of ['m=8', 'queens=8', 'm=8&queens=8', 'maximal=false', 'm=8&maximal=false&queens=8']) {
    const reply = await server.get(`/count?n=8&${words}`);
    assert.equal(reply.text, (await server.get('/count?n=8')).text, words);
    assert.equal(reply.headers.etag, (await server.get('/count?n=8')).headers.etag, words);
  }
  const any = await Promise.all(['', '&queens=any', '&m=8'].map((words) => server.get(`/count?n=8&by=queens${words}`)));
  assert.equal(new Set(any.map(({ headers }) => headers.etag)).size, 1);
});

test('other rules', async () => {
  const getJson = (target) => server.getJson(target);
  assert.equal((await getJson('/count?n=3&m=2&queens=2&rules=rooks')).count, 6);
  assert.equal((await getJson('/count?n=8&queens=8-64&rules=superqueens')).count, 0);
  assert.equal((await getJson('/count?n=10&queens=9-10&rules=superqueens')).count, (await getJson('/count?n=10&queens=9&rules=superqueens')).count + 4);
});

test('a range of sizes, and a b-file of it', async () => {
  const { counts } = await server.getJson('/count?n=1-8&queens=2');
  assert.deepEqual(counts.map(({ count }) => count), [0, 0, 8, 44, 140, 340, 700, 1288]); // A036464
  assert.deepEqual((await server.getJson('/count?n=4-6&m=9&place=9:1&queens=2')).counts.map(({ m }) => m), [9, 9, 9]);
  const { text } = await server.get('/count?n=1-8&queens=2&format=bfile');
  assert.match(text, /^# Number of placements of nonattacking queens on a board of n columns, with the filters of this query\n/);
  assert.deepEqual(text.trimEnd().split('\n').filter((line) => !line.startsWith('#')), ['1 0', '2 0', '3 8', '4 44', '5 140', '6 340', '7 700', '8 1288']);
  const { json } = await server.get('/count?n=10-12&by=queens');
  assert.deepEqual(json.counts.map(({ errors }) => errors?.[0].code), [undefined, 'too-many-rows-range', 'too-many-rows-range']);
});

test('a dry run, a job, and the job of the next process', async (t) => {
  const store = `sqlite:${path.join(temporaryFolder(), 'shapes.db')}`;
  // Long enough not to end before the first process is told to.
  const { n, m } = slow ? { n: 12, m: 11 } : { n: 13, m: 12 };
  const body = { kind: 'count', n, m: `${m}`, queens: 'any', by: 'queens' };
  const first = await start(t, '--store', store, '--threads', 1);
  const { json: cost } = await first.post('/jobs?dry-run=true', JSON.stringify(body));
  assert.ok(cost.accepted && cost.core_seconds > 0.1, JSON.stringify(cost));
  const { id } = await first.begin(body);
  const seen = await first.look(id, ({ units }) => units.done > 0);
  await first.stop();
  const second = await start(t, '--store', store);
  const job = await second.look(id, ({ state }) => state === 'done');
  assert.ok(job.units.restored >= seen.units.done, `${job.units.restored} of ${seen.units.done}`);
  const { query } = job;
  assert.deepEqual(job.result, await second.getJson(query));
  assert.equal(profileOf(job.result)[2], profileOf(await second.getJson(`/count?n=${n}&m=${m}&queens=2&by=queens`))[2]);
  const dear = await second.get('/count?n=40&m=40&by=queens');
  assert.deepEqual([dear.status, dear.json.code], [422, 'too-costly']);
});
