// instructions.test.js - how many instructions fixed work takes, as callgrind counts them: the same on every run, so that speed does not
// leave unseen. The figures are those of one compiler; `node tests/bench/instructions.test.js --record` writes them anew, which belongs
// into a commit that says why. valgrind has no AVX-512: its kernels share their methods with those that are counted here.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url)); // Debian's node is 18
const binary = path.resolve(root, process.env.NQUEENSD ?? 'build/nqueensd');
const file = path.join(root, 'tests/data/instructions.json');
const compiler = execFileSync('gcc', ['-dumpfullversion'], { encoding: 'utf8' }).trim();
const recorded = JSON.parse(readFileSync(file, 'utf8'));
const TOLERANCE = 0.03;

// What is run, and the function, or functions, within which instructions count.
const work = [
  ['textbook_count', 'bench', 'count', '--n', 9, '--only', 'textbook'],
  ['search_count', 'bench', 'count', '--n', 13, '--only', 'search scalar'],
  ['search_count', 'bench', 'count', '--n', 13, '--only', 'search avx2'],
  ['join_count', 'bench', 'count', '--n', 15, '--only', 'join scalar'],
  ['join_count', 'bench', 'count', '--n', 15, '--only', 'join avx2'],
  ['join_count', 'units', '--n', 19, '--unit', 100, '--kernel', 'avx2'], // so many halves that a sample tells the class bits
  ['rules_count', 'bench', 'count', '--n', 13, '--rules', 'superqueens', '--only', 'rules scalar'],
  ['rules_count', 'bench', 'count', '--n', 13, '--rules', 'superqueens', '--only', 'rules avx2'],
  [['lister_next', 'lister_take', 'lines_write_run'], 'bench', 'solve', '--n', 10], // by every finder that the processor has
  [['parallel_list_fill', 'parallel_list_write'], 'bench', 'solve', '--n', 14, '--only', 'stream, 1 thread'], // finds each solution once
];

// null: this processor has no such kernel.
function instructions([within, command, ...flags]) {
  if ((flags[0] === 'solve' || command === 'units') && !readFileSync('/proc/cpuinfo', 'utf8').includes(' avx2 ')) return null;
  const toggles = [within].flat().map((name) => `--toggle-collect=${name}`);
  const callgrind = ['--tool=callgrind', '--callgrind-out-file=/dev/null', '--collect-atstart=no', ...toggles];
  const { stderr, stdout } = spawnSync('valgrind', [...callgrind, binary, command, ...flags.map(String), ...(command === 'bench' ? ['--rounds', '1'] : [])], { encoding: 'utf8' });
  if (/no contestant/.test(stderr + stdout)) return null;
  const counted = Number(stderr.match(/Collected : (\d+)/)?.[1]);
  assert.ok(counted > 100000, `${within} was not run: ${stderr}`);
  return counted;
}

const nameOf = ([, ...rest]) => rest.join(' ').replace('bench ', '');

if (process.argv.includes('--record')) {
  recorded[compiler] = Object.fromEntries(work.map((each) => [nameOf(each), instructions(each)]));
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
} else {
  for (const each of work)
    test(`${nameOf(each)} takes no more instructions than before`, (t) => {
      const before = recorded[compiler]?.[nameOf(each)];
      const now = before ? instructions(each) : null;
      if (now === null) return t.skip(before ? 'this processor has no such kernel' : `no figures of gcc ${compiler}`);
      assert.ok(now <= before * (1 + TOLERANCE), `${now} instructions, ${before} were recorded: ${((now / before - 1) * 100).toFixed(1)} % more`);
      assert.ok(now >= before * (1 - TOLERANCE), `${now} instructions, ${before} were recorded: record the gain, or a loss up to it stays unseen`);
    });
}
