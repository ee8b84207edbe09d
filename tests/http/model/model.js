// model.js - what a server must answer and hold, after whatever it was asked before. It learns nothing from the server but ids,
// tags and cursors, which only have to stay what they are; it knows no sockets.
import assert from 'node:assert/strict';
import { count, list, solutionsBy } from '../reference.js';

export const LARGEST = 8; // boards above it are asked for only where nobody waits for the end
const boards = new Map();
const lists = new Map();
const kept = (map, name, make) => (map.has(name) ? map : map.set(name, make())).get(name);
const boardOf = ({ n, rules }) => kept(boards, `${rules} ${n}`, () => solutionsBy(rules, n));

// A query is { n, base, place, exclude, distinct, symmetry, rules }, squares as [row, column], 0-based.
export const listName = ({ n, place, exclude, distinct, symmetry, rules }) => JSON.stringify([n, place, exclude, distinct, symmetry, rules]);
export const listOf = (query) => kept(lists, listName(query), () => list(boardOf(query), query.n, query));

export const WHOLE = { place: [], exclude: [], distinct: 'all', symmetry: 'any', rules: 'queens' };
const DEFAULTS = { base: 1, distinct: 'all', symmetry: 'any', rules: 'queens', board: 'none', limit: 100, by: 'none' };
const TAKEN = { '/solve': ['distinct', 'symmetry', 'rules', 'base', 'board'], '/count': ['distinct', 'symmetry', 'rules', 'base', 'by'] };

// The parameters of a query, defaults left out.
export function words({ n, base, place, exclude, distinct, symmetry, rules }, more = {}) {
  const squares = (all) => all.map(([row, column]) => `${row + base}:${column + base}`).join(',');
  const given = { n, distinct, symmetry, rules, place: squares(place), exclude: squares(exclude), base, ...more };
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== '' && value !== undefined && value !== DEFAULTS[name]));
}

// One of the ways to spell a question that mean the same.
export const SPELLINGS = 5;
export function spell(path, params, how = 0) {
  let pairs = Object.entries(params);
  const reversed = (name, value) => (['place', 'exclude'].includes(name) ? `${value}`.split(',').reverse().join(',') : value);
  if (how === 1) pairs.reverse();
  if (how === 2) pairs.push(...(TAKEN[path] ?? []).filter((name) => !(name in params)).map((name) => [name, DEFAULTS[name]]));
  if (how === 3) pairs = pairs.map(([name, value]) => [name, `${value}`.replace(/^[0-9]/, (digit) => `%3${digit}`)]);
  if (how === 4) pairs = pairs.map(([name, value]) => [name, reversed(name, value)]);
  return `${path}?${pairs.map((pair) => pair.join('=')).join('&')}`;
}

// The header fields that belong to an answer; and those of them that a 304 tells.
export const KEPT = ['cache-control', 'etag', 'vary'];
export const lasting = (headers, names = ['content-type', 'link', ...KEPT]) => Object.fromEntries(names.map((name) => [name, headers[name]]));

const text = (name, number) => ({ [name]: number, [`${name}_text`]: number === null ? null : `${number}` });
export const ruled = ({ rules }) => (rules === 'queens' ? {} : { rules });
const named = ({ distinct, symmetry, rules }) => ({ ...(distinct !== 'all' && { distinct }), ...(symmetry !== 'any' && { symmetry }), ...ruled({ rules }) });

// `size` solutions of a list from a place on, whose rank may be unknown, as they are told.
export function told(query, at, size, { rank = false, known = true } = {}) {
  return listOf(query)
    .slice(at, at + size)
    .map((columns, i) => ({
      permutation: columns.map((column) => column + query.base),
      ...(rank && text('rank', known ? at + i : null)),
    }));
}

// The page of a list; without next, which is the server's own.
export function pageOf(query, at, limit, { rank = false, known = true } = {}) {
  const all = listOf(query);
  const shown = told(query, at, limit, { rank, known });
  return {
    n: query.n,
    base: query.base,
    order: 'lexicographic',
    ...named(query),
    ...text('offset', known ? at : null),
    limit,
    ...text('total', all.length),
    solutions: shown,
    returned: shown.length,
    complete: true,
  };
}

export function countOf(query, by = 'none') {
  const found = count(boardOf(query), query.n, query);
  return {
    n: query.n,
    base: query.base,
    ...named(query),
    ...text('count', found.count),
    provenance: 'computed',
    ...(by === 'square' && { squares: found.squares }),
  };
}

// Counts of which no test sees the end, and of one that is there in no time, by an index or a query.
export const ENDLESS = 3;
export const endless = (which) => ({ n: 18, exclude: `1:${which + 1}` });
export const countPath = (params) => spell('/count', { ...params, method: 'compute' });

// What one server, with its limits and its store, has promised and holds.
export class Model {
  cached = new Map(); // name of a question -> 'yes' or 'maybe'
  answers = new Map(); // name of a question -> { path, params, fields, text }: the same for ever
  tags = new Map(); // etag -> name: no two questions with different bodies have one
  cursors = []; // { query, at, known, token }: where lists can go on, for ever
  tokens = new Map(); // place in a list -> token
  ids = new Map(); // name of a count -> id of its job, for ever
  jobs = new Map(); // name of a count -> { name, id, path, endless, state, shares }
  held = []; // clients that wait, read a stream or listen: { kind: 'wait' | 'stream' | 'listen', name, ... }
  counters = null; // what this process has counted

  queries = []; // that were asked about

  constructor(limits) {
    this.limits = limits; // { store, jobs, searches, streams }
    this.begin();
  }
  begin() {
    this.counters = { begun: 0, cancelled: 0, done: 0, refusedJobs: 0, streams: 0, refusedStreams: 0, refusedClients: 0 };
    this.cached.clear();
    this.held = [];
    this.stopping = 0; // searches that nobody wants any more and that may not have noticed
  }
  // What is left when the process has ended and the next one has begun.
  restart() {
    this.begin();
    if (this.limits.store === 'memory') this.jobs.clear();
  }

  // What an act is given: its query, where it says so, is one that was asked about before, in another base perhaps.
  chosen(given) {
    if (given?.query === undefined) return given;
    const { again, ...query } = given.query;
    if (again !== undefined && this.queries.length) {
      const old = this.queries[again % this.queries.length];
      return { ...given, query: { ...old, base: query.base } };
    }
    this.queries.push(query);
    return { ...given, query };
  }

  // ---- Limits ----

  // What becomes of a question: 200, or a refusal because its client has too much under way; or both may be.
  admits(name) {
    const full = this.held.length >= this.limits.searches;
    const known = name && this.cached.get(name);
    if (known === 'yes' || !full) return [200];
    return known === 'maybe' ? [200, 429] : [429];
  }
  refuse(status) {
    if (status === 429) this.counters.refusedClients++;
  }
  ofKind = (kind) => this.held.filter((one) => one.kind === kind);

  // What becomes of a stream (or of listening to a job).
  admitsHeld(kind) {
    if (this.held.length >= this.limits.searches) return 429;
    return this.ofKind(kind).length >= this.limits.streams ? 503 : 200;
  }

  // ---- Answers ----

  // A complete answer that came: the same as ever, and with a tag of its own.
  answered(name, path, params, reply) {
    const fields = lasting(reply.headers);
    const before = this.answers.get(name);
    if (before) assert.deepEqual([fields, reply.text], [before.fields, before.text], `${name} is answered otherwise than before`);
    assert.ok(fields.etag, 'a complete answer has a tag');
    const other = this.answers.get(this.tags.get(fields.etag));
    if (other) assert.equal(reply.text, other.text, `${name} and ${this.tags.get(fields.etag)} have one tag`);
    else this.tags.set(fields.etag, name);
    this.answers.set(name, { path, params, fields, text: reply.text });
    if (!('format' in params)) this.cached.set(name, 'yes');
  }
  // A page that leads on: the place it leads to has one token, however one came there.
  leads(query, at, known, token) {
    const place = JSON.stringify([listName(query), at, known]);
    assert.equal(token, this.tokens.get(place) ?? token, `another cursor for ${place}`);
    if (!this.tokens.has(place)) this.cursors.push({ query, at, known, token });
    this.tokens.set(place, token);
  }

  // ---- Jobs ----

  active = () => [...this.jobs.values()].filter(({ state }) => state === 'active');
  known = () => [...this.jobs.values()].filter(({ id }) => id);
  over = () => [...this.jobs.values()].filter(({ state }) => state !== 'active');
  // The searches that must be under way.
  searches = () => new Set([...this.active(), ...this.ofKind('wait')].map(({ name }) => name));

  // A share in a job is asked for: the job, or null when there is no room.
  share(name, isEndless) {
    let job = this.jobs.get(name);
    const start = !job || job.state === 'cancelled';
    if (start && this.active().length >= this.limits.jobs) {
      this.counters.refusedJobs++;
      return null;
    }
    if (start) {
      job = { name, endless: isEndless, state: 'active', shares: 0, id: this.ids.get(name), units: 0 };
      this.jobs.set(name, job);
      this.counters.begun++;
    }
    job.shares = 1; // all who ask here are one client
    return job;
  }
  done(job) {
    job.state = 'done';
    this.counters.done++;
    this.cached.set(job.name, 'yes');
  }
  // One share is given back; whether the job ended by it.
  give(job) {
    if (job.shares) job.shares--;
    if (job.shares || job.state !== 'active') return false;
    job.state = 'cancelled';
    this.counters.cancelled++;
    this.drops(job.name);
    return true;
  }
  // One who wanted a search does so no more: if it was the last one the search ends, soon or sooner still.
  drops(name) {
    if (!this.searches().has(name)) this.stopping++;
    if (this.cached.get(name) !== 'yes') this.cached.set(name, 'maybe');
  }
  // Fails unless a job is told of as it is.
  isTold(job, told) {
    job.id ??= this.ids.get(job.name) ?? told.id;
    this.ids.set(job.name, job.id);
    assert.deepEqual(
      { id: told.id, self: told.self, shares: told.shares },
      { id: job.id, self: `/jobs/${job.id}`, shares: job.shares },
      JSON.stringify(told),
    );
    const states = { active: ['queued', 'running'], done: ['done'], cancelled: ['cancelled'] }[job.state];
    assert.ok(states.includes(told.state), `${told.state}, not ${states.join(' or ')}`);
    assert.equal(told.finished === null, job.state === 'active');
    assert.equal('result' in told, job.state === 'done');
    if (job.state !== 'active') return;
    assert.ok(told.units.done >= job.units && told.progress <= 1, 'it goes forward');
    job.units = told.units.done;
  }
}
