// errors.test.js - that a page in Italian says in Italian, where it shows it, what the service refuses. refusals.test.js has the words.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import it from '../../src/web/words_it.js';
import { after, assert, binary, start, temporaryFolder } from '../http/harness.js';
import { look, says, server } from './browser.js';

const keys = path.join(temporaryFolder(), 'keys');
writeFileSync(keys, spawnSync(binary, ['new-key', 'ann'], { encoding: 'utf8' }).stdout);
const keyed = await start({ after }, '--api-keys', keys);

const { count, problems, refused } = it;
const quote = (text) => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
// A sentence with any values, at the beginning of a message or after the name of a parameter.
const said = (sentence) => new RegExp(quote(sentence).replace(/\{\w+\}/g, '.+'), 'i');
const ENGLISH = /\b(the|of|is|not|must|and|for|this|with|there|has|was|at|be|it|are)\b/i;
const refuses = async (alert, sentence) => assert.doesNotMatch(await says(alert, said(sentence)), ENGLISH);

const pages = {
  '#board?n=8&order=any&after=1,2,3': refused['not-a-solution'],
  '#play?code=zzz': refused['not-a-code'],
  '#watch?n=8&algorithm=romani-4&split=6,3': refused['not-ascending'],
  '#count?n=28&distinct=fundamental': refused['above-limit'],
  '#count?n=8&job=0123456789abcdef': count.noJob,
  '#build?n=1000&method=linear': refused['method-has-none'],
};
look('every tab refuses in Italian, also what no page can read', { hash: null, locale: 'it', forgive: /status of 4(00|04|22)|Error/ }, async (page) => {
  const open = async (hash) => {
    await page.goto('about:blank');
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
  };
  for (const [hash, sentence] of Object.entries(pages)) {
    await open(hash);
    await refuses(page.locator('main [role=alert]').filter({ visible: true }).last(), sentence);
  }
  // No server sends this: it stands for every fault of the page.
  await page.route('**/solve?*', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: 'null' }));
  await open('#board?n=9');
  await refuses(page.locator('main [role=alert]'), problems.page);
});

look('forms of the API refuse in Italian, and say that a key is needed', { hash: 'docs', base: `http://127.0.0.1:${keyed.port}/`, locale: 'it', forgive: /status of 40[01]/ }, async (page) => {
  for (const [id, body, sentence] of [['begin', null, problems['key-needed']], ['verify', '{"permutation": [1, 5, 2]}', refused['out-of-range']]]) {
    const part = page.locator(`[id="/${id}"]`);
    for (const details of [part, part.locator('.try')]) await details.evaluate((it) => (it.open = true));
    if (body) await part.locator('textarea').fill(body);
    await part.locator('form .button.main').click();
    await refuses(part.getByRole('alert'), sentence);
  }
});
