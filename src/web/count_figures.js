// count_figures.js - counts, fundamental ones and the time they take, by a rule, as a chart and as a table. It knows no boards and
// no jobs.
import { ask } from './api.js';
import { drawChart, percent, power, sign } from './chart.js';
import { choice, field, h, latest } from './dom.js';
import { duration, number, t } from './words.js';

const [KNOWN, TIMED, LAST] = [27, 32, 40]; // published, computed on request, and estimated by descents, up to here
const QUICK = 12; // counted at once by every rule
const FELT = 12; // below this it takes no noticeable time
// First and last n, and the exponents that will be needed, so that the scale does not change when answers arrive.
const ranges = { all: [0, LAST, -5, 32], near: [26, 30, 15, 21] };
const times = { second: 1, hour: 3600, year: 31557600, age: 3.15576e13 };

// By rule, for each n { exact, fundamental: text; guess: an estimate; core: seconds }, kept while the page is open.
const kept = new Map();

function rowsOf(rules) {
  if (!kept.has(rules)) kept.set(rules, Array.from({ length: LAST + 1 }, () => ({})));
  return kept.get(rules);
}

// The requests for what is not known yet: [n, key, path, params, options], where n is the first that the reply has.
function wanted(rows, { rules }) {
  const known = { n: `0-${KNOWN}`, method: 'table' };
  const counts = rules
    ? [
        [0, 'exact', 'count', { n: `0-${LAST}`, method: 'table', rules }],
        [0, 'fundamental', 'count', { n: `0-${QUICK}`, distinct: 'fundamental', rules }],
      ]
    : [
        [0, 'exact', 'count', known],
        [0, 'fundamental', 'count', { ...known, distinct: 'fundamental' }],
        [KNOWN + 1, 'guess', 'count', { n: `${KNOWN + 1}-${LAST}`, method: 'estimate', walks: 200, seed: 1 }],
      ];
  const dry = (n) => ({ method: 'POST', body: { kind: 'count', n, rules } });
  const costs = rows.map((_, n) => [n, 'core', 'jobs', { 'dry-run': true }, dry(n)]);
  return [...counts, ...costs.slice(FELT, TIMED + 1)].filter(([n, key]) => !(key in rows[n]));
}

const load = (rows, list, signal, onRow) =>
  Promise.all(
    list.map(async ([n, key, path, params, options]) => {
      const { json } = await ask(path, params, { ...options, signal, aside: true });
      for (const count of json.counts ?? []) rows[count.n][key] = count.count_text ?? (count.errors ? null : count);
      if (!json.counts) rows[n][key] = json.core_seconds;
      onRow();
    }),
  );

// The logarithm of a decimal number of any length, exact enough for a drawing.
const logarithm = (digits) => digits.length - 1 + Math.log10(`${digits[0]}.${digits.slice(1, 15)}`);

// by() -> { rules }, or nothing for queens.
export function figures(state, { n, pick, by }) {
  let chart, at, drawing; // at: the n whose values are shown; drawing: the pending animation frame
  let rows, filled; // of the rule; those that were asked for
  let last = '';
  const range = () => (!by().rules && state.get('range') in ranges ? state.get('range') : 'all');
  const picture = h('div', { class: 'plot' });
  const missing = h('div'); // requests that failed
  const seen = h('p', { class: 'note seen' });
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('count.table') });
  const names = { all: t('count.rangeAll'), near: t('count.rangeNear') };
  const chosen = choice(names, range(), (value) => state.set({ range: value }, { replace: true }));
  const legend = { dot: 'exact', diamond: 'fundamental', ring: 'guess', square: 'core' };
  const signs = Object.entries(legend).map(([shape, key]) => h('li', null, sign(shape), t(`count.${key}`)));
  const rangeField = field(t('count.range'), chosen);
  const element = h(
    'div',
    { class: 'panel' },
    h('h3', null, t('count.chart')),
    rangeField,
    h('ul', { class: 'legend' }, signs),
    picture,
    missing,
    seen,
    h('p', { class: 'note' }, t('count.chartAbout')),
    h('details', null, h('summary', null, t('count.table')), table),
  );
  const filling = latest(missing);

  const tell = {
    exact: number,
    fundamental: number,
    guess: (row) => t('count.plusMinus', { estimate: power(row.estimate_text), percent: percent(row) }),
    core: duration,
  };
  const facts = (at) => Object.entries(tell).map(([key, say]) => [t(`count.${key}`), rows[at][key] && say(rows[at][key])]);
  const name = (at) => [`n = ${at}`, ...facts(at).flatMap(([head, fact]) => (fact ? `${head}: ${fact}` : []))].join('; ');
  const timed = () => ranges[range()][1] > TIMED; // beside times the bars would be too small to see

  function series() {
    const points = (key, place) => rows.flatMap((row, at) => (row[key] && row[key] !== '0' ? [[at, ...place(row[key])]] : []));
    const around = ({ estimate, standard_error: error }) =>
      [0, -2, 2].map((times) => Math.log10(Math.max(estimate + times * error, estimate / 100)));
    return {
      square: timed() ? points('core', (seconds) => [Math.log10(seconds)]) : [],
      diamond: points('fundamental', (text) => [logarithm(text)]),
      dot: points('exact', (text) => [logarithm(text)]),
      ring: points('guess', around),
    };
  }

  // The frame of the chart, and the values known so far.
  function draw() {
    const [from, to, low, high] = ranges[range()];
    signs[2].hidden = Boolean(by().rules);
    signs[3].hidden = !timed();
    at = Math.min(Math.max(n(), from), to);
    const held = picture.contains(document.activeElement);
    chart = drawChart({
      ...{ width: Math.max(picture.clientWidth, 300), from, to, low, high, name, chosen: at, onPick: pick },
      onSee: (seenAt) => (seen.textContent = name((at = seenAt))),
      right: timed() ? Object.entries(times).map(([key, size]) => [Math.log10(size), t(`count.${key}`)]) : [],
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
    const head = (scope, what) => h('th', { scope }, what);
    table.replaceChildren(
      h(
        'table',
        null,
        h('tr', null, head('col', 'n'), facts(0).map(([what]) => head('col', what))),
        rows.map((row, at) => h('tr', null, head('row', at), facts(at).map(([, fact]) => h('td', null, fact ?? '–')))),
      ),
    );
  }

  const fill = () =>
    filling.run(async (signal) => {
      missing.replaceChildren();
      await load(rows, wanted(rows, by()), signal, () => (drawing ??= requestAnimationFrame(() => ((drawing = null), renew()))));
    });

  function update() {
    chosen.value = range();
    rangeField.hidden = Boolean(by().rules); // it is there for the estimates, which only queens have here
    rows = rowsOf(by().rules);
    const now = `${range()} ${n()} ${by().rules}`;
    if (now === last) return;
    last = now;
    draw();
    if (filled !== rows) fill();
    filled = rows;
  }

  let width = picture.clientWidth;
  const resized = new ResizeObserver(() => {
    if (chart && width !== picture.clientWidth) draw();
    width = picture.clientWidth;
  });
  resized.observe(picture);
  return { element, update, close: () => (resized.disconnect(), filling.stop()) };
}
