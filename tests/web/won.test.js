// won.test.js - a board of regions with 8 rows is won with the keyboard alone, with a finger, and by who only hears it.
import assert from 'node:assert/strict';
import { until } from '../http/harness.js';
import { look, says, server, tabTo } from './browser.js';
import { cell, named, queens, shown, solve } from './puzzles.js';
import { newReader } from './reader.js';

const { code, regions } = await server.getJson('/puzzle?kind=regions&n=8&level=medium&seed=4');
const [solution] = solve(regions);
const hash = `play/${code}`;
const won = (page) => says(page.locator('.good'), /^Solved in \d+:\d\d!/);

look('with the keyboard alone', { hash }, async (page) => {
  await shown(page);
  await tabTo(page, /^row 1, column 1/);
  for (const column of solution) for (const key of ['Home', ...Array(column - 1).fill('ArrowRight'), 'q', 'ArrowDown']) await page.keyboard.press(key);
  await won(page);
});

look('with a finger, on a phone', { hash, hasTouch: true, viewport: { width: 390, height: 664 } }, async (page) => {
  await shown(page);
  for (const [i, column] of solution.entries()) {
    const square = cell(page, i + 1, column);
    await square.tap();
    await until(async () => /, crossed$/.test(await named(page, i + 1, column)), 'a cross');
    await square.tap();
    await until(async () => (await queens(page)) === i + 1, 'a queen');
  }
  await won(page);
});

// ---- By ear: nothing below knows the board but by what is read out ----

// "Region A, 3 squares: row 1 columns 1 to 2, row 2 column 1." as { letter, squares: ['1:1', '1:2', '2:1'] }
function understand(sentence) {
  const [, letter, count, places] = /^Region (\w), (\d+) squares?: (.+)\.$/.exec(sentence);
  const squares = [...places.matchAll(/row (\d+) columns? (\d+)(?: to (\d+))?/g)].flatMap(([, row, from, to = from]) =>
    Array.from({ length: to - from + 1 }, (_, i) => `${row}:${Number(from) + i}`));
  assert.equal(squares.length, Number(count), sentence);
  return { letter, squares };
}

// The columns of queens, row by row: in each row, column and region one, and no two that touch. letters: { 'row:column': letter }
function solveByEar(n, letters, columns = []) {
  const row = columns.length + 1;
  if (row > n) return columns;
  for (let column = 1; column <= n; column++) {
    const letter = letters[`${row}:${column}`];
    const isFree = columns.every((other, i) => other !== column && letters[`${i + 1}:${other}`] !== letter && (i < row - 2 || Math.abs(other - column) > 1));
    const found = isFree && solveByEar(n, letters, [...columns, column]);
    if (found) return found;
  }
  return null;
}

look('by what a screen reader reads, hears and presses', { hash }, async (page, context) => {
  const reader = await newReader(page, context);
  const [, n] = /^Puzzle, (\d+) by \1: 0 queens\. /.exec((await reader.find('grid', /^Puzzle/)).name).map(Number);
  assert.equal(n, 8);
  await reader.find('StaticText', 'One queen in every row, column and colour. No two touch.');
  await reader.press('DisclosureTriangle', 'Regions as a list');
  await until(async () => (await reader.all('listitem')).length >= n, 'the list');
  const list = (await reader.all('listitem')).map(({ text }) => text).filter((text) => /^Region/.test(text)).map(understand);
  const letters = Object.fromEntries(list.flatMap(({ letter, squares }) => squares.map((square) => [square, letter])));
  assert.deepEqual([list.length, Object.keys(letters).length], [n, n * n]);

  const place = async (row, column) => {
    const square = new RegExp(`^row ${row}, column ${column}\\b`);
    const name = async () => (await reader.find('gridcell', square)).name;
    assert.match(await name(), new RegExp(`, region ${letters[`${row}:${column}`]}\\b`), 'the list is right');
    for (let before = await name(); !/: queen/.test(before); before = await name()) {
      await reader.press('gridcell', square, row % 2 ? 'Enter' : ' ');
      await until(async () => (await name()) !== before, `${before} changes`);
    }
    await reader.hear(new RegExp(`^Queen placed on row ${row}, column ${column}\\.`));
  };
  const columns = solveByEar(n, letters);
  await place(1, columns[0]);
  const wrong = columns[0] > 4 ? 1 : 8;
  await reader.press('gridcell', new RegExp(`^row 1, column ${wrong}\\b`), 'q'); // as the name of the grid says
  await reader.hear(/Queens in row 1 attack each other\.$/);
  await reader.find('gridcell', new RegExp(`^row 1, column ${wrong}: queen, region \\w, attacked by another queen$`));
  await reader.press('button', 'Undo');
  await reader.hear(new RegExp(`^Undone: queen on row 1, column ${wrong}\\.$`));
  for (const [i, column] of columns.entries()) if (i) await place(i + 1, column);
  await reader.hear(/Solved in \d+:\d\d!/);
  await reader.find('dialog', /./);
});
