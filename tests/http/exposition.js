// exposition.js - reads what /metrics says as strictly as it can be read: the text format of Prometheus, 0.0.4, and its rules for
// names. It knows no server. https://prometheus.io/docs/instrumenting/exposition_formats, .../practices/naming
import assert from 'node:assert/strict';

const NAME = '[a-zA-Z_][a-zA-Z0-9_]*';
const VALUE = '[+-]?(?:Inf|[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?)|NaN';
const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['_sum', '_count'], counter: [''], gauge: [''] };

function readLabels(text) {
  const labels = {};
  let rest = text;
  while (rest) {
    const [whole, name, value] = rest.match(new RegExp(`^(${NAME})="((?:[^"\\\\\n]|\\\\["\\\\n])*)"(?:,(?=.)|$)`)) ?? assert.fail(`labels: ${text}`);
    assert.ok(!(name in labels), `label ${name} twice: ${text}`);
    assert.ok(!name.startsWith('__'), text);
    labels[name] = value;
    rest = rest.slice(whole.length);
  }
  return labels;
}

const number = (text) => Number(text.replace('Inf', 'Infinity'));

// What promtool check metrics complains of, and what a name must not be by the naming rules.
function checkName({ name, type, help }) {
  assert.match(name, /^[a-z][a-z0-9_]*$/, name);
  assert.match(help, /^[A-Z0-9].*[.]$/, `${name}: ${help}`);
  assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
  assert.doesNotMatch(name, /_(count|sum|bucket)$/, name);
  assert.doesNotMatch(name, /__|_$|(^|_)(counter|gauge|histogram|summary)(_|$)/, name);
  assert.doesNotMatch(name, /(^|_)(ms|milliseconds|microseconds|nanoseconds|minutes|hours|kilobytes|kb|megabytes|mb|bits|percent)(_|$)/, name);
}

function checkBuckets(family, labels, samples) {
  const of = (suffix) => samples.filter((sample) => sample.name === family.name + suffix);
  const buckets = of('_bucket');
  assert.equal(buckets.at(-1)?.labels.le, '+Inf', `${family.name} ${labels}`);
  buckets.slice(1).forEach(({ labels: { le }, value }, i) => {
    assert.ok(number(le) > number(buckets[i].labels.le), `${family.name} ${labels}: le=${le}`);
    assert.ok(value >= buckets[i].value, `${family.name} ${labels}: le=${le}`);
  });
  assert.equal(of('_count')[0]?.value, buckets.at(-1).value, `${family.name} ${labels}`);
  assert.equal(of('_sum').length, 1, `${family.name} ${labels}`);
}

function checkFamily(family) {
  checkName(family);
  assert.ok(family.samples.length > 0 || family.name === 'nq_http_requests_total', `${family.name} has no samples`);
  const groups = new Map();
  for (const sample of family.samples) {
    const { le, ...others } = sample.labels;
    assert.equal(le !== undefined, sample.name === `${family.name}_bucket`, `${sample.name} and le`);
    assert.ok(family.type === 'gauge' || sample.value >= 0, `${sample.name} is ${sample.value}`);
    const key = JSON.stringify(others);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  if (family.type === 'histogram') groups.forEach((samples, labels) => checkBuckets(family, labels, samples));
}

// The families of an exposition, [{name, type, help, samples: [{name, labels, value}]}]. Fails where anything is not as it should be.
export function parse(text) {
  const families = [];
  const seen = new Set();
  assert.ok(text.endsWith('\n'));
  for (const line of text.slice(0, -1).split('\n')) {
    const [, help, said] = line.match(new RegExp(`^# HELP (${NAME}) (.+)$`)) ?? [];
    const [, typed, type] = line.match(new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`)) ?? [];
    const family = families.at(-1);
    if (help) {
      assert.ok(!families.some(({ name }) => name === help), `${help} is told of twice, or in two places`);
      assert.ok(!family || family.type, `${family?.name} has no type`);
      families.push({ name: help, help: said, samples: [] });
    } else if (typed) {
      assert.equal(typed, family?.name, line);
      assert.ok(!family.type && family.samples.length === 0, line);
      family.type = type;
    } else {
      const [, name, labels, value] = line.match(new RegExp(`^(${NAME})(?:\\{(.*)\\})? (${VALUE})$`)) ?? assert.fail(`line: ${line}`);
      assert.ok(family?.type && suffixes[family.type].some((suffix) => name === family.name + suffix), `out of place: ${line}`);
      const series = `${name}{${labels ?? ''}}`;
      assert.ok(!seen.has(series), `twice: ${series}`);
      seen.add(series);
      family.samples.push({ name, labels: readLabels(labels ?? ''), value: number(value) });
    }
  }
  families.forEach(checkFamily);
  return families;
}
