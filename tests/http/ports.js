// ports.js - ports for those who cannot be given one by the system: who comes back to the same, or is told where by a file.
import { randomInt } from 'node:crypto';
import net from 'node:net';

// One that nobody has, below those the system gives to connections: a server that is down finds its own free when it comes back.
export async function freePort() {
  for (;;) {
    const port = randomInt(10000, 32000);
    const server = net.createServer();
    const free = await new Promise((resolve) => server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)));
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
