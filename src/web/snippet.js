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
  const url = absolute(path, params);
  const { headers, text } = sent(body, extra);
  const how = { GET: '', HEAD: ' -I' }[method] ?? ` -X ${method}`;
  const lines = Object.entries(headers).map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`);
  return `curl -s${how}${lines.join('')}${text ? ` -d ${quote(text)}` : ''} ${quote(url)}`;
}

function javascript(url, method, body, extra) {
  const { headers, text } = sent(body, extra);
  const options = [];
  if (method !== 'GET') options.push(`method: '${method}'`);
  if (Object.keys(headers).length) options.push(`headers: ${JSON.stringify(headers)}`);
  if (text) options.push(`body: ${typeof body === 'string' ? JSON.stringify(text) : `JSON.stringify(${text})`}`);
  const rest = options.length ? `, { ${options.join(', ')} }` : '';
  return `const reply = await fetch('${url}'${rest});\nconsole.log(await reply.text());`;
}

function python(url, method, body, extra) {
  const { headers, text } = sent(body, extra);
  const data = text ? `, data=${JSON.stringify(text)}.encode()` : '';
  const lines = Object.keys(headers).length ? `, headers=${JSON.stringify(headers)}` : '';
  return [
    'from urllib.request import Request, urlopen',
    `with urlopen(Request('${url}', method='${method}'${data}${lines})) as reply:`,
    '    print(reply.read().decode())',
  ].join('\n');
}

function snippets(open, path, params, method = 'GET', body, headers = {}) {
  const url = absolute(path, params);
  const texts = {
    curl: curl(path, params, method, body, headers),
    JavaScript: javascript(url, method, body, headers),
    Python: python(url, method, body, headers),
  };
  return h(
    'details',
    { class: 'snippets', open },
    h('summary', null, t('shell.snippet')),
    Object.entries(texts).map(([name, text]) => [
      h('h3', null, name),
      h('pre', null, h('code', null, text)),
      copyButton(t('shell.copy'), () => text, { 'aria-label': t('shell.copyOf', { name }) }),
    ]),
  );
}

// Shows requests in a place: [path, params, method, body, headers] each. One that is unfolded there stays so.
export function showRequests(place, ...requests) {
  const open = [...place.children].map((shown) => shown.open);
  place.replaceChildren(...requests.map((request, i) => snippets(open[i], ...request)));
}
