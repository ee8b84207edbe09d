// refusals.test.js - what the page says when the service refuses, in every language: its own words by code and type, never the sentence
// of the service. errors.test.js sees where they stand.
import { after, assert, start, test } from '../http/harness.js';
import './modules.js';
import { inWords } from '../../src/web/dom.js';
import { number, speak } from '../../src/web/words.js';
import { languages, wordsOf } from './languages.js';

const server = await start({ after });
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
