#!/usr/bin/env bash
# How long a cached answer takes while every core counts: two long jobs run, wrk asks by one connection and by eight, in
# turns with an idle service. wrk itself needs a core now and then. Usage: tests/bench/busy.sh [rounds] [seconds a round]
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-3} seconds=${2:-3}
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
build/nqueensd serve --listen 127.0.0.1:0 --admin off --store memory --log json 2>"$dir/log" &
until grep -qs listening "$dir/log"; do sleep 0.05; done
url=http://127.0.0.1:$(sed -n 's/.*"address":"127.0.0.1:\([0-9]*\)".*/\1/p' "$dir/log" | head -n 1)

measure() { # measure WHAT
    for connections in 1 8; do
        wrk -t1 -c$connections -d"${seconds}s" --latency "$url/count?n=8" |
            awk -v what="$1" -v c=$connections '/ 50%/ { half = $2 } / 99%/ { most = $2 }
                END { printf "%s, %d at once: half within %s, 99 %% within %s\n", what, c, half, most }'
    done
}

for round in $(seq "$rounds"); do
    measure idle
    for n in 20 21; do
        curl -s -H 'Content-Type: application/json' -d "{\"kind\":\"count\",\"n\":$n}" "$url/jobs" >>"$dir/jobs"
        echo >>"$dir/jobs"
    done
    sleep 1
    measure 'all cores count'
    sed -n 's/^{"id":"\([^"]*\)".*/\1/p' "$dir/jobs" | while read -r id; do curl -s -X DELETE "$url/jobs/$id" >/dev/null; done
done
