// days.test.js - what comes after a win, as a player sees it: the wave, the sheet, what is shared, the next puzzle, the calendar of days,
// and that what the browser keeps is exported and erased. What is kept, without a page: days_kept.test.js.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { longer, until } from '../http/harness.js';
import { accessible, fits, focused, look, press, says, server } from './browser.js';
import { byCode, cell, made, named, queens, shown, solution, solve, win } from './puzzles.js';

const TODAY = '2026-11-28';
const daily = await server.getJson(`/puzzle?kind=regions&n=6&daily=${TODAY}`);
const [dailySolution] = solve(daily.regions);
const byDay = `play/${TODAY}?n=6`;
const permissions = ['clipboard-read', 'clipboard-write'];
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const sheet = (page) => page.getByRole('dialog');
const stored = (page) => page.evaluate(() => ({ ...localStorage }));
const days = (...list) => JSON.stringify(Object.fromEntries(list.map((day) => [day, { 8: { level: 'easy', elapsed: 83000, helped: 0 } }])));

// Opens a page on TODAY, 17:20 where the reader is, with what the browser has kept.
async function open(page, hash, has = {}) {
  await page.clock.install({ time: new Date(`${TODAY}T17:20:00Z`) });
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.evaluate((has) => Object.assign(localStorage, has), has);
  await page.goto('about:blank');
  await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
  await shown(page);
}
const here = { hash: null, timezoneId: 'UTC' };
const still = { ...here, reducedMotion: 'reduce' };

look('a day is won by the keyboard: the sheet, what is shared, the calendar, and the record', { ...still, permissions }, async (page) => {
  await open(page, byDay, { days: days('2026-11-26', '2026-11-27', '2026-11-24') });
  await page.clock.runFor(102000);
  await win(page, dailySolution, { sheet: true });
  const time = await page.locator('.time').textContent();
  assert.match(time, /^1:4\d$/);
  const about = `28 November · 6 × 6 · ${daily.level} · no help`;
  await sheet(page).getByRole('heading', { name: 'Solved' }).waitFor();
  const text = await sheet(page).innerText();
  for (const part of [time, about, 'That is your best time.', '3 days in a row']) assert.ok(text.includes(part), `${part}: ${text}`);
  assert.match(text, /The next puzzle of the day comes in 6 hours (39|38|37) minutes\./);
  assert.equal(await sheet(page).locator('.week .done').count(), 4);
  assert.equal(await focused(page), 'Next puzzle');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Share');
  const url = page.url();
  await page.keyboard.press('Enter');
  await until(async () => (await focused(page)) === 'Copied', 'it is copied');
  assert.equal(await clipboard(page), `Queens 28 Nov, ${daily.level}, ${time}, no help\n${url}`);
  await says(sheet(page).getByRole('status'), 'Copied');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await sheet(page).getByRole('heading', { name: 'Puzzles of the day' }).waitFor();
  assert.equal(await focused(page), `28 November 2026, solved in ${time}`);
  await page.keyboard.press('Escape');
  await until(async () => !(await sheet(page).count()), 'it is closed');
  await until(async () => (await focused(page)) === 'Next puzzle' && page.locator('main').evaluate((at) => at.contains(document.activeElement)), 'the control after the board');
  const { [TODAY]: { 6: kept } } = JSON.parse((await stored(page)).days);
  assert.equal(kept.level, daily.level);
  assert.ok(Math.floor(kept.elapsed / 1000) === 60 + Number(time.slice(2)) && kept.helped === 0, JSON.stringify(kept));
});

look('Escape leads to the control after the board, Next to another puzzle of the size and level, with the focus on its board', { ...still, hash: byCode }, async (page) => {
  await shown(page);
  await win(page);
  await until(async () => (await focused(page)) === 'Next puzzle', 'the control after the board');
  await press(page, 'Clear');
  await until(async () => (await queens(page)) === 0, 'an empty board');
  await page.getByLabel('Difficulty').evaluate((choice) => (choice.value = 'expert')); // the next one is as this one nevertheless
  await win(page, solution, { sheet: true });
  await says(sheet(page).locator('#sheet-about'), /6 × 6 · easy · with help/);
  assert.equal(await sheet(page).locator('.week').count(), 0, 'it is no puzzle of a day');
  const asked = page.waitForRequest(/puzzle\?.*level=/);
  await page.keyboard.press('Enter');
  const { searchParams } = new URL((await asked).url());
  assert.deepEqual([searchParams.get('n'), searchParams.get('level')], ['6', made.level]);
  await until(async () => (await queens(page)) === 0 && /^row \d, column \d/.test(await focused(page)), 'another board');
  await until(() => !page.url().endsWith(`/play/${made.code}`), 'with its own code');
  assert.equal(await sheet(page).count(), 0);
});

look('a press beside the sheet, and Back, close it', { ...still, hash: 'board?n=6' }, async (page) => {
  await page.evaluate((code) => (location.hash = `#play?code=${code}`), made.code);
  await shown(page);
  await win(page, solution, { sheet: true });
  await sheet(page).waitFor();
  await page.mouse.click(5, 5);
  await until(async () => !(await sheet(page).count()), 'closed');
  await press(page, 'Clear');
  await win(page, solution, { sheet: true });
  await sheet(page).waitFor();
  await page.goBack();
  await until(async () => !(await sheet(page).count()), 'closed by Back');
});

look('the sheet of the system shares the text where there is one', { ...still }, async (page) => {
  await page.addInitScript(() => {
    navigator.canShare = ({ text }) => Boolean(text);
    navigator.share = async (what) => {
      globalThis.shared = what;
      throw new DOMException('thought better of it', 'AbortError');
    };
  });
  await open(page, byCode);
  await win(page, solution, { sheet: true });
  await sheet(page).getByRole('button', { name: 'Share' }).click();
  const { text } = await page.evaluate(() => globalThis.shared);
  assert.match(text, /^Queens 6 × 6, easy, 0:\d\d, no help\nhttp:\/\/127\.0\.0\.1:\d+\/play\/\w+$/);
});

// In the page: which squares a wave has run over, in the order of its beginning on them, once there is one.
const watchWave = (page) =>
  page.evaluate(() => {
    globalThis.waves = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      if (this.matches('.crest')) globalThis.waves.push({ x: this.x.baseVal.value, y: this.y.baseVal.value, ends: options.delay + options.duration, delay: options.delay, on: this.closest('.board').matches('.wave.won') });
      return animate.call(this, frames, options);
    };
  });

look('a wave runs from the last queen over all squares in less than a second', { hash: byCode }, async (page) => {
  await shown(page);
  await watchWave(page);
  await win(page, solution, { sheet: true });
  await sheet(page).waitFor();
  const waves = await page.evaluate(() => globalThis.waves);
  assert.equal(waves.length, 36);
  assert.ok(waves.every(({ on }) => on));
  const last = { x: solution[5] - 1, y: 5 };
  const far = ({ x, y }) => Math.hypot(x - last.x, y - last.y);
  const inOrder = [...waves].sort((a, b) => a.delay - b.delay);
  assert.deepEqual([inOrder[0].x, inOrder[0].y, inOrder[0].delay], [last.x, last.y, 0]);
  for (const [i, one] of inOrder.slice(1).entries()) assert.ok(far(one) >= far(inOrder[i]) - 1e-9);
  const longest = Math.max(...waves.map(({ ends }) => ends));
  assert.ok(longest >= 700 && longest <= 900, String(longest));
  assert.equal(await page.locator('.crest, .board.wave').count(), 0, 'nothing of it stays');
});

for (const [what, options, has] of [['where the reader wants no motion', { reducedMotion: 'reduce' }, {}], ['with the option', {}, { 'play.still': '1' }]])
  look(`no wave and nothing else that moves: ${what}`, { ...here, ...options }, async (page) => {
    await open(page, byCode, has);
    await watchWave(page);
    await win(page, solution, { sheet: true });
    await sheet(page).waitFor();
    assert.deepEqual([await page.evaluate(() => globalThis.waves.length), await page.evaluate(() => document.getAnimations().length)], [0, 0]);
  });

look('the calendar: months back to January, links to days, ticks, and a day that is opened', still, async (page) => {
  await open(page, 'play?kind=regions&n=6', { days: days('2026-10-31', '2026-11-27') });
  await press(page, 'Days');
  await sheet(page).waitFor();
  const links = sheet(page).locator('td a');
  assert.deepEqual(await sheet(page).locator('th').allTextContents(), ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  assert.equal(await links.count(), 28, 'no day to come');
  assert.equal(await focused(page), '28 November 2026', 'today, which is open');
  assert.equal(await sheet(page).getByRole('link', { name: '27 November 2026, solved in 1:23' }).getAttribute('href'), 'play/2026-11-27');
  const tick = (day) => sheet(page).locator(`[href$="${day}"]`).evaluate((at) => getComputedStyle(at, '::after').content);
  assert.deepEqual([await tick('2026-11-27'), await tick('2026-11-26')], ['"✓"', 'none']);
  await says(sheet(page), /1 day in a row/);
  assert.ok(await sheet(page).getByRole('button', { name: 'Month after' }).isDisabled());
  const earlier = sheet(page).getByRole('button', { name: 'Month before' });
  await earlier.click();
  await says(sheet(page).locator('h3'), 'October 2026');
  assert.equal(await links.count(), 31);
  assert.equal(await sheet(page).getByRole('link', { name: /solved/ }).getAttribute('href'), 'play/2026-10-31');
  for (let month = 9; month; month--) await earlier.click();
  await says(sheet(page).locator('h3'), 'January 2026');
  assert.ok(await earlier.isDisabled());
  assert.equal(await focused(page), 'Month after', 'the focus is not lost');
  await sheet(page).getByRole('link', { name: '5 January 2026', exact: true }).click();
  await says(page.locator('.status .name'), /January 5, 2026|5 January 2026/);
  assert.match(page.url(), /\/play\/2026-01-05/);
  assert.equal(await sheet(page).count(), 0);
});

look('a week begins on Sunday where it does', { ...still, locale: 'en-US' }, async (page) => {
  await open(page, 'play?kind=regions&n=6');
  await press(page, 'Days');
  await says(sheet(page).locator('th').first(), 'Sun');
  assert.equal(await sheet(page).locator('tr').nth(1).locator('td').first().textContent(), '1');
});

look('today is ticked after the win; all is exported, and erased when the player has said so twice', { ...still }, async (page) => {
  await open(page, byDay, { 'play.best': '{"regions 6 easy ":5000}', other: 'of another page' });
  await win(page, dailySolution, { sheet: true });
  await sheet(page).getByRole('button', { name: 'Days' }).click();
  await sheet(page).getByRole('link', { name: /^28 November 2026, solved in 0:\d\d$/ }).waitFor();
  const download = page.waitForEvent('download');
  await sheet(page).getByRole('link', { name: 'Export' }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'queens.json');
  const data = JSON.parse(await readFile(await file.path(), 'utf8'));
  assert.deepEqual(Object.keys(data.days), [TODAY]);
  assert.equal(data['play.best']['regions 6 easy '], 5000);
  assert.ok(data['play.games'] && !('other' in data));
  await press(page, 'Erase all');
  await says(sheet(page).getByRole('alert'), /cannot be brought back/);
  assert.equal(await focused(page), 'Keep');
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'Erase all');
  assert.ok((await stored(page)).days, 'nothing is erased');
  await page.keyboard.press('Enter');
  const loaded = page.waitForEvent('load');
  await press(page, 'Erase');
  await loaded;
  await shown(page);
  const { theme, learn, ...rest } = await stored(page);
  assert.deepEqual([theme, learn], ['auto', 'offered'], 'as at a first visit');
  assert.deepEqual(rest, { other: 'of another page' });
  assert.equal(await queens(page), 0);
  await press(page, 'Days');
  assert.equal(await sheet(page).getByRole('link', { name: /solved/ }).count(), 0);
});

look('a game that is under way is erased, too', { ...still }, async (page) => {
  await open(page, byCode);
  await cell(page, 2, 3).focus();
  await page.keyboard.press('q');
  await until(async () => (await stored(page))['play.games'], 'it is kept');
  await press(page, 'Days');
  await press(page, 'Erase all');
  const loaded = page.waitForEvent('load');
  await press(page, 'Erase');
  await loaded;
  await shown(page);
  assert.equal((await stored(page))['play.games'], undefined);
  assert.ok(!/queen/.test(await named(page, 2, 3)));
});

for (const [width, height] of [[320, 568], [390, 664], ...(longer ? [[1280, 800]] : [])])
  look(`axe finds no fault of the sheet and of the calendar: ${width} by ${height}`, { ...still, viewport: { width, height } }, async (page) => {
    await open(page, byDay, { days: days('2026-11-26', '2026-11-27') });
    await win(page, dailySolution, { sheet: true });
    await sheet(page).waitFor();
    await fits(page);
    await accessible(page);
    const inside = async () => {
      const { x, y, width: wide, height: high } = await sheet(page).boundingBox();
      assert.ok(x >= 0 && y >= 0 && x + wide <= width && y + high <= height, `${[x, y, wide, high]}`);
    };
    await inside();
    if (height > 600) assert.ok(await sheet(page).locator(':scope > div').evaluate((at) => at.scrollHeight <= innerHeight), 'without scrolling');
    await sheet(page).getByRole('button', { name: 'Days' }).click();
    await sheet(page).locator('table').waitFor();
    await inside();
    await accessible(page);
    await press(page, 'Erase all');
    await accessible(page);
  });

look('without a storage there is a sheet, too', { ...still, hash: null }, async (page) => {
  await page.addInitScript(() =>
    Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } }),
  );
  await page.goto(`http://127.0.0.1:${server.port}/${byDay}`);
  await shown(page);
  await win(page, dailySolution, { sheet: true });
  await sheet(page).getByRole('button', { name: 'Days' }).click();
  await sheet(page).getByRole('link', { name: 'Export' }).waitFor();
});
