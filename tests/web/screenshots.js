// screenshots.js - makes the two pictures of the explorer that the documents show: make screenshots. It asserts nothing.
//
// Which they are: [file, hash, colours, what is to be seen before the picture is taken, how high it is, a button to press before, how
// wide it is].
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { start } from '../http/harness.js';

const pictures = [
  ['explorer-play', '#play?code=1mg7d3t', 'light', '.board .mark.lit', 900, 'Hint'],
  ['explorer-watch', '#watch?step=63', 'dark', '.side .figures .button', 740, null, 1080],
];
const MOST = 120000; // bytes

const ends = [];
const server = await start({ after: (end) => ends.push(end) });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
try {
  for (const [name, hash, colorScheme, seen, height, button, width = 1440] of pictures) {
    const page = await browser.newPage({ locale: 'en-GB', viewport: { width, height }, colorScheme });
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
    if (button) await page.getByRole('button', { name: button, exact: true, disabled: false }).click();
    await page.locator(seen).first().waitFor();
    await page.waitForLoadState('networkidle');
    const file = fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    console.log(`${file}: ${size} bytes`);
    if (size > MOST) throw new Error(`${name} has more than ${MOST} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
  for (const end of ends.reverse()) await end();
}
