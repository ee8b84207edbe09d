// refusals.test.js - what every parameter of every route refuses, made from the route table: a new parameter is refused in these
// ways without a line here. What parameters refuse together, and bodies, is one list: tests/data/golden/refusals.txt. That the advice
// of a refusal works is in advice.test.js.
import { readFileSync } from 'node:fs';
import { golden } from '../golden.js';
import { after, assert, longer, start, test } from './harness.js';
import { ask, nameOf, needed, routes } from './table.js';

const server = await start({ after });

// What is not a number in plain digits below 2^63.
const digits = [
  ...['+8', '%2b8', '-1', '-0', '%208', '8%20', '+', '8.0', '8.', '.8', '1e3', '0x8', '8%00', '%00', '8%0a', '08', '8,0', '٨', 'eight'],
  ...['NaN', '9223372036854775808', '18446744073709551624', '99999999999999999999'],
];
const numbers = ['1', '2']; // pairs and lists of these are sound

// `make test` takes a fifth of the values for each parameter, another one each time; the parameters of a type have one reader.
let turn = 0;
const share = (values) => (turn++, longer ? values : values.filter((_, i) => i % 5 === turn % 5));

// By type: values whose form is refused, and with which code.
const malformed = {
  number: ['syntax', digits],
  choice: ['not-a-choice', ['nothing', 'x'.repeat(300), '%00', '8']],
  token: ['not-a-cursor', ['..', 'a%00', 'a%20b', 'x'.repeat(2801)]],
  range: ['syntax', [...digits, ...digits.flatMap((bad) => [`1-${bad}`, `${bad}-1`]), '1', '1-', '-1', '1-2-3']],
  squares: ['syntax', [...digits, ...digits.flatMap((bad) => [`1:${bad}`, `${bad}:1`]), ',', '1:1,', ',1:1', '1:1,,2:2', '1', '1:2:3', '65536:1', '1:65536']],
  columns: ['syntax', [...digits.filter((bad) => bad !== '8,0'), ',', '1,', ',1', '1,,2', '65536']],
  queens: ['syntax', [...digits.filter((bad) => bad !== '8,0'), ',', '1,', ',1', '1,,2', '65536', '1:1,', '1:1,2', '1,1:1', '1:2:3', '65536:1', '65535:1', '1:65536']],
  factors: ['syntax', [...digits, 'x', '5x', 'x5', '5xx5', '1x5', '5x0']],
  board: ['not-regions', ['a%20b', '%22', 'ä', '<', ';', '[[]]', '1,2,3', 'aab/aab']],
  text: ['syntax', ['a%00', 'a%20b', '%22', 'ä', '<', ';']],
};

// What has the right form and is refused nonetheless: [value, status, code, members].
function bounded({ type, minimum, maximum, sizes }) {
  if (type === 'range') return [['2-1', 400, 'range-reversed', {}]];
  if (type === 'squares' || type === 'queens') return [[`${numbers.map((row) => `${row}:1`)},1:1`, 400, 'square-twice', { row: 1, column: 1 }]];
  if (type === 'text') return [['x'.repeat(512), 422, 'too-many-items', { maximum: 511 }]];
  if (type !== 'number') return [];
  const rows = [];
  if (minimum > 0) rows.push([minimum - 1, 400, 'below-minimum', { minimum }]);
  if (typeof maximum === 'number') rows.push([maximum + 1, 422, 'above-limit', { maximum }]);
  if (sizes) {
    for (const bad of ['1-x', '1-', '1-2-3', '-1-2']) rows.push([bad, 400, 'syntax', {}]);
    rows.push(['5-1', 400, 'range-reversed', {}], [`1-${maximum + 1}`, 422, 'above-limit', { maximum }]);
    rows.push([`${minimum}-${minimum + sizes}`, 422, 'too-many-items', { maximum: sizes }]);
  }
  return rows;
}

// Values that the other parameters need: of those that are required.
const sound = { n: '8', code: '131w' };
const beside = (route, name) =>
  route.parameters
    .filter((row) => needed(row) && row.name !== name && !row.unless?.split(' ').includes(name))
    .map((row) => `${row.name}=${sound[row.name] ?? assert.fail(`no sound value of ${row.name}, which ${nameOf(route)} needs`)}`);

async function refused(route, query, status, parameter, code, members = {}) {
  const reply = await ask(server, route, `?${query}`);
  const what = `${nameOf(route)}?${query}`.slice(0, 200);
  const { errors } = reply.json;
  if (errors.length === 1) reply.isProblem(status, parameter); // what else is said of it depends on others
  assert.deepEqual([...new Set(errors.map((error) => error.parameter))], [parameter], `${what}: ${reply.text}`);
  const [error] = errors;
  assert.equal(error.code, code, `${what}: ${reply.text}`);
  for (const [name, value] of Object.entries(members)) {
    assert.deepEqual(error[name], value, `${name}, ${what}`);
    for (const word of [value].flat()) assert.ok(error.reason.includes(word), `${what}: ${word} is not in: ${error.reason}`);
  }
}

for (const route of routes) {
  test(`${nameOf(route)} refuses what is none of its parameters`, async () => {
    const others = beside(route);
    if (route.any_parameter) return assert.equal((await ask(server, route, '?nonsense=1')).status, 200);
    for (const name of ['nonsense', ...route.parameters.map((row) => row.name.toUpperCase())])
      await refused(route, [...others, `${name}=1`].join('&'), 400, name, 'unknown-parameter');
    if (route.parameters.length) {
      const all = await ask(server, route, '?nonsense=1');
      all.isProblem(400, 'nonsense', ...route.parameters.filter(needed).map(({ name }) => name));
    }
  });
  for (const row of route.parameters)
    test(`${nameOf(route)} refuses every ${row.name} that is wrong`, async () => {
      const others = beside(route, row.name);
      const given = (...values) => [...others, ...values.map((value) => `${row.name}=${value}`)].join('&');
      const [code, values] = malformed[row.type] ?? assert.fail(`nothing here is malformed for a ${row.type}: add some to malformed`);
      const members = row.choices ? { choices: row.choices } : {};
      const [first] = row.choices ?? [''];
      if (needed(row) && others.length < 1) await refused(route, '', 400, row.name, 'required');
      await refused(route, [...others, row.name].join('&'), 400, row.name, 'needs-value');
      if (row.type !== 'squares' && row.type !== 'queens') await refused(route, given(''), 400, row.name, 'needs-value');
      for (const value of share(values)) await refused(route, given(value), 400, row.name, code, members);
      if (row.choices) for (const value of [first.toUpperCase(), `${first}%00`, `${first},`].filter((one) => one !== first)) await refused(route, given(value), 400, row.name, code, members);
      for (const [value, ...expected] of bounded(row)) await refused(route, given(value), expected[0], row.name, expected[1], expected[2]);
      const twice = first || { number: row.minimum, token: 'x', range: '1-2', squares: '1:1', columns: '1', queens: '1', factors: '5x5', text: 'x' }[row.type];
      await refused(route, given(twice, twice), 400, row.name, 'given-twice');
    });
}

// A row of the list: METHOD TARGET MEDIA/TYPE BODY, of which the last two may be missing, two blanks, and what that is refused with: the
// status, and each parameter with its code, its members and its sentence, or those of all of it. A body is JSON unless its type is
// there; then \n ends a line of it. A new row may be the request alone: NQ_BLESS=1 adds the rest.
function verdict({ status, json: { errors, type, title, status: _, detail, code, ...members } }) {
  const named = ({ parameter, code, reason, choices, ...more }) =>
    `${[parameter, code, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)].filter((word) => word !== undefined).join(' ')}: ${reason}`;
  if (!errors) return `${status} ${named({ code: code ?? type.split(':').at(-1), reason: detail, ...members })}`;
  return [status, ...errors.map(named)].join('; ');
}

test('what parameters refuse together, and what bodies are refused', async () => {
  const list = readFileSync(new URL('../data/golden/refusals.txt', import.meta.url), 'utf8').split('\n').filter(Boolean);
  const rows = [];
  for (const line of list) {
    const [request] = line.split(/ {2}(?=4\d\d)/);
    const [, method, target, type, text] = request.match(/^(\S+) (\S+)(?: (\w+\/\S+))?(?: (.*))?$/);
    const body = type ? (text ?? '').replaceAll('\\n', '\n') : text;
    const reply = await server.get(target, body === undefined ? {} : { 'content-type': type ?? 'application/json' }, method, body);
    const { detail, errors } = reply.json;
    reply.isProblem(reply.status, ...(errors ?? []).map(({ parameter }) => parameter));
    assert.ok([400, 422].includes(reply.status), `${request}: ${reply.text}`);
    if (errors) assert.equal(detail, `${errors.map(({ parameter, reason }) => `${parameter} ${reason}`).join('; ')}.`);
    rows.push(`${request}  ${verdict(reply)}`);
  }
  golden('refusals.txt', rows);
});
