// snippet.js - shows the page's request with curl, in JavaScript and in Python. It sends none itself.
import { link } from './api.js';
import { copyButton, h } from './dom.js';
import { t } from './words.js';

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`; // for a shell

// Without characters that would end a quote.
const absolute = (path, params) => new URL(link(path, params), document.baseURI).href.replaceAll("'", '%27');

// The body: a text whose type is in the headers, or a value that is sent as JSON.
function sent(body, headers) {
  if (!body) return { headers };
  return typeof body === 'string'
    ? { headers, text: body }
    : { headers: { 'Content-Type': 'application/json', ...headers }, text: JSON.stringify(body) };
}

export function curl(path, params, method = 'GET', body, extra = {}) {
  const { headers, text } = sent(body, extra);
  const how = { GET: '', HEAD: ' -I' }[method] ?? ` -X ${method}`;
  const lines = Object.entries(headers).map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`);
  return `curl -s${how}${lines.join('')}${text ? ` -d ${quote(text)}` : ''} ${quote(absolute(path, params))}`;
}

function javascript(url, method, body, { headers, text }) {
  const options = [
    method !== 'GET' && `method: '${method}'`,
    Object.keys(headers).length && `headers: ${JSON.stringify(headers)}`,
    text && `body: ${typeof body === 'string' ? JSON.stringify(body) : `JSON.stringify(${text})`}`,
  ].filter(Boolean);
  const rest = options.length ? `, { ${options.join(', ')} }` : '';
  return `const reply = await fetch('${url}'${rest});\nconsole.log(await reply.text());`;
}

function python(url, method, { headers, text }) {
  const data = text ? `, data=${JSON.stringify(text)}.encode()` : '';
  const lines = Object.keys(headers).length ? `, headers=${JSON.stringify(headers)}` : '';
  return [
    'from urllib.request import Request, urlopen',
    `with urlopen(Request('${url}', method='${method}'${data}${lines})) as reply:`,
    '    print(reply.read().decode())',
  ].join('\n');
}

function snippets(path, params, method = 'GET', body, headers = {}) {
  const url = absolute(path, params);
  const message = sent(body, headers);
  const texts = {
    curl: curl(path, params, method, body, headers),
    JavaScript: javascript(url, method, body, message),
    Python: python(url, method, message),
  };
  return Object.entries(texts).flatMap(([name, text]) => [
    h('h3', null, name),
    h('pre', null, h('code', null, text)),
    copyButton(t('shell.copy'), () => text, { 'aria-label': t('shell.copyOf', { name }) }),
  ]);
}

// Shows requests in a place: [path, params, method, body, headers] each. One that is unfolded there stays so, and keeps the focus.
export function showRequests(place, ...requests) {
  const { children } = place;
  while (children.length > requests.length) place.lastChild.remove();
  while (children.length < requests.length)
    place.append(h('details', { class: 'snippets' }, h('summary', null, t('shell.snippet')), h('section')));
  requests.forEach((request, i) => children[i].lastChild.replaceChildren(...snippets(...request)));
}
