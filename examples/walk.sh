#!/bin/sh
# Walks through all pages of a list by their Link header, checks the last solution and draws it. Needs curl only.
# Usage: walk.sh [SERVICE]
set -eu
service=${1:-http://127.0.0.1:8080}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

next='/solve?n=7&limit=10'
pages=0
while [ -n "$next" ]; do
    curl -sS --fail-with-body -D "$dir/headers" "$service$next" >"$dir/page"
    grep '^{"permutation"' "$dir/page" >>"$dir/solutions" # a solution stands on a line of its own
    pages=$((pages + 1))
    next=$(sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p' "$dir/headers")
done

last=$(tail -n 1 "$dir/solutions" | sed 's/,$//')
valid=$(curl -sS --fail-with-body -H 'Content-Type: application/json' -d "$last" "$service/verify" | grep -c '"valid":true')
[ "$valid" = 1 ]
echo "$(grep -c . "$dir/solutions") solutions of n = 7 in $pages pages; the last one is valid:"
echo "$last" | tr -dc '0-9,' | tr ',' '\n' | while read -r column || [ -n "$column" ]; do
    awk -v c="$column" 'BEGIN { for (i = 1; i <= 7; i++) printf i == c ? "Q" : "."; print "" }'
done
