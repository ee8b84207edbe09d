#!/bin/sh
# rule.sh: prints rules.yaml as an object for the Prometheus operator. docker/k8s-monitoring/prometheusrule.yaml is what it printed last
# (`docker/prometheus/rule.sh >docker/k8s-monitoring/prometheusrule.yaml`); tests/containers.test.js compares the two.
set -eu
cat <<HEAD
# Made from docker/prometheus/rules.yaml by docker/prometheus/rule.sh: change the alerts there. If your Prometheus selects rules by a
# label, add it by a patch.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: nqueensd
  labels: {app.kubernetes.io/name: nqueensd}
spec:
HEAD
sed '/^#/d; s/^\(.\)/  \1/' "$(dirname "$0")/rules.yaml"
