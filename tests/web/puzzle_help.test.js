// puzzle_help.test.js - help with a puzzle, which comes when it is asked for: checks, and hints that name a technique.
import assert from 'node:assert/strict';
import { until } from '../http/harness.js';
import { accessible, look, press, says, server } from './browser.js';
import { beside, byCode, cell, made, named, put, queens, shown, solution, win } from './puzzles.js';

look('nothing is checked until the player asks', { hash: byCode }, async (page) => {
  await shown(page);
  const quiet = async () => {
    await says(page.locator('.help'), '');
    assert.equal(await page.locator('.board').locator('.attack, .mark.bad').count(), 0);
  };
  await put(page, 1, beside);
  await quiet();
  await put(page, 1, (beside % 6) + 1);
  assert.equal(await queens(page), 2);
  await quiet();
  await press(page, 'Check');
  await says(page.locator('.help .note'), /squares? (is|are) wrong/);
  await says(page.locator('.attacks li'), /^row 1, column \d and row 1, column \d share a row$/);
  assert.equal(await page.locator('.board .attack').count(), 1);
  assert.ok(await page.locator('.board .mark.bad').count());
  await accessible(page);
  await press(page, 'Undo');
  await quiet();
  await press(page, 'Clear');
  await cell(page, 1, beside).click();
  await press(page, 'Check');
  await says(page.locator('.help .note'), 'No mistake so far.');
  await cell(page, 1, solution[0]).click({ button: 'right' });
  await press(page, 'Check');
  await says(page.locator('.help .note'), '1 square is wrong. It is marked.');
  assert.match(await named(page, 1, solution[0]), /, crossed, wrong$/);
});

look('attacks, or every mistake, at once: a choice, which is kept as the game is; help ends a best time', { hash: byCode }, async (page) => {
  await shown(page);
  await put(page, 1, beside);
  await page.getByText('Options').click();
  await page.getByLabel('Checking').selectOption('every mistake, at once');
  await page.locator('.board .mark.bad').waitFor();
  await page.getByLabel('Checking').selectOption('attacks, at once');
  await says(page.locator('.time'), /[1-9]/);
  await page.reload();
  await shown(page);
  await until(async () => (await queens(page)) === 1, 'the queen');
  await put(page, 2, beside);
  await until(async () => (await page.locator('.board .attack').count()) === 1, 'a line');
  await press(page, 'Undo');
  await cell(page, 1, beside).click();
  await win(page);
  await says(page.locator('.good'), /^Solved in \d+:\d\d! The time does not count: you had help/);
  await says(page.locator('.note', { hasText: 'best time' }), /^No best time yet/);
});

look('a hint names the technique and lights up its squares; the second press carries it out', { hash: byCode }, async (page) => {
  await shown(page);
  const { hint } = await server.getJson(`/hint?regions=${made.letters}`);
  const places = () => Promise.all([queens(page), page.getByRole('gridcell', { name: /, crossed(,|$)/ }).count()]);
  await press(page, 'Hint');
  const names = { 'single': 'The only square', 'confined': 'Confined', 'common-attack': 'Common attack' };
  await says(page.locator('.help .note'), new RegExp(`^${names[hint.technique] ?? 'Set of'}`));
  assert.equal(await page.locator('.board .mark.lit').count(), hint.because.squares.length);
  for (const { row, column } of hint.because.squares) assert.match(await named(page, row, column), /, part of the hint/);
  const target = hint.place ? [hint.place] : hint.cross;
  assert.equal(await page.locator('.board .mark.target').count(), target.length);
  assert.deepEqual(await places(), [0, 0], 'nothing is placed yet');
  await accessible(page);
  await press(page, 'Hint');
  await until(async () => String(await places()) === String(hint.place ? [1, 0] : [0, hint.cross.length]), 'carried out');
  await press(page, 'Undo');
  await until(async () => String(await places()) === '0,0', 'undone');
});

// Where everything that can be pressed beside the board is.
const places = (page) =>
  page.locator('.game').locator('button, summary, select, input, a').evaluateAll((controls) =>
    controls.filter((control) => !control.closest('.help')).map((control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      return [control.textContent, x, y + scrollY, width, height].join(' ');
    }));

// A game that was begun, as the browser keeps it, in which the next hint is a long one.
async function untilSets() {
  const { code, letters } = await server.getJson('/puzzle?kind=regions&n=6&level=hard&seed=1');
  const [queens, crosses] = [[], []];
  const text = (squares) => squares.map(({ row, column }) => `${row}:${column}`).join(',');
  const has = (squares, at) => squares.some(({ row, column }) => (row - 1) * 6 + column - 1 === at);
  for (;;) {
    const marked = [['place', queens], ['exclude', crosses]].filter(([, squares]) => squares.length);
    const { hint } = await server.getJson(`/hint?regions=${letters}${marked.map(([key, squares]) => `&${key}=${text(squares)}`).join('')}`);
    if (/^sets/.test(hint.technique)) break;
    if (hint.place) queens.push(hint.place);
    else crosses.push(...hint.cross);
  }
  const marks = Array.from({ length: 36 }, (_, at) => (has(queens, at) ? 2 : Number(has(crosses, at)))).join('');
  return { code, games: JSON.stringify({ [`code ${code}`]: { marks } }) };
}

for (const [width, locale] of [[390, 'ru'], [1280, 'it']])
  look(`nothing moves when help comes: ${width} pixels, ${locale}`, { hash: null, locale, viewport: { width, height: 800 } }, async (page) => {
    const { code, games } = await untilSets();
    await page.addInitScript((games) => localStorage.setItem('play.games', games), games);
    await page.goto(`http://127.0.0.1:${server.port}/#play?code=${code}`);
    await shown(page);
    const before = await places(page);
    assert.ok(before.length > 12);
    const [, , , hint, check] = await page.locator('.game .row').first().locator('button').all();
    await hint.click();
    await says(page.locator('.help b'), /2\.$/); // of a set of two
    assert.deepEqual(await places(page), before);
    await hint.click();
    await page.locator('.help button').waitFor({ state: 'detached' });
    for (let column = 1; column <= 6; column++) {
      await page.getByRole('gridcell').nth(column - 1).focus();
      await page.keyboard.press('q');
    }
    await check.click();
    await page.locator('.help li').nth(2).waitFor();
    assert.deepEqual(await places(page), before);
  });

look('a win before the hint that was asked for: nothing is awaited any more', { hash: byCode }, async (page) => {
  await shown(page);
  await page.route('**/hint?*', () => {}); // no answer
  for (const [i, column] of solution.slice(1).entries()) await put(page, i + 2, column);
  const asked = page.waitForRequest('**/hint?*');
  await press(page, 'Hint');
  await asked;
  assert.equal(await page.locator('.help[aria-busy]').count(), 1);
  await put(page, 1, solution[0]);
  await says(page.locator('.good'), /^Solved in/);
  assert.equal(await page.locator('[aria-busy]').count(), 0);
});

look('hints lead to the solution, whatever was wrong', { hash: byCode }, async (page) => {
  await shown(page);
  await put(page, 1, beside);
  await press(page, 'Hint');
  await says(page.locator('.help .note'), '1 square is wrong and marked. Correct it first.');
  await press(page, 'Empty the wrong squares');
  await until(async () => (await queens(page)) === 0, 'empty');
  for (let presses = 0; !(await page.locator('.good').count()); presses++) {
    assert.ok(presses < 60);
    await press(page, 'Hint');
    await page.locator('.help .button').or(page.locator('.good')).first().click();
    await says(page.locator('.help'), /^$|Solved/);
  }
  await says(page.locator('.good'), /Solved/);
});
