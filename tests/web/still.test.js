// still.test.js - while a view comes on a slow phone nothing that is seen moves: what is not there yet has its room.
import { assert } from '../http/harness.js';
import { look, server } from './browser.js';
import { views } from './views.js';

const base = `http://127.0.0.1:${server.port}/`;
// The phone and the network of Lighthouse, where each script and each answer comes by itself.
const phone = { hash: null, fresh: true, serviceWorkers: 'block', deviceScaleFactor: 1.75, isMobile: true, hasTouch: true, viewport: { width: 412, height: 823 } };
const network = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: (750e3 / 8) * 0.9 }; // ms, bytes a second
const SLOWER = 4; // times
const MOST = 0.02; // Lighthouse takes off points from 0.1 on, and a hundredth from 0.04 on

// In the page: each shift that no reader has caused goes to globalThis.shifts, with what has moved.
function watchShifts() {
  globalThis.shifts = [];
  const name = (node) => (node?.nodeType === Node.ELEMENT_NODE ? `${node.tagName}.${node.getAttribute('class') ?? node.id}` : `${node?.parentElement?.tagName} ${node?.data}`);
  const place = ({ y, height }) => `${Math.round(y)}+${Math.round(height)}`;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources, startTime } of list.getEntries())
      if (!hadRecentInput)
        globalThis.shifts.push({ value, at: Math.round(startTime), moved: sources.map((one) => `${name(one.node)} ${place(one.previousRect)} -> ${place(one.currentRect)}`) });
  }).observe({ type: 'layout-shift', buffered: true });
}

for (const [name, [address, seen]] of Object.entries(views))
  look(`${name} comes on a slow phone, and nothing moves`, phone, async (page, context) => {
    await page.addInitScript(watchShifts);
    const tools = await context.newCDPSession(page);
    await tools.send('Network.enable');
    await tools.send('Network.emulateNetworkConditions', network);
    await tools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.goto(`${base}${address}`);
    await page.locator(seen).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    const shifts = await page.evaluate(() => globalThis.shifts);
    const sum = shifts.reduce((all, { value }) => all + value, 0);
    console.log(`# ${name}: ${sum.toFixed(4)}`);
    assert.ok(sum <= MOST, JSON.stringify(shifts, null, 1));
  });
