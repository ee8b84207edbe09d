// regions_puzzle.test.js - GET /puzzle?kind=regions: boards with one solution and the level asked for, by rules of our own here; their
// codes and days, and their forms.
import { contrast, distance } from './eyes.js';
import { after, assert, longer, slow, start, test } from './harness.js';
import { parsePng } from './png.js';

const server = await start({ after });
const levels = ['easy', 'medium', 'hard', 'expert'];
const board = (query) => server.getJson(`/puzzle?kind=regions&${query}`);

// All solutions of a board, row by row: a queen in every row, column and region, none beside the one above.
function solve({ regions, n }, row = 0, columns = [], used = new Set()) {
  if (row === n) return [[...columns]];
  const found = [];
  for (let column = 0; column < n; column++) {
    const region = `r${regions[row][column]}`;
    if (used.has(column) || used.has(region) || (row && Math.abs(columns[row - 1] - column) < 2)) continue;
    found.push(...solve({ regions, n }, row + 1, [...columns, column], new Set([...used, column, region])));
  }
  return found;
}

// Each region can be walked through without leaving it.
function assertConnected({ regions, n }) {
  for (let region = 0; region < n; region++) {
    const squares = [];
    for (let i = 0; i < n * n; i++) if (regions[Math.floor(i / n)][i % n] === region) squares.push(i);
    const reached = new Set([squares[0]]);
    for (const at of reached)
      for (const next of squares)
        if (Math.abs(Math.floor(at / n) - Math.floor(next / n)) + Math.abs((at % n) - (next % n)) === 1) reached.add(next);
    assert.equal(reached.size, squares.length);
    assert.ok(squares.length > 0);
  }
}

// How far a player comes who knows singles and confined groups, and perhaps attacks that all squares of a group have in common.
function deduce({ regions, n }, common) {
  const square = (row, column) => ({ row, column, region: regions[row][column] });
  let free = Array.from({ length: n * n }, (_, i) => square(Math.floor(i / n), i % n));
  const kinds = ['row', 'column', 'region'];
  const queens = [];
  const attacks = (a, b) =>
    a.row === b.row || a.column === b.column || Math.max(Math.abs(a.row - b.row), Math.abs(a.column - b.column)) === 1;
  const groups = () =>
    kinds.flatMap((kind) => [...Array(n).keys()].filter((i) => !queens.some((queen) => queen[kind] === i))
      .map((i) => ({ kind, index: i, squares: free.filter((at) => at[kind] === i) })));
  const cross = (is) => {
    const before = free.length;
    free = free.filter((at) => !is(at));
    return free.length < before;
  };
  const step = () => {
    const all = groups();
    const single = all.find(({ squares }) => squares.length === 1);
    if (single) {
      const [queen] = single.squares;
      queens.push(queen);
      return cross((at) => at.region === queen.region || attacks(queen, at));
    }
    for (const { kind, index, squares } of all)
      for (const other of kinds) {
        if (other === kind || new Set(squares.map((at) => at[other])).size !== 1) continue;
        if (kind !== 'region' && other !== 'region') continue;
        if (cross((at) => at[other] === squares[0][other] && at[kind] !== index)) return true;
      }
    return common && all.some(({ squares }) => cross((at) => !squares.includes(at) && squares.every((from) => attacks(from, at))));
  };
  while (queens.length < n && step());
  return queens.length === n;
}

test('boards have one solution, connected regions, and the level asked for (plain)', { skip: slow && 'hard boards of many seeds' }, async () => {
  for (const n of [5, 6, 7, 8])
    for (const level of levels)
      for (const seed of [1, 2, 3]) {
        const puzzle = await board(`n=${n}&level=${level}&seed=${seed}`);
        assert.deepEqual([puzzle.n, puzzle.level, puzzle.seed, puzzle.rules], [n, level, seed, 'touching']);
        assert.equal(solve(puzzle).length, 1);
        assertConnected(puzzle);
        assert.equal(deduce(puzzle, false), level === 'easy', JSON.stringify(puzzle));
        assert.equal(deduce(puzzle, true), level === 'easy' || level === 'medium', JSON.stringify(puzzle));
        const hardest = { 'single': 'easy', 'confined': 'easy', 'common-attack': 'medium', 'sets': 'hard', 'contradiction': 'expert' };
        assert.equal(hardest[puzzle.grade.hardest.replace(/-\d+$/, '')], level);
      }
  const large = await board('n=20&level=medium&seed=1');
  assertConnected(large);
  assert.equal(deduce(large, true), true);
});

// As puzz.link writes it, with one star: borders of the squares of a row, then those between rows, five bits a digit.
function readLink(link) {
  const [, n, borders] = link.match(/^https:\/\/puzz\.link\/p\?starbattle\/(\d+)\/\1\/1\/([0-9a-v]+)$/);
  const size = Number(n);
  const bits = (from, count) =>
    Array.from({ length: count }, (_, i) => (parseInt(borders[from + Math.floor(i / 5)], 32) >> (4 - (i % 5))) & 1);
  const digits = Math.ceil((size * (size - 1)) / 5);
  assert.equal(borders.length, 2 * digits);
  return { n: size, upright: bits(0, size * (size - 1)), level: bits(digits, size * (size - 1)) };
}

test('all forms of a board say the same', async () => {
  for (const n of [5, 9, 16]) {
    const puzzle = await board(`n=${n}&seed=4`);
    const { regions, letters, sizes, states } = puzzle;
    assert.equal(letters, regions.map((row) => row.map((id) => String.fromCharCode(97 + id)).join('')).join('/'));
    assert.deepEqual([...new Set(regions.flat())], [...Array(n).keys()]); // numbered by first squares
    assert.deepEqual(sizes, [...Array(n).keys()].map((id) => regions.flat().filter((other) => other === id).length));
    assert.deepEqual(states, Array(n).fill(Array(n).fill(0)));
    const { upright, level } = readLink(puzzle.link);
    regions.forEach((row, r) =>
      row.forEach((id, c) => {
        if (c + 1 < n) assert.equal(upright[r * (n - 1) + c], Number(row[c + 1] !== id));
        if (r + 1 < n) assert.equal(level[r * n + c], Number(regions[r + 1][c] !== id));
      }));
    assert.equal(puzzle.solution_url, `/solve?regions=${letters}`);
    assert.equal(puzzle.hint_url, `/hint?regions=${letters}`);
    assert.equal((await board(`n=${n}&seed=4&base=0`)).hint_url, `/hint?regions=${letters}&base=0`);
  }
});

test('its links lead to the one solution, and to the steps that were graded', async () => {
  for (const query of ['n=5&level=medium&seed=1', 'n=8&level=expert&seed=2&base=0', 'daily=2026-11-27', 'n=10&level=hard&seed=3']) {
    const puzzle = await board(query);
    const [columns] = solve(puzzle);
    const { solutions, next } = await server.getJson(puzzle.solution_url);
    assert.deepEqual([solutions.map(({ permutation }) => permutation), next], [[columns.map((column) => column + puzzle.base)], null]);
    const { grade, steps } = await server.getJson(`${puzzle.hint_url}&steps=all`);
    const { level, solved, ...members } = grade;
    assert.deepEqual([level, solved, members], [puzzle.level, true, puzzle.grade]);
    const placed = steps.filter(({ place }) => place).map(({ place }) => [place.row - puzzle.base, place.column - puzzle.base]);
    assert.deepEqual(placed.sort(([a], [b]) => a - b), columns.map((column, row) => [row, column]));
    assert.equal((await server.getJson(`/count?regions=${puzzle.letters}`)).count, 1);
    const verdict = await server.post('/verify', puzzle);
    assert.deepEqual([verdict.status, verdict.json.regions, verdict.json.queens], [200, puzzle.letters, 0]);
  }
});

test('a code brings the same bytes back', async () => {
  const codes = new Set();
  for (const [n, level, seed, base] of [[5, 'easy', 0, 1], [8, 'expert', 12345, 0], [11, 'hard', 9007199254740991, 1]]) {
    const first = await server.get(`/puzzle?kind=regions&n=${n}&level=${level}&seed=${seed}&base=${base}`);
    const { code } = first.json;
    for (const text of [code, code.toUpperCase()])
      for (const kind of ['', '&kind=regions']) {
        const again = await server.get(`/puzzle?code=${text}&base=${base}${kind}`);
        assert.equal(again.text, first.text);
        assert.equal(again.headers.etag, first.headers.etag);
      }
    assert.equal(first.headers.link, `<${first.json.solution_url}>; rel="related"`);
    assert.ok(code.length <= 14);
    codes.add(code);
  }
  assert.equal(codes.size, 3);
});

test('a code of revision 1 returns the board that it returned in its time, and so does generator=1', async () => {
  const first = await server.getJson('/puzzle?code=116mmg637');
  assert.deepEqual([first.generator, first.code, first.letters, first.grade], [1, '116mmg637',
    'aabbaaaa/aaaaaaaa/aaaaaacc/adaaaaaa/ddaaaaae/dddfaage/dddaagge/hhhhggge',
    { hardest: 'confined', score: 14, techniques: { single: 8, confined: 3 } }]);
  assert.deepEqual(await board('n=8&level=easy&seed=20261123&generator=1'), first);
  const { daily, ...rest } = await board('daily=2026-11-23&generator=1');
  assert.deepEqual([daily, rest], ['2026-11-23', first]);
  const newest = await board('daily=2026-11-23');
  assert.equal(newest.generator, 2);
  assert.equal(newest.letters, (await board('daily=2026-11-23&generator=2')).letters);
  assert.notEqual(newest.letters, first.letters);
});

// By revision 1 it came to none, after ten seconds.
test('a day has a board for experts, too, on the largest board', async () => {
  const puzzle = await board('n=20&daily=2026-08-02');
  assert.deepEqual([puzzle.n, puzzle.level, puzzle.daily, puzzle.generator], [20, 'expert', '2026-08-02', 2]);
  assertConnected(puzzle);
  assert.equal((await server.getJson(`/count?regions=${puzzle.letters}&limit=2`)).count, 1);
});

test('where a seed comes to no board, the reply has that of the next one, and its name', { skip: slow && 'two seconds of looking' }, async () => {
  const moved = await board('n=20&level=medium&seed=37');
  assert.equal(moved.seed, 38);
  assert.deepEqual(await board('n=20&level=medium&seed=38'), moved);
  assert.deepEqual(await server.getJson(`/puzzle?code=${moved.code}`), moved);
});

test('no region is large, and one at most is a single square', async () => {
  for (const level of levels)
    for (const n of [7, 8, 11])
      for (const seed of longer ? [1, 2, 3, 4] : [n]) {
        const { sizes } = await board(`n=${n}&level=${level}&seed=${seed}`);
        assert.ok(100 * Math.max(...sizes) <= 35 * n * n);
        assert.ok(sizes.filter((size) => size === 1).length <= 1);
      }
});

test('a day has one board for everybody, and its weekday says the level', async () => {
  const week = ['easy', 'easy', 'medium', 'medium', 'hard', 'hard', 'expert'];
  const seen = new Set();
  for (let day = 23; day < 30; day++) {
    const first = await server.get(`/puzzle?kind=regions&daily=2026-11-${day}`);
    const { daily, ...rest } = first.json;
    assert.deepEqual([daily, rest.n, rest.level, rest.seed], [`2026-11-${day}`, 8, week[day - 23], 20261100 + day]);
    assert.equal(first.headers['cache-control'], 'public, max-age=86400');
    assert.deepEqual(await server.getJson(`/puzzle?code=${rest.code}`), rest);
    assert.deepEqual(await board(`n=8&level=${rest.level}&seed=${rest.seed}`), rest);
    assert.equal((await server.get(`/puzzle?n=8&daily=2026-11-${day}&kind=regions`)).text, first.text);
    seen.add(rest.letters);
  }
  assert.equal(seen.size, 7);
  assert.equal((await board('daily=2028-02-29')).level, 'easy');
  assert.equal((await board('daily=2026-11-23&n=6')).n, 6);
});

// What a drawing shows: the colour of each square, its letter, and which of its sides are borders (right and lower).
function readSvg(text, n) {
  const colours = Array.from({ length: n }, () => Array(n).fill(null));
  for (const [, colour, path] of text.matchAll(/<path fill="(#[0-9a-f]{6})" d="([^"]*)"/g))
    for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
      for (let i = 0; i < Number(run); i++) {
        assert.equal(colours[y][Number(x) + i], null);
        colours[y][Number(x) + i] = colour;
      }
  const letters = new Map([...text.matchAll(/<text x="(\d+)[.]08" y="(\d+)[.]26">([a-t])</g)].map(([, x, y, letter]) => [letter, colours[y][x]]));
  const [, borders] = text.match(/class="nq-borders"[^>]* d="([^"]*)"/);
  const sides = new Set();
  for (const [, x, y, way, run] of borders.matchAll(/M(\d+) (\d+)([hv])(\d+)/g))
    for (let i = 0; i < Number(run); i++) sides.add(way === 'h' ? `under ${y - 1} ${Number(x) + i}` : `right of ${Number(y) + i} ${x - 1}`);
  return { colours, letters, sides };
}

// That a drawing is of these regions; returns the least distance of colours on both sides of a border.
function checkSvg(text, { n, regions }) {
  const { colours, letters, sides } = readSvg(text, n);
  const [of, found] = [new Map(), new Set()];
  let least = Infinity;
  regions.forEach((row, r) =>
    row.forEach((id, c) => {
      of.set(id, of.get(id) ?? colours[r][c]);
      assert.equal(colours[r][c], of.get(id));
      assert.equal(letters.get(String.fromCharCode(97 + id)), of.get(id));
      for (const [name, other] of [[`right of ${r} ${c}`, row[c + 1]], [`under ${r} ${c}`, regions[r + 1]?.[c]]])
        if (other !== undefined && other !== id) {
          found.add(name);
          const there = name.startsWith('right') ? colours[r][c + 1] : colours[r + 1][c];
          least = Math.min(least, distance(colours[r][c], there));
        }
    }));
  assert.deepEqual([...sides].sort(), [...found].sort());
  assert.equal(new Set(of.values()).size, n);
  for (const colour of of.values()) assert.ok(contrast(colour, '#1f1712') >= 4.5, colour);
  return least;
}

test('text and pictures show the same regions, in colours that differ for the colour-blind where they meet', async () => {
  for (const [n, level, seed] of [[5, 'easy', 1], [8, 'expert', 2], [11, 'medium', 4], [20, 'easy', 7]]) {
    const query = `n=${n}&level=${level}&seed=${seed}`;
    const puzzle = await board(query);
    const get = (format) => server.get(`/puzzle?kind=regions&${query}&format=${format}`);
    assert.equal((await get('text')).text, `${puzzle.letters.replaceAll('/', '\n')}\n`);
    const svg = await get('svg');
    const least = checkSvg(svg.text, puzzle);
    assert.ok(least > (n <= 8 ? 8 : 6.5), `n = ${n}: ${least}`); // of differences that are seen at once; 2 is hardly seen
    assert.match(svg.text, new RegExp(`<desc [^>]*>[^<]*: ${puzzle.letters.replaceAll('/', ' ')}[.]</desc>`));
    const { width, height, colour } = parsePng((await get('png')).bytes);
    const solved = parsePng((await server.get(`${puzzle.solution_url}&format=png`)).bytes);
    const scale = Math.min(64, Math.floor(1024 / n)), half = Math.floor(scale / 32);
    assert.deepEqual([width, height], [n * scale + 2 * half, n * scale + 2 * half]);
    const { colours } = readSvg(svg.text, n);
    let queens = 0;
    assert.deepEqual(puzzle.regions.map((row) => row.map((id) => puzzle.colours[id])), colours);
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++) {
        const at = (x, y) => colour(half + c * scale + x, half + r * scale + y);
        assert.equal(at(scale >> 1, (3 * scale) >> 2), colours[r][c]);
        // a queen leaves the letter as it is
        for (let y = 0; y < (5 * scale) >> 4; y++)
          for (let x = 0; x < scale >> 2; x++)
            assert.equal(solved.colour(half + c * scale + x, half + r * scale + y), at(x, y));
        queens += solved.colour(half + c * scale + (scale >> 1), half + r * scale + ((5 * scale) >> 3)) === '#1f1712';
        if (c + 1 < n) assert.equal(at(scale - 1, scale >> 1) === '#1f1712', puzzle.regions[r][c + 1] !== puzzle.regions[r][c]);
        if (r + 1 < n) assert.equal(at(scale >> 1, scale - 1) === '#1f1712', puzzle.regions[r + 1][c] !== puzzle.regions[r][c]);
      }
    assert.equal(queens, n);
  }
});

test('a sheet has boards of successive seeds, with their codes', async () => {
  const last = Number.MAX_SAFE_INTEGER;
  for (const [count, first] of [[1, 5], [6, 1], [12, last - 3]]) {
    const { text } = await server.get(`/puzzle?kind=regions&n=6&level=hard&seed=${first}&format=svg&sheet=${count}`);
    const boards = [...text.matchAll(/<svg x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"[^]*?<\/svg>\n<text [^>]*>(\w+), hard<\/text>/g)];
    assert.equal(boards.length, count);
    const places = new Set();
    for (const [i, [drawing, x, y, width, height, code]] of boards.entries()) {
      const puzzle = await server.getJson(`/puzzle?code=${code}`);
      assert.equal(puzzle.seed, i <= last - first ? first + i : i - (last - first) - 1);
      checkSvg(drawing, puzzle);
      assert.ok(Number(x) >= 120 && Number(x) + Number(width) <= 1980 && Number(y) >= 120 && Number(y) + Number(height) <= 2850 - 70);
      assert.equal(width, height);
      places.add(`${x} ${y}`);
    }
    assert.equal(places.size, count);
  }
  const { code } = await board('n=6&level=hard&seed=1');
  const by = async (query) => (await server.get(`/puzzle?${query}&format=svg&sheet=2`)).text;
  assert.equal(await by(`code=${code}`), await by('kind=regions&n=6&level=hard&seed=1'));
});

test('a picture by Accept; rows of letters are those of regions only', async () => {
  const browser = { accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' };
  assert.equal((await server.get('/puzzle?kind=regions&n=6&seed=1', browser)).headers['content-type'], 'image/svg+xml');
  assert.equal((await server.get('/puzzle?code=1233', { accept: 'text/plain' })).headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal((await server.get('/puzzle?n=6&seed=1', browser)).headers['content-type'], 'image/svg+xml');
  assert.equal((await server.get('/puzzle?n=6&seed=1', { accept: 'image/png' })).headers['content-type'], 'image/png');
  (await server.get('/puzzle?n=6&seed=1', { accept: 'text/plain' })).isProblem(406);
});

test('the check digit of a code of a later generator is right, and it is a 422', async () => {
  const statuses = [];
  for (const digit of '0123456789abcdefghjkmnpqrstvwxyz') statuses.push((await server.get(`/puzzle?code=33${digit}`)).status);
  assert.deepEqual(statuses.sort(), [...Array(31).fill(400), 422]);
});
