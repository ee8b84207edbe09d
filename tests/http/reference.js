// reference.js - what the answers must be, found out by the simplest means: every solution of a small board, one by one, and the
// eight symmetries applied to it. It shares nothing with the server but the definitions.
const [TURN, MIRROR] = [1, 4];

const modulo = (a, n) => ((a % n) + n) % n;

// The line that two queens share which stand on different rows and columns, by the definition of each rule; 0-based.
const diagonals = (rows, columns) => (rows === columns ? 'diagonal' : rows === -columns ? 'antidiagonal' : undefined);
const lines = {
  queens: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]),
  toroidal: (n, a, b) => (modulo(a[0] - b[0], n) === modulo(a[1] - b[1], n) ? 'diagonal' : modulo(a[0] - b[0], n) === modulo(b[1] - a[1], n) ? 'antidiagonal' : undefined),
  superqueens: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]) ?? (Math.abs((a[0] - b[0]) * (a[1] - b[1])) === 2 ? 'knight' : undefined),
  semiqueens: (n, a, b) => (a[0] - b[0] === a[1] - b[1] ? 'diagonal' : undefined),
  'toroidal-semiqueens': (n, a, b) => (modulo(a[0] - b[0], n) === modulo(a[1] - b[1], n) ? 'diagonal' : undefined),
  // Numbered from 1: sums and differences are all different.
  reflecting: (n, a, b) => diagonals(a[0] - b[0], a[1] - b[1]) ?? (a[1] - a[0] === b[0] + b[1] + 2 || a[0] + a[1] + 2 === b[1] - b[0] ? 'reflection' : undefined),
  touching: (n, a, b) => (Math.abs(a[0] - b[0]) === 1 && Math.abs(a[1] - b[1]) === 1 ? 'neighbour' : undefined),
  rooks: () => undefined,
};
export function lineOf(rules, n, a, b) {
  if (!(rules in lines)) throw new Error(`tests/http/reference.js does not define the rule ${rules}`);
  if (a[0] === b[0]) return a[1] === b[1] ? 'square' : 'row';
  return a[1] === b[1] ? 'column' : lines[rules](n, a, b);
}

// All solutions of a board by a rule, as columns by row, 0-based, in lexicographic order; good up to n = 9.
export function solutionsBy(rules, n, columns = []) {
  if (columns.length === n) return [columns];
  const free = (column) => columns.every((other, row) => !lineOf(rules, n, [row, other], [columns.length, column]));
  return [...Array(n).keys()].filter(free).flatMap((column) => solutionsBy(rules, n, [...columns, column]));
}
export const solutions = (n) => solutionsBy('queens', n);

// A board painted at random in n connected regions, as rows of numbers. below(bound): the next random number.
export function painted(n, below) {
  const board = [...Array(n)].map(() => Array(n).fill(undefined));
  for (let left = n * n, region = 0; left; ) {
    const [row, column] = [below(n), below(n)];
    const beside = [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]].map(([r, c]) => board[r]?.[c]).filter((of) => of !== undefined);
    if (board[row][column] !== undefined || (region === n && !beside.length)) continue;
    board[row][column] = region < n ? region++ : beside[below(beside.length)];
    left--;
  }
  return board;
}

// Its letters: named in the order of their first squares, as replies have them.
export function lettersOf(board) {
  const names = [...new Set(board.flat())];
  return board.map((row) => row.map((of) => String.fromCharCode(97 + names.indexOf(of))).join('')).join('/');
}

// Of solutions by rules=touching, those with a queen in each region.
export const fitting = (all, board) => all.filter((columns) => new Set(columns.map((column, row) => board[row][column])).size === columns.length);

// A square under symmetry 0..7: so many quarter turns, after a reflection from 4 on.
function moved(symmetry, n, [row, column]) {
  if (symmetry & MIRROR) column = n - 1 - column;
  for (let turns = symmetry & 3; turns; turns--) [row, column] = [column, n - 1 - row];
  return [row, column];
}

export function image(symmetry, columns) {
  const result = [];
  columns.forEach((column, row) => {
    const [to, where] = moved(symmetry, columns.length, [row, column]);
    result[to] = where;
  });
  return result;
}

// Whether a symmetry carries squares into themselves.
function carries(symmetry, n, squares) {
  const names = (some) => some.map(String).sort().join(' ');
  return names(squares) === names(squares.map((square) => moved(symmetry, n, square)));
}

// Those that carry solutions by a rule into solutions: of diagonals one way, and below a strip, not all eight.
const symmetriesOf = (rules) => (rules.includes('semi') ? [0, 2, 5, 7] : rules === 'reflecting' ? [0, MIRROR] : [0, 1, 2, 3, 4, 5, 6, 7]);

// The solutions of a query with squares as [row, column], 0-based, in lexicographic order; of each class the first: under those
// symmetries of its rule that carry the squares placed and the squares excluded, as they were asked for, into themselves.
export function list(all, n, { place = [], exclude = [], distinct = 'all', symmetry = 'any', rules = 'queens' }) {
  const kept = all.filter(
    (columns) =>
      place.every(([row, column]) => columns[row] === column) &&
      exclude.every(([row, column]) => columns[row] !== column) &&
      (symmetry === 'any' || `${image(symmetry === 'point' ? 2 : TURN, columns)}` === `${columns}`),
  );
  if (distinct === 'all') return kept;
  const group = symmetriesOf(rules).filter(
    (which) =>
      (distinct === 'fundamental' || which === 0 || which === MIRROR) &&
      carries(which, n, place) &&
      carries(which, n, exclude),
  );
  return kept.filter((columns) => group.every((which) => key(columns) <= key(image(which, columns))));
}

// Solutions stand in a list by their keys.
export const key = (columns) => String.fromCharCode(...columns);

// What /count must say of such a query: { count, squares }.
export function count(all, n, query) {
  const kept = list(all, n, query);
  if ((query.distinct ?? 'all') !== 'all') return { count: kept.length };
  const squares = Array.from({ length: n }, (_, row) =>
    Array.from({ length: n }, (_, column) => kept.filter((columns) => columns[row] === column).length),
  );
  return { count: kept.length, squares };
}

// Numbers that look random and are the same every time.
export function sequence(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
