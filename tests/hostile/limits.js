// limits.js - requests for all that openapi.yaml allows, at its limits: every value of every parameter, alone and beside every other,
// on boards of every size that its text names. What the contract has tomorrow is asked, too. It knows no sockets.
import { document, operations, resolve } from '../http/contract.js';

// Every whole number in a text, 10^9 and 2^20 among them.
const numbersIn = (text = '') =>
  [...text.matchAll(/\b([0-9]+)(?:\^([0-9]+))?\b/g)].map(([, base, exponent]) => Number(base) ** Number(exponent ?? 1));
const unique = (values) => [...new Set(values)];
const within = ({ minimum = 0, maximum = Infinity }) => (number) => minimum <= number && number <= maximum;
const product = (factors) => factors.split('x').reduce((all, one) => all * one, 1);
const joined = (squares) => squares.map((square) => square.join(':')).join(',');

// Sizes at which something begins or ends, and those one beyond.
function sizesOf({ operation, parameters }, { schema }) {
  const named = numbersIn([operation.description, ...parameters.map(({ description }) => description)].join('\n'));
  const products = parameters.filter(({ example }) => /^\d+(x\d+)+$/.test(example)).map(({ example }) => product(example));
  const bounds = [schema.minimum, schema.maximum].filter((one) => one !== undefined);
  return unique([...named, ...named.map((one) => one + 1), ...products, ...bounds]).filter(within(schema));
}

// As many squares as a request may name, on the diagonal and beside it.
const MOST_SQUARES = 256;
function diagonal(n) {
  const all = [];
  for (let away = 0; away < n && all.length < MOST_SQUARES; away++)
    for (let row = 1; row + away <= n && all.length < MOST_SQUARES; row++) all.push([row, row + away]);
  return all;
}

// Values of a parameter on a board that has this solution; rows: how many may be left without a queen. What is none is refused.
function valuesOf({ schema, example, description }, n, solution, rows) {
  const { pattern = '', type, minimum, maximum } = schema;
  const choices = schema.enum ?? schema.anyOf?.flatMap((one) => one.enum ?? []) ?? [];
  const examples = example === undefined ? [] : [example];
  if (choices.length) return choices.filter((one) => one !== schema.default);
  if (type === 'boolean') return [true];
  if (type === 'integer') {
    const bounds = [minimum, maximum].filter((one) => one !== undefined);
    return unique([...bounds, ...numbersIn(description), 2 ** 20]).filter(within(schema));
  }
  if (pattern.includes(':')) {
    const queens = solution.map((column, row) => [row + 1, column]);
    const some = rows.filter((left) => left < n).map((left) => queens.slice(0, n - left));
    return unique([...examples, '1:2', ...[...some, diagonal(n)].filter(({ length }) => length).map(joined)]);
  }
  if (pattern.includes('-[')) return [`1-${n}`, `${n}-${n}`];
  return pattern.includes(',') ? [...examples, solution.join(',')] : examples;
}

// Settings of one parameter, and, as often as `beside` says, of two.
function* settings(parameters, n, solution, rows, beside) {
  const all = parameters.flatMap((one) => valuesOf(one, n, solution, rows).map((value) => [one.name, value]));
  yield {};
  for (const [i, [name, value]] of all.entries()) {
    yield { [name]: value };
    for (const [other, another] of all.slice(i + 1)) if (other !== name && beside()) yield { [name]: value, [other]: another };
  }
}

const queryOf = (fields) => Object.entries(fields).map(([name, value]) => `${name}=${value}`).join('&');
const parametersOf = (schema) =>
  Object.entries(schema.properties).map(([name, one]) => ({ name, schema: one, description: one.description, example: one.example }));

// Boards for /verify, made when they are wanted: a solution, all queens on one line of each kind, and as lines. Squares in JSON are as
// many as a body of 16 MiB has room for.
function boards(n, solution) {
  const all = () => Array.from({ length: n }, (_, row) => row + 1);
  const json = (members) => ['application/json', () => JSON.stringify({ n, ...members() })];
  const some = () => all().slice(0, 450000);
  const lines = () => some().map((row) => `{"row":${row},"column":${1 + ((row * row) % n)}}\n`).join('');
  const table = () => all().map((row) => `${row},${1 + ((row * row) % n)}\r\n`).join('');
  return [
    ...(solution.length ? [json(() => ({ permutation: solution }))] : []),
    json(() => ({ permutation: all().map(() => 1) })),
    json(() => ({ permutation: all() })),
    json(() => ({ queens: some().map((column) => ({ row: 1, column })) })),
    ['application/x-ndjson', () => `${lines()}{"end":true,"n":${n}}\n`],
    ['text/csv', () => `row 1..${n},column 1..${n}\r\n${table()}`],
  ];
}

// Every request: { method, target, type, body }. solutionOf(n): a promise of the columns of one, none where there is none or none is
// wanted; beside(): whether to ask for two parameters together.
export async function* requests(solutionOf, beside) {
  for (const of of operations.filter(({ operation }) => !operation.tags.includes('operation'))) {
    const asked = of.parameters.filter((one) => one.in === 'query');
    const query = asked.map((one) => ({ ...one, schema: resolve('', one.schema)[1] }));
    const size = query.find(({ name }) => name === 'n');
    const others = query.filter((one) => one !== size);
    if (of.verb === 'get' && size) {
      const sizes = sizesOf(of, size);
      for (const n of sizes)
        for (const fields of settings(others, n, await solutionOf(n), sizes, beside))
          yield { method: 'GET', target: `${of.path}?${queryOf({ n, ...fields })}` };
    } else if (of.path === '/verify') {
      for (const n of sizesOf(of, { schema: { minimum: 1, maximum: 1000000 } }))
        for (const [type, make] of boards(n, await solutionOf(n))) {
          let text;
          for (const fields of settings(others, n, [], [], beside))
            yield { method: 'POST', target: `${of.path}?${queryOf(fields)}`, type, get body() { return (text ??= make()); } };
        }
    } else if (of.path === '/jobs') {
      const { JobRequest } = document.components.schemas;
      const members = parametersOf(JobRequest).filter(({ name }) => !['n', 'kind'].includes(name));
      const count = operations.find(({ path }) => path === '/count');
      const sizes = sizesOf(count, { schema: JobRequest.properties.n.anyOf.find(({ type }) => type === 'integer') });
      for (const n of sizes)
        for (const fields of settings(members, n, await solutionOf(n), sizes, beside))
          for (const target of ['/jobs', '/jobs?dry-run=true'])
            yield { method: 'POST', target, type: 'application/json', body: JSON.stringify({ kind: 'count', n, ...fields }) };
    } else if (of.verb === 'get' && !of.path.includes('{')) {
      yield { method: 'GET', target: of.path };
    }
  }
}
