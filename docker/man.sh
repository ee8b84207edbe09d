#!/bin/sh
# man.sh NQUEENSD: prints the manual. Its commands and flags are those that the binary prints; its date is that of
# SOURCE_DATE_EPOCH, or today.
set -eu
binary=$1
help=$("$binary" --help)
version=$("$binary" --version)
version=${version%%+*} # of the release
day=$(date -ud "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F)

# Lines of the help: "  --flag  NQ_FLAG  what it means", and "  command  what it does".
flags() { echo "$help" | awk '/^  / && $2 ~ /^NQ_/ { name = $1; variable = $2; sub(/^ +[^ ]+ +[^ ]+ +/, ""); print ".TP\n.BR " name " \", \" " variable "\n" $0 }'; }
commands() { echo "$help" | awk '/^  / && $2 !~ /^NQ_/ { name = $1; sub(/^ +[^ ]+ +/, ""); print ".TP\n.B " name "\n" $0 }'; }

while IFS= read -r line; do
    case $line in
    @commands@) commands | sed 's/-/\\-/g' ;;
    @flags@) flags | sed 's/-/\\-/g' ;;
    *) printf '%s\n' "$line" | sed "s/@version@/${version#* }/; s/@date@/$day/" ;;
    esac
done <"$(dirname "$0")/nqueensd.1.in"
