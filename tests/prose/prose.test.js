// The check of prose itself: each rule finds a bad sample on its line and leaves a good one alone, and every kind of text is read.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { languages } from '../web/languages.js';
import { MOST_WORDS, readPiece } from './rules.js';
import { misspelt } from './spelling.js';
import { descriptions, manual, texts, words } from './texts.js';

const english = (text, line = 1) => ({ file: 'x.md', line, text, language: 'en' });
const rules = (text) => readPiece(english(text)).findings.map(({ line, rule }) => `${line} ${rule}`);
const many = (count) => `${Array.from({ length: count }, (_, index) => (index % 2 ? 'queens' : 'attack')).join(' ')}.`;

const samples = [
  ['sentence-length', `Short.\n\n${many(MOST_WORDS + 1)}`, `${many(MOST_WORDS)} n = 5 begins another. \`code\` does, too.`],
  ['sentence-length', `| a |\n|---|\n| ${many(MOST_WORDS + 1)} |`, `- ${many(MOST_WORDS)}\n- ${many(MOST_WORDS)}`],
  ['word', 'Good.\n\nLikewise the server replies.', 'The client sends `likewise`.'],
  ['word', 'Good.\n\nIt hangs on\nthe store.', 'It depends on the store.'],
  ['passive', 'Good.\n\nThe job is partly counted by the workers.', 'The job is counted. It is counted by joining quadrants.'],
  ['retext-intensify', 'Good.\n\nThe reply is mostly short.', 'All replies have at least 3 members.'],
  ['retext-simplify', 'Good.\n\nThe server must utilize a table.', 'The server uses a request of the maximum size.'],
  ['retext-repeated-words', 'Good.\n\nThe the server replies.', 'The server replies.'],
];
for (const [rule, bad, good] of samples)
  test(`${rule} finds: ${bad.slice(0, 50).replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(rules(bad), [`3 ${rule}`]);
    assert.deepEqual(rules(good), []);
  });

const spelling = (text, language, known) => misspelt(readPiece({ ...english(text, 7), language }).words, known).map(({ line, what }) => `${line} ${what}`);

test('a word must be in the dictionary of its language or of the project', () => {
  assert.deepEqual(spelling('Good.\nThe servr replies in colours.', 'en', []), ['8 "servr" is not in the dictionary']);
  assert.deepEqual(spelling('Ogni colonna ha una rgeina.', 'it', []), ['7 "rgeina" is not in the dictionary']);
  assert.deepEqual(spelling('Каждый ферзь на свеом поле.', 'ru', []), ['7 "свеом" is not in the dictionary']);
  assert.deepEqual(spelling("Toroidal queens of `servr` at <https://servr.example> and https://servr.example/x, in docs/servr.md and AVX-512: nqueensd's.", 'en', ['toroidal', 'nqueensd']), []);
  assert.deepEqual(spelling('A json of the OEIS.', 'en', ['JSON', 'OEIS']), ['7 "json" is not in the dictionary']);
});

test('descriptions of the contract are read where they stand', () => {
  const source = "a:\n  description: One.\n  b:\n    - summary: 'It: two.'\n      description: |\n        Three\n\n        four.\n      type: string\n  description: {type: string}\n";
  assert.deepEqual(descriptions('x.yaml', source).map(({ line, text }) => [line, text]), [[2, 'One.'], [4, 'It: two.'], [5, '\nThree\n\nfour.']]);
});

test('the manual is read without its requests', () => {
  assert.deepEqual(manual('.TH X 1\n.SH NAME\nx \\- a y\n.SH FLAGS\nThe flag\n.BR \\-\\-x ,\ntoo.\n').filter(({ text }) => text.trim()).map(({ line, text }) => [line, text]), [[4, '\nThe flag\n`--x`,\ntoo.\n']]);
});

test('sentences of the explorer are read whole', () => {
  const source = "export default {\n  // a comment's\n  a: 'One {n}',\n  b:\n    'It’s ' +\n    'two.',\n};\n";
  assert.deepEqual(words('en', 'x.js', source).map(({ line, text }) => [line, text]), [[3, 'One `{n}`'], [5, 'It’s two.']]);
});

test('every kind of text is among those that are checked', () => {
  const files = new Set(texts().map(({ file }) => file));
  for (const file of ['README.md', 'CONTRIBUTING.md', 'examples/README.md', 'docs/api.md', 'openapi.yaml', 'docker/prometheus/rules.yaml', 'docker/nqueensd.1.in', 'nqueensd --help', 'nqueensd bench --help', 'nqueensd bfile --help', 'nqueensd units --help', ...languages.map((language) => `src/web/words_${language}.js`)])
    assert.ok(files.has(file), file);
});

test('a finding is a line with its file and line, and fails the check', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'prose-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const check = (text) => {
    const file = path.join(folder, 'x.md');
    writeFileSync(file, text);
    const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(new URL('check.js', import.meta.url)), file], { encoding: 'utf8' });
    return [status, stdout.replaceAll(folder, '')];
  };
  assert.deepEqual(check('# Good\n\nThe service replies.\n'), [0, '']);
  assert.deepEqual(check('# Good\n\nThe servr is started by the system.\n'), [
    1,
    '/x.md:3: passive: "is started by the system" names who acts: make that the subject\n/x.md:3: spelling: "servr" is not in the dictionary\n',
  ]);
});
