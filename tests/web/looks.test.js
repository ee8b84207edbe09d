// looks.test.js - every view on paper and without motion. NQ_LONG=1: and what axe says of it, at every width.
import { readFileSync, readdirSync } from 'node:fs';
import { assert, longer, test } from '../http/harness.js';
import { accessible, fits, look, server } from './browser.js';
import { languages } from './languages.js';
import { byCode } from './puzzles.js';
import { views, visit } from './views.js';

const base = `http://127.0.0.1:${server.port}/`;
const A4 = { width: 688, height: 1016 }; // pixels between the margins of the style
const night = { hash: null, colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } };
const MOST = { count: 2, 'count-profile': 2, 'watch-one': 2, 'watch-two': 4, docs: 8 }; // pages, of others 1

test('distances are multiples of one unit, letters have five sizes', () => {
  const folder = new URL('../../src/web/', import.meta.url);
  const style = readdirSync(folder).filter((name) => name.endsWith('.css')).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const values = (names) => [...style.matchAll(new RegExp(`[\\s{](${names}): ([^;}]*)`, 'g'))].map(([, , value]) => value);
  const isDistance = (one) =>
    /^(0|auto|14mm|\d+ch|var\(--u\d?\)|calc\(-?[\d.]+ \* var\(--u\)\))$/.test(one) ||
    (/\dem$/.test(one) && (4 * parseFloat(one)) % 1 === 0); // of parts that follow their letters
  const parts = (value) => value.replace(/ !important$/, '').match(/\w+\((\([^()]*\)|[^()])*\)|\S+/g);
  const distances = values('(?:scroll-)?margin(?:-\\w+)*|padding(?:-\\w+)*|(?:row-|column-)?gap').flatMap(parts);
  assert.ok(distances.length > 100);
  assert.deepEqual([...new Set(distances)].filter((one) => !isDistance(one)), []);
  // Of boards and charts in their own units, of parts that follow what they are in, and of paper.
  const size = /^(0|1rem|inherit|var\(--(tiny|small|large|huge)\)|[\d.]+(px|em|pt)|112\.5%|clamp\(.*\))$/;
  assert.deepEqual(values('font-size').filter((one) => !size.test(one)), []);
});

// In the page: what should not be on paper, what is cut off there, and what is not dark on light.
function onPaper({ width }) {
  const wrong = [];
  const tell = (element, what) => wrong.push(`${element.tagName.toLowerCase()}.${element.getAttribute('class')} ${what}`);
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  for (const element of document.querySelectorAll('nav, footer, #settings, button, a.button, input, select, textarea'))
    if (seen(element)) tell(element, 'is printed');
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const light = (colour) => { // 0 to 1; white is below
    [pixel.fillStyle, pixel.globalAlpha] = ['white', 1];
    pixel.fillRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  };
  let words = 0;
  for (const element of document.querySelectorAll('body, body *')) {
    const { left, right } = element.getBoundingClientRect();
    if (!seen(element) || right - left < 2) continue;
    const style = getComputedStyle(element);
    if (right > width + 1 || left < -1) tell(element, `reaches from ${left} to ${right}`);
    if (style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) tell(element, 'is cut off');
    if (light(style.backgroundColor) < 0.9) tell(element, `has the ground ${style.backgroundColor}`);
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
    words++;
    const colour = element instanceof SVGElement ? style.fill : style.color;
    if (light(colour) > 0.35) tell(element, `has letters of ${colour}`);
  }
  return { wrong, words };
}

// In the page: the ground of each canvas as it is printed goes to globalThis.grounds; 255 is white.
function watchCanvases() {
  const ground = (canvas) => canvas.getContext('2d').getImageData(1, canvas.height - 2, 1, 1).data[0];
  const grounds = () => [...document.querySelectorAll('canvas')].map(ground);
  globalThis.grounds = { before: grounds() };
  addEventListener('beforeprint', () => (globalThis.grounds.printed = grounds()));
  addEventListener('afterprint', () => (globalThis.grounds.after = grounds()));
}

// In the page: what moves, or would at some time, for more than a hundredth of a second.
function moving() {
  const long = (times) => times.split(',').some((time) => parseFloat(time) * (/ms$/.test(time) ? 0.001 : 1) > 0.01);
  const will = [...document.querySelectorAll('*')].filter((element) => {
    const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
    return (animationName !== 'none' && long(animationDuration)) || long(transitionDuration);
  });
  return document.getAnimations().length + will.length;
}

for (const name of Object.keys(views))
  look(`${name} on paper, by night; nothing moves where the reader wants no motion`, night, async (page) => {
    await visit(page, base, name);
    assert.equal(await page.evaluate(moving), 0);
    await page.evaluate(watchCanvases);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const { before, printed, after } = await page.evaluate(() => globalThis.grounds);
    assert.deepEqual(printed, before.map(() => 255));
    assert.deepEqual(after, before);
    const pages = pdf.match(/\/Type \/Page\b/g).length;
    assert.ok(pages <= (MOST[name] ?? 1), `${pages} pages`);
    assert.match(pdf, /\/MediaBox \[0 0 59\d[.\d]* 84\d[.\d]*\]/); // A4 portrait, in points
    await page.setViewportSize(A4);
    await page.emulateMedia({ media: 'print' });
    const { wrong, words } = await page.evaluate(onPaper, A4);
    assert.deepEqual(wrong, []);
    assert.ok(words > 5, 'there is something to read');
  });

// What is on the first screen.
const firstScreens = {
  '': ['.status', '.board', '.keys'],
  'board?n=8': ['h2 + .note', '.board', '.solutions .row'],
  [byCode]: ['.status', '.board'],
  'build': ['h2 + .note', '#build-n', '#build-row', 'canvas.window'],
  'count#n=8': ['h2 + .note', '.size', '.plot svg', '.seen', '.legend .cross'],
};
for (const [width, height] of [[1280, 800], [390, 844]])
  look(`the first screen of ${width} by ${height} has what a tab is about, its controls and all of its picture`, { hash: null, viewport: { width, height } }, async (page) => {
    for (const [hash, parts] of Object.entries(firstScreens)) {
      await page.goto('about:blank');
      await page.goto(`${base}${hash}`);
      await page.waitForLoadState('networkidle');
      const places = [];
      for (const part of parts) places.push(await page.locator(part).first().boundingBox());
      for (const { y, height: high } of places) assert.ok(y + high <= height, `${hash}: ${JSON.stringify(places)}`);
      const picture = await page.locator('.board, canvas.window, .plot svg').first().boundingBox();
      assert.ok(picture.height >= 240 && picture.width >= 288, `${hash}: ${JSON.stringify(picture)}`);
    }
    assert.equal(await page.locator('.gallery').count(), 0); // it asks for nothing until it is opened
  });

if (longer)
  for (const name of Object.keys(views))
    for (const width of [390, 768, 1280, 1920])
      for (const locale of languages) {
        const options = { hash: null, locale, viewport: { width, height: 900 } };
        look(`axe finds no fault of ${name}: ${width} pixels, ${locale}`, options, async (page) => {
          await visit(page, base, name);
          await fits(page);
          await accessible(page);
        });
      }
