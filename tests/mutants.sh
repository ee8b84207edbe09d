#!/usr/bin/env bash
# Do the tests notice a change of the code? `tests/mutants.sh SEED COUNT [FILE...]` draws that many mutants of src, or of these files and
# folders, in each of which one operator, constant, condition or statement of one line is another. It prints for each by which test it
# was killed, or that it survived. The results stand in build-mutants, so that a run that was ended goes on where it was.
# `tests/mutants.sh --again LIST` tries those of a list that were killed, such as tests/data/mutants.jsonl, with the tests of today: one that
# lives now is a loss. Ends with "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
mkdir -p build-mutants
if [ "${1:-}" = --again ]; then
    grep '"killed"' "$2" | sed 's/,"result".*/}/' >build-mutants/again.list
    rm -f build-mutants/again.jsonl
    node tests/mutants.js run build-mutants/again.list build-mutants/again.jsonl
    killed=$(grep -c '"killed"' build-mutants/again.jsonl || true) lost=$(grep -c '"survived"' build-mutants/again.jsonl || true)
    echo "$killed passed, $lost failed"
    [ "$lost" -eq 0 ]
    exit
fi
name=build-mutants/$(printf '%s-' "$@" | tr / _)
node tests/mutants.js draw "$@" >"$name.list"
node tests/mutants.js run "$name.list" "$name.jsonl"
