// polite.js - a client that asks one thing at a time over one connection and keeps how long each answer took. Run with a port and
// the address it is to come from, as a process of its own, it begins at once and sends its figures to its parent when told to stop. Told
// `lengthy`, it asks every now and then what takes a fifth of a second of one core, too. It knows nothing of attacks.
import net from 'node:net';
import { performance } from 'node:perf_hooks';

const [port, localAddress, more] = [Number(process.argv[2]), process.argv[3], process.argv[4] === 'lengthy'];
const PAUSE_MS = 4;
const cached = ['/solve?n=8&limit=10', '/count?n=12', '/construct?n=100', '/algorithms'];

// Never the same twice for as long as a test lasts: nobody has the answer, it has to be searched for.
const start = process.pid * 1e6;
const uncached = [
  (i) => `/solve?n=8&limit=${1 + (i % 90)}&exclude=${squares(i)}`,
  (i) => `/count?n=10&base=${(i >> 10) & 1}&exclude=${squares(i)}`,
  (i) => `/construct?n=12&method=local-search&seed=${start + i}`,
  (i) => `/puzzle?n=6&seed=${start + i}`,
];
// What takes about a fifth of a second of one core without vectors: a row of fifteen has but four squares.
const lengthy = (i) => {
  const row = 1 + (i % 15);
  const kept = Math.floor(i / 15) % 15;
  return `/count?n=15&method=compute&exclude=${Array.from({ length: 11 }, (_, k) => `${row}:${1 + ((kept + k) % 15)}`)}`;
};
const LENGTHY_EVERY = 60;
const first = process.pid % 225;
// One in the upper half of a chessboard, one in the lower.
function squares(i) {
  return `${1 + (i & 3)}:${1 + ((i >> 2) & 7)},${5 + ((i >> 5) & 3)}:${1 + ((i >> 7) & 7)}`;
}

let socket, waiting;
function connect() {
  let text = '';
  const mine = net.connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  socket = mine;
  mine.on('data', (piece) => {
    text += piece.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    const length = text.match(/\r\ncontent-length: (\d+)/i)?.[1];
    if (head < 0 || text.length < head + 4 + Number(length)) return;
    const [status, body, closes] = [text.slice(9, 12), text.slice(head + 4), /\r\nconnection: close/i.test(text.slice(0, head))];
    text = '';
    if (closes) connect(); // nginx says so in its thousandth answer
    waiting(status === '200' ? null : `${status} ${body}`);
  });
  const gone = (error) => mine === socket && waiting?.(`the connection ended: ${error.message ?? 'closed'}`);
  mine.on('error', gone).on('close', gone);
}

const took = { cached: [], uncached: [], lengthy: [] };
const failed = [];
const GIVES_WAY_MS = 1000; // where there is no room, a connection that idles as long is closed; on a busy machine this process may be late
let stopped = false;
let answered = Infinity; // when the last answer came
async function ask(kind, target) {
  const begin = performance.now();
  const failure = await new Promise((resolve) => {
    waiting = resolve;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
  const idled = begin - answered >= GIVES_WAY_MS;
  answered = performance.now();
  took[kind].push(answered - begin);
  if (!failure) return;
  socket.destroy();
  connect();
  if (!idled || !/ended/.test(failure)) failed.push(`${target}: ${failure}`);
  else await ask(kind, target);
}

function figures(times) {
  times.sort((a, b) => a - b);
  const at = (part) => Number((times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(2));
  return { asked: times.length, half: at(0.5), most: at(0.99), longest: at(1) };
}

process.on('message', () => (stopped = true));
connect();
for (const target of cached) await ask('cached', target);
took.cached = []; // they were not, before
process.send('begun');
for (let i = 0; !stopped; i++) {
  if (more && i % LENGTHY_EVERY === 1) await ask('lengthy', lengthy(first + (i - 1) / LENGTHY_EVERY));
  if (i % 2) await ask('uncached', uncached[(i >> 1) % uncached.length](i >> 3));
  else await ask('cached', cached[(i >> 1) % cached.length]);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
process.send({ cached: figures(took.cached), uncached: figures(took.uncached), lengthy: figures(took.lengthy), failed });
process.disconnect();
socket.destroy();
