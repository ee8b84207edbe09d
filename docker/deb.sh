#!/bin/sh
# deb.sh FOLDER: a Debian package of what `make install` lays into FOLDER/root, written as FOLDER/nqueensd_VERSION_ARCH.deb. What
# it depends on is the group "run" of packages.txt.
set -eu
folder=$1
root=$folder/root
here=$(dirname "$0")
version=$("$root/usr/bin/nqueensd" --version)
version=${version#* }
architecture=$(dpkg --print-architecture)
depends=$(awk '$1 == "run" { list = list ", " $2 } END { print list }' "$here/packages.txt")

strip --strip-unneeded "$root/usr/bin/nqueensd"
strip --strip-debug "$root/usr/lib/libnqueens.a"
gzip -9nf "$root/usr/share/man/man1/nqueensd.1"
install -Dm644 "$here/../LICENSE" "$root/usr/share/doc/nqueensd/copyright"
install -d "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: nqueensd
Version: $version
Architecture: $architecture
Maintainer: The nqueensd authors <nqueensd@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: libc6 (>= 2.36)$depends
Description: HTTP service about placements of n non-attacking queens
 Lists, counts and constructs placements of n queens on an n by n board, none
 attacking another, as JSON, CSV, text and pictures. Counts are exact or say
 that they are not, long ones outlive the process.
CONTROL
# Not enabled and not started: whoever installs it says whether it is to serve.
cat >"$root/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || { systemctl daemon-reload; systemctl try-restart nqueensd.service; }
POSTINST
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
[ "$1" != remove ] || [ ! -d /run/systemd/system ] || systemctl --now disable nqueensd.socket nqueensd.service
PRERM
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
dpkg-deb --root-owner-group --build "$root" "$folder/nqueensd_${version}_$architecture.deb"
