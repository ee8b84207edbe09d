#!/usr/bin/env bash
# try-deb.sh FOLDER: installs the packages in FOLDER in a Debian that systemd-nspawn boots, and uses it as its documents say: the service, the
# socket, stored counts, keys. It removes the package, installs it again, and purges it: then nothing of it may be left. Needs root.
# Ends with "N passed, N failed".
set -u
debs=$(realpath "$1") || exit 2
cd "$(dirname "$0")/.." || exit 1
work=$PWD/build-container
root=$work/debian
mkdir -p "$work"

packages=$(awk '$1 == "run" { printf ",%s", $2 }' docker/packages.txt)
[ -s "$work/debian.tar" ] || mmdebstrap --variant=minbase --include="systemd,systemd-sysv,dbus,curl$packages" bookworm "$work/debian.tar" || exit 1
rm -rf "$root" && mkdir "$root" && tar -xf "$work/debian.tar" -C "$root" && for name in nqueensd libnqueens0 libnqueens-dev; do cp "$debs/$name"_*.deb "$root/root/$name.deb"; done || exit 1

cat >"$root/root/use" <<'USE'
#!/bin/sh
# Runs inside the system after it has booted.
exec 2>&1
passed=0 failed=0
check() { # check NAME COMMAND...
    name=$1; shift
    if "$@"; then passed=$((passed + 1)); echo "passed  $name"; else failed=$((failed + 1)); echo "FAILED  $name"; fi
}
# All files, except those that dpkg and systemd keep about any package.
everything() { find / -xdev -path /root -prune -o -path /var/lib/dpkg -prune -o -path /var/log -prune -o -path /var/cache -prune -o -print; find /run -xdev -path /run/systemd -prune -o -print; }
answers() { # answers TEXT CURL-ARGUMENT...: within ten seconds
    text=$1; shift
    for _ in $(seq 100); do curl -s "$@" | grep -F "$text" && return 0; sleep 0.1; done
    return 1
}
nothing() { everything | sort >/root/after; diff /root/before /root/after; }
target='http://127.0.0.1:8080/count?n=13&method=compute'
counted='"count":73712'

dpkg -i /root/nqueensd.deb >/dev/null && dpkg --purge nqueensd >/dev/null # so that the files of dpkg's first use exist already
everything | sort >/root/before
check install dpkg -i /root/nqueensd.deb
check "not started by itself" sh -c '! systemctl is-active nqueensd.service'
check service systemctl enable --now nqueensd.service
check answers answers "$counted" "$target"
mkdir -p /etc/nqueensd && nqueensd new-key alice >/etc/nqueensd/keys 2>/dev/null
check reload systemctl reload nqueensd.service
check "answers after that" answers "$counted" "$target"
check remove dpkg --remove nqueensd
check "stored counts stay" test -s /var/lib/private/nqueensd/nqueensd.db
check library dpkg -i --force-depends /root/libnqueens0.deb /root/libnqueens-dev.deb # a minimal system has no libc6-dev
check "the loader finds it" sh -c 'ldconfig -p | grep -q libnqueens.so.0'
check "remove the library" dpkg --purge libnqueens-dev libnqueens0
check "install again" dpkg -i /root/nqueensd.deb
echo NQ_LISTEN=systemd >>/etc/default/nqueensd
check socket systemctl enable --now nqueensd.socket
check "answers there" answers "$counted" --unix-socket /run/nqueensd.sock "$target"
check purge dpkg --purge nqueensd
check "nothing is left" nothing
echo "$passed passed, $failed failed"
USE
chmod 755 "$root/root/use"
install -d "$root/etc/systemd/system/default.target.wants"
cat >"$root/etc/systemd/system/use.service" <<'UNIT'
[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c '/root/use >/root/told; systemctl poweroff'
UNIT
ln -s ../use.service "$root/etc/systemd/system/default.target.wants/use.service"
timeout 300 systemd-nspawn --quiet --boot -D "$root" --private-network --register=no --keep-unit >"$work/boot.log" 2>&1 </dev/null
cat "$root/root/told" 2>/dev/null || tail -n 20 "$work/boot.log"
tail -n 1 "$root/root/told" | grep -q ' 0 failed$'
