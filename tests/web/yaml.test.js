// yaml.test.js - the reader of YAML against js-yaml: on the contract, construct by construct, and on documents drawn at random.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import yaml from 'js-yaml';
import { YamlError, readYaml } from '../../src/web/yaml.js';

const contract = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');

test('the contract is read as js-yaml reads it', () => {
  assert.deepEqual(readYaml(contract), yaml.load(contract));
});

const read = {
  'nothing at all': '',
  'comments alone': '# a\n\n  # b\n',
  'a word': 'word',
  'maps in maps': 'a:\n  b:\n    c: 1\n  d: 2\ne: 3\n',
  'keys of all kinds': "plain key: 1\n'single: one': 2\n\"double\\tone\": 3\n200: 4\ntrue: 5\n/path/{id}: 6\n__proto__: 7\n",
  'lists in maps, deeper or not': 'a:\n  - 1\n  - 2\nb:\n- 3\n- 4\nc: 5\n',
  'lists in lists': '- - 1\n  - 2\n-\n  - 3\n- - - 4\n',
  'maps in lists': '- a: 1\n  b: 2\n-   c: 3\n    d:\n      - e: 4\n',
  'what is missing is null': 'a:\nb: ~\nc: null\nd: # nothing\ne:\n  -\n  - 1\n',
  numbers: '[0, -1, 12.5, 1e3, -2.5E-7, 12345678901234567890]',
  'words that look like something': '[3.1.0, 1:1, urn:a:b, "200", a#b, a b  , -a, ?b, :c, 1 2, yes, tRUE, .Q...]',
  'words of YAML': '[true, True, FALSE, null, Null, "true"]',
  'flows in flows': "{a: [1, {b: 'c, d'}, []], \"e\": {}, f g: '1:1,2:3', h: [ [Q..., ...Q] ]} # all",
  'quotes in quotes': `- 'it''s "so" # not'\n- "it's \\"so\\" \\\\ \\u00e9 \\n"\n- ''\n- ""\n`,
  'comments behind': "a: b # c\n# d\nd: 'e' # f\ng: h#i\nj: [1] # k\n",
  'literal scalars': 'a: |\n  one\n    two\n\n  # three\n   \nb: |-\n  x\n\nc: |+\n  y\n\nd: 1\n',
  'literal scalars in lists': '- |\n  one\n- a: |-\n    two\n  b: 3\n',
  'folded scalars': 'a: >\n  one\n  two\n\n  three\n\n\n  four\nb: >-\n\n  five\n  six\n\nc: >+ # seven\n  eight\n\n',
  'spaces that are none to YAML': '- - \u00a0\n- [\u00a0, \u2003a]\n- \u3000b\n',
  'a literal scalar that ends with the text': 'a: |\n  b',
  'anchors and aliases': 'a: &x {b: 1}\nc: *x\nd: &y\n  - &z word\n  - *z\ne: *y # again\nf: &t |\n  text\ng: *t\n',
  'values on the line below': 'a:\n  word\nb:\n  [1, 2]\nc:\n  "d"\n',
};
for (const [name, text] of Object.entries(read))
  test(`read: ${name}`, () => assert.deepEqual(readYaml(text), yaml.load(text) ?? null));

const refused = {
  'a tab before a key': ['a:\n\tb: 1', 2],
  'a key that is there already': ['a: 1\nb: 2\na: 3', 3],
  'a key too deep': ['a: 1\n  b: 2', 2],
  'a key between two depths': ['a:\n    b: 1\n  c: 2', 3],
  'a word that goes on': ['a: one\n  two', 2],
  'two words': ['one\ntwo', 2],
  'an item among keys': ['a: 1\n- b', 2],
  'a colon in a word': ['a: b: c', 1],
  'a list on the line of its key': ['a: - b', 1],
  'a quote that goes on': ['a: "b\n  c"', 1],
  'an escape of YAML alone': ['a: "\\x41"', 1],
  'something behind a quote': ['a: "b" c', 1],
  'a comment that touches a quote': ["a: 'b'#c", 1],
  'a flow that goes on': ['a: [1,\n  2]', 1],
  'a flow without an end': ['a: {b: 1', 1],
  'a comma too many': ['a: [1, 2, ]', 1],
  'a key in a flow without a value': ['a: {b, c: 1}', 1],
  'a pair in a list': ['a: [b: 1]', 1],
  'a key that is a list': ['a: {[b]: 1}', 1],
  'an alias of nothing': ['a: 1\nb: *c', 2],
  'an alias within a flow': ['a: &x 1\nb: [*x]', 2],
  'a tag': ['a: !!str 1', 1],
  'a key that merges': ['a: &x {b: 1}\nc:\n  <<: *x', 3],
  'a question mark': ['? a\n: b', 1],
  directives: ['%YAML 1.2\n---\na: 1', 1],
  'a second document': ['a: 1\n---\nb: 2', 2],
  'a depth that is told': ['a: |2\n    b', 1],
  'a folded scalar with deeper lines': ['a: >\n  b\n    c\n', 4],
  'an empty block': ['a: |\nb: 1', 1],
  'a date': ['a: 2026-11-21', 1],
  'a number that is none elsewhere': ['a: 0x10', 1],
  'a number with zeros before it': ['a: 007', 1],
  'a number beyond all': ['a: 1e310', 1],
  'no number': ['a: .nan', 1],
  'carriage returns': ['a: 1\r\nb: 2\r\n', 1],
};
for (const [name, [text, line]] of Object.entries(refused))
  test(`rejected: ${name}`, () =>
    assert.throws(() => readYaml(text), (error) => error instanceof YamlError && error.message.startsWith(`line ${line}: `)));

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
  const part = contract.slice(contract.indexOf('  parameters:\n    Column'), contract.indexOf('    BeyondLimit:'));
  const change = fc.record({ at: fc.nat(part.length - 1), by: fc.constantFrom('', ' ', '\n', ...':-#\'"[]{},&*|>\t0a') });
  fc.assert(
    fc.property(change, ({ at, by }) => {
      const text = (part.slice(0, at) + by + part.slice(at + 1)).replaceAll(/\*error-headers/g, '1');
      soundly(text);
    }),
    drawn(500),
  );
});
