// malformed.test.js - what is answered to requests that are not HTTP, directly and through nginx as docker/nginx.conf has it,
// compared with docs/threats.md, both ways: the service refuses what it can see, and what it cannot see stands there.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { after, assert, Client, start, test, until, within } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { malformed } from './malformed.js';

// The rows of the document: by name, what is answered directly and through nginx.
const section = readFileSync(new URL('../../docs/threats.md', import.meta.url), 'utf8').split('\n## The HTTP library\n')[1];
const rows = section.split('\n## ')[0].matchAll(/^\| (.*) \| (.*) \| (.*) \|$/gm);
const documented = Object.fromEntries([...rows].slice(1).map(([, name, ...answers]) => [name, answers]));

const server = await start({ after }, '--request-seconds', 2);
const front = await behindNginx(server.port);
after(() => front.stop());

// Everything that comes back to a text, and to a last request where the connection still lives.
async function converse(port, text) {
  const client = await Client.connect(port);
  let [heard, closed] = ['', false];
  client.socket.on('data', (piece) => (heard += piece.toString('latin1'))).once('close', () => (closed = true));
  client.socket.write(Buffer.from(text, 'latin1'));
  await until(() => closed || heard.includes('\r\n\r\n'), 'a reply, or the end');
  client.send('OPTIONS * HTTP/1.1\r\nHost: end\r\nConnection: close\r\n\r\n');
  await until(() => closed, 'the end');
  client.drop();
  return heard;
}

const pages = new Set(); // of the library

// In the words of the document; a status alone is a problem of the service's own.
async function answer(port, text) {
  let heard = '';
  for (let tries = 0; !heard && tries < 3; tries++) heard = await converse(port, text); // a reset may overtake a reply
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

test('every malformed request is answered as documented', async () => {
  const found = {};
  const ask = async ([name, text]) => {
    const direct = await answer(server.port, text);
    if (!/^[45]\d\d$/.test(direct)) found[name] = [direct, await answer(front.port, text)];
  };
  await Promise.all(Object.entries(malformed).map(ask));
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
  for (const [name, text] of Object.entries(malformed).filter(([, text]) => text.includes('\0'))) {
    passed = '';
    await converse(between.port, text);
    assert.ok(!passed.includes('\0'), `${name}: ${JSON.stringify(passed)}`);
  }
  assert.match(passed, /^POST \/verify/); // the last one did pass, without its trailer
});

test('afterwards the service works as before', async () => {
  assert.equal((await within(server.getJson('/count?n=8'), 'answer')).count, 92);
});
