// prepared.js - openapi.yaml as a value, and for each schema in it a function that says whether a value keeps to it. To read the YAML
// and to compile the schemas takes a second of a processor and more, and every file of tests needs them: so it is done once, and kept in
// build under a hash of all that it is made of.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const file = (name) => new URL(`../../${name}`, import.meta.url).pathname;
const sources = ['openapi.yaml', 'tests/http/prepared.js', 'tests/package-lock.json'];
const require = createRequire(import.meta.url);

export const escape = (key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

// The places of all schemas that a message can be held against, as JSON pointers.
function* schemasOf(pointer, value) {
  if (!value || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    const at = `${pointer}/${escape(key)}`;
    if (['schema', 'contentSchema'].includes(key)) yield at;
    yield* schemasOf(at, inner);
  }
}

// A script that exports the document and { pointer: function }.
async function make() {
  const [yaml, ajv, formats, standalone] = await Promise.all(
    ['js-yaml', 'ajv/dist/2020.js', 'ajv-formats', 'ajv/dist/standalone/index.js'].map((name) => import(name)),
  );
  const document = yaml.default.load(readFileSync(file('openapi.yaml'), 'utf8'));
  const compiler = new ajv.default.default({ strict: false, allErrors: true, code: { source: true } });
  formats.default.default(compiler);
  compiler.addSchema(document, 'openapi.yaml');
  const pointers = [...schemasOf('#/paths', document.paths), ...schemasOf('#/components', document.components)];
  const names = Object.fromEntries(pointers.map((pointer, i) => [`schema${i}`, `openapi.yaml${pointer}`]));
  const rest = `exports.schemas = { ${pointers.map((pointer, i) => `${JSON.stringify(pointer)}: exports.schema${i}`).join(',\n')} };
exports.document = JSON.parse(${JSON.stringify(JSON.stringify(document))});`;
  return `${standalone.default.default(compiler, names)}\n${rest}\n`;
}

async function kept() {
  const hash = sources.reduce((so, name) => so.update(readFileSync(file(name))), createHash('sha256')).digest('hex').slice(0, 16);
  const at = file(`build/contract/${hash}.cjs`);
  try {
    return readFileSync(at, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const made = await make();
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(`${at}.${process.pid}`, made); // files of tests start side by side: what is there under its name is whole
  renameSync(`${at}.${process.pid}`, at);
  return made;
}

const run = vm.compileFunction(await kept(), ['exports', 'require']);
const all = {};
run(all, require);
export const { document, schemas } = all;
