// play_learn.js - how to play, in a dialog over the page: the rules in two pictures, and the lesson, a board of 5 by 5 in six taps. It
// knows no other game: the board below stays as it is.
import { drawBoard } from './board.js';
import { button, h, row, svg } from './dom.js';
import { CROSS, newGame, placeOf, QUEEN, squareOf } from './game.js';
import { crossesOf, letterOf, regionsOf } from './regions.js';
import { lineOf, strokesOf } from './rules.js';
import { nameOf, t } from './words.js';

const N = 5;
const RULE = { lines: ['row', 'column', 'neighbour'] };
// Those that the service gives the regions of the lesson, in pictures of it.
export const COLOURS = ['#f4a582', '#ababf9', '#a9f9f3', '#ffe283', '#91d6ff'];

// The board of the lesson. Each step has its sentence, the square to tap, and [kind, number] of what has but that square left; the one
// without puts crosses on all squares that are attacked.
export const LESSON = {
  regions: 'aabbb/aacbb/aaadd/aeddd/eeddd',
  steps: [
    { why: 'only', at: [2, 3], unit: ['region', 2] },
    { why: 'attacks', at: [2, 3] },
    { why: 'region', at: [1, 5], unit: ['region', 1] },
    { why: 'row', at: [3, 1], unit: ['row', 3] },
    { why: 'column', at: [5, 2], unit: ['column', 2] },
    { why: 'last', at: [4, 4], unit: ['region', 3] },
  ],
};
const DOTTED = 3; // crosses come by themselves as dots after so many steps

// The two pictures. Of the wrong one, the pairs that attack each other: in a row, and at a corner.
export const PICTURES = {
  regions: 'aabbb/aabbb/ccedd/ccedd/eeeed',
  right: [[1, 2], [2, 4], [3, 1], [4, 5], [5, 3]],
  wrong: [[1, 1], [1, 4], [3, 2], [4, 3], [5, 5]],
};

export const regionsFrom = (letters) => letters.split('/').map((line) => Array.from(line, (letter) => letter.charCodeAt() - 97));

// A game of such a board.
export function gameOf(letters) {
  const line = (a, b) => lineOf(RULE, N, placeOf(N, a), placeOf(N, b));
  return newGame({ n: N, regions: regionsFrom(letters).flat(), line });
}

const every = Array.from({ length: N * N }, (_, square) => placeOf(N, square));
const isIn = (list, [row, column]) => list.some((at) => at[0] === row && at[1] === column);

// What a step is about.
function squaresOf(unit, regions) {
  const [kind, number] = unit;
  const has = { row: ([row]) => row === number, column: ([, column]) => column === number };
  return every.filter(has[kind] ?? (([row, column]) => regions[row - 1][column - 1] === number));
}

// ---- Pictures ----

const dim = (squares) => svg('path', { class: 'dim', d: squares.map(([row, column]) => `M${column - 1} ${row - 1}h1v1h-1z`).join('') });
const ring = ([row, column]) => {
  const circle = (name) => svg('circle', { class: name, cx: column - 0.47, cy: row - 0.45, r: 0.33 }); // beside a letter
  return svg('g', { class: 'tap' }, circle('around'), circle('ring'));
};

const captioned = (board, name, sign, is) =>
  h('figure', { class: name }, board, h('figcaption', null, h('b', null, h('span', { 'aria-hidden': 'true' }, sign), ' ', t(`learn.${name}`)), ' ', is));

function rightAndWrong() {
  const { regions, right, wrong } = PICTURES;
  const draw = (queens, label, attacks = []) => {
    const { ground, letters } = regionsOf(regionsFrom(regions), COLOURS);
    const board = drawBoard({ n: N, queens, ground, over: letters, label, attacks });
    board.setAttribute('viewBox', `-.05 -.05 ${N + 0.1} ${N + 0.1}`); // without numbers
    return board;
  };
  const [a, b, c, d] = wrong.map(nameOf);
  const columns = right.map(([, column]) => column).join(', ');
  const pairs = [wrong.slice(0, 2), wrong.slice(2, 4)].map((pair) => strokesOf(RULE, N, ...pair));
  return h(
    'div',
    { class: 'pictures' },
    captioned(draw(right, t('learn.rightLabel', { columns })), 'right', '✓', t('learn.isRight')),
    captioned(draw(wrong, t('learn.wrongLabel', { a, b, c, d }), pairs), 'wrong', '✗', t('learn.isWrong')),
  );
}

// ---- The dialog ----

// Opens it with 'rules' or 'lesson'. own: a game waits below, else the lesson ends with today() at today's board; closed() comes when
// it is closed by whatever means.
export function open(page, { own, today, closed }) {
  const title = h('h2', { id: 'learn-title' });
  const told = h('p', { id: 'learn-told' });
  const close = () => dialog.close();
  const dialog = h('dialog', { class: 'learn', 'aria-labelledby': title.id, 'aria-describedby': told.id });
  dialog.addEventListener('close', () => {
    removeEventListener('popstate', close);
    dialog.remove();
    closed();
  });
  addEventListener('popstate', close);
  document.body.append(dialog);

  function rules() {
    title.textContent = t('learn.rules');
    told.textContent = t('learn.one');
    const begin = button(t('learn.begin'), lesson, { class: 'button main' });
    dialog.replaceChildren(
      title,
      told,
      rightAndWrong(),
      h('p', null, t('learn.far'), ' ', t('learn.taps')),
      row(begin, button(t('learn.close'), close)),
    );
  }

  function lesson() {
    const game = gameOf(LESSON.regions);
    const regions = regionsFrom(LESSON.regions);
    const step = h('p', { class: 'note' });
    const place = h('div');
    const back = button(t('learn.back'), () => game.undo() && show(done - 1));
    const buttons = row(back, button(t('learn.skip'), close));
    let done = 0; // steps
    title.textContent = t('learn.title');
    told.setAttribute('role', 'status');
    dialog.replaceChildren(title, step, told, place, buttons);

    function act({ unit, at }) {
      game.set(unit ? [[squareOf(N, at), QUEEN]] : game.attacked().map((square) => [square, CROSS]));
      show(done + 1);
    }

    // The board after so many steps; isWrong: another square was tapped than the one that is asked for.
    function show(steps, isWrong = false) {
      done = steps;
      const next = LESSON.steps[done];
      if (!next) return end();
      const { why, unit } = next;
      step.textContent = t('learn.at', { step: done + 1, count: LESSON.steps.length });
      const sentence = t(`learn.${why}`, { letter: unit && letterOf(unit[1]), index: unit?.[1] });
      told.replaceChildren(...(isWrong ? [h('b', null, t('learn.nudge')), ' '] : []), sentence);
      back.disabled = !done;
      draw(next);
    }

    function picture(more, about) {
      const [queens, crosses, dots] = [game.queens(), game.crosses(), done < DOTTED ? [] : game.attacked()].map((list) =>
        list.map((square) => placeOf(N, square)),
      );
      const { ground, letters } = regionsOf(regions, COLOURS);
      const [under, over] = about ? [dim(every.filter((at) => !isIn(about.lit, at))), ring(about.at)] : [];
      const told = ([row, column]) =>
        [
          t('learn.is.colour', { letter: letterOf(regions[row - 1][column - 1]) }),
          isIn(crosses, [row, column]) && t('learn.is.cross'),
          isIn(dots, [row, column]) && t('learn.is.dot'),
          isIn([about.at], [row, column]) && t('learn.is.tap'),
        ].filter(Boolean).join('');
      const drawn = drawBoard({
        ...{ n: N, queens, ground, over: [under, crossesOf(crosses, dots), letters, over].filter(Boolean), label: t('learn.label') },
        ...{ told: (...at) => told(at), ...more },
      });
      place.replaceChildren(drawn);
      return drawn;
    }

    function draw(next) {
      const { at, unit } = next;
      const lit = unit ? squaresOf(unit, regions) : [at, ...game.attacked().map((square) => placeOf(N, square))];
      const onCell = (...tapped) => (isIn([at], tapped) ? act(next) : show(done, true));
      picture({ onCell, focus: at, grab: true }, { at, lit });
    }

    function end() {
      step.textContent = '';
      told.textContent = t(own ? 'learn.endOwn' : 'learn.endToday');
      const columns = game.queens().map((square) => placeOf(N, square)[1]).join(', ');
      picture({ label: t('learn.rightLabel', { columns }) }).classList.add('won');
      const go = button(t(own ? 'learn.own' : 'learn.today'), () => (close(), own || today()), { class: 'button main' });
      buttons.replaceChildren(go);
      go.focus();
    }

    show(0);
  }

  const pages = { rules, lesson };
  dialog.showModal();
  pages[page]();
  if (page === 'rules') dialog.querySelector('.main').focus({ preventScroll: true });
}
