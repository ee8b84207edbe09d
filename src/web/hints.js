// hints.js - a hint of /hint in words, which are the service's, and as squares: what it rests on, and what it changes. It knows no page.
import { CROSS, QUEEN } from './game.js';
import { nameOf, t } from './words.js';

const at = ({ row, column }) => [row, column];

// { name, words, lit: squares that it rests on, changes: [[square, mark], ...]; squares are [row, column] }
export function readHint({ technique, because, cross = [], place, row, column }) {
  if (!technique) return { name: '', words: t('game.sure', { at: nameOf([row, column]) }), lit: [], changes: [[[row, column], QUEEN]] };
  return {
    name: `${because.title}.`,
    words: because.why,
    lit: because.squares.map(at),
    changes: place ? [[at(place), QUEEN]] : cross.map((square) => [at(square), CROSS]),
  };
}
