// lighthouse.test.js - Lighthouse gives every view 1.0 for accessibility, best practices, performance and search engines. It simulates a phone with
// a slow network. It is a package of its own, tests/lighthouse: 185 MB that CI does not need. NQ_AUDIT=1 prints all that it finds.
import lighthouse from '../../lighthouse/node_modules/lighthouse/core/index.js';
import { launch } from '../../lighthouse/node_modules/chrome-launcher/dist/index.js';
import { after, assert, start, test } from '../../http/harness.js';
import { views } from '../views.js';

const CATEGORIES = ['accessibility', 'best-practices', 'performance', 'seo'];
const categoriesOf = (name) => CATEGORIES.filter((category) => name !== 'embed' || category !== 'seo'); // search engines shall not list that one
const TRIES = 3; // a busy machine makes a page slow: the best one counts
const server = await start({ after });
const chrome = await launch({
  chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  logLevel: 'silent',
});
after(() => chrome.kill());

// What costs points: [text].
const flaws = ({ categories, audits }) =>
  Object.values(categories).flatMap(({ id, auditRefs }) =>
    auditRefs
      .filter(({ id: name, weight }) => weight > 0 && audits[name].score !== null && audits[name].score < 1)
      .map(({ id: name }) => `${id}: ${name} ${audits[name].score} ${audits[name].displayValue ?? ''}`),
  );

async function audit(path, categories) {
  const { lhr } = await lighthouse(`http://127.0.0.1:${server.port}/${path}`, {
    ...{ port: chrome.port, logLevel: 'silent', onlyCategories: categories, output: 'json' },
  });
  if (process.env.NQ_AUDIT) console.log(JSON.stringify(lhr, null, 1));
  return { scores: categories.map((name) => lhr.categories[name].score), found: flaws(lhr), failed: lhr.runtimeError };
}

for (const [name, [path]] of Object.entries(views))
  test(`Lighthouse: ${name}`, async () => {
    const categories = categoriesOf(name);
    let best;
    for (let i = 0; i < TRIES && best?.sum !== categories.length; i++) {
      const { scores, found, failed } = await audit(path, categories);
      assert.equal(failed, undefined);
      const sum = scores.reduce((a, b) => a + b);
      if (!best || sum > best.sum) best = { sum, scores, found };
    }
    assert.deepEqual(best.scores, categories.map(() => 1), best.found.join('; '));
  });
