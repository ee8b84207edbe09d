// sent.test.js - boards by POST to the routes that GET asks: the same answers from the same cache, in every form, and what is no board.
import { gzipSync } from 'node:zlib';
import { after, assert, long, start, test } from './harness.js';

const server = await start({ after });
const types = { json: 'application/json', ndjson: 'application/x-ndjson', text: 'text/plain', csv: 'text/csv', octets: 'application/octet-stream' };
const regions = 'aabbb/aacbb/ddccc/ddeec/deeee';
const painted = regions.split('/').map((row) => [...row].map((letter) => letter.charCodeAt(0) - 97));

const send = (target, form, body, headers = {}) =>
  server.get(target, { 'content-type': types[form], ...headers }, 'POST', form === 'json' && typeof body !== 'string' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
const timing = ({ headers }) => headers['server-timing'].match(/cache;desc=(\w+)/)[1];
const squares = (list) => list.map(([row, column]) => `${row}:${column}`).join(',');

// A board is drawn, with queens and crosses.
const draw = (n, queens, crosses, empty = '.') =>
  Array.from({ length: n }, (_, row) =>
    Array.from({ length: n }, (__, column) => {
      const has = (list) => list.some(([r, c]) => r === row + 1 && c === column + 1);
      return has(queens) ? 'Q' : has(crosses) ? 'x' : empty;
    }),
  );

// That a POST and a GET are the same; the second of them is in the cache, whichever it is. Returns the reply to the POST.
async function same(path, query, form, body, parameters, headers = {}) {
  const address = `${path}?${[query, parameters].filter(Boolean).join('&')}`;
  const sent = await send(query ? `${path}?${query}` : path, form, body, headers);
  const asked = await server.get(address);
  assert.equal(sent.status, 200, sent.text);
  assert.equal(sent.text, asked.text, `${form} ${path}`);
  assert.equal(timing(asked), 'hit', address);
  assert.equal(sent.headers.link, asked.headers.link);
  assert.deepEqual([sent.headers['cache-control'], sent.headers.etag], ['no-store', undefined]);
  const located = await server.get(sent.headers['content-location']);
  assert.deepEqual([located.headers.etag, located.text, timing(located)], [asked.headers.etag, asked.text, 'hit']);
  return sent;
}

const [queens, crosses] = [[[1, 3], [4, 8]], [[2, 7], [3, 8], [8, 1]]];
const marks = `place=${squares(queens)}&exclude=${squares(crosses)}`;
const forms = [
  ['json', { n: 8, queens, exclude: crosses }],
  ['json', { n: 8, base: 1, queens: queens.map(([row, column]) => ({ row, column })), exclude: crosses.map(([row, column]) => ({ row, col: column })) }],
  ['json', { exclude: crosses.map((square) => square.map((at) => at - 1)), base: 0, queens: queens.map((square) => square.map((at) => at - 1)), n: 8 }, 'base=0'],
  ['json', { board: draw(8, queens, crosses).map((row) => row.join('')) }],
  ['json', { board: draw(8, queens, crosses) }],
  ['json', { states: draw(8, queens, crosses).map((row) => row.map((sign) => '.Qx'.indexOf(sign))) }],
  ['json', draw(8, queens, crosses)],
  ['text', `${draw(8, queens, crosses).map((row) => row.join('')).join('\n')}\n`],
  ['text', draw(8, queens, crosses, '_').map((row) => row.join(' ')).join('/')],
  ['text', draw(8, queens, crosses, ' ').map((row) => `|${row.join('|')}|\n`).join('').replaceAll('x', '✗').replaceAll('Q', '♛')],
  ['text', JSON.stringify({ n: 8, queens, exclude: crosses }).replaceAll('"', "'")],
];

test('a board in any form is that of the address', async () => {
  for (const [form, body, base] of forms) {
    const moved = (list) => squares(base ? list.map((square) => square.map((at) => at - 1)) : list);
    const parameters = `n=8&place=${moved(queens)}&exclude=${moved(crosses)}${base ? `&${base}` : ''}`;
    const { json } = await same('/count', '', form, body, parameters);
    assert.deepEqual([json.n, json.base, json.count > 0], [8, base ? 0 : 1, true]);
  }
});

test('forms without crosses, and what the address has besides', async () => {
  const { text: csv } = await server.get('/construct?n=8&format=csv');
  const { json: { permutation } } = await server.get('/construct?n=8');
  const whole = `n=8&place=${squares(permutation.map((column, row) => [row + 1, column]))}`;
  const lines = queens.map(([row, column]) => `${JSON.stringify({ row, column })}\n`).join('');
  for (const [form, body, query, parameters] of [
    ['csv', csv, '', whole],
    ['octets', Buffer.from(new Uint32Array(permutation).buffer), '', whole],
    ['octets', Buffer.from(new Uint32Array(permutation).buffer), 'n=8', whole.replace('n=8&', '')],
    ['text', permutation.join(' '), '', whole],
    ['json', permutation, '', whole],
    ['ndjson', `${lines}{"end":true,"n":8}\n`, '', `n=8&place=${squares(queens)}`],
    ['text', 'c1 h4', 'n=8', 'place=1:3,4:8'],
    ['json', [[2, 5], ...queens], 'n=8&exclude=2:7', `place=${squares(queens)},2:5`],
    ['json', { queens: queens.map((square) => square.map((at) => at - 1)) }, 'n=8&base=0', `place=${squares(queens.map((square) => square.map((at) => at - 1)))}`],
    ['json', { n: 7, rules: 'toroidal', queens: [] }, '', 'n=7&rules=toroidal'],
    ['json', { n: 8, queens }, `n=8&place=${squares(queens)}`, ''],
    ['json', { n: 8 }, 'distinct=fundamental', 'n=8'],
    ['json', { n: 8 }, 'by=square', 'n=8'],
    ['text', '....\n'.repeat(4), '', 'n=4'],
    ['json', { n: 4, queens: [[1, 1], [2, 2], [3, 3], [4, 4], [4, 3]] }, '', 'n=4&place=1:1,2:2,3:3,4:3,4:4'], // they attack each other
  ])
    await same('/count', query, form, body, parameters);
  await same('/count', '', 'json', gzipSync(JSON.stringify({ n: 8, queens })), `n=8&place=${squares(queens)}`, { 'content-encoding': 'gzip' });
});

test('boards of regions, in letters and in numbers, with what a player has put there', async () => {
  for (const [form, body] of [
    ['text', `${regions.replaceAll('/', '\n')}\n`], ['text', regions], ['json', { regions }], ['json', { regions: painted }], ['json', { letters: regions.split('/'), n: 5 }],
  ]) {
    await same('/count', '', form, body, `regions=${regions}`);
    await same('/solve', 'limit=1', form, body, `regions=${regions}`);
    await same('/hint', '', form, body, `regions=${regions}`);
    await same('/trace', 'limit=3', form, body, `regions=${regions}`);
  }
  const { json: { solutions: [{ permutation }] } } = await server.get(`/solve?regions=${regions}`);
  const states = painted.map((row, r) => row.map((_, c) => (r > 0 ? 0 : c + 1 === permutation[0] ? 1 : 2)));
  const crossed = states[0].flatMap((state, c) => (state === 2 ? [[1, c + 1]] : []));
  const { json } = await same('/hint', 'steps=all', 'json', { regions: painted, states }, `regions=${regions}&place=1:${permutation[0]}&exclude=${squares(crossed)}`);
  assert.equal(json.end, 'solved');
  await same('/hint', `regions=${regions}`, 'json', { n: 5, queens: [[1, permutation[0]]] }, `place=1:${permutation[0]}`);
  (await send('/hint?apart=false', 'json', { regions: 'aabb/aabb/ccdd/dccd' })).isProblem(400, 'regions');
  (await send('/hint', 'json', { regions: 'aabb/aabb/ccdd/dccd', apart: false })).isProblem(400, 'regions');
});

test('each of the routes has for a board what it has for an address', async () => {
  const board = { n: 8, queens, exclude: crosses };
  const { json: page } = await same('/solve', 'limit=1', 'json', { n: 8, queens: [[1, 3]] }, 'n=8&place=1:3');
  assert.match(page.next, /^\/solve\?n=8&limit=1&place=1:3&cursor=/);
  const next = await server.get(page.next);
  const sent = await send(`/solve?limit=1&cursor=${page.next_cursor}`, 'json', { n: 8, queens: [[1, 3]] });
  assert.deepEqual([sent.text, timing(sent)], [next.text, 'hit']);
  await same('/solve', 'format=svg', 'json', { n: 8, queens: [[1, 3]] }, 'n=8&place=1:3');
  await same('/hint', 'lang=it', 'json', board, `n=8&${marks}`);
  await same('/hint', 'format=png', 'json', board, `n=8&${marks}`);
  await same('/trace', 'limit=5&algorithm=mrv', 'json', { n: 6 }, 'n=6');
  await same('/puzzle', 'seed=3', 'json', { n: 8 }, 'n=8');
  await same('/puzzle', 'seed=3&kind=regions', 'json', { n: 6, base: 0 }, 'n=6&base=0');
  await same('/count', 'seed=1&method=estimate', 'json', { n: 22, queens: [[1, 3]] }, 'n=22&place=1:3');
});

test('streams of a board are those of its address', async () => {
  for (const [target, body, address] of [
    ['/solve?format=ndjson', { n: 8, queens: [[1, 3]] }, '/solve?n=8&place=1:3&format=ndjson'],
    ['/solve?format=csv', { n: 8, exclude: [[1, 3]] }, '/solve?n=8&exclude=1:3&format=csv'],
    ['/trace?format=events&algorithm=rapella', { n: 5 }, '/trace?n=5&format=events&algorithm=rapella'],
  ]) {
    const [sent, asked] = [await send(target, 'json', body), await server.get(address)];
    assert.equal(sent.status, 200, sent.text);
    assert.equal(sent.text, asked.text);
    assert.deepEqual([sent.headers.etag, sent.headers['cache-control']], [undefined, 'no-store']);
    assert.equal((await server.get(sent.headers['content-location'])).text, asked.text);
  }
});

test('a board of 20 rows with 30 marks', async () => {
  const { json: { permutation } } = await server.get('/construct?n=20');
  const placed = permutation.slice(0, 10).map((column, row) => [row + 1, column]);
  const crossed = Array.from({ length: 20 }, (_, i) => [11 + (i % 10), i + 1]).filter(([row, column]) => permutation[row - 1] !== column);
  const parameters = `n=20&place=${squares(placed)}&exclude=${squares(crossed)}`;
  assert.ok(placed.length + crossed.length >= 29);
  for (const [form, body] of [
    ['json', { n: 20, queens: placed, exclude: crossed }],
    ['text', draw(20, placed, crossed).map((row) => row.join('')).join('\n')],
    ['json', { states: draw(20, placed, crossed).map((row) => row.map((sign) => '.Qx'.indexOf(sign))) }],
  ]) {
    const { json } = await same('/count', '', form, body, parameters);
    assert.ok(json.count > 0, json.count_text);
    const { json: { solutions } } = await same('/solve', '', form, body, parameters);
    assert.equal(solutions.length, Math.min(json.count, 100));
    await same('/hint', '', form, body, parameters);
  }
});

test('a job that a board begins is that of its address', async () => {
  const board = { n: long.n, exclude: [[2, 3], [1, 1]] };
  const begun = await send('/count?method=compute', 'json', board, { prefer: 'respond-async' });
  assert.equal(begun.status, 202, begun.text);
  assert.equal(begun.headers.location, begun.json.self);
  assert.equal(begun.headers['content-location'], undefined);
  assert.match(begun.json.query, /^\/count\?n=18&method=compute&exclude=1:1,2:3$/);
  const again = await server.get(begun.json.query, { prefer: 'respond-async' });
  assert.equal(again.json.id, begun.json.id);
  await server.delete(begun.json.self);
});

test('what follows has no path where the path would be too long for an address', async () => {
  const { json: { permutation } } = await server.get('/construct?n=1000&method=local-search&seed=1');
  const placed = permutation.slice(0, 800).map((column, row) => [row + 1, column]);
  const exclude = Array.from({ length: 1000 }, (_, i) => [801 + (i % 200), 1 + ((i * 7) % 999)]).filter(([row, column]) => permutation[row - 1] !== column);
  const board = { n: 1000, queens: placed, exclude };
  const first = await send('/solve?limit=1', 'json', board);
  assert.equal(first.status, 200, first.text.slice(0, 300));
  assert.deepEqual([first.json.returned, first.json.next, first.headers.link, first.headers['content-location']], [1, null, undefined, undefined]);
  const second = await send(`/solve?limit=1&cursor=${first.json.next_cursor}`, 'json', board);
  assert.equal(second.json.offset, 1);
  assert.notDeepEqual(second.json.solutions, first.json.solutions);
  for (const [row, column] of placed) assert.equal(second.json.solutions[0].permutation[row - 1], column);
});

test('a board that is sent is neither a page of the explorer nor what a tag names', async () => {
  const { headers, text } = await server.get('/count?n=8');
  for (const more of [{ accept: 'text/html, */*' }, { 'if-none-match': headers.etag }, { 'if-none-match': '*' }]) {
    const sent = await send('/count', 'json', { n: 8 }, more);
    assert.deepEqual([sent.status, sent.text], [200, text]);
  }
});

test('more than 1000 crosses, and what is not a board by its type, its coding or its size, are refused', async () => {
  const exclude = Array.from({ length: 1001 }, (_, i) => [1 + (i % 100), 1 + (i % 13) * 3 + Math.floor(i / 100) % 3]);
  const many = await send('/solve', 'json', { n: 100, exclude });
  many.isProblem(422, 'exclude');
  assert.equal(many.json.errors[0].reason, 'must have at most 1000 squares');
  for (const [headers, body] of [[{ 'content-type': 'application/x-www-form-urlencoded' }, 'n=8'], [{ 'content-encoding': 'br' }, '{}'], [{ 'content-type': '' }, '{"n":8}']])
    (await send('/count', 'json', body, headers)).isProblem(415);
  (await send('/count', 'json', 'no gzip', { 'content-encoding': 'gzip' })).isProblem(400, 'body');
  (await send('/hint', 'json', { n: 8 }, { accept: 'x/y' })).isProblem(406);
  const [refused] = await server.raw(`POST /count HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${(16 << 20) + 1}\r\nExpect: 100-continue\r\n\r\n`);
  refused.isProblem(413);
  assert.equal((await server.get('/construct?n=8', { 'content-type': 'application/json' }, 'POST', '{"n":8}')).status, 405);
});
