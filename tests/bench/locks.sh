#!/usr/bin/env bash
# What the threads of one count share: for each lock that is taken often how many times it is taken for a unit, how often another thread
# has it then, and how long it is held; and from these what a thread would wait for at 64 threads that have a processor each. It does
# not matter that this machine has fewer. Usage: tests/bench/locks.sh [threads] [body of a job]; docs/scale.md explains the figures.
set -eu
cd "$(dirname "$0")/../.."
threads=${1:-16} job=${2:-'{"kind":"count","n":18,"exclude":"1:1"}'}
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
gcc -O2 -std=gnu11 -D_GNU_SOURCE -shared -fPIC -o "$dir/locks.so" tests/bench/locks.c
LD_PRELOAD=$dir/locks.so LOCKS=$dir/locks build/nqueensd serve --listen 127.0.0.1:0 --admin off --threads "$threads" \
    --store "sqlite:$dir/store.db" --log json 2>"$dir/log" & server=$!
until grep -qs listening "$dir/log"; do sleep 0.05; done
url=$(sed -n 's/.*"address":"\(127.0.0.1:[0-9]*\)".*/\1/p' "$dir/log" | head -n 1)
events=$(curl -s -H 'Content-Type: application/json' -d "$job" "$url/jobs" | sed 's/.*"events":"\([^"]*\)".*/\1/')
curl -sN "$url$events" >"$dir/events" # until it is over
units=$(grep -o '"total":[0-9]*' "$dir/events" | tail -n 1 | cut -d: -f2)
ticks=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
kill "$server"; wait "$server" 2>/dev/null || true
unit_ns=$(awk -v ticks="$ticks" -v hertz="$(getconf CLK_TCK)" -v units="$units" 'BEGIN { printf "%d", ticks / hertz / units * 1e9 }')
echo "$units units of $((unit_ns / 1000)) microseconds, $threads threads"
# A queue before the lock, with arrivals at random and holds of random length (M/M/1): w = h * r / (1 - r), r = 64 * holds / unit.
while read -r program at taken contended held long; do
    [ "${program##*/}" = nqueensd ] || continue
    where=$(addr2line -e "$program" "$at") where=${where##*/src/}
    awk -v where="${where%% *}" -v taken="$taken" -v contended="$contended" -v held="$held" -v long="$long" -v units="$units" -v unit="$unit_ns" 'BEGIN {
        each = taken / units; busy = 64 * each * held / unit; waits = each * held * busy / (1 - busy)
        printf "%-40s %.2f times a unit, %.2f %% contended, held for %.0f ns (%d times longer than 50000); with 64 threads busy for %.1f %%, waits %.4f %% of a unit\n",
            where, each, 100 * contended / taken, held, long, 100 * busy, 100 * waits / unit }'
done <"$dir/locks"
