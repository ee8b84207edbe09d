// dom.js - makes elements, and messages for the reader. It knows neither tabs nor the service.
import { duration, sentence, t } from './words.js';

function make(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === 'dataset') Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// h('p', { class: 'note', onclick }, 'text', h('b', null, 'bold')): null, undefined and false are left out, of attributes too.
export const h = (tag, attributes, ...children) => make(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  make(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

const looks = new Set();

// The look of a part, which comes with its script: after that of the page, and once.
export function look(css) {
  if (looks.has(css)) return;
  looks.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

export const note = (words) => h('p', { class: 'note' }, words);
export const row = (...children) => h('div', { class: 'row' }, ...children);
export const field = (label, input) => h('label', { class: 'field' }, label, input);
export const button = (label, onClick, attributes = {}) =>
  h('button', { type: 'button', class: 'button', onclick: onClick, ...attributes }, label);
// choice({ a: 'Name of a' }, 'a', (value) => ...)
export const choice = (names, chosen, onChange, attributes = {}) =>
  h(
    'select',
    { onchange: (event) => onChange(event.target.value), ...attributes },
    Object.entries(names).map(([value, name]) => h('option', { value, selected: value === String(chosen) }, name)),
  );

// Shows a value in a field, unless it is the one shown last: what a reader types meanwhile stays.
export function showValue(input, value) {
  if (input.dataset.shown === String(value)) return;
  input.value = input.dataset.shown = value;
}

// A message for screen readers. They read nothing of the page while a sheet lies over it.
const sheet = () => document.querySelector('dialog[open]');
export function say(text) {
  (sheet()?.querySelector('[role=status]') ?? document.getElementById('said')).textContent = text;
}

// A rejected request is rejected again, except where each attempt draws another seed.
const REDRAWN = ['puzzle-not-found', 'not-drawn'];
const isFinal = ({ status, code }) => [400, 404, 422].includes(status) && !REDRAWN.includes(code);

// Shows an error instead of the content of root; retry, if given, is a button that tries again, for errors that this may help.
export function show(root, problem, retry) {
  const words = problem.gone ? t('shell.gone') : inWords(problem);
  if (!problem.gone && !problem.status) console.error(problem);
  const way = retry && !isFinal(problem) && button(t('shell.retry'), retry);
  const held = root.contains(document.activeElement);
  root.replaceChildren(h('div', { class: 'error', role: 'alert' }, words, way && h('div', null, way)));
  if (held && way) way.focus();
}

// What a code and its numbers mean, in the page's language; null: the code has no words here.
export function meaning({ code, choices = [], ...values }) {
  for (const name of Object.keys(values)) if (name.endsWith('core_seconds')) values[name] = duration(values[name]);
  return sentence(`refused.${code}`, { ...values, choices: choices.join(', ') });
}

// What a problem is, by its type; its status where a proxy has answered; else it is an error of the page itself.
export function kindOf({ type, status }) {
  const slug = type?.split(':').at(-1);
  return sentence(`problems.${slug}`) ?? t(status ? 'problems.status' : 'problems.page', { status: String(status) });
}

// A problem in the page's language, by the codes of it or of its errors, or else by its type: no sentence of the service.
export function inWords(problem) {
  const { code, errors = [] } = problem;
  const told = errors.map((error) => meaning(error) && `${error.parameter}: ${meaning(error)}`);
  if (told.length && !told.includes(null)) return [...new Set(told)].join('; ');
  const words = (code && meaning(problem)) || kindOf(problem);
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

// Copies the text or the picture (a Blob) that make() resolves to, with a message. Without https only the old way works.
async function copy(make) {
  try {
    const what = await make();
    if (typeof what !== 'string') await navigator.clipboard.write([new ClipboardItem({ 'image/png': what })]);
    else if (navigator.clipboard) await navigator.clipboard.writeText(what);
    else if (!copyOldWay(what)) throw new Error('refused');
    say(t('shell.copied'));
    return true;
  } catch {
    say(t('shell.notCopied'));
    return false;
  }
}

function copyOldWay(text) {
  const area = h('textarea', { class: 'unseen' });
  area.value = text;
  (sheet() ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

// A button that copies and shows for a moment whether that succeeded.
export function copyButton(label, make, attributes = {}) {
  const made = button(
    label,
    async () => {
      made.textContent = (await copy(make)) ? t('shell.copied') : t('shell.notCopied');
      setTimeout(() => (made.textContent = label), 1500);
    },
    attributes,
  );
  return made;
}

// Work that takes a while, shown in place; only the latest one counts. run(work) cancels the work before and calls work(signal);
// stop() cancels it. Errors are shown, with a button to try again where that may help.
export function latest(place) {
  let asking = new AbortController();
  const stop = () => {
    asking.abort();
    asking = new AbortController();
    place.removeAttribute('aria-busy');
  };
  const run = async (work) => {
    stop();
    const { signal } = asking;
    place.setAttribute('aria-busy', 'true');
    try {
      await work(signal);
    } catch (problem) {
      if (!signal.aborted) show(place, problem, () => run(work));
    }
    if (!signal.aborted) place.removeAttribute('aria-busy');
  };
  return { run, stop };
}
