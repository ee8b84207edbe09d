#!/bin/sh
# install.sh GROUP...: installs what docker/packages.txt lists for these groups and this machine lacks. Where nothing is
# missing it touches no package manager.
set -eu
list=$(dirname "$0")/packages.txt

present() { # present PROBE
    what=${1#*:}
    case $1 in
    cmd:*) command -v "$what" >/dev/null 2>&1 ;;
    pc:*) pkg-config --exists "$what" 2>/dev/null ;;
    file:*) for file in $what; do [ -e "$file" ] && return 0; done; return 1 ;;
    *) echo "install.sh: unknown probe $1 in $list" >&2; exit 2 ;;
    esac
}

missing=
for group; do
    while read -r in package probe; do
        [ "$in" = "$group" ] || continue
        present "$probe" || missing="$missing $package"
    done <"$list"
done
[ -n "$missing" ] || exit 0

echo "Installing what is missing:$missing" >&2
command -v apt-get >/dev/null || { echo "No apt-get here: please install these yourself." >&2; exit 1; }
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # $missing is a list
$sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing >&2
