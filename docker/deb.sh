#!/bin/sh
# deb.sh FOLDER: makes the Debian packages nqueensd, libnqueens0 and libnqueens-dev in FOLDER, of the files that `make install` put into
# FOLDER/root, with LIBDIR as Debian has it. nqueensd depends on the group "run" of packages.txt; DEBFULLNAME and DEBEMAIL name the
# maintainer. The same sources give the same bytes. Sources with changes after their release, in the section Unreleased of CHANGELOG.md,
# make packages of a version that is newer than that, and has the date of the sources.
set -eu
folder=$1
root=$folder/root
here=$(dirname "$0")
version=$("$root/usr/bin/nqueensd" --version)
version=${version#* }
version=${version%%+*} # of the release: the date below tells what came after it
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(date +%s)}"
# section TITLE: the lines of CHANGELOG.md below "## TITLE..." in Debian's format.
section() {
    awk -v title="## $1" '/^## / { on = index($0, title) == 1 } on && !/^## /' "$here/../CHANGELOG.md" |
        sed -n 's/[*`]//g; s/^- /  * /p; s/^  \([^*]\)/    \1/p; s/^### \(.*\)/  [ \1 ]/p' | fmt -tw 80
}
package_version=$version
[ -z "$(section Unreleased)" ] || package_version=$version+$(date -ud "@$SOURCE_DATE_EPOCH" +%Y%m%d)
architecture=$(dpkg --print-architecture)
libdir=usr/lib/$(gcc -print-multiarch)
soname=$(readlink "$root/$libdir/libnqueens.so")
library=libnqueens${soname##*.}
depends=$(awk '$1 == "run" { list = list ", " $2 } END { print list }' "$here/packages.txt")
maintainer="${DEBFULLNAME:-The nqueensd authors} <${DEBEMAIL:-nqueensd@example.org}>"

strip --strip-unneeded "$root/usr/bin/nqueensd" "$root/$libdir/$soname.$version"
strip --strip-debug --enable-deterministic-archives "$root/$libdir/libnqueens.a"
find "$root/usr/share/man" -type f -exec gzip -9nf {} +

# move PACKAGE PATH...: from the root to the package's own.
move() {
    own=$folder/$1; shift
    for path; do
        mkdir -p "$own/${path%/*}" && mv "$root/$path" "$own/${path%/*}/"
    done
}
move "$library" "$libdir/$soname.$version" "$libdir/$soname"
move libnqueens-dev "$libdir/libnqueens.so" "$libdir/libnqueens.a" "$libdir/pkgconfig" usr/include usr/share/man/man3
rmdir "$root/$libdir"
for example in count.c puzzle.c list.cpp; do
    install -Dm644 "$here/../examples/$example" "$folder/libnqueens-dev/usr/share/doc/libnqueens-dev/examples/$example"
done

# entry TITLE VERSION DISTRIBUTION DATE: a section as an entry of Debian's changelog.
entry() {
    printf 'nqueensd (%s) %s; urgency=medium\n\n' "$2" "$3"
    section "$1"
    printf '\n -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -uRd "$4")"
}
# What has changed since the release, if anything has, and the release.
changelog() {
    if [ "$package_version" != "$version" ]; then
        entry Unreleased "$package_version" UNRELEASED "@$SOURCE_DATE_EPOCH"
        echo
        entry "$version " "$version" unstable "$(sed -n "s/^## $version - //p" "$here/../CHANGELOG.md")"
    else
        entry "$version " "$version" unstable "@$SOURCE_DATE_EPOCH"
    fi
}

# package NAME OWN: makes a package of the folder OWN; the rest of its control file is standard input.
package() {
    own=$2
    mkdir -p "$own/DEBIAN" "$own/usr/share/doc/$1"
    install -m644 "$here/../LICENSE" "$own/usr/share/doc/$1/copyright"
    changelog | gzip -9n >"$own/usr/share/doc/$1/changelog.gz"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nPriority: optional\n' "$1" "$package_version" "$architecture" "$maintainer"
        echo "Installed-Size: $(du -k --apparent-size -s --exclude=DEBIAN "$own" | cut -f1)"
        cat
    } >"$own/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$own" "$folder/$1_${package_version}_$architecture.deb"
}

# ---- The service ----

# The file of settings belongs to the package, as a conffile.
install -d "$root/DEBIAN" "$root/etc/default"
cat >"$root/etc/default/nqueensd" <<'SETTINGS'
# Settings of nqueensd.service, one a line: nqueensd(1) lists them.
#NQ_LISTEN=0.0.0.0:8080
#NQ_TRUSTED_PROXIES=127.0.0.0/8
SETTINGS
echo /etc/default/nqueensd >"$root/DEBIAN/conffiles"
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
package nqueensd "$root" <<CONTROL
Section: science
Depends: libc6 (>= 2.36)$depends
Description: HTTP service about placements of n non-attacking queens
 Lists, counts and constructs placements of n queens on an n by n board, none
 attacking another, as JSON, CSV, text and pictures. Counts are exact or marked
 as estimates; long counts survive a restart.
CONTROL

# ---- The library ----

mkdir -p "$folder/$library/DEBIAN"
echo "libnqueens ${soname##*.} $library (>= $version)" >"$folder/$library/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' >"$folder/$library/DEBIAN/triggers"
chmod 644 "$folder/$library/DEBIAN/shlibs" "$folder/$library/DEBIAN/triggers"
package "$library" "$folder/$library" <<CONTROL
Source: nqueensd
Section: libs
Multi-Arch: same
Depends: libc6 (>= 2.36)
Description: placements of n non-attacking queens (shared library)
 Lists, counts and constructs placements of n queens on an n by n board, none
 attacking another, also by other rules, and makes puzzles and hints.
 .
 This package has the shared library.
CONTROL
# Before 1.0.0 the header and the static library were part of nqueensd.
package libnqueens-dev "$folder/libnqueens-dev" <<CONTROL
Source: nqueensd
Section: libdevel
Multi-Arch: same
Depends: $library (= $package_version), libc6-dev
Replaces: nqueensd (<< 1.0.0)
Breaks: nqueensd (<< 1.0.0)
Description: placements of n non-attacking queens (development files)
 Lists, counts and constructs placements of n queens on an n by n board, none
 attacking another, also by other rules, and makes puzzles and hints.
 .
 This package has the header, the static library, manual pages and examples.
CONTROL
