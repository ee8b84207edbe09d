// watch_growth.js - the work of all algorithms over n, as a chart with a line for each, and as a table: what /compare says of boards of
// several sizes. It knows nothing of steps.
import { ask } from './api.js';
import { drawChart } from './chart.js';
import { choice, field, h, latest, row } from './dom.js';
import { number, t, titleOf } from './words.js';

const [FROM, TO, STEPS] = [4, 10, 2e6]; // with so many steps nearly all algorithms come to their end
const WHATS = ['tests', 'placements'];
const NARROW = 640; // pixels: below, the lines have the algorithms' short names

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
  const about = h('p', { class: 'note' }, t('growth.about', { from: FROM, to: TO }));
  const element = h('div', null, about, row(field(t('growth.what'), what)), picture, missing, seen, asTable);
  const filling = latest(missing);

  // The work on a board, if the algorithm came to its end.
  const valueOf = (name, n) => {
    const one = found.get(n)?.[name];
    return one?.finished ? one.stats[what.value] : null;
  };
  const names = () => Object.keys(rows).filter((name) => sizes.some((n) => found.get(n)?.[name]));
  const told = (name, n) => (valueOf(name, n) === null ? (found.get(n)?.[name] ? t('growth.more') : '–') : number(valueOf(name, n)));
  const inWords = (n) => {
    const known = names().filter((name) => valueOf(name, n) !== null);
    known.sort((a, b) => valueOf(a, n) - valueOf(b, n));
    return [`n = ${n}`, ...known.map((name) => `${titleOf(rows[name])}: ${number(valueOf(name, n))}`)].join('; ');
  };

  const lines = (short) =>
    names().map((name) => ({
      name: short ? name : titleOf(rows[name]),
      strong: chosen().indexOf(name),
      points: sizes.flatMap((n) => (valueOf(name, n) ? [[n, Math.log10(valueOf(name, n))]] : [])),
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

  // One size after the other: the small ones are there at once.
  function begin() {
    asked = true;
    filling.run(async (own) => {
      missing.replaceChildren();
      for (const n of sizes.filter((n) => !found.has(n))) {
        const { json } = await ask('compare', { n, steps: STEPS }, { signal: own, aside: true });
        found.set(n, Object.fromEntries(json.algorithms.map((one) => [one.algorithm, one])));
        draw();
      }
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
