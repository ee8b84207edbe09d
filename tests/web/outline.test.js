// outline.test.js - a board in words: its regions as a list, the way around one, and what a step has changed, in every language.
import './modules.js';
import assert from 'node:assert/strict';
import test from 'node:test';
import { CROSS, EMPTY, newGame, QUEEN } from '../../src/web/game.js';
import { describeRegions, nextInRegion, redoneWords, undoneWords } from '../../src/web/outline.js';
import { speak } from '../../src/web/words.js';
import { languages } from './languages.js';

const regions = ['aaabb', 'acbbb', 'aacdb', 'eadde', 'eeeee'].map((line) => Array.from(line, (letter) => letter.charCodeAt() - 97));
const count = (region) => regions.flat().filter((other) => other === region).length;

const lists = {
  en: [
    'Region A, 7 squares: row 1 columns 1 to 3, row 2 column 1, row 3 columns 1 to 2, row 4 column 2.',
    'Region B, 6 squares: row 1 columns 4 to 5, row 2 columns 3 to 5, row 3 column 5.',
    'Region C, 2 squares: row 2 column 2, row 3 column 3.',
    'Region D, 3 squares: row 3 column 4, row 4 columns 3 to 4.',
    'Region E, 7 squares: row 4 column 1, row 4 column 5, row 5 columns 1 to 5.',
  ],
  it: [
    'Regione A, 7 caselle: riga 1 colonne da 1 a 3, riga 2 colonna 1, riga 3 colonne da 1 a 2, riga 4 colonna 2.',
    'Regione B, 6 caselle: riga 1 colonne da 4 a 5, riga 2 colonne da 3 a 5, riga 3 colonna 5.',
    'Regione C, 2 caselle: riga 2 colonna 2, riga 3 colonna 3.',
    'Regione D, 3 caselle: riga 3 colonna 4, riga 4 colonne da 3 a 4.',
    'Regione E, 7 caselle: riga 4 colonna 1, riga 4 colonna 5, riga 5 colonne da 1 a 5.',
  ],
  ru: [
    'Область A, 7 клеток: строка 1 столбцы с 1 по 3, строка 2 столбец 1, строка 3 столбцы с 1 по 2, строка 4 столбец 2.',
    'Область B, 6 клеток: строка 1 столбцы с 4 по 5, строка 2 столбцы с 3 по 5, строка 3 столбец 5.',
    'Область C, 2 клетки: строка 2 столбец 2, строка 3 столбец 3.',
    'Область D, 3 клетки: строка 3 столбец 4, строка 4 столбцы с 3 по 4.',
    'Область E, 7 клеток: строка 4 столбец 1, строка 4 столбец 5, строка 5 столбцы с 1 по 5.',
  ],
};

// What a player does, and what is said when it is undone and done again.
const steps = [
  ['a queen', (game) => game.toggle(1, QUEEN)],
  ['a cross', (game) => game.toggle(24, CROSS)],
  ['a cross that goes on to a queen', (game) => game.cycle(24)],
  ['a queen that goes on to nothing', (game) => game.cycle(24)],
  ['three crosses', (game) => game.set([[5, CROSS], [6, CROSS], [7, CROSS]])],
  ['a cross in place of a queen', (game) => game.toggle(1, CROSS)],
  ['a cross taken away', (game) => game.set([[5, EMPTY]])],
  ['a hint of two kinds', (game) => game.set([[6, QUEEN], [8, CROSS]])],
  ['two queens', (game) => game.set([[10, QUEEN], [20, QUEEN]])],
  ['an empty board', (game) => game.clear()],
];
const told = {
  en: [
    ['Undone: queen on row 1, column 2.', 'Redone: queen on row 1, column 2.'],
    ['Undone: cross on row 5, column 5.', 'Redone: cross on row 5, column 5.'],
    ['Undone: queen on row 5, column 5. There is a cross again.', 'Redone: queen on row 5, column 5.'],
    ['Undone: queen removed from row 5, column 5.', 'Redone: queen removed from row 5, column 5.'],
    ['Undone: 3 crosses.', 'Redone: 3 crosses.'],
    ['Undone: cross on row 1, column 2. There is a queen again.', 'Redone: cross on row 1, column 2.'],
    ['Undone: cross removed from row 2, column 1.', 'Redone: cross removed from row 2, column 1.'],
    ['Undone: 2 squares changed.', 'Redone: 2 squares changed.'],
    ['Undone: 2 queens.', 'Redone: 2 queens.'],
    ['Undone: 6 squares emptied.', 'Redone: 6 squares emptied.'],
  ],
  it: [
    ['Annullato: regina in riga 1, colonna 2.', 'Ripetuto: regina in riga 1, colonna 2.'],
    ['Annullato: croce in riga 5, colonna 5.', 'Ripetuto: croce in riga 5, colonna 5.'],
    ['Annullato: regina in riga 5, colonna 5. C’è di nuovo una croce.', 'Ripetuto: regina in riga 5, colonna 5.'],
    ['Annullato: regina tolta da riga 5, colonna 5.', 'Ripetuto: regina tolta da riga 5, colonna 5.'],
    ['Annullato: 3 croci.', 'Ripetuto: 3 croci.'],
    ['Annullato: croce in riga 1, colonna 2. C’è di nuovo una regina.', 'Ripetuto: croce in riga 1, colonna 2.'],
    ['Annullato: croce tolta da riga 2, colonna 1.', 'Ripetuto: croce tolta da riga 2, colonna 1.'],
    ['Annullato: 2 caselle cambiate.', 'Ripetuto: 2 caselle cambiate.'],
    ['Annullato: 2 regine.', 'Ripetuto: 2 regine.'],
    ['Annullato: 6 caselle svuotate.', 'Ripetuto: 6 caselle svuotate.'],
  ],
  ru: [
    ['Отменено: ферзь (строка 1, столбец 2).', 'Возвращено: ферзь (строка 1, столбец 2).'],
    ['Отменено: крестик (строка 5, столбец 5).', 'Возвращено: крестик (строка 5, столбец 5).'],
    ['Отменено: ферзь (строка 5, столбец 5). Там снова крестик.', 'Возвращено: ферзь (строка 5, столбец 5).'],
    ['Отменено: ферзь убран (строка 5, столбец 5).', 'Возвращено: ферзь убран (строка 5, столбец 5).'],
    ['Отменено: поставлено крестиков: 3.', 'Возвращено: поставлено крестиков: 3.'],
    ['Отменено: крестик (строка 1, столбец 2). Там снова ферзь.', 'Возвращено: крестик (строка 1, столбец 2).'],
    ['Отменено: крестик убран (строка 2, столбец 1).', 'Возвращено: крестик убран (строка 2, столбец 1).'],
    ['Отменено: изменено клеток: 2.', 'Возвращено: изменено клеток: 2.'],
    ['Отменено: поставлено ферзей: 2.', 'Возвращено: поставлено ферзей: 2.'],
    ['Отменено: очищено клеток: 6.', 'Возвращено: очищено клеток: 6.'],
  ],
};

for (const language of languages)
  test(`${language}: regions as a list, and steps that are undone`, async () => {
    await speak(language);
    assert.deepEqual(describeRegions(regions), lists[language]);
    const game = newGame({ n: 5, line: () => undefined });
    const said = steps.map(([what, does], i) => {
      assert.ok(does(game), what);
      const words = [undoneWords(5, game.undo()), redoneWords(5, game.redo())];
      assert.deepEqual(words, told[language][i], what);
      return words;
    });
    assert.equal(said.length, told[language].length);
  });

test('of a list every square of the board can be read again', async () => {
  await speak('en');
  const board = regions.map((line) => line.map(() => null));
  for (const [region, words] of describeRegions(regions).entries())
    for (const [, row, from, to = from] of words.matchAll(/row (\d+) columns? (\d+)(?: to (\d+))?/g))
      for (let column = Number(from); column <= Number(to); column++) board[row - 1][column - 1] = region;
  assert.deepEqual(board, regions);
});

test('a walk around a region passes each of its squares once, forwards and back', async () => {
  await speak('en');
  for (const back of [false, true])
    for (let region = 0; region < 5; region++) {
      const row = regions.findIndex((line) => line.includes(region)) + 1;
      const start = [row, regions[row - 1].indexOf(region) + 1];
      const passed = [];
      let [at, last] = [start, ''];
      do {
        ({ at, words: last } = nextInRegion(regions, at, back));
        assert.equal(regions[at[0] - 1][at[1] - 1], region);
        passed.push(String(at));
      } while (String(at) !== String(start));
      assert.equal(new Set(passed).size, count(region));
      assert.equal(last, `Region ${'ABCDE'[region]}, square 1 of ${count(region)}.`);
    }
  assert.deepEqual(nextInRegion(regions, [2, 2]), { at: [3, 3], words: 'Region C, square 2 of 2.' });
  assert.deepEqual(nextInRegion(regions, [2, 2], true).at, [3, 3]);
});
