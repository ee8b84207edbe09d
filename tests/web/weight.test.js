// weight.test.js - what a browser with nothing kept loads before a tab shows its content, without a proxy or a worker: few requests, few bytes,
// headers among them.
import { assert, longer } from '../http/harness.js';
import { look, server } from './browser.js';
import { languages } from './languages.js';

const heaviest = ['ru']; // NQ_LONG=1: every language

// By hash: what is seen when it is there, the most requests, the most bytes.
const views = {
  '': ['svg.board', 6, 45e3],
  'board': ['svg.board', 6, 39e3],
  '#play': ['svg.board', 6, 48e3],
  '#play?kind=completion': ['svg.board', 6, 48e3],
  '#play?kind=free': ['svg.board', 6, 40e3],
  '#watch': ['svg.board', 6, 50e3],
  '#count': ['svg.chart', 6, 45e3],
  '#build': ['canvas', 6, 45e3],
  'docs': ['main h2', 4, 90e3],
};

for (const [hash, [seen, requests, most]] of Object.entries(views))
  for (const locale of longer ? languages : heaviest)
    look(`${hash || 'the first page'} in ${locale} takes at most ${requests} requests and ${most} bytes`, { hash: null, fresh: true, serviceWorkers: 'block', locale, viewport: { width: 1280, height: 800 } }, async (page, context) => {
      const wire = await context.newCDPSession(page);
      await wire.send('Network.enable');
      const urls = [];
      let bytes = 0;
      wire.on('Network.requestWillBeSent', ({ request: { url } }) => url.startsWith('http') && urls.push(url));
      wire.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
      await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
      await page.locator(seen).first().waitFor();
      await page.waitForLoadState('networkidle');
      console.log(`# ${locale} ${hash || 'the first page'}: ${urls.length} requests, ${bytes} bytes`);
      assert.ok(urls.length <= requests && bytes < most, `${bytes} bytes, ${urls.join(' ')}`);
    });
