# serving.sh - sourced by the measurements of one client that asks while something goes on: builds the asker, starts a server of
# its own, and sets dir (removed in the end), port and url.
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
gcc -O2 -o "$dir/asker" tests/bench/asker.c
build/nqueensd serve --listen 127.0.0.1:0 --admin off --store memory --log json 2>"$dir/log" &
until grep -qs listening "$dir/log"; do sleep 0.05; done
port=$(sed -n 's/.*"address":"127.0.0.1:\([0-9]*\)".*/\1/p' "$dir/log" | head -n 1) url=http://127.0.0.1:$port
curl -s "$url$target" >/dev/null

measure() { "$dir/asker" "$port" "$target" "$seconds" | sed "s/^/$1: microseconds: /"; } # measure WORDS: a line of figures
