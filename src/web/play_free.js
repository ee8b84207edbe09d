// play_free.js - free play of the tab Play: queens placed by hand, with the answers of /count and /hint.
//
// The URL has n; rules; queens; and the view: style, heat, hits. Undo and redo are the browser's Back and Forward.
import { ask, askPatiently, link } from './api.js';
import { drawBoard, focusOf } from './board.js';
import { button, choice, copyButton, field, h, inWords, latest, note, row, say, showValue } from './dom.js';
import { leave, menuButton } from './menu.js';
import { undoKeys, whenReleased } from './press.js';
import { lineOf, ruleChoice, ruleOf, ruleParams, strokesOf, whyNone } from './rules.js';
import { showRequests } from './snippet.js';
import { language, nameOf, number, t } from './words.js';

const MOST = 32;
const FREE = 16; // free rows that /count fills at once; for more the page asks for the cost first
const FREE_BY_RULE = 12; // the same by any other rule
const MAPPED = 18; // the last n of by=square
const TOLD = 6; // attacks named one by one
const SOON = 3; // a count of fewer seconds starts without a question
const WORTH = 120; // the longest count that this tab offers, in seconds

const has = (squares, [row, column]) => squares.some((at) => at[0] === row && at[1] === column);
const text = (squares) => squares.map((at) => at.join(':')).join(',');

// Large ones as (9.139 ± 0.036) × 10⁸.
function about(value, error) {
  const power = Math.floor(Math.log10(value || 1));
  const both = (by) => `${number(value / by)} ± ${number(error / by)}`;
  const raised = String(power).replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
  return (power < 6 ? both(1) : `(${both(10 ** power)}) × 10${raised}`).replaceAll(' ', '\u00a0');
}

function duration(seconds) {
  const [unit, long] = seconds < 7200 ? ['second', 1] : ['hour', 3600];
  const options = { style: 'unit', unit, unitDisplay: 'long', maximumSignificantDigits: 2 };
  return new Intl.NumberFormat(language, options).format(seconds / long);
}

export function open(root, state) {
  let soon, last; // the timer of the next count; what was counted last
  let position; // see read()
  let shares, hint; // of the heat map; [row, column]
  let top = state.step; // how far Redo can go
  let moving = false; // the browser is on its way to another step

  const n = () => state.number('n', 8, 1, MOST);
  const rule = () => ruleOf(state);
  const line = (a, b) => lineOf(rule(), n(), a, b);
  const attacksOf = (queens) => queens.flatMap((a, i) => queens.slice(i + 1).filter((b) => line(a, b)).map((b) => [a, b]));
  const whole = () => ({ n: n(), ...ruleParams(rule()) }); // the parameters of a board without queens
  const on = (key) => state.get(key) === '1';
  const rules = ruleChoice(state, go);
  const resize = (to) => go({ n: to, queens: null });
  const view = (changes) => state.set({ kind: 'free', ...changes }, { replace: true }); // without a step to undo

  const sized = () => size.reportValidity() && resize(size.value);
  const size = h('input', { type: 'number', min: 1, max: MOST, required: true, onchange: sized });
  const less = button('−', () => resize(n() - 1), { 'aria-label': t('board.smaller') });
  const more = button('+', () => resize(n() + 1), { 'aria-label': t('board.larger') });
  const styles = { drawn: t('board.drawn'), unicode: t('board.unicode'), pattern: t('board.pattern') };
  const style = choice(styles, 'drawn', (style) => view({ style }));
  const toggle = (key) => button(t(`play.${key}`), () => view({ [key]: on(key) ? null : 1 }));
  const [heat, hits] = [toggle('heat'), toggle('hits')];
  const undo = button(t('play.undo'), () => travel('back'), { 'aria-keyshortcuts': 'Control+Z' });
  const redo = button(t('play.redo'), () => travel('forward'), { 'aria-keyshortcuts': 'Control+Y' });
  const clear = button(t('play.clear'), () => go({ queens: null }));
  const [picture, help, rest, snippet] = ['panel picture', 'help', 'rest', ''].map((name) => h('div', { class: name }));
  const [task, verdict, facts] = [note(''), h('p', { class: 'verdict' }), h('dl', { class: 'figures' })];
  const attackList = h('ul', { class: 'attacks' });
  const panel = h(
    'div',
    { class: 'panel' },
    row(menuButton(), undo, redo, clear, button(t('play.hint'), giveHint)),
    row(heat, hits),
    facts,
    h('div', { class: 'speech' }, h('div', null, verdict, help), note(t('play.how'))),
    row(field(t('board.size'), size), less, more, field(t('board.style'), style)),
    row(rules.field, copyButton(t('play.link'), () => location.href)),
    rules.about,
    ...[task, rest, attackList, snippet],
  );
  root.replaceChildren(h('div', { class: 'beside game free' }, picture, panel));

  const places = new Map([rest, help].map((place) => [place, latest(place)]));
  const run = (place, work) =>
    places.get(place).run(async (signal) => {
      const patient = setTimeout(() => place.replaceChildren(note(t('board.asking'))), 600);
      try {
        await work(signal);
      } catch (problem) {
        if (place === rest && !signal.aborted) figures('?');
        throw problem;
      } finally {
        clearTimeout(patient);
      }
    });

  function stop() {
    clearTimeout(soon);
    for (const { stop } of places.values()) stop();
  }

  function go(changes) {
    const before = top;
    top = 0; // nothing to redo after this
    state.set({ kind: 'free', ...changes });
    top ||= before; // if that changes nothing
  }

  // How far Redo can go from a step that was reached in any way.
  function reach() {
    if (history.state?.step === undefined) {
      top = 0; // by a link
      history.replaceState({ ...history.state, step: 0 }, ''); // when it is come back to, it is none any more
    }
    top = Math.max(top, state.step);
  }

  // One step at a time: the buttons know of a step only when the browser is there.
  function travel(way) {
    if (!moving) history[way]();
    moving = true;
  }

  // bad: the URL has something that is not a square [row, column], or too many.
  function read() {
    const all = [];
    let bad = false;
    for (const at of state.get('queens').split(',').filter(Boolean).map((pair) => pair.split(':').map(Number)))
      if (at.length === 2 && at.every((x) => x % 1 === 0 && x > 0 && x <= n()) && !has(all, at) && all.length < n()) all.push(at);
      else bad = true;
    return { all, attacks: attacksOf(all), bad };
  }

  function press(...at) {
    const { all } = position;
    const there = has(all, at);
    if (!there && all.length === n()) return tell(t('play.full', { n: n() }));
    leave();
    go({ queens: text(there ? all.filter((other) => !has([other], at)) : [...all, at]) || null });
    say([t(there ? 'play.taken' : 'play.placed', { at: nameOf(at) }), verdict.textContent, ...attacksInWords(at)].join(' '));
  }

  function tell(words) {
    help.replaceChildren(note(words));
    say(words);
  }

  // The attacks in words; those of one queen, if it is given.
  function attacksInWords(at) {
    const wanted = position.attacks.filter((pair) => !at || has(pair, at));
    const told = wanted.slice(0, TOLD).map(([a, b]) => t(`play.${line(a, b)}`, { a: nameOf(a), b: nameOf(b) }));
    return told.concat(wanted.length > TOLD ? t('play.more', { count: wanted.length - TOLD }) : []);
  }

  const { draw, close: release } = whenReleased(picture, () => {
    const { all, attacks } = position;
    const count = [...Array(n() + 1).keys()].slice(1);
    const hit = (at) => on('hits') && !has(all, at) && all.some((queen) => line(queen, at));
    const share = (row, column) => (!has(all, [row, column]) && shares?.[row - 1][column - 1]) || null;
    const told = (...at) =>
      (hit(at) ? t('play.isHit') : '') +
      (share(...at) ? t('play.share', { share: Number((100 * share(...at)).toPrecision(2)) }) : '');
    const kinds = {
      hit: count.flatMap((row) => count.map((column) => [row, column])).filter(hit),
      bad: [...new Set(attacks.flat())],
      hint: hint ? [hint] : [],
    };
    const marks = Object.entries(kinds).flatMap(([kind, squares]) => squares.map((at) => [...at, kind]));
    const board = drawBoard({
      ...{ n: n(), queens: all, marks, style: style.value || 'drawn' },
      ...{ attacks: attacks.map((pair) => strokesOf(rule(), n(), ...pair)), wraps: rule().torus },
      heat: shares && count.map((row) => count.map((column) => share(row, column))),
      label: t('play.label', { n: n(), count: all.length }),
      ...{ onCell: press, told, focus: focusOf(picture, n()), grab: picture.contains(document.activeElement) },
    });
    picture.replaceChildren(board);
  });

  function judge() {
    const { all, attacks } = position;
    const solved = all.length === n() && !attacks.length && t('play.solved', { n: n() });
    verdict.classList.toggle('good', Boolean(solved));
    verdict.textContent = solved || (attacks.length ? t('play.clash') : '');
    attackList.replaceChildren(...attacksInWords().map((words) => h('li', null, words)));
  }

  function figures(left, how = '') {
    facts.replaceChildren(
      ...[h('dt', null, t('play.queens')), h('dd', null, t('play.ofAll', { count: position.all.length, n: n() }))],
      ...[h('dt', null, t('play.left')), h('dd', null, h('b', null, left), how && ` (${how})`)],
    );
  }

  // Whether /count has the count of an empty board at once.
  const isKnown = (signal) =>
    ask('count', whole(), { signal }).then(
      () => true,
      (problem) => {
        if (problem.status !== 422) throw problem;
        return false;
      },
    );

  async function count(signal) {
    const { all, attacks } = position;
    const free = attacks.length ? 0 : n() - all.length;
    const plain = !whole().rules;
    const base = { ...whole(), place: text(all) || undefined };
    const mapped = on('heat') && !attacks.length;
    const by = mapped && n() <= MAPPED ? 'square' : undefined;
    const offer = mapped && !by ? [note(t('play.heatNone', { n: MAPPED }))] : [];
    let wanted = { ...base, by };
    const much = free > (plain ? FREE : FREE_BY_RULE);
    const known = much && !all.length && (await isKnown(signal));
    if (much && (by || !known)) {
      const exact = { ...wanted, method: 'compute' };
      const body = { kind: 'count', ...wanted };
      const { json: cost } = await ask('jobs', { 'dry-run': true }, { method: 'POST', body, signal });
      const seconds = cost.core_seconds / cost.threads;
      wanted = seconds <= SOON ? exact : known ? base : { ...base, method: 'estimate', seed: 1 };
      const exactly = () => run(rest, (signal) => answer(exact, { signal, headers: { Prefer: 'wait=2' } }));
      const may = cost.accepted && seconds <= WORTH ? row(button(t('play.exact'), exactly)) : '';
      const price = [note(t('play.cost', { time: duration(seconds) })), may, by ? note(t('play.heatDear')) : ''];
      if (wanted !== exact) offer.unshift(...price);
    }
    await answer(wanted, { signal }).catch((problem) => {
      if (problem.status !== 422 || !offer.length) throw problem;
      figures('?', inWords(problem)); // too few random descents found a solution
    });
    if (offer.length) rest.replaceChildren(...offer);
  }

  async function answer(params, options) {
    const onJob = ({ progress }) =>
      rest.replaceChildren(
        note(t('play.counting')),
        h('progress', { class: 'progress', max: 1, value: progress, 'aria-label': t('play.counting') }),
      );
    const { json } = await askPatiently('count', params, { ...options, onJob });
    const { count_text: exact, provenance, squares, oeis, walks, note: noted } = json;
    const left = exact === undefined ? about(json.estimate, json.standard_error) : number(exact);
    shares = squares && exact !== '0' ? squares.map((counts) => counts.map((found) => found / Number(exact))) : null;
    rest.replaceChildren(shares ? note(t('play.heatIs')) : '');
    figures(left, t(`play.${provenance}`, { oeis, walks }));
    if (exact === '0' && !position.attacks.length)
      verdict.textContent = position.all.length
        ? t('play.dead')
        : [t('play.none', { n: n() }), noted ? whyNone(whole()) : ''].join(' ').trim();
    showRequests(snippet, ['count', params]);
    draw();
    say(verdict.textContent || t('play.completions', { count: exact?.length < 16 ? Number(exact) : left }));
  }

  const move = (name, at) =>
    button(t(name), () => {
      press(...at);
      picture.querySelector('[tabindex="0"]').focus();
    });

  function giveHint() {
    return run(help, async (signal) => {
      const params = { ...whole(), place: text(position.all) };
      const { json } = await ask('hint', params, { signal });
      showRequests(snippet, ['hint', params]);
      if (!json.hint) {
        const wrong = !json.completable && position.all.at(-1);
        help.replaceChildren(wrong ? move('play.back', wrong) : '');
        return say(verdict.textContent);
      }
      const { row, column, completions: some } = json.hint;
      hint = [row, column];
      tell(t(some === json.completions ? 'play.sure' : 'play.hinted', { at: nameOf(hint), some, all: json.completions }));
      help.append(move('play.place', hint));
      draw();
    });
  }

  function update() {
    moving = false;
    reach();
    position = read();
    const now = link('count', { ...whole(), place: text(position.all), heat: on('heat') });
    showValue(size, n());
    rules.show();
    [less.disabled, more.disabled] = [n() === 1, n() === MOST];
    style.value = state.get('style', 'drawn');
    [heat.ariaPressed, hits.ariaPressed] = [on('heat'), on('hits')];
    [undo.disabled, redo.disabled] = [state.step === 0, state.step >= top];
    clear.disabled = !position.all.length;
    task.textContent = position.bad ? t('play.bad') : '';
    if (now !== last) {
      last = now;
      shares = hint = null;
      help.replaceChildren();
      rest.replaceChildren();
      judge();
      figures('…');
      stop();
      soon = setTimeout(() => run(rest, count), 150);
    }
    draw();
  }

  const deaf = undoKeys(undo, redo);
  update();
  const close = () => {
    stop();
    deaf();
    release();
    leave();
  };
  return { update, close, go };
}
