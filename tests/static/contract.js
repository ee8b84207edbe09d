#!/usr/bin/env node
// contract.js [--write] [BUILD] - makes openapi.yaml of docs/contract/*.yaml and of the table of parameters that `nqueensd routes` prints,
// and docs/parameters.md of the table alone. Exits with 1 if one of them is another; with --write writes them. What stands in
// docs/contract goes to openapi.yaml as it is, but for three things: a query parameter has its name and prose there, and gets the rest
// from its row; `enum: rules of /count but queens` stands for a member of the schema that a row makes; and the responses of every
// operation and the headers of every reply are added.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import yaml from 'js-yaml';
import { WIDTH, fail, pageOf, read, root, schemaOf, sentences, together, wrap } from './rows.js';

const FILES = ['info', 'solve', 'count', 'construct', 'verify', 'puzzle', 'hint', 'trace', 'jobs', 'about', 'pages', 'operation', 'components', 'problems'];
const HEAD = `# The contract of nqueensd: every route, parameter, limit and error. \`make contract\` makes it of docs/contract and of the table of
# parameters: change these. tests/http/contract.test.js replays every example that has an x-request (with x-request-headers and
# x-request-body), and every HTTP test checks the replies it gets against this file.`;

// ---- YAML ----

const quote = (text) => `'${text.replaceAll("'", "''")}'`;
const isWord = (text) => /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
const isProse = (text) => /^[A-Za-z]/.test(text) && !/: | #|:$/.test(text);
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (value && typeof value === 'object') return `{${Object.entries(value).map(([key, part]) => `${key}: ${flow(part)}`).join(', ')}}`;
  return typeof value !== 'string' || isWord(value) ? String(value) : quote(value);
}

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
    return yaml.load(lines.map(({ line }) => line).join('\n'));
  } catch ({ mark, reason }) {
    return fail(`${lines[mark.line]?.place}: ${reason}`);
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

// The parameters of the document in the order of its text, as a map to what each is used for: [{path, row, rows}].
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
        uses.push({ path, row, rows: route.parameters });
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

const QUOTED = /^(.*?)\b(enum|pattern|minimum|maximum|maxLength): ([\w-]+) of (?:(POST) )?([\w/.]+?)(?: but ([\w-]+(?: and [\w-]+)*))?(?=[,}]|$)(.*)$/;

// `enum: rules of /count`: that member of the schema of a row; `lines of src/rules/rule.h`: the names of a table in C.
function withNames({ line, place }, routes) {
  const [, before, key, name, verb = 'GET', where, but = '', after] = QUOTED.exec(line) ?? [];
  if (!key) return [{ line, place }];
  const row = routes.find(({ path, method }) => path === where && method === verb)?.parameters.find((other) => other.name === name);
  const names = where.endsWith('.h') ? [...read(where).matchAll(/\bX\(\w+, "([\w-]+)"\)/g)].map(([, word]) => word) : undefined;
  const schema = row ? schemaOf(row) : {};
  const value = names ?? schema[key] ?? schema.oneOf?.[0][key] ?? fail(`${place}: there is no ${key} of ${name} of ${where}`);
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

// ---- The command ----

const sources = () => FILES.map((name) => [`docs/contract/${name}.yaml`, read(`docs/contract/${name}.yaml`)]);

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
