// board_shape.js - in the tab Board, boards that are no square with n queens: rows, the number of queens, walls, which are built by
// presses on the board, and how many placements there are. It knows neither the list of them nor what else the tab shows.
import { ask, askPatiently } from './api.js';
import { focusOf } from './board.js';
import { button, field, h, inWords, row, showValue, svg } from './dom.js';
import { number, t } from './words.js';

const [MOST, SINGLE, LISTED] = [1000, 32, 64]; // rows of the field; of a board with single squares; queens and walls in its name
const EDGE = 0.75; // squares beside a board, for its numbers

// The walls of a text, '2:3,4:5', as [[row, column], ...].
const wallsIn = (text) => text.split(',').filter((at) => /^\d+:\d+$/.test(at)).map((at) => at.split(':').map(Number));
const textOf = (squares) => squares.map((at) => at.join(':')).join(',');

// Walls as bricks: they are told from dark squares and from queens without colours, too.
function bricks(walls) {
  const path = (name, of) => svg('path', { class: name, d: walls.map(([row, column]) => of(column - 1, row - 1)).join('') });
  return [
    path('wall', (x, y) => `M${x + 0.03} ${y + 0.03}h.94v.94h-.94z`),
    path('mortar', (x, y) => `M${x + 0.03} ${y + 0.34}h.94m0 .32h-.94M${x + 0.5} ${y + 0.03}v.31m-.22 0v.32m.44 0v-.32m-.22 .32v.31`),
  ];
}

// change: changes the URL, and goes to the first placement; params() -> those of the shape in the URL; shaped(), building(): whether
// there are any, whether presses build; retell(): what facts() returns has changed. -> element, update(), and what the board is drawn
// with: see below.
export function shape({ state, change, n, by, params, shaped, building, picture, retell, signal }) {
  let counting = new AbortController(); // of the last question, when it has changed
  let asked = '';
  let total = null; // the number of placements, or why it is not known
  const m = () => state.number('m', n(), 1, MOST);
  const walls = () => wallsIn(state.get('walls'));
  const onBoard = () => walls().filter(([row, column]) => row >= 1 && row <= m() && column >= 1 && column <= n());
  const question = () => ({ n: n(), ...params(), ...by() });

  signal.addEventListener('abort', () => counting.abort());

  // ---- Controls ----

  const valid = (does) => ({ target }) => {
    if (!target.reportValidity()) return;
    delete target.dataset.shown; // what is entered may be replaced by the same in its usual form
    does(target.value.replace(/\s/g, ''));
  };
  const tick = (key, value) => {
    const box = h('input', { type: 'checkbox', onchange: () => change({ [key]: box.checked ? value : null }) });
    return box;
  };
  const text = { type: 'text', autocomplete: 'off', spellcheck: 'false' };
  const rows = h('input', { type: 'number', min: 1, max: MOST, inputmode: 'numeric', required: true, onchange: valid((value) => change({ m: Number(value) === n() ? null : value })) });
  const queens = h('input', { ...text, size: 6, pattern: '\\s*(\\d+(\\s*-\\s*\\d+)?)?\\s*', onchange: valid((value) => change({ queens: value || null })) });
  const list = h('input', { ...text, size: 14, pattern: '\\s*(\\d+\\s*:\\s*\\d+(\\s*,\\s*\\d+\\s*:\\s*\\d+)*)?\\s*', placeholder: '2:3,4:5', onchange: valid((value) => change({ walls: value || null })) });
  const [any, maximal] = [tick('queens', 'any'), tick('maximal', 'true')];
  const build = button(t('shapes.build'), () => state.set({ build: building() ? null : 1 }, { replace: true }));
  const none = button(t('shapes.noWalls'), () => change({ walls: null }));
  const plain = button(t('shapes.plain'), () => change({ m: null, queens: null, walls: null, maximal: null }));
  const profile = h('a', { class: 'button' }, t('shapes.profile'));
  const reason = h('p', { class: 'note' }, t('shapes.noRandom'));
  const check = (box, words) => h('label', { class: 'tick' }, box, words);
  const element = h(
    'div',
    null,
    row(field(t('shapes.rows'), rows), field(t('shapes.queens'), queens), check(any, t('shapes.any')), check(maximal, t('shapes.maximal'))),
    row(build, field(t('shapes.walls'), list), none),
    h('p', { class: 'note' }, t('shapes.about')),
    reason,
    row(profile, plain),
  );

  // A press puts a wall, or takes it.
  function press(row, column) {
    const others = walls().filter((at) => at[0] !== row || at[1] !== column);
    const put = others.length === walls().length;
    const next = put ? [...others, [row, column]].sort(([a, b], [c, d]) => a - c || b - d) : others;
    change({ walls: textOf(next) || null });
  }

  // ---- The number of placements ----

  async function count() {
    const now = shaped() ? JSON.stringify(question()) : '';
    if (now === asked) return;
    asked = now;
    total = null;
    counting.abort();
    counting = new AbortController();
    if (!now) return;
    const { signal: own } = counting;
    try {
      const { json } = await askPatiently('count', question(), { signal: own, begin: ask });
      total = { count: json.count_text };
    } catch (problem) {
      if (own.aborted || problem.gone) return;
      total = { why: inWords(problem) };
    }
    retell();
  }

  // In words; rank: of the placement that is shown.
  function facts({ rank, queens }) {
    if (!total) return t('shapes.counting');
    if (total.why) return t('shapes.notCounted', { why: total.why });
    const all = number(total.count);
    return queens ? t('board.place', { rank: number(rank), total: all }) : `${t('shapes.total')}: ${all}`;
  }

  // ---- The board ----

  function label(queens) {
    const told = (squares) => textOf(squares.slice(0, LISTED)).replaceAll(',', ' ') || '–';
    const squares = queens.map((at, row) => (Array.isArray(at) ? at : [row + 1, at]));
    return t('shapes.label', { m: m(), n: n(), queens: told(squares), walls: told(onBoard()) });
  }

  // What it is drawn with besides the queens.
  function drawing(queens) {
    if (!shaped() && !building()) return {};
    const taken = new Set(onBoard().map((at) => at.join(':')));
    const presses = {
      ...{ onCell: press, told: (row, column) => (taken.has(`${row}:${column}`) ? `, ${t('shapes.wall')}` : '') },
      ...{ focus: focusOf(picture, n(), m()), grab: picture.contains(document.activeElement) },
    };
    return { m: m(), over: taken.size > 0 && bricks(onBoard()), label: label(queens), ...(building() && presses) };
  }

  function update() {
    picture.style.setProperty('--ratio', (n() + EDGE) / (m() + EDGE)); // of the room of a board that is not there yet
    showValue(rows, m());
    any.checked = state.get('queens') === 'any';
    maximal.checked = state.get('maximal') === 'true';
    showValue(queens, any.checked ? '' : state.get('queens'));
    queens.disabled = any.checked;
    queens.placeholder = any.checked || maximal.checked ? t('shapes.any') : Math.min(m(), n());
    showValue(list, state.get('walls'));
    build.ariaPressed = building();
    build.disabled = !building() && Math.max(m(), n()) > SINGLE;
    none.disabled = !state.get('walls');
    plain.disabled = !shaped();
    reason.hidden = !shaped();
    const { m: high, walls: built } = params();
    profile.href = state.address('count', { n: n(), m: high, walls: built, ...by(), profile: 1 });
    count();
  }

  return {
    ...{ element, update, question, facts, drawing, squares: t('shapes.squares'), noRandom: t('shapes.noRandom') },
    draws: () => shaped() || building(),
    none: (complete) => t(complete ? 'shapes.none' : 'shapes.unfinished'),
  };
}
