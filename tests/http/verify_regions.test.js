// verify_regions.test.js - POST /verify of boards with regions: the same verdict in every form, every pair of queens that breaks a rule.
import { document } from './contract.js';
import { after, assert, start, test } from './harness.js';
import { fitting, lettersOf, painted, solutionsBy } from './reference.js';

const server = await start({ after });
const placements = Object.fromEntries([4, 5, 6, 7, 8].map((n) => [n, solutionsBy('touching', n)]));

let state = 25;
const below = (bound) => (state = (state * 48271) % 2147483647) % bound;

// What two queens break, by the definition, and the region that they share.
function broken(a, b, board) {
  const [rows, columns] = [Math.abs(a.row - b.row), Math.abs(a.column - b.column)];
  const region = board[a.row][a.column] === board[b.row][b.column] && lettersOf(board).split('/')[a.row][a.column];
  const line = !rows && !columns ? 'square' : !rows ? 'row' : !columns ? 'column' : rows === 1 && columns === 1 ? 'neighbour' : region ? 'region' : undefined;
  return line && { a, b, line, ...(region && { region }) };
}

const rest = { symmetry: null, orbit: null, canonical: null, rank: null };

test('every pair that breaks a rule is named with its line and its region, in every form of the board', async () => {
  const lines = new Set();
  let solved = 0;
  for (let round = 0; round < 200; round++) {
    const n = 4 + below(5);
    const board = painted(n, below);
    const [solution] = fitting(placements[n], board);
    const columns = round % 7 === 1 && solution ? solution : [...Array(n).keys()].sort(() => below(2) - 0.5);
    const all = columns.map((column, row) => ({ row: round % 5 ? row : below(n), column: round % 3 ? column : below(n) })).sort((a, b) => a.row - b.row || a.column - b.column);
    const more = round % 9 ? [] : [...Array(n * n).keys()].map((at) => ({ row: Math.floor(at / n), column: at % n })).filter(() => below(3) === 0);
    const queens = more.length ? more : round % 4 ? all : all.slice(0, n - 1);
    const conflicts = queens.flatMap((a, i) => queens.slice(i + 1).map((b) => broken(a, b, board)).filter(Boolean));
    const valid = !conflicts.length && queens.length === n;
    const expected = { n, base: 0, rules: 'touching', regions: lettersOf(board), valid, peaceful: !conflicts.length, queens: queens.length, conflict_count: conflicts.length, conflicts: conflicts.slice(0, 100), ...rest };
    const states = board.map((list, row) => list.map((_, column) => (queens.some((queen) => queen.row === row && queen.column === column) ? 1 : 2 * below(2))));
    const ids = board.map((list) => list.map((id) => 7 * id + 1000));
    const forms = [{ regions: ids, queens, base: 0 }, { base: 0, regions: lettersOf(board), states }, { states, regions: lettersOf(board).toUpperCase().split('/'), base: 0, id: 'x', date: null }];
    const reply = await server.post('/verify', forms[round % forms.length]);
    assert.deepEqual(reply.json, expected);
    for (const { line } of conflicts) lines.add(line);
    solved += valid;
  }
  assert.deepEqual([...lines].sort(), ['column', 'neighbour', 'region', 'row', 'square']);
  assert.ok(solved);
});

test('a parameter paints text, CSV, NDJSON and octets', async () => {
  const [good, bad] = ['aabb/acbb/cccd/ccdd', 'aaaa/bbba/ccbd/cddd'];
  const bodies = [
    ['text/plain', '.Q..\n...Q\nQ...\n..Q.\n'],
    ['text/plain', '2 4 1 3'],
    ['text/csv', 'row 1..4,column 1..4\n1,2\n2,4\n3,1\n4,3\n'],
    ['application/x-ndjson', '{"permutation":[2,4,1,3]}\n'],
    ['application/json', '[2,4,1,3]'],
    ['application/octet-stream', Buffer.from(Uint32Array.of(2, 4, 1, 3).buffer)],
  ];
  for (const [type, body] of bodies) {
    const verdicts = [];
    for (const board of [good, bad, 'starbattle/4/4/1/b2g9cg']) {
      const reply = await server.get(`/verify?regions=${board}`, { 'content-type': type }, 'POST', body);
      assert.equal(reply.status, 200, reply.text);
      verdicts.push(reply.json);
    }
    assert.deepEqual(verdicts.map(({ valid, conflicts }) => [valid, ...conflicts.map(({ region }) => region)]), [[true], [false, 'a'], [true]], type);
  }
});

test('regions in several parts are accepted, and said; apart=false refuses them, as a parameter or a member', async () => {
  const parts = 'abcc/aacc/bbdd/bbdd';
  const apart = [{ row: 3, column: 1 }, { row: 3, column: 2 }, { row: 4, column: 1 }, { row: 4, column: 2 }];
  for (const [query, members] of [['', {}], ['?apart=true', {}], ['', { apart: true }], ['?rules=touching', { rules: 'touching' }]]) {
    const { json } = await server.post(`/verify${query}`, { regions: parts, queens: [], ...members });
    assert.deepEqual([json.regions, json.connected, json.apart], [parts, false, apart]);
  }
  for (const [query, members] of [['?apart=false', {}], ['', { apart: false }], ['?apart=false', { apart: true }]]) {
    const { status, json } = await server.post(`/verify${query}`, { regions: parts, queens: [], ...members });
    assert.equal(status, 400);
    assert.match(json.detail, /row 3, column 1 is not connected .*, or leave out apart=false\.$/); // as above
  }
  const { connected, apart: none } = (await server.post('/verify', { regions: 'aabb/aabb/ccdd/ccdd', queens: [] })).json;
  assert.deepEqual([connected, none], [undefined, undefined]);
  for (const path of ['/count', '/solve', '/hint', '/trace']) {
    const json = await server.getJson(`${path}?regions=${parts}&base=0`);
    assert.deepEqual([json.connected, json.apart], [false, apart.map(({ row, column }) => ({ row: row - 1, column: column - 1 }))], path);
    (await server.get(`${path}?regions=${parts}&apart=false`)).isProblem(400, 'regions');
  }
});

test('a member that is none is refused with the nearest; `letters` is `regions`; what replies have is ignored', async () => {
  const letters = 'aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee';
  const [solution] = fitting(placements[6], letters.split('/').map((row) => [...row]));
  const { json } = await server.post('/verify', { letters, permutation: solution.map((column) => column + 1) });
  assert.deepEqual([json.valid, json.rules], [true, 'touching']);
  for (const [name, near] of [['rule', 'rules'], ['Base', 'base'], ['region', 'regions'], ['queen', 'queens']]) {
    const reply = await server.post('/verify', { permutation: [2, 4, 1, 3], [name]: 'x' });
    assert.deepEqual([reply.status, reply.json.errors[0].parameter, reply.json.errors[0].code], [400, name, 'unknown-parameter']);
    assert.match(reply.json.detail, new RegExp(`is no member of a board; the nearest is ${near}\\.`));
    assert.equal(reply.json.errors[0].suggestion, near);
    assert.ok(reply.json.errors[0].choices.includes(near));
  }
  assert.match((await server.post('/verify', { permutation: [2, 4, 1, 3], colour_of_the_queens_on_the_board: 1 })).json.detail, /: these are n, base,/);
  for (const path of ['/solve?n=6&limit=1', '/construct?n=8', '/puzzle?n=8&seed=1', '/puzzle?kind=regions&n=6&seed=1', '/solve?n=6&rank=true&board=ascii&limit=1', `/solve?regions=${letters}`])
    assert.equal((await server.post('/verify', await server.getJson(path))).status, 200, path);
});

test('no member of a reply about a board is refused as unknown', async () => {
  const names = new Set();
  const find = (pointer) => pointer.split('/').slice(1).reduce((value, key) => value[key], document);
  const walk = (schema) => {
    if (schema?.$ref) return walk(find(schema.$ref));
    for (const name of Object.keys(schema?.properties ?? {})) names.add(name);
    for (const part of ['anyOf', 'oneOf', 'allOf'].flatMap((key) => schema?.[key] ?? [])) walk(part);
  };
  for (const path of ['/solve', '/hint', '/count', '/puzzle', '/construct', '/trace', '/verify'])
    for (const { responses } of Object.values(document.paths[path]).filter((operation) => operation.responses))
      walk(responses[200].content['application/json']?.schema);
  assert.ok(names.size > 60, `${names.size}`);
  for (const name of names) {
    const { json } = await server.get('/verify', { 'content-type': 'application/json' }, 'POST', JSON.stringify({ [name]: true }));
    assert.notEqual(json.errors?.[0].code, 'unknown-parameter', name);
  }
});

test('replies come back, with queens filled in', async () => {
  const parts = 'aaaabb/aaaaab/aacdbb/accdbe/fcedea/fceeee';
  const queens = [{ row: 1, column: 2 }];
  const replies = [
    ...['/solve', '/hint', '/count', '/trace'].flatMap((path) => [`${path}?n=6`, `${path}?regions=${parts}`, `${path}?n=6&place=1:2&exclude=2:1`].map((target) => ['GET', target])),
    ['GET', '/count?n=6&by=square'], ['GET', '/solve?n=6&sample=1&seed=1&stats=true'], ['GET', '/puzzle?n=8&seed=1'],
    ...['n=8', 'n=8&method=tensor&factors=2x4', 'n=12&rows=1-3'].map((query) => ['GET', `/construct?${query}`]),
    ['GET', '/puzzle?kind=regions&n=6&seed=1'], ['POST', '/verify', { regions: parts, queens }], ['POST', '/verify', { permutation: [2, 4, 6, 1, 3, 5] }],
  ];
  for (const [method, target, body] of replies) {
    const given = await server.get(target, { 'content-type': 'application/json' }, method, body && JSON.stringify(body));
    if (given.status !== 200) continue; // not every route has every parameter
    const { solutions, permutation, queens: number, clues, states, grid, ...rest } = given.json;
    const reply = await server.post('/verify', { n: 6, ...rest, queens });
    assert.deepEqual([reply.status, reply.json.queens], [200, 1], `${target} ${reply.text}`);
  }
});

test('a byte order mark, JSON as text and other names of media types', async () => {
  const solution = [2, 4, 1, 3];
  const bodies = [
    ['application/json', JSON.stringify(solution)],
    ['text/json', JSON.stringify({ permutation: solution })],
    ['text/plain', JSON.stringify({ permutation: solution })],
    ['text/plain', `\n ${JSON.stringify(solution)}`],
    ['text/plain', solution.join(' ')],
    ['text/csv', 'row 1..4,column 1..4\r\n1,2\r\n2,4\r\n3,1\r\n4,3\r\n'],
    ['application/csv', 'row 1..4,column 1..4\n1,2\n2,4\n3,1\n4,3\n'],
    ...['application/x-ndjson', 'application/ndjson', 'application/jsonl'].map((type) => [type, '{"permutation":[2,4,1,3]}\n']),
  ];
  for (const [type, body] of bodies)
    for (const mark of type === 'application/json' ? [''] : ['', '\ufeff']) { // the harness itself reads what is sent as JSON
      const reply = await server.get('/verify', { 'content-type': type }, 'POST', mark + body);
      assert.deepEqual([reply.status, reply.json.valid], [200, true], `${type} ${mark.length} ${reply.text}`);
    }
  assert.match((await server.get('/verify', { 'content-type': 'text/xml' }, 'POST', 'x')).json.detail, /^The body must be application\/json, .* or application\/octet-stream\.$/);
});

test('a player may put a queen on every square, and no more', async () => {
  const regions = 'aabb/aabb/ccdd/ccdd';
  const queens = [...Array(16).keys()].map((at) => ({ row: 1 + Math.floor(at / 4), column: 1 + (at % 4) }));
  const { json } = await server.post('/verify', { regions, queens });
  assert.deepEqual([json.valid, json.queens, json.conflict_count, json.conflicts.length], [false, 16, 66, 66]);
  const { errors } = (await server.post('/verify', { regions, queens: [...queens, queens[0]] })).json;
  assert.deepEqual([errors[0].parameter, errors[0].code, errors[0].count, errors[0].expected], ['body', 'disagrees', 17, 16]);
});

test('a board of /puzzle comes back with its states filled in, as numbers, letters and link', async () => {
  const puzzle = await server.getJson('/puzzle?kind=regions&n=6&level=hard&seed=1&base=0');
  const [solution] = fitting(solutionsBy('touching', 6), puzzle.regions);
  const begun = (await server.post('/verify', puzzle)).json;
  assert.deepEqual([begun.valid, begun.peaceful, begun.queens, begun.regions], [false, true, 0, puzzle.letters]);
  for (const [row, column] of solution.entries()) puzzle.states[row][column] = 1;
  for (const regions of [puzzle.regions, puzzle.letters, puzzle.link]) {
    const { json } = await server.post('/verify', { ...puzzle, regions });
    assert.deepEqual(json, { n: 6, base: 0, rules: 'touching', regions: puzzle.letters, valid: true, peaceful: true, queens: 6, conflict_count: 0, conflicts: [], ...rest });
  }
});
