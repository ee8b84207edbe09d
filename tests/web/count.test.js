// count.test.js - the tab Count as a reader sees it: a chart, the number of one size and where it comes from, a job, a gallery.
import { assert, long, longer } from '../http/harness.js';
import { accessible, everywhere, fits, focused, look, press, says, server, tabTo, where } from './browser.js';
import { wordsOf } from './languages.js';

const { count, rules } = await wordsOf('en');
const amount = (page) => page.locator('.amount').first();
const source = (page) => page.locator('.source');
const panel = (page, title) => page.locator('.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const job = (page) => panel(page, 'Run the count');
const drawn = (page) => page.locator('.chart[role=group]').waitFor();
const id = (page) => page.url().match(/job=([0-9a-f]{16})/)[1];

// ---- A number, and where it comes from ----

look('where a number comes from: a sequence, an estimate that can be bettered, a formula', { hash: '#count?n=27' }, async (page) => {
  const size = async (n) => {
    await page.getByLabel('Size n').fill(String(n));
    await page.keyboard.press('Enter');
  };
  await says(amount(page), '234,907,967,154,122,528');
  await says(source(page), ' Exact: published, not counted here, in the sequence A000170');
  await page.locator('.source .diamond').waitFor();
  assert.equal(await source(page).getByRole('link').getAttribute('href'), 'https://oeis.org/A000170');
  await size(28);
  await says(amount(page), /^≈ 2\.\d+ · 10¹⁸$/);
  await says(source(page), /^ Estimated from 200 random descents, of which \d+ found a solution; standard error [\d.]+ · 10¹⁷ \(10 %\)\.$/);
  await press(page, 'Estimate more exactly');
  await says(source(page), /^ Estimated from 20,000 random descents, of which [\d,]+ found .* 10¹⁶ \(\d\.?\d* %\)\.$/);
  await page.locator('.source .ring').waitFor();
  await size(1000);
  await says(amount(page), 'log₁₀ Q(n) ≈ 2,158.033');
  await says(source(page), /whose factor is a fit: a number of about 2,159 digits\./);
  await job(page).waitFor({ state: 'hidden' }); // such a board cannot be counted
  await page.goto(page.url().replace(/#.*/, '#count?n=20'));
  await says(amount(page), '39,029,188,884');
  await page.getByLabel('Source').selectOption('Estimate'); // a known count can be estimated as well
  await says(amount(page), /^≈ 3\.\d+ · 10¹⁰$/);
  assert.match(page.url(), /method=estimate/);
});

look('up to symmetry, and with a symmetry; what the service notes', { hash: '#count?n=12' }, async (page) => {
  await says(amount(page), '14,200');
  await page.getByRole('combobox', { name: 'Count', exact: true }).selectOption('up to symmetry');
  await says(amount(page), '1,787');
  await page.getByRole('combobox', { name: 'Symmetry', exact: true }).selectOption('unchanged by a half turn');
  await says(amount(page), '22');
  await page.reload();
  await says(amount(page), '22');
  await press(page, 'Larger board');
  await says(amount(page), String((await server.getJson('/count?n=13&distinct=fundamental&symmetry=point')).count));
  await says(source(page), ' Exact: counted here by search, orbit by orbit.');
  for (const [query, wanted, note] of [
    ['n=34&rules=toroidal&method=estimate', '≈ 0', rules.toroidal.none],
    ['n=17&rules=superqueens&distinct=mirror', '665,311', count.halved],
  ]) {
    await page.goto(page.url().replace(/#.*/, `#count?${query}`));
    await says(amount(page), wanted);
    await says(page.locator('.source + .note'), note);
  }
});

look('by another rule: the number, the job, the chart, the gallery, the way to the board', { hash: '#count?n=11&gallery=1' }, async (page) => {
  await says(amount(page), '2,680');
  await page.getByLabel('Rule').selectOption('queens on a torus');
  await says(amount(page), '88');
  await says(page.locator('.answer h3'), 'n = 11, queens on a torus');
  await says(page.locator('.seen'), 'n = 11; 88; exact, counted here');
  assert.equal(await page.getByRole('combobox', { name: 'Part of the chart' }).count(), 0); // there are no estimates
  await press(page, 'Count n = 11, queens on a torus');
  await says(job(page).locator('.amount'), '88');
  const board = page.locator('.gallery a').first();
  const { solutions } = await server.getJson('/solve?n=11&rules=toroidal&distinct=fundamental&limit=2');
  await page.locator('.gallery li').nth(1).waitFor();
  assert.equal(await board.getAttribute('href'), `board?n=11&rules=toroidal&columns=${solutions[0].permutation}`);
  await page.locator('.gallery a').nth(1).click();
  await says(page.locator('.permutation'), solutions[1].permutation.join(' '));
  await says(page.locator('.figures'), /\d+ of 88/);
});

look('a question without an answer has the reason and an alternative, where the keyboard is led', { hash: '#count?n=28&distinct=fundamental', forgive: /422/ }, async (page) => {
  const ways = async (...names) => assert.deepEqual(await page.locator('.answer button').allTextContents(), names);
  await says(page.locator('.answer h3'), 'n = 28, up to symmetry');
  await says(page.locator('.answer [role=alert]'), 'n: at most 27');
  await ways('Estimate', 'Show n = 27');
  await tabTo(page, 'Show n = 27');
  await page.keyboard.press('Enter');
  await says(amount(page), /^\d{2}/);
  assert.ok(await page.locator('.answer').evaluate((answer) => answer.contains(document.activeElement)));
  await page.goBack();
  await page.getByRole('button', { name: 'Estimate', exact: true }).click();
  await says(amount(page), /^≈ 2\.\d+ · 10¹⁸$/);
  await page.goto(page.url().replace(/#.*/, '#count?n=65&rules=toroidal'));
  await says(page.locator('.answer [role=alert]'), /^n: at most \d+$/);
  await ways('Show n = 33');
  await press(page, 'Show n = 33');
  await says(source(page), ' Exact: counted here without a search.');
  await page.getByLabel('Size n').fill('35'); // of so large a torus hardly a descent finds a solution
  await page.keyboard.press('Enter');
  await says(page.locator('.answer [role=alert]'), 'n: no count is published for this question');
  assert.equal(await page.locator('.answer button, .count label:has-text("Source"):visible').count(), 0);
});

look('the request shown for the screen works in three languages', { hash: '#count?n=20&distinct=mirror' }, async (page) => {
  await says(amount(page), '19,514,594,442');
  for (const [i, wanted] of [/\/count\?n=20&distinct=mirror'/, /^(?=.*jobs).*"kind":"count","n":20,"distinct":"mirror"/s].entries()) {
    await page.getByText('Show the request').nth(i).click();
    for (const text of await page.locator('.snippets').nth(i).locator('pre').allTextContents())
      assert.match(text.replaceAll('\\', ''), wanted); // a body is a text within a text in Python
  }
});

// ---- A job ----

look('a quick count runs at once', { hash: '#count?n=16' }, async (page) => {
  await says(amount(page), '14,772,512');
  await press(page, 'Count n = 16');
  await says(job(page).locator('.amount'), '14,772,512');
  await says(job(page).locator('p').nth(1), /^Counted in about .*: n = 16\.( Pieces from earlier counts: \d+ of [1-9]\d*\.)?$/);
  await page.reload();
  await says(job(page).locator('.amount'), '14,772,512');
  await press(page, 'Close');
  await job(page).locator('.amount').waitFor({ state: 'detached' });
  assert.doesNotMatch(page.url(), /job=/);
});

look('a long count shows its cost first, then is followed, shared, cancelled and continued', { hash: '#count?n=22' }, async (page, context) => {
  await press(page, 'Count n = 22');
  await says(job(page).locator('p').nth(1), /^Counting n = 22 would take about .+ on .+: .+ of one core\. Begin\?$/);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Begin');
  assert.doesNotMatch(page.url(), /job=/);
  await page.keyboard.press('Enter');
  await job(page).getByText('Counting n = 22', { exact: true }).waitFor();
  await page.waitForURL(/job=/);
  await page.getByRole('progressbar', { name: 'Progress of the count' }).waitFor();
  await accessible(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Cancel' }).waitFor();
  await press(page, 'Cancel');
  for (const each of [page, other])
    await says(job(each).locator('p').nth(1), /^Cancelled at [\d.]+ %: n = 22\. Finished pieces are stored\.$/);
  assert.equal((await server.look(id(page))).state, 'cancelled');
  await press(page, 'Continue');
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await press(page, 'Cancel');
  await says(job(page).locator('p').nth(1), /^Cancelled at/);
});

look('a job of another client is followed as it progresses, and again when the service is back', { hash: null, forgive: /ERR_INTERNET_DISCONNECTED/ }, async (page, context) => {
  const begun = await server.begin(long);
  await page.goto(`http://127.0.0.1:${server.port}/#count?n=8&job=${begun.id}`);
  await says(amount(page), '92');
  await job(page).getByText(`Counting n = ${long.n}, exclude=${long.exclude}`).waitFor();
  await says(job(page).locator('p').nth(2), /^[\d.]+ %; [\d,]*[1-9][\d,]* of [\d,]+ pieces; about .+ to go$/);
  const progresses = async () => {
    const before = await page.getByRole('progressbar').evaluate((bar) => bar.value);
    await page.waitForFunction((value) => document.querySelector('progress')?.value > value, before);
  };
  await progresses();
  await context.setOffline(true);
  await says(page.locator('#gone'), /does not answer/);
  await context.setOffline(false);
  await page.locator('#gone').waitFor({ state: 'hidden' });
  await progresses();
  await press(page, 'Cancel');
  await says(job(page).locator('p').nth(1), /^Cancelled at/);
});

look('a job that is unknown, and one beyond the limit', { hash: '#count?n=8&job=0123456789abcdef', forgive: /status of 404/ }, async (page) => {
  await says(job(page).getByRole('alert'), /^There is no such job any more\./);
  await press(page, 'Count n = 8');
  await says(job(page).locator('.amount'), '92');
  await page.goto(page.url().replace(/#.*/, '#count?n=30'));
  await press(page, 'Count n = 30');
  await says(job(page).locator('p').nth(1), /years on .* That is more than this service accepts\.$/);
  await job(page).getByRole('button', { name: 'Estimate' }).waitFor();
});

// ---- The chart ----

look('every point is also there in words and in a table', { hash: '#count?n=8' }, async (page) => {
  await drawn(page);
  const seen = page.locator('.seen');
  await says(seen, 'n = 8; 92; exact, counted here');
  await page.getByRole('button', { name: /^n = 27; / }).hover();
  await says(seen, 'n = 27; 234,907,967,154,122,528; exact, published, A000170');
  await page.getByRole('button', { name: /^n = 40; \d\.\d+ · 10³¹ ± [\d.]+ %; estimated$/ }).hover();
  await says(seen, /^n = 40/);
  await page.getByText('The same as a table').click();
  const row = (n) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(n), exact: true }) });
  await says(row(20), '2039,029,188,884exact, published, A000170');
  await says(row(3), '30exact, counted here');
  await says(row(35), /^35.*·.*±.*%estimated$/);
  await page.getByRole('combobox', { name: 'Part of the chart' }).selectOption('n = 26 to 30, with error bars');
  await page.getByRole('button', { name: /^n = 40/ }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => {
    const heights = [...document.querySelectorAll('.chart .bar')].map((bar) => bar.getBoundingClientRect().height);
    return heights.length === 3 && heights.every((height) => height > 8);
  });
  assert.match(page.url(), /range=near/);
});

look('at first one question, with the filters and the rule of the page; then one a rule, with all its marks', { hash: null }, async (page) => {
  const asked = [];
  page.on('request', (request) => asked.push(request.url().replace(/^.*?\/\/[^/]+/, '')));
  await page.goto(`http://127.0.0.1:${server.port}/#count?n=8`);
  await says(amount(page), '92');
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked.filter((path) => !/^\/(web\/.*)?$/.test(path)), ['/algorithms?table=rules', '/count?n=0-40&method=any&walks=200&seed=1']);
  const all = (await server.getJson('/algorithms')).rules.map(({ name }) => name);
  for (const rules of longer ? all : ['queens', 'toroidal', 'reflecting']) {
    asked.length = 0;
    await page.getByLabel('Rule').selectOption(rules);
    const { counts } = await server.getJson(`/count?n=0-40&rules=${rules}`);
    await says(page.locator('.seen'), `n = 8; ${counts[8].count.toLocaleString('en-GB')}; exact, counted here`);
    await says(amount(page), counts[8].count.toLocaleString('en-GB'));
    assert.equal(asked.length, Number(rules !== 'queens'), asked.join('\n')); // queens are here already
    const exact = counts.filter(({ count_text: text }) => text);
    const shown = exact.filter(({ count_text: text }) => text !== '0');
    const marks = (shapes) => page.locator(`.plot :is(${shapes})`).count();
    assert.equal(await marks('.dot, .diamond'), shown.length, rules);
    assert.equal(await marks('.cross'), exact.length - shown.length, `${rules}: sizes without a solution`);
    assert.equal(await marks('.ring'), rules === 'toroidal' ? 0 : 41 - exact.length, `${rules}: estimates`); // hardly a descent ends there
    const largest = shown.filter(({ provenance }) => provenance === 'table').at(-1).n;
    await page.locator('.legend').getByText(`exact, published, up to n = ${largest}`, { exact: true }).waitFor();
  }
  await page.getByRole('combobox', { name: 'Count', exact: true }).selectOption('up to symmetry');
  const { counts } = await server.getJson('/count?n=8-8&distinct=fundamental&rules=reflecting');
  await says(page.locator('.seen'), `n = 8; ${counts[0].count}; exact, counted here`);
});

look('the keyboard alone counts, moves in the chart and turns pages, and stays on Next', { hash: '#count?n=12' }, async (page) => {
  await drawn(page);
  await tabTo(page, /^Symmetry classes/);
  await page.keyboard.press('Enter');
  await page.locator('.gallery').waitFor();
  await tabTo(page, /^Larger board$/);
  await page.keyboard.press('Enter');
  await says(amount(page), '73,712');
  await page.getByRole('button', { name: /^n = 13; / }).waitFor();
  await tabTo(page, /^n = 13; /);
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(page), /^n = 12; /);
  await page.keyboard.press('Enter');
  await says(amount(page), '14,200');
  await says(page.locator('.shown'), '1 to 12 of 1,787');
  await page.getByRole('button', { name: /^Next$/ }).waitFor();
  await tabTo(page, /^Next$/);
  for (const text of ['13 to 24 of 1,787', '25 to 36 of 1,787']) {
    await page.keyboard.press('Space');
    await says(page.locator('.shown'), text);
  }
});

// ---- The gallery ----

look('classes by the size of their orbits, and fundamental solutions, page by page, by class, and to the board', { hash: '#count?n=12' }, async (page) => {
  await page.getByText('Symmetry classes, and a board of each').click();
  await page.waitForURL(/gallery=1/);
  const cells = async (name) => {
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    return row.getByRole('cell').allTextContents();
  };
  await page.getByRole('rowheader', { name: 'In all' }).waitFor();
  assert.deepEqual(await cells('8 images'), ['1,765', '14,120']);
  assert.deepEqual(await cells('4 images'), ['18', '72']);
  assert.deepEqual(await cells('2 images'), ['4', '8']);
  assert.deepEqual(await cells('In all'), ['1,787', '14,200']);
  await says(page.locator('.shown'), '1 to 12 of 1,787');
  assert.equal(await page.locator('.gallery .board').count(), 12);
  await page.getByRole('combobox', { name: 'Class' }).selectOption('unchanged by a half turn');
  await says(page.locator('.shown'), '1 to 12 of 22');
  await press(page, 'Next');
  await says(page.locator('.shown'), '13 to 22 of 22');
  assert.ok(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled());
  await page.getByRole('combobox', { name: 'Class' }).selectOption('unchanged by a quarter turn');
  await says(page.locator('.shown'), '1 to 4 of 4');
  assert.equal(await page.locator('.gallery').getByText('2 images', { exact: true }).count(), 4);
  const [{ permutation }] = (await server.getJson('/solve?n=12&distinct=fundamental&symmetry=quarter')).solutions;
  await page.getByRole('link', { name: `${permutation.join(' ')}, 2 images: to the board` }).click();
  await says(page.locator('h2'), 'Board');
  await says(page.locator('.permutation'), permutation.join(' '));
  await page.goBack();
  await says(page.locator('.shown'), '1 to 4 of 4');
});

look('of boards that are pressed only the last one opens, and none once the reader is elsewhere', { hash: '#count?n=8&gallery=1' }, async (page) => {
  const boards = page.locator('.gallery a');
  await boards.nth(11).waitFor();
  let release;
  const until = new Promise((resolve) => (release = resolve));
  await page.route('**/verify*', async (route) => {
    await until;
    await route.continue().catch(() => {}); // what the page has given up
  });
  const press = async (board) => {
    await boards.nth(board).waitFor();
    const request = page.waitForRequest('**/verify*');
    await boards.nth(board).click();
    await request;
  };
  const leave = async (way) => {
    const given = page.waitForEvent('requestfailed');
    await way();
    await given;
  };
  await press(1);
  await leave(() => page.goBack());
  await press(2);
  await leave(() => page.getByRole('link', { name: 'Count', exact: true }).click());
  await page.getByText('Symmetry classes, and a board of each').click();
  await press(3);
  release();
  const { solutions } = await server.getJson('/solve?n=8&distinct=fundamental&limit=4');
  await says(page.locator('.permutation'), solutions[3].permutation.join(' '));
  assert.match(where(page), /^\/board\?n=8&offset=\d+$/);
  await page.goBack();
  await boards.nth(11).waitFor();
});

look('a board of the gallery is the same in another tab of the browser', { hash: '#count?n=7&rules=semiqueens&gallery=1' }, async (page, context) => {
  const boards = page.locator('.gallery a');
  const { solutions } = await server.getJson('/solve?n=7&rules=semiqueens&distinct=fundamental&limit=12');
  for (const [board, how] of [[11, { modifiers: ['Control'] }], [7, { button: 'middle' }]]) {
    const other = context.waitForEvent('page');
    await boards.nth(board).click(how);
    await says((await other).locator('.permutation'), solutions[board].permutation.join(' '));
  }
  assert.equal(where(page), '/count#n=7&rules=semiqueens&gallery=1');
});

look('a page of the gallery that fails: no way to the next one until it is there', { hash: '#count?n=12&gallery=1', forgive: /503/ }, async (page) => {
  const next = page.getByRole('button', { name: 'Next', exact: true });
  await says(page.locator('.shown'), '1 to 12 of 1,787');
  const busy = async (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' });
  await page.route('**/solve?*offset=12*', busy, { times: 1 });
  await next.click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  assert.ok(await next.isDisabled());
  await says(page.locator('.shown'), '');
  await press(page, 'Try again');
  await says(page.locator('.shown'), '13 to 24 of 1,787');
  await next.click();
  await says(page.locator('.shown'), '25 to 36 of 1,787');
});

look('a size without a gallery: a link to one that has, over which the request stays unfolded; no solution has no class', { hash: '#count?n=12&gallery=1' }, async (page) => {
  const gallery = page.locator('.shapes');
  const request = gallery.locator('.snippets pre').first();
  await gallery.getByText('Show the request').click();
  await request.waitFor();
  await page.evaluate(() => (location.hash = '#count?n=20&gallery=1'));
  await says(page.locator('.shown'), 'Solutions are shown up to n = 16.');
  assert.ok(await request.isHidden());
  await gallery.getByRole('button', { name: 'Show n = 12' }).click();
  await says(page.locator('.shown'), '1 to 12 of 1,787');
  await request.getByText('n=12').waitFor();
  await page.evaluate(() => (location.hash = '#count?n=3&gallery=1'));
  await says(amount(page), '0');
  await says(page.locator('.shown'), 'There is no such solution for n = 3.');
});

// ---- All of it ----

everywhere({ hash: '#count?n=8&gallery=1' }, async (page) => {
  await drawn(page);
  await page.locator('.gallery').waitFor();
  await page.getByText('The same as a table').click();
});

look('it fits in the language of the longest words', { hash: '#count?n=28&range=near&gallery=1', viewport: { width: 320, height: 800 }, locale: 'ru' }, async (page) => {
  await drawn(page);
  await page.getByRole('heading', { name: 'Классы симметрии и доска каждого' }).waitFor();
  assert.doesNotMatch(await page.locator('main').textContent(), /count\.\w|\{\w+\}|undefined|NaN/);
  await fits(page);
});

// ---- Placements of each number of queens ----

const profile = (page) => panel(page, 'Placements of each number of queens');
// What the chart says of each number of queens, and where its mark is: from bottom to top.
const marks = (page) => profile(page).locator('.chart g[role=button]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
const wanted = ({ distribution }) => distribution.map(({ value, count }) => `${value} queen${value === 1 ? '' : 's'}: ${count.toLocaleString('en')}`);

look('the placements of each number of queens, as a chart and as a table, are those of the service', { hash: 'count#n=8' }, async (page) => {
  await page.getByText('Placements of each number of queens').click();
  const answer = await server.getJson('/count?n=8&by=queens');
  await says(profile(page).locator('.legend'), `In all ${answer.count.toLocaleString('en')}, exact, counted here`);
  assert.deepEqual(await marks(page), wanted(answer));
  assert.equal(where(page), '/count#n=8&profile=1');
  const heights = await profile(page).locator('.chart path.dot[transform]').evaluateAll((all) => all.map((dot) => Number(/ ([\d.]+)\)/.exec(dot.getAttribute('transform'))[1])));
  const order = (values) => values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  assert.deepEqual(order(heights).reverse(), order(answer.distribution.map(({ count }) => count)));
  await profile(page).getByText('The same as a table').click();
  await profile(page).locator('tr:has(td)').first().waitFor();
  const rows = await profile(page).locator('tr:has(td)').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent).join(' queens: ')));
  assert.deepEqual(rows.map((row) => row.replace(/^1 queens/, '1 queen')), wanted(answer));
  await accessible(page);
  await tabTo(page, '8 queens: 92'); // by the keyboard to another one, and to its boards
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await says(profile(page).locator('.seen'), '5 queens: 46,736');
  await page.keyboard.press('Enter');
  assert.equal(where(page), '/count#n=8&profile=1&queens=5');
  assert.equal(await focused(page), '5 queens: 46,736');
  assert.deepEqual(await profile(page).locator('.chart [aria-pressed=true]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))), ['5 queens: 46,736']);
  assert.equal(await profile(page).getByRole('link', { name: 'Show these placements' }).getAttribute('href'), 'board?n=8&queens=5');
  await page.reload();
  await says(profile(page).locator('.seen'), '5 queens: 46,736');
  await profile(page).getByRole('link', { name: 'Show these placements' }).click();
  await says(page.locator('.figures'), '1 of 46,736');
  assert.equal(where(page), '/board?n=8&queens=5');
});

look('the same with rows and walls, by another rule, and from the board and back', { hash: 'board?n=7&m=5&walls=2:3,4:5', forgive: /400|422/ }, async (page) => {
  await page.getByRole('link', { name: 'Count by number of queens' }).click();
  const shows = async (query) => {
    const answer = await server.getJson(`/count?${query}&by=queens`);
    await says(profile(page).locator('.legend'), `In all ${answer.count.toLocaleString('en')}, exact, counted here`);
    assert.deepEqual(await marks(page), wanted(answer));
  };
  assert.equal(where(page), '/count#n=7&m=5&walls=2:3,4:5&profile=1');
  await shows('n=7&m=5&walls=2:3,4:5');
  const enter = async (name, value) => {
    await profile(page).getByLabel(name).fill(value);
    await page.keyboard.press('Enter');
  };
  await enter('Walls, row:column', '2:3');
  await shows('n=7&m=5&walls=2:3');
  await enter('Rows m', '6');
  await shows('n=7&m=6&walls=2:3');
  await page.goBack();
  await shows('n=7&m=5&walls=2:3');
  await page.getByLabel('Rule').first().selectOption('superqueens');
  await shows('n=7&m=5&walls=2:3&rules=superqueens');
  await page.getByLabel('Rule').first().selectOption('queens on a torus');
  await says(profile(page).getByRole('alert'), 'rules: not available with rules=toroidal');
  await page.getByLabel('Rule').first().selectOption('queens');
  await page.getByRole('spinbutton', { name: 'Size n' }).fill('24');
  await page.keyboard.press('Enter');
  await enter('Rows m', '24');
  await says(profile(page).getByRole('alert'), /^This needs about .* of one core/);
  await fits(page);
});

look('a profile that takes too long for a request is offered as a job, and comes when that is done', { hash: 'count#n=8&profile=1', forgive: /422/ }, async (page) => {
  let asked = 0;
  await page.route(/\/count\?.*by=queens/, async (route) => {
    if (!route.request().headers().prefer) {
      const problem = { type: 'urn:nqueensd:problem:beyond-limit', title: 'Beyond a limit', status: 422, code: 'too-costly-without-job', core_seconds: 120, limit_core_seconds: 60 };
      return route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    }
    asked++;
    return route.continue();
  });
  await page.reload();
  await says(profile(page).getByRole('alert'), 'This needs about 2 minutes of one core; without a job, 1 minute are accepted.');
  await profile(page).getByRole('button', { name: 'Count n = 8, by=queens' }).click();
  await says(profile(page).locator('.legend'), 'In all 118,969, exact, counted here');
  assert.equal(asked, 1);
  assert.equal(await profile(page).getByRole('button', { name: /^Count/ }).count(), 0);
});

everywhere({ hash: 'count#n=10&profile=1&m=7&walls=2:2,3:3', locale: 'ru' }, async (page) => {
  await page.locator('.shapes .legend .dot').waitFor();
});
