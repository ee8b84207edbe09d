// screenshots.js - pictures of the explorer, to be looked at: make screenshots. It asserts nothing. The two that the documents show
// go to docs/. All others go to build/gallery/, with a page that shows them side by side: every view, narrow and wide, by day and
// night, in every language, and as it is printed. Names of views behind the command make only their pictures, for the gallery.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { start } from '../http/harness.js';
import { languages } from './languages.js';
import { views, visit } from './views.js';

// [file, address, colours, what is to be seen before the picture is taken, how high it is, a button to press before, how wide it is]
const pictures = [
  ['explorer-play', 'play/1mg7d3t', 'light', '.board .mark.lit', 900, 'Hint'],
  ['explorer-watch', 'watch?n=5&step=48', 'dark', '.side .first .button', 740, null, 1080],
];
const MOST = 120000; // bytes
const SCREENS = [[390, 844], [1280, 800], [1920, 1080]];
const COLOURS = { light: 'day', dark: 'night' };
const SCREENFULS = 3; // a picture shows so much of a page, at most

const root = fileURLToPath(new URL('../..', import.meta.url));
const gallery = `${root}build/gallery/`;
const wanted = process.argv.slice(2);
const shown = Object.keys(views).filter((name) => !wanted.length || wanted.includes(name));
const ends = [];
const server = await start({ after: (end) => ends.push(end) });
const base = `http://127.0.0.1:${server.port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});

async function forDocuments() {
  for (const [name, address, colorScheme, seen, height, button, width = 1440] of pictures) {
    const page = await browser.newPage({ locale: 'en-GB', viewport: { width, height }, colorScheme });
    await page.goto(`${base}${address}`);
    if (button) await page.getByRole('button', { name: button, exact: true, disabled: false }).click();
    await page.locator(seen).first().waitFor();
    await page.waitForLoadState('networkidle');
    const file = `${root}docs/${name}.png`;
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    console.log(`${file}: ${size} bytes`);
    if (size > MOST) throw new Error(`${name} has more than ${MOST} bytes`);
    await page.close();
  }
}

const fileOf = (language, name, width, colours) => `${language}-${name}-${width}-${colours}.png`;

// All pictures of one language. The page follows the size and the colours without being loaded again, except that it may look at
// its width only once.
async function album(locale) {
  const context = await browser.newContext({ locale });
  const page = await context.newPage();
  for (const name of shown)
    for (const [width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: 'light' });
      await visit(page, base, name);
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      const clip = { x: 0, y: 0, width, height: Math.min(whole, SCREENFULS * height) };
      for (const [colorScheme, colours] of Object.entries(COLOURS)) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${gallery}${fileOf(locale, name, width, colours)}`, fullPage: true, clip });
      }
      if (width === SCREENS[1][0]) await page.pdf({ path: `${gallery}${locale}-${name}.pdf`, preferCSSPageSize: true });
    }
  await context.close();
}

function showcase() {
  const sides = SCREENS.flatMap(([width]) => Object.values(COLOURS).map((colours) => [width, colours]));
  const cell = (language, name, [width, colours]) => {
    const file = fileOf(language, name, width, colours);
    return `<td><a href="${file}"><img src="${file}" loading="lazy" alt="${name}, ${width} pixels, ${colours}"></a></td>`;
  };
  const cells = (language, name) => sides.map((side) => cell(language, name, side)).join('');
  const line = (language) => (name) =>
    `<tr><th><a href="${language}-${name}.pdf">${name}</a></th>${cells(language, name)}</tr>\n`;
  const head = `<tr><th></th>${sides.map((side) => `<th>${side.join(', ')}</th>`).join('')}</tr>\n`;
  const table = (language) => `<h2>${language}</h2><table>${head}${Object.keys(views).map(line(language)).join('')}</table>\n`;
  return `<!doctype html><meta charset="utf-8"><title>The explorer, side by side</title>
<style>
body { font: 1rem system-ui; } td { vertical-align: top; }
img { max-height: 30rem; max-width: 26rem; border: 1px solid #888; }
</style>
${languages.map(table).join('')}`;
}

try {
  if (!wanted.length) await forDocuments();
  mkdirSync(gallery, { recursive: true });
  await Promise.all(languages.map(album));
  writeFileSync(`${gallery}index.html`, showcase());
  console.log(`${gallery}index.html`);
} finally {
  await browser.close();
  for (const end of ends.reverse()) await end();
}
