// firefox.test.js - that the explorer works in Debian's Firefox: each view shows what it should, without a complaint on the
// console, and what is pressed and typed has its effect. Everything else is tested in Chromium.
import { views, visit } from '../views.js';

process.env.NQ_BROWSER = 'firefox';
const { assert, until } = await import('../../http/harness.js');
const { browser, fits, look, press, says, server } = await import('../browser.js');
const { byCode, put, queens, shown, solution, win } = await import('../puzzles.js');

const base = `http://127.0.0.1:${server.port}/`;
const title = (page) => page.locator('h2').first();

for (const name of Object.keys(views))
  look(`${name} is shown`, { hash: null }, async (page) => {
    assert.match(browser.version(), /^\d+\./);
    assert.match(await page.evaluate(() => navigator.userAgent), /Firefox/);
    await visit(page, base, name);
    assert.ok((await title(page).textContent()).length > 2);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await fits(page);
    }
  });

look('the next solution, and a larger board and back', { hash: 'board?n=8' }, async (page) => {
  await says(page.locator('.permutation'), '1 5 8 6 3 7 2 4');
  await press(page, 'Next');
  await says(page.locator('.permutation'), '1 6 8 3 7 4 2 5');
  await press(page, 'Previous');
  await says(page.locator('.permutation'), '1 5 8 6 3 7 2 4');
  await press(page, 'Larger board');
  await says(page.locator('.permutation'), '1 3 6 8 2 4 9 7 5');
  await page.evaluate(() => history.back()); // goBack() waits for a page to load, and this one stays
  await says(page.locator('.permutation'), '1 5 8 6 3 7 2 4');
});

look('a puzzle is solved by pointer and keys', { hash: byCode }, async (page) => {
  await shown(page);
  await put(page, 1, solution[0]);
  await until(async () => (await queens(page)) === 1, 'a queen by two clicks');
  await press(page, 'Undo');
  await until(async () => (await queens(page)) === 0, 'a cross');
  await win(page);
});

look('a search goes on step by step', { hash: '#watch?n=6' }, async (page) => {
  const step = page.locator('.transport output');
  await page.locator('.side .board').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await says(step, /^\D*1\D/);
});

look('language and colours follow the switches', { hash: 'board?n=8' }, async (page) => {
  await page.locator('#language').selectOption('it');
  await says(title(page), 'Scacchiera');
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await paper();
  await page.locator('#theme').click();
  assert.notEqual(await paper(), before);
});
