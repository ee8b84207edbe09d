// variables.js - what the variables of a listing hold after a step. It does not know how they are shown.

// names: { row, column, board } as in the listing, null for what has no name there. columns: the board after the step, null in a row
// without a queen. square: of the step, or of the last one before it that had one, since others leave these variables as they were.
// Where the column is an element of the board, that has the column in work besides the queens: d[i] of d.
export function variablesOf(names, columns, square) {
  const { row = null, column = null } = square ?? {};
  const held = row !== null && names.column === `${names.board}[${names.row}]`;
  return { row, column, board: columns.map((at, i) => (held && i === row - 1 ? column : at)) };
}
