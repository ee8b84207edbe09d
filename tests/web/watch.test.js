// watch.test.js - the tab Watch as a reader sees it: the steps of algorithms on their boards, by one clock, and their articles.
import { assert, longer } from '../http/harness.js';
import { accessible, everywhere, fits, listenToAll, look, press, says, server, spoken, tabTo } from './browser.js';
import { languages } from './languages.js';

const algorithm = (page) => page.locator('main select').first();
const place = (page) => page.locator('output');
const side = (page, name) => page.locator(`section[data-algorithm='${name}']`);
const counter = (where, name) => where.getByText(name, { exact: true }).locator('xpath=following-sibling::dd[1]');

// A reader is there: what comes after the first screen is requested, and the number of steps is known.
async function begins(page, total) {
  await says(place(page), /^Step 0/);
  await page.mouse.move(3, 3);
  await says(place(page), `Step 0 of ${total}`);
}

// How things stand after `done` steps, by what /trace says.
async function standing(query, done) {
  let next = `/trace?${query}&limit=500`;
  for (;;) {
    const page = await server.getJson(next);
    const { board } = page;
    if (done > page.offset + page.returned && page.next) {
      ({ next } = page);
      continue;
    }
    for (const step of page.steps.slice(0, done - page.offset)) {
      if (step.board) board.splice(0, board.length, ...step.board);
      else if (['place', 'move'].includes(step.do)) board[step.row - 1] = step.column;
      else if (step.do === 'remove') board[step.row - 1] = null;
    }
    return { board, step: page.steps[done - 1 - page.offset] };
  }
}

// The column of the queen in each row, measured on the picture.
const seen = (where) =>
  where.locator('svg.board').evaluate((board) => {
    const box = board.querySelector('.light').getBoundingClientRect();
    const n = Math.round(board.querySelector('.light').width.baseVal.value);
    const columns = Array(n).fill(null);
    for (const queen of board.querySelectorAll('.queen')) {
      if (getComputedStyle(queen).visibility === 'hidden') continue;
      const at = queen.getBoundingClientRect();
      const cell = (middle, from) => Math.floor(((middle - from) * n) / box.width);
      columns[cell(at.y + at.height / 2, box.y)] = cell(at.x + at.width / 2, box.x) + 1;
    }
    return columns;
  });

async function stands(page, query, done) {
  const { algorithm } = Object.fromEntries(new URLSearchParams(query));
  const where = side(page, algorithm);
  const { board } = await standing(query, done);
  const label = `columns of the queens row by row: ${board.map((column) => column ?? '–').join(' ')}`;
  await where.getByRole('img', { name: label }).waitFor();
  assert.deepEqual(await seen(where), board, `${query}, ${done} steps`);
}

look('steps back and forward, in words, with their line, the variables and the free squares of each row', { hash: '#watch?n=6&algorithm=rapella' }, async (page) => {
  await begins(page, '1,050');
  const slider = page.getByRole('slider');
  const step = page.locator('.code [aria-current=step]');
  await slider.fill('1');
  await says(step, /X\(K\) = J/);
  await says(page.locator('.names'), 'K1J1X1 – – – – –Free squares by row– 4 4 4 4 4');
  assert.deepEqual(await page.locator('.board .left').allTextContents(), ['', '4', '4', '4', '4', '4']);
  await accessible(page, 'main');
  await press(page, 'Step forward');
  await says(step, '150 IF C(J)+DS(J+K)+DP(J-K+N) THEN GOTO 130');
  await says(page.locator('.told'), 'Row 2, column 1 is attacked along the column by the queen on row 1, column 1.');
  await press(page, 'Step forward');
  await says(page.locator('.told'), /is attacked along the diagonal by the queen on row 1, column 1\.$/);
  assert.ok(await page.locator('.board .attack').isVisible());
  await slider.fill('24');
  for (const done of [24, 23, 22, 21]) {
    await stands(page, 'n=6&algorithm=rapella', done);
    await press(page, 'Step back');
  }
  await page.waitForURL(/step=20$/);
  await press(page, 'To the start');
  await stands(page, 'n=6&algorithm=rapella', 0);
  await press(page, 'Step back');
  await says(place(page), 'Step 0 of 1,050');
});

// trace.test.js has every algorithm.
look('the counters are the statistics of the trace', { hash: '#watch?n=6' }, async (page) => {
  const { algorithms } = await server.getJson('/compare?n=6');
  await begins(page, '1,050');
  assert.deepEqual(
    (await algorithm(page).locator('option').evaluateAll((all) => all.map(({ value }) => value))).sort(),
    algorithms.map(({ algorithm }) => algorithm).sort(),
  );
  for (const { algorithm: name, stats } of algorithms.filter(({ algorithm }) => ['romani-5', 'min-conflicts'].includes(algorithm))) {
    await algorithm(page).selectOption(name);
    const where = side(page, name);
    const total = stats.steps.toLocaleString('en');
    await says(place(page), `Step 0 of ${total}`);
    await page.getByRole('slider').press('End');
    await says(place(page), `Step ${total} of ${total}`);
    await says(page.locator('.told'), /That was the last step\.$/);
    for (const key of ['placements', 'tests', 'backtracks', 'solutions']) {
      const all = stats[key].toLocaleString('en');
      await says(counter(where, key[0].toUpperCase() + key.slice(1)), `${all} of ${all}`);
    }
    const drawn = name === 'min-conflicts' ? '&seed=1' : '';
    for (const done of [stats.steps, Math.ceil(stats.steps / 2), 7]) {
      await page.getByRole('slider').fill(String(done));
      await stands(page, `n=6&algorithm=${name}${drawn}`, done);
    }
  }
});

look('it opens with eight lines of Python, whose variables are known at every step', { hash: '#watch' }, async (page) => {
  await begins(page, '78');
  await side(page, 'recursion').waitFor();
  assert.equal(await page.locator('.code li').count(), 8);
  await says(page.locator('.code li').first(), 'def put(r, n, x, s, d):');
  const values = () => page.locator('.names code').locator('xpath=../following-sibling::dd').allTextContents();
  const { steps } = await server.getJson('/trace?n=4&algorithm=recursion&limit=100');
  const queens = [];
  let square;
  for (const [i, { do: does, row, column }] of steps.entries()) {
    await page.keyboard.press('ArrowRight');
    await says(place(page), `Step ${i + 1} of 78`);
    if (does === 'place') queens.push(column);
    if (does === 'remove') queens.pop();
    if (row) square = [`${row}`, `${column}`];
    const board = [0, 1, 2, 3].map((at) => queens[at] ?? '–').join(' ');
    assert.deepEqual(await values(), [...square, board], `step ${i + 1}: ${does}`);
  }
});

look('far on, over many pages, and to the first solution', { hash: '#watch?n=8&algorithm=rapella&step=12345' }, async (page) => {
  await stands(page, 'n=8&algorithm=rapella', 12345);
  const { algorithms } = await server.getJson('/compare?n=8');
  const { steps } = algorithms.find(({ algorithm }) => algorithm === 'rapella').first.stats;
  await press(page, `First solution: step ${steps}`);
  await says(page.locator('.told'), 'A solution is found.');
  await stands(page, 'n=8&algorithm=rapella', steps);
  await page.waitForURL(new RegExp(`step=${steps}$`));
  await says(page.locator('.snippets code').first(), /curl -s 'http:.*trace\?n=8&algorithm=rapella&limit=1000&cursor=/);
});

look('plays and pauses, faster and slower, to the end and from the start again', { hash: '#watch?n=4' }, async (page) => {
  await says(place(page), 'Step 0 of 78');
  await page.getByLabel('Speed').selectOption('4 steps a second'); // so slow that it is far from its end
  await press(page, 'Play');
  await says(place(page), /^Step [1-9]\d? of/);
  await press(page, 'Pause');
  const stopped = await place(page).textContent();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  assert.equal(await place(page).textContent(), stopped);
  await page.waitForURL(new RegExp(`speed=4&step=${stopped.match(/\d+/)}$`));
  await page.getByLabel('Speed').selectOption('1,000 steps a second');
  await press(page, 'Play');
  await says(place(page), 'Step 78 of 78');
  await says(page.locator('#said'), /Step 78 of 78.*That was the last step/);
  await page.getByLabel('Speed').selectOption('1 step a second');
  await press(page, 'Play');
  await says(place(page), /^Step [1-9] of/);
});

look('a screen reader hears where a play stops, not every step of it', { hash: '#watch?n=6&speed=60' }, async (page) => {
  await begins(page, '1,050');
  await listenToAll(page);
  await press(page, 'Play');
  await says(place(page), /^Step \d\d/);
  assert.deepEqual(await spoken(page), []);
  await press(page, 'Pause');
  await says(page.locator('#said'), /^Step \d+ of 1,050\. /);
  assert.deepEqual(await spoken(page), [await page.locator('#said').textContent()]);
});

look('what a reader types while it plays stays', { hash: '#watch?n=6&algorithm=romani-5' }, async (page) => {
  await says(place(page), /^Step 0 of/);
  const values = { 'Size n': ['12', /n=12/], 'First queen’s column': ['11', /column=11/] };
  for (const [name, [[first, second], wanted]] of Object.entries(values)) {
    await press(page, 'Play');
    const field = page.getByLabel(name).first();
    await field.selectText();
    await page.keyboard.press(first);
    const before = page.url();
    await page.waitForURL((url) => /step=/.test(url.search) && url.href !== before); // the step is written between two keys
    await page.keyboard.press(second);
    await page.keyboard.press('Enter');
    await page.waitForURL(wanted);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  }
  await page.goBack();
  await page.goBack();
  assert.equal(await page.getByLabel('Size n').inputValue(), '6');
});

// The step of what is shown is written half a second later: it is not that of the algorithm whose program is still on its way.
look('a link to a step of another algorithm keeps its step, however late the program comes', { hash: null }, async (page) => {
  await page.clock.install();
  await page.goto(`http://127.0.0.1:${server.port}/#watch?n=6`);
  await says(place(page), /^Step 0/);
  let comes;
  const late = new Promise((resolve) => (comes = resolve));
  await page.route(/algorithms\?.*program=mrv/, (route) => late.then(() => route.continue()));
  await page.keyboard.press('ArrowRight');
  await says(place(page), /^Step 1/);
  await page.evaluate(() => (location.hash = '#watch?n=6&algorithm=mrv&step=9'));
  await page.clock.runFor(1000);
  await page.clock.resume();
  comes();
  await stands(page, 'n=6&algorithm=mrv', 9);
  await page.waitForURL(/\/watch\/mrv\?n=6&step=9$/);
});

look('two algorithms by one clock', { hash: '#watch?n=6&algorithm=rapella' }, async (page) => {
  await begins(page, '1,050');
  await page.getByLabel('compare two').check();
  await page.getByLabel('Second algorithm').selectOption('mrv');
  await says(place(page), 'Step 0 of 1,050');
  await page.getByRole('slider').fill('100');
  await stands(page, 'n=6&algorithm=rapella', 100);
  await stands(page, 'n=6&algorithm=mrv', 100);
  await page.getByRole('slider').fill('700'); // mrv has ended before
  await stands(page, 'n=6&algorithm=rapella', 700);
  await stands(page, 'n=6&algorithm=mrv', 240);
  await says(side(page, 'mrv').locator('.told'), /That was the last step/);
  await says(counter(side(page, 'mrv'), 'Backtracks'), '118 of 118');
  await page.waitForURL(/\/watch\/rapella\?n=6&algorithm2=mrv&step=700$/);
  await page.getByLabel('Size n').fill('5');
  await page.getByLabel('Size n').press('Enter');
  await stands(page, 'n=5&algorithm=mrv', 0);
  await page.goBack();
  await stands(page, 'n=6&algorithm=rapella', 700);
  await page.getByLabel('compare two').uncheck();
  await side(page, 'mrv').waitFor({ state: 'detached' });
});

look('parameters are those of the algorithm, and in the URL', { hash: '#watch?n=8&algorithm=min-conflicts' }, async (page) => {
  await says(place(page), /^Step 0 of/);
  assert.ok(!(await page.getByLabel('First queen’s column').first().isVisible()));
  await page.getByLabel('Seed').first().fill('42');
  await page.getByLabel('Seed').first().press('Enter');
  await page.waitForURL(/seed=42/);
  await press(page, 'Step forward');
  await stands(page, 'n=8&algorithm=min-conflicts&seed=42', 1);
  await algorithm(page).selectOption('romani-5');
  await page.getByLabel('Next placement').first().selectOption('depth');
  await page.getByLabel('First queen’s column').first().fill('2');
  await page.getByLabel('First queen’s column').first().press('Enter');
  await page.waitForURL(/\/watch\/romani-5\?n=8&strategy=depth&column=2$/);
  await says(place(page), /^Step 0 of/);
  await page.getByRole('slider').fill('30');
  await stands(page, 'n=8&algorithm=romani-5&strategy=depth&column=2', 30);
  await says(counter(side(page, 'romani-5'), 'Placements stored'), /^\d+$/);
});

look('an invalid question has a message, with a way out', {
  hash: '#watch?n=9&algorithm=romani-3&split=12',
  forgive: /status of 4\d\d/,
}, async (page) => {
  await says(page.getByRole('alert').first(), /split/);
  await accessible(page);
  await page.getByRole('link', { name: 'Start again with n = 4' }).click();
  await says(place(page), 'Step 0 of 78');
  assert.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0);
});

look('a page of the trace that fails to load has a message, and is requested again', { hash: null, forgive: /status of 503/ }, async (page) => {
  const busy = { status: 503, contentType: 'application/problem+json', body: '{"type":"urn:nqueensd:problem:unavailable"}' };
  await page.route(/trace\?.*cursor=/, (route) => route.fulfill(busy), { times: 1 });
  await page.goto(`http://127.0.0.1:${server.port}/#watch?n=8&algorithm=rapella&step=1500`);
  await says(page.getByRole('alert').last(), /The service does not answer\. Try again soon\./);
  await press(page, 'Try again');
  await stands(page, 'n=8&algorithm=rapella', 1500);
});

look('with the keyboard only; fields keep their keys', { hash: '#watch?n=6' }, async (page) => {
  await begins(page, '1,050');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await says(place(page), 'Step 3 of 1,050');
  await page.keyboard.press('ArrowLeft');
  await says(place(page), 'Step 2 of 1,050');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.reload();
  await says(place(page), /^Step \d+ of 1,050/);
  const before = await place(page).textContent();
  await tabTo(page, page.getByLabel('Size n'));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  assert.equal(await place(page).textContent(), before);
  await tabTo(page, page.getByRole('button', { name: 'To the start' }));
  await page.keyboard.press('Space');
  await says(place(page), 'Step 0 of 1,050');
  assert.ok(await page.getByRole('button', { name: 'Play', exact: true }).isVisible());
  await tabTo(page, page.getByRole('slider'));
  await page.keyboard.press('ArrowRight');
  await says(place(page), 'Step 1 of 1,050');
});

// The elements that matter and are not wholly in the window, of each side.
const outOfView = (page, names) =>
  page.evaluate((names) => {
    const out = [];
    for (const side of document.querySelectorAll('.side'))
      for (const name of names) {
        const { top, bottom, height } = side.querySelector(name)?.getBoundingClientRect() ?? { height: 1 };
        if (!height || top < 0 || bottom > innerHeight) out.push(`${side.dataset.algorithm} ${name}: ${top} to ${bottom}`);
      }
    return out;
  }, names);

// Programs whose line of the step is not in sight: a long one scrolls to it.
const outOfSight = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.side')].flatMap((side) => {
      const code = side.querySelector('.code').getBoundingClientRect();
      const line = side.querySelector('.code [aria-current]')?.getBoundingClientRect() ?? code;
      return line.top < code.top - 1 || line.bottom > code.bottom + 1 ? [`${side.dataset.algorithm}: ${line.top}`] : [];
    }),
  );

// What find() finds still wrong after some frames: a program scrolls to its line in the frame after the step.
async function inTheEnd(page, find) {
  for (let frames = 60; ; frames--) {
    const wrong = await find();
    if (!wrong.length || !frames) return wrong;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

const MATTER = ['.board', '.told', '.code', '.code [aria-current]', '.names', '.sums'];

for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }])
  for (const lang of longer ? languages : ['ru']) // its words are the longest
    look(`all that matters is on one screen of ${viewport.width} x ${viewport.height} while it plays: ${lang}`, {
      hash: '#watch?n=6',
      viewport,
      locale: lang,
    }, async (page) => {
      const { solvers, constructions } = await server.getJson('/algorithms');
      const traced = [...solvers.filter(({ trace }) => trace), ...constructions.filter(({ code }) => code)].map(({ name }) => name);
      assert.ok(traced.length > 10);
      await page.locator('.told').waitFor();
      const isTight = viewport.width < 400;
      for (const [i, name] of [...traced.entries()].filter(([i]) => longer || isTight || i % 2 === 0))
        for (const other of i < 3 || longer ? [null, traced[(i + 7) % traced.length]] : [null]) { // each in a pair, too
          const second = other ? `&algorithm2=${other}` : '';
          await page.evaluate((hash) => (location.hash = hash), `#watch?n=6&speed=10&algorithm=${name}${second}`);
          await page.locator(`.side:first-child[data-algorithm='${name}']`).waitFor();
          if (other) await page.locator(`.side:last-child[data-algorithm='${other}']`).waitFor();
          await page.keyboard.press('Space');
          await page.locator('.side:last-child .code [aria-current]').waitFor();
          const tree = !other && (await page.locator('.tree').count()) ? ['.tree'] : [];
          assert.deepEqual(await inTheEnd(page, () => outOfView(page, [...MATTER, ...tree])), []);
          assert.deepEqual(await inTheEnd(page, () => outOfSight(page)), []);
        }
      await fits(page);
    });

const little = 'the first view asks for the algorithms and a hundred steps; a reader who stays, for the rest';
look(little, { hash: null }, async (page) => {
  const asked = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (['/algorithms', '/trace', '/compare'].includes(pathname)) asked.push(pathname + search);
  });
  const goTo = (hash) => page.goto(`http://127.0.0.1:${server.port}/${hash}`);
  await goTo('#watch');
  await says(place(page), 'Step 0 of 78');
  await page.getByRole('button', { name: 'First solution: step 31' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked.splice(0), ['/algorithms?table=traced&program=recursion', '/trace?n=4&algorithm=recursion&limit=100']);
  await page.goto('about:blank');
  await goTo('#watch?n=6');
  await says(place(page), 'Step 0');
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked.splice(0), ['/algorithms?table=traced&program=recursion', '/trace?n=6&algorithm=recursion&limit=100']);
  await begins(page, '1,050');
  assert.match(asked.splice(0).join(' '), /^\/trace\S+limit=1000&cursor=\S+$/); // no /compare: the trace is whole
  await goTo('#watch?n=8&algorithm=rapella&algorithm2=mrv');
  await says(place(page), /^Step 0/);
  await page.mouse.move(5, 5);
  await says(counter(side(page, 'mrv'), 'Solutions'), '0 of 92');
  await says(counter(side(page, 'rapella'), 'Solutions'), '0 of 92');
  assert.equal(asked.filter((path) => path.startsWith('/compare')).length, 1);
});

look('the program of an algorithm is asked for once, when it is chosen; a name that there is not is that of the first', {
  hash: null,
  forgive: /status of 400/,
}, async (page) => {
  const asked = [];
  page.on('request', (request) => request.url().includes('/algorithms?') && asked.push(new URL(request.url()).searchParams.get('program')));
  await page.goto(`http://127.0.0.1:${server.port}/#watch?n=4&algorithm=queens`);
  await says(place(page), /^Step 0/);
  await side(page, 'recursion').locator('.code').waitFor();
  for (const name of ['mrv', 'annealing', 'recursion', 'mrv']) {
    await algorithm(page).selectOption(name);
    await side(page, name).locator('.code li').nth(1).waitFor();
  }
  assert.deepEqual(asked, ['queens', 'recursion', 'mrv', 'annealing']);
});

look('it fills the screen for a projector, and gives it back', {
  hash: '#watch?n=6&algorithm2=mrv',
  viewport: { width: 1280, height: 800 },
}, async (page) => {
  await says(place(page), /^Step 0/);
  const sizeOf = (code) => parseFloat(getComputedStyle(code).fontSize);
  const size = () => page.locator('.side .code').first().evaluate(sizeOf);
  const before = await size();
  const button = page.getByRole('button', { name: 'Fill the screen' });
  await button.click();
  await page.waitForURL(/large=1/);
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  assert.ok(!(await page.locator('nav').isVisible()));
  await page.getByRole('slider').fill('60');
  assert.ok((await size()) > before);
  assert.deepEqual(await outOfView(page, [...MATTER, '.tree']), []);
  await fits(page);
  await accessible(page, 'main');
  await page.reload(); // a link to it
  await says(place(page), 'Step 60 of 1,050');
  assert.ok(!(await page.locator('nav').isVisible()));
  await page.keyboard.press('Alt+Enter');
  await page.locator('nav').waitFor();
  await page.keyboard.press('Alt+Enter');
  await page.locator('nav').waitFor({ state: 'hidden' });
  await page.keyboard.press('Space');
  await says(place(page), /^Step 6[1-9] /);
  await page.keyboard.press('Escape');
  await page.locator('nav').waitFor();
  assert.doesNotMatch(page.url(), /large/);
});

look('it goes from solution to solution, and the tree shows how far it has come', { hash: '#watch?n=6&algorithm=bitboard' }, async (page) => {
  const { algorithms } = await server.getJson('/compare?n=6');
  const { stats, first } = algorithms.find(({ algorithm }) => algorithm === 'bitboard');
  const whole = stats.steps.toLocaleString('en');
  await begins(page, whole);
  await press(page, 'Next solution');
  await says(page.locator('.told'), 'A solution is found.');
  await stands(page, 'n=6&algorithm=bitboard', first.stats.steps);
  const seen = (levels) => levels.map((count, i) => `${count ?? 0} of ${stats.levels[i]}`).join('; ');
  await page.getByRole('img', { name: `Search tree, seen by level: ${seen(first.stats.levels)}` }).waitFor();
  for (const count of [2, 3, 4]) {
    await page.keyboard.press('Shift+ArrowRight');
    await says(counter(side(page, 'bitboard'), 'Solutions'), `${count} of 4`);
  }
  await press(page, 'Next solution');
  await says(page.locator('.told'), /That was the last step/);
  for (const count of [4, 3, 2, 1]) {
    await press(page, 'Previous solution');
    await says(counter(side(page, 'bitboard'), 'Solutions'), `${count} of 4`);
  }
  await stands(page, 'n=6&algorithm=bitboard', first.stats.steps);
  await press(page, 'Previous solution');
  await says(place(page), `Step 0 of ${whole}`);
  await page.getByLabel('Speed').selectOption('1 solution a second');
  await press(page, 'Play');
  await says(counter(side(page, 'bitboard'), 'Solutions'), '1 of 4');
});

look('now and then it asks what happens next, if that is wanted', { hash: '#watch?n=4&algorithm=bitboard&speed=60' }, async (page) => {
  await says(place(page), 'Step 0 of 34');
  await page.getByLabel('ask me questions').check();
  await page.waitForURL(/ask=1/);
  await page.getByLabel('Speed').selectOption('1 step a second');
  await page.getByRole('slider').fill('11');
  await press(page, 'Play');
  const asked = page.getByRole('group', { name: 'What happens next?' });
  await asked.waitFor();
  const at = Number((await place(page).textContent()).match(/^Step (\d+)/)[1]);
  assert.equal(at, 11);
  const answers = asked.getByRole('button', { disabled: false });
  assert.equal(await answers.count(), 3);
  const { step } = await standing('n=4&algorithm=bitboard', at + 1);
  assert.equal(step.do, 'place');
  const right = `A queen is placed on row ${step.row}, column ${step.column}.`;
  await accessible(page, 'main');
  await answers.filter({ hasNotText: right }).first().click();
  await says(asked.getByRole('status'), `No. ${right}`);
  await press(page, 'Continue');
  await asked.waitFor({ state: 'detached' });
  await press(page, 'Pause'); // it has gone on by itself, who knows how far
  await page.getByRole('slider').fill(String(at + 1));
  await says(page.locator('.told'), right);
  await page.getByRole('slider').fill('25');
  await press(page, 'Step forward'); // one who goes step by step is asked, too, and goes on so
  await answers.first().click();
  await press(page, 'Continue');
  await says(place(page), 'Step 26 of 34');
  await page.getByRole('button', { name: 'Play' }).waitFor();
});

look('nothing moves by itself, and it begins slowly', { hash: '#watch?n=6&speed=1000', reducedMotion: 'reduce' }, async (page) => {
  await begins(page, '1,050');
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  await says(place(page), 'Step 0 of 1,050');
  await page.goto(`http://127.0.0.1:${server.port}/#watch`);
  await says(place(page), 'Step 0 of 78');
  assert.equal(await page.getByLabel('Speed').inputValue(), '1');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.reload();
  await says(place(page), 'Step 0 of 78');
  assert.equal(await page.getByLabel('Speed').inputValue(), '4');
});

look('the four articles and their errors are told, of the language what it has', { hash: '#watch?n=6&algorithm=rapella&lang=it' }, async (page) => {
  const links = page.locator('main li a');
  await links.first().waitFor();
  assert.equal(await links.count(), 4);
  await says(page.locator('main'), /Dodici righe di BASIC/);
  for (const name of ['rapella', 'tkachenko', 'romani-1', 'zironi', 'romani-5']) {
    await algorithm(page).selectOption(name);
    const notes = page.locator(`section[aria-labelledby='about-${name}']`);
    await says(notes, /Dove sbaglia\./);
    assert.equal(await notes.locator('[lang=en]').count(), 0);
  }
  assert.doesNotMatch(await page.locator('main').textContent(), /watch\.|undefined/);
  await links.nth(3).click();
  await page.waitForURL(/\/watch\/zironi\?/);
  await page.locator('#language').selectOption('en');
  await algorithm(page).selectOption('neural');
  await says(page.locator("section[aria-labelledby='about-neural']"), /N\. Funabiki/);
  assert.equal(await page.locator("section[aria-labelledby='about-neural'] [lang=en]").count(), 2); // as the service says it
});

everywhere({ hash: '#watch?n=12&algorithm=romani-5&algorithm2=min-conflicts&step=30' }, (page) => says(place(page), /^Step 30/));

look('Back while it plays leads to the trace before', { hash: '#watch?n=6&algorithm=rapella&step=50' }, async (page) => {
  await stands(page, 'n=6&algorithm=rapella', 50);
  await algorithm(page).selectOption('mrv');
  await says(place(page), 'Step 0 of 240');
  await press(page, 'Play');
  await says(place(page), /^Step [1-9]/);
  await page.goBack();
  await stands(page, 'n=6&algorithm=rapella', 50);
  assert.ok(await page.getByRole('button', { name: 'Play', exact: true }).isVisible());
});

// The numbers that the lines of a chart stand for, read off its scale: [[number, lower, upper]] of the points with this class.
const readOff = (over, strong) =>
  over.evaluate((root, strong) => {
    const lines = [...root.querySelectorAll('.rule')].map((rule) => Number(rule.getAttribute('d').match(/^M\S+ (\S+?)H/)[1]));
    const powers = [...root.querySelectorAll('text')].map(({ textContent }) => textContent.match(/^10([⁰¹²³⁴⁵⁶⁷⁸⁹])$/)?.[1]).filter(Boolean);
    const [least, next] = powers.map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit));
    const valueAt = (y) => 10 ** (least + ((y - lines[0]) / (lines[1] - lines[0])) * (next - least));
    const of = (kind, pattern) => [...root.querySelectorAll(`path.${strong}.${kind}`)].map((path) => path.getAttribute(kind === 'bar' ? 'd' : 'transform').match(pattern).slice(1));
    const bars = of('bar', /^M(\S+) (\S+?)V(\S+?)m/);
    const points = of(strong === 'strong1' ? 'diamond' : 'dot', /\((\S+) (\S+)\)/);
    return points.map(([x, y]) => [y, ...(bars.find(([at]) => at === x)?.slice(1) ?? [])].map((up) => valueAt(Number(up))));
  }, strong);

look('the work of all algorithms over n: as lines with quartiles, on a column, as a table and as CSV', { hash: '#watch?n=6', viewport: { width: 1280, height: 800 } }, async (page) => {
  await says(place(page), /^Step 0/);
  const asked = [];
  page.on('request', (request) => request.url().includes('/compare?') && asked.push(new URL(request.url()).search));
  await press(page, 'Compare over n');
  await page.waitForURL(/over=1/);
  const over = page.locator('.over');
  await over.getByRole('button', { name: /^n = 10; .*Recursion: 348,150/ }).waitFor();
  assert.deepEqual(asked.filter((search) => /4-12/.test(search)), ['?n=4-12&seeds=40']);
  const { sizes, seeds } = await server.getJson('/compare?n=4-12&seeds=40');
  const of = (name) => sizes.map(({ algorithms }) => algorithms.find(({ algorithm }) => algorithm === name));
  const figure = (number) => number.toLocaleString('en');
  const names = await over.locator('text.line').allTextContents();
  assert.equal(names.length, sizes[0].algorithms.length);
  assert.deepEqual(await over.locator('text.strong0').allTextContents(), ['Recursion']);
  await over.getByRole('button', { name: /^n = 4;/ }).focus();
  await says(over.locator('.seen'), /^n = 4; .*Recursion: 60;/);
  await page.keyboard.press('End');
  const { tests } = of('min-conflicts').at(-1).runs;
  await says(over.locator('.seen'), new RegExp(`^n = 12; .*Minton 1992, min-conflicts: median ${figure(tests.median)}, quartiles ${figure(tests.lower)} and ${figure(tests.upper)};`));
  await page.getByLabel('compare two').check();
  await page.getByLabel('Second algorithm').selectOption('min-conflicts');
  await says(over.locator('text.strong1'), 'Minton 1992, min-conflicts');
  await over.getByText('The same as a table').click();
  const cells = async (title) => (await over.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title, exact: true }) }).getByRole('cell').allTextContents());
  const ofRuns = (one, key) => (one.runs.found < seeds ? [`, in ${one.runs.found} of ${seeds} runs`] : ['']).map((end) => `${figure(one.runs[key].median)} (${figure(one.runs[key].lower)}–${figure(one.runs[key].upper)})${end}`)[0];
  const more = 'more than 1,000,000 steps';
  const shown = {
    tests: ['tests', (one) => (one.finished ? one.stats.tests : null)],
    placements: ['placements', (one) => (one.finished ? one.stats.placements : null)],
    firstTests: ['tests', (one) => one.first?.stats.tests ?? null],
    firstSteps: ['steps', (one) => one.first?.stats.steps ?? null],
  };
  for (const [what, [key, valueOf]] of Object.entries(shown)) {
    await over.getByRole('combobox').selectOption(what);
    for (const [name, title] of [['recursion', 'Recursion'], ['mrv', 'Golomb, Baumert 1965, MRV'], ['romani-3', 'Romani 1993, Mathematica, 3']])
      assert.deepEqual(await cells(title), of(name).map((one) => (valueOf(one) === null ? (one.finished ? '–' : more) : figure(valueOf(one)))), `${what} ${title}`);
    const drawn = what !== 'placements';
    for (const [name, title] of [['min-conflicts', 'Minton 1992, min-conflicts'], ['freeman', 'Freeman 1993, Hopfield network']].filter(() => drawn))
      assert.deepEqual(await cells(title), of(name).map((one) => ofRuns(one, key)), `${what} ${title}`);
    const wanted = of('min-conflicts').map(({ runs, stats }) => (drawn ? [runs[key].median, runs[key].lower, runs[key].upper] : [stats.placements])).filter(([value]) => value); // 0 has no place on the scale
    const read = await readOff(over, 'strong1');
    assert.deepEqual(read.map((numbers) => numbers.map(Math.round)), wanted, what);
  }
  assert.ok((await cells('Freeman 1993, Hopfield network')).some((text) => /in \d+ of 40 runs$/.test(text)));
  const file = await over.getByRole('link', { name: 'Save CSV' }).evaluate(({ href, download }) => [href, download]);
  assert.deepEqual(file, [`http://127.0.0.1:${server.port}/compare?n=4-12&seeds=40&format=csv`, 'compare.csv']);
  assert.match((await server.get('/compare?n=4-12&seeds=40&format=csv')).headers['content-type'], /^text\/csv/);
  await accessible(page, 'main');
  await fits(page);
  assert.equal(asked.filter((search) => /4-12/.test(search)).length, 1, 'it is asked for once');
  await over.locator('summary').first().click();
  await page.waitForURL((url) => !/over/.test(url.hash));
});
