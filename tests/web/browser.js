// browser.js - one server and one browser for a file of tests: Chromium, or Debian's Firefox with NQ_BROWSER=firefox, which is driven
// by WebDriver BiDi. It knows nothing of what is shown.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import playwright from 'playwright-core';
import { after, assert, longer, patience, start, test, until } from '../http/harness.js';

export const server = await start({ after });
const chromium = () =>
  playwright.chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  });
const firefox = () => playwright._bidiFirefox.launch({ executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr' });
export const browser = await (process.env.NQ_BROWSER === 'firefox' ? firefox() : chromium());
after(() => browser.close());

export const PATIENCE = 60000 * patience; // ms

// In a page: remembers what the live region has said, for the next sentence may come at once.
function listen() {
  globalThis.heard = [];
  const note = ({ target }) => target.parentElement?.closest('#said') ?? (target.id === 'said' && target);
  new MutationObserver((changes) => {
    for (const said of changes.map(note).filter(Boolean)) globalThis.heard.push(said.textContent);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

// Everything that a screen reader was given to say so far: [text].
export const heard = (page) => page.evaluate(() => globalThis.heard);

// In a page: the live regions that have changed since, for each time its text.
export const listenToAll = (page) =>
  page.evaluate(() => {
    globalThis.spoken = [];
    for (const live of document.querySelectorAll('output, [role=status], [role=alert], [aria-live]'))
      if (live.ariaLive !== 'off')
        new MutationObserver(() => globalThis.spoken.push(live.textContent)).observe(live, { subtree: true, childList: true, characterData: true });
  });
export const spoken = (page) => page.evaluate(() => globalThis.spoken);

// When the page is broken, every test of a file would wait that long: after two that waited in vain the others do not.
let inVain = 0;
const patienceLeft = () => (inVain < 2 ? PATIENCE : PATIENCE / 20);

const narrow = 320; // WCAG 2.2, 1.4.10: 1280 pixels enlarged four times
const wider = [390, 768, 1280, 1920];

// The worker keeps all files anew for each test, which takes an eighth of its time: what it adds is for app.test.js and journey.test.js.
const serviceWorkers = longer ? 'allow' : 'block';

// What a test may do to a page that cannot be taken back, or easily: such a page is not used again.
const LASTING = { page: ['addInitScript'], clock: ['install', 'setFixedTime'], mouse: ['down'], context: ['newCDPSession'] };

// A page in a context of its own. It costs as much to make as to load: a test that leaves it as it was hands it on.
async function newPage(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.addInitScript(listen);
  if (process.env.NQ_BROWSER === 'firefox') return { context, page, spent: true };
  const made = { context, page, spent: false, tools: await context.newCDPSession(page) };
  for (const [name, it] of Object.entries({ page, clock: page.clock, mouse: page.mouse, context }))
    for (const lasting of LASTING[name]) {
      const does = it[lasting];
      it[lasting] = function (...values) {
        made.spent = true;
        return does.apply(it, values);
      };
    }
  return made;
}

// Pages that wait for the next test with these options.
const waiting = new Map();

// The page is empty again, and the browser keeps nothing of what it has stored.
async function clean({ context, page, tools }, base) {
  for (const other of context.pages().filter((one) => one !== page)) await other.close();
  for (const event of ['console', 'pageerror', 'request', 'response']) page.removeAllListeners(event);
  await page.goto('about:blank');
  await page.mouse.move(-1, -1); // it would point at something in the next one
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await tools.send('Storage.clearDataForOrigin', { origin: new URL(base).origin, storageTypes: 'local_storage,service_workers,cache_storage' });
}

// A test with a page that is empty but for `hash` (or nowhere: null). It fails on anything the console calls an error, and on
// requests to others. options: those of a browser context; `base`: another address; `also`: origins that may be asked, too;
// `forgive`: console errors to be expected; `fresh`: for what a browser does that has loaded nothing before.
export function look(name, { hash = '', base = `http://127.0.0.1:${server.port}/`, also = [], forgive = /^$/, fresh = false, ...options }, body) {
  test(name, async () => {
    const { viewport = { width: 1440, height: 900 }, colorScheme = 'light', reducedMotion = 'no-preference', ...lasting } = options;
    const key = JSON.stringify(lasting);
    const mine = (!fresh && waiting.get(key)) || (await newPage({ locale: 'en-GB', serviceWorkers, ...lasting }));
    const { page, context } = mine;
    if (fresh) mine.spent = true;
    else waiting.delete(key);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ media: null, colorScheme, reducedMotion });
    const wrong = [];
    const complain = (text) => forgive.test(text) || wrong.push(text);
    page.setDefaultTimeout(patienceLeft());
    page.on('console', (message) => message.type() === 'error' && complain(`${message.text()} (${message.location().url})`));
    page.on('pageerror', (error) => complain(String(error)));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (['http:', 'https:'].includes(url.protocol) && ![new URL(base).origin, ...also].includes(url.origin)) wrong.push(`asks ${url}`);
    });
    try {
      if (hash !== null) await page.goto(`${base}${hash}`);
      await body(page, context);
      assert.deepEqual(wrong, []);
      if (!mine.spent) await clean(mine, base);
    } catch (error) {
      mine.spent = true;
      inVain += error.name === 'TimeoutError';
      throw error;
    } finally {
      if (mine.spent) await context.close();
      else waiting.set(key, mine);
    }
  });
}

// Waits until an element says what it should.
export async function says(locator, wanted) {
  let text;
  const seen = async () => {
    text = (await locator.textContent()) ?? '';
    return typeof wanted === 'string' ? text === wanted : wanted.test(text);
  };
  await until(seen, `it says ${wanted}`, 60).catch((error) => assert.fail(`${error.message}, but ${JSON.stringify(text)}`));
  return text;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// No violation of what axe knows in `part` of the page, by day; by night nothing is different but the colours.
export async function accessible(page, part = 'html') {
  await page.evaluate(axe);
  for (const [colorScheme, runOnly] of [['light'], ['dark', ['color-contrast']]]) {
    await page.emulateMedia({ colorScheme });
    const options = { resultTypes: ['violations'], selectors: false, ...(runOnly && { runOnly }) };
    const { violations } = await page.evaluate(([part, options]) => globalThis.axe.run(part, options), [part, options]);
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
      [],
    );
  }
}

// Nothing is answered while work() runs.
export async function frozen(work, { process } = server) {
  process.kill('SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill('SIGCONT');
  }
}

// Where a page is, below the server: /board?n=8, /count#n=8.
export const where = (page) => page.url().replace(/^\w+:\/\/[^/]+/, '');

// The settings in a page's address, wherever they stand in it.
export function query(page) {
  const { pathname, search, hash } = new URL(page.url());
  const values = new URLSearchParams(pathname.endsWith('/count') ? hash.slice(1) : search);
  const [, tab, own] = /\/(play|watch)\/([^/]+)$/.exec(pathname) ?? [];
  if (own) values.set(tab === 'watch' ? 'algorithm' : /^\d+-/.test(own) ? 'daily' : 'code', own);
  return values;
}

export const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

// The name of what has the focus.
export const focused = (page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at.labels?.[0]?.firstChild.textContent ?? at.getAttribute('aria-label') ?? at.textContent;
  });

// Presses Tab until a name, one that matches, or an element has the focus; around the page, for what is being loaded may come
// behind where one is.
export async function tabTo(page, wanted) {
  const there = async () => {
    if (typeof wanted === 'string') return (await focused(page)) === wanted;
    return wanted instanceof RegExp ? wanted.test(await focused(page)) : wanted.evaluate((at) => at === document.activeElement);
  };
  const met = new Set();
  for (let i = 0; i < 300; i++) {
    await page.keyboard.press('Tab');
    if (await there()) return;
    met.add((await focused(page)).slice(0, 40));
  }
  assert.fail(`no way to ${wanted}, but to ${[...met].join(' | ')}`);
}

// Nothing sticks out to the right.
export async function fits(page) {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `${wide} pixels in ${room}`);
}

// What `body` brings about fits where it is narrow, and axe has nothing to say of it, by day and by night. NQ_LONG=1: the same
// for every width; else a page that was narrow is made wide, and fits.
export function everywhere(options, body) {
  for (const width of longer ? [narrow, ...wider] : [narrow])
    look(`it fits ${width} pixels, by day and night`, { viewport: { width, height: 800 }, ...options }, async (page) => {
      await body(page);
      await fits(page);
      await accessible(page);
      for (const other of longer ? [] : wider) {
        await page.setViewportSize({ width: other, height: 800 });
        await fits(page);
      }
    });
}
