#!/usr/bin/env bash
# How long a cached answer takes while every core counts, in turns with an idle service: the median and the 99th percentile
# of what one connection sees, and, for what the machine itself takes away, the same beside as many threads that only spin
# at the lowest priority. Usage: tests/bench/busy.sh [rounds] [seconds a round]
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-3} seconds=${2:-3} target='/count?n=8'
. tests/bench/serving.sh

for round in $(seq "$rounds"); do
    measure 'idle           '
    for n in 20 21; do
        curl -s -H 'Content-Type: application/json' -d "{\"kind\":\"count\",\"n\":$n}" "$url/jobs" >>"$dir/jobs"
        echo >>"$dir/jobs"
    done
    sleep 1
    measure 'all cores count'
    sed -n 's/^{"id":"\([^"]*\)".*/\1/p' "$dir/jobs" | while read -r id; do curl -s -X DELETE "$url/jobs/$id" >/dev/null; done
    for core in $(seq "$(nproc)"); do chrt --idle 0 sh -c 'while :; do :; done' & echo $! >>"$dir/spinners"; done
    measure 'all cores spin '
    xargs kill <"$dir/spinners"; rm "$dir/spinners"
done
