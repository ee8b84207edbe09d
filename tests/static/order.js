#!/usr/bin/env node
// order.js - a file of tests waits for nothing between them. While it waits, the tests before can end, at once if --test-name-pattern
// skips them: node then takes the file for done and calls its after(), so that the others find no browser and what is started later is
// never stopped. Exits with 1 and a line for each such wait.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

process.chdir(new URL('../..', import.meta.url).pathname);
const found = [];
const files = readdirSync('tests', { recursive: true }).filter((name) => name.endsWith('.test.js') && !name.includes('node_modules'));
for (const file of files) {
  let tests = false;
  readFileSync(path.join('tests', file), 'utf8').split('\n').forEach((line, at) => {
    tests ||= /^ {0,2}(?:test|look|everywhere)\(/.test(line);
    if (tests && /^\S.*\bawait\b/.test(line) && !line.includes('async')) found.push(`tests/${file}:${at + 1}: ${line}`);
  });
}
if (found.length) console.log(found.join('\n'));
process.exit(found.length ? 1 : 0);
