// yaml.js - reads the part of YAML that openapi.yaml uses, and rejects the rest with the number of the line: maps and
// lists; flows, plain and quoted scalars on one line; literal and folded ones; comments, anchors, aliases; the types of JSON.
// It does not know OpenAPI.
export class YamlError extends Error {}

const NUMBER = /^(?!-0$)-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
// Numbers and dates to some readers of YAML, words to others.
const DOUBTFUL =
  /^([-+]?(0[box][\da-fA-F_]+|[\d_]+(\.[\d_]*)?([eE][-+]?\d+)?|\.[\d_]+([eE][-+]?\d+)?|\.inf)|\.nan|-0|<<|=|\d{4}-\d\d?-\d.*)$/i;
const QUOTED = /^(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)")/;
// In a flow: a colon or a # within a word is part of it, and so are single spaces.
const FLOW_PLAIN = /^(?:[^,[\]{}:# ]|:(?=[^,[\]{} ])|(?<=[^ ])#| (?=[^,[\]{}:# ]))+/;
const isItem = (text) => /^-( |$)/.test(text);

export function readYaml(source) {
  const lines = source.split('\n').map((raw) => ({ raw, indent: raw.search(/[^ ]|$/), text: raw.replace(/^ +| +$/g, '') }));
  if (lines.at(-1).raw === '') lines.pop();
  const anchors = new Map();
  let at = 0;

  const refuse = (what) => {
    throw new YamlError(`line ${at + 1}: ${what}`);
  };
  // The next line with content; null at the end.
  const next = () => {
    while (at < lines.length && /^(#|$)/.test(lines[at].text)) at++;
    if (at === lines.length) return null;
    if (/^(---|\.\.\.)( |$)|^[%\uFEFF]/.test(lines[at].raw)) refuse('no directives, and one document only');
    return lines[at];
  };

  function plain(text) {
    if (/^[,[\]{}#&*!|>'"%@`]|^[-?:]( |$)|\t|: |:$/.test(text)) refuse(`${text} is no plain scalar`);
    if (/^(~|[Nn]ull|NULL)$/.test(text)) return null;
    if (/^([Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(text)) return text.length === 4;
    if (NUMBER.test(text) && Number.isFinite(Number(text))) return Number(text);
    return DOUBTFUL.test(text) ? refuse(`${text} is to be quoted`) : text;
  }

  // [the text in quotes, what follows]
  function quoted(text) {
    const [all, single, double] = text.match(QUOTED) ?? refuse('the quote does not end on its line');
    if (single !== undefined) return [single.replaceAll("''", "'"), text.slice(all.length)];
    try {
      return [JSON.parse(`"${double}"`), text.slice(all.length)];
    } catch {
      return refuse('an escape that JSON does not have');
    }
  }

  const map = () => {
    const pairs = new Map();
    return {
      add: (key, read) => {
        if (pairs.has(key) || key === '<<') refuse(`the key ${key} again, or one that merges`);
        pairs.set(key, null);
        pairs.set(key, read());
      },
      made: () => Object.fromEntries(pairs), // not by assignment: a key may be __proto__
    };
  };

  // [the value of a flow, what follows]
  function flow(text) {
    if (/^['"]/.test(text)) return quoted(text);
    if (!/^[[{]/.test(text)) {
      const [word] = text.match(FLOW_PLAIN) ?? refuse(`a value is missing before ${text}`);
      return [plain(word), text.slice(word.length)];
    }
    const close = text[0] === '[' ? ']' : '}';
    const [list, pairs] = [[], map()];
    let rest = text.slice(1).replace(/^ +/, '');
    while (rest[0] !== close) {
      let value;
      [value, rest] = flow(rest);
      if (close === ']') list.push(value);
      else {
        if (value !== null && typeof value === 'object') refuse('a key is a word');
        const [colon] = rest.match(/^ *: +/) ?? refuse(`no value for the key ${value}`);
        pairs.add(String(value), () => ([value, rest] = flow(rest.slice(colon.length)))[0]);
      }
      const [comma] = rest.match(/^ *(, *(?=[^ \]},])|(?=[\]}]))/) ?? refuse(`a comma or ${close} is missing`);
      rest = rest.slice(comma.length);
    }
    return [close === ']' ? list : pairs.made(), rest.slice(1)];
  }

  // A literal or folded scalar: the next lines, those deeper than its parent.
  function scalar(header, parent) {
    const [, style, chomp] = header.match(/^([|>])([-+]?)( +#.*)?$/) ?? refuse(`${header} begins no block that is known here`);
    let first = at + 1;
    while (lines[first]?.text === '') first++;
    const depth = lines[first]?.indent ?? 0;
    if (depth <= parent || depth === 0) refuse('an empty block');
    const said = [];
    for (at++; at < lines.length && (lines[at].text === '' || lines[at].indent >= depth); at++) {
      if (at < first && lines[at].raw.length > depth) refuse('a block begins with spaces');
      said.push(lines[at].raw.slice(depth));
    }
    let trailing = '\n';
    for (; said.at(-1) === ''; said.pop()) trailing += '\n';
    trailing = { '': '\n', '-': '', '+': trailing }[chomp];
    if (style === '|') return said.join('\n') + trailing;
    if (said.some((line) => /^[ \t]/.test(line))) refuse('a folded block with deeper lines');
    return said.join('\n').replace(/([^\n])\n(\n*)(?=[^\n])/g, (_, last, more) => last + (more || ' ')) + trailing;
  }

  // The value that begins with text, the rest of the line; parent: how deep the map or the list is that it belongs to.
  function value(text, parent, inMap) {
    const [all, name] = text.match(/^&([\w-]+)(?: +|$)/) ?? [''];
    if (name) {
      const made = value(text.slice(all.length), parent, inMap);
      anchors.set(name, made);
      return made;
    }
    if (/^(#|$)/.test(text)) {
      at++;
      const line = next();
      if (line && line.indent > parent) return block(parent);
      return inMap && line?.indent === parent && isItem(line.text) ? items(parent) : null;
    }
    if (/^[|>]/.test(text)) return scalar(text, parent);
    const [, alias, after] = text.match(/^\*([\w-]+)(.*)$/) ?? [];
    let made, rest;
    if (alias) [made, rest] = [anchors.has(alias) ? anchors.get(alias) : refuse(`nothing is called ${alias}`), after];
    else if (/^['"[{]/.test(text)) [made, rest] = flow(text);
    else [made, rest] = [plain(text.replace(/ +#.*$/, '')), ''];
    if (!/^( *$| +#)/.test(rest)) refuse(`${rest} is left over`);
    at++;
    return made;
  }

  // [key, the rest of the line] where a line begins with a key, else null.
  function keyOf(text) {
    if (/^['"]/.test(text)) {
      const [key, rest] = quoted(text);
      return /^ *:( |$)/.test(rest) ? [key, rest.replace(/^ *: */, '')] : null;
    }
    if (/^[[{&*|>]/.test(text)) return null;
    const [, key, rest] = text.match(/^(.*?) *:(?: +(.*))?$/) ?? [];
    return key === undefined || / #/.test(key) ? null : [String(plain(key || refuse('no key before the colon'))), rest ?? ''];
  }

  function items(indent) {
    const list = [];
    for (let line; (line = next()) && line.indent === indent && isItem(line.text);) {
      const text = line.text.slice(1).replace(/^ +/, '');
      if (/^(#|$)/.test(text)) list.push(value(text, indent));
      else {
        // A map or a list may begin behind the dash: as if that had a line of its own.
        lines[at] = { raw: line.raw, indent: indent + line.text.length - text.length, text };
        list.push(block(indent));
      }
    }
    return list;
  }

  function pairsAt(indent) {
    const pairs = map();
    for (let line; (line = next()) && line.indent >= indent;) {
      const [key, rest] = (line.indent === indent && keyOf(line.text)) || refuse('a key at the depth of the others is wanted');
      pairs.add(key, () => value(rest, indent, true));
    }
    return pairs.made();
  }

  function block(parent) {
    const { indent, text } = next();
    if (isItem(text)) return items(indent);
    return keyOf(text) ? pairsAt(indent) : value(text, parent);
  }

  if (source.includes('\r')) refuse('carriage returns');
  const made = next() ? block(-1) : null;
  if (next()) refuse('more than one value');
  return made;
}
