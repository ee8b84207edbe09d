#!/bin/sh
# sbom.sh NQUEENSD [PACKAGE...]: prints the bill of materials of an image as SPDX 2.3 in JSON: the binary NQUEENSD and the Debian packages
# that dpkg knows as installed, or only these. It needs a shell, awk and dpkg-query. The same packages and the same SOURCE_DATE_EPOCH
# give the same bytes.
set -eu
version=$("$1" --version)
version=${version#* }
binary=$(sha256sum "$1" | cut -d ' ' -f 1)
shift
created=$(date -ud "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%FT%TZ)
# shellcheck disable=SC1091 # of the system that has the packages
distribution=$(. /etc/os-release && echo "$ID-${VERSION_ID:-${VERSION_CODENAME:-}}")
run=$(awk '$1 == "run" { printf " %s ", $2 }' "$(dirname "$0")/packages.txt")

packages=$(LC_ALL=C dpkg-query -W -f '${db:Status-Status} ${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n' "$@" |
    sed -n 's/^installed //p' | LC_ALL=C sort)

# copyright PACKAGE: the licence of its files as an SPDX expression, or NOASSERTION; then, after a semicolon, all licences in Debian's words. Only
# a file that machines can read tells them: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
copyright() {
    file=/usr/share/doc/$1/copyright
    [ -r "$file" ] || file=/dev/null
    awk '
    function spdx(name,    version) {
        sub(/^GNU-/, "", name)
        if (name in known) return known[name]
        if (name !~ /^(A|L)?GPL-[0-9.]+\+?$/) return ""
        version = name; gsub(/^[A-Z]*-|\+$/, "", version)
        if (version !~ /\./) version = version ".0"
        return substr(name, 1, index(name, "-")) version (name ~ /\+$/ ? "-or-later" : "-only")
    }
    function expression(text,    words, count, i, one, made) {
        gsub(/[Ww]ith [^,]* exception/, "with-exception", text) # no identifier is "with-exception"
        count = split(text, words, / +/)
        for (i = 1; i <= count; i++) {
            one = i % 2 ? spdx(words[i]) : words[i] == "or" || words[i] == "OR" ? "OR" : words[i] == "and" || words[i] == "AND" ? "AND" : ""
            if (one == "") return "NOASSERTION"
            made = made (made == "" ? "" : " ") one
        }
        return made == "" || (made ~ / OR / && made ~ / AND /) ? "NOASSERTION" : made
    }
    BEGIN {
        count = split("Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSD-4-Clause BSL-1.0 CC0-1.0 ISC MIT Zlib", ids, " ")
        for (i = 1; i <= count; i++) { known[ids[i]] = ids[i]; plain = ids[i]; sub(/Clause/, "clause", plain); known[plain] = ids[i] }
        known["Expat"] = known["expat"] = "MIT"; known["zlib"] = "Zlib"
    }
    NR == 1 && !/^Format:.*copyright-format/ { exit }
    { sub(/\r$/, ""); sub(/[ \t]+$/, "") }
    /^Files:/ { whole = $0 ~ /^Files: *\*$/ }
    /^$/ { whole = 0 }
    /^License:/ {
        sub(/^License: */, ""); gsub(/[^A-Za-z0-9.,+() -]/, "")
        if ($0 == "") next
        if (whole && main == "") main = $0
        if (!seen[$0]++) all = all (all == "" ? "" : ", ") $0
    }
    END { printf "%s; %s", expression(main), all == "" ? "none that a machine can read" : all }' "$file"
}

# package ID NAME VERSION LICENCE: one package; standard input has the lines of its other members.
package() {
    printf '%s\n  {"SPDXID":"SPDXRef-%s","name":"%s","versionInfo":"%s","downloadLocation":"NOASSERTION","filesAnalyzed":false,\n' "$comma" "$1" "$2" "$3"
    sed 's/^/   /'
    printf '   "licenseConcluded":"NOASSERTION","licenseDeclared":"%s","copyrightText":"NOASSERTION"}' "$4"
    comma=,
}

# relation FROM KIND TO
relation() {
    printf '%s\n  {"spdxElementId":"SPDXRef-%s","relationshipType":"%s","relatedSpdxElement":"SPDXRef-%s"}' "$comma" "$1" "$2" "$3"
    comma=,
}

identifier() { echo "deb-$1-$2" | sed 's/+/.plus/g'; }
encoded() { echo "$1" | sed 's/+/%2B/g; s/:/%3A/g'; } # all else that names and versions may have stays as it is in a package URL

all_packages() {
    comma=
    package image nqueensd-image "$version" NOASSERTION <<MEMBERS
"primaryPackagePurpose":"CONTAINER",
MEMBERS
    package nqueensd nqueensd "$version" MIT <<MEMBERS
"primaryPackagePurpose":"APPLICATION","checksums":[{"algorithm":"SHA256","checksumValue":"$binary"}],
MEMBERS
    while read -r name release architecture source from; do
        licences=$(copyright "$name")
        purl=pkg:deb/${distribution%%-*}/$(encoded "$name")@$(encoded "$release")'?arch='$architecture'&distro='$distribution
        package "$(identifier "$name" "$architecture")" "$name" "$release" "${licences%%;*}" <<MEMBERS
"sourceInfo":"made from the source package $source $from","licenseComments":"/usr/share/doc/$name/copyright names:${licences#*;}",
"externalRefs":[{"referenceCategory":"PACKAGE-MANAGER","referenceType":"purl","referenceLocator":"$purl"}],
MEMBERS
    done
}

all_relations() {
    comma=
    relation DOCUMENT DESCRIBES image
    relation image CONTAINS nqueensd
    while read -r name _ architecture _; do
        relation image CONTAINS "$(identifier "$name" "$architecture")"
        case $run in *" $name "*) relation nqueensd DYNAMIC_LINK "$(identifier "$name" "$architecture")" ;; esac
    done
}

# The name space is a name of this list alone: it has the hash of what the list is made of.
cat <<DOCUMENT
{"spdxVersion":"SPDX-2.3","dataLicense":"CC0-1.0","SPDXID":"SPDXRef-DOCUMENT","name":"nqueensd-image-$version",
 "documentNamespace":"urn:nqueensd:sbom:$version:$(echo "$binary $created $distribution $packages" | sha256sum | cut -c 1-32)",
 "creationInfo":{"created":"$created","creators":["Tool: nqueensd-sbom.sh-$version"]},
 "packages":[$(echo "$packages" | all_packages)
 ],
 "relationships":[$(echo "$packages" | all_relations)
 ]}
DOCUMENT
