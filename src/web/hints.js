// hints.js - a hint of /hint in words, and as squares: what it rests on, and what it changes. It knows no page.
import { CROSS, QUEEN } from './game.js';
import { language, nameOf, t } from './words.js';

const at = ({ row, column }) => [row, column];

// "row 3", "region C"
function groupName({ kind, index, letter }) {
  return t(`game.group.${kind}`, { index, letter: letter?.toUpperCase() });
}

const listed = (words) => new Intl.ListFormat(language, { type: 'conjunction' }).format(words);

// { name, words, lit: squares that it rests on, changes: [[square, mark], ...]; squares are [row, column] }
export function readHint({ technique, because, cross = [], place, row, column }) {
  if (!technique) return { name: '', words: t('game.sure', { at: nameOf([row, column]) }), lit: [], changes: [[[row, column], QUEEN]] };
  const [, family, size] = technique.match(/^([a-z-]+?)(?:-(\d+))?$/);
  const name = technique === 'contradiction-1' ? technique : family;
  // Of two kinds of groups, the squares of the first lie in the second.
  const isFirst = ({ kind }) => kind === because.groups[0].kind;
  const [groups, others] = [because.groups.filter(isFirst), because.groups.filter((group) => !isFirst(group))].map((list) =>
    listed(list.map(groupName)),
  );
  const target = place ? t('game.toPlace', { at: nameOf(at(place)) }) : t('game.toCross', { count: cross.length });
  return {
    name: `${t(`game.technique.${name}.name`, { size })}.`,
    words: `${t(`game.technique.${name}.is`, { groups, others })} ${target}`,
    lit: because.squares.map(at),
    changes: place ? [[at(place), QUEEN]] : cross.map((square) => [at(square), CROSS]),
  };
}
