// What docker/ holds agrees with itself and with the binary: image, compose, Kubernetes, systemd, the package and the manual. All
// that can be said without running a container; docker/try.sh runs one, tests/nats/conf.test.js the broker.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
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

// docker/ as it is for many machines: with what is made before one starts.
const laid = path.join(temporaryFolder(), 'docker');
cpSync(path.join(root, 'docker'), laid, { recursive: true, filter: (name) => !name.startsWith(path.join(root, 'docker/nats/secrets/')) });
if (!existsSync(path.join(laid, 'nats/secrets/ca.crt'))) run(path.join(laid, 'nats/secrets.sh'), path.join(laid, 'nats/secrets'));
const made = readdirSync(path.join(laid, 'nats/secrets')).map((name) => `secrets/${name}`);
const setting = (user) => readFileSync(path.join(laid, `nats/secrets/${user}.env`), 'utf8').trim().split(/=(.*)/s)[1];
const statefulset = load(text('nats/statefulset.yaml'));
const worker = load(text('k8s-workers/deployment.yaml')).spec.template.spec;
const hosts = [...text('nats/nats.conf').matchAll(/nats:\/\/(\S+):6222/g)].map(([, host]) => host);
const bytes = (size) => parseInt(size, 10) * 1024 ** ' KMG'.indexOf(size.match(/[KMG]/i)[0].toUpperCase());
const has = (command, ...argv) => spawnSync(command, argv).status === 0;

test('compose with workers: the broker of nats.conf, settings that exist, what secrets.sh makes, room for tables', () => {
  const { services, secrets } = load(text('compose.workers.yaml'));
  const { nqueensd, worker } = services;
  const brokers = Object.entries(services).filter(([name]) => name.startsWith('nats-'));
  assert.deepEqual(brokers.map(([, { hostname, networks }]) => [hostname, ...networks.default.aliases]), hosts.map((host) => [host.split('.')[0], host]));
  assert.equal(new Set(brokers.map(([, { image }]) => image).concat(statefulset.spec.template.spec.containers[0].image)).size, 1);
  for (const [name, { volumes, secrets: mounted }] of brokers) {
    assert.deepEqual(volumes, ['./nats/nats.conf:/etc/nats/nats.conf:ro', `${name}:/data`]);
    const targets = mounted.map(({ target }) => target);
    for (const [file] of text('nats/nats.conf').matchAll(/\/etc\/nats\/secrets\/[\w.]+/g)) assert.ok(targets.includes(file), file);
    assert.ok(targets.includes('/etc/nats/secrets/passwords.conf'));
    for (const { source } of mounted) assert.ok(source in secrets, source);
  }
  for (const { file } of Object.values(secrets)) assert.ok(made.includes(file.replace('nats/', '')), file);
  takes({ ...imageEnv, ...compose.services.nqueensd.environment, ...nqueensd.environment, NQ_STORE: setting('serve') }, 'the server');
  takes({ ...imageEnv, ...worker.environment, NQ_STORE: setting('worker') }, 'the worker');
  assert.deepEqual([nqueensd.env_file, worker.env_file], [['nats/secrets/serve.env'], ['nats/secrets/worker.env']]);
  for (const service of [nqueensd, worker]) {
    assert.equal(service.environment.NQ_NATS_CA, `/run/secrets/${service.secrets[0]}`);
    assert.equal(Number(service.environment.NQ_NATS_REPLICAS), hosts.length);
    for (const [name] of brokers) assert.equal(service.depends_on[name].condition, 'service_healthy');
  }
  assert.ok(bytes(worker.mem_limit) > bytes(worker.environment.NQ_MAX_TABLE_BYTES));
  for (const [name, service] of [...brokers, ['worker', worker]]) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
  }
});

test('docker-compose reads both', { skip: !has('docker-compose', '--version') && 'docker-compose is not here' }, () => {
  const files = (...names) => names.flatMap((name) => ['-f', path.join(laid, name)]);
  run('docker-compose', ...files('compose.yaml'), 'config', '-q');
  const { services } = load(run('docker-compose', ...files('compose.yaml', 'compose.workers.yaml'), 'config'));
  assert.equal(services.nqueensd.environment.NQ_STORE, setting('serve'));
  assert.equal(services.nqueensd.environment.NQ_BASE_PATH, compose.services.nqueensd.environment.NQ_BASE_PATH);
  assert.equal(services.worker.environment.NQ_STORE, setting('worker'));
});

// Of objects that are applied together: what one names, another has.
function agree(objects) {
  const all = (...kinds) => objects.filter((object) => kinds.includes(object.kind));
  const holds = (kind, name, key) => assert.ok(all(kind).some(({ metadata, data }) => metadata.name === name && (key === undefined || key in data)), `${kind} ${name} ${key ?? ''}`);
  const matches = (labels, { matchLabels = {}, matchExpressions = [] }) =>
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) && matchExpressions.every(({ key, values }) => values.includes(labels[key]));
  const templates = all('Deployment', 'StatefulSet').map(({ spec }) => spec.template);
  const meant = (selector, who) => {
    const found = templates.filter(({ metadata }) => matches(metadata.labels, selector));
    assert.ok(found.length > 0, `${who}: no pod is meant`);
    return found;
  };
  const listens = (template, port) => template.spec.containers.some(({ ports }) => ports.some(({ name, containerPort }) => name === port || containerPort === port));
  for (const { metadata, spec } of all('Deployment', 'StatefulSet')) {
    const { name } = metadata;
    const { containers, volumes, securityContext } = spec.template.spec;
    assert.deepEqual(meant(spec.selector, name), [spec.template]);
    if (spec.serviceName) holds('Service', spec.serviceName);
    assert.equal(securityContext.runAsNonRoot, true, name);
    for (const volume of volumes) {
      if (volume.secret) holds('Secret', volume.secret.secretName);
      for (const { secret, configMap } of volume.projected?.sources ?? []) {
        if (configMap) holds('ConfigMap', configMap.name);
        for (const { key } of secret?.items ?? []) holds('Secret', secret.name, key);
      }
    }
    for (const { env = [], volumeMounts, resources, securityContext: own, ports, ...probes } of containers) {
      for (const { valueFrom } of env) if (valueFrom?.secretKeyRef) holds('Secret', valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key);
      const there = [...volumes, ...(spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata)].map((volume) => volume.name);
      for (const mount of volumeMounts) assert.ok(there.includes(mount.name), `${name}: ${mount.name}`);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) assert.ok(ports.some((port) => port.name === probes[probe].httpGet.port), `${name}: ${probe}`);
      assert.ok(resources.limits.memory && resources.limits.cpu, name);
      assert.deepEqual([own.readOnlyRootFilesystem, own.allowPrivilegeEscalation, own.capabilities.drop], [true, false, ['ALL']], name);
    }
  }
  for (const { metadata, spec } of all('Service'))
    for (const template of meant({ matchLabels: spec.selector }, metadata.name)) for (const { targetPort } of spec.ports) assert.ok(listens(template, targetPort), targetPort);
  for (const { metadata, spec } of all('PodDisruptionBudget')) assert.equal(meant(spec.selector, metadata.name).length, 1);
  for (const { metadata, spec } of all('NetworkPolicy')) {
    const [template] = meant(spec.podSelector, metadata.name);
    for (const { from = [], ports } of spec.ingress) {
      for (const { podSelector } of from) if (podSelector) meant(podSelector, metadata.name);
      for (const { port } of ports) assert.ok(listens(template, port), `${metadata.name}: ${port}`);
    }
    for (const { to, ports } of spec.egress)
      for (const { podSelector } of to)
        if (podSelector) for (const other of meant(podSelector, metadata.name)) for (const { port } of ports) assert.ok(listens(other, port), `${metadata.name}: ${port}`);
  }
  for (const { spec } of all('HorizontalPodAutoscaler')) holds(spec.scaleTargetRef.kind, spec.scaleTargetRef.name);
}

// The objects of a folder's kustomization but for its patches, with what it generates; every file of the folder is named there.
function kustomized(name) {
  const { resources, patches = [], secretGenerator = [], configMapGenerator = [], images = [] } = load(text(`${name}/kustomization.yaml`));
  const files = resources.filter((resource) => resource.endsWith('.yaml'));
  assert.deepEqual([...files, ...patches.map((patch) => patch.path), 'kustomization.yaml'].sort(), readdirSync(path.join(root, 'docker', name)).filter((file) => file.endsWith('.yaml')).sort());
  const generated = [...secretGenerator.map((generator) => ['Secret', generator]), ...configMapGenerator.map((generator) => ['ConfigMap', generator])];
  for (const [, { files: from = [], envs = [] }] of generated) for (const file of [...from, ...envs]) assert.ok(file === 'nats.conf' || made.includes(file), `${file} is not made`);
  const keys = ({ files: from = [], envs = [] }) => [...from.map((file) => path.basename(file)), ...envs.map(() => 'NQ_STORE')];
  const data = generated.map(([kind, generator]) => ({ kind, metadata: { name: generator.name }, data: Object.fromEntries(keys(generator).map((key) => [key, ''])) }));
  return { resources, images, objects: [...files.flatMap((file) => loadAll(text(`${name}/${file}`))), ...data] };
}

test('Kubernetes with workers: what one names, another has', () => {
  const [broker, overlay] = [kustomized('nats'), kustomized('k8s-workers')];
  assert.deepEqual(overlay.resources.filter((resource) => !resource.endsWith('.yaml')), ['../k8s', '../nats']);
  assert.deepEqual(overlay.images, kind('Kustomization').images);
  agree([...objects, ...broker.objects, ...overlay.objects]);
  const { name } = statefulset.metadata;
  assert.deepEqual(hosts, Array.from({ length: statefulset.spec.replicas }, (_, i) => `${name}-${i}.${statefulset.spec.serviceName}`));
  const grace = Number(text('nats/nats.conf').match(/lame_duck_duration: (\d+)s/)[1]);
  assert.ok(statefulset.spec.template.spec.terminationGracePeriodSeconds > grace + 5);
});

test('Kubernetes with workers: the settings exist, the tables have room, a batch has time to end', () => {
  const [{ image, args, env: list, resources, ...probes }] = worker.containers;
  const env = { ...imageEnv };
  for (const { name, value } of list) env[name] = value ?? (name === 'NQ_STORE' ? setting('worker') : '2');
  takes(env, 'k8s-workers/deployment.yaml');
  assert.deepEqual([image, args], [container.image, ['worker']]);
  const { runAsUser, runAsGroup } = worker.securityContext;
  assert.deepEqual([runAsUser, runAsGroup], instruction('USER').at(-1).split(':').map(Number));
  assert.deepEqual([probes.livenessProbe.httpGet.path, probes.readinessProbe.httpGet.path], ['/healthz', '/readyz']);
  assert.ok(bytes(resources.limits.memory) > bytes(env.NQ_MAX_TABLE_BYTES));
  assert.ok(worker.terminationGracePeriodSeconds >= 30, 'as long as a batch is a worker’s own');
});

// Debian's kubectl is too old: it knows no patches in a kustomization, and does not tell which kustomize it is.
const kubectl = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
const skip = !(kubectl.status === 0 && JSON.parse(kubectl.stdout).kustomizeVersion) && 'no kubectl that knows patches';
test('kubectl makes of it what we mean', { skip }, () => {
  const built = loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s-workers')));
  agree(built);
  const server = built.find(({ kind: what, metadata }) => what === 'Deployment' && metadata.name === 'nqueensd');
  const env = { ...imageEnv };
  for (const { name, value } of server.spec.template.spec.containers[0].env) env[name] = value ?? (name === 'NQ_STORE' ? setting('serve') : '2');
  takes(env, 'k8s-workers/server.yaml');
  const ca = server.spec.template.spec.containers[0].volumeMounts.find(({ name }) => name === 'nats-ca').mountPath;
  assert.equal(env.NQ_NATS_CA, `${ca}/ca.crt`);
  assert.equal(server.spec.template.spec.containers[0].image, `nqueensd:${kind('Kustomization').images[0].newTag}`);
  const policy = built.find(({ kind: what, metadata }) => what === 'NetworkPolicy' && metadata.name === 'nqueensd');
  assert.ok(policy.spec.egress.some(({ ports }) => ports.some(({ port }) => port === 4222)));
  const base = loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s')));
  assert.ok(!JSON.stringify(base).includes('nats'), 'the base knows no broker');
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
