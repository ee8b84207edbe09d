// nginx.test.js - the explorer below /queens/ of a real nginx that has the shipped configuration: it loads, asks, and hears
// streams as they come. It knows nothing of what nginx keeps.
import { after, assert, start } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { look, says } from './browser.js';

const server = await start({ after }, '--base-path', '/queens', '--trusted-proxies', '127.0.0.0/8');
const front = await behindNginx(server.port);
after(() => front.stop());
const base = `http://127.0.0.1:${front.port}/queens/`;
const columns = (page) => page.locator('.permutation');

look('the page, that of the API and all their requests are below the prefix; the language can be switched', { hash: null, base, locale: 'ru' }, async (page) => {
  const outside = [];
  page.on('request', (request) => new URL(request.url()).pathname.startsWith('/queens/') || outside.push(request.url()));
  const policy = (await page.goto(`${base}board`)).headers()['content-security-policy'];
  assert.ok(policy && !policy.includes('unsafe'), policy);
  await says(page.locator('h2'), 'Доска');
  for (let times = 0; times < 2; times++) { // nginx keeps a page of each language
    await page.locator('#language').selectOption('en');
    await says(page.locator('h2'), 'Board');
    await page.reload();
  }
  await says(columns(page), '1 5 8 6 3 7 2 4');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await says(columns(page), '1 6 8 3 7 4 2 5');
  await page.getByText('Show the request').click();
  for (const text of await page.locator('.snippets pre').allTextContents()) assert.ok(text.includes(`${base}solve?n=8`), text);
  await page.getByRole('link', { name: 'Build', exact: true }).click();
  await says(page.locator('.shown'), 'Rows 1 to 1,000, columns 1 to 1,000.');
  await page.goBack();
  await says(columns(page), '1 6 8 3 7 4 2 5');
  await page.getByRole('link', { name: 'API', exact: true }).click();
  const contract = await page.locator('a[href="openapi.yaml"]').first().evaluate((a) => a.href);
  assert.equal(contract, `${base}openapi.yaml`);
  const part = page.locator('[id="/explorer"]');
  await part.evaluate((details) => (details.open = true));
  await part.getByText('Try it').click();
  await says(part.locator('output'), 'GET /queens/');
  await part.getByRole('button', { name: 'Send' }).click();
  await says(part.getByRole('region', { name: 'The answer' }), /<html lang="/);
  assert.equal((await page.request.get(contract)).status(), 200);
  assert.deepEqual(outside, []);
  await page.goto(base.slice(0, -1)); // without the final slash the browser is redirected
  await page.locator('.board .region').first().waitFor();
  assert.equal(new URL(page.url()).pathname, '/queens/');
  await page.goto(`${base}play/131w`);
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page.waitForURL((url) => /^\/queens\/play\/\w+$/.test(url.pathname) && !url.pathname.endsWith('131w'));
  await page.reload();
  await page.locator('.board .region').first().waitFor();
  const picture = await page.locator('meta[property="og:image"]').getAttribute('content');
  assert.equal((await page.request.get(picture)).headers()['content-type'], 'image/png');
});

// A trace that nobody waits the end of: its first step is heard at once, or never.
look('events are received as they are sent', { hash: 'board', base }, async (page) => {
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
