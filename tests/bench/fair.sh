#!/usr/bin/env bash
# How long one client waits while another, from another address, has as many long counts under way as it may: the median and the
# 99th percentile of what one connection sees of a cached answer, in turns with an idle service. Usage: tests/bench/fair.sh
# [rounds] [seconds a round]
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-3} seconds=${2:-3} target='/solve?n=8'
. tests/bench/serving.sh

greedy() { # greedy ROUND: counts of n = 18 without end, each another; when one is answered the next begins
    seq 1 100000 | xargs -P100 -I{} sh -c 'curl -s -o /dev/null --interface 127.0.0.2 \
        "$1/count?n=18&method=compute&exclude=1:1,2:$(({} % 18 + 1)),3:$(({} / 18 % 18 + 1)),4:$(({} / 324 % 18 + 1)),18:$2"' greedy "$url" "$1"
}

for round in $(seq "$rounds"); do
    measure 'idle                    '
    setsid bash -c "$(declare -f greedy); url=$url; greedy $round" & busy=$!
    sleep 1
    measure 'another counts, at first'
    sleep 3
    measure 'another counts, later   '
    kill -- -"$busy"; wait "$busy" 2>/dev/null || true
done
