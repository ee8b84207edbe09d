// release.js - another release of the binary under test: the same but for its number. Only what tells the number is compiled again.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, temporaryFolder } from '../http/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const header = 'include/nqueens.h';
const built = path.dirname(binary);

const number = (text) => text.match(/#define NQ_VERSION "(.*)"/)[1];
export const release = number(readFileSync(path.join(root, header), 'utf8'));

// Its path. The folder is gone with the process.
export function buildRelease(version) {
  const folder = temporaryFolder();
  const include = path.join(folder, 'include');
  const build = path.join(folder, 'build');
  mkdirSync(include);
  const text = readFileSync(path.join(root, header), 'utf8');
  writeFileSync(path.join(folder, header), text.replace(`"${number(text)}"`, `"${version}"`));
  cpSync(path.join(built, 'src'), path.join(build, 'src'), { recursive: true, preserveTimestamps: true });
  for (const source of readdirSync(path.join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.c')))
    if (readFileSync(path.join(root, 'src', source), 'utf8').includes('NQ_VERSION'))
      rmSync(path.join(build, 'src', source.replace(/c$/, 'o')));
  const sanitizer = path.basename(built).replace(/^build-?/, '');
  execFileSync('make', ['--no-print-directory', `SAN=${sanitizer}`, 'OPT=-O1', `BUILD=${build}`, `${build}/nqueensd`], {
    cwd: root,
    env: { ...process.env, CPPFLAGS: `-I${include}`, MAKEFLAGS: '', MAKELEVEL: '' },
    stdio: 'pipe',
  });
  return path.join(build, 'nqueensd');
}
