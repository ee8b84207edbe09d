// mistakes.test.js - requests with mistakes that people and programs make, each with what the reply must contain: the right name of
// a parameter, the value to give, or the whole target of the nearest route.
import { after, assert, start, test } from './harness.js';

const server = await start({ after });

// Of a route: the wrong name, and the right one. What the route lists as choices has the right one, too.
const names = {
  '/count?n=8': 'size:n queen:queens Walls:walls maximum:maximal board_size:n boardSize:n N:n place[]:place Place:place placed:place fixed:place exclude[]:exclude blocked:exclude forbidden:exclude algo:method methods:method metod:method rule:rules Rules:rules region:regions letters:regions colors:regions symetry:symmetry unique:distinct fmt:format type:format output:format bases:base walk:walks',
  '/solve?n=8': 'size:n N:n place[]:place algo:algorithm algorithms:algorithm algoritm:algorithm solver:algorithm max:limit limits:limit per_page:limit page_size:limit page:offset skip:offset off-set:offset Cursor:cursor random:sample samples:sample seeds:seed ordering:order stat:stats excludes:exclude totals:total unique:distinct region:regions format[]:format',
  '/construct?n=8': 'size:n N:n methods:method algo:method row:rows factor:factors multipliers:multiplier shifts:shift Seed:seed',
  '/trace?n=8': 'size:n algo:algorithm Algorithm:algorithm max:limit columns:column strategie:strategy solution:solutions regoins:regions',
  '/compare?n=8': 'size:n step:steps Seed:seed columns:column type:format rule:rules',
  '/puzzle?n=8': 'size:n difficulty:level grade:level levels:level date:daily Daily:daily clue:clues sheets:sheet type:format codes:code minimum:minimal',
  '/hint?n=8': 'size:n place[]:place language:lang step:steps Regions:regions fixed:place',
};

const paths = {
  '/solve?n=8': ['/solve/8', '/api/v1/solve', '/api/solve?n=8', '/v1/solve', '/Solve', '/solves', '/solver', '/solutions', '/nqueens/8', '/n-queens', '/list'],
  '/count?n=8': ['/count/8', '/api/count', '/counts', '/Count', '/v2/count/8'],
  '/puzzle?n=8': ['/puzzles', '/puzzle/today', '/api/puzzle', '/game', '/daily', '/puzle'],
  '/hint?n=8': ['/hints', '/hint/8'],
  '/trace?n=8': ['/traces', '/steps', '/animate'],
  '/construct?n=8': ['/constructs', '/construct/8'],
  '/compare?n=8': ['/compares', '/benchmark'],
  '/verify': ['/check', '/validate', '/verify/8', '/Verify'],
  '/openapi.yaml': ['/openapi.yml', '/swagger', '/openapi'],
  '/openapi.json': ['/swagger.json', '/openapi.jsn'],
  '/docs': ['/doc', '/api-docs', '/redoc', '/docs/api'],
  '/algorithms': ['/algorithm', '/algorithms/backtracking'],
  '/jobs': ['/job'],
};

const zeros = ['/count?n=8&place=0:0', '/count?n=8&exclude=0:7', '/solve?n=8&place=3:0', '/hint?n=8&place=0:0'];

let asked = 0;
for (const [route, pairs] of Object.entries(names))
  test(`a wrong name at ${route} is told the right one`, async () => {
    for (const pair of pairs.split(' ')) {
      const [wrong, right] = pair.split(':');
      asked++;
      const reply = await server.get(`${route}&${encodeURIComponent(wrong)}=1`);
      const error = reply.json.errors.find(({ parameter }) => parameter === wrong);
      assert.deepEqual([reply.status, error?.code, error?.suggestion], [400, 'unknown-parameter', right], `${route} ${wrong}: ${reply.text}`);
      assert.ok(error.choices.includes(right) && error.reason.endsWith(` ${right}`), reply.text);
    }
  });

test('a name that is like none has no suggestion, and the list', async () => {
  const [error] = (await server.get('/count?n=8&nonsense=1')).json.errors;
  assert.equal(error.suggestion, undefined);
  assert.ok(error.choices.includes('n'));
});

test('a wrong path is told the nearest route, with its whole example, which works', async () => {
  for (const [example, wrong] of Object.entries(paths)) {
    if (example !== '/verify' && example !== '/jobs') assert.equal((await server.get(example)).status, 200, example);
    for (const target of wrong) {
      asked++;
      const reply = await server.get(target);
      assert.deepEqual([reply.status, reply.json.suggestion], [404, example], target);
      assert.ok(reply.json.detail.includes(example), target);
    }
  }
  for (const target of ['/nothing', '/robots', '/wp-login.php']) assert.equal((await server.get(target)).json.suggestion, undefined, target);
});

test('a square with a 0 is told of base=0, which works', async () => {
  for (const target of zeros) {
    asked++;
    const reply = await server.get(target);
    const [error] = reply.json.errors;
    assert.deepEqual([reply.status, error.suggestion], [400, 'base=0'], target);
    assert.match(error.reason, /base=0/, target);
    assert.equal((await server.get(`${target}&base=0`)).status, 200, target);
  }
  const [beyond] = (await server.get('/count?n=8&place=9:1')).json.errors;
  assert.equal(beyond.suggestion, undefined);
});

test('these are at least 120', () => assert.ok(asked >= 120, `${asked}`));
