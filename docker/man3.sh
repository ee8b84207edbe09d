#!/bin/sh
# man3.sh HEADER FOLDER: writes the manual of the library into FOLDER, a page for each section of the header and one for each function
# that leads there. Texts are the header's comments; the date is that of SOURCE_DATE_EPOCH, or today.
set -eu
day=$(date -ud "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F)
rm -rf "$2" && mkdir -p "$2"
awk -v folder="$2" -v day="$day" '
function text(line) { gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line); return line ~ /^[.\047]/ ? "\\&" line : line }
function comment(line) { sub(/^ *\/\* ?/, "", line); sub(/^ \* ?/, "", line); sub(/ *\*\/ *$/, "", line); return line }
function finish(   i) {
    if (!page) return
    file = folder "/nqueens_" page ".3"
    print ".\\\" made from nqueens.h" >file
    print ".TH NQUEENS_" toupper(page) " 3 \"" day "\" \"libnqueens " version "\" \"Library Functions\"" >file
    print ".SH NAME\n" (names ? names : "nqueens_" page) " \\- " summary "\n.SH SYNOPSIS\n.nf\n.B #include <nqueens.h>\n.fi\n.SH DESCRIPTION\n" body ".SH SEE ALSO\n.BR nqueens (3)" >file
    close(file)
    pages = pages "\n.TP\n.BR nqueens_" page " (3)\n" summary
    count = split(names, each, ", ")
    for (i = 1; i <= count; i++) { print ".so man3/nqueens_" page ".3" >(folder "/" each[i] ".3"); close(folder "/" each[i] ".3") }
    page = names = body = ""
}
/^#define NQ_VERSION "/ { split($0, part, "\""); version = part[2] }
NR == 1 { sub(/.* - /, ""); intro = text(toupper(substr($0, 1, 1)) substr($0, 2)) "\n"; heading = 1; next }
heading { line = comment($0); intro = intro (line == "" ? ".PP" : text(line)) "\n"; if (/\*\/$/) heading = 0; next }
/^\/\* ---- / {
    finish()
    line = $0; sub(/^\/\* ---- /, "", line); sub(/ -*( \*\/)?$/, "", line)
    page = tolower(line); sub(/:.*/, "", page); summary = line; sub(/^[^:]*: /, "", summary)
    inside = $0 !~ /\*\/$/; next
}
!page || /^#(ifdef|endif)/ || /^}$/ && !open { next }
/^\/\*/ && !open { inside = 1; if (body != "") body = body ".PP\n" }
inside { line = comment($0); if (line != "") body = body text(line) "\n"; if (/\*\/$/) inside = 0; next }
/^$/ { next }
{
    line = $0
    if (match(line, /nq_[a-z_]+\(/) && line ~ /^NQ_API/) { name = substr(line, RSTART, RLENGTH - 1); names = names (names ? ", " : "") name }
    gsub(/NQ_API |NQ_CHECKED /, "", line)
    if (!open) body = body (body == "" ? "" : ".PP\n") ".nf\n"
    else if (name_open) sub(/^ +/, "        ", line)
    body = body text(line) "\n"
    name_open = $0 ~ /^NQ_API/ || open && name_open
    open = line !~ /;( *\/\*.*\*\/)?$|^#define/ || line ~ /^    / && line !~ /\);$/
    if (line ~ /^}/) open = 0
    if (!open) body = body ".fi\n"
}
END {
    finish()
    file = folder "/nqueens.3"
    print ".\\\" made from nqueens.h" >file
    print ".TH NQUEENS 3 \"" day "\" \"libnqueens " version "\" \"Library Functions\"\n.SH NAME\nnqueens \\- placements of n queens, none attacking another" >file
    print ".SH SYNOPSIS\n.nf\n.B #include <nqueens.h>\n.PP\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs nqueens)\n.fi\n.SH DESCRIPTION\n" intro ".SH PAGES" pages "\n.SH SEE ALSO\n.BR nqueensd (1)" >file
}' "$1"
