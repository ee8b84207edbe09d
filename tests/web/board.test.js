// board.test.js - the tab Board as a reader sees it: which solution, how it is drawn, and what can be taken away.
import assert from 'node:assert/strict';
import { parsePng } from '../http/png.js';
import { accessible, everywhere, fits, focused, frozen, look, press, says, server, tabTo, where } from './browser.js';

const columns = (page) => page.locator('.permutation');
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

// In the page: the colours of a light square, a dark one and the queen, and where of its square the queen is, by day or night.
function pieces(board) {
  const fill = (selector) => getComputedStyle(board.querySelector(selector)).fill;
  const queen = board.querySelector('path.queen, [id^=nq-][id$=-queen]');
  const toSquare = queen.transform.baseVal.consolidate().matrix.inverse();
  if (queen.matches('.queen')) toSquare.e = toSquare.f = 0; // in the page each queen is moved to its square, here to the first
  const field = (i) => queen.isPointInFill(new DOMPoint((i % 64) / 64 + 1 / 128, Math.floor(i / 64) / 64 + 1 / 128).matrixTransform(toSquare));
  return {
    colours: ['.light, .nq-light', '.dark, .nq-dark', '.queen, .nq-queens'].map(fill),
    shape: Array.from({ length: 64 * 64 }, (_, i) => (field(i) ? '#' : '.')).join(''),
  };
}

look('page, SVG and PNG have the same queen and the same colours', { hash: '#board?n=8' }, async (page, context) => {
  await says(columns(page), '1 5 8 6 3 7 2 4');
  const other = await context.newPage();
  await other.setContent((await server.get('/solve?n=8&limit=1&format=svg')).text);
  const mine = await page.locator('.board').evaluate(pieces);
  assert.deepEqual(await other.locator('svg').evaluate(pieces), mine);
  assert.ok(mine.shape.match(/#/g).length > 500 && mine.shape.match(/[.]/g).length > 2000);
  const { colour } = parsePng((await server.get('/solve?n=8&limit=1&format=png')).bytes);
  const [light, dark, queen] = mine.colours.map((rgb) => `#${rgb.match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`);
  assert.equal(colour(64, 0), dark);
  const [inside, outside] = [queen, light].map((wanted) => [...mine.shape].filter((_, i) => colour(i % 64, Math.floor(i / 64)) === wanted));
  assert.ok(inside.length > 500 && inside.every((at) => at === '#'));
  assert.ok(outside.length > 2000 && outside.every((at) => at === '.'));
  for (const each of [page, other]) await each.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual((await other.locator('svg').evaluate(pieces)).colours, (await page.locator('.board').evaluate(pieces)).colours);
});

look('Random before another board is there: the board of the URL', { hash: '#board?n=4', forgive: /422/ }, async (page) => {
  await says(columns(page), '2 4 1 3');
  let seed = 1; // one that draws the solution that Next leads to
  while ((await server.getJson(`/solve?n=4&sample=1&rank=true&seed=${seed}`)).solutions[0].rank_text !== '1') seed++;
  await page.route('**/solve?*sample=1*', (route) => route.continue({ url: route.request().url().replace(/seed=\d+/, `seed=${seed}`) }));
  const atOnce = async (name, pattern) => {
    await page.route(pattern, () => {}, { times: 1 }); // which is not answered
    await press(page, name);
    await press(page, 'Random');
  };
  await atOnce('Next', '**/solve?*offset=1*');
  await says(columns(page), '3 1 4 2');
  assert.match(page.url(), /offset=1$/);
  await page.getByLabel('Rule').selectOption('toroidal');
  await says(page.locator('.picture p').first(), 'There is no solution for n = 4.');
  await page.getByLabel('Size n').fill('7');
  await page.keyboard.press('Enter');
  await says(page.locator('.figures'), /1 of 28/);
  await atOnce('Larger board', '**/solve?n=8*');
  await says(page.locator('.picture p').first(), 'There is no solution for n = 8.');
});

look('in any order, a large board is listed at once', { hash: '#board?n=8&offset=5' }, async (page) => {
  const listed = async (n, count) => (await server.getJson(`/solve?n=${n}&order=any&limit=${count}`)).solutions.map((one) => one.permutation.join(' '));
  const small = await listed(8, 2);
  await page.getByLabel('Order').selectOption('any');
  await says(columns(page), small[0]);
  assert.ok(await page.getByLabel('Solution number').isHidden());
  await press(page, 'Next');
  await says(columns(page), small[1]);
  const large = await listed(100, 2);
  await page.getByLabel('Size n').fill('100');
  await page.getByLabel('Size n').press('Enter');
  await says(columns(page), large[0]);
  await press(page, 'Next');
  await says(columns(page), large[1]);
  assert.match(page.url(), /order=any/);
  await page.getByLabel('Order').selectOption('lexicographic');
  assert.doesNotMatch(page.url(), /order|after/);
});

look('Back need not undo Next where Previous does, and does so in any order', { hash: '#board?n=6' }, async (page) => {
  await says(columns(page), '2 4 6 1 3 5');
  await press(page, 'Larger board');
  const { solutions } = await server.getJson('/solve?n=7&limit=3');
  const shows = (rank) => says(columns(page), solutions[rank].permutation.join(' '));
  await shows(0);
  for (const [name, rank] of [['Next', 1], ['Next', 2], ['Previous', 1]]) {
    await press(page, name);
    await shows(rank);
  }
  assert.equal(where(page), '/board?n=7&offset=1');
  await page.goBack();
  await says(columns(page), '2 4 6 1 3 5');
  await page.getByLabel('Order').selectOption('any');
  const [one, two] = (await server.getJson('/solve?n=6&order=any&limit=2')).solutions.map(({ permutation }) => permutation.join(' '));
  await says(columns(page), one);
  await press(page, 'Next');
  await says(columns(page), two);
  await page.goBack();
  await says(columns(page), one);
  assert.equal(where(page), '/board?n=6&order=any');
});

look('the URL has the whole state', { hash: '#board?n=6&offset=2&style=unicode' }, async (page) => {
  await says(columns(page), '4 1 5 2 6 3');
  assert.deepEqual(await page.locator('.board .sign').allTextContents(), Array(6).fill('♛'));
  await page.getByLabel('Style').selectOption('pattern');
  assert.equal(await page.locator('.board.pattern .queen').count(), 6);
  assert.match(page.url(), /style=pattern/);
});

look('with the keyboard only, and it is at the board that a message has led to', { hash: '#board?n=3' }, async (page) => {
  await says(page.locator('.picture'), 'There is no solution for n = 3.Show n = 4');
  await accessible(page);
  await tabTo(page, 'Show n = 4');
  await page.keyboard.press('Enter');
  await says(columns(page), '2 4 1 3');
  assert.equal(await focused(page), 'Columns of the queens, row by row');
  await tabTo(page, 'Larger board');
  await page.keyboard.press('Enter');
  await says(columns(page), '1 3 5 2 4');
  await tabTo(page, 'Next');
  await page.keyboard.press('Space');
  await says(columns(page), '1 4 2 5 3');
});

look('by another rule three queens have three solutions', { hash: '#board?n=3' }, async (page) => {
  await page.getByLabel('Rule').selectOption('semiqueens');
  await says(columns(page), '1 3 2');
  await says(page.locator('.figures'), /1 of 3/);
  await press(page, 'Next');
  await press(page, 'Next');
  await says(columns(page), '3 2 1');
  assert.ok(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled());
  await press(page, 'Random');
  await says(page.locator('.figures'), /[123] of 3/);
  assert.match(page.url(), /n=3&rules=semiqueens/);
  assert.equal(await page.getByLabel('Order').isVisible(), false);
  await page.getByLabel('Size n').fill('20'); // where no position is known
  await page.keyboard.press('Enter');
  await says(page.locator('.panel .note').last(), /^From n = 13 on it takes long/);
  const [{ permutation }] = (await server.getJson('/solve?n=20&rules=semiqueens&limit=1')).solutions;
  await says(columns(page), permutation.join(' '));
});

look('no solution by a rule: why, and the next size, in three languages', { hash: '#board?n=8&rules=toroidal', forgive: /422/ }, async (page) => {
  for (const [n, rule, locale, why, next] of [
    [8, 'toroidal', 'en', 'There is no solution for n = 8.On a torus no solution exists if n is divisible by 2 or 3.Show n = ', 11],
    [8, 'superqueens', 'it', 'Non c’è soluzione per n = 8.Con questa regola non esistono soluzioni da 2 a 9 righe.Mostra n = ', 10],
    [64, 'toroidal-semiqueens', 'ru', 'Для n = 64 решений нет.По этому правилу на торе решений нет, если n чётно.Показать n = ', 65],
  ]) {
    await page.locator('#language').selectOption(locale);
    await page.evaluate((hash) => (location.hash = hash), `#board?n=${n}&rules=${rule}`);
    await says(page.locator('.picture'), `${why}${next}`);
    await page.locator('.picture').getByRole('button').click();
    await page.locator('.board').waitFor();
    assert.equal(where(page), `/board?n=${next}&rules=${rule}`);
  }
});

look('positions and columns of a link that are none have a message and a way out; so has a rejection', { hash: '#board?n=6&offset=99', forgive: /status of 4/ }, async (page) => {
  const hash = (hash) => page.evaluate((hash) => (location.hash = hash), hash);
  await says(page.locator('.picture p'), /ends before this position/);
  await page.locator('.picture').getByRole('button', { name: 'First' }).click();
  await says(columns(page), '2 4 6 1 3 5');
  for (const wrong of ['1,2,3,4,5,6,7,8', '5,8,6,3,7,2,4,1']) {
    await hash(`#board?n=8&columns=${wrong}`);
    await says(page.locator('.picture'), 'columns: not a solution of this board');
    await page.getByLabel('Style').selectOption('pattern');
    await says(page.locator('.picture'), 'columns: not a solution of this board');
    await press(page, 'First');
    await says(columns(page), '1 5 8 6 3 7 2 4');
  }
  await hash('#board?n=20&after=1,2,3');
  await says(page.getByRole('alert').first(), /.{10}/);
  await page.locator('.picture .error').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0); // it would be rejected again
  assert.ok(await page.getByRole('button', { name: 'First', exact: true }).isEnabled());
  await accessible(page);
});

look('where positions take long to find, next continues from the solution itself', { hash: '#board?n=20' }, async (page) => {
  await says(page.locator('.panel .note').last(), /takes long/);
  const [one, two] = (await server.getJson('/solve?n=20&limit=2')).solutions.map(({ permutation }) => permutation.join(' '));
  await says(columns(page), one);
  assert.ok(await page.getByRole('button', { name: 'Previous', exact: true }).isDisabled());
  await says(page.locator('.figures'), /39,029,188,884/);
  await press(page, 'Next');
  await says(columns(page), two);
  await page.goBack();
  await says(columns(page), one);
});

look('on the way to a board its style can be chosen, and Next waits for it', { hash: null }, async (page) => {
  let release;
  const hold = async () => {
    const until = new Promise((resolve) => (release = resolve));
    await page.route('**/solve?*', async (route) => {
      await until;
      await route.continue();
    });
  };
  await hold();
  await page.goto(`http://127.0.0.1:${server.port}/#board?n=20`);
  await press(page, 'Next');
  release();
  const [one, other] = await Promise.all([20, 21].map(async (n) => (await server.getJson(`/solve?n=${n}&limit=1`)).solutions[0].permutation.join(' ')));
  await says(columns(page), one);
  await hold();
  await press(page, 'Larger board');
  await page.getByLabel('Style').selectOption('pattern');
  await page.getByRole('img', { name: `Board of 20 by 20, columns of the queens row by row: ${one}` }).waitFor();
  await press(page, 'Next');
  release();
  await says(columns(page), other);
  await page.locator('.board.pattern').waitFor();
  assert.equal(where(page), '/board?n=21&style=pattern');
});

look('a random solution where positions take long to find, and as it is printed', { hash: '#board?n=24&seed=1' }, async (page) => {
  const { permutation } = await server.getJson('/construct?n=24&method=random&seed=1');
  await says(columns(page), permutation.join(' '));
  await press(page, 'Random');
  await page.waitForURL((url) => /seed=\d{2,}/.test(url.search));
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('svg.board').isVisible());
  assert.ok(!(await page.getByRole('button', { name: 'Next', exact: true }).isVisible()));
});

look('boards of 32, 100 and 1000 rows fit a narrow screen', { hash: null, viewport: { width: 320, height: 800 } }, async (page) => {
  for (const [n, seen] of Object.entries({ 32: '.board .queen', 100: '.board path.queen', 1000: '.board .heat' })) {
    await page.goto(`http://127.0.0.1:${server.port}/#board?n=${n}`);
    await page.locator(seen).first().waitFor();
    await fits(page);
  }
  await accessible(page);
});

const permissions = ['clipboard-read', 'clipboard-write'];
look('in the clipboard as text, JSON, curl, SVG and PNG, and as files; what the service does not answer is not copied', { hash: '#board?n=6', permissions, forgive: /503|ERR_FAILED/ }, async (page) => {
  const copied = async (name, said = 'Copied') => {
    await press(page, `Copy ${name}`);
    await says(page.locator('#said'), said);
    await page.locator('#said').evaluate((said) => (said.textContent = ''));
    return clipboard(page);
  };
  await says(columns(page), '2 4 6 1 3 5');
  assert.deepEqual(JSON.parse(await copied('JSON')).solutions[0].permutation, [2, 4, 6, 1, 3, 5]);
  assert.equal(await copied('curl'), `curl -s 'http://127.0.0.1:${server.port}/solve?n=6&limit=1&offset=0'`);
  assert.match(await copied('SVG'), /^<svg /);
  assert.equal(await copied('Text'), '2 4 6 1 3 5');
  const busy = { status: 503, contentType: 'application/problem+json', body: '{}' };
  for (const fail of [(route) => route.fulfill(busy), (route) => route.abort()])
    for (const name of ['SVG', 'PNG', 'JSON']) {
      await page.route('**/solve?*', fail);
      assert.equal(await copied(name, 'Not copied'), '2 4 6 1 3 5');
      await page.unrouteAll({ behavior: 'wait' });
    }
  await copied('PNG');
  const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
  assert.ok(types.includes('image/png'), types.join());
  for (const format of ['SVG', 'PNG']) {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: `Save ${format}` }).click()]);
    assert.equal(saved.suggestedFilename(), `queens-6.${format.toLowerCase()}`);
  }
});

look('an error keeps the focus and what is unfolded', { hash: '#board?n=8', forgive: /503/ }, async (page) => {
  await says(columns(page), '1 5 8 6 3 7 2 4');
  const request = page.locator('.snippets pre').first();
  await page.getByText('Show the request').click();
  await page.getByText('Show the request').evaluate((summary) => summary.focus());
  await page.evaluate(() => (location.hash = '#board?n=8&offset=1'));
  await request.getByText('offset=1').waitFor();
  assert.match(await focused(page), /^Show the request/);
  const busy = async (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' });
  await page.route('**/solve?*', busy, { times: 2 });
  await press(page, 'Next');
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  assert.ok(await request.isHidden());
  const before = await again.elementHandle();
  await tabTo(page, 'Try again');
  await page.keyboard.press('Enter');
  await page.waitForFunction((button) => !button.isConnected, before);
  await again.waitFor();
  assert.equal(await focused(page), 'Try again');
  await page.keyboard.press('Enter');
  await request.getByText('offset=2').waitFor(); // it stays open
});

look('what is typed stays while an answer arrives', { hash: '#board?n=12' }, async (page) => {
  await says(columns(page), /^1 /);
  const field = page.getByLabel('Size n');
  await frozen(async () => {
    const asked = page.waitForRequest('**/solve?*sample=1*');
    await press(page, 'Random');
    await asked;
    await field.fill('1');
  });
  await page.waitForURL(/offset=\d/);
  const { solutions } = await server.getJson(`/solve?n=12&limit=1&offset=${page.url().match(/offset=(\d+)/)[1]}`);
  await says(columns(page), solutions[0].permutation.join(' '));
  assert.equal(await field.inputValue(), '1');
  await page.keyboard.press('0');
  await page.keyboard.press('Enter');
  await says(columns(page), '1 3 6 8 10 5 9 2 4 7');
});

// ---- Boards of other shapes ----

const others = (page) => page.getByText('Rectangles, fewer queens, walls');
const placed = ({ solutions }, i = 0) => solutions[i].squares.map((at) => at.join(':')).join(' ');
const wallsOf = (page) => page.locator('.board .wall').evaluateAll((all) => all.flatMap((path) => path.getAttribute('d').match(/M/g) ?? []).length);

look('rows and a number of queens: the placements and how many there are, as the service has them; the URL has all', { hash: 'board?n=6' }, async (page) => {
  await says(columns(page), '2 4 6 1 3 5');
  await others(page).click();
  const enter = async (name, value) => {
    await page.getByLabel(name, { exact: true }).fill(value);
    await page.keyboard.press('Enter');
  };
  const shows = async (query, rank = 1) => {
    const list = await server.getJson(`/solve?${query}&limit=${rank}`);
    await says(columns(page), placed(list, rank - 1));
    await says(page.locator('.figures'), `${rank} of ${(await server.getJson(`/count?${query}`)).count.toLocaleString('en')}`);
  };
  await enter('Rows m', '4');
  await shows('n=6&m=4');
  await enter('Queens, as 5 or 2-4', '3');
  await shows('n=6&m=4&queens=3');
  assert.equal(await page.locator('.board .queen').count(), 3);
  const [, , wide, high] = (await page.locator('.board').getAttribute('viewBox')).split(' ').map(Number);
  assert.equal(Math.round(wide - high), 2); // columns more than rows
  assert.deepEqual(await page.locator('.board .place').allTextContents(), [...'123456', ...'1234']);
  await press(page, 'Next');
  await shows('n=6&m=4&queens=3', 2);
  await press(page, 'Next');
  await shows('n=6&m=4&queens=3', 3);
  await page.reload();
  await shows('n=6&m=4&queens=3', 3);
  await page.goBack();
  await shows('n=6&m=4&queens=3', 2);
  await enter('Queens, as 5 or 2-4', '2 - 3');
  await shows('n=6&m=4&queens=2-3');
  await press(page, 'Next');
  await shows('n=6&m=4&queens=2-3', 2);
  await press(page, 'Previous');
  await shows('n=6&m=4&queens=2-3');
  await page.getByLabel('any number').check();
  await says(page.locator('.figures'), `1 of ${(await server.getJson('/count?n=6&m=4&queens=any')).count}`);
  assert.equal(await page.locator('.board .queen').count(), 0); // the first placement has none
  await page.getByLabel('none can be added').check();
  await shows('n=6&m=4&maximal=true&queens=any');
  assert.equal(where(page), '/board?n=6&m=4&queens=any&maximal=true');
  await page.getByLabel('Rule').selectOption('rooks');
  await shows('n=6&m=4&maximal=true&queens=any&rules=rooks');
  await press(page, 'Plain board');
  await says(columns(page), '1 2 3 4 5 6');
  assert.equal(where(page), '/board?n=6&rules=rooks');
});

look('a wall is built by a press and by the keyboard; the count follows, a reload keeps it, Back undoes it', { hash: 'board?n=6' }, async (page) => {
  await others(page).click();
  await press(page, 'Build walls');
  assert.equal(where(page), '/board?n=6&build=1');
  const square = (name) => page.getByRole('gridcell', { name, exact: true });
  await square('row 4, column 5: queen').or(square('row 4, column 5')).click();
  const shows = async (walls, more = '') => {
    const query = `n=6${walls && `&walls=${walls}`}${more}`;
    const { count } = await server.getJson(`/count?${query}`);
    await says(page.locator('.figures'), `1 of ${count}`);
    const list = await server.getJson(`/solve?${query}&limit=1`);
    await says(columns(page), walls ? placed(list) : list.solutions[0].permutation.join(' '));
    assert.equal(await wallsOf(page), walls ? walls.split(',').length : 0);
  };
  await shows('4:5');
  assert.match(where(page), /[?&]walls=4:5/);
  const picture = await server.get(`/${await page.getByRole('link', { name: 'Save SVG' }).getAttribute('href')}`);
  assert.match(picture.text, /with 1 wall\b/);
  assert.equal(await focused(page), 'row 4, column 5, wall');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await shows('2:5,4:5');
  assert.equal(await focused(page), 'row 2, column 5, wall');
  await accessible(page);
  await page.reload();
  await shows('2:5,4:5');
  await page.goBack();
  await shows('4:5');
  await page.goForward();
  await shows('2:5,4:5');
  await square('row 2, column 5, wall').click(); // takes it away again
  await shows('4:5');
  await page.getByLabel('Queens, as 5 or 2-4').fill('7'); // more than rows, because of the wall
  await page.keyboard.press('Enter');
  await shows('4:5', '&queens=7');
  assert.equal(await page.locator('.board .queen').count(), 7);
  await press(page, 'Build walls');
  const name = await page.getByRole('img', { name: /^Board of 6 rows and 6 columns\./ }).getAttribute('aria-label');
  assert.match(name, /Queens, as row:column: (\d:\d ){6}\d:\d\. Walls: 4:5$/);
  await accessible(page);
  await fits(page);
  await press(page, 'Remove all walls');
  await says(page.locator('.figures'), 'Placements: 0');
  await says(page.locator('.panel .note').last(), 'There is no such placement.');
});

look('what the service refuses of a shape is told, and the board stays to be changed', { hash: 'board?n=6&walls=2:2&build=1', forgive: /400|422/ }, async (page) => {
  const random = page.getByRole('button', { name: 'Random', exact: true });
  const why = '“Random” draws from boards of n queens on n rows without walls only.';
  assert.deepEqual([await random.isDisabled(), await random.getAttribute('title'), await page.getByText(why).isVisible()], [true, why, true]);
  await page.getByLabel('Rule').selectOption('queens on a torus');
  await says(page.locator('.picture [role=alert]'), 'rules: not available with rules=toroidal');
  await page.getByRole('gridcell', { name: 'row 2, column 2, wall', exact: true }).focus();
  await page.keyboard.press('Space');
  await says(page.locator('.picture'), /^((?!rules).)*$/s);
  assert.equal(where(page), '/board?n=6&build=1&rules=toroidal');
  await page.goto(`http://127.0.0.1:${server.port}/board?n=5&walls=6:1`);
  await says(page.locator('.picture [role=alert]'), 'walls: row 6, column 1 is not on the board');
  assert.equal(await page.locator('.board').count(), 1);
  await page.getByLabel('Walls, row:column').fill('5:1, 1:1');
  await page.keyboard.press('Enter');
  await says(page.locator('.figures'), `1 of ${(await server.getJson('/count?n=5&walls=1:1,5:1')).count}`);
  await page.getByLabel('Size n').fill('12');
  await page.keyboard.press('Enter');
  await page.getByLabel('any number').check();
  await page.getByLabel('Rows m').fill('40');
  await page.keyboard.press('Enter');
  await says(page.locator('.figures'), /^Not counted\. This needs about .* of one core/);
});

look('after another language, and back, what was unfolded before has its words', { hash: 'board?n=6' }, async (page) => {
  await others(page).click();
  await page.getByLabel('Rows m').fill('5');
  await page.keyboard.press('Enter');
  await says(page.locator('.figures'), /^1 of \d/);
  await press(page, 'Plain board');
  await says(columns(page), '2 4 6 1 3 5');
  for (const [name, language, title] of [['Language', 'it', 'Scacchiera'], ['Lingua', 'en', 'Board']]) {
    await page.getByLabel(name).selectOption(language);
    await says(page.locator('#tab-title'), title);
    await says(columns(page), '2 4 6 1 3 5');
  }
  await page.goBack();
  await says(page.locator('.figures'), /^1 of \d/);
  assert.equal(await page.getByLabel('Rows m').inputValue(), '5');
});

everywhere({ hash: 'board?n=12&m=5&walls=2:2,2:3,4:12&queens=any&maximal=true&build=1', locale: 'ru' }, async (page) => {
  await says(page.locator('.figures'), /^1 из [\d\s]+$/);
});
