// web.test.js - the page as files: what is sent, with which headers, in which language. tests/web sees what becomes of it.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const folder = new URL('../../src/web/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const pages = { '/': 'index.html', '/docs': 'docs.html' };
const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' };
const files = readdirSync(folder).filter((name) => !name.endsWith('.html') && name !== 'package.json'); // which is for tests
const targets = [...Object.keys(pages), ...files.map((name) => `/web/${name}`)];

test('the pages are those of the sources', async () => {
  for (const [target, name] of Object.entries(pages)) {
    const { text, headers } = await server.get(target);
    assert.equal(text, read(name));
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  }
});

test('every source file is served with its type', async () => {
  for (const name of files) {
    const { status, text, headers } = await server.get(`/web/${name}`);
    assert.equal(status, 200, `${name} needs a row in src/http/routes/web_files.h`);
    assert.equal(text, read(name));
    assert.equal(headers['content-type'], types[name.split('.').pop()], name);
    assert.equal(headers['content-language'], undefined);
  }
});

test('the Content-Security-Policy allows only this origin', async () => {
  for (const target of targets) {
    const { headers } = await server.get(target);
    const policy = headers['content-security-policy'];
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe|\*|http/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('all answers have nosniff', async () => {
  for (const target of ['/solve?n=8', '/count?n=x', '/nothing', '/openapi.yaml', '/construct?n=8&format=svg'])
    assert.equal((await server.get(target)).headers['x-content-type-options'], 'nosniff', target);
});

test('a stored page must be revalidated, and is 304 while unchanged', async () => {
  const tags = new Set();
  for (const target of targets) {
    const { headers } = await server.get(target);
    assert.equal(headers['cache-control'], 'no-cache');
    tags.add(headers.etag);
    const again = await server.get(target, { 'if-none-match': headers.etag });
    assert.equal(again.status, 304, target);
    for (const name of ['etag', 'cache-control', 'vary', 'content-security-policy'])
      assert.equal(again.headers[name], headers[name], `${target} ${name}`);
    assert.equal((await server.get(target, { 'if-none-match': '"0123456789abcdef"' })).status, 200);
  }
  assert.equal(tags.size, targets.length);
});

test('HEAD has the headers of GET', async () => {
  for (const target of targets) {
    const [head, { headers }] = [await server.get(target, {}, 'HEAD'), await server.get(target)];
    assert.equal(head.status, 200);
    for (const name of ['content-type', 'content-length', 'etag']) assert.equal(head.headers[name], headers[name], target);
  }
});

// The bytes of a reply: a coded body is no text.
const bytes = (target, headers = {}, method = 'GET') =>
  new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, host: '127.0.0.1', path: target, method, headers }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(pieces) }));
    });
    request.on('error', reject).end();
  });
const zipped = { 'accept-encoding': 'gzip' };

test('every file has a gzip copy with a tag of its own, also for HEAD and If-None-Match', async () => {
  for (const target of [...targets, '/openapi.yaml']) {
    const [plain, gzip, head] = [await bytes(target), await bytes(target, zipped), await bytes(target, zipped, 'HEAD')];
    assert.deepEqual([plain.status, gzip.status, head.status], [200, 200, 200]);
    assert.equal(plain.headers['content-encoding'], undefined, target);
    assert.deepEqual(gunzipSync(gzip.body), plain.body, target);
    assert.ok(gzip.body.length < plain.body.length, target);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    for (const { headers } of [plain, gzip, head]) assert.match(headers.vary, /(^|, )Accept-Encoding$/);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary', 'cache-control'])
      assert.equal(head.headers[name], gzip.headers[name], `${target} ${name}`);
    assert.equal(Number(head.headers['content-length']), gzip.body.length);
    for (const [headers, tag, status] of [
      [zipped, gzip.headers.etag, 304],
      [{}, plain.headers.etag, 304],
      [zipped, plain.headers.etag, 200],
      [{}, gzip.headers.etag, 200],
      [zipped, `${plain.headers.etag}, W/${gzip.headers.etag}`, 304],
    ]) {
      const reply = await bytes(target, { ...headers, 'if-none-match': tag });
      assert.equal(reply.status, status, target);
      assert.equal(reply.headers.vary, gzip.headers.vary);
      if (status === 304) assert.ok(tag.includes(reply.headers.etag));
    }
  }
});

test('Accept-Encoding chooses the copy', async () => {
  for (const [wanted, coding] of [
    ['gzip, deflate, br, zstd', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=1, gzip;q=0.8, *;q=0.1', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['*;q=0', undefined],
    ['br', undefined],
    ['identity', undefined],
    ['', undefined],
    ['gzip;q=much', undefined],
  ])
    assert.equal((await bytes('/web/style.css', { 'accept-encoding': wanted })).headers['content-encoding'], coding, wanted);
  assert.equal((await bytes('/solve?n=8', zipped)).headers['content-encoding'], undefined);
  assert.equal((await bytes('/web/nothing.js', zipped)).headers['content-encoding'], undefined);
});

test('the gzip copies are those of gzip -9 -n: the same from every build', async () => {
  for (const name of files) {
    const { stdout } = spawnSync('gzip', ['-9', '-n', '-c', new URL(name, folder).pathname]);
    assert.deepEqual((await bytes(`/web/${name}`, zipped)).body, stdout, name);
  }
});

test('Accept-Language chooses the language', async () => {
  const language = async (wanted, target = '/') => {
    const { text, headers } = await server.get(target, wanted === undefined ? {} : { 'accept-language': wanted });
    assert.match(headers.vary, /(^|, )Accept-Language\b/);
    assert.ok(text.includes(`<html lang="${headers['content-language']}">`));
    return headers['content-language'];
  };
  for (const [wanted, got] of [
    ['it', 'it'],
    ['RU', 'ru'],
    ['it-CH, en;q=0.5', 'it'],
    ['de, fr;q=0.9, ru;q=0.1', 'ru'],
    ['en;q=0.2, it;q=0.3', 'it'],
    ['it;q=0, *', 'en'],
    ['en;q=0, *;q=0.5', 'it'],
    ['ita', 'en'],
    ['de', 'en'],
    ['it;q=nonsense', 'en'],
    [';;;,=', 'en'],
  ]) {
    assert.equal(await language(wanted), got, wanted);
    assert.equal(await language(wanted, '/docs'), got, wanted);
  }
  const tags = await Promise.all(['en', 'it', 'ru'].map((it) => server.get('/', { 'accept-language': it })));
  assert.equal(new Set(tags.map(({ headers }) => headers.etag)).size, 3);
});

test('other names are 404', async () => {
  for (const name of ['web/', 'web/nothing.js', 'web/index.html', 'web/style.css/', 'web/STYLE.CSS', 'web', 'docs/'])
    (await server.get(`/${name}`)).isProblem(404);
  for (const path of ['/web/..', '/web/../main.c', '/web/../web/style.css', '/web/.', '/web/%2e%2e%2fmain.c']) {
    const [reply] = await server.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    reply.isProblem(404);
  }
  (await server.get('/web/style.css?v=1')).isProblem(400, 'v');
  (await server.get('/', { accept: 'application/json' })).isProblem(406);
});

// What a browser fetches for a page, in compressed bytes: the files it names, those they import, and the words of one language.
function weight(page, tab, language) {
  const games = tab?.startsWith('play_') ? ['tab_play.js'] : [];
  const wanted = [page, 'words.js', `words_${language}.js`, ...(tab ? [tab] : []), ...games];
  for (const name of wanted)
    for (const [, other] of read(name).matchAll(/(?:from '\.\/|(?:href|src)="web\/)([\w.]+)['"]/g))
      if (!wanted.includes(other)) wanted.push(other);
  return wanted.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
}

test('a page is small, whichever tab is open and in whichever language', () => {
  const tabs = files.filter((name) => /^(tab|play)_/.test(name));
  assert.equal(tabs.length, 7);
  for (const language of ['en', 'it', 'ru'])
    for (const [page, tab] of [['docs.html'], ...tabs.map((name) => ['index.html', name])]) {
      const bytes = weight(page, tab, language);
      const most = ['docs.html', 'index.html tab_board.js'].includes(`${page} ${tab ?? ''}`.trim()) ? 40e3 : 50e3;
      assert.ok(bytes > 15e3 && bytes < most, `${page} ${tab} ${language}: ${bytes} bytes`);
    }
});
