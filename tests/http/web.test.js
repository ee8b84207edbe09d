// web.test.js - the page as files: what is sent, with which headers, in which language. tests/web sees what becomes of it.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { languages, wordsOf } from '../web/languages.js';
import { after, assert, start, test } from './harness.js';

const server = await start({ after });
const folder = new URL('../../src/web/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const sources = { '/': 'index.html', '/docs': 'docs.html', '/embed?code=131w': 'embed.html' };
const pages = Object.fromEntries(await Promise.all(Object.keys(sources).map(async (target) => [target, await server.get(target)])));
const namesIn = ({ text }) => [...text.matchAll(/(?:href|src)="(web\/[^"]*)"/g)].map(([, name]) => name);
const scripts = [...new Set(Object.values(pages).flatMap(namesIn))].map((name) => `/${name}`);
const targets = [...Object.keys(pages), ...scripts];
const sha256 = (text, as) => createHash('sha256').update(text).digest(as);

test('the pages are those of the sources, with their style, their icon and what they say if nothing else is loaded', async () => {
  const icon = `data:image/svg+xml;base64,${Buffer.from(read('icon.svg')).toString('base64')}`;
  const { unloaded } = await wordsOf('en');
  const body = (text) => text.slice(text.indexOf('</head>'));
  for (const [target, { text, headers }] of Object.entries(pages)) {
    assert.equal(body(text), body(read(sources[target])).replaceAll('web/icon.svg', icon).replace(/id="gone".*?>/, `$&${unloaded}`));
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    const [, style] = /<style>(.+)<\/style>/.exec(text);
    assert.ok(headers['content-security-policy'].includes(`style-src 'sha256-${sha256(style, 'base64')}'`));
    const [, script] = /<script>(.+)<\/script>/.exec(text);
    assert.ok(headers['content-security-policy'].includes(`script-src 'self' 'sha256-${sha256(script, 'base64')}'`));
  }
});

test('a page names every script it may load, each by its content, in the language of a reader', async () => {
  const names = Object.fromEntries(await Promise.all(languages.map(async (language) => [language, (await wordsOf(language)).language])));
  assert.ok(languages.length >= 3);
  for (const { text } of Object.values(pages))
    assert.deepEqual(Object.fromEntries([...text.matchAll(/<link rel="words" hreflang="(\w+)" title="([^"]+)"/g)].map(([, ...pair]) => pair)), names);
  const made = new Set(scripts.map((name) => name.split('-')[0].slice('/web/'.length)));
  const tabs = readdirSync(folder).flatMap((name) => /^((?:tab|play|watch|board|count)_\w+)\.js$/.exec(name)?.[1] ?? []).filter((name) => !['tab_play', 'tab_front', 'play_panel', 'play_help', 'watch_side', 'count_figures', 'count_gallery', 'count_job'].includes(name));
  assert.deepEqual(made, new Set(['main', 'docs', 'words', 'words_docs', ...tabs]));
  const main = scripts.find((name) => name.startsWith('/web/main-'));
  for (const stem of new Set(scripts.map((name) => name.replace(/(\.\w\w)?\.js$/, '')))) {
    const all = /\/(main|docs)-/.test(stem) ? [`${stem}.js`] : ['en', ...languages.filter((name) => name !== 'en')].map((language) => `${stem}.${language}.js`);
    const replies = await Promise.all(all.map((name) => server.get(name)));
    for (const { status, text, headers } of replies) {
      assert.equal(status, 200, stem);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['content-language'], undefined);
      // what a tab shares with others stands in main.js as that is named
      for (const [, imported] of text.matchAll(/\bfrom"\.(\/[\w.-]+\.js)"/g)) assert.equal(`/web${imported}`, main, stem);
    }
    assert.ok(sha256(replies.map(({ text }) => text).join(''), 'hex').startsWith(stem.split('-')[1]), stem);
  }
});

test('the Content-Security-Policy allows only this origin', async () => {
  for (const target of targets) {
    const { headers } = await server.get(target);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    if (scripts.includes(target)) continue;
    const policy = headers['content-security-policy'];
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe|\*|http/);
    assert.match(policy, /; frame-ancestors 'self'$/);
  }
});

test('--frame-ancestors says which pages may embed those of the explorer', async (t) => {
  for (const [wanted, written] of [
    ["'self'", "'self'"],
    ['self', "'self'"], // as a shell leaves it
    ['none', "'none'"],
    ["'none'", "'none'"],
    ['*', '*'],
    ['https://a.example', 'https://a.example'],
    ["'self',https://a.example,http://b.example:8080", "'self' https://a.example http://b.example:8080"],
  ]) {
    const other = await start(t, '--frame-ancestors', wanted);
    for (const target of Object.keys(sources)) {
      const { headers } = await other.get(target);
      assert.ok(headers['content-security-policy'].endsWith(`; frame-ancestors ${written}`), `${wanted}: ${headers['content-security-policy']}`);
      assert.equal(headers['x-frame-options'], undefined);
    }
    assert.equal((await other.get('/count?n=8')).headers['content-security-policy'], undefined);
  }
});

test('/embed: lang goes before Accept-Language; other values are refused', async () => {
  for (const lang of languages) {
    const { text, headers } = await server.get(`/embed?code=131w&lang=${lang}`, { 'accept-language': 'it' });
    assert.ok(text.includes(`<html lang="${lang}">`), lang);
    assert.equal(headers['content-language'], lang);
  }
  const refused = await server.get('/embed?code=131w&lang=xx');
  refused.isProblem(400, 'lang');
  assert.deepEqual([...refused.json.errors[0].choices].sort(), [...languages].sort());
  (await server.get('/embed')).isProblem(400, 'code');
  (await server.get('/embed?code=%3Cscript%3E')).isProblem(400, 'code');
});

test('all answers have nosniff', async () => {
  for (const target of ['/solve?n=8', '/count?n=x', '/nothing', '/openapi.yaml', '/construct?n=8&format=svg'])
    assert.equal((await server.get(target)).headers['x-content-type-options'], 'nosniff', target);
});

test('a stored page must be revalidated, a script is kept for a year; both are 304 while unchanged', async () => {
  const tags = new Set();
  for (const target of targets) {
    const { headers } = await server.get(target);
    assert.equal(headers['cache-control'], scripts.includes(target) ? 'public, max-age=31536000, immutable' : 'no-cache');
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
    for (const { headers } of [plain, gzip, head]) assert.match(headers.vary, /(^|, )Accept-Encoding(,|$)/);
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
    ['gzip;q=0, *', undefined],
    ['', undefined],
  ])
    assert.equal((await bytes(scripts[0], { 'accept-encoding': wanted })).headers['content-encoding'], coding, wanted);
  assert.equal((await bytes('/web/nothing.js', zipped)).headers['content-encoding'], undefined);
});

test('the gzip copies have neither a date nor a name: they are the same from every build', async () => {
  for (const target of targets) assert.deepEqual([...(await bytes(target, zipped)).body.subarray(0, 8)], [31, 139, 8, 0, 0, 0, 0, 0], target);
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
    ['xx, fr;q=0.9, ru;q=0.1', 'ru'],
    ['en;q=0, *;q=0.5', 'it'],
    ['xx', 'en'],
  ]) {
    assert.equal(await language(wanted), got, wanted);
    assert.equal(await language(wanted, '/docs'), got, wanted);
  }
  const tags = await Promise.all(languages.map((it) => server.get('/', { 'accept-language': it })));
  assert.equal(new Set(tags.map(({ headers }) => headers.etag)).size, languages.length);
});

test('other names are 404', async () => {
  for (const name of ['web/', 'web/nothing.js', 'web/index.html', 'web/main.js', 'web/style.css', `${scripts[0].slice(1)}/x`, scripts[0].slice(1).toUpperCase(), 'web', 'docs/x'])
    (await server.get(`/${name}`)).isProblem(404);
  for (const path of ['/web/..', '/web/../main.c', `/web/..${scripts[0]}`, '/web/.', '/web/%2e%2e%2fmain.c']) {
    const [reply] = await server.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    reply.isProblem(404);
  }
  (await server.get(`${scripts[0]}?v=1`)).isProblem(400, 'v');
  (await server.get('/', { accept: 'application/json' })).isProblem(406);
});

test('a page says where its picture is and what it is called elsewhere, and nothing of a request becomes markup', async (t) => {
  const behind = await start(t, '--trusted-proxies', '127.0.0.1', '--base-path', '/queens');
  const ask = async (of, path, ...lines) => {
    const [reply] = await of.raw([`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'));
    const one = (pattern) => pattern.exec(reply.text)?.[1].replaceAll('&amp;', '&');
    return { ...reply, image: one(/property="og:image" content="([^"]*)"/), canonical: one(/rel="canonical" href="([^"]*)"/), title: one(/<title>([^<]*)</) };
  };
  const day = await ask(server, '/play/2026-11-27?n=6', 'Host: queens.example:8080');
  assert.equal(day.image, 'http://queens.example:8080/puzzle?kind=regions&daily=2026-11-27&n=6&format=png');
  assert.equal(day.canonical, 'http://queens.example:8080/play/2026-11-27');
  assert.ok(day.text.includes('hreflang="it" href="http://queens.example:8080/play/2026-11-27?lang=it"'));
  assert.deepEqual((await ask(server, '/embed?code=131w', 'Host: x')).text.match(/canonical|hreflang="\w+" href=/g), null, 'without its code it is nothing');
  const target = new URL(day.image);
  assert.equal((await server.get(`${target.pathname}${target.search}`)).headers['content-type'], 'image/png');
  assert.equal((await ask(server, '/watch/rapella', 'Host: x')).image, 'http://x/solve?n=8&format=png');
  assert.equal((await ask(server, '/watch', 'Host: x', 'X-Forwarded-Proto: https')).image, 'http://x/solve?n=8&format=png', 'it is no trusted proxy');
  const secure = await ask(behind, '/queens/play/131w', 'Host: x', 'X-Forwarded-Proto: https');
  assert.deepEqual([secure.image, secure.canonical], ['https://x/queens/puzzle?code=131w&format=png', 'https://x/queens/play/131w']);
  assert.match(secure.headers.vary, /X-Forwarded-Proto/);
  for (const host of ['a"><script>', "a'b", 'a&b', 'a<b', 'zq zq', 'zq/zq']) {
    const { status, text, image, canonical } = await ask(server, '/', `Host: ${host}`);
    if (status !== 200) continue; // refused as no host
    assert.deepEqual([image, canonical], [undefined, '/'], host);
    assert.ok(!text.includes(host), host);
  }
  assert.equal((await ask(server, '/play/2026-11-27?n=%22%3E', 'Host: x')).image, 'http://x/puzzle?kind=regions&daily=2026-11-27&format=png');
  const titles = await Promise.all(['/', '/play', '/watch', '/board', '/build', '/docs'].map(async (path) => (await ask(server, path, 'Host: x')).title));
  assert.equal(new Set(titles).size, titles.length);
  const page = await server.get('/count', { accept: 'text/html' });
  assert.match(page.headers['content-type'], /^text\/html/);
  assert.match(page.headers.vary, /\bAccept\b/);
  for (const [path, accept] of [['/count?n=8', 'text/html,*/*;q=0.8'], ['/count', '*/*'], ['/count', 'application/json']])
    assert.doesNotMatch((await server.get(path, { accept })).headers['content-type'], /html/, `${path} ${accept}`);
});

test('the picture of the first page is today’s board, and the page is another one when the day is', async (t) => {
  const [, rows] = /^const N = (\d+); \/\/ rows of the board$/m.exec(read('tab_front.js'));
  const pictureOf = ({ text }) => /property="og:image" content="([^"]*)"/.exec(text)[1].replaceAll('&amp;', '&');
  const dayOf = ({ headers }) => new Date(headers.date).toISOString().slice(0, 10);
  const [first, again] = [await server.get('/'), await server.get('/')];
  if (dayOf(first) !== dayOf(again)) return t.skip('midnight');
  const picture = `/puzzle?kind=regions&daily=${dayOf(first)}&n=${rows}&format=png`;
  assert.equal(pictureOf(first), `http://127.0.0.1:${server.port}${picture}`);
  const drawn = await server.get(picture);
  assert.equal(drawn.headers['content-type'], 'image/png');
  assert.match(drawn.headers['cache-control'], /max-age=/, 'a day has one board for ever');
  assert.deepEqual([again.text, again.headers.etag], [first.text, first.headers.etag], 'the page is the same all day');
  assert.equal(first.headers['cache-control'], 'no-cache', 'and asked for anew on the next');
});
