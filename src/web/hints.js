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
