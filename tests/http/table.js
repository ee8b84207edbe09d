// table.js - the route table as the binary prints it, and a sound request for each row. It knows no server.
import { execFileSync } from 'node:child_process';
import { binary } from './harness.js';

// Numbers that JavaScript cannot hold are BigInts.
const exact = (text) => text.replaceAll(/: (\d{16,})/g, ': "$1n"');
const revive = (_, value) => (/^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value);
export const routes = JSON.parse(exact(execFileSync(binary, ['routes'], { encoding: 'utf8' })), revive);

// "GET /solve", and the row of such a name.
export const nameOf = ({ method, path }) => `${method} ${path}`;

const json = { "content-type": "application/json" };
export const bodies = { 'POST /verify': '{"permutation":[2,4,1,3]}', 'POST /jobs': '{"kind":"count","n":8}' };

// Whether a row may not be left out; one that may beside another counts.
export const needed = ({ required, unless }) => required || unless !== undefined;

// Asks a route with such a query on its port, with a sound body where it takes one. There is no such job and no such file.
export function ask(server, route, query, headers = {}) {
  const target = `${route.path.replace(/\{.*\}/, '0123456789abcdef')}${query}`;
  const body = bodies[nameOf(route)];
  const own = body ? { ...json, ...headers } : headers;
  return (route.port === 'admin' ? server.admin : server.get).call(server, target, own, route.method, body);
}
