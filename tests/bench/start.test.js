// start.test.js - what a start takes, counted and not timed: bytes that are read before the first answer, libraries, and the memory of
// a server that rests. `docs/operations.md` has the times.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { assert, start, test, until } from '../http/harness.js';
import { newFile, on } from '../http/storing.js';

// The units of a long count, as nqueensd writes them; 400000 are 27 MB.
const UNITS = 400000;
async function storeOf(t, units) {
  const file = newFile();
  await (await start(t, ...on(file))).stop();
  const rows = `SELECT 'join.2 n=27 #' || value, value * 1234567 || ' 12345678' FROM generate_series(1, ${units})`;
  execFileSync('sqlite3', [file, `INSERT INTO unit (key, value) ${rows}`]);
  return file;
}

const figure = (server, file, name) => Number(readFileSync(`/proc/${server.process.pid}/${file}`, 'utf8').match(new RegExp(`^${name}:\\s+(\\d+)`, 'm'))[1]);

async function bytesRead(t, file) {
  const server = await start(t, ...on(file));
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  const read = figure(server, 'io', 'rchar');
  await server.stop();
  return read;
}

test('a start reads no more of a large store than of a small one', async (t) => {
  const [small, large] = [await bytesRead(t, await storeOf(t, 10)), await bytesRead(t, await storeOf(t, UNITS))];
  assert.ok(large < small + 200000, `${large} bytes were read, ${small} with a small store`);
});

test('a server that rests has given back what it does not need', async (t) => {
  const server = await start(t, ...on(await storeOf(t, UNITS)), '--threads', 2);
  for (const target of ['/', '/solve?n=8', '/count?n=10']) assert.equal((await server.get(target)).status, 200);
  const [own, all] = [3000, 12500]; // kB; 2210 and 10690 were measured; the broker's library is 2500 of it
  const rests = () => figure(server, 'status', 'RssAnon') < own && figure(server, 'status', 'VmRSS') < all;
  await until(rests, `the process has less than ${own} kB of its own, and ${all} kB with its libraries`);
  await server.stop();
});
