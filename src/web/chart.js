// chart.js - draws numbers over n, or another number, on a logarithmic scale, as SVG. It knows neither the service nor the meaning of the numbers.
import { svg } from './dom.js';
import { language } from './words.js';

const raise = (exponent) => [...`${exponent}`].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit] ?? '⁻').join('');

// '2.576e18', or a number, as 2.576 · 10¹⁸.
export function power(value) {
  const [mantissa, exponent = '0'] = (typeof value === 'string' ? value : value.toExponential(1)).split(/e\+?/);
  const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 9 }).format(mantissa);
  return exponent === '0' ? digits : `${digits} · 10${raise(exponent)}`;
}

// The error of an estimate in per cent, to two digits.
export const percent = ({ estimate, standard_error: error }) => Number((estimate && (100 * error) / estimate).toPrecision(2));

// Each series has a shape, so that colours are not needed to tell it.
const shapes = {
  dot: 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z',
  diamond: 'M0-4.5 4.5 0 0 4.5-4.5 0z',
  ring: 'M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z',
  cross: 'M-3-3 3 3M-3 3 3-3',
};
const path = (shape, d, transform) => svg('path', { class: shape, d, transform });
const small = { class: 'chart', viewBox: '-8 -8 16 16', width: 16, height: 16, 'aria-hidden': 'true' };
export const sign = (shape) => svg('svg', small, path(shape, shapes[shape]));

// width, height: in pixels; from, to: n at the left and at the right; low, high: exponents that the scale has at least; zero:
// whether there is a line for 0 below it; axis: what is below, if not n; label: its name for screen readers; name(n): all values of one n in words; chosen: the n
// that is marked, at: the one that Tab reaches; onSee(n), onPick(n): called when it is pointed at, or pressed. -> { element,
// show(series, lines) }, series: { shape: [[n, y, low, high], ...] }, logarithms, low and high being the ends of a bar, if there
// is one; lines: [{ name, strong, points: the same }], with their names in a margin at the right; strong: 0, 1, ... for those that
// stand out; those with bars stand beside each other. A second show() keeps the focus.
export function drawChart({ width, height, from, to, low, high, zero, label, name, chosen, at, onSee, onPick, margin = 0, axis = 'n' }) {
  const [left, bottom, head, aside] = [46, height - 22, 12, width - 4 - margin];
  const foot = zero ? bottom - 20 : bottom;
  const wide = (aside - left) / (to - from + 1);
  const x = (n) => left + (n - from + 0.5) * wide;
  const bar = (at, low, high, half) => `M${at} ${low}V${high}m${-half} 0h${2 * half}M${at - half} ${low}h${2 * half}`;

  // Each with its name where it ends, or as near as there is room.
  function drawLines(lines, y) {
    const hasBars = ({ points }) => points.some(([, , low]) => low !== undefined);
    const barred = lines.filter(hasBars);
    const apart = Math.min(7, (wide - 2) / (barred.length + 1));
    const ends = lines.filter(({ points }) => points.length).map((line) => {
      const aside = hasBars(line) ? (barred.indexOf(line) - (barred.length - 1) / 2) * apart : 0;
      return { ...line, x: (n) => x(n) + aside, end: y(line.points.at(-1)[1]) };
    });
    ends.sort((a, b) => a.end - b.end);
    const room = Math.min(15, (bottom - head) / Math.max(ends.length, 1));
    let up = head;
    for (const one of ends) one.up = up = Math.max(up + (one === ends[0] ? 0 : room), one.end);
    let down = bottom;
    for (const one of [...ends].reverse()) {
      one.up = Math.min(one.up, down);
      down = one.up - room;
    }
    return [...ends].sort((a, b) => a.strong - b.strong).map(({ name, strong, points, x, end, up }) => {
      const kind = strong < 0 ? 'line' : `line strong${strong}`;
      const last = x(points.at(-1)[0]);
      return [
        path(`${kind} lead`, `M${last} ${end}L${aside + 2} ${up}h4`),
        path(kind, `M${points.map(([n, value]) => `${x(n)} ${y(value)}`).join('L')}`),
        points.map(([n, , low, high]) => low !== undefined && path(`${kind} bar`, bar(x(n), y(low), y(high), Math.min(3, apart / 2)))),
        points.map(([n, value]) => path(`${kind} ${strong === 1 ? 'diamond' : 'dot'}`, shapes[strong === 1 ? 'diamond' : 'dot'], `translate(${x(n)} ${y(value)})`)),
        svg('text', { class: kind, x: aside + 9, y: up + 4 }, name),
      ];
    });
  }

  function draw(series, lines = []) {
    const inside = Object.entries(series).map(([shape, points]) => [shape, points.filter(([n]) => n >= from && n <= to)]);
    const valued = [...inside.map(([, points]) => points), ...lines.map(({ points }) => points)];
    const all = valued.flatMap((points) => points.flatMap((point) => point.slice(1))).filter(Number.isFinite);
    const [least, most] = [Math.floor(Math.min(low, ...all)), Math.ceil(Math.max(high, ...all))];
    const y = (value) => (value === -Infinity ? bottom : head + ((most - value) / (most - least)) * (foot - head));
    const text = (at, up, what, anchor) => svg('text', { x: at, y: up, 'text-anchor': anchor }, what);
    const grid = [text(left - 6, bottom + 18, axis, 'end')];
    const rule = (value, what) => grid.push(path('rule', `M${left} ${y(value)}H${aside}`), text(left - 6, y(value) + 4, what, 'end'));
    const step = most - least > 12 ? 5 : 1;
    for (let value = Math.ceil(least / step) * step; value <= most; value += step) rule(value, `10${raise(value)}`);
    if (zero) rule(-Infinity, '0');
    for (let n = from; n <= to; n += wide < 12 ? 5 : wide < 24 ? 2 : 1) grid.push(text(x(n), bottom + 18, n, 'middle'));
    const drawn = inside.map(([shape, points]) =>
      points.map(([n, value, low, high]) => [
        low !== undefined && path('bar', bar(x(n), y(low), y(high), 5)),
        path(shape, shapes[shape], `translate(${x(n)} ${y(value)})`),
      ]),
    );
    return svg('g', { 'aria-hidden': 'true' }, grid, drawn, drawLines(lines, y));
  }

  const columns = [];
  const keys = (n) => (event) => {
    const next = { ArrowLeft: n - 1, ArrowRight: n + 1, Home: from, End: to }[event.key];
    const column = columns[next - from];
    if (event.key === 'Enter' || event.key === ' ') onPick(n);
    else if (!column) return;
    else column.focus();
    event.preventDefault();
  };
  const see = (n) => () => {
    columns.forEach((column, i) => column.setAttribute('tabindex', from + i === n ? 0 : -1));
    onSee(n);
  };
  for (let n = from; n <= to; n++) {
    const names = { role: 'button', 'aria-label': name(n), tabindex: n === at ? 0 : -1, 'aria-pressed': String(n === chosen) };
    const does = { onkeydown: keys(n), onfocus: see(n), onpointerenter: () => onSee(n), onclick: () => onPick(n) };
    const area = svg('rect', { x: x(n) - wide / 2, y: head, width: wide, height: bottom + 8 - head });
    columns.push(svg('g', { ...names, ...does }, area));
  }

  let drawn = draw({});
  const frame = { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label };
  const element = svg('svg', frame, drawn, columns);
  function show(series, lines) {
    const next = draw(series, lines);
    drawn.replaceWith(next);
    drawn = next;
    columns.forEach((column, i) => column.setAttribute('aria-label', name(from + i)));
  }
  return { element, show };
}
