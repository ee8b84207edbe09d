// languages.js - the languages of the page, each a file words_<language>.js.
import { readdirSync } from 'node:fs';

export const languages = readdirSync(new URL('../../src/web/', import.meta.url)).flatMap((name) => /^words_(\w+)\.js$/.exec(name)?.[1] ?? []);

// All texts of one.
export const wordsOf = async (language) => (await import(`../../src/web/words_${language}.js`)).default;
