#!/usr/bin/env bash
# What one runs after each edit: builds what has changed, then checks the floors, the limits and the format, runs all unit tests on the
# plain build, the core of tests/http, and one journey through the explorer, if a browser is there. Ends with "N passed, N failed".
# `tests/check.sh TEST...` builds and runs only these: a room of tests/unit (engine), a group (pool or engine/pool), one test
# (engine/pool/test_order; with wildcards), or a file of tests by its folder and name (http/stream, web/board, static/floors).
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/check-logs
rm -rf "$logs" && mkdir -p "$logs"
. tests/report.sh
unset MAKEFLAGS MAKELEVEL # independent of the make that runs this
export STRICT=1

wanted() { true; }

build() { # build TARGET...
    make --no-print-directory "$@"
}

# one TEST: builds what it needs, and runs it.
one() {
    local room=${1%%/*} rest=${1#*/} found
    if [ -f "tests/$1.test.js" ]; then
        check "build" build all faults
        check npm-install packages
        tap "${1//\//-}" http build '' "tests/$1.test.js"
        return
    fi
    if [ -f "tests/$1.js" ] && [ "$room" = static ]; then
        check "build" build all
        check npm-install packages
        check "${1//\//-}" node "tests/$1.js"
        return
    fi
    if [ ! -d "tests/unit/$room" ]; then # a group, whose room is not named
        rest=$1
        found=$(unit_all | grep -E "/test_${1%%/*}[.]c$" | head -n 1)
        room=${found%%/*}
        [ -n "$room" ] || { echo "There is no test '$1': a folder of tests/unit, a test_*.c in one, or FOLDER/NAME of a tests/FOLDER/NAME.test.js." >&2; exit 2; }
    elif [ "$room" = "$1" ]; then
        rest='*'
    fi
    check "build-$room" build "build/tests/$room"
    patience
    CMOCKA_MESSAGE_OUTPUT=TAP tap "unit-$room" session timeout $((300 * NQ_PATIENCE)) "build/tests/$room" "$rest"
}

trap 'exit 130' INT TERM
trap 'kill $(jobs -p) 2>/dev/null' EXIT
if [ $# -gt 0 ]; then
    for test; do one "$test"; done
    results
    exit
fi

outside() {
    taken=0
    check npm-install packages
    check contract node tests/static/contract.js
    tap http http build '' tests/http/{core,bodies}.test.js
    tap web http build '' tests/web/journey.test.js
}

units() { # nothing runs beside them for long
    unit_all | at_once=$((2 * $(nproc))) unit_run build
}

check build build all unit
outside &
taken=0
check floors node tests/static/floors.js
check lists node tests/static/lists.js
check limits node tests/static/limits.js
check format format
tap unit units
wait $! || echo 0 1 >>"$logs/results" # it died, and has not reported all of its parts
results
