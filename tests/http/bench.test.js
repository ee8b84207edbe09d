// bench.test.js - `nqueensd bench join`, `solve`, `count` by rules, `puzzle` and `shape`: every figure is there, and they agree with what is known.
import { execFileSync, spawnSync } from 'node:child_process';
import { assert, binary, slow, test } from './harness.js';

const bench = (...options) => execFileSync(binary, ['bench', 'join', ...options]).toString();

test('what a count by joining would take, as JSON', () => {
  for (const tables of [1024, 0]) {
    const reply = JSON.parse(bench('--n', '14', '--sample', '5', '--tables', `${tables}`, '--format', 'json'));
    assert.deepEqual(Object.keys(reply), [
      ...['bench', 'n', 'sample', 'threads', 'seed', 'kernel', 'memory', 'prepare_seconds', 'units', 'weight'],
      ...['seconds_per_weight', 'longest_seconds', 'pieces', 'core_seconds', 'halves', 'solutions'],
    ]);
    assert.deepEqual([reply.bench, reply.n, reply.sample, reply.threads], ['join', 14, 5, 1]);
    assert.ok(reply.units > 5 && reply.weight > 0 && reply.prepare_seconds > 0);
    assert.equal(reply.memory.tables_allowed, tables * 2 ** 20);
    assert.ok(reply.memory.shared_told > (tables ? 100000 : 1000));
    assert.ok(reply.memory.shared_told < (tables ? 1000000 : 100000));
    assert.ok(reply.memory.each_thread_told > 0);
    assert.ok(reply.memory.peak_counted >= reply.memory.peak_prepared);
    for (const total of [reply.core_seconds, reply.halves, reply.solutions])
      assert.ok(total.estimate > 0 && total.standard_error > 0);
    assert.ok(Math.abs(reply.solutions.estimate - 365596) < 5 * reply.solutions.standard_error);
  }
});

test('the same units every time, on any number of threads', () => {
  const one = JSON.parse(bench('--n', '15', '--sample', '20', '--format', 'json'));
  const three = JSON.parse(bench('--n', '15', '--sample', '20', '--threads', '3', '--format', 'json'));
  assert.deepEqual([three.halves, three.solutions], [one.halves, one.solutions]);
});

test('pieces of units that are split, within a limit of CPU time: they agree, too (plain)', { skip: slow && 'a second of units' }, () => {
  const run = (options) => JSON.parse(bench(...`--n 20 --tables 0 --split 1000000 ${options} --format json`.split(' ')));
  const reply = run('--sample 60'); // the same on every machine, but for the seconds
  assert.ok(reply.pieces.estimate > 27000 && reply.pieces.estimate < 50000, `${reply.pieces.estimate} pieces`);
  assert.ok(Math.abs(reply.solutions.estimate - 39029188884) < 5 * reply.solutions.standard_error);
  // What a host takes away from a virtual processor counts as used, but seldom thrice.
  const brief = ({ longest_seconds: longest, core_seconds: all }) => longest > 0 && longest < all.estimate / 1000;
  assert.ok(brief(reply) || brief(run('--sample 60')) || brief(run('--sample 60')), `${reply.longest_seconds} of ${reply.core_seconds.estimate} s`);
  const limited = run('--sample 10000 --seconds 1');
  assert.ok(limited.sample > 0 && limited.sample < 10000, `${limited.sample} were counted`);
});

test('as a table', () => {
  const table = bench('--n', '12', '--sample', '3');
  assert.match(table, /^join n=12, 3 drawn of \d+ units, \S+, 1 threads$/m);
  for (const line of ['MB told, shared', 'seconds to prepare', 'units and pieces', 'core-seconds for all', 'halves', 'solutions'])
    assert.match(table, new RegExp(`^${line} +\\d`, 'm'));
});

test('the race of lists, with the first solutions of large boards, as JSON and as a table', () => {
  const run = (...options) => execFileSync(binary, ['bench', 'solve', '--n', '6', '--rounds', '2', ...options]).toString();
  const reply = JSON.parse(run('--format', 'json'));
  assert.deepEqual(Object.keys(reply), ['bench', 'n', 'rounds', 'reference', 'contestants', 'first']);
  assert.deepEqual(reply.first.map(({ n, solutions, rounds }) => [n, solutions, rounds.length]), [[64, 100, 2], [1000, 100, 2]]);
  for (const { seconds, rounds } of reply.first) assert.ok(seconds > 0 && seconds >= Math.min(...rounds) && seconds <= Math.max(...rounds));
  const table = run();
  for (const line of ['first 100 solutions', 'n=64', 'n=1000']) assert.match(table, new RegExp(`^${line}`, 'm'));
});

test('counts by a rule: the plain recursion, then one method with every kernel; they agree', () => {
  const run = (...options) => spawnSync(binary, ['bench', 'count', '--rounds', '1', ...options], { encoding: 'utf8' });
  for (const rules of ['toroidal', 'superqueens', 'semiqueens', 'toroidal-semiqueens', 'reflecting', 'touching']) {
    const { stdout, stderr, status } = run('--rules', rules, '--n', '7', '--format', 'json');
    assert.equal(status, 0, stderr);
    const reply = JSON.parse(stdout);
    assert.deepEqual([reply.rules, reply.reference, reply.contestants[0].ratio], [rules, 'plain', 1]);
    const names = reply.contestants.map(({ name }) => name);
    const method = rules === 'toroidal-semiqueens' ? 'correlations' : 'rules'; // n is odd
    assert.match(names.join(','), new RegExp(`^plain(,${method} \\w+)*,${method} scalar$`));
  }
  assert.match(run('--rules', 'toroidal', '--n', '5').stdout, /^count n=5 rules=toroidal, .*\n.*\nplain +\d/);
  assert.equal(JSON.parse(run('--rules', 'queens', '--n', '8', '--format', 'json').stdout).reference, 'textbook');
  const unknown = run('--rules', 'kings');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /kings is not a rule; rules are queens toroidal /);
  assert.equal(run('--only', 'nobody').status, 2);
});

test('boards of regions that are solved, counted and generated (plain)', { skip: slow && 'boards of eleven rows' }, () => {
  const reply = JSON.parse(execFileSync(binary, ['bench', 'puzzle', '--seeds', '1', '--rounds', '1', '--format', 'json']));
  assert.deepEqual(Object.keys(reply), ['bench', 'seeds', 'contestants']);
  const names = reply.contestants.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 2), ['solve and grade, n = 7 to 11', 'count 197360, n = 11']);
  assert.equal(names.length, 2 + 3 * 4);
  for (const { boards, made, seconds, slowest } of reply.contestants) assert.ok(boards === 1 && made === 1 && seconds > 0 && slowest >= seconds);
});

test('boards with any number of queens: a recursion over squares, counts and a list, which agree', { skip: slow && 'billions of placements' }, () => {
  const run = (...options) => execFileSync(binary, ['bench', 'shape', '--n', '7', '--rounds', '1', ...options]).toString();
  const reply = JSON.parse(run('--format', 'json'));
  assert.deepEqual(Object.keys(reply), ['bench', 'n', 'rounds', 'reference', 'contestants']);
  const [reference, ...rows] = reply.contestants;
  assert.deepEqual([reply.bench, reply.n, reply.reference, reference.ratio], ['shape', 7, 'recursion over squares', 1]);
  assert.deepEqual(reply.contestants.map(({ placements }) => placements), [16870, 16870, 162778537232, 207667564, 2000000, 2000000]); // A287227(7), A061994(40), A252593(12)
  assert.deepEqual(rows.map(({ name, aim, aim_per_second: aimed }) => [name, aim ?? aimed]), [['by=queens', 60], ['n=40 queens=4', undefined], ['n=12 queens=8', undefined], ['list n=12 queens=6', undefined], ['the same as NDJSON', 2000000]]);
  for (const { seconds, ratio, placements, per_second: speed } of reply.contestants) {
    assert.ok(Math.abs(speed * seconds - placements) < 1e-4 * placements);
    assert.ok(Math.abs(speed / reference.per_second - ratio) < 1e-4 * ratio);
  }
  const table = run();
  for (const { name } of reply.contestants) assert.match(table, new RegExp(`^${name} +\\d`, 'm'));
});

test('--help lists the benches, or the options of one', () => {
  const help = (...words) => execFileSync(binary, ['bench', ...words, '--help']).toString();
  const each = ['count', 'join', 'puzzle', 'shape', 'solve'].map((name) => help(name));
  for (const text of each) assert.match(text, /^nqueensd bench [[\w]/);
  assert.equal(help(), each.join(''));
});
