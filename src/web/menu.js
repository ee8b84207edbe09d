// menu.js - the rest of the page, which is away while a board has the screen of a phone: upright from the first press on, on its side
// always. The button ☰ brings it back. play.css says what is away, by two values of the page: data-playing, data-menu.
import { button } from './dom.js';
import { t } from './words.js';

const { dataset } = document.body;

export function playing() {
  dataset.playing = '';
  delete dataset.menu;
}

export function leave() {
  delete dataset.playing;
  delete dataset.menu;
}

export function menuButton() {
  const press = () => {
    const isThere = 'menu' in dataset;
    leave();
    if (isThere) return;
    dataset.menu = '';
    document.querySelector('#tabs [aria-current], #tabs a')?.focus(); // the button may go
  };
  return button('☰', press, { 'aria-label': t('game.menu'), class: 'button menu' });
}
