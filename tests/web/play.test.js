// play.test.js - free play as a player sees it: queens by hand, what is left, help, and a URL that has all of it.
import assert from 'node:assert/strict';
import { longer, until } from '../http/harness.js';
import { accessible, everywhere, fits, focused, frozen, heard, look, press, says, server, tabTo } from './browser.js';
import { cell, disabled, queens, spoken } from './puzzles.js';

const put = (page, row, column) => cell(page, row, column).click();
const left = (page) => page.locator('.figures b');
const named = async (at) => at.getAttribute('aria-label');
const grouped = (x) => new Intl.NumberFormat('en-GB').format(BigInt(x));
const counted = async (query) => grouped((await server.getJson(`/count?${query}`)).count_text);

look('what comes while a square is held down does not swallow the click', { hash: '#play?kind=free' }, async (page) => {
  await says(left(page), '92');
  await frozen(async () => {
    const asked = page.waitForRequest('**/count?*');
    await put(page, 1, 1);
    await asked;
    await cell(page, 2, 5).hover();
    await page.mouse.down();
  });
  await says(left(page), await counted('n=8&place=1:1')); // and the board is to be drawn again
  await page.mouse.up();
  await until(async () => (await queens(page)) === 2, 'two queens');
});

look('after a press that opens a menu, which keeps its release, the keyboard still draws', { hash: '#play?kind=free' }, async (page) => {
  await says(left(page), '92');
  await cell(page, 2, 5).hover();
  await page.mouse.down({ button: 'right' });
  await cell(page, 1, 1).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await queens(page)) === 1, 'a queen');
  await page.reload();
  await until(async () => (await queens(page)) === 1, 'a queen');
  await cell(page, 2, 5).hover();
  await page.keyboard.down('Control'); // as on macOS
  await page.mouse.down();
  await page.keyboard.up('Control');
  await cell(page, 3, 8).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await queens(page)) === 2, 'two queens');
});

look('by touch', { hash: '#play?kind=free&n=6', hasTouch: true, viewport: { width: 320, height: 800 } }, async (page) => {
  await cell(page, 2, 1).tap();
  await says(left(page), await counted('n=6&place=2:1'));
  assert.equal(await queens(page), 1);
});

look('attacks are shown as lines and in words', { hash: '#play?kind=free&n=8&queens=1:3' }, async (page) => {
  await says(left(page), await counted('n=8&place=1:3'));
  assert.equal(await page.locator('.board .attack').count(), 0);
  await put(page, 3, 5);
  assert.equal(await page.locator('.board .attack').count(), 1);
  await spoken(page, /^Queen placed on row 3, column 5\..* share a diagonal$/);
  await says(page.locator('.attacks li'), 'row 1, column 3 and row 3, column 5 share a diagonal');
  await put(page, 3, 3);
  assert.equal(await page.locator('.board .attack').count(), 3);
  const told = await page.locator('.attacks li').allTextContents();
  assert.ok(told.includes('row 1, column 3 and row 3, column 3 share a column'), told.join());
  assert.ok(told.includes('row 3, column 5 and row 3, column 3 share a row'), told.join());
  await says(left(page), '0');
  await says(page.locator('.panel').last(), /Queens attack each other\. Remove one\./);
});

look('of many attacks some are listed, with the number of the others; squares under attack can be marked', { hash: '#play?kind=free&n=5&queens=1:1,1:2,1:3,1:4,1:5' }, async (page) => {
  await says(page.locator('.attacks li').last(), 'and 4 more attacks');
  assert.equal(await page.locator('.board .attack').count(), 10);
  await put(page, 2, 1);
  await says(page.locator('.help'), 'All 5 queens are on the board. Remove one first.');
  await press(page, 'Clear');
  await put(page, 3, 3);
  assert.equal(await page.locator('.board .mark.hit').count(), 0);
  await press(page, 'Attacked squares');
  assert.equal(await page.locator('.board .mark.hit').count(), 16);
  assert.equal(await named(cell(page, 1, 1)), 'row 1, column 1, attacked');
  assert.equal(await named(cell(page, 1, 2)), 'row 1, column 2');
  await page.getByLabel('Rule').selectOption('touching');
  await says(left(page), await counted('n=5&rules=touching&place=3:3'));
  assert.equal(await page.locator('.board .mark.hit').count(), 12);
});

look('a solved board, a dead end and a size without a solution have a message', { hash: '#play?kind=free&n=4&queens=1:2,2:4,3:1' }, async (page) => {
  await says(left(page), '1');
  await put(page, 4, 3);
  await says(page.locator('.good'), 'Solved! 4 queens, and none attacks another.');
  await spoken(page, /Solved!/);
  await accessible(page);
  const hash = (hash) => page.evaluate((hash) => (location.hash = hash), hash);
  await hash('#play?kind=free&n=4&queens=1:1&heat=1');
  await says(left(page), '0');
  await says(page.locator('.rest'), '');
  await says(page.locator('.panel').last(), /Dead end/);
  await press(page, 'Hint');
  await press(page, 'Remove the last one');
  await says(left(page), '2');
  await hash('#play?kind=free&n=3');
  await says(page.locator('#said'), 'There is no solution for n = 3. Choose another size.');
  await hash('#play?kind=free&n=22&rules=toroidal');
  await says(page.locator('.panel').last(), /no solution for n = 22\. Choose another size\. On a torus no solution exists/);
  await hash('#play?kind=free&n=22&rules=superqueens'); // published, and so there at once
  await says(left(page), await counted('n=22&rules=superqueens'));
  await says(page.locator('.figures'), /published: A051223/);
});

look('undo and redo: buttons, keys, and the browser', { hash: '#play?kind=free&n=6' }, async (page) => {
  assert.ok((await disabled(page, 'Undo')) && (await disabled(page, 'Redo')));
  const has = (count) => until(async () => (await queens(page)) === count, `${count} queens`);
  await put(page, 1, 2);
  await put(page, 2, 4);
  await press(page, 'Undo');
  await has(1);
  await press(page, 'Undo');
  await has(0);
  assert.ok(await disabled(page, 'Undo'));
  await press(page, 'Redo');
  await has(1);
  await page.keyboard.press('Control+y');
  await has(2);
  assert.ok(await disabled(page, 'Redo'));
  await page.keyboard.press('Control+z');
  await has(1);
  await page.keyboard.press('Control+Shift+z');
  await has(2);
  await page.goBack();
  await has(1);
  await put(page, 3, 6);
  await has(2);
  assert.ok(await disabled(page, 'Redo'));
  await says(left(page), '1');
  await press(page, 'Clear');
  await has(0);
  await press(page, 'Undo');
  await has(2);
  await page.reload();
  await has(2);
  await press(page, 'Undo');
  await has(1);
});

look('Free play pressed again is a step, and a link begins anew: nothing is to be redone after either', { hash: '#play?kind=free&n=6' }, async (page) => {
  const has = (count) => until(async () => (await queens(page)) === count, `${count} queens`);
  await put(page, 1, 2);
  await put(page, 2, 4);
  await has(2);
  await press(page, 'Free play');
  await has(0);
  assert.ok(await disabled(page, 'Redo'));
  for (const count of [2, 1, 0]) {
    await press(page, 'Undo');
    await has(count);
  }
  await press(page, 'Free play'); // which changes nothing
  await press(page, 'Redo');
  await has(1);
  await press(page, 'Free play');
  await has(0);
  assert.ok(await disabled(page, 'Redo'));
  await press(page, 'Undo');
  await has(1);
  await put(page, 3, 6);
  await put(page, 4, 1);
  await has(3);
  await page.goBack();
  await has(2);
  await page.evaluate(() => (location.hash = '#play?kind=free&n=6&queens=1:1'));
  await has(1);
  assert.ok((await disabled(page, 'Undo')) && (await disabled(page, 'Redo')));
  await page.goBack();
  await has(2);
  assert.ok(await disabled(page, 'Redo'));
  await press(page, 'Undo');
  await has(1);
  await press(page, 'Redo');
  await has(2);
  assert.ok(await disabled(page, 'Redo'));
});

look('undo begins with the board, not with the puzzle before', { hash: '#play?kind=regions&n=5' }, async (page) => {
  await page.locator('.board .region').first().waitFor();
  await press(page, 'Free play');
  await says(left(page), '10');
  assert.ok(await disabled(page, 'Undo'));
  await put(page, 1, 1);
  await press(page, 'Undo');
  await until(async () => (await queens(page)) === 0, 'no queen');
  assert.ok(await disabled(page, 'Undo'));
  await page.keyboard.press('Control+z');
  await page.goBack();
  await page.locator('.board .region').first().waitFor();
});

look('Undo and Redo pressed faster than the browser goes do not leave the board', { hash: '#board?n=4' }, async (page) => {
  await page.locator('.board').waitFor();
  await page.evaluate(() => (location.hash = '#play?kind=free&n=6'));
  const often = (name) => page.getByRole('button', { name, exact: true }).evaluate((button) => [1, 2, 3, 4, 5, 6].forEach(() => button.click()));
  await says(left(page), '4');
  await put(page, 1, 2);
  await put(page, 2, 4);
  for (const [name, count] of [['Undo', 1], ['Undo', 0], ['Redo', 1], ['Redo', 2]]) {
    await often(name);
    await until(async () => (await queens(page)) === count, `${count} queens`);
  }
});

look('a hint is a square that leaves the most completions, and can be placed', { hash: '#play?kind=free&n=8&queens=1:1' }, async (page) => {
  await says(left(page), '4');
  const { hint } = await server.getJson('/hint?n=8&place=1:1');
  const controls = page.locator('.game').locator('button, select, input, summary').filter({ hasNotText: 'Place it' });
  const places = () => controls.evaluateAll((all) => all.map((at) => `${at.textContent} ${at.getBoundingClientRect().y}`));
  const before = await places();
  await press(page, 'Hint');
  const at = `row ${hint.row}, column ${hint.column}`;
  await says(page.locator('.help p'), `Hint: ${at}. A queen there leaves ${hint.completions} of 4 completions.`);
  assert.equal(await page.locator('.board .mark.hint').count(), 1);
  assert.deepEqual(await places(), before, 'no control moves');
  await page.getByText('Show the request').click();
  assert.match(await page.locator('.snippets pre').first().textContent(), /hint\?n=8&place=1:1/);
  await press(page, 'Place it');
  assert.equal(await named(cell(page, hint.row, hint.column)), `${at}: queen`);
  await says(left(page), String(hint.completions));
  assert.equal(await page.locator('.board .mark.hint').count(), 0);
  await page.locator('.snippets pre').first().getByText(`count?n=8&place=1:1,${hint.row}:${hint.column}`).waitFor(); // it stays open
});

look('help beyond the limits is rejected in words, without a way to try again', { hash: '#play?kind=free&n=32', forgive: /422/ }, async (page) => {
  await says(left(page), /×/);
  await press(page, 'Hint');
  await says(page.locator('.help .error'), /1,048,576 placements were not enough.*Place more queens/);
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  await put(page, 1, 1);
  await page.locator('.help .error').waitFor({ state: 'detached' });
  await says(page.locator('.rest'), /An exact count would take about [\d,]+ hours here\./);
  assert.equal(await page.getByRole('button', { name: 'Count exactly' }).count(), 0);
});

look('the heat map shows how many completions have a queen on each square', { hash: '#play?kind=free&n=6' }, async (page) => {
  await says(left(page), '4');
  await press(page, 'Heat map');
  await page.locator('.board .share').first().waitFor();
  const { squares } = await server.getJson('/count?n=6&by=square');
  const shares = squares.flat().filter(Boolean).map((count) => String((100 * count) / 4));
  assert.deepEqual(await page.locator('.board .share').allTextContents(), shares);
  assert.equal(await named(cell(page, 1, 2)), 'row 1, column 2, 25 %');
  await says(page.locator('.rest'), /The bluer a square, the more completions/);
  assert.match(page.url(), /heat=1/);
  await put(page, 1, 2);
  const sure = async () => (await page.locator('.board .share').allTextContents()).join() === '100,100,100,100,100';
  await until(sure, 'one completion');
  await page.getByRole('button', { name: 'Heat map', pressed: true }).click();
  await until(async () => !(await page.locator('.board .heat').count()), 'no heat');
});

look('by another rule: its lines, counts and hints', { hash: '#play?kind=free&n=7&queens=1:1,2:7' }, async (page) => {
  await says(left(page), await counted('n=7&place=1:1,2:7'));
  assert.equal(await page.locator('.board .attack').count(), 0);
  await page.getByLabel('Rule').selectOption('toroidal');
  await says(page.locator('.attacks li'), 'row 1, column 1 and row 2, column 7 share a diagonal');
  assert.equal(await page.locator('.board svg .attack').count(), 1);
  await says(page.locator('#rule'), /continue at the opposite border/);
  assert.match(page.url(), /rules=toroidal/);
  await put(page, 2, 7);
  await says(left(page), await counted('n=7&rules=toroidal&place=1:1'));
  await press(page, 'Hint');
  const { hint } = await server.getJson('/hint?n=7&rules=toroidal&place=1:1');
  await says(page.locator('.help p'), new RegExp(`^Hint: row ${hint.row}, column ${hint.column}\\. `));
});

// As it is seen: the colours [red, green, blue] of places on the board, in squares from its corner.
async function colours(page, places) {
  const shot = (await page.screenshot()).toString('base64');
  const { x, y, width } = await page.locator('.board .rim').boundingBox();
  return page.evaluate(
    async ({ shot, places, x, y, size }) => {
      const picture = new Image();
      picture.src = `data:image/png;base64,${shot}`;
      await picture.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [picture.width, picture.height];
      const brush = canvas.getContext('2d');
      brush.drawImage(picture, 0, 0);
      const at = ([row, column]) => [...brush.getImageData(x + column * size, y + row * size, 1, 1).data].slice(0, 3);
      return places.map(at);
    },
    { shot, places, x, y, size: width / 8 },
  );
}

for (const style of longer ? ['drawn', 'pattern'] : ['pattern'])
  look(`equally many completions are equally blue (${style})`, { hash: `#play?kind=free&n=8&heat=1&style=${style}` }, async (page) => {
    const counts = (await server.getJson('/count?n=8&by=square')).squares.flat();
    await page.locator('.board .heat').first().waitFor();
    await page.mouse.move(0, 0);
    // Where neither number nor rim is.
    const places = counts.flatMap((_, i) => [[0.25, 0.25], [0.3, 0.7]].map(([a, b]) => [Math.floor(i / 8) + a, (i % 8) + b]));
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const seen = await colours(page, places);
      const of = new Map(); // by count: the colours seen
      counts.forEach((count, i) => of.set(count, [...(of.get(count) ?? []), ...seen.slice(2 * i, 2 * i + 2)].map(String)));
      for (const [count, list] of of) assert.equal(new Set(list).size, 1, `${count}, ${colorScheme}: ${[...new Set(list)].join(' | ')}`);
      const order = [...of.keys()].sort((a, b) => a - b).map((count) => Number(of.get(count)[0].split(',')[0]));
      assert.deepEqual(order, [...order].sort((a, b) => (colorScheme === 'light' ? b - a : a - b)), 'the more, the bluer');
      assert.equal(new Set(order).size, of.size);
    }
  });

look('a large board has an estimate, marked as one, and the cost of an exact count or heat map', { hash: '#play?kind=free&n=19&heat=1' }, async (page) => {
  await says(left(page), await counted('n=19'));
  await says(page.locator('.figures'), /published: A000170/);
  await says(page.locator('.rest'), 'The heat map works up to n = 18.');
  await put(page, 1, 1);
  await says(left(page), /^\(\d\.\d+\s±\s0\.\d+\)\s×\s10⁸$/);
  await says(page.locator('.figures'), /not counted: an estimate from 100,000 random descents/);
  await says(page.locator('.rest'), /An exact count would take about \d.* (seconds|hours) here\./);
  await page.getByLabel('Size n').fill('17');
  await page.getByLabel('Size n').press('Enter');
  await says(page.locator('.rest'), /would take about \d.*A heat map needs an exact count\. Place more queens/);
  await says(left(page), await counted('n=17'));
  for (const [row, column] of [[1, 1], [2, 3], [3, 5], [4, 2]]) await put(page, row, column); // few enough rows are free now
  await page.locator('.board .heat').first().waitFor();
  await says(page.locator('.rest'), /The bluer a square/);
});

look('a longer count starts when the user asks for it', { hash: null }, async (page) => {
  await page.route('**/jobs?dry-run=true', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), core_seconds: 10, threads: 1 } }); // as on a slow machine
  });
  const query = 'n=14&rules=superqueens&place=1:2';
  await page.goto(`http://127.0.0.1:${server.port}/#play?kind=free&n=14&rules=superqueens&queens=1:2`);
  await says(page.locator('.rest p').first(), 'An exact count would take about 10 seconds here.');
  await says(page.locator('.figures'), /not counted: an estimate/);
  await press(page, 'Count exactly');
  await says(left(page), await counted(`${query}&method=compute`));
  await says(page.locator('.figures'), /exact, counted just now/);
});

look('where no estimate is to be had either, the reason', { hash: '#play?kind=free&n=31&rules=toroidal&queens=1:1', forgive: /422/ }, async (page) => {
  await says(page.locator('.rest'), /An exact count would take about/);
  await says(page.locator('.figures'), /\? \(Only \d+ of 100,000 random descents found a solution, too few for an estimate\.\)$/);
});

const all = '#play?kind=free&n=8&queens=1:6,2:2,5:5,6:8&style=unicode&heat=1&hits=1';
const permissions = ['clipboard-read', 'clipboard-write'];
look('the URL has the whole state, and can be shared', { hash: all, permissions }, async (page, context) => {
  const seen = async (page) => {
    await says(left(page), await counted('n=8&place=1:6,2:2,5:5,6:8'));
    assert.equal(await page.locator('.board .sign').count(), 4);
    assert.ok(await page.locator('.board .mark.hit').count());
    assert.equal(await page.getByRole('button', { pressed: true }).count(), 3);
    assert.equal(await page.getByLabel('Style').inputValue(), 'unicode');
  };
  await seen(page);
  await press(page, 'Copy link to this position');
  await says(page.locator('#said'), 'Copied');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `http://127.0.0.1:${server.port}/${all.slice(1)}`);
  const other = await context.newPage();
  await other.goto(link);
  await seen(other);
});

look('a partly invalid link shows the rest; an invalid size is rejected, another one is an empty board', { hash: '#play?kind=free&n=5&queens=1:1,9:9,x,1:1,2:3' }, async (page) => {
  await says(page.locator('.panel').last(), /Part of the link is not a position on this board/);
  assert.equal(await queens(page), 2);
  await says(left(page), await counted('n=5&place=1:1,2:3'));
  const size = page.getByLabel('Size n');
  await size.fill('99');
  await size.press('Enter');
  assert.equal(await queens(page), 2);
  await size.fill('10');
  await size.press('Enter');
  await says(left(page), '724');
  assert.equal(await queens(page), 0);
  await press(page, 'Smaller board');
  await says(left(page), '352');
});

look('only the last of many clicks is counted', { hash: '#play?kind=free&n=12' }, async (page) => {
  const asked = [];
  page.on('request', (request) => request.url().includes('/count?') && asked.push(request.url()));
  await says(left(page), '14,200');
  asked.length = 0;
  await page.evaluate(() => {
    for (const name of ['row 1, column 2', 'row 2, column 4', 'row 3, column 6'])
      document.querySelector(`[aria-label="${name}"]`).dispatchEvent(new MouseEvent('click', { bubbles: true }));
  });
  await says(left(page), await counted('n=12&place=1:2,2:4,3:6'));
  assert.deepEqual(asked.map((url) => new URL(url).search), ['?n=12&place=1:2,2:4,3:6']);
});

look('with the keyboard only', { hash: '#play?kind=free&n=4' }, async (page) => {
  await says(left(page), '2');
  const keys = async (...names) => {
    for (const name of names) await page.keyboard.press(name);
  };
  await tabTo(page, 'row 1, column 1');
  await keys('ArrowRight', 'Enter');
  await says(left(page), '1');
  assert.equal(await focused(page), 'row 1, column 2: queen');
  await keys('ArrowDown', 'End', 'Space', 'ArrowDown', 'Home', 'Space');
  assert.equal(await queens(page), 3);
  await tabTo(page, 'Hint');
  await keys('Enter');
  await says(page.locator('.help p'), 'Hint: row 4, column 3. Every completion has a queen there.');
  await tabTo(page, 'Place it');
  await keys('Enter');
  await says(page.locator('.good'), /Solved!/);
  assert.match(await focused(page), /^row \d/); // back on the board
});

everywhere({ hash: all }, (page) => says(left(page), /^\d+$/));

look('32 rows on a small screen, in the language of the longest words', { hash: '#play?kind=free&n=8&queens=1:1', locale: 'ru', viewport: { width: 320, height: 800 } }, async (page) => {
  await says(page.locator('.figures'), /Ферзи.*1 из 8.*Дополнений.*точно, сосчитано сейчас/);
  await fits(page);
  await page.evaluate(() => (location.hash = '#play?kind=free&n=32&hits=1&queens=1:1,2:3'));
  await says(left(page), /×/);
  await fits(page);
});
