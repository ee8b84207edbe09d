// release.js - the binary under test as another build: the same but for its name, which one object knows.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, temporaryFolder } from '../http/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = path.dirname(binary);

export const release = readFileSync(path.join(root, 'include/nqueens.h'), 'utf8').match(/#define NQ_VERSION "(.*)"/)[1];
export const buildOf = (program) => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().split(' ')[1];

// Its path. The folder is gone with the process.
export function buildAs(name) {
  const build = path.join(temporaryFolder(), 'build');
  const kept = ['src', ...readdirSync(built).filter((file) => file.endsWith('.a') && !file.startsWith('lib'))];
  for (const part of kept) cpSync(path.join(built, part), path.join(build, part), { recursive: true, preserveTimestamps: true });
  const sanitizer = path.basename(built).replace(/^build-?/, '');
  execFileSync('make', ['--no-print-directory', `SAN=${sanitizer}`, 'OPT=-O1', `BUILD=${build}`, `BUILD_ID=${name}`, `${build}/nqueensd`], {
    cwd: root,
    env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' },
    stdio: 'pipe',
  });
  return path.join(build, 'nqueensd');
}
