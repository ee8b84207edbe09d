// errors.test.js - what the page says in Italian when the service refuses: its own words by code and type, never the service's English.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import it from '../../src/web/words_it.js';
import { after, assert, binary, start, temporaryFolder } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { isDone, newFile, on } from '../http/storing.js';
import { look, says, server } from './browser.js';

const keys = path.join(temporaryFolder(), 'keys');
writeFileSync(keys, spawnSync(binary, ['new-key', 'ann'], { encoding: 'utf8' }).stdout);
const keyed = await start({ after }, '--api-keys', keys);
const base = `http://127.0.0.1:${keyed.port}/`;

const { count, problems, refused } = it;
const quote = (text) => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
// A sentence with any values, at the beginning of a message or after the name of a parameter.
const said = (sentence) => new RegExp(quote(sentence).replace(/\{\w+\}/g, '.+'), 'i');
const ENGLISH = /\b(the|of|is|not|must|and|for|this|with|there|has|was|at|be|it|are)\b/i;

// Remembers every sentence that an answer of the service has.
function listen(page) {
  const sentences = new Set();
  const note = (value) => {
    if (value === null || typeof value !== 'object') return;
    if (value.type && typeof value.title === 'string') sentences.add(value.title); // others are names
    for (const key of ['detail', 'why', 'reason', 'note']) if (typeof value[key] === 'string') sentences.add(value[key]);
    Object.values(value).forEach(note);
  };
  page.on('response', async (response) => {
    if (/json/.test(response.headers()['content-type'])) note(await response.json().catch(() => ({})));
  });
  return sentences;
}

// What is seen of a page that nobody marked as English.
const seen = (page) =>
  page.locator('main').evaluate((main) => {
    const hidden = [...main.querySelectorAll('[lang=en]')].map((part) => [part, part.style.display]);
    for (const [part] of hidden) part.style.display = 'none';
    const text = main.innerText;
    for (const [part, display] of hidden) part.style.display = display;
    return text;
  });

async function inItalian(page, sentences, alert, sentence) {
  const text = await says(alert, said(sentence));
  assert.doesNotMatch(text, ENGLISH);
  const all = await seen(page);
  for (const one of sentences) assert.ok(!all.includes(one), one);
}

// Jobs of a store in which they failed: one as it is written now, and one of a release that wrote no code.
const failures = [
  { n: 12, failure: { code: 'units-not-counted', units: 3 }, why: refused['units-not-counted'] },
  { n: 11, why: count.unexplained },
];
const store = newFile();
const before = await start({ after }, ...on(store));
for (const job of failures) job.id = (await before.look((await before.begin({ n: job.n, method: 'compute' })).id, isDone)).id;
await before.stop();
for (const { id, failure } of failures) {
  const code = failure ? `, '$.failure', json('${JSON.stringify(failure)}')` : '';
  const record = `json_set(json_remove(CAST(value AS TEXT), '$.body'), '$.state', 'failed', '$.why', 'There is a reason.'${code})`;
  execFileSync('sqlite3', [store, `UPDATE job SET value = ${record}, sum = NULL WHERE key = '${id}'`]);
}
const failing = await start({ after }, ...on(store));

// nginx itself refuses what is too long for it, with a page of its own.
const front = await behindNginx(keyed.port);
after(() => front.stop());
const fronted = `http://127.0.0.1:${front.port}/`;

const pages = {
  '#board?n=8&order=any&after=x': refused.syntax,
  '#board?n=8&order=any&after=1,2,3': refused['not-a-solution'],
  '#play?code=zzz': refused['not-a-code'],
  '#play?daily=2026-99-99': refused.syntax,
  '#play?kind=completion&n=8&seed=1&clues=1': refused['puzzle-not-found'],
  '#watch?n=8&algorithm=romani-4&split=3': refused['number-of-values'],
  '#watch?n=8&algorithm=romani-4&split=6,3': refused['not-ascending'],
  '#watch?n=8&algorithm=romani-2&column=9': refused['off-board'],
  '#count?n=28&distinct=fundamental': refused['above-limit'],
  '#count?n=40&symmetry=point&rules=superqueens': refused['too-many-rows-compute'],
  '#count?n=8&job=0123456789abcdef': count.noJob,
  '#build?n=1000&method=linear': refused['method-has-none'],
  '#build?n=3': refused['no-solution'],
  '#build?n=26&method=tensor&factors=5x5': refused['not-factors'],
  '#build?n=1000&method=neural': refused['above-limit'],
  '#build?n=25&method=linear&multiplier=0': refused['below-minimum'],
};
look('every tab refuses in Italian', { hash: '', locale: 'it', forgive: /status of 4(00|04|22)/ }, async (page) => {
  const sentences = listen(page);
  for (const [hash, sentence] of Object.entries(pages)) {
    sentences.clear();
    await page.goto(`http://127.0.0.1:${server.port}/${hash}`);
    await inItalian(page, sentences, page.locator('main [role=alert]').filter({ visible: true }).last(), sentence);
    assert.ok(sentences.size > 0, hash);
    await page.goto('about:blank');
  }
});

// An operation of the contract, unfolded with its form.
async function form(page, id) {
  const part = page.locator(`[id="/${id}"]`);
  for (const details of [part, part.locator('.try')]) await details.evaluate((it) => (it.open = true));
  return part;
}

// By operation: the values of its form, or its body, and what the answer says.
const requests = [
  ['solve', { n: '', place: '1:' }, refused.required, refused.syntax],
  ['solve', { n: '8', place: '1:1,1:1' }, refused['square-twice']],
  ['solve', { n: '8', place: '9:1' }, refused['square-off-board']],
  ['solve', { n: '8', limit: '0' }, refused['below-minimum']],
  ['count', { n: '9-8' }, refused['range-reversed']],
  ['count', { n: '8', regions: 'aab' }, refused['not-regions']],
  ['puzzle', { n: '300' }, refused['above-limit']],
  ['begin', '{"kind":"count","n":30}', refused['too-costly']],
  ['begin', '{"kind":"count","regions":"aaab/acbb/ccdb/cddd"}', refused['unknown-parameter']],
  ['verify', '{"permutation": [1, 2', refused.malformed],
  ['verify', '{"permutation": [1, 5, 2]}', refused['out-of-range']],
  ['verify', '{"n": 8, "permutation": [1, 2]}', refused.disagrees],
];
look('every form of the API is refused in Italian', { hash: 'docs', locale: 'it', forgive: /status of 4(00|22)/ }, async (page) => {
  const sentences = listen(page);
  for (const [id, values, ...wanted] of requests) {
    sentences.clear();
    const part = await form(page, id);
    if (typeof values === 'string') await part.locator('textarea').fill(values);
    else for (const [name, value] of Object.entries(values)) await part.getByLabel(new RegExp(`^${name}\\*?$`)).fill(value);
    await part.locator('form .button.main').click();
    for (const sentence of wanted) await inItalian(page, sentences, part.getByRole('alert'), sentence);
    if (typeof values !== 'string') for (const name of Object.keys(values)) await part.getByLabel(new RegExp(`^${name}\\*?$`)).fill('');
  }
});

look('a job that failed says why in Italian', { hash: null, base: `http://127.0.0.1:${failing.port}/`, locale: 'it' }, async (page) => {
  for (const { n, id, why } of failures) {
    assert.equal((await failing.look(id)).why, 'There is a reason.');
    await page.goto(`http://127.0.0.1:${failing.port}/#count?n=${n}&job=${id}`);
    await says(page.locator('main'), said(why));
    assert.doesNotMatch(await seen(page), /There is a reason/);
    await page.goto('about:blank');
  }
});

look('what needs a key says so in Italian', { hash: 'docs', base, locale: 'it', forgive: /status of 401/ }, async (page) => {
  const sentences = listen(page);
  const part = await form(page, 'begin');
  await part.locator('form .button.main').click();
  await inItalian(page, sentences, part.getByRole('alert'), problems['key-needed']);
});

look('a proxy that answers itself', { hash: null, base: fronted, locale: 'it', forgive: /status of 414/ }, async (page) => {
  await page.goto(`${fronted}#board?n=8&order=any&after=${'1,'.repeat(5000)}1`);
  await inItalian(page, ['Request-URI Too Large'], page.locator('main [role=alert]'), problems.status);
});

// No server sends this: it stands for every fault of the page.
look('an answer that no page can read', { hash: null, locale: 'it', forgive: /Error/ }, async (page) => {
  await page.route('**/solve?*', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: 'null' }));
  await page.goto(`http://127.0.0.1:${server.port}/#board?n=9`);
  await inItalian(page, ['undefined'], page.locator('main [role=alert]'), problems.page);
});
