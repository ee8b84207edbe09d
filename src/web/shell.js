// shell.js - the parts common to all pages: the language, the colours, and whether the service answers. It does not know the
// content of the page.
import { button, choice, field, say } from './dom.js';
import { language, languages, learn, missing, speak, t } from './words.js';

const byId = (id) => document.getElementById(id);
// What the browser keeps for the next visit, as texts.
export const kept = {
  get: (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser without storage
    }
  },
  set: (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // then the setting lasts for this visit only
    }
  },
};

let again; // speaks and renders once more, with the language that was wanted last

// Starts the page. The server has chosen a language by Accept-Language; a reader's own choice, or a link with a language, takes
// precedence. render: shows the rest of the page; forget: the reader chose another language than the link has.
export async function begin({ asked, forget = () => {}, render }) {
  const speakNow = async (wanted, chosen) => {
    again = () => speakNow(wanted);
    if (chosen) {
      kept.set('language', wanted);
      forget();
    }
    await speak(wanted);
    for (const type of ['gone', 'offline']) addEventListener(type, lost); // which has words now; once each, however often this runs
    const focused = document.activeElement?.id;
    for (const element of document.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
    byId('settings').replaceChildren(
      field(t('shell.language'), choice(languages, language, (name) => speakNow(name, true), { id: 'language' })),
      moon(),
      button(t('shell.print'), () => print()),
    );
    byId(focused)?.focus();
    await render();
  };
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the hash has another use
    byId('main').focus();
  });
  paint(kept.get('theme') ?? 'auto');
  await speakNow([asked, kept.get('language'), document.documentElement.lang].find((name) => name in languages));
}

const isDark = () => (kept.get('theme') ?? 'auto') === 'dark' || ((kept.get('theme') ?? 'auto') === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);

// A button that turns day into night and back. The system's own choice is kept as no choice.
function moon() {
  const made = button('', () => {
    const wanted = isDark() ? 'light' : 'dark';
    paint(matchMedia(`(prefers-color-scheme: ${wanted})`).matches ? 'auto' : wanted);
    show();
  }, { id: 'theme', class: 'button round' });
  const show = () => {
    made.textContent = isDark() ? '☀' : '☾';
    made.ariaLabel = made.title = t(isDark() ? 'shell.themeLight' : 'shell.themeDark');
  };
  show();
  matchMedia('(prefers-color-scheme: dark)').onchange = show;
  return made;
}

function paint(theme) {
  kept.set('theme', theme);
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

// A script that the page names, loaded when it is needed, with its words: there is one for each language. Never
// returns if it does not come: see missing().
export async function part(name) {
  const link = document.querySelector(`link[title=${name}]`);
  const module = await import(link.href.replace(/\w+(?=\.js$)/, language)).catch(() => missing(link));
  learn(module.words);
  arrived();
  return module;
}

let looking = false;

// The scripts came that the page needs for what it shows.
export function arrived() {
  if (!looking) byId('gone').hidden = true;
  if (history.state?.reloads) history.replaceState({ ...history.state, reloads: 0 }, ''); // see anew.js
}

// The service does not answer: shows a message, and continues when it is back.
export async function lost(event) {
  event?.preventDefault(); // anew.js need not load the page
  if (looking) return;
  looking = true;
  const banner = byId('gone');
  const unloaded = banner.textContent; // for anew.js
  banner.textContent = t('shell.gone');
  banner.hidden = false;
  const there = () => fetch('', { method: 'HEAD' }).then(({ ok }) => ok, () => false);
  do await new Promise((resolve) => setTimeout(resolve, 2000));
  while (!(await there()));
  looking = false;
  banner.hidden = true;
  banner.textContent = unloaded;
  say(t('shell.back'));
  again();
}
