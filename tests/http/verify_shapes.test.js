// verify_shapes.test.js - verdicts on boards of any shape: what /solve lists is a placement, what is moved is judged by looking along rays,
// and every form of a body says the same. The addresses of GET and the bodies of POST are compared with each other.
import { after, assert, longer, rounds, start, test } from './harness.js';
import { parsePng } from './png.js';

const server = await start({ after });

let state = 11;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

// ---- The judge: eight rays, as far as a wall ----

const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);
function rays({ m, n, walls }, [row, column]) {
  const seen = new Set();
  for (const [down, right] of STEPS)
    for (let [r, c] = [row + down, column + right]; r > 0 && r <= m && c > 0 && c <= n && !walls.has(`${r}:${c}`); [r, c] = [r + down, c + right]) seen.add(`${r}:${c}`);
  return seen;
}
const lineOf = ([a, b], [c, d]) => (a === c ? (b === d ? 'square' : 'row') : b === d ? 'column' : a - b === c - d ? 'diagonal' : 'antidiagonal');

function judge(board, queens) {
  const { m, n, walls, least, most, maximal } = board;
  const sorted = [...queens].sort(([a, b], [c, d]) => a - c || b - d);
  const standing = sorted.filter((queen) => !walls.has(queen.join(':')));
  const pairs = sorted.flatMap((a, i) => sorted.slice(i + 1).map((b) => [a, b]));
  const reach = new Map(sorted.map((queen) => [queen.join(':'), rays(board, queen)]));
  const attacks = ([a, b]) => a.join() === b.join() || (!walls.has(a.join(':')) && !walls.has(b.join(':')) && reach.get(a.join(':')).has(b.join(':')));
  const conflicts = pairs.filter(attacks).map(([a, b]) => `${a.join(':')} ${b.join(':')} ${lineOf(a, b)}`);
  const taken = new Set([...walls, ...standing.flatMap((queen) => [queen.join(':'), ...reach.get(queen.join(':'))])]);
  const free = [...Array(m * n).keys()].map((i) => [1 + Math.floor(i / n), 1 + (i % n)]).find((square) => !taken.has(square.join(':'))) ?? null;
  const walled = queens.length - standing.length;
  const valid = !conflicts.length && !walled && queens.length >= least && queens.length <= most && (!maximal || !free);
  return { valid, conflicts: conflicts.sort(), walled, free };
}

const told = ({ valid, conflict_count: count, conflicts, on_walls: walled, maximal, free, queens, ...rest }) => {
  assert.equal(count, conflicts.length);
  assert.equal(maximal, free === null);
  assert.deepEqual([rest.symmetry, rest.orbit, rest.canonical, rest.rank], [null, null, null, null]);
  assert.equal(rest.peaceful, !count);
  const name = ({ row, column }) => `${row}:${column}`;
  return { valid, conflicts: conflicts.map(({ a, b, line }) => `${name(a)} ${name(b)} ${line}`).sort(), walled: walled.length, free: free && [free.row, free.column], queens };
};

// ---- Boards at random ----

function drawn() {
  const [m, n] = [1 + below(6), 1 + below(6)];
  const squares = [...Array(m * n).keys()].map((i) => `${1 + Math.floor(i / n)}:${1 + (i % n)}`);
  const walls = new Set(Array.from({ length: below(2) * below(6) }, () => squares[below(squares.length)]));
  const [least, most] = below(2) ? [0, m * n] : [below(3), 3 + below(2)];
  const board = { m, n, walls, least, most, maximal: below(3) === 0 };
  const said = { m, n, queens: least || most < m * n ? `${least}-${most}` : 'any', ...(walls.size && { walls: [...walls].join(',') }), ...(board.maximal && { maximal: 'true' }) };
  return { board, said };
}

const get = (said, queens) => server.getJson(`/verify?${new URLSearchParams({ ...said, ...(queens.length && { place: queens.map((queen) => queen.join(':')).join(',') }) })}`);
const unlinked = ({ headers: _, ...body }) => body;

test('what /solve lists is a placement, and with one queen moved it is judged as rays say', async () => {
  let [valid, invalid, walled, through] = [0, 0, 0, 0];
  for (let round = 0; round < rounds(200); round++) {
    const { board, said } = drawn();
    const what = JSON.stringify(said);
    const { solutions } = await server.getJson(`/solve?${new URLSearchParams({ ...said, limit: 40 })}`);
    const list = solutions.map(({ squares }) => squares);
    for (const queens of list.slice(below(20)).slice(0, 3)) {
      const found = told(await get(said, queens));
      assert.deepEqual([found.valid, found.queens, found.conflicts], [true, queens.length, []], `${what} ${JSON.stringify(queens)}`);
      through += lineOf(...[queens[0], queens[1]].map((queen) => queen ?? [0, 0.5])) === 'row';
      const moved = queens.map((queen, i) => (i === 0 ? [1 + below(board.m), 1 + below(board.n)] : queen));
      if (!queens.length || new Set(moved.map(String)).size < moved.length) continue;
      const [reply, wanted] = [await get(said, moved), judge(board, moved)];
      assert.deepEqual(told(reply), { ...wanted, queens: moved.length }, `${what} ${JSON.stringify(moved)}`);
      valid += wanted.valid;
      invalid += !wanted.valid;
      walled += wanted.walled;
    }
  }
  const enough = longer ? 20 : 3;
  assert.ok(valid > enough && invalid > enough && walled > 3 && through > 3, `${valid} ${invalid} ${walled} ${through}`);
});

test('queens anywhere, several on a square: by GET and in every form of POST', async () => {
  const picture = ({ m, n }, queens) => Array.from({ length: m }, (_, r) => Array.from({ length: n }, (_, c) => (queens.some(([row, column]) => row === r + 1 && column === c + 1) ? 'Q' : '.')).join(''));
  for (let round = 0; round < rounds(100); round++) {
    const { board, said } = drawn();
    const { m, n, walls } = board;
    const queens = Array.from({ length: below(8) % (m * n) }, () => [1 + below(m), 1 + below(n)]);
    const apart = [...new Map(queens.map((queen) => [queen.join(), queen])).values()].sort(([a, b], [c, d]) => a - c || b - d);
    const post = async (body, query, type = 'application/json') => {
      const { status, json, text } = await server.post(`/verify${query ? `?${new URLSearchParams(query)}` : ''}`, body, { 'content-type': type });
      assert.equal(status, 200, `${text} ${JSON.stringify(body)} ${JSON.stringify(query)}`);
      return json;
    };
    const whole = { n, m, queens: said.queens, walls: [...walls].map((name) => name.split(':').map(Number)), maximal: board.maximal, squares: queens };
    const what = JSON.stringify(whole);
    const shaped = m !== n || said.queens !== `${n}` || walls.size || board.maximal;
    if (!shaped) continue;
    assert.deepEqual(told(await post(JSON.stringify(whole))), { ...judge(board, queens), queens: queens.length }, what);
    const reply = await get(said, apart);
    const { n: _, ...around } = said;
    const columns = (value) => Array.from({ length: m }, (_, r) => apart.find(([row]) => row === r + 1)?.[1] ?? value);
    const forms = [
      [JSON.stringify({ n, queens: apart.map(([row, column]) => ({ row, column })) }), around],
      [JSON.stringify({ ...whole, squares: undefined, board: picture(board, apart) })],
      [JSON.stringify({ board: picture(board, apart).join('/'), m }), around],
      [[...apart.map(([row, column]) => JSON.stringify({ row, column })), JSON.stringify({ end: true, n, m, queens: said.queens, walls: whole.walls, maximal: board.maximal }), ''].join('\n'), {}, 'application/x-ndjson'],
      [picture(board, apart).join('\n'), around, 'text/plain'],
      [`n = ${n}, base = 1, m = ${m}\n\n 1 > ${apart.map((queen) => queen.join(':')).join(' ')}\n\nREADY.\n`, around, 'text/plain'],
      [`offset m=${m} n=${n},squares\r\n0,${apart.map((queen) => queen.join(':')).join(' ')}\r\n`, around, 'text/csv'],
      ...(new Set(apart.map(([row]) => row)).size === apart.length ? [[JSON.stringify({ n, permutation: columns(null) }), around]] : []),
      ...(apart.length === m && columns(0).every(Boolean) ? [[columns(0).map((column) => String.fromCharCode(column, 0, 0, 0)).join(''), said, 'application/octet-stream']] : []),
    ];
    for (const [body, query, type] of forms) assert.deepEqual(unlinked(await post(body, query, type)), unlinked(reply), `${body} ${JSON.stringify(query)}`);
  }
});

test('positions are drawn with walls, attacks and crosses, and a queen on a wall is seen as wrong', async () => {
  const seen = { walled: 0, plain: 0, attacks: 0 };
  for (let round = 0; round < rounds(100); round++) {
    const { board, said } = drawn();
    const { m, n, walls } = board;
    const squares = [...Array(m * n).keys()].map((i) => [1 + Math.floor(i / n), 1 + (i % n)]);
    const queens = squares.filter(() => below(4) === 0);
    const crosses = squares.filter((square) => !queens.includes(square) && !walls.has(square.join(':')) && below(5) === 0);
    if (m === n && said.queens === `${n}` && !walls.size && !board.maximal) continue;
    const names = (list) => list.map((square) => square.join(':'));
    const query = new URLSearchParams({ ...said, ...(queens.length && { place: names(queens).join() }), ...(crosses.length && { exclude: names(crosses).join() }) });
    const [walled, standing] = [true, false].map((on) => queens.filter((queen) => walls.has(queen.join(':')) === on));
    const { conflicts } = judge(board, queens);
    const svg = (await server.get(`/verify?${query}&format=svg`)).text;
    const paths = (name, stroke) => [...(svg.match(new RegExp(`class="${name}"[^>]* d="([^"]*)"`))?.[1] ?? '').matchAll(new RegExp(`M(\\d+) (\\d+)${stroke}`, 'g'))].map(([, x, y]) => `${Number(y) + 1}:${Number(x) + 1}`);
    const uses = [...svg.matchAll(/<use href="#[^"]*" x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => [Number(y) + 1, Number(x) + 1]);
    assert.deepEqual([uses, paths('nq-wrong', 'v1h1v-1z')], [[...standing, ...walled], names(walled)], `${query}`);
    assert.deepEqual([new Set(paths('nq-walls', 'h1v1h-1z')), paths('nq-crosses', 'm')], [walls, names(crosses)], `${query}`);
    assert.equal((svg.match(/class="nq-attacks".* d="([^"]*)"/)?.[1] ?? '').split('M').length - 1, conflicts.length, `${query}`);
    assert.equal(svg.match(/Squares are row:column/g).length, 1);
    assert.match(svg, new RegExp(`, ${queens.length} queens?${walled.length ? `, ${walled.length} of them on ${walled.length > 1 ? 'walls' : 'a wall'}` : ''}(, \\d+ attacks?)?</title>`));
    const sent = await server.post('/verify?format=svg', { n, m, queens: said.queens, walls: [...walls].map((name) => name.split(':').map(Number)), maximal: board.maximal, squares: queens });
    if (!crosses.length) assert.equal(sent.text, svg);
    const scale = Math.floor(1024 / Math.max(m, n)) < 64 ? Math.floor(1024 / Math.max(m, n)) : 64;
    const { width, height, colour } = parsePng((await server.get(`/verify?${query}&format=png`)).bytes);
    assert.deepEqual([width, height], [n * scale, m * scale]);
    for (const [row, column] of conflicts.length ? [] : squares) {
      const name = `${row}:${column}`;
      const on = (x, y) => colour((column - 1) * scale + Math.floor(x * scale), (row - 1) * scale + Math.floor(y * scale));
      const queen = queens.some((square) => square.join(':') === name);
      const ground = walls.has(name) ? (queen ? '#c1121f' : '#3b2f26') : (row + column) % 2 ? '#c79b6b' : '#f3e3c7';
      assert.equal(on(0.06, 0.05), ground, `${query} ${name}`);
      if (queen) assert.equal(on(0.5, 0.62), walls.has(name) ? '#f3e3c7' : '#1f1712', `${query} ${name}`);
    }
    seen.walled += walled.length;
    seen.plain += conflicts.length === 0;
    seen.attacks += conflicts.length;
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > (longer ? 3 : 0), `${what} ${times}`);
});

test('whole replies of /solve come back, page, stream, text and CSV, from 0 and from 1', async () => {
  for (const base of [0, 1])
    for (const [format, type] of [['json', 'application/json'], ['ndjson', 'application/x-ndjson'], ['text', 'text/plain'], ['csv', 'text/csv']]) {
      const query = { n: 5, m: 4, queens: '0-5', walls: base ? '2:3' : '1:2', rules: 'superqueens', base, limit: 30, format };
      const page = await server.get(`/solve?${new URLSearchParams(query)}`);
      const beside = { json: {}, ndjson: {}, text: { queens: '0-5', walls: query.walls }, csv: { queens: '0-5', walls: query.walls } }[format];
      for (const index of [0, 7, 29]) {
        const { status, json } = await server.post(`/verify?${new URLSearchParams({ ...beside, index })}`, page.text, { 'content-type': type });
        assert.deepEqual([status, json.valid, json.base, json.rules, json.m, json.n, json.asked, json.walls], [200, true, base, 'superqueens', 4, 5, { queens: '0-5' }, [base ? [2, 3] : [1, 2]]], `${format} ${base} ${index}`);
      }
    }
});

test('a board of n x n with n queens is what it is without the words', async () => {
  const plain = await server.getJson('/verify?n=6&place=1:2,2:4,3:6,4:1,5:3,6:5');
  for (const words of ['m=6', 'queens=6', 'm=6&queens=6&maximal=false']) assert.equal((await server.get(`/verify?n=6&place=1:2,2:4,3:6,4:1,5:3,6:5&${words}`)).headers.etag, (await server.get('/verify?n=6&place=1:2,2:4,3:6,4:1,5:3,6:5')).headers.etag, words);
  const { json } = await server.post('/verify?m=6&queens=6', JSON.stringify({ n: 6, permutation: [2, 4, 6, 1, 3, 5] }));
  assert.deepEqual([json.valid, json.rank, json.asked, plain.valid], [true, plain.rank, undefined, true]);
});

test('other rules: knights pass over walls, a torus is square', async () => {
  const { conflicts, valid } = await server.getJson('/verify?n=5&m=4&walls=1:2,2:1,2:2&queens=2&rules=superqueens&place=1:1,2:3');
  assert.deepEqual([valid, conflicts.map(({ line }) => line)], [false, ['knight']]);
});

test('64 x 64, every fourth square of every second row', async () => {
  const squares = [];
  for (let row = 1; row <= 64; row += 2) for (let column = 1; column <= 64; column += 4) squares.push([row, column]);
  const walls = [];
  for (let row = 2; row <= 62; row += 2) for (let column = 1; column <= 64; column += 2) walls.push([row, column]);
  const { conflict_count: count, conflicts, free } = (await server.post('/verify', JSON.stringify({ n: 64, queens: 'any', walls: walls.slice(0, 1000), squares }))).json;
  const board = { m: 64, n: 64, walls: new Set(walls.slice(0, 1000).map((square) => square.join(':'))), least: 0, most: 4096 };
  const wanted = judge(board, squares);
  assert.deepEqual([count, conflicts.length, free && [free.row, free.column]], [wanted.conflicts.length, 100, wanted.free]);
});
