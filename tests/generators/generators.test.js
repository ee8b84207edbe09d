// generators.test.js - clients that are made from openapi.yaml compile in strict mode and reach a real server. The generators are a
// package of their own, tests/generators, with exact versions.
import { execFile } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, assert, start, temporaryFolder, test } from '../http/harness.js';

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
const contract = path.join(here, '../../openapi.yaml');
const bin = (name) => path.join(here, 'node_modules/.bin', name);

test('swagger-parser validates the contract', async () => {
  const { default: SwaggerParser } = await import('./node_modules/@apidevtools/swagger-parser/lib/index.js');
  const { paths } = await SwaggerParser.validate(contract);
  assert.ok(paths['/count'].get.operationId === 'count');
});

test('openapi-typescript and openapi-fetch: a client in strict mode calls a server', async () => {
  const folder = temporaryFolder();
  symlinkSync(path.join(here, 'node_modules'), path.join(folder, 'node_modules'));
  copyFileSync(path.join(here, 'client.ts'), path.join(folder, 'client.ts'));
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  await run(bin('openapi-typescript'), [contract, '-o', path.join(folder, 'contract.ts')]);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
  await run(bin('tsc'), [...options, path.join(folder, 'client.ts')], { cwd: folder }).catch(({ stdout }) => assert.fail(stdout));
  const server = await start({ after });
  const { stdout } = await run(process.execPath, [path.join(folder, 'client.js'), `http://127.0.0.1:${server.port}`]);
  const { regions, ...results } = JSON.parse(stdout);
  assert.deepEqual([regions.length, new Set(regions.flat()).size], [6, 6]);
  assert.deepEqual(results, {
    ...{ count: 92, range: 3, solve: 4, verify: true, construct: 12, puzzle: Number.MAX_SAFE_INTEGER, hint: 8, trace: 'place' },
    ...{ compare: true, algorithms: true, contract: true, startJob: 'count', getJob: true, followJob: true, refused: 422 },
  });
});
