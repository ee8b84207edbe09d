// full.js - a part of a tab on the whole screen, for a projector: by a button, by the key F, or by Alt with Enter; Escape leaves. It
// also says which keys a control uses itself, so that a tab may use the others. It knows nothing of what is shown.
//
// The URL has large=1 for the whole screen.
import { keyOf } from './board.js';
import { button, svg } from './dom.js';
import { t } from './words.js';

const CORNERS = 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4';
const WITHOUT_LETTERS = ['checkbox', 'radio', 'range', 'button', 'submit', 'reset'];
const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

const isOpen = (select) => CSS.supports('selector(:open)') && select.matches(':open');

// Whether the control with the focus uses the key of an event itself: a text field all of them; a select letters, Space, up and down,
// and all while it is open; a slider its arrows; what is pressed, Space. Left and right are free on a closed select: nobody misses them.
export function isTaken({ target, key, shiftKey }) {
  const control = target.closest?.('input, select, textarea, [contenteditable], button, a, summary, [role=button]');
  if (!control) return false;
  if (control.matches('textarea, [contenteditable]')) return true;
  if (control.matches('select')) return isOpen(control) || !['ArrowLeft', 'ArrowRight', 'Escape'].includes(key);
  if (control.matches('input')) {
    if (!WITHOUT_LETTERS.includes(control.type)) return true;
    if (control.type === 'range') return ARROWS.includes(key) && !shiftKey;
  }
  return [' ', 'Enter'].includes(key);
}

// What a pointer has ticked, chosen or moved, or pressed around the tab, gives up the focus, so that the keys are the tab's again. Who
// uses the keyboard keeps it.
function letGo(signal) {
  let pointed = false;
  const point = (now) => () => (pointed = now);
  document.addEventListener('pointerdown', point(true), { signal, capture: true });
  document.addEventListener('keydown', point(false), { signal, capture: true });
  document.addEventListener('click', ({ target }) => pointed && target.closest('#settings button')?.blur(), { signal });
  document.addEventListener('change', ({ target }) => pointed && target.matches('select, [type=checkbox], [type=radio], [type=range]') && target.blur(), { signal });
}

// part: the element that fills the screen; signal: of the tab, whose end leaves it. -> { button, isFull, fill(on), update() }:
// update() is called when the URL has changed.
export function fullScreen({ part, state, signal, then = () => {} }) {
  const corners = () => svg('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: CORNERS }));
  const press = () => fill(!isFull());
  const names = { 'aria-label': t('shell.full'), 'title': t('shell.full') };
  const made = button(corners(), press, names);
  const leave = button(corners(), press, { ...names, 'class': 'button leave', 'aria-pressed': 'true' }); // where the other one is hidden
  const isFull = () => state.get('large') === '1';
  let had = false; // the browser's whole screen, which nothing here has given back

  function fill(on) {
    state.set({ large: on ? 1 : null }, { replace: true });
    had &&= on;
    if (on) document.documentElement.requestFullscreen?.().catch(() => {}); // then it fills the window
    else if (document.fullscreenElement) document.exitFullscreen();
    then();
  }

  function update() {
    part.classList.toggle('fills', isFull());
    made.setAttribute('aria-pressed', isFull());
    if (!isFull() || part.contains(made)) leave.remove();
    else if (!leave.isConnected) part.append(leave);
  }

  function keys(event) {
    const { altKey, ctrlKey, metaKey, key } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || !part.isConnected) return;
    if (altKey ? key !== 'Enter' : isTaken(event)) return;
    if (altKey || keyOf(event) === 'f') press();
    else if (key === 'Escape' && isFull()) fill(false);
    else return;
    event.preventDefault();
  }

  letGo(signal);
  document.addEventListener('keydown', keys, { signal });
  function changed() {
    if (document.fullscreenElement && !isFull()) document.exitFullscreen(); // it came late
    else if (document.fullscreenElement) had = true;
    else if (had) fill(false); // by the browser's own key
  }
  document.addEventListener('fullscreenchange', changed, { signal });
  signal.addEventListener('abort', () => document.fullscreenElement && document.exitFullscreen());
  return { button: made, isFull, fill, update };
}
