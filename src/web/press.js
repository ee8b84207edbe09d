// press.js - what boards to play on have in common: clicks that are not lost, drags over squares, and the keys of undo and redo.
import { keyOf, pointOn } from './board.js';

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
  place.addEventListener('pointerdown', ({ button, ctrlKey }) => (held = !button && !ctrlKey)); // a menu keeps the release
  for (const end of ends) addEventListener(end, release);
  return { draw, close: () => ends.forEach((end) => removeEventListener(end, release)) };
}

const LONG = 400; // ms
const STILL = 0.3; // squares that a pointer which only presses may move

// The squares between two points, but those of which the pointer only cuts a corner: a diagonal passes no others.
function* passed([x, y], [toX, toY]) {
  const steps = Math.ceil(8 * Math.hypot(toX - x, toY - y));
  for (let i = 1; i <= steps; i++) {
    const [right, down] = [x + ((toX - x) * i) / steps, y + ((toY - y) * i) / steps];
    const [column, row] = [Math.ceil(right), Math.ceil(down)];
    if (Math.abs(column - 0.5 - right) + Math.abs(row - 0.5 - down) < 0.75) yield [row, column];
  }
}

// Drags over the squares of the board in `place`: begin(square) says whether one may begin where the pointer is pressed, show(squares)
// draws those passed so far, end(squares) comes at the release if there are several. A second finger ends a drag with none: then the
// page is scrolled or enlarged. A finger that is held still for LONG scrolls the page, too; meanwhile the board has the class `held`. Returns a function that ends this.
export function whenDragged(place, { begin, show, end }) {
  let drag = null; // { id, board, n, at: [x, y], squares }
  let held = null; // a finger that scrolls: { id, board, y }
  let soon; // the timer of that
  const hold = (id, board, y) => {
    held = { id, board, y };
    board.classList.add('held');
    if (drag) drop();
  };
  const down = (event) => {
    clearTimeout(soon);
    if (drag) return drop();
    const board = event.target.closest('[role="gridcell"]') && place.querySelector('.board');
    if (!board || event.button) return;
    const n = board.querySelectorAll('[role="row"]').length;
    const at = pointOn(board, event);
    const square = [at[1], at[0]].map((x) => Math.min(Math.max(Math.ceil(x), 1), n));
    if (event.pointerType === 'touch') soon = setTimeout(hold, LONG, event.pointerId, board, event.clientY);
    if (begin(square)) drag = { id: event.pointerId, board, n, at, squares: [square] };
  };
  const move = (event) => {
    if (event.pointerId === held?.id) {
      scrollBy(0, held.y - event.clientY);
      held.y = event.clientY;
      return;
    }
    if (event.pointerId !== drag?.id) return;
    const { board, n, at, squares } = drag;
    const to = pointOn(board, event);
    const before = squares.length;
    if (before === 1 && Math.hypot(to[0] - at[0], to[1] - at[1]) < STILL) return;
    clearTimeout(soon);
    drag.at = to;
    for (const [row, column] of passed(at, to)) {
      const inside = Math.min(row, column) > 0 && Math.max(row, column) <= n;
      if (inside && !squares.some((old) => old[0] === row && old[1] === column)) squares.push([row, column]);
    }
    if (squares.length > before) show(squares);
  };
  const drop = () => {
    const { squares } = drag;
    drag = null;
    if (squares.length > 1) end([]);
  };
  const release = ({ pointerId }) => {
    clearTimeout(soon);
    if (pointerId !== held?.id) return;
    held.board.classList.remove('held');
    held = null;
    addEventListener('click', swallow, true);
    setTimeout(() => removeEventListener('click', swallow, true));
  };
  const up = (event) => {
    release(event);
    if (event.pointerId !== drag?.id) return;
    const { squares } = drag;
    drag = null;
    if (squares.length === 1) return;
    addEventListener('click', swallow, true); // one that ends where it began
    setTimeout(() => removeEventListener('click', swallow, true));
    end(squares);
  };
  const cancel = (event) => {
    release(event);
    if (event.pointerId === drag?.id) drop();
  };
  place.addEventListener('contextmenu', (event) => (held || event.pointerType === 'touch') && (event.preventDefault(), event.stopPropagation()), true);
  place.addEventListener('pointerdown', down);
  const others = { pointermove: move, pointerup: up, pointercancel: cancel };
  for (const [name, listener] of Object.entries(others)) addEventListener(name, listener);
  return () => Object.entries(others).forEach(([name, listener]) => removeEventListener(name, listener));
}

const swallow = (event) => event.stopPropagation();

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
