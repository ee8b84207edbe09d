// puzzle_kept.test.js - a game is never lost: it is kept whatever way its player leaves, comes back by Undo, and any name of a puzzle
// opens it. And where it has the screen: the board, the words and the keys lie in the window of a phone.
import assert from 'node:assert/strict';
import { after, longer, start, until } from '../http/harness.js';
import { accessible, fits, look, press, says, server } from './browser.js';
import { byCode, cell, disabled, made, named, put, queens, query, shown } from './puzzles.js';

// All before the first test: the browser is closed after the last of those that are known then.
const leaving = await start({ after });

const at = (path) => `http://127.0.0.1:${server.port}/${path}`;
const goOn = (page) => page.getByRole('button', { name: /^Continue \d+:\d\d$/ });
const tab = (page, name) => page.locator('#tabs').getByRole('link', { name, exact: true }).click();

// The game of the code is on the screen, with its queen, and waits for its player: its clock stands until the first press.
async function waits(page) {
  await says(page.locator('.status .name'), '6 × 6, easy');
  await until(async () => query(page).get('code') === made.code && (await queens(page)) === 1, 'the game');
  await goOn(page).waitFor();
  assert.equal(await page.locator('.help').getByRole('button', { name: 'New', exact: true }).count(), 1);
  const time = await page.locator('.time').textContent();
  assert.ok((await goOn(page).textContent()).endsWith(` ${time}`));
  return time;
}

async function begun(page) {
  await shown(page);
  await put(page, 1, 1);
  await says(page.locator('.time'), /[1-9]/);
}

look('a game is kept: another tab of the page', { hash: byCode }, async (page) => {
  await begun(page);
  await tab(page, 'Count');
  await page.getByRole('group', { name: 'Counts' }).waitFor();
  await tab(page, 'Play');
  await waits(page);
});

look('a game is kept: another kind, whose games are its own', { hash: byCode }, async (page) => {
  await begun(page);
  await press(page, 'Completion');
  await page.locator('.board .mark.given').first().waitFor();
  await press(page, 'Regions');
  await waits(page);
  await press(page, 'Free play');
  await until(async () => !(await page.locator('.board .region').count()), 'a free board');
  await press(page, 'Regions');
  await waits(page);
});

look('a game is kept: a reload, and its clock stands until it goes on', { hash: byCode }, async (page) => {
  await begun(page);
  await page.reload();
  const time = await waits(page);
  await page.clock.install();
  await page.clock.runFor(3000);
  assert.equal(await page.locator('.time').textContent(), time);
  await goOn(page).click();
  await says(page.locator('.help'), '');
  await until(async () => (await page.locator('.time').textContent()) !== time, 'the clock goes');
  await page.reload();
  await waits(page);
  await cell(page, 3, 3).click({ button: 'right' });
  await says(page.locator('.help'), '');
  assert.match(await named(page, 3, 3), /, crossed$/, 'the first press is a move, too');
});

look('a game is kept: a new visit, also without its name', { hash: byCode }, async (page, context) => {
  await begun(page);
  await page.goto('about:blank');
  const other = await context.newPage();
  await other.goto(at('play'));
  await waits(other);
  await other.goto(at(byCode));
  await waits(other);
  await other.goto(at('play?kind=completion'));
  await other.locator('.board .mark.given').first().waitFor();
  assert.equal(await goOn(other).count(), 0, 'it is of the other kind');
  await other.goto(at('play'));
  await waits(other);
  await other.locator('.help').getByRole('button', { name: 'New', exact: true }).click();
  await until(async () => query(other).get('code') !== made.code && (await queens(other)) === 0, 'a new one');
});

look('a game is kept: the service goes and comes back', { hash: byCode, base: `http://127.0.0.1:${leaving.port}/`, forgive: /net::ERR_/ }, async (page) => {
  await begun(page);
  await leaving.crash();
  await press(page, 'Hint');
  await page.locator('#gone').waitFor();
  await put(page, 3, 3);
  await until(async () => (await queens(page)) === 2, 'it can be played on');
  await start({ after }, '--listen', `127.0.0.1:${leaving.port}`);
  await page.locator('#gone').waitFor({ state: 'hidden' });
  await until(async () => (await queens(page)) === 2, 'the game is there'); // the view may be built anew
  assert.equal(query(page).get('code'), made.code);
});

look('New, then Undo: the game before comes back, at once and after a reload', { hash: byCode }, async (page) => {
  await begun(page);
  for (const again of [false, true]) {
    if (again) {
      await page.reload();
      await waits(page);
    }
    await page.locator('.keys').getByRole('button', { name: 'New', exact: true }).click();
    await until(async () => query(page).get('code') !== made.code && (await queens(page)) === 0, 'another one');
    await says(page.locator('.help'), 'The game before is kept: Undo brings it back.');
    const other = query(page).get('code');
    await cell(page, 1, 1).click();
    await until(async () => !/Undo brings/.test(await page.locator('.help').textContent()), 'a move');
    await press(page, 'Undo');
    assert.equal(query(page).get('code'), other, 'first the move is undone');
    await press(page, 'Undo');
    await until(async () => query(page).get('code') === made.code && (await queens(page)) === 1, 'the game before');
  }
});

// ---- Names of puzzles ----

look('the box of codes takes a day, a link of this page, and one of puzz.link', { hash: 'play?n=5', forgive: /400/ }, async (page) => {
  const open = async (text) => {
    await page.getByLabel('Code of the puzzle').fill(text);
    await press(page, 'Open');
  };
  await says(page.locator('.status .name'), '5 × 5, easy');
  await open('2026-11-24');
  await says(page.locator('.status .name'), /^(November 24,|24 November) 2026: 8 × 8/);
  assert.equal(new URL(page.url()).pathname, '/play/2026-11-24');
  await open(at(byCode));
  await says(page.locator('.status .name'), '6 × 6, easy');
  assert.equal(page.url(), at(byCode));
  await open(`${at('play/2026-11-23')}?n=6`);
  await says(page.locator('.status .name'), /^(November 23,|23 November) 2026: 6 × 6/);
  assert.equal(page.url(), `${at('play/2026-11-23')}?n=6`);
  assert.match(made.link, /^https:\/\/puzz\.link\/p\?starbattle\//);
  await open(made.link);
  await says(page.locator('.status .name'), '6 × 6');
  for (const [row, column] of [[1, 1], [3, 4], [6, 6]]) {
    const letter = made.letters.split('/')[row - 1][column - 1].toUpperCase();
    assert.match(await named(page, row, column), new RegExp(`region ${letter}$`));
  }
  await press(page, 'Hint');
  await says(page.locator('.help'), /Look at the marked squares\.$/);
});

look('a board of others by its address: played, kept, and left for another kind', { hash: `play?regions=${made.letters}` }, async (page) => {
  await shown(page);
  await says(page.locator('.status .name'), '6 × 6');
  await put(page, 1, 1);
  await says(page.locator('.time'), /[1-9]/);
  const address = page.url();
  assert.equal(query(page).get('regions'), made.letters);
  await page.reload();
  await goOn(page).waitFor();
  assert.deepEqual([page.url(), await queens(page)], [address, 1]);
  await press(page, 'Completion');
  await page.locator('.board .mark.given').first().waitFor();
  assert.equal(query(page).get('regions'), null);
  assert.equal(await page.locator('.board .region').count(), 0);
});

look('an address of an earlier release becomes one of today', { hash: `#play?code=${made.code}&n=6&kind=regions` }, async (page) => {
  await shown(page);
  assert.equal(page.url(), at(byCode));
});

// ---- On a phone ----

const boxOf = (locator) => locator.evaluate((part) => part.getBoundingClientRect().toJSON());
const isIn = (box, { width, height }) => box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;

for (const locale of longer ? ['en-GB', 'it', 'ru'] : ['ru']) // its words are the longest
  look(`a phone in ${locale}: after the first press the board, the words and five keys are in the window, and ☰ brings the rest back`, { hash: byCode, locale, hasTouch: true, viewport: { width: 390, height: 664 } }, async (page) => {
    const size = { width: 390, height: 664 };
    await shown(page);
    await page.getByRole('gridcell').first().tap();
    await page.locator('#tabs').waitFor({ state: 'hidden' });
    const keys = page.locator('.keys .button');
    const all = async (when) => {
      assert.equal(await page.evaluate(() => scrollY), 0);
      for (const part of ['.board', '.speech', '.status']) assert.ok(isIn(await boxOf(page.locator(part)), size), `${part} ${when}`);
      assert.equal(await keys.count(), 5);
      for (const key of await keys.all()) {
        const box = await boxOf(key);
        assert.ok(isIn(box, size) && box.width >= 48 && box.height >= 48, `${await key.textContent()} ${when}: ${JSON.stringify(box)}`);
        assert.ok(await key.evaluate((it) => it.scrollWidth <= it.clientWidth), `${await key.textContent()} ${when}: its words stick out`);
      }
    };
    await all('after a press');
    const hint = page.locator('.keys .main');
    for (const when of ['where to look', 'why']) {
      const before = await hint.textContent();
      await hint.tap();
      await until(async () => (await hint.textContent()) !== before, when);
      await all(when);
    }
    assert.ok((await boxOf(page.locator('header'))).height <= 1, 'the header is away');
    await page.locator('.menu').tap();
    await page.locator('#tabs').waitFor();
    await page.locator('.kinds').waitFor();
    await accessible(page);
  });

// In the page: the buttons that are narrower than their words, with both widths.
const overfull = (buttons) =>
  buttons.flatMap((button) => {
    const words = document.createRange();
    words.selectNodeContents(button);
    const [wide, room] = [words.getBoundingClientRect().width, button.clientWidth];
    return wide > room ? [`${button.textContent}: ${wide} in ${room}`] : [];
  });

for (const locale of ['en-GB', 'it', 'ru'])
  look(`phones in ${locale}: no key is narrower than its words, whatever they are`, { hash: byCode, locale, hasTouch: true, viewport: { width: 320, height: 640 } }, async (page) => {
    await shown(page);
    const [, tap, hint] = await page.locator('.keys .button').all();
    const fit = async () => {
      for (const [width, height] of [[320, 640], [360, 640], [390, 664], [640, 360], [664, 390]]) {
        await page.setViewportSize({ width, height });
        assert.deepEqual(await page.locator('.kinds .button:visible, .keys .button').evaluateAll(overfull), [], `${width} by ${height}`);
      }
    };
    await fit();
    for (const key of [tap, hint, hint]) {
      const before = await key.textContent();
      await key.tap();
      await until(async () => (await key.textContent()) !== before, `other words than ${before}`);
      await fit();
    }
    await hint.tap(); // done
    for (const column of [1, 2]) await page.getByRole('gridcell').nth(column - 1).tap(); // with queens only, of which one is wrong
    await hint.tap();
    await page.locator('.board .mark.bad').first().waitFor();
    await fit();
  });

for (const [width, height] of longer ? [[664, 390], [640, 400]] : [[640, 400]])
  look(`the whole board and all keys are shown at ${width} by ${height}`, { hash: byCode, hasTouch: true, viewport: { width, height } }, async (page) => {
    await shown(page);
    const inside = async () => {
      for (const part of [page.locator('.board'), ...(await page.locator('.keys .button').all())]) {
        const box = await boxOf(part);
        assert.ok(isIn(box, { width, height }), `${await part.textContent()} ${JSON.stringify(box)}`);
      }
    };
    await inside();
    await page.getByRole('gridcell').first().tap();
    await until(async () => !(await disabled(page, 'Undo')), 'a move');
    await inside();
    await accessible(page);
  });

for (const address of ['', 'play?kind=completion&seed=1', 'play?kind=free&n=8'])
  look(`a phone on its side: the whole board of ${address || 'the first page'}, and ☰ brings the rest back, and takes it away`, { hash: address, hasTouch: true, viewport: { width: 664, height: 390 } }, async (page) => {
    const [tabs, menu] = [page.locator('#tabs'), page.getByRole('button', { name: 'Menu' })];
    const whole = async () => {
      await tabs.waitFor({ state: 'hidden' });
      assert.ok(isIn(await boxOf(page.locator('.game .board')), { width: 664, height: 390 }));
    };
    await page.locator('.game .board').waitFor();
    await whole();
    for (let i = 0; i < 2; i++) {
      await menu.tap();
      await tabs.waitFor();
      assert.ok((await boxOf(page.locator('header'))).height > 30, 'the language, too');
      if (address) assert.ok(await page.getByRole('button', { name: 'Regions', exact: true }).isVisible());
      await fits(page);
      if (!i) await accessible(page);
      await (i ? page.locator('[role=gridcell]:not([aria-label*=":"])').first() : menu).tap();
      await whole();
    }
    await menu.tap();
    await tabs.getByRole('link', { name: 'Watch' }).tap();
    await says(page.locator('h2'), 'Watch');
    await page.goBack();
    await page.locator('.game .board').waitFor();
    await whole();
  });

look('the first page has today’s board, which is kept as any other', { hash: null, timezoneId: 'UTC' }, async (page) => {
  const today = '2026-11-28';
  const { code } = await server.getJson(`/puzzle?kind=regions&n=6&daily=${today}`);
  await page.clock.setFixedTime(new Date(`${today}T12:00:00Z`));
  await page.goto(at(''));
  await shown(page);
  await says(page.locator('.status .name'), /28.*6 × 6/);
  const has = (wanted) => until(async () => (await page.locator('.game .board .queen').count()) === wanted, `${wanted} queens`);
  await put(page, 2, 2);
  await has(1);
  await page.reload();
  await has(1);
  await page.goto(at(`play/${code}`));
  await has(1);
});

look('two pages with one puzzle have the same marks', { hash: byCode }, async (page, context) => {
  await begun(page);
  const other = await context.newPage();
  await other.goto(at(byCode));
  await goOn(other).waitFor();
  await goOn(other).click();
  await cell(other, 4, 4).click();
  await until(async () => /, crossed$/.test(await named(page, 4, 4)), 'a cross of the other page');
  await cell(page, 6, 6).click();
  await until(async () => /, crossed$/.test(await named(other, 6, 6)), 'a cross of the first one');
  await other.close();
});

look('F fills the screen with the board and its keys, and gives it back', { hash: byCode, viewport: { width: 1280, height: 720 } }, async (page) => {
  await shown(page);
  await page.keyboard.press('f');
  await until(async () => (await page.locator('.board').boundingBox()).height > 620, 'a large board');
  assert.ok(await page.locator('#tabs').isHidden());
  for (const key of await page.locator('.keys .button').all()) assert.ok(await key.isVisible());
  await page.keyboard.press('f');
  await page.locator('#tabs').waitFor();
});
