// stranger.test.js - who knows openapi.yaml alone: questions drawn at random from its parameters, and what a refusal advises is
// asked next, step by step, until there is an answer. The harness compares every reply with the contract. NQ_SEED: other questions.
// All of it (plain).
import { document, operations, resolve } from './contract.js';
import { generator } from '../hostile/random.js';
import { after, assert, longer, slow, start, test } from './harness.js';

const server = await start({ after }, '--free-seconds', '2', '--max-job-hours', '1', '--max-client-jobs', '1000');
const random = generator(Number(process.env.NQ_SEED ?? 1));
const QUESTIONS = longer ? 1000 : 150;
const STEPS = 12;

const readable = operations.filter(({ path, verb, operation }) => verb === 'get' && !operation.servers && !document.paths[path].servers && !path.includes('{'));

const schemaOf = (parameter) => resolve('', parameter.schema)[1];
const exampleOf = (parameter) => parameter.example ?? schemaOf(parameter).examples?.[0] ?? Object.values(parameter.examples ?? {})[0]?.value;

// A value that the contract allows, mostly a small one.
function draw(parameter) {
  const { enum: words, type, minimum = 0, maximum = 1000, pattern } = schemaOf(parameter);
  if (words) return random.pick(words);
  if (type === 'boolean') return random.chance(0.5);
  const [least, most] = [Number(minimum), Math.min(Number(maximum), random.pick([12, 30, 70, 1000]))];
  if (type === 'integer') return least + random.below(Math.max(1, most - least + 1));
  const example = exampleOf(parameter);
  if (example !== undefined) return example;
  if (pattern && new RegExp(pattern).test('8')) return 4 + random.below(20);
  return undefined; // a cursor, say: only a reply has one
}

function question() {
  const { path, parameters } = random.pick(readable);
  const always = ['n', 'limit']; // without a limit a list may be as long as the disk
  const chosen = parameters.filter((at) => at.in === 'query' && (at.required || always.includes(at.name) || random.chance(0.15)));
  const values = Object.fromEntries(chosen.map((at) => [at.name, draw(at)]).filter(([, value]) => value !== undefined));
  if (path === '/compare' && values.n < 65) values.n %= 10; // every algorithm would search a larger board for long, and advise nothing
  return { path, values, headers: {} };
}

const ask = ({ path, values, headers }) => {
  const query = new URLSearchParams(values).toString();
  return server.get(query ? `${path}?${query}` : path, headers);
};

// name=value in a sentence, if the parameter is one of the path.
function named(sentence, path) {
  const { parameters } = readable.find((at) => at.path === path);
  return [...String(sentence).matchAll(/\b([a-z][a-z-]*)=([a-z0-9:-]+)/g)].map(([, name, value]) => [name, value]).filter(([name]) => parameters.some((at) => at.name === name));
}

// What a refusal advises, as another question; null: it advises nothing.
function advised({ path, values, headers, lately = [], gone = [] }, { detail, errors }) {
  const [next, fields] = [{ ...values }, { ...headers }];
  const hints = (sentence) => named(sentence.slice(sentence.search(/\b(use|with|try|choose)\b/i)), path).filter(([name]) => name !== 'n');
  if (!errors) {
    if (/Prefer: respond-async/.test(detail) && !headers.prefer) fields.prefer = 'respond-async';
    else if (hints(detail).length) [[, next[hints(detail)[0][0]]]] = hints(detail);
    else return null;
    return { path, values: next, headers: fields };
  }
  for (const { parameter, code, reason, maximum, minimum, value, with: other } of errors) {
    const elsewhere = named(other ?? '', path)[0];
    // What was given because it was advised stays; the other one goes.
    if (code === 'not-with' && parameter !== 'n') delete next[lately.includes(parameter) && elsewhere ? elsewhere[0] : parameter];
    else if (code === 'not-by-rule') delete next[parameter];
    else if (code === 'too-many-items') next[parameter] = String(next[parameter]).split(',').slice(0, maximum).join();
    else if (maximum !== undefined && code !== 'out-of-range') next[parameter] = Math.min(maximum, Number(next[parameter]) || maximum);
    else if (minimum !== undefined) next[parameter] = minimum;
    else if (code === 'must-be-with') next[parameter] = value;
    else if (code === 'only-with' && gone.includes(elsewhere?.[0])) delete next[parameter]; // which it was told to leave out
    else if (code === 'only-with' && elsewhere) {
      next[elsewhere[0]] = elsewhere[1];
      for (const [, name] of reason.matchAll(/without ([a-z-]+)/g)) delete next[name];
    }
    else if (code === 'required') next[parameter] = exampleOf(readable.find((at) => at.path === path).parameters.find(({ name }) => name === parameter));
    else if (hints(reason).length) [[, next[hints(reason)[0][0]]]] = hints(reason);
    else if (parameter in next && parameter !== 'n') delete next[parameter];
    else return null;
  }
  const fresh = Object.keys(next).filter((name) => !(name in values));
  const dropped = Object.keys(values).filter((name) => !(name in next));
  return { path, values: next, headers: fields, lately: [...lately, ...fresh], gone: [...gone, ...dropped] };
}

const reasons = ({ detail, errors }) => errors?.map(({ parameter, reason }) => `${parameter} ${reason}`) ?? [detail];

test(`${QUESTIONS} questions of a stranger: every refusal's advice leads further (plain)`, { skip: slow && 'searches of some seconds' }, async (t) => {
  const ends = {};
  for (let i = 0; i < QUESTIONS; i++) {
    let asked = question();
    const seen = new Set();
    const story = [];
    for (let step = 0; ; step++) {
      const reply = await ask(asked);
      story.push(`${JSON.stringify(asked)} -> ${reply.status} ${reply.status < 400 ? '' : reply.text}`);
      if (reply.status < 400) {
        ends[step ? 'after advice' : 'at once'] = (ends[step ? 'after advice' : 'at once'] ?? 0) + 1;
        break;
      }
      assert.ok(reply.status < 500, story.join('\n'));
      for (const reason of reasons(reply.json)) assert.ok(!seen.has(reason), `the same again:\n${story.join('\n')}`);
      for (const reason of reasons(reply.json)) seen.add(reason);
      asked = advised(asked, reply.json);
      if (!asked) {
        const why = reply.json.errors ? reply.json.errors.map(({ code }) => code).join() : reply.json.detail.replace(/\d[\d.e+]*/g, 'N');
        ends[why] = (ends[why] ?? 0) + 1;
        break;
      }
      assert.ok(step < STEPS, `no end:\n${story.join('\n')}`);
    }
  }
  t.diagnostic(JSON.stringify(ends));
});
