// crowd.js - a worker thread: clients that open and close streams, and others that post large bodies, each as often as it can. Beside the
// thread of a test, so that what they cost does not delay what that measures. After every turn it says how many each of them had.
import net from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port, streams, bodies, numbers } = workerData;
const turns = new Map();

function counted(who) {
  turns.set(who, (turns.get(who) ?? 0) + 1);
  parentPort.postMessage(Object.fromEntries(turns));
}

// Leaves as soon as the stream has begun.
function opens(who, target) {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  socket.on('error', () => {}).once('data', () => socket.destroy());
  socket.once('close', () => {
    counted(who);
    opens(who, target);
  });
}

// Another permutation each time: none is found in the cache.
function posts(who) {
  const row = Array.from({ length: numbers }, (_, i) => i + 1);
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  const post = () => {
    const body = `{"permutation":[${row.push(row.shift()) && row.join()}]}`;
    socket.write(`POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
  let left = 0; // bytes of the reply
  socket.on('connect', post).on('data', (piece) => {
    if (!left) left = piece.indexOf('\r\n\r\n') + 4 + Number(/content-length: (\d+)/i.exec(piece.toString('latin1'))[1]);
    left -= piece.length;
    if (left > 0) return;
    counted(who);
    post();
  });
}

streams.forEach((target, i) => opens(`stream ${i}`, target));
for (let i = 0; i < bodies; i++) posts(`body ${i}`);
