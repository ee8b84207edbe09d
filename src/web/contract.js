// contract.js - pieces of an OpenAPI document as elements: texts, facts, schemas, examples. It knows neither routes nor requests.
import { h } from './dom.js';
import { t } from './words.js';

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\(https:[^)]+\))/;

// The Markdown of the contract, within a line: code, bold and links. Code with an entry in links becomes a link.
export const inline = (text, links = {}) =>
  text.split(INLINE).map((part) => {
    if (part.startsWith('**')) return h('strong', null, part.slice(2, -2));
    const [, text, to] = part.match(/^\[(.+)\]\((https:.+)\)$/) ?? [];
    if (to) return h('a', { href: to, rel: 'noreferrer' }, text);
    if (!part.startsWith('`')) return part.replace(/\n\s*/g, ' ');
    const [name, href] = [part.slice(1, -1), links[part.slice(1, -1)]];
    return href ? h('a', { href }, h('code', null, name)) : h('code', null, name);
  });

// Paragraphs and lists. They are English in every language of the page.
export function markdown(text = '', links) {
  const blocks = text.split(/\n{2,}|\n$/).filter(Boolean).map((block) => `\n${block}`.split(/\n[*-] /));
  const item = (words) => h('li', null, inline(words, links));
  return h(
    'div',
    { lang: 'en' },
    blocks.map(([before, ...items]) => [
      before && h('p', null, inline(before.trim(), links)),
      items.length > 0 && h('ul', null, items.map(item)),
    ]),
  );
}

// Details whose content is made when they are first opened, because schemas contain schemas; or by fill(), if that comes first.
export function unfoldOrFill(summary, make, attributes) {
  const details = h('details', attributes, h('summary', null, summary));
  const fill = () => details.children.length === 1 && details.append(h('div', null, make()));
  details.addEventListener('toggle', fill);
  return { details, fill };
}
export const unfold = (...given) => unfoldOrFill(...given).details;

// JSON on lines of its own, lists of plain values on one. Numbers stay as written: a double cannot represent them all.
export function pretty(text) {
  let depth = 0;
  const line = (by) => '\n' + '  '.repeat((depth += by));
  const string = '"(?:[^"\\\\]|\\\\.)*"';
  const tokens = new RegExp(`${string}|\\[(?:${string}|[^"[\\]{}])*\\]|\\{\\s*\\}|[{}[\\],:]|[^\\s{}[\\],:"]+`, 'g');
  return text.match(tokens).reduce((all, token) => {
    if (token === '{' || token === '[') return all + token + line(1);
    if (token === '}' || token === ']') return all + line(-1) + token;
    if (token === ',') return all + token + line(0);
    return all + (token === ':' ? ': ' : token);
  }, '');
}

export const code = (text, attributes) => h('pre', { lang: 'en', tabindex: 0, ...attributes }, h('code', null, text));
export const example = (value) => code(typeof value === 'string' ? value : pretty(JSON.stringify(value)));

// The constraints of a value: type, range, choices, pattern.
export function facts(schema) {
  const { type, format, enum: words, const: only, minimum, maximum, minLength, minItems, maxItems, pattern } = schema;
  const range = (least, most) => (least ?? most) !== undefined && `${least ?? ''} … ${most ?? ''}`.trim();
  const told = [
    [type].flat().join(' | '),
    format,
    range(minimum, maximum),
    minLength && `${t('docs.length')} ${range(minLength)}`,
    range(minItems, maxItems) && `${t('docs.items')} ${range(minItems, maxItems)}`,
    words && words.map((word) => JSON.stringify(word)).join(' | '),
    only !== undefined && `= ${JSON.stringify(only)}`,
    pattern && `/${pattern.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}/`,
    schema.default !== undefined && `${t('docs.default')} ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  return h('span', { class: 'facts' }, told.join(', '));
}

// A schema as an outline; a named schema unfolds. find: the target of a $ref.
export function outline(schema, find, links) {
  const deeper = (inner) => outline(inner, find, links);
  if (schema.$ref) return unfold(h('code', null, schema.$ref.split('/').at(-1)), () => deeper(find(schema)));
  const named = (word, inner) => inner && h('div', { class: 'inner' }, `${word} `, deeper(inner));
  const { properties = {}, required = [], items, oneOf, anyOf, additionalProperties, dependentRequired = {} } = schema;
  const member = ([name, inner]) =>
    h('li', null, h('code', null, name), required.includes(name) && [' ', h('b', null, t('docs.required'))], ' ', deeper(inner));
  const choices = oneOf ?? anyOf;
  const choice = (inner) => h('li', null, deeper(inner));
  const known = required.filter((name) => !(name in properties));
  return [
    facts(schema),
    schema.description && markdown(schema.description, links),
    named(t('docs.each'), items),
    Object.keys(properties).length > 0 && h('ul', { class: 'outline' }, Object.entries(properties).map(member)),
    known.length > 0 && h('div', null, `${t('docs.required')}: ${known.join(', ')}`),
    choices && h('div', { class: 'inner' }, t(oneOf ? 'docs.oneOf' : 'docs.anyOf'), h('ul', null, choices.map(choice))),
    additionalProperties?.constructor === Object && named(t('docs.others'), additionalProperties),
    Object.entries(dependentRequired).map(([name, others]) =>
      h('div', null, t('docs.together', { name, others: others.join(', ') })),
    ),
    named(t('docs.within'), schema.contentSchema),
  ];
}
