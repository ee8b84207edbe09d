// regions.js - draws what puzzles have besides queens, as parts of a board (board.js): regions, crosses, and the letters of regions.
import { svg } from './dom.js';

export const letterOf = (region) => String.fromCharCode(65 + region);

// Of regions[row - 1][column - 1], from 0, and the colour of each: a path for each, the lines between them, and the letter of each
// square's region, of which the style without colours shows all, and others the first of each region: { ground, letters }.
export function regionsOf(regions, colours) {
  const areas = Array.from(regions, () => '');
  const letters = [];
  let borders = '';
  regions.forEach((line, y) =>
    line.forEach((region, x) => {
      const name = areas[region] ? 'letter' : 'letter first';
      areas[region] += `M${x} ${y}h1v1h-1z`;
      if (x && line[x - 1] !== region) borders += `M${x} ${y}v1`;
      if (y && regions[y - 1][x] !== region) borders += `M${x} ${y}h1`;
      letters.push(svg('text', { class: name, x: x + 0.17, y: y + 0.2 }, letterOf(region)));
    }),
  );
  const paths = areas.map((d) => svg('path', { class: 'region', d }));
  paths.forEach((path, i) => path.style.setProperty('--tint', colours[i]));
  return { ground: [svg('g', { class: 'areas' }, paths), svg('path', { class: 'borders', d: borders })], letters };
}

// Why squares are not free: [[square, the queen that attacks it, or null], ...], lines from queens and a dot on each square.
export function attackersOn(attackers) {
  const at = ([row, column]) => `${column - 0.5} ${row - 0.5}`;
  const lines = attackers.filter(([, queen]) => queen).map(([square, queen]) => `M${at(queen)}L${at(square)}`);
  const dots = attackers.map(([square]) => `M${at(square)}h0`);
  return svg('g', { class: 'attackers' }, svg('path', { d: lines.join('') }), svg('path', { class: 'ends', d: dots.join('') }));
}

// What is crossed by the player, and as dots what is crossed by the page: [[row, column], ...].
export function crossesOf(crosses, dots) {
  const cross = ([row, column]) => `M${column - 0.67} ${row - 0.67}l.34 .34m0 -.34l-.34 .34`;
  const dot = ([row, column]) => `M${column - 0.5} ${row - 0.5}h0`;
  return svg(
    'g',
    { class: 'marked' },
    svg('path', { class: 'crosses', d: crosses.map(cross).join('') }),
    svg('path', { class: 'crosses dots', d: dots.map(dot).join('') }),
  );
}
