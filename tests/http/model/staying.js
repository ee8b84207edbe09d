// staying.js - acts whose effect stays: jobs, clients that wait or listen or read on, and the end of the process. Of lists it knows
// only that streams have them.
import assert from 'node:assert/strict';
import { Act, isCount, isOneOf, PATIENT } from './act.js';
import { countOf, countPath, endless, spell, words } from './model.js';
import { soon } from './session.js';

const ASYNC = { Prefer: 'respond-async' };

// ---- Jobs ----

// A count that no test sees the end of, or one that is there in no time: { name, params, isEndless, result }.
function subject({ which, query }) {
  const params = which === undefined ? words(query) : endless(which);
  return { name: spell('/count', params), params, isEndless: which !== undefined, result: () => countOf(query) };
}

// Waits for a job that has just begun unless it has no end.
async function settle(model, session, job, result) {
  if (job.endless || job.state !== 'active') return;
  let told;
  await soon(async () => (told = (await session.ask('GET', `/jobs/${job.id}`)).json).state === 'done', 'the job is done');
  model.done(job);
  model.isTold(job, told);
  isCount(told.result, result());
}

// A reply to who began a job, or was told of one.
async function isBegun(model, session, { name, isEndless, result }, reply, own, wait = true) {
  const before = model.jobs.get(name)?.state;
  const full = model.held.length >= model.limits.searches;
  const job = full ? null : model.share(name, isEndless, own);
  if (!job) {
    if (!full) model.drops(name); // it had begun
    assert.equal(isOneOf(model, reply, [full ? 429 : 503]), false);
    return;
  }
  if (before === 'done' && model.cached.get(name) !== 'yes') model.drops(name); // the result was there
  if (!own && reply.status === 200) {
    assert.ok(!isEndless, 'it cannot be there');
    isCount(reply.json, result()); // there is a job, whose id is not told
    if (job.state === 'active') model.done(job);
  } else {
    assert.ok([200, 202].includes(reply.status), `${reply.status}: ${reply.text}`);
    const quick = !isEndless && job.state === 'active' && reply.json.state === 'done';
    if (quick) model.done(job);
    model.isTold(job, reply.json);
    assert.equal(reply.headers.location, reply.json.self);
    assert.equal(reply.status, job.state === 'done' ? 200 : 202);
  }
  if (wait) await settle(model, session, job, result);
}

// A job that is just being given up may refuse to begin again for a moment.
async function begin(model, session, about) {
  const value = { kind: 'count', ...about.params };
  let reply = await session.post('/jobs', value);
  const isLanding = model.jobs.get(about.name)?.landing && reply.status === 503 && model.active().length < model.limits.jobs;
  if (isLanding) await soon(async () => (reply = await session.post('/jobs', value)).status !== 503, 'it can begin again');
  return reply;
}

export class Begin extends Act {
  async act(model, session, given) {
    const about = subject(given);
    await isBegun(model, session, about, await begin(model, session, about), true);
  }
}

// Asks for a count without waiting for it.
export class AskAsync extends Act {
  async act(model, session, given) {
    const about = subject(given);
    const allowed = model.admits(about.name);
    const reply = await session.ask('GET', countPath(about.params), ASYNC);
    const hit = model.cached.get(about.name);
    if (hit === 'yes' || (hit === 'maybe' && reply.status === 200 && allowed.includes(200) && isHit(reply))) {
      isOneOf(model, reply, [200]);
      isCount(reply.json, about.result());
    } else {
      await isBegun(model, session, about, reply, false);
    }
  }
}
const isHit = (reply) => /cache;desc=hit/.test(reply.headers['server-timing']);

// Asks for what has no end, and waits for it a little.
export class Impatient extends Act {
  async act(model, session, given) {
    const about = subject(given);
    const reply = await session.ask('GET', countPath(about.params), { Prefer: 'wait=1' });
    await isBegun(model, session, about, reply, false);
  }
}

export class Look extends Act {
  check = (model) => model.ids.size > 0;
  async act(model, session, which) {
    const [name, id] = [...model.ids][which % model.ids.size];
    const job = model.jobs.get(name);
    const reply = await session.ask('GET', `/jobs/${id}`);
    if (!job) return reply.isProblem(404);
    assert.equal(reply.status, 200);
    model.isTold(job, reply.json);
  }
}

export class Cancel extends Act {
  check = (model) => model.ids.size > 0;
  async act(model, session, which) {
    const [name, id] = [...model.ids][which % model.ids.size];
    await giveUp(model, session, name, id);
  }
}

async function giveUp(model, session, name, id) {
  const job = model.jobs.get(name);
  const reply = await session.ask('DELETE', `/jobs/${id}`);
  if (!job) return reply.isProblem(404);
  assert.equal(reply.status, 200);
  if (!job.endless && job.state === 'active' && reply.json.state === 'done') model.done(job);
  const ended = model.give(job);
  model.isTold(job, reply.json);
  if (ended) await hearEnd(model, session, name);
}

// Fails unless all who listen to a job hear that it was given up.
async function hearEnd(model, session, name) {
  for (const one of model.ofKind('listen').filter((other) => other.name === name)) {
    let last;
    for await (const piece of one.body) last = `${piece}`;
    assert.match(last, /event: done\n/);
    assert.match(last, /"state":"cancelled"/);
    await session.closed(one);
    model.held = model.held.filter((other) => other !== one);
  }
}

// Several who want a job at once, or give it up at once: none is forgotten.
export class Throng extends Act {
  check = (model) => model.limits.searches >= 1000;
  async act(model, session, { which, size, giving }) {
    const { name, params } = subject({ which });
    const body = giving ? undefined : JSON.stringify({ kind: 'count', ...params });
    const target = giving ? `/jobs/${model.ids.get(name)}` : '/jobs';
    const replies = await session.all(size, target, {}, giving ? 'DELETE' : 'POST', body);
    let [job, ended] = [model.jobs.get(name), false];
    const missing = giving && !job;
    for (const reply of replies) {
      if (giving && job) ended = model.give(job) || ended;
      if (!giving && !(job = model.share(name, true, true))) model.drops(name);
      assert.equal(reply.status, missing ? 404 : !job ? 503 : giving ? 200 : 202, reply.text);
      if (job) job.id ??= reply.json.id;
    }
    if (ended) await hearEnd(model, session, name);
    if (job) model.isTold(job, (await session.ask('GET', `/jobs/${job.id}`)).json);
  }
}

// Gives a job up that may be done by then, and wants it again.
export class ChangeMind extends Act {
  async act(model, session, { query }) {
    const about = subject({ query });
    await isBegun(model, session, about, await begin(model, session, about), true, false);
    const job = model.jobs.get(about.name);
    if (!job?.id) return;
    if (job.state === 'active' || job.shares) await giveUp(model, session, about.name, job.id);
    if (job.state === 'cancelled') {
      job.landing = true;
      model.cached.set(about.name, 'maybe');
    }
    await settle(model, session, job, about.result);
  }
}

// ---- Clients that stay for a while ----

// What is refused, as the model said it would be; false otherwise.
async function isRefused(model, session, one, status) {
  if (status === 200) return false;
  const reply = await one.client.reply();
  await session.closed(one);
  isOneOf(model, reply, [status]);
  return true;
}

export class Wait extends Act {
  async act(model, session, which) {
    const misses = await session.figure('cache_misses_total');
    const params = endless(which);
    const one = { kind: 'wait', name: spell('/count', params), ...(await session.open(countPath(params), PATIENT)) };
    if (await isRefused(model, session, one, model.admits(null)[0])) return;
    await soon(async () => session.isLogged(one.id) || (await session.figure('cache_misses_total')) > misses, 'it waits');
    assert.ok(!session.isLogged(one.id), 'it was answered at once');
    model.held.push(one);
  }
}

export class OpenStream extends Act {
  async act(model, session, n) {
    const status = model.admitsHeld('stream');
    const one = { kind: 'stream', n, ...(await session.open(`/solve?n=${n}&format=ndjson`)) };
    if (status === 503) model.counters.refusedStreams++;
    if (await isRefused(model, session, one, status)) return;
    const head = await one.client.head();
    assert.equal(head?.status, 200);
    model.counters.streams++;
    model.held.push(Object.assign(one, { body: one.client.body(head, 'GET'), rest: '', last: [] }));
  }
}

const attacks = (columns) => columns.some((a, i) => columns.some((b, j) => j < i && (a === b || Math.abs(a - b) === i - j)));
const precedes = (a, b) => {
  const at = b.findIndex((column, i) => column !== a[i]);
  return at >= 0 && (a[at] ?? -1) < b[at];
};

// Some more of a stream: solutions, each after the one before.
export class ReadOn extends Act {
  check = (model) => model.ofKind('stream').length > 0;
  async act(model, session, which) {
    const streams = model.ofKind('stream');
    const one = streams[which % streams.length];
    const { value, done } = await one.body.next();
    assert.ok(!done, 'it was cut');
    const lines = (one.rest + value).split('\n');
    one.rest = lines.pop();
    session.lines.push(`# ${lines.length} lines of ${one.id}`);
    for (const line of lines.slice(0, 50)) {
      const { permutation } = JSON.parse(line);
      assert.ok(permutation.length === one.n && !attacks(permutation), `no solution: ${line}`);
      assert.ok(precedes(one.last, permutation), `${line} after ${one.last}`);
      one.last = permutation;
    }
    if (lines.length) one.last = JSON.parse(lines.at(-1)).permutation;
  }
}

export class Listen extends Act {
  check = (model) => model.known().length > 0;
  async act(model, session, which) {
    const jobs = model.known();
    const job = jobs[which % jobs.length];
    const status = model.admitsHeld('listen');
    const one = { kind: 'listen', name: job.name, ...(await session.open(`/jobs/${job.id}/events`)) };
    if (await isRefused(model, session, one, status)) return;
    const head = await one.client.head();
    assert.equal(head?.status, 200);
    one.body = one.client.body(head, 'GET');
    if (job.state === 'active') return void model.held.push(one);
    let all = '';
    for await (const piece of one.body) all += piece;
    assert.match(all, /^id: end\nevent: done\ndata: .*\n\n$/);
    model.isTold(job, JSON.parse(all.match(/^data: (.*)$/m)[1]));
    await session.closed(one);
  }
}

export class Leave extends Act {
  check = (model) => model.held.length > 0;
  async act(model, session, which) {
    await leave(model, session, model.held[which % model.held.length]);
  }
}

async function leave(model, session, one) {
  await session.leave(one);
  model.held = model.held.filter((other) => other !== one);
  if (one.kind === 'wait') model.drops(one.name);
}

// ---- The end of a process ----

// Fails unless who was there when the process ended can tell that it got no answer.
async function isCut({ kind, client, body }, signal) {
  if (kind === 'wait') {
    const reply = await client.reply();
    assert.ok(reply === null || (signal === 'TERM' && reply.isProblem(503) === undefined), 'it was answered');
  } else {
    let step;
    while (!(step = await body.next()).done);
    assert.equal(step.value, false, 'it looks whole');
  }
  client.drop();
}

export class Restart extends Act {
  async act(model, session, signal) {
    const going = model.active().length;
    await session.restart(signal);
    for (const one of model.held) await isCut(one, signal);
    model.restart();
    if (model.limits.store === 'memory') return;
    const resumed = await session.figure('jobs_resumed_total');
    const mayBe = [...model.jobs.values()].filter((job) => job.state === 'done').length;
    assert.ok(resumed >= going && resumed <= going + (signal === 'KILL' ? mayBe : 0), `${resumed} jobs were taken up, of ${going}`);
    // A kill may have come before it was written down what was done.
    await soon(async () => (await session.figure('jobs_active')) === going, 'what was done is done again');
    for (const job of model.jobs.values()) {
      job.units = 0;
      if (!job.endless) model.cached.set(job.name, 'maybe');
    }
    model.counters.done = await session.figure('jobs_done_total');
    assert.equal(model.counters.done, resumed - going);
  }
}

// Whoever is there leaves, and every job is given up.
export async function giveAllUp(model, session) {
  while (model.held.length) await leave(model, session, model.held[0]);
  for (const job of model.active()) while (job.state === 'active') await giveUp(model, session, job.name, job.id);
  await session.holds(model);
  await session.rests();
}
