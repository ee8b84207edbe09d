/* route_web.c - GET /, /docs and /web/{file}: the page and what it is made of, embedded when the binary is built. It
 * knows the files by name; what is in them is theirs, but for the language, which stands in their first tag. */
#include <string.h>

#include "http/route.h"
#include "http/web_files.h"

#define EMBED(symbol, name, type) \
    extern const char web_begin_##symbol[], web_end_##symbol[]; \
    __asm__(".section .rodata\n" \
            ".globl web_begin_" #symbol "\n" \
            "web_begin_" #symbol ": .incbin \"src/web/" name "\"\n" \
            ".globl web_end_" #symbol "\n" \
            "web_end_" #symbol ": .byte 0\n" \
            ".previous\n");

EMBED(index, "index.html", )
EMBED(docs, "docs.html", )
WEB_FILES(EMBED)

#define WEB_HTML "text/html; charset=utf-8"

struct file {
    const char *name, *media_type, *begin, *end;
};

static const struct file files[] = {
#define ROW(symbol, name, type) {name, type, web_begin_##symbol, web_end_##symbol},
    WEB_FILES(ROW)
#undef ROW
};

/* A page in the language that is wanted. It is written in the first one, and says so once: <html lang="en">. */
static enum MHD_Result reply_in_words(struct request *request, const char *begin, const char *end)
{
    static const char *const languages[] = {"en", "it", "ru", NULL};
    static const char tag[] = "<html lang=\"";
    const char *language = request_language(request, languages), *at = strstr(begin, tag) + sizeof tag - 1;
    struct bytes body = {0};
    bytes_add(&body, begin, (size_t)(at - begin));
    bytes_text(&body, language);
    bytes_add(&body, at + strlen(language), (size_t)(end - at) - strlen(language));
    return reply_web(request, WEB_HTML, language, &body);
}

static enum MHD_Result page(struct request *request, struct value *values)
{
    (void)values;
    return reply_in_words(request, web_begin_index, web_end_index);
}

static enum MHD_Result docs(struct request *request, struct value *values)
{
    (void)values;
    return reply_in_words(request, web_begin_docs, web_end_docs);
}

static enum MHD_Result part(struct request *request, struct value *values)
{
    (void)values;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, request_segment(request)) != 0)
            continue;
        struct bytes body = {0};
        bytes_add(&body, files[i].begin, (size_t)(files[i].end - files[i].begin));
        return reply_web(request, files[i].media_type, NULL, &body);
    }
    return reply_problem(request, PROBLEM_NOT_FOUND, "The page has no such file.");
}

const struct route route_page = {
    .path = "/",
    .summary = "The explorer: a page to look at what this service can do",
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
    .summary = "A file that the page is made of",
    .media_types = part_types,
    .handle = part,
};
