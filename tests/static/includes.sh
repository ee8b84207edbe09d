#!/bin/sh
# The floors: each file includes only what stands below it, and rooms on one floor do not know each other.
#   include <- base <- board, kernels, stores, steps <- count, formats, constructions, solvers <- engine <- http <- bench, main
set -eu
cd "$(dirname "$0")/../.."

floor_of() { # floor_of ROOM
    case $1 in
    include) echo 0 ;;
    base) echo 1 ;;
    board | kernels | stores | steps) echo 2 ;;
    count | formats | constructions | solvers) echo 3 ;;
    engine) echo 4 ;;
    http) echo 5 ;;
    bench | main) echo 6 ;;
    *) echo "no floor is known for the room '$1'" >&2; exit 1 ;;
    esac
}

bad=0
for file in src/*.[ch] src/*/*.[ch] include/*.h; do
    case $file in
    include/*) room=include ;;
    src/*/*) room=${file#src/}; room=${room%%/*} ;;
    *) room=main ;;
    esac
    for header in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
        case $header in */*) wanted=${header%%/*} ;; *) wanted=main ;; esac
        [ "$wanted" = "$room" ] && continue
        if [ "$(floor_of "$wanted")" -ge "$(floor_of "$room")" ] && [ "$room" != main ]; then
            echo "$file includes $header: not below it"
            bad=1
        fi
    done
done
exit $bad
