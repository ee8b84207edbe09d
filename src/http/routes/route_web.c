/* route_web.c - GET /, /docs, /embed and /web/{file}: the explorer as src/web/pack.sh made it, embedded when the binary
 * is built, its pages once for each language. */
#include <stdlib.h>
#include <string.h>

#include "http/reply/request.h"
#include "http/reply/response.h"
#include <web_files.h>

#define EMBED_FILE(symbol, name) EMBED(web_##symbol, name, name ".gz")
#define EMBED_PAGES(language) \
    EMBED(web_index_##language, "index." #language ".html", "index." #language ".html.gz") \
    EMBED(web_docs_##language, "docs." #language ".html", "docs." #language ".html.gz") \
    EMBED(web_embed_##language, "embed." #language ".html", "embed." #language ".html.gz")

WEB_LANGUAGES(EMBED_PAGES)
WEB_FILES(EMBED_FILE)

#define WEB_HTML "text/html; charset=utf-8"
#define WEB_JS "text/javascript; charset=utf-8"

static const struct {
    const char *name;
    struct embedded file;
} files[] = {
#define ROW(symbol, name_) {.name = (name_), .file = EMBEDDED(web_##symbol)},
    WEB_FILES(ROW)
#undef ROW
};

/* The first language is the one of a reader whose languages are others. The pages: in the order of the languages. */
#define NAME(language) #language,
#define INDEX(language) EMBEDDED(web_index_##language),
#define DOCS(language) EMBEDDED(web_docs_##language),
#define GAME(language) EMBEDDED(web_embed_##language),
static const char *const languages[] = {WEB_LANGUAGES(NAME) NULL};
static const struct embedded index_pages[] = {WEB_LANGUAGES(INDEX)}, docs_pages[] = {WEB_LANGUAGES(DOCS)},
                             game_pages[] = {WEB_LANGUAGES(GAME)};

/* All files of the page come from this server, but for the style and a short script, which stand in it; its icon, and
 * pictures to save, are data: and blob:. */
static const char policy[] = "default-src 'none'; script-src 'self' '" WEB_SCRIPT "'; style-src '" WEB_STYLE "'; "
                             "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; ";

/* wanted: NULL: a language that the reader has. */
static enum MHD_Result reply_page(struct request *request, const struct embedded *pages, const char *wanted)
{
    const char *language = wanted ? wanted : request_language(request, languages);
    struct bytes whole = {0};
    size_t i = 0;
    while (languages[i] != language)
        i++;
    bytes_text(&whole, policy);
    ancestors_write(&whole, request->service->options.frame_ancestors);
    char *text = bytes_take(&whole);
    if (!text)
        return reply_status(request, NQ_NOMEM);
    const struct web_file as = {WEB_HTML, "no-cache", text, language};
    const enum MHD_Result result = reply_web(request, &as, &pages[i]);
    free(text);
    return result;
}

static enum MHD_Result page(struct request *request, struct value *values)
{
    (void)values;
    return reply_page(request, index_pages, NULL);
}

static enum MHD_Result docs(struct request *request, struct value *values)
{
    (void)values;
    return reply_page(request, docs_pages, NULL);
}

static const char *language_at(size_t i)
{
    return languages[i];
}

enum { CODE, LANGUAGE };

/* What the page does with them is its own affair: it asks /puzzle for the board. */
static const struct param game_params[] = {
    [CODE] = {.name = "code",
              .type = PARAM_TEXT,
              .required = true,
              .summary = "the short code of the board of regions, as /puzzle returns it"},
    [LANGUAGE] = {.name = "lang",
                  .type = PARAM_CHOICE,
                  .choices = language_at,
                  .summary = "the language of the page; without it one of Accept-Language"},
    {0},
};

static enum MHD_Result game(struct request *request, struct value *values)
{
    const struct value *language = &values[LANGUAGE];
    return reply_page(request, game_pages, language->given ? languages[language->number] : NULL);
}

/* The name of a script changes with its content. */
static const struct web_file script = {.media_type = WEB_JS, .cache = "public, max-age=31536000, immutable"};

static enum MHD_Result part(struct request *request, struct value *values)
{
    (void)values;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, request->segment) == 0)
            return reply_web(request, &script, &files[i].file);
    return reply_problem(request, PROBLEM_NOT_FOUND, "The explorer has no such file.");
}

const struct route route_page = {
    .path = "/",
    .summary = "The explorer, a page that shows what this service can do",
    .media_type = WEB_HTML,
    .handle = page,
};

const struct route route_docs = {
    .path = "/docs",
    .summary = "The contract as a page",
    .media_type = WEB_HTML,
    .handle = docs,
};

const struct route route_embed = {
    .path = "/embed",
    .example = "/embed?code=131w",
    .summary = "A board to play, without the rest of the explorer, for pages of others",
    .params = game_params,
    .media_type = WEB_HTML,
    .handle = game,
};

const struct route route_web = {
    .path = "/web/{file}",
    .summary = "A script of the explorer",
    .media_type = WEB_JS,
    .handle = part,
};
