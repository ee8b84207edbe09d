// game.js - one puzzle that is being played: queens and crosses, their history, what is attacked, the win, and the clock. It knows
// neither the page nor the service.
//
// A square is a number, from 0, row by row. A puzzle: { n, given: [square, ...], regions: the region of every square, or null,
// line(a, b): the name of the line on which queens on two squares attack each other, or nothing }.
export const [EMPTY, CROSS, QUEEN] = [0, 1, 2];

const EVERY = 1000; // ms that a clock adds at most when it was not looked at: the computer slept

export const squareOf = (n, [row, column]) => (row - 1) * n + column - 1;
export const placeOf = (n, square) => [Math.floor(square / n) + 1, (square % n) + 1];

// saved: what save() returned for the same puzzle.
export function newGame({ n, given = [], regions = null, line }, saved = {}) {
  const size = n * n;
  const fixed = new Set(given);
  const marks = new Uint8Array(size); // the player's
  for (const square of fixed) marks[square] = QUEEN;
  const steps = []; // [[square, from, to], ...] each
  let done = 0; // how many of the steps are not undone
  let { elapsed = 0, helped = 0 } = saved; // ms; hints and checks
  let seen = null; // when the clock was last looked at, if it runs

  if (saved.marks?.length === size)
    for (const [square, mark] of [...saved.marks].entries())
      if (!fixed.has(square) && [CROSS, QUEEN].includes(Number(mark))) marks[square] = Number(mark);

  const having = (mark) => [...marks.keys()].filter((square) => marks[square] === mark);
  const lineOf = (a, b) => line(a, b) ?? (regions && regions[a] === regions[b] ? 'region' : undefined);
  const attackedBy = new Map(); // by queen: the squares that it attacks

  function attacks(queen) {
    if (!attackedBy.has(queen))
      attackedBy.set(queen, [...marks.keys()].filter((square) => square !== queen && lineOf(queen, square)));
    return attackedBy.get(queen);
  }

  function write(changes, to) {
    for (const change of changes) marks[change[0]] = change[to];
  }

  const game = {
    n,
    isFixed: (square) => fixed.has(square),
    at: (square) => marks[square],
    queens: () => having(QUEEN),
    crosses: () => having(CROSS),
    // The empty squares that a queen on the board attacks.
    attacked: () => [...new Set(having(QUEEN).flatMap(attacks))].filter((square) => marks[square] === EMPTY),
    // Pairs of queens that attack each other: [a, b, name of the line].
    clashes: () =>
      having(QUEEN).flatMap((a, i, queens) =>
        queens.slice(i + 1).filter((b) => lineOf(a, b)).map((b) => [a, b, lineOf(a, b)]),
      ),
    // Of the queens on the board, the first that leaves a row, a column or a region without a free square, by herself or with the others:
    // { queen, kind: 'row', 'column' or 'region', index: from 0 }; or nothing. queens: those that are asked about.
    starving(queens) {
      const kinds = { row: (square) => Math.floor(square / n), column: (square) => square % n, region: regions && ((square) => regions[square]) };
      const free = (square, all) => all.every((queen) => queen !== square && !lineOf(queen, square));
      for (const queen of queens)
        for (const [kind, of] of Object.entries(kinds).filter(([, of]) => of))
          for (let index = 0; index < n; index++) {
            const squares = [...marks.keys()].filter((square) => of(square) === index);
            const [all, others] = [having(QUEEN), having(QUEEN).filter((other) => other !== queen)];
            if (squares.some((square) => all.includes(square))) continue;
            const left = (list) => squares.some((square) => free(square, list));
            if (!left(all) && left(others)) return { queen, kind, index };
          }
      return undefined;
    },
    isSolved: () => having(QUEEN).length === n && !game.clashes().length,
    // Queens and crosses that contradict the solution, a list of squares.
    wrong: (solution) =>
      [...marks.keys()].filter((square) => marks[square] && (marks[square] === QUEEN) !== solution.includes(square)),

    // Changes squares in one step: [[square, mark], ...]. False: nothing is different.
    set(changes) {
      const real = changes
        .filter(([square, mark]) => !fixed.has(square) && marks[square] !== mark)
        .map(([square, mark]) => [square, marks[square], mark]);
      if (!real.length) return false;
      steps.length = done;
      done = steps.push(real);
      write(real, 2);
      return true;
    },
    // From empty to a cross, to a queen, to empty; a square that is crossed without the player's doing goes on to a queen.
    cycle: (square, isCrossed) =>
      game.set([[square, marks[square] === EMPTY && isCrossed ? QUEEN : [CROSS, QUEEN, EMPTY][marks[square]]]]),
    // Sets a mark, or removes it where it already is.
    toggle: (square, mark) => game.set([[square, marks[square] === mark ? EMPTY : mark]]),
    clear: () => game.set([...marks.keys()].map((square) => [square, EMPTY])),
    canUndo: () => done > 0,
    canRedo: () => done < steps.length,
    // The step that is undone or done again, [[square, from, to], ...]: outline.js has words for it. False: there is none.
    undo: () => done > 0 && (write(steps[--done], 1), steps[done]),
    redo: () => done < steps.length && (write(steps[done++], 2), steps[done - 1]),

    get helped() {
      return helped;
    },
    help: () => helped++,

    // The clock, with the time in ms that the caller reads.
    run: (now) => (seen ??= now),
    stop(now) {
      game.elapsed(now);
      seen = null;
    },
    // ms played; a clock that runs is to be looked at every second.
    elapsed(now) {
      if (seen !== null) {
        elapsed += Math.min(Math.max(now - seen, 0), 2 * EVERY);
        seen = now;
      }
      return elapsed;
    },
    save: (now) => ({ marks: marks.join(''), elapsed: Math.round(game.elapsed(now)), helped }),
  };
  return game;
}
