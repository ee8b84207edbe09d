// board.js - draws a board as SVG. It knows neither the service nor the use of the board.
//
// drawBoard({
//   n        columns, and rows unless there are m of them; both are counted from 1
//   queens   a permutation (the column of row 1, 2, ...), or squares [[row, column], ...]
//   marks    [[row, column, 'bad' | 'dead' | ''], ...]: squares with a frame; 'bad': struck through
//   attacks  [[[[row, column], [row, column], ...], ...], ...]: the strokes of each pair that attacks each other
//   ground   elements that are drawn instead of dark squares; `over`: on the squares and their marks, below the queens
//   wraps    the parts of strokes off the board are not shown: they come back at another border
//   heat     heat[row - 1][column - 1] from 0 to 1: the share in per cent as a number, the largest darkest; null: none
//   style    'drawn', 'unicode' or 'pattern': white squares, hatched ones and black queens, distinct without colours
//   label    the board's name for screen readers
//   onCell   (row, column) => ...: squares can be pressed, with a pointer or from the keyboard, where arrows move
//   onKey    (key, row, column, shift) => whether this key does something on a square; `key` is a letter in small, or its name
//   onMenu   (row, column) => ...: the right button, or a long touch
//   told     (row, column) => an addition to the name of such a square, for screen readers
//   focus    [row, column] of the square that the keyboard reaches first; with `grab` it gets the focus at once
// }) -> an SVG element. Beyond 32 there are no single squares: the queens are one path, or from 200 on a picture of their
// density.
import { svg } from './dom.js';
import { number, t } from './words.js';

// The outline is that of the pictures: src/formats/format_picture.c.
const pearl = (at) => `M${at}a.06.06 0 0 1 .12 0 .06.06 0 0 1-.12 0z`;
export const QUEEN =
  'M.26.72.14.36.32.54.31.24.43.52.5.19.57.52.69.24.68.54.86.36.74.72zM.25.76.75.76.78.87.22.87z' +
  ['.07.34', '.25.22', '.44.17', '.63.22', '.81.34'].map(pearl).join('');
const SINGLE = 32;
const DENSE = 200;
let patterns = 0; // their names are unique in the document

const squaresOf = (queens) => queens.map((at, row) => (Array.isArray(at) ? at : [row + 1, at]));

// beside: with room for a letter in the upper left corner, as in the pictures.
export function queen([row, column], style, beside) {
  if (style === 'unicode') return svg('text', { class: 'sign', x: column - 0.5, y: row - (beside ? 0.41 : 0.47) }, '♛');
  const at = beside ? `translate(${column - 0.9375} ${row - 0.875})scale(.875)` : `translate(${column - 1} ${row - 1})`;
  return svg('path', { class: 'queen', d: QUEEN, transform: at });
}

// Every dark square as one path.
function darkSquares(n, m) {
  let d = '';
  for (let row = 0; row < m; row++) for (let column = (row + 1) % 2; column < n; column += 2) d += `M${column} ${row}h1v1h-1z`;
  return d;
}

const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

function coordinates(n, m) {
  const place = (x, y, at) => svg('text', { class: 'place', x, y }, number(at));
  return [upTo(n).map((at) => place(at - 0.5, -0.3, at)), upTo(m).map((at) => place(-0.35, at - 0.5, at))];
}

// Where a pointer is on a drawn board: how far right and down from its upper left corner, in squares.
export function pointOn(board, { clientX, clientY }) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(board.getScreenCTM().inverse());
  return [x, y];
}

// The letter of a key, also on a keyboard without Latin letters; or the key's name.
export const keyOf = ({ key, code }) => (/^Key[A-Z]$/.test(code) && !/^[a-z]$/i.test(key) ? code.slice(3) : key).toLowerCase();

const dots = (squares, size) => squares.map(([row, column]) => `M${column - 1} ${row - 1}h${size}v${size}h-${size}z`).join('');

// The number of queens on each of at most 50 x 50 tiles, in five shades.
function density(n, squares) {
  const side = Math.ceil(n / 50);
  const across = Math.ceil(n / side);
  const tiles = new Uint32Array(across * across);
  for (const [row, column] of squares) tiles[Math.floor((row - 1) / side) * across + Math.floor((column - 1) / side)]++;
  const most = Math.max(...tiles, 1);
  const shades = ['', '', '', '', ''];
  tiles.forEach((count, i) => {
    const d = `M${(i % across) * side} ${Math.floor(i / across) * side}h${side}v${side}h-${side}z`;
    if (count) shades[Math.ceil((5 * count) / most) - 1] += d;
  });
  return shades.map((d, i) => d && svg('path', { class: 'heat', d, 'fill-opacity': 0.2 * (i + 1) }));
}

// On its own background, so that equal shares are equally blue on squares of both colours; the colour of the square stays visible
// around it.
function heatOf(heat) {
  const inside = (x, y) => ({ x: x + 0.06, y: y + 0.06, width: 0.88, height: 0.88 });
  const share = (value) => number(value && value < 0.01 ? Number((100 * value).toFixed(1)) : Math.round(100 * value));
  const most = Math.max(...heat.flat(), Number.MIN_VALUE);
  return heat.flatMap((values, row) =>
    values.map((value, column) => value !== null && [
      svg('rect', { class: 'ground', ...inside(column, row) }),
      svg('rect', { class: 'heat', ...inside(column, row), 'fill-opacity': (0.85 * value) / most }),
      heat.length <= 16 && svg('text', { class: 'share', x: column + 0.5, y: row + 0.85 }, share(value)),
    ]),
  );
}

// Squares to press: Tab reaches one square of the grid, the arrow keys reach the others from it.
function cells(n, m, squares, { onCell, onKey, onMenu, told = () => '', focus = [1, 1] }) {
  const taken = new Set(squares.map((at) => at.join(':')));
  const made = new Map();
  const reach = (next) => {
    for (const cell of made.values()) cell.setAttribute('tabindex', cell === next ? 0 : -1);
  };
  const go = (row, column) => {
    const next = made.get(`${row}:${column}`);
    if (!next) return;
    reach(next);
    next.focus();
  };
  const keys = (row, column) => (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    if (down !== undefined) go(row + down, column + right);
    else if (event.key === 'Home') go(row, 1);
    else if (event.key === 'End') go(row, n);
    else if (event.key === 'Enter' || event.key === ' ') onCell(row, column);
    else if (event.ctrlKey || event.metaKey || event.altKey || !onKey?.(keyOf(event), row, column, event.shiftKey)) return;
    event.preventDefault();
  };
  const click = (row, column) => () => {
    reach(made.get(`${row}:${column}`));
    onCell(row, column);
  };
  const menu = (row, column) => (event) => {
    event.preventDefault();
    reach(made.get(`${row}:${column}`));
    onMenu(row, column);
  };
  const cell = (row, column) => {
    const name = t(taken.has(`${row}:${column}`) ? 'shell.cellTaken' : 'shell.cell', { row, column }) + told(row, column);
    const at = svg(
      'g',
      {
        ...{ role: 'gridcell', 'aria-label': name, tabindex: row === focus[0] && column === focus[1] ? 0 : -1 },
        ...{ onclick: click(row, column), onkeydown: keys(row, column), onfocus: () => reach(at) },
        oncontextmenu: onMenu && menu(row, column),
      },
      svg('rect', { class: 'cell', x: column - 1, y: row - 1, width: 1, height: 1 }),
    );
    made.set(`${row}:${column}`, at);
    return at;
  };
  return upTo(m).map((row) => svg('g', { role: 'row' }, upTo(n).map((column) => cell(row, column))));
}

// The square [row, column] of a drawn board of n columns in `place` that the keyboard reaches.
export function focusOf(place, n, m = n) {
  const cells = [...place.querySelectorAll('[role="gridcell"]')];
  const found = cells.findIndex((cell) => cell.getAttribute('tabindex') === '0');
  return found < 0 || cells.length !== n * m ? [1, 1] : [Math.floor(found / n) + 1, (found % n) + 1];
}

export function drawBoard(options) {
  const { n, m = n, queens = [], marks = [], attacks = [], wraps, heat, style = 'drawn', label = '', onCell, grab } = options;
  const { ground, over } = options;
  const squares = squaresOf(queens);
  const most = Math.max(n, m);
  const single = most <= SINGLE;
  const margin = most <= 20 ? 0.7 : 0.05;
  const hatch = `hatch-${++patterns}`;
  const stroke = (places) => `M${places.map(([row, column]) => `${column - 0.5} ${row - 0.5}`).join('L')}`;
  const board = svg(
    'svg',
    {
      ...{ class: `board ${style}`, viewBox: `${-margin} ${-margin} ${n + margin + 0.05} ${m + margin + 0.05}` },
      ...{ role: onCell ? 'grid' : 'img', 'aria-label': label, xmlns: 'http://www.w3.org/2000/svg' },
    },
    style === 'pattern' &&
      svg(
        'defs',
        null,
        svg(
          'pattern',
          { id: hatch, width: 0.25, height: 0.25, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
          svg('line', { class: 'hatch', x1: 0, y1: 0, x2: 0, y2: 0.25 }),
        ),
      ),
    svg('rect', { class: 'light', width: n, height: m }),
    !ground && most <= DENSE && svg('path', { class: 'dark', d: darkSquares(n, m) }),
    !ground && style === 'pattern' && most <= DENSE && svg('path', { d: darkSquares(n, m), fill: `url(#${hatch})` }),
    ground && svg('g', { 'aria-hidden': 'true' }, ground),
    heat && heatOf(heat),
    margin > 0.1 && svg('g', { 'aria-hidden': 'true' }, coordinates(n, m)),
    marks.map(([row, column, kind]) =>
      kind === 'bad'
        ? svg('path', { class: 'mark bad', d: `M${column - 0.94} ${row - 0.94}h.88v.88h-.88zm0 .88l.88-.88` })
        : svg('rect', { class: `mark ${kind}`, x: column - 0.94, y: row - 0.94, width: 0.88, height: 0.88 }),
    ),
    over && svg('g', { 'aria-hidden': 'true' }, over),
    single && svg('g', { class: 'queens', 'aria-hidden': 'true' }, squares.map((at) => queen(at, style, ground))),
    !single && most <= DENSE && svg('path', { class: 'queen', d: dots(squares, 1) }),
    most > DENSE && density(n, squares),
    svg(
      wraps ? 'svg' : 'g',
      { width: n, height: m },
      attacks.map((strokes) => svg('path', { class: 'attack', d: strokes.map(stroke).join('') })),
    ),
    svg('rect', { class: 'rim', width: n, height: m }),
    onCell && single && cells(n, m, squares, options),
  );
  if (grab) queueMicrotask(() => board.querySelector('[tabindex="0"]')?.focus({ preventScroll: true }));
  return board;
}
