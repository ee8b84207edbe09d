#!/usr/bin/env bash
# How long one client waits while another, from another address, has as many long counts under way as it may: the median and the
# 99th percentile of what one connection sees of a cached answer, in turns with an idle service; then what a third client waits for
# questions of some tenths of a core-second, alone and beside a job of n = 24. Usage: tests/bench/fair.sh [rounds] [seconds a round]
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

lengthy() { # lengthy WORDS FROM: the median of five questions of each kind, in milliseconds, each another one
    local kind
    for kind in 'hint?n=16&place=2:' 'count?n=16&exclude=2:' 'count?n=14&by=square&exclude=3:' 'count?n=17&place=2:'; do
        for i in $(seq 5); do
            curl -s -o /dev/null -w '%{time_total}\n' --interface 127.0.0.3 "$url/$kind$(($2 + i))"
        done | sort -n | sed -n 3p | while read -r seconds; do echo "$1, /$kind..: $seconds s"; done
    done
}

lengthy 'alone' 0
job=$(curl -s -H 'Content-Type: application/json' -d '{"kind":"count","n":24}' "$url/jobs" | sed 's/.*"self":"\([^"]*\)".*/\1/')
sleep 1
lengthy 'beside a job of n = 24' 5
curl -s -o /dev/null -X DELETE "$url$job"
