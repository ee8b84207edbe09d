// api.js - requests to the service. It knows HTTP and problems (RFC 9457), and no route.
class Problem extends Error {
  constructor(fields) {
    super(fields.title);
    Object.assign(this, fields); // status, type, code and its numbers, errors, retryAfter; gone: no answer
  }
}

// A relative URL, so that the page works below any prefix; links from the service may already have that prefix.
// Parameters that are null, undefined or '' are left out.
export function link(path, params = {}) {
  const base = new URL('.', document.baseURI).pathname;
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

// Thirty pages behind one address, each with the events of a job besides, stay below the limit of one client
// (--max-client-searches, 128). Further requests wait here; the last place is reserved for the reader's own requests.
const AT_ONCE = 3;
let waiting = []; // { most, go }
let taken = 0;

function letIn() {
  const at = waiting.findIndex(({ most }) => taken < most);
  if (at < 0) return;
  taken++;
  waiting.splice(at, 1)[0].go();
}

// Calls work(), which returns a promise, as soon as fewer than `most` requests are under way.
async function inPlace(work, most, signal) {
  signal?.throwIfAborted();
  await new Promise((resolve, reject) => {
    const mine = { most, go: resolve };
    waiting.push(mine);
    letIn();
    signal?.addEventListener('abort', () => {
      waiting = waiting.filter((other) => other !== mine);
      reject(signal.reason);
    });
  });
  try {
    return await work();
  } finally {
    taken--;
    letIn();
  }
}

// { response, text }: the whole answer, which may also break off.
async function request(url, { method = 'GET', body, signal, headers = {} }) {
  const json = typeof body === 'object';
  try {
    const response = await fetch(url, {
      ...{ method, signal, headers: { ...(json && { 'Content-Type': 'application/json' }), ...headers } },
      body: json ? JSON.stringify(body) : body,
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    dispatchEvent(new Event('gone'));
    throw new Problem({ title: 'gone', gone: true });
  }
}

const TRIES = { 429: 6, 503: 2 };

// The answer to a request, repeated after Retry-After or a little later, because other pages got the same value. Throws a
// Problem for an error.
async function respond(url, options) {
  for (let tries = 1; ; tries++) {
    const answer = await request(url, options);
    const { response } = answer;
    if (response.ok) return answer;
    const retryAfter = Number(response.headers.get('Retry-After'));
    if (tries < TRIES[response.status] && retryAfter) {
      await pause(Math.min(retryAfter, 10) * (1 + tries * Math.random()), options.signal);
      continue;
    }
    if ([502, 504].includes(response.status)) dispatchEvent(new Event('gone')); // a proxy without a service behind it
    const told = response.headers.get('Content-Type')?.startsWith('application/problem+json') ? JSON.parse(answer.text) : {};
    throw new Problem({ title: response.statusText, ...told, status: response.status, retryAfter });
  }
}

// { json, text, headers, status, url, time: ms to the last byte }. options: body: a value that is sent as JSON, or a text; aside:
// the reader does not wait for this request.
export async function ask(path, params = {}, options = {}) {
  const url = link(path, params);
  return inPlace(async () => {
    const began = performance.now();
    const { response, text } = await respond(url, options);
    const time = performance.now() - began;
    const json = response.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
    return { json, text, headers: response.headers, status: response.status, url, time };
  }, options.aside ? AT_ONCE - 1 : AT_ONCE, options.signal);
}

// ask(), or if the answer takes too much work for that, a request for a job.
async function askForAnswerOrJob(path, params, options) {
  try {
    return await ask(path, params, options);
  } catch (error) {
    if (error.status !== 422 || !error.type?.endsWith(':beyond-limit')) throw error;
    return ask(path, params, { ...options, headers: { ...options.headers, Prefer: 'respond-async' } });
  }
}

// The same for requests that may need a job first (202): waits for the job, calls onJob with each state, and repeats the request.
// begin = ask: only for a job that the service starts by itself, because the work is short.
export async function askPatiently(path, params = {}, { onJob = () => {}, begin = askForAnswerOrJob, ...options } = {}) {
  for (;;) {
    const reply = await begin(path, params, options);
    if (reply.status !== 202) return reply;
    let job = reply.json;
    for (; ['queued', 'running'].includes(job.state); { json: job } = await ask(job.self, {}, { signal: options.signal })) {
      onJob(job);
      await pause(1, options.signal);
    }
    if (job.state !== 'done') throw new Problem({ type: `job-${job.state}`, status: reply.status, ...job.failure });
  }
}

// Receives server-sent events: handlers by name get the data as JSON. The stream ends with an event named `end`, with an event of
// that id, or with close().
export function events(path, handlers) {
  const source = new EventSource(link(path));
  for (const [name, handler] of Object.entries({ end: () => {}, ...handlers }))
    source.addEventListener(name, (event) => {
      if (name === 'end' || event.lastEventId === 'end') source.close();
      handler(event.data === undefined ? event : JSON.parse(event.data));
    });
  return source;
}
