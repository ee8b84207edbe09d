// faults.js - starts servers to whom the system can be made to fail, by system.c, while they run. It knows nothing of what they
// answer, nor of which failures there are but by name.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, ftruncateSync, openSync, readFileSync, readSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWithin, temporaryFolder } from '../http/harness.js';

const library = fileURLToPath(new URL('../../build/faults/system.so', import.meta.url)); // for sanitized servers too
// In the order of `struct faults`.
const names = ['disk_error', 'disk_hangs', 'date_shift', 'elapsed_shift', 'accept_error', 'stalls', 'stall_ms', 'disk_delay_ms'];
const FILES = 4096;
export const errors = { EIO: 5, ENOMEM: 12, ENFILE: 23, EMFILE: 24, ENOSPC: 28, EROFS: 30, ENOBUFS: 105 };

// What goes wrong. files: those whose paths hold this are on the disk that fails.
export class Faults {
  constructor(files = '') {
    this.path = path.join(temporaryFolder(), 'faults');
    this.descriptor = openSync(this.path, 'w+');
    ftruncateSync(this.descriptor, 8 * names.length + FILES);
    writeSync(this.descriptor, Buffer.from(`${files}\0`), 0, null, 8 * names.length);
  }
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(value));
      writeSync(this.descriptor, bytes, 0, 8, 8 * names.indexOf(name));
    }
  }
  get(name) {
    const bytes = Buffer.alloc(8);
    readSync(this.descriptor, bytes, 0, 8, 8 * names.indexOf(name));
    return Number(bytes.readBigInt64LE());
  }
  // The command that starts a server so.
  get wrapper() {
    const before = [library, process.env.LD_PRELOAD].filter(Boolean).join(' '); // e.g. delays.c
    return ['env', `LD_PRELOAD=${before}`, `NQ_FAULTS=${this.path}`, 'ASAN_OPTIONS=verify_asan_link_order=0'];
  }
  start(owner, ...flags) {
    return startWithin(owner, this.wrapper, ...flags);
  }
}

// Lowers what a process may have: limit(server, 'nofile', 20). Only the soft limit, so that it can be raised again.
export const limit = (server, what, most) =>
  execFileSync('prlimit', [`--${what}=${most}:`, '--pid', `${server.process.pid}`]);

// Seconds of the processor that a server has had.
export function worked(server) {
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export const descriptors = (server) => readdirSync(`/proc/${server.process.pid}/fd`).length;

// A file system of its own, in memory, of so many bytes; null where that is not ours to do. It is gone with the test.
export function disk(t, bytes) {
  const folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).status !== 0) return null;
  const unmount = () => existsSync(folder) && spawnSync('umount', ['-l', folder]);
  t.after(unmount);
  process.prependOnceListener('exit', unmount);
  return folder;
}
