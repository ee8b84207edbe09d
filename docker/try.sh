#!/usr/bin/env bash
# try.sh: builds the image without a Docker engine and runs it as in production: as an unprivileged user, on a read-only root, behind
# nginx with docker/nginx.conf. Then it runs part of the HTTP suite on it. It needs root and works in a fresh clone: it installs and
# builds what is missing. It makes the base image once, from this system's package sources, in build-container. It prints what it
# measured, and ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
docker/install.sh build test long && make --no-print-directory all || exit 1
(cd tests && { npm ls >/dev/null 2>&1 || npm ci --no-audit --no-fund; }) || exit 1
work=$PWD/build-container
mkdir -p "$work"
base=$(sed -n 's/^ARG BASE=//p' docker/Dockerfile)
image=localhost/nqueensd:try
passed=0 failed=0

check() { # check NAME COMMAND...
    local name=$1 start=$SECONDS; shift
    if "$@" >"$work/$name.log" 2>&1 </dev/null; then
        passed=$((passed + 1)); echo "passed  $name ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1)); echo "FAILED  $name"; tail -n 40 "$work/$name.log"
    fi
}

# Limits that are allowed here, and a separate store of images, so that other images on this machine stay as they are.
cat >"$work/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=1000:1000"]
CONF
cat >"$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/images"
runroot = "$work/running"
CONF
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf

make_base() { # under the name in the Dockerfile; without manuals and translations, as in Debian's slim image
    buildah inspect --type image "$base" >/dev/null 2>&1 && return 0
    local from
    local slim=(--dpkgopt=path-exclude=/usr/share/{doc,man,info,locale}/'*' --dpkgopt=path-include=/usr/share/doc/'*'/copyright)
    [ -s "$work/base.tar.gz" ] || mmdebstrap --variant=minbase "${slim[@]}" bookworm "$work/base.tar.gz" || return 1
    from=$(buildah from scratch) && buildah add -q "$from" "$work/base.tar.gz" / && buildah commit -q "$from" "$base"
    local status=$?
    buildah rm "$from" >/dev/null
    return $status
}

build() {
    timeout 900 buildah bud --isolation chroot --pull-never --network host --format docker -t "$image" -f docker/Dockerfile .
}

small() { # the size beyond the base's layers is the one that docs/operations.md has
    local more told
    more=$(($(podman image inspect --format '{{.Size}}' "$image") - $(podman image inspect --format '{{.Size}}' "$base")))
    told=$(sed -n 's/^docker build .* # \([0-9]*\) MB beyond .*/\1/p' docs/operations.md)
    echo "image: $((more / 1000)) kB beyond the base's layers, $told MB by the document"
    [ $((more - told * 1000000)) -lt 600000 ] && [ $((told * 1000000 - more)) -lt 600000 ]
}

materials() { # the bill of materials names every package of the image
    local list=$work/sbom.json
    podman run --rm --runtime runc --network host --entrypoint /bin/cat "$image" /usr/share/nqueensd/sbom.spdx.json >"$list" || return 1
    podman run --rm --runtime runc --network host --entrypoint /usr/bin/dpkg-query "$image" -W -f '${Package} ${Version}\n' | LC_ALL=C sort >"$work/installed" || return 1
    jq -r '.packages[] | select(.SPDXID | startswith("SPDXRef-deb-")) | .name + " " + .versionInfo' "$list" | LC_ALL=C sort | diff - "$work/installed"
}

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }

settled() { # settled NAME: prints its log, and checks that it stops within the grace period
    local status=0
    podman logs "$1"
    podman stop -t 10 "$1" && [ "$(podman inspect --format '{{.State.ExitCode}}' "$1")" = 0 ] || status=1
    podman rm -f -v "$1" >/dev/null
    return $status
}

alone() { # as an unprivileged user, without a shell, with only its folder writable; its health check says when it is up
    local id=nqueensd-try-$$ admin status=1 process began
    admin=127.0.0.1:$(free_port)
    podman image inspect --format '{{json .HealthCheck}}' "$image" | grep -F '["CMD","/usr/bin/nqueensd","healthcheck"]' || return 1
    began=$(date +%s%N)
    podman run -d --name "$id" --runtime runc --network host --read-only --cap-drop all --security-opt no-new-privileges \
        -v /dev/null:/usr/bin/dash:ro -v /dev/null:/usr/bin/bash:ro \
        -e NQ_LISTEN=127.0.0.1:0 -e NQ_ADMIN="$admin" "$image" || return 1
    for _ in $(seq 200); do
        build/nqueensd healthcheck --admin "$admin" && status=0 && break
        sleep 0.01
    done 2>/dev/null
    echo "alive $((($(date +%s%N) - began) / 1000000)) ms after the command that starts it" | tee "$work/started"
    podman healthcheck run "$id" || status=1
    podman exec "$id" /usr/bin/nqueensd healthcheck --admin 127.0.0.1:1 && status=1
    process=$(podman inspect --format '{{.State.Pid}}' "$id")
    cp "/proc/$process/status" "$work/status"
    grep -E '^(Uid|Gid|VmRSS|VmHWM|CapEff|NoNewPrivs|Threads)' "$work/status"
    awk '/^[UG]id/ && $2 != 65532 || /^CapEff/ && $2 !~ /^0+$/ || /^NoNewPrivs/ && $2 != 1 { bad = 1 } END { exit bad }' "$work/status" || status=1
    podman exec "$id" /usr/bin/touch /usr/bin/x && status=1
    curl -sf "http://$admin/readyz" | grep '"ready"' || status=1 # not "degraded": the store's folder is writable
    settled "$id" || status=1
    return $status
}

suite() { # suite NQ_FRONT FILE...: part of the HTTP suite, each test with its own container
    local front=$1; shift
    NQUEENSD=tests/http/front.js NQ_FRONT=$front NQ_IMAGE=$image NQ_SLOW=1 timeout 900 node --test --test-concurrency=1 --test-reporter=tap "$@"
}

# Files whose tests only send requests. Others look into the process or kill it; and behind nginx lengths and chunks differ.
files() { printf 'tests/http/%s.test.js ' "$@"; }

check base make_base
check image build
check size small
check materials materials
check alone alone
# shellcheck disable=SC2046 # a list
check suite-direct suite none $(files conditional errors)
# shellcheck disable=SC2046
check suite-nginx suite nginx $(files puzzle trace formats)
for id in $(podman ps -aq); do podman rm -f -v "$id" >/dev/null; done # in this script's own store: containers that a test left
echo
cat "$work/started"
grep -h VmRSS "$work/status"
tail -n 1 "$work/size.log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
