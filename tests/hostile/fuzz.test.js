// fuzz.test.js - requests out of requests.js over many connections, several in one breath; every reply must be one, no failure of
// ours, and a problem where it is a refusal. FUZZ_REQUESTS says how many, FUZZ_SEED which.
import { gunzipSync } from 'node:zlib';
import { after, assert, sleep, slow, start, test } from '../http/harness.js';
import { besieged, long, quiet } from './hostile.js';
import { generator } from './random.js';
import { expensive, tame, unknown, wild } from './requests.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (long ? 1000000 : slow ? 4000 : 5000));
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const LANES = 24;
const server = await start(
  { after },
  ...['--threads', 2, '--max-wait', 5, '--request-seconds', 2, '--cache-bytes', '4M', '--kernel', 'auto', '--max-streams', 64],
);

const known = new Set([200, 202, 204, 304, 400, 404, 405, 406, 408, 413, 414, 415, 422, 429, 431, 501, 503]);

function checkReply({ status, headers }, body, method) {
  const type = headers['content-type'];
  assert.ok(known.has(status), `status ${status}`);
  if (status >= 400) assert.equal(type, 'application/problem+json', `${status} ${body.toString().slice(0, 200)}`);
  if (status === 503 || status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]|$/);
  if (method === 'HEAD' || status === 204 || status === 304) return;
  if (!/^application\/(problem\+)?json/.test(type)) return;
  const json = JSON.parse(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body.toString());
  if (status >= 400) assert.equal(json.status, status);
}

// What one connection sends: tame requests in one breath, and most times nothing else; `sure` of them must be answered. What comes
// back for the rest is for tests/fuzz to judge.
function script(random) {
  const asked = Array.from({ length: 1 + random.below(24) }, () => tame(random));
  const text = asked.map((one) => one.text).join('');
  switch (random.below(40)) {
    case 0:
      return { asked, text: text.slice(0, random.below(text.length)), sure: 0, linger: random.below(20) };
    case 1:
      return { asked, text: text + wild(random), sure: asked.length, linger: 20 };
    case 2:
      return { asked, text: text + expensive(random), sure: asked.length, linger: 50 };
    default:
      return { asked, text, sure: asked.length, linger: 0 };
  }
}

// Sends it, and reads what must come. What is still open then is dropped after a while.
async function converse(random) {
  const { asked, text, sure, linger } = script(random);
  const client = await server.connect();
  client.send(Buffer.from(text, 'latin1'));
  // Who closes, on a NUL or an unknown method, has not read what comes after: the reset may overtake replies.
  const overtaken = asked.some(({ method, target }) => target.includes('%00') || unknown.includes(method));
  for (const one of asked.slice(0, sure))
    try {
      const head = await client.head();
      const pieces = [];
      let step = { value: false };
      if (head) for (const body = client.body(head, one.method); !(step = await body.next()).done; ) pieces.push(step.value);
      if (!step.value && overtaken) break;
      assert.ok(step.value, 'closed before the reply was there');
      checkReply(head, Buffer.concat(pieces), one.method);
      if (/close/i.test(head.headers.connection ?? '')) break; // nobody heeds what comes after
    } catch (error) {
      assert.fail(`${error.message}\nseed ${SEED}, at ${JSON.stringify(one)}`);
    }
  await sleep(linger / 1000);
  if (random.chance(0.5)) client.socket.resetAndDestroy();
  else client.drop();
  return asked.length;
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
