// press.js - what boards to play on have in common: clicks that are not lost, and the keys of undo and redo.
import { keyOf } from './board.js';

export const TOLD = 6; // attacks named one by one

// A click is lost when its square is replaced between press and release: what is drawn anew waits until then.
// Returns { draw, close }: draw() calls paint at once, or after the release if a square of `place` is held down.
export function whenReleased(place, paint) {
  let [held, late] = [false, false];
  const ends = ['pointerup', 'pointercancel'];
  const release = () => {
    held = false;
    if (late) setTimeout(draw);
  };
  function draw() {
    late = held;
    if (!held) paint();
  }
  place.addEventListener('pointerdown', () => (held = true));
  for (const end of ends) addEventListener(end, release);
  return { draw, close: () => ends.forEach((end) => removeEventListener(end, release)) };
}

// Control and Z or Y press two buttons; returns a function that ends this.
export function undoKeys(undo, redo) {
  const onKey = (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches('input')) return;
    const wanted = { y: redo, z: event.shiftKey ? redo : undo }[keyOf(event)];
    if (!wanted) return;
    event.preventDefault();
    wanted.click();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
