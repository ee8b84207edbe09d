// count_figures.js - the count asked for, of every size from 0 to 40, as a chart and as a table, with how each number is known. It
// knows no boards and no jobs.
import { ask } from './api.js';
import { drawChart, percent, power, sign } from './chart.js';
import { choice, h, latest } from './dom.js';
import { number, t } from './words.js';

export const LAST = 40; // estimated by descents up to here
// Descents of each estimate, by rule: with this seed, enough of them end in a solution. Of queens on a torus hardly any does.
const WALKS = {
  ...{ 'queens': 200, 'superqueens': 400, 'reflecting': 3000, 'touching': 200 },
  ...{ 'semiqueens': 200, 'toroidal-semiqueens': 200, 'rooks': 200 },
};
export const estimated = (rule) => rule in WALKS;
const SEED = 1;
const HIGH = 32; // the exponent of the greatest number, so that the scale is the same for all questions
const AROUND = 2; // sizes before and after the first estimate, for a look at the bars
export const signs = { computed: 'dot', table: 'diamond', estimate: 'ring' }; // by provenance

// By question, for each n what the service answers, kept while the page is open.
const kept = new Map();

// The logarithm of a decimal number of any length, exact enough for a drawing.
const logarithm = (digits) => digits.length - 1 + Math.log10(`${digits[0]}.${digits.slice(1, 15)}`);

const isKnown = (row) => row && signs[row.provenance];
const isNone = (row) => isKnown(row) && (row.count_text ?? row.estimate_text) === '0';
const amount = (row) =>
  row.provenance === 'estimate'
    ? t('count.plusMinus', { estimate: power(row.estimate_text), percent: percent(row) })
    : number(row.count_text);
const how = (row) => [t(`count.by_${row.provenance}`), row.oeis].filter(Boolean).join(', ');

// question() -> the parameters of /count; whole(): all solutions, of which there are estimates; told(): the numbers are here, or are
// not to be had. -> row(): what the service answers for n, if it is here; failed(): it will not be.
export function figures(state, { n, pick, question, whole, told }) {
  let chart, at, rows, lost; // at: the n whose values are shown; rows: of the question
  let last = '';
  const walks = () => (whole() ? WALKS[question().rules ?? 'queens'] : null);
  const bars = () => rows.findIndex((row) => row?.provenance === 'estimate' && !isNone(row));
  const isNear = () => state.get('range') === 'near' && bars() > 0;
  const picture = h('div', { class: 'plot' });
  const missing = h('div'); // a request that failed
  const seen = h('p', { class: 'note seen' });
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('count.table') });
  const zoom = (value) => state.set({ range: value === 'near' ? value : null }, { replace: true });
  const part = choice({ all: '', near: '' }, 'all', zoom, { 'aria-label': t('count.range') });
  const legend = h('ul', { class: 'legend' });
  const asTable = h('details', { ontoggle: () => tabulate() }, h('summary', null, t('count.table')), table);
  const element = h('div', null, picture, missing, h('div', { class: 'row' }, seen, part), legend, asTable);
  const filling = latest(missing);

  const unknown = () => t(rows.length || lost ? 'count.by_none' : 'count.asking');
  const name = (at) => [`n = ${at}`, ...(isKnown(rows[at]) ? [amount(rows[at]), how(rows[at])] : [unknown()])].join('; ');

  function series() {
    const points = (provenance, place) =>
      rows.flatMap((row, at) => (row?.provenance === provenance && !isNone(row) ? [[at, ...place(row)]] : []));
    const around = ({ estimate, standard_error: error }) =>
      [0, -2, 2].map((times) => Math.log10(Math.max(estimate + times * error, estimate / 100)));
    const exact = ({ count_text: text }) => [logarithm(text)];
    const none = rows.flatMap((row, at) => (isNone(row) ? [[at, -Infinity]] : []));
    return { diamond: points('table', exact), dot: points('computed', exact), ring: points('estimate', around), cross: none };
  }

  // Each mark that is in the chart, and up to which size.
  function explain() {
    const lines = Object.entries(signs).map(([provenance, shape]) => {
      const most = rows.findLastIndex((row) => row?.provenance === provenance && !isNone(row));
      return most >= 0 && h('li', null, sign(shape), t('count.upTo', { what: t(`count.by_${provenance}`), n: most }));
    });
    legend.replaceChildren(...[...lines, rows.some(isNone) && h('li', null, sign('cross'), t('count.by_zero'))].filter(Boolean));
  }

  function offer() {
    const first = bars();
    part.hidden = first <= 0;
    part.value = isNear() ? 'near' : 'all';
    const [all, near] = part.options;
    all.textContent = t('count.rangeAll', { from: 0, to: LAST });
    near.textContent = t('count.rangeNear', { from: first - AROUND, to: first + AROUND });
  }

  // The frame of the chart, and the values known so far.
  function draw() {
    const near = isNear();
    const [from, to] = near ? [bars() - AROUND, bars() + AROUND] : [0, LAST];
    at = Math.min(Math.max(n(), from), to);
    const held = picture.contains(document.activeElement);
    const full = picture.closest('.fills') && innerWidth > 960; // then it ends where the screen does, and is read from afar
    const letter = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const below = innerWidth < 640 ? 170 : full ? 10 * letter : 120; // the row and the legend, so that they are on the first screen, too
    const room = innerHeight - picture.getBoundingClientRect().top - scrollY - below;
    const [scale, most] = full ? [1.5, Infinity] : [1, 440];
    const [width, height] = [Math.max(picture.clientWidth, 280), Math.min(Math.max(room, 240), most)].map((one) => one / scale);
    chart = drawChart({
      ...{ width, height, from, to, name, at, chosen: n() },
      ...(near ? { low: Infinity, high: -Infinity, zero: false } : { low: 0, high: HIGH, zero: true }),
      ...{ onSee: (seenAt) => (seen.textContent = name((at = seenAt))), onPick: pick },
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
    explain();
    offer();
    tabulate();
  }

  // Only if it is open: most readers look at the chart.
  function tabulate() {
    if (!asTable.open) return;
    const cell = (row, what) => h('td', null, isKnown(row) ? what(row) : '–');
    const line = (row, at) => [h('th', { scope: 'row' }, at), cell(row, amount), cell(row, how)];
    const heads = ['n', t('count.solutions'), t('count.method')].map((what) => h('th', { scope: 'col' }, what));
    const lines = Array.from({ length: LAST + 1 }, (_, at) => h('tr', null, line(rows[at], at)));
    table.replaceChildren(h('table', null, h('tr', null, heads), lines));
  }

  // One request for all sizes.
  const fill = (key, params) =>
    filling.run(async (signal) => {
      missing.replaceChildren();
      lost = false;
      const estimates = walks() ? { method: 'any', walks: walks(), seed: SEED } : {};
      try {
        const { json } = await ask('count', { ...params, n: `0-${LAST}`, ...estimates }, { signal, aside: true });
        kept.set(key, (rows = json.counts));
      } catch (problem) {
        lost = !signal.aborted;
        if (lost) renew();
        if (lost) told();
        throw problem;
      }
      if (isNear()) draw();
      else renew();
      told();
    });

  function update() {
    const params = { ...question(), n: null };
    const key = JSON.stringify(params);
    const now = `${state.get('range')} ${n()} ${key}`;
    if (now === last) return;
    const other = !last.endsWith(key);
    last = now;
    if (other) {
      filling.stop();
      lost = false;
      rows = kept.get(key) ?? [];
    }
    draw();
    if (other && !kept.has(key)) fill(key, params);
  }

  let width = picture.clientWidth;
  const resized = new ResizeObserver(() => {
    if (chart && width !== picture.clientWidth) draw();
    width = picture.clientWidth;
  });
  resized.observe(picture);
  return {
    ...{ element, update, row: () => rows?.[n()], failed: () => lost },
    close: () => (resized.disconnect(), filling.stop()),
  };
}
