// tab_watch.js - the tab Watch: one algorithm, or two with one clock, step by step, with its article. It knows the content of a
// step, not the algorithm's reason for it.
//
// The URL has n, algorithm, its parameters (column, split, strategy, seed), for a second one algorithm2, column2 and so on,
// speed in steps a second (or `solution`), step, the number of steps done, and ask=1 for questions.
import { ask, link } from './api.js';
import { drawBoard, queen } from './board.js';
import { button, choice, field, h, say, show, svg } from './dom.js';
import { snippets } from './snippet.js';
import { follow } from './trace.js';
import { drawTree, WIDTHS } from './tree.js';
import { articleOf, number, t, titleOf } from './words.js';

const [FIRST, MOST] = [6, 32]; // sizes: at the beginning; larger boards have no single squares
const COMPARED = 200000; // steps that /compare may do for each
const SCRUBBED = 20000; // the slider reaches this many steps, even before they are loaded
const SPEEDS = [1, 4, 15, 60, 240, 1000];
const BETWEEN = 12; // steps from one question to the next, at least
const PLAIN = ['bitboard', 'rapella', 'zironi']; // the search row by row through all columns
const REPAIRS = ['local-search', 'neural']; // constructions that /trace accepts, too
const SIDES = ['', '2'];
const PARAMETERS = ['column', 'split', 'strategy', 'seed'];
const COUNTERS = ['placements', 'tests', 'backtracks', 'solutions', 'states', 'energy'];
const ARTICLES = {
  rapella: ['it', 'E. Rapella, Il problema delle N regine, RetroMagazine 44 (2023)'],
  tkachenko: ['ru', 'К. С. Ткаченко, Интересное решение задачи о восьми ферзях'],
  romani: ['it', 'F. Romani, Ancora le Regine, MCmicrocomputer (1993)'],
  zironi: ['it', 'Otto regine, KULT Underground'],
};
const named = (names, value = (name) => name) => Object.fromEntries(names.map((name) => [name, value(name)]));
const family = (algorithm) => algorithm.replace(/-\d$/, '');

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
  const counts = queens.map((_, row) => svg('text', { class: 'place', x: n + 0.4, y: row + 0.5 }));
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
  if (!by) return t(`watch.${does}`, { row, column, queens });
  return t('watch.rejectBy', { row, column, byRow: by.row, byColumn: by.column, line: t(`watch.line.${line}`) });
}

// The code of an algorithm; show(kind) marks the line that does a step.
function listing({ code: { lines } }, name) {
  const items = lines.map(({ text }) => h('li', null, h('code', null, text)));
  const element = h('ol', { class: 'code', lang: 'en', tabindex: 0, 'aria-label': t('watch.code', { name }) }, items);
  let marked;
  const show = (kind) => {
    const next = items[lines.findIndex(({ steps }) => steps.includes(kind))];
    if (next === marked) return;
    marked?.removeAttribute('aria-current');
    next?.setAttribute('aria-current', 'step');
    marked = next;
  };
  return { element, show };
}

// The variables of the code, by the names that they have there.
function variables({ code: { variables: names } }) {
  const values = Object.fromEntries(Object.keys(names).filter((key) => names[key]).map((key) => [key, h('dd', null, '–')]));
  const left = h('dd', null, '–');
  const pairs = Object.entries(values).map(([key, value]) => [h('dt', { lang: 'en' }, h('code', null, names[key])), value]);
  const element = h('dl', { class: 'figures names' }, pairs, h('dt', null, t('watch.left')), left);
  const update = (columns, step, free) => {
    const now = { row: step?.row, column: step?.column, board: columns.map((at) => at ?? '–').join(' ') };
    for (const [key, value] of Object.entries(values)) value.textContent = now[key] ?? '–';
    left.textContent = free.map((count) => count ?? '–').join(' ');
  };
  return { element, update };
}

// Three ways on, of which the first is the step that comes; the others could come as well.
function waysOn(step, columns) {
  const last = columns.findLastIndex((at) => at !== null);
  const row = step.row ?? Math.min(last + 2, columns.length);
  const square = { row, column: step.do === 'remove' ? 1 + (step.column % columns.length) : (step.column ?? 1) };
  const others = [
    { do: 'place', ...square },
    last >= 0 && { do: 'remove', row: last + 1, column: columns[last] },
    { do: 'reject', ...square },
    { do: 'solution' },
  ];
  const same = (other) => other.do === step.do || (step.do === 'keep' && other.do === 'place');
  return [step, ...others.filter((other) => other && !same(other))].slice(0, 3).map(told);
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
  return h('div', { class: 'question', role: 'group', 'aria-label': t('watch.question') }, h('b', null, t('watch.question')), answers, verdict, further);
}

// The view of one algorithm. seek: goes to a step.
function makeSide(params, row, signal, seek) {
  const trace = follow(params, signal);
  const name = titleOf(row);
  const { board, update } = movable(params.n);
  const words = h('p', { class: 'told' });
  const figures = COUNTERS.map((name) => [name, h('dt', { hidden: true }, t(`watch.${name}`)), h('dd', { hidden: true })]);
  const first = h('dd');
  const code = listing(row, name);
  const named = variables(row);
  const asking = h('div');
  let whole = null; // of /compare
  const does = (...kinds) => row.code.lines.some(({ steps }) => steps.some((kind) => kinds.includes(kind)));
  const deep = !does('take', 'keep', 'move'); // the queens on the board are the path
  const widths = () => (whole?.finished ? whole.stats.levels : PLAIN.includes(params.algorithm) ? (WIDTHS[params.n] ?? null) : null);
  const tree = drawTree(params.n, widths);
  const hasTree = does('place', 'keep') && !does('move'); // others repair boards, or list them
  tree.paint([], deep ? 0 : undefined);

  return {
    trace,
    words,
    element: h(
      'section',
      { class: 'panel side', 'aria-label': name, dataset: { algorithm: params.algorithm } },
      h('h3', null, name),
      h('div', { class: 'look' }, board),
      h('div', { class: 'read' }, words, asking, code.element, named.element, hasTree && tree.element, h('dl', { class: 'figures' }, figures.map(([, ...pair]) => pair), first)),
    ),
    // The number of all steps, if it is known and small enough.
    steps: () => trace.end() ?? (whole?.finished && whole.stats.steps <= SCRUBBED ? whole.stats.steps : null),
    paint(wanted) {
      const { done, board: columns, sums, step } = trace.at(wanted);
      const free = update(columns, step);
      words.textContent = told(step) + (done === trace.end() ? ` ${t('watch.ended')}` : '');
      code.show(step?.do);
      named.update(columns, step, free);
      if (hasTree) tree.paint(sums.levels, deep ? columns.filter(Boolean).length : undefined);
      asking.replaceChildren();
      const now = { ...sums, states: step?.states, energy: step?.energy };
      for (const [name, title, value] of figures) {
        if (now[name] === undefined) continue; // the algorithm does not count these
        const all = whole?.finished ? whole.stats[name] : undefined;
        value.textContent = all === undefined ? number(now[name]) : t('board.place', { rank: now[name], total: all });
        title.hidden = value.hidden = false;
      }
    },
    // Asks what comes after so many steps.
    ask(done, then) {
      const made = question(trace.after(done), trace.at(done).board, then);
      asking.replaceChildren(made);
      made.querySelector('button').focus({ preventScroll: true });
      say(made.innerText);
    },
    // Totals come from /compare; without its answer none are shown.
    async total() {
      const { algorithm, split, ...others } = params;
      if (split) return;
      const { json } = await ask('compare', { steps: COMPARED, ...others }, { signal });
      whole = json.algorithms.find((one) => one.algorithm === algorithm);
      const steps = whole?.first?.stats.steps;
      if (steps) first.append(button(t('watch.first', { steps }), () => seek(steps)));
    },
  };
}

// The description of an algorithm: its row of /algorithms, which is in English, and its article: { how, more, errs }.
function notes(row, article) {
  const { name, summary, source, year, tests, errata } = row;
  const [lang, title] = (article && ARTICLES[family(name)]) || [];
  const paragraph = (part) => article[part] && h('p', null, part === 'errs' && h('b', null, t('watch.where'), ' '), article[part]);
  const facts = Object.entries({ does: summary, source, year, counted: tests, errata }).filter(([, value]) => value);
  return h(
    'section',
    { class: 'panel', 'aria-labelledby': `about-${name}` },
    h('h3', { id: `about-${name}` }, t('watch.notes', { name: titleOf(row) })),
    title && [h('p', { class: 'note', lang }, title), ['how', 'more', 'errs'].map(paragraph)],
    h(
      'dl',
      { class: 'figures' },
      facts.map(([key, value]) => [h('dt', null, t(`watch.${key}`)), h('dd', { lang: 'en' }, `${value}`)]),
    ),
  );
}

export function open(root, state) {
  const life = new AbortController(); // of the tab
  let work = new AbortController(); // of its traces
  let rows = null; // of /algorithms, by name
  let loaded; // the settings for which the sides were made
  let sides = [];
  let done = 0; // steps
  let written = 0; // the same in the URL
  let writing = null; // the timer that writes it
  let playing = false;
  let waiting = null; // for pages
  let due = 0; // steps due, with a fraction
  let last = 0;
  let asked = 0; // the step before which the last question was
  let shown = []; // the requests to /trace, one for each side

  // ---- Settings ----

  // A new trace begins at its first step.
  const set = (changes) => {
    pause();
    state.set({ step: null, ...changes });
  };
  const change = (key) => ({ target }) =>
    target.checkValidity() ? set({ [key]: target.value || null }) : target.reportValidity();
  const input = (key, attributes) => h('input', { onchange: change(key), ...attributes });
  const integer = { type: 'number', inputmode: 'numeric', min: 1 };
  const size = input('n', { ...integer, required: true });
  const both = h('input', { type: 'checkbox' });
  both.addEventListener('change', () => {
    const other = chosen('').name === 'bitboard' ? 'rapella' : 'bitboard';
    set({ ...without('2'), algorithm2: both.checked ? other : null });
  });
  const asks = h('input', { type: 'checkbox', onchange: () => state.set({ ask: asks.checked ? 1 : null }, { replace: true }) });
  const without = (side) => named(PARAMETERS.map((name) => name + side), () => null);

  // The algorithm of a side and all parameters; only those of the algorithm are visible.
  function chooser(side) {
    const strategies = named(['breadth', 'depth', 'priority'], (name) => t(`watch.${name}`));
    const algorithm = choice(named(Object.keys(rows), (name) => titleOf(rows[name])), '', (name) => set({ ...without(side), [`algorithm${side}`]: name }));
    const inputs = {
      column: input(`column${side}`, { ...integer, placeholder: 4 }),
      split: input(`split${side}`, { size: 6, pattern: '\\d+(,\\d+)*' }),
      strategy: choice(strategies, '', () => {}, { onchange: change(`strategy${side}`) }),
      seed: input(`seed${side}`, { ...integer, min: 0, max: Number.MAX_SAFE_INTEGER }),
    };
    const fields = PARAMETERS.map((name) => [name, inputs[name], field(t(`watch.p_${name}`), inputs[name])]);
    const label = t(side ? 'watch.second' : 'watch.algorithm');
    const element = h('div', { class: 'row' }, field(label, algorithm), fields.map((it) => it[2]));
    const update = (params) => {
      element.hidden = !params;
      if (!params) return;
      algorithm.value = params.algorithm;
      inputs.column.max = params.n;
      for (const [name, control, whole] of fields) {
        whole.hidden = !(name in params);
        control.value = params[name] ?? '';
      }
    };
    return { element, update };
  }

  let choosers = [];
  const rates = { ...named(SPEEDS, (count) => t('watch.rate', { count })), solution: t('watch.bySolution') };
  const speed = choice(rates, 4, (rate) => state.set({ speed: rate }, { replace: true }), { 'aria-label': t('watch.speed') });
  const play = button(t('watch.play'), () => (playing ? pause() : start()), { class: 'button main' });
  const slider = h('input', { type: 'range', min: 0, 'aria-label': t('watch.step'), oninput: () => seek(Number(slider.value)) });
  const place = h('output');
  const grid = h('div', { class: 'watch' });
  const about = h('div', { class: 'beside' });
  const snippet = h('div', { class: 'panel' });
  const trouble = h('div');
  const stage = h('div', { class: 'stage' });

  const sign = (what, name, press) => button(what, press, { 'aria-label': t(`watch.${name}`), title: t(`watch.${name}`) });

  function layout() {
    choosers = SIDES.map(chooser);
    const list = Object.entries(ARTICLES).map(([name, [lang, title]]) =>
      h('li', null, h('a', { href: `#watch?algorithm=${name}${rows[name] ? '' : '-1'}`, lang }, title)),
    );
    const check = (input, words) => h('label', { class: 'row check' }, input, words);
    root.replaceChildren(
      h('div', { class: 'row choose' }, field(t('board.size'), size), choosers.map(({ element }) => element), check(both, t('watch.both')), check(asks, t('watch.asks'))),
      stage,
      ...[h('p', { class: 'note' }, t('watch.keys')), about, h('h3', null, t('watch.articles')), h('ul', null, list), snippet],
    );
    stage.replaceChildren(
      h(
        'div',
        { class: 'panel transport' },
        h(
          'div',
          { class: 'row' },
          ...[sign('⇤', 'start', () => seek(0)), sign('«', 'previous', () => leap('previous')), sign('←', 'back', () => step(-1)), play],
          ...[sign('→', 'forward', () => step(1)), sign('»', 'next', () => leap('next')), speed, place],
        ),
        slider,
      ),
      ...[trouble, grid],
    );
  }

  const chosen = (side) => rows[state.get(`algorithm${side}`)] ?? (side ? null : rows.rapella);

  // The request to /trace for a side.
  function wanted(side) {
    const row = chosen(side);
    if (!row) return null;
    const n = state.number('n', FIRST, 1, Number(size.max));
    // The first queen is in the fourth column by default; smaller boards do not have this column.
    const otherwise = { column: n < 4 ? n : null, strategy: 'breadth', seed: 1 };
    return { n, algorithm: row.name, ...named(row.parameters, (name) => state.get(name + side, null) ?? otherwise[name]) };
  }

  // ---- The clock ----

  const ends = () => Math.max(...sides.map(({ trace }) => trace.end() ?? Infinity));
  const here = (at) => sides.every(({ trace }) => trace.at(at));
  const announce = () => say([place.textContent, ...sides.map(({ words }) => words.textContent)].join('. '));

  function paint(at) {
    done = at;
    for (const side of sides) {
      side.paint(at);
      side.trace.ahead(at);
    }
    const all = sides.map((side) => side.steps());
    const total = Math.max(done, ...sides.map(({ trace }, i) => all[i] ?? trace.known()));
    slider.max = total;
    slider.value = done;
    place.textContent = t(all.includes(null) ? 'watch.reachedKnown' : 'watch.reached', { step: done, total });
    slider.setAttribute('aria-valuetext', place.textContent);
    writing ??= setTimeout(write, 500); // browsers limit how often the URL may change
    if (!playing) request();
  }

  function write() {
    clearTimeout(writing);
    writing = null;
    written = done;
    state.set({ step: done || null }, { replace: true });
  }

  // The requests for the steps on the screen.
  function request() {
    const asks = sides.map(({ trace }) => trace.at(done)?.asks).filter(Boolean);
    const now = asks.map((params) => link('trace', params)).join(' ');
    if (snippet.dataset.now !== now) snippet.replaceChildren(...asks.map((params) => snippets('trace', params)));
    snippet.dataset.now = now;
  }

  // Goes to a step, at once if it is in memory.
  const seek = (at) =>
    go(async (onStep) => {
      const target = Math.min(Math.max(at, 0), ends());
      for (const { trace } of sides)
        if (!trace.at(target)) await trace.reach(target, (step) => onStep(t('watch.going', { step, total: target })));
      return target;
    }, () => seek(at));

  // Goes to the next solution of any side, or to the one before.
  function leap(way) {
    const from = done;
    if (playing && speed.value !== 'solution') pause();
    return go(async (onStep) => {
      const seen = (step) => onStep(t('watch.reachedKnown', { step: from, total: step }));
      const found = await Promise.all(sides.map(({ trace }) => trace[way](from, seen)));
      if (way === 'previous') return Math.max(...found);
      const further = found.filter((at) => at > from);
      const target = further.length ? Math.min(...further) : from;
      for (const { trace } of sides) await trace.reach(target, seen);
      return target;
    }, () => leap(way));
  }

  // Paints the position that find() resolves to, unless something else is wanted meanwhile.
  async function go(find, again) {
    const mine = (waiting = {});
    const { signal } = work;
    due = 0;
    trouble.replaceChildren();
    try {
      const target = await find((words) => {
        if (waiting !== mine) throw new Error('overtaken');
        place.textContent = words;
      });
      if (waiting !== mine) return;
      paint(Math.min(target, ends()));
      if (!playing) announce();
      waiting = null;
    } catch (problem) {
      if (waiting === mine && !signal.aborted) fail(problem, again);
    }
  }

  function step(by) {
    pause();
    const stop = by === 1 && questionBefore(done + 1);
    if (stop) quiz(stop);
    else seek(done + by);
  }

  function start() {
    playing = true;
    play.textContent = t('watch.pause');
    if (done >= ends()) seek(0);
    due = 0;
    last = performance.now();
    const { top, bottom } = stage.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) stage.scrollIntoView();
    requestAnimationFrame(frame);
  }

  function pause() {
    if (!playing) return;
    playing = false;
    play.textContent = t('watch.play');
    write();
    request();
    announce();
  }

  // The step before which a question comes, if it comes on the way to `target`: only steps that can be told beforehand.
  function questionBefore(target) {
    const rate = Number(speed.value) || 1;
    if (!asks.checked) return null;
    const from = done < asked ? done : asked;
    for (let at = Math.max(done + 1, from + Math.max(BETWEEN, 4 * rate)); at <= target; at++)
      if (['place', 'remove', 'keep', 'solution'].includes(sides[0].trace.after(at - 1)?.do)) return at;
    return null;
  }

  function quiz(before) {
    const further = playing ? start : () => {};
    asked = before;
    paint(before - 1);
    pause();
    sides[0].ask(before - 1, () => seek(before).then(further));
  }

  function frame(now) {
    if (!playing) return;
    const bySolution = speed.value === 'solution';
    due += (Math.min(now - last, 250) * (bySolution ? 1 : Number(speed.value))) / 1000; // a page that was hidden does not catch up
    last = now;
    if (!waiting && due >= 1) {
      const target = Math.min(done + Math.floor(due), ends());
      due %= 1;
      if (bySolution) leap('next').then(() => done >= ends() && pause());
      else advance(target);
      if (done >= ends()) pause();
    }
    requestAnimationFrame(frame);
  }

  function advance(target) {
    const stop = questionBefore(target);
    if (stop) quiz(stop);
    else if (here(target)) paint(target);
    else seek(target);
  }

  // ---- From the URL ----

  function fail(problem, retry) {
    pause();
    waiting = null;
    show(trouble, problem, retry);
    trouble.firstChild.append(' ', h('a', { class: 'button', href: '#watch' }, t('watch.afresh')));
  }

  // What the algorithms are.
  function describe() {
    const isFirst = (name, i) => i === 0 || family(name) !== family(shown[0].algorithm);
    about.replaceChildren(
      ...shown.map(({ algorithm }, i) => notes(rows[algorithm], isFirst(algorithm, i) && articleOf(family(algorithm)))),
    );
  }

  function load(all) {
    playing = false;
    play.textContent = t('watch.play');
    writing = clearTimeout(writing);
    work.abort();
    work = new AbortController();
    const { signal } = work;
    done = 0;
    sides = all.map((params) => makeSide(params, rows[params.algorithm], signal, (steps) => step(steps - done)));
    grid.classList.toggle('even', sides.length > 1);
    grid.replaceChildren(...sides.map(({ element }) => element));
    asked = 0;
    shown = all;
    describe();
    seek(written);
    for (const side of sides)
      side.total().then(() => here(done) && paint(done), (problem) => signal.aborted || console.info(problem));
  }

  function update() {
    if (!rows) return;
    size.max = Math.min(MOST, ...SIDES.map((side) => chosen(side)?.max_n ?? MOST));
    const all = SIDES.map(wanted);
    choosers.forEach((one, i) => one.update(all[i]));
    both.checked = Boolean(all[1]);
    asks.checked = state.get('ask') === '1';
    size.value = all[0].n;
    speed.value = state.get('speed') in rates ? state.get('speed') : 4;
    const now = JSON.stringify(all);
    const at = state.number('step', 0);
    const moved = at !== written;
    written = at;
    if (now !== loaded) load(all.filter(Boolean));
    else if (moved) seek(at);
    loaded = now;
  }

  async function begin() {
    try {
      const { json } = await ask('algorithms', {}, { signal: life.signal });
      const repairs = json.constructions.filter(({ name }) => REPAIRS.includes(name));
      const all = [...json.solvers.filter(({ trace }) => trace), ...repairs.map((row) => ({ ...row, parameters: ['seed'] }))];
      rows = Object.fromEntries(all.map((row) => [row.name, row]));
      layout();
      update();
    } catch (problem) {
      if (!life.signal.aborted) show(root, problem, begin);
    }
  }

  // Space and arrow keys, unless a field or a button uses them.
  function keys(event) {
    const within = (selector) => event.target.closest(selector);
    if (!rows || event.ctrlKey || event.metaKey || event.altKey || within('input, select, textarea')) return;
    if (event.key === ' ' && !within('button, a, summary')) play.click();
    else if (event.key === 'ArrowRight') event.shiftKey ? leap('next') : step(1);
    else if (event.key === 'ArrowLeft') event.shiftKey ? leap('previous') : step(-1);
    else return;
    event.preventDefault();
  }

  document.addEventListener('keydown', keys, { signal: life.signal });
  begin();
  return {
    update,
    close: () => {
      playing = false;
      clearTimeout(writing);
      work.abort();
      life.abort();
    },
  };
}
