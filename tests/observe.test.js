// What an operator sees from outside agrees with what servers and workers say: /metrics keeps to the format, whatever the alerts and
// the dashboard in docker/ name is there, and each alert fires on the failure it is for. NQ_LONG=1 tries that under another job, too;
// that none asks for a job is seen without.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { document, operations } from './http/contract.js';
import { parse } from './http/exposition.js';
import { after, assert, binary, long, longer, start, temporaryFolder, test, until } from './http/harness.js';
import { startWorker } from './nats/workers.js';

const docker = fileURLToPath(new URL('../docker/', import.meta.url));
const text = (name) => readFileSync(path.join(docker, name), 'utf8');
const rules = load(text('prometheus/rules.yaml')).groups.flatMap((group) => group.rules);
const trials = load(text('prometheus/rules.test.yaml')).tests;
const dashboard = JSON.parse(text('grafana/dashboard.json'));
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const filled = (expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+');
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, filled(expr)])),
  ...dashboard.annotations.list.map(({ name, expr }) => [name, filled(expr)]),
  ...dashboard.templating.list.filter(({ type }) => type === 'query').map(({ name, definition }) => [name, definition]),
];

// A server that has had something of everything to do.
const server = await start({ after });
for (const target of ['/solve?n=8', '/solve?n=8', '/solve?n=x', '/solve?n=8&format=ndjson', '/count?n=9', '/compare?n=6', '/trace?n=5&algorithm=mrv', '/construct?n=50&method=local-search'])
  await server.get(target);
const { id } = await server.begin({ n: 10 });
await server.look(id, ({ state }) => state === 'done');
await server.admin('/readyz');
await until(async () => (await server.metric('nq_http_requests_total', { route: '/readyz' })) > 0, 'all is counted');
const exposition = (await server.admin('/metrics')).text;
const families = parse(exposition);
const worker = await startWorker({ after }, 'nats:nats://127.0.0.1:1'); // whose broker is away
const workerExposition = await (await worker.admin('/metrics')).text();
const samples = families.flatMap((family) => family.samples);
const everybodys = [...samples, ...parse(workerExposition).flatMap((family) => family.samples)];
// What the blackbox exporter says of the broker's servers, with the label that prometheus.yml gives them.
const broker = Object.keys(load(text('prometheus/prometheus.yml')).scrape_configs.find(({ job_name: job }) => job === 'nats').static_configs[0].labels);
const probes = ['probe_success', 'probe_ssl_earliest_cert_expiry'].map((name) => ({ name, labels: Object.fromEntries(broker.map((label) => [label, 'nqueensd'])) }));
const metricsOf = (expr) => [...new Set([...expr.matchAll(/\b((?:nq|process|probe)_[a-z_]+|up)\b/g)].map(([, name]) => name))];

test('/metrics follows the exposition format and the rules for names', () => {
  assert.ok(families.length > 50 && samples.length > 400);
  const types = Object.fromEntries(families.map(({ name, type }) => [name, type]));
  assert.equal(types.nq_http_request_duration_seconds, 'histogram');
  assert.equal(types.nq_store_write_duration_seconds, 'summary');
  assert.equal(types.nq_build_info, 'gauge');
});

test('the parser of the format finds violations', () => {
  const good = '# HELP a_total Some.\n# TYPE a_total counter\na_total{b="c"} 1\n';
  parse(good);
  for (const bad of [
    good.slice(0, -1),
    good.replace('# TYPE a_total counter\n', ''),
    good.replace('counter', 'gauge'),
    good.replace('Some.', 'some'),
    good.replaceAll('a_total', 'a_ms_total'),
    good.replace('} 1', '} -1'),
    good.replace('} 1', '} one'),
    good.replace('"c"', '"c'),
    good.replace('b="c"', 'b="c",'),
    good.replace('b="c"', 'b="c",b="d"'),
    `${good}a_total{b="c"} 2\n`,
    `${good}# HELP b_total Others.\n# TYPE b_total counter\na_total{b="d"} 2\n`,
    good + good,
    '# HELP a_seconds Some.\n# TYPE a_seconds histogram\na_seconds_bucket{le="1"} 2\na_seconds_bucket{le="+Inf"} 1\na_seconds_sum 1\na_seconds_count 1\n',
    '# HELP a_seconds Some.\n# TYPE a_seconds histogram\na_seconds_bucket{le="1"} 1\na_seconds_sum 1\na_seconds_count 1\n',
  ])
    assert.throws(() => parse(bad), bad);
});

test('the metrics are exactly those of the contract', () => {
  const named = [...document.paths['/metrics'].get.description.matchAll(/`((?:nq|process)_[a-z_]+)`/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), families.map(({ name }) => name).sort());
});

test('the number of series stays small under any requests', async () => {
  assert.ok(exposition.length < 72 << 10, `${exposition.length} bytes`);
  for (let i = 0; i < 50; i++) await server.get(`/no-such-${i}?n=${i}`);
  const later = parse((await server.admin('/metrics')).text).flatMap((family) => family.samples);
  assert.ok(later.length - samples.length <= 2, `${later.length - samples.length} more series`); // one for 404, one for this scrape
});

test('alerts and dashboard use only existing metrics and labels', () => {
  const known = new Set(['up', ...probes.map(({ name }) => name), ...everybodys.map(({ name }) => name)]);
  for (const [who, expr] of queries) {
    const names = metricsOf(expr);
    assert.ok(names.length > 0, `${who}: ${expr}`);
    for (const name of names) assert.ok(known.has(name), `${who}: no metric ${name}`);
    for (const [, name, matchers] of expr.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)) {
      const labels = [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label);
      const own = new Set(['instance', ...[...everybodys, ...probes].filter((sample) => sample.name === name).flatMap((sample) => Object.keys(sample.labels))]);
      for (const label of labels) assert.ok(own.has(label), `${who}: ${name} has no label ${label}`); // nor a job: that is as one scrapes
    }
    for (const [, list] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(/,\s*/).filter(Boolean))
        assert.ok(['instance', 'job', 'le'].includes(label) || everybodys.some((sample) => names.includes(sample.name) && label in sample.labels), `${who}: by ${label}`);
  }
});

test('alerts use only existing routes, and every one has a runbook', () => {
  const routes = new Set(samples.map((sample) => sample.labels.route));
  for (const { alert, expr, labels, annotations } of rules) {
    for (const [, list] of expr.matchAll(/route[=!]~"([^"]*)"/g))
      for (const route of list.split('|')) assert.ok(routes.has(route), `${alert}: ${route}`);
    assert.match(alert, /^Nqueensd[A-Z]/);
    assert.ok(['critical', 'warning'].includes(labels.severity), alert);
    const whose = /^absent\(/.test(expr) || annotations.summary.includes(/\bby \(job\)/.test(expr) ? '$labels.job' : '$labels.instance');
    assert.ok(whose && annotations.runbook.length > 60, alert);
  }
  const flags = execFileSync(binary, ['--help'], { encoding: 'utf8' });
  for (const [flag] of text('prometheus/rules.yaml').matchAll(/--[a-z-]+/g)) assert.ok(flags.includes(`${flag} `), flag);
});

// Their durations are the client's: it reads a stream as slowly as it likes, and with Prefer waits as long as it likes.
test('the alert for slow routes leaves out those that stream or wait, and no others', () => {
  const patient = ({ operation: { responses }, parameters }) =>
    parameters.some(({ name }) => name === 'Prefer') || Object.keys(responses['200'].content).some((type) => /ndjson|event-stream/.test(type));
  const paths = operations.filter(patient).map(({ path }) => path);
  const [, list] = rules.find(({ alert }) => alert === 'NqueensdSlow').expr.match(/route!~"([^"]*)"/);
  assert.deepEqual(list.split('|').sort(), ['none', ...new Set(paths)].sort()); // none: mostly requests that arrived slowly
});

test('every alert fires on its failure and not on a normal day', () => {
  // One trial may be of several alerts: "A|B".
  const asked = trials.flatMap(({ input_series: series, promql_expr_test: [{ expr, exp_samples: fires }] }) =>
    expr.match(/ALERTS\{alertname=~?"([\w|]+)", alertstate="firing"\}/)[1].split('|').map((alert) => ({
      alert,
      fires: fires.length > 0,
      names: series.map(({ series: name }) => name.match(/^\w+/)[0]),
    })),
  );
  for (const { alert, expr } of rules)
    for (const fires of [true, false]) {
      const trial = asked.filter((one) => one.alert === alert && one.fires === fires);
      assert.ok(trial.length > 0, `${alert} ${fires ? 'fires' : 'is quiet'}`);
      const names = trial.flatMap((one) => one.names);
      for (const name of metricsOf(expr)) assert.ok(names.includes(name), `${alert}: tried without ${name}`);
    }
  assert.equal(new Set(asked.map(({ alert }) => alert)).size, rules.length);
});

test('the dashboard: panels do not overlap, each with a unit, a source and a unique title', () => {
  const taken = new Set();
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  assert.equal(new Set(dashboard.panels.map(({ title }) => title)).size, dashboard.panels.length);
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!taken.has(`${x},${y}`), `${title} lies on another panel`);
        taken.add(`${x},${y}`);
      }
  }
  for (const { title, type, datasource, fieldConfig, targets } of panels) {
    assert.ok(['timeseries', 'stat'].includes(type), title);
    assert.equal(datasource.uid, '${datasource}', title);
    assert.ok(fieldConfig.defaults.unit, title);
    assert.deepEqual(targets.map(({ refId }) => refId), targets.map((_, i) => String.fromCharCode(65 + i)), title);
  }
});

// A probe that gets 503 while the service stops is no failed request, above the line or below it.
test('a share of errors counts the same routes above and below the line', () => {
  const shares = queries.filter(([, expr]) => expr.includes('code=~"5..') && expr.replaceAll(/"[^"]*"/g, '').includes('/'));
  assert.deepEqual(shares.map(([who]) => who), ['NqueensdErrors', 'NqueensdErrorsLinger', 'Errors']);
  for (const [who, expr] of shares)
    for (const [, matchers] of expr.matchAll(/nq_http_requests_total\{([^}]*)\}/g)) assert.ok(matchers.includes('route!~"/healthz|/readyz|/metrics"'), `${who}: ${matchers}`);
});

test('the core-seconds left grow with a count, fall while it runs, and are 0 afterwards', async () => {
  const left = () => server.metric('nq_lengthy_core_seconds_left');
  assert.equal(await left(), 0);
  const job = await server.begin(long); // of many small units
  let first;
  await until(async () => (first = await left()) > 1, 'it is told');
  assert.ok(first < 3600, `${first} s`);
  await until(async () => (await left()) < first, 'it falls', 120); // when nobody else wants the processors
  assert.equal(await server.metric('nq_jobs_active'), 1);
  await server.delete(`/jobs/${job.id}`);
  await until(async () => (await left()) === 0, 'nothing is left');
});

test('promtool accepts the rules', () => {
  const judge = (argv, input) => {
    const { status, stdout, stderr } = spawnSync('promtool', argv, { input, cwd: path.join(docker, 'prometheus'), encoding: 'utf8' });
    assert.deepEqual([status, input === undefined ? '' : stdout + stderr], [0, ''], stdout + stderr);
  };
  for (const told of [exposition, workerExposition]) judge(['check', 'metrics'], told);
  judge(['check', 'config', 'prometheus.yml']);
  judge(['check', 'rules', 'rules.yaml']);
  judge(['test', 'rules', 'rules.test.yaml']);
  const folder = temporaryFolder();
  if (longer) { // once more, as pods are scraped by their annotations
    copyFileSync(path.join(docker, 'prometheus/rules.yaml'), path.join(folder, 'rules.yaml'));
    writeFileSync(path.join(folder, 'pods.yaml'), text('prometheus/rules.test.yaml').replaceAll(/job="nqueensd(-worker)?"/g, 'job="kubernetes-pods"'));
    judge(['test', 'rules', path.join(folder, 'pods.yaml')]);
  }
  const every = path.join(folder, 'queries.yaml'); // as rules: so it reads all of them
  const records = queries.filter(([, expr]) => !expr.startsWith('label_values')).map(([, expr], i) => ({ record: `q:${i}`, expr }));
  writeFileSync(every, JSON.stringify({ groups: [{ name: 'queries', rules: records }] }));
  judge(['check', 'rules', every]);
});
