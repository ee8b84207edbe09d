// class.test.js - a page among many behind one address, as those of a class: how much it asks at once, what it shows before all
// is answered, that it waits where it is told to, and thirty of them together against the limits as they are shipped.
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { after, assert, binary, long, longer, start, test, until, within } from '../http/harness.js';
import { frozen, look, PATIENCE, says, server } from './browser.js';
import { front, mortal } from './replicas.js';

const school = await start({ after }); // of its own: nobody else asks it
const PUPILS = 30;
const CONNECTIONS = 6; // of a browser to one server
const limit = Number(spawnSync(binary, ['--help']).stdout.toString().match(/--max-client-searches\b.*?(\d+)/s)[1]);
const asks = ({ pathname }) => !/^\/(web\/.*|docs|openapi\.yaml)?$/.test(pathname); // what is no file of the page
const gate = () => {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
};
const isChart = (url) => url.startsWith('/count?n=0-40');
const [hanging, ending] = [await start({ after }), await mortal()];
const slowChart = await front((url) => (isChart(url) ? hanging : server));
const lostChart = await front((url) => (isChart(url) ? ending : server));
const strict = await start({ after }, '--max-client-searches', '1');
const scarce = `http://127.0.0.1:${strict.port}/`;

// How many of the page's requests that `asks` is true of were under way at once, by the clock of the browser: those that have not
// ended have no entry.
function atOnce(count) {
  const entries = performance.getEntriesByType('resource').filter(({ name }) => globalThis.asks(new URL(name)));
  const edges = entries.flatMap(({ startTime, responseEnd }) => [[startTime, 1], [responseEnd, -1]]);
  let now = count - entries.length;
  return Math.max(...edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, change]) => (now += change)));
}

// What a page asks on its way to what `seen` finds, over a network so slow that whatever is asked together is under way together:
// [{ method, path, body }], how many were at most, and the files of the page that were loaded before.
async function watch(page, hash, seen) {
  const [asked, files] = [[], []];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!asks({ pathname })) files.push({ method: 'GET', path: pathname });
    else asked.push({ method: request.method(), path: pathname + search, body: request.postData() ?? undefined });
  });
  const network = await page.context().newCDPSession(page);
  await network.send('Network.emulateNetworkConditions', { offline: false, latency: 30, downloadThroughput: -1, uploadThroughput: -1 });
  await page.addInitScript(`globalThis.asks = ${asks}`);
  await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
  await page.locator(seen).first().waitFor();
  await page.waitForLoadState('networkidle');
  return { asked, most: await page.evaluate(atOnce, asked.length), files };
}

// ---- How much at once ----

const tabs = {
  '#board?n=12&offset=7': '.board .queen',
  '#play?n=8&heat=1': '.board .heat',
  '#watch?n=8&algorithm=rapella&algorithm2=romani-5': '.watch .figures dd:not([hidden])',
  '#build?n=1000000&with=local-search&at=1:1&span=20000': '.pane .figures dt',
};
for (const [hash, seen] of Object.entries(tabs))
  look(`${hash} asks so little at once that a class may`, { hash: null, fresh: true }, async (page) => {
    const { asked, most } = await watch(page, hash, seen);
    console.log(`# ${hash}: ${most} of ${asked.length} at once`);
    assert.ok(asked.length && PUPILS * most <= limit, `${most} of ${asked.length} at once, ${PUPILS} times, where ${limit} may be`);
  });

look('the tab Count does so, too, with a job that it follows', { hash: null, fresh: true }, async (page) => {
  const job = await server.begin(long);
  const listens = page.waitForRequest('**/events');
  const seen = watch(page, `#count?n=12&gallery=1&job=${job.id}`, '.gallery li:nth-child(12)').catch(() => null); // it is never idle
  await listens;
  await says(page.locator('.seen'), 'n = 12; 14,200; exact, counted here');
  await page.locator('.gallery li').nth(11).waitFor();
  await server.delete(`/jobs/${job.id}`);
  const { asked, most } = await seen;
  assert.ok(PUPILS * most <= limit, `${most} of ${asked.length} at once, ${PUPILS} times, where ${limit} may be`);
});

// ---- Before all is answered ----

look('the rest of the page does not wait for the chart, and the chart changes under the keyboard as it comes', { hash: null, base: slowChart.base }, async (page) => {
  const column = (n) => page.getByRole('button', { name: new RegExp(`^n = ${n}(;|$)`) });
  await frozen(async () => {
    await page.goto(`${slowChart.base}#count?n=12&gallery=1`);
    await says(page.locator('.seen'), 'n = 12; Counting…');
    await says(page.locator('.answer'), 'Counting…');
    await page.locator('.gallery li').nth(11).waitFor(); // none of this waits for what goes unanswered
    await column(30).focus(); // and stays there, whatever comes
    await says(page.locator('.seen'), 'n = 30; Counting…');
  }, hanging);
  await says(page.locator('.seen'), /^n = 30; \d\.\d+ · 10²⁰ ± [\d.]+ %; estimated$/);
  assert.ok(await column(30).evaluate((one) => one === document.activeElement));
  await column(12).hover();
  await says(page.locator('.seen'), 'n = 12; 14,200; exact, counted here');
});

look('a failed request leaves the rest of the page, also the number, and can be repeated', { hash: null, base: lostChart.base, forgive: /status of 503/ }, async (page) => {
  await ending.fall();
  await page.goto(`${lostChart.base}#count?n=12&gallery=1`);
  await page.locator('.plot ~ * [role=alert]').waitFor();
  await says(page.locator('.amount'), '14,200');
  await page.locator('.gallery li').nth(11).waitFor();
  await ending.rise();
  await page.locator('.plot ~ * .error button').click();
  await says(page.locator('.seen'), 'n = 12; 14,200; exact, counted here');
  await page.locator('.plot ~ * [role=alert]').waitFor({ state: 'detached' });
});

look('after a 429 the page asks again later, more than once, without a message', { hash: null, base: scarce, forgive: /of 429/ }, async (page) => {
  const someone = await strict.connect(); // behind the same address, with the one search that this may have
  await someone.ask('GET', '/solve?n=20&format=ndjson').head();
  const refusals = new Map();
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    if (response.status() === 429) refusals.set(pathname + search, (refusals.get(pathname + search) ?? 0) + 1);
  });
  await page.goto(`${scarce}#board?n=6`);
  await until(() => [...refusals.values()].some((times) => times >= 2), 'the second refusal of a request');
  someone.drop();
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  assert.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0);
});

// ---- Thirty of them ----

// As a browser does it: so many connections, each with one request at a time.
function pupil({ asked, most }, { port } = school) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Math.min(most, CONNECTIONS) });
  const [sent, list] = [gate(), [...asked]];
  const one = ({ method, path, body }) =>
    new Promise((resolve, reject) => {
      const headers = body ? { 'Content-Type': 'application/json' } : {};
      const request = http.request({ host: '127.0.0.1', port, method, path, agent, headers }, (response) => {
        response.resume().on('end', () => resolve({ path, status: response.statusCode }));
      });
      request.on('error', reject).on('finish', sent.open).end(body);
    });
  const work = async () => {
    const told = [];
    for (let next; (next = list.shift());) told.push(await one(next));
    return told;
  };
  const all = Promise.all(Array.from({ length: agent.maxSockets }, work)).then((told) => told.flat());
  return { sent: sent.opened, all: all.finally(() => agent.destroy()) };
}

const patterns = [];
for (const hash of ['#count', '#count?n=15&rules=reflecting'])
  look(`what ${hash} asks for its chart: one question and the list of rules`, { hash: null, fresh: true }, async (page) => {
    patterns.push(await watch(page, hash, '.plot .ring'));
    const paths = patterns.at(-1).asked.map(({ path }) => path.replace(/[?].*/, ''));
    assert.deepEqual(paths, ['/algorithms', '/count']);
    assert.ok(patterns.at(-1).files.length + paths.length <= FILES, patterns.at(-1).files.map(({ path }) => path).join(' '));
  });

const FILES = 6; // that a page loads, with its questions

test('thirty pupils behind one address who start at once: none is rejected, and the service counts once', async (t) => {
  const figures = () => Promise.all(['nq_searches_started_total', 'process_cpu_seconds_total'].map((name) => school.metric(name)));
  const before = await figures();
  school.process.kill('SIGSTOP'); // until all have asked: then the service has as much under way as they bring about
  const pupils = [];
  try {
    for (let i = 0; i < PUPILS; i++) pupils.push(pupil(patterns[i % patterns.length]));
    await within(Promise.all(pupils.map(({ sent }) => sent)), 'question from each');
  } finally {
    school.process.kill('SIGCONT');
  }
  const told = (await within(Promise.all(pupils.map(({ all }) => all)), 'lesson', 120)).flat();
  assert.deepEqual(told.filter(({ status }) => status !== 200), []);
  assert.equal(told.length, PUPILS * 2);
  assert.equal(await school.metric('nq_clients_refused_total'), 0);
  const [searches, spent] = (await figures()).map((now, i) => now - before[i]);
  t.diagnostic(`${searches} searches, ${spent.toFixed(2)} core-seconds`);
  const ranges = new Set(patterns.flatMap(({ asked }) => asked.map(({ path }) => path)).filter((path) => path.startsWith('/count')));
  const sizes = [...ranges].map((path) => path.match(/[?&]n=(\d+)-(\d+)/).slice(1).map(Number)).map(([first, last]) => last - first + 1);
  assert.ok(searches > 0 && searches <= sizes.reduce((sum, each) => sum + each, 0), `${searches} searches for ranges of ${sizes} sizes`);
});

// In a page: the time from its opening to its chart, in ms.
function clock() {
  new MutationObserver(() => {
    if (!globalThis.charted && document.querySelector('.plot .ring')) globalThis.charted = performance.now();
  }).observe(document, { subtree: true, childList: true });
}
const charted = async (one, port) => {
  await one.goto(`http://127.0.0.1:${port}/#count`, { timeout: 3 * PATIENCE });
  return (await one.waitForFunction(() => globalThis.charted, null, { timeout: 3 * PATIENCE })).jsonValue();
};

// Thirty browsers on one machine: it takes long, and memory.
if (longer)
  look('thirty browsers behind one address all have their chart', { hash: null }, async (page, context) => {
    const fresh = await start({ after });
    const begin = async () => {
      const mine = await context.browser().newContext({ locale: 'en-GB' }); // with connections of its own
      const one = await mine.newPage();
      const wrong = [];
      one.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
      one.on('pageerror', (error) => wrong.push(String(error)));
      one.on('response', (response) => response.status() >= 400 && wrong.push(`${response.status()} ${response.url()}`));
      await one.addInitScript(clock);
      return { mine, one, wrong };
    };
    const pupils = await Promise.all(Array.from({ length: PUPILS }, begin));
    const times = await Promise.all(pupils.map(({ one }) => charted(one, fresh.port)));
    console.log(`# the charts are there after ${times.map(Math.round).sort((a, b) => a - b).join(' ')} ms`);
    assert.deepEqual(pupils.flatMap(({ wrong }) => wrong), []);
    assert.equal(await fresh.metric('nq_clients_refused_total'), 0);
    for (const { mine } of pupils) await mine.close();
  });
