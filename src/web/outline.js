// outline.js - a board in words, for who does not see it: its regions as a list, the way around one, and what a step has changed. It
// knows no page.
import { CROSS, EMPTY, placeOf, QUEEN } from './game.js';
import { letterOf } from './regions.js';
import { nameOf, t } from './words.js';

// The squares of a region, row by row: [[row, column], ...].
const squaresOf = (regions, region) =>
  regions.flatMap((line, y) => line.flatMap((other, x) => (other === region ? [[y + 1, x + 1]] : [])));

// Squares that lie side by side in a row are one run: [[row, from, to], ...].
function runsOf(squares) {
  const runs = [];
  for (const [row, column] of squares) {
    const last = runs.at(-1);
    if (last?.[0] === row && last[2] === column - 1) last[2] = column;
    else runs.push([row, column, column]);
  }
  return runs;
}

// A sentence for each region of regions[row - 1][column - 1]: "Region A, 4 squares: row 1 columns 1 to 3, row 2 column 1."
export function describeRegions(regions) {
  const count = Math.max(...regions.flat()) + 1;
  return Array.from({ length: count }, (_, region) => {
    const squares = squaresOf(regions, region);
    const runs = runsOf(squares).map(([row, from, to]) => t(from === to ? 'game.outline.column' : 'game.outline.columns', { row, from, to }));
    return t('game.outline.region', { letter: letterOf(region), count: squares.length, squares: runs.join(', ') });
  });
}

// The next square of the region of a square, or the one before, around and around: { at: [row, column], words }.
export function nextInRegion(regions, [row, column], back = false) {
  const region = regions[row - 1][column - 1];
  const squares = squaresOf(regions, region);
  const here = squares.findIndex(([y, x]) => y === row && x === column);
  const next = (here + (back ? -1 : 1) + squares.length) % squares.length;
  const words = t('game.outline.walk', { letter: letterOf(region), index: next + 1, count: squares.length });
  return { at: squares[next], words };
}

// What a step did, [[square, from, to], ...] of n by n.
function stepWords(n, changes) {
  const [[square, from, to]] = changes;
  if (changes.length > 1) {
    const same = changes.every((change) => change[2] === to);
    const key = same ? ['game.step.emptied', 'game.step.crosses', 'game.step.queens'][to] : 'game.step.mixed';
    return t(key, { count: changes.length });
  }
  const gone = from === QUEEN ? 'game.step.noQueen' : 'game.step.noCross';
  return t({ [EMPTY]: gone, [CROSS]: 'game.step.cross', [QUEEN]: 'game.step.queen' }[to], { at: nameOf(placeOf(n, square)) });
}

// "Undone: queen on row 1, column 2.", and what stands there again instead.
export function undoneWords(n, changes) {
  const [[, from, to]] = changes;
  const again = changes.length === 1 && to !== EMPTY && { [CROSS]: 'game.step.crossAgain', [QUEEN]: 'game.step.queenAgain' }[from];
  return [t('game.undone', { what: stepWords(n, changes) }), again ? t(again) : ''].filter(Boolean).join(' ');
}

export const redoneWords = (n, changes) => t('game.redone', { what: stepWords(n, changes) });
