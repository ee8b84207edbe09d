// tryit.js - a form made of the parameters of an operation, and the answer to its request. It knows no operation by name.
import { link } from './api.js';
import { code, pretty, unfold } from './contract.js';
import { button, choice, field, h, kindOf, meaning, say } from './dom.js';
import { showRequests } from './snippet.js';
import { number, t } from './words.js';

const MOST = 200_000; // characters that are shown
const LINES = 500; // of a stream
const STREAMS = /ndjson|event-stream|csv|plain/;

const names = (list) => Object.fromEntries(list.map((name) => [name, String(name)]));

// The form offers what the contract allows, but also sends other values: the errors of the service are worth seeing, too.
function input({ required, schema: { type, minimum, maximum, enum: words, default: otherwise } }) {
  const offered = words?.map((word) => [word]) ?? (type === 'boolean' && [[false], [true]]);
  if (offered) return choice({ '': `– (${otherwise ?? ''})`, ...names(offered) }, '', () => {});
  const range = (minimum ?? maximum) === undefined ? null : `${minimum ?? ''} … ${maximum ?? ''}`;
  return h('input', {
    ...{ type: type === 'integer' ? 'number' : 'text', min: minimum, max: maximum, placeholder: otherwise ?? range },
    ...{ autocomplete: 'off', spellcheck: 'false', 'aria-required': required && 'true' },
  });
}

// Shows a body as it arrives, up to the limit; returns whether there was more.
async function readText(response, place) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const most = STREAMS.test(response.headers.get('Content-Type')) ? LINES : Infinity;
  for (let length = 0, lines = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) return false;
    const pieces = value.slice(0, MOST - length).split(/(?<=\n)/);
    place.append(pieces.slice(0, most - lines).join(''));
    length += value.length;
    lines += pieces.filter((piece) => piece.endsWith('\n')).length;
    if (length > MOST || lines >= most) return true;
  }
}

const wrong = (error) => h('li', null, h('code', { lang: 'en' }, error.parameter), ': ', meaning(error));
const problem = ({ errors = [], ...one }) =>
  h(
    'div',
    { class: 'error', role: 'alert' },
    h('strong', null, kindOf(one)),
    one.code && `: ${meaning(one)}`,
    errors.length > 0 && h('ul', null, errors.map(wrong)),
  );

// types: of a body; examples: [{ name, values: { parameter or Content-Type: value }, body }], the first one is filled in;
// told: names of headers to show; onChange gets the query.
export function tryIt({ method, path, parameters, types, examples, told, onChange }) {
  const inputs = parameters.map((it) => ({ ...it, at: input(it) }));
  const how = choice(names(method === 'GET' ? ['GET', 'HEAD'] : [method]), method, () => {});
  const type = choice(names(types), types[0], () => {});
  const body = h('textarea', { class: 'mono', rows: 6, spellcheck: 'false' });
  const url = h('output', { class: 'mono url', lang: 'en', 'aria-live': 'off' }); // not spoken at every key
  const snippet = h('div');
  const answer = h('div', { class: 'answer' });
  let asking = new AbortController();

  const filled = (place) => inputs.filter((it) => it.in === place && it.at.value).map((it) => [it.name, it.at.value]);
  function wanted() {
    const inPath = Object.fromEntries(filled('path'));
    return {
      path: path.replace(/\{(\w+)\}/g, (all, name) => encodeURIComponent(inPath[name] ?? all)),
      params: Object.fromEntries(filled('query')),
      headers: { ...(types.length && { 'Content-Type': type.value }), ...Object.fromEntries(filled('header')) },
      body: types.length ? body.value : undefined,
    };
  }
  function update() {
    const { path: to, params, headers, body: text } = wanted();
    const { pathname, search } = new URL(link(to, params), document.baseURI);
    url.textContent = `${how.value} ${pathname}${search}`;
    showRequests(snippet, [to, params, how.value, text, headers]);
    onChange(params);
  }
  function fill({ values, body: text }) {
    for (const { name, in: place, at } of inputs) at.value = values[name] ?? (place === 'path' ? at.value : '');
    if (text !== undefined) body.value = text;
    if (types.includes(values['Content-Type'])) type.value = values['Content-Type'];
    update();
  }

  async function send() {
    asking.abort();
    const mine = (asking = new AbortController());
    const { path: to, params, ...rest } = wanted();
    const status = h('p', { class: 'status' }, t('docs.asking'));
    answer.replaceChildren(status);
    stop.hidden = false;
    const began = performance.now();
    try {
      const response = await fetch(link(to, params), { method: how.value, ...rest, signal: mine.signal, cache: 'no-store' });
      const took = number(Math.round(performance.now() - began));
      const line = h('strong', { lang: 'en' }, `${response.status} ${response.statusText}`);
      status.replaceChildren(line, ` · ${t('docs.took', { took })}`);
      say(status.textContent);
      const shown = [...response.headers].filter(([name]) => told.has(name));
      const rows = shown.map(([name, value]) => [h('dt', null, name), h('dd', null, value)]);
      answer.append(unfold(t('docs.headers'), () => h('dl', { class: 'figures', lang: 'en' }, rows)));
      await showBody(response);
    } catch (error) {
      const words = mine.signal.aborted ? t('docs.stopped') : t(error instanceof TypeError ? 'docs.noAnswer' : 'problems.page');
      if (asking === mine) answer.append(h('p', { class: mine.signal.aborted ? 'note' : 'error', role: 'alert' }, words));
    }
    mine.abort(); // the rest of a body that was cut
    if (asking !== mine) return; // another request has replaced it
    if (document.activeElement === stop) sending.focus();
    stop.hidden = true;
  }

  async function showBody(response) {
    const kind = response.headers.get('Content-Type') ?? '';
    if (how.value === 'HEAD') return;
    if (kind.startsWith('image/')) {
      const src = URL.createObjectURL(await response.blob());
      answer.append(h('img', { alt: t('docs.picture'), src, onload: () => URL.revokeObjectURL(src) }));
      return;
    }
    if (kind.includes('octet-stream')) {
      answer.append(h('p', { class: 'note' }, t('docs.binary')));
      return;
    }
    const place = code('', { role: 'region', 'aria-label': t('docs.answer') });
    answer.append(place);
    const text = place.firstChild;
    const cut = await readText(response, text);
    if (cut) answer.append(h('p', { class: 'note' }, t('docs.cut', { lines: LINES, kilobytes: MOST / 1000 })));
    else if (/[/+]json/.test(kind)) {
      if (kind.includes('problem')) place.before(problem(JSON.parse(text.textContent)));
      text.textContent = pretty(text.textContent);
    }
  }

  const sending = h('button', { class: 'button main' }, t('docs.send'));
  const stop = button(t('docs.stop'), () => asking.abort(), { hidden: true });
  const presets = choice(examples.map(({ name }) => name), 0, (i) => fill(examples[i]), { lang: 'en' });
  const submit = (event) => {
    event.preventDefault();
    send();
  };
  const label = ({ name, in: place, required, at }) =>
    field(h('span', { lang: 'en' }, name, required && '*', place !== 'query' && ` (${place})`), at);
  if (examples.length) fill(examples[0]);
  else update();
  return [
    h(
      'form',
      { novalidate: true, oninput: update, onsubmit: submit },
      examples.length > 1 && h('div', { class: 'row' }, field(t('docs.example'), presets)),
      h('div', { class: 'row' }, method === 'GET' && field(t('docs.method'), how), inputs.map(label)),
      types.length > 1 && field(t('docs.type'), type),
      types.length > 0 && h('label', { class: 'field body' }, t('docs.body'), body),
      url,
      h('div', { class: 'row' }, sending, stop),
    ),
    answer,
    snippet,
  ];
}
