// yaml.test.js - the two readers of YAML against js-yaml: on the contract, construct by construct, and on documents drawn at random. One
// is of the scripts that write it; the other, in awk, makes the JSON of the contract when the server is built.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import yaml from 'js-yaml';
import { YamlError, readYaml } from '../static/yaml.js';

const contract = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');

// What the awk of the build makes of a text. It stops the build with status 1 and the number of a line, or reads what js-yaml reads.
function built(text) {
  const { status, stdout, stderr } = spawnSync('awk', ['-f', new URL('../../src/http/routes/openapi.awk', import.meta.url).pathname, '-'], { input: text, timeout: 60000 });
  if (status === 0) return { json: JSON.parse(stdout) };
  assert.match(`${status} ${stderr}`, /^1 .*:\d+: /, text);
  assert.equal(String(stdout), '', text);
  return {};
}
function builtSoundly(text) {
  const { json } = built(text);
  if (json !== undefined) assert.deepEqual(json, yaml.load(text), text);
  return json !== undefined;
}

test('the contract is read as js-yaml reads it', () => {
  assert.deepEqual(readYaml(contract), yaml.load(contract));
  assert.ok(builtSoundly(contract));
});

// Construct by construct: comments, keys of all kinds, lists and maps in each other, what is missing, numbers and words that look like
// some, flows, quotes, literal and folded scalars, spaces that are none to YAML, anchors and aliases.
const read = [
  '', '# a\n\n  # b\n', 'word', 'a:\n  b:\n    c: 1\n  d: 2\ne: 3\n',
  "plain key: 1\n'single: one': 2\n\"double\\tone\": 3\n200: 4\ntrue: 5\n/path/{id}: 6\n__proto__: 7\n",
  'a:\n  - 1\n  - 2\nb:\n- 3\n- 4\nc: 5\n', '- - 1\n  - 2\n-\n  - 3\n- - - 4\n',
  '- a: 1\n  b: 2\n-   c: 3\n    d:\n      - e: 4\n', 'a:\nb: ~\nc: null\nd: # nothing\ne:\n  -\n  - 1\n',
  '[0, -1, 12.5, 1e3, -2.5E-7, 12345678901234567890]',
  '[3.1.0, 1:1, urn:a:b, "200", a#b, a b  , -a, ?b, :c, 1 2, yes, tRUE, .Q...]', '[true, True, FALSE, null, Null, "true"]',
  "{a: [1, {b: 'c, d'}, []], \"e\": {}, f g: '1:1,2:3', h: [ [Q..., ...Q] ]} # all",
  `- 'it''s "so" # not'\n- "it's \\"so\\" \\\\ \\u00e9 \\n"\n- ''\n- ""\n`, "a: b # c\n# d\nd: 'e' # f\ng: h#i\nj: [1] # k\n",
  'a: |\n  one\n    two\n\n  # three\n   \nb: |-\n  x\n\nc: |+\n  y\n\nd: 1\n', '- |\n  one\n- a: |-\n    two\n  b: 3\n',
  'a: >\n  one\n  two\n\n  three\n\n\n  four\nb: >-\n\n  five\n  six\n\nc: >+ # seven\n  eight\n\n',
  '- - \u00a0\n- [\u00a0, \u2003a]\n- \u3000b\n', 'a: |\n  b',
  'a: &x {b: 1}\nc: *x\nd: &y\n  - &z word\n  - *z\ne: *y # again\nf: &t |\n  text\ng: *t\n',
  'a:\n  word\nb:\n  [1, 2]\nc:\n  "d"\n',
];
test('each construct is read as js-yaml reads it', () => {
  for (const text of read) assert.deepEqual(readYaml(text), yaml.load(text) ?? null, text);
  const passed = read.filter(builtSoundly);
  assert.ok(passed.length >= read.length - 5, 'the build reads all but empty documents, `+` and comments after an alias');
});

// What YAML has and the contract has not, or nobody has: [text, the line that is told].
const refused = [
  ['a:\n\tb: 1', 2], ['a: 1\nb: 2\na: 3', 3], ['a: 1\n  b: 2', 2], ['a:\n    b: 1\n  c: 2', 3], ['a: one\n  two', 2],
  ['one\ntwo', 2], ['a: 1\n- b', 2], ['a: b: c', 1], ['a: - b', 1], ['a: "b\n  c"', 1], ['a: "\\x41"', 1], ['a: "b" c', 1],
  ["a: 'b'#c", 1], ['a: [1,\n  2]', 1], ['a: {b: 1', 1], ['a: [1, 2, ]', 1], ['a: {b, c: 1}', 1], ['a: [b: 1]', 1],
  ['a: {[b]: 1}', 1], ['a: 1\nb: *c', 2], ['a: &x 1\nb: [*x]', 2], ['a: !!str 1', 1], ['a: &x {b: 1}\nc:\n  <<: *x', 3],
  ['? a\n: b', 1], ['%YAML 1.2\n---\na: 1', 1], ['a: 1\n---\nb: 2', 2], ['a: |2\n    b', 1], ['a: >\n  b\n    c\n', 4],
  ['a: |\nb: 1', 1], ['a: 2026-11-21', 1], ['a: 0x10', 1], ['a: 007', 1], ['a: 1e310', 1], ['a: .nan', 1],
  ['a: 1\r\nb: 2\r\n', 1],
];
test('anything else is refused, with its line', () => {
  for (const [text, line] of refused)
    assert.throws(() => readYaml(text), (error) => error instanceof YamlError && error.message.startsWith(`line ${line}: `), text);
  for (const [text] of refused) assert.deepEqual(built(text), {}, text);
});

// The same ones every time; FUZZ_SEED for others, FUZZ_RUNS for more.
const drawn = (numRuns) => ({ seed: Number(process.env.FUZZ_SEED ?? 1), numRuns: Number(process.env.FUZZ_RUNS ?? numRuns) });

// Whether a text is not refused; then it is read as js-yaml reads it.
function soundly(text) {
  let got;
  try {
    got = readYaml(text);
  } catch (error) {
    assert.ok(error instanceof YamlError, error.stack);
    return false;
  }
  assert.deepEqual(got, yaml.load(text));
  return true;
}

// Where it does not refuse, it reads what was written. Words are drawn of what YAML looks at, too.
test('output of js-yaml is read as it was meant, or rejected', () => {
  const signs = [...'ab01 -:,#[]{}&*!|>\'"%@`?\n\t~.=<_é\\', '- ', ': ', ' #', 'null', 'true', '1e3', '---', 'word word '];
  const words = fc.array(fc.constantFrom(...signs), { maxLength: 30 }).map((parts) => parts.join(''));
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(words, fc.string({ unit: 'grapheme' }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(words, fc.string()), tie('document'), { maxKeys: 4 }),
    ),
  }));
  let sound = 0;
  fc.assert(
    fc.property(fc.oneof(document, fc.jsonValue()), (meant) => {
      const text = yaml.dump(meant);
      sound += soundly(text);
    }),
    drawn(5000),
  );
  assert.ok(sound > 1000, `${sound} were not refused`);
});

// What was damaged is refused, or means to js-yaml what it means here.
test('a contract with a character changed is not misread', () => {
  const part = contract.slice(contract.indexOf('  parameters:\n    Rows'), contract.indexOf('    BeyondLimit:'));
  const change = fc.record({ at: fc.nat(part.length - 1), by: fc.constantFrom('', ' ', '\n', ...':-#\'"[]{},&*|>\t0a') });
  fc.assert(
    fc.property(change, ({ at, by }) => {
      const text = (part.slice(0, at) + by + part.slice(at + 1)).replaceAll(/\*error-headers/g, '1');
      soundly(text);
    }),
    drawn(500),
  );
  // The build's reader takes a process each time.
  fc.assert(
    fc.property(change, ({ at, by }) => {
      builtSoundly((part.slice(0, at) + by + part.slice(at + 1)).replaceAll(/\*error-headers/g, '1'));
    }),
    drawn(100),
  );
});
