// tab_watch.js - the tab Watch: one algorithm, or two with one clock, step by step, with its article. It knows neither the content
// of a step nor how it is shown.
//
// The URL has n, algorithm, its parameters (column, split, strategy, seed), for a second one algorithm2, column2 and so on,
// speed in steps a second (or `solution`), step, the number of steps done, ask=1 for questions, over=1 for the chart
// over n, and large=1 for the whole screen.
import { ask, link } from './api.js';
import { button, choice, field, h, say, show, showValue } from './dom.js';
import { fullScreen, isTaken } from './full.js';
import { showRequests } from './snippet.js';
import { part } from './shell.js';
import { turn } from './turn.js';
import { isDeep, makeSide } from './watch_side.js';
import { articleOf, methodOf, sentence, t, titleOf } from './words.js';

const OPENING = 'recursion'; // the algorithm that is shown first
const [FIRST, LARGER] = [4, 6]; // sizes at the beginning: of a plain search; of algorithms that repair boards, or keep them
const MOST = 32; // larger boards have no single squares
const COMPARED = 200000; // steps that /compare may do for each
const SPEEDS = [1, 4, 15, 60, 240, 1000];
const BETWEEN = 12; // steps from one question to the next, at least
const REPAIRS = ['local-search', 'neural', 'freeman', 'hill-climbing', 'annealing', 'genetic']; // constructions that /trace accepts, too
const SIDES = ['', '2'];
const PARAMETERS = ['column', 'split', 'strategy', 'seed'];
const PRESENCE = ['pointermove', 'pointerdown', 'keydown']; // what a reader does before he asks for more than the first screen
const ARTICLES = {
  rapella: ['it', 'E. Rapella, Il problema delle N regine, RetroMagazine 44 (2023)'],
  tkachenko: ['ru', 'К. С. Ткаченко, Интересное решение задачи о восьми ферзях'],
  romani: ['it', 'F. Romani, Ancora le Regine, MCmicrocomputer (1993)'],
  zironi: ['it', 'Otto regine, KULT Underground'],
};
const named = (names, value = (name) => name) => Object.fromEntries(names.map((name) => [name, value(name)]));
const family = (algorithm) => algorithm.replace(/-\d$/, '');
// The order of the list: the first one to read, then the articles', then all others.
const rank = ({ name }) => (name === OPENING ? 0 : family(name) in ARTICLES ? 1 : 2);

// What an algorithm does, what a test is, or its source: [words, their language if it is another one]. They are in the page's
// language if that has words for it, else as the service says it, in English.
function factOf(row, fact, otherwise) {
  const words = sentence(`watch.of.${row.name}.${fact}`);
  return words === null ? otherwise : [words];
}

// The description of an algorithm: what it does, and its article: { how, more, errs }, of which `full` has all.
function notes(row, full) {
  const { name, summary, source, year, tests } = row;
  const [lang, title] = ARTICLES[family(name)] ?? [];
  const article = full && articleOf(family(name));
  const mistake = (errs) => errs && h('p', null, h('b', null, t('watch.where'), ' '), errs);
  const facts = {
    does: REPAIRS.includes(name) ? methodOf(row) : factOf(row, 'does', [summary, 'en']),
    language: row.code.language && [row.code.language],
    counted: tests && factOf(row, 'tests', [tests, 'en']),
    source: !title && factOf(row, 'source', [source, 'en']),
    year: !title && [year],
  };
  const known = Object.entries(facts).filter(([, fact]) => fact);
  return h(
    'section',
    { class: 'panel', 'aria-labelledby': `about-${name}` },
    h('h3', { id: `about-${name}` }, t('watch.notes', { name: titleOf(row) })),
    title && h('p', { class: 'note', lang }, title),
    article && [article.how, article.more].map((words) => words && h('p', null, words)),
    mistake(article?.errs),
    mistake(name !== family(name) && articleOf(name)?.errs),
    h(
      'dl',
      { class: 'figures' },
      known.map(([key, [words, lang]]) => [h('dt', null, t(`watch.${key}`)), h('dd', { lang }, `${words}`)]),
    ),
  );
}

export function open(root, state) {
  const life = new AbortController(); // of the tab
  let work = new AbortController(); // of its traces
  let rows = null; // of /algorithms, by name: those that were shown have their code
  let coming = null; // the algorithm whose program was asked for
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
  let present = false; // a reader has moved, pressed or come to a step: until then only the first screen is requested
  const compared = new Map(); // answers of /compare, by the request

  // ---- Settings ----

  // A new trace begins at its first step.
  const set = (changes) => {
    pause();
    state.set({ step: null, ...changes });
  };
  const change = (key) => ({ target }) => {
    if (!target.reportValidity()) return;
    delete target.dataset.shown; // what is entered may be replaced: an empty field by the default
    set({ [key]: target.value || null });
  };
  const input = (key, attributes) => h('input', { onchange: change(key), ...attributes });
  const integer = { type: 'number', inputmode: 'numeric', min: 1 };
  const size = input('n', { ...integer, required: true });
  const both = h('input', { type: 'checkbox' });
  both.addEventListener('change', () => {
    const other = chosen('').name === 'bitboard' ? OPENING : 'bitboard';
    set({ ...without('2'), algorithm2: both.checked ? other : null });
  });
  const asks = h('input', { type: 'checkbox', onchange: () => state.set({ ask: asks.checked ? 1 : null }, { replace: true }) });
  const without = (side) => named(PARAMETERS.map((name) => name + side), () => null);

  // The chart over n has a script of its own, for those who open it.
  async function unfold() {
    state.set({ over: over.open ? 1 : null }, { replace: true });
    if (!over.open || growth) return;
    const made = await part('watch_growth');
    if (growth || life.signal.aborted) return;
    growth = made.growth({ rows, signal: life.signal, chosen: () => shown.map(({ algorithm }) => algorithm) });
    over.append(growth.element);
    growth.update();
  }

  // The algorithm of a side and all parameters; only those of the algorithm are visible.
  function chooser(side) {
    const strategies = named(['breadth', 'depth', 'priority'], (name) => t(`watch.${name}`));
    const names = named(Object.keys(rows), (name) => titleOf(rows[name]));
    const algorithm = choice(names, '', (name) => set({ ...without(side), [`algorithm${side}`]: name }));
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
        showValue(control, params[name] ?? '');
      }
    };
    return { element, update };
  }

  const over = h('details', { class: 'panel over', ontoggle: unfold }, h('summary', null, h('h3', null, t('watch.over'))));
  let growth = null; // in `over`: the work of all algorithms over n
  let choosers = [];
  const rates = { ...named(SPEEDS, (count) => t('watch.rate', { count })), solution: t('watch.bySolution') };
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 4; // steps a second, unless another speed is chosen
  const speed = choice(rates, calm, (rate) => state.set({ speed: rate }, { replace: true }), { 'aria-label': t('watch.speed') });
  const play = button(t('watch.play'), () => (playing ? pause() : start()), { class: 'button main' });
  const slider = h('input', { type: 'range', min: 0, 'aria-label': t('watch.step'), oninput: () => seek(Number(slider.value)) });
  const place = h('output', { 'aria-live': 'off' }); // see announce()
  const grid = h('div', { class: 'watch' });
  const about = h('div', { class: 'about-them' });
  const snippet = h('div');
  const trouble = h('div');
  const stage = h('div', { class: 'stage' });
  let content; // of the tab

  const sign = (what, name, press) => button(what, press, { 'aria-label': t(`watch.${name}`), title: t(`watch.${name}`) });

  // Then Space plays.
  const whole = fullScreen({ part: stage, state, signal: life.signal, then: () => play.focus({ preventScroll: true }) });

  function layout() {
    choosers = SIDES.map(chooser);
    const list = Object.entries(ARTICLES).map(([name, [lang, title]]) =>
      h('li', null, h('a', { href: state.address('watch', { algorithm: `${name}${rows[name] ? '' : '-1'}`, n: LARGER }), lang }, title)),
    );
    const check = (input, words) => h('label', { class: 'row check' }, input, words);
    const toGrowth = button(t('watch.over'), () => {
      state.set({ over: 1 }, { replace: true });
      over.scrollIntoView();
      over.firstChild.focus({ preventScroll: true });
    }, { class: 'button to-over' });
    const checks = h('div', { class: 'row checks' }, check(both, t('watch.both')), check(asks, t('watch.asks')), toGrowth);
    const articles = h('div', { class: 'panel' }, h('h3', null, t('watch.articles')), h('ul', null, list), snippet);
    content = [
      h('div', { class: 'row choose' }, field(t('board.size'), size), choosers.map(({ element }) => element), checks),
      stage,
      h('p', { class: 'note keys' }, t('watch.keys')),
      over,
      h('div', { class: 'below' }, about, articles),
    ];
    stage.replaceChildren(
      h(
        'div',
        { class: 'panel transport' },
        h(
          'div',
          { class: 'row' },
          ...[sign('⇤', 'start', () => seek(0)), sign('«', 'previous', () => leap('previous')), sign('←', 'back', () => step(-1))],
          ...[play, sign('→', 'forward', () => step(1)), sign('»', 'next', () => leap('next')), speed, whole.button, place],
        ),
        slider,
      ),
      ...[trouble, grid],
    );
  }

  // All at once, with what it is to show: nothing moves that has been seen.
  const attach = () => stage.isConnected || root.replaceChildren(...content);

  const chosen = (side) => rows[state.get(`algorithm${side}`)] ?? (side ? null : rows[OPENING]);

  // The request to /trace for a side.
  function wanted(side) {
    const row = chosen(side);
    if (!row) return null;
    const first = SIDES.every((side) => !chosen(side) || isDeep(chosen(side))) ? FIRST : LARGER;
    const n = state.number('n', first, 1, Number(size.max));
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
    if (done) attend();
    for (const side of sides) {
      side.paint(at);
      if (present) side.trace.ahead(at);
    }
    const all = sides.map((side) => side.steps());
    const total = Math.max(done, ...sides.map(({ trace }, i) => all[i] ?? trace.known()));
    slider.max = total;
    slider.value = done;
    const known = all.includes(null) ? (present ? 'reachedKnown' : 'at') : 'reached';
    place.textContent = t(`watch.${known}`, { step: done, total });
    slider.setAttribute('aria-valuetext', place.textContent);
    writing ??= setTimeout(write, 500); // browsers limit how often the URL may change
    if (!playing) request();
  }

  // Requests what a reader needs who stays: the pages ahead, and totals.
  function attend() {
    if (present || !sides.length) return;
    present = true;
    total();
  }

  function total() {
    const { signal } = work;
    for (const side of sides)
      side.total().then(() => !signal.aborted && here(done) && paint(done), (problem) => signal.aborted || console.info(problem));
  }

  // Both sides ask the same, mostly.
  function compare(params, signal) {
    const asks = { steps: COMPARED, ...params };
    const key = link('compare', asks);
    if (!compared.has(key)) compared.set(key, ask('compare', asks, { signal }));
    return compared.get(key);
  }

  // An algorithm of the address whose program has not come yet.
  const missing = () => SIDES.map(chosen).find((row) => row && !row.code);
  const isLoaded = () => !missing() && JSON.stringify(SIDES.map(wanted)) === loaded;

  function write() {
    clearTimeout(writing);
    writing = null;
    if (!isLoaded()) return; // the address has left this trace already: its step is not that of the next one
    written = done;
    state.set({ step: done || null }, { replace: true });
  }

  // The requests for the steps on the screen.
  function request() {
    const asks = sides.map(({ trace }) => trace.at(done)?.asks).filter(Boolean);
    const now = JSON.stringify(asks);
    if (snippet.dataset.now !== now) showRequests(snippet, ...asks.map((params) => ['trace', params]));
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
    trouble.firstChild.append(' ', h('a', { class: 'button', href: 'watch' }, t('watch.afresh')));
  }

  // What the algorithms are.
  function describe() {
    const isFirst = (name, i) => i === 0 || family(name) !== family(shown[0].algorithm);
    about.replaceChildren(...shown.map(({ algorithm }, i) => notes(rows[algorithm], isFirst(algorithm, i))));
  }

  function load(all) {
    playing = false;
    play.textContent = t('watch.play');
    writing = clearTimeout(writing);
    work.abort();
    work = new AbortController();
    const { signal } = work;
    done = 0;
    const even = all.length > 1;
    const seekTo = (steps) => step(steps - done);
    const made = (params) =>
      makeSide({ params, row: rows[params.algorithm], signal, even, seek: seekTo, compare: (asks) => compare(asks, signal) });
    sides = all.map(made);
    grid.classList.toggle('even', even);
    grid.replaceChildren(...sides.map(({ element }) => element));
    asked = 0;
    shown = all;
    compared.clear();
    if (over.open) growth?.update();
    describe();
    seek(written);
    if (present) total();
  }

  function update() {
    if (!rows) return;
    const unknown = missing();
    if (unknown) return bring(unknown.name);
    attach();
    size.max = Math.min(MOST, ...SIDES.map((side) => chosen(side)?.max_n ?? MOST));
    const all = SIDES.map(wanted);
    choosers.forEach((one, i) => one.update(all[i]));
    both.checked = Boolean(all[1]);
    asks.checked = state.get('ask') === '1';
    whole.update();
    over.open = state.get('over') === '1';
    showValue(size, all[0].n);
    speed.value = state.get('speed') in rates ? state.get('speed') : calm;
    const now = JSON.stringify(all);
    const at = state.number('step', 0);
    const moved = at !== written;
    written = at;
    if (now !== loaded) load(all.filter(Boolean));
    else if (moved) seek(at);
    loaded = now;
  }

  const list = (program) => ask('algorithms', { table: 'traced', program }, { signal: life.signal });

  // The list of the algorithms with the program of one, whose name may be any word of an address.
  async function begin() {
    const program = state.get('algorithm', OPENING);
    try {
      const { json } = await list(program).catch((problem) => (problem.status === 400 ? list(OPENING) : Promise.reject(problem)));
      const all = [...json.solvers, ...json.constructions.map((row) => ({ ...row, parameters: ['seed'] }))];
      rows = Object.fromEntries(all.sort((a, b) => rank(a) - rank(b)).map((row) => [row.name, row]));
      layout();
      await turn();
      if (!life.signal.aborted) update();
    } catch (problem) {
      if (!life.signal.aborted) show(root, problem, begin);
    }
  }

  // The program of an algorithm that was chosen since.
  async function bring(name) {
    if (name === coming) return;
    coming = name;
    trouble.replaceChildren();
    try {
      const { json } = await list(name);
      rows[name].code = [...json.solvers, ...json.constructions].find((row) => row.name === name).code;
      coming = null;
      update();
    } catch (problem) {
      coming = null;
      if (life.signal.aborted) return;
      attach();
      show(trouble, problem, () => bring(name));
    }
  }

  // Space and the arrow keys, unless a control uses them itself.
  function keys(event) {
    if (!rows || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || isTaken(event)) return;
    if (event.key === ' ') play.click();
    else if (event.key === 'ArrowRight') event.shiftKey ? leap('next') : step(1);
    else if (event.key === 'ArrowLeft') event.shiftKey ? leap('previous') : step(-1);
    else return;
    event.preventDefault();
  }

  document.addEventListener('keydown', keys, { signal: life.signal });
  for (const sign of PRESENCE) document.addEventListener(sign, attend, { signal: life.signal });
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
