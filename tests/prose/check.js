#!/usr/bin/env node
// check.js - reads every text for people: the documents, the contract, the alerts, the help, the manual, the words of the explorer.
// Prints a line for each finding and exits with 1 if there is one. `check.js FILE...` reads only these files, as English Markdown.
import path from 'node:path';
import { readPiece } from './rules.js';
import { misspelt } from './spelling.js';
import { documentTexts, texts } from './texts.js';

// Findings that are accepted: the file, the rule, what stands in the finding, and why. One that nothing needs is a finding, too.
const waivers = [
  { file: 'docs/library.md', rule: 'retext-simplify', what: '`function`', why: 'one of C' },
  { file: 'docs/parameters.md', rule: 'sentence-length', what: '41 words', why: 'a cell, one limit after the other' },
  { file: 'docs/references.md', rule: 'retext-intensify', what: '`almost`', why: 'a title' },
  { file: 'docs/references.md', rule: 'retext-intensify', what: '`Efficient`', why: 'a title' },
  { file: 'nqueensd --help', rule: 'spelling', what: '"json"', why: 'a value of --log' },
  { file: 'src/web/words_en.js', rule: 'retext-intensify', what: '`just`', why: '"just now" is a time' },
];

const files = process.argv.slice(2);
const pieces = (files.length ? documentTexts(files.map((file) => path.resolve(file))) : texts()).map(readPiece);
const all = [...pieces.flatMap(({ findings }) => findings), ...misspelt(pieces.flatMap(({ words }) => words))];
const waives = (waiver) => ({ file, rule, what }) => file === waiver.file && rule === waiver.rule && what.includes(waiver.what);
const left = [
  ...all.filter((finding) => !waivers.some((waiver) => waives(waiver)(finding))),
  ...waivers.filter((waiver) => !files.length && !all.some(waives(waiver))).map(({ file, rule }) => ({ file, line: 1, rule, what: 'a waiver in tests/prose/check.js that nothing needs' })),
];
if (left.length) console.log(left.map(({ file, line, rule, what }) => `${file}:${line}: ${rule}: ${what}`).join('\n'));
process.exit(left.length ? 1 : 0);
