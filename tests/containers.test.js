// What docker/ holds agrees with itself and with the binary: image, compose, Kubernetes, systemd, the package and the manual. All
// that can be said without running a container; docker/try.sh runs one, tests/nats/conf.test.js the broker.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, loadAll } from 'js-yaml';
import { assert, binary, patience, start, startAsTold, startWithin, temporaryFolder, test, until } from './http/harness.js';
import { startWorkerAsTold } from './nats/workers.js';

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

// The binary starts with these settings, but for where it listens and where its file would be. A broker need not be there for it: its
// names, which other tests compare, become addresses where nobody listens, so that no resolver is asked.
const nobody = (url) => url?.replaceAll(/(\/\/(?:[^@/,]*@)?)[\w.-]+(:\d+)?(?=,|$)/g, '$1127.0.0.1:1');
async function takes(t, env, what, start = startAsTold) {
  for (const name of Object.keys(env)) assert.ok(name in presets, `${what}: ${name} is no setting`);
  for (const name of ['NQ_ADMIN', 'NQ_LISTEN'])
    if (env[name]) assert.match(env[name], /^[\d.]+:\d+$/, `${what}: ${name}`);
  const places = { NQ_STORE: nobody(env.NQ_STORE)?.replace(/^sqlite:(?=\/)/, `sqlite:${temporaryFolder()}`) };
  if (env.NQ_NATS_CA) places.NQ_NATS_CA = path.join(laid, 'nats/secrets/ca.crt');
  await start(t, { ...env, ...places }).catch((error) => assert.fail(`${what}: ${error.message}`));
}
const bytes = (size) => parseInt(size, 10) * 1024 ** ' KMG'.indexOf(size.match(/[KMG]/i)[0].toUpperCase());
// Bytes that the flags allow for what grows, and some for the process, its connections and some streams.
const needs = (env) =>
  ['CACHE', 'REPLY', 'MAX_TABLE', 'SEARCH'].reduce((sum, what) => sum + bytes(env[`NQ_${what}_BYTES`] ?? presets[`NQ_${what}_BYTES`]), 100 << 20);
// Seconds to end: what is under way, and five for the store.
const ending = (env) => ['NQ_DRAIN_DELAY', 'NQ_DRAIN_SECONDS'].reduce((sum, name) => sum + Number(env[name] ?? imageEnv[name] ?? presets[name]), 5);

test('the image has a dated base, an unprivileged user, and no shell in its entry point or health check', async (t) => {
  assert.match(dockerfile, /^ARG BASE=\S+:[a-z]+-\d{8}-slim$/m);
  assert.deepEqual(instruction('FROM'), ['${BASE} AS build', '${BASE}']);
  assert.match(instruction('USER').at(-1), /^[1-9]\d*:[1-9]\d*$/);
  assert.deepEqual(JSON.parse(instruction('ENTRYPOINT')[0]), ['/usr/bin/nqueensd']);
  assert.deepEqual(JSON.parse(instruction('HEALTHCHECK')[0].replace(/^.* CMD /, '')), ['/usr/bin/nqueensd', 'healthcheck']);
  await takes(t, imageEnv, 'Dockerfile');
  assert.equal(imageEnv.NQ_STORE, `sqlite:${state}/nqueensd.db`);
  assert.match(imageEnv.NQ_ADMIN, /^127\./, 'the second port is not for others unless told');
});

test('the bill of materials is SPDX 2.3: what it must have, names that are unique, and the same bytes for the same packages', () => {
  const names = [...text('packages.txt').matchAll(/^run +(\S+)/gm)].map(([, name]) => name);
  const made = () => run('env', 'SOURCE_DATE_EPOCH=1764000000', 'docker/sbom.sh', binary, ...names, 'libc6');
  const bytes = made();
  assert.equal(made(), bytes);
  const { packages, relationships, creationInfo, ...document } = JSON.parse(bytes);
  const release = run(binary, '--version').trim().split(' ')[1];
  assert.match(document.documentNamespace, /^urn:nqueensd:sbom:[^#\s]+$/);
  assert.deepEqual(document, { spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `nqueensd-image-${release}`, documentNamespace: document.documentNamespace });
  assert.deepEqual(creationInfo, { created: '2025-11-24T16:00:00Z', creators: [`Tool: nqueensd-sbom.sh-${release}`] });
  const ids = [document, ...packages].map(({ SPDXID }) => SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const licence = /^(NOASSERTION|[A-Z]\w*[A-Za-z0-9.-]*( (AND|OR) [A-Z][A-Za-z0-9.-]*)*)$/;
  for (const { name, versionInfo, downloadLocation, filesAnalyzed, licenseDeclared } of packages) {
    assert.ok(name && versionInfo, name);
    assert.deepEqual([downloadLocation, filesAnalyzed], ['NOASSERTION', false], name); // no files: no code of their hashes is needed
    assert.match(licenseDeclared, licence);
  }
  for (const { spdxElementId, relatedSpdxElement } of relationships) assert.ok(ids.includes(spdxElementId) && ids.includes(relatedSpdxElement), relatedSpdxElement);
  const related = (from, how) => relationships.filter(({ spdxElementId, relationshipType }) => spdxElementId === from && relationshipType === how).map(({ relatedSpdxElement }) => relatedSpdxElement);
  assert.deepEqual(related('SPDXRef-DOCUMENT', 'DESCRIBES'), ['SPDXRef-image']);
  assert.deepEqual(related('SPDXRef-image', 'CONTAINS'), ids.slice(2));
  const find = (name) => packages.find((item) => item.name === name);
  assert.deepEqual(related('SPDXRef-nqueensd', 'DYNAMIC_LINK').sort(), names.map((name) => find(name).SPDXID).sort());
  const own = find('nqueensd');
  assert.match(readFileSync(path.join(root, 'LICENSE'), 'utf8'), new RegExp(`^${own.licenseDeclared} License\n`));
  assert.deepEqual([own.versionInfo, own.checksums], [release, [{ algorithm: 'SHA256', checksumValue: run('sha256sum', binary).split(' ')[0] }]]);
  for (const name of [...names, 'libc6']) {
    const { versionInfo, sourceInfo, licenseDeclared, licenseComments, externalRefs: [{ referenceCategory, referenceType, referenceLocator }] } = find(name);
    const [version, source, architecture] = run('dpkg-query', '-W', '-f', '${Version}\n${source:Package} ${source:Version}\n${Architecture}', name).split('\n');
    assert.deepEqual([versionInfo, sourceInfo], [version, `made from the source package ${source}`]);
    assert.deepEqual([referenceCategory, referenceType], ['PACKAGE-MANAGER', 'purl']);
    assert.match(referenceLocator, /^pkg:deb\/[a-z]+\/[^?]+\?arch=[a-z0-9]+&distro=[a-z]+-[\w.]+$/);
    const [, , , item, query] = new URL(referenceLocator).href.split(/[:/?]/);
    assert.deepEqual([decodeURIComponent(item), new URLSearchParams(query).get('arch')], [`${name}@${version}`, architecture]);
    assert.ok(!/[+:]/.test(item), 'a package URL has these encoded');
    if (/names: Expat$/.test(licenseComments)) assert.equal(licenseDeclared, 'MIT');
  }
  assert.equal(find('libjansson4').licenseDeclared, 'MIT');
  assert.equal(find('libmicrohttpd12').licenseDeclared, 'LGPL-2.1-or-later');
  assert.equal(find('libnettle8').licenseDeclared, 'LGPL-3.0-or-later OR GPL-2.0-or-later');
  assert.equal(find('libsqlite3-0').licenseDeclared, 'NOASSERTION', 'the public domain is no licence');
});

// A folder with sources, and what they are called: id(). It need not be in git.
function sources() {
  const top = path.join(temporaryFolder(), 'sources');
  const at = (name) => path.join(top, name);
  for (const name of ['docker', 'include', 'src/base', 'docs']) mkdirSync(at(name), { recursive: true });
  copyFileSync(path.join(root, 'docker/build-id.sh'), at('docker/build-id.sh'));
  const write = (name, words) => writeFileSync(at(name), words);
  for (const name of ['Makefile', 'openapi.yaml', 'include/nqueens.h', 'src/base/a.c', 'docs/api.md']) write(name, name);
  write('.gitignore', '*.o\n');
  const env = { ...process.env, GIT_AUTHOR_NAME: 'n', GIT_AUTHOR_EMAIL: 'e', GIT_COMMITTER_NAME: 'n', GIT_COMMITTER_EMAIL: 'e', BUILD_ID: 'x' };
  const call = (where, command, ...argv) => execFileSync(command, argv, { cwd: where, env, encoding: 'utf8' }).trim();
  const git = (...argv) => call(top, 'git', '-c', 'init.defaultBranch=main', ...argv);
  const commit = () => (git('add', '-A'), git('commit', '-qm', 'a commit'), git('rev-parse', 'HEAD').slice(0, 12));
  const id = (where = top) => call(where, path.join(where, 'docker/build-id.sh'), '1.2.3');
  return { top, at, write, git, commit, id, call };
}

test('a build is the release where the tag names the sources; else it has the commit, and what is changed since', () => {
  const { at, write, git, commit, id } = sources();
  assert.equal(id(), '1.2.3', 'an archive of the sources');
  git('init', '-q');
  assert.match(id(), /^1\.2\.3\+[0-9a-f]{12}$/, 'no commit yet');
  const first = commit();
  assert.equal(id(), `1.2.3+g${first}`);
  git('tag', 'v1.2.2');
  assert.equal(id(), `1.2.3+g${first}`, 'the tag of another release');
  git('tag', '-am', 'a release', 'v1.2.3');
  assert.equal(id(), '1.2.3');

  const states = new Set([id()]);
  const changed = (what) => {
    assert.match(id(), new RegExp(`^1\\.2\\.3\\+g${first}\\.dirty\\.[0-9a-f]{12}$`), what);
    assert.equal(id(), id(), what);
    assert.ok(!states.has(id()), `${what} has an id of its own`);
    states.add(id());
  };
  write('src/base/a.c', '1876');
  changed('a change');
  write('src/base/a.c', '1932');
  changed('another change');
  git('add', '-A');
  assert.ok(states.has(id()), 'the same, whether it is added or not');
  write('src/base/b.c', '');
  changed('a new file');
  rmSync(at('src/base/a.c'));
  changed('a file that is gone');
  git('rm', '-q', '--cached', 'src/base/a.c');
  rmSync(at('src/base/b.c'));
  write('openapi.yaml', 'other words');
  changed('another contract');
  git('reset', '-q', '--hard');
  write('docs/api.md', 'other words');
  write('src/base/a.o', 'ignored');
  assert.equal(id(), '1.2.3', 'neither documents nor what git ignores make another build');
  assert.equal(`1.2.3+g${commit()}`, id());
});

test('a shallow clone, a work tree and a hook have the same build', () => {
  const { top, git, commit, id, call, write } = sources();
  git('init', '-q');
  commit();
  write('src/base/a.c', 'more');
  const last = commit();
  const clone = `${top}-shallow`;
  git('clone', '-q', '--depth', '1', `file://${top}`, clone);
  assert.equal(id(clone), `1.2.3+g${last}`);
  git('worktree', 'add', '-q', '--detach', `${top}-tree`, 'HEAD');
  assert.equal(id(`${top}-tree`), `1.2.3+g${last}`);
  assert.equal(call(top, 'env', 'GIT_DIR=/nowhere', 'GIT_INDEX_FILE=none', 'docker/build-id.sh', '1.2.3'), `1.2.3+g${last}`);
});

test('make asks for the build, unless its command line names one', () => {
  const folder = temporaryFolder();
  const made = (env, ...words) => {
    const file = path.join(folder, 'build-id');
    run('env', 'MAKEFLAGS=', ...env, 'make', '--no-print-directory', `BUILD=${folder}`, ...words, file);
    return readFileSync(file, 'utf8').trim();
  };
  const release = readFileSync(path.join(root, 'include/nqueens.h'), 'utf8').match(/^#define NQ_VERSION "(.*)"$/m)[1];
  const own = run('docker/build-id.sh', release).trim();
  assert.equal(made([]), own);
  assert.equal(made(['BUILD_ID=9.9.9']), own, 'the environment has no say');
  assert.equal(made([], 'BUILD_ID='), own, 'nothing is no name');
  assert.equal(made([], 'BUILD_ID=9.9.9+g0'), '9.9.9+g0');
});

test('compose: the settings exist, the store is in a volume, and there is time to stop', async (t) => {
  const { nqueensd, nginx } = compose.services;
  await takes(t, { ...imageEnv, ...nqueensd.environment }, 'compose.yaml');
  assert.ok(nqueensd.volumes.some((volume) => volume.endsWith(`:${state}`)));
  assert.ok(parseInt(nqueensd.stop_grace_period, 10) > ending(nqueensd.environment));
  assert.ok(bytes(nqueensd.mem_limit) > needs({ ...imageEnv, ...nqueensd.environment }));
  assert.ok(nqueensd.pids_limit > 2 * 256 + 100, 'threads of the largest --threads');
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
  }
  const port = imageEnv.NQ_LISTEN.split(':')[1];
  assert.match(text('nginx.conf'), new RegExp(`^ +server nqueensd:${port} resolve `, 'm')); // again and again, which its image can do:
  const [, ...version] = nginx.image.match(/:(\d+)\.(\d+)\.(\d+)/).map(Number);
  assert.ok(version[0] * 1e6 + version[1] * 1e3 + version[2] >= 1027003, nginx.image);
  assert.match(text('nginx.conf'), new RegExp(`^ +listen ${nginx.ports[0].split(':').at(-1)};$`, 'm'));
  assert.match(text('nginx.conf'), new RegExp(`location ${nqueensd.environment.NQ_BASE_PATH}/ `));
});

test('compose: every tmpfs belongs to the user of its service, also after a restart', () => {
  const services = ['compose.yaml', 'compose.workers.yaml'].flatMap((name) => Object.entries(load(text(name)).services));
  const mounts = services.flatMap(([name, { user, tmpfs = [] }]) => tmpfs.map((mount) => ({ name, user, ...Object.fromEntries(mount.split(':')[1].split(',').map((option) => option.split('='))) })));
  assert.ok(mounts.length > 0);
  for (const { name, user, uid, gid, size, mode } of mounts) {
    assert.equal(`${uid}:${gid}`, user, name);
    assert.ok(size, `${name}: it is bounded`);
    assert.equal(mode, undefined, `${name}: it would not be kept`);
  }
});

test('Kubernetes: every name that an object refers to exists', () => {
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
  assert.equal(`nqueensd ${image.newTag}`, run(binary, '--version').trim().replace(/\+.*/, '')); // of the release
});

test('Kubernetes: settings, ports, paths, user and folder are those of the image', async (t) => {
  const env = { ...imageEnv };
  for (const { name, value } of container.env) env[name] = value ?? '2';
  await takes(t, env, 'deployment.yaml');
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
  assert.ok(pod.terminationGracePeriodSeconds > ending(env));
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert.ok(Number(env.NQ_DRAIN_DELAY) >= periodSeconds * failureThreshold, 'its probe notices in that time');
  assert.ok(container.resources.limits.cpu && bytes(container.resources.limits.memory) > needs(env));
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
const has = (command, ...argv) => spawnSync(command, argv).status === 0;

test('compose with workers: broker, settings and secrets agree, and there is memory for tables', async (t) => {
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
  await takes(t, { ...imageEnv, ...compose.services.nqueensd.environment, ...nqueensd.environment, NQ_STORE: setting('serve') }, 'the server');
  await takes(t, { ...imageEnv, ...worker.environment, NQ_STORE: setting('worker') }, 'the worker', startWorkerAsTold);
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

test('docker-compose accepts both files', { skip: !has('docker-compose', '--version') && 'docker-compose is not here' }, () => {
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
  for (const { spec } of all('ScaledObject')) holds('Deployment', spec.scaleTargetRef.name);
  for (const { metadata, spec } of all('PodMonitor'))
    for (const template of meant(spec.selector, metadata.name)) for (const { port } of spec.podMetricsEndpoints) assert.ok(listens(template, port), `${metadata.name}: ${port}`);
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

test('Kubernetes with workers: every name that an object refers to exists', () => {
  const [broker, overlay] = [kustomized('nats'), kustomized('k8s-workers')];
  assert.deepEqual(overlay.resources.filter((resource) => !resource.endsWith('.yaml')), ['../k8s', '../nats']);
  assert.deepEqual(overlay.images, kind('Kustomization').images);
  agree([...objects, ...broker.objects, ...overlay.objects]);
  const { name } = statefulset.metadata;
  assert.deepEqual(hosts, Array.from({ length: statefulset.spec.replicas }, (_, i) => `${name}-${i}.${statefulset.spec.serviceName}`));
  const grace = Number(text('nats/nats.conf').match(/lame_duck_duration: (\d+)s/)[1]);
  assert.ok(statefulset.spec.template.spec.terminationGracePeriodSeconds > grace + 5);
});

const everything = () => [...objects, ...['nats', 'k8s-workers', 'k8s-monitoring', 'k8s-keda'].flatMap((name) => kustomized(name).objects)];

test('Kubernetes: pods are spread over nodes, few stop at a time, and only one object sets the number of replicas', () => {
  const all = everything();
  const of = (...kinds) => all.filter(({ kind: what }) => kinds.includes(what));
  const scaled = of('HorizontalPodAutoscaler', 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
  assert.ok(of('Deployment', 'StatefulSet').length > 2);
  for (const { metadata: { name }, spec } of of('Deployment', 'StatefulSet')) {
    const { labels } = spec.template.metadata;
    const means = (selector) => Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value);
    const spread = spec.template.spec.topologySpreadConstraints ?? [];
    assert.ok(spread.some(({ topologyKey, labelSelector }) => topologyKey === 'kubernetes.io/hostname' && means(labelSelector)), `${name} is spread`);
    assert.ok(of('PodDisruptionBudget').some((budget) => means(budget.spec.selector)), `${name} has a budget`);
    assert.notEqual(spec.replicas === undefined, !scaled.includes(name), `${name}: replicas beside an autoscaler start anew with every apply`);
  }
  agree(all);
});

// What of Kubernetes' API the manifests use, and since when it is there without a gate to be opened.
const since = [
  [/"kind":"StatefulSet".*"minReadySeconds"/, 25],
  [/"apiVersion":"autoscaling\/v2"/, 23],
  [/"apiVersion":"policy\/v1"/, 21],
  [/"topologySpreadConstraints"/, 19],
];
test('Kubernetes: the version that the documents require is the one that the manifests need', () => {
  const all = JSON.stringify(everything());
  const needed = Math.max(...since.filter(([pattern]) => pattern.test(all)).map(([, minor]) => minor));
  for (const file of ['docker/k8s/kustomization.yaml', 'docs/operations.md']) {
    const told = [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:Kubernetes|kubectl`?)[^.]{0,30}? 1\.(\d+)/g)].map(([, minor]) => Number(minor));
    assert.deepEqual([...new Set(told)], [needed], file);
  }
});

test('Kubernetes: a long job asks for many workers, a short one for one, and no job for the minimum', async (t) => {
  const named = (expr) => expr.match(/nq_[a-z_]+/)[0];
  const scaler = kustomized('k8s-keda').objects.find(({ kind: what }) => what === 'ScaledObject').spec;
  const { spec } = kustomized('k8s-workers').objects.find(({ kind: what }) => what === 'HorizontalPodAutoscaler');
  const signals = [
    ...spec.metrics.map(({ external: { metric, target } }) => [metric.name, Number(target.averageValue), spec.minReplicas]),
    ...scaler.triggers.map(({ metadata }) => [named(metadata.query), Number(metadata.threshold), scaler.minReplicaCount]),
  ];
  assert.equal(signals.length, 3);
  const server = await start(t);
  // As Kubernetes has it: for every metric the least number that brings its share below the target, of these the largest.
  const wanted = async (of) => {
    const each = await Promise.all(of.map(async ([name, target, least]) => Math.max(least, Math.ceil((await server.metric(name)) / target))));
    return Math.max(...each);
  };
  const [hpa, keda] = [signals.slice(0, 1), signals.slice(1)];
  assert.deepEqual([await wanted(hpa), await wanted(keda)], [1, 0]);
  for (const [n, least, most] of [[22, 9, Infinity], [19, 1, 1]]) {
    const { id } = await server.begin({ n, method: 'compute' });
    await until(async () => (await server.metric(signals[0][0])) > 0, 'it is told what is left');
    for (const signal of [hpa, keda]) assert.ok((await wanted(signal)) >= least && (await wanted(signal)) <= most, `n = ${n}: ${await wanted(signal)}`);
    await server.delete(`/jobs/${id}`);
    await until(async () => (await wanted(keda)) === 0, 'nobody is needed');
  }
});

test('Kubernetes with workers: the settings exist, there is memory for tables and time to finish a batch', async (t) => {
  const [{ image, args, env: list, resources, ...probes }] = worker.containers;
  const env = { ...imageEnv };
  for (const { name, value } of list) env[name] = value ?? (name === 'NQ_STORE' ? setting('worker') : '2');
  await takes(t, env, 'k8s-workers/deployment.yaml', startWorkerAsTold);
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
test('kubectl builds the expected objects', { skip }, async (t) => {
  const built = loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s-workers')));
  agree(built);
  const server = built.find(({ kind: what, metadata }) => what === 'Deployment' && metadata.name === 'nqueensd');
  const env = { ...imageEnv };
  for (const { name, value } of server.spec.template.spec.containers[0].env) env[name] = value ?? (name === 'NQ_STORE' ? setting('serve') : '2');
  await takes(t, env, 'k8s-workers/server.yaml');
  const ca = server.spec.template.spec.containers[0].volumeMounts.find(({ name }) => name === 'nats-ca').mountPath;
  assert.equal(env.NQ_NATS_CA, `${ca}/ca.crt`);
  assert.equal(server.spec.template.spec.containers[0].image, `nqueensd:${kind('Kustomization').images[0].newTag}`);
  const policy = built.find(({ kind: what, metadata }) => what === 'NetworkPolicy' && metadata.name === 'nqueensd');
  assert.ok(policy.spec.egress.some(({ ports }) => ports.some(({ port }) => port === 4222)));
  const scaled = loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s-keda')));
  agree([...scaled, ...loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s-monitoring')))]);
  assert.deepEqual(scaled.filter(({ kind: what }) => what === 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name), ['nqueensd']);
  const base = loadAll(run('kubectl', 'kustomize', path.join(laid, 'k8s')));
  assert.ok(!JSON.stringify(base).includes('nats'), 'the base knows no broker');
});

test('the PrometheusRule of k8s-monitoring is what rule.sh makes of the alerts', () => {
  const made = load(text('k8s-monitoring/prometheusrule.yaml'));
  assert.deepEqual([made.apiVersion, made.kind, made.spec], ['monitoring.coreos.com/v1', 'PrometheusRule', load(text('prometheus/rules.yaml'))]);
  assert.equal(run(path.join(root, 'docker/prometheus/rule.sh')), text('k8s-monitoring/prometheusrule.yaml'), 'docker/prometheus/rule.sh >docker/k8s-monitoring/prometheusrule.yaml');
});

test('YAML files pass yamllint', () => {
  run('yamllint', '-s', '-d', '{extends: default, rules: {line-length: {max: 140}, document-start: disable, comments: {min-spaces-from-content: 1}}}', 'docker');
});

for (const [room, gone, target, step] of [['web', 'words_it.js', 'build/embedded/web/web_files.h', 'PACK'], ['base', 'json.c', 'build/rooms.a', 'AR'], ['commands', 'units.c', 'build/service.a', 'AR']])
  test(`make makes ${target} anew when a file of src/${room} is gone`, () => {
    const top = temporaryFolder();
    const at = (name) => path.join(top, name);
    const link = (folder, but) => {
      for (const name of readdirSync(path.join(root, folder))) if (name !== but) symlinkSync(path.join(root, folder, name), at(path.join(folder, name)));
    };
    const makes = () => execFileSync('make', ['-n', target], { cwd: top, encoding: 'utf8' }).includes(`"  ${step} `);
    link('', 'src');
    mkdirSync(at('src'));
    link('src', room);
    run('cp', '-a', path.join(root, 'src', room), at('src'));
    assert.ok(!makes(), 'nothing is new');
    rmSync(at(`src/${room}/${gone}`));
    assert.ok(makes());
  });

// What `make deb` makes of the build, in a folder of its own.
const folder = temporaryFolder();
run('make', '--no-print-directory', 'deb', `DEB=${folder}`);
const debs = readdirSync(folder).filter((name) => name.endsWith('.deb')).sort();
const [dev, library, deb] = debs;
const field = (name, of = deb) => run('dpkg-deb', '-f', path.join(folder, of), name).trim();
const libdir = `./usr/lib/${run('gcc', '-print-multiarch').trim()}`;

// The files of a package, but for manual pages of section 3; all are owned by root.
function contents(name) {
  const lines = run('dpkg-deb', '-c', path.join(folder, name)).trim().split('\n');
  for (const line of lines) assert.match(line, /^[-d]rw[x-]r-[x-]r-[x-] root\/root |^lrwxrwxrwx root\/root /);
  return lines.map((line) => line.split(/ +/)[5]).filter((file) => !/\/$|man3\/nq_/.test(file)).sort();
}

test('the packages of the library have the shared library, and what one builds with', () => {
  assert.deepEqual(debs.map((name) => name.split('_')[0]), ['libnqueens-dev', 'libnqueens0', 'nqueensd']);
  const version = field('Version').replace(/\+\d{8}$/, ''); // of the release
  const documents = (name) => [`./usr/share/doc/${name}/changelog.gz`, `./usr/share/doc/${name}/copyright`];
  assert.deepEqual(contents(library), [`${libdir}/libnqueens.so.0`, `${libdir}/libnqueens.so.0.${version}`, ...documents('libnqueens0')]);
  const examples = ['count.c', 'list.cpp', 'puzzle.c'].map((name) => `./usr/share/doc/libnqueens-dev/examples/${name}`);
  const built = ['libnqueens.a', 'libnqueens.so', 'pkgconfig/nqueens.pc'].map((name) => `${libdir}/${name}`);
  assert.deepEqual(contents(dev).filter((file) => !file.includes('/man3/')), ['./usr/include/nqueens.h', ...built, ...documents('libnqueens-dev'), ...examples]);
  assert.ok(contents(dev).includes('./usr/share/man/man3/nqueens.3.gz'));
  assert.equal(field('Depends', dev).split(', ')[0], `libnqueens0 (= ${field('Version')})`);
});

test('the same build gives the same packages', () => {
  const bytes = () => debs.map((name) => readFileSync(path.join(folder, name)));
  const before = bytes();
  run('make', '--no-print-directory', 'deb', `DEB=${folder}`);
  assert.deepEqual(bytes(), before);
});

test('the package contains binary, units, manual and licence', () => {
  assert.deepEqual(contents(deb), [
    './etc/default/nqueensd',
    './usr/bin/nqueensd',
    './usr/lib/systemd/system/nqueensd.service',
    './usr/lib/systemd/system/nqueensd.socket',
    './usr/share/doc/nqueensd/changelog.gz',
    './usr/share/doc/nqueensd/copyright',
    './usr/share/man/man1/nqueensd.1.gz',
    './usr/share/nqueensd/openapi.yaml',
  ]);
  const release = field('Version').replace(/\+\d{8}$/, '');
  assert.match(run(path.join(folder, 'root/usr/bin/nqueensd'), '--version'), new RegExp(`^nqueensd ${release}(\\+[\\w.]+)?\n$`));
});

// The entries of a Debian changelog: version, distribution and text.
const entries = (log) => [...log.matchAll(/^nqueensd \(([^)]*)\) (\w+); urgency=medium\n(.*?)\n -- [^\n]*>  ([^\n]*)\n/gms)].map(([, version, distribution, body, date]) => ({ version, distribution, body, date: new Date(date) }));

test('the changelog of a package has the section of its version; what is not released yet is newer, and says so', () => {
  const words = (text) => text.replace(/[*`]|\[ | \]|^#+ /gm, '').split(/[\s-]+/).filter(Boolean).join(' ');
  const section = (log, title) => words(log.split(/^## /m).find((part) => part.startsWith(title)).replace(/^[^]*?(?=^### )/m, '')); // without what stands before its parts
  const log = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const release = run(path.join(folder, 'root/usr/bin/nqueensd'), '--version').trim().split(' ')[1].replace(/\+.*/, '');
  const of = (name) => entries(run('sh', '-c', `dpkg-deb --fsys-tarfile '${name}' | tar -xO ./usr/share/doc/nqueensd/changelog.gz | gunzip`));
  const found = of(path.join(folder, deb));
  const unreleased = /^## Unreleased\n\s*###/m.test(log);
  assert.deepEqual(found.map(({ version, distribution }) => [version, distribution]), [...(unreleased ? [[field('Version'), 'UNRELEASED']] : []), [release, 'unstable']]);
  const whole = (entry, title) => assert.ok(words(entry.body) === section(log, title), `the entry has the section ${title}, whole`);
  whole(found.at(-1), release);
  if (unreleased) whole(found[0], 'Unreleased');
  assert.ok(found.every(({ date }, i) => !i || date <= found[i - 1].date));
  run('dpkg', '--compare-versions', field('Version'), unreleased ? 'gt' : 'eq', release);
  run('dpkg', '--compare-versions', field('Version'), 'lt', `${release}.1`);
});

// Everything below a folder, but for what dpkg keeps for itself.
const below = (folder) => readdirSync(folder, { recursive: true }).filter((name) => !/^var(\/lib)?(\/dpkg.*)?$/.test(name)).sort();

// An empty system, and dpkg for it.
function system() {
  const top = temporaryFolder();
  const at = (name) => path.join(top, name);
  const write = (name, value) => (mkdirSync(path.dirname(at(name)), { recursive: true }), writeFileSync(at(name), value));
  const link = (name, target) => (mkdirSync(path.dirname(at(name)), { recursive: true }), symlinkSync(target, at(name)));
  for (const name of ['etc/systemd/system', 'var/lib/dpkg/info', 'var/lib/dpkg/updates']) mkdirSync(at(name), { recursive: true });
  write('var/lib/dpkg/status', '');
  const dpkg = (...argv) => run('dpkg', `--root=${top}`, '--force-not-root', '--force-bad-path', '--force-script-chrootless', '--force-depends', `--log=${top}/var/lib/dpkg/log`, ...argv);
  return { top, at, write, link, dpkg };
}

test('purging the package leaves nothing of what the package, the service or its documents created', () => {
  const { top, at, write, link, dpkg } = system();
  const before = below(top);
  const used = () => {
    dpkg('--install', path.join(folder, deb));
    const unit = readFileSync(at('usr/lib/systemd/system/nqueensd.service'), 'utf8');
    const state = unit.match(/^StateDirectory=(.*)$/m)[1]; // with a dynamic user it lies in private/
    write(`var/lib/private/${state}/nqueensd.db`, 'facts');
    link(`var/lib/${state}`, `private/${state}`);
    write(unit.match(/NQ_API_KEYS=\/(\S+)/)[1], 'hashes');
    write(unit.match(/EnvironmentFile=-\/(\S+)/)[1], 'NQ_LOG=json\n');
    for (const [, name, target] of [['', 'service', 'multi-user'], ['', 'socket', 'sockets']]) link(`etc/systemd/system/${target}.target.wants/nqueensd.${name}`, `/usr/lib/systemd/system/nqueensd.${name}`);
  };
  used();
  dpkg('--remove', 'nqueensd');
  for (const kept of ['etc/default/nqueensd', 'var/lib/private/nqueensd/nqueensd.db']) assert.ok(existsSync(at(kept)), `${kept} is there if it comes back`);
  dpkg('--purge', 'nqueensd');
  const ours = (names) => names.filter((name) => /nqueensd/.test(name) || !existsSync(at(name)));
  assert.deepEqual(ours(below(top)), ours(before));
});

test('the packages replace one that had the library within nqueensd', () => {
  const { at, dpkg } = system();
  const before = temporaryFolder();
  for (const [name, text] of [
    ['DEBIAN/control', `Package: nqueensd\nVersion: 0.1.0\nArchitecture: ${field('Architecture')}\nMaintainer: us <us@example.org>\nDescription: as it was\n`],
    ['usr/include/nqueens.h', 'old'],
    ['usr/lib/libnqueens.a', 'old'],
  ]) {
    mkdirSync(path.dirname(path.join(before, name)), { recursive: true });
    writeFileSync(path.join(before, name), text);
  }
  run('dpkg-deb', '--root-owner-group', '--build', before, `${before}.deb`);
  dpkg('--install', `${before}.deb`);
  rmSync(`${before}.deb`);
  dpkg('--auto-deconfigure', '--install', ...debs.map((name) => path.join(folder, name))); // as apt calls it
  assert.ok(!existsSync(at('usr/lib/libnqueens.a')));
  assert.notEqual(readFileSync(at('usr/include/nqueens.h'), 'utf8'), 'old');
  dpkg('--remove', 'nqueensd');
  assert.ok(existsSync(at('usr/include/nqueens.h')), 'it belongs to libnqueens-dev');
  dpkg('--purge', 'nqueensd', 'libnqueens-dev', 'libnqueens0');
  assert.ok(!existsSync(at('usr/include/nqueens.h')) && !existsSync(at(`${libdir}/libnqueens.so.0`)));
});

test('lintian finds no error in the packages', { skip: !has('lintian', '--version') && 'lintian is not here' }, () => {
  run('lintian', '--allow-root', '--fail-on', 'error,warning', ...debs.map((name) => path.join(folder, name)));
});

test('the package depends on exactly the libraries that the binary needs', () => {
  const binary = path.join(folder, 'root/usr/bin/nqueensd');
  const needed = [...run('objdump', '-p', binary).matchAll(/NEEDED +(\S+)/g)].map(([, name]) => name);
  const owners = needed.map((name) => run('dpkg', '-S', name).split('\n').find((line) => line.endsWith(`-linux-gnu/${name}`)).split(':')[0]);
  const depends = field('Depends').split(', ').map((item) => item.split(' ')[0]);
  assert.deepEqual([...new Set(owners)].sort(), depends.sort());
});

// src/http/server/server.c takes the place of GnuTLS's start and end: right as long as libmicrohttpd is alone in wanting GnuTLS.
test('of all libraries that the process loads only libmicrohttpd calls GnuTLS, and it begins it in the way that the server replaces', () => {
  const binary = path.join(folder, 'root/usr/bin/nqueensd');
  const loaded = new Set([...run('ldd', binary).matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, file]) => file));
  const symbols = (file, ...argv) => run('nm', '-D', ...argv, file).split('\n').map((line) => line.trim().split(/ +/).at(-1).replace(/@.*/, ''));
  const callers = [...loaded].filter((file) => symbols(file, '--undefined-only').some((name) => name.startsWith('gnutls_'))).map((file) => path.basename(file));
  assert.deepEqual(callers, ['libmicrohttpd.so.12'], 'none: the functions can go from server.c; another: it would find GnuTLS not begun');
  const [microhttpd, gnutls] = ['libmicrohttpd.so', 'libgnutls.so'].map((name) => [...loaded].find((file) => file.includes(name)));
  const replaced = ['_gnutls_global_init_skip', 'gnutls_global_init', 'gnutls_global_deinit'];
  const own = symbols(binary, '--defined-only').filter((name) => /^_?gnutls_/.test(name));
  assert.deepEqual(own.sort(), [...replaced].sort());
  const calls = symbols(microhttpd, '--undefined-only');
  for (const name of replaced.slice(1)) assert.ok(calls.includes(name), name);
  assert.ok(symbols(gnutls, '--defined-only').includes(replaced[0]), 'GnuTLS asks the program whether to begin');
});

test('the binary is hardened: position-independent, no writable code or jump tables, stack protector', () => {
  const told = run('readelf', '-hldsW', binary);
  assert.match(told, /Type: +DYN/);
  assert.match(told, /GNU_RELRO/);
  assert.match(told, /BIND_NOW/);
  assert.match(told, /GNU_STACK.* RW /);
  assert.match(told, /__stack_chk_fail/);
  assert.match(told, /__memcpy_chk|__snprintf_chk|__vsnprintf_chk/);
});

test('systemd accepts the units and rates them as well confined', async (t) => {
  const unit = path.join(folder, 'nqueensd.service'); // as installed, but that its binary is where it is
  const installed = readFileSync(path.join(folder, 'root/usr/lib/systemd/system/nqueensd.service'), 'utf8');
  assert.match(installed, /^ExecStart=\/usr\/bin\/nqueensd serve$/m);
  // Every Debian has these. /bin/kill, for example, is in procps, which a minimal system lacks.
  for (const [, command] of installed.matchAll(/^Exec\w+=(\S+)/gm)) assert.ok(['/usr/bin/nqueensd', '/bin/sh'].includes(command), command);
  writeFileSync(unit, installed.replace('ExecStart=/usr', `ExecStart=${folder}/root/usr`));
  const socket = path.join(folder, 'nqueensd.socket');
  copyFileSync(path.join(folder, 'root/usr/lib/systemd/system/nqueensd.socket'), socket);
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit, socket], { encoding: 'utf8' });
  assert.doesNotMatch(stderr, /nqueensd/);
  run('systemd-analyze', 'security', '--offline=yes', '--threshold=20', '--no-pager', unit);
  const env = Object.fromEntries([...text('nqueensd.service').matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  await takes(t, env, 'nqueensd.service');
  assert.ok(bytes(text('nqueensd.service').match(/^MemoryMax=(\w+)$/m)[1]) > needs(env));
  assert.match(text('nqueensd.socket'), /^FileDescriptorName=http$/m);
  assert.ok(Number(text('nqueensd.service').match(/^TimeoutStopSec=(\d+)$/m)[1]) > ending({}));
});

// The unit shows it only its own processes. Making such a /proc takes a right that not every machine gives.
const hides = ['unshare', '-m', 'sh', '-c', 'mount -t proc -o subset=pid proc /proc && exec "$0" "$@"'];
const hidden = spawnSync(hides[0], [...hides.slice(1), 'test', '-e', '/proc/self/stat']).status === 0;
test('under the unit the service has the metrics of its process', { skip: !hidden && 'no /proc of its own' }, async (t) => {
  assert.match(text('nqueensd.service'), /^ProcSubset=pid$/m);
  const server = await startWithin(t, hides);
  const began = await server.metric('process_start_time_seconds');
  assert.ok(Math.abs(began - Date.now() / 1000) < 60 * patience, `${began}`);
  assert.ok((await server.metric('process_open_fds')) > 3);
});

test('the manual has every command and flag and is well-formed', () => {
  const file = path.join(root, 'build/nqueensd.1');
  run('docker/man.sh', binary);
  run('mandoc', '-T', 'lint', '-W', 'warning', file);
  const words = run('mandoc', '-T', 'utf8', '-O', 'width=200', file).replace(/.\u0008/g, '');
  const help = run(binary, '--help');
  const names = [...help.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
  assert.ok(names.length > 20);
  assert.match(words.trim().split('\n').at(-1), /^nqueensd \d+\.\d+\.\d+ +\d{4}-\d\d-\d\d /, 'which release, and of which day');
  for (const name of [...names, ...Object.keys(presets)]) assert.ok(words.includes(name), `${name} is not in it`);
});

// ---- The packages of the build ----

// What runs where only `make`, a shell and these are installed; no compiler, no package manager, no sudo.
function bare(command, ...argv) {
  const tools = temporaryFolder();
  for (const name of ['dirname', 'env', 'find', 'id', 'make', 'nproc', 'sh', 'uname'])
    symlinkSync(run('sh', '-c', `command -v ${name}`).trim(), path.join(tools, name));
  const { status, stdout, stderr } = spawnSync(command, argv, { cwd: root, env: { PATH: tools }, encoding: 'utf8' });
  assert.notEqual(status, 0);
  return { stdout, lines: stderr.trim().split('\n') };
}

test('make with missing packages compiles nothing and names make deps in one line; make deps says what is missing', () => {
  const { stdout, lines } = bare('/usr/bin/env', 'make', '-s', `BUILD=${temporaryFolder()}/build`);
  assert.equal(stdout, '');
  assert.equal(lines.length, 1);
  assert.match(lines[0], /Packages are missing: .*\bgcc\b.*`make deps` installs them/);
  for (const command of [['docker/install.sh', 'build'], ['make', '-s', 'deps']])
    assert.match(bare(...command).lines[0], /^Packages are missing: .*\bgcc\b/);
});

test('make compiles with warnings, and with STRICT=1 warnings are errors', () => {
  const compiles = (...argv) => run('env', '-u', 'STRICT', 'make', '--no-print-directory', '-n', 'V=1', `BUILD=${temporaryFolder()}/build`, ...argv, 'all');
  assert.doesNotMatch(compiles(), /-Werror/);
  assert.match(compiles('STRICT=1'), /-Werror/);
});
