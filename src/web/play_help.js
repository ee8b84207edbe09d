// play_help.js - help of a puzzle that is asked for: checks, and hints in three presses: where to look, why, and then it is done. It
// knows neither the page around nor how a board is drawn: `game` has the state of play_game.js.
import { ask } from './api.js';
import { button, h } from './dom.js';
import { EMPTY, placeOf, QUEEN, squareOf } from './game.js';
import { attackersOf, readHint } from './hints.js';
import { letterOf } from './regions.js';
import { language, nameOf, t } from './words.js';

const NAMED = 8; // squares that are named one by one

const text = (squares) => squares.map((at) => at.join(':')).join(',') || undefined;
const list = (squares) => {
  const names = squares.slice(0, NAMED).map(nameOf);
  return [...names, ...(squares.length > NAMED ? ['…'] : [])].join('; ');
};

// The sentence of two queens that attack each other: [a, b, name of the line], squares.
export function clashIn(n, [a, b, line]) {
  const [one, other] = [placeOf(n, a), placeOf(n, b)];
  const [row, column] = one;
  if (line === 'row' || line === 'column') return t(`game.clash.${line}`, { at: line === 'row' ? row : column });
  return `${t(line === 'region' ? 'game.sameRegion' : `play.${line}`, { a: nameOf(one), b: nameOf(other) })}.`;
}

// Which squares are wrong, for who does not see the marks.
export const wrongOnes = (n, wrong) =>
  wrong.length ? t('game.wrongOnes', { count: wrong.length, squares: list(wrong.map((square) => placeOf(n, square))) }) : '';

// Why a queen that attacks nothing is wrong: what starving() of game.js found.
export function whyWrong(n, { queen, kind, index }) {
  return t(`game.starves.${kind}`, { at: nameOf(placeOf(n, queen)), index: kind === 'region' ? letterOf(index) : index + 1 });
}

// now(): { puzzle, game, solved(signal), tell(words, more), see(marks), follow(changes), key: the button of hints }
export function newHelp(now) {
  let next = null; // what the next press does; null: it asks for a hint

  function reset() {
    next = null;
    now().key.textContent = t('play.hint');
  }

  function then(label, press) {
    next = press;
    now().key.textContent = label;
  }

  const squares = (list) => list.map((square) => placeOf(now().puzzle.n, square));

  async function check(signal) {
    const { game, puzzle, solved, tell, see } = now();
    const wrong = game.wrong(await solved(signal));
    const clashes = game.clashes();
    game.help();
    see({ bad: squares(wrong), clashes });
    const lone = wrong.filter((square) => game.at(square) === QUEEN && !clashes.some((pair) => pair.includes(square)));
    const starved = game.starving(lone);
    const reason = clashes.length ? clashIn(puzzle.n, clashes[0]) : starved ? whyWrong(puzzle.n, starved) : '';
    tell(wrong.length ? [t('game.mistakes', { count: wrong.length }), reason].join(' ').trim() : t('game.right'), { aloud: wrongOnes(puzzle.n, wrong) });
  }

  async function give(signal) {
    const { game, puzzle, solved, tell, see, follow } = now();
    const wrong = game.wrong(await solved(signal));
    game.help();
    if (wrong.length) {
      see({ bad: squares(wrong) });
      tell(t('game.first', { count: wrong.length }), { aloud: wrongOnes(puzzle.n, wrong) });
      return then(t('game.remove'), () => follow(wrong.map((square) => [square, EMPTY])));
    }
    const params = { ...puzzle.board, place: text(squares(game.queens())), exclude: text(squares(game.crosses())), lang: language };
    const { json } = await ask('hint', params, { signal });
    if (!json.hint) return tell(t('game.noHint'));
    const { name, words, lit, changes, steps } = readHint(json.hint);
    const aloud = lit.length ? t('game.litOnes', { squares: list(lit) }) : '';
    const doing = changes.some(([, mark]) => mark === QUEEN) ? t('play.place') : t('game.crossThem');
    const attackers = attackersOf(json.hint, squares(game.queens()), puzzle.regions, puzzle.n);
    const act = () => follow(changes.map(([at, mark]) => [squareOf(puzzle.n, at), mark]));
    const why = () => {
      const target = changes.map(([at]) => at);
      see({ lit, target, attackers });
      tell(`${name} ${words}`.trim(), { title: name, more: steps.length ? [player(steps, { lit, target }, see)] : [], aloud });
      then(doing, act);
    };
    if (!lit.length) return why();
    see({ lit, attackers });
    tell(`${name} ${t('game.look')}`.trim(), { title: name, aloud });
    then(t('game.why'), why);
  }

  // The steps of a contradiction, one after the other, by a slider.
  function player(steps, seen, see) {
    const said = h('output', { class: 'step' });
    const go = (i) => {
      said.textContent = steps[i].words;
      see({ ...seen, lit: steps[i].squares, target: steps[i].place });
    };
    const slider = h('input', { type: 'range', min: 0, max: steps.length - 1, value: 0, 'aria-label': t('game.steps'), oninput: ({ target }) => go(Number(target.value)) });
    const further = button('▶', () => go((slider.value = Math.min(Number(slider.value) + 1, steps.length - 1))), { 'aria-label': t('game.nextStep') });
    said.textContent = steps[0].words;
    return h('div', { class: 'steps' }, h('div', { class: 'row' }, slider, further), said);
  }

  // press: of the button of hints
  return { check, press: (signal) => (next ?? give)(signal), reset };
}
