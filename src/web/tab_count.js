// tab_count.js - the tab Count: a chart of counts, the one that is chosen and its source; the chart, a job and a gallery are in files
// of their own. The URL has n, rules, distinct, symmetry and method=estimate for the question; range for the part of the chart; job
// for the count under way; gallery, class and from for the gallery; profile=1, m, walls and queens for placements of fewer queens.
import { ask } from './api.js';
import { drawChart, percent, power, sign } from './chart.js';
import { LAST, estimated, figures, signs } from './count_figures.js';
import { gallery } from './count_gallery.js';
import { describe, jobPanel } from './count_job.js';
import { button, choice, field, h, latest, row, say, show, showValue } from './dom.js';
import { fullScreen } from './full.js';
import { ruleChoice, ruleOf, ruleParams, whyNone } from './rules.js';
import { part } from './shell.js';
import { showRequests } from './snippet.js';
import { turn } from './turn.js';
import { number, t } from './words.js';

export { loadRules as prepare } from './rules.js';

const MOST = 1e9; // rows of a board whose count is estimated, by a formula
const [WALKS, SEED] = [20000, 1]; // of an estimate that is asked for

export function open(root, state) {
  let last = '';
  let patient; // until what is there is taken away
  const n = () => state.number('n', 8, 0, MOST);
  const one = (key, ...values) => (values.includes(state.get(key)) ? { [key]: state.get(key) } : {});
  const by = () => ruleParams(ruleOf(state));
  const classes = () => ['fundamental', 'mirror', ...(ruleOf(state).torus ? ['torus'] : [])];
  const filters = () => ({ ...one('distinct', ...classes()), ...one('symmetry', 'point', 'quarter') });
  const whole = () => !Object.keys(filters()).length;
  const beyond = () => whole() && n() > LAST && !by().rules; // only a formula is known
  const guessed = () => beyond() || (whole() && state.get('method') === 'estimate');
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
  const answer = h('div', { class: 'answer', tabindex: -1 }); // gets the focus of its buttons, which go away
  const snippet = h('div');
  const asking = latest(answer);
  const chart = figures(state, { n, pick: to, question, whole, told: () => answerNow() });
  const parts = [chart, jobPanel(state, { question, estimate }), gallery(state, { n, to, by })];
  const fewer = h('details', { class: 'panel shapes', ontoggle: unfold }, h('summary', null, h('h3', null, t('count.profile'))));
  const rules = ruleChoice(state, (changes) => state.set({ ...changes, from: null }));
  const [growth, job, shapes] = parts.map(({ element }) => element);
  const controls = row(h('div', { class: 'size' }, field(t('board.size'), size), less, more), rules.field);
  const fields = row(field(t('count.distinct'), distinct), field(t('count.symmetry'), symmetry), methodField);
  const leaving = new AbortController();
  const large = h('div', { class: 'panel growth' }, controls, growth);
  const full = fullScreen({ part: large, state, signal: leaving.signal });
  controls.append(full.button);
  root.replaceChildren(
    h(
      'div',
      { class: 'beside count' },
      large,
      h('div', null, h('div', { class: 'panel' }, answer, fields, rules.about, snippet), job),
    ),
    fewer,
    shapes,
  );

  // What the chart has not: a question of its own.
  function wanted() {
    if (guessed()) return { ...question(), method: 'estimate', ...(n() <= LAST && { walks: WALKS, seed: SEED }) };
    return n() > LAST || chart.failed() ? question() : null;
  }

  const load = (params) =>
    asking.run(async (signal) => {
      try {
        const { json } = await ask('count', params, { signal });
        paint(json);
      } catch (problem) {
        if (problem.status !== 422) throw problem;
        refuse(problem);
      } finally {
        if (!signal.aborted) clearTimeout(patient);
      }
    });

  // With what is to be had instead: an estimate, or the largest size of this question.
  function refuse({ errors = [], ...problem }) {
    const unable = ({ code }) => code === 'too-many-rows-walks'; // nobody waits for so many here
    show(answer, { ...problem, errors: errors.map((error) => (unable(error) ? { ...error, code: 'no-table' } : error)) });
    answer.prepend(h('h3', null, describe(question())));
    const guess = !guessed() && (n() <= LAST ? estimated(ruleOf(state).name) : !by().rules);
    const most = errors.find(({ parameter, maximum }) => parameter === 'n' && maximum < n())?.maximum;
    answer.append(
      row(guess && button(t('count.estimate'), estimate), most !== undefined && button(t('board.toSize', { n: most }), () => to(most))),
    );
  }

  // The chosen n of the chart.
  function read(found) {
    answer.setAttribute('aria-busy', !found);
    if (found?.errors || found?.code) refuse({ ...found, status: 422 });
    else if (found) paint(found);
  }

  // The mark that the chart has for it, and the source of the number in words.
  function source(json) {
    const joined = json.n > 14 && !json.rules;
    const way = json.note && json.rules ? 'withoutSearch' : json.symmetry ? 'byOrbits' : joined ? 'byJoining' : 'bySearch';
    const kinds = {
      table: () => [t('count.published'), ' ', h('a', { href: `https://oeis.org/${json.oeis}`, rel: 'noreferrer' }, json.oeis)],
      computed: () => t('count.computed', { how: t(`count.${way}`) }),
      estimate: () => t('count.estimated', { ...json, error: power(json.standard_error), percent: percent(json) }),
      asymptotic: () => t('count.asymptotic', { digits: Math.floor(json.log10) + 1 }),
    };
    const { provenance: kind } = json;
    const mark = json.count_text === '0' ? 'cross' : signs[kind];
    return [mark && sign(mark), ' ', kinds[kind]()];
  }

  // What the service's note is about, in the page's language. Of other notes than these two no question of this tab has one.
  function remark({ note, rules, distinct, symmetry, provenance, count_text: count, estimate_text: guess }) {
    const ofTerm = provenance === 'table' && (distinct || symmetry); // how the count follows from the published number
    if (note && rules && (count ?? guess) === '0' && !(ofTerm && symmetry)) return whyNone({ rules });
    return note && ofTerm && distinct ? t('count.halved') : null;
  }

  function paint(json) {
    const { distinct, symmetry, rules, count_text: count, estimate_text: guess, log10, walks, seed } = json;
    const note = remark(json);
    const amount = count ? number(count) : guess ? `≈ ${power(guess)}` : `log₁₀ Q(n) ≈ ${number(log10)}`;
    const held = answer.contains(document.activeElement);
    const better = !guessed() && guess && guess !== '0';
    answer.replaceChildren(
      h('h3', null, describe({ n: json.n, distinct, symmetry, rules })),
      h('p', { class: 'amount' }, amount),
      h('p', { class: 'source' }, source(json)),
      note ? h('p', { class: 'note' }, note) : '',
      better ? button(t('count.better'), estimate) : '',
    );
    if (held) answer.focus();
    const method = guess || log10 ? { method: 'estimate', walks, seed } : {};
    showRequests(snippet, ['count', { ...question(), ...method }]);
    say([amount, answer.querySelector('.source').textContent].join(' '));
  }

  function answerNow() {
    const params = wanted();
    const found = params ? null : chart.row();
    const now = JSON.stringify([question(), params, found]);
    if (now === last) return;
    last = now;
    clearTimeout(patient);
    if (!found) patient = setTimeout(() => answer.replaceChildren(t('count.asking')), 300);
    if (params) return load(params);
    asking.stop();
    read(found);
  }

  // Placements of every number of queens have a script of their own, for those who open it.
  let profile = null;
  async function unfold() {
    if (fewer.open !== (state.get('profile') === '1')) state.set({ profile: fewer.open ? 1 : null }, { replace: true });
    if (!fewer.open || profile) return;
    const made = await part('count_profile');
    if (profile || leaving.signal.aborted) return;
    profile = made.profile(state, { n, question, signal: leaving.signal, chart: { drawChart, sign }, compute: (params) => t('count.compute', { what: describe(params) }) });
    fewer.append(profile.element);
    await turn();
    profile.update();
  }

  function update() {
    full.update();
    showValue(size, n());
    less.disabled = n() <= 0;
    rules.show();
    distinct.lastChild.hidden = !ruleOf(state).torus;
    distinct.value = filters().distinct ?? 'all';
    symmetry.value = filters().symmetry ?? 'any';
    method.value = guessed() ? 'estimate' : 'auto';
    method.disabled = beyond();
    methodField.hidden = !whole() || !(guessed() || estimated(ruleOf(state).name));
    for (const part of parts) part.update();
    fewer.open = state.get('profile') === '1';
    if (fewer.open) profile?.update();
    answerNow();
  }

  update();
  return { update, close: () => [leaving.abort(), clearTimeout(patient), asking.stop(), ...parts.map(({ close }) => close())] };
}
