// play_panel.js - what stands around the board of a puzzle: the status above it, the strip of words and the five buttons below it,
// and what is chosen for the next one. It knows no puzzle: act has a function for each control.
import { button, choice, copyButton, field, h, note, row } from './dom.js';
import { menuButton } from './menu.js';
import { LEVELS, SIZES } from './puzzles.js';
import { ruleChoice } from './rules.js';
import { t } from './words.js';

export const SHEET = 6; // boards on a page to print

// options: { auto, still, checks, tap }, what the reader has chosen; front: the page of the day's board, which has no other. Returns
// { root, and each control }.
export function newPanel({ kind, front, state, options, act, aids }) {
  const regional = kind === 'regions';
  const [least, most] = SIZES[kind];
  const made = {};
  made.levels = Object.fromEntries(LEVELS[kind].map((level) => [level, t(`game.level.${level}`)]));
  made.level = choice(made.levels, LEVELS[kind][0], () => act.fresh());
  made.size = h('input', { type: 'number', min: least, max: most, required: true, onchange: () => act.fresh() });
  made.rules = ruleChoice(state, ({ rules }) => act.fresh({ rules }));
  made.undo = button(t('play.undo'), act.undo, { 'aria-keyshortcuts': 'Control+Z' });
  made.redo = button(t('play.redo'), act.redo, { 'aria-keyshortcuts': 'Control+Y' });
  made.tap = button('', act.tap, { class: 'button tap' });
  made.asked = button(t('play.hint'), act.hint, { class: 'button main' });
  made.check = button(t('game.check'), act.check);
  made.next = button(t('game.new'), () => act.fresh());
  made.clear = button(t('play.clear'), act.clear);
  made.daily = button(t('game.daily'), act.daily);
  made.days = button(t('game.days'), act.days);
  made.menu = menuButton();
  made.list = h('details', { class: 'outlines', hidden: !regional });
  const keys = [made.undo, made.tap, made.asked, made.check, made.next];
  for (const each of [made.redo, made.clear, ...keys.filter((key) => key !== made.next)]) each.disabled = true; // until there is a puzzle
  const option = (name) => {
    const onchange = (event) => act.option(name, event.target.checked ? '1' : '0');
    return h('label', { class: 'tick' }, (made[name] = h('input', { type: 'checkbox', onchange })), t(`game.${name}`));
  };
  const ways = Object.fromEntries(['asked', 'attacks', 'all'].map((way) => [way, t(`game.checks.${way}`)]));
  const styles = { drawn: t('board.drawn'), unicode: t('board.unicode'), pattern: t('board.pattern') };
  made.style = choice(styles, 'drawn', (style) => state.set({ style }, { replace: true }));
  made.code = h('input', { type: 'text', size: 14, autocomplete: 'off', spellcheck: 'false', required: true });
  const submit = button(t('game.open'), null, { type: 'submit' });
  const onsubmit = (event) => {
    event.preventDefault();
    act.open(made.code.value.trim());
  };
  const byCode = h('form', { class: 'row rest', onsubmit }, field(t('game.code'), made.code), submit);
  made.sheet = h('a', { class: 'button', target: '_blank', hidden: true }, t('game.sheet', { count: SHEET }));
  made.time = h('span', { class: 'time', role: 'timer', 'aria-label': t('game.time') });
  [made.count, made.name, made.best] = [h('span', { class: 'count' }), h('span', { class: 'name' }), note('')];
  [made.board, made.help, made.snippet] = ['place', 'help', 'rest'].map((name) => h('div', { class: name }));
  made.copies = h('div', { class: 'row rest' }, copyButton(t('game.link'), () => location.href), regional && copyButton(t('game.copyCode'), act.code), made.sheet);

  const rules = h('p', { class: 'about-rules' }, t(`game.about.${kind}`));
  const talk = h('div', { class: 'talk' }, h('div', { class: 'speech' }, made.help, h('p', { class: 'note how' }, t('game.how'))), h('div', { class: 'row keys' }, keys), regional && aids.offer);
  const more = [
    row(field(t('board.size'), made.size), field(t('game.difficulty'), made.level), regional ? [made.daily, made.days] : made.rules.field),
    regional ? '' : made.rules.about,
    made.best,
    row(made.redo, made.clear),
    h(
      'details',
      { class: 'options' },
      h('summary', null, t('game.options')),
      row(option('auto'), option('still')),
      row(field(t('game.checking'), choice(ways, options.checks, (way) => act.option('checks', way))), field(t('board.style'), made.style)),
      note(t('game.keys')),
      regional && note(t('game.keysRegion')),
    ),
    made.list,
    made.copies,
    regional ? byCode : '',
    made.snippet,
  ];
  made.status = h('div', { class: 'status' }, made.time, made.count, made.name, made.menu, regional && aids.help);
  made.root = h(
    'div',
    { class: `game${front ? ' front' : ''}` },
    rules,
    h('div', { class: 'panel picture' }, made.status, made.board),
    talk,
    front ? '' : h('div', { class: 'panel setup' }, more),
  );
  return made;
}
