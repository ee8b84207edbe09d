// pictures.test.js - any position as a picture: by GET and POST /verify, /hint, as SVG and PNG. Queens, attacks, crosses and what a
// hint rests on are in it, each as often as the JSON says; ten pictures stand in one page.
import { after, assert, start, test } from './harness.js';
import { parsePng } from './png.js';

const server = await start({ after });
const count = (text, pattern) => (text.match(pattern) ?? []).length;
const list = (squares) => squares.map(({ row, column }) => `${row}:${column}`).join(', ');
const idsOf = (text) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

// How many strokes a class of marks has: a move for each square, or for each attack.
const strokes = (text, name) => count(new RegExp(`class="nq-${name}"[^>]* d="([^"]*)"`).exec(text)?.[1] ?? '', /M/g);

const positions = [
  'n=8&place=1:1,2:2,3:5,8:8',
  'n=8&place=1:1,2:5,3:8,4:6,5:3,6:7,7:2,8:4',
  'n=1',
  'n=70&place=1:70,70:70',
  'n=5&rules=toroidal&place=1:5,2:1',
  'regions=aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee&place=1:1,2:2,3:3&base=1',
];

test('a picture of any position has its queens and its attacks, by GET and by POST', async () => {
  for (const position of positions) {
    const verdict = await server.getJson(`/verify?${position}`);
    const { text, headers } = await server.get(`/verify?${position}&format=svg`);
    assert.equal(headers['content-type'], 'image/svg+xml');
    assert.equal(count(text, /<use /g), verdict.queens, position);
    assert.equal(strokes(text, 'attacks'), verdict.conflict_count, position);
    assert.ok(text.includes(`, ${verdict.queens} queen`), text.slice(0, 400));
    const png = parsePng((await server.get(`/verify?${position}&format=png`)).bytes);
    assert.ok(png.width >= verdict.n * 4 && png.width === png.height);
    const query = new URLSearchParams(position);
    const queens = (query.get('place') ?? '').split(',').filter(Boolean).map((square) => square.split(':').map(Number)).map(([row, column]) => ({ row, column }));
    const body = JSON.stringify({ n: verdict.n, base: 1, queens, rules: verdict.rules, regions: verdict.regions });
    for (const [target, headers_] of [['/verify?format=svg', {}], ['/verify', { accept: 'image/svg+xml' }]]) {
      const posted = await server.get(target, { 'content-type': 'application/json', ...headers_ }, 'POST', body);
      assert.equal(posted.status, 200, posted.text);
      assert.equal(posted.text, text, position);
    }
  }
  assert.equal(strokes((await server.get('/verify?n=8&exclude=1:1,3:4&format=svg')).text, 'crosses'), 2);
});

test('pixels show queens, crosses and attacks where they are', async () => {
  const empty = parsePng((await server.get('/verify?n=8&format=png')).bytes);
  const full = parsePng((await server.get('/verify?n=8&place=1:1,5:5&exclude=8:1&format=png')).bytes);
  assert.equal(full.width, 512);
  for (const [x, y, differs] of [[32, 44, true], [288, 300, true], [160, 160, true], [32, 480, true], [400, 100, false], [100, 300, false]])
    assert.equal(full.colour(x, y) !== empty.colour(x, y), differs, `${x}, ${y}`);
});

test('a picture of a hint frames what it rests on, and shows what follows', async () => {
  for (const board of ['regions=aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee', 'n=4&place=1:2', 'n=5&place=1:1', 'n=6&place=1:2&exclude=3:3']) {
    const { hint } = await server.getJson(`/hint?${board}`);
    const { text } = await server.get(`/hint?${board}&format=svg`);
    assert.equal(strokes(text, 'lit'), hint.because.squares.length, board);
    if (hint.place) assert.match(text, /<g class="nq-targets"/);
    else assert.equal(strokes(text, 'targets'), hint.cross.length, board);
    assert.ok(text.includes(hint.place ? `A queen belongs on ${list([hint.place])}.` : `To be crossed: ${list(hint.cross)}.`), text.slice(0, 900));
    assert.ok(parsePng((await server.get(`/hint?${board}&format=png`)).bytes).width > 0);
  }
  assert.equal(count((await server.get('/hint?n=4&place=1:1&format=svg')).text, /nq-targets/g), 0); // there is no hint
});

test('ten pictures stand in one page: no id is that of another', async () => {
  const targets = [...positions.slice(0, 5).map((position) => `/verify?${position}`), '/hint?n=4&place=1:2', '/solve?n=6', '/solve?n=6&offset=1', '/construct?n=9', '/puzzle?kind=regions&n=6&seed=1', '/puzzle?kind=regions&n=6&seed=2&sheet=1'];
  const all = [];
  for (const target of targets) {
    const { text } = await server.get(`${target}${target.includes('?') ? '&' : '?'}format=svg`);
    const ids = idsOf(text);
    for (const [, used] of text.matchAll(/(?:href="#|url\(#)([^")]+)/g)) assert.ok(ids.includes(used), `${target}: ${used}`);
    for (const words of text.matchAll(/aria-labelledby="([^"]+)"/g)) assert.ok(words[1].split(' ').every((id) => ids.includes(id)), target);
    all.push(...ids);
  }
  assert.ok(all.length > 25);
  assert.equal(new Set(all).size, all.length);
});

test('what cannot be shown is refused: no rows, too many, crosses without a picture', async () => {
  (await server.get('/verify?n=0&format=svg')).isProblem(422, 'n');
  (await server.get('/verify?n=1001&format=svg')).isProblem(422, 'n');
  (await server.get('/hint?n=0&format=png')).isProblem(422, 'n');
  (await server.get('/verify?n=8&exclude=1:1')).isProblem(400, 'exclude');
  for (const permutation of [[], Array.from({ length: 1001 }, (_, i) => i + 1)])
    assert.equal((await server.post('/verify?format=svg', { permutation })).status, 422);
});

test('a page of completions has the puzzles of successive seeds, and on request their solutions', async () => {
  const page = async (query) => (await server.get(`/puzzle?${query}&format=svg`)).text;
  const last = Number.MAX_SAFE_INTEGER;
  for (const [query, first, boards] of [['n=8', 1, 4], ['n=1', last, 2], ['n=7&rules=toroidal&clues=3', 1, 2], ['n=15', 5, 12], ['n=8&clues=3&minimal=true', 1, 2]]) {
    const [asked, solved] = [await page(`${query}&seed=${first}&sheet=${boards}`), await page(`${query}&seed=${first}&sheet=${boards}&solved=true`)];
    const drawings = (text) => [...text.matchAll(/<svg x=[^]*?<\/svg>\n<text [^>]*>seed (\d+), ([\w-]+)<\/text>\n<text [^>]*>…\/(.*)<\/text>/g)];
    const queens = (drawing) => [...drawing.matchAll(/<use [^>]*x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => ({ row: Number(y) + 1, column: Number(x) + 1 }));
    assert.deepEqual([drawings(asked).length, drawings(solved).length], [boards, boards], query);
    for (const [i, [drawing, seed, level, address]] of drawings(asked).entries()) {
      assert.equal(Number(seed), first === last ? (i ? 0 : last) : first + i);
      const puzzle = await server.getJson(`/puzzle?${query}&seed=${seed}`);
      assert.deepEqual([queens(drawing), level], [puzzle.clues, puzzle.difficulty.level]);
      const { solutions } = await server.getJson(puzzle.solution_url);
      assert.deepEqual(queens(drawings(solved)[i][0]).map(({ column }) => column), solutions[0].permutation);
      const target = address.replaceAll('&amp;', '&').split('?');
      assert.equal(target[0], query.includes('minimal') ? 'puzzle' : 'play');
      assert.deepEqual(Object.fromEntries(new URLSearchParams(target[1])), { ...(target[0] === 'play' && { kind: 'completion' }), ...Object.fromEntries(new URLSearchParams(query)), seed });
    }
    assert.deepEqual([/>Name</.test(asked), />Name</.test(solved), /Queens: solutions/.test(solved)], [true, false, true]);
    assert.equal(/diagonal/.test(asked), !query.includes('rules'));
    const ids = [...asked.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    if (query !== 'n=1') assert.equal(new Set(ids).size, ids.length);
  }
});

test('a puzzle as a picture has the queens that are given, solved all of them; a page of solutions has them on every board', async () => {
  const { clues } = await server.getJson('/puzzle?n=8&seed=1');
  for (const [query, queens] of [['', clues.length], ['&solved=true', 8]])
    assert.equal(count((await server.get(`/puzzle?n=8&seed=1&format=svg${query}`)).text, /<use /g), queens);
  const puzzle = await server.getJson('/puzzle?kind=regions&n=7&level=easy&seed=1');
  const { solutions: [{ permutation }] } = await server.getJson(puzzle.solution_url);
  const { text } = await server.get('/puzzle?kind=regions&n=7&level=easy&seed=1&format=svg&solved=true');
  assert.deepEqual([...text.matchAll(/<use [^>]*x="(\d+)" y="(\d+)"/g)].map(([, column]) => Number(column) + 1), permutation);
  const sheets = {};
  for (const solved of [false, true])
    sheets[solved] = (await server.get(`/puzzle?kind=regions&n=7&level=easy&seed=1&format=svg&sheet=4&solved=${solved}`)).text;
  assert.deepEqual([count(sheets.false, /<use /g), count(sheets.true, /<use /g)], [0, 28]);
  for (const sheet of Object.values(sheets)) {
    assert.equal(count(sheet, /\/play\/[0-9a-z]+</g), 4);
    assert.ok(sheet.includes(`>…/play/${puzzle.code}<`) && sheet.includes('One queen in every row, every column and every region'));
  }
  assert.deepEqual([/>Name</.test(sheets.false), /solutions/.test(sheets.true)], [true, true]);
  const png = async (query) => parsePng((await server.get(`/puzzle?n=8&seed=1&format=png${query}`)).bytes);
  const [given, solved] = [await png(''), await png('&solved=true')];
  assert.equal(given.width, 512);
  const middle = ({ row, column }) => [column * 64 - 32, row * 64 - 20];
  for (const clue of clues) assert.equal(given.colour(...middle(clue)), solved.colour(...middle(clue)));
});
