// tab_board.js - the tab Board: one solution after the other. It uses /solve, beyond 32 /construct unless any order will do.
//
// The URL has n, rules, style, order, and the solution: as offset if positions are quick to find (small n), for which columns, the
// solution itself, is replaced by its offset; otherwise as after, the solution before it, or seed, with which it was drawn.
import { ask, askPatiently, link } from './api.js';
import { drawBoard } from './board.js';
import { button, choice, copyButton, field, h, latest, say, showValue } from './dom.js';
import { fullScreen } from './full.js';
import { ruleChoice, ruleOf, ruleParams, whyNone } from './rules.js';
import { curl, showRequests } from './snippet.js';
import { number, t } from './words.js';

export { loadRules as prepare } from './rules.js';

const COUNTED = 16; // an index of the list is made in seconds up to here
const COUNTED_BY_RULE = 12; // the same by any other rule
const LISTED = 32; // the first solution in lexicographic order is found quickly up to here
const MOST = 1000;
const GAP = 8; // by every rule one of the next so many sizes has a solution
const drawSeed = () => Math.floor(Math.random() * 1e9);

export function open(root, state) {
  let shown = null; // on the screen, and not on its way: { permutation, rank, total, path, params }
  let last; // the last request, to see whether another one is needed
  const first = { offset: null, after: null, seed: null, columns: null }; // in the URL: the first solution

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
  const previous = button(t('board.previous'), () => turn(-1));
  const next = button(t('board.next'), () => {
    if (counted()) turn(1);
    else if (shown) go({ ...first, after: shown.permutation.join(',') });
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
      note,
      h('h3', null, t('solutions.take')),
      copies,
      snippet,
    ),
  );

  const n = () => state.number('n', 8, 1, MOST);
  const by = () => ruleParams(ruleOf(state));
  const any = () => !by().rules && state.get('order', 'lexicographic') === 'any';
  const counted = () => n() <= (by().rules ? COUNTED_BY_RULE : COUNTED) && !any();
  const listed = () => n() <= LISTED || any();
  const offset = () => state.number('offset', 0);
  const go = (changes) => state.set(changes);

  // The request for the URL: [path, parameters].
  function wanted() {
    const seed = state.get('seed', null);
    const board = { n: n(), ...by() };
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
        throw problem;
      }
    });

  function clear() {
    for (const element of [facts, text, copies, note]) element.replaceChildren();
    next.disabled = true;
    text.hidden = snippet.hidden = true; // what is unfolded stays so
  }

  function load(path, params) {
    shown = null;
    return attempt(async (signal) => {
      const patient = setTimeout(() => (note.textContent = t('board.asking')), 300);
      const all = { ...params, total: (counted() && by().rules && true) || null }; // of queens it comes with every page
      const { json } = await askPatiently(path, all, { signal, onJob }).finally(() => clearTimeout(patient));
      const found = json.solutions ? json.solutions[0]?.permutation : json.permutation;
      shown = { permutation: found, total: json.total_text, complete: json.complete, note: json.note, path, params };
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
    const { permutation, total, path, params } = shown;
    if (!permutation) return none(shown, signal);
    const held = picture.contains(document.activeElement); // by a way to this board, which goes away
    const place = counted() ? t('board.place', { rank: number(String(offset() + 1)), total: number(total) }) : '';
    drawIt();
    note.textContent = words();
    facts.textContent = place || (total ? `${t('solutions.total')}: ${number(total)}` : '');
    text.hidden = snippet.hidden = false;
    text.textContent = permutation.join(' ');
    if (held) text.focus();
    next.disabled = !listed() || (counted() && BigInt(offset() + 1) >= BigInt(total));
    rank.max = counted() ? total : '';
    takeAway(path, params, permutation);
    showRequests(snippet, [path, params]);
    say([place, t('solutions.columns', { columns: permutation.slice(0, LISTED).join(' ') })].filter(Boolean).join('. '));
  }

  function words() {
    if (!listed()) return t(by().rules ? 'solutions.largeByRule' : 'solutions.large');
    if (any()) return t('solutions.anyOrder');
    return counted() ? '' : t('solutions.dear', { n: (by().rules ? COUNTED_BY_RULE : COUNTED) + 1 });
  }

  function drawIt() {
    const columns = shown.permutation.slice(0, LISTED).join(' ');
    const label = n() > LISTED ? t('solutions.labelLarge', { n: n() }) : t('board.label', { n: n(), columns });
    picture.replaceChildren(drawBoard({ n: n(), queens: shown.permutation, style: state.get('style', 'drawn'), label }));
  }

  // What the page says instead of a board, with a way to one.
  function none({ complete, total, note }, signal) {
    clear();
    const end = complete && !note && total !== '0';
    const ways = h('div', { class: 'row' });
    if (end || !complete) ways.append(button(t('board.first'), () => toFirst.click()), button(t('solutions.random'), drawOne));
    else offerSize(ways, signal);
    const words = t(complete ? (end ? 'solutions.end' : 'solutions.none') : 'solutions.unfinished', { n: n() });
    picture.replaceChildren(h('div', null, h('p', null, words), note ? h('p', null, whyNone(by())) : '', ways));
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

  function takeAway(path, params, permutation) {
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
      copied('text', () => permutation.join(' ')),
      copied('json', async () => (await ask(path, params)).text),
      copied('curl', () => curl(path, params)),
      copied('svg', async () => (await fetched('svg')).text()),
      copied('png', () => fetched('png')),
      file('svg'),
      file('png'),
    );
  }

  function update() {
    full.update();
    showValue(size, n());
    less.disabled = n() <= 1;
    more.disabled = n() >= MOST;
    rankField.hidden = !counted();
    showValue(rank, offset() + 1);
    toFirst.disabled = !(offset() || ['after', 'seed', 'columns'].some((key) => state.get(key)));
    previous.disabled = !counted() || offset() === 0;
    style.value = state.get('style', 'drawn');
    rules.show();
    orderField.hidden = Boolean(by().rules);
    random.disabled = !counted() && (n() === 2 || n() === 3); // no construction has a solution
    order.value = any() ? 'any' : 'lexicographic';
    const columns = counted() && state.get('columns');
    const [path, params] = wanted();
    const now = columns || link(path, params);
    if (now !== last) {
      last = now;
      if (columns) find(columns);
      else load(path, params);
    } else if (shown?.permutation) {
      drawIt();
    }
  }

  update();
  return { update, close: () => (leaving.abort(), working.stop()) };
}
