// game.test.js - the logic of a puzzle that is being played, without a page: marks, history, attacks, the clock, and best times.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { CROSS, EMPTY, newGame, placeOf, QUEEN, squareOf } from '../../src/web/game.js';
import { newRecords } from '../../src/web/records.js';

// Rows, columns and corners, as on a board with regions.
const touching = (n) => (a, b) => {
  const [[r, c], [s, d]] = [placeOf(n, a), placeOf(n, b)];
  if (r === s) return 'row';
  if (c === d) return 'column';
  return Math.abs(r - s) === 1 && Math.abs(c - d) === 1 ? 'neighbour' : undefined;
};
const letters = 'aabbb/aabcb/ddbcb/ddcce/eeeee'; // of 5 by 5
const regions = [...letters.replaceAll('/', '')].map((letter) => letter.charCodeAt() - 97);
const made = (more = {}, saved) => newGame({ n: 5, regions, line: touching(5), ...more }, saved);
const at = (row, column) => squareOf(5, [row, column]);

test('squares are numbers, row by row', () => {
  for (let square = 0; square < 49; square++) assert.equal(squareOf(7, placeOf(7, square)), square);
  assert.deepEqual(placeOf(7, 8), [2, 2]);
});

test('a square goes from empty to a cross, to a queen, to empty', () => {
  const game = made();
  const seen = [1, 2, 3, 4].map(() => (game.cycle(0), game.at(0)));
  assert.deepEqual(seen, [CROSS, QUEEN, EMPTY, CROSS]);
  game.cycle(1, true); // crossed by the page
  assert.equal(game.at(1), QUEEN);
  game.toggle(2, CROSS);
  game.toggle(1, CROSS);
  assert.deepEqual([game.at(1), game.at(2)], [CROSS, CROSS]);
  game.toggle(2, CROSS);
  assert.equal(game.at(2), EMPTY);
});

test('steps are undone and redone one by one, a step of many squares at once', () => {
  const game = made();
  const states = [game.save(0).marks];
  const act = (does) => states.push((does(), game.save(0).marks));
  act(() => game.cycle(3));
  act(() => game.toggle(7, QUEEN));
  act(() => game.set([[7, EMPTY], [8, CROSS], [9, CROSS]]));
  act(() => game.clear());
  assert.ok(!game.clear(), 'nothing to clear is no step');
  for (const wanted of states.slice(0, -1).reverse()) {
    assert.ok(game.undo());
    assert.equal(game.save(0).marks, wanted);
  }
  assert.ok(!game.canUndo() && !game.undo());
  for (const wanted of states.slice(1)) {
    assert.ok(game.redo());
    assert.equal(game.save(0).marks, wanted);
  }
  assert.ok(!game.canRedo() && !game.redo());
  game.undo();
  game.cycle(0);
  assert.ok(!game.canRedo(), 'a new step ends what was undone');
});

test('given queens stay', () => {
  const game = made({ given: [at(1, 1)] });
  assert.ok(!game.cycle(at(1, 1)) && !game.toggle(at(1, 1), CROSS) && !game.clear());
  game.cycle(4);
  game.clear();
  assert.deepEqual(game.queens(), [at(1, 1)]);
  assert.ok(game.isFixed(at(1, 1)) && !game.isFixed(4));
});

test('what a queen attacks: lines and its region', () => {
  const game = made();
  game.toggle(at(4, 1), QUEEN); // in region d
  const wanted = [];
  for (let square = 0; square < 25; square++) {
    const [row, column] = placeOf(5, square);
    const touches = Math.abs(row - 4) <= 1 && Math.abs(column - 1) <= 1;
    if (square !== at(4, 1) && (row === 4 || column === 1 || touches || regions[square] === 3)) wanted.push(square);
  }
  assert.deepEqual(game.attacked().sort((a, b) => a - b), wanted);
  game.toggle(at(3, 1), CROSS);
  assert.ok(!game.attacked().includes(at(3, 1)), 'only empty squares');
  assert.deepEqual(game.clashes(), []);
  game.toggle(at(3, 2), QUEEN);
  assert.deepEqual(game.clashes(), [[at(3, 2), at(4, 1), 'neighbour']]);
  game.toggle(at(3, 2), QUEEN);
  game.toggle(at(1, 3), QUEEN);
  game.toggle(at(3, 5), QUEEN); // both in region b
  assert.deepEqual(game.clashes(), [[at(1, 3), at(3, 5), 'region']]);
});

// Every choice of one queen in each of five rows.
const choices = Array.from({ length: 5 ** 5 }, (_, code) => [0, 1, 2, 3, 4].map((row) => row * 5 + (Math.floor(code / 5 ** row) % 5)));

// The definition once more.
function isSolution(queens) {
  const isDistinct = (values) => new Set(values).size === 5;
  const columns = queens.map((square) => square % 5);
  const touch = columns.some((column, row) => row && Math.abs(column - columns[row - 1]) < 2);
  return !touch && isDistinct(columns) && isDistinct(queens.map((square) => regions[square]));
}

test('solved is what the definition calls solved, of all boards', () => {
  assert.ok(choices.some(isSolution));
  for (const queens of choices) {
    const game = made();
    game.set(queens.map((square) => [square, QUEEN]));
    assert.equal(game.isSolved(), isSolution(queens), String(queens));
  }
});

test('wrong are queens beside the solution, and crosses on it', () => {
  const solution = choices.find(isSolution);
  const game = made();
  game.toggle(solution[0], QUEEN);
  game.toggle(solution[1], CROSS);
  const others = [...Array(25).keys()].filter((square) => !solution.includes(square));
  game.toggle(others[0], QUEEN);
  game.toggle(others[1], CROSS);
  assert.deepEqual(game.wrong(solution), [solution[1], others[0]].sort((a, b) => a - b));
});

test('the clock counts what was played, not what was slept', () => {
  const game = made();
  assert.equal(game.elapsed(500), 0);
  game.run(1000);
  assert.equal(game.elapsed(1800), 800);
  assert.equal(game.elapsed(2800), 1800);
  game.stop(3000);
  assert.equal(game.elapsed(90000), 2000);
  game.run(100000);
  assert.equal(game.elapsed(9900000), 4000, 'two seconds at most');
  assert.equal(game.elapsed(9800000), 4000, 'never back');
});

test('a saved game comes back; one of another board, or with given queens changed, does not', () => {
  const game = made({ given: [24] });
  game.toggle(3, QUEEN);
  game.toggle(4, CROSS);
  game.help();
  game.run(0);
  const saved = JSON.parse(JSON.stringify(game.save(900)));
  const again = made({ given: [24] }, saved);
  assert.deepEqual(again.save(), saved);
  assert.deepEqual([again.queens(), again.crosses(), again.helped, again.canUndo()], [[3, 24], [4], 1, false]);
  assert.deepEqual(made({}, { ...saved, marks: '222' }).queens(), []);
  assert.deepEqual(made({ given: [24] }, { ...saved, marks: 'x'.repeat(24) + '0' }).queens(), [24]);
});

// A storage; it may refuse, or have what others wrote.
function storage(has = {}, refuses = false) {
  const values = new Map(Object.entries(has));
  return { values, get: (key) => values.get(key) ?? null, set: (key, value) => refuses || values.set(key, value) };
}

test('best times, and games that were begun', () => {
  const store = storage();
  const records = newRecords(store);
  assert.equal(records.best('a'), undefined);
  assert.ok(records.finish('a', 5000) && !records.finish('a', 6000) && !records.finish('a', 5000) && records.finish('a', 4000));
  records.keep('x', { marks: '01' });
  for (let i = 0; i < 29; i++) records.keep(`g ${i}`, { i });
  records.keep('x', { marks: '02' }); // the latest now
  for (let i = 30; i < 50; i++) records.keep(`g ${i}`, { i });
  const later = newRecords(store);
  assert.equal(later.best('a'), 4000);
  assert.deepEqual(later.game('x'), { marks: '02' });
  assert.equal(later.game('g 5'), undefined);
  assert.equal(Object.keys(JSON.parse(store.values.get('play.games'))).length, 30);
});

test('two pages keep what both of them have', () => {
  const store = storage();
  const [one, other] = [newRecords(store), newRecords(store)];
  assert.ok(one.finish('a', 5000) && other.finish('b', 3000) && one.finish('c', 4000));
  assert.ok(!other.finish('a', 6000) && other.best('a') === 5000);
  one.keep('x', { marks: '1' });
  other.keep('y', { marks: '2' });
  one.keep('z', { marks: '3' });
  const third = newRecords(store);
  assert.deepEqual(['a', 'b', 'c'].map((kind) => third.best(kind)), [5000, 3000, 4000]);
  assert.deepEqual(['x', 'y', 'z'].map((id) => third.game(id)?.marks), ['1', '2', '3']);
  assert.deepEqual(other.game('z'), { marks: '3' });
});

test('without a storage, or with nonsense in it, times last for the visit', () => {
  for (const store of [storage({}, true), storage({ 'play.best': '{', 'play.games': '[1]' }), storage({ 'play.best': 'null', 'play.games': '7' })]) {
    const records = newRecords(store);
    assert.ok(records.finish('a', 3));
    records.keep('x', { marks: '1' });
    assert.deepEqual([records.best('a'), records.game('x')], [3, { marks: '1' }]);
  }
});

test("Debian's node 18, which does not guess what a file is, reads the page's modules", () => {
  const guessing = '--experimental-detect-module';
  const flags = process.allowedNodeEnvironmentFlags.has(guessing) ? [guessing.replace('--', '--no-')] : [];
  const module = new URL('../../src/web/game.js', import.meta.url).href;
  const program = `import(${JSON.stringify(module)}).then(({ QUEEN }) => console.log(QUEEN))`;
  assert.equal(execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' }), `${QUEEN}\n`);
});
