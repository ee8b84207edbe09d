// contract.js - says whether a reply keeps to openapi.yaml. It knows neither servers nor sockets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import yaml from 'js-yaml';

export const document = yaml.load(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi.yaml');

const escape = (key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

// Follows a $ref; returns [pointer, value], for schemas are compiled by where they stand.
export function resolve(pointer, value) {
  if (!value.$ref) return [pointer, value];
  const keys = value.$ref.slice(2).split('/');
  return resolve(
    value.$ref,
    keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

const compiled = new Map();
function check(pointer, value, what) {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `openapi.yaml${pointer}` }));
  const valid = compiled.get(pointer);
  assert.ok(valid(value), `${what} breaks ${pointer}: ${ajv.errorsText(valid.errors)}`);
}

// What openapi.yaml says about a status of a path; of a path it does not have, what holds everywhere.
function responseFor(path, status) {
  const responses = document.paths[path]?.get.responses;
  if (!responses) return resolve('', { $ref: '#/components/responses/Other' });
  const key = status in responses ? status : 'default';
  return resolve(`#/paths/${escape(path)}/get/responses/${key}`, responses[key]);
}

function checkHeaders(pointer, response, reply, what) {
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
  if (media.schema.contentSchema)
    reply.lines.forEach((line) => check(`${at}/contentSchema`, line, `a line of ${what}`));
  else check(at, /[/+]json$/.test(type) ? reply.json : reply.text, what);
}

// Fails unless a reply to a request is as openapi.yaml says. A reply has status, headers, text, json and lines.
export function conforms(method, target, reply) {
  const what = `${method} ${target.slice(0, 80)} -> ${reply.status}`;
  const [pointer, response] = responseFor(decodeURIComponent(target.split('?')[0]), reply.status);
  if (method === 'OPTIONS' && reply.status === 204) {
    assert.match(reply.headers.allow ?? '', /^[A-Z]+(, [A-Z]+)*$/, what);
    return;
  }
  checkHeaders(pointer, response, reply, what);
  if (method === 'HEAD' || reply.status === 304) assert.equal(reply.text, '', `${what} has a body`);
  else checkBody(pointer, response, reply, what);
}
