// play_days.js - what comes after a win: a wave of colour over the board, and a sheet with the time, the days in a row and what to do
// next; and the calendar of days, where what the browser keeps is exported or erased. Loaded when it is needed.
import { clock, dayOf, daysTo, erase, exported, monthsTo, newDays, shareText, untilNext, weeksOf } from './days.js';
import { button, copyButton, h, note, row, svg } from './dom.js';
import { kept } from './shell.js';
import { language, t } from './words.js';

const [WAVE, CREST] = [450, 350]; // ms until the wave reaches the last square; that it stays on one
const SHOWN = 7; // days in the sheet

const days = newDays(kept);

// Dates are written as where the reader lives, if the page speaks the language of that place.
const locale = () => navigator.languages.find((name) => name.split('-')[0] === language) ?? language;
const dated = (options) => {
  const format = new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
};

// Monday is 1, Sunday 7. Firefox does not know it.
function firstOfWeek() {
  const known = new Intl.Locale(locale());
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}

function lasting({ hours, minutes }) {
  const parts = Object.entries({ hour: hours, minute: minutes }).filter(([, count]) => count);
  return parts.map(([unit, count]) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)).join(' ');
}

function store() {
  try {
    return localStorage;
  } catch {
    return { length: 0 }; // a browser without storage
  }
}

const isStill = (board) => matchMedia('(prefers-reduced-motion: reduce)').matches || Boolean(board?.querySelector('.board.still'));

// The first control after the board.
function afterBoard(board) {
  const controls = [...document.querySelectorAll('main :is(button, a[href], input, select, summary):not(:disabled)')];
  const isAfter = (at) => board.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING && !board.contains(at);
  return controls.find((at) => isAfter(at) && at.checkVisibility());
}

// The square of a board that the keyboard reaches gets the focus.
const toBoard = (place) => place.querySelector('[role="gridcell"][tabindex="0"]')?.focus({ preventScroll: true });

// A sheet over the page; { close, closed: resolves with what close() was given }. Escape closes it, so does a press beside it.
function openSheet(title, attributes, ...content) {
  const shut = h('button', { type: 'button', class: 'shut', 'aria-label': t('days.close'), onclick: () => sheet.close() }, '×');
  const heading = h('h2', { id: 'sheet-title' }, title);
  const inside = h('div', null, heading, content, shut, h('p', { class: 'unseen', role: 'status' }));
  const onclick = (event) => event.target === sheet && sheet.close();
  const sheet = h('dialog', { class: 'sheet', 'aria-labelledby': 'sheet-title', onclick, ...attributes }, inside);
  const leave = () => sheet.close(); // Back leads to another board
  addEventListener('popstate', leave);
  const closed = new Promise((resolve) => {
    sheet.addEventListener('close', () => {
      removeEventListener('popstate', leave);
      sheet.remove();
      resolve(sheet.returnValue);
    });
  });
  document.body.append(sheet);
  sheet.showModal();
  return { sheet, close: (value) => sheet.close(value), closed };
}

// ---- The wave ----

// A wave of all colours runs from a square, [row, column], over the drawn board in `board`; resolves when it is over.
export async function wave(board, square) {
  const picture = board.querySelector('.board');
  if (!picture || isStill(board)) return;
  const n = picture.querySelectorAll('[role="row"]').length;
  const places = Array.from({ length: n * n }, (_, i) => [Math.floor(i / n) + 1, (i % n) + 1]);
  const far = ([row, column]) => Math.hypot(row - square[0], column - square[1]);
  const farthest = Math.max(...places.map(far), 1);
  const hue = (place) => Math.round((360 * far(place)) / farthest);
  const tile = (place) => svg('rect', { class: 'crest', fill: `hsl(${hue(place)} 90% 72%)`, x: place[1] - 1, y: place[0] - 1, width: 1, height: 1 });
  const tiles = places.map(tile);
  const layer = svg('g', { 'aria-hidden': 'true' }, tiles);
  picture.querySelector('.queens').before(layer);
  picture.classList.add('wave');
  const run = (tile, i) =>
    tile.animate({ opacity: [0, 0.9, 0] }, { duration: CREST, delay: (WAVE * far(places[i])) / farthest, easing: 'ease-in-out' }).finished;
  await Promise.allSettled(tiles.map(run));
  picture.classList.remove('wave');
  layer.remove();
}

// ---- The sheet after a win ----

// The last days, for the eye: the number of those in a row is said beside it.
function weekOf(today) {
  const solved = days.solved();
  const letter = dated({ weekday: 'narrow' });
  const dot = (day) => h('span', { class: solved.has(day) ? 'done' : null }, letter(day));
  return h('p', { class: 'week', 'aria-hidden': 'true' }, daysTo(today, SHOWN).map(dot));
}

function shareButton(text) {
  if (!navigator.canShare?.({ text })) return copyButton(t('days.share'), () => text);
  return button(t('days.share'), () => navigator.share({ text }).catch(() => {})); // the reader may think better of it
}

// best: the best time in ms, if there is one; next(): brings another puzzle of the size and level, returns when it is there; link: of this one; last: [row, column] of the last queen; board: the place of
// the drawn board; go(day), optional: the same for the puzzle of a day, without leaving the page.
export async function openWin({ n, level, daily, elapsed, helped, isBest, best, link, next, last, board, go }) {
  const picture = board.querySelector('.board');
  await wave(board, last);
  if (!picture?.isConnected) return; // the player was faster
  const today = dayOf(new Date());
  const streak = days.streak(today);
  const about = [daily ? dated({ day: 'numeric', month: 'long' })(daily) : null, `${n} × ${n}`, t(`game.level.${level}`)];
  const told = isBest ? t('days.newBest') : best !== undefined && t('days.best', { time: clock(best) });
  const main = button(t('days.next'), () => close('next'), { class: 'button main', autofocus: true });
  const { sheet, close, closed } = openSheet(
    t('days.solved'),
    { 'aria-describedby': 'sheet-about' },
    h(
      'div',
      { id: 'sheet-about' },
      h('p', { class: 'clock' }, clock(elapsed)),
      h('p', null, [...about, t(helped ? 'days.help' : 'days.noHelp')].filter(Boolean).join(' · ')),
      told && h('p', { class: isBest ? 'best' : null }, told),
      streak > 0 && h('p', null, h('b', null, t('days.streak', { count: streak }))),
      (streak > 0 || daily) && weekOf(today),
      note(t('days.tomorrow', { time: lasting(untilNext(new Date())) })),
    ),
    row(main, shareButton(shareText({ n, level, daily, elapsed, helped, link }, language)), button(t('days.open'), () => close('days'))),
  );
  if (!isStill(board)) sheet.animate({ opacity: [0, 1], translate: ['0 1rem', '0'] }, { duration: 200, easing: 'ease-out' });
  const wanted = await closed;
  if (wanted === 'days') return openDays({ go, board });
  if (wanted !== 'next') return afterBoard(board)?.focus();
  await next();
  toBoard(board);
}

// ---- The calendar ----

function calendarOf(month, today, press) {
  const solved = days.solved();
  const [whole, short, long] = [dated({ dateStyle: 'long' }), dated({ weekday: 'short' }), dated({ weekday: 'long' })];
  const weeks = weeksOf(month, firstOfWeek());
  const head = (day) => h('th', { scope: 'col', abbr: long(day) }, short(day));
  const cell = (day) => {
    const number = day && Number(day.slice(8));
    if (!day || day > today) return h('td', null, h('span', { class: 'note' }, number));
    const result = solved.get(day);
    const name = result ? t('days.done', { day: whole(day), time: clock(result.elapsed) }) : whole(day);
    const attributes = { class: result && 'done', 'aria-label': name, 'aria-current': day === today && 'date' };
    return h('td', null, h('a', { href: `play/${day}`, onclick: (event) => press(event, day), ...attributes }, number));
  };
  return h(
    'table',
    null,
    h('thead', null, h('tr', null, weeks[1].map(head))), // a whole week
    h('tbody', null, weeks.map((week) => h('tr', null, week.map(cell)))),
  );
}

// What was kept goes, also what the page keeps when it is left; then it begins anew.
function eraseAll() {
  const storage = store();
  erase(storage);
  for (const type of ['pagehide', 'visibilitychange']) addEventListener(type, () => erase(storage));
  location.reload();
}

// go(day), optional: opens the puzzle of a day without leaving the page; board: that to return to, if it is not what had the focus.
export async function openDays({ go, board } = {}) {
  const today = dayOf(new Date());
  const months = monthsTo(today);
  let at = months.length - 1;
  const [name, place] = [h('h3', { 'aria-live': 'polite' }), h('div')];
  const title = dated({ month: 'long', year: 'numeric' });
  const turn = (by) => {
    at += by;
    [earlier.disabled, later.disabled] = [at === 0, at === months.length - 1];
    name.textContent = title(`${months[at]}-01`);
    place.replaceChildren(calendarOf(months[at], today, press));
    const [pressed, other] = by < 0 ? [earlier, later] : [later, earlier];
    if (by && pressed.disabled) other.focus();
  };
  const earlier = button('‹', () => turn(-1), { 'aria-label': t('days.earlier') });
  const later = button('›', () => turn(1), { 'aria-label': t('days.later') });
  function press(event, day) {
    if (!go || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    close(day);
  }
  const file = URL.createObjectURL(new Blob([exported(store())], { type: 'application/json' }));
  const take = h('a', { class: 'button', href: file, download: 'queens.json' }, t('days.export'));
  const ask = button(t('days.erase'), () => {
    foot.replaceChildren(h('p', { role: 'alert' }, t('days.sure')), row(button(t('days.yes'), eraseAll), keep));
    keep.focus();
  });
  // Where `ask` was: two presses in a row erase nothing.
  const keep = button(t('days.no'), () => {
    foot.replaceChildren(...usual);
    ask.focus();
  });
  const usual = [note(t('days.kept')), row(take, ask)];
  const foot = h('div', null, usual);
  turn(0);
  const streak = days.streak(today);
  const { close, closed } = openSheet(
    t('days.calendar'),
    {},
    streak > 0 && h('p', null, t('days.streak', { count: streak })),
    h('div', { class: 'month' }, earlier, name, later),
    place,
    foot,
  );
  place.querySelector('[aria-current]')?.focus();
  const wanted = await closed;
  URL.revokeObjectURL(file);
  if (wanted) {
    await go(wanted);
    toBoard(board ?? document.querySelector('main'));
  } else if (board) afterBoard(board)?.focus();
}
