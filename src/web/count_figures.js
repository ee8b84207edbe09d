// count_figures.js - the count asked for, of every size from 0 to 40, as a chart and as a table, with how each number is known. It
// knows no boards and no jobs.
import { ask } from './api.js';
import { drawChart, percent, power, sign } from './chart.js';
import { choice, field, h, latest } from './dom.js';
import { number, t } from './words.js';

const LAST = 40; // estimated by descents up to here
const WALKS = 200; // of each estimate
// First and last n, and the exponents that will be needed, so that the scale does not change when answers arrive.
const ranges = { all: [0, LAST, 0, 32], near: [26, 30, 15, 21] };
const signs = { computed: 'dot', table: 'diamond', estimate: 'ring' }; // by provenance

// By question, for each n what the service answers, kept while the page is open.
const kept = new Map();

// The logarithm of a decimal number of any length, exact enough for a drawing.
const logarithm = (digits) => digits.length - 1 + Math.log10(`${digits[0]}.${digits.slice(1, 15)}`);

// question() -> the parameters of /count; whole(): all solutions by the rule of queens, of which there are estimates.
export function figures(state, { n, pick, question, whole }) {
  let chart, at, rows; // at: the n whose values are shown; rows: of the question
  let last = '';
  const range = () => (whole() && state.get('range') in ranges ? state.get('range') : 'all');
  const picture = h('div', { class: 'plot' });
  const missing = h('div'); // a request that failed
  const seen = h('p', { class: 'note seen' });
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('count.table') });
  const names = { all: t('count.rangeAll'), near: t('count.rangeNear') };
  const chosen = choice(names, range(), (value) => state.set({ range: value }, { replace: true }));
  const legend = Object.entries(signs).map(([provenance, shape]) => h('li', null, sign(shape), t(`count.by_${provenance}`)));
  const rangeField = field(t('count.range'), chosen);
  const element = h(
    'div',
    { class: 'panel growth' },
    h('h3', null, t('count.chart')),
    h('ul', { class: 'legend' }, legend),
    picture,
    ...[missing, seen, rangeField],
    h('details', null, h('summary', null, t('count.table')), table),
  );
  const filling = latest(missing);

  const isKnown = (row) => row && signs[row.provenance];
  const amount = (row) =>
    row.provenance === 'estimate' ? t('count.plusMinus', { estimate: power(row.estimate_text), percent: percent(row) }) : number(row.count_text);
  const how = (row) => [t(`count.by_${row.provenance}`), row.oeis].filter(Boolean).join(', ');
  const name = (at) => [`n = ${at}`, ...(isKnown(rows[at]) ? [amount(rows[at]), how(rows[at])] : [t('count.by_none')])].join('; ');

  function series() {
    const points = (provenance, place) =>
      rows.flatMap((row, at) => (row?.provenance === provenance && (row.count_text ?? row.estimate_text) !== '0' ? [[at, ...place(row)]] : []));
    const around = ({ estimate, standard_error: error }) =>
      [0, -2, 2].map((times) => Math.log10(Math.max(estimate + times * error, estimate / 100)));
    const exact = ({ count_text: text }) => [logarithm(text)];
    return { diamond: points('table', exact), dot: points('computed', exact), ring: points('estimate', around) };
  }

  // The frame of the chart, and the values known so far.
  function draw() {
    const [from, to, low, high] = ranges[range()];
    legend[2].hidden = !whole();
    at = Math.min(Math.max(n(), from), to);
    const held = picture.contains(document.activeElement);
    chart = drawChart({
      ...{ width: Math.max(picture.clientWidth, 300), from, to, low, high, name, chosen: at, onPick: pick },
      onSee: (seenAt) => (seen.textContent = name((at = seenAt))),
      right: [],
      label: t('count.chartLabel', { from, to }),
    });
    picture.replaceChildren(chart.element);
    if (held) picture.querySelector('[tabindex="0"]').focus();
    renew();
  }

  // The values known so far, in the existing chart, so that a pointer on it stays where it is.
  function renew() {
    chart.show(series());
    seen.textContent = name(at);
    const line = (row, at) => [h('th', { scope: 'row' }, at), h('td', null, isKnown(row) ? amount(row) : '–'), h('td', null, isKnown(row) ? how(row) : '–')];
    const heads = ['n', t('count.solutions'), t('count.method')].map((what) => h('th', { scope: 'col' }, what));
    const lines = Array.from({ length: LAST + 1 }, (_, at) => h('tr', null, line(rows[at], at)));
    table.replaceChildren(h('table', null, h('tr', null, heads), lines));
  }

  // One request for all sizes.
  const fill = (key, params) =>
    filling.run(async (signal) => {
      missing.replaceChildren();
      const estimates = whole() ? { method: 'any', walks: WALKS, seed: 1 } : {};
      const { json } = await ask('count', { ...params, n: `0-${LAST}`, ...estimates }, { signal, aside: true });
      kept.set(key, (rows = json.counts));
      renew();
    });

  function update() {
    chosen.value = range();
    rangeField.hidden = !whole(); // it is there for the estimates
    const params = { ...question(), n: null };
    const key = JSON.stringify(params);
    const now = `${range()} ${n()} ${key}`;
    if (now === last) return;
    const other = !last.endsWith(key);
    last = now;
    if (other) rows = kept.get(key) ?? [];
    draw();
    if (other && !kept.has(key)) fill(key, params);
  }

  let width = picture.clientWidth;
  const resized = new ResizeObserver(() => {
    if (chart && width !== picture.clientWidth) draw();
    width = picture.clientWidth;
  });
  resized.observe(picture);
  return { element, update, close: () => (resized.disconnect(), filling.stop()) };
}
