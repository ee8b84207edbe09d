// record.js - what a server answers to a great many questions (http/questions.js), a line for each, so that two builds can be compared:
//   node tests/record.js write FILE [FLAG...]      asks the binary that NQUEENSD names, with these flags of `serve`
//   node tests/record.js again OLD FILE [FLAG...]  asks it what OLD has, whatever the route table or the corpus would draw up now
//   node tests/record.js compare OLD NEW [--allow KINDS]
// `compare` prints each kind of difference with its count and three examples, and exits with 1 if there is one that no line of KINDS is.
// A line has method, target, what was sent, status, ETag, media type, hash of some headers, hash of the body, and what a refusal says:
// each parameter with its code and its members. Cursors and names of builds are masked in bodies, since they differ from build to
// build. So do tags: they are compared by which answers share one. A drawn answer has no hash, and is asked for again with a seed.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, start, temporaryFolder } from './http/harness.js';
import { exchange, GUARDED, OPERATOR, replies, SPLIT } from './http/octets.js';
import { atLimits, atRandom, inPairs, ofContract, ofFuzzer, ofModel, ofVerify } from './http/questions.js';

const [SEED, MODEL, RANDOM, PAIRS, VERIFY] = [42, 10000, 40000, 2000, 500];
const CONNECTIONS = 8;
const KEPT = 64 << 10; // bytes of a stream without an end that are compared

const hash = (bytes, digits = 16) => createHash('sha256').update(bytes).digest('hex').slice(0, digits);
const row = (...fields) => fields.join('\t');

// ---- What is written of an answer ----

const HEADERS = ['allow', 'cache-control', 'content-disposition', 'content-encoding', 'content-location', 'link', 'location', 'vary'];
const masked = (text) =>
  text
    .replaceAll(/("next_cursor":"|[?&]cursor=|^id: )[\w-]{20,}/gm, '$1...')
    .replace(/^# nqueensd [\w.+]+:/m, '# nqueensd ...:')
    .replaceAll(/\/jobs\/[0-9a-f]{16}\b/g, '/jobs/...');

// What runs by the clock, by the speed of the machine or by its threads goes from JSON. Of a job its question stays.
function lasting(text) {
  const value = JSON.parse(text);
  if ('shares' in value) return JSON.stringify({ query: value.query });
  if (value.status && ('core_seconds' in value || 'tries' in value)) return text.replaceAll(/\d[\d.e+-]*/g, '0');
  return 'core_seconds' in value ? text.replace(/"core_seconds":[^,]*/, '').replace(/"memory_bytes":.*"threads":\d+/, '') : text;
}

function refusal(text) {
  const { type, title, status, detail, errors = [], ...rest } = JSON.parse(text);
  const members = (all) => `{${Object.keys(all).sort().map((name) => (name === 'with' ? `with=${all.with}` : name)).join(',')}}`;
  const each = errors.map(({ parameter, code, ...more }) => `${parameter}/${code}${members(more)}`);
  return [`${type?.split(':').at(-1)}${members(rest)}`, ...each].join(' ');
}

// The fields of a line after what was asked.
function answer({ status, headers, bytes }) {
  const type = headers['content-type'] ?? '-';
  const isJson = /[/+]json$/.test(type) && bytes.length > 0 && !headers['content-encoding'];
  const drawn = status === 200 && headers['cache-control'] === 'no-store' && 'content-location' in headers;
  const isJob = isJson && 'shares' in JSON.parse(bytes); // done already or not: by the clock
  let body = bytes;
  if (/json|csv|text|yaml/.test(type)) body = masked(bytes.toString());
  if (isJson) body = lasting(body);
  if (/^text\/html/.test(type)) body = ''; // a page is that of the day, and no answer
  const kept = HEADERS.map((name) => (drawn && /^(content-location|link)$/.test(name) ? '' : masked(headers[name] ?? '')));
  const fields = [isJob ? '20x' : status, headers.etag ?? '-', type, hash(kept.join('\n'), 8), drawn ? 'drawn' : bytes.length ? hash(body) : '-'];
  return { drawn, fields: [...fields, /problem/.test(type) && isJson ? refusal(bytes.toString()) : '-'] };
}

// ---- Questions ----

const NEXT = ' -> next';
const askedOf = ({ method, target, headers = {}, body = '' }) => row(method, target, JSON.stringify([headers, body]));
// The question of a line; null if another one led to it.
function questionOf(line) {
  const [method, target, sent] = line.split('\t');
  if (method === 'RAW' || target.endsWith(NEXT)) return null;
  const [headers, body] = JSON.parse(sent);
  return { method, target, headers, body };
}

async function reply(client, method) {
  const head = (await client.head()) ?? { status: 0, headers: {} };
  const pieces = [];
  if (head.status) for await (const piece of client.body(head, method)) pieces.push(piece);
  return { ...head, bytes: Buffer.concat(pieces) };
}

// Asks all, over several connections, and what they lead to: the next page once, and with a seed what was drawn.
async function record(server, questions, lines) {
  const queue = [...new Map(questions.map((question) => [askedOf(question), question])).values()].reverse();
  const one = async () => {
    let client;
    for (let question; (question = queue.pop()); ) {
      const { method, target, headers = {}, body = '', from } = question;
      const fields = { Host: 'localhost', Prefer: 'wait=600', ...headers, ...(body && { 'Content-Length': Buffer.byteLength(body) }) };
      const head = Object.entries(fields).map((pair) => `${pair.join(': ')}\r\n`);
      client ??= await Client.connect(server.port);
      client.send(`${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
      const got = await reply(client, method);
      const { drawn, fields: told } = answer(got);
      lines.add(row(askedOf(from ? { ...question, target: `${from}${NEXT}` } : question), ...told));
      const next = !from && !drawn && got.status === 200 && /json/.test(got.headers['content-type']) && `${got.bytes}`.match(/"next":"([^"]+)"/)?.[1];
      if (next) queue.push({ method, target: next, headers, from: target });
      if (drawn && !target.includes('seed=')) queue.push({ method, target: `${target}${target.includes('?') ? '&' : '?'}seed=7`, headers });
      if (!got.status || got.headers.connection === 'close') client = client.drop();
    }
    client?.drop();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

// ---- The corpus ----

async function recordRaw(servers, names, lines) {
  // A client that closes its side may be taken for one that has left, and is not asked for.
  const queue = ofFuzzer().filter(({ name, bytes }) => bytes.at(-1) !== SPLIT && (!names || names.has(name))).reverse();
  const one = async () => {
    for (let input; (input = queue.pop()); ) {
      const { name, bytes } = input;
      const server = bytes[0] === GUARDED ? servers.guarded : servers.open;
      const prefixed = bytes[0] === GUARDED || bytes[0] === OPERATOR;
      const [got, cut] = await exchange(bytes[0] === OPERATOR ? server.adminPort : server.port, bytes.subarray(prefixed ? 1 : 0));
      const all = [...replies(got)];
      if (bytes[0] === OPERATOR) all.forEach((each) => (each.bytes = Buffer.alloc(0))); // figures of this process
      all.forEach((each, at) => {
        if (cut && at === all.length - 1) each.bytes = each.bytes.subarray(0, KEPT);
        lines.add(row('RAW', `${name} ${at}`, '-', ...answer(each).fields));
      });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

// ---- Writing ----

async function write(file, flags, old) {
  const began = Date.now();
  const lines = new Set();
  const keys = path.join(temporaryFolder(), 'keys');
  writeFileSync(keys, `fuzzer ${hash('sesame', 64)} searches=2 jobs=1 hours=0.001\n`);
  // An estimate depends on the speed of the machine: none is near the limit.
  const settings = ['--max-wait', 600, '--free-seconds', 5, '--request-seconds', 1, '--keep-alive-seconds', 2, '--max-job-hours', 1, '--threads', 2, ...flags];
  const until = { after: () => {} };
  const servers = { open: await start(until, ...settings), guarded: await start(until, ...settings, '--api-keys', keys) };
  const sources = old
    ? { old: () => old.map(questionOf).filter(Boolean) }
    : {
        model: () => ofModel(MODEL),
        contract: ofContract,
        random: () => [...atRandom(SEED, RANDOM)],
        pairs: () => [...inPairs(SEED, PAIRS)],
        limits: () => [...atLimits()],
        verify: () => [...ofVerify(SEED, VERIFY)],
      };
  const took = (name, before) => {
    const more = [...lines].slice(before);
    console.log(`${name}: ${more.length} lines, ${more.filter((line) => line.split('\t')[3] === '200').length} of them 200; ${((Date.now() - began) / 1000).toFixed(1)} s so far`);
  };
  for (const [name, questions] of Object.entries(sources)) {
    const before = lines.size;
    await record(servers.open, await questions(), lines);
    took(name, before);
  }
  const before = lines.size;
  const names = old && new Set(old.filter((line) => line.startsWith('RAW\t')).map((line) => line.split('\t')[1].split(' ')[0]));
  await recordRaw(servers, names, lines);
  took('corpus', before);
  await Promise.all([servers.open.stop(), servers.guarded.stop()]);
  const asked = new Set([...lines].map((line) => line.split('\t', 3).join('\t')));
  if (asked.size < lines.size) throw new Error(`${lines.size} answers to ${asked.size} questions: one is answered in two ways`);
  writeFileSync(file, `${[...lines].sort().join('\n')}\n`);
}

// ---- Comparing ----

const COLUMNS = ['status', 'tag', 'type', 'headers', 'body', 'refusal'];
const read = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const parsed = (line) => {
  const [method, target, sent, ...fields] = line.split('\t');
  const own = Object.fromEntries(COLUMNS.map((name, i) => [name, fields[i]]));
  return [row(method, target, sent), { route: `${method} ${method === 'RAW' ? 'corpus' : target.split(/[? ]/)[0]}`, ...own }];
};
// What a refusal says, {each parameter with its code and members}, and the codes of what one says and another does not.
const said = ({ refusal }) => refusal.match(/[^\s{]+\{[^}]*\}/g) ?? [];
const codes = (one, other) => [...new Set(said(one).filter((each) => !said(other).includes(each)).map((each) => each.split('{')[0].split('/').at(-1)))].sort().join('+') || '-';

// In which way two answers differ; null: in none. tags: [which new tag an old one became, and the other way round].
function kindOf(was, now, tags) {
  if (!was || !now) return `${(was ?? now).route} ${was ? 'gone' : 'new'}`;
  const changed = COLUMNS.filter((name) => name !== 'tag' && was[name] !== now[name]);
  if (changed.includes('status') || changed.includes('refusal')) return `${was.route} ${was.status} ${codes(was, now)} -> ${now.status} ${codes(now, was)}`;
  const [there, back] = tags;
  if (!there.has(was.tag)) there.set(was.tag, now.tag);
  if (!back.has(now.tag)) back.set(now.tag, was.tag);
  if (there.get(was.tag) !== now.tag || (was.tag === '-') !== (now.tag === '-')) changed.push('one tag is several');
  else if (back.get(now.tag) !== was.tag) changed.push('several tags are one');
  return changed.length ? `${was.route} ${was.status} ${was.refusal === '-' ? '' : 'refusal '}${changed.join(', ')}` : null;
}

function compare([one, other, option, list]) {
  const allowed = new Set(option === '--allow' ? read(list).map((line) => line.replace(/\s+#.*/, '')) : []);
  const [before, after] = [one, other].map((file) => new Map(read(file).map(parsed)));
  const [kinds, tags] = [new Map(), [new Map(), new Map()]];
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [was, now] = [before.get(key), after.get(key)];
    const kind = kindOf(was, now, tags);
    if (kind) kinds.set(kind, [...(kinds.get(kind) ?? []), { key, was, now }]);
  }
  const shown = (fields) => (fields ? COLUMNS.map((name) => fields[name]).join(' ') : 'nothing');
  for (const [kind, all] of [...kinds].sort((a, b) => b[1].length - a[1].length)) {
    console.log(`${allowed.has(kind) ? 'allowed' : 'DIFFERS'} ${all.length} ${kind}`);
    for (const { key, was, now } of all.slice(0, 3)) console.log(`    ${key.replaceAll('\t', ' ')}\n      - ${shown(was)}\n      + ${shown(now)}`);
  }
  const wrong = [...kinds.keys()].filter((kind) => !allowed.has(kind)).length;
  console.log(`${before.size} and ${after.size} answers; ${kinds.size} kinds of difference, ${wrong} of them not allowed`);
  process.exitCode = wrong ? 1 : 0;
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'write') await write(rest[0], rest.slice(1));
else if (mode === 'again') await write(rest[1], rest.slice(2), read(rest[0]));
else if (mode === 'compare') compare(rest);
else throw new Error('record.js write FILE [FLAG...] | again OLD FILE [FLAG...] | compare OLD NEW [--allow KINDS]');
