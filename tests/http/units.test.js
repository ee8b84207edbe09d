// units.test.js - `nqueensd units`: units and pieces add up to the published count, and any of them alone is what it is among all.
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

test('help is asked for in three ways', () => {
  for (const word of ['--help', '-h', 'help']) assert.match(units(word).stdout, /^nqueensd units --n N /);
});
