#!/usr/bin/env bash
# How long a count takes that workers share, in processes of their own, and what the formula of docs/scale.md predicts: for each
# number of workers, of one thread each. Units are sampled anew before each run, for processors are not always equally fast; a broker,
# a server and workers are started anew, so that nothing is stored. A row has, in seconds, the prediction, the measurement and their
# ratio; the same of the CPU time of the workers, which other processes leave alone; and the shares of all processors' time that the
# hypervisor and other processes took meanwhile: where these are more than a few percent, the former ratio says little.
# Usage: [ROUNDS=1] [SAMPLE=60] tests/bench/workers.sh [n] [workers...]
set -eu
cd "$(dirname "$0")/../.."
n=${1:-20}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1 2 4
dir=$(mktemp -d)
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
ticks=$(getconf CLK_TCK) processors=$(getconf _NPROCESSORS_ONLN)

stop() { # ends what was started, by its ids
    local ids
    ids=$(jobs -p)
    [ -z "$ids" ] || kill $ids 2>/dev/null || true
    wait
}

until_has() { # until_has FILE [WORD]: it is there, and has it
    for _ in $(seq 400); do ! grep -qs "${2:-.}" "$1" || return 0; sleep 0.05; done
    echo "workers.sh: $1 does not have ${2:-anything}" >&2
    exit 1
}

begin() { # begin WORKERS: sets url, and the ids of all (ours) and of the workers
    local at broker
    at=$(mktemp -d "$dir/XXXXXX")
    nats-server -js -sd "$at/jetstream" -a 127.0.0.1 -p -1 --ports_file_dir "$at" >"$at/broker.log" 2>&1 &
    ours=$! workers=
    until_has "$at/nats-server_$!.ports"
    broker=$(jq -r '.nats[0]' "$at/nats-server_$!.ports")
    build/nqueensd serve --listen 127.0.0.1:0 --admin off --store "$broker" --log json 2>"$at/server.log" &
    ours="$ours $!"
    until_has "$at/server.log" listening
    url=http://$(sed -n 's/.*"address":"\(127.0.0.1:[0-9]*\)".*/\1/p' "$at/server.log" | head -n 1)
    for worker in $(seq "$1"); do
        build/nqueensd worker --store "$broker" --threads 1 --admin off >"$at/worker$worker.log" 2>&1 &
        workers="$workers $!"
    done
    for worker in $(seq "$1"); do until_has "$at/worker$worker.log" working; done
    sleep 3 # for them to be known, and the broker to be done
}

had() { # had IDS...: seconds of processors that these processes have had
    local id
    for id; do sed 's/.*) //' "/proc/$id/stat"; done | awk -v ticks="$ticks" '{ sum += $12 + $13 } END { print sum / ticks }'
}

all_had() { # seconds of all processors that the hypervisor took, and that processes and the system had
    awk -v ticks="$ticks" '/^cpu / { print $9 / ticks, ($2 + $3 + $4 + $7 + $8) / ticks }' /proc/stat
}

count() { # from posting the job until its end is received: sets what it ended in, and the seconds
    local id
    id=$(curl -sf -H 'Content-Type: application/json' -d "{\"kind\":\"count\",\"n\":$n}" "$url/jobs" | jq -r .id)
    state=$(curl -sfN "$url/jobs/$id/events" | sed -n 's/^data: //p' | tail -n 1 | jq -r .state)
}

predict() { # predict WORKERS: seconds, and CPU seconds of the workers. The longest unit has a 20000th of the total, or 40 ms
    local busy=$(($1 < processors ? $1 : processors))
    build/nqueensd bench join --n "$n" --threads "$busy" --sample "${SAMPLE:-60}" --format json |
        jq -r ".core_seconds.estimate as \$work | ([\$work / 20000, 0.04] | max) as \$unit | (\$work + $1 * .prepare_seconds) as \$cpu |
            \"\(\$cpu / $busy + 1 + 2 * \$unit) \(\$cpu)\""
}

run() { # run WORKERS: predicts and measures
    local predicted start stolen all mine own
    predicted=$(predict "$1")
    begin "$1"
    own=$(had $workers) mine=$(had $ours $workers)
    read -r stolen all < <(all_had)
    start=$EPOCHREALTIME
    count
    echo "$1 $predicted $start $EPOCHREALTIME $own $(had $workers) $mine $(had $ours $workers) $stolen $all $(all_had)" |
        awk -v processors="$processors" '{
            wall = $5 - $4; share = 100 / processors / wall
            printf "%-8s %10.2f %10.2f %7.3f %10.2f %10.2f %7.3f %7.1f%% %7.1f%%\n", $1, $2, wall, $2 / wall, $3,
                $7 - $6, $3 / ($7 - $6), share * ($12 - $10), share * ($13 - $11 - ($9 - $8)) }'
    [ "$state" = done ] || { echo "workers.sh: the job is $state" >&2; exit 1; }
    stop
}

printf '%-8s %10s %10s %7s %10s %10s %7s %8s %8s\n' workers predicted measured ratio 'CPU pred.' measured ratio stolen others
for _ in $(seq "${ROUNDS:-1}"); do
    for workers_wanted; do run "$workers_wanted"; done
done
