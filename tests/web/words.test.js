// words.test.js - what the page knows of the service is what the service says: every code of an error has words with its numbers,
// every rule has words, and its lines are those of /verify. And what the page says when the service refuses, in every language: its own
// words by code and type, never the sentence of the service; shell.test.js sees where they stand.
import { readdirSync, readFileSync } from 'node:fs';
import yaml from 'js-yaml';
import './modules.js';
import { after, assert, start, test } from '../http/harness.js';
import { inWords } from '../../src/web/dom.js';
import { lineOf, strokesOf } from '../../src/web/rules.js';
import { number, speak } from '../../src/web/words.js';
import { languages, wordsOf } from './languages.js';

const server = await start({ after });
const { rules, solvers } = await server.getJson('/algorithms');

const text = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
// by code, the names of its values: the service has no others
const codes = new Map(
  [...text('src/base/refusals.c').matchAll(/\.code = "([a-z-]+)"(?:[^[]*?\.members = \{([^}]*)\})?/g)].map(([, code, members = '']) => [
    code,
    [...members.matchAll(/"(\w+)"/g)].map(([, name]) => name),
  ]),
);

const quote = (text) => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
// A sentence with any values, at the beginning of a message or after the name of a parameter.
const said = (sentence) => new RegExp(quote(sentence).replace(/\{\w+\}/g, '.+'), 'i');

// [path, codes of what is said] or [path, body, codes of what is said]
const requests = [
  ['/solve?place=1:', 'required', 'syntax'],
  ['/solve?n=', 'needs-value'],
  ['/solve?n=8&order=any&after=x', 'syntax'],
  ['/solve?n=8&order=any&after=1,2,3', 'not-a-solution'],
  ['/solve?n=8&place=1:1,1:1', 'square-twice'],
  ['/solve?n=8&place=9:1', 'square-off-board'],
  ['/count?n=8&queens=2&walls=2:3&place=2:3', 'square-is-wall'],
  ['/solve?n=8&limit=0', 'below-minimum'],
  ['/solve?n=8&format=pdf', 'not-a-choice'],
  ['/count?n=9-8', 'range-reversed'],
  ['/count?n=8&regions=aab', 'not-regions'],
  ['/count?n=28&distinct=fundamental', 'above-limit'],
  ['/count?n=40&symmetry=point&rules=superqueens', 'too-many-rows-compute'],
  ['/puzzle?n=300', 'above-limit'],
  ['/puzzle?kind=regions&code=zzz', 'not-a-code'],
  ['/puzzle?kind=regions&daily=2026-99-99', 'syntax'],
  ['/puzzle?n=8&seed=1&clues=1', 'puzzle-not-found'],
  ['/trace?n=8&algorithm=romani-4&split=3', 'number-of-values'],
  ['/trace?n=8&algorithm=romani-4&split=6,3', 'not-ascending'],
  ['/trace?n=8&algorithm=romani-2&column=9', 'off-board'],
  ['/construct?n=1000&method=linear', 'method-has-none'],
  ['/construct?n=10&method=freeman&seed=3', 'settled-without'],
  ['/construct?n=3', 'no-solution'],
  ['/construct?n=26&method=tensor&factors=5x5', 'not-factors'],
  ['/construct?n=25&method=linear&multiplier=0', 'below-minimum'],
  ['/jobs', '{"kind":"count","n":30}', 'too-costly'],
  ['/jobs', '{"kind":"count","regions":"aaab/acbb/ccdb/cddd"}', 'unknown-parameter'],
  ['/verify', '{"permutation": [1, 2', 'malformed'],
  ['/verify', '{"permutation": [1, 5, 2]}', 'out-of-range'],
  ['/verify', '{"n": 8, "permutation": [1, 2]}', 'disagrees'],
];
const answers = await Promise.all(requests.map(async ([path, ...rest]) => {
  const [body, codes] = rest[0].startsWith('{') ? [rest[0], rest.slice(1)] : [undefined, rest];
  const options = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, options);
  return { path, codes, status: reply.status, json: await reply.json() };
}));

test('the contract has the codes of the service, and the names of their values', () => {
  const { Errors, Fault, Problem } = yaml.load(text('openapi.yaml')).components.schemas;
  const { parameter, code, reason, choices, suggestion, ...values } = Errors.items.properties;
  assert.ok(codes.size > 40);
  assert.deepEqual([...code.enum, ...Fault.enum], [...codes.keys()]);
  const valuesOf = (names) => new Set(names.flatMap((name) => codes.get(name)));
  assert.deepEqual(new Set(Object.keys(values)), valuesOf(code.enum));
  const { type, title, status, detail, suggestion: nearest, quota, maximum, errors, code: fault, methods, ...numbers } = Problem.properties;
  assert.deepEqual(new Set(Object.keys(numbers)), valuesOf(Fault.enum));
});

test('every code of an error has words, with all its values', async () => {
  const { refused } = await wordsOf('en');
  assert.deepEqual(Object.keys(refused).sort(), [...codes.keys()].sort());
  for (const [code, members] of codes) {
    const names = { 'not-a-choice': ['choices'] }[code] ?? members;
    const said = [...refused[code].matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(said.sort(), [...names].sort(), code);
  }
});

// A page never sends what leads to these: they are errors of HTTP, or of the service.
const UNSEEN = ['bad-request', 'method-not-allowed', 'not-acceptable', 'request-timeout', 'uri-too-long', 'unsupported-media-type',
  'headers-too-large', 'internal', 'method-unknown', 'http-version', 'client-left'];
test('every type of a problem that a reader can come to has words, and so have those of proxies, of jobs and of the page itself', async () => {
  const { type } = yaml.load(text('openapi.yaml')).components.schemas.Problem.properties;
  const slugs = type.enum.map((urn) => urn.split(':').at(-1));
  const proxy = [...text('docker/nginx.conf').matchAll(/urn:nqueensd:problem:([a-z-]+)/g)].map(([, slug]) => slug);
  const seen = slugs.filter((slug) => !UNSEEN.includes(slug));
  assert.equal(seen.length, slugs.length - UNSEEN.length);
  const all = [...new Set([...seen, ...proxy]), 'job-failed', 'job-cancelled', 'status', 'page'];
  assert.deepEqual(Object.keys((await wordsOf('en')).problems).sort(), all.sort());
});

test('every rule has words, and so has every line', async () => {
  const all = await Promise.all(languages.map(wordsOf));
  const { rules: { rule, ...others }, play } = await wordsOf('en');
  assert.ok(rule);
  assert.deepEqual(Object.keys(others), rules.map(({ name }) => name));
  for (const { name, is } of Object.values(others)) assert.ok(name && is.endsWith('.'));
  for (const { name } of rules) {
    const { counts } = await server.getJson(`/count?n=0-12&rules=${name}`);
    const { note } = counts.find(({ note }) => note) ?? {};
    assert.equal(Boolean(others[name].none), Boolean(note));
    for (const none of all.flatMap((words) => words.rules[name]?.none ?? []))
      assert.deepEqual(none.match(/\d+/g), note.match(/\d+/g), `why ${name} has boards without a solution`);
  }
  for (const line of new Set(rules.flatMap(({ lines }) => lines))) assert.match(play[line], /\{a\}.*\{b\}/);
});

test('every mistake of an article has words', async () => {
  const { articles } = await wordsOf('en');
  for (const { name, errata } of solvers.filter(({ trace }) => trace))
    assert.ok(!errata || [name, name.replace(/-\d$/, '')].some((key) => articles[key]?.errs), `${name} errs`);
});

test('queens attack each other as /verify says, and strokes lead from one to the other', async () => {
  let state = 5;
  const below = (bound) => (state = (state * 48271) % 2147483647) % bound;
  const seen = new Set();
  const on = ([row, column], n) => [row, column].every((x) => x >= 1 && x <= n);
  for (const rule of rules)
    for (const n of [5, 8, 11, 12, 14]) {
      const queens = [...Array(n)].map(() => [1 + below(n), 1 + below(n)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const body = { n, queens: queens.map(([row, column]) => ({ row, column })) };
      const { json } = await server.post(`/verify?rules=${rule.name}`, body);
      const told = json.conflicts.map(({ a, b, line }) => `${a.row}:${a.column} ${b.row}:${b.column} ${line}`);
      const pairs = queens.flatMap((a, i) => queens.slice(i + 1).map((b) => [a, b])).filter(([a, b]) => a.join() !== b.join());
      const attacks = pairs.map(([a, b]) => [a, b, lineOf(rule, n, a, b)]).filter(([, , line]) => line);
      const mine = attacks.map(([a, b, line]) => `${a.join(':')} ${b.join(':')} ${line}`);
      assert.deepEqual(mine.sort(), told.filter((one) => !one.endsWith(' square')).sort(), rule.name);
      for (const [a, b, line] of attacks) {
        seen.add(line);
        const strokes = strokesOf(rule, n, a, b);
        const ends = strokes.flatMap((stroke) => [stroke[0], stroke.at(-1)]).filter((end) => on(end, n)).map(String);
        assert.deepEqual(new Set(ends), new Set([String(a), String(b)]));
        for (const [from, to] of rule.torus && line.endsWith('diagonal') ? strokes : [])
          assert.equal(Math.abs(from[0] - to[0]), Math.abs(from[1] - to[1]));
      }
    }
  assert.equal(seen.size, new Set(rules.flatMap(({ lines }) => lines)).size);
});

for (const language of languages)
  test(`every refusal has its words in ${language}, and no others`, async () => {
    const { refused, problems } = await wordsOf(language);
    await speak(language);
    for (const { path, codes, status, json } of answers) {
      const text = inWords({ ...json, status });
      for (const code of codes) assert.match(text, said(refused[code]), path);
      assert.doesNotMatch(text, /[{}]|undefined|NaN/, path);
      const english = [json.title, json.detail, ...(json.errors ?? []).map(({ reason }) => reason)].filter(Boolean);
      if (language !== 'en') for (const sentence of english) assert.ok(!text.includes(sentence), `${path}: ${sentence}`);
    }
    const least = inWords(answers.find(({ path }) => path === '/construct?n=3').json);
    assert.equal(least, `${refused['no-solution'].replace('{n}', number(3)).replace(/^./, (letter) => letter.toUpperCase())}.`);
    const choices = answers.find(({ codes }) => codes.includes('not-a-choice')).json;
    assert.ok(inWords(choices).endsWith(choices.errors[0].choices.join(', ')), inWords(choices));
    const [{ json }] = answers;
    assert.match(inWords(json), /^place: .+; n: .+$/, 'all that is wrong, by the names of parameters');
    // what has no code here is told by its type, what is none of the service by its status, and what is neither is a fault of the page
    const type = (slug) => `urn:nqueensd:problem:${slug}`;
    assert.match(inWords({ type: type('invalid-parameter'), status: 400, errors: [{ parameter: 'n', code: 'of-tomorrow' }] }), said(problems['invalid-parameter']));
    assert.match(inWords({ type: type('key-needed'), status: 401 }), said(problems['key-needed']));
    assert.match(inWords({ title: 'Request-URI Too Large', status: 414 }), said(problems.status.replace('{status}', '414')));
    assert.match(inWords(new TypeError('undefined')), said(problems.page));
  });
