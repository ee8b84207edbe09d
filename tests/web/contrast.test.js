// contrast.test.js - that the words on every control can be read, by day and night, whatever is done to it: at rest, pointed at,
// reached by the keyboard and held down. The states are set in the browser itself, on all controls of a page at once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { look, server } from './browser.js';

const CONTROLS = 'a[href], button, summary, select, input, textarea, [tabindex]:not(svg *, main)';
const STATES = {
  'at rest': [],
  hovered: ['hover'],
  focused: ['focus', 'focus-visible'],
  'hovered and focused': ['hover', 'focus', 'focus-visible'],
  pressed: ['hover', 'focus', 'active'],
};

// In the page: what is too faint, as text. 4.5 : 1 for words, 3 : 1 for the frame of what has the focus (WCAG 1.4.3, 1.4.11).
function faint({ selector, focused }) {
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const lay = (colour) => {
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
  };
  const light = () => {
    const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = [...pixel.getImageData(0, 0, 1, 1).data].map((byte) => linear(byte / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const grounds = new Map(); // of elements: the colours that lie behind, from the page up to the element itself
  const behind = (element) => {
    if (!element) return 'white';
    if (!grounds.has(element))
      grounds.set(element, `${behind(element.parentElement)};${getComputedStyle(element).backgroundColor}`);
    return grounds.get(element);
  };
  const known = new Map();
  const measure = (colour, below) => {
    below.split(';').forEach(lay);
    const ground = light();
    lay(colour);
    const [dim, bright] = [ground, light()].sort((a, b) => a - b);
    return (bright + 0.05) / (dim + 0.05);
  };
  const contrast = (colour, element) => {
    const pair = [colour, behind(element)];
    const key = pair.join();
    if (!known.has(key)) known.set(key, measure(...pair));
    return known.get(key);
  };
  const wrong = [];
  let words = 0;
  for (const element of document.querySelectorAll(selector)) {
    const style = getComputedStyle(element);
    const field = ['INPUT', 'TEXTAREA'].includes(element.tagName) && !['checkbox', 'range'].includes(element.type);
    const hint = field && !element.value && element.placeholder;
    const text = field ? element.value || hint || '' : element.textContent;
    const name = `${element.tagName.toLowerCase()}.${element.className} "${(text || element.ariaLabel || '').slice(0, 30)}"`;
    const tell = (what, ratio, least) => ratio < least && wrong.push(`${name}: ${what} ${ratio.toFixed(2)} : 1`);
    if (text.trim()) {
      words++;
      tell('words', contrast(hint ? getComputedStyle(element, '::placeholder').color : style.color, element), 4.5);
    }
    if (!focused || element.disabled) continue;
    if (style.outlineStyle === 'none' || !parseFloat(style.outlineWidth)) wrong.push(`${name}: no frame`);
    else tell('frame', contrast(style.outlineColor, element.parentElement), 3);
  }
  return { wrong, words };
}

// In the page: marks the controls, of those that no rule of the style tells apart the first; how many there are. What folds and has
// none of them goes: the page of the API is long, and is laid out anew for every state.
function mark(selector) {
  const known = new Set();
  for (const element of document.querySelectorAll(selector)) {
    const traits = [element.disabled, element.type, element.ariaPressed, element.ariaCurrent, Boolean(element.textContent)];
    for (let at = element; at; at = at.parentElement) traits.push(at.tagName, at.className);
    if (!element.checkVisibility({ visibilityProperty: true }) || known.has(traits.join())) continue;
    known.add(traits.join());
    element.dataset.control = '';
  }
  for (const details of document.querySelectorAll('details')) if (!details.querySelector('[data-control]')) details.remove();
  return known.size;
}

// What is to be seen before it is measured.
const pages = {
  '#board?n=8': '.board .queen',
  '#play?code=163f': '.board .region',
  '#play?kind=free&n=8&queens=1:1,2:2&heat=1&hits=1': '.attacks li',
  '#watch?n=8&algorithm2=romani-5': '.transport .main',
  '#count?n=12&gallery=1': '.gallery .board',
  '#build?n=25&method=tensor&with=local-search': '.pane .figures dt',
  '#build?n=3': '[role=alert] + .row .button',
  docs: '.operation',
};

for (const [hash, seen] of Object.entries(pages))
  look(`every control of ${hash} can be read in every state`, { hash, forgive: /status of 422/ }, async (page, context) => {
    await page.locator(seen).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
    if (hash === 'docs') await page.locator('.button.main').first().waitFor();
    assert.ok((await page.evaluate(mark, CONTROLS)) > 5);
    const selector = '[data-control]';
    const browser = await context.newCDPSession(page);
    await browser.send('DOM.enable');
    await browser.send('CSS.enable');
    const { root } = await browser.send('DOM.getDocument');
    const { nodeIds } = await browser.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
    const all = new Set();
    for (const [state, forcedPseudoClasses] of Object.entries(STATES)) {
      await Promise.all(nodeIds.map((nodeId) => browser.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses })));
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        const focused = forcedPseudoClasses.includes('focus-visible');
        const { wrong, words } = await page.evaluate(faint, { selector, focused });
        assert.ok(words > 5, 'there is something to read');
        for (const what of wrong) all.add(`${state}, ${colorScheme}, ${what}`);
      }
    }
    assert.deepEqual([...all], []);
  });

look('the switch has exactly the colours of the system', {}, async (page) => {
  const colours = () =>
    page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const names = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].flatMap(({ style }) => [...(style ?? [])]));
      return names.filter((name) => name.startsWith('--')).map((name) => `${name}: ${style.getPropertyValue(name)}`);
    });
  const turn = (to) => page.getByRole('button', { name: to === 'dark' ? 'Dark colours' : 'Light colours' }).click();
  for (const [wanted, other] of [['light', 'dark'], ['dark', 'light']]) {
    await page.emulateMedia({ colorScheme: wanted });
    const system = await colours();
    await page.emulateMedia({ colorScheme: other });
    await turn(wanted);
    assert.deepEqual(await colours(), system);
    assert.ok(system.length > 20);
    await turn(other); // which is the system's, and follows it again
  }
});

for (const [hash, marked] of Object.entries({
  '#play?kind=free&n=8&heat=1': ['.button[aria-pressed=true]', 'nav [aria-current]'],
  '#watch?n=6&step=20': ['.code [aria-current]'],
}))
  look(`where the reader forces colours, what is pressed or current is told from the rest: ${hash}`, { hash, forcedColors: 'active' }, async (page) => {
    await page.locator('.board').first().waitFor();
    for (const selector of marked) {
      const colours = page.locator(selector).first().evaluate((at) =>
        [document.body, at].map(getComputedStyle).flatMap(({ color, backgroundColor }) => [color, backgroundColor]));
      const [, paper, words, ground] = await colours;
      assert.ok(ground !== paper && ground !== words, `${selector}: ${await colours}`);
    }
  });

// What can lie on a region, and its least contrast with it: 4.5 : 1 for what is read, 3 : 1 for marks and lines.
const ON_REGIONS = {
  ...{ queen: 4.5, 'letter first': 4.5, crosses: 4.5, borders: 3, attack: 3 },
  ...{ 'crosses dots': 3, 'mark bad': 3, 'mark lit': 3, 'mark target': 3, 'mark given': 3 },
};
const [, entries] = /palette\[PALETTE\] = \{([^}]*)\}/.exec(readFileSync(new URL('../../src/formats/palette.c', import.meta.url), 'utf8'));
const tints = entries.match(/[0-9a-f]{6}/g).map((colour) => `#${colour}`);

// In the page, on a board with regions one of whose squares has the focus: each of these on each colour; a mark also by what it fills
// its square with. What is too faint, as text.
function faintOnRegions({ least, tints }) {
  const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const light = (...layers) => { // of colours with their opacities, one over the other
    for (const [colour, opacity] of layers) {
      brush.globalAlpha = opacity;
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...brush.getImageData(0, 0, 1, 1).data].map((byte) => linear(byte / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const board = document.querySelector('.board');
  const shape = (name) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    element.setAttribute('class', name);
    return board.appendChild(element);
  };
  const region = shape('region');
  const shown = Object.keys(least).map((name) => [name, shape(name), least[name]]);
  shown.push(['focus', document.querySelector('[role=gridcell]:focus-visible .cell'), 3]);
  const wrong = [];
  let measured = 0;
  for (const tint of tints) {
    region.style.setProperty('--tint', tint);
    const ground = [getComputedStyle(region).fill, 1];
    for (const [name, element, wanted] of shown) {
      const { fill, fillOpacity, stroke, strokeOpacity } = getComputedStyle(element);
      const filled = fill === 'none' || fill === 'rgba(0, 0, 0, 0)' ? null : [fill, Number(fillOpacity)];
      const line = stroke === 'none' ? filled : [stroke, Number(strokeOpacity)];
      const ratios = [contrast(light(ground), light(ground, line))];
      if (filled && filled !== line) ratios.push(contrast(light(ground, filled), light(ground, filled, line)));
      for (const ratio of ratios) if (!(ratio >= wanted)) wrong.push(`${name} on ${tint}: ${ratio.toFixed(2)} : 1`);
      measured += ratios.length;
    }
  }
  for (const element of [region, ...shown.slice(0, -1).map(([, one]) => one)]) element.remove();
  return { wrong, measured };
}

look('marks, lines, letters and queens are seen on each of the twenty colours of regions', { hash: '#play?code=163f' }, async (page) => {
  await page.locator('.board .region').first().waitFor();
  await page.locator('.board [tabindex="0"]').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(tints.length, 20);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const { wrong, measured } = await page.evaluate(faintOnRegions, { least: ON_REGIONS, tints });
    assert.deepEqual(wrong, [], colorScheme);
    assert.ok(measured >= 240, `${measured}`);
    await page.locator('.board').evaluate((at) => at.classList.add('pattern'));
    const lines = { ...ON_REGIONS, queen: 1 }; // black, with a white rim
    assert.deepEqual((await page.evaluate(faintOnRegions, { least: lines, tints: ['#ffffff'] })).wrong, [], `${colorScheme}, without colours`);
    await page.locator('.board').evaluate((at) => at.classList.remove('pattern'));
  }
});

look('a mistake is struck through, what a hint is about has a round rim', { hash: '#play?code=163f' }, async (page) => {
  await page.locator('.board .region').first().waitFor();
  for (const name of ['Hint', 'Why?']) await page.getByRole('button', { name, exact: true }).click();
  const rim = page.locator('.board .mark.target').first();
  assert.ok(await rim.evaluate((at) => parseFloat(getComputedStyle(at).rx) / at.width.baseVal.value) > 0.49);
  const { letters, solution_url: url } = await server.getJson('/puzzle?code=163f');
  const { solutions: [{ permutation }] } = await server.getJson(url);
  const n = letters.split('/').length;
  const wrong = (permutation[0] % n) + 1;
  await page.locator('.board [role=gridcell]').nth(wrong - 1).focus();
  await page.keyboard.press('q');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const corners = await page.locator('.board path.mark.bad').evaluate((at) => {
    const { x, y, width } = at.getBBox();
    const on = (right, down) => at.isPointInStroke(new DOMPoint(x + right * width, y + down * width));
    return [on(0.25, 0.75), on(0.75, 0.25), on(0.25, 0.25), on(0.75, 0.75)];
  });
  assert.deepEqual(corners, [true, true, false, false]);
});
