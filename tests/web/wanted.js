#!/usr/bin/env node
// wanted.js - wanted translations: the texts that a language has not, so that the page shows those of English in it. `node
// tests/web/wanted.js` prints them, by language. Nobody who adds a text must know Italian; but a release is complete, and there
// (NQ_RELEASE=1) each is a failure.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import yaml from 'js-yaml';
import { start } from '../http/harness.js';
import { languages, wordsOf } from './languages.js';

// Plural forms are one sentence.
export const isPlural = (value) => Object.keys(value).every((key) => ['zero', 'one', 'two', 'few', 'many', 'other'].includes(key));
// { 'section.key': [sentence or its forms] }
export const flat = (words, path = '') =>
  Object.assign({}, ...Object.entries(words).map(([key, value]) => {
    if (typeof value === 'string') return { [path + key]: [value] };
    return isPlural(value) ? { [path + key]: Object.values(value) } : flat(value, `${path}${key}.`);
  }));

const contract = yaml.load(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));

// What English has from the service, and every other language needs: { 'section.key': what the service says }. algorithms: its answer.
export function fromService({ solvers, constructions }, isLatin) {
  const all = [...solvers, ...constructions];
  const entries = (section, rows) => rows.map(([name, text]) => [`${section}.${name}`, text]);
  const titled = all.filter(({ name, title }) => !isLatin || (name !== 'min-conflicts' && /\b[a-z]{2,}/.test(title))); // not of names alone
  const operations = Object.values(contract.paths).flatMap((item) => Object.values(item)).filter(({ operationId }) => operationId);
  const traced = solvers.filter(({ trace }) => trace);
  return Object.fromEntries([
    ...entries('titles', titled.map(({ name, title }) => [name, title])),
    ...entries('methods', constructions.map(({ name, summary }) => [name, summary])),
    ...entries('routes', operations.map(({ operationId, summary }) => [operationId, summary])),
    ...entries('tags', contract.tags.map(({ name, description }) => [name, description])),
    ...entries('watch.of', traced.map(({ name, summary }) => [`${name}.does`, summary])),
    ...entries('watch.of', traced.filter(({ tests }) => tests).map(({ name, tests }) => [`${name}.tests`, tests])),
  ]);
}

// [[key, what the page shows instead], ...]
export function wanted(words, english, algorithms) {
  const mine = flat(words);
  const isLatin = /^\p{Script=Latin}+$/u.test(words.language); // other letters need names of their own
  const needed = { ...flat(english), ...fromService(algorithms, isLatin) };
  return Object.entries(needed).filter(([key]) => !(key in mine)).map(([key, text]) => [key, [text].flat().at(-1)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ends = [];
  const server = await start({ after: (end) => ends.push(end) });
  const algorithms = await server.getJson('/algorithms');
  const english = await wordsOf('en');
  let all = 0;
  for (const language of languages.filter((name) => name !== 'en'))
    for (const [key, text] of wanted(await wordsOf(language), english, algorithms)) {
      console.log(`src/web/words_${language}.js wants ${key}: ${text}`);
      all++;
    }
  console.log(`${all} wanted translations`);
  for (const end of ends) await end();
  process.exitCode = Number(Boolean(process.env.NQ_RELEASE) && all > 0);
}
