// What examples/ promises beyond what its README prints (readme.test.js runs that): programs that are interrupted, cut or kept waiting,
// the page in a real Chromium, the sites of nginx and Caddy. The files are those that people copy.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Faults } from './faults/faults.js';
import { after, assert, longer, start, tables, temporaryFolder, test, until, within } from './http/harness.js';
import { answers, behindNginx } from './http/nginx.js';
import { freePort } from './http/ports.js';
import { fitting, solutionsBy } from './http/reference.js';
import { accessible, fits, look, press, says, server as shared } from './web/browser.js';

const file = (name) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const run = promisify(execFile);
const url = ({ port }) => `http://127.0.0.1:${port}`;

// The pages that an author starts from, as another site has them: they are of another origin than the service.
const author = createServer(({ url: target }, reply) => {
  reply.setHeader('Content-Type', 'text/html');
  reply.end(readFileSync(file(new URL(target, 'http://site.example').pathname.slice(1))));
}).listen(0, '127.0.0.1');
await once(author, 'listening');
after(() => author.close());
const origin = url(author.address());
const visitors = await start({ after }, '--cors-origin', origin);

test('job.mjs gives the job back when interrupted', async (t) => {
  const server = await start(t, '--threads', 1);
  const child = spawn(process.execPath, [file('job.mjs'), url(server), '20'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const jobs = () => server.logs.filter(({ event }) => event === 'job').map(({ state }) => state);
  await within(new Promise((resolve) => child.stderr.once('data', resolve)), 'progress'); // so it follows the events
  child.kill('SIGINT');
  assert.equal(await within(exit, 'exit'), 130);
  await until(() => jobs().length > 1, 'the log has its end');
  assert.deepEqual(jobs(), ['begun', 'cancelled']);
});

test('solutions.py waits for the job that a count becomes, and says why it is refused', async (t) => {
  const faults = new Faults();
  const server = await faults.start(t, '--max-wait', 1, '--threads', 1);
  const program = 'import sys; sys.path.insert(0, sys.argv[1]); import solutions; print(solutions.count(sys.argv[2], n=int(sys.argv[3]), method="compute"))';
  const ask = (n) => run('python3', ['-B', '-c', program, path.dirname(file('solutions.py')), url(server), String(n)]);
  const counted = ask(18);
  await until(async () => (await server.metric('nq_searches_running')) === 1, 'it counts');
  faults.set({ elapsed_shift: 2 }); // that is too long, however fast the machine is
  assert.equal((await counted).stdout, `${tables().all.terms[18]}\n`);
  await until(() => server.logs.some(({ event, state }) => event === 'job' && state === 'done'), 'the job is done');
  await assert.rejects(ask(99), /RuntimeError: Beyond a limit: n /);
});

test('stream.mjs tells a stream that was cut', async (t) => {
  const server = await start(t);
  const { stream } = await import(pathToFileURL(file('stream.mjs')));
  let seen = 0;
  const reading = stream(url(server), { n: 20 }, () => void seen++);
  await until(() => seen > 0, 'the first solution');
  const cut = assert.rejects(reading); // listens before there is anything to hear
  await server.crash();
  await cut;
  await assert.rejects(stream(url(shared), { n: 65, order: 'lexicographic' }, () => {}), /order=any/);
});

test('recount.c has what the b-files have, in one part and in three', async () => {
  const program = path.join(temporaryFolder(), 'recount');
  await run('cc', ['-O3', '-Wall', '-Wextra', '-Werror', '-o', program, file('recount.c')]);
  const count = async (...words) => (await run(program, words.map(String))).stdout.trimEnd().split('\n').map((line) => line.split(' ').map(BigInt));
  const terms = (id) => new Map(readFileSync(new URL(`../docs/sequences/b${id}.txt`, import.meta.url), 'utf8').split('\n').filter((line) => /^\d/.test(line)).map((line) => line.split(' ')).map(([n, term]) => [Number(n), BigInt(term)]));
  const [nodes, profiles, reflecting, semiqueens] = ['319283', '319284', '007631', '006717'].map(terms);
  for (let n = 1; n <= 12; n++) {
    const [levels, [sum]] = await count('nodes', n);
    assert.equal(sum, nodes.get(n), `nodes ${n}`);
    assert.deepEqual(levels, Array.from({ length: n + 1 }, (_, k) => profiles.get((n * (n + 1)) / 2 + k)), `levels ${n}`);
    assert.equal((await count('reflecting', n))[0][0], reflecting.get(n), `reflecting ${n}`);
  }
  for (let i = 0; i <= 6; i++) assert.equal((await count('semiqueens', 2 * i + 1))[0][0], semiqueens.get(i), `semiqueens ${2 * i + 1}`);
  for (const words of [['nodes', 2], ['nodes', 9], ['reflecting', 2], ['reflecting', 11], ['semiqueens', 9]]) {
    const [whole, ...parts] = await Promise.all([[], [0, 3], [1, 3], [2, 3]].map((part) => count(...words, ...part)));
    const added = whole.map((line, i) => line.map((_, k) => BigInt.asUintN(64, parts.reduce((sum, part) => sum + part[i][k], 0n))));
    assert.deepEqual(added, whole, words.join(' '));
  }
});

look('puzzle.html: an attack is marked, a hint leads on, the last queen solves it', { hash: null }, async (page) => {
  await page.goto(`${pathToFileURL(file('puzzle.html'))}?service=${url(shared)}&n=8&seed=1`);
  const said = page.locator('#said');
  const square = (row, column) => page.getByRole('button', { name: `row ${row}, column ${column}:` });
  const given = page.locator('.clue');
  await says(said, /to go; /);
  const clues = await given.count();
  assert.ok(clues > 0 && clues < 8);
  const places = await given.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel.match(/\d+/g).map(Number)));
  const { solutions } = await shared.getJson(`/solve?n=8&place=${places.map((place) => place.join(':')).join(',')}`);
  assert.equal(solutions.length, 1);
  const [{ permutation }] = solutions;
  const missing = permutation.map((column, i) => [i + 1, column]).filter(([row]) => !places.some(([given]) => given === row));

  const [row] = places[0];
  await square(row, (places[0][1] % 8) + 1).click();
  await says(said, /share a row/);
  assert.ok((await page.locator('.attacked').count()) >= 2);
  await square(row, (places[0][1] % 8) + 1).click();
  await says(said, `${missing.length} to go`);
  await page.getByRole('button', { name: 'Hint' }).click();
  const hint = page.locator('.hint');
  await hint.waitFor();
  const [atRow, atColumn] = (await hint.evaluate(({ ariaLabel }) => ariaLabel)).match(/\d+/g).map(Number);
  assert.equal(permutation[atRow - 1], atColumn);
  for (const place of missing) await square(...place).click();
  await says(said, 'Solved!');
});

// Where a square of the region puzzle is, and its solution by row.
const place = (row, column) => `row ${row}, column ${column},`;
const solutionOf = ({ n, regions }) => fitting(solutionsBy('touching', n), regions)[0].map((column) => column + 1);
const regionsPage = pathToFileURL(file('regions.html'));

look('regions.html: the puzzle of a day is played by mouse and keyboard, a hint is shown, then done, the address shares it', { hash: null }, async (page, context) => {
  const puzzle = await shared.getJson('/puzzle?kind=regions&daily=2026-11-23');
  const solution = solutionOf(puzzle);
  const said = page.locator('#said');
  const square = (row, column, state = '') => page.getByRole('button', { name: new RegExp(`^${place(row, column)}.*${state}$`) });
  await page.goto(`${regionsPage}?service=${url(shared)}&daily=2026-11-23`);
  await says(said, '2026-11-23: 8 rows, easy');
  assert.equal(new URL(page.url()).hash, `#${puzzle.code}`);
  assert.equal(await page.locator('#code').textContent(), puzzle.code);
  assert.equal(await square(3, 7).getAttribute('data-region'), puzzle.letters.split('/')[2][6]);
  await accessible(page);

  await square(1, solution[0]).click();
  await square(1, solution[0], 'crossed').click();
  await says(said, '7 to go');
  const [wrong] = [1, 2, 3, 4, 5, 6, 7, 8].filter((column) => Math.abs(column - solution[0]) > 1);
  await square(1, wrong).click({ button: 'right' });
  await says(said, /the same row/);
  assert.equal(await page.locator('.wrong').count(), 2);
  await square(1, wrong, 'queen').click({ button: 'right' });
  await says(said, '7 to go');

  await page.keyboard.press('ArrowDown');
  for (let column = wrong; column !== solution[1]; column += Math.sign(solution[1] - column)) await page.keyboard.press(solution[1] > column ? 'ArrowRight' : 'ArrowLeft');
  await page.keyboard.press('q');
  await square(2, solution[1], 'queen').waitFor();
  await says(said, '6 to go');
  await page.keyboard.press('x');
  await square(2, solution[1], 'crossed').waitFor();
  await page.getByRole('button', { name: 'Hint' }).click();
  await says(said, `Not in the solution: 2:${solution[1]}`);
  await page.keyboard.press('Tab'); // away from the board
  await square(2, solution[1], 'crossed').press('Enter');
  await square(2, solution[1], 'queen').waitFor();

  await says(said, '6 to go');
  const before = await page.locator('#board').innerHTML();
  await page.getByRole('button', { name: 'Hint' }).click();
  await says(said, /^\S+ \((easy|medium)\), from (row|column|region) \w+.*Press Hint again to do it\.$/);
  assert.ok(await page.locator('.because').count());
  const marks = () => page.locator('#board span').allTextContents();
  const shown = await marks();
  await page.getByRole('button', { name: 'Hint' }).click();
  await says(said, /to go$/);
  assert.notDeepEqual(await marks(), shown);
  assert.notEqual(await page.locator('#board').innerHTML(), before);

  await page.getByRole('button', { name: 'Clear' }).click();
  for (const [i, column] of solution.entries()) await square(i + 1, column).click({ button: 'right' });
  await says(said, 'Solved!');
  assert.equal(await page.locator('#board.solved').count(), 1);

  const other = await context.newPage();
  await other.goto(`${regionsPage}?service=${url(shared)}#${puzzle.code}`);
  await says(other.locator('#said'), `${puzzle.code}: 8 rows, easy`);
  assert.equal(await other.locator('#board button').evaluateAll((all) => all.map(({ dataset }) => dataset.region).join('')), puzzle.letters.replaceAll('/', ''));
  await other.getByLabel('Rows').selectOption('6');
  await other.getByLabel('Level').selectOption('hard');
  await other.getByRole('button', { name: 'Another puzzle' }).click();
  await says(other.locator('#said'), /: 6 rows, hard$/);
  assert.equal(await other.locator('#board button').count(), 36);
  await other.goBack();
  await says(other.locator('#said'), `${puzzle.code}: 8 rows, easy`);
});

look('regions.html: on a phone, by touch; a code that is none is refused in words', { hash: null, hasTouch: true, viewport: { width: 360, height: 740 }, forgive: /400/ }, async (page) => {
  const puzzle = await shared.getJson('/puzzle?kind=regions&n=6&level=easy&seed=1');
  const solution = solutionOf(puzzle);
  await page.goto(`${regionsPage}?service=${url(shared)}#${puzzle.code}`);
  await says(page.locator('#said'), `${puzzle.code}: 6 rows, easy`);
  await fits(page);
  for (const [i, column] of solution.entries()) {
    const square = page.getByRole('button', { name: place(i + 1, column) });
    await square.tap();
    await square.tap();
  }
  await says(page.locator('#said'), 'Solved!');
  await page.goto(`${regionsPage}?service=${url(shared)}#nothing`);
  await page.reload();
  await says(page.locator('#said'), /code/);
});

test('regions.html is a game in at most a hundred lines', () => {
  const [, script] = /<script type="module">\n([^]*?)<\/script>/.exec(readFileSync(file('regions.html'), 'utf8'));
  assert.ok(script.split('\n').length - 1 <= 100);
});

// The five pages, each of which shows one thing.
const pages = ['list.html', 'game.html', 'job.html', 'stream.html', 'animation.html'];
const visit = (page, name, service = shared) => page.goto(`${origin}/${name}?service=${url(service)}`);
const foreign = { base: origin, hash: null, also: [url(shared), url(visitors)] };

test('the five pages have at most thirty lines, of at most 140 signs', () => {
  for (const name of pages) {
    const lines = readFileSync(file(name), 'utf8').trimEnd().split('\n');
    assert.ok(lines.length <= 30, `${name}: ${lines.length}`);
    for (const line of lines) assert.ok(line.length <= 140, `${name}: ${line}`);
  }
});

look('list.html: scrolling to the end shows each of the 92 boards once, as pictures', foreign, async (page) => {
  await visit(page, 'list.html');
  const boards = page.locator('#boards li');
  await says(page.locator('#said'), /^\d+ of 92$/);
  assert.ok((await boards.count()) < 92);
  await accessible(page);
  await fits(page);
  await until(async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    return (await page.locator('#end').textContent()) === 'That is all.';
  }, 'the end');
  await says(page.locator('#said'), '92 of 92');
  const texts = (await boards.allTextContents()).map((text) => text.split(' ').map((column) => Number(column) - 1));
  assert.deepEqual(texts, solutionsBy('queens', 8));
  const pictures = () => boards.locator('img').evaluateAll((all) => all.filter((one) => one.complete && one.naturalWidth > 0).length);
  await boards.last().scrollIntoViewIfNeeded();
  await until(async () => (await pictures()) >= 4, 'pictures are there');
});

look('game.html: the board of the day is won by the right queens only, a hint is a sentence', { ...foreign, viewport: { width: 390, height: 740 } }, async (page) => {
  await page.clock.setFixedTime('2026-11-23T12:00:00Z');
  await visit(page, 'game.html');
  const said = page.locator('#said');
  await says(said, '2026-11-23, easy');
  await accessible(page);
  await fits(page);
  const solution = solutionOf(await shared.getJson('/puzzle?kind=regions&daily=2026-11-23'));
  const put = async (row, column) => {
    const square = page.locator('#board button').nth((row - 1) * 8 + column - 1);
    await square.click();
    await square.click();
  };
  await press(page, 'Hint');
  await says(said, /\bSo .*\.$/);
  for (const [i, column] of solution.slice(0, 7).entries()) await put(i + 1, column);
  await says(said, '1 to go');
  const wrong = solution[7] % 8 + 1;
  await put(8, wrong);
  await says(said, new RegExp(`8:${wrong} \\((column|region|neighbour)\\)`));
  await press(page, 'Hint');
  await says(said, /something is wrong/);
  await page.getByRole('button', { name: `8:${wrong} queen` }).click();
  await says(said, '1 to go');
  await put(8, solution[7]);
  await says(said, 'Solved!');
});

look('job.html: a job ends with the exact count, another one is cancelled', foreign, async (page) => {
  await visit(page, 'job.html', visitors);
  const said = page.locator('#said');
  await accessible(page);
  const count = async (n) => {
    await page.getByLabel('Rows').fill(String(n));
    await press(page, 'Count');
  };
  await count(17);
  await says(said, `${tables().all.terms[17]} ways`);
  assert.equal(await page.locator('#bar').evaluate(({ value }) => value), 1);
  await count(22);
  await says(said, /^running, \d+ %$/);
  await press(page, 'Cancel');
  await says(said, /^cancelled, \d+ %$/);
  await count(17);
  await says(said, `${tables().all.terms[17]} ways`);
});

look('job.html: a service that does not allow its origin is named, with the flag', { ...foreign, forgive: /CORS|ERR_FAILED|Failed to fetch/ }, async (page) => {
  await visit(page, 'job.html');
  await press(page, 'Count');
  await says(page.locator('#said'), `No answer: start ${url(shared)} with --cors-origin ${origin}`);
});

look('stream.html: stopped in the middle, and gone on with, it has every board of the list once', foreign, async (page) => {
  await visit(page, 'stream.html');
  await accessible(page);
  await page.evaluate(() => { // at the first boards that are shown
    const shown = document.querySelector('#shown');
    const once = new MutationObserver(() => {
      once.disconnect();
      document.querySelector('#stop').click();
    });
    once.observe(shown, { childList: true });
  });
  await press(page, 'Start');
  const shown = page.locator('#shown');
  const stopped = await says(shown, /boards; stopped\n/);
  const { terms } = tables().all;
  assert.ok(parseInt(stopped) > 0 && parseInt(stopped) < terms[14], stopped.slice(0, 40));
  await until(async () => (await shared.metric('nq_streams_running')) === 0, 'the service has stopped');
  await press(page, 'Go on');
  await says(shown, new RegExp(`^${terms[14]} boards; these are all\n`));
  const same = await page.evaluate(async (list) => {
    const saved = await (await fetch(document.querySelector('#save').href)).text();
    const rows = (await (await fetch(list)).text()).trimEnd().split('\n').slice(0, -1);
    return saved === rows.map((row) => JSON.parse(row).permutation.join()).join('\n');
  }, `${url(shared)}/solve?n=14&format=ndjson`);
  assert.ok(same);
});

look('animation.html: it shows each step, and ends at the first solution', foreign, async (page) => {
  await visit(page, 'animation.html');
  const said = page.locator('#said');
  await says(said, /^Step \d+: (place|reject) row \d, column \d$/);
  await accessible(page);
  await page.getByLabel('Steps a second').fill('60');
  const steps = (await shared.get('/trace?n=6&algorithm=rapella&format=ndjson')).text.split('\n');
  const last = steps.findIndex((step) => step.includes('"solution"'));
  await says(said, `Step ${last}: solved, 2 4 6 1 3 5`);
  const queens = await page.locator('td').evaluateAll((all) => all.flatMap(({ textContent, cellIndex }) => (textContent ? cellIndex + 1 : [])));
  assert.deepEqual(queens, [2, 4, 6, 1, 3, 5]);
});

// A proxy with a site of examples/ in front of services, which have different hosts and the same ports: the port of the proxy.
async function behind(t, site, servers) {
  const port = await freePort();
  const [command, words, env] = sites[site](servers, port, temporaryFolder());
  const proxy = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  let told = '';
  proxy.stderr.on('data', (text) => (told += text));
  t.after(() => proxy.kill('SIGKILL'));
  await until(() => proxy.exitCode === null && answers(port), 'the proxy listens').catch(() => assert.fail(told));
  return port;
}

// The text of a site with other places, each of which must be there to be replaced.
const placed = (name, ...places) =>
  places.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `${name} has no ${from}`);
    return text.replace(from, to);
  }, readFileSync(file(name), 'utf8'));

// By file: the command, its words and its environment.
const sites = {
  'nginx.conf': (servers, port, folder) => {
    const line = 'server 127.0.0.1:8080 max_fails=0;';
    const lines = servers.map(({ host, port }) => line.replace('127.0.0.1:8080', `${host}:${port}`));
    writeFileSync(path.join(folder, 'site.conf'), placed('nginx.conf', [line, lines.join(' ')], ['listen 80;', `listen 127.0.0.1:${port};`]));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
    const debians = `server { listen 127.0.0.1:${port} default_server; server_name _; return 404; }`; // which answers for names nobody has
    const frame = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; ${debians} }`;
    writeFileSync(path.join(folder, 'nginx.conf'), frame);
    return ['nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], {}];
  },
  'haproxy.cfg': (servers, port, folder) => {
    const replicas = ['a 127.0.0.1:8080 check port 9090', 'b 127.0.0.1:8081 check port 9091'];
    const places = replicas.map((line, i) => {
      const { host, port, adminPort } = servers[i] ?? { host: '127.0.0.1', port: 1, adminPort: 1 }; // nothing listens there
      return [line, `${line[0]} ${host}:${port} check port ${adminPort}`];
    });
    writeFileSync(path.join(folder, 'haproxy.cfg'), placed('haproxy.cfg', ...places, ['bind :80\n', `bind 127.0.0.1:${port}\n`]));
    return ['haproxy', ['-db', '-f', path.join(folder, 'haproxy.cfg')], {}];
  },
  Caddyfile: (servers, port, folder) => {
    const named = { SITE: `http://127.0.0.1:${port}`, NQUEENSD: servers.map(({ host, port }) => `${host}:${port}`).join(' '), NQUEENSD_ADMIN: servers[0].adminPort };
    const env = { ...named, CADDY_ADMIN: `unix/${folder}/admin`, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return ['caddy', ['run', '--adapter', 'caddyfile', '--config', file('Caddyfile')], env];
  },
};

for (const site of Object.keys(sites))
  test(`${site}: events arrive as they are sent, links lead back, long targets pass`, async (t) => {
    const server = Object.assign(await start(t, '--trusted-proxies', '127.0.0.1'), { host: '127.0.0.1' });
    const base = `http://127.0.0.1:${await behind(t, site, [server])}`;
    await until(async () => (await fetch(`${base}/queens/count?n=8`)).ok, 'the proxy has found the service');
    const moved = await fetch(`${base}/queens`, { redirect: 'manual' });
    assert.deepEqual([moved.status, new URL(moved.headers.get('location'), base).pathname], [308, '/queens/']);
    assert.match(await (await fetch(`${base}/queens/`)).text(), /<html/);
    const page = await (await fetch(`${base}/queens/solve?n=8&limit=1`)).json();
    assert.match(page.next, /^\/queens\/solve\?/);
    const next = await (await fetch(`${base}${page.next}`)).json();
    assert.deepEqual(next.solutions, [{ permutation: [1, 6, 8, 3, 7, 4, 2, 5] }]);

    let long = '/queens/solve?n=1000&limit=1&exclude='; // as many as a target may have
    for (let column = 1; long.length < 8180; column++) long += `${column > 1 ? ',' : ''}1000:${column}`;
    const first = await fetch(`${base}${long}`);
    assert.equal(first.status, 200, await first.clone().text());
    const { next: further } = await first.json();
    assert.ok(first.headers.get('link').includes(further) && further.length > 8192);
    assert.equal((await fetch(`${base}${further}`)).status, 200);

    const forged = await fetch(`${base}/queens/solve?n=8&limit=1`, { headers: { 'x-forwarded-prefix': '/elsewhere' } });
    assert.match((await forged.json()).next, /^\/queens\//);
    const leave = new AbortController();
    const stream = await fetch(`${base}/queens/trace?n=20&algorithm=bitboard&format=events`, { signal: leave.signal });
    const { value } = await within(stream.body.getReader().read(), 'the first event'); // nobody lives to see the last one
    assert.match(Buffer.from(value).toString(), /event: step/);
    leave.abort();
  });

// Asks by GET and POST until stop(), which returns { requests, seconds, failed }: what wrk saw of failures, by kind.
function load(t, url, connections) {
  const script = path.join(temporaryFolder(), 'load.lua');
  writeFileSync(
    script,
    `function request() -- not in turns: a proxy takes turns, too, and a replica would get one kind only
       if math.random(2) == 1 then return wrk.format("GET", "/queens/count?n=8") end
       return wrk.format("POST", "/queens/verify", {["Content-Type"] = "application/json"}, '{"n":4,"permutation":[2,4,1,3]}')
     end
     function done(summary)
       local e = summary.errors
       print(string.format('{"requests":%d,"seconds":%f,"failed":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}',
         summary.requests, summary.duration / 1e6, e.connect, e.read, e.write, e.status, e.timeout))
     end`,
  );
  const words = ['-t', 1, '-c', connections, '-d', '3600s', '--timeout', '60s', '-s', script, url].map(String);
  const child = spawn('wrk', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  const closed = new Promise((resolve) => child.once('close', resolve));
  t.after(() => child.kill('SIGKILL'));
  return async () => {
    child.kill('SIGINT');
    await within(closed, 'the end of the load');
    return JSON.parse(text.split('\n').findLast((line) => line.startsWith('{')));
  };
}

// Two hosts with the same free ports.
async function replicas(t, ...more) {
  const flags = ['--trusted-proxies', '127.0.0.1', '--drain-delay', 2, '--drain-seconds', 60, ...more];
  const begin = async (host, port, adminPort) =>
    Object.assign(await start(t, '--listen', `${host}:${port}`, '--admin', `${host}:${adminPort}`, ...flags), { host });
  for (;;) {
    const [port, adminPort] = [await freePort(), await freePort()];
    try {
      return { begin, servers: [await begin('127.0.0.1', port, adminPort), await begin('127.0.0.2', port, adminPort)] };
    } catch (error) {
      if (!/Address already in use/.test(error.message)) throw error;
    }
  }
}

const restarts = longer ? 8 : 2;
const dockers = 'docker/nginx.conf'; // asks for the prefix as it is, and keeps answers of GET
for (const site of [...Object.keys(sites), dockers])
  test(`${site}: restarts of two replicas in turns lose no GET and no POST`, async (t) => {
    const { begin, servers } = await replicas(t, ...(site === dockers ? ['--base-path', '/queens'] : []));
    const front = site === dockers && (await behindNginx(servers.map(({ host, port }) => `${host}:${port}`)));
    if (front) t.after(() => front.stop());
    const port = front ? front.port : await behind(t, site, servers);
    const served = ({ host, adminPort }) => async () => {
      const text = await (await fetch(`http://${host}:${adminPort}/metrics`, { headers: { connection: 'close' } })).text();
      return ['/count', '/verify'].some((route) => new RegExp(`^nq_http_requests_total\\{[^}]*route="${route}"[^}]*\\} [1-9]`, 'm').test(text));
    };
    const ready = (server) => until(served(server), 'requests come to it');
    await until(async () => (await fetch(`http://127.0.0.1:${port}/queens/count?n=8`)).ok, 'the proxy has found a replica');
    const stop = load(t, `http://127.0.0.1:${port}`, process.env.NQ_CONNECTIONS ?? 32);
    for (const server of servers) await ready(server);
    for (let i = 0; i < restarts; i++) {
      const old = servers[i % 2];
      await old.stop(90);
      servers[i % 2] = await begin(old.host, old.port, old.adminPort);
      await ready(servers[i % 2]);
    }
    const { requests, seconds, failed } = await stop();
    t.diagnostic(`${restarts} restarts, ${requests} requests, ${Math.round(requests / seconds)} a second`);
    assert.deepEqual(failed, { connect: 0, read: 0, write: 0, status: 0, timeout: 0 });
  });
