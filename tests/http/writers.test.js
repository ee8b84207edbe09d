// writers.test.js - NDJSON of /solve has two writers: a list without a limit is made in parallel, one with a small limit solution by
// solution. Whatever is asked for, both write the same. A parameter that is new needs a row here.
import { after, assert, slow, start, test, until } from './harness.js';
import { routes } from './table.js';

const server = await start({ after }, '--threads', 3);
const { parameters } = routes.find(({ method, path }) => method === 'GET' && path === '/solve');
const choices = (name, but = []) => parameters.find((parameter) => parameter.name === name).choices.filter((choice) => !but.includes(choice));

const regions = 'aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee';
const { next_cursor: cursor } = await server.getJson('/solve?n=8&limit=50');
const { solutions: [, first, later] } = await server.getJson('/solve?n=8&limit=3');

// By parameter: queries that have it, of small boards. Those of `parallel` are seen to be made so; of rules that is not seen.
const rows = {
  n: { parallel: ['n=1', 'n=2', 'n=5', 'n=8', 'n=9', `n=${slow ? 10 : 12}`], other: ['n=0'] },
  m: { parallel: ['m=8'], other: ['m=4', 'm=9&n=5'] },
  queens: { parallel: ['queens=8'], other: ['queens=2', 'queens=any&n=5', 'queens=7-8&n=7'] },
  walls: { parallel: [], other: ['walls=3:3,5:6&queens=9', 'walls=2:2&n=4'] },
  maximal: { parallel: ['maximal=false'], other: ['maximal=true&n=6'] },
  limit: { parallel: ['limit=65536'], other: [] },
  distinct: { parallel: ['distinct=fundamental', 'distinct=mirror'], other: [] },
  symmetry: { parallel: [], other: ['symmetry=point', 'symmetry=quarter&n=5'] },
  place: { parallel: ['place=1:1', 'place=4:2'], other: ['place=1:1,2:1'] },
  exclude: { parallel: ['exclude=1:1,4:5'], other: [] },
  rules: { parallel: [], other: choices('rules', ['queens']).map((rule) => `rules=${rule}&n=7`) },
  regions: { parallel: [], other: [`regions=${regions}&n=6`, `regions=${regions}&n=6&board=ascii`] },
  apart: { parallel: [], other: [`regions=${regions}&n=6&apart=false`] },
  sample: { parallel: [], other: ['sample=20&seed=7'] },
  seed: { parallel: [], other: ['algorithm=min-conflicts&seed=5&n=5', 'sample=5&seed=8'] },
  rank: { parallel: ['rank=true', 'rank=true&distinct=mirror'], other: [] },
  total: { parallel: ['total=false'], other: ['total=true'] },
  order: { parallel: ['order=auto', 'order=lexicographic'], other: ['order=any'] },
  algorithm: { parallel: ['algorithm=bitboard'], other: choices('algorithm', ['bitboard']).map((name) => `algorithm=${name}&n=6${name === 'min-conflicts' ? '&seed=3' : ''}`) },
  column: { parallel: [], other: ['algorithm=zironi&column=3&n=6'] },
  split: { parallel: [], other: ['algorithm=romani-3&split=3&n=6'] },
  strategy: { parallel: [], other: ['algorithm=romani-5&strategy=depth&n=6'] },
  stats: { parallel: [], other: ['stats=true'] },
  board: { parallel: choices('board').map((style) => `board=${style}`), other: [] },
  transform: { parallel: ['transform=none'], other: choices('transform', ['none']).map((way) => `transform=${way}`) },
  base: { parallel: ['base=0', 'base=0&board=grid'], other: [] },
  format: { parallel: ['format=csv', 'format=text', 'format=text&board=ascii'], other: [] },
  offset: { parallel: ['offset=0', 'offset=7', 'offset=7&rank=true', 'offset=92'], other: [] },
  after: { parallel: [`after=${first.permutation}`, `after=${later.permutation}&rank=true`], other: [] },
  cursor: { parallel: [`cursor=${cursor}`], other: [] },
};

let asked = 0;
// The body of a query, and how many placements were tried for it, as the log has it.
async function list(query) {
  const id = `list-${asked++}`;
  const { status, text } = await server.get(`/solve?${query}`, { 'X-Request-Id': id });
  const find = () => server.logs.find((line) => line.id === id);
  await until(find, 'the request is in the log');
  return { status, text, nodes: find().nodes };
}
// A query with what it needs beside: the last one of each parameter counts.
const whole = (...queries) => new URLSearchParams(Object.fromEntries(new URLSearchParams(['n=8', 'format=ndjson', ...queries].join('&')))).toString();
const limited = (query) => (/sample=/.test(query) ? whole(query) : whole(query, 'limit=60000'));
const solutionsOf = ({ text }) => text.trim().split('\n').slice(0, -1).map((line) => JSON.parse(line));

test('every parameter of /solve has a row', () => {
  assert.deepEqual(Object.keys(rows), parameters.map(({ name }) => name));
});

for (const [name, { parallel, other }] of Object.entries(rows))
  test(`${name}: a list with a limit and one without agree`, async () => {
    for (const query of [...parallel, ...other]) {
      const quick = await list(whole(query)), plain = await list(limited(query));
      assert.equal(quick.status, plain.status, query);
      if (quick.status !== 200) {
        assert.equal(JSON.parse(quick.text).detail, JSON.parse(plain.text).detail, query);
        continue;
      }
      assert.equal(quick.text, plain.text, query);
      // The searches of the two do not go the same way, so that they try more placements, or fewer.
      if (name !== 'sample') // whose first one has counted the list
        assert.equal(quick.nodes !== plain.nodes, parallel.includes(query), `${query}: ${quick.nodes} and ${plain.nodes} placements`);
      if (/format=|algorithm=min-conflicts/.test(query)) continue; // not JSON; a page of it ends, the stream does not
      const page = await server.getJson(`/solve?${whole(/sample=/.test(query) ? query : `limit=10000&${query.replace('limit=', '_=')}`, 'format=json')}`);
      assert.deepEqual(solutionsOf(quick).slice(0, page.returned), page.solutions, query);
    }
  });

test('and any two parameters together', async () => {
  const each = Object.entries(rows).map(([name, { parallel, other }]) => [name, parallel.at(-1) ?? other[0]]);
  let agreed = 0;
  for (const [one, a] of each)
    for (const [two, b] of each) {
      if (one >= two || [one, two].some((name) => ['limit', 'n', 'format'].includes(name))) continue;
      const [quick, plain] = [await server.get(`/solve?${whole(a, b)}`), await server.get(`/solve?${limited(whole(a, b))}`)];
      assert.equal(quick.status, plain.status, `${a}&${b}`);
      if (quick.status === 200) assert.equal(quick.text, plain.text, `${a}&${b}`);
      agreed += quick.status === 200;
    }
  assert.ok(agreed > 50, `${agreed}`);
});
