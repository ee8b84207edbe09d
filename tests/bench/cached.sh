#!/usr/bin/env bash
# What a cached answer costs: CPU time per request of the service against a bare libmicrohttpd daemon that returns the same
# bytes, header fields included, in turns, as the median of several rounds. Usage: tests/bench/cached.sh [rounds] [seconds a round]
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-5} seconds=${2:-2} target='/count?n=8'
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT

gcc -O2 -o "$dir/bare" tests/bench/bare.c $(pkg-config --cflags --libs libmicrohttpd)
build/nqueensd serve --listen 127.0.0.1:0 --admin off --log json 2>"$dir/log" &
service=$!
until grep -qs listening "$dir/log"; do sleep 0.05; done
service_port=$(sed -n 's/.*"address":"127.0.0.1:\([0-9]*\)".*/\1/p' "$dir/log" | head -n 1)
curl -s "http://127.0.0.1:$service_port$target" >/dev/null
curl -s -D "$dir/all" -o "$dir/body" "http://127.0.0.1:$service_port$target"
grep ': ' "$dir/all" | grep -viE '^(date|content-length):' >"$dir/headers" # those two libmicrohttpd adds itself
mkfifo "$dir/hold" "$dir/port"
"$dir/bare" "$dir/body" "$dir/headers" <"$dir/hold" >"$dir/port" &
bare=$!
exec 3>"$dir/hold"
read -r bare_port <"$dir/port"

ticks() { # CPU time of a process, user and system, in clock ticks
    awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

microseconds() { # microseconds PID PORT: CPU microseconds per request over one round
    local before requests
    before=$(ticks "$1")
    requests=$(wrk -t1 -c64 -d"${seconds}s" "http://127.0.0.1:$2$target" | awk '/requests in/ { print $1 }')
    echo "$(ticks "$1") $before $requests $(getconf CLK_TCK)" | awk '{ printf "%.3f\n", ($1 - $2) / $4 * 1e6 / $3 }'
}

for round in $(seq "$rounds"); do
    a=$(microseconds $bare "$bare_port")
    b=$(microseconds $service "$service_port")
    echo "$a $b" | awk -v round="$round" '{ printf "round %d: bare %.2f us, service %.2f us, ratio %.2f\n", round, $1, $2, $2 / $1 }'
    echo "$a $b" | awk '{ print $2 / $1 }' >>"$dir/ratios"
done
sort -n "$dir/ratios" | awk '{ r[NR] = $1 } END { printf "median ratio %.2f (goal: at most 1.35)\n", NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2 }'
