// generators.test.js - clients that are made from openapi.yaml compile in strict mode and reach a real server. The generators are a
// package of their own, tests/generators, with exact versions.
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, assert, longer, start, temporaryFolder, test } from '../http/harness.js';

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
const contract = path.join(here, '../../openapi.yaml');
const server = await start({ after });
const bin = (name) => path.join(here, 'node_modules/.bin', name);

test('swagger-parser validates the contract', async () => {
  const { default: SwaggerParser } = await import('./node_modules/@apidevtools/swagger-parser/lib/index.js');
  const { paths } = await SwaggerParser.validate(contract);
  assert.ok(paths['/count'].get.operationId === 'count');
});

// A folder that has the packages.
function packed() {
  const folder = temporaryFolder();
  symlinkSync(path.join(here, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}

// The clients, each beside what its generator makes of the contract, compiled in strict mode: all by one run of the compiler, which takes
// most of the time.
const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
const compile = (folder, files) => run(bin('tsc'), [...strict, ...files], { cwd: folder }).catch(({ stdout }) => assert.fail(stdout));
async function made() {
  const folder = packed();
  for (const file of ['calls', 'client', 'client_hey', 'client_orval', 'orval_fetch']) copyFileSync(path.join(here, `${file}.ts`), path.join(folder, `${file}.ts`));
  writeFileSync(path.join(folder, 'tsconfig.json'), '{"compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext"}}');
  const hey = {
    ...{ input: contract, output: { path: path.join(folder, 'hey'), tsConfigPath: path.join(folder, 'tsconfig.json') }, logs: { level: 'silent' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    parser: { transforms: { readWrite: { enabled: false } } }, // which the contract does not have: to look for it takes six seconds
  };
  writeFileSync(path.join(folder, 'openapi-ts.config.json'), JSON.stringify(hey));
  const input = { target: contract };
  const mutator = { path: './orval_fetch.ts', name: 'call', extension: '.js' };
  const orval = {
    fetch: { input, output: { target: 'orval.ts', client: 'fetch', override: { mutator } } },
    zod: { input, output: { target: 'orval_zod.ts', client: 'zod' } },
  };
  writeFileSync(path.join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(orval)};`);
  await run(bin('openapi-typescript'), [contract, '-o', path.join(folder, 'contract.ts')]);
  await run(bin('openapi-ts'), ['-f', path.join(folder, 'openapi-ts.config.json')], { cwd: folder });
  await run(bin('orval'), ['--config', 'orval.config.cjs'], { cwd: folder });
  await compile(folder, ['client.ts', 'client_hey.ts', 'client_orval.ts']);
  return folder;
}
const folder = made();
folder.catch(() => {}); // the tests that wait for it fail

// What a client prints: its replies, by operation. They are those that calls.ts expects.
async function calls(client) {
  const { stdout } = await run(process.execPath, [path.join(await folder, `${client}.js`), `http://127.0.0.1:${server.port}`], { maxBuffer: 1 << 24 });
  const replies = JSON.parse(stdout);
  const { expected } = await import(path.join(await folder, 'calls.js'));
  for (const [operation, [pick, value]] of Object.entries(expected)) {
    assert.ok(replies[operation] !== undefined, `${operation} has no reply`);
    assert.deepEqual(pick(replies[operation]), value, operation);
  }
  return replies;
}

test('openapi-typescript and openapi-fetch: a client in strict mode calls 21 operations', async () => {
  await calls('client');
});

test('@hey-api/openapi-ts: a client in strict mode calls 21 operations', async () => {
  await calls('client_hey');
});

test('orval: a client in strict mode calls 21 operations, and its schemas for zod accept the replies', async () => {
  const { parsed } = await calls('client_orval');
  const schemas = 'algorithms cancelJob check compare construct contractAsJson count getJob hint puzzle solve startJob trace verify';
  assert.deepEqual(parsed, schemas.split(' '));
});

const long = { skip: !longer && 'NQ_LONG=1 runs it' };
test('openapi-zod-client: its schemas accept the answers of a server', long, async () => {
  const folder = packed();
  copyFileSync(path.join(here, 'client_zod.ts'), path.join(folder, 'client_zod.ts'));
  await run(bin('openapi-zod-client'), [contract, '-o', path.join(folder, 'made.ts')]);
  await compile(folder, ['client_zod.ts']);
  const { stdout } = await run(process.execPath, [path.join(folder, 'client_zod.js'), `http://127.0.0.1:${server.port}`]);
  assert.deepEqual(JSON.parse(stdout), { count: 4968057848, solve: true, trace: 'place', verify: true, kind: 'regions', algorithms: true, job: true });
});

test('the client of docs/api.md, made and run by its commands', async () => {
  const section = readFileSync(path.join(here, '../../docs/api.md'), 'utf8').split('\n## A client made from the contract\n')[1].split('\n## ')[0];
  const block = (language) => section.split(`\n\`\`\`${language}\n`)[1].split('\n```')[0].replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`);
  const folder = packed();
  writeFileSync(path.join(folder, 'client.mts'), block('ts'));
  const [install, ...commands] = block('sh').split('\n');
  const { devDependencies } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));
  for (const [name, version] of install.replace('npm install ', '').split(' ').map((word) => word.split(/(?<=.)@/)))
    assert.ok(`${devDependencies[name]}.`.startsWith(`${version}.`), `${name}@${version}: ${devDependencies[name]} is tested`);
  let said;
  for (const command of commands)
    said = await run('sh', ['-c', command], { cwd: folder }).catch(({ stdout, stderr }) => assert.fail(`${command}: ${stdout}${stderr}`));
  assert.equal(said.stdout, '4968057848\n');
});
