#!/bin/sh
# deb.sh FOLDER: makes the Debian package FOLDER/nqueensd_VERSION_ARCH.deb of the files that `make install` put into FOLDER/root. It
# depends on the group "run" of packages.txt; DEBFULLNAME and DEBEMAIL name its maintainer.
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
maintainer="${DEBFULLNAME:-The nqueensd authors} <${DEBEMAIL:-nqueensd@example.org}>"

# The section of CHANGELOG.md about this release, in Debian's format.
{
    printf 'nqueensd (%s) unstable; urgency=medium\n\n' "$version"
    sed -n '/^## /,$p' "$here/../CHANGELOG.md" | sed '1d; /^## /,$d' | sed -n 's/[*`]//g; s/^- /  * /p; s/^  \([^*]\)/    \1/p' | fmt -tw 80
    printf '\n -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -uRd "@${SOURCE_DATE_EPOCH:-$(date +%s)}")"
} | gzip -9n >"$root/usr/share/doc/nqueensd/changelog.gz"

# The file of settings belongs to the package, as a conffile.
install -d "$root/DEBIAN" "$root/etc/default"
cat >"$root/etc/default/nqueensd" <<'SETTINGS'
# Settings of nqueensd.service, one a line: nqueensd(1) lists them.
#NQ_LISTEN=0.0.0.0:8080
#NQ_TRUSTED_PROXIES=127.0.0.0/8
SETTINGS
echo /etc/default/nqueensd >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/control" <<CONTROL
Package: nqueensd
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Section: science
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: libc6 (>= 2.36)$depends
Description: HTTP service about placements of n non-attacking queens
 Lists, counts and constructs placements of n queens on an n by n board, none
 attacking another, as JSON, CSV, text and pictures. Counts are exact or marked
 as estimates; long counts survive a restart.
CONTROL
# The service is neither enabled nor started: the administrator decides. DPKG_ROOT is set if another system than the running one gets
# the package.
cat >"$root/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
[ -n "$DPKG_ROOT" ] || [ ! -d /run/systemd/system ] || { systemctl daemon-reload; systemctl try-restart nqueensd.service; }
POSTINST
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
[ "$1" != remove ] || [ -n "$DPKG_ROOT" ] || [ ! -d /run/systemd/system ] || systemctl --now disable nqueensd.socket nqueensd.service
PRERM
# Purging also removes everything that the units and the instructions in the documents created: stored counts and keys.
cat >"$root/DEBIAN/postrm" <<'POSTRM'
#!/bin/sh
set -e
if [ "$1" = purge ]; then
    rm -rf "$DPKG_ROOT/var/lib/private/nqueensd" "$DPKG_ROOT/var/lib/nqueensd" "$DPKG_ROOT/etc/nqueensd"
    rm -rf "$DPKG_ROOT"/etc/systemd/system/nqueensd.service.d "$DPKG_ROOT"/etc/systemd/system/nqueensd.socket.d
    rm -f "$DPKG_ROOT"/etc/systemd/system/*.wants/nqueensd.service "$DPKG_ROOT"/etc/systemd/system/*.wants/nqueensd.socket
fi
[ -n "$DPKG_ROOT" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
POSTRM
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
dpkg-deb --root-owner-group --build "$root" "$folder/nqueensd_${version}_$architecture.deb"
