#!/usr/bin/env bash
# Prints the files that differ from those of a day before the last commit, new ones too: checks of style and the lint need not look at
# the others. NQ_BASE: from another commit. All files, where there is no such commit.
set -eu
cd "$(dirname "$0")/.."
git rev-parse --verify -q HEAD >/dev/null || { find . -type f -not -path './build*' -not -path '*/node_modules/*' -printf '%P\n'; exit 0; }
base=${NQ_BASE:-$(git rev-list -1 --before="$(($(git log -1 --format=%ct) - 86400))" HEAD)}
{
    if [ -n "$base" ]; then git diff --name-only --diff-filter=d "$base"; else git ls-files; fi
    git ls-files --others --exclude-standard
} | sort -u
