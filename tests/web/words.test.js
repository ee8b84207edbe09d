// words.test.js - errors in the page's language: every code has words with its numbers, and the page shows them.
import { readFileSync } from 'node:fs';
import yaml from 'js-yaml';
import { languages } from '../../src/web/words.js';
import { assert, test } from '../http/harness.js';

const text = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
// by code, the names of its values: the service has no others
const codes = new Map(
  [...text('src/base/refusals.c').matchAll(/\.code = "([a-z-]+)"(?:[^[]*?\.members = \{([^}]*)\})?/g)].map(([, code, members = '']) => [
    code,
    [...members.matchAll(/"(\w+)"/g)].map(([, name]) => name),
  ]),
);

test('the contract has the codes of the service, and the names of their values', () => {
  const { Errors, Fault, Problem } = yaml.load(text('openapi.yaml')).components.schemas;
  const { parameter, code, reason, choices, ...values } = Errors.items.properties;
  assert.ok(codes.size > 40);
  assert.deepEqual([...code.enum, ...Fault.enum], [...codes.keys()]);
  const valuesOf = (names) => new Set(names.flatMap((name) => codes.get(name)));
  assert.deepEqual(new Set(Object.keys(values)), valuesOf(code.enum));
  const { type, title, status, detail, quota, maximum, errors, code: fault, methods, ...numbers } = Problem.properties;
  assert.deepEqual(new Set(Object.keys(numbers)), valuesOf(Fault.enum));
});

for (const language of Object.keys(languages))
  test(`every code of an error has words in ${languages[language]}, with all its values`, async () => {
    const { refused } = (await import(`../../src/web/words_${language}.js`)).default;
    assert.deepEqual(Object.keys(refused).sort(), [...codes.keys()].sort());
    for (const [code, members] of codes) {
      // what only a sentence says has that sentence
      const names = { 'invalid': ['reason'], 'limit': ['reason'], 'not-a-choice': ['choices'], 'method-has-none': ['detail'] }[code] ?? members;
      const said = [...refused[code].matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(said.sort(), [...names].sort(), code);
    }
  });
