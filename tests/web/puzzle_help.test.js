// puzzle_help.test.js - help with a puzzle, which comes when it is asked for: checks, and hints that name a technique.
import assert from 'node:assert/strict';
import { until } from '../http/harness.js';
import { attackersOf } from '../../src/web/hints.js';
import { accessible, heard, look, press, says, server } from './browser.js';
import { beside, byCode, cell, disabled, made, named, put, queens, shown, solution, spoken, win } from './puzzles.js';

const attacks = (page) => page.locator('.board .attack').count();
const fill = async (page, columns) => {
  for (const [i, column] of columns.entries()) {
    await cell(page, i + 1, column).focus();
    await page.keyboard.press('q');
  }
};

look('queens that attack each other are shown and said at once, and nothing else is', { hash: byCode }, async (page) => {
  await shown(page);
  await put(page, 1, beside);
  await says(page.locator('.help'), '');
  const other = (beside % 6) + 1;
  await put(page, 1, other);
  assert.equal(await queens(page), 2);
  await says(page.locator('.help'), 'Queens in row 1 attack each other.');
  await spoken(page, new RegExp(`^Queen placed on row 1, column ${other}\\. Queens in row 1 attack each other\\.$`));
  assert.equal(await attacks(page), 1);
  for (const column of [beside, other]) assert.match(await named(page, 1, column), /: queen, region [A-F], attacked by another queen$/);
  assert.equal(await page.locator('.board .mark.bad').count(), 0);
  await accessible(page);
  await press(page, 'Undo');
  await until(async () => (await attacks(page)) === 0, 'no attack');
  await says(page.locator('.help'), '');
  assert.doesNotMatch(await named(page, 1, beside), /attacked by/);
});

look('a full board that is wrong says where queens attack each other', { hash: byCode }, async (page) => {
  await shown(page);
  await fill(page, [...solution.slice(0, 5), (solution[5] % 6) + 1]);
  assert.equal(await queens(page), 6);
  await says(page.locator('.help .clash'), /attack each other\.$|diagonal|touch|region/);
  await spoken(page, /^Queen placed on row 6, column \d\. .+\.$/);
  assert.ok(await attacks(page));
  assert.equal(await page.locator('.good').count(), 0);
});

look('with checks when they are asked for, only a full board says its first attack; Check marks what is wrong', { hash: byCode }, async (page) => {
  await shown(page);
  const quiet = async () => {
    await says(page.locator('.help'), '');
    assert.equal(await page.locator('.board').locator('.attack, .mark.bad, .mark.clash').count(), 0);
  };
  await page.getByText('Options').click();
  await page.getByLabel('Checking').selectOption('when I ask');
  await put(page, 1, beside);
  await quiet();
  await put(page, 1, (beside % 6) + 1);
  assert.equal(await queens(page), 2);
  await quiet();
  await press(page, 'Check');
  await says(page.locator('.help .note'), /squares? (is|are) wrong.* Queens in row 1 attack each other\.$/);
  assert.equal(await attacks(page), 1);
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
  await spoken(page, new RegExp(`^1 square is wrong\\. It is marked\\. The wrong square is row 1, column ${solution[0]}\\.$`));
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

const other = solution[1] > 3 ? 1 : 6; // in row 2 no queen of the solution is there
const wrongOnes = {
  'en-GB': ['squares are wrong', `The wrong squares are row 1, column ${beside}; row 2, column ${other}.`],
  'it': ['caselle sono sbagliate', `Le caselle sbagliate sono riga 1, colonna ${beside}; riga 2, colonna ${other}.`],
  'ru': ['Отмечено ошибок: 2', `Исправьте: строка 1, столбец ${beside}; строка 2, столбец ${other}.`],
};
for (const [locale, [count, sentence]] of Object.entries(wrongOnes))
  look(`wrong squares are said in a sentence, in ${locale}: at once, by a hint and by Check`, { hash: byCode, locale }, async (page) => {
    await shown(page);
    const square = (row, column) => page.getByRole('gridcell').nth(6 * row + column - 7);
    for (const at of [[1, beside], [2, other]]) {
      await square(...at).focus();
      await page.keyboard.press('q');
    }
    const [, , hint, check] = await page.locator('.keys .button').all();
    await page.locator('.options summary').click();
    const atOnce = () => page.locator('.options select').first().selectOption('all');
    for (const act of [atOnce, () => hint.click(), () => check.click()]) {
      const before = (await heard(page)).length;
      await act();
      await until(async () => (await heard(page)).length > before, 'something is said');
      const said = (await heard(page)).at(-1);
      assert.ok(said.includes(count) && said.endsWith(sentence), said);
    }
  });

look('a hint in three presses: where to look, why, and it is done', { hash: byCode }, async (page) => {
  await shown(page);
  const { hint } = await server.getJson(`/hint?regions=${made.letters}`);
  const places = () => Promise.all([queens(page), page.getByRole('gridcell', { name: /, crossed(,|$)/ }).count()]);
  await press(page, 'Hint');
  await says(page.locator('.help .note'), `${hint.because.title}. Look at the marked squares.`);
  assert.equal(await page.locator('.board .mark.lit').count(), hint.because.squares.length);
  for (const { row, column } of hint.because.squares) assert.match(await named(page, row, column), /, part of the hint/);
  assert.equal(await page.locator('.board .mark.target').count(), 0, 'the reader may find it');
  await accessible(page);
  await press(page, 'Why?');
  await says(page.locator('.help .note'), `${hint.because.title}. ${hint.because.why}`);
  const target = hint.place ? [hint.place] : hint.cross;
  assert.equal(await page.locator('.board .mark.target').count(), target.length);
  assert.deepEqual(await places(), [0, 0], 'nothing is placed yet');
  await accessible(page);
  await press(page, hint.place ? 'Place it' : 'Cross');
  await until(async () => String(await places()) === String(hint.place ? [1, 0] : [0, hint.cross.length]), 'carried out');
  await spoken(page, /^The hint is carried out\.$/);
  assert.ok(!(await disabled(page, 'Hint')), 'the next one');
  await press(page, 'Undo');
  await until(async () => String(await places()) === '0,0', 'undone');
  await press(page, 'Hint');
  await says(page.locator('.help .note'), /Look at the marked squares\.$/);
  await cell(page, 6, solution[5]).focus();
  await page.keyboard.press('q');
  await says(page.locator('.help'), '');
  assert.ok(!(await disabled(page, 'Hint')), 'a move ends a hint');
});

// A game of 6 by 6 that was begun by following hints, as the browser keeps it, whose next hint is of a technique: { code, games, hint }.
async function untilHint(wanted, level, seed) {
  const { code, letters } = await server.getJson(`/puzzle?kind=regions&n=6&level=${level}&seed=${seed}`);
  const [queens, crosses] = [[], []];
  const text = (squares) => squares.map(({ row, column }) => `${row}:${column}`).join(',');
  const has = (squares, at) => squares.some(({ row, column }) => (row - 1) * 6 + column - 1 === at);
  for (;;) {
    const marked = [['place', queens], ['exclude', crosses]].filter(([, squares]) => squares.length);
    const { hint } = await server.getJson(`/hint?regions=${letters}${marked.map(([key, squares]) => `&${key}=${text(squares)}`).join('')}`);
    const marks = Array.from({ length: 36 }, (_, at) => (has(queens, at) ? 2 : Number(has(crosses, at)))).join('');
    if (wanted.test(hint.technique)) return { code, games: JSON.stringify({ [`code ${code}`]: { marks } }), hint };
    if (hint.place) queens.push(hint.place);
    else crosses.push(...hint.cross);
  }
}

look('the rounds of a contradiction, one after the other', { hash: null }, async (page) => {
  const { code, games, hint } = await untilHint(/^contradiction-[2-9]/, 'expert', 11);
  const { steps } = hint.because;
  const nameOf = ({ row, column }) => `row ${row}, column ${column}`;
  const words = ({ place }) => (place.length ? `Then there is a queen on ${place.map(nameOf).join('; ')}.` : 'Then the marked squares are not free any more.');
  // What is marked by then: queens, and squares that are free no longer.
  const marked = async (after) => {
    for (const [mark, of] of [['meant by the hint', 'place'], ['part of the hint', 'cross']]) {
      const wanted = new Set(steps.slice(0, after).flatMap((step) => step[of]).map(nameOf));
      const names = () => page.getByRole('gridcell', { name: new RegExp(`, ${mark}`) }).evaluateAll((cells) => cells.map((it) => it.ariaLabel.match(/^row \d+, column \d+/)[0]));
      await until(async () => String((await names()).sort()) === String([...wanted].sort()), `${mark} after ${after}: ${[...wanted]}`);
    }
  };
  await page.addInitScript((games) => localStorage.setItem('play.games', games), games);
  await page.goto(`http://127.0.0.1:${server.port}/play/${code}`);
  await shown(page);
  await press(page, 'Hint');
  await press(page, 'Why?');
  const slider = page.getByRole('slider', { name: 'Steps of the contradiction' });
  await says(page.locator('.help .step'), words(steps[0]));
  for (const [i, step] of steps.entries()) {
    if (!i) continue;
    await press(page, 'Next step');
    await says(page.locator('.help .step'), words(step));
    assert.equal(await slider.inputValue(), String(i));
    await marked(i + 1);
  }
  await slider.focus();
  for (let i = steps.length - 2; i >= 0; i--) {
    await page.keyboard.press('ArrowLeft');
    await says(page.locator('.help .step'), words(steps[i]));
    await marked(i + 1);
  }
  await accessible(page);
  await press(page, 'Cross');
  for (const { row, column } of hint.cross) await until(async () => /, crossed$/.test(await named(page, row, column)), 'it is crossed');
});

// Where everything that can be pressed beside the board is.
const places = (page) =>
  page.locator('.game').locator('button, summary, select, input, a').evaluateAll((controls) =>
    controls.filter((control) => !control.closest('.help')).map((control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      return [control.matches('.keys .main') || control.textContent, x, y + scrollY, width, height].join(' ');
    }));

for (const [width, locale] of [[390, 'ru'], [1280, 'it']])
  look(`nothing moves when help comes: ${width} pixels, ${locale}`, { hash: null, locale, viewport: { width, height: 800 } }, async (page) => {
    const { code, games } = await untilHint(/^sets/, 'hard', 1);
    await page.addInitScript((games) => localStorage.setItem('play.games', games), games);
    await page.goto(`http://127.0.0.1:${server.port}/play?code=${code}`);
    await shown(page);
    await page.locator('[role=gridcell]:not([aria-label*=":"])').first().click(); // on a phone the board has the screen then
    await page.locator('.keys button').first().click();
    await page.locator('.keys button').first().and(page.locator(':disabled')).waitFor();
    const before = await places(page);
    assert.ok(before.length > 12);
    const [, , hint, check] = await page.locator('.game .keys button').all();
    await hint.click();
    await says(page.locator('.help b'), /2\.$/); // of a set of two
    assert.deepEqual(await places(page), before);
    await hint.click(); // why
    await page.locator('.board .mark.target').first().waitFor();
    assert.deepEqual(await places(page), before);
    await hint.click();
    await says(page.locator('.help'), '');
    for (let column = 1; column <= 6; column++) {
      await page.getByRole('gridcell').nth(column - 1).focus();
      await page.keyboard.press('q');
    }
    await page.locator('.help .clash').waitFor();
    assert.deepEqual(await places(page), before);
    await check.click();
    await page.locator('.board .mark.bad').first().waitFor();
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
  await press(page, 'Empty them');
  await until(async () => (await queens(page)) === 0, 'empty');
  const key = page.locator('.keys .main');
  for (let presses = 0; !(await page.locator('.good').count()); presses++) {
    assert.ok(presses < 180);
    const before = await key.textContent();
    await key.click();
    await until(async () => (await page.locator('.good').count()) || (await key.textContent()) !== before, `after ${before}`);
  }
  await says(page.locator('.good'), /Solved/);
});

look('a hint shows who attacks the other squares where it looks', { hash: byCode }, async (page) => {
  await shown(page);
  let [wanted, attacked] = [[], 0];
  for (let row = 1; !attacked; row++) {
    await put(page, row, solution[row - 1]);
    const queens = solution.slice(0, row).map((column, i) => [i + 1, column]);
    const { hint } = await server.getJson(`/hint?regions=${made.letters}&place=${queens.map((at) => at.join(':')).join(',')}`);
    wanted = attackersOf(hint, queens, made.regions, made.n);
    attacked = wanted.filter(([, queen]) => queen).length;
  }
  await press(page, 'Hint');
  const strokes = (part) => page.locator(`.board .attackers ${part}`).evaluate((path) => path.getAttribute('d').match(/M/g)?.length ?? 0);
  await until(async () => (await strokes('.ends')) === wanted.length, 'a dot on every other square');
  assert.equal(await strokes('path:not(.ends)'), attacked, 'a line to each from its queen');
});
