// requests.js - makes requests, most of them wrong in some way, out of what openapi.yaml knows. The same seed makes the same ones.
// It knows no sockets.
import { operations } from '../http/contract.js';

const served = operations.filter(({ path }) => !['/healthz', '/readyz', '/metrics'].includes(path));
const odd = [
  ...['', '0', '-1', '+8', ' 8', '8.0', '1e3', '0x8', '8%00', '٣', 'NaN', '9223372036854775808', '18446744073709551616'],
  ...['%', '%zz', '%ff', '%f0%9f%91%91', 'a'.repeat(300), "';--", '../..', '1:1', '1:1,1:1', '0:0', '99:99', '1,2,3', 'true'],
  ...['all', 'none', 'json', 'auto', '\\', '{}', '&', '=', '%26', '#', '1-5', '5-1', '2x2', 'null'],
];
// Small ones, or most of the time would go into searching.
const sizes = ['1', '4', '5', '6', '6', '7', '8', '8', '8', '9'];
const dear = ['/puzzle', '/compare', '/hint', '/trace'];
const places = ['1:1', '2:5', '1:1,2:5', '4:4', '8:8'];

function value(random, { name, schema }) {
  if (random.chance(0.15)) return random.pick(odd);
  if (name === 'n') return random.chance(0.02) ? random.pick(['65', '100', '999']) : random.pick(sizes);
  if (name === 'place' || name === 'exclude') return random.pick(places);
  if (name === 'steps' || name === 'walks') return String(100 + random.below(100));
  const choices = schema?.enum ?? schema?.anyOf?.find((one) => one.enum)?.enum;
  if (choices) return String(random.pick(choices));
  if (schema?.type === 'boolean') return random.pick(['true', 'false']);
  return String(random.below(12));
}

// How often a parameter is given: nearly always where without it an answer takes long.
const given = { n: 0.95, steps: 0.97, limit: 0.8, walks: 0.8, clues: 0.02 };
function query(random, parameters) {
  const parts = [];
  for (const parameter of parameters.filter((one) => one.in === 'query'))
    if (random.chance(given[parameter.name] ?? 0.12)) parts.push(`${parameter.name}=${value(random, parameter)}`);
  if (random.chance(0.03)) parts.push(random.pick(['x=1', 'n', 'N=8', '=', '&', 'n=8', 'n[]=8', '%6e=8']));
  if (parts.length > 1 && random.chance(0.1)) parts.unshift(parts.pop());
  return parts.length ? `?${parts.join('&')}` : '';
}

const strangePaths = ['/', '//', '/solve/', '/SOLVE', '/..', '/%2e%2e', '/solve%3Fn=8', '/jobs/x/y', '/%00', '/*', '/a b', '*'];
function target(random, { path, parameters }) {
  if (random.chance(0.03)) return random.pick(strangePaths) + query(random, parameters);
  const id = random.chance(0.5) ? 'f'.repeat(16) : random.pick(['0', 'xyz', '%2F', 'a'.repeat(100)]);
  const plain = path.replace(/\{[^}]*\}/, id) + query(random, parameters);
  return random.chance(0.02) ? `http://localhost${plain}` : plain;
}

const bodies = [
  '{"permutation":[4,2,7,3,6,8,5,1]}',
  '{"n":8,"queens":[{"row":5,"column":3},{"row":8,"column":6}]}',
  '{"n":4,"permutation":[1,1,1,1],"base":0}',
  '{"row":1,"column":1}\n{"row":2,"column":3}\n{"row":3,"column":5}\n',
  '{"kind":"count","n":8}',
  '{"kind":"count","n":9,"exclude":"1:1"}',
  '{"kind":"count","n":10,"distinct":"mirror"}',
  '{"kind":"index","n":8}',
  '[]',
  'null',
  '',
  `{"permutation":[${'1,'.repeat(2000)}1]}`,
  '['.repeat(3000),
];
const letters = ['{', '}', '[', ']', '"', ',', ':', '\0', '\xff', '-', '9', 'e', '\\u0000', ' ', '\n'];
function body(random) {
  let text = random.pick(bodies);
  for (let i = random.chance(0.6) ? 0 : 1 + random.below(4); i > 0; i--) {
    const [at, cut] = [random.below(text.length + 1), random.below(3)];
    text = text.slice(0, at) + random.pick(letters) + text.slice(at + cut);
  }
  return text;
}

function chunks(random, text) {
  let out = '';
  while (text.length) {
    const piece = text.slice(0, 1 + random.below(text.length));
    const size = random.chance(0.2) ? `00${piece.length.toString(16).toUpperCase()}` : piece.length.toString(16);
    out += `${size}${random.chance(0.1) ? ';a=b' : ''}\r\n${piece}\r\n`;
    text = text.slice(piece.length);
  }
  return `${out}0\r\n${random.chance(0.1) ? 'X-Trailer: y\r\n' : ''}\r\n`;
}

// Fields that leave no doubt where the request ends.
const fields = [
  'Accept: text/plain',
  'Accept: image/png',
  'Accept: application/x-ndjson;q=0.5, */*;q=0.1',
  'Accept: ,;q=,,/',
  'Accept: text/nothing',
  'Accept:',
  'If-None-Match: *',
  'If-None-Match: "x", W/"y"',
  'Prefer: wait=1',
  'Prefer: respond-async, wait=99999999999999999999',
  'Prefer: ;;;=',
  'X-Request-Id: abc.DEF-1_2',
  'X-Request-Id: <script>',
  'X-Forwarded-For: 1.2.3.4, ::1, "',
  'Forwarded: for="[::1]:1";by=x, for=',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Origin: https://example.org',
  'Access-Control-Request-Method: GET',
  'Last-Event-ID: 5',
  'Range: bytes=0-1',
  'Cookie: a=b; c',
  'Authorization: Basic ====',
  'Accept-Encoding: gzip',
  'Connection: keep-alive, x',
  'Upgrade: websocket',
  `X-Long: ${'y'.repeat(2000)}`,
];
export const unknown = ['TRACE', 'BREW', 'get'];
const methods = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', ...unknown];

// A request that has one reading only, which may well be refused: { method, target, text }.
export function tame(random) {
  let operation = random.pick(served);
  if (dear.includes(operation.path) && random.chance(0.7)) operation = random.pick(served);
  const verb = operation.verb.toUpperCase();
  const method = random.chance(0.06) ? random.pick(methods) : verb;
  const lines = [`${method} ${target(random, operation)} HTTP/1.1`, 'Host: localhost'];
  const [, path] = lines[0].split(' ');
  for (let i = random.below(4) - 1; i > 0; i--) lines.push(random.pick(fields));
  let content = '';
  if (verb === 'POST' ? random.chance(0.95) : random.chance(0.02)) {
    content = body(random);
    if (random.chance(0.95)) lines.push(`Content-Type: ${random.pick(['application/json', 'application/x-ndjson', 'text/plain'])}`);
    if (random.chance(0.3)) {
      lines.push('Transfer-Encoding: chunked');
      content = chunks(random, content);
    } else {
      lines.push(`Content-Length: ${content.length}`);
    }
  }
  return { method, target: path, text: `${lines.join('\r\n')}\r\n\r\n${content}` };
}

const poison = ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', ':', '\xff', '%', '?', 'HTTP/1.1', 'Content-Length: 5\r\n', 'Host: y\r\n'];

// Bytes of which nobody knows how many requests they are, or whether they have an end.
export function wild(random) {
  let { text } = tame(random);
  for (let i = 1 + random.below(6); i > 0; i--) {
    const at = random.below(text.length + 1);
    const kind = random.below(4);
    if (kind === 0) text = text.slice(0, at) + random.pick(poison) + text.slice(at);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1 + random.below(8));
    else if (kind === 2) text = text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    else text = text.slice(0, at) + text.slice(random.below(at + 1), at) + text.slice(at);
  }
  return text;
}

// What nobody waits for.
const endless = [
  (i) => `/solve?n=60&algorithm=bitboard&limit=${1 + i}`,
  () => '/solve?n=30&order=lexicographic&format=ndjson',
  (i) => `/count?n=18&method=compute&exclude=1:1,2:${3 + (i % 15)}`,
  () => '/construct?n=1000000000&format=csv',
  (i) => `/puzzle?n=40&seed=${i}`,
  (i) => `/compare?n=24&seed=${i}`,
  (i) => `/construct?n=1000000&method=local-search&seed=${i}`,
  (i) => `/count?n=36&method=estimate&walks=1000000&seed=${i}`,
];
export const expensive = (random) =>
  `GET ${random.pick(endless)(random.below(1000))} HTTP/1.${random.below(2)}\r\nHost: localhost\r\n\r\n`;
