#!/usr/bin/env bash
# Every test CI runs, on the plain build and on sanitized ones. Logs of each part lie in build/test-logs; a part that fails
# is shown. Ends with "N passed, N failed". `tests/run.sh unit http` runs only the parts whose names begin so.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/test-logs
mkdir -p "$logs"
taken=0

wanted() { # wanted NAME: is this part to be run?
    [ ${#only[@]} -eq 0 ] && return 0
    for prefix in "${only[@]}"; do case $1 in "$prefix"*) return 0 ;; esac; done
    return 1
}

processor() { # sets $taken: seconds that all before, in this lane, has taken of the processors
    local minutes seconds more_minutes more_seconds file=$logs/times-$BASHPID
    times >"$file" # not into a pipe, which has times of its own
    IFS=' ms' read -r minutes seconds more_minutes more_seconds < <(tail -n 1 "$file")
    rm "$file"
    taken=$((60 * (minutes + more_minutes) + ${seconds%.*} + ${more_seconds%.*}))
}

report() { # report NAME PASSED FAILED SECONDS
    local before=$taken
    processor
    echo "$2 $3" >>"$logs/results"
    printf '%-24s %5d passed %3d failed %5d s %5d s of a processor\n' "$1" "$2" "$3" "$4" $((taken - before))
    [ "$3" -eq 0 ] || { echo "---- $1"; grep -A 30 '^ *not ok' "$logs/$1.log" | head -n 300; grep -v '^ *ok' "$logs/$1.log" | tail -n 40; echo "----"; }
}

# check NAME COMMAND...: one test, passed when the command succeeds.
check() {
    local name=$1 start=$SECONDS; shift
    wanted "$name" || return 0
    if "$@" >"$logs/$name.log" 2>&1 </dev/null; then report "$name" 1 0 $((SECONDS - start)); else report "$name" 0 1 $((SECONDS - start)); fi
}

# tap NAME COMMAND...: as many tests as the command prints in TAP; one more failure when it dies without saying so.
tap() {
    local name=$1 start=$SECONDS status ok not_ok; shift
    wanted "$name" || return 0
    "$@" >"$logs/$name.log" 2>&1 </dev/null; status=$?
    grep -E '^ *(not )?ok [0-9]+' "$logs/$name.log" | grep -v '# SKIP' >"$logs/$name.results" # cmocka writes "not ok" of what it skipped
    ok=$(grep -c '^ *ok' "$logs/$name.results"); not_ok=$(grep -c '^ *not ok' "$logs/$name.results")
    [ "$status" -eq 0 ] || [ "$not_ok" -gt 0 ] || not_ok=1
    [ "$ok" -gt 0 ] || not_ok=$((not_ok + 1))
    report "$name" "$ok" "$not_ok" $((SECONDS - start))
}

# All unit tests are run under the address sanitizer. On the plain build, as it is delivered, those of what counts, lists and
# constructs, and those that sift more when they are not slowed down; the rest `make test-long` runs there, too.
delivered='test_(base|board.*|comparison|constructions|count.*|engine_(indexing|recall)|formats|index|kernels|lister|neural|prefixes|resume|romani|seeds|solvers.*)$'
# What has no threads, or only to be done sooner, is not run once more for the thread sanitizer, which would take longer than all the rest.
unthreaded='test_(board(_query|_conflicts)?|comparison|constructions(_memory)?|count(_counting|_deduction|_estimate|_orbits)?|crew_model|engine_(drawing|indexing|lookup|page|puzzle|slips|trace)|formats|http_(client|param|prefer|problem|query|trace_context|verify_body)|index|kernels|lister|machines|neural|prefixes|resume|romani(_memory)?|seeds|solvers(_query|_oracle)?|stores_sqlite|token|config|process)$'

asked() { # asked FOLDER: of the names of unit tests, those that are run there
    case $1 in
    build) grep -E "$delivered" ;;
    build-thread) grep -vE "$unthreaded" ;;
    *) cat ;;
    esac
}

build() { # build SAN: the folder is build or build-SAN
    local folder=build${1:+-$1} more= tests
    [ "$1" != "" ] || more=faults
    [ "$1" != address ] || more=fuzz-replay
    tests=$(basename -a -s .c tests/unit/test_*.c | asked "$folder" | sed "s|^|$folder/tests/|")
    # shellcheck disable=SC2086
    make --no-print-directory SAN="$1" all $more $tests
}

unit() { # unit FOLDER: every unit test in it, one more at a time than there are processors, for some wait, stores the longest
    local into=$logs/unit-$1 status
    rm -rf "$into" && mkdir "$into"
    basename -a -s .c tests/unit/test_*.c | asked "$1" | sort -r | CMOCKA_MESSAGE_OUTPUT=TAP xargs -P"$(($(nproc) + 1))" -I{} sh -c 'timeout 600 "$1/tests/{}" >"$2/{}" 2>&1' unit "$1" "$into"
    status=$?
    for log in "$into"/*; do echo "# $1/tests/${log##*/}"; cat "$log"; done
    return $status
}

replay() { # replay FOLDER SECONDS: the fuzzers' corpus, input by input, then mutants of it, for each so long
    local status=0
    for target in "$1"/tests/fuzz_*; do
        [ -x "$target" ] || continue
        local corpus=${target##*/fuzz_}
        FUZZ_SECONDS=$2 timeout $((300 + $2)) "$target" "tests/fuzz/corpus/$corpus" && continue
        status=1
        echo "# ${target##*/} failed"
        [ ! -s "$target.input" ] || { echo "# it was trying"; od -A n -t x1z "$target.input"; }
    done
    return $status
}

# Mutants are tried while the parts that mostly wait are run, with what those leave of the processors: the same ones every time,
# FUZZ_SEED for others. Coverage to guide them wants a build of its own: tests/run-long.sh has that.
mutate() { # mutate FOLDER: begins
    wanted fuzz-mutants || return 0
    {
        chrt --idle --pid 0 $BASHPID
        replay "$1" "${FUZZ_SECONDS:-5}"
    } >"$logs/mutants.log" 2>&1 </dev/null &
    mutating=$!
}

mutated() { # waits for their end
    local status=0
    wait "$mutating" || status=1
    sed -n 's/^\(not \)\?ok [0-9]* - \([0-9]* mutants\)/\1ok 0 - \2/p' "$logs/mutants.log"
    [ $status -eq 0 ] || grep -B 30 -A 20 '^# fuzz_[a-z]* failed' "$logs/mutants.log" | sed 's/^/# /'
    return $status
}

http() { # http FOLDER NQ_SLOW FILE...: black-box tests against its binary; a file more at a time than there are processors, for they also wait
    local folder=$1 slow=$2; shift 2
    NQUEENSD=$PWD/$folder/nqueensd NQ_SLOW=$slow timeout 1800 node --test --test-concurrency=$(($(nproc) + 1)) --test-reporter=tap "$@"
}

# All are run under the address sanitizer; once more, on the plain build, those that leave something out on a slow one, as their
# names say. The rest `make test-long` runs on both.
too='(as delivered, too)'
delivered_too() { http build '' --test-name-pattern="$too" $(grep -lF "$too" tests/http/*.test.js); }

# For the thread sanitizer: where clients come and go at once. What is asked one by one it has nothing to say about; jobs and
# streams in full `make test-long` has.
crowds() { printf 'tests/http/%s.test.js ' departure events flight stop; }

# With every instruction set, or the kernels would be empty files; with clang's own warnings, for it builds the fuzzers. `make test-long`
# has the analyzer look as deep as it can, which takes ten times as long: TIDY_MODE=deep.
tidy() {
    local isa= analyzer="-Xclang -analyzer-config -Xclang mode=${TIDY_MODE:-shallow}"
    [ "$(uname -m)" != x86_64 ] || isa="-mavx512f -mavx512cd -mavx512bw -mavx512vbmi2 -mavx512vbmi -mavx512vpopcntdq -mgfni -mavx2 -mbmi2 -mpopcnt"
    git ls-files 'src/*.c' | FLAGS="$analyzer $isa" xargs -P"$(nproc)" -n1 sh -c 'clang-tidy --quiet "$1" -- $FLAGS -Wall -Wextra -Wshadow -Iinclude -Isrc -D_GNU_SOURCE -std=gnu11 2>/dev/null' tidy
}

format() {
    git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

install_all() { # into a folder of its own: the binary runs, and a program builds against the library
    local dir status=0
    dir=$(mktemp -d)
    make --no-print-directory install DESTDIR="$dir" PREFIX=/usr &&
        "$dir/usr/bin/nqueensd" --version &&
        echo '#include <nqueens.h>
              int main(void) { uint64_t q; return nq_count(8, &q) != NQ_OK || q != 92; }' >"$dir/try.c" &&
        gcc -I"$dir/usr/include" -o "$dir/try" "$dir/try.c" -L"$dir/usr/lib" -lnqueens -ljansson -lsqlite3 -lm &&
        "$dir/try" && [ -s "$dir/usr/share/man/man1/nqueensd.1" ] && [ -s "$dir/usr/share/nqueensd/openapi.yaml" ] || status=1
    rm -rf "$dir"
    return $status
}

# What is built is tested in two lanes at once: each waits a good deal, for clocks, brokers and browsers, and what it leaves of the
# processors the other takes. Functions and what stands behind the service in the one, all that asks it as a client does in the other.
inside() {
    for folder in build build-address build-thread; do
        tap "unit-$folder" unit "$folder"
    done
    tap fuzz-replay replay build-address 0
    check bench build/nqueensd bench count --n 11 --rounds 1
    check bench-solve build/nqueensd bench solve --n 10 --rounds 1 --threads 3
    tap nats http build '' tests/nats/*.test.js
    tap observe node --test --test-reporter=tap tests/observe.test.js
}

outside() {
    tap http-build-address http build-address 1 tests/http/*.test.js
    tap web http build '' tests/web/*.test.js
    tap http-build delivered_too
    tap hostile http build '' tests/hostile/*.test.js
    tap faults http build '' tests/faults/*.test.js
    tap http-build-thread http build-thread 1 $(crowds)
    tap containers node --test --test-reporter=tap tests/containers.test.js
    tap readme node --test --test-reporter=tap tests/readme.test.js
    check tidy tidy # computes only, for when the other lane waits for brokers
}

lane() { # lane NAME: the parts it consists of, one after the other
    taken=0
    "$1"
}

only=("$@")
rm -f "$logs/results"
unset MAKEFLAGS MAKELEVEL # a make of its own, whichever runs this
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=$PWD/tests/thread-sanitizer.txt
sh -c 'cd tests && if ! npm ls >/dev/null 2>&1; then npm ci --no-audit --no-fund; fi' >"$logs/npm.log" 2>&1 </dev/null &
fetching=$!
for san in "" address thread; do
    check "build${san:+-$san}" build "$san"
done
check npm-install wait "$fetching"
check install install_all
check floors tests/static/includes.sh
check format format
check openapi-lint sh -c 'cd tests && npm run --silent lint'
mutate build-address
lane inside &
one=$!
lane outside &
wait $! && wait $one || echo 0 1 >>"$logs/results" # of what a lane had not come to nobody has said anything
processor
tap fuzz-mutants mutated
echo
awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit !passed || failed > 0 }' "$logs/results"
