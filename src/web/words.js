// words.js - the page's texts in the chosen language. The sentences are in words_<language>.js; pack.sh gives the page those of all
// tabs, and each tab its own.
import { turn } from './turn.js';

const links = globalThis.document?.querySelectorAll('link[rel=words]') ?? []; // tests of other modules have no page
const files = Object.fromEntries([...links].map((link) => [link.hreflang, link]));
export const languages = Object.fromEntries([...links].map(({ hreflang, title }) => [hreflang, title]));

let words = {};
let plural, digits;
export let language = 'en';

// The script of a link did not come: anew.js hears that. Never returns.
export const missing = (link) => new Promise(() => link.dispatchEvent(new Event('error')));

export async function speak(wanted) {
  const found = wanted in languages ? wanted : 'en';
  const coming = import(files[found].href).catch(() => missing(files[found]));
  await turn();
  const grouping = new Intl.NumberFormat(found, { maximumFractionDigits: 3 }); // the first one takes the browser 15 ms: its turn is for it alone
  await turn();
  ({ default: words } = await coming);
  language = found;
  plural = new Intl.PluralRules(language);
  digits = grouping;
  document.documentElement.lang = language;
}

// Adds the sentences of a tab.
export const learn = (more) => (words = { ...words, ...more });

// A number of any size with its digits in groups; whole numbers can be text.
export const number = (x) => digits.format(typeof x === 'string' && /^-?\d+$/.test(x) ? BigInt(x) : Number(x));

// A number of seconds in a suitable unit.
export function duration(seconds) {
  const units = { year: 31557600, day: 86400, hour: 3600, minute: 60, second: 1, millisecond: 0.001 };
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= size) ?? ['millisecond', 0.001];
  const long = { unitDisplay: 'long', compactDisplay: 'long', notation: 'compact', maximumSignificantDigits: 2 };
  return new Intl.NumberFormat(language, { style: 'unit', unit, ...long }).format(seconds / size);
}

// The name of an algorithm for readers: its title in the service, or what the language has for it.
export const titleOf = ({ name, title }) => words.titles?.[name] ?? title;

// What a construction does, for readers, and the language of that if it is another one: the same from its summary.
export const methodOf = ({ name, summary }) => (words.methods?.[name] ? [words.methods[name]] : [summary, 'en']);

// What the articles of a family of algorithms say: { how, more, errs }, if there are any.
export const articleOf = (family) => words.articles[family];

// The sentence 'tab.key' with {name} replaced by values; null if the page's language has none. One with plural forms is chosen by
// values.count.
export function sentence(key, values = {}) {
  let found = key.split('.').reduce((at, name) => at?.[name], words);
  if (found && typeof found === 'object') found = found[plural.select(Number(values.count))] ?? found.other;
  const text = (value) => (typeof value === 'number' ? number(value) : value);
  return found?.replaceAll(/\{(\w+)\}/g, (whole, name) => (name in values ? text(values[name]) : whole)) ?? null;
}

// The same for a sentence that must be there.
export function t(key, values) {
  const found = sentence(key, values);
  if (found === null) console.error(`no words for ${key}`);
  return found ?? key;
}

// A square, [row, column], in words.
export const nameOf = ([row, column]) => t('shell.cell', { row, column });
