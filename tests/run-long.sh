#!/usr/bin/env bash
# What takes longer than CI has: every fuzz target under libFuzzer for a while (FUZZ_SECONDS, 60 by default), random sequences of
# requests against a model, counts of larger boards, a million random units for every kernel, every fault more often and in more
# ways, a soak of opened and dropped searches, promtool on metrics and alerts, the deep lint, the image (docker/try.sh, which wants
# root), and the cost of a cached answer. Ends with "N passed, N failed".
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
make --no-print-directory CC=clang SAN=fuzz fuzzers || exit 1
for target in tests/fuzz/fuzz_*.c; do
    name=${target##*/fuzz_}
    check "fuzz-${name%.c}" fuzz "${name%.c}"
done
check faults sh -c 'make --no-print-directory faults && NQ_LONG=1 node --test tests/faults/*.test.js'
check model env NQ_LONG=1 NQ_MINUTES=10 node --test tests/http/model.test.js
check unit-long env NQ_LONG=1 sh -c 'make --no-print-directory unit && for test in build/tests/test_kernels build/tests/test_count*; do "$test" || exit 1; done'
check tidy env TIDY_MODE=deep tests/run.sh tidy
check soak env NQ_SOAK=1 node --test tests/http/departure.test.js
check promtool env NQ_LONG=1 node --test tests/observe.test.js
check container docker/try.sh
tests/bench/cached.sh || failed=$((failed + 1)) # a figure to read, not a test
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
