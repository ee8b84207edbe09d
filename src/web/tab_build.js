// tab_build.js - the tab Build: a construction of any size through a window that moves and zooms. It uses /construct for the
// rows it shows. It knows about methods only their rows in /algorithms and their parameters.
//
// The URL has n, rules, method, with (the method beside it), the parameters, and the window: at=row:column, from 1, and span.
import { ask, link } from './api.js';
import { QUEEN } from './board.js';
import { button, choice, field, h, say, show } from './dom.js';
import { fullScreen } from './full.js';
import { methodsBy, ruleChoice, ruleOf, ruleParams, whyNone } from './rules.js';
import { showRequests } from './snippet.js';
import { turn } from './turn.js';
import { methodOf, number, t, titleOf } from './words.js';

export { loadConstructions as prepare } from './rules.js';

const [MOST, VERIFIED, VERIFIED_BY_RULE, COMPARED] = [1e9, 1e6, 1e4, 64]; // rows that /construct, /verify and /compare take
const NEAR = 8; // rows of the narrowest window
const WHOLE = 2 ** 20; // a window of up to this many rows shows all of them; 7 MB at most
const [TILE, TILES] = [1024, 4]; // rows of a tile at least, and tiles of such a window: each is a request
const SAMPLE = 256; // rows of a tile of a larger window
const ROWS_KEPT = 4 * WHOLE; // so that moving back needs no request
const AT_ONCE = 3; // requests of a window
// A size near n that has a solution by every rule.
function fitting(n) {
  let size = Math.max(n, 11);
  while (!(size % 2 && size % 3)) size += n > MOST - 6 ? -1 : 1;
  return size;
}
const PARAMETERS = { multiplier: 'linear', shift: 'linear', factors: 'tensor' }; // and seed, for random ones
const clamp = (x, least, most) => Math.min(Math.max(x, least), most);
const edges = ({ row, column, span }) => {
  const [top, left] = [Math.floor(row + 0.5), Math.floor(column + 0.5)];
  return { top: top + 1, bottom: top + Math.round(span), left: left + 1, right: left + Math.round(span) };
};

// Many queens on few pixels: the more on a pixel, the darker it is; half of the full darkness if `queens` are spread evenly.
function shade(brush, bins, point, queens) {
  const across = Math.sqrt(bins.length);
  const small = h('canvas', { width: across, height: across });
  const picture = new ImageData(across, across);
  bins.forEach((count, i) => (picture.data[4 * i + 3] = 255 * (1 - 0.5 ** ((count * bins.length) / queens))));
  const stencil = small.getContext('2d');
  stencil.putImageData(picture, 0, 0);
  stencil.globalCompositeOperation = 'source-in';
  stencil.fillStyle = brush.fillStyle;
  stencil.fillRect(0, 0, across, across);
  brush.imageSmoothingEnabled = false;
  brush.drawImage(small, 0, 0, across * point, across * point);
}

// One method in its windows, the detail and the whole; next.look({ row, column, span }), from 0, moves the detail.
function pane(about, { n, params, methods, take, retry }) {
  const { name: method, seeded, max_n: most, source } = about;
  const verified = params.rules ? VERIFIED_BY_RULE : VERIFIED;
  // Tiles of a window that shows samples. The service makes the whole random solution for each tile: fewer, if that is slow.
  const samples = seeded ? clamp(Math.floor(3e7 / n), 8, 96) : 96;
  const kept = new Map(); // by the rows requested: { first, last, columns }
  const asking = new Map(); // by the same key: the AbortController
  const proof = new AbortController();
  let view, failed, frame, answered;

  const words = { n, method };
  const detail = h('canvas', { class: 'window', tabindex: 0, role: 'application', 'aria-describedby': 'build-keys' });
  const whole = h('canvas', { class: 'whole', role: 'img', 'aria-label': t('build.whole', words), hidden: n <= 2 * NEAR });
  const shown = h('p', { class: 'note shown' });
  const squares = h('p', { class: 'mono squares', tabindex: 0, role: 'group', 'aria-label': t('build.squares', words) });
  const facts = h('dl', { class: 'figures' });
  const verdict = h('div', { role: 'status' });
  const request = h('div');
  const picture = h('div', { class: 'picture' }, detail);
  const file = (format, ending) => {
    const href = link('construct', { ...params, format });
    return h('a', { class: 'button', href, download: `queens-${n}-${method}.${ending}` }, t('board.save', { name: ending }));
  };
  const told = h(
    'div',
    null,
    h('h3', null, titleOf(about)),
    shown,
    h('div', { class: 'row' }, whole, facts),
    squares,
    h('div', { class: 'row' }, n <= verified ? button(t('build.verify'), prove) : t('build.tooLarge', { n: verified })),
    verdict,
    h('div', { class: 'row' }, file('text', 'txt'), file('json', 'json'), file('octet-stream', 'bin')),
    request,
  );
  const root = h('section', { class: 'panel pane', 'aria-label': method }, picture, told);

  const rowsOf = ([first, last]) => `${first + 1}-${last + 1}`;
  const asked = (tile) => ({ ...params, rows: rowsOf(tile) });

  // The tiles [first, last] for the rows: all rows, or for more than WHOLE the first `size` of every `block`.
  function plan({ row, span }) {
    let size = span > WHOLE ? SAMPLE : TILE;
    while (span <= WHOLE && size * (seeded ? 1 : TILES) < Math.min(seeded ? n : span, WHOLE)) size *= 2;
    let block = size;
    while (span > WHOLE && span / block > samples) block *= 2;
    const tiles = [];
    for (let first = Math.floor(row / block) * block; first < row + span; first += block)
      tiles.push([first, Math.min(first + size, n) - 1]);
    return { tiles, size, block };
  }

  // The columns of rows in memory, from any tile; or nothing.
  function columnsOf([first, last]) {
    for (const tile of kept.values())
      if (tile.first <= first && tile.last >= last) return tile.columns.subarray(first - tile.first, last - tile.first + 1);
    return null;
  }
  const isHere = ([first, last]) => [...kept.values()].some((tile) => tile.first <= first && tile.last >= last);

  // Removes the oldest tiles that are not needed.
  function forget(wanted) {
    let rows = [...kept.values()].reduce((sum, { columns }) => sum + columns.length, 0);
    for (const [key, { first, last, columns }] of kept) {
      if (rows <= ROWS_KEPT) return;
      if (wanted.some(([from, to]) => from <= last && to >= first)) continue;
      rows -= columns.length;
      kept.delete(key);
    }
  }

  function look(next = view) {
    view = next;
    detail.setAttribute('aria-label', t('build.label', { ...words, ...edges(view) }));
    detail.classList.toggle('still', view.span >= n);
    if (failed) return;
    const { tiles, size, block } = plan(view);
    const wanted = [...tiles, ...plan({ row: 0, span: n }).tiles];
    const names = new Set(wanted.map(rowsOf));
    for (const [key, stop] of asking) if (!names.has(key)) stop.abort();
    forget(wanted);
    const missing = new Map(wanted.filter((tile) => !isHere(tile)).map((tile) => [rowsOf(tile), tile]));
    for (const key of asking.keys()) missing.delete(key);
    [...missing.values()].slice(0, Math.max(0, (answered ? AT_ONCE : 1) - asking.size)).forEach(fetchTile);
    picture.setAttribute('aria-busy', asking.size > 0);
    const parts = [t('build.shows', edges(view)), block > size && t('build.part', { size, block })];
    shown.textContent = [...parts, asking.size && t('build.asking')].filter(Boolean).join(' ');
    frame ??= requestAnimationFrame(() => paint());
  }

  async function fetchTile(tile) {
    const stop = new AbortController();
    const key = rowsOf(tile);
    asking.set(key, stop);
    try {
      const { json, time } = await ask('construct', asked(tile), { signal: stop.signal, aside: true });
      kept.set(key, { first: tile[0], last: tile[1], columns: Uint32Array.from(json.permutation) });
      if (!answered) tell({ ...json, time });
      answered = true;
    } catch (problem) {
      if (!stop.signal.aborted && !failed) fail(problem);
    }
    if (asking.get(key) === stop) asking.delete(key);
    if (root.isConnected) look();
  }

  // An error, with buttons for other settings: another size, or the methods that the service names.
  function fail(problem) {
    failed = true;
    root.classList.add('failed');
    close();
    told.hidden = true;
    const refused = problem.status < 500;
    const none = problem.code === 'no-solution';
    const noMethod = problem.code === 'method-has-none' && !problem.methods.length;
    if (noMethod) picture.replaceChildren(h('div', { class: 'error', role: 'alert' }, t('build.noMethod', { n })));
    else show(picture, problem, refused ? null : retry);
    const way = (what, changes) => button(t('build.take', { what }), () => take(changes));
    const to = (size) => way(`n = ${number(size)}`, { n: size });
    const able = methods.filter(({ name }) => name !== method && problem.methods?.includes(name));
    const others = able.length || method === methods[0].name ? able : [methods[0]];
    const limit = problem.errors?.find(({ parameter }) => parameter === 'n')?.maximum ?? (n > most && most);
    const sizes = none || noMethod ? (params.rules ? to(fitting(n)) : [to(1), to(4)]) : limit && to(limit);
    const ways = [sizes, !none && !noMethod && others.map((other) => way(titleOf(other), { method: other.name }))];
    const [does, lang] = methodOf(about);
    const why = none ? whyNone(params) : problem.code === 'method-has-none' && !noMethod && `${t('build.how')}: ${does}.`;
    if (why) picture.append(h('p', { lang: none ? null : lang }, why));
    picture.append(h('div', { class: 'row' }, refused && ways));
    picture.prepend(h('h3', null, titleOf(about)));
  }

  // The whole is drawn after the detail, in a turn of its own: but paper does not wait.
  async function paint({ printed = false } = {}) {
    frame = null;
    if (!root.isConnected || failed) return;
    draw(detail, view);
    list();
    if (whole.hidden) return;
    if (!printed) await turn();
    if (root.isConnected && !failed) draw(whole, { row: 0, column: 0, span: n }, view);
  }

  // The queens of the window in words, if they are few.
  function list() {
    squares.hidden = view.span > 40;
    if (squares.hidden) return;
    const { top, bottom } = edges(view);
    const rows = Array.from({ length: bottom - top + 1 }, (_, i) => [top + i, columnAt(top + i - 1)]);
    squares.textContent = rows.map(([row, column]) => `${number(row)}: ${column ? number(column) : '…'}`).join(' · ');
  }

  const columnAt = (row) => columnsOf([row, row])?.[0];

  function draw(canvas, { row, column, span }, frame) {
    const dot = devicePixelRatio;
    const side = (canvas.width = canvas.height = Math.round(canvas.clientWidth * dot));
    const brush = canvas.getContext('2d');
    const ink = (name) => (brush.fillStyle = brush.strokeStyle = getComputedStyle(canvas).getPropertyValue(name));
    const cell = side / span;
    const board = cell > 5 * dot; // squares are large enough to be visible
    ink(board ? '--light' : '--paper');
    brush.fillRect(0, 0, side, side);
    ink('--dark');
    for (let r = Math.floor(row); board && r < row + span; r++)
      for (let c = Math.floor(column); c < column + span; c++)
        if ((r + c) % 2) brush.fillRect((c - column) * cell, (r - row) * cell, cell, cell);
    ink(board ? '--queen' : '--heat');
    const queen = new Path2D(QUEEN);
    const { tiles, size, block } = plan({ row, span });
    const point = dot * (block > size ? 3 : 2) * (frame ? 0.5 : 1); // the smallest visible size
    const bins = new Uint32Array(cell < point ? Math.ceil(side / point) ** 2 : 0);
    const across = Math.sqrt(bins.length);
    const put = (r, c) => {
      const [x, y] = [(c - column) * cell, (r - row) * cell];
      if (x <= -cell || y <= -cell || x >= side || y >= side) return;
      if (bins.length) return bins[Math.floor(Math.max(y, 0) / point) * across + Math.floor(Math.max(x, 0) / point)]++;
      if (!board) return brush.fillRect(x, y, cell, cell);
      brush.setTransform(cell, 0, 0, cell, x, y);
      brush.fill(queen);
      brush.resetTransform();
    };
    for (const tile of tiles) columnsOf(tile)?.forEach((taken, i) => put(tile[0] + i, taken - 1));
    if (bins.length) shade(brush, bins, point, (span / n) * span * (size / block));
    if (!frame) return;
    ink('--line');
    brush.lineWidth = 2 * dot;
    const wide = Math.max(frame.span * cell, 6 * dot);
    brush.strokeRect(clamp(frame.column * cell, 0, side - wide), clamp(frame.row * cell, 0, side - wide), wide, wide);
  }

  async function tell({ seed, uniform, permutation, time }) {
    const line = (name, value, lang) => value && [h('dt', null, t(`build.${name}`)), h('dd', { lang }, value)];
    const lines = [
      line('how', ...methodOf(about)),
      line('source', source, 'en'),
      !params.rules && line('sizes', t('build.upTo', { n: most })), // by other rules the limits are others
      line('time', t('build.took', { time: Math.round(time), count: permutation.length })),
      seeded && line('seed', number(seed)),
      uniform !== undefined && line('chance', t(uniform ? 'build.uniform' : 'build.biased')),
    ];
    const put = () => facts.replaceChildren(...lines.filter(Boolean).flat());
    put();
    if (!seeded || params.rules || n > COMPARED) return;
    // It draws by the same seed, and counts the steps.
    const { json } = await ask('compare', { n, seed, steps: 1e5 }, { signal: proof.signal }).catch(() => ({}));
    const done = json?.algorithms.find(({ algorithm }) => algorithm === method)?.first?.stats;
    if (done) lines.push(line('work', t('build.steps', { count: done.steps, moves: done.placements, tests: done.tests })));
    put();
  }

  async function prove() {
    verdict.textContent = t('build.verifying');
    try {
      const { signal } = proof;
      const { permutation } = (await ask('construct', params, { signal })).json;
      const { json } = await ask('verify', { rules: params.rules }, { method: 'POST', body: { permutation }, signal });
      verdict.textContent = t(json.valid ? 'build.valid' : 'build.invalid', { queens: json.queens, count: json.conflict_count });
    } catch (problem) {
      if (!proof.signal.aborted) show(verdict, problem, prove);
    }
  }

  function rest() {
    const first = Math.floor(view.row);
    showRequests(request, ['construct', asked([first, Math.min(n, first + view.span, first + WHOLE) - 1])]);
  }

  function close() {
    proof.abort();
    for (const stop of asking.values()) stop.abort();
  }

  // Paper has colours of its own, and does not wait for a frame.
  function ink(printed) {
    for (const canvas of [detail, whole]) canvas.classList.toggle('ink', printed);
    if (view) paint({ printed: true });
  }

  return { root, detail, whole, look, rest, ink, close };
}

export function open(root, state) {
  const leaving = new AbortController();
  const { signal } = leaving;
  let panes = [], view, built, writing, suited; // suited: the method used unless one is chosen

  const n = () => state.number('n', 1000, 1, MOST);
  const go = (changes) => state.set('n' in changes ? { at: null, span: null, ...changes } : changes);
  const controls = h('div', { class: 'build' });
  const below = h('div', { class: 'panes' });
  const about = h('div', { class: 'build' });
  const full = fullScreen({ part: below, state, signal });
  root.replaceChildren(controls, below, about);

  function input(name, value, attributes, then = (value) => go({ [name]: value || null })) {
    const made = h('input', { id: `build-${name}`, value, inputmode: 'numeric', ...attributes });
    made.addEventListener('change', () => made.reportValidity() && then(made.value));
    return field(t(`build.${name}`), made);
  }
  const whole = (name, value, min, max, then) => input(name, value, { type: 'number', required: true, min, max }, then);

  function build() {
    const rule = ruleOf(state);
    const able = methodsBy(rule);
    const find = (wanted) => able.find(({ name }) => name === wanted);
    const used = [find(state.get('method')) ?? find(suited) ?? able[0], find(state.get('with'))].filter(Boolean);
    const rules = ruleChoice(state, go);
    rules.show();
    rules.field.lastChild.id = 'build-rules'; // for the focus
    const uses = (parameter) => used.some(({ name }) => name === PARAMETERS[parameter]);
    const names = Object.fromEntries(able.map((one) => [one.name, titleOf(one)]));
    const focused = document.activeElement?.id;
    const held = below.contains(document.activeElement); // by a way out of an error, which goes away
    const seed = state.number('seed', 1);
    const pick = (key, chosen, others) => {
      const made = choice({ ...others, ...names }, chosen, (value) => go({ [key]: value || null }), { id: `build-${key}` });
      return field(t(`build.${key}`), made);
    };
    controls.replaceChildren(
      h(
        'div',
        { class: 'row choices' },
        whole('n', n(), 1, MOST),
        rules.field,
        pick('method', used[0].name),
        pick('with', used[1]?.name ?? '', { '': t('build.alone') }),
        used.some(({ seeded }) => seeded) && [
          whole('seed', seed, 0, Number.MAX_SAFE_INTEGER),
          button(t('build.draw'), () => go({ seed: Math.floor(Math.random() * 1e9) }), { id: 'build-draw' }),
        ],
        uses('shift') && [
          whole('multiplier', state.get('multiplier', 2), 1, MOST),
          whole('shift', state.get('shift', 0), 0, MOST),
        ],
        uses('factors') && input('factors', state.get('factors'), { pattern: '[0-9]+(,[0-9]+)*(x[0-9]+(,[0-9]+)*){1,13}', placeholder: '5x5x25' }),
      ),
      h(
        'div',
        { class: 'row moves' },
        button('+', () => zoom(0.5), { 'aria-label': t('build.nearer') }),
        button('−', () => zoom(2), { 'aria-label': t('build.farther') }),
        button(t('build.all'), () => move({ ...view, span: n() })),
        whole('row', '', 1, n(), toRow),
        full.button,
      ),
    );
    about.replaceChildren(h('p', { class: 'note', id: 'build-keys' }, t('build.keys')), rules.about);
    rules.about.append(' ', whyNone(ruleParams(rule)));
    if (focused) document.getElementById(focused)?.focus(); // on the new element
    close();
    panes = used.map((about, i) => {
      const params = { n: n(), ...ruleParams(rule), method: about.name, seed: about.seeded ? seed : null };
      for (const [name, owner] of Object.entries(PARAMETERS)) if (owner === about.name) params[name] = state.get(name);
      const take = ({ method, ...changes }) => go(method ? { [i ? 'with' : 'method']: method } : changes);
      const made = pane(about, { n: n(), params, methods: able, take, retry: build });
      hands(made);
      return { ...made, params };
    });
    below.classList.toggle('two', panes.length > 1);
    below.replaceChildren(...panes.map((one) => one.root));
    full.update();
    if (held) panes[0].detail.focus();
    read();
  }

  // ---- The window ----

  const text = () => ({ at: `${edges(view).top}:${edges(view).left}`, span: Math.round(view.span) });

  function read() {
    const [row, column] = state.get('at', '1:1').split(':').map((from) => Number(from) - 1 || 0);
    place({ row, column, span: state.number('span', n(), 1, n()) });
    panes.forEach((one) => one.rest());
  }

  function place(next) {
    const span = clamp(next.span, Math.min(n(), NEAR), n());
    const [row, column] = [next.row, next.column].map((from) => clamp(from, 0, n() - span));
    view = { row, column, span };
    panes.forEach((one) => one.look(view));
  }

  // When the window rests, its position is announced and written into the URL. Returns whether it moved.
  function move(next) {
    const before = view;
    place(next);
    clearTimeout(writing);
    writing = setTimeout(() => {
      say(t('build.shows', edges(view)));
      state.set(view.span >= n() ? { at: null, span: null } : text(), { replace: true });
      panes.forEach((one) => one.rest());
    }, 200);
    return Object.keys(view).some((key) => view[key] !== before[key]);
  }

  // About a point of the window, from 0 to 1 in both directions.
  function zoom(factor, [x, y] = [0.5, 0.5]) {
    const span = clamp(view.span * factor, Math.min(n(), NEAR), n());
    return move({ row: view.row + (view.span - span) * y, column: view.column + (view.span - span) * x, span });
  }

  // Moves to the queen of a row, at a scale at which she is visible.
  async function toRow(row) {
    const { json } = await ask('construct', { ...panes[0].params, rows: `${row}-${row}` }, { signal }).catch(() => ({}));
    if (json) move({ row: row - 1 - NEAR, column: json.permutation[0] - 1 - NEAR, span: 2 * NEAR + 1 });
  }

  function hands({ detail, whole }) {
    const fingers = new Map();
    const at = ({ clientX, clientY }) => {
      const { left, top, width } = detail.getBoundingClientRect();
      return [(clientX - left) / width, (clientY - top) / width];
    };
    const on = (names, listener) => names.split(' ').forEach((name) => detail.addEventListener(name, listener));
    on('wheel', (event) => {
      if (zoom(2 ** clamp(event.deltaY / 200, -1, 1), at(event))) event.preventDefault(); // otherwise the page scrolls
    });
    on('pointerdown', (event) => {
      detail.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, at(event));
    });
    on('pointerup pointercancel', ({ pointerId }) => fingers.delete(pointerId));
    on('pointermove', (event) => {
      const from = fingers.get(event.pointerId);
      if (!from) return;
      const to = at(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      const far = ([x, y]) => Math.max(Math.hypot(x - other[0], y - other[1]), 0.01);
      fingers.set(event.pointerId, to);
      if (other) return zoom(far(from) / far(to), other);
      move({ ...view, row: view.row - (to[1] - from[1]) * view.span, column: view.column - (to[0] - from[0]) * view.span });
    });
    on('keydown', (event) => {
      const step = Math.max(1, Math.round(view.span / 8));
      const moves = {
        ...{ ArrowUp: { row: view.row - step }, ArrowDown: { row: view.row + step }, 0: { span: n() } },
        ...{ ArrowLeft: { column: view.column - step }, ArrowRight: { column: view.column + step } },
      };
      const factor = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey || !(factor || moves[event.key])) return;
      event.preventDefault();
      if (factor) zoom(factor);
      else move({ ...view, ...moves[event.key] });
    });
    whole.addEventListener('click', ({ offsetX, offsetY }) => {
      const [column, row] = [offsetX, offsetY].map((at) => (at / whole.clientWidth) * n() - view.span / 2);
      move({ ...view, row, column });
    });
  }

  // By another rule than that of queens the first method may have no solution of this size: the service knows the first that has.
  async function suit() {
    const params = { n: n(), ...ruleParams(ruleOf(state)), rows: '1-1' };
    suited = null;
    if (!params.rules || state.get('method')) return;
    suited = (await ask('construct', params, { signal }).catch(() => null))?.json.method;
  }

  async function update() {
    const was = below.classList.contains('fills');
    full.update();
    if (was !== full.isFull()) repaint();
    const wanted = ['n', 'rules', 'method', 'with', 'seed', ...Object.keys(PARAMETERS)].map((name) => state.get(name)).join();
    if (wanted !== built) {
      built = wanted;
      await suit();
      if (built === wanted && !signal.aborted) build();
    } else if (view && (state.get('at') !== text().at || state.get('span') !== String(text().span))) read();
  }

  function close() {
    clearTimeout(writing);
    panes.forEach((one) => one.close());
  }

  // A canvas does not follow changes of colours and widths by itself.
  const repaint = () => panes.forEach((one) => one.look());
  const watching = new MutationObserver(repaint);
  watching.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint, { signal });
  addEventListener('resize', repaint, { signal });
  addEventListener('beforeprint', () => panes.forEach((one) => one.ink(true)), { signal });
  addEventListener('afterprint', () => panes.forEach((one) => one.ink(false)), { signal });

  update();
  return {
    update,
    close: () => {
      leaving.abort();
      watching.disconnect();
      close();
    },
  };
}
