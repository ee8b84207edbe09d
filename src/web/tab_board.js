// tab_board.js - the tab Board: one solution after the other. It uses /solve, beyond 32 /construct unless any order will do.
//
// The URL has n, rules, style, order, and the solution: as offset if positions are quick to find (small n), for which columns, the
// solution itself, is replaced by its offset; otherwise as after, the solution before it, or seed, with which it was drawn.
// m, queens, walls and maximal are those of /solve; with one of them the placement is named by cursor. build=1: presses build walls.
// All that belongs to them is in a file of its own, board_shape.js, which comes when it is needed.
import { ask, askPatiently, link } from './api.js';
import { drawBoard } from './board.js';
import { button, choice, copyButton, field, h, latest, say, show, showValue } from './dom.js';
import { fullScreen } from './full.js';
import { loadRules, ruleChoice, ruleOf, ruleParams, whyNone } from './rules.js';
import { part } from './shell.js';
import { curl, showRequests } from './snippet.js';
import { state } from './state.js';
import { number, t } from './words.js';

const COUNTED = 16; // an index of the list is made in seconds up to here
const COUNTED_BY_RULE = 12; // the same by any other rule
const LISTED = 32; // the first solution in lexicographic order is found quickly up to here
const MOST = 1000;
const GAP = 8; // by every rule one of the next so many sizes has a solution
const SHAPE = ['m', 'queens', 'walls', 'maximal']; // of a board that is no square with n queens: in the URL as in requests
const drawSeed = () => Math.floor(Math.random() * 1e9);

const shapeOf = () => Object.fromEntries(SHAPE.flatMap((key) => (state.get(key) ? [[key, state.get(key)]] : [])));
const shaped = () => SHAPE.some((key) => state.get(key));
const building = () => state.get('build') === '1';

let shapes; // the script for them
const bring = async () => (shapes = await part('board_shape'));

export function prepare() {
  shapes = null; // of another language, maybe
  return Promise.all([loadRules(), (shaped() || building()) && bring()]);
}

export function open(root) {
  let shown = null; // on the screen, and not on its way: { queens, rank, total, path, params, cursor }
  let last; // the last request, to see whether another one is needed
  let shape = null; // the controls of shapes, once they are unfolded
  const before = new Map(); // by cursor, that of the placement before it
  const first = { offset: null, after: null, seed: null, columns: null, cursor: null }; // in the URL: the first solution

  const size = h('input', { type: 'number', min: 1, max: MOST, inputmode: 'numeric' });
  size.addEventListener('change', () => {
    if (size.checkValidity() && size.value) go({ n: size.value, ...first });
    else size.reportValidity();
  });
  const step = (by, label) =>
    button(by > 0 ? '+' : '−', () => go({ n: n() + by, ...first }), { 'aria-label': label });
  const [less, more] = [step(-1, t('board.smaller')), step(1, t('board.larger'))];
  const rank = h('input', { type: 'number', min: 1, inputmode: 'numeric' });
  rank.addEventListener('change', () => {
    if (rank.checkValidity() && rank.value) go({ ...first, offset: rank.value - 1 });
    else rank.reportValidity();
  });
  const rankField = field(t('solutions.number'), rank);
  const toFirst = button(t('board.first'), () => go(first));
  // Where Previous leads back, Back need not.
  const turn = (by) => state.set({ ...first, offset: offset() + by }, { replace: true });
  const cursor = () => state.get('cursor', null);
  const previous = button(t('board.previous'), () => (shaped() ? state.set({ cursor: before.get(cursor()) }, { replace: true }) : turn(-1)));
  const next = button(t('board.next'), () => {
    if (counted()) return turn(1);
    if (!shown) return;
    if (!shaped()) return go({ ...first, after: shown.queens.join(',') });
    before.set(shown.cursor, cursor());
    go({ ...first, cursor: shown.cursor });
  });
  const random = button(t('solutions.random'), () => drawOne());
  const styles = { drawn: t('board.drawn'), unicode: t('board.unicode'), pattern: t('board.pattern') };
  const style = choice(styles, 'drawn', (value) => state.set({ style: value === 'drawn' ? null : value }, { replace: true }));

  const orders = { lexicographic: t('solutions.lexicographic'), any: t('solutions.any') };
  const order = choice(orders, 'lexicographic', (value) =>
    go({ order: value === 'any' ? value : null, ...first }),
  );
  const orderField = field(t('solutions.order'), order);
  const rules = ruleChoice(state, (changes) => go({ ...changes, ...first }));

  const picture = h('div', { class: 'panel picture' });
  const note = h('p', { class: 'note' });
  const facts = h('p', { class: 'figures' });
  const text = h('p', { class: 'mono permutation', 'aria-label': t('solutions.permutation'), role: 'group', tabindex: 0 });
  const copies = h('div', { class: 'row copies' });
  const snippet = h('div');
  const leaving = new AbortController();
  const whole = h('div', { class: 'beside solutions' }, picture);
  const full = fullScreen({ part: whole, state, signal: leaving.signal });
  const other = h('details', { class: 'shape', ontoggle: unfold }, h('summary', null, t('solutions.shape')));
  root.replaceChildren(whole);
  whole.append(
    h(
      'div',
      { class: 'panel' },
      h('div', { class: 'row' }, toFirst, previous, next, random, full.button),
      h('div', { class: 'row' }, field(t('board.size'), size), less, more, rankField, facts),
      text,
      h('div', { class: 'row' }, rules.field, orderField, field(t('board.style'), style)),
      rules.about,
      other,
      note,
      h('h3', null, t('solutions.take')),
      copies,
      snippet,
    ),
  );

  const n = () => state.number('n', 8, 1, MOST);
  const by = () => ruleParams(ruleOf(state));
  const any = () => !by().rules && !shaped() && state.get('order', 'lexicographic') === 'any';
  const counted = () => n() <= (by().rules ? COUNTED_BY_RULE : COUNTED) && !any() && !shaped();
  const listed = () => n() <= LISTED || any() || shaped();
  const offset = () => state.number('offset', 0);
  const go = (changes) => state.set(changes);

  // The request for the URL: [path, parameters].
  function wanted() {
    const seed = state.get('seed', null);
    const board = { n: n(), ...shapeOf(), ...by() };
    if (shaped()) return ['solve', { ...board, limit: 1, cursor: cursor() }];
    if (counted()) return ['solve', { ...board, limit: 1, offset: offset() }];
    if (seed !== null) return ['construct', { ...board, method: n() <= LISTED || by().rules ? 'random' : 'local-search', seed }];
    if (listed()) return ['solve', { ...board, limit: 1, after: state.get('after', null), ...(any() && { order: 'any' }) }];
    return ['construct', board];
  }

  async function drawOne() {
    if (!counted()) return go({ ...first, seed: drawSeed() });
    await attempt(async (signal) => {
      const { json } = await askPatiently('solve', { n: n(), ...by(), sample: 1, seed: drawSeed(), rank: true }, { signal, onJob });
      if (signal.aborted) return;
      if (json.solutions.length) go({ ...first, offset: json.solutions[0].rank_text });
      if (signal.aborted || shown) return;
      last = undefined; // the URL is the same, and the request for it was cancelled
      update();
    });
  }

  function onJob(job) {
    note.replaceChildren(
      t('board.counting'),
      h('progress', { class: 'progress', max: 1, value: job.progress ?? null, 'aria-label': t('board.counting') }),
    );
  }

  const working = latest(picture);
  const attempt = (work) =>
    working.run(async (signal) => {
      try {
        await work(signal);
      } catch (problem) {
        if (signal.aborted) return;
        shown = null;
        if (problem.code === 'no-solution') return none({ complete: true, note: true }, signal);
        last = undefined;
        clear();
        if (!shape?.draws()) throw problem;
        const trouble = h('div'); // below the board, on which walls can be taken away again
        show(trouble, problem, update);
        drawIt([]);
        picture.append(trouble);
      }
    });

  function clear() {
    for (const element of [facts, text, copies, note]) element.replaceChildren();
    next.disabled = true;
    text.hidden = snippet.hidden = true; // what is unfolded stays so
  }

  function wait() {
    note.textContent = t('board.asking');
    if (shape?.draws()) drawIt([]); // with the walls as they are now
  }

  function load(path, params) {
    shown = null;
    if (shaped()) facts.textContent = shape.facts({});
    return attempt(async (signal) => {
      const patient = setTimeout(wait, 300);
      const all = { ...params, total: (counted() && by().rules && true) || null }; // of queens it comes with every page
      const { json } = await askPatiently(path, all, { signal, onJob }).finally(() => clearTimeout(patient));
      const found = json.solutions ? json.solutions[0] : json;
      shown = {
        ...{ queens: found?.squares ?? found?.permutation, total: json.total_text, complete: json.complete, note: json.note, path, params },
        ...{ rank: json.offset + 1, cursor: json.next_cursor },
      };
      paint(signal);
    });
  }

  function find(columns) {
    shown = null;
    return attempt(async (signal) => {
      const options = { method: 'POST', body: { permutation: columns.split(',').map(Number) }, signal, onJob };
      const { json } = await askPatiently('verify', { ...by(), rank: true }, options);
      if (!json.valid) throw { status: 422, errors: [{ parameter: 'columns', code: 'not-a-solution' }] };
      if (!signal.aborted) state.set({ ...first, n: json.n, offset: json.rank }, { replace: true });
    });
  }

  function paint(signal) {
    const { queens, total, path, params, cursor: further } = shown;
    if (!queens) return none(shown, signal);
    const held = picture.contains(document.activeElement) && !building(); // by a way to this board, which goes away
    const place = counted() ? t('board.place', { rank: number(String(offset() + 1)), total: number(total) }) : '';
    drawIt(queens);
    note.textContent = words();
    facts.textContent = shaped() ? shape.facts(shown) : place || (total ? `${t('solutions.total')}: ${number(total)}` : '');
    text.hidden = snippet.hidden = false;
    const told = asText(queens);
    text.textContent = told;
    text.ariaLabel = shaped() ? shape.squares : t('solutions.permutation');
    if (held) text.focus();
    next.disabled = shaped() ? !further : !listed() || (counted() && BigInt(offset() + 1) >= BigInt(total));
    rank.max = counted() ? total : '';
    takeAway(path, params, told);
    showRequests(snippet, [path, params], ...(shaped() ? [['count', shape.question()]] : []));
    const columns = shaped() ? `${shape.squares}: ${told}` : t('solutions.columns', { columns: queens.slice(0, LISTED).join(' ') });
    say([place, columns].filter(Boolean).join('. '));
  }

  const asText = (queens) => queens.map((at) => (Array.isArray(at) ? at.join(':') : at)).join(' ');

  function words() {
    if (!listed()) return t(by().rules ? 'solutions.largeByRule' : 'solutions.large');
    if (any()) return t('solutions.anyOrder');
    return counted() || shaped() ? '' : t('solutions.dear', { n: (by().rules ? COUNTED_BY_RULE : COUNTED) + 1 });
  }

  function drawIt(queens) {
    const columns = asText(queens.slice(0, LISTED));
    const label = n() > LISTED ? t('solutions.labelLarge', { n: n() }) : t('board.label', { n: n(), columns });
    picture.replaceChildren(drawBoard({ n: n(), queens, style: state.get('style', 'drawn'), label, ...shape?.drawing(queens) }));
  }

  // What the page says instead of a board, with a way to one.
  function none({ complete, total, note: why, cursor: further }, signal) {
    clear();
    if (shape?.draws()) {
      drawIt([]);
      if (shaped()) facts.textContent = shape.facts({});
      next.disabled = !further;
      return say((note.textContent = shape.none(complete)));
    }
    const end = complete && !why && total !== '0';
    const ways = h('div', { class: 'row' });
    if (end || !complete) ways.append(button(t('board.first'), () => toFirst.click()), button(t('solutions.random'), drawOne));
    else offerSize(ways, signal);
    const words = t(complete ? (end ? 'solutions.end' : 'solutions.none') : 'solutions.unfinished', { n: n() });
    picture.replaceChildren(h('div', null, h('p', null, words), why ? h('p', null, whyNone(by())) : '', ways));
    say([...picture.querySelectorAll('p')].map((p) => p.textContent).join(' '));
  }

  // A button that leads to the next larger board that has a solution.
  async function offerSize(row, signal) {
    for (let size = n() + 1; size <= Math.min(n() + GAP, MOST); size++) {
      const found = await ask('construct', { n: size, ...by() }, { signal, aside: true }).then(
        () => true,
        ({ code }) => (code === 'no-solution' ? false : null), // null: not to be known
      );
      if (found && !signal.aborted) row.append(button(t('board.toSize', { n: size }), () => go({ n: size, ...first })));
      if (found !== false) return;
    }
  }

  function takeAway(path, params, told) {
    const formatted = (format) => link(path, { ...params, format });
    const fetched = async (format) => {
      const response = await fetch(formatted(format));
      if (!response.ok) throw new Error(response.statusText); // an error is not copied
      return response.blob();
    };
    const names = { text: t('solutions.text'), json: 'JSON', curl: 'curl', svg: 'SVG', png: 'PNG' };
    const copied = (key, what) => copyButton(names[key], what, { 'aria-label': t('shell.copyOf', { name: names[key] }) });
    const file = (format) => {
      const attributes = { class: 'button', href: formatted(format), download: `queens-${n()}.${format}` };
      return h('a', attributes, t('board.save', { name: names[format] }));
    };
    copies.replaceChildren(
      copied('text', () => told),
      copied('json', async () => (await ask(path, params)).text),
      copied('curl', () => curl(path, params)),
      ...[copied('svg', async () => (await fetched('svg')).text()), copied('png', () => fetched('png')), file('svg'), file('png')],
    );
  }

  // ---- Boards of other shapes ----

  function makeShape() {
    const change = (changes) => go({ ...changes, ...first });
    const retell = () => shaped() && say((facts.textContent = shape.facts(shown ?? {})));
    shape = shapes.shape({ state, change, n, by, params: shapeOf, shaped, building, picture, retell, signal: leaving.signal });
    other.append(shape.element);
  }

  async function unfold() {
    if (!other.open || shape) return;
    await bring();
    if (shape || leaving.signal.aborted) return;
    makeShape();
    update();
  }

  function update() {
    if ((shaped() || building()) && !shape) {
      if (!shapes) return bring().then(() => leaving.signal.aborted || update());
      makeShape();
      other.open = true;
    }
    full.update();
    shape?.update();
    showValue(size, n());
    less.disabled = n() <= 1;
    more.disabled = n() >= MOST;
    rankField.hidden = !counted();
    showValue(rank, offset() + 1);
    toFirst.disabled = !(offset() || ['after', 'seed', 'columns', 'cursor'].some((key) => state.get(key)));
    previous.disabled = shaped() ? !before.has(cursor()) : !counted() || offset() === 0;
    style.value = state.get('style', 'drawn');
    rules.show();
    orderField.hidden = Boolean(by().rules) || shaped();
    random.disabled = shaped() || !counted() && (n() === 2 || n() === 3); // no construction has a solution
    random.title = (shaped() && shape?.noRandom) || '';
    order.value = any() ? 'any' : 'lexicographic';
    const columns = counted() && state.get('columns');
    const [path, params] = wanted();
    const now = columns || link(path, params);
    if (now !== last) {
      last = now;
      if (columns) find(columns);
      else load(path, params);
    } else if (shown?.queens || shape?.draws()) {
      drawIt(shown?.queens ?? []);
    } else if (shown) {
      none(shown, leaving.signal);
    }
  }

  update();
  return { update, close: () => (leaving.abort(), working.stop()) };
}
