// mutants.js - do the tests notice? Changes one operator, constant, condition or statement of a random line of src, builds that file, and
// runs the tests that belong to it: the unit tests of its room, those of its own name first, then HTTP tests of the routes that use it,
// and at last the unit tests under the address sanitizer, which sees leaks and locks that are wrong. See tests/mutants.sh.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const tree = path.join(root, 'build-mutants/tree'); // a copy, so that the work tree stays as it is

// Files of tests that use a room of src, after bodies.test.js, which uses most of them; the longest name, of a folder or a file, that fits counts.
const HTTP = {
  'src/base': ['http/core', 'http/errors', 'http/solve'],
  'src/bench': ['http/bench', 'http/commands'],
  'src/board': ['http/solve', 'http/verify', 'http/order', 'library'],
  'src/commands': ['http/commands', 'http/healthcheck', 'http/stop', 'http/access', 'http/admin', 'http/units', 'http/bfile'],
  'src/commands/signals.c': ['http/stop', 'faults/signals'],
  'src/commands/worker.c': ['nats/workers'],
  'src/constructions': ['http/construct'],
  'src/count': ['http/count', 'http/counts', 'http/estimate', 'library'],
  'src/engine': ['http/core', 'http/model'],
  'src/engine/boards': ['http/refusals', 'http/completion', 'http/verify', 'http/puzzle', 'http/regions_puzzle'],
  'src/engine/cluster': ['nats/workers'],
  'src/engine/counts': ['http/count', 'http/jobs', 'http/job_units'],
  'src/engine/jobs': ['http/jobs', 'http/list_jobs', 'http/events'],
  'src/engine/journal': ['http/store'],
  'src/engine/lists': ['http/stream', 'http/list', 'http/trace'],
  'src/engine/run': ['http/flight', 'http/slow', 'http/stream'],
  'src/engine/run/flight.c': ['http/flight', 'observe'],
  'src/engine/worker': ['nats/workers'],
  'src/formats': ['http/formats', 'http/construct'],
  'src/http': ['http/core', 'http/errors', 'http/protocol'],
  'src/http/ask': ['http/refusals', 'http/verify', 'http/verify_regions', 'http/count', 'http/solve'],
  'src/http/guard': ['http/access', 'http/clients', 'http/readiness', 'http/admin'],
  'src/http/reply': ['http/conditional', 'http/formats', 'http/gzip', 'http/events', 'http/prefer', 'http/jobs'],
  'src/http/routes/counts.c': ['http/counts'],
  'src/http/routes/route_puzzle.c': ['http/puzzle', 'http/regions_puzzle'],
  'src/http/server': ['http/protocol', 'http/departure', 'http/stop', 'http/socket'],
  'src/http/wire': ['http/protocol', 'http/clients', 'http/proxy', 'http/socket'],
  'src/kernels': ['http/counts'],
  'src/puzzles': ['http/puzzle', 'http/regions_puzzle', 'http/steps'],
  'src/rules': ['http/rules', 'http/refusals'],
  'src/sequences': ['http/bfile', 'http/commands'],
  'src/shapes': ['http/shapes', 'http/walls', 'http/verify_shapes', 'library'],
  'src/solvers': ['http/trace', 'http/list', 'http/solve'],
  'src/statistics': ['http/statistics'],
  'src/steps': ['http/trace'],
  'src/stores': ['http/store', 'nats/replicas'],
  'src/stores/nats.c': ['nats/conf'],
};
// Rooms whose unit tests stand in another's program, too.
const ALSO = {
  'src/engine/counts': ['alone/count_units'],
  'src/engine/units/division.c': ['engine/shared_count'],
  'src/kernels/kernels.c': ['statistics/survey'],
  'src/steps': ['solvers/*'],
};

// ---- Mutants ----

// What may stand in for what; a line of code without its strings and comments is searched.
const OPERATORS = [
  [/(?<![<>=!+\-*/&|^-])<=(?!=)/g, ['<']], [/(?<![<>=!+\-*/&|^-])>=(?!=)/g, ['>']], [/ < /g, [' <= ']], [/ > /g, [' >= ']],
  [/==/g, ['!=']], [/!=/g, ['==']], [/&&/g, ['||']], [/\|\|/g, ['&&']], [/ \+ /g, [' - ']], [/ - /g, [' + ']], [/\+\+/g, ['--']],
  [/(?<=\w)--|--(?=\w)/g, ['++']], [/ << /g, [' >> ']], [/ >> /g, [' << ']], [/ & /g, [' | ']], [/ \| /g, [' & ']], [/ \+= /g, [' -= ']],
  [/ -= /g, [' += ']], [/ \|= /g, [' &= ']], [/ &= /g, [' |= ']], [/(?<=[(\s!])!(?=[\w(])/g, ['']], [/\btrue\b/g, ['false']], [/\bfalse\b/g, ['true']],
  [/(?<![\w.])\d+(?![\w.])/g, null], [/\bif \((.*)\)( \{)?$/g, 'negated'], [/\bwhile \((.*)\)( \{)?$/g, 'negated'],
  [/^\s+(?!return\b|goto\b|break\b|continue\b|case\b|default\b|\}|else\b|static\b|const\b|struct\b|enum\b|unsigned\b|bool\b|char\b|size_t\b|u?int\w*_t\b|double\b|int\b|void\b|\w+ \*?\w+ =)(?:[\w\->.[\]*]+ = .*|\(?(?:void\))?[\w\->.]+\(.*\));$/g, [';']],
];
const SKIPPED = /= \{0\};|^\s*(?:#|\*|\/\*|\/\/)|\blog_\w+\(|\bassert\(|fprintf|\.help\b|\.summary\b|\.title\b|_Static_assert|^\s*(?:static |const |extern |enum\b|struct\b|typedef\b)[^()=]*[;{]?$/;
const blank = (line) => line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\*.*?\*\/|\/\*.*$|\/\/.*$/g, (text) => '\u0001'.repeat(text.length));

function mutantsOf(file, line, at) {
  if (SKIPPED.test(line)) return [];
  const code = blank(line).trimEnd();
  if (!/[;{)]$|[&|+\-,]$/.test(code) || /^\S/.test(code)) return []; // inside of functions
  return OPERATORS.flatMap(([pattern, replaced]) =>
    [...code.matchAll(pattern)].flatMap((match) => {
      const from = line.slice(match.index, match.index + match[0].length);
      let all = replaced;
      if (replaced === null) all = [String(BigInt(from) + 1n), ...(from === '0' ? [] : ['0'])];
      if (replaced === 'negated') all = [from.replace(/^(if|while) \((.*)\)( \{)?$/, '$1 (!($2))$3')];
      return all.map((to) => ({ file, text: line, nth: 0, at, column: match.index, from, to }));
    }),
  );
}

function random(seed) { // xorshift32: the same mutants everywhere
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state % below;
  };
}

const nthOf = (lines, at) => lines.slice(0, at).filter((line) => line === lines[at]).length;

function draw(seed, count, only) {
  const files = readdirSync(path.join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.c')).map((name) => `src/${name}`)
    .filter((name) => !only.length || only.some((wanted) => name.startsWith(wanted))).sort();
  const lines = files.flatMap((file) => {
    const all = readFileSync(path.join(root, file), 'utf8').split('\n');
    return all.map((line, at) => ({ file, all, line, at })).filter(({ line, at }) => mutantsOf(file, line, at).length);
  });
  const next = random(seed);
  const drawn = new Map();
  for (let tries = 0; drawn.size < count && tries < 50 * count; tries++) {
    const { file, all, line, at } = lines[next(lines.length)];
    const choices = mutantsOf(file, line, at);
    const mutant = { ...choices[next(choices.length)], nth: nthOf(all, at) };
    drawn.set(JSON.stringify(mutant), mutant);
  }
  return [...drawn.values()];
}

// ---- Trying one ----

const environment = { ...process.env, NQ_PATIENCE: process.env.NQ_PATIENCE ?? '1', NQ_SLOW: '', CMOCKA_MESSAGE_OUTPUT: 'TAP', NQUEENSD: path.join(tree, 'build/nqueensd') };

// Runs until it ends, or until a line shows that a test has failed; false: it failed.
function passes(command, seconds) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { cwd: tree, env: environment, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const end = (passed) => {
      clearTimeout(timer);
      try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ }
      resolve(passed);
    };
    const timer = setTimeout(() => end(false), seconds * 1000);
    let text = '';
    child.stdout.on('data', (data) => {
      text = text.slice(text.lastIndexOf('\n') + 1) + data;
      if (text.split('\n').slice(0, -1).some((line) => /^ *not ok /.test(line) && !line.includes('# SKIP'))) end(false);
    });
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
  });
}

const make = (...targets) => passes(['nice', 'make', '-s', 'OPT=-O1', ...targets], 600);
const roomOf = (file) => path.dirname(file).split('/')[1] ?? 'main';
const longest = (table, file) => table[Object.keys(table).filter((room) => file === room || file.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]] ?? [];

// Groups of the file's folder, those of its name first; all of a room's only where its folder has none.
function groupsOf(file) {
  const folder = path.join(tree, 'tests/unit', roomOf(file));
  if (!existsSync(folder)) return [];
  const base = path.basename(file, '.c');
  const rank = (name) => {
    const group = path.basename(name, '.c').replace(/^test_/, '');
    if (group === base) return 0;
    if (group.startsWith(base) || base.startsWith(group) || base.includes(group) || group.includes(base.split('_').pop())) return 1;
    return path.dirname(`src/${roomOf(file)}/${name}`) === path.dirname(file) ? 2 : 3;
  };
  const all = readdirSync(folder, { recursive: true }).filter((name) => /test_.*\.c$/.test(name)).sort().map((name) => ({ name, rank: rank(name) }));
  const near = all.filter((one) => one.rank < 3);
  return (near.length ? near : all).sort((a, b) => a.rank - b.rank).map(({ name }) => `${roomOf(file)}/${path.basename(name, '.c').replace(/^test_/, '')}`);
}

// By which of these groups of unit tests a change is noticed on the build with a sanitizer, or that it does not compile.
async function groupKiller(groups, sanitizer = '') {
  const [build, stage] = sanitizer ? [`build-${sanitizer}`, sanitizer] : ['build', 'unit'];
  for (const room of new Set(groups.map((group) => group.split('/')[0])))
    if (!(await make(`SAN=${sanitizer}`, `${build}/tests/${room}`))) return 'the compiler';
  for (const group of groups) {
    const [room, name] = group.split('/');
    if (!(await passes([`${build}/tests/${room}`, name], 120))) return `${stage} ${group}`;
  }
  return null;
}

async function httpKiller(files) {
  const there = files.map((name) => `tests/${name}`).filter((name) => existsSync(path.join(tree, name)));
  if (!(await make('build/nqueensd'))) return 'the compiler';
  for (const name of there) if (!(await passes(['node', '--test', '--test-reporter=tap', name], 400))) return name.replace('tests/', '');
  return null;
}

const unitGroups = (file) => [...groupsOf(file), ...longest(ALSO, file)];
const STAGES = {
  unit: (file) => groupKiller(unitGroups(file)),
  http: (file) => httpKiller(['http/bodies', ...longest(HTTP, file)].map((name) => `${name}.test.js`)),
  address: (file) => groupKiller(unitGroups(file), 'address'),
};

// Whether the test that noticed it once does so still: it is tried first.
async function formerKiller(by = '') {
  const [, stage, room, group] = by.match(/^(unit|address) (\w+)\/(\w+)$/) ?? [];
  if (by.endsWith('.test.js')) return httpKiller([by]);
  const folder = path.join(tree, 'tests/unit', room ?? '');
  if (!group || !existsSync(folder) || !readdirSync(folder, { recursive: true }).some((name) => path.basename(name) === `test_${group}.c`)) return null;
  return groupKiller([`${room}/${group}`], stage === 'unit' ? '' : stage);
}

// It must pass without the mutant, or it tells nothing.
const sound = new Map();
async function isSound(former) {
  if (!sound.has(former)) sound.set(former, !(await formerKiller(former)));
  return sound.get(former);
}

async function killer({ file, by: former }, stages) {
  const still = sound.get(former) && (await formerKiller(former));
  if (still) return still;
  for (const stage of stages) {
    const by = await STAGES[stage](file);
    if (by) return by;
  }
  return null;
}

// Where its line is today: in its file, or, if that or the line in it is gone, where it stands alone.
function placeOf(mutant) {
  const holds = (file) => readFileSync(path.join(tree, file), 'utf8').split('\n').flatMap((line, at) => (line === mutant.text ? [at] : []));
  const own = existsSync(path.join(tree, mutant.file)) ? holds(mutant.file) : [];
  if (own.length > mutant.nth) return { file: mutant.file, at: own[mutant.nth] };
  const files = readdirSync(path.join(tree, 'src'), { recursive: true }).filter((name) => name.endsWith('.c')).map((name) => `src/${name}`);
  const places = files.flatMap((file) => holds(file).map((at) => ({ file, at })));
  return places.length === 1 ? places[0] : null;
}

async function attempt(mutant, stages) {
  const place = placeOf(mutant);
  if (!place) return { ...mutant, result: 'gone' };
  if (!(await isSound(mutant.by))) console.log(`${mutant.by} fails without a mutant, too`);
  const { at } = place;
  const file = path.join(tree, place.file);
  const original = readFileSync(file, 'utf8');
  const lines = original.split('\n');
  lines[at] = mutant.text.slice(0, mutant.column) + mutant.to + mutant.text.slice(mutant.column + mutant.from.length);
  writeFileSync(file, lines.join('\n'));
  try {
    const by = await killer({ ...mutant, ...place }, stages);
    return { ...mutant, at, result: by === 'the compiler' ? 'invalid' : by ? 'killed' : 'survived', by };
  } finally {
    writeFileSync(file, original);
  }
}

// A copy of what is under version control or would be, with what was built of it.
function prepare(stages) {
  mkdirSync(tree, { recursive: true });
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\0').filter((name) => name && existsSync(path.join(root, name)));
  for (const name of names) {
    const from = path.join(root, name), to = path.join(tree, name);
    mkdirSync(path.dirname(to), { recursive: true });
    if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
    copyFileSync(from, to);
    const { atime, mtime } = statSync(from);
    if (!existsSync(path.join(tree, 'build'))) utimesSync(to, atime, mtime);
  }
  if (!existsSync(path.join(tree, 'tests/node_modules'))) symlinkSync(path.join(root, 'tests/node_modules'), path.join(tree, 'tests/node_modules'));
  execFileSync('make', ['-s', 'OPT=-O1', 'all', 'unit', 'faults'], { cwd: tree, stdio: 'inherit' });
  if (stages.includes('address')) execFileSync('make', ['-s', 'OPT=-O1', 'SAN=address', 'unit'], { cwd: tree, stdio: 'inherit' });
}

// Survivors that are known, each with a reason: FILE | FROM -> TO | THE LINE | REASON.
const shown = (text) => text.trim() || 'nothing';
const lineOf = ({ file, from, to, text }) => `${file} | ${shown(from)} -> ${shown(to)} | ${text.trim()} | `;
const known = readFileSync(path.join(root, 'tests/data/mutants.txt'), 'utf8').split('\n');
const isKnown = (mutant) => known.some((line) => line.startsWith(lineOf(mutant)));

const say = ({ file, at, from, to, result, by }) =>
  console.log(`${result.padEnd(8)} ${file}:${at + 1}  ${shown(from)} -> ${shown(to)}${by ? `  by ${by}` : ''}`);

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'draw') {
  for (const mutant of draw(Number(rest[0]), Number(rest[1]), rest.slice(2))) console.log(JSON.stringify(mutant));
} else if (mode === 'run') {
  // run LIST RESULTS STAGE...: those of a list that the results do not have yet; appended one by one.
  const [list, results, ...only] = rest;
  const stages = only.length ? only : Object.keys(STAGES);
  const read = (name) => (existsSync(name) ? readFileSync(name, 'utf8').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line)) : []);
  const key = ({ file, text, nth, column, to }) => JSON.stringify([file, text, nth, column, to]);
  const done = new Set(read(results).map(key));
  prepare(stages);
  for (const mutant of read(list).filter((one) => !done.has(key(one)))) {
    const outcome = await attempt(mutant, stages);
    appendFileSync(results, `${JSON.stringify(outcome)}\n`);
    say(outcome);
  }
  const all = read(results);
  const count = (result) => all.filter((one) => one.result === result).length;
  const fresh = all.filter((one) => one.result === 'survived' && !isKnown(one));
  if (fresh.length) console.log('Survivors without a line in tests/data/mutants.txt:');
  for (const mutant of fresh) console.log(`${lineOf(mutant)}REASON`);
  console.log(`${count('invalid')} do not compile, ${count('gone')} are of lines that are gone`);
  console.log(`${count('killed') + count('survived') - fresh.length} passed, ${fresh.length} failed`);
  process.exitCode = fresh.length ? 1 : 0;
}
