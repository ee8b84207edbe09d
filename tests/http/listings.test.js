// listings.test.js - the code of an algorithm is a program: an interpreter or a compiler runs what /algorithms shows, it prints the list
// of the machine, and it comes to the steps of /trace, in their order, with the variables that the explorer shows there. The machine's
// parameters are what the program asks for. Python runs under sys.settrace() (listings.py), BASIC and C as copies that print the number
// of each line, and variables, when they come to it.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { variablesOf } from '../../src/web/variables.js';
import { after, assert, longer, start, temporaryFolder, test } from './harness.js';

const server = await start({ after });
const { solvers, constructions } = await server.getJson('/algorithms?table=traced');
const shown = [...solvers, ...constructions].filter(({ code }) => code.language);
const folder = temporaryFolder();
const sources = fileURLToPath(new URL('../../src/solvers/listings/', import.meta.url));
const helper = fileURLToPath(new URL('listings.py', import.meta.url));
const endings = { Python: '.py', BASIC: '.bas', C: '.c.txt' };
const WIDTH = 44; // characters, which a telephone shows in a line
const numbers = (text) => text.match(/\d+/g)?.map(Number) ?? [];

// What a program is run with: parameters of /trace; answers are theirs in the order of its questions.
const seeds = [1, 7, 12].map((seed) => ({ seed }));
const variants = {
  'romani-2': (n) => [{ column: 2 }, { column: n }],
  'romani-3': (n) => [Math.ceil(n / 2), Math.floor(n / 2)].map((split) => ({ column: 3, split })),
  'romani-4': (n) => [{ column: 2, split: `${Math.floor(n / 3)},${Math.floor((2 * n) / 3)}` }],
  'romani-5': () => ['breadth', 'depth', 'priority'].map((strategy) => ({ column: 2, strategy })),
  ...Object.fromEntries(['min-conflicts', ...constructions.map(({ name }) => name)].map((name) => [name, () => seeds])),
};
const asked = ['column', 'split', 'strategy'];
const input = (n, params) => [n, ...asked.map((name) => params[name])].filter((answer) => answer !== undefined).join('\n') + '\n';
const run = (command, args, text) => execFileSync(command, args, { input: text, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] });

// ---- Programs, as they are and telling what they do: { printed, noted }, see listings.py ----

const at = (name, ending) => path.join(folder, `${name}${ending}`);

function python({ name, code: { variables, text, lines } }, n, params) {
  writeFileSync(at(name, '.py'), text);
  const names = ['row', 'column', 'board'].map((key) => variables[key] ?? '');
  const doing = lines.flatMap(({ steps }, i) => (steps.length ? [i + 1] : []));
  return JSON.parse(run('python3', ['-I', helper, at(name, '.py'), `${params.seed ?? 0}`, `${doing}`, ...names], input(n, params)));
}

// Of the output of a copy: a line `@ number when values...` for each line come to (when 0) or left (1), else what the program prints.
function read(output, n) {
  const printed = [];
  const noted = [];
  for (const line of output.split('\n')) {
    const told = line.match(/@ *(\d+) +(\d) *(.*)$/);
    if (!told && noted.length && numbers(line).length === n && /^[ \d]+$/.test(line)) {
      printed.push(line);
      noted.at(-1)[2] = true;
    }
    if (!told) continue;
    const [row, column, ...board] = numbers(told[3]);
    const number = Number(told[1]);
    if (told[2] === '1') noted.at(-1).splice(3, 3, row, column, board);
    else {
      noted.at(-1)?.splice(1, 1, number);
      noted.push([number, null, false, row, column, board]);
    }
  }
  return { printed, noted };
}

// A line of BASIC tells at its beginning what the one before has done: that is told as if it came after that.
function basic({ name, code: { variables, text } }, n, params) {
  const { row, column, board } = variables;
  const queens = Array.from({ length: n }, (_, i) => `${board}(${i + 1})`);
  const lines = text.trimEnd().split('\n');
  const first = lines.findIndex((line) => line.includes('DIM')) + 1; // there is a board from here on
  const copy = lines.map((line, i) => line.replace(/^\d+ /, (number) => `${number}${i < first ? '' : `PRINT "@";${i + 1};0;${[row, column, ...queens].join(';')} : `}`));
  writeFileSync(at(name, '.bas'), `${copy.join('\n')}\n`);
  const { printed, noted } = read(run('bwbasic', [at(name, '.bas')], input(n, params)), n);
  noted.forEach((note, i) => note.splice(3, 3, ...(noted[i + 1] ?? note).slice(3)));
  return { printed, noted };
}

const compiled = (name, text, params) => {
  writeFileSync(at(name, '.c'), text);
  execFileSync('gcc', ['-std=gnu11', '-O1', '-w', '-o', at(name, ''), at(name, '.c')]);
  return run(at(name, ''), [], params);
};

// A statement of C tells before and after it; what goes elsewhere, only before. Of the function that does the steps, and not before
// its variables are there.
function c({ name, code: { variables, text, lines } }, n, params) {
  const { row, column, board } = variables;
  const all = text.trimEnd().split('\n');
  const does = lines.findIndex(({ steps }) => steps.length);
  const from = all.findLastIndex((line, i) => i < does && /^\w.*\{$/.test(line));
  const to = all.findIndex((line, i) => i > does && line === '}');
  const tell = (i, when) => `TELL(${i + 1}, ${when});`;
  const told = (line, i) => {
    if (i <= from || i >= to || /^\s*(\}|\w+:$|int |scanf|for \(int )/.test(line)) return line;
    const [, alternative, statement] = line.match(/^(\s*else )?(.*)$/);
    if (alternative) return `${alternative}{ ${tell(i, 0)} ${statement} }`;
    return tell(i, 0) + line + (/^\s*(if|for|while|goto|return)\b|\{$/.test(line) ? '' : tell(i, 1));
  };
  const queens = `for (int q = 1; q <= n; q++) printf(" %d", ${board}[q]);`;
  const macro = `#define TELL(line, when) do { printf("@ %d %d %d %d", line, when, ${row}, ${column}); ${queens} puts(""); } while (0)`;
  const [head, ...rest] = all.map(told);
  return read(compiled(name, [head, macro, '#line 2', ...rest, ''].join('\n'), input(n, params)), n);
}

const telling = { Python: python, BASIC: basic, C: c };
const plain = {
  Python: ({ name }, text) => run('python3', ['-I', path.join(sources, `${name}.py`)], text),
  BASIC: ({ name }, text) => run('bwbasic', [path.join(sources, `${name}.bas`)], text),
  C: ({ name, code }, text) => compiled(name, code.text, text),
};

// ---- Their steps ----

// A note is a step if its line does one, and did it. What rejects goes elsewhere than to the line below, or does that line; what
// begins a loop comes to the line below; what prints has printed.
function stepsOf({ lines }, noted, n) {
  const kinds = lines.map(({ steps }) => steps[0]);
  const steps = [];
  for (const [line, next, printed, row, column, board] of noted) {
    const kind = kinds[line - 1];
    const did = { reject: next !== line + 1, solution: printed, take: next === line + 1 || !lines[line - 1].text.startsWith('for ') }[kind] ?? true;
    if (!kind || !did) continue;
    const queens = board.length > n ? board.slice(1) : board; // those that count from 1 leave the first place empty
    steps.push({ do: kind, row, column, board: Array.from({ length: n }, (_, i) => queens[i] || null) });
  }
  return steps;
}

async function traced(name, names, n, params) {
  const steps = [];
  const board = Array(n).fill(null);
  let square = null;
  const query = new URLSearchParams({ n, algorithm: name, limit: 10000, ...params });
  for (let next = `/trace?${query}`; next;) {
    const page = await server.getJson(next);
    for (const { do: does, row, column, board: other } of page.steps) {
      if (other) board.splice(0, n, ...other);
      else if (does === 'place' || does === 'move') board[row - 1] = column;
      else if (does === 'remove') board[row - 1] = null;
      if (row) square = { row, column };
      const values = variablesOf(names, [...board], square);
      steps.push({ do: does, row: names.row && values.row, column: names.column && values.column, board: values.board });
    }
    ({ next } = page);
  }
  return steps;
}

async function listed(name, n, params) {
  if (constructions.some((row) => row.name === name)) return [(await server.getJson(`/construct?${new URLSearchParams({ n, method: name, ...params })}`)).permutation];
  const { solutions } = await server.getJson(`/solve?${new URLSearchParams({ n, algorithm: name, limit: 10000, ...params })}`);
  return solutions.map(({ permutation }) => permutation);
}

for (const row of shown) row.code.text = row.code.lines.map(({ text }) => `${text}\n`).join('');

test('what is shown is each file, byte for byte, in lines that a telephone shows', () => {
  const files = readdirSync(sources).sort();
  assert.deepEqual(shown.map(({ name, code }) => name + endings[code.language]).sort(), files);
  for (const { name, code } of shown) {
    assert.equal(code.text, readFileSync(path.join(sources, name + endings[code.language]), 'utf8'), name);
    for (const { text } of code.lines) assert.ok(text.length <= WIDTH, `${name}: ${text}`);
  }
});

test('recursion is eight lines of Python', () => {
  const { code } = shown.find(({ name }) => name === 'recursion');
  assert.deepEqual([code.language, code.lines.length], ['Python', 8]);
});

test('every algorithm of /solve that is traced is a program', () => {
  for (const { name, code } of solvers) assert.ok(code.language, `${name} has no .listing: a file of src/solvers/listings, see src/steps/listing.h`);
});

for (const row of shown) {
  const { name, code } = row;
  const named = code.language;
  for (let n = 4; n <= 8; n++)
    for (const params of variants[name]?.(n) ?? [{}]) {
      const far = !longer && (n !== 5 || params === seeds[2]);
      const what = `${named} has the list and the steps of ${name}, ${new URLSearchParams({ n, ...params })}`;
      test(what, { skip: far && 'make test-long' }, async () => {
        const { printed, noted } = telling[named](row, n, params);
        const lines = params.seed === undefined ? plain[named](row, input(n, params)).split('\n') : printed;
        const boards = lines.map((line) => numbers(line.replace(/^\D+/, ''))).filter((board) => board.length === n);
        assert.deepEqual(boards, await listed(name, n, params));
        const mine = stepsOf(code, noted, n);
        const steps = await traced(name, code.variables, n, params);
        const differs = steps.findIndex((step, i) => JSON.stringify(step) !== JSON.stringify(mine[i]));
        if (differs >= 0) assert.deepEqual(mine[differs], steps[differs], `step ${differs + 1}`);
        assert.equal(mine.length, steps.length);
      });
    }
}
