#!/usr/bin/env bash
# Tests that take too long for CI. Ends with "N passed, N failed".
# - every fuzz target under libFuzzer (FUZZ_SECONDS each, 60 by default) and with more blind mutants, and random sequences of requests compared with a model;
# - all of tests/unit and tests/http on the plain build, with all of their rounds; jobs, streams and slow clients under the thread sanitizer;
# - 500 boards with queens, compared with a SAT solver; the programs of the algorithms for n = 6 to 8;
# - more generators of clients, and a mock, for the contract;
# - the explorer at every width, in Firefox and for Lighthouse; counts of larger boards, a million random units for every kernel, the deep lint;
# - every fault more often and in more ways, and every attack of tests/hostile at full length (a million requests of its fuzzer, an
#   hour of every route: FUZZ_REQUESTS, SOAK_SECONDS);
# - alerts under another job name, and secrets that are rotated while the broker restarts;
# - unit tests, and the service under its clients and brokers, with threads that are late at random (tests/delays.sh);
# - a million runs of the simulated cluster (tests/sim), some thousands under the address sanitizer, and two faults that it must find;
# - the image (docker/try.sh) and the packages (docker/try-deb.sh), which need root; the packages built twice, the same bytes;
# - the CPU time of a cached answer, and its latency beside a greedy client.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL # independent of the make that runs this
export STRICT=1
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

# New inputs stay in build-fuzz. An input that finds a bug goes into tests/fuzz/corpus by hand, with the fix.
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
check http env NQ_LONG=1 NQ_MINUTES=1 node --test tests/http/*.test.js
check web env NQ_LONG=1 node --test tests/web/*.test.js
check firefox node --test --test-reporter=tap tests/web/long/firefox.test.js
check generators sh -c '(cd tests/generators && npm ci --silent) && NQ_LONG=1 node --test --test-reporter=tap tests/generators/generators.test.js'
check mock sh -c '(cd tests/generators/mock && npm ci --silent) && node --test --test-reporter=tap tests/generators/mock/mock.test.js'
check lighthouse sh -c '(cd tests/lighthouse && npm ci --silent) && node --test --test-reporter=tap tests/web/long/lighthouse.test.js'
check model env NQ_LONG=1 NQ_MINUTES=10 node --test tests/http/model.test.js
check unit-long env NQ_LONG=1 sh -c 'make --no-print-directory unit && for room in tests/unit/*/; do room=$(basename "$room"); [ ! -x "build/tests/$room" ] || "build/tests/$room" || exit 1; done'
make --no-print-directory unit faults || exit 1
for seed in 1 2 3 4 5; do
    check "delays-$seed" tests/delays.sh "$seed"
    check "delays-http-$seed" tests/delays.sh "$seed" -- node --test --test-concurrency=4 tests/http/*.test.js tests/nats/*.test.js tests/faults/{clock,disk,kill,signals}.test.js
done
check tidy env TIDY_MODE=deep tests/run.sh tidy # all files
check fuzz-mutants env FUZZ_SECONDS=10 tests/run.sh fuzz-mutants
check mutants tests/mutants.sh 1 300 # hours: it goes on where it was ended
check nats-address env NQUEENSD=build-address/nqueensd NQ_SLOW=1 node --test --test-concurrency=2 --test-reporter=tap tests/nats/replicas.test.js tests/nats/workers.test.js
check simulation sh -c 'make --no-print-directory simulate && build/tests/simulate --seeds 1-1000000'
check simulation-address sh -c 'make --no-print-directory SAN=address simulate && build-address/tests/simulate --seeds 1-10000'
check simulation-mutants tests/sim/mutants.sh
check first-change env NQ_LONG=1 node --test --test-reporter=tap --test-name-pattern='my first change' tests/readme.test.js
check promtool env NQ_LONG=1 node --test --test-reporter=tap tests/observe.test.js
check rotation env NQ_LONG=1 node --test --test-reporter=tap tests/nats/conf.test.js
check chaos env NQ_CHAOS_N=21 NQ_CHAOS_KILLS=30 node --test --test-reporter=tap tests/nats/long/chaos.test.js
check shares env NQ_SHARES_ROUNDS=10 node --test --test-reporter=tap tests/nats/long/shares.test.js
check rolling node --test --test-reporter=tap tests/nats/long/rolling.test.js
for attack in dropped fair flood fuzz slices slow soak turns; do
    check "hostile-$attack" env NQ_LONG=1 node --test --test-reporter=tap "tests/hostile/$attack.test.js"
    grep -h '^# polite\|^# resident\|^# .*requests' "build-fuzz/hostile-$attack.log" # figures to read
done
# Like a fresh clone: only the files under version control, nothing that was built. Not in build-fuzz, where make reads every *.d.
fresh() {
    rm -rf build-container/fresh && mkdir -p build-container/fresh && git ls-files -z | tar -c --null -T - | tar -x -C build-container/fresh && build-container/fresh/docker/try.sh
}
twice() {
    for build in 1 2; do
        rm -rf build-container/twice "build-fuzz/deb-$build" && mkdir -p build-container/twice && git ls-files -z | tar -c --null -T - | tar -x -C build-container/twice || return 1
        SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) make --no-print-directory -C build-container/twice deb DEB="$PWD/build-fuzz/deb-$build" || return 1
    done
    for deb in build-fuzz/deb-1/*.deb; do cmp "$deb" "build-fuzz/deb-2/${deb##*/}" || return 1; done
}
check reproducible twice
check container fresh
check package sh -c 'make --no-print-directory deb && docker/try-deb.sh build/deb'
check containers node --test tests/containers.test.js
for figures in cached fair; do # to read, not a test
    "tests/bench/$figures.sh" || failed=$((failed + 1))
done
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
