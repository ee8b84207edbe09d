// tab_play.js - the tab Play: puzzles with regions, puzzles to complete, or a free board, each loaded when it is chosen.
import { button, h } from './dom.js';
import { loadRules } from './rules.js';
import { part } from './shell.js';
import { state } from './state.js';
import { t } from './words.js';

// The page has the kind before there is anything of it: see style.css.
export function prepare() {
  const kind = (document.body.dataset.kind = kindOf());
  return Promise.all([loadRules(), script(kind)]);
}

const REGIONS = [5, 20]; // sizes of boards with regions
const KINDS = ['regions', 'completion', 'free'];
// What the URL has of one kind only.
const OWN = ['code', 'daily', 'regions', 'seed', 'clues', 'level', 'given', 'queens', 'heat', 'hits', 'rules'];

// The kind that the URL names, or that its other values belong to.
function kindOf() {
  const has = (...keys) => keys.some((key) => state.get(key));
  if (KINDS.includes(state.get('kind'))) return state.get('kind');
  if (has('code', 'daily', 'regions')) return 'regions';
  if (has('seed')) return 'completion';
  const n = state.number('n', 8);
  return has('queens', 'heat', 'hits', 'rules') || n < REGIONS[0] || n > REGIONS[1] ? 'free' : 'regions';
}

const script = (kind) => part(kind === 'free' ? 'play_free' : 'play_game');

export function open(root) {
  const place = h('div');
  const choose = (kind) => {
    const changes = { ...Object.fromEntries(OWN.map((key) => [key, null])), kind };
    const size = shown.size?.(); // which the address of a puzzle with a name has not
    if (size) changes.n = size === 8 ? null : size;
    if (kind === shown.kind && shown.go) shown.go(changes);
    else state.set(changes, { step: 0 }); // nothing to undo
  };
  const kinds = KINDS.map((kind) => button(t(`game.${kind}`), () => choose(kind), { dataset: { kind } }));
  root.replaceChildren(h('div', { class: 'row kinds', role: 'group', 'aria-label': t('game.kind') }, kinds), place);
  let shown = null; // { kind, update, close, size: of its board, go: changes the URL by a step to undo }

  async function update() {
    const kind = (document.body.dataset.kind = kindOf());
    for (const each of kinds) each.ariaPressed = each.dataset.kind === kind;
    if (shown?.kind === kind) return shown.update?.();
    shown?.close?.();
    const mine = (shown = { kind });
    const module = await script(kind);
    if (shown === mine) Object.assign(mine, module.open(place, state, kind));
  }

  update();
  const close = () => {
    shown?.close?.();
    shown = null;
  };
  return { update, close };
}
