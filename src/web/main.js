// main.js - the explorer around its tabs: opens one at a time. It does not know their content.
import * as app from './app.js';
import { h } from './dom.js';
import { begin, lost, part } from './shell.js';
import { state, TABS } from './state.js';
import * as front from './tab_front.js';
import * as play from './tab_play.js';
import { t } from './words.js';

// Each tab exports open(root, state) -> { update(), close() }: update: the URL has changed, or the service is back. Some export
// prepare(), to be waited for first. They find what several of them need in this script: see pack.sh.
const scriptOf = (name) => ({ front, play })[name] ?? part(`tab_${name}`); // Play has a script for each kind of game

// The last n of the tabs with one board and a rule: they share both, so their links carry them from the last one seen.
const SHARED = { board: 1000, play: 32, count: 1e9 };
const shared = { n: null, rules: null };

const byId = (id) => document.getElementById(id);

// The page /embed shows one tab only, of what its own address says: ?code=...&lang=...
const { only } = document.body.dataset;

let open = null; // { name, close, update }
let turn = 0;

function carry() {
  const { tab } = state;
  if (!tab || tab in SHARED) for (const key of Object.keys(shared)) shared[key] = state.get(key, null);
  for (const anchor of byId('tabs').querySelectorAll('a[data-tab]')) {
    const { tab: name } = anchor.dataset;
    const { n, rules } = name !== tab && name in SHARED ? shared : {};
    const fitting = { n: n > SHARED[name] ? null : n, rules };
    anchor.href = state.address(name, Object.fromEntries(Object.entries(fitting).filter(([, value]) => value)));
  }
}

async function showTab(again = false) {
  carry();
  const name = only ?? (TABS.includes(state.tab) ? state.tab : 'front');
  if (only) byId('whole').href = state.address('play', { code: state.get('code') });
  if (open?.name === name && !again) return open.update?.();
  const mine = ++turn;
  open?.close?.();
  open = { name };
  for (const anchor of byId('tabs').querySelectorAll('a'))
    if (anchor.dataset.tab === name) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  document.title = t(`pages.${name}.title`);
  document.body.dataset.tab = name;
  try {
    const module = await scriptOf(name);
    await module.prepare?.();
    if (mine !== turn) return;
    const root = h('section', { 'aria-labelledby': 'tab-title' });
    byId('main').replaceChildren(
      h('h2', { id: 'tab-title' }, t(`${name}.title`)),
      h('p', { class: 'note' }, name === 'front' ? t('front.playIs') : t(`${name}.about`)),
      root,
    );
    Object.assign(open, module.open(root, state));
  } catch (error) {
    if (mine !== turn) return;
    open = null;
    console.warn(error);
    lost();
  }
}

// A link of the page to another address of it loads nothing anew.
addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (only || !state.owns(link.href)) return;
  event.preventDefault();
  state.go(link.href);
  scrollTo(0, 0);
});

// Not awaited here: tabs import from this script, so it must have ended before one can be opened.
begin({
  asked: state.get('lang'),
  forget: () => state.set({ lang: null }, { replace: true }),
  render() {
    byId('tabs').setAttribute('aria-label', t('shell.tabs'));
    byId('tabs').replaceChildren(
      ...TABS.map((name) => h('a', { dataset: { tab: name } }, t(`${name}.title`))),
      h('a', { href: 'docs' }, t('docs.title')),
    );
    showTab(true);
  },
}).then(() => {
  state.onChange(() => showTab());
  app.begin();
});
