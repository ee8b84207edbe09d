// golden.js - files of what tests expect, in tests/data/golden. NQ_BLESS=1 writes them anew instead of comparing:
// `NQ_BLESS=1 node --test FILE`; the difference is then read in `git diff`. It knows nothing of what the files mean.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('data/golden/', import.meta.url));

// The text of a value: a string as it is, an array as a line for each element, anything else as indented JSON.
const textOf = (value) => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return `${JSON.stringify(value, null, 2)}\n`;
  return value.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
};

// Compares a value with the file `name` of tests/data/golden, and names the first line that differs.
export function golden(name, value) {
  const file = path.join(folder, name);
  const text = textOf(value);
  if (process.env.NQ_BLESS) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  let kept = '';
  try {
    kept = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  if (kept === text) return;
  const [expected, actual] = [kept, text].map((whole) => whole.split('\n'));
  const at = actual.findIndex((line, i) => line !== expected[i]);
  const line = at < 0 ? actual.length : at;
  assert.fail(
    `tests/data/golden/${name}:${line + 1}: expected ${JSON.stringify(expected[line])}, found ${JSON.stringify(actual[line])}; NQ_BLESS=1 writes the file anew`,
  );
}
