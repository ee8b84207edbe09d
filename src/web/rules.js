// rules.js - the rules of attack: which one is chosen, which squares attack each other by it, and along which strokes. The service
// lists them (/algorithms) with their lines; only words and the geometry of each line are here. It knows no tab.
import { ask } from './api.js';
import { choice, field, h } from './dom.js';
import { sentence, t } from './words.js';

let rules = null; // [{ name, lines, torus }, ...]; the first is the default
let constructions = null; // for who asked for them

// Before anything else of this file, except lineOf() and strokesOf().
export async function loadRules() {
  if (!rules) ({ rules } = (await ask('algorithms', { table: 'rules' })).json);
}

// The same, and before methodsBy().
export async function loadConstructions() {
  if (!constructions) ({ rules, constructions } = (await ask('algorithms', { table: 'constructions' })).json);
}

// The constructions that have solutions by a rule.
export const methodsBy = ({ name }) => constructions.filter(({ rules: able }) => able.includes(name));

export const ruleNamed = (wanted) => rules.find(({ name }) => name === wanted) ?? rules[0];
export const ruleOf = (state) => ruleNamed(state.get('rules'));

// The parameter of a request for a rule: the default needs none.
export const ruleParams = (rule) => (rule === rules[0] ? {} : { rules: rule.name });

// Why a board has no solution by a rule, where the service has a note of that or the code no-solution; for queens, of whom it has no
// such note, nothing.
export const whyNone = ({ rules }) => (rules && sentence(`rules.${rules}.none`)) || '';

// A choice of the rule, and the sentence that explains it; pick({ rules }) gets the change of the URL. show() follows the URL.
export function ruleChoice(state, pick) {
  const about = h('p', { class: 'note', id: 'rule' });
  const names = Object.fromEntries(rules.map(({ name }) => [name, t(`rules.${name}.name`)]));
  const chosen = choice(names, '', (name) => pick({ rules: name === rules[0].name ? null : name }), { 'aria-describedby': 'rule' });
  const show = () => {
    chosen.value = ruleOf(state).name;
    about.textContent = t(`rules.${chosen.value}.is`);
  };
  return { field: field(t('rules.rule'), chosen), about, show };
}

// By the name of a line, whether two squares share it. rows, columns: from [a, ] to [c, ]; same: equal, on a torus modulo n.
const lines = {
  row: (rows) => rows === 0,
  column: (rows, columns) => columns === 0,
  diagonal: (rows, columns, same) => same(rows, columns),
  antidiagonal: (rows, columns, same) => same(rows, -columns),
  knight: (rows, columns) => Math.abs(rows * columns) === 2,
  neighbour: (rows, columns) => Math.abs(rows) === 1 && Math.abs(columns) === 1,
  reflection: (rows, columns, same, a, c) => Math.abs(columns) === a + c, // up to row 0 and down again
};

// The name of the line that two squares [row, column], from 1, of a board of n rows share, or nothing.
export function lineOf({ lines: names, torus }, n, [a, b], [c, d]) {
  const same = (x, y) => (torus ? (x - y) % n === 0 : x === y);
  return names.find((name) => lines[name](c - a, d - b, same, a, c));
}

// That line as strokes [[row, column], ...]. On a torus they leave the board at one border and come back at the other: what is off
// the board is not to be seen.
export function strokesOf(rule, n, from, to) {
  const [[a, b], [c, d]] = [from, to];
  const line = lineOf(rule, n, from, to);
  if (line === 'reflection') return [[from, [0, b + a * Math.sign(d - b)], to]];
  if (!rule.torus || !line.endsWith('diagonal')) return [[from, to]];
  const side = line === 'diagonal' ? 1 : -1;
  const around = [0, -n, n].flatMap((down) => [0, -n, n].map((right) => [down, right]));
  const straight = around.filter(([down, right]) => c + down - a === side * (d + right - b));
  const [down, right] = straight.sort(([one], [other]) => Math.abs(c + one - a) - Math.abs(c + other - a))[0];
  const shifts = [[0, 0], [down, right], [down, 0], [0, right]];
  return shifts.map(([x, y]) => [[a - x, b - y], [c + down - x, d + right - y]]);
}
