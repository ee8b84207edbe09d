/* route_web.c - GET /, /docs and /web/{file}: the files of src/web, embedded when the binary is built, the pages once
 * for each language. */
#include <string.h>

#include "http/reply/request.h"
#include "http/routes/web_files.h"

#define EMBED_FILE(symbol, name, type) EMBED(web_##symbol, "src/web/" name, name ".gz")
#define EMBED_PAGE(symbol, name) EMBED(web_##symbol, name, name ".gz")

EMBED_PAGE(index_en, "index.en.html")
EMBED_PAGE(index_it, "index.it.html")
EMBED_PAGE(index_ru, "index.ru.html")
EMBED_PAGE(docs_en, "docs.en.html")
EMBED_PAGE(docs_it, "docs.it.html")
EMBED_PAGE(docs_ru, "docs.ru.html")
WEB_FILES(EMBED_FILE)

#define WEB_HTML "text/html; charset=utf-8"

struct file {
    const char *name, *media_type;
    struct embedded file;
};

static const struct file files[] = {
#define ROW(symbol, name_, type) {.name = (name_), .media_type = (type), .file = EMBEDDED(web_##symbol)},
    WEB_FILES(ROW)
#undef ROW
};

/* The first language is the one of a reader whose languages are others. */
static const char *const languages[] = {"en", "it", "ru", NULL};
static const struct embedded index_pages[] = {EMBEDDED(web_index_en), EMBEDDED(web_index_it), EMBEDDED(web_index_ru)},
                             docs_pages[] = {EMBEDDED(web_docs_en), EMBEDDED(web_docs_it), EMBEDDED(web_docs_ru)};

/* pages: in the order of the languages. */
static enum MHD_Result reply_page(struct request *request, const struct embedded *pages)
{
    const char *language = request_language(request, languages);
    size_t i = 0;
    while (languages[i] != language)
        i++;
    return reply_web(request, WEB_HTML, language, &pages[i]);
}

static enum MHD_Result page(struct request *request, struct value *values)
{
    (void)values;
    return reply_page(request, index_pages);
}

static enum MHD_Result docs(struct request *request, struct value *values)
{
    (void)values;
    return reply_page(request, docs_pages);
}

static enum MHD_Result part(struct request *request, struct value *values)
{
    (void)values;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, request->segment) == 0)
            return reply_web(request, files[i].media_type, NULL, &files[i].file);
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

static const char *const part_types[] = {WEB_CSS, WEB_JS, WEB_SVG, NULL};

const struct route route_web = {
    .path = "/web/{file}",
    .summary = "A file of the explorer",
    .media_types = part_types,
    .handle = part,
};
