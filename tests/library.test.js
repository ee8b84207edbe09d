// The library as its users get it: what `make install` puts into a folder, found through pkg-config, used from C and C++, shared and
// static. tests/unit/library tests what the functions return.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, temporaryFolder, test } from './http/harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = temporaryFolder();
const at = (name) => path.join(folder, name);
const env = { ...process.env, PKG_CONFIG_PATH: at('root/usr/lib/pkgconfig'), PKG_CONFIG_SYSROOT_DIR: at('root'), LD_LIBRARY_PATH: at('root/usr/lib') };
const run = (command, ...argv) => execFileSync(command, argv, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 26 });
const shell = (command, cwd = root) => execFileSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
run('make', '--no-print-directory', 'install', `DESTDIR=${at('root')}`, 'PREFIX=/usr');

const header = readFileSync(at('root/usr/include/nqueens.h'), 'utf8');
const declared = [...header.matchAll(/^NQ_API [^()]*?(nq_[a-z_]+)\(/gm)].map(([, name]) => name).sort();
const [, version] = header.match(/^#define NQ_VERSION "(.*)"$/m);
const soname = 'libnqueens.so.0'; // another number only with a change that programs built before do not survive
const shared = at(`root/usr/lib/${soname}.${version}`);
const warnings = '-O1 -Wall -Wextra -Wshadow -pedantic -Werror';

test('both libraries define what the header declares, and nothing else that can be seen', () => {
  assert.ok(declared.length > 30);
  for (const argv of [['-D', shared], ['-g', at('root/usr/lib/libnqueens.a')]]) {
    const names = run('nm', '-P', '--defined-only', ...argv).split('\n').filter((line) => / [A-Z] /.test(line)).map((line) => line.split(' ')[0]);
    assert.deepEqual(names.sort(), declared);
  }
});

test('the shared library has a versioned name, and needs the C library, libm and threads only', () => {
  const told = run('readelf', '-dW', shared);
  assert.equal(told.match(/SONAME.*\[(.*)\]/)[1], soname);
  for (const [, needed] of told.matchAll(/NEEDED.*\[(.*)\]/g)) assert.match(needed, /^(lib(c|m|pthread)|ld-linux.*)\.so\.\d+$/);
  assert.doesNotMatch(told, /TEXTREL/);
});

test('the header is C11 and C++17, without a warning; a status that is ignored is one', () => {
  const compile = (language, program) => execFileSync('sh', ['-c', `cc ${language} ${warnings} $(pkg-config --cflags nqueens) -S -o /dev/null - 2>&1`], { cwd: root, env, encoding: 'utf8', input: program });
  const program = '#include <nqueens.h>\nint main(void) { uint64_t q; ';
  for (const language of ['-x c -std=c11', '-x c++ -std=c++17']) {
    compile(language, `${program} return nq_count(4, &q) != NQ_OK; }`);
    assert.throws(() => compile(language, `${program} nq_count(4, &q); return 0; }`), ({ stdout }) => /unused-result|warn_unused_result/.test(stdout));
  }
});

test('the header has no words of the service', () => assert.doesNotMatch(header, /\b(HTTP|server|service|quota|keys?|job|store|client)\b/i));

test('the version is one', () => {
  assert.equal(run('pkg-config', '--modversion', 'nqueens').trim(), version);
  assert.ok(readFileSync(path.join(root, 'docs/library.md'), 'utf8').includes(`\`${path.basename(shared)}\``), 'docs/library.md names the file');
  assert.deepEqual(['MAJOR', 'MINOR', 'PATCH'].map((part) => header.match(new RegExp(`^#define NQ_VERSION_${part} (\\d+)$`, 'm'))[1]), version.split('.'));
});

// Also compares the version at run time.
test('memory that runs out at any allocation is told, and nothing is lost', () => {
  shell(`cc -std=c11 ${warnings} -fno-builtin $(pkg-config --cflags nqueens) -o ${at('memory')} tests/library/memory.c $(pkg-config --libs nqueens)`);
  run(at('memory'));
});

// [command, output] of the blocks of the document.
const document = readFileSync(path.join(root, 'docs/library.md'), 'utf8');
const commands = [...document.matchAll(/^```shell\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block.split(/^\$ /m).slice(1)).map((text) => text.match(/^(.*)\n([\s\S]*)$/).slice(1));
test('the examples of docs/library.md print what it shows', () => {
  assert.ok(commands.length >= 6);
  for (const [command, output] of commands)
    assert.equal(shell(command.replace(/^cc /, `cc ${warnings} `).replace(/^c\+\+ /, `c++ ${warnings} `).replaceAll('-o ', `-o ${folder}/`).replaceAll('./', `${folder}/`), path.join(root, 'examples')), output);
});

test('the static library makes a program that needs no other', () => {
  const libs = run('pkg-config', '--static', '--libs', 'nqueens').trim().replace('-lnqueens', '-l:libnqueens.a');
  shell(`cc -std=c11 ${warnings} $(pkg-config --cflags nqueens) -o ${at('fixed')} examples/count.c ${libs}`);
  assert.doesNotMatch(run('readelf', '-dW', at('fixed')), /libnqueens/);
  assert.match(run(at('fixed'), '8'), /^n = 8: 92 solutions in 12 classes, 4 of them/);
});
