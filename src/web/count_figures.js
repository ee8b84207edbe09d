// count_figures.js - Q(n), fundamental counts and the time they take, as a chart and as a table. It knows no boards and no jobs.
import { ask } from './api.js';
import { drawChart, percent, power, sign } from './chart.js';
import { choice, field, h, latest } from './dom.js';
import { duration, number, t } from './words.js';

const [KNOWN, TIMED, LAST] = [27, 32, 40]; // published, computed on request, and estimated by descents, up to here
const FELT = 12; // below it takes no time
const AT_ONCE = 4; // the API tells one count at a time: small answers, which the browser keeps for a day
const ranges = { all: [0, LAST], near: [26, 30] };
const times = { second: 1, hour: 3600, year: 31557600, age: 3.15576e13 };

// For each n { exact, fundamental: text; guess: an estimate; core: seconds }, kept while the page is open.
const rows = Array.from({ length: LAST + 1 }, () => ({}));

function wanted() {
  const list = [];
  const count = (n, key, params) => list.push([n, key, 'count', { n, ...params }]);
  rows.forEach((row, n) => {
    if (n <= KNOWN) count(n, 'exact', { method: 'table' });
    else count(n, 'guess', { method: 'estimate', walks: 200, seed: 1 });
    if (n <= KNOWN) count(n, 'fundamental', { method: 'table', distinct: 'fundamental' });
    const dry = { method: 'POST', body: { kind: 'count', n } };
    if (n >= FELT && n <= TIMED) list.push([n, 'core', 'jobs', { 'dry-run': true }, dry]);
  });
  return list.filter(([n, key]) => !(key in rows[n]));
}

async function load(list, signal) {
  const work = async () => {
    for (let next; (next = list.shift());) {
      const [n, key, path, params, options] = next;
      const { json } = await ask(path, params, { ...options, signal });
      rows[n][key] = json.count_text ?? json.core_seconds ?? json;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

// Of decimal digits of any length, good for a place in a picture.
const logarithm = (digits) => digits.length - 1 + Math.log10(`${digits[0]}.${digits.slice(1, 15)}`);

export function figures(state, { n, pick }) {
  let last = '';
  const range = () => (state.get('range') in ranges ? state.get('range') : 'all');
  const picture = h('div', { class: 'plot' });
  const seen = h('p', { class: 'note seen' });
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('count.table') });
  const names = { all: t('count.rangeAll'), near: t('count.rangeNear') };
  const chosen = choice(names, range(), (value) => state.set({ range: value }, { replace: true }));
  const legend = { dot: 'exact', diamond: 'fundamental', ring: 'guess', square: 'core' };
  const signs = Object.entries(legend).map(([shape, key]) => h('li', null, sign(shape), t(`count.${key}`)));
  const element = h(
    'div',
    { class: 'panel' },
    h('h3', null, t('count.chart')),
    field(t('count.range'), chosen),
    h('ul', { class: 'legend' }, signs),
    picture,
    seen,
    h('p', { class: 'note' }, t('count.chartAbout')),
    h('details', null, h('summary', null, t('count.table')), table),
  );
  const filling = latest(picture);

  const tell = {
    exact: number,
    fundamental: number,
    guess: (row) => t('count.plusMinus', { estimate: power(row.estimate_text), percent: percent(row) }),
    core: duration,
  };
  const facts = (at) => Object.entries(tell).map(([key, say]) => [t(`count.${key}`), rows[at][key] && say(rows[at][key])]);
  const name = (at) => [`n = ${at}`, ...facts(at).flatMap(([head, fact]) => (fact ? `${head}: ${fact}` : []))].join('; ');

  function draw() {
    const [from, to] = ranges[range()];
    const timed = to > TIMED; // beside times the bars would be too small to be seen
    signs[3].hidden = !timed;
    const nearest = Math.min(Math.max(n(), from), to);
    const points = (key, place) => rows.flatMap((row, at) => (row[key] && row[key] !== '0' ? [[at, ...place(row[key])]] : []));
    const around = ({ estimate, standard_error: error }) =>
      [0, -2, 2].map((times) => Math.log10(Math.max(estimate + times * error, estimate / 100)));
    const held = picture.contains(document.activeElement);
    picture.replaceChildren(
      drawChart({
        ...{ width: Math.max(picture.clientWidth, 300), from, to, name, chosen: nearest, onPick: pick },
        onSee: (at) => (seen.textContent = name(at)),
        series: {
          square: timed ? points('core', (seconds) => [Math.log10(seconds)]) : [],
          diamond: points('fundamental', (text) => [logarithm(text)]),
          dot: points('exact', (text) => [logarithm(text)]),
          ring: points('guess', around),
        },
        right: timed ? Object.entries(times).map(([key, size]) => [Math.log10(size), t(`count.${key}`)]) : [],
        label: t('count.chartLabel', { from, to }),
      }),
    );
    if (held) picture.querySelector('[tabindex="0"]').focus();
    seen.textContent = name(nearest);
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

  function update() {
    chosen.value = range();
    const now = `${range()} ${n()}`;
    if (now === last) return;
    last = now;
    filling.run(async (signal) => {
      const list = wanted();
      if (list.length) await load(list, signal);
      draw();
    });
  }

  let width = picture.clientWidth;
  const resized = new ResizeObserver(() => {
    if (picture.querySelector('.chart') && width !== picture.clientWidth) draw();
    width = picture.clientWidth;
  });
  resized.observe(picture);
  return { element, update, close: () => (resized.disconnect(), filling.stop()) };
}
