// Replays README.md: every "$ command" of its console blocks is run against servers of its own, one of which asks for keys, and
// must print what the README says. "..." there stands for anything.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binary, start, temporaryFolder } from './http/harness.js'; // which also keeps what a server would keep in the user's home in a folder of ours

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

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
  const readme = readFileSync(`${root}/README.md`, 'utf8');
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

test('every command in the README prints what the README says', async (t) => {
  const readme = readFileSync(`${root}/README.md`, 'utf8');
  const list = commands(readme);
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
