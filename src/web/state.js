// state.js - the open tab and its settings, all of them in the URL's hash: #tab?key=value&... It does not know their meaning.
const listeners = new Set();
let read = null; // the hash as last read: { hash, tab, values }

function now() {
  const { hash } = location;
  if (read?.hash !== hash) {
    const [tab, query = ''] = hash.slice(1).split(/\?(.*)/s);
    read = { hash, tab, values: new URLSearchParams(query) };
  }
  return read;
}

const tell = () => listeners.forEach((listener) => listener());

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
  // Changes values; null removes one. Each change is a step in the browser's history, unless it replaces the last one.
  set(changes, { replace = false, step = this.step + !replace } = {}) {
    const values = new URLSearchParams(now().values);
    for (const [key, value] of Object.entries(changes))
      if (value === null || value === undefined) values.delete(key);
      else values.set(key, value);
    const query = values.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
    const hash = `#${now().tab}${query ? `?${query}` : ''}`;
    if (hash === location.hash) return;
    history[replace ? 'replaceState' : 'pushState']({ step }, '', hash);
    tell();
  },
  // Calls the listener after every change; returns a function that ends this.
  onChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

addEventListener('popstate', tell); // also where a link changes the hash
