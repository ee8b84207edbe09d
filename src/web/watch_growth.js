// watch_growth.js - the work of all algorithms over n, as a chart with a line for each, and as a table: what one request to /compare says
// of boards of several sizes, and of several runs of the algorithms that draw. It knows nothing of steps.
import { ask, link } from './api.js';
import { drawChart } from './chart.js';
import { choice, field, h, latest, row } from './dom.js';
import { number, t, titleOf } from './words.js';

const [FROM, TO, SEEDS, STEPS] = [4, 12, 40, 1e6]; // as many steps as /compare does for each without being asked
const ASKS = { n: `${FROM}-${TO}`, seeds: SEEDS };
// To the end of a list, which is the first solution for an algorithm that draws; and to the first solution for all.
const WHATS = ['tests', 'placements', 'firstTests', 'firstSteps'];
const COUNTERS = { firstTests: 'tests', firstSteps: 'steps' };
const NARROW = 640; // pixels: below, the lines have the algorithms' short names

// What an algorithm, its row in /compare, did: { value, low, high, found }, the last three if it ran several times; null: it is
// not known.
function workOf(one, what) {
  const counter = COUNTERS[what] ?? what;
  const runs = one.runs?.[counter];
  if (runs) return runs.median === null ? null : { value: runs.median, low: runs.lower, high: runs.upper, found: one.runs.found };
  const stats = COUNTERS[what] ? one.first?.stats : one.finished && one.stats;
  return stats ? { value: stats[counter] } : null;
}

// rows: of /algorithms, by name; chosen() -> the names of the algorithms in Watch; signal: of the tab. -> { element, update() }: the
// element has to be on the page before the first update().
export function growth({ rows, chosen, signal }) {
  const sizes = Array.from({ length: TO - FROM + 1 }, (_, i) => FROM + i);
  const found = new Map(); // by n: { algorithm: its row in /compare }
  let chart = null;
  let seenAt = 8;
  let asked = false;
  const picture = h('div', { class: 'plot' });
  const seen = h('p', { class: 'note seen' });
  const missing = h('div');
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('growth.table') });
  const what = choice(Object.fromEntries(WHATS.map((one) => [one, t(`growth.${one}`)])), WHATS[0], () => draw());
  const asTable = h('details', { ontoggle: () => tabulate() }, h('summary', null, t('growth.table')), table);
  const about = h('p', { class: 'note' }, t('growth.about', { from: FROM, to: TO }), ' ', t('growth.drawn', { seeds: SEEDS }));
  const file = h('a', { class: 'button', href: link('compare', { ...ASKS, format: 'csv' }), download: 'compare.csv' }, t('board.save', { name: 'CSV' }));
  const element = h('div', null, about, row(field(t('growth.what'), what), file), picture, missing, seen, asTable);
  const filling = latest(missing);

  const work = (name, n) => {
    const one = found.get(n)?.[name];
    return one ? workOf(one, what.value) : null;
  };
  const names = () => Object.keys(rows).filter((name) => sizes.some((n) => found.get(n)?.[name]));
  // With the quartiles, and the runs that they are of, if that are not all.
  const inNumbers = ({ value, low, high, found }, form) => {
    if (found === undefined) return number(value);
    const words = t(`growth.${form}`, { median: value, lower: low, upper: high });
    return found < SEEDS ? t('growth.some', { words, found, seeds: SEEDS }) : words;
  };
  const told = (name, n) => {
    const known = work(name, n);
    if (known) return inNumbers(known, 'range');
    return found.get(n)?.[name]?.finished === false ? t('growth.more', { steps: STEPS }) : '–';
  };
  const inWords = (n) => {
    const known = names().flatMap((name) => (work(name, n) ? [[name, work(name, n)]] : []));
    known.sort(([, a], [, b]) => a.value - b.value);
    return [`n = ${n}`, ...known.map(([name, one]) => `${titleOf(rows[name])}: ${inNumbers(one, 'quartiles')}`)].join('; ');
  };

  const logarithm = (value) => Math.log10(Math.max(value, 1));
  const pointOf = (n, { value, low, high }) => [n, value, ...(low === undefined ? [] : [low, high])].map((it, i) => (i ? logarithm(it) : it));
  const lines = (short) =>
    names().map((name) => ({
      name: short ? name : titleOf(rows[name]),
      strong: chosen().indexOf(name),
      points: sizes.flatMap((n) => (work(name, n)?.value ? [pointOf(n, work(name, n))] : [])),
    }));

  function draw() {
    const short = picture.clientWidth < NARROW;
    const held = picture.contains(document.activeElement);
    chart = drawChart({
      ...{ width: Math.max(picture.clientWidth, 280), height: short ? 340 : 420, from: FROM, to: TO, low: 0, high: 3, zero: false },
      ...{ margin: short ? 112 : 270, name: inWords, chosen: seenAt, at: seenAt, onSee: see, onPick: see },
      label: t('growth.label', { what: t(`growth.${what.value}`), from: FROM, to: TO }),
    });
    picture.replaceChildren(chart.element);
    if (held) picture.querySelector('[tabindex="0"]').focus();
    chart.show({}, lines(short));
    see(seenAt);
    tabulate();
  }

  function see(n) {
    seenAt = n;
    seen.textContent = inWords(n);
  }

  function tabulate() {
    if (!asTable.open) return;
    const heads = sizes.map((n) => h('th', { scope: 'col' }, `n = ${n}`));
    const line = (name) => h('tr', null, h('th', { scope: 'row' }, titleOf(rows[name])), sizes.map((n) => h('td', null, told(name, n))));
    table.replaceChildren(h('table', null, h('tr', null, h('td'), heads), names().map(line)));
  }

  function begin() {
    asked = true;
    filling.run(async (own) => {
      missing.replaceChildren(t('board.asking'));
      const { json } = await ask('compare', ASKS, { signal: own });
      missing.replaceChildren();
      for (const { n, algorithms } of json.sizes) found.set(n, Object.fromEntries(algorithms.map((one) => [one.algorithm, one])));
      draw();
    });
  }

  function update() {
    draw();
    if (!asked) begin();
  }

  let width = 0;
  const resized = new ResizeObserver(() => {
    const { clientWidth } = picture;
    if (chart && clientWidth && clientWidth !== width) draw();
    width = clientWidth;
  });
  resized.observe(picture);
  signal.addEventListener('abort', () => (filling.stop(), resized.disconnect()));
  return { element, update };
}
