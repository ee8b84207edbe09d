#!/bin/sh
# pack.sh OUT - makes of this folder what the server embeds; OUT/web_files.h lists it. The name of a script has a part of its hash,
# so that browsers may keep it for a year. A page needs few files: the style stands in it, main.js has what tabs share, a tab the rest.
# shellcheck disable=SC2012,SC2046,SC2086 # of lists each word is one
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
shared='api board dom rules shell snippet state words' # modules whose exports main.js exports
tabs='tab_board play_game play_free tab_watch tab_count tab_build'
rm -f "$out"/*

bundle() { # bundle OPTIONS...: prints a script; what a URL decides stays an import
    esbuild --bundle --format=esm --target=es2022 --charset=utf8 --minify --log-level=warning "$@"
}
keep() { # keep NAME: the script that it reads, under its name on the server, which it prints
    cat >"$out/$1"
    kept=$1-$(sha256sum <"$out/$1" | cut -c1-8).js
    mv "$out/$1" "$out/$kept"
    echo "$kept"
}

main=$({ echo "import './main.js';"; printf "export * from './%s.js';\n" $shared; } | bundle | keep main)
docs=$(bundle docs.js | keep docs)
modules=$(echo "$shared" | sed 's/ /\\|/g')
for tab in $tabs; do
    file=$(bundle $(printf -- '--external:./%s.js ' $shared) "$tab.js" | sed "s#\"\./\($modules\)\.js\"#\"./$main\"#g" | keep "$tab")
    echo "  <link rel=\"part\" title=\"$tab\" href=\"web/$file\">"
done >"$out/parts"

# English first: it is for readers of all other languages, too.
languages="en $(ls words_*.js | sed 's/words_\(.*\)\.js/\1/; /^en$/d' | tr '\n' ' ')"
for language in $languages; do
    name=$(sed -n "s/^  language: '\(.*\)',\$/\1/p" "words_$language.js")
    file=$(bundle "words_$language.js" | keep "words_$language")
    echo "  <link rel=\"words\" hreflang=\"$language\" title=\"$name\" href=\"web/$file\">"
done >"$out/words"

esbuild --minify --charset=utf8 style.css | tr -d '\n' >"$out/style"
icon=data:image/svg+xml\;base64,$(base64 -w0 icon.svg)
for page in index docs; do
    cat "$out/words" $([ $page = docs ] || echo "$out/parts") >"$out/links"
    for language in $languages; do
        words=$(cd "$out" && echo "words_$language"-*.js)
        sed -e "s/^<html lang=\"en\">\$/<html lang=\"$language\">/" -e "s#\"web/icon.svg\"#\"$icon\"#" \
            -e "s#\"web/main.js\"#\"web/$main\"#; s#\"web/docs.js\"#\"web/$docs\"#; s#\"web/words.js\"#\"web/$words\"#" "$page.html" |
            awk -v links="$out/links" -v style="$out/style" '
                function copy(file, line) { while ((getline line <file) > 0) print line }
                /<link rel="stylesheet"/ { printf "  <style>"; getline line <style; print line "</style>"; next }
                /<\/head>/ { copy(links) }
                { print }' >"$out/$page.$language.html"
    done
done

for file in "$out"/*.js "$out"/*.html; do gzip -9 -n -k "$file"; done
{
    echo '/* web_files.h - what src/web/pack.sh made: FILE(symbol, name) for each script, and the hash of the style in each page. */'
    echo "#define WEB_STYLE \"sha256-$(sha256sum <"$out/style" | cut -c1-64 | tr a-f A-F | basenc -d --base16 | base64)\""
    echo "#define WEB_LANGUAGES(LANGUAGE) $(printf 'LANGUAGE(%s) ' $languages)"
    echo "#define WEB_FILES(FILE) $(cd "$out" && for file in *.js; do printf 'FILE(%s, "%s") ' "${file%-*}" "$file"; done)"
} >"$out/web_files.h"
rm "$out/style" "$out/parts" "$out/words" "$out/links"
