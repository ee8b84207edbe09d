// app.test.js - the explorer as an app: what browsers and crawlers ask for by themselves, games without a network, and upgrades, of
// which what is kept must be no obstacle.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { parsePng } from '../http/png.js';
import { after, assert, start, test, until } from '../http/harness.js';
import { routes } from '../http/table.js';
import { look, press, says, server } from './browser.js';
import { differences } from './icons.js';
import { languages, wordsOf } from './languages.js';
import { made, put, queens, shown } from './puzzles.js';
import { otherRelease } from './release.js';
import { front } from './replicas.js';

const style = readFileSync(new URL('../../src/web/style.css', import.meta.url), 'utf8');
const words = await wordsOf('en');
const colour = (name) => new RegExp(`--${name}: (#\\w+);`).exec(style)[1];
const gone = /net::ERR_|502/; // what the console says of a service that is away

// All before the first test: the browser is closed after the last of those that are known then.
const startNewer = otherRelease({ 'worker.js': ['shell 1`', 'shell 2`'] });
const newer = await startNewer();
const nothing = http.createServer((request, reply) => reply.writeHead(404).end()).listen(0, '127.0.0.1');
after(() => nothing.close());

// A service that a test ends, begins, and replaces; asked: every target that came to it.
async function service() {
  const at = { now: server, workers: true, asked: [] };
  const { base } = await front((url) => {
    at.asked.push(url);
    return !at.workers && url === '/worker.js' ? nothing.address() : (at.now ?? { port: 1 }); // where nobody listens
  });
  return Object.assign(at, { base });
}
const [tunnel, first, trusted, upgraded, downgraded, many, chosen, inFrame, refused] = await Promise.all(Array.from({ length: 9 }, service));
const away = ({ base }, hash = null) => ({ hash, base, forgive: gone, fresh: true, serviceWorkers: 'allow' });

// What the browser has: { shell, boards }, the targets in each. To look into a cache that has just been deleted makes it again, empty.
const keptBy = (page, base) =>
  page.evaluate(async (base) => {
    const kept = {};
    for (const name of await caches.keys())
      kept[name.replace(`nqueensd ${base} `, '')] = (await (await caches.open(name)).keys()).map(({ url }) => url.slice(base.length));
    return kept;
  }, base);
const isKept = (page, base, shell = 'shell 1') => until(async () => (await keptBy(page, base))[shell]?.includes(''), 'the page is kept', 30);
const scriptsOf = (text) => [.../<script type="module" src="([^"]+)"/.exec(text).slice(1)];

test('the icons are icon.svg, with the sizes that the manifest says', async () => {
  assert.deepEqual(differences(), []);
  const { icons } = JSON.parse((await server.get('/manifest.webmanifest')).text);
  assert.deepEqual(icons.map(({ sizes }) => sizes), ['192x192', '512x512', '512x512']);
  for (const { src, sizes, type } of icons) {
    const { status, bytes, headers } = await server.get(`/${src}`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], type);
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
  // what a mask may cut, and a phone's own corners, have the ground's colour
  for (const name of ['/icons/maskable.png', '/apple-touch-icon.png']) {
    const { width, height, colour: at } = parsePng((await server.get(name)).bytes);
    for (const [x, y] of [[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]]) assert.equal(at(x, y), colour('accent'));
    assert.equal(at(width >> 1, (height * 6) / 10 | 0), '#ffffff');
  }
});

test('the manifest has the colours of the page, addresses that hold below any prefix, and the language of the reader', async () => {
  for (const language of languages) {
    const { text, headers } = await server.get('/manifest.webmanifest', { 'accept-language': language });
    const manifest = JSON.parse(text);
    const { pages } = await wordsOf(language);
    const { name, short_name: short, description, lang, start_url: first, scope, display, theme_color: theme, background_color: ground } = manifest;
    assert.deepEqual([name, short, description, lang, first, scope, display], [pages.front.title, pages.front.title, pages.front.about, language, './', './', 'standalone']);
    assert.deepEqual([theme, ground], [colour('accent'), colour('paper')]);
    assert.equal(headers['content-language'], language);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal((await server.get(`/manifest.webmanifest?lang=${language}`)).text, text);
    assert.match((await server.get(`/?lang=${language}`)).text, new RegExp(`href="manifest.webmanifest\\?lang=${language}"`));
  }
});

test('crawlers may have the pages, and what they show, but no answers that take work', async () => {
  const { text } = await server.get('/robots.txt');
  const shut = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path);
  const may = (target) => !shut.some((start) => target.startsWith(start));
  const cheap = ['/puzzle', '/algorithms', '/openapi.yaml', '/openapi.json', '/', '/play', '/play/{board}', '/watch', '/watch/{algorithm}', '/board', '/build', '/docs', '/embed', '/web/{file}', '/favicon.ico', '/apple-touch-icon.png', '/icons/{icon}', '/robots.txt', '/manifest.webmanifest', '/worker.js'];
  for (const { path } of routes.filter(({ port }) => port === 'public')) assert.equal(may(`${path}?n=8`), cheap.includes(path), path);
  for (const page of ['/', '/docs', '/count', '/play/131w']) assert.ok(may(page), page);
});

test('only the page that is an app may have a worker, which may load nothing', async () => {
  for (const [target, may] of [['/', true], ['/docs', false], ['/embed?code=131w', false]]) {
    const { text, headers } = await server.get(target);
    assert.equal(headers['content-security-policy'].includes("; worker-src 'self'; manifest-src 'self'; "), may, target);
    assert.equal(text.includes('rel="manifest"'), may, target);
  }
  const { headers } = await server.get('/worker.js');
  assert.equal(headers['content-security-policy'], "default-src 'none'; connect-src 'self'");
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal(headers['service-worker-allowed'], undefined);
});

look('a game goes on without the service, and hints say that it is away', away(tunnel, `#play?code=${made.code}`), async (page) => {
  const { base } = tunnel;
  const opens = async (target, count) => {
    await page.goto('about:blank');
    await page.goto(`${base}${target}`);
    await shown(page);
    await until(async () => (await queens(page)) === count, `${count} queens at ${target}`);
    assert.ok(new URL(page.url()).pathname.endsWith(`/play/${made.code}`), page.url());
  };
  await shown(page);
  await put(page, 1, 1);
  await until(async () => (await queens(page)) === 1, 'a queen');
  await isKept(page, base);
  tunnel.now = null;
  await opens(`play/${made.code}`, 1);
  await put(page, 3, 3);
  await until(async () => (await queens(page)) === 2, 'another queen');
  await opens(`#play?code=${made.code}`, 2);
  await opens(`play/${made.code}?lang=en`, 2);
  await opens('play', 2);
  await press(page, 'Hint');
  await says(page.locator('#gone'), words.shell.gone);
  assert.equal(await queens(page), 2);
  tunnel.now = server;
  await page.locator('#gone').waitFor({ state: 'hidden' });
  await press(page, 'Hint');
  await says(page.locator('.speech'), /\w/);
  assert.equal(await queens(page), 2);
});

look('the first page and the board of the day open without the service', away(first), async (page) => {
  const { base } = first;
  await page.goto(base);
  await shown(page);
  await isKept(page, base);
  await until(async () => (await keptBy(page, base))['boards 1']?.length === 1, 'the board is kept');
  const [board] = (await keptBy(page, base))['boards 1'];
  const daily = new URLSearchParams(board.split('?')[1]).get('daily');
  first.now = null;
  for (const target of ['', `play/${daily}?n=6`]) {
    await page.goto('about:blank');
    await page.goto(`${base}${target}`);
    await shown(page);
    assert.equal(await page.locator('#gone').isVisible(), false);
  }
});

look('the network goes before all that is kept, and only boards and rules come without it', { ...away(trusted, `#play?code=${made.code}`), forgive: /404|net::ERR_/ }, async (page) => {
  const { base } = trusted;
  await isKept(page, base);
  await page.reload(); // now every request is seen by the worker
  await shown(page);
  const get = (target) =>
    page.evaluate(async (target) => {
      const options = { cache: 'no-store' };
      const answer = await fetch(target, options).catch(() => null);
      return answer && [answer.status, (await answer.text()).length > 0];
    }, target);
  const same = [`puzzle?kind=regions&code=${made.code}`, 'algorithms?table=rules'];
  const others = ['count?n=8', 'solve?n=6', 'algorithms', 'puzzle?n=8&seed=7', 'trace?n=4&algorithm=mrv&format=events', 'openapi.yaml'];
  for (const target of [...same, ...others]) {
    trusted.asked.length = 0;
    assert.deepEqual(await get(target), [200, true], target);
    assert.equal(trusted.asked.filter((url) => url === `/${target}`).length, 1, target); // beside what the worker looks for
  }
  trusted.now = null;
  for (const target of same) assert.deepEqual(await get(target), [200, true], target);
  for (const target of others.filter((one) => !one.startsWith('puzzle'))) assert.equal(await get(target), null, target);
  trusted.now = { port: nothing.address().port }; // an error is an answer
  for (const target of same) assert.deepEqual(await get(target), [404, false], target);
});

look('after an upgrade the page is the new one, what was kept of the old one is gone, and the new one opens without the service', away(upgraded, `#play?code=${made.code}`), async (page) => {
  const { base } = upgraded;
  await isKept(page, base);
  const before = (await keptBy(page, base))['shell 1'];
  upgraded.now = newer;
  await page.goto('about:blank');
  await page.goto(`${base}#play?code=${made.code}`);
  assert.equal(await page.evaluate(() => globalThis.release), 'newer');
  await isKept(page, base, 'shell 2');
  await until(async () => !(await keptBy(page, base))['shell 1']?.length, 'the old page is gone');
  const { 'shell 2': now, 'boards 1': boards } = await keptBy(page, base);
  assert.deepEqual(boards, [`puzzle?kind=regions&code=${made.code}`]);
  const main = (list) => list.find((name) => name.startsWith('web/main-'));
  assert.equal(now.length, before.length);
  assert.notEqual(main(now), main(before));
  assert.deepEqual([main(now)], scriptsOf((await newer.get('/')).text));
  upgraded.now = null;
  await page.goto('about:blank');
  await page.goto(`${base}play/${made.code}`);
  await shown(page);
  assert.equal(await page.evaluate(() => globalThis.release), 'newer');
});

look('a server of a release without a worker gets its own pages shown', { ...away(downgraded, `#play?code=${made.code}`), forgive: /404|net::ERR_/ }, async (page) => {
  const { base } = downgraded;
  await isKept(page, base);
  Object.assign(downgraded, { now: newer, workers: false });
  const updated = await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update().then(() => true, () => false));
  assert.equal(updated, false);
  await page.goto('about:blank');
  await page.goto(`${base}#play?code=${made.code}`);
  await shown(page);
  assert.equal(await page.evaluate(() => globalThis.release), 'newer');
  await until(async () => (await keptBy(page, base))['shell 1'].includes(scriptsOf((await newer.get('/')).text)[0]), 'its page is kept');
});

look('the last twenty boards are kept', away(many, `#play?code=${made.code}`), async (page) => {
  const { base } = many;
  await isKept(page, base);
  await page.reload();
  await shown(page);
  const codes = await page.evaluate(async () => {
    const codes = [];
    for (let seed = 1; codes.length < 22; seed++) {
      const answer = await fetch(`puzzle?kind=regions&n=5&seed=${seed}`);
      if (answer.ok) codes.push((await answer.json()).code);
    }
    return codes;
  });
  const wanted = codes.slice(-20).map((code) => `puzzle?kind=regions&code=${code}`);
  await until(async () => (await keptBy(page, base))['boards 1'].join() === wanted.join(), 'the last twenty are kept');
  many.now = null;
  await page.goto(`${base}play/${codes.at(-20)}`);
  await shown(page);
});

look('the language that a reader has chosen is kept', away(chosen, `#play?code=${made.code}`), async (page) => {
  const { base } = chosen;
  await isKept(page, base);
  await page.locator('#language').selectOption('it');
  await page.reload();
  await until(async () => (await keptBy(page, base))['shell 1'].some((name) => /words-\w+\.it\.js/.test(name)), 'Italian is kept', 30);
  await isKept(page, base);
  chosen.now = null;
  await page.reload();
  await shown(page);
  await says(page.locator('h2'), (await wordsOf('it')).play.title);
});

const registrations = (page) => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);

look('a board in a frame registers nothing', away(inFrame, 'embed?code=131w'), async (page) => {
  await shown(page);
  await page.waitForLoadState('networkidle');
  assert.equal(await registrations(page), 0);
  assert.ok(!inFrame.asked.includes('/worker.js'));
});

look('where the browser refuses a worker, the page works as before', away(refused), async (page) => {
  await page.addInitScript(() => (navigator.serviceWorker.register = () => Promise.reject(new DOMException('no', 'SecurityError'))));
  await page.goto(`${refused.base}#play?code=${made.code}`);
  await shown(page);
  await put(page, 1, 1);
  await until(async () => (await queens(page)) === 1, 'a queen');
  assert.equal(await registrations(page), 0);
});
