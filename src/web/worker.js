// worker.js - the service worker: keeps the page, its scripts and the last boards, so that a game goes on without a network. What
// the network answers goes before what is kept, except for scripts, whose names change with their content: so an upgrade of the server
// needs nothing from here, and a worker that is older than the server does no harm. All other requests pass it by: answers of the
// API, streams, events. Pages tell it what to keep: see app.js.
const root = self.registration.scope; // the service's address, which ends with a slash
// Other services may share the origin. The number is that of the way things are kept.
const mine = `nqueensd ${root} `;
const [SHELL, BOARDS] = [`${mine}shell 1`, `${mine}boards 1`];
const MOST = 20; // boards
const AWAY = [502, 504]; // of a proxy without a service behind it
const PAGE = /^(play(?:\/([\w.-]+))?)?(?:\?(.*))?$/; // the first page, or Play with the board of a day or of a code, and its settings
const RULES = 'algorithms?table=rules'; // the tab Play needs them

addEventListener('install', () => self.skipWaiting()); // the pages of an older worker lose nothing by it
addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(mine) && name !== SHELL && name !== BOARDS).map((name) => caches.delete(name)));
  await self.clients.claim();
}

addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  if (method !== 'GET' || !url.startsWith(root)) return;
  const target = url.slice(root.length).replace(/#.*/, '');
  if (mode === 'navigate') {
    if (PAGE.test(target)) event.respondWith(page(event.request, target));
  } else if (/^web\/[\w.-]+\.js$/.test(target)) event.respondWith(script(event.request));
  else if (target === RULES) event.respondWith(rules(event));
  else if (target.startsWith('puzzle?')) event.respondWith(board(event));
});

const found = async (name, url) => (await caches.open(name)).match(url, { ignoreVary: true });

// What the network answers; without one, or without a service behind its proxy, what is kept. There may be neither.
async function first(request, kept) {
  const answer = await fetch(request).catch(() => null);
  if (answer && !AWAY.includes(answer.status)) return { answer };
  return { kept: await kept(), answer: answer ?? Response.error() };
}

// All addresses have one page, which is kept as that of the first: what an address says goes behind #, where the page reads it and
// mends the address. Play without settings gets the last board.
async function page(request, target) {
  const { kept, answer } = await first(request, () => found(SHELL, root));
  const [, play, name, query] = PAGE.exec(target);
  if (!kept || !play) return kept ?? answer;
  const settings = new URLSearchParams(query);
  if (name) settings.set(/^\d+-/.test(name) ? 'daily' : 'code', name);
  if (settings.size > 0) return Response.redirect(`${root}#play?${settings}`);
  const last = (await (await caches.open(BOARDS)).keys()).at(-1);
  return Response.redirect(`${root}#play${last ? new URL(last.url).search : ''}`);
}

const script = async (request) => (await found(SHELL, request.url)) ?? fetch(request);

async function rules(event) {
  const { kept, answer } = await first(event.request, () => found(SHELL, root + RULES));
  if (!kept && answer.ok) {
    const copy = answer.clone();
    event.waitUntil(caches.open(SHELL).then((cache) => cache.put(root + RULES, copy)));
  }
  return kept ?? answer;
}

// ---- Boards ----

const codeUrl = (code) => `${root}puzzle?kind=regions&code=${code}`;

async function board(event) {
  const { url } = event.request;
  const { kept, answer } = await first(event.request, () => boardOf(url));
  if (!kept && answer.ok) event.waitUntil(keepBoard(url, answer.clone()));
  return kept ?? answer;
}

// A board that was drawn is kept by its code, by which the page asks for it again; the board of a day by its day.
async function keepBoard(url, answer) {
  if (answer.status !== 200 || !answer.headers.get('Content-Type')?.startsWith('application/json')) return;
  const { code, daily } = await answer.clone().json();
  const cache = await caches.open(BOARDS);
  const name = code && !daily ? codeUrl(code) : url;
  await cache.delete(name, { ignoreVary: true }); // the one put last is the last one
  await cache.put(name, answer);
  const names = await cache.keys();
  await Promise.all(names.slice(0, -MOST).map((old) => cache.delete(old, { ignoreVary: true })));
}

async function boardOf(url) {
  const asked = new URL(url).searchParams;
  const same = await found(BOARDS, url);
  if (same || !asked.has('code')) return same;
  const cache = await caches.open(BOARDS);
  for (const name of await cache.keys()) {
    const answer = await cache.match(name, { ignoreVary: true });
    if ((await answer.clone().json()).code === asked.get('code').toLowerCase()) return answer;
  }
}

// ---- The page and its scripts ----

// The page that the server has now, in the reader's language, once all of its scripts are kept: never one without the other.
async function keepShell(language, scripts) {
  const answer = await fetch(root, { headers: { 'Accept': 'text/html', 'Accept-Language': language } });
  if (!answer.ok || answer.redirected || answer.type !== 'basic') return;
  const text = await answer.clone().text();
  const stems = scripts.map((url) => url.slice(root.length).replace(/(\.\w+)?\.js$/, ''));
  if (!stems.every((stem) => text.includes(`"${stem}.`))) return; // of another release: the page is loaded anew
  const cache = await caches.open(SHELL);
  await Promise.all([...scripts, root + RULES].map(async (url) => (await found(SHELL, url)) ?? cache.add(url)));
  await cache.put(root, answer);
  const names = await cache.keys();
  await Promise.all(names.filter(({ url }) => ![root, root + RULES, ...scripts].includes(url)).map((old) => cache.delete(old, { ignoreVary: true })));
}

async function keep({ language, scripts, board }) {
  if (scripts) await keepShell(language, scripts.filter((url) => url.startsWith(`${root}web/`)));
  else if (board.startsWith(`${root}puzzle?`) && !(await boardOf(board))) await keepBoard(board, await fetch(board));
}

let before = Promise.resolve(); // one page after the other
addEventListener('message', (event) => {
  before = before.then(() => keep(event.data)).catch(() => {}); // without a network: the next visit
  event.waitUntil(before);
});
