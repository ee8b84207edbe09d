// days.js - what the browser keeps of puzzles of the day: which ones are solved, in what time, how many days in a row; the text that
// a player shares; the weeks of a month; and all that the page has kept, to export or to erase. It does not know the page.
//
// A day is a text, 2026-11-28, by the reader's calendar; a month is 2026-11.
import { t } from './words.js';

const KEY = 'days'; // { day: { n: { level, elapsed, helped } } }
const MOST = 731; // days that are kept: two years, one of them a leap year
const DAY = 864e5; // ms
const MONDAY = 4; // of the days since 1970-01-01, which was a Thursday

const utc = (day) => new Date(`${day}T00:00:00Z`);
const numberOf = (day) => utc(day).getTime() / DAY;
const dayAt = (number) => new Date(number * DAY).toISOString().slice(0, 10);
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(numberOf(text)) && dayAt(numberOf(text)) === text;
const isResult = (found) => typeof found?.level === 'string' && [found.elapsed, found.helped].every((x) => x >= 0);

// The day of a date where the reader is.
export const dayOf = (date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

// A time in ms: 1:42, or 1:00:42.
export function clock(time) {
  const [seconds, minutes, hours] = [1, 60, 3600].map((unit, i) => Math.floor(time / 1000 / unit) % [60, 60, 1e9][i]);
  const two = (value) => String(value).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

// How long until the reader's next day begins, in whole minutes, upwards: { hours, minutes }.
export function untilNext(now) {
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const all = Math.ceil((next - now) / 60000);
  return { hours: Math.floor(all / 60), minutes: all % 60 };
}

// The months from January of the year of a day to that day's own.
export function monthsTo(day) {
  const [year, last] = day.split('-');
  return Array.from({ length: Number(last) }, (_, i) => `${year}-${String(i + 1).padStart(2, '0')}`);
}

// The weeks of a month, seven days each, null where it is another month. first: the first day of a week, Monday is 1, Sunday 7.
export function weeksOf(month, first) {
  const begin = numberOf(`${month}-01`);
  const before = (((begin - MONDAY + 1 - first) % 7) + 7) % 7;
  const days = Array.from({ length: 31 }, (_, i) => dayAt(begin + i)).filter((day) => day.startsWith(month));
  const cells = [...Array(before).fill(null), ...days];
  const rows = Math.ceil(cells.length / 7);
  return Array.from({ length: rows }, (_, i) => Array.from({ length: 7 }, (_, j) => cells[7 * i + j] ?? null));
}

// The last `count` days, the given one last.
export const daysTo = (day, count) => Array.from({ length: count }, (_, i) => dayAt(numberOf(day) - count + 1 + i));

// What a player shares, in the page's language: no word of where the queens stand.
export function shareText({ n, level, daily, elapsed, helped, link }, language) {
  const short = { day: 'numeric', month: 'short', timeZone: 'UTC' };
  const locale = language === 'en' ? 'en-GB' : language; // the day comes first, as in the other languages
  const what = daily ? new Intl.DateTimeFormat(locale, short).format(utc(daily)) : `${n} × ${n}`;
  const values = { what, level: t(`game.level.${level}`), time: clock(elapsed), help: t(helped ? 'days.help' : 'days.noHelp') };
  return `${t('days.text', values)}\n${link}`;
}

// kept: of shell.js.
export function newDays(kept) {
  const read = () => {
    let found = {};
    try {
      found = JSON.parse(kept.get(KEY)) ?? {};
    } catch {
      // something else wrote there
    }
    const results = (day) => Object.entries(Object(day)).filter(([n, result]) => Number(n) > 0 && isResult(result));
    const days = Object.entries(found).map(([day, sizes]) => [day, Object.fromEntries(results(sizes))]);
    return Object.fromEntries(days.filter(([day, sizes]) => isDay(day) && Object.keys(sizes).length));
  };
  const better = (one, other) => (Boolean(one.helped) === Boolean(other.helped) ? one.elapsed < other.elapsed : !one.helped);
  return {
    // A puzzle of a day was solved: of several times with one size the best counts, without help if there is one.
    solve({ day, n, level, elapsed, helped }) {
      const result = { level, elapsed: Math.round(elapsed), helped };
      if (!isDay(day) || !isResult(result)) return;
      const days = read();
      const before = days[day]?.[n];
      if (before && !better(result, before)) return;
      days[day] = { ...days[day], [n]: result };
      kept.set(KEY, JSON.stringify(Object.fromEntries(Object.entries(days).sort(([a], [b]) => (a < b ? -1 : 1)).slice(-MOST))));
    },
    // The best result of each day that is solved, by day.
    solved: () =>
      new Map(Object.entries(read()).map(([day, sizes]) => [day, Object.values(sizes).reduce((a, b) => (better(b, a) ? b : a))])),
    // How many days in a row are solved, the last of them today or yesterday.
    streak(today) {
      const days = read();
      let last = numberOf(today);
      if (!days[today]) last--;
      let count = 0;
      while (days[dayAt(last - count)]) count++;
      return count;
    },
  };
}

// Whether a key of the browser's storage is one of the page's: its origin may have other pages.
export const isOurs = (key) => /^(play\..*|days|language|theme)$/.test(key);

const keysOf = (storage) => Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter(isOurs);

// All that the page has kept, as one JSON text; what is JSON itself is a part of it. storage: localStorage.
export function exported(storage) {
  const value = (text) => {
    try {
      return /^[[{]/.test(text) ? JSON.parse(text) : text;
    } catch {
      return text;
    }
  };
  return `${JSON.stringify(Object.fromEntries(keysOf(storage).sort().map((key) => [key, value(storage.getItem(key))])), null, 2)}\n`;
}

export const erase = (storage) => keysOf(storage).forEach((key) => storage.removeItem(key));
