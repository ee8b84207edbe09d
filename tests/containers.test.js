// What docker/ holds agrees with itself and with the binary: image, compose, Kubernetes, systemd, the package and the manual. All
// that can be said without running a container; docker/try.sh runs one.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, loadAll } from 'js-yaml';
import { binary, temporaryFolder } from './http/harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (name) => readFileSync(path.join(root, 'docker', name), 'utf8');
const run = (command, ...argv) => execFileSync(command, argv, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });

const presets = Object.fromEntries(
  [...run(binary, '--help').matchAll(/^ +--[a-z-]+ +(NQ_[A-Z_]+) .*\((.*)\)$/gm)].map(([, name, preset]) => [name, preset]),
);
const dockerfile = text('Dockerfile').replace(/\\\n\s*/g, '');
const instruction = (name) => [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest]) => rest);
const assignments = (line) => Object.fromEntries(line.split(' ').map((pair) => pair.split(/=(.*)/s)));
const imageEnv = assignments(instruction('ENV')[0]);
const state = instruction('VOLUME')[0];
const compose = load(text('compose.yaml'));
const manifests = readdirSync(path.join(root, 'docker/k8s'));
const objects = manifests.flatMap((name) => loadAll(text(`k8s/${name}`)));
const kind = (name) => objects.find((object) => object.kind === name);
const deployment = kind('Deployment');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

// The binary takes these settings: healthcheck says 2 of what is none, 1 when nobody answers.
function takes(env, what) {
  for (const name of Object.keys(env)) assert.ok(name in presets, `${what}: ${name} is no setting`);
  const { status, stderr } = spawnSync(binary, ['healthcheck'], { env: { ...process.env, ...env, NQ_ADMIN: '127.0.0.1:1' }, encoding: 'utf8' });
  assert.equal(status, 1, `${what}: ${stderr}`);
  for (const name of ['NQ_ADMIN', 'NQ_LISTEN'])
    if (env[name]) assert.match(env[name], /^[\d.]+:\d+$/, `${what}: ${name}`);
}
// Seconds to end: what is under way, and five for the store.
const ending = (env) => Number(env.NQ_DRAIN_SECONDS ?? imageEnv.NQ_DRAIN_SECONDS ?? presets.NQ_DRAIN_SECONDS) + 5;

test('the image: a dated base, nobody for a user, no shell to begin or to ask with', () => {
  assert.match(dockerfile, /^ARG BASE=\S+:[a-z]+-\d{8}-slim$/m);
  assert.deepEqual(instruction('FROM'), ['${BASE} AS build', '${BASE}']);
  assert.match(instruction('USER').at(-1), /^[1-9]\d*:[1-9]\d*$/);
  assert.deepEqual(JSON.parse(instruction('ENTRYPOINT')[0]), ['/usr/bin/nqueensd']);
  assert.deepEqual(JSON.parse(instruction('HEALTHCHECK')[0].replace(/^.* CMD /, '')), ['/usr/bin/nqueensd', 'healthcheck']);
  takes(imageEnv, 'Dockerfile');
  assert.equal(imageEnv.NQ_STORE, `sqlite:${state}/nqueensd.db`);
  assert.match(imageEnv.NQ_ADMIN, /^127\./, 'the second port is not for others unless told');
});

test('compose: settings that exist, the state in a volume, time to end', () => {
  const { nqueensd, nginx } = compose.services;
  takes({ ...imageEnv, ...nqueensd.environment }, 'compose.yaml');
  assert.ok(nqueensd.volumes.some((volume) => volume.endsWith(`:${state}`)));
  assert.ok(parseInt(nqueensd.stop_grace_period, 10) > ending(nqueensd.environment));
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
  }
  const port = imageEnv.NQ_LISTEN.split(':')[1];
  assert.match(text('nginx.conf'), new RegExp(`^ +server nqueensd:${port};$`, 'm'));
  assert.match(text('nginx.conf'), new RegExp(`^ +listen ${nginx.ports[0].split(':').at(-1)};$`, 'm'));
  assert.match(text('nginx.conf'), new RegExp(`location ${nqueensd.environment.NQ_BASE_PATH}/ `));
});

test('Kubernetes: what one names, another has', () => {
  assert.deepEqual(kind('Kustomization').resources.sort(), manifests.filter((name) => name !== 'kustomization.yaml').sort());
  const { labels } = deployment.spec.template.metadata;
  const selectors = [
    deployment.spec.selector.matchLabels,
    kind('Service').spec.selector,
    kind('PodDisruptionBudget').spec.selector.matchLabels,
    kind('NetworkPolicy').spec.podSelector.matchLabels,
  ];
  for (const selector of selectors) {
    assert.ok(Object.keys(selector).length > 0);
    for (const [name, value] of Object.entries(selector)) assert.equal(labels[name], value);
  }
  const { scaleTargetRef: target } = kind('HorizontalPodAutoscaler').spec;
  assert.deepEqual([target.kind, target.name, target.apiVersion], ['Deployment', deployment.metadata.name, deployment.apiVersion]);
  const named = [
    ...kind('Service').spec.ports.map((port) => port.targetPort),
    ...kind('NetworkPolicy').spec.ingress.flatMap((rule) => rule.ports.map(({ port }) => port)),
    ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.port),
  ];
  const ports = container.ports.map(({ name }) => name);
  for (const name of named) assert.ok(ports.includes(name), `no port ${name}`);
  const [image] = kind('Kustomization').images;
  assert.equal(image.name, container.image);
  assert.equal(`nqueensd ${image.newTag}`, run(binary, '--version').trim());
});

test('Kubernetes: settings, ports, paths, user and folder are those of the image', () => {
  const env = { ...imageEnv };
  for (const { name, value } of container.env) env[name] = value ?? '2';
  takes(env, 'deployment.yaml');
  const port = (name) => container.ports.find((port) => port.name === name).containerPort;
  assert.equal(env.NQ_LISTEN.split(':')[1], `${port('http')}`);
  assert.equal(env.NQ_ADMIN, `0.0.0.0:${port('admin')}`);
  const routes = JSON.parse(run(binary, 'routes'));
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    assert.equal(container[probe].httpGet.port, 'admin');
    assert.ok(JSON.stringify(routes).includes(`"${container[probe].httpGet.path}"`), probe);
  }
  const [user, group] = instruction('USER').at(-1).split(':').map(Number);
  const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = pod.securityContext;
  assert.deepEqual([runAsUser, runAsGroup, fsGroup, runAsNonRoot], [user, group, group, true]);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(container.volumeMounts[0].mountPath, state);
  assert.ok(pod.volumes.some(({ name }) => name === container.volumeMounts[0].name));
  assert.ok(pod.terminationGracePeriodSeconds > container.lifecycle.preStop.sleep.seconds + ending(env));
  assert.ok(container.resources.limits.memory && container.resources.limits.cpu);
});

test('YAML is well laid out', () => {
  run('yamllint', '-s', '-d', '{extends: default, rules: {line-length: {max: 140}, document-start: disable, comments: {min-spaces-from-content: 1}}}', 'docker');
});

// What `make deb` makes of the build, in a folder of its own.
const folder = temporaryFolder();
run('make', '--no-print-directory', 'install', `DESTDIR=${folder}/root`, 'PREFIX=/usr');
run('docker/deb.sh', folder);
const [deb] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
const field = (name) => run('dpkg-deb', '-f', path.join(folder, deb), name).trim();

test('the package holds binary, units, manual, library and licence, and nothing that is not root’s', () => {
  const lines = run('dpkg-deb', '-c', path.join(folder, deb)).trim().split('\n');
  const files = lines.map((line) => line.split(/ +/)[5]).filter((name) => !name.endsWith('/'));
  assert.deepEqual(files.sort(), [
    './usr/bin/nqueensd',
    './usr/include/nqueens.h',
    './usr/lib/libnqueens.a',
    './usr/lib/systemd/system/nqueensd.service',
    './usr/lib/systemd/system/nqueensd.socket',
    './usr/share/doc/nqueensd/copyright',
    './usr/share/man/man1/nqueensd.1.gz',
    './usr/share/nqueensd/openapi.yaml',
  ]);
  for (const line of lines) assert.match(line, /^[-d]rw[x-]r-[x-]r-[x-] root\/root /);
  assert.match(run(path.join(folder, 'root/usr/bin/nqueensd'), '--version'), new RegExp(`^nqueensd ${field('Version')}\n$`));
});

test('the package depends on what holds the libraries that the binary asks for, and on no more', () => {
  const needed = [...run('objdump', '-p', path.join(folder, 'root/usr/bin/nqueensd')).matchAll(/NEEDED +(\S+)/g)].map(([, name]) => name);
  const owners = needed.map((name) => run('dpkg', '-S', name).split('\n').find((line) => line.endsWith(`-linux-gnu/${name}`)).split(':')[0]);
  const depends = field('Depends').split(', ').map((item) => item.split(' ')[0]);
  assert.deepEqual([...new Set(owners)].sort(), depends.sort());
});

test('the binary is hardened: at any address, nothing writable that is run or jumped by, its stack watched', () => {
  const told = run('readelf', '-hldsW', binary);
  assert.match(told, /Type: +DYN/);
  assert.match(told, /GNU_RELRO/);
  assert.match(told, /BIND_NOW/);
  assert.match(told, /GNU_STACK.* RW /);
  assert.match(told, /__stack_chk_fail/);
  assert.match(told, /__memcpy_chk|__snprintf_chk|__vsnprintf_chk/);
});

test('systemd takes the units, and finds little that it could still be denied', () => {
  const unit = path.join(folder, 'nqueensd.service'); // as installed, but that its binary is where it is
  const installed = readFileSync(path.join(folder, 'root/usr/lib/systemd/system/nqueensd.service'), 'utf8');
  assert.match(installed, /^ExecStart=\/usr\/bin\/nqueensd serve$/m);
  writeFileSync(unit, installed.replace('ExecStart=/usr', `ExecStart=${folder}/root/usr`));
  const socket = path.join(folder, 'nqueensd.socket');
  copyFileSync(path.join(folder, 'root/usr/lib/systemd/system/nqueensd.socket'), socket);
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit, socket], { encoding: 'utf8' });
  assert.doesNotMatch(stderr, /nqueensd/);
  run('systemd-analyze', 'security', '--offline=yes', '--threshold=20', '--no-pager', unit);
  const env = Object.fromEntries([...text('nqueensd.service').matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  takes(env, 'nqueensd.service');
  assert.match(text('nqueensd.socket'), /^FileDescriptorName=http$/m);
  assert.ok(Number(text('nqueensd.service').match(/^TimeoutStopSec=(\d+)$/m)[1]) > ending({}));
});

test('the manual has every command and flag, and is well-formed', () => {
  const file = path.join(root, 'build/nqueensd.1');
  run('docker/man.sh', binary);
  run('mandoc', '-T', 'lint', '-W', 'error', file);
  const words = run('mandoc', '-T', 'utf8', '-O', 'width=200', file).replace(/.\u0008/g, '');
  const help = run(binary, '--help');
  const names = [...help.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
  assert.ok(names.length > 20);
  for (const name of [...names, ...Object.keys(presets)]) assert.ok(words.includes(name), `${name} is not in it`);
});
