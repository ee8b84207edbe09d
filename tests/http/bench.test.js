// bench.test.js - `nqueensd bench join` and `bench crew`: an estimate has every figure, and they agree with what is known.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { binary } from './harness.js';

const bench = (...options) => execFileSync(binary, ['bench', 'join', ...options]).toString();
const crew = (...options) => execFileSync(binary, ['bench', 'crew', ...options]).toString();

test('what a count by joining would take, as JSON', () => {
  for (const tables of [1024, 0]) {
    const reply = JSON.parse(bench('--n', '14', '--sample', '5', '--tables', `${tables}`, '--format', 'json'));
    assert.deepEqual(Object.keys(reply), [
      ...['bench', 'n', 'sample', 'threads', 'seed', 'kernel', 'memory', 'prepare_seconds', 'units', 'weight'],
      ...['seconds_per_weight', 'core_seconds', 'halves', 'solutions'],
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

test('as a table', () => {
  const table = bench('--n', '12', '--sample', '3');
  assert.match(table, /^join n=12, 3 of \d+ units, \S+, 1 threads$/m);
  for (const line of ['MB told, shared', 'seconds to prepare', 'core-seconds for all', 'halves', 'solutions'])
    assert.match(table, new RegExp(`^${line} +\\d`, 'm'));
});

test('options that it has not, or beyond their limits', () => {
  for (const options of [['--n', '7'], ['--n', '28'], ['--sample', '1'], ['--rounds', '3'], ['--n'], ['--format', 'x']])
    assert.equal(spawnSync(binary, ['bench', 'join', ...options]).status, 2, options.join(' '));
});

test('what a crew would take, as JSON', () => {
  const reply = JSON.parse(crew('--n', '16', '--sample', '5', '--workers', '1,3,100000', '--price', '0.02', '--format', 'json'));
  const crews = reply.loads.flatMap((load) => load.crews);
  assert.deepEqual(Object.keys(reply), ['bench', 'n', 'times', 'units', 'kernel', 'memory', 'measured', 'loads']);
  assert.ok(reply.memory.worker > 1e6 && reply.memory.worker < 3e6 && reply.memory.each_thread > 0);
  for (const load of reply.loads) {
    assert.deepEqual(Object.keys(load), [
      ...['threads_at_once', 'listing_seconds', 'prepare_seconds', 'seconds_per_weight', 'core_seconds', 'longest_unit'],
      'crews',
    ]);
    assert.equal(load.seconds_per_weight.length, 5);
    assert.ok(load.listing_seconds > 0 && load.prepare_seconds > 0);
  }
  assert.deepEqual(crews.map(({ workers }) => workers), [1, 3, 100000]);
  for (const of of crews) {
    assert.equal(of.speed, 1);
    assert.ok(of.least <= of.makespan && of.makespan <= of.most);
    assert.ok(of.ended && of.efficiency > 0 && of.efficiency <= 1 && of.makespan > 0 && of.alone > 0);
    assert.equal(of.begun, reply.units);
    const spent = Object.values(of.seconds).reduce((sum, seconds) => sum + seconds);
    assert.ok(Math.abs(spent / (of.threads * of.makespan) - 1) < 1e-4);
    assert.ok(Math.abs(of.dollars / (of.core_hours * 0.02) - 1) < 1e-4);
  }
});

test('a crew keeps as many threads busy while its units are measured as there will be', () => {
  const processors = cpus().length;
  const busy = (...options) => JSON.parse(crew('--n', '14', '--sample', '9', '--format', 'json', ...options)).loads;
  const many = busy('--workers', '1,2,4,400');
  const wanted = [1, 2, 4, 400].map((workers) => Math.min(workers, processors));
  assert.deepEqual(many.flatMap((load) => load.crews.map(() => load.threads_at_once)), wanted);
  assert.equal(many.length, new Set(wanted).size);
  const one = busy('--workers', `${4 * processors}`, '--machines', '1', '--beside-ms', '0');
  assert.deepEqual([one[0].threads_at_once, one[0].crews[0].speed], [processors, 0.25]);
  const two = busy('--workers', `${2 * processors}`, '--machines', '2', '--threads', '2');
  assert.equal(two[0].threads_at_once, processors);
  assert.ok(two[0].crews[0].speed < 0.5 && two[0].crews[0].speed > 0);
});

test('a crew is as slow as its rates: told ones, and more units than the board has', () => {
  const options = ['--n', '14', '--per-weight', '1e-4', '--workers', '2', '--tables', '0', '--audit', '0', '--format', 'json'];
  const told = (...more) => {
    const { loads, ...reply } = JSON.parse(crew(...options, ...more));
    return { ...reply, seconds: loads[0].core_seconds.estimate, crew: loads[0].crews[0] };
  };
  const [one, three, audited] = [told(), told('--times', '3'), told('--audit', '0.5')];
  assert.equal(three.units, 3 * one.units);
  assert.ok(Math.abs(three.seconds / one.seconds - 3) < 1e-4);
  assert.equal(one.measured, false);
  assert.ok(one.crew.makespan > one.seconds / 2 && one.crew.makespan < one.seconds / 1.9);
  assert.ok(audited.crew.audits > one.units / 4 && audited.crew.makespan > one.seconds / 1.8);
  const deadly = told('--fail-per-hour', '60', '--ack-wait', '10', '--speed-spread', '0.1').crew;
  assert.ok(deadly.deaths > 0 && deadly.makespan > one.crew.makespan && deadly.begun === one.units + deadly.cut);
});

test('a crew as a table, and its options', () => {
  const table = crew('--n', '12', '--sample', '3', '--workers', '1,10');
  assert.match(table, /^crew n=12, \d+ units, \S+, 3 rates measured, 1 threads at once$/m);
  assert.match(table, /^MB of a worker +[\d.]+\nMB of each of its threads +[\d.]+$/m);
  assert.equal(table.match(/^ +\d+ +\d+( +[\d.e-]+%?){8} +-$/gm).length, 2);
  assert.match(crew('--help'), /--speed-spread D/);
  for (const options of [['--n', '28'], ['--workers', '0'], ['--workers', '1,,2'], ['--workers', '1.5'], ['--workers', '1000001'],
    ['--per-weight', 'x'], ['--take-ms', '-1'], ['--speed-spread', '2'], ['--store-ms', 'nan'], ['--fail-per-hour'], ['--rounds', '3']])
    assert.equal(spawnSync(binary, ['bench', 'crew', ...options]).status, 2, options.join(' '));
});
