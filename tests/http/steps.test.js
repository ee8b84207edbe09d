// steps.test.js - steps of deduction in /hint: on boards whose solutions are all known, no step crosses a square of one, and what is
// called wrong is in none; the whole path leads to the solution, and is what /puzzle says of it.
import { after, assert, start, test, until } from './harness.js';
import { fitting, lettersOf, painted, solutionsBy } from './reference.js';

const server = await start({ after });
const touching = Object.fromEntries([4, 5, 6].map((n) => [n, solutionsBy('touching', n)]));

let state = 11;
const below = (bound) => {
  state = (state * 48271) % 2147483647;
  return state % bound;
};

const list = (squares) => squares.map(({ row, column }) => `${row}:${column}`).join(',');
const marks = (placed, crossed) => `${placed.length ? `&place=${list(placed)}` : ''}${crossed.length ? `&exclude=${list(crossed)}` : ''}`;
const has = (columns, { row, column }) => columns[row] === column;
const completing = (all, placed, crossed) => all.filter((columns) => placed.every((at) => has(columns, at)) && !crossed.some((at) => has(columns, at)));
// So many squares at most, none twice.
const some = (n, count) => [...new Set(Array.from({ length: count }, () => below(n * n)))].map((at) => ({ row: Math.floor(at / n), column: at % n }));

const groupNames = { row: ({ index }) => `row ${index}`, column: ({ index }) => `column ${index}`, region: ({ letter }) => `region ${letter.toUpperCase()}` };

// The sentence names every group; what refutes a square goes from a queen there, round by round, until the group that it names has
// no square left.
function checkWords({ technique, because, cross, why = because.why }, what) {
  assert.equal(why, because.why, what);
  assert.ok(because.title && !/[%{]/.test(because.title + why), what);
  for (const group of because.groups) assert.ok(why.includes(groupNames[group.kind](group)), `${what}: ${why}`);
  assert.equal(Boolean(because.steps), technique.startsWith('contradiction'), what);
  if (!because.steps) return;
  const [first] = because.steps;
  assert.deepEqual([because.steps.length, cross.length], [Number(technique.match(/[0-9]+$/)[0]), 1], what);
  assert.deepEqual(first.place, cross, what);
  assert.ok(why.includes(`row ${cross[0].row}, column ${cross[0].column}`), why);
  const gone = list(because.steps.flatMap((round) => round.cross)).split(',');
  assert.ok(because.squares.every((at) => gone.includes(list([at]))), `${what}: the group is empty in the end`);
}

// With base 0. Nothing that is crossed is in a solution, and what is placed is in each.
function check(step, solutions, what) {
  const { technique, level, because, cross, place } = step;
  assert.match(technique, /^(single|confined|common-attack|sets-[0-9]+|contradiction-[0-9]+|contradiction-full-[0-9]+|search)$/);
  assert.ok(['easy', 'medium', 'hard', 'expert', 'search'].includes(level));
  assert.ok(because.squares.length + because.groups.length > 0 && because.groups.every(({ kind, letter }) => (kind === 'region') === Boolean(letter)));
  assert.equal(cross.length > 0, place === null, what);
  checkWords(step, what);
  for (const columns of solutions) {
    assert.ok(!cross.some((at) => has(columns, at)), `${what}: ${technique} crosses a square of a solution`);
    assert.ok(!place || has(columns, place), `${what}: ${technique}`);
  }
}

const ends = (count) => ['no-completion', 'solved'][count] ?? 'several-completions';

test('on painted boards: steps are sound, and what is wrong is wrong', async () => {
  const seen = new Set();
  for (let round = 0; round < 200; round++) {
    const n = 4 + (round % 3);
    const board = painted(n, below);
    const all = fitting(touching[n], board);
    const placed = some(n, below(3));
    const crossed = some(n, below(5));
    const path = `/hint?regions=${lettersOf(board)}&base=0${marks(placed, crossed)}`;
    const { steps, grade, end, ...rest } = await server.getJson(`${path}&steps=all`);
    const left = completing(all, placed, crossed);
    const wrong = all.length ? [...placed.filter((at) => !all.some((columns) => has(columns, at))), ...crossed.filter((at) => all.every((columns) => has(columns, at)))] : [];
    assert.deepEqual(rest, { n, base: 0, rules: 'touching', regions: lettersOf(board), completable: left.length > 0, wrong: rest.wrong, hint: steps[0] ?? null }, path);
    assert.deepEqual(rest.wrong.map((at) => list([at])), [...new Set(wrong.map((at) => list([at])))].sort(), path); // of one digit each
    assert.equal(end, ends(left.length), path);
    if (round % 4 === 0) assert.deepEqual(await server.getJson(path), { ...rest, end: steps.length ? null : end }, path);
    for (const step of steps) check(step, left, path);
    assert.equal(grade.solved, left.length === 1);
    assert.deepEqual(Object.values(grade.techniques).reduce((sum, count) => sum + count, 0), steps.length);
    steps.forEach(({ technique }) => seen.add(technique));
    if (wrong.length) seen.add('wrong');
    seen.add(end);
  }
  for (const name of ['single', 'confined', 'common-attack', 'sets-2', 'wrong', 'solved', 'several-completions', 'no-completion']) assert.ok(seen.has(name), name);
});

test('the path of a generated board is its grade, and hint after hint is the path', async () => {
  const seen = new Set();
  for (const level of ['easy', 'medium', 'hard', 'expert'])
    for (const [n, seed] of [[5, 1], [7, 2], [9, 3], [12, 4], [15, 4]]) {
      const { code, letters, grade, hint_url: link } = await server.getJson(`/puzzle?kind=regions&n=${n}&level=${level}&seed=${seed}&base=0`);
      const { steps, grade: again, end } = await server.getJson(`${link}&steps=all`);
      assert.deepEqual(again, { level, ...grade, solved: true }, code);
      assert.equal(end, 'solved');
      const [placed, crossed] = [[], []];
      for (const step of steps) {
        if (n < 9) assert.deepEqual((await server.getJson(`${link}${marks(placed, crossed)}`)).hint, step);
        if (step.place) placed.push(step.place);
        crossed.push(...step.cross);
        seen.add(step.technique);
      }
      assert.deepEqual([placed.length, (await server.getJson(`/count?regions=${letters}&base=0&place=${list(placed)}`)).count], [n, 1]);
      assert.equal((await server.getJson(`${link}${marks(placed, [])}`)).end, 'solved');
    }
  for (const name of ['single', 'confined', 'common-attack', 'sets-2', 'sets-3', 'contradiction-1', 'contradiction-2']) assert.ok(seen.has(name), name);
});

test('the path of a completion puzzle is its difficulty', async () => {
  const seen = new Set();
  for (const query of ['n=8&seed=1', 'n=8&seed=2', 'n=12&seed=2', 'n=24&seed=5', 'n=24&seed=1&rules=superqueens', 'n=16&seed=2&rules=reflecting', 'n=64&seed=2', 'n=1&seed=1']) {
    const { n, rules = 'queens', clues, difficulty, solution_url: link } = await server.getJson(`/puzzle?${query}&base=0`);
    const { steps, grade } = await server.getJson(`/hint?n=${n}&rules=${rules}&base=0&steps=all${marks(clues, [])}`);
    const { forced, ...rest } = difficulty;
    assert.deepEqual(grade, { ...rest, solved: true }, query);
    const [{ permutation }] = (await server.getJson(link)).solutions;
    for (const step of steps) check(step, [permutation], query);
    assert.equal(steps.filter(({ place }) => place).length, n - clues.length);
    steps.forEach(({ technique }) => seen.add(technique.replace(/-[0-9]+$/, '')));
  }
  for (const name of ['single', 'common-attack', 'contradiction', 'contradiction-full', 'search']) assert.ok(seen.has(name), name);
});

// Of n rows, n even, those with odd numbers, except the last, are crossed in the first half of the columns, the others in the second
// half: that has free squares in too few rows. A search must try nearly all of these, but techniques see it.
const odd = (n, row) => row % 2 === 1 && row < n - 2;
const crowded = (n) => [...Array(n * n).keys()].map((at) => ({ row: Math.floor(at / n), column: at % n })).filter(({ row, column }) => odd(n, row) === column < n / 2);

test('what a search does not decide is null, until steps prove that there is no solution', async () => {
  const { completable, steps, end, grade } = await server.getJson(`/hint?n=22&rules=touching&base=0&steps=all${marks([], crowded(22))}`);
  assert.deepEqual([completable, end, grade.level, grade.solved], [false, 'no-completion', null, false]);
  assert.equal(steps.at(-1).technique, 'sets-10');
  const whole = await server.getJson(`/hint?n=26&rules=touching&base=0&steps=all${marks([], crowded(26).filter(({ row }) => !odd(26, row)))}`);
  assert.deepEqual([whole.completable, whole.steps, whole.end], [null, [], 'too-many-squares']);
});

test('too many squares for techniques, and boards without queens', async () => {
  for (const [query, end, completable] of [['n=21', 'too-many-squares', true], ['n=17', 'several-completions', true], ['n=0', 'solved', true], ['n=3', 'no-completion', false], ['n=8&place=1:1&exclude=1:1', 'no-completion', false]]) {
    const reply = await server.getJson(`/hint?${query}&steps=all`);
    assert.deepEqual([reply.end, reply.completable, reply.steps.length], [end, completable, 0], query);
  }
  assert.equal((await server.getJson('/hint?regions=aabb/aabb/ccdd/ccda&apart=true')).code, undefined);
  const [short, long] = await Promise.all(['aabb/aabb/ccdd/ccdd', 'XXcc/XXcc/yyZZ/yyZZ&n=4&steps=next&rules=touching'].map((regions) => server.get(`/hint?regions=${regions}`)));
  assert.deepEqual([short.text, short.headers.etag], [long.text, long.headers.etag]);
});

test('a hint speaks three languages, and says the same in each; another is refused', async () => {
  const told = new Set();
  for (const board of ['regions=aaaabb/aaaaab/aacdbb/accdbe/fcedee/fceeee&steps=all', 'n=6&place=1:2', 'n=5&place=1:1,2:3,3:5']) {
    const unspoken = JSON.stringify(await server.getJson(`/hint?${board}`), (key, value) => (['why', 'title'].includes(key) ? '' : value));
    for (const lang of ['en', 'it', 'ru']) {
      const reply = await server.getJson(`/hint?${board}&lang=${lang}`);
      assert.equal(JSON.stringify(reply, (key, value) => (['why', 'title'].includes(key) ? '' : value)), unspoken);
      assert.equal(/[а-я]/.test(reply.hint.why), lang === 'ru', reply.hint.why);
      told.add(reply.hint.why);
    }
  }
  assert.equal(told.size, 9);
  (await server.get('/hint?n=6&lang=xx')).isProblem(400, 'lang');
});
