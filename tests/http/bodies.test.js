// bodies.test.js - what is answered, byte by byte, to two thousand questions that the route table draws up: each parameter of each
// route with each of its values, and each two of them together, of /verify with one of the bodies. tests/data/golden/bodies.txt has
// status, media type and body; of a long body its beginning and its hash. What changes an answer changes that file: `make bless`, and
// the difference is there to be read. Whether an answer is right, other tests say.
import { createHash } from 'node:crypto';
import { golden } from '../golden.js';
import { after, assert, start, test } from './harness.js';
import { asked, routes, values } from './table.js';

const server = await start({ after }, '--kernel', 'auto', '--threads', '1');

// The largest numbers, what comes from a table, boards that are listed by a solver, the empty one with a drawing.
const more = [
  '/count?n=27', '/count?n=0', '/count?n=18&distinct=fundamental', '/count?n=8&rules=toroidal', '/count?n=9&rules=superqueens&format=bfile', '/count?n=1-9&format=bfile',
  '/solve?n=20&limit=2', '/solve?n=60&limit=1', '/solve?n=8&offset=90&limit=5', '/solve?n=0&board=ascii', '/hint?n=20&place=1:1', '/hint?n=8&place=1:1,2:2',
  ...['json', 'ndjson', 'csv', 'text', 'octet-stream'].map((format) => `/construct?n=1000000000&rows=999999996-1000000000&format=${format}`),
  ...['csv', 'text'].flatMap((format) => [`/solve?n=0&board=ascii&format=${format}`, `/solve?n=2&format=${format}`, `/construct?n=0&base=0&format=${format}`]),
];
const verified = [
  ['application/json', '{"permutation":[2,4,6,1,3,5]}'],
  ['application/json', '{"permutation":[1,2,6,4,3,3]}'],
  ['application/json', '{"n":6,"queens":[[1,2],[2,4],[2,5]]}'],
  ['application/json', '{"permutation":[2,4,6,1,3,"5"]}'],
  ['text/plain', '2 4 6 1 3 5\n'],
  ['text/plain', '. Q . . . .\n. . . Q . .\n. . . . . Q\nQ . . . . .\n. . Q . . .\n. . . . Q .\n'],
  ['text/csv', 'row,column\r\n1,2\r\n2,4\r\n'],
];

// Settings of one parameter: [[name, value]], not the default.
const settings = ({ name, choices, default: preset }) => {
  const all = choices?.filter((choice) => choice !== preset) ?? values[name] ?? assert.fail(`bodies.test.js has no value for ${name}`);
  return all.map((value) => [name, value]);
};

// The queries of a route: as it stands, with each setting, with the first settings of each two parameters, and each in each format.
function queries(route, base) {
  const each = route.parameters.map(settings);
  const pairs = each.flatMap((first, i) => each.slice(i + 1).map((second) => [first[0], second[0]])).filter((pair) => pair.every(Boolean));
  const [formats, others] = [true, false].map((wanted) => each.flat().filter(([name]) => (name === 'format') === wanted));
  const formatted = formats.flatMap((format) => others.map((one) => [one, format]));
  return [[], ...each.flat().map((one) => [one]), ...pairs, ...formatted].map((set) => {
    const query = new URLSearchParams(base);
    if (set.some(([name]) => route.parameters.some(({ name: other, unless }) => other === 'n' && unless?.split(' ').includes(name)))) query.delete('n');
    for (const [name, value] of set) query.set(name, value);
    return [...query].map((pair) => pair.join('=')).join('&');
  });
}

const visible = (text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
// A cursor has the build in it, a b-file the release.
const told = ({ status, headers, text, bytes }) => {
  const type = headers['content-type'];
  const known = text.replaceAll(/("next_cursor":"|[?&]cursor=)[\w.-]+/g, '$1...').replace(/^# nqueensd [\w.+]+:/m, '# nqueensd ...:');
  const body = /octet-stream$/.test(type) ? bytes.toString('hex') : visible(known);
  const hash = createHash('sha256').update(type.startsWith('image/') ? bytes : body).digest('hex').slice(0, 16);
  if (type === 'image/png') return `${status} ${type} ${bytes.length} ${hash}`;
  return `${status} ${type} ${body.length <= 400 ? body : `${body.slice(0, 160)}... ${hash}`}`;
};

// An answer drawn at random is not kept: it is asked for again, with a seed.
async function answer(target) {
  const reply = await server.get(target);
  const drawn = (reply.status === 200 && reply.headers['cache-control'] === 'no-store') || JSON.stringify(reply.text).includes('settled-without');
  return drawn && !target.includes('seed=') ? answer(`${target}&seed=7`) : [target, told(reply)];
}

test('every answer is the one that it was', async () => {
  const lines = [];
  for (const route of routes.filter(({ path, method }) => method === 'GET' && path in asked))
    for (const query of new Set(queries(route, asked[route.path]))) lines.push(...(await answer(`${route.path}?${query}`)));
  for (const target of more) lines.push(...(await answer(target)));
  const verify = routes.find(({ path }) => path === '/verify');
  const each = [...new Set(queries(verify, '').filter((one) => !/^n=[^6]/.test(one)))];
  for (const [i, [type, body]] of verified.entries())
    for (const query of i ? each.filter((one) => !one.includes('&')) : each)
      lines.push(`/verify?${query} ${visible(body)}`, told(await server.get(`/verify?${query}`, { 'content-type': type }, 'POST', body)));
  golden('bodies.txt', lines);
});
