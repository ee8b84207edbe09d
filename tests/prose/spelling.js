// spelling.js - words that neither aspell nor the project's dictionary knows. Words of every language come to aspell once.
import { execFileSync } from 'node:child_process';
import { list } from './rules.js';

// Of aspell: those of other languages have their names.
const dictionaries = { en: 'en_GB' };

// Of the words of one language those that aspell does not know. A dictionary in the user's home does not count.
const unknown = (language, words) =>
  new Set(execFileSync('aspell', ['list', `--lang=${dictionaries[language] ?? language}`, '--encoding=utf-8', '--home-dir=/nonexistent'], { input: [...words].join('\n'), encoding: 'utf8' }).split('\n').filter(Boolean));

// A word with hyphens is its parts. Names of files and of programs' parts are no words.
const parts = (word) => (/[./_\d]/.test(word.replace(/\.$/, '')) ? [] : word.split(/[^\p{L}\p{M}'’]+/u));
const bare = (word) => word.replace(/['’]s?$/, '');

// An entry with capitals must be written so; one in small letters may begin a sentence.
const inList = (word, known) => [bare(word), bare(word).toLowerCase()].some((form) => known.includes(form));

// [{file, line, rule, what}] of [{file, line, word, language}].
export function misspelt(words, known = list('dictionary.txt')) {
  const found = [];
  for (const language of new Set(words.map((word) => word.language))) {
    const here = words.filter((word) => word.language === language);
    const suspect = unknown(language, new Set(here.flatMap(({ word }) => parts(word))));
    for (const { file, line, word } of here)
      for (const part of parts(word).filter((part) => suspect.has(part)))
        if (!inList(part, known)) found.push({ file, line, rule: 'spelling', what: `"${part}" is not in the dictionary` });
  }
  return found;
}
