// units.test.js - `nqueensd units`: units and pieces add up to the published count, any of them alone is what it is among all, and
// wrong words are named.
import { spawnSync } from 'node:child_process';
import { assert, binary, test } from './harness.js';

const units = (...words) => spawnSync(binary, ['units', ...words], { encoding: 'utf8' });
const split = ['--split', '9000'];
const rows = ({ stdout }) => stdout.split('\n').filter((line) => /^[0-9]/.test(line)).map((line) => line.split(' '));
const sum = (all) => all.reduce((total, [, thirds]) => total + Number(thirds), 0);

test('the thirds of all units are three times the count, with every board\'s own method', () => {
  for (const [n, count] of [[1, 1], [3, 0], [8, 92], [12, 14200], [15, 2279184]]) {
    const all = units('--n', n);
    assert.equal(all.status, 0, all.stderr);
    assert.equal(sum(rows(all)), 3 * count);
    assert.match(all.stdout, new RegExp(`^# n = ${n}, ${rows(all).filter(([unit]) => unit).length} units: .*\n[^]*# ${3 * count}\n$`));
  }
});

test('a unit counted alone, by another kernel, or piece by piece, is the same', () => {
  const all = rows(units('--n', '15'));
  const at = all.findIndex(([, thirds]) => Number(thirds) > 0);
  for (const words of [[], ['--kernel', 'scalar'], split]) assert.deepEqual(rows(units('--n', '15', '--unit', at, ...words)), [all[at]]);
  const pieces = [];
  for (let piece; (piece = units('--n', '15', '--unit', `${at}.${pieces.length}`, ...split)).status === 0; ) pieces.push(...rows(piece));
  assert.ok(pieces.length > 1, `${pieces.length} pieces`);
  assert.deepEqual(pieces.map(([name]) => name), pieces.map((_, i) => `${at}.${i}`));
  assert.equal(sum(pieces), Number(all[at][1]));
});

test('wrong words are named', () => {
  for (const [words, text] of [
    [[], '--n is missing'],
    [['--n', '29'], "--n: '29' is not a whole number from 1 to 28"],
    [['--n', '8', '--unit', '1.'], "--unit: '1.' is not an index"],
    [['--n', '8', '--unit', '9999'], 'no such unit'],
    [['--n', '8', '--unit', '1.4294967296'], "--unit: '1.4294967296' is not an index"],
    [['--n', '8', '--split', '999'], "--split: '999' is not a whole number from 1000 to"],
    [['--n', '8', '--kernel', 'x'], "--kernel: 'x' is not a kernel of this machine"],
    [['--n'], '--n needs a value'],
    [['--m', '8'], '--m is not an option'],
  ]) {
    const { status, stderr } = units(...words);
    assert.ok(status === 2 && stderr.includes(text), stderr);
  }
  for (const word of ['--help', '-h', 'help']) assert.match(units(word).stdout, /^nqueensd units --n N /);
});
