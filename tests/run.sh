#!/usr/bin/env bash
# Every test that CI runs, on the plain build and on sanitized ones. Each part has a log in build/test-logs; the log of a part that
# fails is shown. Ends with "N passed, N failed". `tests/run.sh unit http` runs only the parts whose names start so.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/test-logs
mkdir -p "$logs"
taken=0

# Runs a command that dies with this shell, in a session of its own: Linux shares the processors among sessions first
# (sched_autogroup), so that threads which step back (nice 10, SCHED_IDLE) do not wait for whatever else the machine does.
session() {
    setpriv --pdeathsig TERM setsid --wait "$@"
}

# Every limit of a wait is multiplied by this; measured again for each part.
patience() {
    NQ_PATIENCE=$(tests/patience.sh)
    export NQ_PATIENCE
}

wanted() { # wanted NAME: is this part to be run?
    [ ${#only[@]} -eq 0 ] && return 0
    for prefix in "${only[@]}"; do case $1 in "$prefix"*) return 0 ;; esac; done
    return 1
}

processor() { # sets $taken: the CPU seconds of everything before in this lane
    local minutes seconds more_minutes more_seconds file=$logs/times-$BASHPID
    times >"$file" # a pipe would run it in a subshell, with times of its own
    IFS=' ms' read -r minutes seconds more_minutes more_seconds < <(tail -n 1 "$file")
    rm "$file"
    taken=$((60 * (minutes + more_minutes) + ${seconds%.*} + ${more_seconds%.*}))
}

report() { # report NAME PASSED FAILED SECONDS
    local before=$taken
    processor
    echo "$2 $3" >>"$logs/results"
    printf '%-24s %5d passed %3d failed %5d s %5d s of CPU\n' "$1" "$2" "$3" "$4" $((taken - before))
    [ "$3" -eq 0 ] || { echo "---- $1"; grep -a -A 30 '^ *not ok' "$logs/$1.log" | head -n 300; grep -a -v '^ *ok' "$logs/$1.log" | tail -n 40; echo "----"; }
}

# check NAME COMMAND...: one test, passed when the command succeeds.
check() {
    local name=$1 start=$SECONDS; shift
    wanted "$name" || return 0
    if "$@" >"$logs/$name.log" 2>&1 </dev/null; then report "$name" 1 0 $((SECONDS - start)); else report "$name" 0 1 $((SECONDS - start)); fi
}

# tap NAME COMMAND...: the tests that the command prints in TAP; one more failure if the command fails without a failed test.
tap() {
    local name=$1 start=$SECONDS status ok not_ok; shift
    wanted "$name" || return 0
    "$@" >"$logs/$name.log" 2>&1 </dev/null; status=$?
    grep -a -E '^ *(not )?ok [0-9]+' "$logs/$name.log" | grep -av '# SKIP' >"$logs/$name.results" # cmocka prints "not ok" for skipped tests
    ok=$(grep -ac '^ *ok' "$logs/$name.results"); not_ok=$(grep -ac '^ *not ok' "$logs/$name.results")
    [ "$status" -eq 0 ] || [ "$not_ok" -gt 0 ] || not_ok=1
    [ "$ok" -gt 0 ] || not_ok=$((not_ok + 1))
    report "$name" "$ok" "$not_ok" $((SECONDS - start))
}

# Each unit test has a line "CI builds:" with the builds on which it runs here: plain (tests of counts, lists and constructions),
# address (all), thread (tests with threads). `make test-long` runs all of them on the plain build.
unit_tests() { # unit_tests FOLDER: the unit tests for that build, by their paths below tests/unit, without .c
    local build=${1#build}
    build=${build#-}
    (cd tests/unit && grep -rlE "^/\* CI builds:.* ${build:-plain} " --include='test_*.c' . | sed 's|^\./||; s|\.c$||')
}

# With the debugger's lines, and not all that it could know: that takes a quarter more to compile.
build() { # build SAN: the folder is build or build-SAN
    local folder=build${1:+-$1} more= tests
    [ "$1" != "" ] || more="faults simulate"
    [ "$1" != address ] || more=fuzz-replay
    tests=$(unit_tests "$folder" | sed "s|^|$folder/tests/|")
    # shellcheck disable=SC2086
    make --no-print-directory SAN="$1" DEBUG=-g1 all $more $tests
}

unit() { # unit FOLDER: every unit test in it; one more at a time than there are processors, because some wait
    local into=$logs/unit-$1 status
    rm -rf "$into" && mkdir "$into"
    patience
    unit_tests "$1" | sort -r | CMOCKA_MESSAGE_OUTPUT=TAP xargs -P"$(($(nproc) + 1))" -I{} sh -c 'setpriv --pdeathsig TERM setsid --wait timeout $((300 * NQ_PATIENCE)) "$1/tests/$3" >"$2/$(echo "$3" | tr / -)" 2>&1' unit "$1" "$into" {}
    status=$?
    for log in "$into"/*; do echo "# $1/tests/${log##*/}"; cat "$log"; done
    return $status
}

replay() { # replay FOLDER SECONDS: for each fuzzer its corpus, input by input, then mutants of it for so many seconds
    local status=0
    for target in "$1"/tests/fuzz_*; do
        [ -x "$target" ] || continue
        local corpus=${target##*/fuzz_}
        FUZZ_SECONDS=$2 timeout $((300 * NQ_PATIENCE + $2)) "$target" "tests/fuzz/corpus/$corpus" && continue
        status=1
        echo "# ${target##*/} failed"
        [ ! -s "$target.input" ] || { echo "# it was trying"; od -A n -t x1z "$target.input"; }
    done
    return $status
}

# aside NAME COMMAND...: starts what only computes beside the lanes, which often wait: its session has a tenth of the share of another
# until somebody waits for it.
aside() {
    local name=$1; shift
    wanted "$name" || return 0
    # shellcheck disable=SC2016
    session bash -c '{ echo $$ >"$0" && echo 10 >/proc/self/autogroup; } 2>/dev/null; "$@"' "$logs/$name.pid" "$@" >"$logs/$name.aside" 2>&1 </dev/null &
    asides[$name]=$!
}
declare -A asides

joined() { # joined NAME: waits for it and prints what it wrote
    local status=0
    { echo 0 >"/proc/$(cat "$logs/$1.pid")/autogroup"; } 2>/dev/null # it may have ended
    wait "${asides[$1]}" || status=1
    cat "$logs/$1.aside"
    return $status
}

# Mutants are the same every time; FUZZ_SEED changes them. Fuzzing guided by coverage needs a build of its own: see tests/run-long.sh.
mutated() { # the results of the mutants that run aside
    local status=0
    joined fuzz-mutants >"$logs/mutants.log" || status=1
    sed -n 's/^\(not \)\?ok [0-9]* - \([0-9]* mutants\)/\1ok 0 - \2/p' "$logs/mutants.log"
    [ $status -eq 0 ] || grep -B 30 -A 20 '^# fuzz_[a-z]* failed' "$logs/mutants.log" | sed 's/^/# /'
    return $status
}

http() { # http FOLDER NQ_SLOW FILE...: black-box tests of its binary; one file more at a time than there are processors
    local folder=$1 slow=$2; shift 2
    patience
    NQUEENSD=$PWD/$folder/nqueensd NQ_SLOW=$slow session timeout $((1800 * NQ_PATIENCE)) node --test --test-concurrency=$(($(nproc) + 1)) --test-reporter=tap "$@"
}

# All run under the address sanitizer. Tests that do less on a slow build, which their names say, run on the plain build, too.
# `make test-long` runs all on both.
also_plain='(also plain)'
http_also_plain() { http build '' --test-name-pattern="$also_plain" $(grep -lF "$also_plain" tests/http/*.test.js); }

# For the thread sanitizer: tests with concurrent clients. `make test-long` adds those of jobs and streams.
crowds() { printf 'tests/http/%s.test.js ' departure events flight stop; }

# With every instruction set: otherwise the kernels would be empty files. With clang's own warnings, because clang builds the fuzzers.
# `make test-long` uses TIDY_MODE=deep, which takes ten times as long.
tidy() {
    local isa= analyzer="-Xclang -analyzer-config -Xclang mode=${TIDY_MODE:-shallow}"
    [ "$(uname -m)" != x86_64 ] || isa="-mavx512f -mavx512cd -mavx512bw -mavx512vbmi2 -mavx512vbmi -mavx512bitalg -mavx512vpopcntdq -mgfni -mavx2 -mbmi2 -mpopcnt"
    git ls-files 'src/*.c' | FLAGS="$analyzer $isa" xargs -P"$(nproc)" -n1 sh -c 'clang-tidy --quiet "$1" -- $FLAGS -Wall -Wextra -Wshadow -Iinclude -Isrc -Ibuild/embedded/web -D_GNU_SOURCE -std=gnu11 2>/dev/null' tidy
}

format() {
    git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

install_all() { # into a temporary folder; tests/library.test.js tests the library there
    local dir status=0
    dir=$(mktemp -d)
    make --no-print-directory install DESTDIR="$dir" PREFIX=/usr &&
        "$dir/usr/bin/nqueensd" --version && [ -s "$dir/usr/share/man/man1/nqueensd.1" ] && [ -s "$dir/usr/share/nqueensd/openapi.yaml" ] || status=1
    rm -rf "$dir"
    return $status
}

# Two lanes run at the same time, because each often waits for clocks, brokers and browsers, and take about as long. `inside` tests
# functions, the broker, metrics, failures of the system and attacks; `outside` tests the service as its clients see it.
inside() {
    for folder in build build-address build-thread; do
        tap "unit-$folder" unit "$folder"
    done
    tap simulation-kept build/tests/simulate --kept tests/sim/kept.txt
    tap fuzz-replay replay build-address 0
    check bench build/nqueensd bench count --n 11 --rounds 1
    check bench-solve build/nqueensd bench solve --n 10 --rounds 1 --threads 3
    tap instructions session node --test --test-reporter=tap tests/bench/*.test.js
    tap nats http build '' tests/nats/*.test.js
    tap observe session node --test --test-reporter=tap tests/observe.test.js
    tap faults http build '' tests/faults/*.test.js
    tap hostile http build '' tests/hostile/*.test.js
}

outside() {
    tap http-build-address http build-address 1 tests/http/*.test.js
    tap web http build '' tests/web/*.test.js
    tap http-build http_also_plain
    tap http-build-thread http build-thread 1 $(crowds)
    tap containers session node --test --test-reporter=tap tests/containers.test.js
    tap library session node --test --test-reporter=tap tests/library.test.js
    tap examples session node --test --test-reporter=tap tests/examples.test.js
    tap readme session node --test --test-reporter=tap tests/readme.test.js
}

lane() { # lane NAME: its parts, one after the other
    taken=0
    "$1"
}

only=("$@")
trap 'exit 130' INT TERM
trap 'kill $(jobs -p) 2>/dev/null' EXIT # and all that they started: see session()
rm -f "$logs/results"
unset MAKEFLAGS MAKELEVEL # independent of the make that runs this
export STRICT=1
patience
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=$PWD/tests/thread-sanitizer.txt
# npm ci empties the folder first: one that is only linked is somebody else's.
sh -c 'cd tests && if [ ! -L node_modules ] && ! npm ls >/dev/null 2>&1; then npm ci --no-audit --no-fund; fi' >"$logs/npm.log" 2>&1 </dev/null &
fetching=$!
for san in "" address thread; do
    check "build${san:+-$san}" build "$san"
done
check npm-install wait "$fetching"
check install install_all
check floors node tests/static/floors.js
check picture sh -c 'node tests/static/picture.js | diff docs/architecture.svg -' # make picture
check limits node tests/static/limits.js
check old node tests/static/old.js
check order node tests/static/order.js
check format format
check openapi-lint sh -c 'cd tests && npm run --silent lint'
check prose node tests/prose/check.js
tap prose-rules node --test --test-reporter=tap tests/prose/prose.test.js
export -f tidy replay
aside fuzz-mutants replay build-address "${FUZZ_SECONDS:-2}"
aside simulation build/tests/simulate --seeds 1-10000
aside tidy tidy
lane inside &
one=$!
lane outside &
wait $! && wait $one || echo 0 1 >>"$logs/results" # a lane that died has not reported its other parts
processor
tap simulation joined simulation
tap fuzz-mutants mutated
check tidy joined tidy
echo
awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit !passed || failed > 0 }' "$logs/results"
