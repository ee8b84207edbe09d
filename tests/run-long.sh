#!/usr/bin/env bash
# What takes longer than CI has: every fuzz target under libFuzzer for a while (FUZZ_SECONDS, 60 by default), random sequences of
# requests against a model, all of tests/unit and tests/http on the plain build and jobs, streams and slow clients under the thread
# sanitizer, the explorer at every width, counts of larger boards, a million random units for every kernel, every fault more often
# and in more ways, every attack of tests/hostile at full length (a million requests out of its fuzzer, an hour of every route;
# FUZZ_REQUESTS, SOAK_SECONDS), promtool on metrics and alerts, the deep lint, the image (docker/try.sh, which wants root), the
# cost of a cached answer, and how long it takes beside a greedy client. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL # a make of its own, whichever runs this
seconds=${FUZZ_SECONDS:-60}
passed=0 failed=0
mkdir -p build-fuzz

check() { # check NAME COMMAND...
    local name=$1; shift
    if "$@" >"build-fuzz/$name.log" 2>&1; then
        passed=$((passed + 1)); echo "passed  $name: $(tail -n 1 "build-fuzz/$name.log")"
    else
        failed=$((failed + 1)); echo "FAILED  $name"; tail -n 40 "build-fuzz/$name.log"
    fi
}

# What it finds stays in build-fuzz; what is worth keeping goes into tests/fuzz/corpus by hand, with the mend.
fuzz() { # fuzz NAME
    local options=(-max_total_time="$seconds" -timeout=60 -print_final_stats=1 -artifact_prefix="build-fuzz/$1-")
    [ ! -f "tests/fuzz/$1.dict" ] || options+=(-dict="tests/fuzz/$1.dict")
    [ "$1" != http ] || options+=(-close_fd_mask=2) # the server's log
    mkdir -p "build-fuzz/corpus-$1"
    "build-fuzz/fuzz/fuzz_$1" "${options[@]}" "build-fuzz/corpus-$1" "tests/fuzz/corpus/$1"
}

make --no-print-directory all || exit 1
make --no-print-directory SAN=address all || exit 1
make --no-print-directory CC=clang SAN=fuzz fuzzers || exit 1
for target in tests/fuzz/fuzz_*.c; do
    name=${target##*/fuzz_}
    check "fuzz-${name%.c}" fuzz "${name%.c}"
done
check faults sh -c 'make --no-print-directory faults && NQ_LONG=1 node --test tests/faults/*.test.js'
check build-address make --no-print-directory SAN=address all
check faults-address env NQUEENSD=build-address/nqueensd NQ_SLOW=1 node --test tests/faults/disk.test.js tests/faults/kill.test.js tests/faults/slice.test.js
check hostile-address env NQUEENSD=build-address/nqueensd NQ_SLOW=1 FUZZ_REQUESTS=200000 FUZZ_SEED=2 node --test --test-concurrency=2 tests/hostile/*.test.js
check build-thread make --no-print-directory SAN=thread all
check http-thread env NQUEENSD=build-thread/nqueensd NQ_SLOW=1 TSAN_OPTIONS="suppressions=$PWD/tests/thread-sanitizer.txt" node --test tests/http/{jobs,slow,stream}.test.js
check http node --test tests/http/*.test.js
check web env NQ_LONG=1 node --test tests/web/*.test.js
check model env NQ_LONG=1 NQ_MINUTES=10 node --test tests/http/model.test.js
check unit-long env NQ_LONG=1 sh -c 'make --no-print-directory unit && for test in build/tests/test_*; do "$test" || exit 1; done'
check tidy env TIDY_MODE=deep tests/run.sh tidy
check promtool env NQ_LONG=1 node --test tests/observe.test.js
check nats-address env NQUEENSD=build-address/nqueensd NQ_SLOW=1 node --test --test-concurrency=2 --test-reporter=tap tests/nats/replicas.test.js tests/nats/workers.test.js
check chaos env NQ_CHAOS_N=21 NQ_CHAOS_KILLS=30 node --test --test-reporter=tap tests/nats/long/chaos.test.js
check shares env NQ_SHARES_ROUNDS=10 node --test --test-reporter=tap tests/nats/long/shares.test.js
for attack in dropped fair flood fuzz slow smuggling soak; do
    check "hostile-$attack" env NQ_LONG=1 node --test --test-reporter=tap "tests/hostile/$attack.test.js"
    grep -h '^# polite\|^# resident\|^# .*requests' "build-fuzz/hostile-$attack.log" # figures to read
done
check container docker/try.sh
for figures in cached fair; do # to read, not a test
    "tests/bench/$figures.sh" || failed=$((failed + 1))
done
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
