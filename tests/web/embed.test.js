// embed.test.js - a board in a page of another origin: it is played in an iframe, in three languages, where --frame-ancestors allows it.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, assert, start, test } from '../http/harness.js';
import { accessible, browser, says, server as own } from './browser.js';
import { languages, wordsOf } from './languages.js';
import { cell } from './puzzles.js';

const open = await start({ after }, '--frame-ancestors', '*');
const code = '131w';
const address = ({ port }, more = '') => `http://127.0.0.1:${port}/embed?code=${code}${more}`;

// The page of somebody else, at another port: another origin. It has one iframe.
const host = createServer(({ url }, reply) => {
  const src = new URL(url, 'http://x').searchParams.get('src');
  reply.setHeader('Content-Type', 'text/html; charset=utf-8');
  // as a page that isolates itself
  reply.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  reply.end(src ? `<!doctype html><html lang="en"><title>A blog</title><h1>A blog</h1><iframe title="A board" width="480" height="720" src="${src.replaceAll('&', '&amp;')}"></iframe></html>` : '');
}).listen(0, '127.0.0.1');
await once(host, 'listening');
after(() => host.close());

async function visit(src, body) {
  const context = await browser.newContext({ locale: 'en-GB' });
  try {
    const page = await context.newPage();
    const wrong = [];
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));
    await page.goto(`http://127.0.0.1:${host.address().port}/?src=${encodeURIComponent(src)}`);
    await body(page, page.frameLocator('iframe'), wrong);
  } finally {
    await context.close();
  }
}

test('a board is played in a page of another origin', () =>
  visit(address(open), async (page, frame, wrong) => {
    const square = cell(frame, 1, 1);
    await square.click();
    await square.click();
    await says(frame.locator('#said'), /row 1, column 1/);
    await frame.getByRole('button', { name: (await wordsOf('en')).play.undo, exact: true }).click();
    assert.equal(await frame.locator('svg.board').count(), 1);
    for (const rest of ['.kinds', '.rest', '.options', '#tabs', '#settings']) for (const part of await frame.locator(rest).all()) assert.ok(!(await part.isVisible()), rest);
    const whole = frame.locator('#whole');
    assert.match(await whole.getAttribute('href'), new RegExp(`^play/${code}$`));
    assert.deepEqual(wrong, []);
  }));

test('it has the words of the language that is asked for', async () => {
  for (const language of languages)
    await visit(address(open, `&lang=${language}`), async (page, frame, wrong) => {
      const { play, shell } = await wordsOf(language);
      await frame.getByRole('button', { name: play.undo, exact: true }).waitFor();
      await says(frame.locator('#whole'), shell.whole);
      assert.equal(await frame.locator('html').getAttribute('lang'), language);
      assert.deepEqual(wrong, []);
    });
});

test('a code that is none is said in the frame', () =>
  visit(address(open).replace(code, 'zzzzzz'), async (page, frame) => {
    await frame.locator('.error[role=alert]:visible').first().waitFor();
  }));

test('without --frame-ancestors a browser does not show it in pages of others', () =>
  visit(address(own), async (page, frame, wrong) => {
    await page.waitForFunction(() => true);
    while (!wrong.length) await page.waitForEvent('console');
    assert.match(wrong.join(' '), /frame-ancestors/);
    assert.equal(await frame.locator('svg.board').count(), 0);
  }));

test('everybody can use it alone', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(address(own));
  await page.locator('svg.board').waitFor();
  await accessible(page);
  await context.close();
});
