// transform.test.js - boards of /solve turned, mirrored and transposed, in every format, wherever the list begins.
import { after, assert, start, test } from './harness.js';
import { parsePng } from './png.js';
import { routes } from './table.js';

const server = await start({ after });
const { parameters } = routes.find(({ method, path }) => method === 'GET' && path === '/solve');
const ways = parameters.find(({ name }) => name === 'transform').choices;

// Where the queen of a square of a board of n goes, from 0.
const moves = {
  'none': (n, row, column) => [row, column],
  'turn-90': (n, row, column) => [column, n - 1 - row],
  'turn-180': (n, row, column) => [n - 1 - row, n - 1 - column],
  'turn-270': (n, row, column) => [n - 1 - column, row],
  'mirror': (n, row, column) => [row, n - 1 - column],
  'antitranspose': (n, row, column) => [n - 1 - column, n - 1 - row],
  'flip': (n, row, column) => [n - 1 - row, column],
  'transpose': (n, row, column) => [column, row],
};
function shown(way, permutation) {
  const n = permutation.length;
  const image = Array(n);
  permutation.forEach((column, row) => {
    const [to, at] = moves[way](n, row, column - 1);
    image[to] = at + 1;
  });
  return image;
}
const drawn = (permutation) => permutation.map((column) => '.'.repeat(column - 1) + 'Q' + '.'.repeat(permutation.length - column));
const page = async (query) => server.getJson(`/solve?${query}`);
const permutationsOf = ({ solutions }) => solutions.map(({ permutation }) => permutation);
const plain = permutationsOf(await page('n=8'));

test('every way is one of the eight symmetries, and none of them is the same as another', () => {
  assert.deepEqual(ways, Object.keys(moves));
  assert.equal(new Set(ways.map((way) => `${shown(way, plain[1])}`)).size, 8);
});

for (const way of ways)
  test(`${way}: JSON, NDJSON, CSV, text and boards`, async () => {
    const expected = plain.map((permutation) => shown(way, permutation));
    const { solutions, transform, total } = await page(`n=8&board=ascii&rank=true&transform=${way}`);
    assert.equal(transform, way === 'none' ? undefined : way);
    assert.equal(total, 92);
    solutions.forEach(({ permutation, board, rank }, i) => {
      assert.deepEqual(permutation, expected[i]);
      assert.deepEqual(board, drawn(expected[i]));
      assert.equal(rank, i);
    });
    const text = async (format) => (await server.get(`/solve?n=8&format=${format}&transform=${way}`)).text.trim().split(/\r?\n/);
    const lines = await text('ndjson');
    assert.deepEqual(lines.slice(0, -1).map((line) => JSON.parse(line).permutation), expected);
    assert.deepEqual((await text('csv')).filter((line) => /^\d/.test(line)), expected.map((permutation, i) => `${i},${permutation}`));
    const rows = (await text('text')).join('\n');
    expected.forEach((permutation) => assert.ok(rows.includes(`>  ${permutation.join('  ')}`), `${permutation}`));
  });

for (const way of ways)
  test(`${way}: cursors, after, offset, samples and pictures`, async () => {
    const expected = plain.map((permutation) => shown(way, permutation));
    const first = await page(`n=8&limit=5&transform=${way}`);
    const read = permutationsOf(first);
    for (let { next } = first; next; ) {
      const more = await server.getJson(next);
      read.push(...permutationsOf(more));
      next = more.next;
    }
    assert.deepEqual(read, expected);
    const other = await page(`n=8&limit=5&cursor=${first.next_cursor}`); // the place is one of the list, however it is shown
    assert.deepEqual(permutationsOf(other), plain.slice(5, 10));
    assert.deepEqual(permutationsOf(await page(`n=8&transform=${way}&after=${expected[40]}`)), expected.slice(41));
    assert.deepEqual(permutationsOf(await page(`n=8&transform=${way}&base=0&after=${expected[40].map((column) => column - 1)}`)), expected.slice(41).map((one) => one.map((column) => column - 1)));
    assert.deepEqual(permutationsOf(await page(`n=8&transform=${way}&offset=90`)), expected.slice(90));
    const sample = permutationsOf(await page('n=8&sample=4&seed=9'));
    assert.deepEqual(permutationsOf(await page(`n=8&sample=4&seed=9&transform=${way}`)), sample.map((one) => shown(way, one)));
    const picture = async (query) => (await server.get(`/solve?n=8&${query}`)).bytes.toString('latin1');
    const position = `place=${expected[7].map((column, row) => `${row + 1}:${column}`)}`;
    for (const format of ['svg', 'png']) assert.equal(await picture(`format=${format}&offset=7&transform=${way}`), await picture(`format=${format}&${position}`));
    parsePng((await server.get(`/solve?n=8&format=png&transform=${way}`)).bytes);
  });

test('large boards, other algorithms and the boards of regions are shown so, too', async () => {
  for (const query of ['n=100&order=any&limit=3', 'n=7&algorithm=zironi', 'n=7&algorithm=mrv', 'n=6&rules=superqueens', 'n=9&rules=toroidal', 'n=6&place=2:4', 'n=0', 'n=1']) {
    const expected = permutationsOf(await page(query));
    for (const way of ways) assert.deepEqual(permutationsOf(await page(`${query}&transform=${way}`)), expected.map((one) => shown(way, one)), `${query} ${way}`);
  }
  const regions = 'aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee';
  const [[only], of] = [permutationsOf(await page(`regions=${regions}`)), [...regions.replaceAll('/', '')]];
  for (const way of ways) {
    const turned = await page(`regions=${regions}&transform=${way}`);
    assert.deepEqual(permutationsOf(turned), [shown(way, only)]);
    const image = Array(36);
    of.forEach((letter, i) => {
      const [row, column] = moves[way](6, (i / 6) | 0, i % 6);
      image[row * 6 + column] = letter;
    });
    const again = await page(`regions=${image.join('').match(/.{6}/g).join('/')}`); // as its own board
    assert.equal(turned.regions, again.regions);
    assert.deepEqual(permutationsOf(again), [shown(way, only)]);
  }
});

test('what is none of the boards shown, and rules without the symmetry, are refused', async () => {
  for (const columns of ['1,1,1,1,1,1,1,1', '9,1,2,3,4,5,6,7', `${plain[0]}`, '1,2'])
    assert.equal((await server.get(`/solve?n=8&distinct=mirror&transform=turn-90&after=${columns}`)).status, columns === `${plain[0]}` ? 200 : 400, columns);
  const { status, json } = await server.get('/solve?n=8&rules=semiqueens&transform=flip');
  assert.equal(status, 422);
  assert.deepEqual(json.errors.map(({ parameter: name, code }) => [name, code]), [['transform', 'not-by-rule']]);
  assert.equal((await server.get('/solve?n=8&rules=semiqueens&transform=none')).status, 200);
});
