// tab_count.js - the tab Count: one count and its source; a job, a chart and a gallery are beside it, in files of their own. The
// URL has n, rules, distinct, symmetry and method=estimate for the question; job for the count under way; range for the part of the
// chart; class and from for the gallery.
import { askPatiently } from './api.js';
import { percent, power } from './chart.js';
import { figures } from './count_figures.js';
import { gallery } from './count_gallery.js';
import { describe, jobPanel } from './count_job.js';
import { button, choice, field, h, latest, say, show, showValue } from './dom.js';
import { ruleChoice, ruleOf, ruleParams, whyNone } from './rules.js';
import { snippets } from './snippet.js';
import { duration, language, number, t } from './words.js';

export { loadRules as prepare } from './rules.js';

const [KNOWN, WALKED, MOST] = [27, 40, 1e9]; // whole boards: published, estimated by descents, and by a formula, up to here

export function open(root, state) {
  let last = '';
  const n = () => state.number('n', 8, 0, MOST);
  const one = (key, ...values) => (values.includes(state.get(key)) ? { [key]: state.get(key) } : {});
  const by = () => ruleParams(ruleOf(state));
  const classes = () => ['fundamental', 'mirror', ...(ruleOf(state).torus ? ['torus'] : [])];
  const filters = () => ({ ...one('distinct', ...classes()), ...one('symmetry', 'point', 'quarter') });
  const whole = () => !Object.keys(filters()).length;
  const beyond = () => n() > KNOWN && !by().rules; // only estimates are known
  const guessed = () => whole() && (beyond() || state.get('method') === 'estimate');
  const question = () => ({ n: n(), ...filters(), ...by() });
  const to = (size) => state.set({ n: size, from: null });
  const estimate = () => state.set({ method: 'estimate', distinct: null, symmetry: null });

  const size = h('input', { type: 'number', min: 0, max: MOST, inputmode: 'numeric', required: true });
  size.addEventListener('change', () => (size.checkValidity() ? to(size.value) : size.reportValidity()));
  const less = button('−', () => to(n() - 1), { 'aria-label': t('board.smaller') });
  const more = button('+', () => to(n() + 1), { 'aria-label': t('board.larger') });
  const pick = (key, names) => {
    const titles = Object.fromEntries(names.map((name) => [name, t(`count.${name}`)]));
    return choice(titles, '', (value) => state.set({ [key]: value === names[0] ? null : value }));
  };
  const distinct = pick('distinct', ['all', 'fundamental', 'mirror', 'torus']);
  const symmetry = pick('symmetry', ['any', 'point', 'quarter']);
  const method = pick('method', ['auto', 'estimate']);
  const methodField = field(t('count.method'), method);
  const answer = h('div');
  const snippet = h('div');
  const asking = latest(answer);
  const plain = () => whole() && !by().rules;
  const parts = [
    jobPanel(state, { question, estimate }),
    figures(state, { n, pick: to, question, whole: plain }),
    gallery(state, { n, to, by }),
  ];
  const fields = [field(t('count.distinct'), distinct), field(t('count.symmetry'), symmetry), methodField];
  const rules = ruleChoice(state, (changes) => state.set({ ...changes, from: null }));
  const row = (...children) => h('div', { class: 'row' }, children);
  const asked = [row(field(t('board.size'), size), less, more, rules.field), rules.about];
  const [job, growth, shapes] = parts.map(({ element }) => element);
  const left = h('div', null, h('div', { class: 'panel' }, asked, answer, row(fields), snippet), job);
  root.replaceChildren(h('div', { class: 'beside count' }, left, growth), shapes);

  function wanted() {
    if (!guessed()) return question();
    return { n: n(), ...by(), method: 'estimate', ...(n() <= WALKED && { walks: 20000, seed: 1 }) };
  }

  const load = (params) =>
    asking.run(async (signal) => {
      snippet.replaceChildren(snippets('count', params));
      const patient = setTimeout(() => answer.replaceChildren(t('count.asking')), 300);
      try {
        paint(await askPatiently('count', params, { signal }));
      } catch (problem) {
        if (problem.status !== 422) throw problem;
        show(answer, problem);
        if (!guessed() && (!by().rules || n() <= WALKED)) answer.append(button(t('count.estimate'), estimate));
      } finally {
        clearTimeout(patient);
      }
    });

  // The source of the number in words; the time is from Server-Timing.
  function source(json, headers) {
    const kinds = {
      table: () => [t('count.published'), ' ', h('a', { href: `https://oeis.org/${json.oeis}`, rel: 'noreferrer' }, json.oeis)],
      computed: () => {
        const [, kept, time] = headers.get('Server-Timing')?.match(/desc=(hit)|search;dur=([\d.]+)/) ?? [];
        const joined = json.n > 14 && !json.rules;
        const how = t(json.symmetry ? 'count.byOrbits' : joined ? 'count.byJoining' : 'count.bySearch');
        return t(kept || !time ? 'count.kept' : 'count.computed', { how, time: duration(time / 1000) });
      },
      estimate: () => t('count.estimated', { ...json, error: power(json.standard_error), percent: percent(json) }),
      asymptotic: () => t('count.asymptotic', { digits: Math.floor(json.log10) + 1 }),
    };
    return kinds[json.provenance]();
  }

  // The service's note, which is in English, in the page's language where the other values show what it is about.
  function remark({ note, rules, distinct, symmetry, provenance, count_text: count, estimate_text: guess }) {
    const ofTerm = provenance === 'table' && (distinct || symmetry); // how the count follows from the published number
    if (note && rules && (count ?? guess) === '0' && !(ofTerm && symmetry)) return whyNone({ rules });
    if (note && ofTerm && distinct) return t('count.halved');
    return language === 'en' ? note : null;
  }

  function paint({ json, headers }) {
    const { distinct, symmetry, rules, count_text: count, estimate_text: guess, log10 } = json;
    const note = remark(json);
    const amount = count ? number(count) : guess ? `≈ ${power(guess)}` : `log₁₀ Q(n) ≈ ${number(log10)}`;
    answer.replaceChildren(
      h('p', { class: 'note' }, describe({ n: json.n, distinct, symmetry, rules })),
      h('p', { class: 'amount' }, amount),
      h('p', { class: 'source' }, source(json, headers)),
      note ? h('p', { class: 'note' }, note) : '',
    );
    say(answer.innerText);
  }

  function update() {
    showValue(size, n());
    less.disabled = n() <= 0;
    rules.show();
    distinct.lastChild.hidden = !ruleOf(state).torus;
    distinct.value = filters().distinct ?? 'all';
    symmetry.value = filters().symmetry ?? 'any';
    method.value = guessed() ? 'estimate' : 'auto';
    method.disabled = beyond();
    methodField.hidden = !whole();
    const params = wanted();
    const now = JSON.stringify(params);
    if (now !== last) load(params);
    last = now;
    for (const part of parts) part.update();
  }

  update();
  return { update, close: () => [asking.stop(), ...parts.map(({ close }) => close())] };
}
