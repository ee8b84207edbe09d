// replicas.js - several servers behind one address, and a proxy that a test tells which of them is asked. Every reply is that of a
// server, or of nginx before one that has ended. It knows nothing of what is shown.
import http from 'node:http';
import { after, start } from '../http/harness.js';
import { behindNginx } from '../http/nginx.js';
import { freePort } from '../http/ports.js';

// choose(path, loads): the server that is asked, anything with a port; loads: how often a page was, this time among them.
export async function front(choose) {
  const at = { loads: 0 };
  const proxy = http.createServer((request, reply) => {
    const { url, method, headers } = request;
    if (!url.startsWith('/web/') && /html/.test(headers.accept)) at.loads++;
    const { port } = choose(url, at.loads);
    const asked = http.request({ port, host: '127.0.0.1', path: url, method, headers }, (answer) => {
      reply.writeHead(answer.statusCode, answer.headers);
      answer.on('error', () => reply.destroy()).pipe(reply);
    });
    asked.on('error', () => reply.destroy());
    reply.on('close', () => asked.destroy()); // the page cancelled its request
    request.pipe(asked);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return Object.assign(at, { base: `http://127.0.0.1:${proxy.address().port}/` });
}

// A server behind nginx, which answers for it after fall(), until rise(). It runs at first.
export async function mortal() {
  const port = await freePort(); // nobody else gets it meanwhile
  const begin = () => start({ after }, '--listen', `127.0.0.1:${port}`);
  let server = await begin();
  const nginx = await behindNginx(port);
  after(() => nginx.stop());
  return {
    port: nginx.port,
    fall: () => server.crash(),
    rise: async () => (server = await begin()),
  };
}
