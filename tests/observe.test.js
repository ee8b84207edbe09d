// What an operator sees from outside agrees with what the server says: /metrics keeps to the format, and whatever the alerts and the
// dashboard in docker/ name is there. NQ_LONG=1 wants promtool, and lets it judge, too; where there is one it does anyway.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { document } from './http/contract.js';
import { parse } from './http/exposition.js';
import { binary, start, temporaryFolder, until } from './http/harness.js';

const docker = fileURLToPath(new URL('../docker/', import.meta.url));
const text = (name) => readFileSync(path.join(docker, name), 'utf8');
const rules = load(text('prometheus/rules.yaml')).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(text('grafana/dashboard.json'));
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const filled = (expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+');
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, filled(expr)])),
  ...dashboard.annotations.list.map(({ name, expr }) => [name, filled(expr)]),
  ...dashboard.templating.list.filter(({ type }) => type === 'query').map(({ name, definition }) => [name, definition]),
];
const promtool = spawnSync('promtool', ['--version']).status === 0;
const skip = !promtool && !process.env.NQ_LONG && 'promtool is not here';

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
const samples = families.flatMap((family) => family.samples);

test('what /metrics says keeps to the format and to the rules for names', () => {
  assert.ok(families.length > 50 && samples.length > 400);
  const types = Object.fromEntries(families.map(({ name, type }) => [name, type]));
  assert.equal(types.nq_http_request_duration_seconds, 'histogram');
  assert.equal(types.nq_store_write_duration_seconds, 'summary');
  assert.equal(types.nq_build_info, 'gauge');
});

test('the reader of the format would see if it did not', () => {
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

test('every metric is one the contract names, and the other way round', () => {
  const named = [...document.paths['/metrics'].get.description.matchAll(/`((?:nq|process)_[a-z_]+)`/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), families.map(({ name }) => name).sort());
});

test('a scrape stays small, whoever asks for what', async () => {
  assert.ok(exposition.length < 64 << 10, `${exposition.length} bytes`);
  for (let i = 0; i < 50; i++) await server.get(`/no-such-${i}?n=${i}`);
  const later = parse((await server.admin('/metrics')).text).flatMap((family) => family.samples);
  assert.ok(later.length - samples.length <= 2, `${later.length - samples.length} more series`); // one for 404, one for this scrape
});

test('alerts and dashboard name metrics and labels that there are', () => {
  const known = new Set(['up', ...samples.map(({ name }) => name)]);
  for (const [who, expr] of queries) {
    const names = [...expr.matchAll(/\b((?:nq|process)_[a-z_]+|up)\b/g)].map(([, name]) => name);
    assert.ok(names.length > 0, `${who}: ${expr}`);
    for (const name of names) assert.ok(known.has(name), `${who}: no metric ${name}`);
    for (const [, name, matchers] of expr.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)) {
      const labels = [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label);
      assert.ok(labels.includes('job'), `${who}: ${name} of whatever job`);
      const own = new Set(['job', 'instance', ...samples.filter((sample) => sample.name === name).flatMap((sample) => Object.keys(sample.labels))]);
      for (const label of labels) assert.ok(own.has(label), `${who}: ${name} has no label ${label}`);
    }
    for (const [, list] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(/,\s*/))
        assert.ok(['instance', 'job', 'le'].includes(label) || samples.some((sample) => names.includes(sample.name) && label in sample.labels), `${who}: by ${label}`);
  }
});

test('alerts name routes that there are, and say what to do', () => {
  const routes = new Set(samples.map((sample) => sample.labels.route));
  for (const { alert, expr, labels, annotations } of rules) {
    for (const [, list] of expr.matchAll(/route[=!]~"([^"]*)"/g))
      for (const route of list.split('|')) assert.ok(routes.has(route), `${alert}: ${route}`);
    assert.match(alert, /^Nqueensd[A-Z]/);
    assert.ok(['critical', 'warning'].includes(labels.severity), alert);
    assert.ok(annotations.summary.includes('$labels.instance') && annotations.runbook.length > 60, alert);
  }
  const flags = execFileSync(binary, ['--help'], { encoding: 'utf8' });
  for (const [flag] of text('prometheus/rules.yaml').matchAll(/--[a-z-]+/g)) assert.ok(flags.includes(`${flag} `), flag);
  const tried = load(text('prometheus/rules.test.yaml')).tests.at(-1).promql_expr_test[0].exp_samples.map(({ labels }) => labels.match(/"(.*)"/)[1]);
  assert.deepEqual(tried.sort(), rules.map(({ alert }) => alert).sort(), 'every alert is tried out');
});

test('the dashboard: panels side by side, each with a unit, a source and a name of its own', () => {
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

test('promtool finds nothing to complain of', { skip }, () => {
  const judge = (argv, input) => {
    const { status, stdout, stderr } = spawnSync('promtool', argv, { input, cwd: path.join(docker, 'prometheus'), encoding: 'utf8' });
    assert.deepEqual([status, input === undefined ? '' : stdout + stderr], [0, ''], stdout + stderr);
  };
  judge(['check', 'metrics'], exposition);
  judge(['check', 'config', 'prometheus.yml']);
  judge(['check', 'rules', 'rules.yaml']);
  judge(['test', 'rules', 'rules.test.yaml']);
  const every = path.join(temporaryFolder(), 'queries.yaml'); // as rules: so it reads all of them
  const records = queries.filter(([, expr]) => !expr.startsWith('label_values')).map(([, expr], i) => ({ record: `q:${i}`, expr }));
  writeFileSync(every, JSON.stringify({ groups: [{ name: 'queries', rules: records }] }));
  judge(['check', 'rules', every]);
});
