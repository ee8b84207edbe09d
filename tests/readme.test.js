// Replays the documents: every "$ command" of their console blocks is run against servers of its own, one of which asks for keys,
// and must print what they say. "..." there stands for anything. What they link to and name is there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binary, start, temporaryFolder } from './http/harness.js'; // which also keeps what a server would keep in the user's home in a folder of ours

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (name) => readFileSync(path.join(root, name), 'utf8');
const documents = ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

// [{command, output}] of the console blocks, in order.
function commands(markdown) {
  const found = [];
  for (const [, block] of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) found.push({ command: line.slice(2), output: '' });
      else found.at(-1).output += `${line}\n`;
    }
  }
  return found;
}

function pattern(output) {
  const escaped = output.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^\\n]*?')}$`);
}

test('every flag is in the README, with its default', async () => {
  const readme = read('README.md');
  const { stdout } = await run(binary, ['--help']);
  const flags = [...stdout.matchAll(/^ +(--[a-z-]+) +NQ_.*\((.*)\)$/gm)];
  assert.ok(flags.length >= 15);
  for (const [, flag, preset] of flags) {
    const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${flag}\``));
    assert.ok(row, `${flag} is not in the table`);
    const shown = flag === '--threads' ? 'one a processor' : preset.replace(/^127.0.0.1(?=:9090)/, '');
    assert.ok(row.includes(shown), `${flag}: ${row} does not say ${shown}`);
  }
});

test('one version: of the binary, the contract, the changelog', async () => {
  const version = (await run(binary, ['--version'])).stdout.trim().split(' ')[1];
  assert.equal(/^  version: (.*)$/m.exec(read('openapi.yaml'))[1], version);
  assert.equal(/^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md'))[1], version);
});

// The anchor that a heading has on the page.
const anchor = (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');

for (const name of documents)
  test(`${name}: what it links to, the files and flags it names are there`, async () => {
    const { stdout: files } = await run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
    const { stdout: help } = await run(binary, ['--help']);
    const prose = read(name).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target] of prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file, fragment] = target.split('#');
      const at = file ? path.join(path.dirname(name), file) : name;
      assert.ok(existsSync(path.join(root, at)), `${target} is not there`);
      if (fragment) assert.ok([...read(at).matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchor(heading) === fragment), `${target} is no heading`);
    }
    for (const [, named] of prose.matchAll(/`((?:src|tests|docker|docs)\/[\w./-]+(?<!_x\.c)|[\w-]+\.test\.js)`/g))
      assert.ok(files.split('\n').some((file) => file === named || file.startsWith(`${named.replace(/\/$/, '')}/`) || file.endsWith(`/${named}`)), `${named} is no file`);
    if (name.startsWith('docs/'))
      for (const [, named] of prose.matchAll(/`(--[a-z-]+)/g)) assert.ok(help.includes(` ${named} `), `${named} is no flag`);
  });

test('every command in the documents prints what they say', async (t) => {
  const list = documents.flatMap((name) => commands(read(name)));
  assert.ok(list.length >= 10, 'the README has commands');
  const server = await start(t);
  const { stdout: line, stderr: key } = await run(binary, ['new-key', 'alice', 'jobs=5']);
  const keys = `${temporaryFolder()}/keys`;
  writeFileSync(keys, line);
  const keyed = await start(t, '--api-keys', keys);
  for (const { command, output } of list) {
    await t.test(command, async () => {
      const here = command
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`)
        .replaceAll('127.0.0.1:8081', `127.0.0.1:${keyed.port}`)
        .replaceAll('127.0.0.1:9090', `127.0.0.1:${server.adminPort}`);
      const { stdout } = await run('bash', ['-c', here], { cwd: root, env: { ...process.env, KEY: key.trimEnd() } });
      assert.match(stdout, pattern(output));
    });
  }
});
