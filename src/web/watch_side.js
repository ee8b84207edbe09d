// watch_side.js - one algorithm at work, as Watch shows it: its board, the step in words, its code and variables, its search tree,
// its counters, and a question about the step that comes. It knows the content of a step, not the algorithm's reason for it, and
// nothing of the clock.
import { drawBoard, queen } from './board.js';
import { button, h, say, svg } from './dom.js';
import { follow } from './trace.js';
import { drawTree, growth, WIDTHS } from './tree.js';
import { variablesOf } from './variables.js';
import { number, t, titleOf } from './words.js';

const SCRUBBED = 20000; // the slider reaches this many steps, even before they are loaded
const PLAIN = ['bitboard', 'recursion', 'rapella', 'zironi']; // the search row by row through all columns: its tree is known
const COUNTERS = ['placements', 'tests', 'backtracks', 'solutions', 'states', 'energy'];
const [HALF, BROAD] = [300, 600]; // pixels for a tree: where two stand side by side; where it has room

const does = ({ code: { lines } }, ...kinds) => lines.some(({ steps }) => steps.some((kind) => kinds.includes(kind)));
// The queens on the board are the path in the tree; other algorithms take up other boards, or move queens.
export const isDeep = (row) => !does(row, 'take', 'keep', 'move');
const hasTree = (row) => does(row, 'place', 'keep') && !does(row, 'move');

// The squares of each row without a queen that no queen attacks.
function freeSquares(columns) {
  const queens = columns.flatMap((at, row) => (at === null ? [] : [[row, at]]));
  return columns.map((taken, row) => {
    const free = [];
    for (let at = 1; taken === null && at <= columns.length; at++)
      if (queens.every(([r, c]) => c !== at && Math.abs(c - at) !== Math.abs(r - row))) free.push(at);
    return free;
  });
}

// A board with one element per queen that is moved: a step changes only a few attributes.
function movable(n) {
  const board = drawBoard({ n });
  const queens = Array.from({ length: n }, (_, row) => queen([row + 1, 1]));
  const frame = svg('rect', { width: 0.88, height: 0.88 });
  const attack = svg('line', { class: 'attack' });
  const dots = svg('path', { class: 'free' });
  const counts = queens.map((_, row) => svg('text', { class: 'place left', x: n + 0.4, y: row + 0.5 }));
  const shown = [];
  const [left, top, width, height] = board.getAttribute('viewBox').split(' ').map(Number);
  board.setAttribute('viewBox', `${left} ${top} ${width + 0.7} ${height}`);
  board.append(svg('g', { 'aria-hidden': 'true' }, dots, counts, queens, frame, attack));
  const set = (element, seen, values) => {
    element.setAttribute('visibility', seen ? 'visible' : 'hidden');
    if (seen) for (const [name, value] of Object.entries(values())) element.setAttribute(name, value);
  };

  // Returns the number of free squares of each row, null for a row with a queen.
  function update(columns, { row, column, by, do: does } = {}) {
    const free = freeSquares(columns);
    columns.forEach((at, i) => {
      if (at !== shown[i]) set(queens[i], at !== null, () => ({ transform: `translate(${at - 1} ${i})` }));
      shown[i] = at;
      counts[i].textContent = at === null ? free[i].length : '';
    });
    dots.setAttribute('d', free.map((columns, i) => columns.map((at) => `M${at - 0.5} ${i + 0.5}h.01`).join('')).join(''));
    set(frame, row, () => ({ x: column - 0.94, y: row - 0.94, class: does === 'reject' ? 'mark bad' : 'mark' }));
    set(attack, by, () => ({ x1: by.column - 0.5, y1: by.row - 0.5, x2: column - 0.5, y2: row - 0.5 }));
    board.setAttribute('aria-label', t('board.label', { n, columns: columns.map((at) => at ?? '–').join(' ') }));
    return columns.map((at, i) => (at === null ? free[i].length : null));
  }
  update(Array(n).fill(null));
  return { board, update };
}

function told({ do: does, row, column, by, line, queens } = {}) {
  if (!does) return t('watch.before');
  if (!by) return t(`watch.${does}`, { row, column, count: queens });
  return t('watch.rejectBy', { row, column, byRow: by.row, byColumn: by.column, line: t(`watch.line.${line}`) });
}

// The code of an algorithm; show(kind) marks the line that does a step, and brings it into sight: a program may be longer than its place.
function listing({ code: { lines } }, name) {
  const items = lines.map(({ text }) => h('li', null, h('code', null, text)));
  const element = h('ol', { class: 'code', lang: 'en', tabindex: 0, 'aria-label': t('watch.code', { name }) }, items);
  element.style.setProperty('--wide', Math.max(...lines.map(({ text }) => text.length))); // see style.css
  let marked, due;
  const scroll = () => {
    due = null;
    element.scrollTop = marked ? marked.offsetTop - (element.clientHeight - marked.offsetHeight) / 2 : 0;
  };
  const show = (kind) => {
    const next = items[lines.findIndex(({ steps }) => steps.includes(kind))];
    if (next === marked) return;
    marked?.removeAttribute('aria-current');
    next?.setAttribute('aria-current', 'step');
    marked = next;
    due ??= requestAnimationFrame(scroll); // to measure it here would lay the page out twice
  };
  return { element, show };
}

// The variables of the code, by the names that they have there.
function variables({ code: { variables: names } }) {
  const values = Object.fromEntries(Object.keys(names).filter((key) => names[key]).map((key) => [key, h('dd', null, '–')]));
  const left = h('dd', null, '–');
  const pair = (title, value) => h('div', null, title, value);
  const all = Object.entries(values).map(([key, value]) => pair(h('dt', { lang: 'en' }, h('code', null, names[key])), value));
  const element = h('dl', { class: 'figures names' }, all, pair(h('dt', null, t('watch.left')), left));
  const update = (columns, square, free) => {
    const now = variablesOf(names, columns, square);
    now.board = now.board.map((at) => at ?? '–').join(' ');
    for (const [key, value] of Object.entries(values)) value.textContent = now[key] ?? '–';
    left.textContent = free.map((count) => count ?? '–').join(' ');
  };
  return { element, update };
}

// Three ways on, of which the first is the step that comes; the others could come as well.
function waysOn(step, columns) {
  const n = columns.length;
  const last = columns.findLastIndex((at) => at !== null);
  const row = step.row ?? Math.min(last + 2, n);
  const nextTo = 1 + ((step.column ?? 0) % n);
  const square = { row, column: step.do === 'remove' ? nextTo : (step.column ?? 1) };
  const puts = ['place', 'keep'].includes(step.do);
  const elsewhere = freeSquares(columns)[row - 1].find((at) => at !== step.column) ?? nextTo;
  const others = [
    puts ? elsewhere !== step.column && { do: step.do, row, column: elsewhere } : { do: 'place', ...square },
    step.do !== 'remove' && last >= 0 && { do: 'remove', row: last + 1, column: columns[last] },
    { do: 'reject', ...square },
    step.do !== 'solution' && { do: 'solution' },
  ];
  return [step, ...others.filter(Boolean)].slice(0, 3).map(told);
}

// A question about the step that comes; then() goes on.
function question(step, columns, then) {
  const [right, ...wrong] = waysOn(step, columns);
  const verdict = h('p', { role: 'status' });
  const ways = [right, ...wrong].sort(); // by their words: the right one has no place of its own
  const answers = ways.map((way) => button(way, () => answer(way)));
  const further = button(t('watch.goOn'), then, { class: 'button main', hidden: true });
  function answer(way) {
    for (const one of answers) one.disabled = true;
    verdict.textContent = `${t(way === right ? 'watch.right' : 'watch.wrong')} ${right}`;
    verdict.className = way === right ? 'good' : '';
    further.hidden = false;
    further.focus();
  }
  const title = h('b', null, t('watch.question'));
  return h('div', { class: 'question', role: 'group', 'aria-label': t('watch.question') }, title, answers, verdict, further);
}

// The counters of the trace so far, and of the whole where that is known; the step of the first solution, to go there.
function counters(seek) {
  const figures = COUNTERS.map((name) => [name, h('dt', null, t(`watch.${name}`)), h('dd')]);
  const pairs = figures.map(([name, ...pair]) => [name, h('div', { hidden: true }, pair), pair[1]]);
  const first = h('div', { class: 'first' });
  const element = h('div', { class: 'foot' }, h('dl', { class: 'figures sums' }, pairs.map(([, pair]) => pair)), first);
  const update = (now, whole, steps) => {
    for (const [name, pair, value] of pairs) {
      if (now[name] === undefined) continue; // the algorithm does not count these
      const all = whole?.[name];
      value.textContent = all === undefined ? number(now[name]) : t('board.place', { rank: now[name], total: all });
      pair.hidden = all === 0 && name !== 'solutions';
    }
    if (steps && !first.firstChild) first.append(button(t('watch.first', { steps }), () => seek(steps)));
  };
  return { element, update };
}

// The tree has the size that is left for it on the whole screen, else its own.
function fill({ element, fit }, signal) {
  const resized = new ResizeObserver(([{ contentRect: { width, height } }]) => {
    if (element.closest('.fills') && matchMedia('(min-width: 60rem)').matches) fit(width, height, parseFloat(getComputedStyle(element.parentElement).fontSize) * 0.875);
    else fit();
  });
  resized.observe(element);
  signal.addEventListener('abort', () => resized.disconnect());
}

// The view of one algorithm. seek: goes to a step; compare: the answer of /compare to these parameters; even: one of two.
export function makeSide({ params, row, signal, even, seek, compare }) {
  const { n, algorithm, split, ...others } = params;
  const deep = isDeep(row);
  const grown = growth(n, deep);
  const trace = follow(params, signal, grown.add);
  const name = titleOf(row);
  const { board, update } = movable(n);
  const words = h('p', { class: 'told' });
  const code = listing(row, name);
  const values = variables(row);
  const sums = counters(seek);
  const asking = h('div', { class: 'asking' });
  let compared = null; // the algorithm in /compare
  let painted; // the step that is shown
  const whole = () => trace.whole() ?? (compared?.finished ? compared.stats : null);
  const widths = () => whole()?.levels ?? (PLAIN.includes(algorithm) ? (WIDTHS[n] ?? null) : null);
  const broad = matchMedia('(min-width: 60rem)').matches ? BROAD : undefined;
  const tree = hasTree(row) && drawTree(n, { widths, grown, wide: even ? HALF : broad });
  if (tree) tree.paint([], []);
  if (tree) fill(tree, signal);

  return {
    trace,
    words,
    element: h(
      'section',
      { class: 'panel side', 'aria-label': name, dataset: { algorithm } },
      h('h3', { class: even ? '' : 'unseen' }, name),
      h('div', { class: 'look' }, board),
      h('div', { class: 'say' }, words, asking),
      ...[code.element, values.element, tree && tree.element, sums.element].filter(Boolean),
    ),
    // The number of all steps, if it is known and small enough.
    steps: () => trace.end() ?? (whole()?.steps <= SCRUBBED ? whole().steps : null),
    paint(wanted) {
      const { done, board: columns, sums: so, step, square } = trace.at(wanted);
      const free = update(columns, step);
      words.textContent = trace.end() === 0 ? t('watch.none') : told(step) + (done === trace.end() ? ` ${t('watch.ended')}` : '');
      code.show(step?.do);
      values.update(columns, square, free);
      if (tree) tree.paint(so.levels, grown.path(columns, so.levels, step));
      if (wanted !== painted) asking.replaceChildren();
      painted = wanted;
      sums.update({ ...so, states: step?.states, energy: step?.energy }, whole(), trace.first() ?? compared?.first?.stats.steps);
    },
    // Asks what comes after so many steps.
    ask(done, then) {
      const made = question(trace.after(done), trace.at(done).board, then);
      asking.replaceChildren(made);
      made.querySelector('button').focus({ preventScroll: true });
      say(made.innerText);
    },
    // Totals are those of the trace, if it is short; else of /compare, without whose answer none are shown.
    async total() {
      if ((await trace.isShort()) || split) return;
      const { json } = await compare({ n, ...others });
      compared = json.algorithms.find((one) => one.algorithm === algorithm);
    },
  };
}
