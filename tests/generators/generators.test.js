// generators.test.js - clients that are made from openapi.yaml compile in strict mode and reach a real server. The generators are a
// package of their own, tests/generators, with exact versions.
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, assert, start, temporaryFolder, test } from '../http/harness.js';

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

// The results of a client, compiled in strict mode beside what `make(folder)` makes, against a server.
async function results(client, make) {
  const folder = packed();
  copyFileSync(path.join(here, `${client}.ts`), path.join(folder, `${client}.ts`));
  await make(folder);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
  await run(bin('tsc'), [...options, path.join(folder, `${client}.ts`)], { cwd: folder }).catch(({ stdout }) => assert.fail(stdout));
  const { stdout } = await run(process.execPath, [path.join(folder, `${client}.js`), `http://127.0.0.1:${server.port}`]);
  return JSON.parse(stdout);
}

test('openapi-typescript and openapi-fetch: a client in strict mode calls a server', async () => {
  const { regions, ...rest } = await results('client', (folder) => run(bin('openapi-typescript'), [contract, '-o', path.join(folder, 'contract.ts')]));
  assert.deepEqual([regions.length, new Set(regions.flat()).size], [6, 6]);
  assert.deepEqual(rest, {
    ...{ count: 92, range: 3, solve: 4, verify: true, construct: 12, puzzle: Number.MAX_SAFE_INTEGER, hint: 8, trace: 'place' },
    ...{ compare: true, algorithms: true, contract: true, startJob: 'count', getJob: true, followJob: true, refused: 422 },
  });
});

test('@hey-api/openapi-ts: unions narrow by do and state in strict mode, and the client calls a server', async () => {
  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'];
  const made = await results('client_hey', async (folder) => {
    const options = { input: contract, output: { path: path.join(folder, 'made'), tsConfigPath: path.join(folder, 'tsconfig.json') }, plugins, logs: { level: 'silent' } };
    writeFileSync(path.join(folder, 'tsconfig.json'), '{"compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext"}}');
    writeFileSync(path.join(folder, 'openapi-ts.config.json'), JSON.stringify(options));
    await run(bin('openapi-ts'), ['-f', path.join(folder, 'openapi-ts.config.json')], { cwd: folder });
  });
  assert.deepEqual(made, {
    ...{ count: 4968057848, solve: 4, trace: ['place 1:1', 'reject 2:1 by 1', 'reject 2:2 by 1', 'place 2:3'], verify: true },
    ...{ kind: 'regions', hint: true, algorithms: true, job: 724 },
  });
});

const long = { skip: !process.env.NQ_LONG && 'NQ_LONG=1 runs it' };
test('openapi-zod-client: its schemas accept the answers of a server', long, async () => {
  const made = await results('client_zod', (folder) => run(bin('openapi-zod-client'), [contract, '-o', path.join(folder, 'made.ts')]));
  assert.deepEqual(made, { count: 4968057848, solve: true, trace: 'place', verify: true, kind: 'regions', algorithms: true, job: true });
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
