// soak.test.js - every route, hour after hour, directly and through nginx: no reply that nobody asked for, and no more memory at the
// end than after a fifth of the time. SOAK_SECONDS says for how long; wrk asks, by mix.lua.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { after, assert, sleep, slow, start, test } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { besieged, long, quiet } from './hostile.js';

const SECONDS = Number(process.env.SOAK_SECONDS ?? (long ? 3600 : slow ? 8 : 4));
const server = await start({ after }, '--threads', 2, '--cache-bytes', '4M', '--kernel', 'auto');
const front = await behindNginx(server.port);
after(() => front.stop());
const KEPT = 32; // by nginx
const mix = fileURLToPath(new URL('mix.lua', import.meta.url));

// A load for so many seconds; what wrk says of it, by name.
async function load(port, seconds) {
  const flags = ['-t1', '-c4', `-d${Math.ceil(seconds)}s`, '--timeout', '30s', '--latency', '-s', mix];
  const child = spawn('wrk', [...flags, `http://127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  await once(child, 'close');
  const [line, ...numbers] =
    text.match(/^figures: (\d+) requests, (\d+) unexpected, (\d+) not .*, (\d+) not .*, (\d+) not .*, (\d+) late.*$/m) ??
    assert.fail(text);
  const [requests, ...bad] = numbers.map(Number);
  return { line, requests, bad: bad.reduce((sum, one) => sum + one), latency: text.match(/99% +(\S+)/)?.[1] };
}

test(`every route for ${SECONDS} s, directly and through nginx`, async (t) => {
  const both = (seconds) => Promise.all([load(server.port, seconds), load(front.port, seconds)]);
  let [over, most, samples] = [false, 0, []];
  const attack = async () => {
    const watch = (async () => {
      for (let next = 0; !over; await sleep(1)) {
        server.forget();
        most = Math.max(most, server.resident());
        if (Date.now() >= next) samples.push(server.resident());
        if (Date.now() >= next) next = Date.now() + (SECONDS * 1000) / 10;
      }
    })();
    const results = await both(SECONDS);
    over = true;
    await watch;
    for (const [where, { line, bad, latency }] of Object.entries({ directly: results[0], 'through nginx': results[1] })) {
      t.diagnostic(`${where}: ${line}, 99 % within ${latency}`);
      assert.equal(bad, 0, line);
    }
  };
  await besieged(t, server, attack);
  await quiet(server, KEPT);
  const now = server.resident();
  const show = samples.map((one) => one.toFixed(1)).join(' ');
  const memory = `${show} MB meanwhile, ${most.toFixed(1)} at most, ${now.toFixed(1)} after`;
  t.diagnostic(`${memory}; load ${os.loadavg()[0].toFixed(1)}`);
  if (!slow && SECONDS >= 60) assert.ok(now <= samples[2] * 1.1, memory);
});
