// tree.js - a search tree as SVG: a line for each level, how much of it the search has seen, and the path to where it is. It
// knows neither the service nor the algorithm.
import { svg } from './dom.js';
import { number, t } from './words.js';

const [WIDE, HIGH, SINGLE] = [400, 170, 60]; // pixels; levels of up to this many nodes show each of them

// Of the search row by row through all columns: placements of 1, 2, ... n queens. Their sums, and 1, are OEIS A319283.
export const WIDTHS = {
  9: [9, 56, 234, 732, 1614, 2292, 2038, 1066, 352],
  10: [10, 72, 364, 1400, 3916, 7552, 9632, 7828, 4040, 724],
  11: [11, 90, 536, 2468, 8492, 21362, 37248, 44148, 34774, 15116, 2680],
  12: [12, 110, 756, 4080, 16852, 52856, 120104, 195270, 222720, 160964, 68264, 14200],
  13: [13, 132, 1030, 6404, 31100, 117694, 335010, 707698, 1086568, 1151778, 813448, 350302, 73712],
  14: [14, 156, 1364, 9632, 54068, 241484, 835056, 2211868, 4391988, 6323032, 6471872, 4511922, 1940500, 365596],
};

// widths(): of levels 1 to n, or null where they are not known. paint(seen, depth): nodes seen so far by level, and the queens
// on the board, each the last one seen on its level; no depth: there is no such path.
export function drawTree(n, widths) {
  const step = Math.min(18, HIGH / (n + 1));
  const y = (level) => step * (level + 0.5);
  const path = svg('path', { class: 'path' });
  const here = svg('circle', { class: 'here', r: 4 });
  const wide = svg('path', { class: 'wide' });
  const done = svg('path', { class: 'done' });
  const texts = Array.from({ length: n }, (_, i) => svg('text', { x: WIDE, y: y(i + 1) + 4, 'text-anchor': 'end' }));
  const parts = [wide, done, path, here, step >= 11 && texts];
  const element = svg('svg', { class: 'tree', viewBox: `0 0 ${WIDE} ${step * (n + 1)}`, role: 'img' }, parts);

  function paint(seen, depth) {
    const known = widths();
    const all = Array.from({ length: n }, (_, i) => known?.[i] ?? (known ? 0 : (seen[i] ?? 0)));
    const most = Math.max(...all, 1);
    const room = WIDE - 130;
    const half = (level) => (level ? (all[level - 1] / most) * (room / 2) : 0);
    const x = (level, index) => room / 2 + 6 - half(level) + (level ? (2 * half(level) * (index - 0.5)) / all[level - 1] : 0);
    const nodes = (level, count) => {
      if (!count) return '';
      if (most > SINGLE) return `M${x(level, 0.5)} ${y(level)}H${Math.max(x(level, count + 0.5), x(level, 0.5) + 1)}`;
      return Array.from({ length: count }, (_, i) => `M${x(level, i + 1)} ${y(level)}h.01`).join('');
    };
    const levels = all.map((_, i) => i + 1);
    wide.setAttribute('d', known ? levels.map((level) => nodes(level, all[level - 1])).join('') : '');
    done.setAttribute('d', levels.map((level) => nodes(level, seen[level - 1] ?? 0)).join(''));
    const points = [0, ...levels.slice(0, depth ?? 0)].map((level) => [x(level, seen[level - 1] ?? 0), y(level)]);
    path.setAttribute('d', depth === undefined ? '' : `M${points.map((point) => point.map((at) => at.toFixed(1)).join(' ')).join('L')}`);
    here.setAttribute('visibility', depth === undefined ? 'hidden' : 'visible');
    here.setAttribute('cx', points.at(-1)[0]);
    here.setAttribute('cy', points.at(-1)[1]);
    const told = levels.map((level) => {
      const values = { rank: number(seen[level - 1] ?? 0), total: number(all[level - 1]) };
      return known ? t('board.place', values) : values.rank;
    });
    texts.forEach((text, i) => (text.textContent = told[i]));
    element.setAttribute('aria-label', t('watch.tree', { levels: told.join('; ') }));
  }
  return { element, paint };
}
