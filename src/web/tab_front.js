// tab_front.js - the first page: the board of the day, to be played at once, and cards that lead to the tabs.
import { queen } from './board.js';
import { h, svg } from './dom.js';
import { loadRules } from './rules.js';
import { part } from './shell.js';
import { state } from './state.js';
import { t } from './words.js';

const N = 6; // rows of the board

let game = null; // the script of puzzles

export async function prepare() {
  [game] = await Promise.all([part('play_game'), loadRules()]);
}

const square = (x, y, kind) => svg('rect', { class: kind, x, y, width: 1, height: 1 });
const squares = (kind) => [0, 1, 2, 3].map((y) => [0, 1, 2, 3].map((x) => square(x, y, kind(x, y))));
const queens = (columns) => columns.map((column, row) => queen([row + 1, column]));

// A picture for each card, on 4 x 4 squares.
const PICTURES = {
  play: () => [squares((x, y) => `tint-${['aabb', 'acbb', 'accd', 'ccdd'][y][x]}`), queens([2, 4, 1, 3])],
  watch: () => svg('path', { class: 'tree', d: 'M2 .4L.8 1.6M2 .4V1.6M2 .4L3.2 1.6M2 1.6L1.4 2.8M2 1.6L2.6 2.8L2.6 3.6M3.2 1.6V2.8' }),
  count: () => [0.4, 0.8, 1.6, 3.2].map((height, x) => svg('rect', { class: 'bar', x: x + 0.15, y: 3.7 - height, width: 0.7, height })),
  board: () => [squares((x, y) => ((x + y) % 2 ? 'dark' : 'light')), queens([3, 1, 4, 2])],
};

function card(name) {
  const picture = svg('svg', { class: 'thumb', viewBox: '-0.1 -0.1 4.2 4.2', 'aria-hidden': 'true' }, PICTURES[name]());
  return h('a', { class: 'card', href: name }, picture, h('span', null, h('b', null, t(`front.${name}`)), h('small', null, t(`front.${name}Is`))));
}

// What the game reads and writes as its settings: today's board. Any other puzzle is one of the tab Play.
function today() {
  const day = game.dayOf(new Date());
  const values = { daily: day, n: N };
  return {
    get: (key, otherwise = '') => values[key] ?? state.get(key, otherwise),
    number: (key, otherwise) => values[key] ?? otherwise,
    set(changes, options) {
      if (changes.daily !== day && (changes.code || changes.daily || changes.regions)) state.set({ ...changes, lang: null }, { ...options, tab: 'play' });
    },
  };
}

export function open(root) {
  const place = h('div');
  const cards = h('div', { class: 'cards' }, ['play', 'watch', 'count', 'board'].map(card));
  root.replaceChildren(place, cards);
  return game.open(place, today(), 'regions', { front: true });
}
