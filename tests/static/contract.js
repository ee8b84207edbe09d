#!/usr/bin/env node
// contract.js [--write] [BUILD] - makes openapi.yaml of docs/contract/*.yaml and of the table of parameters that `nqueensd routes` prints,
// and docs/parameters.md of the table alone. Exits with 1 if one of them is another; with --write writes them. What stands in
// docs/contract goes to openapi.yaml as it is, but for two things: a query parameter has its name and prose there, and gets the rest
// from its row; and `enum: rules of /count but queens` stands for a member of the schema that a row makes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readYaml } from '../../src/web/yaml.js';

const root = new URL('../../', import.meta.url);
const read = (file) => readFileSync(new URL(file, root), 'utf8');
const FILES = ['info', 'solve', 'count', 'construct', 'verify', 'puzzle', 'hint', 'trace', 'jobs', 'about', 'pages', 'operation', 'components', 'problems'];
const HEAD = `# The contract of nqueensd: every route, parameter, limit and error. \`make contract\` makes it of docs/contract and of the table of
# parameters: change these. tests/http/contract.test.js replays every example that has an x-request (with x-request-headers and
# x-request-body), and every HTTP test checks the replies it gets against this file.`;
const WIDTH = 132;

const fail = (what) => {
  throw new Error(what);
};

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
const capital = (text) => text[0].toUpperCase() + text.slice(1);
// "board size; not needed with regions" as sentences of Markdown. A value that stands first, "true: ...", is a name and stays as it is.
const sentences = (summary) =>
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

// ---- YAML ----

const quote = (text) => `'${text.replaceAll("'", "''")}'`;
const isWord = (text) => /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
const isProse = (text) => /^[A-Za-z]/.test(text) && !/: | #|:$/.test(text);
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (value && typeof value === 'object') return `{${Object.entries(value).map(([key, part]) => `${key}: ${flow(part)}`).join(', ')}}`;
  return typeof value !== 'string' || isWord(value) ? String(value) : quote(value);
}
const wrap = (text, pad) =>
  text.split(' ').reduce((lines, word) => {
    const longer = `${lines.at(-1)} ${word}`;
    return lines.length && longer.length <= WIDTH ? [...lines.slice(0, -1), longer] : [...lines, pad + word];
  }, []);

// The lines of a member: on one of them if it fits, else a line for each part.
function member(key, value, pad) {
  const one = `${pad}${key}: ${typeof value === 'string' && isProse(value) ? value : flow(value)}`;
  if (one.length <= WIDTH) return [one];
  if (typeof value === 'string') return [`${pad}${key}: |`, ...wrap(value, `${pad}  `)];
  const parts = Array.isArray(value) ? value.map((part) => `${pad}  - ${flow(part)}`) : Object.entries(value).flatMap(([name, part]) => member(name, part, `${pad}  `));
  return [`${pad}${key}:`, ...parts];
}

// ---- docs/contract ----

const KINDS = ['securitySchemes', 'parameters', 'headers', 'responses', 'schemas'];

// One document of all files: info, all paths, all components by kind, as [{line, place}].
function assemble(sources) {
  const sections = Object.fromEntries(['top', 'paths', ...KINDS].map((name) => [name, []]));
  for (const [file, text] of sources) {
    let section = sections.top;
    text.replace(/^(#.*\n)+/, (head) => head.replace(/.+/g, '')).trimEnd().split('\n').forEach((line, at) => {
      const kind = /^(?: {2})?(\w+):$/.exec(line)?.[1];
      if (kind === 'components' || kind in sections) {
        if (section.at(-1)?.line === '') section.pop();
        section = sections[kind] ?? section;
        if (kind === 'paths' && section.length) section.push({ line: '', place: file });
      } else if (line || section.length && section.at(-1).line) section.push({ line, place: `${file}:${at + 1}` });
    });
  }
  const heads = { top: [], paths: ['', 'paths:'], securitySchemes: ['', 'components:', '  securitySchemes:'] };
  return Object.entries(sections).flatMap(([kind, lines]) => [...(heads[kind] ?? ['', `  ${kind}:`]).map((line) => ({ line, place: kind })), ...lines]);
}

function parse(lines) {
  try {
    return readYaml(lines.map(({ line }) => line).join('\n'));
  } catch (error) {
    return fail(`${lines[error.message.match(/\d+/) - 1]?.place}: ${error.message.replace(/^line \d+: /, '')}`);
  }
}

// What every operation and every reply has that does not have its own. The second port asks for no key and is not for pages of others.
const RESPONSES = {
  400: 'BadRequest', 401: 'Unauthorized', 406: 'NotAcceptable', 408: 'RequestTimeout', 413: 'ContentTooLarge', 414: 'UriTooLong',
  431: 'HeadersTooLarge', 503: 'Unavailable', default: 'Other',
};
const PUBLIC_HEADERS = ['Access-Control-Allow-Origin', 'Cross-Origin-Resource-Policy', 'Access-Control-Expose-Headers'];
const HEADERS = ['Vary', 'Server-Timing', 'X-Request-Id', 'X-Content-Type-Options', ...PUBLIC_HEADERS, 'Traceresponse'];
const numbered = (key) => (/\d/.test(key) ? Number(key) : Infinity);

// Adds to each map that `head` begins the entries [key, component] that it lacks; `every(path)` has them all.
function filled(lines, head, every) {
  const out = [];
  let path;
  for (let at = 0; at < lines.length;) {
    const { line, place } = lines[at++];
    out.push({ line, place });
    if (/^ {0,2}\S/.test(line)) path = line.trim().replace(/:$/, '');
    if (!head.test(line)) continue;
    const pad = `${line.match(/^ */)[0]}  `;
    const parts = [];
    for (; lines[at] && (!lines[at].line || lines[at].line.startsWith(pad)); at++) {
      const key = lines[at].line.slice(pad.length).match(/^'?([\w-]+)'?:/)?.[1];
      if (key) parts.push([key, []]);
      parts.at(-1)[1].push(lines[at]);
    }
    while (parts.at(-1)[1].at(-1).line === '' && at--) parts.at(-1)[1].pop();
    const own = parts.map(([key]) => key);
    for (const [key, component] of every(path).filter(([name]) => !own.includes(name)))
      parts.push([key, [{ line: `${pad}${numbered(key) < Infinity ? quote(key) : key}: {$ref: '#/components/${component}'}`, place }]]);
    out.push(...parts.sort(([a], [b]) => (numbered(a) < numbered(b) ? -1 : numbered(a) > numbered(b) ? 1 : 0)).flatMap(([, entries]) => entries));
  }
  return out;
}

function withEvery(lines, routes) {
  const isAdmin = (path) => routes.find((route) => route.path === path)?.port === 'admin';
  const responses = (path) => Object.entries(RESPONSES).filter(([status]) => status !== '401' || !isAdmin(path)).map(([status, name]) => [status, `responses/${name}`]);
  const headers = (path) => HEADERS.filter((name) => !PUBLIC_HEADERS.includes(name) || !isAdmin(path)).map((name) => [name, `headers/${name}`]);
  return filled(filled(lines, /^ {6}responses:$/, responses), /^( {6}| {10})headers:( &[\w-]+)?$/, headers);
}

// The parameters of the document in the order of its text, as a map to what each is used for: [{path, row}].
function usesOf({ paths, components }, routes) {
  const [inline, shared] = [new Map(), new Map(Object.values(components.parameters).map((parameter) => [parameter, []]))];
  for (const [path, item] of Object.entries(paths))
    for (const [verb, part] of Object.entries(item)) {
      const route = routes.find((other) => other.path === path && other.method.toLowerCase() === verb);
      const left = new Set(route?.parameters);
      for (const at of (verb === 'parameters' ? part : part.parameters) ?? []) {
        const parameter = at.$ref ? components.parameters[at.$ref.split('/').at(-1)] : at;
        const uses = shared.get(parameter) ?? inline.get(parameter) ?? [];
        if (!at.$ref) inline.set(parameter, uses);
        if (parameter.in) continue;
        const row = [...left].find(({ name }) => name === parameter.name) ?? fail(`${verb} ${path}: the table has no parameter ${parameter.name}`);
        left.delete(row);
        uses.push({ path, row });
      }
      if (left.size) fail(`${verb} ${path}: docs/contract has no parameter ${[...left][0].name}: add the line "- name: ${[...left][0].name}"`);
    }
  return new Map([...inline, ...shared]);
}

// The lines of a parameter whose keys stand at `pad`, with what the table knows.
function completed(lines, { name, description, schema = {}, ...parameter }, uses, pad) {
  const facts = uses.map(({ row: { type, required, unless, deprecated, ...row } }) => ({ required, unless, deprecated, schema: schemaOf({ ...row, name, type }) }));
  if (!uses.length) fail(`the parameter ${name} is used by no route`);
  const other = facts.findIndex((fact) => JSON.stringify(fact) !== JSON.stringify(facts[0]));
  if (other > 0) fail(`the rows of ${name} differ: ${uses[0].path} and ${uses[other].path}`);
  const [fact] = facts;
  const twice = Object.keys(schema).find((key) => key in fact.schema) ?? ['required', 'x-required-without', 'deprecated'].find((key) => key in parameter);
  if (twice) fail(`${name}: ${twice} is made of the table`);
  const first = lines.findIndex((line) => line.slice(pad.length).startsWith('name: '));
  const entries = [];
  for (const line of lines.slice(first + 1)) {
    if (line.startsWith(pad) && line[pad.length] !== ' ') entries.push([line]);
    else entries.at(-1).push(line);
  }
  const prose = entries.find(([line]) => line.startsWith(`${pad}description:`));
  const rest = entries.filter((entry) => entry !== prose && !entry[0].startsWith(`${pad}schema:`));
  const more = together(uses);
  const made = (key, value) => (value ? member(key, value, pad) : []);
  return [
    ...lines.slice(0, first + 1),
    `${pad}in: query`,
    ...made('required', fact.required),
    ...made('x-required-without', fact.unless),
    ...made('deprecated', fact.deprecated),
    ...described(prose, description ?? sentences(uses[0].row.summary), more, pad),
    ...member('schema', { ...fact.schema, ...schema }, pad),
    ...rest.flat(),
  ];
}

// A description and the sentences that follow it. After a list they are a paragraph of their own.
function described(prose, text, more, pad) {
  if (!more) return prose ?? member('description', text, pad);
  if (!prose || !/\|$/.test(prose[0])) return member('description', `${text} ${more}`, pad);
  const list = /(^|\n)- [^]*$/.test(text.split('\n\n').at(-1));
  return [...prose, ...(list ? [''] : []), ...wrap(more, `${pad}  `)];
}

// All parameters of the document completed, item by item: their lists stand in a path, an operation, or the components.
function withTable(lines, routes) {
  const document = parse(lines);
  const todo = [...usesOf(document, routes)];
  const out = [];
  let [depth, item] = [-1, []];
  const close = () => {
    if (!item.length) return;
    const [parameter, uses] = todo.shift();
    const { place } = item[0];
    const texts = item.map(({ line }) => line);
    const blank = texts.at(-1) === '' ? texts.splice(-1) : [];
    try {
      const made = parameter.in ? texts : completed(texts, parameter, uses, ' '.repeat(depth + 4));
      out.push(...[...made, ...blank].map((line) => ({ line, place })));
    } catch (error) {
      fail(`${place}: ${error.message}`);
    }
    item = [];
  };
  for (const entry of lines) {
    const indent = entry.line ? entry.line.search(/\S/) : Infinity;
    if (indent <= depth) [, depth] = [close(), -1];
    if (depth < 0) {
      if (/^ {2,6}parameters:( &\S+)?$/.test(entry.line)) depth = indent;
      out.push(entry);
      continue;
    }
    if (indent === depth + 2) {
      close();
      if (!/^ *(- (?!\$ref|\*)|\w+:$)/.test(entry.line)) {
        out.push(entry);
        continue;
      }
    }
    item.push(entry);
  }
  close();
  return out;
}

const QUOTED = /^(.*?)\b(enum|pattern|minimum|maximum|maxLength): ([\w-]+) of ([\w/.]+?)(?: but ([\w-]+(?: and [\w-]+)*))?(?=[,}]|$)(.*)$/;

// `enum: rules of /count`: that member of the schema of a row; `lines of src/rules/rule.h`: the names of a table in C.
function withNames({ line, place }, routes) {
  const [, before, key, name, where, but = '', after] = QUOTED.exec(line) ?? [];
  if (!key) return [{ line, place }];
  const row = routes.find(({ path }) => path === where)?.parameters.find((other) => other.name === name);
  const names = where.endsWith('.h') ? [...read(where).matchAll(/\bX\(\w+, "([\w-]+)"\)/g)].map(([, word]) => word) : undefined;
  const value = names ?? (row && schemaOf(row)[key]) ?? fail(`${place}: there is no ${key} of ${name} of ${where}`);
  const without = but.split(' and ');
  const left = Array.isArray(value) ? value.filter((word) => !without.includes(word)) : value;
  if (after || before.trim()) return withNames({ line: `${before}${key}: ${flow(left)}${after}`, place }, routes);
  return member(key, left, before).map((made) => ({ line: made, place }));
}

export function contractOf(sources, routes) {
  const lines = withTable(withEvery(assemble(sources), routes), routes).flatMap((entry) => withNames(entry, routes));
  parse(lines);
  return `${HEAD}\n${lines.map(({ line }) => line).join('\n')}\n`;
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

export const sources = () => FILES.map((name) => [`docs/contract/${name}.yaml`, read(`docs/contract/${name}.yaml`)]);

// ---- The command ----

function main(write, build = 'build') {
  const routes = JSON.parse(execFileSync(new URL(`${build}/nqueensd`, root).pathname, ['routes'], { encoding: 'utf8' }));
  for (const [file, text] of [['openapi.yaml', contractOf(sources(), routes)], ['docs/parameters.md', pageOf(routes)]]) {
    const [old, made] = [read(file).split('\n'), text.split('\n')];
    const at = made.findIndex((line, i) => line !== old[i]);
    if (at < 0 && old.length === made.length) continue;
    console.log(`${file}:${at + 1}: ${old[at]}\n  should be ${made[at]}`);
    if (write) writeFileSync(new URL(file, root), text);
    else process.exitCode = 1;
  }
  if (process.exitCode) console.log('`make contract` writes these files anew: change docs/contract or the table');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.includes('--write'), process.argv.slice(2).find((word) => word !== '--write'));
