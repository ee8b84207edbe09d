// texts.js - the texts that people read, as pieces of Markdown with the lines on which they stand. It does not know the rules.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { languages } from '../web/languages.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(path.join(root, file), 'utf8');

// One piece. Its `line` is that of the first line of `text`, from 1.
const piece = (file, line, text, language = 'en') => ({ file, line, text, language });

export const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', '.github/CODE_OF_CONDUCT.md', 'examples/README.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

export const documentTexts = (files = documents) => files.map((file) => piece(file, 1, readFileSync(path.resolve(root, file), 'utf8')));

// Descriptions and summaries of the contract and of the alerts: the text after the key, or the lines below it that are indented more. They stand there
// as Markdown, in a block or on one line.
export function descriptions(file, source = read(file)) {
  const lines = source.split('\n');
  return lines.flatMap((text, index) => {
    const [, before, inline] = /^( *(?:- )?)(?:description|summary|runbook): (?!\{)(.*)$/.exec(text) ?? [];
    if (inline === undefined) return [];
    const length = lines.slice(index + 1).findIndex((line) => line.trim() && line.search(/\S/) <= before.length);
    const below = lines.slice(index + 1, length < 0 ? undefined : index + 1 + length).map((line) => line.trim());
    return [piece(file, index + 1, [/^[|>]/.test(inline) ? '' : inline.replace(/^(['"])(.*)\1$/, '$2'), ...below].join('\n'))];
  });
}

// Alerts are plain text: values, flags, paths and names of alerts and settings stand there without backticks.
const alerts = (file = 'docker/prometheus/rules.yaml') =>
  descriptions(file).map((found) => ({ ...found, text: found.text.replace(/\{\{[^}]*\}\}|--[\w-]+|[\w-]*\/[\w./-]+|\b[A-Z]\w*[a-z][A-Z]\w*/g, '`$&`') }));

// The strings of a page's texts in one language, those joined by + as one; {name} stands for a value.
export function words(language, file = `src/web/words_${language}.js`, content = read(file)) {
  const source = content.replace(/^ *\/\/.*$/gm, '').replace(/'[\w-]+'(?=:)/g, '');
  const strings = source.matchAll(/'(?:\\.|[^'\\\n])*'(?:\s*\+\s*'(?:\\.|[^'\\\n])*')*(?!:)/g);
  return [...strings].map(({ 0: joined, index }) =>
    piece(file, source.slice(0, index).split('\n').length, joined.slice(1, -1).replace(/'\s*\+\s*'/g, '').replace(/\\(.)/g, '$1').replace(/(?:\w+=)?\{\w+\}/g, '`$&`'), language));
}

// What the program prints about itself, a piece for each line: what is a name there stands in capitals or looks like a flag.
const help = (...command) =>
  execFileSync(path.join(root, 'build/nqueensd'), [...command, '--help'], { encoding: 'utf8' }).split('\n').map((line, index) =>
    piece(['nqueensd', ...command, '--help'].join(' '), index + 1, line.trim().replace(/^nqueensd .*?(?:: |$)/, '').replace(/--[\w-]+|\b[A-Z]+_\w+|\S*(?:=|:\/\/)\S*|\([^ ]*\)$|^[a-z-]+ {2,}/g, '`$&`')));

// The manual without its requests: what a request sets in bold or italics is a name.
export function manual(source = read('docker/nqueensd.1.in')) {
  return source.split(/^(?=\.(?:SH|PP|TP))/m).reduce(({ line, found }, paragraph) => {
    const text = /^\.SH (?:SYNOPSIS|EXAMPLES|NAME)/.test(paragraph) ? '' : paragraph.replace(/^\.\\".*$|^@\w+@$|^\.(?:SH|TH|TP|PP).*$/gm, '').replace(/^\.(?:B|I|BR|RB|RI) ([^ \n]*) ?(.*)$/gm, '`$1`$2').replace(/\\f[IR]/g, '`').replaceAll('\\-', '-');
    return { line: line + paragraph.split('\n').length - 1, found: [...found, piece('docker/nqueensd.1.in', line, text)] };
  }, { line: 1, found: [] }).found;
}

export function texts() {
  return [...documentTexts(), ...descriptions('openapi.yaml'), ...alerts(), ...manual(), ...help(), ...help('bench'), ...help('bfile'), ...help('units'),
    ...languages.flatMap((language) => words(language))];
}
