// table.js - the route table as the binary prints it, a sound request for each row, and sound values of its parameters. It knows no server.
import { execFileSync } from 'node:child_process';
import { binary } from './harness.js';

// Numbers that JavaScript cannot hold are BigInts.
const exact = (text) => text.replaceAll(/: (\d{16,})/g, ': "$1n"');
const revive = (_, value) => (/^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value);
const table = JSON.parse(exact(execFileSync(binary, ['routes'], { encoding: 'utf8' })), revive);
// A board that is sent has what a route needs.
export const routes = table.map((route) => (route.board ? { ...route, parameters: route.parameters.map((row) => ({ ...row, required: false, unless: undefined })) } : route));

// "GET /solve", and the row of such a name.
export const nameOf = ({ method, path }) => `${method} ${path}`;

const json = { "content-type": "application/json" };
export const bodies = {
  ...Object.fromEntries(routes.filter(({ board }) => board).map((route) => [nameOf(route), '{"rules":"queens"}'])),
  'POST /verify': '{"permutation":[2,4,1,3]}', 'POST /jobs': '{"kind":"count","n":8}',
};

const board = 'aabbb/aacbb/ddccc/ddeec/deeee'; // with one solution
// Sound values of parameters whose values are not in the route table; the first stands in pairs.
export const values = {
  after: ['2,4,6,1,3,5', '3,6,2,5,1,4'],
  clues: ['2'],
  code: ['dd5y2c'],
  column: ['3', '0'],
  cursor: ['AAAA'],
  daily: ['2026-01-01'],
  generator: ['1'],
  exclude: ['1:2', '6:6,1:1'],
  factors: ['5x7'],
  index: ['1'],
  limit: ['2', '1'],
  m: ['4', '7'],
  multiplier: ['3'],
  n: ['6', '0', '1', '2', '3', '4', '5'],
  offset: ['2', '9'],
  place: ['1:2', '3:6,1:2', '1:1,2:2'],
  queens: ['3', '0-2', 'any', '9'],
  regions: [board, 'aabb/aabb/ccdd/ccdd'],
  rows: ['2-4'],
  sample: ['3'],
  seed: ['7'],
  sheet: ['2'],
  shift: ['1'],
  solutions: ['1'],
  split: ['3,1', '1'],
  seeds: ['3'], steps: ['40'],
  walks: ['200'],
  walls: ['2:3', '1:1,4:4,2:5'],
};
// Routes whose answers to GET are the same whenever they are asked; what is asked for where n alone is no question.
export const asked = {
  '/solve': 'n=6', '/count': 'n=6', '/construct': 'n=10', '/trace': 'n=4', '/compare': 'n=5', '/puzzle': 'n=8&seed=7', '/hint': 'n=6&place=1:2', '/algorithms': '',
};

// Whether a row may not be left out; one that may beside another counts.
export const needed = ({ required, unless }) => required || unless !== undefined;

// Asks a route with such a query on its port, with a sound body where it takes one. There is no such job and no such file.
export function ask(server, route, query, headers = {}) {
  const target = `${route.path.replace(/\{.*\}/, '0123456789abcdef')}${query}`;
  const body = bodies[nameOf(route)];
  const own = body ? { ...json, ...headers } : headers;
  return (route.port === 'admin' ? server.admin : server.get).call(server, target, own, route.method, body);
}
