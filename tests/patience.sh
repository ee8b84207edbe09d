#!/usr/bin/env bash
# Prints by how much the limits of waits are to be multiplied on this machine now, a whole number: 2 on an idle machine. It measures
# how long a piece of work takes by the clock and how long by its own processor time, in a session of its own and at the priority of
# threads that search, as the tests' servers run. Twice that, because other work may begin later.
set -eu
if [ "${1:-}" != work ]; then exec setsid --wait nice -n 10 "$0" work; fi
TIMEFORMAT='%R %U %S'
{ time for ((i = 0; i < 200000; i++)); do :; done; } 2>&1 |
    LC_ALL=C awk '{ ratio = $1 / ($2 + $3 + 0.001); print (ratio > 1 ? int(2 * ratio + 0.999) : 2) }'
