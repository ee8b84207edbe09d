#!/usr/bin/env bash
# Every test that CI runs. Each part has a log in build/test-logs; the log of a part that fails is shown. Ends with "N passed,
# N failed". `tests/run.sh unit http` runs only the parts whose names start so, after it has built what they need.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/test-logs
mkdir -p "$logs"
. tests/report.sh

wanted() { # wanted NAME: is this part to be run?
    [ ${#only[@]} -eq 0 ] && return 0
    for prefix in "${only[@]}"; do case $1 in "$prefix"*) return 0 ;; esac; done
    return 1
}

# building SAN PART...: builds what these parts need, if one of them is wanted. Three builds: the release, which users get; address and
# undefined behaviour, for all tests; threads, for tests of threads. With the debugger's lines, and not all that it could know: that
# takes a quarter more to compile.
building() {
    local san=$1 folder=build${1:+-$1} part what; shift
    for part; do wanted "$part" && break; done || return 0
    case $san in
    address) what="fuzz-replay unit" ;;
    thread) what=unit ;;
    *) what="faults simulate $(unit_files plain | unit_rooms | sed 's|^|build/tests/|')" ;;
    esac
    # shellcheck disable=SC2086
    checked "$folder" make --no-print-directory SAN="$san" SYMBOLS=-g1 all $what
}

unit() { # unit SAN: the unit tests for that build
    unit_files "${1:-plain}" | unit_run "build${1:+-$1}"
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

# All run under the address sanitizer, but for those that are too slow there, whose names end so; of some files all.
http_address() { # shellcheck disable=SC2046
    http build-address 1 $(grep -L '^// All of it (plain)' tests/http/*.test.js)
}
http_plain() { # shellcheck disable=SC2046
    http build '' --test-name-pattern='plain\)' $(grep -lF 'plain)' tests/http/*.test.js)
}

# For the thread sanitizer: tests with concurrent clients. `make test-long` adds those of jobs and streams.
crowds() { printf 'tests/http/%s.test.js ' departure events flight stop; }

# With every instruction set: otherwise the kernels would be empty files. With clang's own warnings, because clang builds the fuzzers.
# `make test-long` does it with TIDY_MODE=deep, which takes ten times as long. What was found clean is not looked at again while it
# is the same: the file, the headers that its object's .d names, the rules, the flags and the program.
tidy_seen=${XDG_CACHE_HOME:-${HOME:-build}/.cache}/nqueensd/tidy
tidy_one() { # tidy_one FILE
    local same
    same=$({ cat "$1" .clang-tidy; sed 's/^[^ ]*://; s/\\$//' "build/${1%c}d" | xargs cat; echo "$FLAGS $TIDY"; } | sha256sum)
    [ ! -e "$tidy_seen/${same%% *}" ] || return 0
    # shellcheck disable=SC2086
    clang-tidy --quiet "$1" -- $FLAGS 2>/dev/null || return 1
    { : >"$tidy_seen/${same%% *}"; } 2>/dev/null || true # where nothing can be kept it is looked at each time
}
tidy() {
    local isa=
    [ "$(uname -m)" != x86_64 ] || isa="-mavx512f -mavx512cd -mavx512bw -mavx512vbmi2 -mavx512vbmi -mavx512bitalg -mavx512vpopcntdq -mgfni -mavx2 -mbmi2 -mpopcnt"
    export FLAGS="-Xclang -analyzer-config -Xclang mode=${TIDY_MODE:-shallow} $isa -Wall -Wextra -Wshadow -Iinclude -Isrc -Ibuild/embedded/web -D_GNU_SOURCE -std=gnu11"
    TIDY=$(clang-tidy --version) || return 1
    export TIDY
    mkdir -p "$tidy_seen" && find "$tidy_seen" -type f -mtime +30 -delete
    git ls-files --cached --others --exclude-standard 'src/*.c' | xargs ls 2>/dev/null | xargs -P"$(nproc)" -I {} bash -c 'tidy_one {}'
}

install_all() { # into a temporary folder; tests/library.test.js tests the library there
    local dir status=0
    dir=$(mktemp -d)
    make --no-print-directory install DESTDIR="$dir" PREFIX=/usr &&
        "$dir/usr/bin/nqueensd" --version && [ -s "$dir/usr/share/man/man1/nqueensd.1" ] && [ -s "$dir/usr/share/nqueensd/openapi.yaml" ] || status=1
    rm -rf "$dir"
    return $status
}

# What reads sources and documents, beside the builds with sanitizers.
static() {
    taken=0
    check floors node tests/static/floors.js
    check picture node tests/static/picture.js --check
    check lists node tests/static/lists.js
    check contract node tests/static/contract.js
    check limits node tests/static/limits.js
    check old node tests/static/old.js
    check order node tests/static/order.js
    check format format
    check openapi-lint sh -c 'cd tests && npm run --silent lint'
    check prose node tests/prose/check.js
    tap prose-rules node --test --test-reporter=tap tests/prose/prose.test.js
}

# The parts that need a build, as part() runs them. One more runs at a time than there are processors, because each often waits for
# clocks, brokers and browsers. The longest come first, so that the last ones end together.
parts="http web nats unit-address hostile unit-thread faults examples readme instructions containers simulated generators http-rest
       observe unit-plain quick"

part() { # part NAME
    taken=0
    case $1 in
    unit-*) local san=${1#unit-}; san=${san#plain}; tap "unit-build${san:+-$san}" unit "$san" ;;
    http) tap http-build-address http_address ;;
    http-rest)
        tap http-build http_plain
        # shellcheck disable=SC2046
        tap http-build-thread http build-thread 1 $(crowds) ;;
    generators) tap generators http build '' tests/generators/generators.test.js ;;
    instructions) tap instructions session node --test --test-reporter=tap tests/bench/*.test.js ;;
    simulated) tap simulation-kept build/tests/simulate --kept tests/sim/kept.txt ;;
    quick)
        tap fuzz-replay replay build-address 0
        check bench build/nqueensd bench count --n 11 --rounds 1
        check bench-solve build/nqueensd bench solve --n 10 --rounds 1 --threads 3
        tap library session node --test --test-reporter=tap tests/library.test.js ;;
    web | nats | faults | hostile) tap "$1" http build '' tests/"$1"/*.test.js ;;
    *) tap "$1" session node --test --test-reporter=tap "tests/$1.test.js" ;;
    esac
}

# Runs all parts; whether each came to its end: what one that died has not reported would not be missed.
all_parts() {
    local name ended status=0
    local -A running=()
    for name in $parts; do
        [ ${#running[@]} -lt $(($(nproc) + 1)) ] || one_ends
        part "$name" &
        running[$!]=$name
    done
    while [ ${#running[@]} -gt 0 ]; do one_ends; done
    return $status
}

one_ends() { # of all_parts(), whose variables it uses
    wait -n -p ended "${!running[@]}" || status=1
    unset "running[$ended]"
}

only=("$@")
trap 'exit 130' INT TERM
trap 'kill $(jobs -p) 2>/dev/null' EXIT # and all that they started: see session()
rm -f "$logs/results"
unset MAKEFLAGS MAKELEVEL # independent of the make that runs this
export STRICT=1
patience
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=$PWD/tests/thread-sanitizer.txt
packages >"$logs/npm.log" 2>&1 </dev/null &
fetching=$!
! wanted generators-install || generators_packages >"$logs/generators.log" 2>&1 </dev/null &
fetching_generators=$!
plain="install floors picture lists contract bench bench-solve instructions nats observe faults hostile web http-build containers library generators examples readme unit-build simulation simulation-kept tidy"
# shellcheck disable=SC2086
building "" $plain
check npm-install wait "$fetching"
check install install_all
static &
static=$!
building address unit-build-address http-build-address fuzz-replay fuzz-mutants
building thread unit-build-thread http-build-thread
check generators-install wait "$fetching_generators"
wait $static || echo 0 1 >>"$logs/results"
export -f tidy tidy_one replay
export tidy_seen
aside fuzz-mutants replay build-address "${FUZZ_SECONDS:-1}"
aside simulation build/tests/simulate --seeds 1-4000
aside tidy tidy
all_parts || echo 0 1 >>"$logs/results"
processor
tap simulation joined simulation
tap fuzz-mutants mutated
check tidy joined tidy
results
