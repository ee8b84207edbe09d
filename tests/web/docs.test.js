// docs.test.js - the page of the API as a reader sees it: all that the contract says is there, and every question can be tried.
import { readFileSync } from 'node:fs';
import yaml from 'js-yaml';
import { assert } from '../http/harness.js';
import { accessible, everywhere, fits, listenToAll, look, says, server, spoken, tabTo } from './browser.js';
import { wordsOf } from './languages.js';

const contract = yaml.load(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const find = (it) => (it.$ref ? it.$ref.split('/').slice(1).reduce((at, name) => at[name], contract) : it);
const verbs = ['get', 'post', 'delete'];
const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  verbs
    .filter((verb) => item[verb])
    .map((verb) => ({
      ...{ ...item[verb], path, verb, servers: item.servers },
      parameters: [...(item.parameters ?? []), ...(item[verb].parameters ?? [])].map(find),
    })),
);

// How a text looks once it is set: without the signs of Markdown.
const set = (text) => text.replace(/\[([^\]]+)\]\(https:[^)]+\)/g, '$1').replace(/[`*]/g, '').replace(/\s+/g, ' ').trim();
const close = (text) => set(text).replace(/\s/g, '');
const operation = (page, id) => page.locator(`[id="/${id}"]`);
// Waits until the page is complete: the lines of the list come group by group, and then what they fold.
const complete = (page) =>
  page.waitForFunction(
    (count) => document.querySelectorAll('.operation > div').length === count && ![...document.querySelectorAll('.docs [id^="/general/"]')].some((line) => line.children.length < 2),
    operations.length,
  );
const unfold = (part) => part.evaluate((details) => (details.open = true));
async function form(page, id) {
  const part = operation(page, id);
  await unfold(part);
  await part.getByText('Try it').click();
  return {
    part,
    fill: (name, value) => part.getByLabel(name, { exact: true }).fill(value),
    choose: (name, value) =>
      part.locator('label').filter({ hasText: new RegExp(`^${name}`) }).locator('select').selectOption(value),
    send: () => part.getByRole('button', { name: 'Send' }).click(),
    url: part.locator('output'),
    status: part.locator('.status strong'),
    body: part.getByRole('region', { name: 'The answer' }),
  };
}

// What stands on the first screen: the line of each operation in it, by id.
const firstScreen = (page) =>
  page.locator('.operation > summary').evaluateAll((lines) =>
    lines.filter((line) => line.getBoundingClientRect().bottom <= innerHeight).map((line) => line.parentElement.id));

for (const [width, height, locale, least] of [[1280, 800, 'en', 15], [390, 844, 'ru', 8]])
  look(`the first screen of ${width} by ${height} is the list of routes in ${locale}`, { hash: 'docs', locale, viewport: { width, height } }, async (page) => {
    await complete(page);
    const shown = await firstScreen(page);
    assert.ok(shown.length >= least, `${shown}`);
    assert.deepEqual(shown, operations.slice(0, shown.length).map(({ operationId }) => `/${operationId}`));
    assert.equal(await page.locator('.docs details[open]').count(), 0); // all prose is folded
    const { routes = {}, tags = {} } = await wordsOf(locale);
    const groups = await page.locator('.docs h3').allTextContents();
    assert.equal(groups.length, contract.tags.length + 2);
    for (const [i, { name, description }] of contract.tags.entries()) assert.equal(`${groups[i]}.`, tags[name] ? `${tags[name]}.` : description);
    const lines = await page.locator('.operation > summary').evaluateAll((all) =>
      all.map((line) => [line.parentElement.id, line.textContent, line.querySelectorAll(':scope > [lang=en]').length]));
    assert.deepEqual(
      lines.map(([id, text, english]) => [id, set(text), english]), // in English are method and path; the summary
      operations.map(({ operationId, path, verb, summary }) =>
        [`/${operationId}`, set(`${verb.toUpperCase()} ${path} ${routes[operationId] ?? summary}`), routes[operationId] ? 1 : 2]),
    );
    await fits(page);
  });

// In the page: what is told of each operation.
const tell = (parts) =>
  parts.map((part) => {
    const texts = (selector) => [...part.querySelectorAll(`:scope ${selector}`)].map((at) => at.textContent);
    const [names, facts, about] = ['dt > code', 'dt', 'dd'].map((what) => texts(`.parameters > ${what}`));
    return { line: part.querySelector('summary').innerText, text: part.textContent, items: texts('> div > div > ul > li').length, names, facts, about };
  });

look('the list comes before what is folded, which is there for a search in the page without being opened', { hash: null }, async (page) => {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.operation')) return;
      observer.disconnect();
      globalThis.folded = document.querySelectorAll('.operation > :not(summary), .docs [id^="/general/"] > :not(summary)').length;
    }).observe(document, { subtree: true, childList: true });
  });
  await page.goto(`http://127.0.0.1:${server.port}/docs`);
  await page.locator('.operation:nth-child(1) > div').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => globalThis.folded), 0);
  await complete(page);
  assert.equal(await page.locator('.docs details[open]').count(), 0);
});

look('every operation is there with all its parameters', { hash: 'docs' }, async (page) => {
  await complete(page);
  const told = await page.locator('.operation').evaluateAll(tell);
  assert.equal(told.length, operations.length);
  for (const [at, { path, verb, summary, description = '', parameters, responses, servers }] of operations.entries()) {
    const part = told[at];
    assert.equal(set(part.line), set(`${verb.toUpperCase()} ${path} ${summary}`));
    const text = set(part.text);
    for (const piece of description.split(/\n\n(?:[*-] )?|\n[*-] |^[*-] /).map(set)) assert.ok(text.includes(piece), `${path}: ${piece}`);
    assert.equal(part.items, description.match(/^[*-] /gm)?.length ?? 0, path);
    assert.deepEqual(part.names, parameters.map(({ name }) => name), path);
    for (const [i, { description: about, required, in: place, schema }] of parameters.entries()) {
      assert.equal(close(part.about[i]), close(about.replace(/^[*-] /gm, '')));
      const { enum: words = [], minimum = '', maximum = '', default: otherwise = '' } = schema;
      for (const wanted of [place, required ? 'required' : '', ...words, minimum, maximum, otherwise])
        assert.ok(part.facts[i].includes(String(wanted)), `${part.facts[i]}: ${wanted}`);
    }
    for (const status of Object.keys(responses)) assert.ok(text.includes(status), `${path} ${status}`);
    // a route on another port has no form, and a reason
    assert.deepEqual([text.includes('Try it'), text.includes('on a second port')], [!servers, Boolean(servers)], path);
  }
  const all = set(await page.locator('.docs').textContent());
  for (const paragraph of contract.info.description.split('\n\n').map(set)) assert.ok(all.includes(paragraph), paragraph);
  const ids = await page.locator('[id^="/schemas/"]').evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(ids.sort(), Object.keys(contract.components.schemas).map((name) => `/schemas/${name}`).sort());
});

look('an answer unfolds: media types, examples, nested schemas', { hash: 'docs#/solve' }, async (page) => {
  const part = operation(page, 'solve');
  assert.equal(await part.evaluate(({ open }) => open), true);
  await part.getByText('A page, all solutions, or a picture.').click();
  await part.getByText('text/csv', { exact: true }).waitFor();
  await part.getByText('The first three of the 92 for eight queens').click();
  await part.getByText('GET /solve?n=8&limit=3&board=ascii', { exact: true }).waitFor();
  await part.getByText('SolutionPage', { exact: true }).click();
  await part.getByText('The number of solutions in this page.').waitFor();
  await part.getByText('Solution', { exact: true }).first().click();
  await part.getByText('Permutation', { exact: true }).first().click();
  await part.getByText('The column of the queen in each row.').waitFor();
});

look('the form of /solve returns solutions, and that of /count numbers as the server sent them', { hash: 'docs#/solve' }, async (page) => {
  const { part, fill, choose, send, url, status } = await form(page, 'solve');
  await fill('n', '6');
  await listenToAll(page);
  await fill('limit', '2');
  await choose('board', '');
  await says(url, 'GET /solve?n=6&limit=2');
  assert.deepEqual(await spoken(page), [], 'a screen reader hears the keys only');
  await send();
  await says(status, '200 OK');
  await part.locator('.answer').getByText('Headers').click();
  await says(part.locator('.answer dl'), /application\/json/);
  await part.getByText('Show the request').click();
  await says(part.locator('.snippets pre').first(), /^curl -s 'http:.*\/solve\?n=6&limit=2'$/);
  const count = await form(page, 'count');
  await count.fill('n', '27');
  await count.send();
  await says(count.body, /"count": 234907967154122528,/);
});

look('an example fills the form; pictures are shown; a rejection is told in words', { hash: 'docs#/solve', forgive: /status of 400/ }, async (page) => {
  const { part, choose, fill, send, url, status } = await form(page, 'solve');
  await choose('Example', { label: 'The last one' });
  await says(url, 'GET /solve?n=8&offset=91');
  for (const format of ['png', 'svg']) {
    await choose('format', format);
    await fill('offset', '');
    await send();
    await says(status, '200 OK');
    const picture = part.getByRole('img', { name: 'The picture received' });
    await picture.waitFor();
    await page.waitForFunction((it) => it.complete && it.naturalWidth > 0, await picture.elementHandle());
  }
  await fill('n', '');
  await fill('place', '1:');
  await says(url, /^GET \/solve\?.*place=1:/);
  await send();
  await says(status, '400 Bad Request');
  await says(part.getByRole('alert'), /^A parameter is not accepted.*place: this cannot be read.*n: this is required/);
});

look('the form of /verify sends a board; a job is started and cancelled; HEAD has no body', { hash: 'docs#/verify' }, async (page) => {
  const verify = await form(page, 'verify');
  await verify.fill('Request body', '{"permutation": [1, 2, 3]}');
  await verify.send();
  await says(verify.status, '200 OK');
  await says(verify.body, /"valid": false/);
  await verify.part.getByText('Show the request').click();
  await says(verify.part.locator('.snippets pre').first(), /-X POST .*application\/json.* -d '\{"permutation": \[1, 2, 3\]\}'/);
  const begin = await form(page, 'startJob');
  await begin.fill('Request body', '{"kind": "count", "n": 18, "exclude": "1:1"}');
  await begin.send();
  await says(begin.status, '202 Accepted');
  const { id } = JSON.parse(await says(begin.body, /"state"[^]*}$/));
  const giveUp = await form(page, 'cancelJob');
  await giveUp.fill('id* (path)', id);
  await says(giveUp.url, `DELETE /jobs/${id}`);
  await giveUp.send();
  await says(giveUp.status, '200 OK');
  await says(giveUp.body, /cancelled/);
  const algorithms = await form(page, 'algorithms');
  await algorithms.choose('Method', 'HEAD');
  await algorithms.send();
  await says(algorithms.status, '200 OK');
  assert.equal(await algorithms.part.locator('.answer pre').count(), 0);
});

look('a long stream is cut, a slow one can be stopped', { hash: 'docs#/solve' }, async (page) => {
  const { part, fill, choose, send, status, body } = await form(page, 'solve');
  await fill('n', '12');
  await fill('limit', '');
  await choose('board', '');
  await choose('format', 'ndjson');
  await send();
  await says(status, '200 OK');
  await part.getByText('Cut here').waitFor();
  assert.equal((await body.textContent()).trim().split('\n').length, 500);
  const count = await form(page, 'count');
  await count.fill('n', '18');
  await count.choose('method', 'compute');
  await count.fill('exclude', '1:1');
  await count.send();
  await count.part.getByRole('button', { name: 'Stop' }).click();
  await count.part.getByText('Stopped.').waitFor();
  await count.part.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
});

look('the filter shows what has the words', { hash: 'docs' }, async (page) => {
  await page.getByLabel('Filter').fill('dry-run cost');
  await operation(page, 'startJob').waitFor();
  await operation(page, 'solve').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('.operation:visible').count(), 1);
  await page.getByLabel('Filter').fill('NUL chunked');
  await page.locator('[id="/general/errors"]').waitFor();
  assert.equal(await page.locator('.operation:visible').count(), 0);
  await page.getByLabel('Filter').fill('qwertz');
  await page.getByText('Nothing here contains these words.').waitFor();
  await page.getByLabel('Filter').fill('');
  await complete(page);
});

look('a link leads to its target, filtered out, folded up or not', { hash: 'docs#/schemas/Verdict' }, async (page) => {
  const seen = (id) => page.waitForFunction((it) => {
    const { top } = document.getElementById(it)?.getBoundingClientRect() ?? {};
    return top >= -5 && top < innerHeight;
  }, id);
  await seen('/schemas/Verdict');
  await page.locator('[id="/schemas/Verdict"]').getByText('conflict_count', { exact: true }).first().waitFor();
  await page.goto(page.url().replace(/#.*/, '#/cancelJob'));
  await seen('/cancelJob');
  await page.getByLabel('Filter').fill('puzzle');
  await page.goto(page.url().replace(/#.*/, '#/verify'));
  await seen('/verify');
  await page.goto(page.url().replace(/#.*/, '#/solve'));
  const link = operation(page, 'solve').locator('a[href="docs#/count"]').first();
  await link.waitFor();
  const summary = operation(page, 'count').locator('> summary');
  await summary.click();
  await page.waitForURL(/docs#\/count$/);
  await summary.click();
  await page.locator('[id="/count"]:not([open])').waitFor();
  await link.click();
  await page.locator('[id="/count"][open]').waitFor();
});

look('with the keyboard only', { hash: 'docs' }, async (page) => {
  await complete(page);
  await tabTo(page, 'Filter');
  await page.keyboard.type('puzzle');
  await tabTo(page, /^GET \/puzzle/);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Try it');
  await page.keyboard.press('Enter');
  await tabTo(page, 'n');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  await says(operation(page, 'puzzle').locator('.status strong'), '200 OK');
});

look('around the contract it speaks the language of the reader', { hash: 'docs', locale: 'it' }, async (page) => {
  const { docs } = await wordsOf('it');
  await says(operation(page, 'solve').locator('h5').first(), docs.parameters);
  assert.equal(await page.locator('html').getAttribute('lang'), 'it');
  await page.locator('#language').selectOption('en');
  await says(operation(page, 'solve').locator('h5').first(), 'Parameters');
});

everywhere({ hash: 'docs' }, async (page) => {
  const part = operation(page, 'solve');
  await unfold(part);
  await part.getByText('Try it').click();
  await part.getByRole('button', { name: 'Send' }).click();
  await says(part.locator('.status strong'), '200 OK');
  await part.getByText('A page, all solutions, or a picture.').click();
  await part.getByText('SolutionPage', { exact: true }).click();
  await part.getByText('Errors:').click();
  await page.locator('[id="/schemas/Job"] > summary').click();
  // What is still folded is not seen, but takes axe half a minute.
  await page.evaluate(() => document.querySelectorAll('.docs details:not([open]) > :not(summary)').forEach((one) => one.remove()));
});
