#!/usr/bin/env bash
# How long a count takes that workers share, in processes of their own, beside what `nqueensd bench crew` says it would: for
# each number of workers, of one thread each. A broker, a server and workers are started anew for each, so that nothing is
# stored. More workers than processors get less than one each, which the model does not know.
# Usage: tests/bench/crew.sh [n] [workers...]
set -eu
cd "$(dirname "$0")/../.."
n=${1:-20}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1 2 4
dir=$(mktemp -d)
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

stop() { # ends what was started, by its ids
    local ids
    ids=$(jobs -p)
    [ -z "$ids" ] || kill $ids 2>/dev/null || true
    wait
}

until_ready() { # until_ready FILE: it is there and has something
    for _ in $(seq 200); do [ ! -s "$1" ] || return 0; sleep 0.05; done
    echo "crew.sh: nothing came into $1" >&2
    exit 1
}

now() { date +%s.%N; }

begin() { # begin WORKERS: sets url
    local at=$dir/$1 broker
    mkdir "$at"
    nats-server -js -sd "$at/jetstream" -a 127.0.0.1 -p -1 --ports_file_dir "$at" >"$at/broker.log" 2>&1 &
    local ports="$at/nats-server_$!.ports"
    until_ready "$ports"
    broker=$(jq -r '.nats[0]' "$ports")
    build/nqueensd serve --listen 127.0.0.1:0 --admin off --store "$broker" --log json 2>"$at/server.log" &
    for _ in $(seq 200); do ! grep -qs listening "$at/server.log" || break; sleep 0.05; done
    url=http://$(sed -n 's/.*"address":"\(127.0.0.1:[0-9]*\)".*/\1/p' "$at/server.log" | head -n 1)
    for worker in $(seq "$1"); do build/nqueensd worker --store "$broker" --threads 1 --admin off >"$at/worker$worker.log" 2>&1 & done
    sleep 1 # for them to be known
}

count() { # from posting the job until it is seen to be done: seconds, or the state it ended in
    local start id state
    start=$(now)
    id=$(curl -sf -H 'Content-Type: application/json' -d "{\"kind\":\"count\",\"n\":$n}" "$url/jobs" | jq -r .id)
    while :; do
        state=$(curl -sf "$url/jobs/$id" | jq -r .state)
        case $state in
        queued | running) sleep 0.1 ;;
        done) echo "$(now) - $start" | bc; return ;;
        *) echo "${state:-failed}"; return ;;
        esac
    done
}

told=$(IFS=,; build/nqueensd bench crew --n "$n" --workers "$*" --format json)
printf '%-8s %12s %12s\n' workers told measured
for workers; do
    begin "$workers"
    printf '%-8s %12.2f %12s\n' "$workers" "$(jq ".crews[] | select(.workers == $workers) | .makespan" <<<"$told")" "$(count)"
    stop
done
