// journey.test.js - one journey through each part of the explorer, as a user: open it, press what it is there for, see the result.
// `make check` runs it. Where there is no Chromium it is skipped.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const there = existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell') && existsSync(new URL('../node_modules/playwright-core', import.meta.url));
const skipped = { look: (name) => test(name, { skip: 'no Chromium here' }, () => {}) };
const { look, press, query, says, server } = there ? await import('./browser.js') : skipped;
const { cell, disabled, named, put, queens, shown, solve, win } = there ? await import('./puzzles.js') : {};

// With the worker that readers have.
const visit = (name, options, body) => look(name, { serviceWorkers: 'allow', ...options }, body);

const columns = (page) => page.locator('.permutation');
const enter = async (page, label, value) => {
  await page.getByLabel(label, { exact: true }).fill(String(value));
  await page.getByLabel(label, { exact: true }).press('Enter');
};

visit('the first page: today’s board, two queens that attack each other, and a card that leads to Watch', {}, async (page) => {
  await shown(page);
  assert.equal(await page.locator('.board .region').count(), 6);
  await put(page, 1, 1);
  await put(page, 1, 6);
  await says(page.locator('.help .clash'), 'Queens in row 1 attack each other.');
  await page.locator('.card', { hasText: 'Watch' }).click();
  await page.waitForURL(/\/watch$/);
  await page.locator('.side .board').first().waitFor();
  await page.goBack();
  await page.getByRole('button', { name: /^Continue/ }).click();
  assert.equal(await page.locator('.board .queen').count(), 2);
});

visit('Board: the first solution, the next, any, and one drawn at random', { hash: 'board' }, async (page) => {
  await page.getByRole('img', { name: 'Board of 8 by 8, columns of the queens row by row: 1 5 8 6 3 7 2 4' }).waitFor();
  assert.equal(await page.locator('.board .queen').count(), 8);
  await says(page.locator('.figures'), /1 of 92/);
  await press(page, 'Next');
  await says(columns(page), '1 6 8 3 7 4 2 5');
  await press(page, 'Next');
  await says(columns(page), '1 7 4 6 8 2 5 3');
  await press(page, 'Previous');
  await says(columns(page), '1 6 8 3 7 4 2 5');
  await enter(page, 'Solution number', 92);
  await says(columns(page), '8 4 1 3 6 2 7 5');
  assert.ok(await disabled(page, 'Next'));
  assert.match(page.url(), /\/board\?offset=91$/);
  await press(page, 'First');
  await says(columns(page), '1 5 8 6 3 7 2 4');
  await enter(page, 'Size n', 10);
  await says(page.locator('.figures'), /1 of 724/);
  const drawn = page.waitForResponse(/sample=1/);
  await press(page, 'Random');
  const { solutions } = await (await drawn).json();
  await says(columns(page), solutions[0].permutation.join(' '));
  assert.equal(query(page).get('offset'), solutions[0].rank_text);
  await page.getByText('Show the request').click();
  const told = await page.locator('.snippets pre').allTextContents();
  assert.ok(told.length === 3 && told.every((text) => text.includes(`solve?n=10&limit=1&offset=${query(page).get('offset')}`)), told.join());
});

visit('Play: a puzzle with regions that is solved, one to complete, and free play', { hash: 'play' }, async (page) => {
  await shown(page);
  await page.waitForURL(/\/play\/\w+$/);
  await says(page.locator('.status .name'), '8 × 8, easy');
  const { regions } = await server.getJson(`/puzzle?kind=regions&code=${query(page).get('code')}`);
  const solutions = solve(regions);
  assert.equal(solutions.length, 1);
  assert.equal(await page.locator('.board .region').count(), 8);
  for (const [row, column] of [[1, 1], [3, 5], [8, 8]]) {
    const letter = String.fromCharCode(65 + regions[row - 1][column - 1]);
    assert.equal(await named(page, row, column), `row ${row}, column ${column}, region ${letter}`);
  }
  await put(page, 1, solutions[0][0]);
  await press(page, 'Hint');
  await page.locator('.board .mark.lit').first().waitFor();
  await press(page, 'Why?');
  await page.locator('.board .mark.target').first().waitFor();
  await win(page, solutions[0]);
  await press(page, 'Completion');
  await page.locator('.board .mark.given').first().waitFor();
  assert.deepEqual([query(page).get('kind'), query(page).get('code')], ['completion', null]);
  await press(page, 'Free play');
  await says(page.locator('.figures b'), '92');
  await cell(page, 1, 1).click();
  assert.equal(await named(page, 1, 1), 'row 1, column 1: queen');
  await says(page.locator('.figures'), /1 of 8.*4 \(exact, counted just now\)/);
  await says(page.locator('#said'), '4 completions remain.');
  assert.match(page.url(), /\/play\?kind=free&queens=1:1$/);
  await cell(page, 1, 1).click();
  assert.equal(await queens(page), 0);
  await says(page.locator('.figures b'), '92');
  await press(page, 'Regions');
  await shown(page);
  await page.goBack();
  await says(page.locator('.figures b'), '92');
});

visit('Watch: steps forward and back, a play to its end, and another algorithm', { hash: 'watch/rapella?n=4' }, async (page) => {
  const place = page.locator('main output');
  await says(place, 'Step 0 of 78');
  await says(page.locator('.told'), 'The board before the first step.');
  await press(page, 'Step forward');
  await says(page.locator('.told'), 'A queen is placed on row 1, column 1.');
  await press(page, 'Step forward');
  await says(page.locator('.told'), 'Row 2, column 1 is attacked along the column by the queen on row 1, column 1.');
  await press(page, 'Step back');
  await page.getByRole('img', { name: 'columns of the queens row by row: 1 – – –' }).waitFor();
  await page.getByLabel('Speed').selectOption('1,000 steps a second');
  await press(page, 'Play');
  await says(place, 'Step 78 of 78');
  await says(page.locator('#said'), /Step 78 of 78.*That was the last step/);
  await says(page.getByText('Solutions', { exact: true }).locator('xpath=following-sibling::dd[1]'), '2 of 2');
  await page.locator('main select').first().selectOption('mrv');
  await page.waitForURL(/\/watch\/mrv/);
  await says(place, /^Step 0/);
});

visit('Count: a number and its source, the chart, a job, a board of the gallery', { hash: 'count#n=12' }, async (page) => {
  await says(page.locator('.amount'), '14,200');
  await says(page.locator('.source'), ' Exact: counted here by search.');
  await says(page.locator('.seen'), 'n = 12; 14,200; exact, counted here');
  await page.locator('.source .dot').waitFor();
  await page.locator('.plot .ring').first().waitFor();
  await page.getByRole('button', { name: /^n = 11; / }).click();
  await says(page.locator('.amount'), '2,680');
  await press(page, 'Count n = 11');
  await says(page.locator('.amount').nth(1), '2,680');
  await page.getByText('Symmetry classes, and a board of each').click();
  await says(page.locator('.gallery ~ *, .shapes').locator('.shown'), '1 to 12 of 341');
  await page.locator('.gallery a').nth(1).click();
  await says(page.locator('h2'), 'Board');
  await says(columns(page), (await server.getJson('/solve?n=11&distinct=fundamental&limit=2')).solutions[1].permutation.join(' '));
});

visit('Build: a board as large as one likes, seen near and whole, and verified', { hash: 'build?n=1000' }, async (page) => {
  await says(page.locator('.shown'), 'Rows 1 to 1,000, columns 1 to 1,000.');
  await enter(page, 'To the queen in row', 500);
  await says(page.locator('.squares'), /^492: [\d,]+ · 493: /);
  await enter(page, 'Size n', 10);
  const { permutation } = await server.getJson('/construct?n=10');
  await says(page.locator('.squares'), permutation.map((column, i) => `${i + 1}: ${column}`).join(' · '));
  await page.getByRole('application', { name: 'explicit, n = 10: rows 1 to 10, columns 1 to 10' }).waitFor();
  await press(page, 'Verify the whole');
  await says(page.locator('.pane [role="status"]'), 'Verified: 10 queens, none attacks another.');
});

visit('API: a route is unfolded, tried, and seen on the board', { hash: 'docs' }, async (page) => {
  const part = page.locator('[id="/solve"]');
  await part.locator('> summary').click();
  await page.waitForURL('**/docs#/solve');
  await part.getByText('Try it').click();
  await part.getByLabel('n', { exact: true }).fill('6');
  await part.getByLabel('limit', { exact: true }).fill('2');
  await part.locator('label').filter({ hasText: /^board/ }).locator('select').selectOption('');
  await says(part.locator('output'), 'GET /solve?n=6&limit=2');
  await part.getByRole('button', { name: 'Send' }).click();
  await says(part.locator('.status strong'), '200 OK');
  await says(part.getByRole('region', { name: 'The answer' }), /\[2,4,6,1,3,5\]/);
  await part.getByRole('link', { name: 'See it on the board' }).click();
  await says(columns(page), '2 4 6 1 3 5');
});
