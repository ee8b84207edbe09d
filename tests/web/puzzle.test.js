// puzzle.test.js - puzzles of the tab Play as a player sees them: marks by touch, mouse and keys, the win, times that are kept, and
// puzzles by code, day, seed and link. What helps is in puzzle_help.test.js.
import assert from 'node:assert/strict';
import { until } from '../http/harness.js';
import { accessible, everywhere, fits, focused, look, press, says, server, tabTo } from './browser.js';
import { byCode, cell, disabled, made, named, put, queens, query, shown, solution, spoken, win } from './puzzles.js';

look('regions have the colours of the pictures, and a page to print begins with the puzzle that is shown', { hash: byCode }, async (page) => {
  await shown(page);
  const { text: svg } = await server.get(`/puzzle?code=${made.code}&format=svg`);
  const drawn = [...svg.matchAll(/<path fill="(#[0-9a-f]{6})" d="M/g)].map(([, colour]) => colour);
  const tints = await page.locator('.board .region').evaluateAll((regions) => {
    const brush = new OffscreenCanvas(1, 1).getContext('2d');
    return regions.map((region) => {
      brush.fillStyle = getComputedStyle(region).fill;
      brush.fillRect(0, 0, 1, 1);
      return `#${[...brush.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
    });
  });
  assert.deepEqual(tints, drawn);
  const href = await page.getByRole('link', { name: 'Page with 6 puzzles to print' }).getAttribute('href');
  const { text, headers } = await server.get(`/${href}`);
  assert.equal(headers['content-type'], 'image/svg+xml');
  assert.ok(text.includes(made.code));
  assert.equal([...text.matchAll(/viewBox/g)].length, 7);
});

look('crosses and queens by taps, the right button and keys', { hash: byCode }, async (page) => {
  await shown(page);
  const letter = String.fromCharCode(65 + made.regions[1][2]);
  const is = (kind, cross) => until(async () => (await named(page, 2, 3)) === `row 2, column 3${kind}, region ${letter}${cross}`, kind);
  for (const [kind, cross] of [['', ', crossed'], [': queen', ''], ['', '']]) {
    await cell(page, 2, 3).click();
    await is(kind, cross);
  }
  await cell(page, 2, 3).click({ button: 'right' });
  await is('', ', crossed');
  await cell(page, 2, 3).click({ button: 'right' });
  await is('', '');
  await cell(page, 2, 3).focus();
  for (const [key, kind, cross] of [['x', '', ', crossed'], ['q', ': queen', ''], ['Delete', '', ''], ['Enter', '', ', crossed'], [' ', ': queen', '']]) {
    await page.keyboard.press(key);
    await is(kind, cross);
    assert.equal(await focused(page), await named(page, 2, 3), 'the focus stays');
  }
  await cell(page, 5, 4).focus(); // as a screen reader does
  await page.keyboard.press('x');
  await until(async () => /, crossed$/.test(await focused(page)), 'a cross');
  assert.equal(await focused(page), await named(page, 5, 4));
  await spoken(page, /^Queen placed on row 2, column 3\.$/);
  await spoken(page, /^Crossed: row 2, column 3\.$/);
});

const middle = async (at) => {
  const { x, y, width, height } = await at.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
};
const crossed = (page) =>
  page.getByRole('gridcell', { name: /, crossed$/ }).evaluateAll((cells) => cells.map((cell) => cell.ariaLabel.match(/\d+/g).join(':')).join(' '));

look('crosses by dragging are one step, and are removed in the same way', { hash: byCode }, async (page) => {
  await shown(page);
  const drag = async (...squares) => {
    for (const [i, [row, column]] of squares.entries()) {
      const { x, y } = await middle(cell(page, row, column));
      await page.mouse.move(x, y); // at once: what lies between is passed, too
      if (!i) await page.mouse.down();
    }
  };
  const has = (wanted) => until(async () => (await crossed(page)) === wanted, `crosses on ${wanted}`);
  await put(page, 2, 3);
  await drag([2, 1], [2, 5]);
  assert.equal(await page.locator('.board .crosses').first().evaluate((path) => path.getAttribute('d').match(/M/g).length), 4, 'seen under way');
  await page.mouse.up();
  await has('2:1 2:2 2:4 2:5');
  await spoken(page, /^4 squares crossed\.$/);
  assert.equal(await queens(page), 1);
  await drag([3, 4], [6, 1]); // a diagonal, and no square beside it
  await page.mouse.up();
  await has('2:1 2:2 2:4 2:5 3:4 4:3 5:2 6:1');
  await drag([2, 1], [2, 2], [2, 1]); // what ends where it began is not a press
  await page.mouse.up();
  await has('2:4 2:5 3:4 4:3 5:2 6:1');
  await spoken(page, /^2 crosses removed\.$/);
  for (const wanted of ['2:1 2:2 2:4 2:5 3:4 4:3 5:2 6:1', '2:1 2:2 2:4 2:5', '']) {
    await press(page, 'Undo');
    await has(wanted);
  }
  await drag([2, 3], [5, 3]); // a queen is not dragged
  await page.mouse.up();
  assert.deepEqual([await crossed(page), await queens(page)], ['', 1]);
  await page.getByText('Options').click();
  await page.getByLabel('Cross attacked squares automatically').check();
  await drag([2, 1], [2, 2]); // crosses of the player's own, where the page has some
  await page.mouse.up();
  await has('2:1 2:2');
});

look('by touch', { hash: byCode, hasTouch: true, viewport: { width: 390, height: 600 } }, async (page, context) => {
  await shown(page);
  const session = await context.newCDPSession(page);
  const touch = (type, ...touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
  const swipe = async (from, { x, y }) => {
    await touch('touchStart', from);
    for (const part of [0.25, 0.5, 0.75, 1]) await touch('touchMove', { x: from.x + part * (x - from.x), y: from.y + part * (y - from.y) });
    await touch('touchEnd');
  };
  const scrolled = () => page.evaluate(() => scrollY);
  await cell(page, 6, 1).scrollIntoViewIfNeeded();
  const before = await scrolled();
  await swipe(await middle(cell(page, 5, 2)), await middle(cell(page, 2, 2)));
  await until(async () => (await crossed(page)) === '2:2 3:2 4:2 5:2', 'crosses');
  assert.equal(await scrolled(), before, 'one finger on the board does not scroll');
  const status = await middle(page.locator('.status'));
  await swipe(status, { ...status, y: status.y - 60 });
  await until(async () => (await scrolled()) > before, 'one beside the board scrolls');
  await press(page, 'Undo');
  await until(async () => (await crossed(page)) === '', 'undone');
  await cell(page, 1, 1).scrollIntoViewIfNeeded();
  const [one, two] = [await middle(cell(page, 4, 4)), await middle(cell(page, 4, 6))];
  await touch('touchStart', one);
  await touch('touchMove', { ...one, y: one.y - 60 });
  await touch('touchStart', { ...one, y: one.y - 60 }, two);
  await touch('touchEnd');
  assert.equal(await crossed(page), '', 'a second finger ends a drag without a cross');
  const [from, y] = [await middle(cell(page, 3, 3)), await scrolled()];
  await touch('touchStart', from);
  await page.locator('.board.held').waitFor(); // held still for a while
  await touch('touchMove', { ...from, y: from.y - 40 });
  await until(async () => (await scrolled()) !== y, 'a long press scrolls');
  await touch('touchEnd');
  await page.locator('.board:not(.held)').waitFor();
  assert.equal(await crossed(page), '', 'and crosses nothing');
  await cell(page, 1, 1).scrollIntoViewIfNeeded();
  await cell(page, 1, 1).tap();
  await until(async () => /, crossed$/.test(await named(page, 1, 1)), 'a cross');
  await cell(page, 1, 1).tap();
  await until(async () => (await queens(page)) === 1, 'a queen');
  await fits(page);
});

look('attacked squares are crossed automatically, if the player wants that', { hash: byCode }, async (page) => {
  await shown(page);
  await cell(page, 1, 1).click({ button: 'right' });
  await put(page, 3, 3);
  await page.getByText('Options').click();
  await page.getByLabel('Cross attacked squares automatically').check();
  const crossed = (row, column) => until(async () => /, crossed automatically$/.test(await named(page, row, column)), `${row}:${column}`);
  for (const [row, column] of [[3, 6], [6, 3], [2, 2], [4, 4]]) await crossed(row, column);
  await until(async () => /, crossed$/.test(await named(page, 1, 1)), 'the own cross');
  await cell(page, 3, 6).click(); // a crossed square goes on to a queen
  await until(async () => (await queens(page)) === 2, 'two queens');
  await press(page, 'Undo');
  await press(page, 'Undo');
  await press(page, 'Undo');
  await until(async () => !/crossed/.test(await named(page, 2, 2)) && /crossed/.test(await named(page, 1, 1)), 'nothing but a cross');
});

// How the queens move, whether they still do or not.
const motion = (page) =>
  page.locator('.board.won .queen').evaluateAll((queens) =>
    queens.map((queen) => getComputedStyle(queen)).map(({ animationName, animationDelay }) => `${animationName} ${animationDelay}`));

look('a win: seen, heard, timed, and the next puzzle', { hash: byCode }, async (page) => {
  await shown(page);
  await says(page.locator('.time'), /[1-9]/);
  await win(page);
  await says(page.locator('.good'), /^Solved in \d+:\d\d! That is your best time\.$/);
  await spoken(page, /Solved in .* best time/);
  assert.ok(await page.locator('.board.won').count());
  const hops = ['0s', '0.1s', '0.2s', '0.3s', '0s', '0.1s'].map((delay) => `hop ${delay}`);
  assert.deepEqual(await motion(page), hops, 'the queens hop one after another');
  await page.getByText('Options').click();
  await page.getByLabel('No animation').check();
  await until(async () => String(await motion(page)) === String(hops.map(() => 'none 0s')), 'no motion');
  await page.getByLabel('No animation').uncheck();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  assert.deepEqual(await motion(page), hops.map(() => 'none 0s'), 'the reader wants none');
  const time = await page.locator('.time').textContent();
  await says(page.locator('.note', { hasText: 'Best time' }), `Best time for 6 × 6, easy: ${time}.`);
  await cell(page, 1, solution[0]).click();
  await says(page.locator('.help'), /“New” brings the next one/);
  await accessible(page);
  await press(page, 'Next puzzle');
  await until(async () => query(page).get('code') !== made.code && (await queens(page)) === 0, 'another one');
  await says(page.locator('.status .name'), '6 × 6, easy');
  await says(page.locator('.note', { hasText: 'Best time' }), /^Best time for 6 × 6, easy/);
  await page.goBack();
  await says(page.locator('.good'), `Solved in ${time}!`);
  assert.equal(await page.locator('.time').textContent(), time, 'the clock stands');
  await press(page, 'Clear');
  await until(async () => (await queens(page)) === 0, 'an empty board');
  await win(page);
  await says(page.locator('.good'), /^Solved in \d+:\d\d! The time does not count: .* before\.$/);
});

// In the page: the letters of regions that a queen covers, in part at least; queens are paths, or uses of one.
function covered(board) {
  const outline = board.querySelector('path.queen, [id^=nq-][id$=-queen]');
  const queens = [...board.querySelectorAll('path.queen, use')].map((queen) => {
    const at = board.createSVGMatrix();
    if (queen.matches('use')) return at.translate(queen.x.baseVal.value, queen.y.baseVal.value).multiply(outline.transform.baseVal.consolidate().matrix);
    return at.multiply(queen.transform.baseVal.consolidate().matrix);
  });
  const letters = [...board.querySelectorAll('text')].filter((letter) => /^[A-Ta-t]$/.test(letter.textContent));
  const isOn = (letter) => {
    const { x, y, width, height } = letter.getBBox();
    const points = Array.from({ length: 100 }, (_, i) => new DOMPoint(x + ((i % 10) / 9) * width, y + (0.2 + (0.6 * Math.floor(i / 10)) / 9) * height));
    return queens.some((queen) => points.some((point) => outline.isPointInFill(point.matrixTransform(queen.inverse()))));
  };
  return [queens.length, letters.length, letters.filter(isOn).map((letter) => letter.textContent).join('')];
}

look('no queen covers the letter of a region, in the page or in a picture', { hash: `${byCode}?style=pattern` }, async (page, context) => {
  await shown(page);
  await win(page);
  assert.deepEqual(await page.locator('.board').evaluate(covered), [6, 36, '']);
  const other = await context.newPage();
  await other.setContent((await server.get(`${made.solution_url}&format=svg`)).text);
  assert.deepEqual(await other.locator('svg').evaluate(covered), [6, 6, '']);
});

const turn = (page, visibility) =>
  page.evaluate((visibility) => {
    for (const [key, value] of [['visibilityState', visibility], ['hidden', visibility === 'hidden']])
      Object.defineProperty(document, key, { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibility);

// Holds the answers to /puzzle until release() is called: in a page without the service worker, through which they would come.
const direct = { serviceWorkers: 'block' };
async function held(page) {
  let release;
  const until = new Promise((resolve) => (release = resolve));
  await page.route('**/puzzle?*', async (route) => {
    await until;
    await route.continue().catch(() => {}); // what the page has given up
  });
  return release;
}

look('back, and forward before the answer: the puzzle on the screen stays, in the URL too', { hash: 'play?kind=regions&n=5', ...direct }, async (page) => {
  await says(page.locator('.status .name'), '5 × 5, easy');
  const first = query(page).get('code');
  await page.getByLabel('Code of the puzzle').fill(made.code);
  await press(page, 'Open');
  await says(page.locator('.status .name'), '6 × 6, easy');
  const thereAndBack = async () => {
    const release = await held(page);
    const asked = page.waitForRequest('**/puzzle?*');
    await page.goBack();
    await asked;
    assert.equal(query(page).get('code'), first);
    const given = page.waitForEvent('requestfailed');
    await page.goForward();
    await given;
    release();
  };
  await thereAndBack();
  await put(page, 1, 1);
  await until(async () => (await queens(page)) === 1, 'it can be played on');
  assert.ok(!(await disabled(page, 'Hint')));
  assert.equal(query(page).get('code'), made.code);
  await until(async () => !(await page.locator('[aria-busy]').count()), 'nothing is awaited');
  await press(page, 'Clear');
  await win(page);
  await thereAndBack();
  await says(page.locator('.good'), /^Solved in/);
  await page.goBack();
  await says(page.locator('.status .name'), '5 × 5, easy');
  assert.equal(query(page).get('code'), first);
});

for (const [hash, width, height] of [['', 1280, 800], ['play?kind=regions&n=8', 664, 390], ['play?kind=regions&n=8', 390, 664]])
  look(`what is beside a board stays where it is when the board comes: /${hash}, ${width} x ${height}`, { hash: null, ...direct, viewport: { width, height } }, async (page) => {
    const release = await held(page);
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
    const keys = page.locator('.keys');
    await keys.waitFor();
    const before = await keys.boundingBox();
    release();
    await shown(page);
    const after = await keys.boundingBox();
    for (const side of ['x', 'width']) assert.ok(Math.abs(after[side] - before[side]) <= 8, `${side}: ${before[side]}, then ${after[side]}`);
    assert.ok(Math.abs(after.y - before.y) <= 24, `y: ${before.y}, then ${after.y}`);
  });

look('while a puzzle is made the board before can be played, and nothing prevents the next', { hash: byCode, ...direct }, async (page) => {
  await shown(page);
  await put(page, 1, 1);
  const release = await held(page);
  await page.getByText('Options').click();
  const asked = page.waitForRequest('**/puzzle?*');
  await press(page, 'New');
  await asked;
  await page.getByRole('progressbar', { name: 'A puzzle is being made…' }).waitFor();
  await put(page, 3, 3);
  await until(async () => (await queens(page)) === 2, 'a queen of the game before');
  assert.ok(await page.getByRole('progressbar').isVisible(), 'it is still waited for');
  assert.ok(!(await disabled(page, 'Undo')));
  for (const name of ['Hint', 'Check']) assert.ok(await disabled(page, name), name);
  await page.getByLabel('Cross attacked squares automatically').check();
  await page.getByLabel('Checking').selectOption({ index: 1 });
  release();
  await until(async () => query(page).get('code') !== made.code && (await queens(page)) === 0, 'the next one');
  await says(page.locator('.help'), 'The game before is kept: Undo brings it back.');
  for (const name of ['Clear', 'Hint', 'Check', 'Undo']) assert.ok(!(await disabled(page, name)), name);
  await press(page, 'Undo');
  await until(async () => query(page).get('code') === made.code && (await queens(page)) === 2, 'the game before');
});

look('a puzzle in the making is cancelled', { hash: byCode, ...direct }, async (page) => {
  await shown(page);
  await put(page, 1, 1);
  const release = await held(page);
  const address = page.url();
  const asked = page.waitForRequest('**/puzzle?*');
  await press(page, 'New');
  await asked;
  const given = page.waitForEvent('requestfailed');
  await press(page, 'Cancel');
  await given;
  release();
  await says(page.locator('.help'), '');
  assert.deepEqual([page.url(), await queens(page)], [address, 1]);
  assert.ok(!(await disabled(page, 'Hint')));
  await put(page, 3, 3);
  await until(async () => (await queens(page)) === 2, 'the game goes on');
  await press(page, 'New');
  await until(async () => query(page).get('code') !== made.code && (await queens(page)) === 0, 'and another can be made');
});

look('the clock stands while the page is hidden, which saves nothing, and goes on while another puzzle is made', { hash: null, ...direct }, async (page) => {
  await page.clock.install();
  await page.goto(`http://127.0.0.1:${server.port}/${byCode}`);
  await shown(page);
  await put(page, 1, 1);
  await page.clock.pauseAt(Date.now() + 60000);
  const time = () => page.locator('.time').textContent();
  for (let i = 0; i < 5 && !/[05]$/.test(await time()); i++) await page.clock.runFor(1000);
  assert.match(await time(), /[05]$/, 'when the clock is saved');
  await turn(page, 'hidden');
  await page.evaluate(() => localStorage.setItem('play.games', '{}')); // by another page
  const hidden = await time();
  await page.clock.runFor(5000);
  assert.equal(await time(), hidden);
  assert.equal(await page.evaluate(() => localStorage.getItem('play.games')), '{}');
  await turn(page, 'visible');
  await page.clock.runFor(2000);
  assert.notEqual(await time(), hidden, 'it goes on');
  const release = await held(page);
  const next = async () => {
    const asked = page.waitForRequest('**/puzzle?*');
    await press(page, 'New');
    await asked;
  };
  await next();
  const given = page.waitForEvent('requestfailed');
  await next();
  await given;
  const seconds = async () => (await time()).split(':').reduce((minutes, seconds) => 60 * Number(minutes) + Number(seconds));
  const before = await seconds();
  await page.clock.runFor(3000);
  assert.equal(await seconds(), before + 3, 'the game before is still played');
  await turn(page, 'hidden');
  await page.clock.runFor(3000);
  assert.equal(await seconds(), before + 3);
  await turn(page, 'visible');
  release();
  await until(async () => query(page).get('code') !== made.code && (await time()) === '0:00', 'the next one');
  await page.clock.runFor(1000);
  assert.equal(await time(), '0:01', 'its own clock goes');
});

look('a drag that ends before a load crosses its board, one that the load overtakes crosses nothing, and the load goes on', { hash: 'play?kind=regions&n=5', ...direct }, async (page) => {
  await says(page.locator('.status .name'), '5 × 5, easy');
  const first = query(page).get('code');
  const other = async () => {
    await page.getByLabel('Code of the puzzle').fill(made.code);
    await press(page, 'Open');
    await says(page.locator('.status .name'), '6 × 6, easy');
  };
  const to = async (...at) => {
    const { x, y } = await middle(cell(page, ...at));
    await page.mouse.move(x, y);
  };
  const back = async () => {
    const release = await held(page);
    const asked = page.waitForRequest('**/puzzle?*');
    await page.goBack();
    await asked;
    return release;
  };
  const isFirst = async ({ changed = false } = {}) => {
    await says(page.locator('.status .name'), '5 × 5, easy');
    await until(async () => (await page.locator('.board .region').count()) === 5, 'its board');
    assert.equal(query(page).get('code'), first);
    assert.deepEqual([await crossed(page), await disabled(page, 'Undo')], ['', !changed]);
  };
  for (const early of [true, false]) {
    await other();
    await to(2, 1);
    await page.mouse.down();
    await to(2, 4);
    const release = await back();
    if (early) await page.mouse.up();
    release();
    await says(page.locator('.status .name'), '5 × 5, easy');
    if (!early) {
      await to(2, 6);
      await page.mouse.up();
    }
    await isFirst({ changed: true }); // the other has crosses: Undo would bring it back
    await page.unrouteAll({ behavior: 'wait' });
  }
  await other();
  const crosses = '2:1 2:2 2:3 2:4';
  assert.equal(await crossed(page), crosses, 'those of the first drag, which ended before the answer');
  const release = await back();
  await to(3, 3);
  await page.mouse.down();
  release();
  await says(page.locator('.status .name'), '5 × 5, easy');
  await page.mouse.up(); // the board under the pointer was that of the puzzle before
  await isFirst({ changed: true });
});

look('it works where the browser keeps nothing', { hash: null }, async (page) => {
  await page.addInitScript(() =>
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('refused', 'SecurityError');
      },
    }),
  );
  await page.goto(`http://127.0.0.1:${server.port}/${byCode}`);
  await shown(page);
  for (let row = 1; row <= 6; row++) {
    await cell(page, row, 1).focus();
    await page.keyboard.press('q');
  }
  await says(page.locator('.help'), 'Queens in column 1 attack each other.');
  assert.equal(await page.locator('.board .mark.bad').count(), 0);
  await press(page, 'Clear');
  await win(page);
  await says(page.locator('.note', { hasText: 'Best time' }), /^Best time for 6 × 6, easy: /); // for this visit
});

look('sizes and levels, and the puzzle of the day', { hash: 'play?n=5' }, async (page) => {
  await says(page.locator('.status .name'), '5 × 5, easy');
  await page.getByLabel('Difficulty').selectOption('hard');
  await page.getByLabel('Size n').fill('9');
  await page.getByLabel('Size n').press('Enter');
  await says(page.locator('.status .name'), '9 × 9, hard');
  const { grade, n: size } = await server.getJson(`/puzzle?kind=regions&code=${query(page).get('code')}`);
  assert.equal(size, 9);
  assert.match(grade.hardest, /^sets/);
  await page.clock.setFixedTime(new Date('2026-11-24T12:00:00'));
  await press(page, 'Puzzle of the day');
  await until(() => query(page).get('daily') === '2026-11-24', 'its address');
  const { n, level, regions } = await server.getJson(`/puzzle?kind=regions&daily=2026-11-24${query(page).get('n') ? `&n=${query(page).get('n')}` : ''}`);
  await says(page.locator('.status .name'), `November 24, 2026: ${n} × ${n}, ${level}`);
  const letter = String.fromCharCode(65 + regions[n - 1][0]);
  assert.equal(await named(page, n, 1), `row ${n}, column 1, region ${letter}`);
  await page.reload();
  await says(page.locator('.status .name'), /^November 24, 2026/);
});

const permissions = ['clipboard-read', 'clipboard-write'];
look('a puzzle is shared by its code or its link', { hash: 'play', permissions, forgive: /400/ }, async (page, context) => {
  await shown(page);
  await page.getByLabel('Code of the puzzle').fill(made.code.toUpperCase());
  await press(page, 'Open');
  await says(page.locator('.status .name'), '6 × 6, easy');
  assert.equal(query(page).get('code'), made.code);
  await press(page, 'Copy the code');
  await says(page.locator('#said'), 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), made.code);
  await press(page, 'Copy link to this puzzle');
  await page.waitForFunction(async (code) => (await navigator.clipboard.readText()) !== code, made.code);
  const other = await context.newPage();
  await other.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await says(other.locator('.status .name'), '6 × 6, easy');
  assert.equal(await other.getByLabel('Code of the puzzle').inputValue(), made.code);
  await page.getByLabel('Code of the puzzle').fill('http://127.0.0.1:8080/#play?daily=2026-11-24&kind=regions');
  await press(page, 'Open');
  await says(page.locator('.status .name'), 'November 24, 2026: 8 × 8, easy');
  await page.getByLabel('Code of the puzzle').fill(other.url());
  await press(page, 'Open');
  await says(page.locator('.status .name'), '6 × 6, easy');
  assert.equal(query(page).get('code'), made.code);
  await page.getByLabel('Code of the puzzle').fill('nonsense');
  await press(page, 'Open');
  await page.locator('.help [role=alert]').waitFor();
  await says(page.locator('.status .name'), '6 × 6, easy');
  await put(page, 1, 1);
  await until(async () => (await queens(page)) === 1, 'it can be played on');
});

look('with the keyboard only, also to undo and redo', { hash: byCode }, async (page) => {
  await shown(page);
  const keys = async (...names) => {
    for (const name of names) await page.keyboard.press(name);
  };
  const has = (count) => until(async () => (await queens(page)) === count, `${count} queens`);
  assert.ok((await disabled(page, 'Undo')) && (await disabled(page, 'Redo')));
  await tabTo(page, /^row 1, column 1/);
  for (const column of solution.slice(0, 2)) await keys('Home', ...Array(column - 1).fill('ArrowRight'), 'q', 'ArrowDown');
  await has(2);
  await keys('Control+z', 'Control+z');
  await has(0);
  await keys('Control+y', 'Control+Shift+z');
  await has(2);
  assert.ok(await disabled(page, 'Redo'));
  await press(page, 'Clear');
  await has(0);
  await press(page, 'Undo');
  await has(2);
  await press(page, 'Undo');
  await press(page, 'Redo');
  await has(2);
  await tabTo(page, /^row \d, column \d/);
  await keys(...Array(6).fill('ArrowUp'));
  for (const [i, column] of solution.entries()) {
    if (i > 1) await keys('Home', ...Array(column - 1).fill('ArrowRight'), 'q');
    await keys('ArrowDown');
  }
  await says(page.locator('.good'), /Solved/);
  await tabTo(page, 'New');
  await keys('Enter');
  await until(async () => query(page).get('code') !== made.code && (await queens(page)) === 0, 'the next one');
});

// ---- Puzzles to complete ----

look('a puzzle to complete: its level and seed, by which it is named by every rule, its clues, a hint, a win', { hash: 'play?kind=completion&n=8&level=expert' }, async (page) => {
  await says(page.locator('.status .name'), /^8 × 8, expert, seed/);
  const [seed, clues] = [query(page).get('seed'), query(page).get('clues')];
  const puzzle = await server.getJson(`/puzzle?n=8&seed=${seed}${clues ? `&clues=${clues}` : ''}`);
  assert.equal(puzzle.difficulty.level, 'expert');
  await says(page.locator('.status .name'), `8 × 8, expert, seed ${seed}`);
  assert.equal(await queens(page), puzzle.clues.length);
  assert.equal(await page.locator('.board .mark.given').count(), puzzle.clues.length);
  const { row, column } = puzzle.clues[0];
  assert.equal(await named(page, row, column), `row ${row}, column ${column}: queen, given`);
  await cell(page, row, column).click();
  await says(page.locator('.help'), `The queen on row ${row}, column ${column} belongs to the puzzle: it stays.`);
  await press(page, 'Hint');
  await press(page, 'Why?');
  await until(async () => /Place it|Cross/.test(await page.locator('.keys .main').textContent()), 'why');
  await page.locator('.keys .main').click();
  await until(async () => !(await disabled(page, 'Undo')), 'a queen or crosses');
  const { solutions } = await server.getJson(puzzle.solution_url);
  await win(page, solutions[0].permutation);
  await page.goto(new URL('play?kind=completion&n=7&seed=1&rules=toroidal', `http://127.0.0.1:${server.port}/`).href);
  const { clues: others } = await server.getJson('/puzzle?n=7&seed=1&rules=toroidal');
  await until(async () => (await queens(page)) === others.length, 'the clues');
  await says(page.locator('#rule'), /continue at the opposite border/);
  await page.getByLabel('Rule').selectOption('queens');
  await until(async () => !query(page).get('rules') && query(page).get('seed') !== '1', 'another one');
});

look('no puzzle of a difficulty, and none on a torus of four: the reason', { hash: 'play?kind=completion&n=5', forgive: /422/ }, async (page) => {
  await page.locator('.board .mark.given').first().waitFor();
  await page.getByLabel('Difficulty').selectOption('expert');
  await says(page.locator('.help'), /None of the 40 puzzles tried for n = 5 has that difficulty/);
  await page.goto('about:blank'); // else the puzzle before stays
  await page.goto(`http://127.0.0.1:${server.port}/play?kind=completion&n=4&rules=toroidal`);
  await says(page.locator('.help .error'), 'No solution exists for n = 4.');
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  assert.ok(await disabled(page, 'Hint'));
});

everywhere({ hash: byCode }, shown);

look('it fits in the language of the longest words', { hash: byCode, locale: 'ru', viewport: { width: 320, height: 800 } }, async (page) => {
  await says(page.locator('.status .name'), '6 × 6, лёгкая');
  assert.match(await page.getByRole('gridcell').first().getAttribute('aria-label'), /^строка 1, столбец 1, область A$/);
  assert.doesNotMatch(await page.locator('main').textContent(), /game\.|play\.|\{/);
  await fits(page);
});
