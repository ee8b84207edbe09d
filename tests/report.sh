# report.sh - what check.sh and run.sh share: parts of the tests, their logs and what they come to. They set $logs, a folder, and
# have a function wanted(NAME): is this part to be run?
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

processor() { # sets $taken: the CPU seconds of everything before in this shell
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
    [ "$3" -eq 0 ] || { echo "---- $1"; grep -a -B 8 -A 30 '^ *not ok' "$logs/$1.log" | grep -av '# SKIP' | head -n 300; grep -a -v '^ *\(not \)\?ok' "$logs/$1.log" | tail -n 40; echo "----"; }
}

# check NAME COMMAND...: one test, passed when the command succeeds; checked: also where it is not asked for by its name.
check() {
    ! wanted "$1" || checked "$@"
}

checked() {
    local name=$1 start=$SECONDS passed=0; shift
    if "$@" >"$logs/$name.log" 2>&1 </dev/null; then passed=1; fi
    report "$name" $passed $((1 - passed)) $((SECONDS - start))
}

# tap NAME COMMAND...: the tests that the command prints in TAP; one more failure if the command fails without a failed test.
tap() {
    local name=$1 start=$SECONDS status ok not_ok; shift
    wanted "$name" || return 0
    "$@" >"$logs/$name.log" 2>&1 </dev/null; status=$?
    grep -a -E '^ *(not )?ok ' "$logs/$name.log" | grep -av '# SKIP' >"$logs/$name.results" # cmocka prints "not ok" for skipped tests
    ok=$(grep -ac '^ *ok' "$logs/$name.results"); not_ok=$(grep -ac '^ *not ok' "$logs/$name.results")
    [ "$status" -eq 0 ] || [ "$not_ok" -gt 0 ] || not_ok=1
    [ "$ok" -gt 0 ] || not_ok=$((not_ok + 1))
    report "$name" "$ok" "$not_ok" $((SECONDS - start))
}

# The layout of all C files, those that `git add` has not seen yet, too.
format() {
    git ls-files --cached --others --exclude-standard '*.c' '*.h' | xargs ls 2>/dev/null | xargs clang-format --dry-run -Werror
}

# The packages of npm. npm ci empties the folder first: one that is only linked is somebody else's.
packages() {
    [ -L tests/node_modules ] || (cd tests && { npm ls >/dev/null 2>&1 || npm ci --no-audit --no-fund; })
}

# The generators of clients: a package of its own.
generators_packages() {
    [ -L tests/generators/node_modules ] || (cd tests/generators && { npm ls >/dev/null 2>&1 || npm ci --no-audit --no-fund; })
}

http() { # http FOLDER NQ_SLOW FILE...: black-box tests of its binary; one file more at a time than there are processors
    local folder=$1 slow=$2; shift 2
    patience
    NQUEENSD=$PWD/$folder/nqueensd NQ_SLOW=$slow session timeout $((1800 * NQ_PATIENCE)) node --test --test-concurrency=$(($(nproc) + 1)) --test-reporter=tap "$@"
}

# ---- Unit tests: one program for each folder of tests/unit, a room; each of its files is a group ----

# Each file has a line "CI builds:" with the builds on which `make test` runs it: address (all but a few), thread (tests with
# threads), plain (where the release's build is the point). `make check` runs all of them on the plain build.
unit_files() { # unit_files BUILD: those for that build, by their paths below tests/unit
    (cd tests/unit && grep -rlE "^/\* CI builds:.* $1 " --include='test_*.c' . | sed 's|^\./||')
}

unit_all() { # all of them
    (cd tests/unit && find . -name 'test_*.c' -printf '%P\n')
}

unit_rooms() { # reads paths, prints their rooms
    cut -d / -f 1 | sort -u
}

# unit_run FOLDER: reads paths and runs these groups of the programs in that folder; one more at a time than there are processors,
# because some wait ($at_once: as many). A program ends with 1 if tests of it fail; if it ends in another way, that is a failure, too.
unit_run() {
    local into=$logs/unit-$1
    rm -rf "$into" && mkdir -p "$into"
    patience
    local -x ASAN_OPTIONS=exitcode=86${ASAN_OPTIONS:+:$ASAN_OPTIONS}
    # shellcheck disable=SC2016
    sed 's|^\([^/]*\)/.*test_\(.*\)\.c$|\1 \2|' | sort -r | CMOCKA_MESSAGE_OUTPUT=TAP xargs -P"${at_once:-$(($(nproc) + 1))}" -L1 sh -c '
        log=$2/$3-$4
        setpriv --pdeathsig TERM setsid --wait timeout $((300 * NQ_PATIENCE)) "$1/tests/$3" "$4" >"$log" 2>&1
        status=$?
        [ $status -ne 0 ] || exit 0
        if [ $status -ne 1 ] || ! grep -a "^ *not ok" "$log" | grep -aqv "# SKIP"; then
            echo "not ok - $3/$4 ended with status $status" >>"$log"
        fi
        exit 1' unit "$1" "$into"
    local status=$?
    for log in "$into"/*; do echo "# $1/tests/${log##*/}"; cat "$log"; done
    return $status
}

# The last line of everything; succeeds if all have passed.
results() {
    echo
    awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit !passed || failed > 0 }' "$logs/results"
}
