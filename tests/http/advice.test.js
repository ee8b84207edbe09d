// advice.test.js - every refusal that the sources know is provoked by a request, and its advice is followed: what it leads to must
// not be refused. A refusal that is new in the sources, and not here, fails.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { document } from './contract.js';
import { after, assert, binary, long, longer, longPath, slow, start, temporaryFolder, test, until } from './harness.js';
import { collect, refusalMembers } from './refusals.js';

const painted = 'aabbb/aacbb/ddccc/ddeec/deeee';
const known = collect();
const members = refusalMembers();
const provoked = new Set();

function newKey(...words) {
  const { stderr, stdout } = spawnSync(binary, ['new-key', ...words], { encoding: 'utf8' });
  return { header: { authorization: `Bearer ${stderr.trimEnd()}` }, line: stdout };
}
const [ann, bob, poor] = [newKey('ann', 'jobs=1'), newKey('bob', 'jobs=0'), newKey('poor', 'hours=0')];
const keys = path.join(temporaryFolder(), 'keys');
writeFileSync(keys, [ann, bob, poor].map(({ line }) => line).join(''));

const servers = {
  plain: await start({ after }, '--max-job-hours', '1'),
  keyed: await start({ after }, '--api-keys', keys, '--free-seconds', '1'),
  narrow: await start({ after }, '--max-client-searches', '1'),
  free: await start({ after }, '--free-seconds', '1'),
  tight: await start({ after }, '--search-bytes', '16M'),
};

// A request: a path, or [method, path, body, headers].
async function ask(server, request, headers = {}) {
  const [method, target, body, own] = typeof request === 'string' ? ['GET', request] : request;
  const json = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return server.get(target, { ...type, ...headers, ...own }, method, json);
}

// What a problem says: [sentence, code] for each invalid parameter, or for all of it.
const sentences = ({ detail, errors }) => errors?.map(({ reason, code }) => [reason, code]) ?? [[detail]];

// The numbers of a sentence are members, whatever they are worth.
function hasNumbers(problem) {
  for (const name of members.get(problem.code) ?? []) assert.ok(Number.isFinite(problem[name]), `${name}: ${JSON.stringify(problem)}`);
  if (problem.code?.startsWith('too-costly')) assert.ok(problem.core_seconds > problem.limit_core_seconds);
}

// What a parameter cannot be used with is in the sentence, and in the request or not given; what it needs is not there yet.
function namesOther({ code, reason, with: other }, request) {
  if (!other || other.startsWith('Content-Type')) return;
  const [name, value] = other.split('=');
  const given = new URLSearchParams((typeof request === 'string' ? request : request[1]).split('?')[1]).get(name);
  assert.ok(reason.includes(other), reason);
  if (code === 'only-with') assert.ok(value ? given !== value : given === null, reason);
  else assert.ok(value ? [null, value].includes(given) : given !== null, reason);
}

function note(problem) {
  hasNumbers(problem);
  for (const [sentence] of sentences(problem))
    for (const { file, sentence: form, pattern } of known) if (pattern.test(sentence)) provoked.add(`${file} ${form}`);
}

// Whether a reply refuses for a reason that the first one had.
const same = (reply, problem) =>
  reply.status >= 400 && sentences(reply.json).some(([sentence]) => sentences(problem).some(([before]) => before === sentence));

const table = (n) => `/count?n=${n}&method=table`;
const post = (body, headers) => ['POST', '/jobs', { kind: 'count', ...body }, headers];
const dry = (body) => ['POST', '/jobs?dry-run=true', { kind: 'count', ...body }];
const columns = (n) => ({ permutation: [...Array(n)].map((_, i) => i + 1) });
const verify = (body, headers) => ['POST', '/verify', body, headers];
// So many squares of a board of 64.
const squares = (count) => Array.from({ length: count }, (_, i) => `${1 + (i % 16)}:${1 + Math.floor(i / 16)}`).join(',');
// Half of a solution for n = 64: nearly nothing is left to search.
const half = Array.from({ length: 32 }, (_, i) => `${i + 1}:${2 * i + 2}`).join(',');
const rows = (problem) => Number(problem.errors[0].reason.match(/at most (\d+) rows may be free/)[1]);
// A board of even n with all rows but the last so many filled: no two queens on one diagonal; on an antidiagonal only beyond the half.
const placed = (n, free) => `n=${n}&place=${Array.from({ length: n - free }, (_, i) => `${i + 1}:${(2 * i + 2) % (n + 1)}`)}`;
// That an estimate needs no walks of its own is followed once, for n = 28: a million of them take a sanitizer two seconds.
const estimate = 'method=estimate&walks=4000&seed=1';
const board = { n: 4, permutation: [2, 4, 1, 3] };
// The puzzle that is there instead of one that was not found.
function instead(query, { detail }) {
  assert.match(detail, / and (1 try|([2-9]|\d{2,}) tries)[.] /);
  const params = new URLSearchParams(query);
  for (const [, name, value] of detail.split(' Use ')[1].matchAll(/([a-z]+)=(\w+)/g)) params.set(name, value);
  return `/puzzle?${params}`;
}
// As many walks as the advice names.
const enough = ({ detail }) => detail.match(/use walks=(\d+)/)[1];
// What /count accepts with what a job lacks.
const ofCount = (query) => ({ errors: [{ reason }] }) => {
  const other = reason.match(/; .count (?:accepts it )?with (regions|[a-z]+=[a-z]+)/)[1];
  return [`/count?${query}&${other === 'regions' ? `regions=${painted}` : other}`];
};
const maximum = ({ errors }) => errors[0].maximum;
const minimum = ({ errors }) => errors[0].minimum;

// [what is refused, its status, its code, what its advice leads to, from the problem].
const cases = [
  // the query
  ['/count', 400, 'required', () => ['/count?n=8']],
  ['/count?n=8&n=8', 400, 'given-twice', () => ['/count?n=8']],
  ['/count?n=', 400, 'needs-value', () => ['/count?n=8']],
  ['/count?n=8&foo=1', 400, 'unknown-parameter', ({ errors: [{ parameter }] }) => [`/count?n=8&foo=1`.replace(`&${parameter}=1`, '')]],
  ['/count?n=8&place=0:0', 400, 'square-off-board', () => ['/count?n=8&place=0:0&base=0']],
  ['/count?n=%2B8', 400, 'syntax', () => ['/count?n=8']],
  ['/count?n=1-x', 400, 'syntax', () => ['/count?n=1-5']],
  ['/count?n=5-1', 400, 'range-reversed', () => ['/count?n=1-5']],
  ['/count?n=0-64&method=table', 422, 'too-many-items', (problem) => [table(`0-${maximum(problem) - 1}`)]],
  ['/count?n=8&by=none2', 400, 'not-a-choice', ({ errors: [{ choices }] }) => choices.map((word) => `/count?n=8&by=${word}`)],
  ['/solve?n=8&limit=0', 400, 'below-minimum', (problem) => [`/solve?n=8&limit=${minimum(problem)}`]],
  ['/count?n=1000000001&method=estimate', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&method=estimate`]],
  ['/solve?n=1001', 422, 'above-limit', (problem) => [`/solve?n=${maximum(problem)}&limit=1`]],
  ['/count?n=8&place=1', 400, 'syntax', () => ['/count?n=8&place=1:5,2:7']],
  ['/count?n=8&place=1:5,1:5', 400, 'square-twice', ({ errors: [{ row, column }] }) => [`/count?n=8&place=${row}:${column}`]],
  ['/count?n=8&place=9:1', 400, 'square-off-board', ({ errors: [{ row }] }) => [`/count?n=${row}&place=9:1`]],
  ['/count?n=8&queens=2&walls=2:3&place=2:3', 400, 'square-is-wall', ({ errors: [{ row, column }] }) => [`/count?n=8&queens=2&place=${row}:${column}`]],
  ['/count?n=65&queens=2', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&queens=2`]],
  ['/count?n=0&by=queens', 400, 'below-minimum', (problem) => [`/count?n=${minimum(problem)}&by=queens`]],
  ['/count?n=6&m=5&rules=toroidal', 422, 'not-by-rule', () => ['/count?n=6&m=6&rules=toroidal', '/count?n=6&m=5']],
  ['/count?n=8&queens=few', 400, 'syntax', () => ['/count?n=8&queens=any']],
  [`/solve?limit=1&n=64&exclude=${squares(1001)}`, 422, 'too-many-items', (problem) => [`/solve?limit=1&n=64&exclude=${squares(maximum(problem))}`]],
  ['/solve?n=4&after=x', 400, 'syntax', () => ['/solve?n=4&after=2,4,1,3']],
  ['/construct?n=25&method=tensor&factors=1', 400, 'syntax', () => ['/construct?n=25&method=tensor&factors=5x5']],
  ['/construct?n=25&method=tensor&factors=5x1,3,5,2', 400, 'syntax', () => ['/construct?n=25&method=tensor&factors=5x1,3,5,2,4']],
  [`/construct?n=25&method=tensor&factors=5x${[...Array(129).keys()]}`, 422, 'too-many-items', () => ['/construct?n=640&method=tensor&factors=128x0,2,4,1,3']],
  ['/construct?n=25&method=tensor&factors=5x1,2,3,4,5', 422, 'method-has-none', () => ['/construct?n=25&method=tensor&factors=5x1,3,5,2,4']],
  ['/construct?n=25&method=tensor&factors=5x5000000000', 422, 'above-limit', () => ['/construct?n=25&method=tensor&factors=5x5']],
  ['/solve?n=8&cursor=..', 400, 'not-a-cursor', () => ['/solve?n=8']],
  // counts
  ['/count?n=8&method=estimate&distinct=mirror', 400, 'must-be-with', ({ errors: [{ parameter, value }] }) => [`/count?n=8&method=estimate&${parameter}=${value}`]],
  ['/count?n=8&method=estimate&symmetry=point', 400, 'must-be-with', ({ errors: [{ parameter, value }] }) => [`/count?n=8&method=estimate&${parameter}=${value}`]],
  ['/count?n=8&method=estimate&by=square', 400, 'not-with', () => ['/count?n=8&method=estimate', '/count?n=8&by=square']],
  ['/count?n=8&by=square&distinct=mirror', 400, 'must-be-with', ({ errors: [{ parameter, value }] }) => [`/count?n=8&by=square&${parameter}=${value}`]],
  ['/count?n=41&method=estimate&place=1:1', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&method=estimate&place=1:1&walks=20000`]],
  ['/count?n=28', 422, 'too-many-rows-estimate', () => ['/count?n=28&method=estimate']],
  ['/count?n=100', 422, 'too-many-rows-estimate', () => ['/count?n=100&method=estimate']],
  ['/count?n=18&place=1:1', 422, 'too-many-rows', () => [`/count?n=18&place=1:1&${estimate}`, dry({ n: 18, place: '1:1' })]],
  ['/count?n=17&by=square', 422, 'too-many-rows-compute', () => [dry({ n: 17, by: 'square' })]],
  ['/count?n=33&symmetry=point', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&symmetry=point`]],
  ['/count?n=28&distinct=fundamental', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&distinct=fundamental`]],
  ['/count?n=64&place=1:1', 422, 'above-limit', (problem) => [`/count?${placed(maximum(problem), rows(problem))}`, '/solve?n=64&place=1:1&limit=10000']],
  ['/count?n=64&rules=semiqueens&place=1:1', 422, 'above-limit', (problem) => [`/count?${placed(maximum(problem), rows(problem))}&rules=semiqueens`, `/solve?${placed(64, 2)}&rules=semiqueens&limit=10000`]],
  ['/count?n=60&exclude=1:1&distinct=fundamental', 422, 'above-limit', (problem) => [`/count?${placed(maximum(problem), rows(problem))}&exclude=1:1&distinct=fundamental`, '/solve?n=60&exclude=1:1&distinct=fundamental&limit=10000']],
  ['/count?n=33&method=compute', 422, 'above-limit', () => [`/count?n=33&${estimate}`]],
  ['/count?n=33&method=compute&symmetry=quarter', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&method=compute&symmetry=quarter`]],
  ['/count?n=8&method=table&place=1:1', 400, 'no-table', () => ['/count?n=8&place=1:1']],
  ['/count?n=28&method=table', 422, 'above-limit', (problem) => [table(maximum(problem))]],
  ['/count?n=8&walks=200', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/count?n=8&walks=200&${other}`]],
  ['/count?n=8&seed=2', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/count?n=8&seed=2&${other}`]],
  ['/count?n=19&by=square', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), by: 'square' })]],
  ['/count?n=21&by=index', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), by: 'index' })]],
  ['/count?n=21&by=torus-class', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), by: 'torus-class' })]],
  ['/count?n=17&by=displacement', 422, 'too-many-rows-compute', () => [dry({ n: 17, by: 'displacement' })]],
  ['/count?n=8&by=torus-class&symmetry=point', 400, 'must-be-with', ({ errors: [{ parameter, value }] }) => [`/count?n=8&by=torus-class&${parameter}=${value}`]],
  ['/count?n=7&rules=toroidal&distinct=torus&by=displacement', 400, 'not-with', () => ['/count?n=7&rules=toroidal&distinct=torus', '/count?n=7&rules=toroidal&by=displacement']],
  ['/count?n=8&rules=touching&by=torus-class', 422, 'not-by-rule', () => ['/count?n=8&rules=touching&by=torus-engaged']],
  ['/count?n=8-9&by=index', 400, 'not-with', () => ['/count?n=8&by=index', '/count?n=8-9']],
  ['/count?n=1-9&place=3:2', 400, 'below-minimum', (problem) => [`/count?n=${minimum(problem)}-9&place=3:2`]],
  ['/count?n=8&distinct=torus', 422, 'not-by-rule', () => ['/count?n=8', '/count?n=7&rules=toroidal&distinct=torus']],
  ['/count?n=7&rules=toroidal&distinct=torus&symmetry=point', 400, 'must-be-with', ({ errors: [{ parameter, value }] }) => [`/count?n=7&rules=toroidal&distinct=torus&${parameter}=${value}`]],
  ['/count?n=7&rules=toroidal&distinct=torus&place=1:1', 400, 'not-with', () => ['/count?n=7&rules=toroidal&distinct=torus', '/count?n=7&rules=toroidal&place=1:1']],
  ['/solve?n=7&distinct=torus', 422, 'only-counted', () => ['/count?n=7&rules=toroidal&distinct=torus']],
  ['/count?n=24&rules=reflecting', 422, 'too-many-rows', () => [`/count?n=24&rules=reflecting&${estimate}`, dry({ n: 24, rules: 'reflecting' })]],
  ['/count?n=33&rules=reflecting', 422, 'too-many-rows-estimate', () => [`/count?n=33&rules=reflecting&${estimate}`]],
  ['/count?n=41&rules=touching', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&rules=touching`]],
  ['/count?n=41&rules=touching&method=estimate', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&rules=touching&method=estimate&walks=200`]],
  ['/count?n=27&rules=superqueens&method=table', 422, 'above-limit', (problem) => [`/count?n=${maximum(problem)}&rules=superqueens&method=table`]],
  ['/count?n=8&rules=semiqueens&distinct=fundamental&method=table', 400, 'no-table', () => ['/count?n=8&rules=semiqueens&distinct=fundamental']],
  ['/count?n=49&rules=superqueens&symmetry=quarter&method=compute', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), rules: 'superqueens', symmetry: 'quarter' })]],
  ['/count?n=7&rules=toroidal&distinct=torus&by=index', 400, 'not-with', () => ['/count?n=7&rules=toroidal&distinct=torus', '/count?n=7&rules=toroidal&by=index']],
  ['/solve?n=65&rules=touching', 422, 'above-limit', (problem) => [`/solve?n=${maximum(problem)}&rules=touching&limit=1`]],
  ['/solve?n=8&rules=touching&algorithm=rapella', 422, 'not-by-rule', () => ['/solve?n=8&rules=touching&algorithm=bitboard']],
  ['/solve?n=8&rules=touching&order=any', 422, 'not-by-rule', () => ['/solve?n=8&rules=touching&order=lexicographic']],
  ['/trace?n=8&rules=touching&algorithm=rapella', 422, 'not-by-rule', () => ['/trace?n=8&rules=touching&algorithm=bitboard']],
  ['/count?n=17-18&method=compute', 422, 'too-many-rows-range', () => ['/count?n=17-18', dry({ n: 17 })]],
  ['/count?n=8&format=bfile&method=estimate', 400, 'not-with', () => ['/count?n=8&format=bfile', '/count?n=8&method=estimate']],
  ['/count?n=8&format=bfile&by=square', 400, 'not-with', () => ['/count?n=8&format=bfile', '/count?n=8&by=square']],
  ['/count?n=65&place=1:1', 422, 'above-limit', (problem) => [`/solve?n=${maximum(problem)}&place=1:1&limit=1`, '/solve?n=65&place=1:1&limit=10000']],
  ['/count?n=40&method=estimate&walks=100&seed=1', 422, 'too-few-completed', (problem) => [`/count?n=40&method=estimate&walks=${enough(problem)}&seed=1`]],
  // large tori: a descent hardly ever succeeds
  ['/count?n=31&rules=toroidal&method=estimate&place=1:1,2:3&walks=2000&seed=1', 422, 'too-few-completed', () => [dry({ n: 31, rules: 'toroidal', place: '1:1,2:3' })]],
  ['/count?n=31&rules=toroidal&method=compute', 422, 'too-costly', () => ['/count?n=31&rules=toroidal&method=table']],
  ['/count?n=27&method=compute', 422, 'too-costly', () => ['/count?n=27&method=table']],
  ['/count?n=29&rules=toroidal&place=1:1', 422, 'too-many-rows-compute', () => [dry({ n: 29, rules: 'toroidal', place: '1:1' })]],
  ['/count?n=35&rules=toroidal&method=compute', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), rules: 'toroidal' })]],
  ['/count?n=35&rules=toroidal', 422, 'too-many-rows-walks', ({ errors: [{ walks }] }) => (longer ? [`/count?n=35&rules=toroidal&method=estimate&walks=${walks}&seed=1`] : [])],
  ['/count?n=19&method=estimate&walks=100&seed=5&place=1:1,2:7,3:11,4:3', 422, 'too-few-completed', () => [dry({ n: 19, place: '1:1,2:7,3:11,4:3' })]],
  ['/count?n=26&method=compute', 422, 'too-costly', () => [`/count?n=26&${estimate}`]],
  ['/count?n=25&by=none&method=compute&distinct=mirror', 422, 'too-costly', () => ['/count?n=25&distinct=mirror']],
  ['/count?regions=aabbb/aacbb/ddccc/ddeec/deee', 400, 'not-regions', () => [`/count?regions=${painted}`]],
  ['/count?regions=aabbb/aacbb/ddccc/ddeec/deebe&apart=false', 400, 'not-regions-square', () => ['/count?regions=aabbb/aacbb/ddccc/ddeec/deebe']],
  [`/puzzle?code=${'a'.repeat(512)}`, 422, 'too-many-items', () => ['/puzzle?code=131w']],
  ['/count?regions=aab+b', 400, 'not-regions', () => [`/count?regions=${painted}`]],
  ['/count?regions=aabb%00b', 400, 'syntax', () => [`/count?regions=${painted}`]],
  ['/puzzle?code=116+8', 400, 'syntax', () => ['/puzzle?code=131w']],
  [`/count?regions=${painted}&n=6`, 400, 'disagrees', ({ errors: [{ expected }] }) => [`/count?regions=${painted}&n=${expected}`, `/count?regions=${painted}`]],
  [`/count?regions=${painted}&rules=queens`, 400, 'must-be-with', ({ errors: [{ value }] }) => [`/count?regions=${painted}&rules=${value}`]],
  ['/count?n=8&limit=5', 400, 'only-with', () => [`/count?regions=${painted}&limit=5`]],
  [`/solve?regions=${painted}&algorithm=bitboard`, 400, 'must-be-with', ({ errors: [{ value }] }) => [`/solve?regions=${painted}&algorithm=${value}`]],
  [`/solve?regions=${painted}&sample=3`, 400, 'not-with', () => [`/solve?regions=${painted}`, '/solve?n=5&rules=touching&sample=3']],
  [`/solve?regions=${painted}&rank=true&after=1,4,2,5,3`, 400, 'not-with', () => [`/solve?regions=${painted}&rank=true`, `/solve?regions=${painted}&after=1,4,2,5,3`]],
  [`/solve?regions=${painted}&order=any`, 400, 'not-with', () => [`/solve?regions=${painted}&order=lexicographic`]],
  [`/solve?regions=${painted}&split=3`, 400, 'not-with', () => [`/solve?regions=${painted}`]],
  [`/solve?regions=${painted}&apart=true&n=8`, 400, 'disagrees', ({ errors: [{ expected }] }) => [`/solve?regions=${painted}&apart=true&n=${expected}`]],
  ['/solve?n=8&apart=true', 400, 'only-with', () => [`/solve?apart=true&regions=${painted}`]],
  [`/trace?regions=${painted}&algorithm=mrv`, 400, 'must-be-with', ({ errors: [{ value }] }) => [`/trace?regions=${painted}&algorithm=${value}`]],
  // jobs
  [post({ regions: painted }), 400, 'unknown-parameter', () => [`/count?regions=${painted}`]],
  [post({ n: 8, limit: 5 }), 400, 'unknown-parameter', ofCount('limit=5')],
  [post({ n: 8, apart: true }), 400, 'unknown-parameter', ofCount('apart=true')],
  [post({ n: 8, walks: 200 }), 400, 'unknown-parameter', ofCount('n=8&walks=200')],
  [post({ n: 8, seed: 2 }), 400, 'unknown-parameter', ofCount('n=8&seed=2')],
  [post({ n: 33 }), 422, 'above-limit', ofCount('n=33&walks=20000')],
  [['POST', '/jobs', { n: 8 }], 400, 'not-a-choice', ({ errors: [{ choices: [kind] }] }) => [['POST', '/jobs', { kind, n: 8 }]]],
  [post({ n: 8, method: 'table' }), 400, 'not-a-choice', ({ errors: [{ choices: [method] }] }) => [post({ n: 8, method }), post({ n: 8 })]],
  [post({ n: 8, format: 'bfile' }), 400, 'not-a-choice', ({ errors: [{ choices: [format] }] }) => [post({ n: 8, format }), post({ n: 8 })]],
  [post({ n: 26 }), 422, 'too-costly', () => ['/count?n=26']],
  [post({ n: '8-9' }), 400, 'one-size-only', () => [post({ n: 8 })]],
  [['POST', '/jobs', '[]'], 400, undefined, () => [post({ n: 8 })]],
  [['POST', '/jobs', '{"kind":"count","n":8}', { 'content-type': 'text/plain' }], 415, undefined, () => [post({ n: 8 })]],
  ['/jobs/0123456789abcdef', 404, undefined, () => []],
  // lists
  ['/solve?n=8&algorithm=mrv&distinct=mirror', 400, 'not-with', () => ['/solve?n=8&distinct=mirror&algorithm=bitboard']],
  ['/solve?n=8&offset=1&after=1,5,8,6,3,7,2,4', 400, 'not-with', () => ['/solve?n=8&offset=1']],
  ['/solve?n=8&limit=10001', 422, 'above-limit', (problem) => [`/solve?n=8&limit=${maximum(problem)}`, '/solve?n=8&limit=10001&format=ndjson']],
  ['/solve?n=0&format=svg', 422, 'below-limit', (problem) => [`/solve?n=${minimum(problem)}&format=svg`]],
  ['/solve?n=8&stats=true&format=csv', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/solve?n=8&stats=true&${other}`, '/solve?n=8&stats=true&format=ndjson']],
  ['/solve?n=8&total=true&format=csv', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/solve?n=8&total=true&${other}`]],
  ['/solve?n=20&offset=5', 422, 'index-too-costly', () => ['/solve?n=20&limit=5']],
  ['/solve?n=21&offset=1', 422, 'above-limit', (problem) => [dry({ n: maximum(problem), by: 'index' })]],
  ['/solve?n=8&algorithm=min-conflicts&total=true', 400, 'not-with', () => ['/solve?n=8&algorithm=min-conflicts', '/solve?n=8&total=true']],
  ['/solve?n=33&total=true', 422, 'above-limit', (problem) => [`/solve?n=${maximum(problem)}&limit=1`]],
  ['/solve?n=8&algorithm=mrv&after=1,5,8,6,3,7,2,4', 400, 'not-with', () => ['/solve?n=8&algorithm=mrv']],
  ['/solve?n=8&after=1,2,3,4,5,6,7,8', 400, 'not-a-solution', () => ['/solve?n=8&after=1,5,8,6,3,7,2,4']],
  ['/solve?n=8&order=any&algorithm=mrv', 400, 'not-with', () => ['/solve?n=8&order=any', '/solve?n=8&algorithm=mrv']],
  ['/solve?n=8&order=any&offset=2', 400, 'not-with', () => ['/solve?n=8&order=lexicographic&offset=2']],
  ['/solve?n=64&order=lexicographic', 422, 'above-limit', (problem) => ['/solve?n=64&order=any', `/solve?n=${maximum(problem)}&order=lexicographic&limit=1`]],
  [`/solve?n=65&order=lexicographic&place=${half}`, 422, 'above-limit', (problem) => [`/solve?n=65&order=any&place=${half}`, `/solve?n=${maximum(problem)}&order=lexicographic&place=${half}&limit=1`]],
  ['/solve?n=8&cursor=x', 400, 'not-a-cursor', () => ['/solve?n=8']],
  ['/solve?n=50&format=svg&algorithm=bitboard', 422, 'not-drawn', () => [['HEAD', '/solve?n=50&limit=1&format=json&algorithm=bitboard']]],
  ['/solve?n=64&algorithm=romani-5&strategy=breadth', 422, 'algorithm-memory', () => ['/solve?n=64&limit=1&algorithm=mrv', '/solve?n=8&algorithm=romani-5&strategy=breadth']],
  // algorithms
  ['/solve?n=8&algorithm=rapella&column=9', 400, undefined, () => []],
  ['/solve?n=3&algorithm=romani-2', 422, 'below-limit', (problem) => [`/solve?n=${minimum(problem)}&algorithm=romani-2`, '/solve?n=3&algorithm=romani-2&column=1']],
  ['/solve?n=8&algorithm=romani-2&column=9', 400, 'off-board', () => ['/solve?n=8&algorithm=romani-2&column=8']],
  ['/solve?n=8&algorithm=romani-4&split=3', 400, 'number-of-values', () => ['/solve?n=8&algorithm=romani-4&split=3,5']],
  ['/solve?n=8&algorithm=romani-4&split=5,3', 400, 'not-ascending', () => ['/solve?n=8&algorithm=romani-4&split=3,5']],
  ['/solve?n=8&algorithm=min-conflicts&after=1,5,8,6,3,7,2,4', 400, 'not-with', () => ['/solve?n=8&algorithm=min-conflicts']],
  ['/solve?n=8&column=1', 400, 'not-with', () => ['/solve?n=8']],
  ['/solve?n=15&algorithm=romani-2', 422, 'above-limit', (problem) => [`/solve?n=${maximum(problem)}&algorithm=romani-2&limit=1`]],
  ['/trace?n=8&algorithm=rapella&limit=10001', 422, 'above-limit', (problem) => [`/trace?n=8&algorithm=rapella&limit=${maximum(problem)}`, '/trace?n=5&algorithm=rapella&limit=10001&format=ndjson']],
  ['/trace?n=8&algorithm=rapella&cursor=x', 400, 'not-a-cursor', () => ['/trace?n=8&algorithm=rapella']],
  ['/compare?n=4-12&seeds=100', 422, 'above-limit', (problem) => [`/compare?n=4-12&seeds=100&steps=${Math.min(maximum(problem), 10)}`]],
  ['/compare?n=4&seeds=2&seed=9007199254740991', 422, 'above-limit', (problem) => [`/compare?n=4&seeds=2&seed=${maximum(problem)}`]],
  // constructions
  ['/construct?n=8&method=explicit&seed=1', 400, 'not-with', () => ['/construct?n=8&method=explicit']],
  ['/construct?n=8&rows=1-2&format=svg', 400, 'not-with', () => ['/construct?n=8&rows=1-2', '/construct?n=8&format=svg']],
  ['/construct?n=8&rows=0-2', 400, 'below-minimum', (problem) => [`/construct?n=8&rows=${minimum(problem)}-2`, '/construct?n=8&rows=0-2&base=0']],
  ['/construct?n=8&rows=1-9', 422, 'above-limit', (problem) => [`/construct?n=8&rows=1-${maximum(problem)}`]],
  ['/construct?n=5000&format=png', 422, 'above-limit', (problem) => [`/construct?n=${maximum(problem)}&format=svg`]],
  ['/construct?n=501&method=neural', 422, 'above-limit', (problem) => [`/construct?n=${maximum(problem) / 10}&method=neural`]],
  ['/construct?n=10&method=freeman&seed=3', 422, 'settled-without', ({ seed }) => [`/construct?n=10&method=freeman&seed=${seed + 3}`, '/construct?n=10&method=neural']],
  ['/construct?n=3', 422, 'no-solution', () => []],
  ['/construct?n=1000&method=linear', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=1000&method=${method}`)],
  ['/construct?n=25&method=linear&multiplier=5', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=25&method=${method}`)],
  ['/construct?n=1024&method=tensor', 422, 'method-has-none', () => ['/construct?n=1024&method=explicit']],
  ['/construct?n=24&method=tensor&factors=4x6', 422, 'method-has-none', () => ['/construct?n=20&method=tensor&factors=4x5']],
  ['/construct?n=16&method=tensor', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=16&method=${method}`)],
  ['/construct?n=26&method=tensor&factors=5x5', 400, 'not-factors', () => ['/construct?n=25&method=tensor&factors=5x5']],
  ['/construct?n=20&method=tensor&factors=5x4', 422, 'method-has-none', () => ['/construct?n=20&method=tensor&factors=4x5']],
  ['/construct?n=15&method=tensor&factors=3x5', 422, 'method-has-none', () => ['/construct?n=15&method=explicit']],
  ['/solve?n=8&algorithm=fewest-first&rank=true', 400, 'not-with', () => ['/solve?n=8&rank=true&algorithm=bitboard']],
  ['/construct?n=25&method=neural&rules=toroidal&seed=1', 422, 'not-by-rule', ({ errors: [{ reason, rules }] }) =>
    reason.replace(/^.*use one of: /, '').split(', ').map((method) => `/construct?n=25&method=${method}&rules=${rules}`)],
  ['/construct?n=10000002&rules=superqueens', 422, 'method-has-none', ({ detail }) => {
    const [, n, method] = detail.match(/ Up to n = (\d+) ([a-z-]+) has solutions[.]$/);
    return ['', `&method=${method}`].map((more) => ['HEAD', `/construct?n=${n}&rules=superqueens&rows=1-2&format=csv${more}`]);
  }],
  ['/construct?n=10000002&rules=superqueens&seed=1', 400, 'not-with', () => []],
  ['/construct?n=25&method=linear&multiplier=2&rules=superqueens', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=25&method=${method}&rules=superqueens`)],
  ['/construct?n=9&method=linear&multiplier=8&rules=touching', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=9&method=${method}&rules=touching`)],
  ['/construct?n=45&method=tensor&rules=toroidal-semiqueens', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=45&method=${method}&rules=toroidal-semiqueens`)],
  ['/construct?n=3&method=explicit&rules=semiqueens', 422, 'method-has-none', ({ methods }) => methods.map((method) => `/construct?n=3&method=${method}&rules=semiqueens`)],
  // puzzles and hints
  ['/hint?n=38', 422, 'undecided', () => ['/hint?n=8&place=1:1']],
  ['/hint?n=12&queens=any', 422, 'undecided', () => ['/hint?n=12&queens=any&place=1:1,2:3,3:5,4:2,5:4']],
  ['/puzzle?n=41&rules=toroidal', 422, 'above-limit', (problem) => [`/puzzle?n=${maximum(problem)}&rules=toroidal&clues=37&seed=6`]],
  ['/puzzle?n=8&clues=9', 400, 'above-maximum', (problem) => [`/puzzle?n=8&clues=${maximum(problem)}`]],
  ['/puzzle?n=8&clues=8&minimal=true', 422, 'never-minimal', () => ['/puzzle?n=8&clues=8&minimal=false', '/puzzle?n=8&clues=4&minimal=true&seed=1']],
  ...['n=8&clues=1&seed=1', 'n=7&rules=toroidal&clues=1', 'n=37&rules=toroidal&seed=1', 'n=6&clues=5&minimal=true&seed=1'].map((query) =>
    [`/puzzle?${query}`, 422, 'puzzle-not-found', (problem) => [instead(query, problem)]]),
  ['/puzzle?n=8&queens=4&seed=1', 422, 'puzzle-not-found', () => ['/puzzle?n=8&queens=6&seed=1', '/puzzle?n=4&queens=4&walls=2:2&seed=1']],
  ['/puzzle?n=8&m=6&clues=6&minimal=true&seed=1', 422, 'puzzle-not-found', (problem) => [instead('n=8&m=6&clues=6&minimal=true&seed=1', problem)]],
  ['/puzzle?n=8&m=6&clues=7', 400, 'above-maximum', (problem) => [`/puzzle?n=8&m=6&clues=${maximum(problem)}`]],
  ['/puzzle?n=8&m=16&sheet=2&format=svg', 422, 'above-limit', (problem) => [`/puzzle?n=8&m=${maximum(problem)}&sheet=2&format=svg&seed=1`]],
  ['/puzzle?n=8&level=easy', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/puzzle?n=8&level=easy&${other}`]],
  ['/puzzle?n=8&clues=3&kind=regions', 400, 'not-with', () => ['/puzzle?n=8&clues=3', '/puzzle?n=8&kind=regions']],
  ['/puzzle?n=4&kind=regions', 422, 'below-limit', (problem) => [`/puzzle?n=${minimum(problem)}&kind=regions`]],
  ['/puzzle?n=21&kind=regions', 422, 'above-limit', (problem) => [`/puzzle?n=${maximum(problem)}&kind=regions&seed=1`]],
  ['/puzzle?kind=regions&daily=2026-02-29', 400, 'syntax', () => ['/puzzle?kind=regions&daily=2026-11-23']],
  ['/puzzle?kind=regions&daily=2026-11-23&seed=1', 400, 'not-with', () => ['/puzzle?kind=regions&daily=2026-11-23', '/puzzle?kind=regions&seed=1&n=8']],
  ['/puzzle?n=8&format=text', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/puzzle?n=8&format=text&${other}`]],
  ['/puzzle?n=8&solved=true', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/puzzle?n=8&solved=true&${other}`, '/puzzle?n=8&solved=true&format=png']],
  ['/verify?n=8&exclude=1:1', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/verify?n=8&exclude=1:1&${other}`, '/verify?n=8&exclude=1:1&format=png']],
  ['/verify?n=0&format=svg', 422, 'below-limit', (problem) => [`/verify?n=${minimum(problem)}&format=svg`]],
  ['/puzzle?n=8&kind=regions&sheet=2', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/puzzle?n=8&kind=regions&sheet=2&${other}`]],
  ['/puzzle?n=8&sheet=2', 400, 'only-with', ({ errors: [{ with: other }] }) => [`/puzzle?n=8&sheet=2&${other}`]],
  ['/puzzle?n=16&sheet=2&format=svg', 422, 'above-limit', (problem) => [`/puzzle?n=${maximum(problem)}&sheet=2&format=svg&seed=1`]],
  ['/puzzle?n=16&kind=regions&sheet=2&format=svg', 422, 'above-limit', (problem) => [`/puzzle?n=${maximum(problem)}&kind=regions&sheet=2&format=svg&seed=1`]],
  ['/puzzle?code=1233&generator=1', 400, 'not-with', () => ['/puzzle?code=1233']],
  ['/puzzle?n=8&kind=regions&generator=3', 422, 'above-limit', (problem) => [`/puzzle?n=8&kind=regions&generator=${maximum(problem)}`]],
  ['/puzzle?code=1234', 400, 'not-a-code', () => ['/puzzle?code=1233']],
  ['/puzzle?code=334', 422, 'code-of-other-release', () => ['/puzzle?code=1233']],
  // bodies, headers, paths
  [verify({ ...board, rule: 'queens' }), 400, 'unknown-parameter', ({ errors: [{ suggestion }] }) => [verify({ ...board, [suggestion]: 'superqueens' })]],
  [verify({ ...board, colour_of_queens: 1 }), 400, 'unknown-parameter', () => [verify(board)]],
  [verify({ board: ['x V', 'V x'] }), 400, 'syntax', () => [verify({ board: ['Q .', '. Q'] })]],
  [verify({ board: '0 1/1 0' }), 400, 'syntax', () => [verify({ board: '. Q/Q .' })]],
  [verify({ board: ['**', '**'] }), 400, 'syntax', () => [verify({ board: ['QQ', '..'] }), verify({ board: ['..', '..'] })]],
  [verify({ board: 'b1 d2/a3 c4' }), 400, 'syntax', () => [verify({ board: 'b1 d2 a3 c4' })]],
  [verify({ board: 'hello' }), 400, 'syntax', () => [verify({ board: ['Q.', '..'] })]],
  [verify({ permutation: '12' }), 400, 'syntax', () => [verify({ permutation: '1 2' })]],
  [verify('[[1,2],[2,1]]'), 400, 'syntax', () => [verify({ board: [[0, 1], [1, 0]] }), verify({ n: 2, queens: [[1, 2], [2, 1]] })]],
  [verify({ permutation: [1, 3, 0, 2] }), 400, 'out-of-range', () => [verify({ permutation: [1, 3, 0, 2], base: 0 })]],
  [verify(board, { 'content-type': 'text/html' }), 415, undefined, () => [verify(board)]],
  [verify(board, { 'content-encoding': 'br' }), 415, undefined, () => [verify(board)]],
  [post({ n: 8 }, { 'content-encoding': 'gzip' }), 415, undefined, () => [post({ n: 8 })]],
  [['POST', '/jobs', 'x'.repeat(2 << 20)], 413, undefined, () => [post({ n: 8 })]],
  [`/solve?n=8&cursor=${'x'.repeat(12000)}`, 414, undefined, () => ['/solve?n=8']],
  [['GET', '/solve?n=8', undefined, { accept: 'text/html' }], 406, undefined, () => ['/solve?n=8']],
  [verify(Buffer.from(Uint32Array.of(2, 4, 1, 3).buffer), { 'content-type': 'application/octet-stream' }), 400, 'required',
    () => [['POST', '/verify?n=4', Buffer.from(Uint32Array.of(2, 4, 1, 3).buffer), { 'content-type': 'application/octet-stream' }]]],
  [['POST', '/verify?n=4', board], 400, 'only-with', () => [verify(board)]],
  [['POST', '/verify?format=png', columns(1001)], 422, 'above-limit', (problem) => [['POST', '/verify?format=png', columns(maximum(problem))]]],
  [['POST', '/verify?rules=touching', columns(10001)], 422, 'too-many-items', (problem) => [['POST', '/verify?rules=touching', columns(maximum(problem))]]],
  [['POST', '/verify?rules=touching', { ...board, rules: 'superqueens' }], 400, 'disagrees', () => [verify({ ...board, rules: 'superqueens' })]],
  [['POST', '/verify?rank=true&regions=aabb/aabb/ccdd/ccdd', board], 400, 'not-with', () => [['POST', '/verify?regions=aabb/aabb/ccdd/ccdd', board]]],
  // boards by POST to other routes
  [['POST', '/count?n=9', { n: 8 }], 400, 'disagrees', () => [['POST', '/count?n=8', { n: 8 }], ['POST', '/count', { n: 8 }], '/count?n=9']],
  [['POST', '/count', [[2, 4, 1, 3], [3, 1, 4, 2]]], 400, 'several-solutions', () => [['POST', '/count', [2, 4, 1, 3]]]],
  [['POST', '/hint', {}], 400, 'no-queens', () => [['POST', '/hint', { n: 8 }], ['POST', '/hint', { n: 8, queens: [[1, 5]] }], ['POST', '/hint', { regions: painted }]]],
  [['POST', '/puzzle', { n: 8, queens: [[1, 5]] }], 400, 'unknown-parameter', () => [['POST', '/puzzle', { n: 8 }]]],
  ['/trace?n=8&place=1:5&algorithm=rapella', 400, 'not-with', () => ['/trace?n=8&place=1:5&algorithm=bitboard', '/trace?n=8&place=1:5&algorithm=mrv', '/trace?n=8&place=1:5&algorithm=recursion']],
  [['POST', '/count', 'x...\n....\n....\n....\n', { 'content-type': 'text/plain' }], 400, 'syntax',
    () => [['POST', '/count', { n: 4, exclude: [[1, 1]] }], ['POST', '/count', 'Q...\n....\n....\n....\n', { 'content-type': 'text/plain' }]]],
  [['POST', '/count', { states: [[2, 0], [0, 0]], exclude: [[1, 2]] }], 400, 'syntax', () => [['POST', '/count', { states: [[2, 2], [0, 0]] }]]],
  [['POST', '/verify?format=png', { n: 0, permutation: [] }], 422, 'below-limit', () => [['POST', '/verify?format=png', board]]],
  ['/nothing', 404, undefined, () => ['/openapi.yaml']],
  ['/web/nothing.js', 404, undefined, () => ['/']],
  ['/icons/16.png', 404, undefined, () => ['/icons/192.png', '/icons/512.png', '/icons/maskable.png']],
  [['PATCH', '/solve?n=8'], 405, undefined, (problem, { headers }) => [[headers.allow.split(', ')[0], '/solve?n=8']]],
];

// Provokes a refusal and follows its advice.
async function follow(server, [request, status, code, leads], headers = {}) {
  const what = JSON.stringify(request).slice(0, 150);
  const reply = await ask(server, request, headers);
  assert.equal(reply.status, status, `${what}: ${reply.text}`);
  const problem = reply.json;
  if (code) assert.equal((problem.errors?.[0] ?? problem).code, code, `${what}: ${reply.text}`);
  note(problem);
  for (const error of problem.errors ?? []) namesOther(error, request);
  for (const next of leads(problem, reply)) {
    const better = await ask(server, next, { prefer: 'respond-async' });
    assert.ok(better.status < 300, `${what}: ${reply.text} leads to ${JSON.stringify(next)}: ${better.text.slice(0, 500)}`);
    assert.ok(!same(better, problem));
    if (better.status === 202) await server.delete(better.headers.location, headers); // or it would count beside all that follow
  }
}

for (const one of cases) {
  const far = one[2] === 'not-drawn' && 'a page of many placements';
  test(`${JSON.stringify(one[0]).slice(0, 100)} has advice that works${far ? ' (plain)' : ''}`, { skip: slow && far }, () => follow(servers.plain, one));
}

test('what starts no job leaves little work behind: advice asks for a job', () =>
  follow(servers.free, ['/count?n=18&method=compute&exclude=1:1', 422, 'too-costly-without-job',
    () => [['GET', '/count?n=18&method=compute&exclude=1:1', undefined, { prefer: 'respond-async' }], `/count?n=18&exclude=1:1&${estimate}`]]));

test('a board that can never have enough memory leads to one that can', () =>
  follow(servers.tight, ['/construct?n=10000000&method=local-search', 422, 'search-memory', ({ largest_n: n }) => [['HEAD', `/construct?n=${n}&method=local-search`]]]));

test('without a key, advice leads to what needs none, or to a key', async () => {
  const { keyed } = servers;
  const dear = '/count?n=18&method=compute&exclude=1:1';
  const needs = async (request, status, headers, ...better) => {
    const reply = await ask(keyed, request, headers);
    assert.equal(reply.status, status, reply.text);
    if (request === dear) assert.equal(reply.json.code, status === 401 ? 'too-costly-without-key' : 'too-costly-for-key');
    note(reply.json);
    for (const [next, fields] of better) {
      const { status, text } = await ask(keyed, next, { prefer: 'respond-async', ...fields });
      assert.ok(status < 300, `${reply.text} leads to ${text}`);
    }
  };
  await needs(dear, 401, {}, [`/count?n=18&exclude=1:1&${estimate}`]);
  await needs(post({ n: 8 }), 401, {}, [post({ n: 8 }), ann.header]);
  await needs(post({ n: 8 }), 403, bob.header);
  await needs(dear, 403, poor.header, [`/count?n=18&exclude=1:1&${estimate}`, poor.header]);
  await needs('/solve?n=8', 401, { authorization: 'Bearer nq_none' }, ['/solve?n=8'], ['/solve?n=8', ann.header]);
  await needs('/solve?n=8', 400, { ...ann.header, 'x-api-key': 'nq_none' }, ['/solve?n=8', ann.header]);
  const mine = (await ask(keyed, post(long), ann.header)).json;
  await needs(post({ ...long, exclude: '1:2' }), 429, ann.header);
  await needs(['DELETE', mine.self], 401);
  await needs(['DELETE', mine.self], 403, bob.header, [['DELETE', mine.self], ann.header], [post({ ...long, exclude: '1:2' }), ann.header]);
  const [{ json: other }] = [await ask(keyed, post({ ...long, exclude: '1:2' }), ann.header)];
  await keyed.delete(other.self, ann.header);
});

test('units that are not listed: the job is not done, or was quick, and then the command counts them', async () => {
  const { plain } = servers;
  const refused = async (job) => {
    const reply = await plain.get(`${job.self}/units`);
    reply.isProblem(404);
    note(reply.json);
  };
  const running = await plain.begin(long);
  await refused(running);
  await plain.delete(running.self);
  const { id } = await plain.begin({ n: 9 });
  const done = await plain.look(id, ({ state }) => state === 'done');
  await refused(done);
  const counted = spawnSync(binary, ['units', '--n', '9'], { encoding: 'utf8' });
  assert.ok(counted.stdout.endsWith(`\n# ${3 * done.result.count}\n`), counted.stdout + counted.stderr);
});

test('with a long target and its link there is room for fewer header fields', async () => {
  const { plain } = servers;
  const target = `/solve?n=1000&exclude=${Array.from({ length: 900 }, (_, i) => `1000:${i + 1}`)}`.slice(0, 8000).replace(/,[^,]*$/, '');
  const reply = await plain.get(target, { 'x-long': 'x'.repeat(15000) });
  reply.isProblem(431);
  note(reply.json);
  assert.equal((await plain.get(target)).status, 200); // fewer fields
  (await plain.get(target, { cookie: `a=${'x'.repeat(7000)}` })).isProblem(431); // of which the library makes a copy
  assert.equal((await plain.get(target, { cookie: `a=${'x'.repeat(4000)}` })).status, 200);
});

test('a client with too much under way may ask again when it has less', async () => {
  const { narrow } = servers;
  const client = await narrow.connect();
  client.ask('GET', longPath, { prefer: 'wait=600' });
  await until(async () => (await narrow.metric('nq_searches_running')) === 1, 'it searches');
  const reply = await narrow.get('/solve?n=9');
  reply.isProblem(429);
  note(reply.json);
  client.drop();
  await until(async () => (await narrow.metric('nq_searches_running')) === 0, 'it is stopped');
  assert.equal((await narrow.get('/solve?n=9')).status, 200);
});

// Sentences that are no refusals of a request, or replies of 500 and above, which say that it can be repeated; and those that only
// take minutes to provoke.
const others = [
  ...(slow ? [/^engine\/lists\/page.c /] : []),
  /^engine\/boards\/hint.c No other square/,
  /^engine\/cluster\//,
  /^engine\/counts\/unit_lists.c /, // 503
  /^engine\/jobs\/jobs.c /, // why a job failed
  /^engine\/journal\//, // why the store does not work
  /^engine\/counts\/count_work.c The results of the units add up to what no count comes to/, // a forged store: jobs' tests have it
  /^http\/guard\/access.c /,
  /^http\/reply\/reply.c Over HTTP\/1.0/,
  /^http\/reply\/response.c The store, which may have this job, cannot be read now/, // 503
  /^http\/server\/server.c The service does not know this method/, // 501
];
test('every refusal in the sources has been provoked', () => {
  assert.ok(known.length > 90, `${known.length} found`);
  const left = known.map(({ file, sentence }) => `${file} ${sentence}`).filter((form) => !provoked.has(form) && !others.some((one) => one.test(form)));
  assert.deepEqual(left, []);
  const { Errors, Fault } = document.components.schemas;
  assert.deepEqual([...members.keys()], [...Errors.items.properties.code.enum, ...Fault.enum]);
});
