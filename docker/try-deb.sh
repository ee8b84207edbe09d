#!/usr/bin/env bash
# try-deb.sh FOLDER: installs the packages in FOLDER in a Debian that systemd-nspawn boots, and uses it as its documents say: the service, the
# socket, stored counts, keys. It removes the packages, upgrades one of 0.1.0 to them, and purges them: then nothing may be left. Needs
# root.
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

# A package of 0.1.0 had header and static library within.
rm -rf "$work/previous" && dpkg-deb -R "$debs"/nqueensd_*.deb "$work/previous" && install -Dm644 include/nqueens.h "$work/previous/usr/include/nqueens.h" &&
    install -Dm644 /dev/null "$work/previous/usr/lib/libnqueens.a" && sed -i 's/^Version: .*/Version: 0.1.0/' "$work/previous/DEBIAN/control" &&
    dpkg-deb --root-owner-group -b "$work/previous" "$root/root/previous.deb" >/dev/null || exit 1

cat >"$root/root/use" <<'USE'
#!/bin/sh
# Runs inside the system after it has booted.
exec 2>&1
passed=0 failed=0
check() { # check NAME COMMAND...
    name=$1; shift
    if "$@"; then passed=$((passed + 1)); echo "passed  $name"; else failed=$((failed + 1)); echo "FAILED  $name"; fi
}
# All files, except those that dpkg, systemd and agetty keep for themselves.
everything() { find / -xdev -path /root -prune -o -path /var/lib/dpkg -prune -o -path /var/log -prune -o -path /var/cache -prune -o -print; find /run -xdev -path /run/systemd -prune -o -path /run/agetty.reload -o -print; }
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
check "a package of 0.1.0" dpkg -i /root/previous.deb
check "service of it" systemctl enable --now nqueensd.service
before=$(systemctl show -p MainPID nqueensd.service)
check upgrade dpkg --force-depends --auto-deconfigure -i /root/libnqueens-dev.deb /root/libnqueens0.deb /root/nqueensd.deb # as apt calls it
check "the header has moved" sh -c 'dpkg -S /usr/include/nqueens.h | grep -q ^libnqueens-dev && ! test -e /usr/lib/libnqueens.a'
check "another process" test "$(systemctl show -p MainPID nqueensd.service)" != "$before"
check "answers after the upgrade" answers "$counted" "$target"
check "stop" systemctl disable --now nqueensd.service
check "remove the library of it" dpkg --purge libnqueens-dev libnqueens0
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
