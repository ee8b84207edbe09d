// png.js - reads the pictures of the service pixel by pixel, without its library.
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

// A palette PNG without interlace: its width and height, and the colour of a pixel as '#rrggbb'.
export function parsePng(bytes) {
  assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  const chunks = [];
  for (let at = 8; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    chunks.push([bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + size)]);
    at += 12 + size;
  }
  assert.deepEqual([...new Set(chunks.map(([name]) => name))], ['IHDR', 'PLTE', 'IDAT', 'IEND']); // no time, for one
  const [[, header], [, palette]] = chunks;
  const [width, height, depth] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8]];
  assert.deepEqual([...header.subarray(9)], [3, 0, 0, 0]);
  const raw = inflateSync(Buffer.concat(chunks.filter(([name]) => name === 'IDAT').map(([, data]) => data)));
  const stride = Math.ceil((width * depth) / 8);
  assert.equal(raw.length, height * (stride + 1));
  const rows = [];
  for (let y = 0; y < height; y++) {
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    assert.equal(raw[y * (stride + 1)], 2); // filter: up
    if (y) for (let i = 0; i < stride; i++) row[i] += rows[y - 1][i];
    rows.push(row);
  }
  const colour = (x, y) => {
    const index = (rows[y][(x * depth) >> 3] >> (8 - depth - ((x * depth) & 7))) & ((1 << depth) - 1);
    return `#${palette.toString('hex', 3 * index, 3 * index + 3)}`;
  };
  return { width, height, colour };
}
