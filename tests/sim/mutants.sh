#!/bin/sh
# Whether the simulation finds what it is there for: two faults are put into a copy of the sources, one after the other, and
# 2000 seeds must find each, by the violation that is named (tests/sim/check.h).
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$top" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf -) |
    tar -C "$copy" -xf -

# mutant NAME VIOLATION FILE PERL...: the perl program changes the file, or nothing is tested.
number=0 failed=0
mutant() {
    name=$1 violation=$2
    shift 2
    for file in "$@"; do
        pattern=${file#*:} path=$copy/${file%%:*}
        cp "$path" "$path.was"
        perl -0pi -e "$pattern" "$path"
        ! cmp -s "$path" "$path.was" || { echo "# $name: nothing in ${file%%:*} is changed"; exit 1; }
    done
    make -C "$copy" --no-print-directory simulate >"$copy/log" 2>&1 || { cat "$copy/log"; exit 1; }
    number=$((number + 1)) verdict=ok
    if "$copy/build/tests/simulate" --seeds 1-2000 >"$copy/log" 2>&1 || ! grep -q "$violation" "$copy/log"; then
        verdict="not ok" failed=1
    fi
    echo "$verdict $number - $name is found: $(grep -m1 -o "seed=[0-9]*" "$copy/log" || tail -1 "$copy/log")"
    for file in "$@"; do mv "$copy/${file%%:*}.was" "$copy/${file%%:*}"; done
}

mutant 'a leader that writes after it lost its key' usurped \
    'src/engine/cluster/coordinator.c:s/taken && leader_is_sure\(&shared->leader\)/taken/'
mutant 'a report that is added twice' total \
    'src/engine/cluster/coordinator.c:s/    if \(shared->class->over\(shared->who, unit\)\)\n        return;[^\n]*\n//' \
    'src/engine/counts/count_work.c:s/settled->fresh = !units_known\(&count->units, unit\);/settled->fresh = true;/'
echo "1..$number"
exit $failed
