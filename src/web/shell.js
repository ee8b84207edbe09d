// shell.js - the parts common to all pages: the language, the colours, and whether the service answers. It does not know the
// content of the page.
import { button, choice, field, say } from './dom.js';
import { language, languages, learn, speak, t } from './words.js';

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

let rendered; // puts the texts into the page, after every change

// Starts the page. The server has chosen a language by Accept-Language; a reader's own choice, or a link with a language, takes
// precedence. render: shows the rest of the page; forget: the reader chose another language than the link has.
export async function begin({ asked, forget = () => {}, render }) {
  rendered = render;
  const speakNow = async (wanted, chosen) => {
    if (chosen) {
      kept.set('language', wanted);
      forget();
    }
    await speak(wanted);
    if (history.state?.reloads) history.replaceState({ ...history.state, reloads: 0 }, ''); // see anew.js
    for (const element of document.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
    const themes = { auto: t('shell.themeAuto'), light: t('shell.themeLight'), dark: t('shell.themeDark') };
    byId('settings').replaceChildren(
      field(t('shell.language'), choice(languages, language, (name) => speakNow(name, true), { id: 'language' })),
      field(t('shell.theme'), choice(themes, kept.get('theme') ?? 'auto', paint, { id: 'theme' })),
      button(t('shell.print'), () => print()),
    );
    if (chosen) byId('language').focus();
    await render();
  };
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the hash has another use
    byId('main').focus();
  });
  paint(kept.get('theme') ?? 'auto');
  await speakNow([asked, kept.get('language'), document.documentElement.lang].find((name) => name in languages), false);
}

function paint(theme) {
  kept.set('theme', theme);
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

let stale = false; // a script is gone that the page names

// A script that the page names, loaded when it is needed, with its words: there is one for each language.
export async function part(name) {
  try {
    const { href } = document.querySelector(`link[title=${name}]`);
    const module = await import(href.replace(/\w+(?=\.js$)/, language));
    learn(module.words);
    return module;
  } catch (error) {
    stale = true;
    throw error;
  }
}

let looking = false;

// The service does not answer: shows a message, and continues when it is back; if it has other scripts then, with its new page.
export async function lost() {
  if (looking) return;
  looking = true;
  byId('gone').textContent = t('shell.gone');
  byId('gone').hidden = false;
  const there = () => fetch('openapi.yaml', { method: 'HEAD', cache: 'no-store' }).then(({ ok }) => ok, () => false);
  do await new Promise((resolve) => setTimeout(resolve, 2000));
  while (!(await there()));
  if (stale) return location.reload();
  looking = false;
  byId('gone').hidden = true;
  say(t('shell.back'));
  rendered();
}
addEventListener('gone', lost);
addEventListener('offline', lost);
