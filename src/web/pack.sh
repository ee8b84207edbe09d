#!/bin/sh
# pack.sh OUT - makes of this folder what the server embeds; OUT/web_files.h lists it. The name of a script has a part of its hash,
# so that browsers may keep it for a year. A page needs few files and bytes: the style and anew.js stand in it, main.js has what tabs
# share, and a tab the rest, with its words in one language.
# shellcheck disable=SC2012,SC2046,SC2086 # of lists each word is one
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
shared='api board dom full rules shell snippet state turn words' # modules whose exports main.js exports
rm -f "$out"/*

# The tabs, and the sections of words_<language>.js that each needs besides those of the page, which are all that stand not here.
parts='tab_board:solutions play_game:play,game play_free:play,game play_days:days play_learn:learn tab_watch:watch,articles,titles,methods watch_growth:growth tab_count:count board_shape:shapes count_profile:shapes,profile tab_build:build,titles,methods'
own=$(echo "$parts docs:docs,routes,tags" | tr ' ' '\n' | sed 's/.*://' | tr '\n' ',')
# English first: it is for readers of all other languages, too.
languages="en $(ls words_*.js | sed 's/words_\(.*\)\.js/\1/; /^en$/d' | tr '\n' ' ')"

bundle() { # bundle OPTIONS...: prints a script; what a URL decides stays an import
    esbuild --bundle --format=esm --target=es2022 --charset=utf8 --minify --log-level=warning "$@"
}
look() { # look NAME...: a script that brings these looks, those of them that there are
    for name; do [ ! -f "$name.css" ] || esbuild --minify --charset=utf8 "$name.css"; done >"$out/look"
    [ ! -s "$out/look" ] || printf "import { look } from './dom.js';\nlook(\`%s\`);\n" "$(cat "$out/look")"
}
whole() { # whole LANGUAGE: its words, and those of English that it lacks
    for words in en "$1"; do esbuild --charset=utf8 --minify "words_$words.js"; done | awk -f words.awk
}
sections() { # sections LANGUAGE NAME,...: these sections of the words
    awk -v names=",$2," '/^  [a-z]+: \{$/ { on = index(names, "," substr($1, 1, length($1) - 1) ",") } on { print } /^  \},$/ { on = 0 }' "$out/$1.whole"
}
page_sections() { # page_sections LANGUAGE: all others, and of these the title and what the tab is about
    awk -v names=",$own" '
        /^  [a-z]+: \{$/ { part = index(names, "," substr($1, 1, length($1) - 1) ","); print; next }
        /^  \},$/ { print; next }
        /^    [^ }]/ { on = !part || /^    (title|about):/; if (/^    [a-z]+: \{ title: "[^"]*", about: /) sub(/, about: "[^"]*"/, "") }
        /^    / && on { print }' "$out/$1.whole"
}
keep() { # keep NAME EXTENSION...: NAME gets a hash of NAME.EXTENSION..., in this order; prints NAME-HASH
    name=$1
    shift
    hash=$(for extension; do cat "$out/$name.$extension"; done | sha256sum | cut -c1-8)
    for extension; do mv "$out/$name.$extension" "$out/$name-$hash.$extension"; done
    echo "$name-$hash"
}
for language in $languages; do
    whole "$language" >"$out/$language.whole"
done
in_languages=$(printf '%s.js ' $languages)

{ echo "import './main.js';"; printf "export * from './%s.js';\n" $shared; } | bundle >"$out/main.js"
{ look docs; echo "import './docs.js';"; } | bundle >"$out/docs.js"
main=$(keep main js).js
docs=$(keep docs js).js

modules=$(echo "$shared" | sed 's/ /\\|/g')
for part in $parts; do
    for language in $languages; do
        { case $part in play_game:*|play_free:*) with=play ;; tab_count:*|watch_growth:*) with=chart ;; *) with= ;; esac; look $with "${part%:*}"; echo "export * from './${part%:*}.js'; export const words = {"; sections "$language" "${part#*:}"; echo '};'; } |
            bundle $(printf -- '--external:./%s.js ' $shared) | sed "s#\"\./\($modules\)\.js\"#\"./$main\"#g" >"$out/${part%:*}.$language.js"
        [ -s "$out/${part%:*}.$language.js" ] # the pipe hides that there was an error
    done
    echo "  <link rel=\"part\" title=\"${part%:*}\" href=\"web/$(keep "${part%:*}" $in_languages).en.js\">"
done >"$out/parts"
for language in $languages; do
    { echo 'export default {'; page_sections "$language"; echo '};'; } | bundle >"$out/words.$language.js"
    { echo 'export default {'; sections "$language" "shell,problems,refused,docs,routes,tags"; echo '};'; } | bundle >"$out/words_docs.$language.js"
done
index_words=$(keep words $in_languages)
docs_words=$(keep words_docs $in_languages)

for file in style.css anew.js; do
    esbuild --minify --charset=utf8 "$file" | tr -d '\n' >"$out/${file%.*}"
done
icon=data:image/svg+xml\;base64,$(base64 -w0 icon.svg)
for page in index docs embed; do
    words=$index_words
    [ $page != docs ] || words=$docs_words
    {
        for language in $languages; do
            name=$(sed -n "s/^  language: \"\(.*\)\",\$/\1/p" "$out/$language.whole")
            echo "  <link rel=\"words\" hreflang=\"$language\" title=\"$name\" href=\"web/$words.$language.js\">"
        done
        [ $page = docs ] || cat "$out/parts"
    } >"$out/links"
    for language in $languages; do
        unloaded=$(sed -n "s/^  unloaded: \"\(.*\)\",\$/\1/p" "$out/$language.whole")
        sed -e '1,/<title>/d; /<meta name="description"/d' -e "s#manifest.webmanifest#&?lang=$language#; s#\"web/icon.svg\"#\"$icon\"#; s#id=\"gone\".*hidden>#&$unloaded#" \
            -e "s#\"web/main.js\"#\"web/$main\"#; s#\"web/docs.js\"#\"web/$docs\"#; s#\"web/words.js\"#\"web/$words.$language.js\"#" "$page.html" |
            awk -v links="$out/links" -v style="$out/style" -v anew="$out/anew" '
                function copy(file, line) { while ((getline line <file) > 0) print line }
                /<link rel="stylesheet"/ { printf "  <style>"; getline line <style; print line "</style>"; next }
                /"web\/anew\.js"/ { printf "  <script>"; getline line <anew; print line "</script>"; next }
                /<\/head>/ { copy(links) }
                { print }' >"$out/$page.$language.html"
    done
done

# What pages say of themselves: the server writes the lines up to the title, see route_web.c.
about() { # about LANGUAGE: of each page its name, title and description, as C has them
    awk '/^  pages: \{$/ { on = 1; next } /^  \},$/ { on = 0 } on' "$out/$1.whole" |
        sed 's/^    \([a-z]*\): { title: \("[^"<&\\]*"\), about: \("[^"<&\\]*"\), },$/ABOUT("\1", \2, \3) \\/; t; s/.*/#error no page: &/'
}
hash() { # hash FILE: as a Content-Security-Policy names it
    echo "sha256-$(sha256sum <"$1" | cut -c1-64 | tr a-f A-F | basenc -d --base16 | base64)"
}
for language in $languages; do # as an app it has the name of the first page, and is about the same
    fill=$(sed -n 's/^    front: { title: "\([^"|]*\)", about: "\([^"|]*\)", },$/s|NAME|\1|; s|ABOUT|\2|/p' "$out/$language.whole")
    sed "s/LANGUAGE/$language/; $fill" manifest.json >"$out/manifest.$language.json"
done
esbuild --minify --charset=utf8 worker.js >"$out/worker.js" # its name has no hash: browsers ask for it by that name for ever
cp robots.txt favicon.ico icon-*.png "$out"
zopfli "$out"/*.js "$out"/*.html "$out"/*.json "$out/robots.txt"
{
    echo '/* web_files.h - what src/web/pack.sh made: FILE(symbol, name) for each script, and the hashes of the style and the script in each page. */'
    echo "#define WEB_STYLE \"$(hash "$out/style")\""
    echo "#define WEB_SCRIPT \"$(hash "$out/anew")\""
    for language in $languages; do
        printf '#define WEB_ABOUT_%s(ABOUT) \\\n%s\n\n' "$language" "$(about "$language")"
    done
    echo "#define WEB_LANGUAGES(LANGUAGE) $(printf 'LANGUAGE(%s) ' $languages)"
    echo "#define WEB_FILES(FILE) $(cd "$out" && for file in *-*.js; do printf 'FILE(%s, "%s") ' "$(echo "${file%.js}" | tr .- __)" "$file"; done)"
} >"$out/web_files.h"
rm "$out"/*.whole "$out/style" "$out/look" "$out/anew" "$out/parts" "$out/links"
