// formats.test.js - /solve and /construct as CSV, text, SVG and PNG: the same as in JSON, chosen by Accept or format, never
// mixed up and never cut unnoticed.
import { readFileSync } from 'node:fs';
import { after, assert, start, test } from './harness.js';
import { parsePng } from './png.js';

const server = await start({ after });
const types = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  text: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};
const fetched = async (target, headers) => {
  const reply = await server.get(target, headers);
  assert.equal(reply.status, 200, `${target}: ${reply.text}`);
  return reply;
};

// The columns, from 0, of the queens in a picture; all squares are looked at in their middles, where a queen is all queen.
function queensOfPng(bytes, n) {
  const { width, height, colour } = parsePng(bytes);
  const scale = width / n;
  assert.deepEqual([width, height], [scale * n, scale * n]);
  return Array.from({ length: n }, (_, row) => {
    const middle = (column) => colour(column * scale + (scale >> 1), row * scale + ((5 * scale) >> 3));
    const found = Array.from({ length: n }, (_, column) => column).filter((column) => middle(column) === '#1f1712');
    assert.equal(found.length, 1, `row ${row}`);
    return found[0];
  });
}

const queensOfSvg = (text) => {
  const queens = [...text.matchAll(/<use href="#nq-[0-9a-f]{8}-queen" x="(\d+)" y="(\d+)"\/>/g)].map((match) => match.map(Number));
  queens.forEach(([, , y], row) => assert.equal(y, row));
  return queens.map(([, x]) => x);
};

// The article's stampasoluzione(), with its printf() in their order. Its text has lost backslashes, all but one of several blanks, the
// sign of a queen and the left side of a row, and has - - - - - as two dashes.
test('boxes are those of the printed program', async () => {
  const seeds = JSON.parse(readFileSync(new URL('../data/seeds.json', import.meta.url), 'utf8'));
  const [heading, number, below, corner, top, end, queen, square, endOfRow, lastCorner, last, lastEnd] = seeds.zironi_printf.map((text) => text.replaceAll('—–', '-----').replace(/^n+|n$/g, (all) => '\n'.repeat(all.length)));
  assert.equal(queen, square);
  const printed = seeds.zironi_12_zero_based.map((text, ns) => {
    const r = text.split(' ').map(Number);
    let all = heading.replace('%2d', String(ns).padStart(2)) + r.map((row) => number.replace('%d', row)).join('') + below;
    for (let j = 0; j < 8; j++) all += corner + top.repeat(8) + end + square + r.map((row) => (row === j ? queen : square)).join('') + endOfRow;
    return all + lastCorner + last.repeat(8) + lastEnd;
  });
  const reply = await fetched('/solve?n=8&algorithm=zironi&base=0&format=zironi');
  assert.equal(reply.headers['content-type'], types.text);
  const boxes = reply.text.replace(/^ \..*$/gm, (line) => line.replaceAll('Q', ' ').replace(/ +/g, ' '));
  assert.equal(boxes, printed.join(''));
  // His orientation: the columns of the board are the rows of the list.
  const rows = reply.text.split('\n').filter((line) => line.startsWith(' .')).map((line) => [...line.slice(2).match(/.{6}/g)].map((box) => box === '  Q  .'));
  seeds.zironi_12_zero_based.forEach((text, k) => text.split(' ').forEach((row, column) => assert.deepEqual(rows.slice(8 * k, 8 * k + 8).map((boxes) => boxes[column]), [...Array(8).keys()].map((j) => j === Number(row)))));
  const page = await fetched('/solve?n=8&algorithm=zironi&base=0&format=zironi&limit=5');
  const rest = await fetched(page.text.match(/^next: (.*)\n$/m)[1]);
  assert.equal(page.text.replace(/\nnext: .*\n$/, '') + (await fetched(page.text.match(/^next: (.*)$/m)[1].replace('limit=5', 'limit=7'))).text, reply.text);
  assert.match(rest.text, /^\n\n Soluzione n\. 5: /);
});

test('text has a link to the next page, where it goes on; from its cursor CSV does, too', async () => {
  const { solutions, next_cursor: cursor } = await server.getJson('/solve?n=8&limit=50');
  const rest = (await server.getJson(`/solve?n=8&cursor=${cursor}`)).solutions;
  const lines = [];
  for (let target = '/solve?n=8&limit=50&format=text'; target;) {
    const { text } = await fetched(target);
    assert.ok(text.endsWith('\n\nREADY.\n'));
    lines.push(...text.match(/^ \d+ > .*$/gm));
    target = text.match(/^next: (.*)$/m)?.[1];
  }
  assert.deepEqual(lines, [...solutions, ...rest].map(({ permutation }, i) => ` ${i + 1} >  ${permutation.join('  ')}`));
  const { text: csv } = await fetched(`/solve?n=8&format=csv&cursor=${cursor}`);
  assert.deepEqual(csv.split('\r\n').slice(1, -1), rest.map(({ permutation }, i) => `${50 + i},${permutation}`));
});

test('pictures show the first solution of the list', async () => {
  for (const n of [1, 4, 5, 8, 20]) {
    const first = (await server.getJson(`/solve?n=${n}&limit=1&base=0`)).solutions[0].permutation;
    const svg = await fetched(`/solve?n=${n}&format=svg`);
    assert.deepEqual(queensOfSvg(svg.text), first);
    const png = await fetched(`/solve?n=${n}&format=png`);
    assert.deepEqual(queensOfPng(png.bytes, n), first);
    assert.equal(Number(png.headers['content-length']), png.bytes.length);
    for (const limit of [1, 7, 20000])
      assert.equal((await fetched(`/solve?n=${n}&format=png&limit=${limit}`)).headers.etag, png.headers.etag);
    assert.equal(svg.headers.link, undefined);
  }
  const page = await server.getJson('/solve?n=8&limit=3&base=0');
  const next = (await server.getJson(`${page.next}`)).solutions[0].permutation;
  const { text } = await fetched(`/solve?n=8&format=svg&base=0&cursor=${page.next_cursor}`);
  assert.deepEqual(queensOfSvg(text), next);
  assert.match(text, new RegExp(`counted from 0: ${next.join(', ')}[.]</desc>`));
});

test('pictures of constructions up to 4096, drawn to scale', async () => {
  for (const [n, edge] of [[8, 512], [100, 1000], [513, 513 * 7], [4096, 4096]]) {
    const { permutation } = await server.getJson(`/construct?n=${n}&base=0`);
    const svg = await fetched(`/construct?n=${n}&format=svg`);
    assert.deepEqual(queensOfSvg(svg.text), permutation);
    assert.ok(svg.text.includes(`width="${edge}" height="${edge}" viewBox="0 0 ${n} ${n}"`));
    const { bytes } = await fetched(`/construct?n=${n}&format=png`);
    if (n < 4096) assert.deepEqual(queensOfPng(bytes, n), permutation);
    else assert.deepEqual([parsePng(bytes).width, parsePng(bytes).height], [edge, edge]);
    assert.ok(bytes.length < 100000 && svg.text.length < 250000);
  }
});

test('Accept chooses among all, by quality', async () => {
  const { json, svg, png } = types;
  for (const target of ['/solve?n=6', '/construct?n=6'])
    for (const [accept, type] of [
      ...Object.values(types).map((each) => [each.split(';')[0], each]),
      ['*/*', json],
      ['image/*', svg],
      ['text/*;q=0.5, application/*;q=0.4', types.csv],
      ['text/plain, text/*;q=0.9', types.text],
      ['image/svg+xml;q=0.8, image/png;q=0.9', png],
      ['image/svg+xml;q=0, image/*', png],
      ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', svg], // an <img> in a browser
      ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', json], // its address bar
    ]) {
      const reply = await fetched(target, { accept });
      const looked = target.startsWith('/solve') ? 'Accept, Prefer' : 'Accept';
      assert.deepEqual([reply.headers['content-type'], reply.headers.vary.replace(/, Accept-Encoding$/, '')], [type, looked], accept); // gzip.test.js
    }
  (await server.get('/solve?n=6', { accept: 'text/html, image/webp' })).isProblem(406);
  const forced = await fetched('/solve?n=6&format=text', { accept: 'image/png' });
  assert.deepEqual([forced.headers['content-type'], forced.headers.vary.replace(/, Accept-Encoding$/, '')], [types.text, 'Prefer']);
});
