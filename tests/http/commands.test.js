// commands.test.js - command lines that are refused: tests/data/golden/commands.txt has a line for each, with its words. Settings are those of a
// start, or of --check, which finds what a start would: operator.test.js starts with some of them, and has what is sound.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { golden } from '../golden.js';
import { assert, binary, patience, slow, temporaryFolder, test } from './harness.js';

// What rows name below FOLDER: a file of keys, one that is none, and a folder.
const folder = temporaryFolder();
writeFileSync(path.join(folder, 'keys'), `ann ${'0'.repeat(64)}\n`);
writeFileSync(path.join(folder, 'nonsense'), 'nonsense\n');
mkdirSync(path.join(folder, 'folder'));

// One that is not refused would serve: on ports of its own, and not for ever.
const env = { PATH: process.env.PATH, HOME: folder, NQ_LISTEN: '127.0.0.1:0', NQ_ADMIN: '127.0.0.1:0', NQ_STORE: 'memory' };
function run(line) {
  const words = line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', '').replaceAll('FOLDER', folder));
  const { status, stdout, stderr } = spawnSync(binary, words, { encoding: 'utf8', env, timeout: 60000 * patience });
  assert.doesNotMatch(stdout, /^[^#]/m, line); // comments at most
  const [first, second, ...more] = stderr.trimEnd().replaceAll(folder, 'FOLDER').split('\n');
  return `${status} ${[first, second, more.length ? '...' : undefined].filter((one) => one !== undefined).join(' / ')}`;
}

// A row of the list: the words, in quotes if there is a blank in one or nothing, two blanks, and how it ends: the status, and the first
// two lines of what it writes. A new row may be the words alone: NQ_BLESS=1 adds the rest.
test('command lines that are refused, with what would be right (also plain)', () => {
  const list = readFileSync(new URL('../data/golden/commands.txt', import.meta.url), 'utf8').split('\n').filter(Boolean);
  const asked = list.map((row) => row.split('  ')[0]);
  assert.equal(new Set(asked).size, asked.length);
  golden('commands.txt', list.map((row, i) => (slow && i % 10 ? row : `${asked[i]}  ${run(asked[i])}`)));
});
