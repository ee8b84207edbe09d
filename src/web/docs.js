// docs.js - the page of the API: the contract for readers, as a list of routes that unfold, each with a form to try it. It knows
// OpenAPI, and hardly any route. The list comes first; what is folded is made little by little, so that the page is never stuck.
import { ask } from './api.js';
import { example, facts, inline, markdown, outline, pretty, unfold, unfoldOrFill } from './contract.js';
import { field, h, note, say, show } from './dom.js';
import { arrived, begin } from './shell.js';
import { tryIt } from './tryit.js';
import { turn } from './turn.js';
import { language, sentence, t } from './words.js';

const main = document.getElementById('main');
const badge = (method) => h('span', { class: `method ${method}` }, method.toUpperCase());
const english = { lang: 'en' };
const SLICE = 5; // ms of work, and the browser has its turn

// What the page's language has for a text of the contract, or that text, which is in English.
const inPage = (key, text) => sentence(key) ?? h('span', english, text);

async function page({ info, tags, paths, components, security }) {
  // The target of a $ref; any other value itself.
  const find = (it) => (it.$ref ? find(components[it.$ref.split('/')[2]][it.$ref.split('/')[3]]) : it);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'delete'].filter((method) => item[method]).map((method) => ({
      ...{ method, path, security, servers: item.servers, ...item[method], id: `/${item[method].operationId}` },
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(find),
    })),
  );
  const links = Object.fromEntries(operations.map(({ path, id }) => [path, `docs#${id}`]).reverse()); // of a path the first
  const outlined = (schema) => h('div', english, outline(schema, find, links));

  // ---- Requests and responses ----

  const parameter = (it) => [
    h('dt', null, h('code', null, it.name), ` ${it.in} `, it.required && h('b', null, t('docs.required')), ' ', facts(it.schema)),
    h('dd', null, markdown(it.description, links)),
  ];

  const media = (content = {}) =>
    Object.entries(content).map(([type, { schema, examples = {} }]) => [
      h('h6', english, h('code', null, type)),
      outlined(schema),
      Object.entries(examples).map(([name, it]) =>
        unfold([`${t('docs.example')}: `, h('span', english, it.summary ?? name)], () =>
          [it['x-request'], it['x-request-body'], it.value].filter((shown) => shown !== undefined).map(example),
        ),
      ),
    ]);

  function response([status, it]) {
    const { description, content, headers = {} } = find(it);
    const [first] = description.split(/(?<=\.)\s/);
    const names = Object.keys(headers).join(', ');
    return unfold([h('b', null, status), ' ', h('span', english, inline(first))], () => [
      first !== description.trim() && markdown(description, links),
      names && h('p', null, `${t('docs.headers')}: `, h('code', english, names)),
      media(content),
    ]);
  }
  function responses(all) {
    const failed = Object.entries(all).filter(([status]) => !(status < 400));
    return [
      Object.entries(all).filter(([status]) => status < 400).map(response),
      unfold(`${t('docs.errors')} ${failed.map(([status]) => status).join(', ')}`, () => failed.map(response)),
    ];
  }

  // ---- The form ----

  // The examples for it: of its parameters, of requests with their replies, and of bodies.
  function requests({ method, path, requestBody, responses: all, parameters }) {
    const shape = new RegExp(`^${method} ${path.replace(/\{(\w+)\}/g, '(?<$1>[^/?]+)')}(\\?|$)`, 'i');
    const examples = (holders) =>
      holders.flatMap((it) => Object.entries(find(it).content ?? {})).flatMap(([type, it]) =>
        Object.entries(it.examples ?? {}).map(([name, shown]) => ({ type, name: shown.summary ?? name, ...shown })),
      );
    const inPath = parameters.filter((it) => it.in === 'path').map((it) => [it.name, it.example]);
    return [
      ...(inPath.length ? [{ name: t('docs.example'), values: Object.fromEntries(inPath) }] : []),
      ...examples([requestBody ?? {}]).map(({ name, type, value }) => ({
        ...{ name, values: { 'Content-Type': type } },
        body: typeof value === 'string' ? value : pretty(JSON.stringify(value)),
      })),
      ...examples(Object.values(all)).flatMap(({ name, 'x-request': line = '', ...shown }) => {
        const found = line.match(shape);
        const query = new URLSearchParams(line.split('?')[1]);
        const values = { ...found?.groups, ...Object.fromEntries(query), ...shown['x-request-headers'] };
        return found ? [{ name, values, body: shown['x-request-body'] }] : [];
      }),
    ];
  }

  const told = new Set(['Content-Type', 'Content-Length', ...Object.keys(components.headers)].map((it) => it.toLowerCase()));

  function form(operation) {
    const { id, method, path, parameters, requestBody } = operation;
    const key = operation.security.length > 0 ? [{ ...components.securitySchemes.apiKey, schema: {} }] : [];
    const board = h('a', null, t('docs.board'));
    return [
      ...tryIt({
        ...{ method: method.toUpperCase(), path, told, parameters: [...parameters, ...key] },
        ...{ types: Object.keys(requestBody?.content ?? {}), examples: requests(operation) },
        onChange: ({ n, offset = 0 }) => board.setAttribute('href', `board?n=${n}&offset=${offset}`),
      }),
      id === '/solve' && h('p', null, board),
    ];
  }

  const section = (operation) => {
    const { method, path, id, operationId, summary, description, parameters, requestBody, servers } = operation;
    return unfoldOrFill(
      [h('h4', english, badge(method), ' ', h('code', null, path)), ' ', inPage(`routes.${operationId}`, summary)],
      () => [
        servers
          ? h('p', { class: 'note' }, t('docs.elsewhere', { url: servers[0].url }))
          : unfold(h('strong', null, t('docs.try')), () => form(operation), { class: 'try' }),
        markdown(description, links),
        parameters.length > 0 && h('h5', null, t('docs.parameters')),
        parameters.length > 0 && h('dl', { class: 'parameters' }, parameters.map(parameter)),
        requestBody && [h('h5', null, t('docs.body')), media(requestBody.content)],
        h('h5', null, t('docs.responses')),
        responses(operation.responses),
      ],
      { id, class: 'operation' },
    );
  };

  // ---- The whole ----

  const found = []; // what the filter searches: { details, fill, more }, more: words in it that are not on the page before it is opened
  const groups = []; // [where their lines go, lines()]
  const sections = [];
  function add(panel, lines) {
    for (const { details } of lines) {
      // A reader who opens a line has its address, to share it. Once it is closed, a link to it is a new address.
      const here = `docs#${details.id}`;
      details.addEventListener('toggle', () => {
        if (details.open) history.replaceState(history.state, '', here);
        else if (location.href.endsWith(here)) history.replaceState(history.state, '', 'docs');
      });
    }
    found.push(...lines);
    panel.append(...lines.map(({ details }) => details));
    panel.parentElement.hidden = false;
  }
  function group(title, lines) {
    const panel = h('div', { class: 'panel' });
    groups.push([panel, lines]);
    const section = h('section', { class: 'group', hidden: true }, h('h3', null, title), panel);
    sections.push(section); // seen with its lines: nothing below it moves when they come
    return section;
  }
  const routes = tags.map(({ name, description }) =>
    group(inPage(`tags.${name}`, description.replace(/\.\s*$/, '')), () => operations.filter((it) => it.tags.includes(name)).map(section)));
  // A paragraph that begins in bold has these words as its title.
  const general = () => info.description.split(/\n{2,}/).map((text) => {
    const title = text.match(/^\*\*(.*?)\.?\*\*/)?.[1] ?? info.title;
    const id = `/general/${title.toLowerCase().replace(/\W+/g, '-')}`;
    return unfoldOrFill(h('h4', english, title), () => markdown(text, links), { id });
  });
  const schemas = () => Object.entries(components.schemas).map(([name, schema]) => {
    const more = [schema.description, ...Object.keys(schema.properties ?? {})].join(' ');
    const details = unfold(h('h4', english, h('code', null, name)), () => outlined(schema), { id: `/schemas/${name}` });
    return { details, fill: () => {}, more };
  });
  const all = h('div', { class: 'docs' }, routes, group(t('docs.general'), general), group(t('docs.schemas'), schemas));

  const none = h('p', { class: 'note', hidden: true }, t('docs.none'));
  function filter() {
    const wanted = search.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const line of found) {
      const { details, fill, more = '' } = line;
      fill();
      line.words ??= (details.textContent + more).toLowerCase();
      details.hidden = !wanted.every((word) => line.words.includes(word));
      count += !details.hidden;
    }
    for (const section of sections) section.hidden = !section.querySelector(':scope > .panel > :not([hidden])');
    none.hidden = count > 0;
    say(t('docs.found', { count }));
  }
  const search = h('input', { type: 'search', autocomplete: 'off', oninput: filter });

  // Does one piece after the other, after what was done so far. False: there is another page meanwhile.
  let since = -Infinity;
  async function inSlices(work) {
    for (const piece of work) {
      if (performance.now() - since > SLICE) {
        await turn();
        if (!all.isConnected) return false;
        since = performance.now();
      }
      piece();
    }
    return true;
  }

  main.replaceChildren(
    h('div', { class: 'row find' }, h('h2', null, `${info.title} ${info.version}`), field(t('docs.filter'), search)),
    ...(language === 'en' ? [] : [note(t('docs.inEnglish'))]),
    none,
    all,
  );

  // Scrolls to the element that the URL names, and opens what hides it.
  onhashchange = () => {
    const at = document.getElementById(new URLSearchParams(`at=${location.hash.slice(1)}`).get('at')); // decoded as far as it can be
    if (!at || !all.contains(at)) return;
    if (at.hidden) {
      search.value = '';
      filter();
    }
    if (at.open) return at.scrollIntoView();
    at.addEventListener('toggle', () => at.scrollIntoView(), { once: true }); // it is filled then
    at.open = true;
  };
  if (!(await inSlices(groups.map(([panel, lines]) => () => add(panel, lines()))))) return;
  onhashchange();
  await inSlices(found.map(({ fill }) => fill));
}

// Not awaited: the look of this page comes when the script has ended, see pack.sh.
begin({
  async render() {
    arrived();
    document.title = `${t('docs.title')} – nqueensd`;
    try {
      await page((await ask('openapi.json')).json);
    } catch (error) {
      show(main, error, () => location.reload());
    }
  },
});
