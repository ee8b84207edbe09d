// puzzles.js - a puzzle with regions for tests of the explorer, its solution by a search of their own, and a player's moves.
import { until } from '../http/harness.js';
import { heard, says, server } from './browser.js';

export const cell = (page, row, column) => page.getByRole('gridcell', { name: new RegExp(`^row ${row}, column ${column}(\\D|$)`) });
export const named = (page, row, column) => cell(page, row, column).getAttribute('aria-label');
export const queens = (page) => page.locator('.board .queen').count();
export const disabled = (page, name) => page.getByRole('button', { name, exact: true }).isDisabled();
export const shown = (page) => page.locator('.board .region').first().waitFor();

export const spoken = (page, wanted) => until(async () => (await heard(page)).some((text) => wanted.test(text)), `${wanted} is said`);

// What the address of the page names: of a path as of a query.
export function query(page) {
  const { pathname, search } = new URL(page.url());
  const [, tab, own] = pathname.split('/');
  const values = new URLSearchParams(search);
  if (tab === 'play' && own) values.set(/^\d+-/.test(own) ? 'daily' : 'code', own);
  return values;
}

// The columns of every solution of a board with regions: [[column, ...], ...], from 1.
export function solve(regions, columns = []) {
  const [n, row] = [regions.length, columns.length];
  if (row === n) return [columns];
  const free = (column) =>
    !columns.some((other, i) => {
      const touch = i === row - 1 && Math.abs(other - column) < 2;
      return other === column || touch || regions[i][other - 1] === regions[row][column - 1];
    });
  const found = [...Array(n).keys()].map((i) => i + 1).filter(free);
  return found.flatMap((column) => solve(regions, [...columns, column]));
}

export const made = await server.getJson('/puzzle?kind=regions&n=6&level=easy&seed=7');
export const [solution] = solve(made.regions);
export const byCode = `play/${made.code}`;
// A square of row 1 that no queen of the solution is on.
export const beside = (solution[0] % 6) + 1;

// A queen by two clicks, or by one on a square with a dot.
export async function put(page, row, column) {
  await cell(page, row, column).click();
  if (!/queen/.test(await named(page, row, column))) await cell(page, row, column).click();
}

// Places the queens that are not there yet, by keys, and closes the sheet that comes then, unless that is wanted.
export async function win(page, columns = solution, { sheet = false } = {}) {
  for (const [i, column] of columns.entries()) {
    if (!/queen/.test(await named(page, i + 1, column))) {
      await cell(page, i + 1, column).focus();
      await page.keyboard.press('q');
    }
  }
  await says(page.locator('.good'), /^Solved in \d+:\d\d!/);
  if (!sheet) await putAway(page);
}

// The sheet after a win comes, and is closed.
export async function putAway(page) {
  await page.locator('.sheet').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.sheet').waitFor({ state: 'detached' });
}
