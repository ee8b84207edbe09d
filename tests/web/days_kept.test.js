// days_kept.test.js - what the browser keeps of days, without a page: results, days in a row, weeks of a month, the text that is shared
// in every language, and what is exported and erased. days.test.js has the same as a player sees it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import './modules.js';
import { clock, dayOf, daysTo, erase, exported, isOurs, monthsTo, newDays, shareText, untilNext, weeksOf } from '../../src/web/days.js';
import { speak } from '../../src/web/words.js';

// A storage as `kept` of shell.js, with what others may have written there.
function storage(has = {}) {
  const values = new Map(Object.entries(has));
  return { values, get: (key) => values.get(key) ?? null, set: (key, value) => values.set(key, value) };
}
const result = (day, more = {}) => ({ day, n: 8, level: 'hard', elapsed: 5000, helped: 0, ...more });
const having = (...list) => {
  const days = newDays(storage());
  for (const day of list) days.solve(result(day));
  return days;
};

test('a time is written as minutes and seconds, and hours if there are any', () => {
  assert.deepEqual([0, 999, 1000, 102400, 3599999, 3642000, 36e6].map(clock), ['0:00', '0:00', '0:01', '1:42', '59:59', '1:00:42', '10:00:00']);
});

test('days in a row are counted to today, or to yesterday while today is open', () => {
  assert.equal(having().streak('2026-11-28'), 0);
  assert.equal(having('2026-11-28').streak('2026-11-28'), 1);
  assert.equal(having('2026-11-27').streak('2026-11-28'), 1);
  assert.equal(having('2026-11-26').streak('2026-11-28'), 0, 'yesterday was missed');
  assert.equal(having('2026-11-25', '2026-11-27', '2026-11-28').streak('2026-11-28'), 2);
  assert.equal(having('2026-11-28', '2026-11-29').streak('2026-11-28'), 1, 'a day to come does not count');
});

test('over the ends of months and years, and a leap day', () => {
  assert.equal(having('2026-12-30', '2026-12-31', '2027-01-01').streak('2027-01-01'), 3);
  assert.equal(having('2026-10-31', '2026-11-01').streak('2026-11-02'), 2);
  assert.equal(having('2028-02-28', '2028-02-29', '2028-03-01').streak('2028-03-01'), 3);
  assert.equal(having('2028-02-28', '2028-03-01').streak('2028-03-01'), 1, '29 February was missed');
  assert.equal(having('2026-02-28', '2026-03-01').streak('2026-03-01'), 2);
});

test('of several results of a day the best one without help counts', () => {
  const store = storage();
  const days = newDays(store);
  const best = () => days.solved().get('2026-11-28');
  days.solve(result('2026-11-28', { elapsed: 9000.4, helped: 2 }));
  assert.deepEqual(best(), { level: 'hard', elapsed: 9000, helped: 2 });
  days.solve(result('2026-11-28', { elapsed: 12000 }));
  days.solve(result('2026-11-28', { elapsed: 3000, helped: 1 }));
  days.solve(result('2026-11-28', { elapsed: 13000 }));
  assert.deepEqual(best(), { level: 'hard', elapsed: 12000, helped: 0 });
  days.solve(result('2026-11-28', { elapsed: 11000, n: 6, level: 'easy' }));
  assert.deepEqual(best(), { level: 'easy', elapsed: 11000, helped: 0 });
  assert.deepEqual(Object.keys(JSON.parse(store.values.get('days'))['2026-11-28']), ['6', '8'], 'each size');
  assert.deepEqual(newDays(store).solved(), days.solved(), 'another page has the same');
});

test('what is no day, or no result, is not kept', () => {
  const store = storage();
  for (const day of ['2026-02-29', '2026-13-01', '2026-1-1', '', 'today', '__proto__', null]) newDays(store).solve(result(day));
  for (const more of [{ elapsed: NaN }, { elapsed: -1 }, { helped: undefined }, { level: null }]) newDays(store).solve(result('2026-11-28', more));
  assert.equal(store.values.size, 0);
});

test('whatever stands in the storage, days go on', () => {
  const texts = ['{', 'null', '7', '"days"', '[]', '[[1]]', '{"2026-11-28": null}', '{"2026-11-28": 7}', '{"2026-11-28": "abc"}',
    '{"2026-11-28": {"8": {}}}', '{"2026-11-28": {"8": {"level": 1, "elapsed": 1, "helped": 0}}}', '{"2026-11-31": {"8": {"level": "easy", "elapsed": 1, "helped": 0}}}',
    '{"__proto__": {"8": {"level": "easy", "elapsed": 1, "helped": 0}}}', '{"2026-11-28": {"x": {"level": "easy", "elapsed": 1, "helped": 0}}}'];
  for (const text of texts) {
    const days = newDays(storage({ days: text }));
    assert.deepEqual([days.streak('2026-11-28'), days.solved().size], [0, 0], text);
    days.solve(result('2026-11-28'));
    assert.deepEqual([days.streak('2026-11-28'), days.solved().size], [1, 1], text);
  }
  const some = JSON.stringify({ '2026-11-26': { 8: { level: 'easy', elapsed: 1, helped: 0 } }, '2026-11-27': { 8: { level: 'easy', elapsed: 'x', helped: 0 } } });
  assert.deepEqual([...newDays(storage({ days: some })).solved().keys()], ['2026-11-26'], 'what can be read stays');
  const refusing = newDays({ get: () => null, set() {} });
  refusing.solve(result('2026-11-28'));
  assert.equal(refusing.streak('2026-11-28'), 0);
});

test('the last two years are kept', () => {
  const store = storage();
  const days = newDays(store);
  const all = daysTo('2026-11-28', 800);
  for (const day of [...all].reverse()) days.solve(result(day));
  const keys = Object.keys(JSON.parse(store.values.get('days')));
  assert.deepEqual(keys, all.slice(-731));
  days.solve(result('2026-11-29'));
  assert.deepEqual(Object.keys(JSON.parse(store.values.get('days'))), [...all.slice(-730), '2026-11-29']);
});

test('the weeks of a month begin on the day that a place has it', () => {
  const days = (week) => week.map((day) => day && Number(day.slice(8)));
  const november = weeksOf('2026-11', 1).map(days); // which begins on a Sunday
  assert.deepEqual(november[0], [null, null, null, null, null, null, 1]);
  assert.deepEqual(november.at(-1), [30, null, null, null, null, null, null]);
  assert.deepEqual(weeksOf('2026-11', 7).map(days)[0], [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(weeksOf('2026-11', 6).map(days)[0], [null, 1, 2, 3, 4, 5, 6]);
  for (const first of [1, 6, 7])
    for (let year = 2026; year < 2034; year++)
      for (const month of monthsTo(`${year}-12-31`)) {
        const weeks = weeksOf(month, first);
        assert.ok(weeks.every((week) => week.length === 7));
        const last = new Date(Date.UTC(year, Number(month.slice(5)), 0)).getUTCDate();
        assert.deepEqual(weeks.flat().filter(Boolean).map((day) => Number(day.slice(8))), Array.from({ length: last }, (_, i) => i + 1), month);
        weeks.forEach((week) => week.forEach((day, i) => day && assert.equal(new Date(`${day}T00:00:00Z`).getUTCDay(), (first + i) % 7, day)));
      }
  assert.deepEqual(monthsTo('2026-03-09'), ['2026-01', '2026-02', '2026-03']);
  assert.deepEqual(daysTo('2027-01-02', 4), ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']);
});

test("the next day comes by the reader's own clock, also where clocks change", () => {
  const { TZ } = process.env;
  process.env.TZ = 'Europe/Rome';
  try {
    const at = (text) => untilNext(new Date(text));
    assert.deepEqual(at('2026-11-28T18:48:00'), { hours: 5, minutes: 12 });
    assert.deepEqual(at('2026-11-28T23:59:30'), { hours: 0, minutes: 1 });
    assert.deepEqual(at('2026-11-28T00:00:00'), { hours: 24, minutes: 0 });
    assert.deepEqual(at('2026-12-31T22:00:00'), { hours: 2, minutes: 0 });
    assert.deepEqual(at('2026-03-29T00:30:00'), { hours: 22, minutes: 30 }, 'an hour is left out');
    assert.deepEqual(at('2026-10-25T00:30:00'), { hours: 24, minutes: 30 }, 'an hour comes twice');
    assert.equal(dayOf(new Date('2026-11-27T23:30:00Z')), '2026-11-28', 'in Rome it is the next day');
    assert.equal(dayOf(new Date('2026-01-01T00:00:00')), '2026-01-01');
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

const shared = {
  en: ['Queens 27 Nov, hard, 1:42, no help', 'Queens 8 × 8, easy, 0:09, with help'],
  it: ['Regine 27 nov, difficile, 1:42, senza aiuti', 'Regine 8 × 8, facile, 0:09, con aiuti'],
  ru: ['Ферзи, 27 нояб., трудная, 1:42, без помощи', 'Ферзи, 8 × 8, лёгкая, 0:09, с помощью'],
};
for (const [language, [ofDay, other]] of Object.entries(shared))
  test(`what is shared, in ${language}: two lines, and nothing of the solution`, async () => {
    await speak(language);
    const link = 'https://queens.example/play/2026-11-27';
    const { TZ } = process.env;
    process.env.TZ = 'America/Los_Angeles'; // a day is the same everywhere
    const text = shareText({ n: 8, level: 'hard', daily: '2026-11-27', elapsed: 102900, helped: 0, link }, language);
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
    assert.equal(text, `${ofDay}\n${link}`);
    assert.equal(shareText({ n: 8, level: 'easy', elapsed: 9000, helped: 2, link }, language), `${other}\n${link}`);
  });

// localStorage, as far as it is used.
function browserStorage(has) {
  const values = new Map(Object.entries(has));
  return {
    get length() {
      return values.size;
    },
    key: (i) => [...values.keys()][i],
    getItem: (key) => values.get(key) ?? null,
    removeItem: (key) => values.delete(key),
  };
}

test('all keys of the page are exported and erased, and no others', () => {
  const ours = { 'play.best': '{"regions 8 hard ":102000}', 'play.games': '{', 'play.still': '1', days: '{"2026-11-28":{}}', language: 'it', theme: 'dark' };
  const storage = browserStorage({ ...ours, other: 'x', displays: '1', 'my.language': '2' });
  assert.deepEqual(JSON.parse(exported(storage)), {
    ...{ days: { '2026-11-28': {} }, language: 'it', 'play.best': { 'regions 8 hard ': 102000 } },
    ...{ 'play.games': '{', 'play.still': '1', theme: 'dark' },
  });
  erase(storage);
  assert.deepEqual([0, 1, 2].map((i) => storage.key(i)), ['other', 'displays', 'my.language']);
  assert.equal(storage.length, 3);
  assert.equal(exported(browserStorage({})), '{}\n');
});

test('every key that a module of the page keeps is one of them', () => {
  const folder = new URL('../../src/web/', import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const found = (pattern) => sources.flatMap((text) => [...text.matchAll(pattern)].map(([, key]) => key));
  const names = new Set([...found(/\bkept\.[gs]et\('([\w.]+)'/g), ...found(/\b[gs]et\(`(\w+\.)\$\{/g)]);
  for (const key of names) assert.ok(isOurs(key), key);
  for (const key of ['language', 'theme', 'play.']) assert.ok(names.has(key), `${key} of ${[...names]}`);
});
