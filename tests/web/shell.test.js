// shell.test.js - what stands around the tabs: languages, colours, the keyboard, a service that refuses, and one that goes and comes
// back.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import it from '../../src/web/words_it.js';
import { after, assert, binary, start, temporaryFolder } from '../http/harness.js';
import { everywhere, heard, look, says, server } from './browser.js';
import { front } from './replicas.js';

const titles = { en: 'Board', it: 'Scacchiera', ru: 'Доска' };
const names = { en: 'Queens', it: 'Regine', ru: 'Ферзи' };
// A server that ends, and another one that begins at its address.
const leaving = await start({ after });
const base = `http://127.0.0.1:${leaving.port}/`;
// A server whose answers break off.
const breaking = http.createServer((request, reply) => {
  reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
  reply.write('{"n":8,', () => reply.destroy());
});
await new Promise((resolve) => breaking.listen(0, '127.0.0.1', resolve));
after(() => breaking.close());
let broken = 0;
const shaky = await front((url) => (url.startsWith('/solve') && !broken++ ? breaking.address() : server));
const keys = path.join(temporaryFolder(), 'keys');
writeFileSync(keys, spawnSync(binary, ['new-key', 'ann'], { encoding: 'utf8' }).stdout);
const keyed = await start({ after }, '--api-keys', keys);
const comeBack = () => start({ after }, '--listen', `127.0.0.1:${leaving.port}`);

for (const [locale, title] of Object.entries(titles))
  look(`a reader of ${locale} is spoken to in ${locale}`, { hash: 'board', locale }, async (page) => {
    await says(page.locator('h2'), title);
    assert.equal(await page.locator('html').getAttribute('lang'), locale);
    assert.ok((await page.title()).startsWith(`${names[locale]}: `));
    await says(page.locator('h1 a span'), names[locale]);
    await page.locator('svg.board').waitFor();
  });

look('size and rule go along from tab to tab, where they fit', { hash: 'board?n=7&rules=toroidal&offset=3', forgive: /422/ }, async (page) => {
  await says(page.locator('.permutation'), /^(\d ){6}\d$/);
  const to = (name) => page.locator('#tabs').getByRole('link', { name, exact: true }).click();
  const at = () => page.url().slice(new URL(page.url()).origin.length);
  await page.evaluate(() => (globalThis.same = true)); // gone if a link loads the page anew
  for (const [name, address] of [['Play', '/play?n=7&rules=toroidal'], ['Watch', '/watch'], ['Count', '/count#n=7&rules=toroidal']]) {
    await to(name);
    await says(page.locator('h2'), name);
    assert.equal(at(), address);
  }
  await page.getByLabel('Size n').fill('35');
  await page.getByLabel('Size n').press('Enter');
  await to('Play');
  await says(page.locator('h2'), 'Play');
  assert.equal(at(), '/play?rules=toroidal');
  assert.ok(await page.evaluate(() => globalThis.same));
});

look('a link may choose the language, even one that was cut; the choice of the reader is kept', { hash: 'board?n=6&lang=ru' }, async (page) => {
  await says(page.locator('h2'), titles.ru);
  await says(page.locator('.permutation'), '2 4 6 1 3 5');
  await page.locator('#language').selectOption('it');
  await says(page.locator('h2'), titles.it);
  await page.reload();
  await says(page.locator('h2'), titles.it);
  assert.equal(await page.locator('#language').inputValue(), 'it');
  for (const hash of ['#%', 'docs#%']) {
    await page.goto('about:blank');
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
    await page.locator('svg.board, #\\/solve').first().waitFor();
  }
});

look('addresses of earlier releases lead to those of today, and Back to where the reader was', { hash: '#watch?n=6&algorithm=rapella&step=3' }, async (page) => {
  await says(page.locator('h2'), 'Watch');
  assert.match(page.url(), /\/watch\/rapella\?n=6&step=3$/);
  await page.goto(`${new URL(page.url()).origin}/count#n=9`);
  await says(page.locator('.amount'), '352');
  await page.evaluate(() => (location.hash = '#count?n=6'));
  await says(page.locator('.amount'), '4');
  assert.match(page.url(), /\/count#n=6$/);
  await page.goBack();
  await says(page.locator('.amount'), '352');
});

look('colours follow the system, or the switch, which is kept', { colorScheme: 'dark' }, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.getByRole('button', { name: 'Light colours' }).click();
  const light = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await paper(), light);
  await page.getByRole('button', { name: 'Dark colours' }).click();
  assert.equal(await paper(), dark);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await paper(), light, 'the choice of the system is no choice of the reader');
});

everywhere({}, (page) => page.locator('svg.board').waitFor());

look('the first Tab leads to the content; the page of the API leads to the contract and back', { hash: 'board' }, async (page) => {
  await page.locator('svg.board').waitFor();
  const top = async () => (await page.locator('#tabs').boundingBox()).y;
  const before = await top();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
  assert.equal(await top(), before); // nothing moves away from under a pointer
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.getByRole('link', { name: 'API', exact: true }).click();
  const contract = await page.locator('a[href="openapi.yaml"]').first().evaluate((a) => a.href);
  assert.equal((await page.request.get(contract)).status(), 200);
  await page.locator('a[href="./"]').first().click();
  await page.locator('svg.board .region').first().waitFor();
});

look('the page says when the service is gone, and when it is back', { hash: 'board', base, forgive: /net::ERR_/ }, async (page) => {
  const gone = page.locator('#gone');
  let at = leaving;
  const without = async (act, where, text) => {
    await at.crash();
    await act();
    await gone.waitFor();
    await says(gone, /does not answer/);
    at = await comeBack();
    await says(page.locator(where), text);
    await gone.waitFor({ state: 'hidden' });
  };
  await says(page.locator('.permutation'), '1 5 8 6 3 7 2 4');
  await without(() => page.getByRole('button', { name: 'Next' }).click(), '.permutation', '1 6 8 3 7 4 2 5');
  const count = page.locator('#tabs').getByRole('link', { name: 'Count', exact: true }); // whose script is still to be loaded
  await without(() => count.click(), 'h2', 'Count');
  await without(() => page.locator('#language').selectOption('it'), 'h2', 'Conta');
});

look('an answer that breaks off is asked for again, once the service answers', { hash: null, base: shaky.base, forgive: /net::ERR_/ }, async (page) => {
  await page.goto(`${shaky.base}board`);
  await says(page.locator('.permutation'), '1 5 8 6 3 7 2 4');
  assert.ok((await heard(page)).includes('The service is back.'));
});

// ---- What the service refuses, said in Italian where it is shown; words.test.js has the words ----

const { count, problems, refused } = it;
const quote = (text) => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
// A sentence with any values, at the beginning of a message or after the name of a parameter.
const said = (sentence) => new RegExp(quote(sentence).replace(/\{\w+\}/g, '.+'), 'i');
const ENGLISH = /\b(the|of|is|not|must|and|for|this|with|there|has|was|at|be|it|are)\b/i;
const refuses = async (alert, sentence) => assert.doesNotMatch(await says(alert, said(sentence)), ENGLISH);

const pages = {
  '#board?n=8&order=any&after=1,2,3': refused['not-a-solution'],
  '#play?code=zzz': refused['not-a-code'],
  '#watch?n=8&algorithm=romani-4&split=6,3': refused['not-ascending'],
  '#count?n=28&distinct=fundamental': refused['above-limit'],
  '#count?n=8&job=0123456789abcdef': count.noJob,
  '#build?n=1000&method=linear': refused['method-has-none'],
};
look('every tab refuses in Italian, also what no page can read', { hash: null, locale: 'it', forgive: /status of 4(00|04|22)|Error/ }, async (page) => {
  const open = async (hash) => {
    await page.goto('about:blank');
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
  };
  for (const [hash, sentence] of Object.entries(pages)) {
    await open(hash);
    await refuses(page.locator('main [role=alert]').filter({ visible: true }).last(), sentence);
  }
  // No server sends this: it stands for every fault of the page.
  await page.route('**/solve?*', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: 'null' }));
  await open('#board?n=9');
  await refuses(page.locator('main [role=alert]'), problems.page);
});

look('forms of the API refuse in Italian, and say that a key is needed', { hash: 'docs', base: `http://127.0.0.1:${keyed.port}/`, locale: 'it', forgive: /status of 40[01]/ }, async (page) => {
  for (const [id, body, sentence] of [['startJob', null, problems['key-needed']], ['verify', '{"permutation": [1, 5, 2]}', refused['out-of-range']]]) {
    const part = page.locator(`[id="/${id}"]`);
    for (const details of [part, part.locator('.try')]) await details.evaluate((it) => (it.open = true));
    if (body) await part.locator('textarea').fill(body);
    await part.locator('form .button.main').click();
    await refuses(part.getByRole('alert'), sentence);
  }
});
