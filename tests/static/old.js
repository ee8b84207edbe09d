#!/usr/bin/env node
// old.js - JavaScript calls only what Node.js 18, Debian 12's, has: the tests run there, and many browsers in use are no newer.
// Exits with 1 and a line for each newer name.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

// Found by their names, whatever they are called on.
const NEWER = [
  /\.(?:with|toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/,
  /\b(?:(?:Object|Map)\.groupBy|Promise\.(?:withResolvers|try)|Array\.fromAsync|RegExp\.escape|Iterator\.from|Error\.isError)\(/,
  /\b(?:URL\.parse|Uint8Array\.from(?:Base64|Hex))\(|\bimport\.meta\.(?:dirname|filename)\b|\bSymbol\.(?:asyncD|d)ispose\b/,
];

process.chdir(new URL('../..', import.meta.url).pathname);
const found = [];
const files = ['examples', 'src', 'tests'].flatMap((top) => readdirSync(top, { recursive: true }).map((name) => path.join(top, name)));
for (const file of files.filter((name) => /\.(?:js|html)$/.test(name) && !name.includes('node_modules')))
  readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    for (const name of NEWER) if (name.test(line)) found.push(`${file}:${at + 1}: ${line.match(name)[0]} is newer than Node.js 18`);
  });
if (found.length) console.log(found.join('\n'));
process.exit(found.length ? 1 : 0);
