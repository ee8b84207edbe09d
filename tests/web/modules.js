// modules.js - what the modules of src/web find in node instead of a page: its address, its history, the words of every language and a
// service. To be imported before any of them.
import { languages } from './languages.js';

const link = (language) => ({ hreflang: language, title: language, href: new URL(`../../src/web/words_${language}.js`, import.meta.url).href });
function go(state, _, hash) {
  history.state = state;
  globalThis.location = new URL(hash, location.href);
}
Object.assign(globalThis, {
  document: { documentElement: {}, querySelectorAll: () => languages.map(link), get baseURI() { return base ?? location.href; } },
  history: { state: null, pushState: go, replaceState: go },
  addEventListener() {},
  dispatchEvent() {},
});

// Where the page is, and who answers it.
const { fetch } = globalThis;
let base;
export function visit(url, folder) {
  globalThis.location = new URL(url);
  base = folder;
  globalThis.fetch = (path, options) => fetch(new URL(path, document.baseURI), options);
}
visit('http://127.0.0.1:8080/');
