// rows.js - a row of the table of parameters that `nqueensd routes` prints: as a schema of OpenAPI, as sentences, and as a row of
// docs/parameters.md. It knows no YAML.
import { readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url);
export const read = (file) => readFileSync(new URL(file, root), 'utf8');
export const WIDTH = 132; // of a line

export const fail = (what) => {
  throw new Error(what);
};

export const wrap = (text, pad) =>
  text.split(' ').reduce((lines, word) => {
    const longer = `${lines.at(-1)} ${word}`;
    return lines.length && longer.length <= WIDTH ? [...lines.slice(0, -1), longer] : [...lines, pad + word];
  }, []);

// ---- The schema of a row ----

const constant = (name) => Number(read('src/base/param.h').match(new RegExp(`\\b${name} = (\\d+)`))[1]);
const NUMBER = '(0|[1-9][0-9]*)';
const SQUARE = `${NUMBER}:${NUMBER}`;
const FORMS = {
  token: { minLength: 1 },
  text: {},
  board: { maxLength: constant('PARAM_BOARD_MAX'), pattern: '^[^\\u0000]+$' },
  date: { format: 'date' },
  range: { pattern: '^[0-9]+-[0-9]+$' },
  squares: { pattern: `^(${SQUARE}(,${SQUARE})*)?$` },
  columns: { pattern: `^${NUMBER}(,${NUMBER})*$` },
  queens: { pattern: `^(${NUMBER}(,${NUMBER})*|${SQUARE}(,${SQUARE})*)?$` },
  factors: { pattern: `^[0-9]+(,[0-9]+)*(x[0-9]+(,[0-9]+)*){0,${constant('PARAM_FACTORS_MAX') - 1}}$` },
};
const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

export function schemaOf({ name, type, choices, default: preset, minimum, maximum, sizes, all }) {
  if (choices?.join() === 'false,true') return given({ type: 'boolean', default: preset && preset === 'true' });
  if (choices) {
    const digits = choices.every((word) => /^\d+$/.test(word));
    if (!digits) return given({ type: 'string', enum: choices, default: preset });
    return given({ type: 'integer', enum: choices.map(Number).sort((a, b) => a - b), default: preset && Number(preset) });
  }
  if (type !== 'number') return { type: 'string', ...(FORMS[type] ?? fail(`${name}: no form of the type ${type}`)) };
  const most = maximum > Number.MAX_SAFE_INTEGER ? undefined : maximum; // no limit of ours, but that of 64 bits
  const number = given({ type: 'integer', format: most < 2 ** 31 ? undefined : 'int64', minimum, maximum: most, default: preset });
  return sizes ? { oneOf: [number, { type: 'string', pattern: all ? `^(${NUMBER}-${NUMBER}|${all})$` : `^${NUMBER}-${NUMBER}$` }] } : number;
}

// ---- What goes together ----

export const capital = (text) => text[0].toUpperCase() + text.slice(1);
// "board size; not needed with regions" as sentences of Markdown. A value that stands first, "true: ...", is a name and stays as it is.
export const sentences = (summary) =>
  summary.split('; ').map((part) => {
    const text = part.replace(/[\w-]+=[\w-]+|[\w-]+:[a-z]+(?:,\.\.\.)?|(?<=^| )\/[a-z]+|\w+_\w+|^[\w-]+(?=:)/g, '`$&`');
    return `${capital(text)}.`;
  }).join(' ');

const code = (text) => `\`${text}\``;
const joined = (words, last) => [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${last} `);

// A condition {name, values, ranged, called} as Markdown; rows: those of the route, for the values that are left out.
function condition({ name, values, ranged, called }, rows) {
  if (called) return called;
  if (ranged) return `a range of ${code(name)}`;
  if (!values) return code(name);
  const others = (rows.find((row) => row.name === name)?.choices ?? []).filter((word) => !values.includes(word));
  if (others.length && others.length < values.length) return `${code(name)} other than ${joined(others.map(code), 'and')}`;
  return joined(values.map((word, i) => code(i ? word : `${name}=${word}`)), 'or');
}

const [NOT, ONLY] = ['not together with', 'only together with'];
const WORDS = {
  excludes: () => NOT, needs: () => ONLY, never: () => 'not accepted',
  'must-be': ({ value }) => `always ${code(value)} with`, 'at-most': ({ limit }) => `at most ${limit} with`, 'at-least': ({ limit }) => `at least ${limit} with`,
};

// The bonds of a row, as the table has them (struct bond in src/base/param.h): {own: the values that they are for, words, text}.
function bondsOf({ bonds = [], choices }, rows) {
  return bonds.map((bond) => {
    const { kind, with: other, also, unless, unless_any: any } = bond;
    const own = bond.own && bond.own.length < choices.length ? bond.own : [];
    const text = [other, also].filter(Boolean).map((one) => condition(one, rows)).join(' and ');
    const others = any && !other.called ? joined(any.split(' ').map(code), 'or') : unless && condition(unless, rows); // a name says what it is not
    const but = others ? `${kind === 'needs' ? ' or' : ', unless with'} ${others}` : '';
    return { own: joined(own.map(code), 'or'), words: WORDS[kind](bond), text: `${text}${but}` };
  });
}

// Sentences about what goes together with a parameter, for the routes that have it: [{path, row, rows}].
export function together(uses) {
  const lists = uses.map(({ row, rows }) => bondsOf(row, rows).map(({ own, words, text }) => [`${own} ${words}`.trim(), text]));
  const same = ([words, text]) => ([w, t]) => w === words && t === text;
  const all = lists[0].filter((bond) => lists.every((list) => list.some(same(bond))));
  const sentencesOf = (bonds, start) =>
    [...new Set(bonds.map(([words]) => words))].map((words) => {
      const texts = bonds.filter(([other]) => other === words).map(([, text]) => text);
      return capital(`${start}${words} ${texts.join(texts.some((text) => /,| or /.test(text)) ? '; ' : ', ')}`.trim()) + '.';
    });
  const some = new Map(); // of other bonds, by the routes that have them
  for (const bond of lists.flat().filter((bond) => !all.some(same(bond)))) {
    const paths = uses.filter((_, i) => lists[i].some(same(bond))).map(({ path }) => path);
    const of = joined([...new Set(paths)].map(code), 'and');
    if (!some.get(of)?.some(same(bond))) some.set(of, [...(some.get(of) ?? []), bond]);
  }
  return [...sentencesOf(all, ''), ...[...some].flatMap(([of, bonds]) => sentencesOf(bonds, `for ${of} `))].join(' ');
}

// ---- docs/parameters.md ----

const INTRODUCTION = `# The parameters

Which parameters each route takes, their limits, and which go together. \`make contract\` writes this page: it repeats the table that
the service reads. What they do is described in [the contract](../openapi.yaml). The body of \`POST /jobs\` has the parameters of
\`/count\` as members. A board that is sent by \`POST\` stands for the parameters that it names.

*Not with* names what a parameter excludes, *only with* what it needs.
`;
const SHAPES = { token: 'a word', text: 'a text', board: 'a board', date: 'a date, `1970-01-01`', range: 'two rows, `1-8`', squares: 'squares, `1:1,2:3`', columns: 'numbers, `4,8`', queens: 'columns, `4,2,1`, or squares, `1:1,2:3`', factors: 'sizes or boards, `5x5x25`, `4x2,5,3,1,4`' };

function limitsOf(row) {
  const { required, unless, choices, default: preset, minimum, maximum, sizes, all, type } = row;
  const need = [...(required ? ['required'] : []), ...(unless ? [`required without ${unless.split(' ').map(code).join(' and ')}`] : [])];
  const range = maximum > Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`;
  const what = choices ? choices.map(code).join(', ') : type === 'number' ? range : SHAPES[type];
  return [what, ...(sizes ? [`${all ? '' : 'or '}a range of at most ${sizes} of them`] : []), ...(all ? [`or ${code(all)}`] : []), ...(preset === undefined ? [] : [`${choices ? code(preset) : preset} by default`]), ...need].join('; ');
}

export function pageOf(routes) {
  const groups = new Map();
  for (const { method, path, parameters } of routes.filter((route) => route.parameters.length)) {
    const rows = parameters.map((row) => {
      const bonds = bondsOf(row, parameters);
      const cell = (kind) => bonds.filter(({ words }) => words === kind).map(({ own, text }) => (own ? `${own}: ${text}` : text)).join('; ');
      const limits = bonds.filter(({ words }) => words !== NOT && words !== ONLY).map(({ own, words, text }) => `${own} ${words} ${text}`.trim());
      return `| ${code(row.name)} | ${[sentences(row.summary), [limitsOf(row), ...limits].join('; '), cell(NOT), cell(ONLY)].map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`;
    }).join('');
    const paths = groups.get(rows) ?? new Map();
    groups.set(rows, paths.set(path, [...(paths.get(path) ?? []), method]));
  }
  const titled = [...groups].map(([rows, paths]) => [rows, [...paths].map(([path, methods]) => code(`${methods.join(', ')} ${path}`))]).map(([rows, names]) => [names.length > 1 ? `${names[0]} and ${names.length - 1} more` : names[0], names, rows]);
  const contents = titled.map(([title]) => `[${title}](#${title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')})`);
  const lines = wrap(`Contents: ${contents.map((link) => link.replaceAll(' ', '\0')).join('\0· ')}`, '').map((line) => line.replaceAll('\0', ' '));
  const tables = titled.map(([title, names, rows]) => `\n## ${title}\n\n${names.length > 1 ? `${names.join(', ')}\n\n` : ''}| name | what | limits | not with | only with |\n|---|---|---|---|---|\n${rows}`);
  return `${INTRODUCTION}\n${lines.join('\n')}\n${tables.join('')}`;
}
