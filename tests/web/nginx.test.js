// nginx.test.js - the explorer below /queens/ of a real nginx that has the shipped configuration: it loads, asks, and hears
// streams as they come. It knows nothing of what nginx keeps.
import { after, assert, start } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { accessible, look, says } from './browser.js';
import { languages } from './languages.js';

const server = await start({ after }, '--base-path', '/queens', '--trusted-proxies', '127.0.0.0/8');
const front = await behindNginx(server.port);
after(() => front.stop());
const base = `http://127.0.0.1:${front.port}/queens/`;
const leaving = await start({ after }, '--base-path', '/queens');
const alone = await behindNginx(leaving.port);
after(() => alone.stop());
const columns = (page) => page.locator('.permutation');

look('the page and all its requests are below the prefix', { hash: null, base }, async (page) => {
  const outside = [];
  page.on('request', (request) => new URL(request.url()).pathname.startsWith('/queens/') || outside.push(request.url()));
  const { headers } = await (await page.goto(base)).request().response().then((reply) => ({ headers: reply.headers() }));
  const policy = headers['content-security-policy'];
  assert.ok(policy && !policy.includes('unsafe'), policy);
  await says(columns(page), '1 5 8 6 3 7 2 4');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await says(columns(page), '1 6 8 3 7 4 2 5');
  await page.getByText('Show the request').click();
  for (const text of await page.locator('.snippets pre').allTextContents()) assert.ok(text.includes(`${base}solve?n=8`), text);
  await page.getByRole('link', { name: 'Build', exact: true }).click();
  await says(page.locator('.shown'), 'Rows 1 to 1,000, columns 1 to 1,000.');
  await page.goBack();
  await says(columns(page), '1 6 8 3 7 4 2 5');
  assert.deepEqual(outside, []);
  await accessible(page);
});

look('without the final slash the browser is redirected', { hash: null, base }, async (page) => {
  await page.goto(base.slice(0, -1));
  await says(columns(page), '1 5 8 6 3 7 2 4');
  assert.equal(new URL(page.url()).pathname, '/queens/');
});

look('the language can be switched, and nginx caches one page per language', { hash: '', base, locale: 'ru' }, async (page) => {
  await says(page.locator('h2'), 'Доска');
  await page.locator('#language').selectOption('it');
  await says(page.locator('h2'), 'Scacchiera');
  await page.reload();
  await says(page.locator('h2'), 'Scacchiera');
});
for (const locale of languages)
  look(`a reader of ${locale} without scripts gets a page of theirs`, { base, locale, javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator('html').getAttribute('lang'), locale);
  });

look('the page of the API', { hash: 'docs', base }, async (page) => {
  const contract = await page.locator('a[href="openapi.yaml"]').first().evaluate((a) => a.href);
  assert.equal(contract, `${base}openapi.yaml`);
  assert.equal((await page.request.get(contract)).status(), 200);
});

// A trace that nobody waits the end of: its first step is heard at once, or never.
look('events are received as they are sent', { base }, async (page) => {
  await says(columns(page), '1 5 8 6 3 7 2 4');
  const first = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const source = new EventSource('trace?n=20&algorithm=bitboard&format=events');
        source.addEventListener('step', ({ data }) => {
          source.close();
          resolve(JSON.parse(data));
        });
        source.addEventListener('error', () => reject(new Error('the stream ended')));
      }),
  );
  assert.deepEqual([first.step, first.do], [0, 'place']);
});

const empty = `http://127.0.0.1:${alone.port}/queens/`;
look('without a server behind nginx the page says so', { base: empty, forgive: /status of 503/ }, async (page) => {
  await says(columns(page), '1 5 8 6 3 7 2 4');
  await leaving.crash();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await says(page.locator('.picture .error'), /The service does not answer\. Try again soon\./);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});
