#!/bin/sh
# install.sh [--missing] GROUP...: installs the packages that docker/packages.txt lists for these groups and this machine
# lacks; with --missing it only prints their names. It prints the command before it runs it. If nothing is missing, it calls
# no package manager.
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

print_only=false
[ "${1-}" != --missing ] || { print_only=true; shift; }
missing=
for group; do
    while read -r in package probe; do
        [ "$in" = "$group" ] || continue
        present "$probe" || missing="$missing $package"
    done <"$list"
done
! $print_only || { echo "${missing# }"; exit 0; }
[ -n "$missing" ] || exit 0

echo "Packages are missing:$missing" >&2
command -v apt-get >/dev/null || { echo "This system has no apt-get: install them yourself." >&2; exit 1; }
install_command() { # install_command PREFIX
    echo "$1apt-get update -qq && $1env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends$missing"
}
command=$(install_command "")
if [ "$(id -u)" != 0 ]; then
    # sudo may ask for a password, which needs a terminal.
    command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; } || { echo "Run this as root: $command" >&2; exit 1; }
    command=$(install_command "sudo ")
fi
echo "Installing them: $command" >&2
eval "$command" >&2
