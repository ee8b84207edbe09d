// forms_public.test.js - boards that people have published, in every form in which they hand them in: the service reads the same board,
// and what it says of it comes in again.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { forms } from './forms.js';
import { after, assert, longer, start, test } from './harness.js';
import { lettersOf } from './reference.js';

const server = await start({ after });
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
after(() => agent.destroy());

const ask = (method, path, headers = {}, body = undefined) =>
  new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, host: '127.0.0.1', path, method, headers, agent }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => resolve({ status: reply.statusCode, type: reply.headers['content-type'], text: Buffer.concat(pieces).toString() }));
    });
    request.on('error', reject).end(body);
  });

const lines = readFileSync(new URL('../data/public_boards.txt', import.meta.url), 'utf8').trimEnd().split('\n');
const sources = lines.filter((line) => line.startsWith('@')).map((line) => line.slice(1).split(' ')[0]);
const published = lines
  .filter((line) => !/^[#@]/.test(line))
  .map((line) => {
    const [source, level, solutions, letters, code] = line.split('\t');
    const board = letters.split('/').map((row) => [...row].map((letter) => letter.charCodeAt(0) - 97));
    return { name: `${source} ${level}`, source, solutions, letters, board, code };
  });

// Squares that touch the square of the same region that is first.
function isConnected(board) {
  const region = (square) => board[square.row]?.[square.column];
  const firsts = board.flatMap((list, row) => list.map((of, column) => ({ row, column, of }))).filter(({ of }, at, all) => all.findIndex((other) => other.of === of) === at);
  const reached = new Set(firsts.map(({ row, column }) => `${row}:${column}`));
  for (const { row, column, of } of firsts) // more are added meanwhile
    for (const [r, c] of [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]])
      if (region({ row: r, column: c }) === of && reached.size !== reached.add(`${r}:${c}`).size) firsts.push({ row: r, column: c, of });
  return reached.size === board.length ** 2;
}

// How many solutions a board has: the row, column or region with the fewest squares that are left gets its queen next.
function countOf(board) {
  const all = board.flatMap((list, row) => list.map((region, column) => ({ row, column, groups: [row, board.length + column, 2 * board.length + region] })));
  const excludes = (a, b) => a.groups.some((group, kind) => group === b.groups[kind]) || (Math.abs(a.row - b.row) < 2 && Math.abs(a.column - b.column) < 2);
  const go = (left, open) => {
    if (!open.length) return 1;
    const sizes = new Map(open.map((group) => [group, 0]));
    for (const { groups } of left) for (const group of groups) sizes.set(group, sizes.get(group) + 1);
    const least = open.reduce((a, b) => (sizes.get(b) < sizes.get(a) ? b : a));
    return left
      .filter(({ groups }) => groups.includes(least))
      .reduce((sum, queen) => sum + go(left.filter((square) => !excludes(queen, square)), open.filter((group) => !queen.groups.includes(group))), 0);
  };
  return go(all, [...Array(3 * board.length).keys()]);
}

for (const entry of published) Object.assign(entry, { connected: isConnected(entry.board), count: countOf(entry.board) });

// Runs a function for every entry, some at a time.
async function each(list, run) {
  const left = [...list];
  await Promise.all([...Array(4)].map(async () => {
    for (let entry; (entry = left.pop());) await run(entry);
  }));
}

const TARGET_MAX = 8192; // bytes
// Every form of every board takes a while: in `make test` a board has every ninth form.
const some = (entries, at) => entries.filter((_, i) => longer || i % 9 === at % 9);

test('the boards are what their sources say', () => {
  assert.equal(published.length, 300);
  assert.equal(new Set(published.map(({ letters }) => letters)).size, 300);
  assert.deepEqual([...new Set(published.map(({ source }) => source))].sort(), [...sources].sort());
  assert.deepEqual([...new Set(published.map(({ board }) => board.length))].filter((n) => n < 12).sort((a, b) => a - b), [4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(published.filter(({ connected }) => !connected).length, 45);
  for (const { name, letters, board, solutions, count } of published) {
    assert.equal(lettersOf(board), letters, name);
    assert.equal(String(count), solutions === '-' ? String(count) : solutions, name);
  }
});

test('a published board is read in every form', async () => {
  let read = 0;
  await each(published.entries(), async ([at, { name, letters, board, connected, count, code }]) => {
    const all = { ...(code && { 'its own code': code }), ...forms(board, connected) };
    for (const [form, text] of some(Object.entries(all), at)) {
      const path = `/count?regions=${encodeURIComponent(text)}`;
      if (path.length > TARGET_MAX) continue; // of 18 rows as colours: for a body
      const { status, text: reply } = await ask('GET', path);
      const json = JSON.parse(reply);
      assert.deepEqual([status, json.regions, json.connected ?? true, json.count], [200, letters, connected, count], `${name} as ${form}: ${text}\n${reply}`);
      read++;
    }
  });
  assert.ok(read > (longer ? 9900 : 1100), `${read}`);
});

test('a published board is a member of a body in every form, with queens and without', async () => {
  await each(published.entries(), async ([at, { name, letters, board, connected }]) => {
    const values = Object.entries(forms(board, connected)).flatMap(([form, text]) => {
      const native = /^[[{]/.test(text) && !text.includes("'");
      return [[form, text], ...(native ? [[`${form}, as JSON`, JSON.parse(text)]] : [])];
    });
    for (const [form, regions] of some(values, at)) {
      const queens = at % 2 ? [{ row: 1, column: 1 }] : [];
      const { status, text } = await ask('POST', '/verify', { 'content-type': 'application/json' }, JSON.stringify({ regions, queens }));
      const json = JSON.parse(text);
      assert.deepEqual([status, json.regions, json.connected ?? true, json.queens], [200, letters, connected, queens.length], `${name} as ${form}\n${text}`);
    }
  });
});

test('what the service says of a published board comes in again', async () => {
  await each(published.entries(), async ([at, { name, letters, connected, count }]) => {
    const outwards = ['json', 'text', 'csv', 'ndjson'].map((format) => `/solve?regions=${letters}&format=${format}${count > 1 && format !== 'json' ? '&limit=1' : ''}`);
    for (const path of some([...outwards, `/hint?regions=${letters}`, `/count?regions=${letters}`], at)) {
      const out = await ask('GET', path);
      assert.equal(out.status, 200, `${name} ${path}\n${out.text}`);
      const state = /^.(hint|count)/.test(path); // no queens: they are added
      const body = state ? JSON.stringify({ ...JSON.parse(out.text), queens: [], count: undefined }) : out.text;
      const back = await ask('POST', state ? '/verify' : '/verify?index=0', { 'content-type': out.type }, body);
      const json = JSON.parse(back.text);
      assert.deepEqual([back.status, json.regions, json.connected ?? true, json.valid], [200, letters, connected, !state], `${name} ${path}\n${out.text}\n${back.text}`);
    }
    const verdict = await ask('POST', '/verify', { 'content-type': 'application/json' }, JSON.stringify({ regions: letters, queens: [] }));
    const again = await ask('POST', '/verify', { 'content-type': 'application/json' }, JSON.stringify({ ...JSON.parse(verdict.text), queens: [] }));
    assert.equal(again.text, verdict.text, name);
  });
});
