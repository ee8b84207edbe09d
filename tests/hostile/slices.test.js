// slices.test.js - everything that the contract allows, at its limits: no slice of it takes so long that others wait for its end.
// Who asks leaves soon, for what an answer is does not matter here; work that heeds its slice heeds that, too.
import http from 'node:http';
import { after, assert, slow, start, test, until } from '../http/harness.js';
import { long, metric } from './hostile.js';
import { requests } from './limits.js';
import { generator } from './random.js';

// CI asks some of what there is by itself, the same every time; NQ_LONG=1 all of it, and what goes together two by two.
const random = generator(Number(process.env.SLICES_SEED ?? 1));
const SHARE = long ? 1 : 0.04;
const BESIDE = long ? 0.05 : 0.02;
const PATIENCE_MS = long ? 1000 : 150; // longer than a slice may take
const JOB_PATIENCE_MS = 60000; // it is told of at once, and only who is told can give it up
const AT_ONCE = 6;

const server = await start({ after }, '--threads', 2, '--cache-bytes', 0, '--max-client-searches', 1000);
const agent = new http.Agent({ keepAlive: true });

// The status of the reply and what it is, or nothing when it was not there in time.
function ask({ method, target, type, body }) {
  const headers = { prefer: 'wait=100', ...(type && { 'content-type': type, 'content-length': Buffer.byteLength(body) }) };
  return new Promise((resolve) => {
    const options = { port: server.port, host: '127.0.0.1', method, path: target, headers, agent };
    const request = http.request(options, (reply) => {
      let text = '';
      reply.on('data', (piece) => (text += text.length < 10000 ? piece : ''));
      reply.on('end', () => end({ status: reply.statusCode, text })).on('error', () => end({}));
    });
    const end = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    const leave = () => {
      request.destroy();
      end({});
    };
    const timer = setTimeout(leave, target === '/jobs' ? JOB_PATIENCE_MS : PATIENCE_MS);
    request.on('error', () => end({})).end(body);
  });
}

// A job goes on when nobody waits for it: it is given up.
async function askAndLeave(one) {
  const { status, text } = await ask(one);
  assert.ok(!status || status < 500 || status === 503, `${one.target} ${one.body ?? ''}: ${text}`);
  if (one.method === 'POST' && status === 202) await ask({ method: 'DELETE', target: JSON.parse(text).self });
}

const solutions = new Map();
async function solutionOf(n) {
  if (n < 1 || n > 1000000) return [];
  if (!solutions.has(n)) {
    const reply = await server.get(`/construct?n=${n}`);
    solutions.set(n, reply.status === 200 ? reply.json.permutation : []);
  }
  return solutions.get(n);
}

const nameOf = ({ method, target, body = '' }) => `${method} ${target.slice(0, 120)} ${body.slice(0, 120)}`;

test('no question makes a slice last a tenth of a second', async (t) => {
  const running = new Map();
  const suspects = new Map(); // what was asked before a slice was found to have taken so long
  let [asked, overrun, recent] = [0, 0, []];
  const look = async () => {
    const now = await metric(server, 'nq_slices_overrun_total');
    recent = recent.slice(-60); // the client of a long slice may have left
    if (now > overrun) recent.forEach((one) => suspects.set(nameOf(one), one));
    overrun = now;
  };
  for await (const one of requests(solutionOf, () => random.chance(BESIDE))) {
    if (!random.chance(SHARE)) continue;
    asked++;
    while (running.size >= AT_ONCE) await Promise.race(running.values());
    running.set(one, askAndLeave(one).finally(() => running.delete(one)));
    recent.push(one);
    if (asked % 20 === 0) await look();
  }
  const rest = async () => {
    for (const gauge of ['nq_pool_queue_depth', 'nq_pool_running'])
      await until(async () => (await metric(server, gauge)) === 0, `${gauge} is 0`);
    const before = overrun;
    await look();
    return overrun - before;
  };
  await Promise.all(running.values());
  await rest();
  t.diagnostic(`${asked} requests, ${overrun} slices too long`);
  recent = [];
  // What a host takes away from a virtual processor counts as used, but seldom thrice of ten times while one and the same is asked:
  // only what comes again when asked again is the server's.
  let guilty = null;
  for (const [name, one] of slow ? [] : suspects) {
    let times = 0;
    for (let i = 0; i < 10 && times < 3; i++) {
      await askAndLeave(one);
      if (await rest()) times++;
    }
    if (times === 3 && (guilty = name)) break;
  }
  agent.destroy();
  assert.ok(asked > 500, `${asked} requests`);
  assert.equal(guilty, null, 'its slices are too long again and again');
});
