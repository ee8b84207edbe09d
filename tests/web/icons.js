#!/usr/bin/env node
// icons.js - draws src/web/icon.svg as the pictures that browsers want: icon-*.png and favicon.ico. Exits with 1 and a line for each that
// is another picture; with NQ_BLESS=1 writes these anew. How well they are compressed does not matter.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';

const folder = new URL('../../src/web/', import.meta.url);
const FINE = 4; // a pixel is looked at in so many rows and columns
const LEVELS = FINE * FINE;

// What the picture is made of: a square with round corners, polygons, and dots.
function read(svg) {
  const [, radius, ground] = /<rect width="1" height="1" rx="([\d.]+)" fill="(#\w{6})"\/>/.exec(svg);
  const [, fill, shape] = /<path fill="(#\w+)" d="(M[\d.\sMz]+)"\/>/.exec(svg);
  const [, stroke, width, lines] = /<path stroke="(#\w+)" stroke-width="([\d.]+)" stroke-linecap="round" d="([M\d.\sh]+)"\/>/.exec(svg);
  if (fill !== '#fff' || stroke !== fill) throw new Error('icon.svg has other colours');
  const numbers = (text) => (text.match(/\d*\.\d+|\d+/g) ?? []).map(Number);
  const pairs = (list) => Array.from({ length: list.length / 2 }, (_, i) => list.slice(2 * i, 2 * i + 2));
  const polygons = shape.split('M').slice(1).map((part) => pairs(numbers(part)));
  const dots = lines.split('M').slice(1).map((part) => numbers(part.replace('h0', '')));
  return { radius: Number(radius), ground, polygons, dots, dot: Number(width) / 2 };
}

const inside = (polygon, x, y) =>
  polygon.reduce((is, [a, b], i) => {
    const [c, d] = polygon.at(i - 1);
    return b > y !== d > y && x < a + ((y - b) * (c - a)) / (d - b) ? !is : is;
  }, false);

// The white figure, and the coloured ground, at a point of the unit square.
const isWhite = ({ polygons, dots, dot }, x, y) =>
  polygons.some((polygon) => inside(polygon, x, y)) || dots.some(([a, b]) => Math.hypot(x - a, y - b) <= dot);
function isGround({ radius }, x, y) {
  const [dx, dy] = [x, y].map((at) => Math.max(radius - at, at - 1 + radius, 0));
  return Math.hypot(dx, dy) <= radius;
}

// How many points of a pixel are white, and how many on the ground: all or none if the corners agree.
const CORNERS = [0, FINE - 1, LEVELS - FINE, LEVELS - 1];
function covered(at) {
  const sum = (points) => [0, 1].map((which) => points.filter((it) => it[which]).length);
  const corners = CORNERS.map(at);
  const [white, ground] = sum(corners);
  if (white % CORNERS.length === 0 && ground % CORNERS.length === 0) return [white * FINE, ground * FINE];
  return sum(Array.from({ length: LEVELS }, (_, i) => at(i)));
}

// CRC-32 as PNG has it.
function crc(bytes) {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let i = 0; i < 8; i++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([size, body, sum]);
}

// edge: of the picture, in pixels; whole: the ground fills the corners; part: of the edge that the figure takes.
function draw(icon, { edge, whole = false, part = 1 }) {
  const colours = whole ? [] : Array.from({ length: LEVELS }, (_, alpha) => [icon.ground, Math.round((255 * alpha) / LEVELS)]);
  const base = colours.length;
  const mix = (level) => `#${[1, 3, 5].map((at) => {
    const from = parseInt(icon.ground.slice(at, at + 2), 16);
    return Math.round(from + ((255 - from) * level) / LEVELS).toString(16).padStart(2, '0');
  }).join('')}`;
  for (let level = 0; level <= LEVELS; level++) colours.push([mix(level), 255]);
  const at = (pixel, fine) => (pixel + (fine + 0.5) / FINE) / edge;
  const moved = (x) => (x - 0.5) / part + 0.5;
  const rows = [];
  for (let y = 0; y < edge; y++) {
    const row = Buffer.alloc(edge);
    for (let x = 0; x < edge; x++) {
      const [white, ground] = covered((i) => {
        const [u, v] = [at(x, i % FINE), at(y, Math.floor(i / FINE))];
        return [isWhite(icon, moved(u), moved(v)), whole || isGround(icon, u, v)];
      });
      row[x] = ground < LEVELS ? ground : base + white;
    }
    rows.push(row);
  }
  const filtered = rows.flatMap((row, y) => [Buffer.of(2), y ? row.map((value, x) => value - rows[y - 1][x]) : row]); // 2: up
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  return Buffer.concat([
    ...[Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header)],
    chunk('PLTE', Buffer.from(colours.map(([colour]) => colour.slice(1)).join(''), 'hex')),
    ...(whole ? [] : [chunk('tRNS', Buffer.from(colours.map(([, alpha]) => alpha)))]),
    ...[chunk('IDAT', deflateSync(Buffer.concat(filtered), { level: 9 })), chunk('IEND', Buffer.alloc(0))],
  ]);
}

// An .ico of one picture.
function ico(png, edge) {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, edge, edge, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0]);
  head.writeUInt32LE(png.length, 14);
  return Buffer.concat([head, png]);
}

// The picture without what depends on how it was compressed.
function content(file) {
  const start = file.indexOf('\x89PNG', 0, 'latin1');
  const chunks = [file.subarray(0, Math.min(start, 14))]; // before the size
  for (let at = start + 8; at < file.length; ) {
    const size = file.readUInt32BE(at);
    const [name, data] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + size)];
    chunks.push(Buffer.from(name), name === 'IDAT' ? inflateSync(data) : data);
    at += 12 + size;
  }
  return Buffer.concat(chunks);
}

// The names of the pictures in src/web that are not what icon.svg is, or not there.
export function differences({ write = false } = {}) {
  const icon = read(readFileSync(new URL('icon.svg', folder), 'utf8'));
  const pictures = {
    'favicon.ico': ico(draw(icon, { edge: 32 }), 32),
    'icon-touch.png': draw(icon, { edge: 180, whole: true, part: 0.9 }), // iOS rounds the corners itself
    'icon-192.png': draw(icon, { edge: 192 }),
    'icon-512.png': draw(icon, { edge: 512 }),
    'icon-maskable.png': draw(icon, { edge: 512, whole: true, part: 0.7 }), // within the circle that no mask cuts
  };
  const other = Object.keys(pictures).filter((name) => {
    const path = new URL(name, folder);
    return !existsSync(path) || !content(readFileSync(path)).equals(content(pictures[name]));
  });
  if (write) for (const name of other) writeFileSync(new URL(name, folder), pictures[name]);
  return other;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const write = Boolean(process.env.NQ_BLESS);
  const other = differences({ write });
  for (const name of other) console.log(`src/web/${name} ${write ? 'is drawn anew' : 'is not icon.svg: `make bless` draws it anew'}`);
  process.exitCode = other.length && !write ? 1 : 0;
}
