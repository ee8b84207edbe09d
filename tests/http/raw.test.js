// raw.test.js - requests that are not HTTP or hide another request, of tests/data/golden/raw.txt, directly and through nginx as
// docker/nginx.conf has it, while a polite client is served. What the service cannot see stands in docs/threats.md.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { besieged } from '../hostile/hostile.js';
import { golden } from '../golden.js';
import { after, assert, Client, start, test, until } from './harness.js';
import { behindNginx } from './nginx.js';

const MARKER = 'smuggled-000';
const hidden = `GET /count?n=9 HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${MARKER}\r\n\r\n`;
const pieces = {
  get: 'GET /count?n=8 HTTP/1.1\r\nHost: x\r\n',
  post: 'POST /verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n',
  chunked: 'Transfer-Encoding: chunked\r\n',
  json: '{"permutation":[2,4,1,3]}',
  hidden,
  spaced: hidden.replaceAll('\r\n', ' '),
  size: hidden.length,
  'size+5': hidden.length + 5,
  hex: hidden.length.toString(16),
};
const letters = { 0: '\0', r: '\r', n: '\n', t: '\t', '\\': '\\' };
const expanded = (line) =>
  line
    .replaceAll(/\{([a-z+0-9]+)\}/g, (whole, name) => pieces[name] ?? whole)
    .replaceAll(/\\(?:x([0-9a-f]{2})|([0rnt\\]))/g, (_, code, letter) => (code ? String.fromCharCode(parseInt(code, 16)) : letters[letter]))
    .replaceAll(/\{(\d+)\*([^}]+)\}/g, (_, count, piece) => piece.repeat(count));

// The corpus: its lines, and its requests as { at, name, text, hides }, each with the line of its name.
const lines = readFileSync(new URL('../data/golden/raw.txt', import.meta.url), 'utf8').split('\n').slice(0, -1);
const corpus = lines.flatMap((line, at) => {
  if (!line.startsWith('  ')) return [];
  return [{ at: at - 1, name: lines[at - 1].split(' => ')[0], text: expanded(line.slice(2)), hides: line.includes('{hidden}') || line.includes('{spaced}') }];
});

// The rows of the document: by name, what is answered directly and through nginx.
const section = readFileSync(new URL('../../docs/threats.md', import.meta.url), 'utf8').split('\n## The HTTP library\n')[1];
const rows = section.split('\n## ')[0].matchAll(/^\| (.*) \| (.*) \| (.*) \|$/gm);
const documented = Object.fromEntries([...rows].slice(1).map(([, name, ...answers]) => [name, answers]));

const server = await start({ after }, '--request-seconds', 2, '--max-client-connections', 1000);
const front = await behindNginx(server.port);
after(() => front.stop());

let asked = 0;
const seen = (id) => server.logs.some((line) => line.id === id);

// Everything that comes back to a text, and to a request behind it where the connection still lives; `id` is that of the hidden
// request, or of the one behind.
async function converse(port, text, id, behind = hidden.replace('Host', 'Connection: close\r\nHost')) {
  const client = await Client.connect(port);
  let [heard, closed] = ['', false];
  client.socket.on('data', (piece) => (heard += piece.toString('latin1'))).once('close', () => (closed = true));
  client.socket.write(Buffer.from(text.replaceAll(MARKER, id), 'latin1'));
  await until(() => closed || heard.includes('\r\n\r\n'), 'a reply, or the end');
  client.send(behind.replace(MARKER, id));
  await until(() => closed, 'the end');
  client.drop();
  return heard;
}

const pages = new Set(); // of the library

// The kind of an answer: a status alone is a problem of the service's own.
function kindOf(port, heard) {
  if (!heard) return 'closed';
  if (!heard.startsWith('HTTP/')) return 'body only';
  const [, status] = heard.match(/^HTTP\/1\.1 (\d{3}) /) ?? assert.fail(heard);
  const first = heard.split('\r\n\r\n')[0];
  if (status < 300) return 'served';
  if (/application\/problem\+json/.test(first)) return status;
  assert.match(heard, /<html>/);
  if (port === server.port) pages.add(heard.match(/<html>.*<\/html>/s)[0]);
  const twice = heard.split(`HTTP/1.1 ${status} `).length > 2;
  return `${status} HTML${twice ? ', head twice' : ''}`;
}

// [kind, whether the connection took the request behind it]. What is hidden is never answered.
async function answer(port, { name, text, hides }) {
  let [heard, id] = ['', ''];
  for (let tries = 0; !heard && tries < 3; tries++) { // a reset may overtake a reply
    id = `smuggled-${100 + asked++}`;
    heard = await converse(port, text, id, hides ? 'GET /count?n=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' : undefined);
  }
  if (hides) assert.ok(!heard.includes(id) && !heard.includes('"n":9') && !seen(id), `${name}: ${heard}`);
  return [kindOf(port, heard), heard.includes(hides ? '"n":7' : '"n":9')];
}

// So many at once.
async function each(list, work) {
  const rest = [...list];
  await Promise.all(Array.from({ length: 30 }, async () => { while (rest.length) await work(rest.shift()); }));
}

test('a request that hides nothing is seen', async () => {
  for (const port of [server.port, front.port]) {
    const heard = await converse(port, pieces.get + '\r\n' + hidden.replace('n=9', 'n=10'), 'plain');
    assert.ok(heard.includes('"n":10') && heard.includes('"n":9'), heard);
  }
  await until(() => server.logs.filter(({ id }) => id === 'plain').length === 4, 'all stand in the log');
});

test('every raw request is answered as its file says, directly', async (t) => {
  const found = [...lines];
  await besieged(t, server, () =>
    each(corpus, async (request) => {
      const [kind, open] = await answer(server.port, request);
      found[request.at] = `${request.name} => ${kind}${open ? ', open' : ''}`;
    }));
  golden('raw.txt', found);
});

test('what is written behind a request that closes its connection is never read', async () => {
  const closing = corpus.filter(({ at, hides }) => !hides && / => [45]\d\d$/.test(lines[at]));
  assert.ok(closing.length > 20);
  await each(closing, async ({ name, text }) => {
    const id = `smuggled-${100 + asked++}`;
    const heard = await converse(server.port, text + hidden, id, '');
    assert.ok(!heard.includes('"n":9') && !seen(id), `${name}: ${heard}`);
  });
});

test('through nginx nothing hidden is answered, and what the service cannot see is as documented', async (t) => {
  const found = {};
  await besieged(t, server, () =>
    each(corpus, async (request) => {
      const [, direct] = lines[request.at].match(/ => (.*?)(?:, open)?$/);
      if (!request.hides && /^[45]\d\d$/.test(direct)) return;
      const [kind] = await answer(front.port, request);
      if (!request.hides) found[request.name] = [direct, kind];
    }), front.port);
  assert.deepEqual(found, documented);
});

test('every page of libmicrohttpd is among the answers', () => {
  const maps = readFileSync(`/proc/${server.process.pid}/maps`, 'utf8');
  const library = readFileSync(maps.match(/\/\S*libmicrohttpd\S*/)[0], 'latin1');
  const all = library.match(/<html>[^\0]*<\/html>/g).filter((page) => !page.includes('header required')); // if it were told to be strict
  assert.ok(all.length > 0);
  assert.deepEqual([...pages].sort(), all.sort());
});

test('nginx passes on no NUL', async (t) => {
  let passed = '';
  const upstream = net.createServer((socket) => {
    socket.on('error', () => {}).on('data', (piece) => {
      passed += piece.toString('latin1');
      if (/^GET[^]*\r\n\r\n$|\]\}(\r\n0\r\n\r\n)?$/.test(passed)) socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  });
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const between = await behindNginx(upstream.address().port, { cache: 'off' });
  t.after(() => between.stop());
  t.after(() => upstream.close());
  for (const { name, text } of corpus.filter(({ text, hides }) => text.includes('\0') && !hides)) {
    passed = '';
    await converse(between.port, text, 'nul', 'OPTIONS * HTTP/1.1\r\nHost: end\r\nConnection: close\r\n\r\n');
    assert.ok(!passed.includes('\0'), `${name}: ${JSON.stringify(passed)}`);
    if (name === 'a NUL in a trailer') assert.match(passed, /^POST \/verify/); // which did pass, without its trailer
  }
});

// What a request is made of, so that each kind of byte has one that stands before it.
const whole = {
  'a GET': 'GET /count?n=8&base=0 HTTP/1.1\r\nHost: x:1\r\nAccept: \t*/* \r\nX-Empty:\r\nConnection: close\r\n\r\n',
  'HTTP/1.0': 'GET /count?n=8 HTTP/1.0\r\nHost: x\r\n\r\n',
  'a POST with a length': 'POST /verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n[5,3,1,4,2,6,7]',
  'a POST in chunks': 'POST /verify HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: x\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
};
for (const [what, text] of Object.entries(whole))
  test(`a raw NUL anywhere in the head of ${what}: 400 and close`, async () => {
    const passed = [];
    const places = [...Array(text.indexOf('\r\n\r\n') + 4).keys()];
    for (const inserted of ['\0', '\0foo', '\0\0'])
      await each(places, async (at) => {
        const client = await server.connect();
        const reply = await client.send(text.slice(0, at) + inserted + text.slice(at) + hidden).reply();
        const end = await client.end();
        client.drop();
        if (reply?.status !== 400 || reply.headers.connection?.toLowerCase() !== 'close' || !end)
          passed.push([at, JSON.stringify(text.slice(0, at) + inserted), reply?.status ?? null]);
      });
    assert.deepEqual(passed, []);
  });
