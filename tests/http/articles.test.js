// articles.test.js - what docs/algorithms.md says of the articles, item by item, is what the service returns; and whoever is named with
// a year, in a document or a reply, stands in docs/references.md.
import { readdirSync, readFileSync } from 'node:fs';
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

// ---- The table of the articles: item, request, member, printed, here, how ----

const rows = read('docs/algorithms.md').split('\n').filter((line) => /^\| .* \| `\/[a-z]+\?/.test(line)).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
const code = (cell) => cell.replace(/^`|`$/g, '');

// n={5..8}: the request for each.
const requests = (request) => {
  const [range, from, to] = request.match(/\{(\d+)\.\.(\d+)\}/) ?? [];
  return range ? [...Array(to - from + 1).keys()].map((i) => request.replace(range, Number(from) + i)) : [request];
};

// What a member of a reply is, as text: "solutions.0" is the first solution, "line 3" a line of the text, "keeps 4" how many steps take
// up a placement of four queens, "valid" what /verify says of the reply.
async function look(request, member) {
  const reply = await server.get(request);
  assert.equal(reply.status, 200, `${request}: ${reply.text}`);
  const [word, number] = member.split(' ');
  if (word === 'line') return reply.text.split('\n')[number - 1];
  if (word === 'takes') return String(reply.json.steps.filter((step) => step.do === 'take' && step.queens === Number(number)).length);
  if (word === 'valid') return String((await server.post('/verify', { permutation: reply.json.permutation })).json.valid);
  let value = reply.json;
  for (const key of member.split('.')) value = value[key];
  return String(value?.permutation ?? value).replaceAll(',', ' ');
}

test('every row of the articles is what the service returns', async () => {
  assert.ok(rows.length >= 20, `${rows.length} rows`);
  for (const [item, request, member, printed, here, how] of rows) {
    const found = [];
    for (const one of requests(code(request))) found.push(await look(one, code(member)));
    assert.equal(found.join(' ').trim(), code(here), `${item}: ${request}`);
    assert.equal(how === 'exact', code(printed) === code(here), `${item}: ${how}`);
  }
});

// ---- References ----

const references = read('docs/references.md').split('\n').filter((line) => line.startsWith('- ') || line.startsWith('  ')).join('\n').split(/\n(?=- )/);
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '');
const MONTHS = /^(January|February|March|April|May|June|July|August|September|October|November|December|Since|In|Until)$/;

// "Bell and Stevens 2009", "Romani (1993)", "Knuth 1975": [names, year].
const cited = (text) =>
  [...plain(text).matchAll(/\b([A-Z][\w@#-]+(?:(?:,| and|'s)? [A-Z][\w@#-]+| and others)*),? \(?((?:18|19|20)\d\d)\b/g)]
    .map(([, names, year]) => [names.replace(/ and others|'s/g, '').split(/, | and | /), year])
    .filter(([names]) => !names.some((name) => MONTHS.test(name)));
const known = ([names, year]) => references.some((entry) => plain(entry).includes(year) && names.every((name) => plain(entry).includes(name)));

test('who is named with a year in a document stands in docs/references.md', () => {
  assert.ok(!known(['Nobody'], '1999') && !known([['Knuth'], '1976']) && known([['Knuth'], '1975'])); // the check can fail
  const documents = ['README.md', ...readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`), ...readdirSync(new URL('../../docs/contract', import.meta.url)).map((name) => `docs/contract/${name}`)];
  let found = 0;
  for (const name of documents) {
    const text = read(name);
    for (const citation of cited(text)) {
      found++;
      assert.ok(known(citation), `${name}: ${citation.join(' ')} is not in docs/references.md`);
    }
    for (const [identifier] of text.matchAll(/arXiv:[a-z]*\/?\d[\d.]*\d|doi\.org\/[^\s)]+/g)) assert.ok(references.some((entry) => entry.includes(identifier)), `${name}: ${identifier}`);
  }
  assert.ok(found >= 40, `${found} citations`);
});

test('so do those whom algorithms and replies name', async () => {
  const { solvers, constructions, counting_methods: counting } = await server.getJson('/algorithms');
  const sources = [...solvers, ...constructions, ...counting].map(({ source }) => source);
  for (const n of [17, 24, 25, 26, 27, 28, 41]) sources.push((await server.getJson(`/count?n=${n}&method=${n < 28 ? 'table' : 'estimate&walks=2000'}`)).source ?? 'Knuth 1975');
  for (const source of sources) {
    for (const citation of cited(source)) assert.ok(known(citation), `${citation.join(' ')}: ${source}`);
    const people = [...plain(source).matchAll(/(?:[A-Z]\.[ -]?)+ ?([A-Z][a-z]+)/g)].map(([, name]) => name);
    for (const person of people) assert.ok(references.some((entry) => plain(entry).includes(person)), `${person}: ${source}`);
    for (const [, year] of source.matchAll(/\b((?:18|19|20)\d\d)\b(?!\.\d)/g))
      assert.ok(references.some((entry) => entry.includes(year) && (!people.length || [...people, ...cited(source).flatMap(([names]) => names)].some((person) => plain(entry).includes(person)))), `${year}: ${source}`);
  }
});
