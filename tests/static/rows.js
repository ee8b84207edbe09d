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
  factors: { pattern: `^[0-9]+(x[0-9]+){0,${constant('PARAM_FACTORS_MAX') - 1}}$` },
};
const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

export function schemaOf({ name, type, choices, default: preset, minimum, maximum, sizes }) {
  if (choices?.join() === 'false,true') return given({ type: 'boolean', default: preset && preset === 'true' });
  if (choices) {
    const digits = choices.every((word) => /^\d+$/.test(word));
    if (!digits) return given({ type: 'string', enum: choices, default: preset });
    return given({ type: 'integer', enum: choices.map(Number).sort((a, b) => a - b), default: preset && Number(preset) });
  }
  if (type !== 'number') return { type: 'string', ...(FORMS[type] ?? fail(`${name}: no form of the type ${type}`)) };
  const most = maximum > Number.MAX_SAFE_INTEGER ? undefined : maximum; // no limit of ours, but that of 64 bits
  const number = given({ type: 'integer', format: most < 2 ** 31 ? undefined : 'int64', minimum, maximum: most, default: preset });
  return sizes ? { oneOf: [number, { type: 'string', pattern: `^${NUMBER}-${NUMBER}$` }] } : number;
}

// ---- What goes together ----

// "regions", "format=svg|png": a condition as Markdown.
const condition = (text) => {
  const [name, words] = text.split('=');
  return words ? words.split('|').map((word) => `\`${name}=${word}\``).join(' or ') : `\`${name}\``;
};
const BONDS = { excludes: 'not together with', needs: 'only together with' };
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
// "board size; not needed with regions" as sentences of Markdown. A value that stands first, "true: ...", is a name and stays as it is.
export const sentences = (summary) =>
  summary.split('; ').map((part) => {
    const text = part.replace(/[\w-]+=[\w-]+|[\w-]+:[a-z]+(?:,\.\.\.)?|(?<=^| )\/[a-z]+|\w+_\w+|^[\w-]+(?=:)/g, '`$&`');
    return `${capital(text)}.`;
  }).join(' ');

// The sentences about the members `excludes` and `needs` of a parameter, for those routes that have it: [{path, row}].
export function together(uses) {
  return Object.entries(BONDS).flatMap(([member, words]) => {
    const lists = uses.map(({ row }) => (row[member] ?? []).map(condition));
    const all = lists[0].filter((text) => lists.every((list) => list.includes(text)));
    const own = lists.map((list) => list.filter((text) => !all.includes(text)));
    return [
      ...(all.length ? [capital(`${words} ${all.join(', ')}.`)] : []),
      ...uses.flatMap(({ path }, i) => (own[i].length ? [`For \`${path}\` ${words} ${own[i].join(', ')}.`] : [])),
    ];
  }).join(' ');
}

// ---- docs/parameters.md ----

const INTRODUCTION = `# The parameters

Which parameters each route takes, their limits, and which go together. \`make contract\` writes this page: it repeats the table that
the service reads. What they do is described in [the contract](../openapi.yaml). The body of \`POST /jobs\` has the parameters of
\`/count\` as members.

*Not with* names what a parameter excludes, *only with* what it needs.
`;
const SHAPES = { token: 'a word', text: 'a text', board: 'a board', date: 'a date, `1970-01-01`', range: 'two rows, `1-8`', squares: 'squares, `1:1,2:3`', columns: 'numbers, `4,8`', factors: 'numbers, `5x5x25`' };

function limitsOf(row) {
  const { required, unless, choices, default: preset, minimum, maximum, sizes, type } = row;
  const need = [...(required ? ['required'] : []), ...(unless ? [`required without ${unless.split(' ').map(condition).join(' and ')}`] : [])];
  const range = maximum > Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`;
  const what = choices ? choices.map((word) => `\`${word}\``).join(', ') : type === 'number' ? range : SHAPES[type];
  return [what, ...(sizes ? [`or a range of at most ${sizes} of them`] : []), ...(preset === undefined ? [] : [`${choices ? `\`${preset}\`` : preset} by default`]), ...need].join('; ');
}

export function pageOf(routes) {
  const groups = new Map();
  for (const { method, path, parameters } of routes.filter((route) => route.parameters.length)) {
    const rows = parameters.map((row) => {
      const bonds = Object.keys(BONDS).map((member) => (row[member] ?? []).map(condition).join(', '));
      return `| \`${row.name}\` | ${[sentences(row.summary), limitsOf(row), ...bonds].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
    }).join('');
    groups.set(rows, [...(groups.get(rows) ?? []), `\`${method} ${path}\``]);
  }
  const titled = [...groups].map(([rows, names]) => [names.length > 1 ? `${names[0]} and ${names.length - 1} more` : names[0], names, rows]);
  const contents = titled.map(([title]) => `[${title}](#${title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')})`);
  const lines = wrap(`Contents: ${contents.map((link) => link.replaceAll(' ', '\0')).join('\0· ')}`, '').map((line) => line.replaceAll('\0', ' '));
  const tables = titled.map(([title, names, rows]) => `\n## ${title}\n\n${names.length > 1 ? `${names.join(', ')}\n\n` : ''}| name | what | limits | not with | only with |\n|---|---|---|---|---|\n${rows}`);
  return `${INTRODUCTION}\n${lines.join('\n')}\n${tables.join('')}`;
}
