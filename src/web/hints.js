// hints.js - a hint of /hint in words, which are the service's, and as squares: what it rests on, and what it changes. It knows no page.
import { CROSS, QUEEN } from './game.js';
import { nameOf, t } from './words.js';

const at = ({ row, column }) => [row, column];

// The rounds of a contradiction: [{ words, place, squares }, ...]; in each, all that has got a queen so far, and what is free no longer.
function roundsOf(rounds) {
  const [place, squares] = [[], []];
  return rounds.map((round) => {
    place.push(...round.place.map(at));
    squares.push(...round.cross.map(at));
    const words = round.place.length ? t('game.round', { at: round.place.map(at).map(nameOf).join('; ') }) : t('game.roundCross');
    return { words, place: [...place], squares: [...squares] };
  });
}

// { name, words, lit: squares that it rests on, changes: [[square, mark], ...], steps: see roundsOf() }; squares are [row, column]
export function readHint({ technique, because, cross = [], place, row, column }) {
  const sure = () => ({ name: '', words: t('game.sure', { at: nameOf([row, column]) }), lit: [], changes: [[[row, column], QUEEN]], steps: [] });
  if (!technique) return sure();
  return {
    name: `${because.title}.`,
    words: because.why,
    lit: because.squares.map(at),
    changes: place ? [[at(place), QUEEN]] : cross.map((square) => [at(square), CROSS]),
    steps: roundsOf(because.steps ?? []),
  };
}

const attacks = ([a, b], [c, d], regions) => {
  const [down, right] = [Math.abs(a - c), Math.abs(b - d)];
  if (!down || !right) return true;
  return regions ? regions[a - 1][b - 1] === regions[c - 1][d - 1] || (down === 1 && right === 1) : down === right;
};

// Why the squares around those of a hint are not free, for lines on the board: of each row, column and region whose free squares it
// rests on the others, each with the nearest queen that attacks it, or null for one that is only crossed: [[square, queen], ...], in
// the order of the board. hint: of /hint, counted from 1; queens and squares: [row, column]; regions[row - 1][column - 1], or null.
export function attackersOf({ because, cross }, queens, regions, n) {
  const key = ([row, column]) => (row - 1) * n + column - 1;
  const [rests, crossed] = [because?.squares, cross].map((list) => new Set((list ?? []).map((square) => key(at(square)))));
  const board = Array.from({ length: n * n }, (_, i) => [Math.floor(i / n) + 1, (i % n) + 1]);
  const inside = ({ kind, index }) => ([row, column]) =>
    ({ row, column, region: regions && regions[row - 1][column - 1] + 1 })[kind] === index;
  const wanted = new Set();
  for (const group of because?.groups ?? []) {
    const squares = board.filter(inside(group));
    const others = squares.filter((square) => !rests.has(key(square)));
    if (others.length < squares.length && !others.some((square) => crossed.has(key(square)))) others.forEach((square) => wanted.add(square));
  }
  const far = ([a, b], [c, d]) => (a - c) ** 2 + (b - d) ** 2;
  const nearest = (square) => (best, queen) =>
    attacks(square, queen, regions) && !(best && far(square, best) <= far(square, queen)) ? queen : best;
  return board.filter((square) => wanted.has(square)).map((square) => [square, queens.reduce(nearest(square), null)]);
}
