// Boards with some queens on them, as instances for a SAT solver: a second opinion on whether they can be completed.
// The instances are those of I. P. Gent, C. Jefferson and P. Nightingale, Complexity of n-Queens Completion, Journal of
// Artificial Intelligence Research 59 (2017), 815-848: k queens at random on squares that are not attacked.
import { spawnSync } from 'node:child_process';

// T. Ettinger, mulberry32: the same numbers everywhere.
export const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

export const isSolution = (n, columns) =>
  [columns, columns.map((column, row) => column + row), columns.map((column, row) => column - row)].every(
    (lines) => lines.length === n && new Set(lines).size === n) && columns.every((column) => column >= 1 && column <= n);

const attacks = ([row, column], [otherRow, otherColumn]) =>
  row === otherRow || column === otherColumn || Math.abs(row - otherRow) === Math.abs(column - otherColumn);

// Every square that no queen attacks, 1-based.
const freeSquares = (n, queens) => {
  const squares = [];
  for (let row = 1; row <= n; row++)
    for (let column = 1; column <= n; column++)
      if (!queens.some((queen) => attacks(queen, [row, column]))) squares.push([row, column]);
  return squares;
};

// At most `wanted` queens on an n x n board, none of which attacks another: fewer where no square is left.
export function placeAtRandom(n, wanted, next) {
  const queens = [];
  let free = freeSquares(n, []);
  while (queens.length < wanted && free.length) {
    const queen = free[Math.floor(next() * free.length)];
    queens.push(queen);
    free = free.filter((square) => !attacks(queen, square));
  }
  return queens;
}

// Clauses that let at most one of the literals be true, with a new variable for every two of them: 3 literals a clause less than
// pairs have, see D. E. Knuth, The Art of Computer Programming 4, 7.2.2.2, exercise 12.
function atMostOne(literals, newVariable, clauses) {
  let rest = literals;
  while (rest.length > 4) {
    const more = newVariable();
    const first = [...rest.slice(0, 3), more];
    pairs(first, clauses);
    rest = [-more, ...rest.slice(3)];
  }
  pairs(rest, clauses);
}

function pairs(literals, clauses) {
  for (let i = 0; i < literals.length; i++)
    for (let j = i + 1; j < literals.length; j++) clauses.push([-literals[i], -literals[j]]);
}

// The board as a formula in DIMACS form: a variable for each free square; one queen in each row and column without one, at most one
// on each diagonal.
export function completionFormula(n, queens) {
  const squares = freeSquares(n, queens);
  const lines = new Map();
  const add = (line, variable) => lines.set(line, [...(lines.get(line) ?? []), variable]);
  squares.forEach(([row, column], i) =>
    [`row ${row}`, `column ${column}`, `sum ${row + column}`, `difference ${row - column}`].forEach((line) => add(line, i + 1)));
  let variables = squares.length;
  const clauses = [];
  for (let line = 1; line <= n; line++) {
    if (!queens.some(([row]) => row === line)) clauses.push(lines.get(`row ${line}`) ?? []);
    if (!queens.some(([, column]) => column === line)) clauses.push(lines.get(`column ${line}`) ?? []);
  }
  for (const literals of lines.values()) atMostOne(literals, () => ++variables, clauses);
  return `p cnf ${variables} ${clauses.length}\n${clauses.map((clause) => [...clause, 0].join(' ')).join('\n')}\n`;
}

// Whether the SAT solver finds a completion, or a proof that there is none; null: neither in so many seconds.
export function completableBySat(n, queens, seconds) {
  const { status, error } = spawnSync('cadical', ['-q', '-n', '-t', String(seconds)], { input: completionFormula(n, queens) });
  if (error) throw error;
  return { 10: true, 20: false }[status] ?? null;
}
