#!/bin/sh
# build-id.sh RELEASE: prints which build of the sources beside this folder is made. It is the RELEASE if the tag vRELEASE names exactly
# these sources, or if there is no git to ask, as in an archive of them. Otherwise it has the commit, and a hash of the sources if they
# differ from that.
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX # a hook may set them
cd "$(dirname "$0")/.."
release=$1
sources='Makefile include openapi.yaml src'
# `make install` by root looks at a clone of another user, whose Makefile it follows anyway.
ask() { git --no-optional-locks -c safe.directory='*' "$@" 2>/dev/null; }
# Of their names and contents; standard input has the names. A file that is gone has no line.
digest() { LC_ALL=C sort -zu | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c 1-12; }

if [ ! -e .git ]; then
    echo "$release"
# shellcheck disable=SC2086 # several words
elif ! commit=$(ask rev-parse --short=12 --verify HEAD) || ! changes=$(ask status --porcelain --untracked-files=all -- $sources); then
    echo "$release+$(find $sources -type f -print0 | digest)" # there is git, which does not tell
elif [ -n "$changes" ]; then
    # shellcheck disable=SC2086
    echo "$release+g$commit.dirty.$(ask ls-files -z --cached --others --exclude-standard -- $sources | digest)"
elif ask tag --points-at HEAD | grep -qxF "v$release"; then
    echo "$release"
else
    echo "$release+g$commit"
fi
