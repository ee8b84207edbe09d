// learn.test.js - the lesson and the rules in pictures: what they show is what the service says of their boards, and the way through
// them by mouse, by touch and by keyboard alone. And what a game has for who does not see: the list of regions, the walk around one.
import './modules.js';
import { assert, longer, test, until } from '../http/harness.js';
import { COLOURS, gameOf, LESSON, PICTURES, regionsFrom } from '../../src/web/play_learn.js';
import { CROSS, placeOf, QUEEN, squareOf } from '../../src/web/game.js';
import { dotsByDefault, LEVELS } from '../../src/web/puzzles.js';
import { accessible, everywhere, focused, fits, look, press, says, server, tabTo } from './browser.js';
import { byCode, cell, made, named, shown, spoken } from './puzzles.js';

const { regions, steps } = LESSON;
const queens = steps.filter(({ unit }) => unit).map(({ at }) => at);
const ask = (route, place = [], more = '') =>
  server.getJson(`/${route}?regions=${regions}${place.length ? `&place=${place.map((at) => at.join(':')).join(',')}` : ''}${more}`);

// ---- The boards ----

test('the board of the lesson has one solution, where its queens go', async () => {
  assert.equal((await ask('count')).count, 1);
  const { solutions } = await ask('solve');
  assert.deepEqual(solutions.map(({ permutation }) => permutation.map((column, i) => [i + 1, column])), [[...queens].sort(([a], [b]) => a - b)]);
});

test('each queen of the lesson is the next easiest step by the service, and all that its sentence says is so', async () => {
  const areas = regionsFrom(regions);
  const game = gameOf(regions);
  const placed = [];
  for (const { why, at, unit } of steps) {
    const attacked = new Set(game.attacked());
    if (!unit) {
      assert.deepEqual([why, at], ['attacks', placed.at(-1)]);
      assert.ok(attacked.size > 5);
      game.set([...attacked].map((square) => [square, CROSS]));
      continue;
    }
    const [kind, number] = unit;
    const has = { row: ([row]) => row === number, column: ([, column]) => column === number, region: ([row, column]) => areas[row - 1][column - 1] === number }[kind];
    const mine = Array.from({ length: 25 }, (_, square) => placeOf(5, square)).filter(has);
    const free = mine.map((place) => squareOf(5, place)).filter((square) => !game.at(square) && !attacked.has(square));
    assert.deepEqual(free, [squareOf(5, at)], `${why}: one free square`);
    assert.equal(why, { row: 'row', column: 'column', region: mine.length === 1 ? 'only' : placed.length < 4 ? 'region' : 'last' }[kind]);
    const { hint } = await ask('hint', placed);
    assert.deepEqual([hint.technique, hint.place], ['single', { row: at[0], column: at[1] }]);
    assert.equal((await ask('count', placed, `&exclude=${at.join(':')}`)).count, 0, 'no other square will do');
    game.set([[squareOf(5, at), QUEEN]]);
    placed.push(at);
  }
  assert.ok(game.isSolved());
  assert.equal(steps.length, 6);
});

test('its colours are those of the service', async () => {
  const reply = await fetch(`http://127.0.0.1:${server.port}/solve?regions=${regions}&format=svg`);
  const fills = [...(await reply.text()).matchAll(/<path fill="(#[0-9a-f]{6})" d="M/g)].map(([, colour]) => colour);
  assert.deepEqual(COLOURS, fills, 'take these into play_learn.js');
});

test('of the two pictures one is right, and the other wrong where lines are drawn', async () => {
  const put = (places) => {
    const game = gameOf(PICTURES.regions);
    game.set(places.map((at) => [squareOf(5, at), QUEEN]));
    return game;
  };
  assert.ok(put(PICTURES.right).isSolved());
  const [a, b, c, d] = PICTURES.wrong.map((at) => squareOf(5, at));
  assert.deepEqual(put(PICTURES.wrong).clashes(), [[a, b, 'row'], [c, d, 'neighbour']]);
  const far = PICTURES.right.some(([row, column], i) => PICTURES.right.slice(i + 1).some(([r, c]) => Math.abs(r - row) === Math.abs(c - column)));
  assert.ok(far, 'two of the right ones share a diagonal');
  const verified = async (queens) => {
    const body = JSON.stringify({ n: 5, rules: 'touching', regions: PICTURES.regions, queens: queens.map(([row, column]) => ({ row, column })) });
    const reply = await fetch(`http://127.0.0.1:${server.port}/verify`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    return (await reply.json()).valid;
  };
  assert.deepEqual([await verified(PICTURES.right), await verified(PICTURES.wrong)], [true, false]);
});

test('attacked squares have dots of themselves on easy boards only', () => {
  for (const level of new Set(Object.values(LEVELS).flat())) assert.equal(dotsByDefault(level), level === 'easy', level);
});

// ---- The journey ----

const lesson = (page) => page.getByRole('dialog', { name: 'Your first board' });
const told = (page) => lesson(page).getByRole('status');
const tap = (page, [row, column]) => lesson(page).getByRole('gridcell', { name: new RegExp(`^row ${row}, column ${column}\\D`) });
const lit = (page) => lesson(page).getByRole('gridcell', { name: /, tap here$/ });
const at = (page, step) => lesson(page).getByText(`Tap ${step} of 6`, { exact: true }).waitFor();
const sentences = [
  /^This colour, C, has one square only: its queen goes there\.$/,
  /^No other queen in this row or column, .* get a cross\.$/,
  /^Colour B has one square without a cross: its queen goes there\.$/,
  /^Dots come by themselves: no queen there\. Row 3 has one free square: its queen goes there\.$/,
  /^Column 2 has one free square: its queen goes there\.$/,
  /^One colour is left, D, and one free square\.$/,
];
const marks = (page) =>
  lesson(page).locator('.crosses').evaluateAll((paths) => paths.map((path) => path.getAttribute('d').match(/M/g)?.length ?? 0));

async function begin(page) {
  await shown(page);
  await press(page, 'Learn in six taps');
  await at(page, 1);
}

look('the lesson by mouse: six taps, a wrong one, a step back, and today’s board', { hash: byCode }, async (page) => {
  await begin(page);
  for (const [i, step] of steps.entries()) {
    await at(page, i + 1);
    await says(told(page), sentences[i]);
    const [row, column] = step.at;
    assert.match(await lit(page).getAttribute('aria-label'), new RegExp(`^row ${row}, column ${column}\\D`));
    assert.ok(await lit(page).evaluate((square) => square === document.activeElement), 'it has the focus');
    if (i === 2) {
      await tap(page, [5, 5]).click();
      await says(told(page), /^Not here: tap the ring\. Colour B has one square without a cross/);
      await at(page, 3);
      assert.equal(await lesson(page).locator('.queen').count(), 1, 'a wrong tap places nothing');
      assert.ok(await lit(page).evaluate((square) => square === document.activeElement));
      await lesson(page).getByRole('button', { name: 'Back' }).click();
      await at(page, 2);
      assert.deepEqual(await marks(page), [0, 0]);
      await lit(page).click();
      await says(told(page), sentences[2]);
      assert.deepEqual(await marks(page), [12, 0]);
    }
    await lit(page).click();
  }
  await says(told(page), 'That is all. Now today’s board.');
  assert.equal(await lesson(page).locator('.queen').count(), 5);
  assert.equal(await lesson(page).getByRole('button').count(), 1, 'one strong button');
  await press(page, 'Play today’s board');
  await until(() => page.evaluate(() => /\/play\/\d{4}-\d\d-\d\d$/.test(location.pathname)), 'the board of the day');
  assert.equal(await page.locator('dialog').count(), 0);
});

look('the lesson by keyboard alone', { hash: byCode }, async (page) => {
  await shown(page);
  await tabTo(page, 'Learn in six taps');
  await page.keyboard.press('Enter');
  for (let i = 1; i <= 6; i++) {
    await at(page, i);
    await until(async () => /, tap here$/.test(await focused(page)), 'the lit square has the focus');
    if (i === 4) {
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      await says(told(page), /^Not here: tap the ring\. Dots/);
      await tabTo(page, 'Back');
      await page.keyboard.press('Enter');
      await at(page, 3);
      await page.keyboard.press('Enter');
      await at(page, 4);
    }
    await page.keyboard.press(i % 2 ? 'Enter' : 'Space');
  }
  await says(told(page), 'That is all. Now today’s board.');
  assert.equal(await focused(page), 'Play today’s board');
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => /\/play\/\d{4}-/.test(location.pathname)), 'the board of the day');
});

look('the lesson is left by Skip or Escape, the focus comes back, and the board and its clock stay', { hash: byCode }, async (page) => {
  await page.clock.install();
  await shown(page);
  await cell(page, 1, 1).click();
  await press(page, 'Learn in six taps');
  await at(page, 1);
  assert.ok(await lesson(page).getByRole('button', { name: 'Back' }).isDisabled());
  await lit(page).click();
  await page.clock.fastForward(3600000);
  await press(page, 'Skip');
  await lesson(page).waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'How to play');
  assert.match(await named(page, 1, 1), /, crossed$/);
  assert.match(await page.getByRole('timer').textContent(), /^\d{1,2}:\d\d$/); // the hour of the lesson is not in it
  await press(page, 'How to play');
  await press(page, 'Start the lesson');
  await at(page, 1);
  await page.keyboard.press('Escape');
  await lesson(page).waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'How to play');
  await press(page, 'How to play');
  await press(page, 'Start the lesson');
  for (let i = 1; i <= 6; i++) {
    await at(page, i);
    await lit(page).click();
  }
  await says(told(page), 'That is all. Your board waits for you.');
  await press(page, 'Back to my board');
  assert.match(await named(page, 1, 1), /, crossed$/);
  assert.ok(await page.evaluate(() => !/\/play\/\d{4}-/.test(location.pathname)));
});

look('the browser’s Back closes the lesson', { hash: byCode }, async (page) => {
  await begin(page);
  await page.evaluate(() => (location.hash = '#count'));
  await lesson(page).waitFor({ state: 'detached' });
});

const offer = (page) => page.getByText('New here?', { exact: true });

look('the first visit offers the lesson in one line, and no later one does', { hash: byCode }, async (page) => {
  await shown(page);
  assert.ok(await offer(page).isVisible());
  await page.goto('about:blank');
  await page.goto(`http://127.0.0.1:${server.port}/${byCode}`);
  await shown(page);
  assert.equal(await offer(page).count(), 0);
});

look('the line goes when it is answered, and stays away in other tabs of the same visit', { hash: byCode }, async (page) => {
  await shown(page);
  await page.getByRole('link', { name: 'Count', exact: true }).click();
  await page.getByRole('group', { name: 'Counts' }).waitFor();
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  await shown(page);
  assert.ok(await offer(page).isVisible(), 'it has no answer yet');
  await press(page, 'Not now');
  assert.equal(await offer(page).count(), 0);
  assert.equal(await focused(page), 'How to play');
  await page.getByRole('link', { name: 'Count', exact: true }).click();
  await page.getByRole('group', { name: 'Counts' }).waitFor();
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  await shown(page);
  assert.equal(await offer(page).count(), 0);
});

look('who has played before is not offered it', { hash: 'count' }, async (page) => {
  await page.evaluate(() => localStorage.setItem('play.games', '{"x":{"marks":"0"}}'));
  await page.evaluate((code) => (location.hash = `#play?code=${code}`), made.code);
  await shown(page);
  assert.equal(await offer(page).count(), 0);
});

look('a board in a page of others offers no lesson, and leaves the first visit for later', { hash: `embed?code=${made.code}` }, async (page) => {
  await shown(page);
  assert.equal(await offer(page).count(), 0);
  assert.equal(await page.evaluate(() => localStorage.getItem('learn')), null);
});

look('“?” shows the rules, with one right and one wrong picture', { hash: byCode }, async (page) => {
  await shown(page);
  await press(page, 'How to play');
  const rules = page.getByRole('dialog', { name: 'How to play' });
  await rules.waitFor();
  assert.equal(await rules.getByRole('img').count(), 2);
  const [right, wrong] = [rules.locator('figure.right'), rules.locator('figure.wrong')];
  await says(right.locator('figcaption'), /^✓ Right Every row, column and colour has its queen\.$/);
  await says(wrong.locator('figcaption'), /^✗ Wrong Two in one row\. Two that touch\.$/);
  assert.deepEqual([await right.locator('.attack').count(), await wrong.locator('.attack').count()], [0, 2]);
  assert.match(await wrong.getByRole('img').getAttribute('aria-label'), /row 1, column 1 and row 1, column 4 share a row/);
  assert.equal(await focused(page), 'Start the lesson');
  await rules.getByRole('button', { name: 'Close' }).click();
  await rules.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'How to play');
});

// ---- How it looks ----

for (const viewport of [{ width: 390, height: 664 }, { width: 664, height: 390 }, { width: 1280, height: 800 }])
  for (const locale of longer ? ['en', 'it', 'ru'] : ['ru']) // its words are the longest
    look(`nothing is to be scrolled at ${viewport.width} by ${viewport.height} in ${locale}, and the board does not move`, { hash: byCode, viewport, locale, hasTouch: true }, async (page) => {
      await shown(page);
      await page.locator('button.how').tap();
      const whole = () => page.locator('.learn').evaluate((dialog) => [dialog.scrollHeight - dialog.clientHeight, dialog.scrollWidth - dialog.clientWidth]);
      await page.locator('.pictures').waitFor();
      assert.deepEqual(await whole(), [0, 0]);
      await page.locator('.learn .main').tap();
      const places = new Set();
      for (let i = 0; i < 6; i++) {
        const [row, column] = steps[i].at;
        const square = page.locator(`.learn [role=row]:nth-child(${row} of [role=row]) > :nth-child(${column})`);
        await page.locator(`.learn [role=row]:nth-child(${6 - row} of [role=row]) > :nth-child(${column === 1 ? 2 : 1})`).tap();
        await page.locator('#learn-told b').waitFor();
        places.add(JSON.stringify(await page.locator('.learn .board').boundingBox()));
        assert.deepEqual(await whole(), [0, 0], `step ${i + 1}, a wrong tap`);
        await square.tap();
        await page.locator('#learn-told b').waitFor({ state: 'detached' });
        assert.deepEqual(await whole(), [0, 0], `after step ${i + 1}`);
        if (i < 5) places.add(JSON.stringify(await page.locator('.learn .board').boundingBox()));
      }
      assert.equal(places.size, 1, [...places].join(' '));
      await fits(page);
    });

for (const width of longer ? [320, 1280] : [320])
  look(`axe has nothing to say of the rules and of the lesson, ${width} pixels wide`, { hash: byCode, viewport: { width, height: 800 } }, async (page) => {
    await shown(page);
    await press(page, 'How to play');
    await page.getByRole('dialog', { name: 'How to play' }).waitFor();
    await accessible(page);
    await press(page, 'Start the lesson');
    for (let i = 1; i <= 6; i++) {
      await at(page, i);
      if (i === 2 || i === 4) await accessible(page);
      await lit(page).click();
    }
    await says(told(page), 'That is all. Now today’s board.');
    await accessible(page);
    await fits(page);
  });

everywhere({ hash: byCode }, async (page) => {
  await shown(page);
  await page.getByText('Regions as a list').click();
  assert.ok(await offer(page).isVisible());
});

look('with reduced motion the ring stands still', { hash: byCode, reducedMotion: 'reduce' }, async (page) => {
  const moves = () => page.locator('.learn').evaluate((dialog) => dialog.getAnimations({ subtree: true }).length);
  await begin(page);
  assert.equal(await moves(), 0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  assert.ok((await moves()) > 0);
});

// ---- For who does not see ----

look('regions as a list, and the key that walks around one', { hash: byCode }, async (page) => {
  await shown(page);
  await page.getByText('Regions as a list').click();
  const items = await page.locator('.outlines li').allTextContents();
  assert.equal(items.length, 6);
  assert.match(items[0], /^Region A, \d+ squares: row 1 columns? 1/);
  const region = made.regions[0][0];
  const count = made.regions.flat().filter((other) => other === region).length;
  await cell(page, 1, 1).focus();
  const passed = [];
  for (let i = 2; i <= count + 1; i++) {
    await page.keyboard.press('r');
    await spoken(page, new RegExp(`^Region A, square ${i > count ? 1 : i} of ${count}\\.$`));
    passed.push(await focused(page));
  }
  assert.equal(new Set(passed).size, count);
  for (const name of passed) assert.match(name, /, region A/);
  await page.keyboard.press('Shift+R');
  assert.equal(await focused(page), passed.at(-2));
});

look('what is undone and redone is said', { hash: byCode }, async (page) => {
  await shown(page);
  await cell(page, 2, 3).focus();
  await page.keyboard.press('q');
  await spoken(page, /^Queen placed/);
  await page.keyboard.press('Control+z');
  await spoken(page, /^Undone: queen on row 2, column 3\.$/);
  await page.keyboard.press('Control+y');
  await spoken(page, /^Redone: queen on row 2, column 3\.$/);
});
