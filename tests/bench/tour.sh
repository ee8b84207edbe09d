#!/usr/bin/env bash
# Which functions and files a request crosses on the thread that serves everybody, the second time that it is asked, when its answer
# is in the cache: the house tour that never goes stale. Builds the service in build-tour, where every function notes that it is
# entered. Usage: tests/bench/tour.sh [TARGET]
set -eu
cd "$(dirname "$0")/../.."
target=${1:-/solve?n=8}
make --no-print-directory BUILD=build-tour OPT='-O1 -finstrument-functions' SYMBOLS=-g1 LDFLAGS=-no-pie HARDEN= build-tour/nqueensd >/dev/null
gcc -O2 -shared -fPIC -o build-tour/tour.so tests/bench/tour.c
log=$(mktemp)
trap 'rm -f "$log"' EXIT
LD_PRELOAD=$PWD/build-tour/tour.so build-tour/nqueensd serve --listen 127.0.0.1:0 --admin off --store memory --log json 2>"$log" &
until grep -qs listening "$log"; do sleep 0.05; done
url=http://$(sed -n 's/.*"address":"\(127.0.0.1:[0-9]*\)".*/\1/p' "$log" | head -n 1)
curl -s "$url$target" >/dev/null
kill -URG $!
curl -s "$url$target" >/dev/null
kill -URG $!
kill $!
wait
sed -n 's/^tour //p' "$log" | addr2line -s -f -e build-tour/nqueensd | paste - - | sed 's/:.*//' >"$log.lines" || true
cut -f2 "$log.lines" | sort | uniq -c | sort -rn
echo "$(wc -l <"$log.lines") functions in $(cut -f2 "$log.lines" | sort -u | wc -l) files"
rm -f "$log.lines"
