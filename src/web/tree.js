// tree.js - a search tree as SVG: a line for each level, how much of it the search has seen, and the path to where it is. It
// knows neither the service nor the algorithm.
import { svg } from './dom.js';
import { number, t } from './words.js';

const [WIDE, HIGH, TEXT, LETTERS] = [400, 130, 96, 12]; // pixels; TEXT: for the numbers, of so many LETTERS
const SINGLE = 60; // levels of up to this many nodes show each of them
const KEYS = 20000; // boards that are found again

// Of the search row by row through all columns: placements of 1, 2, ... n queens. Their sums, and 1, are OEIS A319283.
export const WIDTHS = {
  9: [9, 56, 234, 732, 1614, 2292, 2038, 1066, 352],
  10: [10, 72, 364, 1400, 3916, 7552, 9632, 7828, 4040, 724],
  11: [11, 90, 536, 2468, 8492, 21362, 37248, 44148, 34774, 15116, 2680],
  12: [12, 110, 756, 4080, 16852, 52856, 120104, 195270, 222720, 160964, 68264, 14200],
  13: [13, 132, 1030, 6404, 31100, 117694, 335010, 707698, 1086568, 1151778, 813448, 350302, 73712],
  14: [14, 156, 1364, 9632, 54068, 241484, 835056, 2211868, 4391988, 6323032, 6471872, 4511922, 1940500, 365596],
};

const queens = (board) => board.filter((at) => at !== null).length;
const more = (board, row, column) => board.map((at, i) => (i === row - 1 ? column : at));

// Which node is whose child, as the pages of a trace are read, each once and in order. Nodes of a level are numbered as they are
// seen. deep: the last one seen of each level is the path. Else boards that were kept are taken up again, and found by their
// queens.
export function growth(n, deep) {
  const parents = Array.from({ length: n + 1 }, () => []);
  const places = new Map();
  const placeOf = (board) => (queens(board) ? places.get(`${board}`) : 0);

  function add({ board: before, steps, sums }) {
    const board = [...before];
    const seen = [1, ...sums.levels];
    for (const { do: does, row, column, board: other, queens: level } of steps) {
      const from = !deep && (does === 'keep' || does === 'place') ? placeOf(board) : undefined;
      if (other) board.splice(0, n, ...other);
      else if (does === 'place') board[row - 1] = column;
      else if (does === 'remove') board[row - 1] = null;
      if (from === undefined && !(deep && does === 'place')) continue;
      const index = seen[level] ?? 0;
      seen[level] = index + 1;
      if (index < SINGLE || !deep) parents[level][index] = deep ? seen[level - 1] - 1 : from;
      if (!deep && places.size < KEYS) places.set(`${does === 'keep' ? more(board, row, column) : board}`, index);
    }
  }

  // The nodes from level 1 to where the search is, by their numbers from 0; null: they are not known.
  function path(board, seen, step) {
    const kept = step?.do === 'keep' && !deep;
    const level = kept ? step.queens : queens(board);
    if (deep) return Array.from({ length: level }, (_, i) => seen[i] - 1);
    const found = Array(level);
    let index = placeOf(kept ? more(board, step.row, step.column) : board);
    for (let at = level; at > 0; at--) {
      if (index === undefined) return null;
      found[at - 1] = index;
      index = parents[at][index];
    }
    return found;
  }
  return { add, path, parent: (level, index) => parents[level][index] };
}

// widths(): of levels 1 to n, or null where they are not known; grown: of growth(). paint(seen, path): the number of nodes seen so
// far, by level, and the nodes from level 1 to where the search is, or null. fit(width, height, letters): it fills so many pixels, and its
// letters have so many; without these it has its own size.
export function drawTree(n, { widths, grown, wide = WIDE }) {
  let width, step, room, shown;
  const y = (level) => step * (level + 0.5);
  const edges = svg('path', { class: 'edges' });
  const walked = svg('path', { class: 'edges walked' });
  const path = svg('path', { class: 'path' });
  const here = svg('circle', { class: 'here', r: 4 });
  const broad = svg('path', { class: 'wide' });
  const done = svg('path', { class: 'done' });
  const full = svg('path', { class: 'full' });
  const texts = Array.from({ length: n + 1 }, () => svg('text', { 'text-anchor': 'end' }));
  const [title, ...counts] = texts;
  const element = svg('svg', { class: 'tree', role: 'img' }, edges, walked, broad, done, full, path, here, texts);

  function fit(across, high, letters = LETTERS) {
    const scale = LETTERS / letters;
    width = across ? across * scale : wide;
    step = high ? (high * scale) / (n + 1) : Math.min(26, HIGH / (n + 1));
    room = width - TEXT - 12;
    element.setAttribute('viewBox', `0 0 ${width} ${step * (n + 1)}`);
    element.setAttribute('font-size', Math.min(LETTERS, 0.92 * step).toFixed(1));
    texts.forEach((text, level) => {
      text.setAttribute('visibility', step >= 8 ? 'visible' : 'hidden');
      text.setAttribute('x', width);
      text.setAttribute('y', y(level) + 4);
    });
    if (shown) paint(...shown);
  }

  function paint(seen, nodesOfPath) {
    shown = [seen, nodesOfPath];
    const known = widths();
    const all = Array.from({ length: n }, (_, i) => known?.[i] ?? (known ? 0 : (seen[i] ?? 0)));
    const most = Math.max(...all, 1);
    const size = most > SINGLE ? 5 : Math.min(7, Math.max(2.5, (0.7 * room) / most));
    const half = (level) => (level ? (all[level - 1] / most) * (room / 2) : 0);
    const x = (level, index) => room / 2 + 6 - half(level) + (level ? (2 * half(level) * (index + 0.5)) / all[level - 1] : 0);
    const nodes = (level, count) => {
      if (!count) return '';
      if (most > SINGLE) return `M${x(level, -0.5)} ${y(level)}H${Math.max(x(level, count - 0.5), x(level, -0.5) + 1)}`;
      return Array.from({ length: count }, (_, i) => `M${x(level, i)} ${y(level)}h.01`).join('');
    };
    const edge = (level) => (_, i) => {
      const parent = grown.parent(level, i);
      return parent === undefined ? '' : `M${x(level - 1, parent)} ${y(level - 1)}L${x(level, i)} ${y(level)}`;
    };
    const branches = (numbers) =>
      most > SINGLE ? '' : numbers.map((count, i) => Array.from({ length: count ?? 0 }, edge(i + 1)).join('')).join('');
    const levels = all.map((_, i) => i + 1);
    for (const drawn of [broad, done, full]) drawn.setAttribute('stroke-width', size.toFixed(1));
    edges.setAttribute('d', known ? branches(all) : '');
    walked.setAttribute('d', branches(seen));
    broad.setAttribute('d', known ? levels.map((level) => nodes(level, all[level - 1])).join('') : '');
    done.setAttribute('d', levels.slice(0, -1).map((level) => nodes(level, seen[level - 1])).join(''));
    full.setAttribute('d', nodes(n, seen[n - 1]));
    const points = [[x(0, 0), y(0)], ...(nodesOfPath ?? []).map((index, i) => [x(i + 1, index), y(i + 1)])];
    path.setAttribute('d', nodesOfPath ? `M${points.map((point) => point.map((at) => at.toFixed(1)).join(' ')).join('L')}` : '');
    here.setAttribute('visibility', nodesOfPath ? 'visible' : 'hidden');
    here.setAttribute('cx', points.at(-1)[0]);
    here.setAttribute('cy', points.at(-1)[1]);
    const told = levels.map((level) => {
      const values = { rank: number(seen[level - 1] ?? 0), total: number(all[level - 1]) };
      return known ? t('board.place', values) : values.rank;
    });
    counts.forEach((text, i) => (text.textContent = told[i]));
    title.textContent = t(known ? 'watch.seenOf' : 'watch.seen');
    element.setAttribute('aria-label', t('watch.tree', { levels: told.join('; ') }));
  }
  fit();
  return { element, paint, fit };
}
