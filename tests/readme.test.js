// Replays the documents: runs every "$ command" of their console blocks against two servers, one with --api-keys, and compares the
// output. "..." there matches anything, and whole lines where it is one. Their links lead somewhere, and the files and flags that they name
// exist. The section "My first change", whose blocks are shell-session, runs in a copy of the tree.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binary, longer, startWithin, temporaryFolder } from './http/harness.js'; // which also moves the default store from the user's home to a temporary folder
import { freePort } from './http/nginx.js';
import { buildAs, buildOf, release } from './nats/release.js';
import { documents } from './prose/texts.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (name) => readFileSync(path.join(root, name), 'utf8');

// [{command, output}] of the blocks of a language, in order.
function commands(markdown, language = 'console') {
  const found = [];
  for (const [, block] of markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) found.push({ command: line.slice(2), output: '' });
      else found.at(-1).output += `${line}\n`;
    }
  }
  return found;
}

const some = (text) => text.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]*?');
const pattern = (output) => new RegExp(`^${output.split(/^\.\.\.\n/m).map(some).join('[\\s\\S]*?')}$`);

test('every flag is in the documents with its default', async () => {
  const manual = read('docs/operations.md');
  const { stdout } = await run(binary, ['--help']);
  const flags = [...stdout.matchAll(/^ +(--[a-z-]+) +NQ_.*\((.*)\)$/gm)];
  assert.ok(flags.length >= 15);
  for (const [, flag, preset] of flags) {
    const row = manual.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${flag}\``));
    assert.ok(row, `${flag} is not in the table`);
    const [, names, values] = row.split('|').map((cell) => cell.replaceAll('`', '').trim().split(', '));
    const shown = flag === '--threads' ? ['one a processor'] : preset ? [preset.replace(/^127.0.0.1(?=:9090)/, '')] : ['none', "the system's", ''];
    assert.ok(shown.includes(values[names.indexOf(flag)]), `${flag}: ${row} does not have ${shown[0]}`);
  }
});

test('the table of routes in the README is that of the binary', async () => {
  const table = JSON.parse((await run(binary, ['routes'])).stdout);
  const rows = /^## What it answers\n\n(?:\|.*\n)+/m.exec(read('README.md'))[0].split('\n').flatMap((line) => [...line.matchAll(/`(?:[A-Z]+ )?(\/[^`?]*)(?:\?([^`]*))?`/g)]);
  const explorer = (path) => path.startsWith('/web/'); // files of `/`
  assert.deepEqual([...new Set(rows.map(([, path]) => path))].sort(), [...new Set(table.map(({ path }) => path))].filter((path) => !explorer(path)).sort());
  for (const [, path, query = ''] of rows)
    for (const name of new URLSearchParams(query).keys())
      assert.ok(table.some((route) => route.path === path && route.parameters.some((parameter) => parameter.name === name)), `${path} has no parameter ${name}`);
});

test('one version: of the binary, the contract, the changelog', async () => {
  const version = buildOf(binary).replace(/\+.*/, ''); // of the release
  assert.equal(/^  version: (.*)$/m.exec(read('openapi.yaml'))[1], version);
  assert.equal(/^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))[1], version);
});

test('the README is short', () => assert.ok(read('README.md').split('\n').length <= 150));

// The anchor that a heading has on the page.
const anchor = (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');

const anchors = (name) => [...read(name).replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading));

const TWO_SCREENS = 100; // lines
for (const name of documents.filter((name) => name !== 'README.md' && name !== 'CHANGELOG.md' && read(name).split('\n').length > TWO_SCREENS))
  test(`${name} begins with its contents`, () => {
    const [, contents] = read(name).match(/^Contents: ([\s\S]*?)\n\n/m) ?? [];
    const prose = read(name).replace(/^```[\s\S]*?^```$/gm, '');
    const headings = [...prose.matchAll(/^## (.*)$/gm)].map(([, heading]) => `[${heading}](#${anchor(heading)})`);
    assert.deepEqual(contents?.split(/ ·\s/), headings);
  });

for (const name of documents)
  test(`${name}: its links, files and flags exist`, async () => {
    const { stdout: files } = await run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
    const { stdout: help } = await run(binary, ['--help']);
    const prose = read(name).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target] of prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file, fragment] = target.split('#');
      const at = file ? path.join(path.dirname(name), file) : name;
      assert.ok(existsSync(path.join(root, at)), `${target} does not exist`);
      if (fragment) assert.ok(anchors(at).includes(fragment), `${target} is not a heading`);
    }
    const made = [...read(name).matchAll(/^<!-- file: (.*) -->$/gm)].map(([, file]) => `${file}\n`).join('');
    for (const [, named] of prose.matchAll(/`((?:src|tests|docker|docs)\/[\w./-]+(?<!_x\.c)(?<!_x\.js)|[\w-]+\.test\.js)`/g))
      assert.ok(`${files}${made}`.split('\n').some((file) => file === named || file.startsWith(`${named.replace(/\/$/, '')}/`) || file.endsWith(`/${named}`)), `${named} is not a file`);
    const { stdout: sources } = await run('git', ['grep', '-hoE', '\\b[a-z_]+\\(', '--', 'src', 'include'], { cwd: root, maxBuffer: 1 << 26 });
    for (const [, named] of prose.matchAll(/`([a-z_]+)\(\)`/g)) assert.ok(sources.includes(`${named}(`), `${named}() is not in the sources`);
    if (name.startsWith('docs/'))
      for (const [, named] of prose.matchAll(/`(--[a-z-]+)/g)) assert.ok(help.includes(` ${named} `), `${named} is not a flag`);
  });

test('documents that other files name exist', async () => {
  const { stdout } = await run('git', ['grep', '-nE', '[A-Za-z/]+\\.md\\b', '--', ':!*.md', ':!tests'], { cwd: root, maxBuffer: 1 << 24 });
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length >= 5);
  for (const line of lines)
    for (const [, name, fragment] of line.replace(/^[^:]*:\d+:/, '').matchAll(/(?<![\w./$-])((?:[a-z]+\/)?[\w-]+\.md)\b(?:#([\w-]+))?/g)) {
      assert.ok(documents.includes(name), `${line}: ${name} is not a document`);
      if (fragment) assert.ok(anchors(name).includes(fragment), `${line}: #${fragment} is not a heading`);
    }
});

test('every request in the tables for authors is answered', async (t) => {
  const server = await startWithin(t, []);
  const cells = read('docs/authors.md').split('\n').filter((line) => line.startsWith('|')).join('');
  const targets = [...cells.matchAll(/`(\/\w+\?[^`]*)`/g)].map(([, target]) => target);
  assert.ok(targets.length >= 40, 'the tables have requests');
  for (const target of targets) {
    const { status, text } = await server.get(target);
    assert.equal(status, 200, `${target}: ${text}`);
  }
});

test('every command in the documents prints the output shown', async (t) => {
  const list = documents.flatMap((name) => commands(read(name)));
  assert.ok(list.length >= 40, 'the documents have commands');
  // They show what a release prints: its cursors and the ids of its jobs are not those of a commit after it.
  const program = buildOf(binary) === release ? binary : buildAs(release);
  const start = (...flags) => startWithin(t, ['sh', '-c', 'shift; exec "$0" "$@"', program], ...flags);
  const server = await start();
  const { stdout: line, stderr: key } = await run(binary, ['new-key', 'alice', 'jobs=5']);
  const keys = `${temporaryFolder()}/keys`;
  writeFileSync(keys, line);
  const keyed = await start('--api-keys', keys);
  for (const { command, output } of list) {
    await t.test(command, async () => {
      const here = command
        .replaceAll(/\bbuild\/nqueensd\b/g, program)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`)
        .replaceAll('127.0.0.1:8081', `127.0.0.1:${keyed.port}`)
        .replaceAll('127.0.0.1:9090', `127.0.0.1:${server.adminPort}`);
      const { stdout } = await run('bash', ['-c', here], { cwd: root, env: { ...process.env, KEY: key.trimEnd() } });
      assert.match(stdout, pattern(output));
    });
  }
});

// make sees no difference between the copy and this tree: files and folders have the same times.
test('my first change is as CONTRIBUTING says, from the file to the tests', async () => {
  const section = /^## My first change\n([\s\S]*?)^## /m.exec(read('CONTRIBUTING.md'))[1];
  // The tests of all algorithms take longer to build and to run than everything else here.
  const list = commands(section, 'shell-session').filter(({ command }) => longer || !command.startsWith('make check'));
  assert.ok(list.length >= 8);
  const copy = path.join(temporaryFolder(), 'nqueensd');
  mkdirSync(copy);
  const copied = `tar -c --exclude=./.git --exclude='./build*' --exclude=node_modules . | tar -xC "$0"
    for part in build/src build/embedded build/man3 build/faults build/*.* build/nqueensd build/tests/solvers build/tests/unit/solvers build/tests/unit/support; do
      [ ! -e "$part" ] || tar -c "$part" | tar -xC "$0" || exit
    done`;
  await run('bash', ['-c', copied, copy], { cwd: root });
  for (const [, file, content] of section.matchAll(/^<!-- file: (.*) -->\n```(?:c|python)\n([\s\S]*?)^```$/gm)) writeFileSync(path.join(copy, file), content);
  const port = await freePort();
  const script = list.map(({ command }, i) => `echo '@@${i}'; ${command.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)}`).join('\n');
  const { MAKEFLAGS, MAKELEVEL, NQ_BLESS, NQUEENSD, ...env } = process.env;
  const { stdout } = await run('bash', ['-c', `set -e; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`], { cwd: copy, env, maxBuffer: 1 << 24 }).catch(({ message, stdout: before }) => assert.fail(`${message}\n${before.slice(-4000)}`));
  const outputs = stdout.split(/^@@\d+\n/m).slice(1);
  assert.equal(outputs.length, list.length);
  list.forEach(({ command, output }, i) => output && assert.match(outputs[i], pattern(output), command));
});
