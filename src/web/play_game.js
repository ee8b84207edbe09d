// play_game.js - a puzzle as a game, in the tab Play: the board, help that is asked for, the clock, the win, and the next puzzle.
//
// The URL has what names the puzzle: code or daily, or n, seed, clues and rules; n and level are those of the next one, too.
// Queens, crosses, options and times are kept by the browser.
import { ask, link } from './api.js';
import { drawBoard, focusOf } from './board.js';
import { button, choice, copyButton, field, h, latest, note, row, say, showValue } from './dom.js';
import { CROSS, EMPTY, newGame, placeOf, QUEEN, squareOf } from './game.js';
import { readHint } from './hints.js';
import { undoKeys, whenDragged, whenReleased } from './press.js';
import { drawPuzzle, LEVELS, namedPuzzle, SIZES, solutionOf } from './puzzles.js';
import { newRecords } from './records.js';
import { crossesOf, letterOf, regionsOf } from './regions.js';
import { lineOf, ruleChoice, ruleNamed, ruleOf, ruleParams, strokesOf } from './rules.js';
import { kept } from './shell.js';
import { showRequests } from './snippet.js';
import { language, nameOf, t } from './words.js';

const SHEET = 6; // boards on a page to print
const PRINTED = 15; // the largest board of such a page
const CLASHES = 2; // attacks named one by one by a check: there is room for so many
const SAVED = 5; // seconds between two times that the clock is saved

const records = newRecords(kept);
const options = { auto: '', still: '', checks: 'asked' };
for (const name of Object.keys(options)) options[name] = kept.get(`play.${name}`) ?? options[name];

const text = (squares) => squares.map((at) => at.join(':')).join(',') || undefined;

function clock(time) {
  const [seconds, minutes, hours] = [1, 60, 3600].map((unit, i) => Math.floor(time / 1000 / unit) % [60, 60, 1e9][i]);
  const two = (value) => String(value).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

// By the reader's calendar: 2026-11-24.
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

const dayName = (day) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));

const idOf = ({ kind, code, daily, n, seed, clues, rules }) =>
  [kind, ...(kind === 'completion' ? [n, seed, clues, rules] : daily ? [daily, n] : [code])].map((part) => part ?? '').join(' ');

export function open(root, state, kind) {
  const regional = kind === 'regions';
  const [least, most] = SIZES[kind];
  let puzzle = null; // what puzzles.js returned
  let game = null; // what game.js made of it
  let drawn = null; // the game whose board is on the screen
  let id = ''; // of the puzzle that is shown, or on its way
  let solution = null; // the squares of the solution, once they were asked for
  let won = false;
  let loading = null; // the load under way: { byUrl }, whether the URL has named it
  let hint = null; // what the second press does: [[square, mark], ...]
  let seen = {}; // squares [row, column] that are marked until the next change: lit, target, bad; and clashes

  const squares = (list) => list.map((square) => placeOf(puzzle.n, square));
  const rule = () => ruleNamed(regional ? 'touching' : puzzle.board.rules);

  // ---- The controls ----

  const levels = Object.fromEntries(LEVELS[kind].map((level) => [level, t(`game.level.${level}`)]));
  const level = choice(levels, LEVELS[kind][0], () => fresh());
  const size = h('input', {
    ...{ type: 'number', min: least, max: most, required: true },
    onchange: () => fresh(),
  });
  const rules = ruleChoice(state, ({ rules }) => fresh({ rules }));
  const next = button(t('game.next'), () => fresh(), { class: 'button main' });
  const daily = button(t('game.daily'), () => load({ ...wanted(), ...nameless, daily: today() }, false));
  const undo = button(t('play.undo'), () => game.undo() && changed(t('game.undone')), { 'aria-keyshortcuts': 'Control+Z' });
  const redo = button(t('play.redo'), () => game.redo() && changed(t('game.redone')), { 'aria-keyshortcuts': 'Control+Y' });
  const clear = button(t('play.clear'), startAgain);
  const asked = button(t('play.hint'), () => (hint ? follow() : working.run(giveHint)));
  const check = button(t('game.check'), () => working.run(giveCheck));
  for (const each of [undo, redo, clear, asked, check]) each.disabled = true; // until there is a puzzle
  const option = (name) => {
    const onchange = (event) => setOption(name, event.target.checked ? '1' : '');
    const tick = h('input', { type: 'checkbox', checked: options[name] === '1', onchange });
    return h('label', { class: 'tick' }, tick, t(`game.${name}`));
  };
  const ways = Object.fromEntries(['asked', 'attacks', 'all'].map((way) => [way, t(`game.checks.${way}`)]));
  const styles = { drawn: t('board.drawn'), unicode: t('board.unicode'), pattern: t('board.pattern') };
  const style = choice(styles, 'drawn', (style) => state.set({ style }, { replace: true }));
  const code = h('input', { type: 'text', size: 14, autocomplete: 'off', spellcheck: 'false', required: true });
  const submit = button(t('game.open'), null, { type: 'submit' });
  const byCode = h('form', { class: 'row rest', onsubmit: openCode }, field(t('game.code'), code), submit);
  const sheet = h('a', { class: 'button', target: '_blank', hidden: true }, t('game.sheet', { count: SHEET }));
  const time = h('span', { class: 'time', role: 'timer', 'aria-label': t('game.time') });
  const [count, name, best] = [h('span', { class: 'count' }), h('span', { class: 'name' }), h('span')];
  const [board, help, snippet] = ['', 'help', 'rest'].map((name) => h('div', { class: name || null }));
  const working = latest(help);
  const rest = (...children) => h('div', { class: 'row rest' }, children); // what a board in a page of others goes without

  root.replaceChildren(
    h(
      'div',
      { class: 'beside game' },
      h('div', { class: 'panel picture' }, h('div', { class: 'status' }, time, count, name), board),
      h(
        'div',
        { class: 'panel' },
        h('div', { class: 'speech' }, help, h('p', { class: 'note' }, t(`game.about.${kind}`), ' ', t('game.how'))),
        row(undo, redo, clear, asked, check),
        rest(next, field(t('board.size'), size), field(t('game.difficulty'), level), regional ? daily : rules.field),
        regional ? '' : rules.about,
        h('p', { class: 'note' }, best),
        h(
          'details',
          { class: 'options' },
          h('summary', null, t('game.options')),
          row(option('auto'), option('still')),
          row(
            field(t('game.checking'), choice(ways, options.checks, (way) => setOption('checks', way))),
            field(t('board.style'), style),
          ),
          note(t('game.keys')),
        ),
        rest(copyButton(t('game.link'), () => location.href), regional && copyButton(t('game.copyCode'), () => puzzle.code), sheet),
        regional ? byCode : '',
        snippet,
      ),
    ),
  );

  function setOption(name, value) {
    options[name] = value;
    kept.set(`play.${name}`, value);
    if (game && !loading) working.run(look); // a load ends with the same
  }

  // ---- Which puzzle ----

  const another = () => button(t('game.another'), () => fresh(), { class: 'button main' });
  const ending = () => (won ? [h('p', { class: 'good' }, t('game.won', { time: clock(game.elapsed()) })), another()] : []);
  const nameless = { code: null, daily: null, seed: null, clues: null };

  function wanted() {
    const chosen = state.get('level');
    return {
      ...{ kind, n: state.number('n', 8, least, most), level: chosen in levels ? chosen : LEVELS[kind][0] },
      ...{ code: state.get('code').toLowerCase() || null, daily: state.get('daily') || null },
      ...{ seed: state.get('seed') || null, clues: state.get('clues') || null, ...ruleParams(ruleOf(state)) },
    };
  }

  // Draws another puzzle of the size and level that are chosen, by another rule if it is given.
  function fresh(changes = {}) {
    if (size.reportValidity()) load({ ...wanted(), ...nameless, n: Number(size.value), level: level.value, ...changes }, false);
  }

  // Loads the puzzle that is named, or else draws one; then the URL has it, in a step of its own or not (replace).
  function load(want, replace) {
    return working.run(async (signal) => {
      const mine = (loading = { byUrl: replace });
      if (game) {
        pause();
        enable(); // what would end the load cannot be pressed
      }
      const patient = setTimeout(() => help.replaceChildren(note(t('game.making'))), 300);
      try {
        const found = await (namedPuzzle(want, signal) ?? drawPuzzle(want, signal));
        loading = null;
        begin(found);
        const ours = { kind, level: want.level, ...nameless, rules: null, ...found.name };
        state.set(Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, value ?? null])), { replace });
      } finally {
        clearTimeout(patient);
        if (loading === mine) {
          loading = null;
          if (game) refresh();
        }
        resume();
      }
      const { unmatched } = puzzle;
      const told = unmatched ? [note(t('game.unmatched', { count: unmatched, n: puzzle.n }))] : [];
      help.replaceChildren(...told, ...ending());
      await look(signal);
      say(`${name.textContent}. ${t(`game.about.${kind}`)}`);
    });
  }

  function openCode(event) {
    event.preventDefault();
    const text = code.value.trim().toLowerCase();
    const whole = new URLSearchParams(text.split('?')[1]); // of a link
    const named = whole.has('daily') ? { daily: whole.get('daily'), n: Number(whole.get('n')) || 8 } : { code: whole.get('code') ?? text };
    load({ ...wanted(), ...nameless, ...named }, false);
  }

  function begin(found) {
    if (game) save();
    puzzle = found;
    id = idOf({ kind, ...found.name, n: found.n });
    deal(records.game(saveName()));
    solution = null;
    seen = {};
    hint = null;
    name.textContent = title();
    [time.textContent, code.value] = [clock(game.elapsed()), found.code ?? ''];
    sheet.hidden = !regional || found.n > PRINTED;
    sheet.href = link('puzzle', { kind, n: found.n, level: found.level, seed: found.seed, format: 'svg', sheet: SHEET });
    showRequests(snippet, [found.request.path, found.request.params]);
  }

  function deal(saved) {
    const { n, regions, given } = puzzle;
    const line = (a, b) => lineOf(rule(), n, placeOf(n, a), placeOf(n, b));
    game = newGame({ n, given: given.map((at) => squareOf(n, at)), regions: regions?.flat() ?? null, line }, saved);
    won = game.isSolved();
  }

  function title() {
    const { n, level, code, daily, seed } = puzzle;
    const words = { n, level: t(`game.level.${level}`), code, seed: seed === undefined ? '' : String(seed), day: daily && dayName(daily) };
    return t(daily ? 'game.named.daily' : `game.named.${kind}`, words);
  }

  const saveName = () => (puzzle.code ? `code ${puzzle.code}` : id);
  const recordName = () => [kind, puzzle.n, puzzle.level, puzzle.board.rules ?? ''].join(' ');

  // ---- The clock ----

  // A puzzle that was only looked at does not push out one that was begun.
  function save() {
    if (game.canUndo() || records.game(saveName())) records.keep(saveName(), game.save(performance.now()));
  }

  // While a puzzle is made the clock of the one before stands, also when another load has replaced the first.
  function resume() {
    if (game && !won && !loading && document.visibilityState === 'visible') game.run(performance.now());
  }

  function pause() {
    game.stop(performance.now());
    time.textContent = clock(game.elapsed());
    save();
  }

  const ticking = setInterval(() => {
    if (!game || won) return;
    const elapsed = game.elapsed(performance.now());
    time.textContent = clock(elapsed);
    if (!document.hidden && Math.floor(elapsed / 1000) % SAVED === 0) save(); // a hidden page has nothing new
  }, 1000);
  const onVisible = () => game && !won && (document.visibilityState === 'visible' ? resume() : pause());
  document.addEventListener('visibilitychange', onVisible);
  const onHide = () => game && save();
  addEventListener('pagehide', onHide);

  // ---- The board ----

  function press(row, column) {
    const square = squareOf(puzzle.n, [row, column]);
    if (isShut(square)) return;
    game.cycle(square, options.auto && game.attacked().includes(square));
    changed(told(square));
  }

  // The board on the screen is of a game that a load takes away, or has taken: it is drawn anew when no square is held down.
  const isStale = () => Boolean(loading) || drawn !== game;

  // Whether a square cannot be changed, which is said.
  function isShut(square) {
    if (isStale()) return true;
    if (won) tell(t('game.over'), another());
    else if (game.isFixed(square)) tell(t('game.fixed', { at: nameOf(placeOf(puzzle.n, square)) }));
    else return false;
    return true;
  }

  function mark(square, to) {
    if (isShut(square)) return;
    if (to === EMPTY) game.set([[square, EMPTY]]);
    else game.toggle(square, to);
    changed(told(square));
  }

  function onKey(key, row, column) {
    const to = { x: CROSS, q: QUEEN, delete: EMPTY, backspace: EMPTY }[key];
    if (to === undefined) return false;
    mark(squareOf(puzzle.n, [row, column]), to);
    return true;
  }

  // Crosses by dragging: empty squares get them, or crossed ones lose them, by what the first one was; queens stay.
  let [from, to] = [EMPTY, CROSS]; // of the drag under way
  const changing = (places) => places.map((at) => squareOf(puzzle.n, at)).filter((square) => game.at(square) === from);
  const releaseDrag = whenDragged(board, {
    begin(at) {
      from = won || isStale() ? QUEEN : game.at(squareOf(puzzle.n, at));
      to = from === EMPTY ? CROSS : EMPTY;
      return from !== QUEEN;
    },
    show(places) {
      if (isStale()) return;
      const set = changing(places);
      const without = (list) => squares(list.filter((square) => !set.includes(square)));
      const crosses = [...without(game.crosses()), ...(to === CROSS ? squares(set) : [])];
      board.querySelector('.marked').replaceWith(crossesOf(crosses, without(dotted())));
    },
    end(places) {
      const set = isStale() ? [] : changing(places);
      if (!game.set(set.map((square) => [square, to]))) return draw();
      changed(t(to === CROSS ? 'game.crossedAll' : 'game.emptiedAll', { count: set.length }));
    },
  });
  const dotted = () => (options.auto ? game.attacked() : []);

  const told = (square) =>
    t(['game.emptied', 'game.crossed', 'play.placed'][game.at(square)], { at: nameOf(placeOf(puzzle.n, square)) });

  function tell(words, ...more) {
    help.replaceChildren(note(words), ...more);
    say(words);
  }

  // A puzzle that was solved can be solved again, but then its time does not count.
  function startAgain() {
    if (won) {
      deal({ helped: 1 });
      resume();
    } else if (!game.clear()) return;
    changed(t('game.emptyBoard'));
  }

  // After a change by the player, which `words` say.
  function changed(words) {
    working.stop();
    [hint, seen] = [null, {}];
    help.replaceChildren();
    if (!won && game.isSolved()) return win(words);
    working.run(async (signal) => {
      await look(signal);
      const full = game.queens().length === puzzle.n && t('game.full', { n: puzzle.n });
      if (full) tell(full);
      say([words, full].filter(Boolean).join(' '));
    });
    save();
  }

  // Brings up what checking at once shows, and draws.
  async function look(signal) {
    const { checks } = options;
    if (checks !== 'asked') seen = { ...seen, clashes: game.clashes() };
    refresh();
    if (checks !== 'all') return;
    if (!game.helped) game.help();
    const wrong = game.wrong(await solved(signal));
    seen = { ...seen, bad: squares(wrong) };
    refresh();
  }

  function enable() {
    const still = won || Boolean(loading);
    [undo.disabled, redo.disabled] = [still || !game.canUndo(), still || !game.canRedo()];
    [clear.disabled, asked.disabled, check.disabled] = [Boolean(loading), still, still];
  }

  function refresh() {
    count.textContent = t('play.ofAll', { count: game.queens().length, n: puzzle.n });
    enable();
    const time = records.best(recordName());
    const { n, level } = puzzle;
    best.textContent =
      time === undefined ? t('game.noBest') : t('game.best', { time: clock(time), n, level: t(`game.level.${level}`) });
    draw();
  }

  const { draw, close: release } = whenReleased(board, () => {
    drawn = game;
    const { n, regions } = puzzle;
    const { lit = [], target = [], bad = [], clashes = [] } = seen;
    const has = (list, row, column) => list.some((at) => at[0] === row && at[1] === column);
    const [queens, crosses, dots] = [game.queens(), game.crosses(), dotted()].map(squares);
    const kinds = { lit, target, bad, given: puzzle.given };
    const marks = Object.entries(kinds).flatMap(([kind, list]) => list.map((at) => [...at, kind]));
    const told = (row, column) =>
      [
        regions && t('game.is.region', { letter: letterOf(regions[row - 1][column - 1]) }),
        has(puzzle.given, row, column) && t('game.is.given'),
        has(crosses, row, column) && t('game.is.cross'),
        has(dots, row, column) && t('game.is.dot'),
        has(bad, row, column) && t('game.is.bad'),
        has(lit, row, column) && t('game.is.lit'),
        has(target, row, column) && t('game.is.target'),
      ].filter(Boolean).join('');
    const { ground, letters } = regions ? regionsOf(regions, puzzle.colours) : {};
    const picture = drawBoard({
      ...{ n, queens, marks, style: style.value, label: t('game.label', { n, count: queens.length }) },
      ...{ ground, over: [crossesOf(crosses, dots), letters] },
      attacks: clashes.map(([a, b]) => strokesOf(rule(), n, ...squares([a, b]))),
      ...{ wraps: rule().torus, onCell: press, onKey, onMenu: (...at) => mark(squareOf(n, at), CROSS), told },
      ...{ focus: focusOf(board, n), grab: board.contains(document.activeElement) },
    });
    if (won) picture.classList.add('won', ...(options.still ? ['still'] : []));
    board.replaceChildren(picture);
  });

  // ---- Help ----

  const solved = async (signal) =>
    (solution ??= (await solutionOf(puzzle, signal)).map((at) => squareOf(puzzle.n, at)));

  async function giveCheck(signal) {
    const wrong = game.wrong(await solved(signal));
    game.help();
    seen = { bad: squares(wrong), clashes: game.clashes() };
    const attacks = seen.clashes.slice(0, CLASHES).map(([a, b, line]) => {
      const [one, other] = squares([a, b]).map(nameOf);
      return h('li', null, t(line === 'region' ? 'game.sameRegion' : `play.${line}`, { a: one, b: other }));
    });
    const more = seen.clashes.length - attacks.length;
    if (more) attacks.push(h('li', null, t('play.more', { count: more })));
    const words = wrong.length ? t('game.mistakes', { count: wrong.length }) : t('game.right');
    tell(words, attacks.length ? h('ul', { class: 'attacks' }, attacks) : '');
    draw();
  }

  async function giveHint(signal) {
    const wrong = game.wrong(await solved(signal));
    game.help();
    if (wrong.length) {
      seen = { bad: squares(wrong) };
      return offer(wrong.map((square) => [square, EMPTY]), t('game.first', { count: wrong.length }), t('game.remove'));
    }
    const params = { ...puzzle.board, place: text(squares(game.queens())), exclude: text(squares(game.crosses())), lang: language };
    const { json } = await ask('hint', params, { signal });
    if (!json.hint) return tell(t('game.noHint'));
    const { name, words, lit, changes } = readHint(json.hint);
    seen = { lit, target: changes.map(([at]) => at) };
    const places = changes.some(([, mark]) => mark === QUEEN);
    offer(changes.map(([at, mark]) => [squareOf(puzzle.n, at), mark]), words, t(places ? 'play.place' : 'game.crossThem'), name);
  }

  // Shows a hint; pressed once more, it is followed.
  function offer(changes, words, label, name = '') {
    hint = changes;
    tell(`${name} ${words}`.trim(), button(label, follow));
    if (name) help.firstChild.replaceChildren(h('b', null, name), ` ${words}`);
    draw();
  }

  function follow() {
    if (loading) return;
    const changes = hint;
    game.set(changes);
    changed(t('game.done'));
    board.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  // ---- The win ----

  function win(words) {
    pause();
    won = true;
    const elapsed = game.elapsed();
    const isBest = !game.helped && records.finish(recordName(), elapsed);
    const told = [
      t('game.won', { time: clock(elapsed) }),
      isBest ? t('game.newBest') : '',
      game.helped ? t('game.helped') : '',
    ];
    refresh();
    const sentence = told.filter(Boolean).join(' ');
    help.replaceChildren(h('p', { class: 'good' }, sentence), another());
    say(`${words} ${sentence}`);
  }

  function update() {
    const want = wanted();
    showValue(size, want.n);
    [level.value, style.value] = [want.level, state.get('style', 'drawn')];
    rules.show();
    if (!puzzle || id !== idOf(want)) return load(want, true);
    if (!loading?.byUrl) return refresh();
    // Back to the puzzle on the screen, before the one that the URL had named was there.
    loading = hint = null;
    seen = {};
    help.replaceChildren(...ending());
    working.run(look);
  }

  const deaf = undoKeys(undo, redo);
  update();
  function close() {
    if (game && !won) pause();
    working.stop();
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('pagehide', onHide);
    deaf();
    release();
    releaseDrag();
  }
  return { update, close };
}
