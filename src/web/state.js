// state.js - the open tab and its settings, all of them in the page's address: TAB?key=value&..., where the board of Play and the
// algorithm of Watch are a part of the path, and the settings of Count are behind #, since its path is also that of the counts.
// It does not know their meaning.
const listeners = new Set();

// The tabs, each a path below the folder of the page; the folder itself is the first page.
export const TABS = ['play', 'watch', 'count', 'board', 'build'];

const OWN = { play: (name) => (/^\d+-/.test(name) ? 'daily' : 'code'), watch: () => 'algorithm' };
const BEHIND = 'count'; // the tab with settings behind #
const OLD = new RegExp(`^#(${TABS.join('|')})(?:\\?(.*))?$`, 's'); // an address of earlier releases

const folder = () => new URL('.', document.baseURI).pathname;
const plain = (values) => values.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');

// Where a tab with these values is, below the folder of the page.
function addressOf(tab, values) {
  const left = new URLSearchParams(values);
  const key = ['daily', 'code', 'algorithm'].find((key) => left.get(key) && OWN[tab]?.(left.get(key)) === key);
  const own = key && /^[\w.-]+$/.test(left.get(key)) ? `/${left.get(key)}` : '';
  if (own) left.delete(key);
  const query = plain(left);
  return `${tab}${own}${query && (tab === BEHIND ? '#' : '?')}${query}`;
}

let read = null; // the address as last read: { href, tab, values }

function now() {
  const { href, pathname, search, hash } = location;
  if (read?.href === href) return read;
  const old = OLD.exec(hash);
  const [tab, own] = old ? [old[1]] : pathname.slice(folder().length).split('/');
  const values = new URLSearchParams(old ? old[2] : tab === BEHIND ? hash.slice(1) : search);
  if (own && OWN[tab]) values.set(OWN[tab](own), own);
  read = { href, tab, values };
  return read;
}

// An address of an earlier release becomes what it is today.
function renew() {
  if (!OLD.test(location.hash)) return;
  const { tab, values } = now();
  history.replaceState(history.state, '', `${folder()}${addressOf(tab, values)}`);
}

const tell = () => {
  renew();
  listeners.forEach((listener) => listener());
};

export const state = {
  get tab() {
    return now().tab;
  },
  get(key, otherwise = '') {
    return now().values.get(key) ?? otherwise;
  },
  // A whole number between least and most; `otherwise` if there is none.
  number(key, otherwise, least = 0, most = Number.MAX_SAFE_INTEGER) {
    const text = now().values.get(key);
    if (text === null || !/^\d+$/.test(text)) return otherwise;
    return Math.min(Math.max(Number(text), least), most);
  },
  // The number of changes since the page or a link was opened, or since one with { step: 0 }: the browser's Back reverts them.
  get step() {
    return history.state?.step ?? 0;
  },
  // Changes values; null removes one. Each change is a step in the browser's history, unless it replaces the last one. tab: the one
  // that has them.
  set(changes, { replace = false, step = this.step + !replace, tab = now().tab } = {}) {
    const values = new URLSearchParams(now().values);
    for (const [key, value] of Object.entries(changes))
      if (value === null || value === undefined) values.delete(key);
      else values.set(key, value);
    const address = `${folder()}${addressOf(tab, values)}`;
    if (address === `${location.pathname}${location.search}${location.hash}`) return;
    history[replace ? 'replaceState' : 'pushState']({ step }, '', address);
    tell();
  },
  // Goes to another address of the page, as a link does.
  go(href) {
    history.pushState(null, '', href);
    tell();
  },
  // The address of a tab, below the folder of the page.
  address: (tab, values = {}) =>
    addressOf(tab, new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))),
  // Whether an address is one of the page's, with any tab.
  owns(href) {
    const { origin, pathname, hash } = new URL(href, document.baseURI);
    const [tab, own, more] = pathname.slice(folder().length).split('/');
    if (tab === BEHIND && new URL(href, document.baseURI).search) return false; // an answer
    const is = ['', ...TABS].includes(tab) && (own === undefined || (OWN[tab] && own && more === undefined));
    return origin === location.origin && pathname.startsWith(folder()) && Boolean(is) && Boolean(tab || !hash || OLD.test(hash));
  },
  // Calls the listener after every change; returns a function that ends this.
  onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

renew();
addEventListener('popstate', tell); // also where a link changes what is behind #
