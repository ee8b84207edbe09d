// core.test.js - the core of the service in ten seconds, for `make check`: of every route one right answer of each shape, one refusal,
// pages to their end, one stream to its end line, one job from POST to done with its events. A route of the table without a row
// here fails. That replies keep to openapi.yaml is the harness's.
import { readEvents } from './contract.js';
import { readFileSync } from 'node:fs';
import { after, assert, start, test } from './harness.js';
import { parsePng } from './png.js';
import { nameOf, routes } from './table.js';

const server = await start({ after }, '--kernel', 'auto');
const { semiqueens } = JSON.parse(readFileSync(new URL('../data/variants.json', import.meta.url), 'utf8'));
const [, counted] = semiqueens.counts.find(([n]) => n === 14);
const job = await server.begin({ n: 14, rules: 'semiqueens' }); // it takes so long that its units are listed
const [, script] = /src="web\/([^"]+)"/.exec((await server.get('/')).text);

const regions = 'aabbb/aacbb/ddccc/ddeec/deeee';
const solution = (columns) => columns.every((a, i) => columns.every((b, j) => i === j || (a !== b && Math.abs(a - b) !== Math.abs(i - j))));

// What a body of a shape is. The rows below say what is in it.
const shapes = {
  'application/json': ({ text }) => JSON.parse(text),
  'application/x-ndjson': ({ lines }) => lines,
  'text/csv; charset=utf-8; header=present': ({ text }) => text.trimEnd().split('\r\n').map((record) => record.split(',')),
  'text/plain; charset=utf-8': ({ text }) => text,
  'text/plain; version=0.0.4; charset=utf-8': ({ text }) => text,
  'text/html; charset=utf-8': ({ text }) => text,
  'text/javascript; charset=utf-8': ({ text }) => text,
  'application/yaml': ({ text }) => text,
  'text/event-stream': ({ text }) => readEvents(text).map(({ event, data }) => ({ event, ...JSON.parse(data) })),
  'image/svg+xml': ({ text }) => (text.match(/<use href="#nq-[0-9a-f]{8}-queen"/g) ?? []).length,
  'image/vnd.microsoft.icon': ({ bytes }) => bytes,
  'application/manifest+json': ({ text }) => JSON.parse(text),
  'image/png': ({ bytes }) => parsePng(bytes).width,
  'application/octet-stream': ({ bytes }) => [...new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))],
};
// The value of `format` for a shape, where a route has the parameter.
const formats = { csv: 'text/csv', text: 'text/plain', ndjson: 'x-ndjson', svg: 'svg', png: 'png', 'octet-stream': 'octet-stream', events: 'event-stream', bfile: 'text/plain' };

// By route: what is asked, what is sent with it, what is refused with what, and for each shape whether the body is right.
const core = {
  'GET /solve': {
    ask: '/solve?n=6', refused: ['/solve?n=6&offset=1&after=2,4,6,1,3,5', 400],
    json: ({ solutions, total, base }) => total === 4 && base === 1 && solutions.length === 4 && solutions.every(({ permutation }) => solution(permutation)),
    ndjson: (lines) => lines.length === 5 && lines.at(-1).end && lines.slice(0, 4).every(({ permutation }) => solution(permutation)),
    csv: ([names, ...records]) => names[1] === 'row 1' && records.length === 4 && solution(records[2].slice(1).map(Number)),
    text: (text) => text.includes('\n 1 >  2  4  6  1  3  5\n'), svg: (queens) => queens === 6, png: (width) => width % 6 === 0,
  },
  'GET /count': {
    ask: '/count?n=8', refused: ['/count?n=28', 422],
    json: ({ count, count_text, provenance }) => count === 92 && count_text === '92' && provenance === 'computed', text: (text) => text.endsWith('\n8 92\n'),
  },
  'GET /construct': {
    ask: '/construct?n=10', refused: ['/construct?n=3', 422], json: ({ permutation }) => permutation.length === 10 && solution(permutation),
    ndjson: (lines) => lines.length === 11 && lines.at(-1).end && solution(lines.slice(0, 10).map(({ column }) => column)),
    csv: (records) => records.length === 11 && solution(records.slice(1).map(([, column]) => Number(column))),
    text: (text) => solution(text.split('\n')[2].trim().split(/ +/).map(Number)), 'octet-stream': (columns) => columns.length === 10 && solution(columns),
    svg: (queens) => queens === 10, png: (width) => width % 10 === 0,
  },
  'GET /trace': {
    ask: '/trace?n=4&algorithm=mrv', refused: ['/trace?n=4&algorithm=mrv&seed=1', 400],
    json: ({ steps, stats, ended }) => ended && stats.solutions === 2 && steps.filter((step) => step.do === 'solution').length === 2,
    ndjson: (lines) => lines.at(-1).ended && lines.filter((step) => step.do === 'solution').length === 2,
    events: (events) => events.at(-1).event === 'end' && events.filter((step) => step.do === 'solution').length === 2,
  },
  'GET /compare': { ask: '/compare?n=5', refused: ['/compare?n=65', 422], json: ({ algorithms }) => algorithms.length > 10 && algorithms.every(({ finished, unit }) => finished && unit), csv: (records) => records.length > 10 && records.slice(1).every((record) => record[0] === '5') },
  'GET /puzzle': {
    ask: '/puzzle?kind=regions&n=6&seed=1', refused: ['/puzzle?n=2&seed=1', 422], json: ({ n, regions, code }) => n === 6 && regions.length === 6 && code.length > 3,
    text: (text) => /^([a-f]{6}\n){6}$/.test(text), svg: (queens) => queens === 0, png: (width) => width > 6 * 40,
  },
  'GET /hint': { ask: `/hint?regions=${regions}`, refused: [`/hint?regions=${regions}&n=6`, 400], json: ({ completable, hint }) => completable && hint.technique === 'sets-2', svg: (queens) => queens === 0, png: (width) => width > 5 * 40 },
  'GET /verify': {
    ask: '/verify?n=4&place=1:2,2:4,3:1,4:3', refused: ['/verify?n=4&place=5:1', 400], json: ({ valid, rank }) => valid && rank === 0, svg: (queens) => queens === 4, png: (width) => width === 256,
  },
  'POST /verify': {
    ask: '/verify', body: '{"permutation":[2,4,1,3]}', refused: ['/verify?base=0', 400], json: ({ valid, rank, conflict_count: count }) => valid && rank === 0 && count === 0, svg: (queens) => queens === 4, png: (width) => width === 256,
  },
  'POST /jobs': { ask: '/jobs?dry-run=true', body: '{"kind":"count","n":20}', refused: ['/jobs?n=8', 400], json: ({ core_seconds: cost, query }) => cost > 0 && query === '/count?n=20&method=compute' },
  'GET /jobs/{id}': { ask: job.self, refused: ['/jobs/0123456789abcdef', 404], json: ({ state, result }) => state === 'done' && result.count === counted },
  'GET /jobs/{id}/events': { ask: job.events, refused: ['/jobs/0123456789abcdef/events', 404], events: (events) => events.at(-1).event === 'done' && events.at(-1).result.count === counted },
  'GET /jobs/{id}/units': { ask: `${job.self}/units`, refused: ['/jobs/0123456789abcdef/units', 404], text: (text) => text.endsWith(`\n# ${3 * counted}\n`) },
  'DELETE /jobs/{id}': { ask: job.self, refused: ['/jobs/0123456789abcdef', 404], json: ({ state, shares }) => state === 'done' && shares === 0 },
  'GET /algorithms': { ask: '/algorithms', refused: ['/algorithms?table=none', 400], json: ({ solvers, constructions }) => solvers[0].name === 'bitboard' && constructions[0].name === 'explicit' },
  'GET /openapi.yaml': { ask: '/openapi.yaml', refused: ['/openapi.yaml?x=1', 400], yaml: (text) => /^openapi: 3\.1/m.test(text) },
  'GET /openapi.json': { ask: '/openapi.json', refused: ['/openapi.json?x=1', 400], json: ({ openapi, paths }) => openapi.startsWith('3.1.') && '/count' in paths },
  'GET /': { ask: '/?ref=mail', refused: ['/?lang=xx', 400], html: (text) => text.includes(`src="web/${script}"`) && text.includes('<base href="./">') },
  'GET /play': { ask: '/play', refused: ['/play?lang=xx', 400], html: (text) => text.includes('<title>Queens: play</title>') },
  'GET /play/{board}': { ask: '/play/131w', refused: ['/play/131w?lang=xx', 400], html: (text) => text.includes('<base href="../">') && text.includes('/puzzle?code=131w&amp;format=png"') },
  'GET /watch': { ask: '/watch?n=6&step=3', refused: ['/watch?lang=xx', 400], html: (text) => text.includes('<title>Queens: watch</title>') },
  'GET /watch/{algorithm}': { ask: '/watch/rapella?n=6', refused: ['/watch/rapella?lang=xx', 400], html: (text) => /<link rel="canonical" href="http:[^"]+\/watch\/rapella">/.test(text) },
  'GET /board': { ask: '/board?n=6', refused: ['/board?lang=xx', 400], html: (text) => text.includes('<title>Queens: boards</title>') },
  'GET /build': { ask: '/build', refused: ['/build?lang=xx', 400], html: (text) => text.includes('<title>Queens: build</title>') },
  'GET /docs': { ask: '/docs', refused: ['/docs?x=1', 400], html: (text) => text.includes('src="web/docs-') },
  'GET /embed': { ask: '/embed?code=131w', refused: ['/embed', 400], html: (text) => text.includes(`src="web/${script}"`) && text.includes('data-only="play"') },
  'GET /web/{file}': { ask: `/web/${script}`, refused: ['/web/none.js', 404], javascript: (text) => text.length > 1000 },
  'GET /favicon.ico': { ask: '/favicon.ico', refused: ['/favicon.ico?x=1', 400], vnd: (bytes) => bytes.indexOf('PNG') === 23 },
  'GET /apple-touch-icon.png': { ask: '/apple-touch-icon.png', refused: ['/apple-touch-icon.png?x=1', 400], png: (width) => width === 180 },
  'GET /icons/{icon}': { ask: '/icons/maskable.png', refused: ['/icons/none.png', 404], png: (width) => width === 512 },
  'GET /robots.txt': { ask: '/robots.txt', refused: ['/robots.txt?x=1', 400], text: (text) => text.includes('User-agent: *\n') },
  'GET /manifest.webmanifest': { ask: '/manifest.webmanifest', refused: ['/manifest.webmanifest?x=1', 400], manifest: ({ name, icons }) => name === 'Queens' && icons.length === 3 },
  'GET /worker.js': { ask: '/worker.js', refused: ['/worker.js?x=1', 400], javascript: (text) => text.includes('respondWith') },
  'GET /healthz': { ask: '/healthz', refused: ['/healthz?x=1', 400], json: ({ status }) => status === 'ok' },
  'GET /readyz': { ask: '/readyz', refused: ['/readyz?x=1', 400], json: ({ status }) => status === 'ready' },
  'GET /metrics': { ask: '/metrics', refused: ['/metrics?x=1', 400], text: (text) => /^nq_build_info\{/m.test(text) },
};

// A board that is sent has the same answers.
for (const [path, query, board] of [
  ['/solve', '', { n: 6 }], ['/count', '', { n: 8, queens: [] }], ['/trace', '?algorithm=mrv', { n: 4 }],
  ['/puzzle', '?kind=regions&seed=1', { n: 6 }], ['/hint', '', { regions }],
])
  core[`POST ${path}`] = { ...core[`GET ${path}`], ask: `${path}${query}`, body: JSON.stringify(board), refused: [`${path}?n=7`, 400] };

// The name that a row has for a media type.
const shapeOf = (type) => Object.keys(formats).find((name) => type.includes(formats[name]) && name !== 'bfile') ?? /\/(?:x-)?(\w+)/.exec(type)[1];

const call = (route, target, headers = {}) => {
  const { body } = core[nameOf(route)];
  return (route.port === 'admin' ? server.admin : server.get).call(server, target, body ? { 'content-type': 'application/json', ...headers } : headers, route.method, body);
};

test('a job is done, and its events end with it', async () => {
  const client = await server.listenTo(job.events);
  const seen = [];
  for await (const { event, data } of client.events) seen.push([event, data.state]);
  assert.deepEqual(seen.at(-1), ['done', 'done']);
  assert.equal((await server.look(job.id, ({ state }) => state === 'done')).progress, 1);
});

for (const route of routes)
  test(`${nameOf(route)}: one right answer of each shape, and a refusal`, async () => {
    const row = core[nameOf(route)] ?? assert.fail(`core.test.js has no row for ${nameOf(route)}`);
    for (const type of route.media_types) {
      const shape = shapeOf(type);
      const right = row[shape] ?? assert.fail(`core.test.js has no ${shape} for ${nameOf(route)}`);
      const reply = await call(route, row.ask, { accept: type.split(';')[0] });
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, type], `${row.ask}: ${reply.text.slice(0, 300)}`);
      assert.ok(right(shapes[type](reply)), `${row.ask} as ${type}: ${reply.text.slice(0, 500)}`);
    }
    const [target, status] = row.refused;
    const refused = await call(route, target);
    assert.equal(refused.status, status, refused.text);
    assert.equal(refused.headers['content-type'], 'application/problem+json');
  });

test('pages lead to the end, by cursor and by link, and are the stream', async () => {
  const { lines } = await server.get('/solve?n=8&format=ndjson');
  assert.deepEqual(lines.at(-1), { end: true, n: 8, base: 1, returned: 92, next: null });
  const found = [];
  for (let target = '/solve?n=8&limit=40'; target; ) {
    const { json, headers } = await server.get(target);
    assert.equal(headers.link, json.next ? `<${json.next}>; rel="next"` : undefined);
    found.push(...json.solutions);
    target = json.next_cursor && `/solve?n=8&limit=40&cursor=${json.next_cursor}`;
  }
  assert.deepEqual(found, lines.slice(0, -1));
});
