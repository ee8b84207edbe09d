// count_profile.js - in the tab Count, how many placements of each number of queens there are, on a board of m rows with walls if there
// are any: one request with by=queens, as a chart and as a table. It knows no other counts.
import { ask, askPatiently } from './api.js';
import { button, field, h, latest, row, say, show, showValue } from './dom.js';
import { showRequests } from './snippet.js';
import { number, t } from './words.js';

const MOST = 1000; // rows of the field; the service says which it takes
const [HEIGHT, NARROW] = [300, 280]; // pixels

const logarithm = (digits) => digits.length - 1 + Math.log10(`${digits[0]}.${digits.slice(1, 15)}`);

// question() -> the parameters of /count of the tab; signal: of the tab; chart: that script, which the tab has already; compute(params): what a button says that counts. -> { element, update() }: the element has to be on the page
// before the first update().
export function profile(state, { n, question, signal, chart: { drawChart, sign }, compute }) {
  let last = '';
  let counts = null; // by number of queens, decimal numbers; null: they are not here
  let all = ''; // their sum
  let width = 0; // pixels that the chart has: to ask for them here would lay the page out
  let drawn = null; // the number of queens that is chosen in the chart
  const m = () => state.number('m', n(), 1, MOST);
  const asks = () => ({ ...question(), m: state.get('m', null), walls: state.get('walls', null), by: 'queens' });

  const change = (key) => ({ target }) => {
    if (!target.reportValidity()) return;
    delete target.dataset.shown;
    const value = target.value.replace(/\s/g, '');
    state.set({ [key]: key === 'm' && Number(value) === n() ? null : value || null });
  };
  const rows = h('input', { type: 'number', min: 1, max: MOST, inputmode: 'numeric', required: true, onchange: change('m') });
  const walls = h('input', { ...{ type: 'text', autocomplete: 'off', spellcheck: 'false', size: 14, placeholder: '2:3,4:5' }, pattern: '\\s*(\\d+\\s*:\\s*\\d+(\\s*,\\s*\\d+\\s*:\\s*\\d+)*)?\\s*', onchange: change('walls') });
  const picture = h('div', { class: 'plot' });
  const missing = h('div', { tabindex: -1 }); // gets the focus of its button, which goes away
  const seen = h('p', { class: 'note seen' });
  const toBoard = h('a', { class: 'button' }, t('profile.toBoard'));
  const sum = h('li');
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('profile.table') });
  const asTable = h('details', { ontoggle: () => tabulate() }, h('summary', null, t('profile.table')), table);
  const snippet = h('div');
  const shown = h('div', { hidden: true }, picture, row(seen, toBoard), h('ul', { class: 'legend' }, sum), asTable);
  const element = h('div', null, h('p', { class: 'note' }, t('profile.about')), row(field(t('shapes.rows'), rows), field(t('shapes.walls'), walls)), missing, shown, snippet);
  const filling = latest(missing);

  const chosen = () => state.number('queens', counts.length - 1, 0, counts.length - 1);
  const inWords = (k) => t('profile.of', { count: k, placements: number(counts[k]) });

  const see = (k) => (seen.textContent = inWords(k));

  function draw() {
    const held = picture.contains(document.activeElement);
    const most = counts.length - 1;
    const at = (drawn = chosen());
    const chart = drawChart({
      ...{ width: Math.max(width, NARROW), height: HEIGHT, from: 0, to: most, low: 0, high: 1, zero: counts.includes('0') },
      ...{ axis: 'k', name: inWords, at, chosen: at, onSee: see, onPick: (k) => state.set({ queens: k }, { replace: true }) },
      label: t('profile.label', { from: 0, to: most }),
    });
    picture.replaceChildren(chart.element);
    const points = counts.flatMap((count, k) => (count === '0' ? [] : [[k, logarithm(count)]]));
    chart.show({ dot: points, cross: counts.flatMap((count, k) => (count === '0' ? [[k, -Infinity]] : [])) });
    if (held) picture.querySelector('[tabindex="0"]').focus();
    see(at);
    sum.replaceChildren(sign('dot'), t('profile.sum', { placements: number(all) }));
    toBoard.href = state.address('board', { n: n(), ...boardOf(asks()), queens: at });
    tabulate();
  }

  const boardOf = ({ m, walls, rules }) => ({ m, walls, rules });

  function tabulate() {
    if (!asTable.open) return;
    const heads = [t('profile.queens'), t('profile.placements')].map((words) => h('th', { scope: 'col' }, words));
    const line = (count, k) => h('tr', null, h('th', { scope: 'row' }, number(k)), h('td', null, number(count)));
    table.replaceChildren(h('table', null, h('tr', null, heads), counts.map(line)));
  }

  // The counts of the answer, which leaves out numbers of queens without a placement.
  function paint({ distribution, count_text: whole }) {
    all = whole;
    counts = [];
    for (const { value, count_text: count } of distribution) counts[value] = count;
    counts = Array.from(counts, (count) => count ?? '0');
    if (!counts.length) counts = ['0'];
    shown.hidden = false; // and it is drawn when its width is known
    if (width) draw();
    say(t('profile.sum', { placements: number(all) }));
  }

  // What is too much for a request without a job is offered as one.
  function offer(problem, params) {
    show(missing, problem);
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
    missing.append(row(button(compute(given), () => (load(params, true), missing.focus()))));
  }

  // job: the service may start one that takes long.
  const load = (params, job = false) =>
    filling.run(async (own) => {
      shown.hidden = true;
      missing.replaceChildren(t('profile.asking'));
      const onJob = ({ progress }) => (missing.textContent = t('profile.job', { percent: Math.round(100 * (progress ?? 0)) }));
      try {
        const { json } = await askPatiently('count', params, { signal: own, onJob, ...(!job && { begin: ask }) });
        missing.replaceChildren();
        paint(json);
      } catch (problem) {
        if (problem.code !== 'too-costly-without-job') throw problem;
        offer(problem, params);
      } finally {
        if (!own.aborted) showRequests(snippet, ['count', params]);
      }
    });

  function update() {
    showValue(rows, m());
    showValue(walls, state.get('walls'));
    const params = asks();
    const now = JSON.stringify(params);
    if (now !== last) {
      last = now;
      counts = null;
      load(params);
    } else if (counts && width && drawn !== chosen()) {
      draw();
    }
  }

  const resized = new ResizeObserver(() => {
    if (width === picture.clientWidth) return;
    width = picture.clientWidth;
    if (counts && width) draw();
  });
  resized.observe(picture);
  signal.addEventListener('abort', () => (filling.stop(), resized.disconnect()));
  return { element, update };
}
