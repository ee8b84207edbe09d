#!/usr/bin/env bash
# Runs unit tests whose threads are late at random (tests/faults/delays.c), to find tests, and code, that depend on who happens to
# be quicker. `tests/delays.sh SEED [GROUP...]`: a seed, and groups of unit tests, all by default: `tests/delays.sh 7 engine/jobs`.
# They must have been built (`make unit faults`). With a command, `tests/delays.sh SEED -- node --test tests/http/jobs.test.js`, the
# servers that it starts are late.
set -u
cd "$(dirname "$0")/.." || exit 1
export NQ_DELAYS=$1 NQ_PATIENCE=${NQ_PATIENCE:-8} CMOCKA_MESSAGE_OUTPUT=TAP
shift
[ -f build/faults/delays.so ] || { echo 'make faults' >&2; exit 1; }
late="env LD_PRELOAD=$PWD/build/faults/delays.so"
if [ "${1:-}" = -- ]; then shift; exec $late "$@"; fi
[ $# -gt 0 ] || mapfile -t < <(for room in build/tests/*; do [ -d "tests/unit/${room##*/}" ] && "$room" --list | sed "s|^|${room##*/}/|"; done)
[ $# -gt 0 ] || [ ${#MAPFILE[@]} -gt 0 ] || { echo 'make unit' >&2; exit 1; }
# They wait most of the time.
printf '%s\n' "${@:-${MAPFILE[@]}}" | xargs -P"$((4 * $(nproc)))" -I{} sh -c '
    out=$($1 timeout 600 "build/tests/${2%%/*}" "${2#*/}" 2>&1) || { echo "# $2 under NQ_DELAYS=$NQ_DELAYS"; echo "$out"; exit 1; }' delays "$late" {}
