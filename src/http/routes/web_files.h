/* web_files.h - the files of src/web that are served: FILE(symbol, name, media type) for each. */
#ifndef HTTP_ROUTES_WEB_FILES_H
#define HTTP_ROUTES_WEB_FILES_H

#define WEB_CSS "text/css; charset=utf-8"
#define WEB_JS "text/javascript; charset=utf-8"
#define WEB_SVG "image/svg+xml"

/* clang-format off */
#define WEB_FILES(FILE) \
    FILE(api, "api.js", WEB_JS) \
    FILE(board, "board.js", WEB_JS) \
    FILE(chart, "chart.js", WEB_JS) \
    FILE(contract, "contract.js", WEB_JS) \
    FILE(count_stats, "count_figures.js", WEB_JS) \
    FILE(count_gallery, "count_gallery.js", WEB_JS) \
    FILE(count_job, "count_job.js", WEB_JS) \
    FILE(docs_js, "docs.js", WEB_JS) \
    FILE(dom, "dom.js", WEB_JS) \
    FILE(game, "game.js", WEB_JS) \
    FILE(hints, "hints.js", WEB_JS) \
    FILE(icon, "icon.svg", WEB_SVG) \
    FILE(main, "main.js", WEB_JS) \
    FILE(play_free, "play_free.js", WEB_JS) \
    FILE(play_game, "play_game.js", WEB_JS) \
    FILE(press, "press.js", WEB_JS) \
    FILE(puzzles, "puzzles.js", WEB_JS) \
    FILE(records, "records.js", WEB_JS) \
    FILE(regions, "regions.js", WEB_JS) \
    FILE(rules, "rules.js", WEB_JS) \
    FILE(shell, "shell.js", WEB_JS) \
    FILE(snippet, "snippet.js", WEB_JS) \
    FILE(state, "state.js", WEB_JS) \
    FILE(style, "style.css", WEB_CSS) \
    FILE(tab_board, "tab_board.js", WEB_JS) \
    FILE(tab_build, "tab_build.js", WEB_JS) \
    FILE(tab_count, "tab_count.js", WEB_JS) \
    FILE(tab_play, "tab_play.js", WEB_JS) \
    FILE(tab_watch, "tab_watch.js", WEB_JS) \
    FILE(trace, "trace.js", WEB_JS) \
    FILE(tree, "tree.js", WEB_JS) \
    FILE(tryit, "tryit.js", WEB_JS) \
    FILE(words, "words.js", WEB_JS) \
    FILE(words_en, "words_en.js", WEB_JS) \
    FILE(words_it, "words_it.js", WEB_JS) \
    FILE(words_ru, "words_ru.js", WEB_JS) \
    FILE(yaml, "yaml.js", WEB_JS)
/* clang-format on */

#endif
