// refusals.js - every sentence with which the sources refuse a request, as a pattern. It knows no server and no request.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../src', import.meta.url));

const sentenceOf = (literals) =>
  [...literals.matchAll(/"((?:[^"\\]|\\.)*)"|PRIu64|PRIu32/g)].map(([, text]) => text ?? 'u').join('').replaceAll('\\"', '"');

// What one of these calls is given as its sentence: literals that stand beside each other, or two of a choice.
const literals = String.raw`((?:"(?:[^"\\]|\\.)*"|PRIu64|PRIu32|\s)+)`;
const calls = [
  String.raw`\breject_param\(\s*[^,]+,\s*[^"]*?,\s*[^"]*?(?:"[a-z-]+",\s*)?` + literals,
  String.raw`\breject_with\([^;]*?MEMBERS\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\),\s*` + literals,
  String.raw`\breply_problem\(\s*request,\s*[^"]*?,\s*` + literals,
  String.raw`\breply_denied\(\s*request,\s*` + literals,
  String.raw`\breply_denied\(\s*request,\s*(?:"[^"]*"),\s*` + literals,
  String.raw`\bwhy,\s*(?:sizeof [\w>.-]+|[A-Z]+_WHY_MAX),\s*` + literals,
  String.raw`\bfault_write\([^"]*` + literals,
  String.raw`\breject_choice\(\s*[^,]+,\s*"[a-z]+",\s*\w+,\s*` + literals,
  String.raw`\*const keye?d?l?e?s?s?_job = ` + literals,
  String.raw`\*detail = ` + literals,
].map((pattern) => new RegExp(pattern, 'g'));

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
// Whole numbers stand for whole numbers; the constructions add to their sentences which methods have a solution.
const patternOf = (sentence, file) => {
  const parts = sentence.split(/(%[0-9.*]*(?:zu|llu|[a-z]))/).map((part, i) => (i % 2 ? (/[du]$/.test(part) ? '[0-9]+' : '[^]*') : escaped(part)));
  return new RegExp(`^${parts.join('')}${file.startsWith('constructions') ? '' : '$'}`);
};

// [{ file, sentence, pattern }], each once for each file.
export function collect(folders = ['base', 'engine', 'http', 'constructions']) {
  const found = new Map();
  for (const folder of folders)
    for (const name of readdirSync(path.join(root, folder), { recursive: true }).filter((name) => name.endsWith('.c'))) {
      const file = path.join(folder, name);
      const source = readFileSync(path.join(root, file), 'utf8').replace(/\/\*[^]*?\*\//g, '');
      for (const call of calls)
        for (const [, text] of source.matchAll(call)) {
          const sentence = sentenceOf(text);
          if (!['', '%s'].includes(sentence)) found.set(`${file} ${sentence}`, { file, sentence, pattern: patternOf(sentence, file) });
        }
    }
  return [...found.values()];
}

// By code, in the order of base/refusals.c: the names of what its sentence holds.
export const refusalMembers = () =>
  new Map([...readFileSync(path.join(root, 'base/refusals.c'), 'utf8').matchAll(/[.]code = "([a-z-]+)"(?:[^[]*?[.]members = \{([^}]*)\})?/g)].map(
    ([, code, members = '']) => [code, [...members.matchAll(/"(\w+)"/g)].map(([, name]) => name)]));
