// api.js - asks the service. It knows HTTP and problems (RFC 9457), and no route.
export class Problem extends Error {
  constructor(fields) {
    super(fields.title);
    Object.assign(this, fields); // title, detail, status, type, retryAfter; gone: nobody answered
  }
}

// A relative URL, so that the page works below any prefix; what the service links to may have that prefix already.
// Parameters that are null, undefined or '' are left out.
export function link(path, params = {}) {
  const base = new URL('.', location.href).pathname;
  const local = (path.startsWith(base) ? path.slice(base.length) : path.replace(/^\//, '')) || './';
  const pairs = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = (value) => encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':');
  const query = pairs.map(([name, value]) => `${name}=${text(value)}`).join('&');
  return query ? `${local}?${query}` : local;
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

async function request(url, { method = 'GET', body, signal, headers = {} }) {
  const type = typeof body === 'string' || body === undefined ? {} : { 'Content-Type': 'application/json' };
  try {
    return await fetch(url, {
      ...{ method, signal, headers: { ...type, ...headers } },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    dispatchEvent(new Event('gone'));
    throw new Problem({ title: 'gone', gone: true });
  }
}

// The response to a request, tried once more where the service says when; throws a Problem for what is none.
async function respond(url, options) {
  for (let tries = 0; ; tries++) {
    const response = await request(url, options);
    if (response.ok) return response;
    const retryAfter = Number(response.headers.get('Retry-After'));
    if (tries === 0 && [429, 503].includes(response.status) && retryAfter) {
      await pause(Math.min(retryAfter, 10), options.signal);
      continue;
    }
    if ([502, 504].includes(response.status)) dispatchEvent(new Event('gone')); // a proxy that finds nobody behind it
    const told = response.headers.get('Content-Type')?.startsWith('application/problem+json') ? await response.json() : {};
    throw new Problem({ title: response.statusText, ...told, status: response.status, retryAfter });
  }
}

// { json, text, headers, status, url }; body: a value that is sent as JSON, or a text.
export async function ask(path, params = {}, options = {}) {
  const url = link(path, params);
  const response = await respond(url, options);
  const text = await response.text();
  const json = response.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
  return { json, text, headers: response.headers, status: response.status, url };
}

// The same, where a job may have to be done first (202): waits for it, calling onJob with what it is seen to be, and asks again.
export async function askPatiently(path, params = {}, { onJob = () => {}, ...options } = {}) {
  for (;;) {
    const reply = await ask(path, params, options);
    if (reply.status !== 202) return reply;
    let job = reply.json;
    for (; ['queued', 'running'].includes(job.state); { json: job } = await ask(job.self, {}, { signal: options.signal })) {
      onJob(job);
      await pause(1, options.signal);
    }
    if (job.state !== 'done') throw new Problem({ title: job.state, detail: job.error ?? '' });
  }
}

// Listens to server-sent events: handlers by name, each gets the data read as JSON. It is over with an event named `end`, or
// with that id, or by close().
export function events(path, handlers) {
  const source = new EventSource(link(path));
  for (const [name, handler] of Object.entries({ end: () => {}, ...handlers }))
    source.addEventListener(name, (event) => {
      if (name === 'end' || event.lastEventId === 'end') source.close();
      handler(event.data === undefined ? event : JSON.parse(event.data));
    });
  return source;
}

// Calls onLine with every line of NDJSON, the last one too.
export async function lines(path, params, onLine, signal) {
  const response = await respond(link(path, params), { signal, headers: { Accept: 'application/x-ndjson' } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const pieces = (rest + value).split('\n');
    rest = pieces.pop();
    for (const piece of pieces) onLine(JSON.parse(piece));
  }
}
