// web.test.js - the page as files: what is sent, with which headers, in which language. tests/web sees what becomes of it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { start } from './harness.js';

const server = await start({ after });
const folder = new URL('../../src/web/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const pages = { '/': 'index.html', '/docs': 'docs.html' };
const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' };
const files = readdirSync(folder).filter((name) => !name.endsWith('.html'));
const targets = [...Object.keys(pages), ...files.map((name) => `/web/${name}`)];

test('the pages are those of the sources', async () => {
  for (const [target, name] of Object.entries(pages)) {
    const { text, headers } = await server.get(target);
    assert.equal(text, read(name));
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  }
});

test('every file of the sources is served as what it is', async () => {
  for (const name of files) {
    const { status, text, headers } = await server.get(`/web/${name}`);
    assert.equal(status, 200, `${name} needs a row in src/http/web_files.h`);
    assert.equal(text, read(name));
    assert.equal(headers['content-type'], types[name.split('.').pop()], name);
    assert.equal(headers['content-language'], undefined);
  }
});

test('a browser is told to trust nothing but this', async () => {
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

test('answers are not to be taken for anything else either', async () => {
  for (const target of ['/solve?n=8', '/count?n=x', '/nothing', '/openapi.yaml', '/construct?n=8&format=svg'])
    assert.equal((await server.get(target)).headers['x-content-type-options'], 'nosniff', target);
});

test('what is kept is asked for anew, and is 304 as long as it is the same', async () => {
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

test('HEAD says what GET would', async () => {
  for (const target of targets) {
    const [head, { headers }] = [await server.get(target, {}, 'HEAD'), await server.get(target)];
    assert.equal(head.status, 200);
    for (const name of ['content-type', 'content-length', 'etag']) assert.equal(head.headers[name], headers[name], target);
  }
});

test('Accept-Language chooses the language', async () => {
  const language = async (wanted, target = '/') => {
    const { text, headers } = await server.get(target, wanted === undefined ? {} : { 'accept-language': wanted });
    assert.match(headers.vary, /(^|, )Accept-Language$/);
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

test('there is nothing else', async () => {
  for (const name of ['web/', 'web/nothing.js', 'web/index.html', 'web/style.css/', 'web/STYLE.CSS', 'web', 'docs/'])
    (await server.get(`/${name}`)).isProblem(404);
  for (const path of ['/web/..', '/web/../main.c', '/web/../web/style.css', '/web/.', '/web/%2e%2e%2fmain.c']) {
    const [reply] = await server.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    reply.isProblem(404);
  }
  (await server.get('/web/style.css?v=1')).isProblem(400, 'v');
  (await server.get('/', { accept: 'application/json' })).isProblem(406);
});

// What a browser fetches for a page: the files it names, those they import, and the words of one language.
function weight(page, tab, language) {
  const wanted = [page, 'words.js', `words_${language}.js`, ...(tab ? [tab] : [])];
  for (const name of wanted)
    for (const [, other] of read(name).matchAll(/(?:from '\.\/|(?:href|src)="web\/)([\w.]+)['"]/g))
      if (!wanted.includes(other)) wanted.push(other);
  return wanted.reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0);
}

test('a page is small, whichever tab is open and in whichever language', () => {
  const tabs = files.filter((name) => name.startsWith('tab_'));
  assert.equal(tabs.length, 5);
  for (const language of ['en', 'it', 'ru'])
    for (const [page, tab] of [['docs.html'], ...tabs.map((name) => ['index.html', name])]) {
      const bytes = weight(page, tab, language);
      assert.ok(bytes > 30e3 && bytes < 100e3, `${page} ${tab} ${language}: ${bytes} bytes`);
    }
});
