// roundtrip.test.js - what goes out comes in: every body of /solve and /construct is sent to /verify as it came.
import http from 'node:http';
import { after, assert, longer, start, test } from './harness.js';

const server = await start({ after });

// Bytes as they come and go: octets are no text.
const exchange = (method, target, headers = {}, body = undefined) =>
  new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, host: '127.0.0.1', path: target, method, headers }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(pieces) }));
    });
    request.on('error', reject).end(body);
  });

// Sends the body of a route to /verify, unmodified, with its own type.
async function back(target, query = '') {
  const out = await exchange('GET', target);
  assert.equal(out.status, 200, `${target} ${out.body}`);
  const reply = await exchange('POST', `/verify${query}`, { 'content-type': out.headers['content-type'] }, out.body);
  return { status: reply.status, json: JSON.parse(reply.body), out: out.body };
}

async function judged(target, query = '') {
  const { status, json, out } = await back(target, query);
  assert.equal(status, 200, `${target} ${query} ${JSON.stringify(json)}\n${out}`);
  return json;
}

const formats = ['json', 'ndjson', 'csv', 'text'];
const styles = ['none', 'ascii', 'unicode', 'grid', 'petscii'];
const more = ['', '&rank=true', '&stats=true&total=true', '&distinct=fundamental', '&symmetry=point', '&sample=1&seed=7', '&algorithm=mrv',
  '&algorithm=min-conflicts&seed=1'];

test('one solution of /solve, in every format and board style, from every base', async () => {
  for (const n of [0, 1, 4, 8, 12])
    for (const format of formats)
      for (const board of styles)
        for (const base of [1, 0])
          for (const rest of n === 8 && ['none', 'grid'].includes(board) ? more : ['']) {
            if (format !== 'json' && rest.includes('stats')) continue;
            const limit = rest.includes('sample') ? '' : '&limit=1';
            const target = `/solve?n=${n}&format=${format}&board=${board}&base=${base}${limit}${rest}`;
            const { valid, n: size, base: found, queens } = await judged(target);
            const knows = format !== 'csv' || n > 0 ? base : 1; // a board of no rows has no row to be numbered
            assert.deepEqual([valid, size, found, queens], [true, n, knows, n], target);
          }
});

test('solutions of a board with regions name it in every format and board style', async () => {
  const regions = 'aabbb/aacbb/ddccc/ddeec/deeee';
  for (const format of formats)
    for (const board of styles)
      for (const base of [1, 0]) {
        const target = `/solve?regions=${regions}&format=${format}&board=${board}&base=${base}`;
        const { valid, base: found, regions: painted, rules } = await judged(target, '?index=3');
        assert.deepEqual([valid, found, painted, rules], [true, base, regions, 'touching'], target);
      }
});

test('one of several solutions is chosen by index, and without it the error says how', async () => {
  const { solutions } = await server.getJson('/solve?n=6&rank=true');
  for (const format of formats)
    for (const board of styles) {
      const target = `/solve?n=6&format=${format}&board=${board}`;
      const several = await back(target);
      assert.equal(several.status, 400, target);
      const [{ parameter, reason }] = several.json.errors;
      assert.deepEqual([parameter, reason], ['body', 'has 4 solutions, and one is checked: choose it with index=0 to index=3']);
      for (const [index, { rank }] of [...solutions.entries()].filter(([i]) => i % 3 === 0)) {
        const { valid, rank: found } = await judged(target, `?index=${index}`);
        assert.deepEqual([valid, found], [true, rank], `${target} ${index}`);
      }
      const beyond = await back(target, '?index=4');
      assert.deepEqual([beyond.status, beyond.json.errors[0].parameter], [400, 'index']);
      const none = await back(`/solve?n=3&format=${format}&board=${board}`);
      if (format !== 'ndjson') assert.equal(none.status, 400); // an end line alone is a board without queens
    }
});

test('every body of /construct, also of some rows', async () => {
  const methods = ['', '&method=linear', '&method=local-search&seed=1', '&method=random&seed=1', '&method=random'];
  for (const n of [0, 1, 4, 7, 100])
    for (const format of formats)
      for (const base of [1, 0])
        for (const method of n > 4 && n < 20 ? methods : ['']) {
          if (method.includes('linear') && n % 6 !== 1) continue;
          const { valid, n: size, base: found } = await judged(`/construct?n=${n}&format=${format}&base=${base}${method}`);
          assert.deepEqual([valid, size, found], [true, n, base], `${n} ${format} ${method}`);
        }
  for (const format of formats)
    for (const [base, rows] of [[1, '2-3'], [0, '0-4'], [1, '8-8']]) {
      const { valid, peaceful, queens, n } = await judged(`/construct?n=8&format=${format}&base=${base}&rows=${rows}`);
      const [first, last] = rows.split('-').map(Number);
      assert.deepEqual([valid, peaceful, queens, n], [false, true, last - first + 1, 8], `${format} ${rows}`);
    }
  const { permutation } = await server.getJson('/construct?n=8');
  const wrong = await server.post('/verify', { n: 8, rows: { first: 2, last: 3 }, permutation: permutation.slice(0, 2) });
  const same = await server.post('/verify', { n: 8, queens: [2, 3].map((row, i) => ({ row, column: permutation[i] })) });
  assert.deepEqual(wrong.json, same.json);
});

test('octets need n, and base if it is not 1', async () => {
  for (const n of [0, 1, 5, 1000])
    for (const base of [1, 0]) {
      const target = `/construct?n=${n}&format=octet-stream&base=${base}`;
      const { valid, base: found } = await judged(target, `?n=${n}&base=${base}`);
      assert.deepEqual([valid, found], [true, base]);
      const { status, json } = await back(target, `?n=${n + 1}&base=${base}`);
      assert.deepEqual([status, json.errors[0].parameter], [400, 'permutation']);
      assert.equal((await back(target)).json.errors[0].parameter, 'n');
    }
  const part = await exchange('POST', '/verify?n=1', { 'content-type': 'application/octet-stream' }, Buffer.from([1, 0, 0]));
  assert.match(JSON.parse(part.body).detail, /four/);
  (await server.post('/verify?n=1', { permutation: [1] })).isProblem(400, 'n');
  (await server.post('/verify?base=0', { permutation: [1] })).isProblem(400, 'base');
});

test('a puzzle is a board that can be completed', async () => {
  const puzzle = await server.getJson('/puzzle?n=8&seed=1');
  const { valid, peaceful, queens } = (await server.post('/verify', puzzle)).json;
  assert.deepEqual([valid, peaceful, queens], [false, true, puzzle.clues.length]);
});

test('a body that names its rule is judged by it, in every format', async () => {
  // By queens the first solution of n = 3 attacks itself, and by superqueens that of n = 8.
  const boards = [['semiqueens', 3], ['toroidal', 5], ['toroidal-semiqueens', 7], ['superqueens', 10], ['reflecting', 5], ['touching', 4], ['rooks', 3], ['queens', 6]];
  for (const [i, [rules, n]] of boards.entries()) {
    const asked = (await server.getJson(`/solve?n=${n}&rules=${rules}&limit=1`)).solutions[0];
    const { json: expected } = await server.post(`/verify?rules=${rules}`, { permutation: asked.permutation });
    assert.deepEqual([expected.valid, expected.rules], [true, rules === 'queens' ? undefined : rules]);
    for (const [k, format] of formats.entries())
      for (const base of longer ? [1, 0] : [(i + k) % 2]) {
        for (const board of ['none', 'ascii']) {
          const found = await judged(`/solve?n=${n}&rules=${rules}&limit=1&format=${format}&base=${base}&board=${board}`);
          assert.deepEqual([found.base, found.rules, found.valid, found.rank], [base, expected.rules, true, 0], format);
        }
        const built = `/construct?n=${n}&rules=${rules}&format=${format}&base=${base}`;
        const whole = await judged(built);
        assert.deepEqual([whole.base, whole.rules, whole.valid], [base, expected.rules, true], built);
        const part = await judged(`${built}&rows=1-2`);
        assert.deepEqual([part.rules, part.peaceful, part.queens], [expected.rules, true, 2], built);
        const given = await back(built, `?rules=${rules}`);
        assert.deepEqual([given.status, given.json.rules, given.json.valid], [200, expected.rules, true]);
        if (rules === 'queens') continue; // its bodies name no rule
        for (const other of ['queens', rules === 'touching' ? 'toroidal' : 'touching']) {
          const refused = await back(built, `?rules=${other}`);
          const [{ parameter, code }] = refused.json.errors;
          assert.deepEqual([refused.status, parameter, code], [400, 'rules', 'disagrees']);
        }
      }
  }
  const puzzle = await server.getJson('/puzzle?n=7&seed=1&rules=toroidal');
  assert.equal((await server.post('/verify', puzzle)).json.rules, 'toroidal');
  assert.deepEqual(Object.keys((await server.post('/verify', puzzle)).json).slice(0, 4), ['n', 'base', 'rules', 'valid']);
  const knights = (await server.post('/verify', { rules: 'superqueens', permutation: [2, 4, 1, 3] })).json;
  assert.deepEqual([knights.rules, knights.valid, knights.conflict_count], ['superqueens', false, 4]);
  const ranked = (await server.post('/verify?rank=true', { rules: 'semiqueens', permutation: [1, 3, 2] })).json;
  assert.deepEqual([ranked.rules, ranked.rank], ['semiqueens', 0]);
  const unknown = await server.post('/verify', { rules: 'kings', permutation: [1] });
  const named = await server.post('/verify?rules=kings', { permutation: [1] });
  assert.deepEqual([unknown.status, unknown.json.errors], [400, named.json.errors]);
});

test('parts of an answer are boards, too: an element, its board alone, a line, an array', async () => {
  const sent = async (body, headers) => {
    const reply = await server.post('/verify', body, headers);
    assert.equal(reply.status, 200, reply.text);
    return [reply.json.valid, reply.json.rank];
  };
  const text = { 'content-type': 'text/plain' };
  for (const board of styles) {
    const { solutions } = await server.getJson(`/solve?n=6&rank=true&board=${board}`);
    const lines = (await server.get(`/solve?n=6&rank=true&format=ndjson&board=${board}`)).text.split('\n');
    for (const [i, solution] of solutions.entries()) {
      assert.deepEqual(await sent(solution), [true, solution.rank]);
      assert.deepEqual(await sent([solution]), [true, solution.rank]);
      assert.deepEqual(await sent(solution.permutation), [true, solution.rank]);
      assert.deepEqual(await sent(lines[i], { 'content-type': 'application/x-ndjson' }), [true, solution.rank]);
      assert.deepEqual(await sent(solution.permutation.join(' '), text), [true, solution.rank]);
      if (!solution.board) continue;
      assert.deepEqual(await sent({ board: solution.board }), [true, solution.rank]);
      assert.deepEqual(await sent(solution.board), [true, solution.rank]);
      const drawn = solution.board.map((row) => (Array.isArray(row) ? row.join('') : row)).join('\n');
      assert.deepEqual(await sent(drawn, text), [true, solution.rank], drawn);
      assert.deepEqual(await sent(`${drawn}\r\n`.replaceAll('\n', '\r\n').replaceAll('\r\r', '\r'), text), [true, solution.rank]);
    }
  }
  assert.deepEqual(await sent('.Q..\n.Q..\n....\n....', text), [false, null]);
});

test('what was cut is not judged', async () => {
  for (const [target, type] of [
    ['/solve?n=4&limit=1&format=text', 'text/plain'],
    ['/solve?n=4&limit=1&format=text&board=ascii', 'text/plain'],
    ['/construct?n=5&format=text', 'text/plain'],
    ['/construct?n=5&format=ndjson', 'application/x-ndjson'],
    ['/construct?n=5', 'application/json'],
    ['/solve?n=4&limit=1&board=unicode', 'application/json'],
  ]) {
    const { text } = await server.get(target);
    const last = text.trimEnd().length - 2;
    for (let size = 0; size <= last; size += longer || size < 20 || size > last - 20 ? 1 : 7) {
      const reply = await server.post('/verify', text.slice(0, size), { 'content-type': type });
      assert.equal(reply.status, 400, `${target} ${size} ${text.slice(0, size)}`);
    }
  }
});
