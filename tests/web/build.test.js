// build.test.js - the tab Build as a reader sees it: constructions of any size, the window over them, and method beside method.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { until } from '../http/harness.js';
import { accessible, everywhere, focused, frozen, look, press, says, server, tabTo } from './browser.js';

const shown = (page) => page.locator('.shown').first();
const squares = (page) => page.locator('.squares').first();
const canvas = (page) => page.locator('canvas.window').first();
const enter = async (page, label, value) => {
  await page.getByLabel(label, { exact: true }).fill(String(value));
  await page.getByLabel(label, { exact: true }).press('Enter');
};
// What stands in the window, as it is told: rows from `first` on.
const grouped = (x) => x.toLocaleString('en');
const list = (first, columns) => columns.map((column, i) => `${grouped(first + i)}: ${grouped(column)}`).join(' · ');
const construct = async (query) => (await server.getJson(`/construct?${query}`)).permutation;

// How many squares of the picture, cut into `by` in both directions, have dots of the colour of queens or points.
async function inked(page, by) {
  return canvas(page).evaluate((canvas, by) => {
    const probe = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const style = getComputedStyle(canvas);
    const parts = new Set();
    for (const name of ['--queen', '--heat']) {
      const [r, g, b] = style.getPropertyValue(name).match(/\w\w/g).map((pair) => parseInt(pair, 16));
      for (let i = 0; i < probe.length; i += 4)
        if (probe[i] === r && probe[i + 1] === g && probe[i + 2] === b) {
          const [x, y] = [(i / 4) % canvas.width, Math.floor(i / 4 / canvas.width)];
          parts.add(`${Math.floor((x * by) / canvas.width)}:${Math.floor((y * by) / canvas.width)}`);
        }
    }
    return parts.size;
  }, by);
}
async function settled(page) {
  await page.locator('.picture[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Of a whole board, the rows that are said to be drawn: how many have no dot where their queen stands; and how many dots there are
// where none stands near.
async function untrue(page, [size, block]) {
  const query = await page.locator('.pane a[download$=bin]').getAttribute('href');
  return canvas(page).evaluate(
    async (canvas, { query, size, block }) => {
      const columns = new Uint32Array(await (await fetch(query)).arrayBuffer());
      const { width } = canvas;
      const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, width).data.buffer);
      const plain = document.createElement('canvas').getContext('2d');
      plain.fillStyle = getComputedStyle(canvas).getPropertyValue('--paper');
      plain.fillRect(0, 0, 1, 1);
      const [paper] = new Uint32Array(plain.getImageData(0, 0, 1, 1).data.buffer);
      const near = new Uint8Array(width * width);
      let [missing, strange, rows] = [0, 0, 0];
      columns.forEach((column, row) => {
        if (row % block >= size) return;
        rows++;
        const [x, y] = [column - 1, row].map((at) => Math.floor((at * width) / columns.length));
        if (pixels[y * width + x] === paper) missing++;
        const most = width - 1;
        for (let b = Math.max(y - 3, 0); b <= Math.min(y + 3, most); b++)
          near.fill(1, b * width + Math.max(x - 3, 0), b * width + Math.min(x + 3, most) + 1);
      });
      pixels.forEach((pixel, i) => (strange += pixel !== paper && !near[i]));
      return { missing, strange, drawn: rows > 50 };
    },
    { query, size, block },
  );
}

for (const [n, method, sampled] of [
  ...[[1000, 'explicit'], [100000, 'local-search'], [3000000, 'explicit', true]],
])
  look(`of ${n} rows by ${method} the picture has those it says`, { hash: `#build?n=${n}&method=${method}` }, async (page) => {
    const words = await says(shown(page), /^Rows 1 to [\d,]+, columns 1 to [\d,]+\.(?!.*Asking)/);
    await settled(page);
    const [, block, size] = words.match(/Of every ([\d,]+) rows the first ([\d,]+) are drawn\.$/) ?? [];
    assert.equal(Boolean(block), Boolean(sampled), words);
    const number = (text) => Number(text.replaceAll(',', ''));
    const rows = block ? [number(size), number(block)] : [n, n];
    assert.deepEqual(await untrue(page, rows), { missing: 0, strange: 0, drawn: true });
  });

look('a million rows of a search are a few requests and little memory, zooming in asks for no more, and the whole is verified', { hash: null }, async (page, context) => {
  let asked = 0;
  page.on('request', (request) => (asked += /construct[?]/.test(request.url())));
  await page.goto(`http://127.0.0.1:${server.port}/#build?n=1000000&method=local-search`);
  await says(shown(page), /columns 1 to 1,000,000\.$/);
  await settled(page);
  assert.ok(asked >= 1 && asked <= 4, `${asked} requests`);
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await devtools.send('Runtime.getHeapUsage'); // the latter: 4 bytes a row, and buffers of pictures
  assert.ok(usedSize + (backingStorageSize ?? 0) < 16e6, `${usedSize} and ${backingStorageSize} bytes`);
  asked = 0;
  await canvas(page).focus();
  for (let i = 0; i < 17; i++) await page.keyboard.press('+');
  const nearest = await says(squares(page), /^\d{3},\d{3}: [\d,]+( · \d{3},\d{3}: [\d,]+){7}$/);
  await says(page.locator('#said'), /^Rows \d{3},\d{3} to \d{3},\d{3}/);
  assert.equal(asked, 0);
  const first = Number(nearest.split(':')[0].replace(',', ''));
  assert.equal(nearest, list(first, await construct(`n=1000000&method=local-search&seed=1&rows=${first}-${first + 7}`)));
  await press(page, 'Verify the whole');
  await says(page.locator('.pane [role="status"]'), 'Verified: 1,000,000 queens, none attacks another.');
});

look('by every rule, with the methods that have solutions by it', { hash: '#build?n=25' }, async (page) => {
  const { constructions, rules } = await server.getJson('/algorithms');
  for (const { name: rule } of rules) {
    const able = constructions.filter((one) => one.rules.includes(rule));
    await page.getByLabel('Rule').selectOption(rule);
    await says(page.locator('#build-method'), able.map(({ title }) => title).join(''));
    const [{ name, seeded }] = able;
    await says(squares(page), list(1, await construct(`n=25&rules=${rule}&method=${name}${seeded ? '&seed=1' : ''}`)));
  }
});

look('unless a method is chosen, it is one that has a solution by the rule', { hash: '#build?n=1000&rules=superqueens' }, async (page) => {
  await page.getByRole('heading', { name: 'Sosic, Gu 1994, local search', exact: true }).waitFor();
  assert.equal(await page.locator('#build-method').inputValue(), 'local-search');
  await page.locator('#build-row').fill('5');
  await page.keyboard.press('Enter');
  await says(squares(page), /^1: \d+/);
  await enter(page, 'Size n', 1001);
  await page.getByRole('heading', { name: 'Pólya 1918, a i + b mod n', exact: true }).waitFor();
});

look('every known method can be chosen, and draws', { hash: '#build?n=25' }, async (page) => {
  const { constructions } = await server.getJson('/algorithms');
  for (const { name, title, seeded, max_n: most } of constructions) {
    const n = most < 25 ? 8 : 25;
    await page.locator('#build-method').selectOption('explicit'); // of any size
    await enter(page, 'Size n', n);
    await page.locator('#build-method').selectOption(name);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    await says(squares(page), list(1, await construct(`n=${n}&method=${name}${seeded ? '&seed=1' : ''}`)));
    assert.equal(await page.getByLabel('Seed', { exact: true }).count(), seeded ? 1 : 0);
  }
});

look('the parameters of a method have inputs, and take effect; the work of a search is shown', { hash: '#build?n=25&method=linear' }, async (page) => {
  await enter(page, 'Multiplier a', 3);
  await enter(page, 'Shift b', 4);
  await says(squares(page), list(1, await construct('n=25&method=linear&multiplier=3&shift=4')));
  assert.match(page.url(), /multiplier=3&shift=4/);
  await page.locator('#build-method').selectOption('tensor');
  await enter(page, 'Factors', '5x5');
  await says(squares(page), list(1, await construct('n=25&method=tensor&factors=5x5')));
  await page.locator('#build-method').selectOption('random');
  await enter(page, 'Seed', 7);
  await says(squares(page), list(1, await construct('n=25&method=random&seed=7')));
  await says(page.locator('.figures').first(), /not all solutions were equally likely/);
  await press(page, 'Another seed');
  await page.waitForURL((url) => !/seed=7(&|$)/.test(url.search)); // one that is drawn may begin with it
  const { algorithms } = await server.getJson('/compare?n=25&seed=3&steps=100000');
  const { steps } = algorithms.find(({ algorithm }) => algorithm === 'neural').first.stats;
  await page.locator('#build-method').selectOption('neural');
  await enter(page, 'Seed', 3);
  await says(page.locator('.figures').first(), new RegExp(`Seed3.*Work${steps} steps: `));
});

look('of a thousand million rows only some are requested', { hash: null }, async (page) => {
  const asked = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/construct') asked.push(searchParams.get('rows'));
  });
  await page.goto(`http://127.0.0.1:${server.port}/#build?n=1000000000`);
  await says(shown(page), /^Rows 1 to 1,000,000,000, columns 1 to 1,000,000,000\. Of every [\d,]+ rows the first [\d,]+ are drawn\.$/);
  await settled(page);
  assert.ok((await inked(page, 32)) > 40, 'points all over it');
  assert.ok(asked.length > 10 && asked.length < 200 && asked.every((rows) => rows));
  await enter(page, 'To the queen in row', 500000000);
  await says(shown(page), /^Rows 499,999,992 to 500,000,008, columns 999,999,984 to 1,000,000,000\.$/);
  await says(squares(page), list(499999992, await construct('n=1000000000&rows=499999992-500000008')));
  await page.waitForURL(/at=499999992:999999984&span=17/);
  await settled(page);
  assert.ok((await inked(page, 17)) >= 1);
  await says(page.locator('.pane').first(), /The whole board can be verified only up to n = 1,000,000/);
});

look('requests for rows that left the window are cancelled', { hash: null, fresh: true }, async (page) => {
  await page.addInitScript(() => {
    const { fetch } = globalThis;
    globalThis.asked = []; // [url, the signal by which it can be cancelled]
    globalThis.fetch = (url, options) => {
      globalThis.asked.push([decodeURIComponent(url), options?.signal]);
      return fetch(url, options);
    };
  });
  await page.goto(`http://127.0.0.1:${server.port}/#build?n=1000000000&at=1:1&span=3000`);
  await says(shown(page), /^Rows 1 to 3,000/);
  await settled(page);
  const window = (at) => page.evaluate((hash) => (location.hash = hash), `#build?n=1000000000&at=${at}:1&span=3000`);
  const of = (rows) =>
    page.evaluate((rows) => globalThis.asked.filter(([url]) => new RegExp(rows).test(url)).map(([, signal]) => signal.aborted), rows);
  const [left, wanted] = ['rows=(499|500)\\d{6}-', 'rows=(899|900)\\d{6}-'];
  await frozen(async () => {
    await window(500000000);
    await until(async () => (await of(left)).length === 2, 'two requests, as many as are sent at once');
    await window(900000000);
    await until(async () => (await of(wanted)).length === 2, 'two others instead of them');
  });
  await says(shown(page), /^Rows 900,000,000 to 900,002,999/);
  await settled(page);
  assert.deepEqual(await of(left), [true, true]);
  assert.ok((await of(wanted)).every((cancelled) => !cancelled));
});

look('buttons, wheel and drag move the window; the URL has its position', { hash: '#build?n=1024' }, async (page) => {
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await press(page, 'Zoom in');
  await says(shown(page), 'Rows 257 to 768, columns 257 to 768.');
  await press(page, 'Zoom out');
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await canvas(page).scrollIntoViewIfNeeded();
  const { x, y, width } = await canvas(page).boundingBox();
  await page.mouse.move(x + width / 4, y + width / 4);
  await page.mouse.wheel(0, -200);
  await says(shown(page), /^Rows 1(28|29|30) to 6(39|40|41), columns 1(28|29|30) to 6(39|40|41)\.$/);
  await page.mouse.down();
  await page.mouse.move(x + width / 8, y + width / 4, { steps: 4 });
  await page.mouse.up();
  await says(shown(page), /columns 19[1-4] to 70[2-5]\.$/);
  await page.waitForURL(/at=1\d\d:19\d&span=512/);
  await page.reload();
  await says(shown(page), /columns 19[1-4] to 70[2-5]\.$/);
  await press(page, 'Whole board');
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await page.locator('canvas.whole').click({ position: { x: 10, y: 10 } });
  await page.waitForURL((url) => !url.search.includes('span'));
});

const phone = { hasTouch: true, viewport: { width: 320, height: 800 } };
look('two fingers zoom', { hash: '#build?n=1024', ...phone }, async (page, context) => {
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await canvas(page).scrollIntoViewIfNeeded();
  const { x, y, width } = await canvas(page).boundingBox();
  const touch = await context.newCDPSession(page);
  const send = (type, ...at) => {
    const touchPoints = at.map((dx, id) => ({ x: x + dx * width, y: y + width / 2, id }));
    return touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  };
  await send('touchStart', 0.4, 0.6);
  for (const far of [0.15, 0.2, 0.3, 0.4]) await send('touchMove', 0.5 - far, 0.5 + far);
  await send('touchEnd');
  await says(shown(page), /^Rows \d{3} to \d{3}, columns \d{3} to \d{3}\.$/);
  await page.waitForURL(/span=\d{3}$/);
});

look('with the keyboard only', { hash: '#build?n=1024' }, async (page) => {
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await tabTo(page, canvas(page));
  for (const key of ['+', '+', 'ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await says(shown(page), 'Rows 449 to 704, columns 417 to 672.');
  await says(page.locator('#said'), 'Rows 449 to 704, columns 417 to 672.');
  for (const key of ['-', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key);
  await says(shown(page), 'Rows 257 to 768, columns 225 to 736.');
  await page.keyboard.press('0');
  await says(shown(page), 'Rows 1 to 1,024, columns 1 to 1,024.');
  await tabTo(page, 'Verify the whole');
  await page.keyboard.press('Enter');
  await says(page.locator('.pane [role="status"]'), 'Verified: 1,024 queens, none attacks another.');
});

look('two methods side by side, at the same position', { hash: '#build?n=1069&at=100:180&span=12' }, async (page) => {
  await page.getByLabel('Compared with').selectOption('linear');
  const [left, right] = [page.locator('.pane').nth(0), page.locator('.pane').nth(1)];
  await says(left.locator('.squares'), list(100, await construct('n=1069&rows=100-111')));
  await says(right.locator('.squares'), list(100, await construct('n=1069&method=linear&rows=100-111')));
  const [one, two] = [await left.boundingBox(), await right.boundingBox()];
  assert.ok(one.y === two.y && two.x > one.x + one.width / 2, 'side by side');
  await right.locator('canvas.window').focus();
  await page.keyboard.press('ArrowDown');
  for (const pane of [left, right]) await says(pane.locator('.shown'), /^Rows 102 to 113, columns 180 to 191\.$/);
  await page.getByText('Show the request').first().click();
  await says(page.locator('.snippets pre').first(), /construct\?n=1069&method=explicit&rows=102-113/);
  await page.getByLabel('Compared with').selectOption('');
  await right.waitFor({ state: 'detached' });
});

look('by another rule the whole is verified up to its limit, which is named beyond', { hash: '#build?n=10000&rules=superqueens&method=local-search' }, async (page) => {
  await press(page, 'Verify the whole');
  await says(page.locator('.pane [role="status"]'), 'Verified: 10,000 queens, none attacks another.');
  await enter(page, 'Size n', 10001);
  await says(page.locator('.pane'), /The whole board can be verified only up to n = 10,000\./);
});

look('the whole board can be downloaded', { hash: '#build?n=12' }, async (page) => {
  const saved = async (name) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: `Save ${name}` }).click()]);
    assert.equal(file.suggestedFilename(), `queens-12-explicit.${name}`);
    return readFileSync(await file.path());
  };
  const wanted = await construct('n=12');
  assert.match(String(await saved('txt')), /READY\.\n$/);
  assert.deepEqual(JSON.parse(await saved('json')).permutation, wanted);
  const octets = await saved('bin');
  assert.deepEqual(wanted.map((_, i) => octets.readUInt32LE(4 * i)), wanted);
});

// A refusal, why, and the way out of it.
look('what has no board says why, and has a way to one', { hash: '#build?n=1000&method=linear', forgive: /status of 422/ }, async (page) => {
  await says(page.getByRole('alert').last(), 'This method has no solution with these settings; others have one.');
  await accessible(page);
  for (const [query, why, way, then] of [
    ['n=1000&method=linear', /neither 2 nor 3 divides/, 'Use Pólya 1918, product of boards', /method=tensor/],
    ['n=1000&method=neural', /at most 500/, 'Use n = 500', /n=500&method=neural/],
    ['n=24&rules=toroidal', /On a torus no solution exists if n is divisible by 2 or 3\./, 'Use n = 25', /n=25/],
    ['n=25&method=linear&multiplier=5', /This method has no solution/, 'Use Bernhardsson 1991, n mod 6', /method=explicit/],
    ['n=20000000&method=local-search', /n: at most 10,000,000/, 'Use n = 10,000,000', /n=10000000/],
    ['n=100000000&rules=superqueens', /No method here has a solution of n = 100,000,000 by this rule\./, 'Use n = 100,000,001', /n=100000001/],
    ['n=100&rules=reflecting', /n: at most 64/, 'Use n = 64', /n=64/],
    ['n=3', /No solution exists for n = 3\./, 'Use n = 4', /n=4/],
  ]) {
    await page.evaluate((hash) => (location.hash = hash), `#build?${query}`);
    await says(page.locator('.picture').first(), why);
    await press(page, way);
    await page.waitForURL(then);
    await says(shown(page), /^Rows/);
  }
});

const hash = '#build?n=1069&with=local-search&at=500:8&span=20';
everywhere({ hash }, async (page) => {
  await says(squares(page), /^500: /);
  await settled(page);
});

look('the picture follows the colours', { hash: '#build?n=300' }, async (page) => {
  const corner = () => canvas(page).evaluate((one) => String(one.getContext('2d').getImageData(one.width - 3, 3, 1, 1).data));
  await settled(page);
  const light = await corner();
  await page.locator('#theme').click();
  await settled(page);
  assert.notEqual(await corner(), light);
});

look('the keyboard stays on the rule, and is at the window that a message has led to', { hash: '#build?n=3', forgive: /422/ }, async (page) => {
  await tabTo(page, 'Use n = 4');
  await page.keyboard.press('Enter');
  await page.locator('.pane .figures dt').first().waitFor();
  assert.ok(await page.locator('.window').evaluate((at) => at === document.activeElement));
  await tabTo(page, 'Rule');
  for (const words of [/continue at the opposite border/, /knight/]) {
    await page.keyboard.press('ArrowDown');
    await says(page.locator('#rule'), words);
    assert.equal(await focused(page), 'Rule');
  }
});
