// full.test.js - the whole screen for a projector, by the key F in each tab with a board or a chart, and what fills it there; and that the
// keys of Watch work whatever was pressed before.
import { assert, longer } from '../http/harness.js';
import { fits, look, press, says, server } from './browser.js';

const EMPTY = 0.11; // the largest band without anything, of the screen
const place = (page) => page.locator('output');
const beamers = [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }];

// What each tab shows on the whole screen, and what must be as high as the screen but for a tenth or two.
const tabs = {
  '#board?n=8': ['svg.board', 0.85],
  '#build?n=100': ['canvas.window', 0.85],
  '#count?n=8': ['.growth', 0.9],
  '#watch?n=6': ['.side svg.board', 0.8], // below the buttons
};

for (const [tab, [hash, [seen, share]]] of Object.entries(tabs).entries())
  for (const viewport of longer ? beamers : [beamers[tab % 2]]) // otherwise each on one of them
    look(`F fills a screen of ${viewport.width} x ${viewport.height}, and gives it back: ${hash}`, { hash, viewport }, async (page) => {
      await page.locator(seen).first().waitFor();
      const nav = page.locator('nav');
      const tall = async () => (await page.locator(seen).first().boundingBox()).height;
      const before = await tall();
      await page.keyboard.press('f');
      await nav.waitFor({ state: 'hidden' });
      await page.waitForURL(/large=1/);
      await page.locator(seen).first().waitFor();
      const after = await tall();
      assert.ok(after >= share * viewport.height && after <= viewport.height && after > before, `${before}, then ${after} of ${viewport.height}`);
      await fits(page);
      const shown = await page.locator('h2, footer, header, nav').evaluateAll((all) => all.filter((one) => one.checkVisibility()).length);
      assert.equal(shown, 0);
      await page.keyboard.press('Shift+F'); // with capitals locked
      await nav.waitFor();
      assert.doesNotMatch(page.url(), /large/);
      assert.ok((await tall()) < after);
      await page.keyboard.press('Alt+Enter');
      await nav.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Fill the screen (F)' }).click(); // one of them is there
      await nav.waitFor();
      await page.keyboard.press('f');
      await nav.waitFor({ state: 'hidden' });
      await page.evaluate(() => (location.hash = '#play?kind=free')); // another tab has its own
      await nav.waitFor();
    });

look('F is a letter where one writes', { hash: '#build?n=25&method=tensor&factors=5x5' }, async (page) => {
  const field = page.locator('#build-factors');
  await field.focus();
  await page.keyboard.press('f');
  assert.ok(await page.locator('nav').isVisible());
  assert.match(await field.inputValue(), /f/);
});

// In the page: the bands of the screen, from 0 to 1, that no text, square or line touches: { side: share } at the edges, and the highest
// gap between the parts of the column beside a board.
function emptiness() {
  const parts = [...document.querySelectorAll('.stage .told, .stage .code, .stage .names, .stage .tree, .stage .sums, .stage .first, .stage .light, .transport')];
  const boxes = parts.map((part) => part.getBoundingClientRect()).filter(({ width, height }) => width && height);
  const most = (values) => Math.max(...values);
  const edges = {
    top: Math.min(...boxes.map(({ top }) => top)) / innerHeight,
    bottom: 1 - most(boxes.map(({ bottom }) => bottom)) / innerHeight,
    left: Math.min(...boxes.map(({ left }) => left)) / innerWidth,
    right: 1 - most(boxes.map(({ right }) => right)) / innerWidth,
  };
  const sides = [...document.querySelectorAll('.side')].map((side) => {
    const rows = [...side.querySelectorAll('.told, .code, .names, .tree, .sums, .first, .light')].map((part) => part.getBoundingClientRect());
    const inside = rows.filter(({ height }) => height).sort((a, b) => a.top - b.top);
    let [end, gap] = [side.getBoundingClientRect().top, 0];
    for (const { top, bottom } of inside) [end, gap] = [Math.max(end, bottom), Math.max(gap, top - end)];
    return Math.max(gap, innerHeight - end) / innerHeight;
  });
  const cut = boxes.filter(({ bottom, right }) => bottom > innerHeight + 1 || right > innerWidth + 1).length;
  const isCut = (one) => {
    const [box, line] = [one, one.querySelector('[aria-current]')].map((part) => part.getBoundingClientRect());
    return one.scrollWidth > one.clientWidth + 1 || line.top < box.top - 1 || line.bottom > box.bottom + 1; // a long program scrolls to its line
  };
  const code = [...document.querySelectorAll('.side .code')].filter(isCut).length;
  return { edges, sides, cut, code };
}

for (const [beamer, viewport] of beamers.entries())
  look(`Watch leaves no empty band on ${viewport.width} x ${viewport.height}, whatever it shows`, { hash: '#watch?n=6&large=1', viewport }, async (page) => {
    const { solvers, constructions } = await server.getJson('/algorithms?table=traced');
    const names = [...solvers, ...constructions].map(({ name }) => name);
    await says(place(page), /^Step 0/);
    for (const [i, name] of names.entries())
      for (const other of longer || i % 2 === beamer ? [null, names[(i + 5) % names.length]] : [])
        for (const n of i ? [6] : [4, 6, 8]) {
          const second = other ? `&algorithm2=${other}` : '';
          await page.evaluate((hash) => (location.hash = hash), `#watch?n=${n}&large=1&step=9&algorithm=${name}${second}`);
          for (const side of other ? [`:first-child[data-algorithm='${name}']`, `:nth-child(2)[data-algorithm='${other}']`] : [`:only-child[data-algorithm='${name}']`])
            await page.locator(`.side${side} .code [aria-current]`).waitFor();
          await page.evaluate(() => new Promise(requestAnimationFrame)); // a long program scrolls before it is drawn
          const found = await page.evaluate(emptiness);
          const bands = [...Object.values(found.edges), ...found.sides];
          assert.ok(Math.max(...bands) <= EMPTY && !found.cut && !found.code, `${n} ${name} ${other}: ${JSON.stringify(found)}`);
        }
  });

// After each control was pressed, ticked, chosen or moved, by a pointer, the arrow keys and Space are Watch's.
look('the keys of Watch work after any control', { hash: '#watch?n=6&step=100' }, async (page) => {
  await says(place(page), 'Step 100 of 1,050');
  const stepOf = async () => Number((await place(page).textContent()).match(/^Step ([\d,]+)/)[1].replace(',', ''));
  const goes = async (what) => {
    const before = await stepOf();
    await page.keyboard.press('ArrowRight');
    await says(place(page), new RegExp(`^Step ${(before + 1).toLocaleString('en')} `)).catch((error) => assert.fail(`after ${what}: ${error.message}`));
    await page.keyboard.press('ArrowLeft');
    await says(place(page), new RegExp(`^Step ${before.toLocaleString('en')} `));
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  };
  await goes('nothing');
  for (let i = 0; i < 2; i++) await page.getByLabel('ask me questions').click(); // else it asks before the next step
  await goes('a box');
  await page.getByLabel('compare two').click();
  await page.getByLabel('Second algorithm').waitFor();
  await goes('another box');
  await page.getByLabel('compare two').click();
  await page.getByLabel('Second algorithm').waitFor({ state: 'hidden' });
  const selects = [page.getByLabel('Speed'), page.locator('main select').first()];
  for (const select of selects) {
    const before = await select.inputValue();
    await select.click(); // opens it
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await select.and(page.locator(':not(:open)')).waitFor();
    assert.notEqual(await select.inputValue(), before);
    await goes(`a select with ${before}`);
  }
  await page.locator('#theme').click();
  await goes('the colours');
  const { x, y, width, height } = await page.getByRole('slider').boundingBox();
  await page.mouse.click(x + width / 3, y + height / 2);
  await goes('the slider');
});

look('who uses the keyboard keeps the focus, and the other keys of what has it', { hash: '#watch?n=6&step=100' }, async (page) => {
  await says(place(page), 'Step 100 of 1,050');
  const box = page.getByLabel('ask me questions');
  await box.focus();
  await page.keyboard.press('Space');
  assert.ok(await box.isChecked());
  await page.keyboard.press('Space');
  assert.ok(!(await box.isChecked()));
  await page.keyboard.press('ArrowRight');
  await says(place(page), 'Step 101 of 1,050');
  const speed = page.getByLabel('Speed');
  await speed.focus();
  await page.keyboard.press('ArrowRight');
  await says(place(page), 'Step 102 of 1,050');
  const before = await speed.inputValue();
  await page.keyboard.press('f'); // looks for an entry
  assert.ok(await page.locator('nav').isVisible());
  assert.equal(await speed.inputValue(), before);
  await page.getByRole('slider').focus();
  await page.keyboard.press('ArrowRight');
  await says(place(page), 'Step 103 of 1,050');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Space');
  await press(page, 'To the start');
  await page.getByLabel('Size n').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await says(place(page), 'Step 0 of 1,050');
  assert.ok(await page.getByRole('button', { name: 'Play', exact: true }).isVisible());
});

for (const hash of ['play?kind=regions&n=6', ...Object.keys(tabs)])
  look(`the button that fills the screen has corners in the colour of its words: ${hash}`, { hash, colorScheme: 'dark' }, async (page) => {
    const button = page.getByRole('button', { name: 'Fill the screen (F)' }).first();
    await button.waitFor();
    const [words, stroke, fill] = await button.evaluate((one) => {
      const { stroke, fill } = getComputedStyle(one.querySelector('path'));
      return [getComputedStyle(one).color, stroke, fill];
    });
    assert.deepEqual([stroke, fill], [words, 'none']);
  });
