// release.js - a build of the binary under test that is another release for browsers: its scripts have other names and contents.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, binary, startWithin, temporaryFolder } from '../http/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

// The binary under test with other scripts; what else it has is not compiled again. The folder is gone with the process.
// alter: { file of src/web: [text, what it is replaced by] }. Returns start(...flags).
export function otherRelease(alter = {}) {
  const folder = temporaryFolder();
  const build = path.join(folder, 'build');
  const built = path.dirname(binary);
  const copy = (from, part) => cpSync(path.join(from, part), path.join(build, part), { recursive: true, preserveTimestamps: true });
  copy(built, 'src');
  copy(path.join(root, 'build'), 'embedded');
  const web = path.join(folder, 'web');
  cpSync(path.join(root, 'src/web'), web, { recursive: true });
  for (const script of ['main.js', 'docs.js']) appendFileSync(path.join(web, script), "globalThis.release = 'newer';\n");
  for (const [name, [from, to]] of Object.entries({ 'words_en.js': ["skip: '", '$&-'], ...alter })) {
    const file = path.join(web, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  }
  const quick = path.join(folder, 'bin'); // how well the scripts are compressed does not matter here
  mkdirSync(quick);
  writeFileSync(path.join(quick, 'zopfli'), '#!/bin/sh\nexec gzip -nkf "$@"\n', { mode: 0o755 });
  execFileSync(path.join(web, 'pack.sh'), [path.join(build, 'embedded/web')], { env: { ...process.env, PATH: `${quick}:${process.env.PATH}` } });
  const sanitizer = path.basename(built).replace(/^build-?/, '');
  execFileSync('make', ['--no-print-directory', `SAN=${sanitizer}`, `BUILD=${build}`, `embedded=${build}/embedded`, `${build}/nqueensd`], {
    cwd: root,
    env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' },
    stdio: 'pipe',
  });
  const other = path.join(build, 'nqueensd');
  return (...flags) => startWithin({ after }, ['sh', '-c', 'shift; exec "$0" "$@"', other], ...flags);
}
