// aids.js - what a game has beside its board for who begins or does not see: "How to play" with the lesson (play_learn.js, loaded when
// it is wanted), which is offered at the first visit, the list of regions, and the walk around one.
import { button, h, say } from './dom.js';
import { describeRegions, nextInRegion } from './outline.js';
import { kept, part } from './shell.js';
import { t } from './words.js';

const SEEN = 'learn'; // what the browser keeps once the lesson was offered
let offered = null; // whether this visit is the first one

// It is offered until the reader answers or leaves, and at no later visit; never in a page of others.
function isOffered() {
  if (document.body.dataset.only) return false;
  offered ??= !kept.get(SEEN) && !kept.get('play.games');
  if (offered) kept.set(SEEN, 'offered');
  return offered;
}

// A game gives: hasOwn() - a game was begun that waits for its player; today() opens today's board; pause() and resume() stop its clock.
// Returns elements: help, a button; offer, a line or nothing.
export function newAids({ hasOwn, today, pause, resume }) {
  let opening = false;
  const open = async (page) => {
    if (opening) return;
    opening = true;
    const learn = await part('play_learn');
    opening = false;
    pause();
    learn.open(page, { own: hasOwn(), today, closed: resume });
  };
  const help = button('?', () => open('rules'), { class: 'button how', 'aria-label': t('game.lesson.how'), title: t('game.lesson.how') });
  const answer = (begins) => () => {
    offered = false;
    offer.remove();
    help.focus({ preventScroll: true }); // the dialog gives the focus back to it
    if (begins) open('lesson');
  };
  const offer =
    isOffered() &&
    h(
      'div',
      { class: 'row rest offer' },
      h('span', null, t('game.lesson.offer')),
      button(t('game.lesson.begin'), answer(true)),
      button(t('game.lesson.later'), answer(false)),
    );
  return { help, offer };
}

// The regions of a puzzle as a list that unfolds; nothing where it has none.
export const regionList = (regions) =>
  regions
    ? [h('summary', null, t('game.outline.title')), h('ul', null, describeRegions(regions).map((words) => h('li', null, words)))]
    : [];

// Moves the focus to the next square of the region of a square, or to the one before.
export function walkRegion(board, regions, square, back) {
  const { at, words } = nextInRegion(regions, square, back);
  board.querySelectorAll('[role="gridcell"]')[(at[0] - 1) * regions.length + at[1] - 1]?.focus();
  say(words);
}
