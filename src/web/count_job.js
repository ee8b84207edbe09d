// count_job.js - a count as a job: its cost, its progress, its end. It knows no other part of the tab.
import { ask, events } from './api.js';
import { button, h, latest, meaning, say } from './dom.js';
import { showRequests } from './snippet.js';
import { duration, number, t } from './words.js';

const SOON = 2; // a count of fewer seconds starts without a question
const [FELT, COUNTED] = [17, 32]; // smaller boards take no noticeable time; larger ones are not counted
const isOver = ({ state }) => !['queued', 'running'].includes(state);
const asked = (job) => Object.fromEntries(new URLSearchParams(job.query.split('?')[1]));

// The count in words.
export function describe({ n, method, distinct, symmetry, rules, ...others }) {
  const names = [distinct && `count.${distinct}`, symmetry && `count.${symmetry}`, rules && `rules.${rules}.name`];
  const named = names.filter(Boolean).map((name) => t(name));
  return [`n = ${number(n)}`, ...named, ...Object.entries(others).map((pair) => pair.join('='))].join(', ');
}

// Nothing if there is no such job.
async function read(path, signal) {
  try {
    return (await ask(path, {}, { signal })).json;
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    return null;
  }
}

// question() -> the parameters of /count; estimate() leads to the estimate. The id of the job is in the URL: a page with this URL
// follows the job.
export function jobPanel(state, { question, estimate }) {
  let source = null;
  let watched = ''; // id of the job shown
  let running = null; // the elements that change while it runs
  let last = '';

  const place = h('div');
  const snippet = h('div');
  const start = button('', () => consider());
  const note = h('p', { class: 'note' }, t('count.realAbout'));
  const price = h('div');
  const head = [h('h3', null, t('count.real')), price, h('div', { class: 'row' }, start), note];
  const element = h('div', { class: 'panel' }, head, place, snippet);
  const [working, pricing] = [latest(place), latest(price)];

  function attempt(work) {
    source?.close();
    running = null;
    price.hidden = true; // what is in its place says more
    return working.run(work);
  }

  // A text, and the buttons for it.
  function tell(words, ...buttons) {
    const held = place.contains(document.activeElement);
    place.replaceChildren(...words, h('div', { class: 'row' }, buttons));
    if (held) place.querySelector('button').focus();
  }

  const putAway = () => button(t('count.putAway'), () => (state.set({ job: null }), idle(), start.focus()));

  function idle() {
    attempt(() => place.replaceChildren());
    price.hidden = false;
    watched = '';
    showRequests(snippet, ['jobs', {}, 'POST', { kind: 'count', ...question() }]);
  }

  const costOf = async (params, signal) => {
    const options = { method: 'POST', body: { kind: 'count', ...params }, signal };
    const { json: cost } = await ask('jobs', { 'dry-run': true }, options);
    const time = cost.core_seconds / cost.threads;
    const cores = t('count.cores', { count: cost.threads });
    const values = { what: describe(params), time: duration(time), core: duration(cost.core_seconds), cores };
    return { ...cost, time, words: t('count.cost', values) };
  };

  // What the count would take, where that is noticeable; nothing if it cannot be counted.
  const tellPrice = (params) =>
    pricing.run(async (signal) => {
      price.textContent = '';
      if (params.n < FELT || params.n > COUNTED) return;
      const cost = await costOf(params, signal).catch(() => null);
      if (!signal.aborted && cost) price.textContent = cost.words;
    });

  const consider = () =>
    attempt(async (signal) => {
      const params = question();
      const cost = await costOf(params, signal);
      if (cost.accepted && cost.time < SOON) return begin(params);
      const { words } = cost;
      const does = cost.accepted ? button(t('count.begin'), () => begin(params)) : button(t('count.estimate'), estimate);
      tell([h('p', null, words, ' ', t(cost.accepted ? 'count.beginIt' : 'count.refused'))], does, putAway());
      place.querySelector('button').focus();
    });

  const begin = (params) =>
    attempt(async (signal) => {
      const { json: job } = await ask('jobs', {}, { method: 'POST', body: { kind: 'count', ...params }, signal });
      watched = job.id;
      state.set({ job: job.id });
      watch(job.id);
    });

  // Also after a stream that ended early: reading the job shows whether the job, and the service, still exist.
  const watch = (id) =>
    attempt(async (signal) => {
      watched = id;
      const path = `jobs/${encodeURIComponent(id)}`;
      showRequests(snippet, [path, {}]);
      const job = await read(path, signal);
      if (!job) return place.replaceChildren(h('div', { class: 'error', role: 'alert' }, t('count.noJob')));
      paint(job);
      if (isOver(job)) return;
      const error = () => {
        source.close();
        setTimeout(() => signal.aborted || watch(id), 1000);
      };
      source = events(`${path}/events`, { progress: paint, done: paint, error });
    });

  const cancel = (id) =>
    attempt(async (signal) => {
      await ask(`jobs/${id}`, {}, { method: 'DELETE', signal });
      watch(id);
    });

  function paint(job) {
    const params = asked(job);
    const what = describe(params);
    const percent = Math.floor(1000 * job.progress) / 10;
    const why = (job.failure && meaning(job.failure)) ?? t('count.unexplained');
    if (isOver(job)) return over(job, params, { what, percent, why });
    if (!running) {
      running = { bar: h('progress', { class: 'progress', max: 1, 'aria-label': t('count.progress') }), note: h('p') };
      const words = h('p', null, t('count.counting', { what }));
      tell([words, running.bar, running.note], button(t('count.cancel'), () => cancel(job.id)));
      say(place.firstChild.textContent);
    }
    const { units, shares, eta_seconds: left } = job;
    if (units.total) running.bar.value = job.progress;
    running.note.textContent = [
      t(units.total ? 'count.share' : 'count.prepared', { percent, ...units }),
      left === null ? [] : t('count.toGo', { time: duration(left) }),
      shares > 1 ? t('count.shares', { count: shares }) : [],
    ]
      .flat()
      .join('; ');
  }

  function over(job, params, values) {
    running = null;
    const seconds = (Date.parse(job.finished) - Date.parse(job.created)) / 1000;
    const done = job.state === 'done';
    const pieces = done && job.units.total ? t('count.restored', job.units) : '';
    const words = `${t(`count.${job.state}`, { ...values, time: duration(Math.max(seconds, 1)) })} ${pieces}`.trim();
    const amount = done ? number(job.result.count_text) : '';
    const more = done ? [] : button(t('count.goOn'), () => begin(params));
    tell([h('p', null, words), h('p', { class: 'amount' }, amount)], more, putAway());
    say(`${words} ${amount}`);
  }

  function update() {
    const id = state.get('job');
    const now = describe(question());
    element.hidden = !id && question().n > COUNTED;
    if (id && id !== watched) watch(id);
    else if (!id && (watched || now !== last)) idle();
    if (now !== last) tellPrice(question());
    last = now;
    start.textContent = t('count.compute', { what: now });
  }

  return { element, update, close: () => (source?.close(), working.stop(), pricing.stop()) };
}
