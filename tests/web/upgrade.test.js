// upgrade.test.js - the page while a server is replaced by one of another release: both answer, and neither has the scripts of the
// other. It knows nothing of what is shown besides.
import { after, assert, start } from '../http/harness.js';
import { accessible, look, says, server as older } from './browser.js';
import { wordsOf } from './languages.js';
import { otherRelease } from './release.js';
import { front } from './replicas.js';

const startNewer = otherRelease();
const newer = await startNewer();

// All before the first test: the browser is closed after the last of those that are known then.
const unlike = (asked) => front((url, loads) => (asked.test(url) && loads < 3 ? older : newer));
const forAWhile = [
  ['the newer page while its main script', 'board?n=6', '.permutation', await unlike(/main-/)],
  ['the older page while its main script', 'board?n=6', '.permutation', await unlike(/^\/board/)],
  ['the page of the API while its script', 'docs', 'main h2', await unlike(/docs-/)],
];
const upgraded = new Set();
const without = (asked) => front((url) => (asked.test(url) && !upgraded.has(asked) ? older : newer));
const missing = [
  ['count#n=6', 'svg.chart', /tab_count-/],
  ['docs', 'main h2', /docs-/],
];
const forEver = await Promise.all(missing.map(async (row) => [...row, await without(row[2])]));
const opened = await front((url, loads) => (loads < 2 ? older : newer));
const partly = await front((url) => (/tab_count-|play_free-/.test(url) ? older : newer));
const changing = await front((url, loads) => (/words-\w+\.it/.test(url) && loads < 2 ? older : newer));
// A server that ends, and one of the other release that begins at its address.
const leaving = await start({ after });

const reloads = (page) => page.evaluate(() => history.state?.reloads);
const forgive = /404/;
const serviceWorkers = 'block'; // what pages do by themselves: see app.test.js for what the worker adds

// In a page: time passes fast, and what waits for it is counted.
function hurry() {
  const { setTimeout } = globalThis;
  globalThis.waiting = 0;
  globalThis.setTimeout = (then, time, ...values) => {
    globalThis.waiting++;
    const end = () => {
      globalThis.waiting--;
      then(...values);
    };
    return setTimeout(end, time / 100);
  };
}

for (const [what, hash, seen, both] of forAWhile)
  look(`${what} is asked of the other release is loaded anew`, { hash: null, base: both.base, forgive, serviceWorkers }, async (page) => {
    await page.addInitScript(hurry);
    await page.goto(`${both.base}${hash}`);
    await page.locator(seen).first().waitFor();
    assert.equal(both.loads, 3);
    assert.equal(await reloads(page), 0);
    assert.equal(await page.evaluate(() => globalThis.release), 'newer');
    assert.ok(await page.locator('#gone').isHidden());
    assert.equal(page.url(), `${both.base}${hash}`);
  });

for (const [hash, seen, gone, both] of forEver)
  look(`a page without ${gone.source} is loaded anew four times, then it says so`, { hash: null, base: both.base, forgive, serviceWorkers, locale: 'it' }, async (page) => {
    await page.addInitScript(hurry);
    await page.goto(`${both.base}${hash}`);
    await page.locator('#gone').waitFor();
    await says(page.locator('#gone'), (await wordsOf('it')).unloaded);
    assert.equal(await page.evaluate(() => globalThis.waiting), 0);
    assert.equal(both.loads, 5);
    await accessible(page);
    await page.reload(); // in vain: the reader has had the message, and has it again at once
    await page.locator('#gone').waitFor();
    assert.equal(await page.evaluate(() => globalThis.waiting), 0);
    assert.equal(both.loads, 6);
    upgraded.add(gone);
    await page.reload();
    await page.locator(seen).first().waitFor();
    assert.ok(await page.locator('#gone').isHidden());
    assert.equal(await reloads(page), 0);
  });

look('a page that is open during the upgrade is loaded anew for a tab', { hash: 'board?n=6', base: opened.base, forgive, serviceWorkers }, async (page) => {
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  opened.loads = 2; // from now on
  await page.getByRole('link', { name: 'Count', exact: true }).click();
  await says(page.locator('h2'), 'Count');
  assert.equal(opened.loads, 3);
  assert.equal(await page.evaluate(() => globalThis.release), 'newer');
  await page.goBack();
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
});

look('without the script of one tab the others open, and the message goes', { hash: null, base: partly.base, forgive, serviceWorkers }, async (page) => {
  await page.addInitScript(hurry);
  const gone = page.locator('#gone');
  const open = (name) => page.locator('#tabs').getByRole('link', { name, exact: true }).click();
  const fails = async (loads) => {
    await says(gone, (await wordsOf('en')).unloaded);
    assert.ok(await gone.isVisible());
    assert.equal(partly.loads, loads);
  };
  await page.goto(`${partly.base}board?n=6`);
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  await open('Count');
  await gone.waitFor();
  await fails(5);
  await open('Board');
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  assert.ok(await gone.isHidden());
  await page.goBack(); // the reader has had the message of this one
  await gone.waitFor();
  await fails(5);
  await open('Play');
  await says(page.locator('h2'), 'Play');
  assert.ok(await gone.isHidden());
  await page.getByRole('button', { name: 'Free play', exact: true }).click();
  await gone.waitFor();
  await fails(9);
});

look('a service that comes back as another release shows the tab that was asked for', { base: `http://127.0.0.1:${leaving.port}/`, hash: 'board?n=6', serviceWorkers, forgive: /404|net::ERR_/ }, async (page) => {
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  await leaving.crash();
  await page.locator('#tabs').getByRole('link', { name: 'Count', exact: true }).click();
  await page.locator('#gone').waitFor();
  await says(page.locator('#gone'), (await wordsOf('en')).shell.gone);
  await startNewer('--listen', `127.0.0.1:${leaving.port}`);
  await says(page.locator('h2'), 'Count');
  assert.ok(await page.locator('#gone').isHidden());
  assert.equal(await page.evaluate(() => globalThis.release), 'newer');
});

look('a language whose words are gone is that of the page loaded anew', { hash: 'board', base: changing.base, forgive, serviceWorkers }, async (page) => {
  await says(page.locator('h2'), 'Board');
  await page.locator('#language').selectOption('it');
  await says(page.locator('h2'), 'Scacchiera');
  assert.equal(changing.loads, 2);
});

for (const hash of ['', 'docs'])
  look(`without scripts ${hash || 'the page'} links to others, and nothing says that they are gone`, { hash, javaScriptEnabled: false }, async (page) => {
    await page.locator(hash ? 'noscript a[href="openapi.yaml"]' : 'noscript a').first().waitFor();
    assert.ok(await page.locator('#gone').isHidden());
  });
