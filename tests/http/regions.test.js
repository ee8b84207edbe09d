// regions.test.js - boards with regions, compared with a search of its own.
import { forms } from './forms.js';
import { after, assert, longer, rounds, start, test } from './harness.js';
import { fitting, lettersOf, painted, solutionsBy } from './reference.js';

const server = await start({ after });
const all = Object.fromEntries([4, 5, 6, 7].map((n) => [n, solutionsBy('touching', n)]));

let state = 25;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

const squares = (list) => list.map(([row, column]) => `${row}:${column}`).join(',');

test('counts of painted boards, with squares placed and excluded', async () => {
  const counts = new Set();
  for (let round = 0; round < rounds(240); round++) {
    const n = 4 + (round % 4);
    const board = painted(n, below);
    const letters = lettersOf(board);
    const place = below(3) ? [] : [[below(n), below(n)]];
    const exclude = below(2) ? [] : [[below(n), below(n)]];
    const expected = fitting(all[n], board).filter((columns) => place.every(([row, column]) => columns[row] === column) && exclude.every(([row, column]) => columns[row] !== column)).length;
    const path = `/count?regions=${letters}&base=0&place=${squares(place)}&exclude=${squares(exclude)}`;
    const answer = await server.getJson(path);
    assert.deepEqual(answer, { n, base: 0, rules: 'touching', regions: letters, count: expected, count_text: String(expected), unique: expected === 1, limit: 1000000, provenance: 'computed' }, path);
    for (const limit of expected ? [expected, Math.max(1, expected - 1)] : []) {
      const { count, at_least: least } = await server.getJson(`${path}&limit=${limit}`);
      assert.deepEqual([count, least], limit < expected ? [null, limit + 1] : [expected, undefined]);
    }
    counts.add(expected);
  }
  assert.ok(counts.has(0) && counts.has(1) && counts.size > 4);
});

test('equal boards are one answer, however they are written', async () => {
  const forms = ['ABCDE/ABCDE/ABCDE/ABCDE/ABCDE', 'zbcde/zbcde/zbcde/zbcde/zbcde', 'abcde/abcde/abcde/abcde/abcde&n=5&rules=touching&method=compute&limit=1000000', 'abcde/abcde/abcde/abcde/abcde&apart=true', 'https://puzz.link/p?starbattle/5/5/1/vvvv0000', 'starbattle/5/5/1/vvvv0000'];
  const replies = [];
  for (const form of forms) replies.push(await server.get(`/count?regions=${form}`));
  for (const { json, etag } of replies.map((reply) => ({ json: reply.json, etag: reply.headers.etag }))) {
    assert.equal(json.regions, 'abcde/abcde/abcde/abcde/abcde');
    assert.equal(json.count, 14);
    assert.equal(etag, replies[0].headers.etag);
  }
  assert.equal(replies[0].headers['content-location'], replies[3].headers['content-location']);
});

// ---- Lists ----

// A board, what is asked for of it, and its solutions.
function drawn(round) {
  const n = 4 + (round % 4);
  const board = painted(n, below);
  const place = below(3) ? [] : [[below(n), below(n)]];
  const exclude = below(2) ? [] : [[below(n), below(n)], [below(n), below(n)]].filter((square, i, both) => !i || `${square}` !== `${both[0]}`);
  const wanted = (columns) => place.every(([row, column]) => columns[row] === column) && exclude.every(([row, column]) => columns[row] !== column);
  const list = fitting(all[n], board).filter(wanted);
  const query = `regions=${lettersOf(board)}&base=0&place=${squares(place)}&exclude=${squares(exclude)}`;
  return { n, board, list, query };
}

const listed = ({ solutions }) => solutions.map(({ permutation }) => permutation);
const linesOf = (text) => text.trim().split('\n').map((line) => JSON.parse(line));

test('lists of painted boards: in pages, streams and tables, from any place on', async () => {
  let pages = 0;
  for (let round = 0; round < rounds(120); round++) {
    const { n, board, list, query } = drawn(round);
    const whole = await server.getJson(`/solve?${query}&rank=true`);
    const { rules, regions, order, total, completion, next } = whole;
    assert.deepEqual([whole.n, rules, regions, order, total, next], [n, 'touching', lettersOf(board), 'lexicographic', undefined, null], query);
    assert.deepEqual(listed(whole), list);
    assert.deepEqual(whole.solutions.map(({ rank }) => rank), list.map((_, rank) => rank));
    assert.deepEqual([completion.completable, completion.count], [list.length > 0, list.length]);
    const found = [];
    for (let path = `/solve?${query}&limit=2`; path; pages++) {
      const page = await server.getJson(path);
      found.push(...listed(page));
      assert.ok(page.next === null || page.next.includes(`&regions=${lettersOf(board)}`));
      path = page.next;
    }
    assert.deepEqual(found, list);
    const stream = linesOf((await server.get(`/solve?${query}&format=ndjson`)).text);
    assert.deepEqual([stream.at(-1).regions, stream.slice(0, -1).map(({ permutation }) => permutation)], [lettersOf(board), list]);
    const rows = (await server.get(`/solve?${query}&format=csv`)).text.trim().split('\r\n');
    assert.ok(rows[0].startsWith(`offset rules=touching regions=${lettersOf(board)},row 0`));
    assert.deepEqual(rows.slice(1).map((row) => row.split(',').slice(1).map(Number)), list);
    for (const at of list.length ? [0, below(list.length), list.length - 1] : [])
      assert.deepEqual(listed(await server.getJson(`/solve?${query}&after=${list[at]}`)), list.slice(at + 1));
  }
  assert.ok(pages > (longer ? 50 : 10), `${pages}`);
});

test('text and pictures of a painted board', async () => {
  const path = '/solve?regions=aabbb/aacbb/ddccc/ddeec/deeee';
  assert.match((await server.get(`${path}&format=text&board=ascii&limit=1`)).text, /^n = 5, base = 1, rules = touching, regions = aabbb\/aacbb\/ddccc\/ddeec\/deeee\n\n 1 >  1 {2}4 {2}2 {2}5 {2}3\nQ....\n\.\.\.Q\./);
  assert.match((await server.get(`${path}&format=svg`)).text, /aabbb aacbb ddccc ddeec deeee.*counted from 1: 1, 4, 2, 5, 3\./);
  assert.equal((await server.get(`${path}&format=png`)).status, 200);
  assert.equal((await server.get(`${path}&place=1:1,1:2&format=svg`)).status, 422);
});

test('classes are those of the symmetries of the regions; a solution with a symmetry is one of the list', async () => {
  const n = 6;
  const stripes = Array(n).fill('abcdef').join('/'); // a half turn and both reflections carry columns into columns
  const images = (columns) => [columns, [...columns].reverse(), columns.map((column) => n - 1 - column), columns.map((column) => n - 1 - column).reverse()];
  const least = all[n].filter((columns) => images(columns).every((image) => `${image}` >= `${columns}`));
  const turned = all[n].filter((columns) => `${images(columns)[3]}` === `${columns}`);
  assert.ok(least.length < all[n].length && turned.length > 1);
  assert.deepEqual(listed(await server.getJson(`/solve?regions=${stripes}&base=0&distinct=fundamental`)), least);
  assert.deepEqual(listed(await server.getJson(`/solve?regions=${stripes}&base=0&symmetry=point`)), turned);
  const apart = 'aabbbb/acabbb/accbbb/dddeee/dddeef/dddeef'.replace('acabbb', 'acadbb');
  const error = (await server.get(`/solve?regions=${apart}&apart=false`)).json.errors[0];
  assert.deepEqual([error.code, error.row, error.column], ['not-regions-square', 2, 3]);
  const page = await server.getJson(`/solve?regions=${apart}&apart=true&limit=1`); // as earlier releases wanted it
  assert.equal((await server.get(page.next)).status, 200);
});

test('a cursor is of one board', async () => {
  const { next_cursor: cursor } = await server.getJson('/solve?regions=aabbb/aacbb/ddccc/ddeec/deeee&limit=1');
  for (const other of ['regions=aabbb/aacbb/ddccc/ddeec/ddeee', 'n=5&rules=touching', 'n=5&rules=touching&algorithm=forward-checking'])
    (await server.get(`/solve?${other}&cursor=${cursor}`)).isProblem(400, 'cursor');
  const same = await server.getJson(`/solve?regions=zzyyy/zzxyy/wwxxx/wwvvx/wvvvv&algorithm=forward-checking&n=5&rules=touching&order=lexicographic&limit=1&cursor=${cursor}`);
  assert.deepEqual(listed(same), [[2, 4, 1, 5, 3]]);
});

// ---- Traces ----

test('a trace of a painted board', async () => {
  for (let round = 0; round < 12; round++) {
    const n = 4 + (round % 4);
    const board = painted(n, below);
    const path = `/trace?regions=${lettersOf(board)}&base=0`;
    const lines = linesOf((await server.get(`${path}&format=ndjson`)).text);
    const { regions, rules, ended } = lines.pop();
    assert.deepEqual([regions, rules, ended], [lettersOf(board), 'touching', true]);
    const queens = Array(n).fill(null);
    const found = [];
    for (const step of lines) {
      if (step.do === 'solution') found.push([...queens]);
      else queens[step.row] = step.do === 'place' ? step.column : null;
    }
    assert.deepEqual(found, fitting(all[n], board));
    const first = await server.getJson(`${path}&limit=5`);
    assert.deepEqual([first.algorithm, first.regions, first.steps], ['forward-checking', lettersOf(board), lines.slice(0, 5)]);
    if (first.next) assert.deepEqual((await server.getJson(first.next)).steps, lines.slice(5, 10));
  }
});

// ---- Forms ----

test('a board is read in every form in which people hand it in, as a parameter and as a member', async () => {
  for (let round = 0; round < rounds(30); round++) {
    const board = painted(4 + (round % 3), below);
    const letters = lettersOf(board);
    const { count } = await server.getJson(`/count?regions=${letters}`);
    for (const [name, form] of Object.entries(forms(board))) {
      const found = await server.getJson(`/count?regions=${encodeURIComponent(form)}`);
      assert.deepEqual([found.regions, found.count], [letters, count], name);
      const members = [form, ...(/^[[{]/.test(form) && !form.includes("'") ? [JSON.parse(form)] : [])];
      for (const regions of members) {
        const { status, json } = await server.post('/verify', { regions, queens: [] });
        assert.deepEqual([status, json.regions], [200, letters], name);
      }
    }
  }
});

test('what goes out of /puzzle comes in: letters, regions, text, link', async () => {
  for (const n of [5, 8, 11]) {
    const puzzle = await server.getJson(`/puzzle?kind=regions&n=${n}&level=easy&seed=1`);
    const { text } = await server.get(`/puzzle?kind=regions&n=${n}&level=easy&seed=1&format=text`);
    const colours = puzzle.regions.map((row) => row.map((region) => puzzle.colours[region]));
    for (const form of [puzzle.letters, JSON.stringify(puzzle.regions), text, puzzle.link, JSON.stringify(colours)])
      assert.equal((await server.getJson(`/solve?regions=${encodeURIComponent(form)}`)).regions, puzzle.letters);
  }
});

test('what can be read in two ways names both', async () => {
  // Sixteen words of sixteen signs, four of them different: sixteen rows, or four rows of words.
  const words = ['0123456789abcdef', '1032547698badcfe', '23016745ab89efcd', '32107654ba98fedc'];
  const text = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3].map((at) => words[at]).join(',');
  const { status, json } = await server.get(`/count?regions=${encodeURIComponent(text)}`);
  assert.equal(status, 400);
  assert.match(json.detail, /both a board of 16 rows, each a word, and one whose squares are these words/);
});
