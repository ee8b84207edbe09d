// asking.js - acts that ask: for lists in any pieces, for counts, for what was asked before, and for what means nothing. Of jobs it
// knows nothing.
import assert from 'node:assert/strict';
import { Act, isCount, isOneOf, PATIENT, question } from './act.js';
import { countOf, KEPT, lasting, listName, listOf, pageOf, ruled, spell, told, WHOLE, words } from './model.js';

// ---- Lists ----

// Fails unless a page is the one that the model says; returns the place of the next one in cursors, or null.
function isPage(model, json, query, at, limit, options) {
  const { next, next_cursor: token, completion, note, ...page } = json;
  assert.deepEqual(page, pageOf(query, at, limit, options));
  const { completable, count } = completion ?? {};
  const all = listOf(query).length;
  assert.ok(!note || all === 0, note);
  assert.deepEqual([completable, count], query.place.length + query.exclude.length ? [all > 0, all] : [undefined, undefined]);
  const end = at + page.returned;
  const over = end >= listOf(query).length;
  const sees = options.known || page.returned < limit; // that it is over
  assert.ok(token === null ? over : !over || !sees, `${next} leads on`);
  assert.equal(next === null, token === null);
  if (token === null) return null;
  assert.ok(next.startsWith('/solve?') && next.endsWith(`cursor=${token}`), next);
  model.leads(query, end, options.known, token);
  return next;
}

export class List extends Act {
  async act(model, session, { query, limit, rank, where, how }) {
    const all = listOf(query);
    const after = where.after !== undefined && query.n && all.length ? where.after % all.length : undefined;
    const at = after !== undefined ? after + 1 : (where.offset ?? 0);
    const options = { rank, known: after === undefined || rank };
    const params = words(query, { limit, ...(rank && { rank }), ...(where.offset && { offset: where.offset }) });
    if (after !== undefined) params.after = all[after].map((column) => column + query.base).join(',');
    const json = await question(model, session, '/solve', params, how);
    if (json) isPage(model, json, query, at, limit, options);
    model.cached.set(spell('/count', words(query)), 'maybe'); // its total
  }
}

// Takes up a list at any place that a page led to, with another limit, however long ago that was.
export class GoOn extends Act {
  check = (model) => model.cursors.length > 0;
  async act(model, session, { which, limit, rank, base, how }) {
    const { query, at, known, token } = model.cursors[which % model.cursors.length];
    const own = { ...query, base };
    const json = await question(model, session, '/solve', { ...words(own, { limit, ...(rank && { rank }) }), cursor: token }, how);
    if (json) isPage(model, json, own, at, limit, { rank, known });
  }
}

// From the first page to the last, by the links, with a limit of its own for each.
export class Walk extends Act {
  async act(model, session, { query, limits }) {
    let [at, cursor, turn] = [0, undefined, 0];
    do {
      const limit = limits[turn++ % limits.length];
      const json = await question(model, session, '/solve', words(query, { limit, cursor }));
      if (!json) return;
      isPage(model, json, query, at, limit, { known: true });
      at += json.returned;
      cursor = json.next_cursor;
    } while (cursor);
    assert.equal(at, listOf(query).length);
  }
}

export class Sample extends Act {
  async act(model, session, { query, sample, seed }) {
    const all = listOf(query);
    const params = words(query, { sample, seed, rank: true });
    const json = await question(model, session, '/solve', params);
    if (!json) return;
    const drawn = all.length ? sample : 0;
    assert.deepEqual([json.order, json.sample, json.seed, json.total, json.returned], ['random', sample, seed, all.length, drawn]);
    for (const one of json.solutions) assert.deepEqual([one], told(query, one.rank, 1, { rank: true }));
  }
}

export class WrongCursor extends Act {
  check = (model) => model.cursors.length > 0;
  async act(model, session, { which, query, letter }) {
    const { query: own, token } = model.cursors[which % model.cursors.length];
    const other = listName(query) !== listName(own) && JSON.stringify(listOf(query)) !== JSON.stringify(listOf(own));
    const at = letter % token.length;
    const altered = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    const params = other ? words(query, { cursor: token }) : words(own, { cursor: altered });
    (await session.ask('GET', spell('/solve', params))).isProblem(400, 'cursor');
  }
}

// Reads a stream to its end; null when it is refused.
async function stream(model, session, params, how = 0) {
  const allowed = model.admitsHeld('stream');
  const reply = await session.ask('GET', spell('/solve', params, how), PATIENT);
  if (allowed === 503) model.counters.refusedStreams++;
  if (!isOneOf(model, reply, [allowed])) return null;
  model.counters.streams++;
  model.answered(spell('/solve', params), '/solve', params, reply);
  return reply;
}

export class Stream extends Act {
  async act(model, session, { query, limit, form, offset }) {
    const reply = await stream(model, session, words(query, { limit, offset: offset || undefined, format: form }));
    if (!reply) return;
    const shown = told(query, offset, limit ?? Infinity);
    if (form === 'csv') {
      const lines = shown.map(({ permutation }, i) => [offset + i, ...permutation].join(','));
      assert.deepEqual(reply.text.split('\r\n').slice(1, -1), lines);
      return;
    }
    const { next, ...end } = reply.lines.at(-1);
    assert.deepEqual(reply.lines.slice(0, -1), shown);
    assert.deepEqual(end, { end: true, n: query.n, base: query.base, ...ruled(query), returned: shown.length });
    const more = offset + shown.length < listOf(query).length;
    const mayBe = shown.length === limit && listName(query) !== listName({ n: query.n, ...WHOLE }); // it has no total
    assert.ok(next ? more || mayBe : !more, `${next} leads on`);
    if (next) model.leads(query, offset + shown.length, true, next.match(/cursor=(.*)$/)[1]);
  }
}

// ---- Counts, and the same again ----

export class Count extends Act {
  async act(model, session, { query, by, how }) {
    if (by === 'square' && query.distinct !== 'all') by = 'none';
    const json = await question(model, session, '/count', words(query, { by }), how);
    if (json) isCount(json, countOf(query, by));
  }
}

// What was ever answered, asked again and spelled in another way: the same.
export class Again extends Act {
  check = (model) => model.answers.size > 0;
  async act(model, session, { which, how }) {
    const [name, { path, params }] = [...model.answers][which % model.answers.size];
    if ('format' in params) return void (await stream(model, session, params, how));
    const known = model.cached.get(name) === 'yes';
    const started = await session.figure('searches_started_total');
    await question(model, session, path, params, how);
    if (known) assert.equal(await session.figure('searches_started_total'), started, 'it was at hand');
  }
}

// What was ever answered, asked with HEAD or by who has it already: nothing is searched, and what is told is what was.
export class Glance extends Act {
  check = (model) => model.answers.size > 0;
  async act(model, session, { which, how, tagged, head }) {
    const [name, { path, params, fields, text }] = [...model.answers][which % model.answers.size];
    const headers = { ...PATIENT, ...(tagged && { 'If-None-Match': `"x", ${fields.etag}` }) };
    const started = await session.figure('searches_started_total');
    const reply = await session.ask(head ? 'HEAD' : 'GET', spell(path, params, how), headers);
    assert.equal(await session.figure('searches_started_total'), started, 'it searches');
    assert.deepEqual([reply.status, reply.text], [tagged ? 304 : 200, '']);
    const known = 'format' in params ? 'stream' : model.cached.get(name);
    if (known === 'yes') assert.equal(Number(reply.headers['content-length']), Buffer.byteLength(text));
    if (tagged) assert.deepEqual(lasting(reply.headers, KEPT), lasting(fields, KEPT));
    else if (known === 'yes') assert.deepEqual(lasting(reply.headers), fields);
    else if (known === 'stream') assert.deepEqual({ ...lasting(reply.headers), link: fields.link }, fields);
    else if (known !== 'maybe') assert.deepEqual([reply.headers.etag, reply.headers['cache-control']], [undefined, 'no-store']);
  }
}

// Several clients with one question at once: one search at most for each of its parts, one answer.
export class Crowd extends Act {
  async act(model, session, { query, size }) {
    const params = words(query, { by: query.distinct === 'all' ? 'square' : 'none' });
    const name = spell('/count', params);
    const full = model.held.length + size > model.limits.searches;
    const allowed = [...new Set([...model.admits(name), ...(full && model.cached.get(name) !== 'yes' ? [429] : [])])];
    const before = await session.figure('searches_started_total');
    for (const reply of await session.all(size, spell('/count', params), PATIENT))
      if (isOneOf(model, reply, allowed)) {
        isCount(reply.json, countOf(query, params.by));
        model.answered(name, '/count', params, reply);
      }
    assert.ok((await session.figure('searches_started_total')) - before <= 1, 'one search at most');
  }
}

// ---- Requests that mean nothing ----

export const INVALID = [
  ['GET', '/solve', 400],
  ['GET', '/solve?n=8.0', 400],
  ['GET', '/solve?n=8&n=8', 400],
  ['GET', '/solve?n=8&limit=0', 400],
  ['GET', '/solve?n=8&limit=10001', 422],
  ['GET', '/solve?n=1001', 422],
  ['GET', '/solve?n=8&cursor=x', 400],
  ['GET', '/solve?n=8&offset=1&after=1,5,8,6,3,7,2,4', 400],
  ['GET', '/solve?n=8&after=1,2,3,4,5,6,7,8', 400],
  ['GET', '/solve?n=8&place=0:0', 400],
  ['GET', '/solve?n=8&colour=red', 400],
  ['GET', '/count?n=8&distinct=mirror&by=square', 400],
  ['GET', '/count?n=33&method=compute', 422],
  ['GET', '/count?n=8&format=xml', 400],
  ['GET', '/nothing', 404],
  ['GET', '/jobs', 405],
  ['PUT', '/solve?n=8', 405],
  ['GET', '/jobs/0123456789abcdef', 404],
  ['DELETE', '/jobs/0123456789abcdef', 404],
  ['GET', '/jobs/0123456789abcdef/events', 404],
  ['GET', '/jobs/0123456789abcdef/units', 404],
  ['GET', '/solve?n=8', 406, { Accept: 'text/html' }],
  ['POST', '/jobs', 400, {}, '{"kind":"count","n":8'],
  ['POST', '/jobs', 400, {}, '{"kind":"count","n":8,"n":8}'],
  ['POST', '/jobs', 400, {}, '{"kind":"solve","n":18}'],
  ['POST', '/jobs', 422, {}, '{"kind":"count","n":33}'],
  ['POST', '/jobs', 415, { 'Content-Type': 'text/plain' }, '{"kind":"count","n":18}'],
];
const UNTOUCHED = /^nq_(cache|jobs|streams|searches_(started|cancelled)|clients|store_(broken|lost))/;

export class Invalid extends Act {
  async act(model, session, which) {
    const [method, target, status, headers, body] = INVALID[which];
    const before = await session.figures();
    const reply = await session.ask(method, target, headers, body);
    assert.equal(reply.status, status, reply.text);
    const after = await session.figures();
    for (const [name, value] of after) if (UNTOUCHED.test(name)) assert.equal(value, before.get(name), name);
  }
}
