// fuzz.test.js - requests out of requests.js over many connections, several in one breath; every reply must be one, no failure of
// ours, and a problem where it is a refusal. FUZZ_REQUESTS says how many, FUZZ_SEED which.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { slow, start, within } from '../http/harness.js';
import { besieged, long, quiet } from './hostile.js';
import { generator } from './random.js';
import { Replies } from './replies.js';
import { expensive, tame, unknown, wild } from './requests.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (long ? 1000000 : slow ? 4000 : 20000));
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const LANES = 24;
const server = await start(
  { after },
  ...['--threads', 2, '--max-wait', 5, '--request-seconds', 2, '--cache-bytes', '4M', '--kernel', 'auto', '--max-streams', 64],
);

const known = new Set([200, 202, 204, 304, 400, 404, 405, 406, 408, 413, 414, 415, 422, 429, 431, 501, 503]);
// By libmicrohttpd, in HTML, of what never reached the service; of a malformed Content-Length with its head said twice.
const byLibrary = new Set([400, 413, 414, 431, 500, 505]);
const libraryPage = /^(HTTP\/1\.1 400 |<html>)/;

function checkReply(reply, method, wildly) {
  const { status, headers, body } = reply;
  const type = headers['content-type'];
  if (wildly && type === undefined && byLibrary.has(status) && libraryPage.test(body)) return;
  assert.ok(known.has(status), `status ${status}`);
  if (status >= 400) assert.equal(type, 'application/problem+json', `${status} ${body.toString().slice(0, 200)}`);
  if (status === 503 || status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]|$/);
  if (method === 'HEAD' || status === 204 || status === 304) return;
  if (!/^application\/(problem\+)?json/.test(type)) return;
  const json = JSON.parse(body.toString());
  if (status >= 400) assert.equal(json.status, status);
}

// What one connection sends: tame requests in one breath, and most times nothing else; `sure` of them must be answered.
function script(random) {
  const asked = Array.from({ length: 1 + random.below(24) }, () => tame(random));
  const text = asked.map((one) => one.text).join('');
  switch (random.below(40)) {
    case 0:
      return { asked, text: text.slice(0, random.below(text.length)), sure: 0, linger: random.below(20) };
    case 1: {
      let more = wild(random);
      while (more.includes('HEAD ')) more = wild(random); // where a reply to it ends only who asked knows
      return { asked, text: text + more, sure: asked.length, linger: 20 };
    }
    case 2:
      return { asked, text: text + expensive(random), sure: asked.length, linger: 50 };
    default:
      return { asked, text, sure: asked.length, linger: 0 };
  }
}

// Sends it, and takes what comes back. What is still open when all is there that must come is dropped after a while.
function converse(random) {
  const { asked, text, sure, linger } = script(random);
  const replies = new Replies((i) => asked[i]?.method);
  const socket = net.connect({ port: server.port, host: '127.0.0.1', noDelay: true });
  let seen = 0;
  const read = (piece) => {
    for (const reply of replies.take(piece)) {
      checkReply(reply, asked[seen]?.method, seen >= sure);
      seen++;
      if (reply.closes) return true; // nobody heeds what comes after
    }
    return seen >= sure && !linger;
  };
  const talk = new Promise((resolve, reject) => {
    // Who closes, on a NUL or an unknown method, has not read what comes after: the reset may overtake replies.
    const overtaken = asked.some(({ method, target }) => target.includes('%00') || unknown.includes(method));
    const enough = () =>
      seen >= sure || overtaken ? resolve() : reject(new Error(`closed after ${seen} of ${sure} replies`));
    socket.on('connect', () => socket.write(Buffer.from(text, 'latin1')));
    socket.on('error', enough).on('close', enough);
    socket.on('data', (piece) => {
      try {
        if (read(piece)) resolve();
        else if (seen >= sure) setTimeout(resolve, linger);
      } catch (error) {
        reject(error);
      }
    });
    if (!sure) setTimeout(resolve, linger);
  });
  return within(talk, 'reply', 60)
    .catch((error) => assert.fail(`${error.message}\nseed ${SEED}, at ${JSON.stringify(asked[seen] ?? text.slice(-2000))}`))
    .finally(() => (random.chance(0.5) ? socket.resetAndDestroy() : socket.destroy()))
    .then(() => asked.length);
}

test(`${REQUESTS} requests, most of them wrong`, async (t) => {
  const begin = Date.now();
  let [made, batch] = [0, 0];
  const lane = async () => {
    while (made < REQUESTS) {
      const count = await converse(generator(SEED * 1000003 + batch++));
      made += count;
    }
  };
  await besieged(t, server, () => Promise.all(Array.from({ length: LANES }, lane)));
  t.diagnostic(`${made} requests, ${Math.round(made / ((Date.now() - begin) / 1000))} a second, ${server.resident().toFixed(1)} MB`);
  await quiet(server);
  assert.equal((await server.getJson('/count?n=8')).count, 92);
  const failures = await server.metrics();
  assert.ok(!failures.some(({ name, labels }) => name === 'nq_http_requests_total' && labels.code === '500'));
});
