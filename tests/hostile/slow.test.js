// slow.test.js - clients that take their time: headers and bodies that trickle, readers that stall, and what slowhttptest makes
// of it (NQ_LONG=1).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, assert, sleep, slow, start, test, until } from '../http/harness.js';
import { besieged, long, metric, scale, unharmed } from './hostile.js';

const server = await start(
  { after },
  ...['--request-seconds', 1, '--max-client-searches', 256, '--cache-bytes', '1M', '--threads', 2],
);
const MANY = scale(480, 120);
const many = (make) => Promise.all(Array.from({ length: MANY }, (_, i) => make(i)));

const head = (line, ...fields) => [`${line} HTTP/1.1`, 'Host: x', ...fields].join('\r\n');
const beginnings = [
  head('GET /solve?n=8', 'X-a: '),
  'GET /solve?n=8&limit=',
  head('POST /verify', 'Content-Type: application/json', 'Content-Length: 100000\r\n\r\n'),
  head('POST /jobs', 'Content-Type: application/json', 'Content-Length: 4000\r\n\r\n'),
  head('POST /verify', 'Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked\r\n\r\nffff\r\n'),
  head('GET /count?n=8', 'Content-Length: 5000\r\n\r\n'), // nobody wants it
];
test(`${MANY} requests in headers, bodies and chunks byte by byte: 408, and the connection closes`, async (t) => {
  const trickle = async (i) => {
    const client = await server.connect();
    client.send(beginnings[i % beginnings.length]);
    const drip = setInterval(() => client.send('1'), 50);
    const reply = await client.reply();
    clearInterval(drip);
    client.drop();
    reply.isProblem(408);
  };
  await unharmed(t, server, () => besieged(t, server, () => many(trickle)));
});

const READERS = scale(200, 60);
test(`${READERS} stalled readers take at most half a megabyte each, and no thread`, async (t) => {
  const targets = ['/construct?n=1000000000', '/solve?n=14&format=ndjson', '/construct?n=1000000000&format=octet-stream'];
  const fresh = server.resident();
  const attack = async () => {
    const before = server.resident();
    const clients = [];
    for (let i = 0; i < READERS; i++) {
      const client = await server.connect();
      clients.push(client.ask('GET', targets[i % targets.length]));
      client.socket.pause();
    }
    await until(async () => (await metric(server, 'nq_streams_running')) === READERS, 'all of them have begun');
    await until(async () => (await metric(server, 'nq_pool_running')) === 0, 'all of them have stalled', 120);
    const each = (server.resident() - before) / READERS;
    t.diagnostic(`${each.toFixed(2)} MB for a stalled stream`);
    if (!slow) assert.ok(each <= 0.5);
    await sleep(scale(10, 1)); // the polite client goes on
    clients.forEach((client) => client.drop());
  };
  await unharmed(t, server, () => besieged(t, server, attack));
  if (!slow) await until(() => server.resident() <= fresh * 1.1 + 2, `memory is back at ${fresh} MB`);
});

test('Range headers are ignored', async (t) => {
  await server.getJson('/solve?n=8');
  const ranges = Array.from({ length: 1500 }, (_, i) => `5-${i}`).join();
  await besieged(t, server, () =>
    many(async () => {
      const client = await server.connect();
      const whole = await client.ask('GET', '/solve?n=8', { Range: `bytes=0-,${ranges}` }).reply();
      assert.deepEqual([whole.status, whole.json.returned], [200, 92]);
      client.drop();
    }),
  );
});

// The tool's own verdict: whether a connection that it opens now and then is served within three seconds.
async function slowhttptest(t, ...flags) {
  const paced = ['-c', 400, '-r', 200, '-l', 20, '-i', 2, '-p', 3];
  const child = spawn('slowhttptest', [...flags, ...paced].map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  await once(child, 'close');
  const verdicts = text.replace(/\x1b\[[0-9;]*m/g, '').match(/service available:\s+(YES|NO)/g) ?? [];
  t.diagnostic(`slowhttptest ${flags[0]}: ${verdicts.length} reports, last: ${verdicts.at(-1)}`);
  assert.ok(verdicts.length > 0, text);
  assert.ok(!verdicts.some((verdict) => verdict.endsWith('NO')));
}
for (const [name, target, ...flags] of [
  ['headers', '/solve?n=8', '-H'],
  ['bodies to /verify', '/verify', '-B', '-s', 8192, '-f', 'application/json'],
  ['bodies to /jobs', '/jobs', '-B', '-s', 8192, '-f', 'application/json'],
  ['reading', '/solve?n=14&format=ndjson', '-X', '-w', 1, '-y', 512, '-n', 1, '-z', 32, '-k', 3],
  ['ranges', '/solve?n=8', '-R', '-t', 'HEAD', '-a', 5, '-b', 500],
])
  test(`slowhttptest: slow ${name}`, { skip: !long }, async (t) => {
    const attack = () => slowhttptest(t, ...flags, '-u', `http://127.0.0.1:${server.port}${target}`);
    await unharmed(t, server, () => besieged(t, server, attack));
  });
