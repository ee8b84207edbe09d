// walls.test.js - rows, columns and walls beyond counts, lists and verdicts: traces, hints and puzzles. Compared with what /solve lists, which other tests
// compare with a recursion that looks along rays.
import { after, assert, longer, rounds, start, test } from './harness.js';

const server = await start({ after });

let state = 23;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};
const squaresOf = ({ m, n }) => [...Array(m * n).keys()].map((i) => `${1 + Math.floor(i / n)}:${1 + (i % n)}`);
function drawn(side) {
  const [m, n] = [1 + below(side), 1 + below(side)];
  const squares = squaresOf({ m, n });
  return { m, n, walls: [...new Set(Array.from({ length: below(2) * below(7) }, () => squares[below(squares.length)]))].join(',') };
}
const query = (object) => `${new URLSearchParams(Object.entries(object).filter(([, value]) => value !== ''))}`;
const lines = async (path) => (await server.get(path)).text.trimEnd().split('\n').map((line) => JSON.parse(line));

test('what an algorithm finds is what /solve lists with one queen in each row, and it tries no wall', async () => {
  let [found, placed] = [0, 0];
  for (let round = 0; round < rounds(250); round++) {
    const plain = drawn(6);
    const free = squaresOf(plain).filter((square) => !plain.walls.split(',').includes(square));
    const pick = (most) => [...new Set(Array.from({ length: free.length ? below(most) : 0 }, () => free[below(free.length)]))].join(',');
    const board = { ...plain, place: pick(3), exclude: pick(4), rules: below(3) ? '' : 'superqueens' };
    const listed = (await lines(`/solve?${query({ ...board, queens: board.m, limit: 100000, format: 'ndjson' })}`)).slice(0, -1);
    const wanted = listed.filter(({ permutation }) => permutation).map(({ permutation }) => String(permutation));
    for (const algorithm of board.rules ? ['bitboard', 'mrv'] : ['bitboard', 'recursion', 'mrv']) {
      const steps = await lines(`/trace?${query({ ...board, algorithm, format: 'ndjson' })}`);
      const end = steps.pop();
      const solutions = steps.filter((step) => step.do === 'solution').map((step) => String(step.board));
      assert.deepEqual(algorithm === 'mrv' ? solutions.sort() : solutions, algorithm === 'mrv' ? [...wanted].sort() : wanted, `${query(board)} ${algorithm}`);
      assert.deepEqual([end.n, end.ended, end.stats.solutions], [board.n, true, wanted.length]);
      const closed = [...board.walls.split(','), ...board.exclude.split(',')];
      assert.deepEqual(steps.filter(({ row, column }) => closed.includes(`${row}:${column}`)), []);
      const given = new Map(board.place.split(',').map((square) => square.split(':').map(Number)));
      assert.deepEqual(steps.filter(({ row, column }) => given.has(row) && given.get(row) !== column), []);
      found += solutions.length;
      placed += board.place ? solutions.length : 0;
    }
  }
  assert.ok(found > (longer ? 100 : 5) && placed > (longer ? 20 : 0), `${found} ${placed}`);
});

test('a trace of m rows goes on from its cursor, and comes by POST', async () => {
  const whole = await server.getJson('/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=200');
  const pages = [];
  for (let path = '/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=37'; path && pages.length < 200; ) {
    const page = await server.getJson(path);
    pages.push(...page.steps);
    path = page.next;
  }
  assert.deepEqual(pages.slice(0, 200), whole.steps);
  const body = { n: 5, m: 4, walls: [[2, 3]] };
  const sent = await server.post('/trace?algorithm=mrv&limit=200', JSON.stringify(body));
  assert.deepEqual(sent.json, whole);
  const { next_cursor: cursor } = await server.getJson('/trace?n=5&m=4&walls=2:3&algorithm=mrv&limit=3');
  const { status, json } = await server.get(`/trace?n=5&m=4&walls=2:4&algorithm=mrv&limit=3&cursor=${cursor}`);
  assert.deepEqual([status, json.errors[0].code], [400, 'not-a-cursor']);
});

test('a trace begins with queens and crosses on n x n, too, also when they are sent', async () => {
  const whole = await server.getJson('/trace?n=6&place=2:6&exclude=1:1,1:2&algorithm=recursion');
  const { solutions } = await server.getJson('/solve?n=6&place=2:6&exclude=1:1,1:2');
  assert.ok(solutions.length > 0 && whole.ended);
  const ends = whole.steps.filter((step) => step.do === 'solution').map(({ board }) => board);
  assert.deepEqual(ends, solutions.map(({ permutation }) => permutation));
  assert.deepEqual(whole.steps[0], { step: 0, do: 'place', row: 1, column: 3, queens: 1, tests: 1 });
  const sent = await server.post('/trace?algorithm=recursion', JSON.stringify({ n: 6, queens: [[2, 6]], exclude: [[1, 1], [1, 2]] }));
  assert.deepEqual(sent.json, whole);
  for (const query of ['n=6&place=1:1,2:2', 'n=6&place=1:1&exclude=1:1', 'n=5&m=4&walls=2:3&place=2:2,2:4'])
    for (const algorithm of ['bitboard', 'mrv', 'recursion']) {
      const { steps, ended } = await server.getJson(`/trace?${query}&algorithm=${algorithm}`);
      assert.deepEqual([steps, ended], [[], true], `${query} ${algorithm}`);
    }
  const { next_cursor: cursor } = await server.getJson('/trace?n=6&place=2:4&limit=3');
  assert.equal((await server.get(`/trace?n=6&place=2:4&limit=3&cursor=${cursor}`)).status, 200);
  assert.equal((await server.get(`/trace?n=6&place=2:5&limit=3&cursor=${cursor}`)).status, 400);
});

test('a board of n x n without walls is what it is without the words', async () => {
  assert.equal((await server.get('/trace?n=5&m=5')).headers.etag, (await server.get('/trace?n=5')).headers.etag);
});

// Whether a queen attacks a square, by looking along eight rays.
const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);
function attackedBy({ m, n, walls }, [row, column]) {
  const stops = new Set(walls.split(','));
  const seen = new Set();
  for (const [down, right] of STEPS)
    for (let [r, c] = [row + down, column + right]; r > 0 && r <= m && c > 0 && c <= n && !stops.has(`${r}:${c}`); [r, c] = [r + down, c + right]) seen.add(`${r}:${c}`);
  return seen;
}
const name = ({ row, column }) => `${row}:${column}`;

test('a hint counts what /solve lists, square by square', async () => {
  const seen = { always: 0, most: 0, solved: 0, none: 0, dead: 0 };
  for (let round = 0; round < rounds(400); round++) {
    const board = drawn(5);
    const free = squaresOf(board).filter((square) => !board.walls.split(',').includes(square));
    const pick = (most) => [...new Set(Array.from({ length: free.length ? below(most) : 0 }, () => free[below(free.length)]))];
    const place = pick(4);
    const exclude = pick(3).filter((square) => !place.includes(square));
    const asked = { ...board, queens: ['any', '0-3', '3', ''][below(4)], maximal: below(3) ? '' : 'true' };
    if (board.m === board.n && !board.walls && !asked.maximal && (asked.queens === '' || asked.queens === String(board.n))) continue;
    const path = query({ ...asked, place: place.join(','), exclude: exclude.join(',') });
    const hint = await server.getJson(`/hint?${path}`);
    const list = (await lines(`/solve?${path}&format=ndjson`)).slice(0, -1).map(({ squares }) => squares.map((square) => square.join(':')));
    const counts = new Map();
    for (const square of list.flat()) counts.set(square, (counts.get(square) ?? 0) + 1);
    const open = free.filter((square) => !place.includes(square));
    const most = Math.max(0, ...open.map((square) => counts.get(square) ?? 0));
    const attacked = new Set(place.flatMap((square) => [...attackedBy(board, square.split(':').map(Number))]));
    assert.deepEqual([hint.completable, hint.completions], [list.length > 0, list.length], path);
    assert.equal(hint.hint ? name(hint.hint) : null, most ? open.find((square) => counts.get(square) === most) : null, path);
    if (most) assert.deepEqual([hint.hint.completions, hint.hint.code, hint.hint.technique], [most, most === list.length ? 'in-every-completion' : 'most-completions', null], path);
    assert.equal(hint.end, !list.length ? 'no-completion' : !most ? 'solved' : list.length > 1 ? 'several-completions' : 'techniques-exhausted', path);
    assert.deepEqual(hint.attacked.map(name), open.filter((square) => attacked.has(square)), path);
    assert.deepEqual(hint.dead.map(name), open.filter((square) => !attacked.has(square) && !exclude.includes(square) && !counts.get(square)), path);
    const pairs = place.flatMap((a, i) => place.slice(i + 1).filter((b) => attackedBy(board, a.split(':').map(Number)).has(b)));
    assert.equal(hint.conflict_count, pairs.length, path);
    seen.always += hint.hint?.code === 'in-every-completion';
    seen.most += hint.hint?.code === 'most-completions';
    seen.solved += hint.end === 'solved';
    seen.none += !list.length;
    seen.dead += hint.dead.length;
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > (longer ? 2 : 0), `${what} ${times}`);
});

test('a hint is drawn on its board: walls, queens, crosses, and the queen that it suggests', async () => {
  const seen = { hints: 0, walls: 0, crosses: 0, none: 0 };
  for (let round = 0; round < rounds(80); round++) {
    const board = { ...drawn(5), queens: ['any', '2'][below(2)] };
    const [walls, squares] = [board.walls.split(',').filter(Boolean), squaresOf(board)];
    const place = squares.filter((square) => !walls.includes(square) && below(6) === 0);
    const exclude = squares.filter((square) => !place.includes(square) && below(6) === 0);
    const path = query({ ...board, place: place.join(','), exclude: exclude.join(',') });
    const { hint } = await server.getJson(`/hint?${path}`);
    const svg = (await server.get(`/hint?${path}&format=svg`)).text;
    const uses = (text) => [...text.matchAll(/<use href="#[^"]*" x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
    const [standing, suggested = ''] = svg.split('class="nq-targets"');
    const crosses = [...(svg.match(/class="nq-crosses"[^>]* d="([^"]*)"/)?.[1] ?? '').matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
    assert.deepEqual([uses(standing), uses(suggested)], [place, hint ? [name(hint)] : []], path);
    assert.deepEqual(crosses, exclude.filter((square) => !walls.includes(square)), path);
    const hatched = [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
    if (walls.length) assert.deepEqual(new Set(hatched), new Set(walls), path);
    const png = (await server.get(`/hint?${path}&format=png`)).bytes;
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [board.n * 64, board.m * 64], path);
    seen.hints += hint !== null;
    seen.none += hint === null;
    seen.walls += walls.length;
    seen.crosses += crosses.length;
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > (longer ? 2 : 0), `${what} ${times}`);
  const sent = await server.post('/hint?format=svg', JSON.stringify({ n: 3, m: 2, squares: [[1, 1]] }));
  assert.equal(sent.text, (await server.get('/hint?n=3&m=2&place=1:1&format=svg')).text);
});

test('a hint on n x n is what it is without the words, also when sent; where too much is open it is undecided', async () => {
  assert.equal((await server.get('/hint?n=5&m=5&queens=5')).headers.etag, (await server.get('/hint?n=5')).headers.etag);
  const sent = await server.post('/hint', JSON.stringify({ n: 3, m: 2, squares: [[1, 1]] }));
  assert.deepEqual(sent.json, await server.getJson('/hint?n=3&m=2&place=1:1'));
  const { status, json } = await server.get('/hint?n=12&queens=any');
  assert.deepEqual([status, json.code, json.placements], [422, 'undecided', 1 << 22]);
  assert.equal((await server.get('/hint?n=12&queens=any&place=1:1,2:3,3:5,4:2,5:4')).status, 200);
});

const puzzleOf = (asked, seed) => `/puzzle?${query({ ...asked, seed })}`;

test('as many clues as are asked for, the same by seed, by POST and by other words', async () => {
  const board = { n: 8, m: 6, walls: '3:3,4:6', queens: 7 };
  const first = await server.get(puzzleOf(board, 1));
  for (const clues of [5, 6, 7]) {
    const puzzle = await server.getJson(`${puzzleOf(board, 1)}&clues=${clues}`);
    assert.equal(puzzle.clues.length, clues);
    assert.equal((await server.getJson(`/count?${query({ ...board, place: puzzle.clues.map(name).join(',') })}`)).count, 1);
  }
  assert.equal(first.headers.link, `<${first.json.solution_url}>; rel="related"`);
  assert.equal((await server.get(puzzleOf({ ...board, walls: '4:6,3:3' }, 1))).headers.etag, first.headers.etag);
  assert.notEqual((await server.get(puzzleOf(board, 2))).text, first.text);
  const sent = await server.post('/puzzle?seed=1', JSON.stringify({ n: 8, m: 6, queens: 7, walls: [[3, 3], [4, 6]] }));
  assert.deepEqual(sent.json, first.json);
  const based = await server.getJson('/puzzle?n=8&m=6&walls=2:2,3:5&queens=7&seed=1&base=0');
  assert.deepEqual(based.clues.map(({ row, column }) => ({ row: row + 1, column: column + 1 })), first.json.clues);
  assert.equal((await server.getJson(based.solution_url)).solutions.length, 1);
  const drawnOne = await server.get(puzzleOf(board, ''));
  assert.deepEqual([drawnOne.headers['cache-control'], drawnOne.text], ['no-store', (await server.get(puzzleOf(board, drawnOne.json.seed))).text]);
  assert.equal((await server.get('/puzzle?n=8&m=8&queens=8&seed=1')).headers.etag, (await server.get('/puzzle?n=8&seed=1')).headers.etag);
});

test('puzzles on such boards are drawn, one and on a page, with and without their solution', async () => {
  const board = { n: 8, m: 6, walls: '3:3,4:6', queens: 7 };
  const uses = (text) => [...text.matchAll(/<use href="#[^"]*" x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
  const walls = (text) => [...text.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
  const puzzles = await Promise.all([1, 2, 3].map((seed) => server.getJson(puzzleOf(board, seed))));
  const solved = await Promise.all(puzzles.map(async ({ solution_url: link }) => (await server.getJson(link)).solutions[0].squares.map((square) => square.join(':'))));
  for (const [format, wanted] of [['format=svg', puzzles.map(({ clues }) => clues.map(name))], ['format=svg&solved=true', solved]]) {
    const one = (await server.get(`${puzzleOf(board, 1)}&${format}`)).text;
    const page = (await server.get(`${puzzleOf(board, 1)}&${format}&sheet=3`)).text;
    assert.deepEqual([uses(one), walls(one)], [wanted[0], ['3:3', '4:6']]);
    assert.deepEqual([uses(page), walls(page).length], [wanted.flat(), 6]);
    for (const seed of [1, 2, 3]) assert.ok(page.includes(`>seed ${seed}, 7 queens in all</text>`));
    assert.ok(page.includes('>Add queens, so that no two attack each other; walls end their lines.</text>'));
    assert.equal(page.includes('Queens: solutions'), format.includes('solved'));
    assert.equal((page.match(/viewBox="0 0 8 6"/g) ?? []).length, 3);
  }
  const plain = (await server.get('/puzzle?n=7&m=6&rules=superqueens&queens=4&clues=3&seed=1&format=svg&sheet=1')).text;
  assert.ok(plain.includes('>Add queens, so that no two attack each other by the rule superqueens.</text>'));
  const png = (await server.get(`${puzzleOf(board, 1)}&format=png`)).bytes;
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [512, 384]);
});

test('a puzzle of so few queens that each is needed is not found, one of more is', async () => {
  const { status, json } = await server.get('/puzzle?n=8&queens=4&seed=1');
  assert.deepEqual([status, json.code, json.tries], [422, 'puzzle-not-found', 256]);
  assert.match(json.detail, /^Each of 256 placements of 4 queens that were drawn needs all its queens as clues: nothing is left to find[.] Use more queens, or other walls[.]$/);
  assert.equal((await server.get('/puzzle?n=8&queens=6&seed=1')).status, 200);
});

test('the search of such boards is among the counting methods, up to its largest board', async () => {
  const { counting_methods: methods } = await server.getJson('/algorithms?table=counting-methods');
  const { max_n: most } = methods.find(({ name: method }) => method === 'shape');
  assert.equal((await server.get(`/count?n=${most}&queens=1`)).json.count, most * most);
  assert.equal((await server.get(`/count?n=${most + 1}&queens=1`)).json.errors[0].maximum, most);
});
