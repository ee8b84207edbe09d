// play_game.js - a puzzle as a game, in the tab Play and on the first page: the board, the clock, the win, and the next puzzle.
//
// The URL has what names the puzzle: code, daily or regions, or n, seed, clues and rules; n and level are those of the next one, too.
// Queens, crosses, options and times are kept by the browser.
import { newAids, regionList, walkRegion } from './aids.js';
import { link } from './api.js';
import { drawBoard, focusOf } from './board.js';
import { clock, dayOf, newDays } from './days.js';
import { button, h, latest, note, say, showValue } from './dom.js';
import { fullScreen } from './full.js';
import { CROSS, EMPTY, newGame, placeOf, QUEEN, squareOf } from './game.js';
import { leave, playing } from './menu.js';
import { redoneWords, undoneWords } from './outline.js';
import { clashIn, newHelp, wrongOnes } from './play_help.js';
import { newPanel, SHEET } from './play_panel.js';
import { undoKeys, whenDragged, whenReleased } from './press.js';
import { dotsByDefault, drawPuzzle, LEVELS, namedPuzzle, SIZES, solutionOf } from './puzzles.js';
import { newRecords } from './records.js';
import { attackersOn, crossesOf, letterOf, regionsOf } from './regions.js';
import { lineOf, ruleNamed, ruleOf, ruleParams, strokesOf } from './rules.js';
import { kept, part } from './shell.js';
import { showRequests } from './snippet.js';
import { language, nameOf, t } from './words.js';

export { dayOf };

const PRINTED = 15; // the largest board of a page to print
const SAVED = 5; // seconds between two times that the clock is saved

const records = newRecords(kept);
const days = newDays(kept);
const options = { auto: null, still: '', checks: 'attacks', tap: '' }; // auto: null is by level
for (const name of Object.keys(options)) options[name] = kept.get(`play.${name}`) ?? options[name];

const dayName = (day) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));

const idOf = ({ kind, code, daily, regions, n, seed, clues, rules }) =>
  [kind, ...(kind === 'completion' ? [n, seed, clues, rules] : daily ? [daily, n] : [regions ?? code])].map((part) => part ?? '').join(' ');

// front: on the first page, which has today's board and no address of its own for another.
export function open(root, state, kind, { front = false } = {}) {
  const regional = kind === 'regions';
  const [least, most] = SIZES[kind];
  let puzzle = null; // what puzzles.js returned
  let game = null; // what game.js made of it
  let drawn = null; // the game whose board is on the screen
  let id = ''; // of the puzzle that is shown, or on its way
  let former = null; // what names the game before this one, if it was not over: Undo brings it back
  let solution = null; // the squares of the solution, once they were asked for
  let won = false;
  let waits = false; // for the first press: the game is one of another visit
  let loading = null; // the load under way: { byUrl }, whether the URL has named it
  let seen = {}; // squares [row, column] that are marked until the next change: lit, target, bad; and clashes

  const squares = (list) => list.map((square) => placeOf(puzzle.n, square));
  const rule = () => ruleNamed(regional ? 'touching' : puzzle.board.rules);

  // ---- The controls ----

  const openDay = (daily) => load({ ...wanted(), ...nameless, daily }, false);
  const act = {
    fresh,
    undo: () => (game.canUndo() ? goBy(game.undo(), undoneWords) : former && load(former, false)),
    redo: () => goBy(game.redo(), redoneWords),
    tap: () => setOption('tap', options.tap ? '' : 'queen'),
    hint: () => working.run(helper.press),
    check: () => working.run(helper.check),
    clear: startAgain,
    daily: () => openDay(dayOf(new Date())),
    days: async () => (await part('play_days')).openDays({ go: openDay }),
    option: setOption,
    open: openCode,
    code: () => puzzle.code,
  };
  const aids = newAids({
    hasOwn: () => Boolean(game?.canUndo() && !won),
    today: () => openDay(dayOf(new Date())),
    pause: () => game && !won && pause(),
    resume: () => resume(),
  });
  const panel = newPanel({ kind, front, state, options, act, aids });
  const { board, help, time, count, name, best, level, levels, size, style, rules, sheet, snippet } = panel;
  const working = latest(help);
  const leaving = new AbortController();
  const full = front ? null : fullScreen({ part: panel.root, state, signal: leaving.signal });
  if (full) panel.status.append(full.button);
  root.replaceChildren(panel.root);

  const isDotted = () => (options.auto === null ? dotsByDefault(puzzle.level) : options.auto === '1');

  function setOption(name, value) {
    options[name] = value;
    kept.set(`play.${name}`, value);
    showOptions();
    if (game && !loading) working.run(look); // a load ends with the same
  }

  function showOptions() {
    if (puzzle) panel.auto.checked = isDotted();
    panel.still.checked = options.still === '1';
    panel.tap.textContent = t(options.tap ? 'game.tap.queen' : 'game.tap.cross');
    panel.tap.ariaPressed = Boolean(options.tap);
    panel.tap.ariaLabel = t(options.tap ? 'game.tap.isQueen' : 'game.tap.isCross');
  }

  // ---- Which puzzle ----

  const another = () => button(t('game.another'), () => fresh(), { class: 'button main' });
  const ending = () => (won ? [h('p', { class: 'good' }, t('game.won', { time: clock(game.elapsed()) })), another()] : []);
  const nameless = { code: null, daily: null, regions: null, seed: null, clues: null };
  const isNamed = (want) => Object.keys(nameless).some((key) => want[key]);

  function wanted() {
    const chosen = state.get('level');
    return {
      ...{ kind, n: state.number('n', 8, least, most), level: chosen in levels ? chosen : LEVELS[kind][0] },
      ...{ code: state.get('code').toLowerCase() || null, daily: state.get('daily') || null, regions: state.get('regions') || null },
      ...{ seed: state.get('seed') || null, clues: state.get('clues') || null, ...ruleParams(ruleOf(state)) },
    };
  }

  // Draws another puzzle of the size and level that are chosen, by another rule if it is given.
  function fresh(changes = {}) {
    if (size.reportValidity()) return load({ ...wanted(), ...nameless, n: Number(size.value), level: level.value, ...changes }, false);
  }

  // Loads the puzzle that is named, or else draws one; then the URL has it, in a step of its own or not (replace). Until it is there
  // the one before can be played.
  function load(want, replace) {
    return working.run(async (signal) => {
      const mine = (loading = { byUrl: replace });
      const patient = setTimeout(() => help.replaceChildren(making()), 300);
      try {
        const found = await (namedPuzzle(want, signal) ?? drawPuzzle(want, signal));
        loading = null;
        begin(found);
        state.set(addressOf(found, want), { replace });
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
      if (former && !won) told.push(note(t('game.kept')));
      help.replaceChildren(...told, ...ending(), ...(waits ? [goOn()] : []));
      await look(signal);
      say(`${name.textContent}. ${t(`game.about.${kind}`)}`);
    });
  }

  const making = () =>
    h('div', { class: 'making' }, note(t('game.making')), h('progress', { class: 'progress', 'aria-label': t('game.making') }), game && button(t('game.cancel'), cancel));

  function cancel() {
    working.stop();
    loading = null;
    id = idOf({ kind, ...puzzle.name, n: puzzle.n });
    help.replaceChildren();
    state.set(addressOf(puzzle, wanted()), { replace: true });
    working.run(look);
  }

  // A game of another visit: its clock stands until the first press.
  const goOn = () =>
    h(
      'div',
      { class: 'row goes-on' },
      button(t('game.goOn', { time: clock(game.elapsed()) }), begun, { class: 'button main' }),
      button(t('game.new'), () => fresh()),
    );

  function begun() {
    if (!waits) return;
    waits = false;
    help.replaceChildren();
    resume();
  }

  // The code, the day or the board that a text names: also a link to this page, or one of puzz.link.
  function openCode(text) {
    const day = /\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0];
    const query = new URLSearchParams(text.split('?')[1]?.replace(/#.*/, ''));
    const path = /\/play\/([a-z0-9]+)/i.exec(text)?.[1];
    const ours = query.get('code') ?? path ?? (/^[a-z0-9]+$/i.test(text) ? text : null);
    const named = day ? { daily: day, n: Number(query.get('n')) || 8 } : ours ? { code: ours.toLowerCase() } : { regions: query.get('regions') ?? text };
    load({ ...wanted(), ...nameless, ...named }, false);
  }

  // What the URL has of a puzzle: a code or a day needs nothing else, but for the size of a day's.
  function addressOf({ n, name }, { level }) {
    const ours = { kind, ...nameless, rules: null, level: name.code || name.daily ? null : level, ...name };
    if (regional && (name.code || name.daily)) Object.assign(ours, { kind: null, level: null, n: name.daily && n !== 8 ? n : null });
    return Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, value ?? null]));
  }

  function begin(found) {
    const next = idOf({ kind, ...found.name, n: found.n });
    if (game) {
      save();
      if (next !== id) former = won || !records.game(saveName()) ? null : { ...wanted(), ...nameless, ...puzzle.name, n: puzzle.n };
    }
    puzzle = found;
    id = next;
    const saved = records.game(saveName());
    deal(saved);
    waits = Boolean(saved?.elapsed) && !won;
    solution = null;
    seen = {};
    helper.reset();
    name.textContent = title();
    panel.list.replaceChildren(...regionList(found.regions));
    panel.auto.checked = isDotted();
    showValue(size, found.n);
    if (regional && found.level in levels) level.value = found.level;
    [time.textContent, panel.code.value] = [clock(game.elapsed()), found.code ?? ''];
    sheet.hidden = !regional || found.n > PRINTED || found.seed === undefined;
    sheet.href = link('puzzle', { kind, n: found.n, level: found.level, seed: found.seed, format: 'svg', sheet: SHEET });
    if (!front) showRequests(snippet, [found.request.path, found.request.params]);
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
    if (level === 'own') return `${n} × ${n}`;
    return t(daily ? 'game.named.daily' : `game.named.${kind}`, words);
  }

  const saveName = () => (puzzle.code ? `code ${puzzle.code}` : id);
  const kindOf = () => (front ? 'front' : kind);
  const recordName = () => [kind, puzzle.n, puzzle.level, puzzle.board.rules ?? ''].join(' ');

  // ---- The clock ----

  // A puzzle that was only looked at does not push out one that was begun.
  function save() {
    if (!game.canUndo() && !records.game(saveName())) return;
    const { n, level } = puzzle;
    records.keep(saveName(), { ...game.save(performance.now()), kind: kindOf(), name: puzzle.name, n, level, over: won });
  }

  function resume() {
    if (game && !won && !waits && document.visibilityState === 'visible') game.run(performance.now());
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
  // Another page of this browser has the same puzzle: what was marked there last is marked here.
  const onStorage = ({ key }) => {
    const other = key === 'play.games' && game && !won && records.game(saveName());
    if (!other || other.marks === game.save(performance.now()).marks) return;
    deal(other);
    seen = {};
    helper.reset();
    help.replaceChildren();
    refresh();
    resume();
  };
  addEventListener('storage', onStorage);

  // ---- The board ----

  function press(row, column) {
    const square = squareOf(puzzle.n, [row, column]);
    if (isShut(square)) return;
    if (options.tap) game.toggle(square, QUEEN);
    else game.cycle(square, isDotted() && game.attacked().includes(square));
    changed(told(square), [square]);
  }

  // The board on the screen is of another game: it is drawn anew when no square is held down.
  const isStale = () => drawn !== game;

  // Whether a square cannot be changed, which is said.
  function isShut(square) {
    if (isStale()) return true;
    if (won) tell(t('game.over'), { more: [another()] });
    else if (game.isFixed(square)) tell(t('game.fixed', { at: nameOf(placeOf(puzzle.n, square)) }));
    else return false;
    return true;
  }

  function mark(square, to) {
    if (isShut(square)) return;
    if (to === EMPTY) game.set([[square, EMPTY]]);
    else game.toggle(square, to);
    changed(told(square), [square]);
  }

  function goBy(changes, words) {
    if (changes) changed(words(puzzle.n, changes));
  }

  function onKey(key, row, column, shift) {
    if (key === 'r' && regional) {
      walkRegion(board, puzzle.regions, [row, column], shift);
      return true;
    }
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
  const dotted = () => (isDotted() ? game.attacked() : []);

  const told = (square) =>
    t(['game.emptied', 'game.crossed', 'play.placed'][game.at(square)], { at: nameOf(placeOf(puzzle.n, square)) });

  // Words in the strip; title: their beginning, in bold; aloud: more for who does not see the board.
  function tell(words, { title = '', more = [], aloud = '' } = {}) {
    help.replaceChildren(h('p', { class: 'note' }, title && h('b', null, title), title ? words.slice(title.length) : words), ...more);
    say([words, aloud].filter(Boolean).join(' '));
  }

  // A puzzle that was solved can be solved again, but then its time does not count.
  function startAgain() {
    if (won) {
      deal({ helped: 1 });
      resume();
    } else if (!game.clear()) return;
    changed(t('game.emptyBoard'));
  }

  // After a change by the player, of these squares, which `words` say.
  function changed(words, of = []) {
    if (!loading) working.stop();
    begun();
    playing();
    helper.reset();
    seen = {};
    if (!loading) help.replaceChildren();
    if (!won && game.isSolved()) return win(words);
    const clash = options.checks === 'asked' ? undefined : firstClash(of);
    const told = clash ? clashIn(puzzle.n, clash) : '';
    const rest = () => {
      if (told && !loading) help.replaceChildren(h('p', { class: 'note clash' }, told));
      say([words, told].filter(Boolean).join(' '));
    };
    if (loading) refresh(rest());
    else
      working.run(async (signal) => {
        await look(signal);
        rest();
      });
    save();
  }

  // A pair of queens that attack each other: with one of these squares, or any if the board is full.
  function firstClash(of) {
    const clashes = game.clashes();
    const full = game.queens().length === puzzle.n;
    return clashes.find(([a, b]) => of.includes(a) || of.includes(b)) ?? (full ? clashes[0] : undefined);
  }

  // Brings up what checking at once shows, and draws.
  async function look(signal) {
    const { checks } = options;
    seen = { ...seen, clashes: checks !== 'asked' || game.queens().length === puzzle.n ? game.clashes() : [] };
    refresh();
    if (checks !== 'all') return;
    if (!game.helped) game.help();
    const wrong = game.wrong(await solved(signal));
    if (wrong.length > (seen.bad?.length ?? 0)) say(`${t('game.mistakes', { count: wrong.length })} ${wrongOnes(puzzle.n, wrong)}`);
    seen = { ...seen, bad: squares(wrong) };
    refresh();
  }

  function enable() {
    const { undo, redo, clear, asked, check, tap } = panel;
    [undo.disabled, redo.disabled] = [won || !(game.canUndo() || former), won || !game.canRedo()];
    [clear.disabled, tap.disabled] = [false, won];
    for (const each of [asked, check]) each.disabled = won || Boolean(loading);
  }

  function refresh() {
    count.textContent = t('play.ofAll', { count: game.queens().length, n: puzzle.n });
    enable();
    const time = records.best(recordName());
    const { n, level } = puzzle;
    if (level in levels) best.textContent =
      time === undefined ? t('game.noBest') : t('game.best', { time: clock(time), n, level: t(`game.level.${level}`) });
    draw();
  }

  const { draw, close: release } = whenReleased(board, () => {
    drawn = game;
    const { n, regions } = puzzle;
    const { lit = [], target = [], bad = [], clashes = [], attackers = [] } = seen;
    const has = (list, row, column) => list.some((at) => at[0] === row && at[1] === column);
    const [queens, crosses, dots] = [game.queens(), game.crosses(), dotted()].map(squares);
    const clashing = [...new Set(clashes.flatMap(([a, b]) => [a, b]))].map((square) => placeOf(n, square));
    const kinds = { lit, target, bad, clash: clashing, given: puzzle.given };
    const marks = Object.entries(kinds).flatMap(([kind, list]) => list.map((at) => [...at, kind]));
    const told = (row, column) =>
      [
        regions && t('game.is.region', { letter: letterOf(regions[row - 1][column - 1]) }),
        has(puzzle.given, row, column) && t('game.is.given'),
        has(crosses, row, column) && t('game.is.cross'),
        has(dots, row, column) && t('game.is.dot'),
        clashes.some((pair) => squares(pair.slice(0, 2)).some((at) => at[0] === row && at[1] === column)) && t('game.is.clash'),
        has(bad, row, column) && t('game.is.bad'),
        has(lit, row, column) && t('game.is.lit'),
        has(target, row, column) && t('game.is.target'),
      ].filter(Boolean).join('');
    const { ground, letters } = regions ? regionsOf(regions, puzzle.colours) : {};
    const picture = drawBoard({
      ...{ n, queens, marks, style: style.value, label: t('game.label', { n, count: queens.length }) },
      ...{ ground, over: [crossesOf(crosses, dots), attackersOn(attackers), letters] },
      attacks: clashes.map(([a, b]) => strokesOf(rule(), n, ...squares([a, b]))),
      ...{ wraps: rule().torus, onCell: press, onKey, onMenu: (...at) => mark(squareOf(n, at), CROSS), told },
      ...{ focus: focusOf(board, n), grab: board.contains(document.activeElement) },
    });
    if (won) picture.classList.add('won', ...(options.still === '1' ? ['still'] : []));
    board.replaceChildren(picture);
  });

  // ---- Help ----

  const solved = async (signal) =>
    (solution ??= (await solutionOf(puzzle, signal)).map((at) => squareOf(puzzle.n, at)));

  const helper = newHelp(() => ({ puzzle, game, solved, tell, see, follow, key: panel.asked }));

  function see(marks) {
    seen = { clashes: seen.clashes, ...marks };
    draw();
  }

  function follow(changes) {
    if (loading) return;
    game.set(changes);
    changed(t('game.done'), changes.map(([square]) => square));
    board.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  // ---- The win ----

  function win(words) {
    pause();
    leave();
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
    celebrate({ elapsed, isBest });
  }

  // The sheet after a win.
  async function celebrate(result) {
    const [mine, { n, level, daily }] = [game, puzzle];
    const last = focusOf(board, n);
    const solved = { ...result, kind, n, level, daily, helped: game.helped, best: records.best(recordName()) };
    if (daily) days.solve({ ...solved, day: daily });
    const link = document.getElementById('whole')?.href ?? location.href; // not of the page that a board is embedded in
    const { openWin } = await part('play_days');
    const next = () => fresh(regional && level in levels ? { n, level } : {});
    if (won && mine === game) openWin({ ...solved, link, last, board, next, go: regional && openDay });
  }

  // The game that was played last, if the URL names none.
  function lastOf(want) {
    const last = !puzzle && !isNamed(want) && !front && records.last(kind);
    return last ? { ...want, ...last.name, n: last.n, level: last.level in levels ? last.level : want.level } : want;
  }

  function update() {
    const want = lastOf(wanted());
    style.value = state.get('style', 'drawn');
    rules.show();
    full?.update();
    if (!puzzle || id !== idOf(want)) {
      showValue(size, want.n);
      level.value = want.level;
      return load(want, true);
    }
    if (!loading?.byUrl) return refresh();
    // Back to the puzzle on the screen, before the one that the URL had named was there.
    loading = null;
    helper.reset();
    seen = {};
    help.replaceChildren(...ending());
    working.run(look);
  }

  const deaf = undoKeys(panel.undo, panel.redo);
  showOptions();
  update();
  function close() {
    if (game && !won) pause();
    leave();
    working.stop();
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('pagehide', onHide);
    removeEventListener('storage', onStorage);
    leaving.abort();
    deaf();
    release();
    releaseDrag();
  }
  return { update, close, size: () => puzzle?.n };
}
