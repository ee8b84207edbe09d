// contract.js - says whether a request and its reply keep to openapi.yaml. It knows neither servers nor sockets.
import assert from 'node:assert/strict';
import { document, escape, schemas } from './prepared.js';

export { document };

// Follows a $ref; returns [pointer, value], for schemas are compiled by where they stand.
export function resolve(pointer, value) {
  if (!value.$ref) return [pointer, value];
  const keys = value.$ref.slice(2).split('/');
  return resolve(value.$ref, keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document));
}

const verbs = ['get', 'post', 'delete'];

// Every operation: [{path, verb, operation, parameters}], with the parameters of its path.
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  verbs
    .filter((verb) => item[verb])
    .map((verb) => ({
      path,
      verb,
      operation: item[verb],
      parameters: [...(item.parameters ?? []), ...(item[verb].parameters ?? [])].map((at) => resolve('', at)[1]),
    })),
);

// Every example of a reply: { path, status, type, value, 'x-request', ... }.
export function* examples() {
  for (const { path, operation } of operations)
    for (const [status, reference] of Object.entries(operation.responses))
      for (const [type, media] of Object.entries(resolve('', reference)[1].content ?? {}))
        for (const example of Object.values(media.examples ?? {})) yield { path, status, type, ...example };
}
// Those of the bodies of POST /jobs.
export const jobExamples = Object.values(document.paths['/jobs'].post.requestBody.content['application/json'].examples).map(({ value }) => value);

function check(pointer, value, what) {
  const valid = schemas[pointer] ?? assert.fail(`${pointer} is no schema`);
  const wrong = valid(value) ? '' : valid.errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
  assert.ok(!wrong, `${what} breaks ${pointer}: ${wrong.slice(0, 600)}`);
}

// The events of a stream, as a browser takes them: [{id, event, data}], data as text. What is not whole is left out.
export function readEvents(text) {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const event = {};
      for (const line of block.split('\n').filter((field) => !field.startsWith(':'))) {
        const [, name, value] = line.match(/^([a-z]+): ?(.*)$/) ?? assert.fail(`event line: ${line}`);
        event[name] = name in event ? `${event[name]}\n${value}` : value;
      }
      return event;
    })
    .filter((event) => 'data' in event);
}

// The path of the document that a request's path is one of: as it stands, or with something for every {name}.
const patterns = Object.keys(document.paths).map((path) => [
  path,
  new RegExp(`^${path.replaceAll('.', '[.]').replaceAll(/\{[^}]*\}/g, '[^/]+')}$`),
]);
const templateOf = (path) => patterns.find(([, pattern]) => pattern.test(path))?.[0];

// What openapi.yaml says about a status of an operation; of one it does not have, what holds everywhere: what is told of a document,
// but for the document.
function responseFor(template, verb, status) {
  if (!document.paths[template]?.[verb]) return responseFor('/openapi.yaml', 'get', status < 400 ? 'default' : status);
  const { responses } = document.paths[template][verb];
  const key = status in responses ? status : 'default';
  return resolve(`#/paths/${escape(template)}/${verb}/responses/${key}`, responses[key]);
}

// Headers that carry the message rather than say something of the answer: HTTP's own, and what a proxy says of itself.
const carriers = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'server', 'transfer-encoding'];
if (process.env.NQ_FRONT === 'nginx') carriers.push('x-cache');

function checkHeaders(pointer, response, reply, what) {
  const declared = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  const others = Object.keys(reply.headers).filter((name) => ![...carriers, ...declared].includes(name));
  assert.deepEqual(others, [], `${what} has headers that ${pointer} does not declare`);
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const value = reply.headers[name.toLowerCase()];
    const [at, { required }] = resolve(`${pointer}/headers/${escape(name)}`, header);
    if (value !== undefined) check(`${at}/schema`, value, `${what}, header ${name}`);
    else assert.ok(!required, `${what} has no header ${name}`);
  }
}

function checkBody(pointer, response, reply, what) {
  const type = reply.headers['content-type']?.split(';')[0];
  const media = response.content?.[type];
  assert.ok(media, `${what} has content type ${type}, which is not in ${pointer}`);
  const at = `${pointer}/content/${escape(type)}/schema`;
  if (type === 'text/event-stream')
    readEvents(reply.text).forEach(({ data }) => check(`${at}/contentSchema`, JSON.parse(data), `an event of ${what}`));
  else if (media.schema.contentSchema)
    reply.lines.forEach((line) => check(`${at}/contentSchema`, line, `a line of ${what}`));
  else check(at, /[/+]json$/.test(type) ? reply.json : reply.text, what);
}

// Fails unless a reply to a request is as openapi.yaml says, and a JSON body that was accepted is one it knows. A reply has
// status, headers, text, json and lines.
export function conforms(method, target, reply, body) {
  const what = `${method} ${target.slice(0, 80)} -> ${reply.status}`;
  const asked = templateOf(decodeURIComponent(target.split('?')[0]).replace(/\/+/g, '/').replace(/(.)\/$/, '$1')); // as the service reads it
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const page = !target.includes('?') && /^text\/html/.test(reply.headers['content-type']) && document.paths[asked]?.[verb]?.['x-page'];
  const template = page || asked; // what a browser gets there
  const [pointer, response] = responseFor(template, verb, reply.status);
  checkHeaders(pointer, response, reply, what);
  if (method === 'OPTIONS' && reply.status === 204) {
    assert.match(reply.headers.allow ?? '', /^[A-Z]+(, [A-Z]+)*$/, what);
    return;
  }
  if (method === 'HEAD' || reply.status === 304 || reply.status === 204) {
    assert.equal(reply.text, '', `${what} has a body`);
    assert.ok(method === 'HEAD' || !response.content, `${what}: ${pointer} has a body`);
  } else {
    checkBody(pointer, response, reply, what);
  }
  if (reply.status < 300 && body !== undefined && document.paths[template]?.[verb]?.requestBody)
    check(
      `#/paths/${escape(template)}/${verb}/requestBody/content/application~1json/schema`,
      JSON.parse(body),
      `the body of ${what}`,
    );
}
