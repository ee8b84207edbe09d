// questions.js - a great many questions, the same ones for one seed: those of the model's sequences, of the contract's examples, of
// the fuzzer's corpus, and such as the route table draws up. Each is { method, target, headers, body }. It knows no server, and not
// what the answers are.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import fc from 'fast-check';
import { document, examples, jobExamples } from './contract.js';
import { acts } from './model/acts.js';
import { Model } from './model/model.js';
import { lettersOf, painted, sequence } from './reference.js';
import { asked, routes, values } from './table.js';

const json = { 'Content-Type': 'application/json' };
const get = (target, headers = {}) => ({ method: 'GET', target, headers });
const post = (target, value) => ({ method: 'POST', target, headers: json, body: typeof value === 'string' ? value : JSON.stringify(value) });

// ---- The model's ----

// What acts ask that need no answer before; a job is not begun but asked for its cost.
const FIRST = ['List', 'Walk', 'Sample', 'Stream', 'Count', 'Crowd', 'Invalid', 'Begin'];

// Stands for a server: notes what it is asked first, and ends the act by that.
class Note extends Error {}
const note = (method, target, headers, body) => {
  const costs = method === 'POST' && target === '/jobs';
  throw Object.assign(new Note(), { question: { method, target: costs ? '/jobs?dry-run=true' : target, headers: { ...(body && json), ...headers }, body } });
};
const listener = {
  ask: async (...request) => note(...request),
  post: async (target, value, headers) => note('POST', target, headers, JSON.stringify(value)),
  all: async (size, target, headers) => note('GET', target, headers),
  figure: async () => 0,
  figures: async () => new Map(),
};

// The questions of so many sequences of model.test.js.
export async function ofModel(seeds) {
  const questions = [];
  for (let seed = 0; seed < seeds; seed++) {
    const model = new Model({ store: 'memory', jobs: 1000, searches: 1000, streams: 1000 });
    const [commands] = fc.sample(fc.commands(acts, { maxCommands: 40, size: 'max' }), { seed, numRuns: 1 });
    for (const { cmd } of commands.commands) {
      if (!FIRST.includes(cmd.constructor.name)) continue;
      try {
        await cmd.act(model, listener, model.chosen(cmd.given));
      } catch (error) {
        if (!(error instanceof Note)) throw error;
        questions.push(error.question);
      }
    }
  }
  return questions;
}

// ---- The contract's ----

export function ofContract() {
  const questions = jobExamples.map((value) => post('/jobs?dry-run=true', value));
  for (const { path: route, 'x-request': request, 'x-request-headers': headers = {}, 'x-request-body': body } of examples()) {
    if (!request || document.paths[route].servers) continue; // the operator's port
    const [method, target] = request.split(' ');
    questions.push({ method, target, headers, body });
  }
  return questions;
}

// ---- The fuzzer's ----

const folder = fileURLToPath(new URL('../fuzz/corpus/http', import.meta.url));
export const ofFuzzer = () => readdirSync(folder).sort().map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));

// ---- The route table's ----

// Routes that answer a question, and what each is asked besides.
const answering = routes.filter(({ method, port, path: route }) => method === 'GET' && port === 'public' && (route in asked || route === '/verify'));
const spelled = (route, pairs, headers = {}) => get(`${route}?${pairs.map((pair) => pair.join('=')).join('&')}`, headers);

// Values at random, of boards that are searched in no time.
function drawer(below) {
  const size = () => below(8) + (below(8) === 0);
  const squares = (n) => Array.from({ length: 1 + below(3) }, () => `${1 + below(n || 1)}:${1 + below(n || 1)}`).join(',');
  const numbers = { column: 9, limit: 20, offset: 60, sample: 6, seed: 1000, solutions: 3, steps: 60, walks: 300, shift: 9, index: 90, sheet: 5, clues: 5 };
  const board = () => (below(3) ? values.regions[below(2)] : lettersOf(painted(4 + below(4), below)));
  const value = ({ name, choices }, n) => {
    if (choices) return choices[below(choices.length)];
    if (name === 'n') return n;
    if (name === 'place' || name === 'exclude') return squares(n);
    if (name === 'regions') return board();
    if (name === 'daily') return `2026-1${below(2)}-${10 + below(20)}`;
    if (name in numbers && below(4)) return 1 + below(numbers[name]);
    return values[name][below(values[name].length)];
  };
  return { size, value };
}

// `count` questions with up to four parameters besides the size, most of which are sound, some of them with a wish for a form.
export function* atRandom(seed, count) {
  const below = sequence(seed);
  const { size, value } = drawer(below);
  for (let made = 0; made < count; made++) {
    const { path: route, parameters, media_types: types } = answering[below(answering.length)];
    const n = route === '/construct' ? 4 + below(60) : size();
    const pairs = new Map(parameters.some(({ name }) => name === 'n') ? [['n', n]] : []);
    for (let more = below(5); more; more--) {
      const parameter = parameters[below(parameters.length)];
      if (parameter.name !== 'cursor') pairs.set(parameter.name, value(parameter, n));
    }
    if (pairs.has('regions')) pairs.delete('n');
    const type = () => types[below(types.length)].split(';')[0];
    yield spelled(route, [...pairs], below(5) ? {} : { Accept: below(3) ? type() : `${type()};q=0.5, ${type()}` });
  }
}

// Every two parameters of every route, with a value each: the first sound one, and then at random, until there are `count`.
export function* inPairs(seed, count) {
  const below = sequence(seed);
  const { size, value } = drawer(below);
  for (let made = 0, round = 0; made < count; round++)
    for (const { path: route, parameters } of answering)
      for (const [i, first] of parameters.entries())
        for (const second of parameters.slice(i + 1)) {
          const n = round ? size() : 6;
          const sound = ({ name, choices, default: preset }) => choices?.find((choice) => choice !== preset) ?? values[name]?.[0];
          const pair = [first, second].map((parameter) => [parameter.name, round ? value(parameter, n) : sound(parameter)]);
          const names = pair.map(([name]) => name);
          const base = new URLSearchParams(asked[route] ?? 'n=6');
          for (const name of [...names, ...(names.includes('regions') ? ['n'] : [])]) base.delete(name);
          yield spelled(route, [...base, ...pair]);
          made++;
        }
}

// One past every limit of the table, and each setting of a parameter on boards that are too large for some of them.
const SIZES = { '/solve': [29, 65, 1001], '/count': [33, 49, 65], '/construct': [29, 65, 1001], '/trace': [33, 65], '/compare': [65], '/puzzle': [21, 65], '/hint': [65], '/verify': [65, 1001] };
export function* atLimits() {
  for (const { path: route, parameters } of answering) {
    const one = parameters.some(({ name }) => name === 'limit') && route !== '/count' ? [['limit', 1]] : [];
    for (const { name, choices, minimum, maximum } of parameters) {
      const ends = [minimum > 0 && minimum - 1, name === 'limit' && 10000, name === 'limit' && 10001, maximum !== undefined && BigInt(maximum) + 1n];
      for (const value of ends.filter((end) => end !== false)) yield spelled(route, [...(name === 'n' ? [] : [['n', 6]]), [name, value]]);
      for (const n of ['n', 'regions', 'cursor', 'code', 'daily', 'sheet'].includes(name) ? [] : (SIZES[route] ?? []))
        for (const value of choices ?? values[name]) yield spelled(route, [['n', n], ...one.filter(([other]) => other !== name), [name, value]]);
    }
  }
}

// Placements that are handed in: permutations and queens, sound and not.
export function* ofVerify(seed, count) {
  const below = sequence(seed);
  const { parameters } = routes.find(({ method, path: route }) => method === 'POST' && route === '/verify');
  const { size, value } = drawer(below);
  for (let made = 0; made < count; made++) {
    const n = size();
    const queens = Array.from({ length: below(n + 1) }, () => [1 + below(n), 1 + below(n)]);
    const body = below(2) ? { permutation: Array.from({ length: n }, () => 1 + below(n)) } : { n, queens };
    const parameter = parameters[below(parameters.length)];
    const query = parameter.name === 'n' || below(2) ? '' : `?${parameter.name}=${value(parameter, n)}`;
    yield post(`/verify${query}`, body);
  }
}
