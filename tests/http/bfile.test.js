// bfile.test.js - `nqueensd bfile` as a contributor of terms uses it: the file it prints, and a term that is interrupted and
// continued. What it says of wrong words is in commands.test.js.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { assert, binary, slow, temporaryFolder, test } from './harness.js';

const sequences = JSON.parse(readFileSync(new URL('../data/sequences.json', import.meta.url))).sequences;
const bfile = (...words) => spawnSync(binary, ['bfile', ...words], { encoding: 'utf8' });
const lines = (text) => text.trimEnd().split('\n');
const terms = (text) => lines(text).filter((line) => !line.startsWith('#'));
const version = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().replace(/\+.*/, ''); // of the release

// Starts a command, and calls `each` with its lines of progress until it returns true; then SIGINT. Resolves to how it ended.
async function interrupted(words, each) {
  const process = spawn(binary, ['bfile', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const seen = [];
  let sent = false;
  const end = once(process, 'close');
  process.stdout.resume();
  for await (const line of createInterface({ input: process.stderr })) {
    seen.push(line);
    if (!sent && each(line)) sent = process.kill('SIGINT');
  }
  const [status, signal] = await end;
  return { status, signal, seen };
}

for (const { id, first, published, quick, usual } of sequences)
  test(`${id} as it is published`, () => {
    const last = first + (slow ? quick : usual) - 1;
    const { stdout, stderr, status } = bfile(id, '--to', `${last}`, '--threads', '2');
    assert.equal(status, 0, stderr);
    assert.deepEqual(terms(stdout), published.slice(0, last - first + 1).map((term, i) => `${first + i} ${term}`));
  });

test('the comments say what it is, and how it was made', () => {
  const { stdout } = bfile('A006717', '--from', '1', '--to', '3');
  const [what, made, rule, method, ...rest] = lines(stdout);
  assert.match(what, /^# A006717: .*semiqueens/);
  assert.equal(made, `# ${version}: nqueensd bfile A006717 --to 3 --from 1`);
  assert.match(rule, /^# Rule: toroidal semiqueens: /);
  assert.match(method, /^# Method: .*\(correlations, revision \d+\)$/);
  assert.deepEqual(rest, ['1 3', '2 15', '3 133']);
});

test('help lists every sequence, and so does an error', () => {
  const help = bfile('--help');
  assert.equal(help.status, 0);
  for (const words of [['A000001', '--to', '3'], ['a000170', '--to', '3'], []]) {
    const { status, stdout, stderr } = bfile(...words);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, words.length ? /is not a sequence that it knows/ : /a sequence is missing/);
    for (const { id, first } of sequences)
      for (const text of [help.stdout, stderr]) assert.match(text, new RegExp(`^  ${id}  ${first} to \\d+  \\w`, 'm'));
  }
});

test('interrupted, continued with the units that are stored, on any number of threads', async () => {
  const store = path.join(temporaryFolder(), 'terms.db');
  const words = ['A319283', '--from', '18', '--to', '18', '--store', store];
  const all = (line) => line.match(/^A319283\(18\): (\d+) of (\d+) units$/)?.slice(1).map(Number);
  // Index 18 has 162 units, some ten seconds of work: it does not end before the signal comes.
  const first = await interrupted([...words, '--threads', '2'], (line) => all(line)?.[0] >= 3);
  assert.deepEqual([first.status, first.signal], [1, null]);
  assert.equal(first.seen.at(-1), 'nqueensd bfile: A319283(18): interrupted; the same command continues');
  const done = first.seen.map(all).filter(Boolean).at(-1)[0];
  const second = await interrupted(words, (line) => all(line)?.[0] >= done);
  assert.equal(second.status, 1);
  assert.deepEqual(second.seen.map(all).filter(Boolean)[0], [done, 162]);
});

test('a store that keeps the terms gives them without computing', () => {
  const store = path.join(temporaryFolder(), 'folder', 'terms.db');
  const first = bfile('A006717', '--to', '6', '--store', `sqlite:${store}`);
  assert.match(first.stderr, /^A006717\(6\): 1 of 1 units$/m);
  const again = bfile('A006717', '--to', '6', '--store', store);
  assert.deepEqual([again.stdout, again.stderr], [first.stdout, '']);
  const other = bfile('A003111', '--to', '6', '--store', store);
  assert.deepEqual([terms(other.stdout).at(-1), other.stderr], ['6 79259', '']);
});

test('a file of another program is left as it is', () => {
  const store = path.join(temporaryFolder(), 'notes.txt');
  writeFileSync(store, 'shopping: milk, eggs\n'.repeat(100));
  const { status, stdout, stderr } = bfile('A006717', '--to', '3', '--store', store);
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^nqueensd bfile: --store: /);
  assert.match(readFileSync(store, 'utf8'), /^shopping: milk/);
});

test('damaged pages of the store cost the terms in them, not their truth', () => {
  const store = path.join(temporaryFolder(), 'terms.db');
  const whole = bfile('A006717', '--to', '8', '--store', store);
  const bytes = readFileSync(store);
  // Terms are decimal text: change one digit of each.
  for (const term of ['1606008513', '36362925', '1030367']) {
    const at = bytes.indexOf(term);
    assert.ok(at > 0, `${term} is in the file`);
    bytes[at] ^= 1;
  }
  writeFileSync(store, bytes);
  const again = bfile('A006717', '--to', '8', '--store', store);
  assert.deepEqual([again.status, again.stdout], [0, whole.stdout]);
  assert.match(again.stderr, /^A006717\(8\): 1 of 1 units$/m);
});

test('an output that is full is an error', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(binary, ['bfile', 'A006717', '--to', '3'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  closeSync(full);
  assert.equal(status, 1);
  assert.match(stderr, /^nqueensd bfile: cannot write to standard output$/m);
});

// What stands in docs/sequences was made by the command in its comments; the terms in it that are published, or follow from those, are these.
for (const { id, first, published } of sequences)
  test(`the b-file of ${id} in the documents`, () => {
    const text = readFileSync(new URL(`../../docs/sequences/${id.replace(/^A/, 'b')}.txt`, import.meta.url), 'utf8');
    const found = terms(text);
    const made = new RegExp(`^# nqueensd \\S+: nqueensd bfile ${id} --to ${first + found.length - 1}$`, 'm');
    assert.match(text, made);
    assert.deepEqual(found.slice(0, published.length), published.slice(0, found.length).map((term, i) => `${first + i} ${term}`));
    for (const [i, line] of found.entries()) assert.match(line, new RegExp(`^${first + i} \\d+$`));
  });

// The terms of a b-file in the documents, by index.
const file = (name) =>
  new Map(
    terms(readFileSync(new URL(`../../docs/sequences/${name}.txt`, import.meta.url), 'utf8'))
      .map((line) => line.split(' '))
      .map(([n, term]) => [Number(n), BigInt(term)]),
  );

test('rows of triangles in the documents add up to what they divide', () => {
  const queens = file('b000170');
  for (const [name, first, sums] of [
    ['b319284', 0, file('b319283')],
    ...['b181499', 'b181500', 'b181501', 'b181502'].map((one) => [one, 1, queens]),
  ]) {
    const triangle = [...file(name)].map(([, term]) => term);
    for (let n = first; triangle.length; n++) assert.equal(triangle.splice(0, n + 1).reduce((sum, term) => sum + term), sums.get(n), `${name}, row ${n}`);
  }
  const [levels, profile] = [file('b269133'), file('b319284')];
  for (let n = 1; levels.has((n * (n + 1)) / 2); n++)
    for (let m = 1; m <= n; m++) assert.equal(levels.get((n * (n - 1)) / 2 + m), profile.get((n * (n + 1)) / 2 + m), `level ${m} of ${n}`);
});

test('the terms that follow from others are their arithmetic', () => {
  const text = readFileSync(new URL('../../docs/sequences.md', import.meta.url), 'utf8');
  const known = (id) => sequences.filter((one) => one.id === id).map(({ first, published }) => new Map(published.map((term, i) => [first + i, BigInt(term)])))[0];
  const [queens, half, quarter] = [known('A000170'), file('b032522'), file('b033148')];
  const [superqueens, superqueensHalf] = [known('A051223'), file('superqueens-P')];
  const classes = {
    A260318: (n) => [quarter.get(n), 2n],
    A260319: (n) => [half.get(n) - quarter.get(n), 4n],
    A260320: (n) => [queens.get(n) - half.get(n), 8n],
    A352663: (n) => [superqueens.get(n) - superqueensHalf.get(n), 8n],
  };
  const rows = [...text.matchAll(/^\| (A\d+)\((\d+)\) \| (\d+) \|/gm)];
  assert.equal(rows.length, 8);
  for (const [row, id, n, value] of rows) {
    const [placements, size] = classes[id](Number(n));
    assert.deepEqual([placements / size, placements % size], [BigInt(value), 0n], row);
  }
});
