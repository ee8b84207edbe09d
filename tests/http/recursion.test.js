// recursion.test.js - the algorithm `recursion` is the program that its listing shows: python3 runs that, and prints the same solutions
// after the same steps, line by line.
import { execFileSync } from 'node:child_process';
import { after, assert, start, tables, test } from './harness.js';

const server = await start({ after });
const { solvers } = await server.getJson('/algorithms?table=traced');
const { code } = solvers.find(({ name }) => name === 'recursion');
const lines = code.lines.map(({ text }) => text);
const python = (n, ...args) => execFileSync('python3', ['-I', ...args], { input: `${n}\n`, encoding: 'utf8' });
const lineOf = (kind) => 1 + code.lines.findIndex(({ steps }) => steps.includes(kind));

// In Python: runs a listing, and notes for each line that place() comes to its number, and row, col and queens before it.
const noting = `
import json, sys
noted = []
def note(frame, event, argument):
    if event == 'line' and frame.f_code.co_name == 'place':
        noted.append([frame.f_lineno] + [frame.f_locals.get(name) for name in ('row', 'col')] + [list(frame.f_locals['queens'])])
    return note
program = compile(sys.argv[1], 'listing', 'exec')
sys.settrace(note)
exec(program, {'print': lambda queens: None, 'input': lambda words: sys.stdin.readline()})
sys.settrace(None)
print(json.dumps(noted))
`;

// The steps of which a run of the listing tells, with the queens after each.
function stepsOf(noted, n) {
  const steps = [];
  noted.forEach(([line, row, col, queens], i) => {
    const square = { row, column: col };
    const add = (kind, more, after = queens) => steps.push({ do: kind, ...more, after });
    if (line === lineOf('reject') && noted[i + 1][0] !== lineOf('place')) add('reject', square);
    if (line === lineOf('place')) add('place', square, [...queens, [row, col]]);
    if (line === lineOf('solution') && row === n) add('solution', {});
    if (line === lineOf('remove')) add('remove', square, queens.slice(0, -1));
  });
  return steps;
}

async function traced(n) {
  const steps = [];
  const queens = [];
  for (let next = `/trace?n=${n}&algorithm=recursion&limit=1000`; next;) {
    const page = await server.getJson(next);
    for (const { do: does, row, column } of page.steps) {
      if (does === 'place') queens.push([row, column]);
      if (does === 'remove') queens.pop();
      steps.push({ do: does, ...(row && { row, column }), after: [...queens] });
    }
    ({ next } = page);
  }
  return steps;
}

test('the listing is eight lines of Python', () => {
  assert.equal(lines.length, 8);
  assert.deepEqual(code.variables, { row: 'row', column: 'col', board: 'queens' });
});

for (const n of [4, 5, 6]) {
  test(`python3 prints the solutions of n = ${n}`, async () => {
    const printed = python(n, '-c', lines.join('\n'));
    assert.ok(printed.startsWith('n = '));
    const boards = printed.slice('n = '.length).trim().split('\n');
    const { solutions } = await server.getJson(`/solve?n=${n}&algorithm=recursion&limit=1000`);
    const pairs = solutions.map(({ permutation }) => permutation.map((column, i) => `(${i + 1}, ${column})`));
    assert.deepEqual(boards, pairs.map((pair) => `[${pair.join(', ')}]`));
  });

  test(`python3 comes to the lines that /trace names: n = ${n}`, async () => {
    const steps = stepsOf(JSON.parse(python(n, '-c', noting, lines.join('\n'))), n);
    assert.deepEqual(await traced(n), steps);
  });
}

for (let n = 4; n <= 8; n++)
  test(`its list is that of bitboard, as long as is published: n = ${n}`, async () => {
    const [mine, other] = await Promise.all(['recursion', 'bitboard'].map((name) => server.getJson(`/solve?n=${n}&algorithm=${name}&limit=1000`)));
    assert.deepEqual(mine.solutions, other.solutions);
    assert.equal(mine.returned, tables().all.terms[n]);
  });

test('a square under attack is named with the first queen for which all() is false', async () => {
  const { steps } = await server.getJson('/trace?n=6&algorithm=recursion&limit=1000');
  const columns = [];
  for (const { do: does, row, column, by } of steps) {
    if (does === 'place') columns[row - 1] = column;
    if (does === 'remove') columns.pop();
    if (does !== 'reject') continue;
    const first = columns.findIndex((c, i) => [0, row - 1 - i].includes(Math.abs(column - c)));
    assert.deepEqual(by, { row: first + 1, column: columns[first] });
  }
});
