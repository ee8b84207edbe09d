#!/usr/bin/env bash
# Do the tests notice a change of the code? `tests/mutants.sh SEED COUNT [FILE...]` draws that many mutants of src, or of these files and
# folders, in each of which one operator, constant, condition or statement of one line is another. It prints for each by which test it
# was killed, or that it survived. A survivor needs a test, or a line with a reason in tests/data/mutants.txt. The results stand in
# build-mutants, so that a run that was ended goes on where it was.
# `tests/mutants.sh --again` tries those of tests/data/mutants.jsonl that were killed when they were first tried, with the tests of today,
# first the one that did it: one that lives now is a loss. Ends with "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
mkdir -p build-mutants
if [ "${1:-}" = --again ]; then
    name=build-mutants/again
    grep '"killed"' tests/data/mutants.jsonl | sed 's/"result":"killed",//' >$name.list
else
    name=build-mutants/$(printf '%s-' "$@" | tr / _)
    node tests/mutants.js draw "$@" >"$name.list"
fi
node tests/mutants.js run "$name.list" "$name.jsonl"
