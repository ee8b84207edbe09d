// count_gallery.js - the classes of solutions up to symmetry, and one board of each, a page at a time. It knows no other counts.
import { askPatiently, link } from './api.js';
import { drawBoard } from './board.js';
import { button, choice, field, h, latest, say } from './dom.js';
import { showRequests } from './snippet.js';
import { number, t } from './words.js';

const [LISTED, CLASSED, PAGE] = [16, 27, 12]; // limits of n with positions in the list, and with known counts; boards per page
const LISTED_BY_RULE = 12;

// The number of different images of a solution under rotation and reflection.
function images(permutation) {
  const { length: n } = permutation;
  const turn = (columns) => columns.reduce((turned, at, row) => ((turned[at - 1] = n - row), turned), []);
  const mirror = (columns) => columns.map((at) => n + 1 - at);
  const seen = new Set();
  for (let i = 0, turned = permutation; i < 4; i++, turned = turn(turned)) seen.add(`${turned}`).add(`${mirror(turned)}`);
  return seen.size;
}

// by() -> { rules }, or nothing for queens.
export function gallery(state, { n, to, by }) {
  let last = '';
  let more = false; // whether the page on the screen has a next one
  const most = () => (by().rules ? LISTED_BY_RULE : LISTED);
  const from = () => state.number('from', 0);
  const kind = () => (['point', 'quarter'].includes(state.get('class')) ? state.get('class') : '');
  const go = (at) => state.set({ gallery: 1, from: at > 0 ? at : null });

  const sums = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('count.classes') });
  const kinds = { '': t('count.any'), point: t('count.point'), quarter: t('count.quarter') };
  const chosen = choice(kinds, kind(), (value) => state.set({ gallery: 1, class: value || null, from: null }));
  const first = button(t('board.first'), () => go(0));
  const previous = button(t('board.previous'), () => go(from() - PAGE));
  const next = button(t('board.next'), () => more && go(from() + PAGE), { disabled: true });
  const place = h('p', { class: 'note shown' });
  const boards = h('div');
  const snippet = h('div');
  const row = h('div', { class: 'row' }, field(t('count.class'), chosen), first, previous, next);
  // Asks nothing until it is opened.
  const isOpen = () => ['gallery', 'class', 'from'].some((key) => state.get(key));
  const turned = ({ target }) => {
    if (target.open !== isOpen()) state.set({ gallery: target.open ? 1 : null, class: null, from: null }, { replace: true });
  };
  const head = h('summary', null, h('h3', null, t('count.classes')));
  const element = h('details', { class: 'panel shapes', open: isOpen(), ontoggle: turned }, head, sums, row, place, boards, snippet);
  const [summing, turning] = [latest(sums), latest(boards)];

  // The number of classes with 8, 4 and 2 different images: solutions without symmetry have 8, the others fewer.
  async function sum(signal) {
    if (n() > CLASSED) return sums.replaceChildren(t('count.noClasses', { n: CLASSED }));
    const count = async (symmetry) => BigInt((await askPatiently('count', { n: n(), symmetry }, { signal })).json.count_text);
    const [all, point, quarter] = await Promise.all(['', 'point', 'quarter'].map(count));
    const found = [
      [8, all - point],
      [4, point - quarter],
      [n() < 2 ? 1 : 2, quarter],
    ].map(([images, solutions]) => [t('count.images', { count: images }), solutions / BigInt(images), solutions]);
    const total = found.reduce((before, [, classes]) => before + classes, 0n);
    const line = ([name, ...cells]) =>
      h('tr', null, h('th', { scope: 'row' }, name), cells.map((cell) => h('td', null, number(`${cell}`))));
    const heads = ['orbit', 'classCount', 'solutions'].map((key) => h('th', { scope: 'col' }, t(`count.${key}`)));
    sums.replaceChildren(h('table', null, h('tr', null, heads), [...found, [t('count.sum'), total, all]].map(line)));
  }

  // The number of images of a solution; by another rule /verify returns the size of its orbit.
  async function imagesOf(permutation, signal) {
    if (!by().rules) return images(permutation);
    return (await askPatiently('verify', by(), { method: 'POST', body: { permutation }, signal })).json.orbit;
  }

  async function draw({ permutation }, signal) {
    const count = t('count.images', { count: await imagesOf(permutation, signal) });
    const label = t('count.toBoard', { columns: permutation.join(' '), images: count });
    const board = drawBoard({ n: n(), queens: permutation, label });
    const href = link('board', { n: n(), ...by(), columns: permutation.join(',') });
    return h('li', null, h('a', { href }, board), h('span', null, count));
  }

  async function turn(signal) {
    first.disabled = previous.disabled = from() === 0;
    more = false; // the button keeps the focus meanwhile
    row.hidden = snippet.hidden = n() > most();
    if (row.hidden) {
      place.textContent = t('count.noGallery', { n: most() });
      return boards.replaceChildren(button(t('board.toSize', { n: 12 }), () => to(12)));
    }
    const total = by().rules ? true : null; // of queens it comes with every page
    const params = { n: n(), ...by(), limit: PAGE, distinct: 'fundamental', symmetry: kind(), offset: from(), total };
    showRequests(snippet, ['solve', params]);
    const { json } = await askPatiently('solve', params, { signal, onJob: () => (place.textContent = t('board.counting')) });
    const list = h('ul', { class: 'gallery' });
    boards.replaceChildren(list);
    for (const solution of json.solutions) list.append(await draw(solution, signal));
    const values = { from: from() + 1, to: from() + list.children.length, total: number(json.total_text ?? '0') };
    place.textContent = json.solutions.length ? t('count.page', values) : t('count.empty', { n: n() });
    more = json.next !== null;
    next.disabled = !more;
    say(place.textContent);
  }

  function failed(problem, signal) {
    if (!signal.aborted) {
      next.disabled = true;
      place.textContent = '';
    }
    throw problem;
  }

  function update() {
    chosen.value = kind();
    element.open = isOpen();
    const now = isOpen() ? `${n()} ${from()} ${kind()} ${by().rules}` : '';
    if (now === last) return;
    last = now;
    if (!now) return void [summing.stop(), turning.stop()];
    sums.hidden = Boolean(by().rules); // other rules have other symmetries
    if (sums.hidden) summing.stop();
    else summing.run(sum);
    turning.run((signal) => turn(signal).catch((problem) => failed(problem, signal)));
  }

  return { element, update, close: () => (summing.stop(), turning.stop()) };
}
