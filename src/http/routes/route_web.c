/* route_web.c - the pages of the explorer, their scripts and the manifest, as src/web/pack.sh made them, embedded when
 * the binary is built, pages and manifest once for each language. The first lines of a page, up to what is the same for
 * all requests, are written here: its title, what it is about, and a picture of the board that its address names. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/reply/page.h"
#include "http/reply/request.h"
#include "http/reply/response.h"
#include "puzzles/puzzle_code.h"
#include <web_files.h>

#define EMBED_FILE(symbol, name) EMBED(web_##symbol, name, name ".gz")
#define EMBED_PAGES(language) \
    EMBED(web_index_##language, "index." #language ".html", "index." #language ".html.gz") \
    EMBED(web_docs_##language, "docs." #language ".html", "docs." #language ".html.gz") \
    EMBED(web_embed_##language, "embed." #language ".html", "embed." #language ".html.gz") \
    EMBED(web_manifest_##language, "manifest." #language ".json", "manifest." #language ".json.gz")

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
#define MANIFEST(language) EMBEDDED(web_manifest_##language),
static const char *const languages[] = {WEB_LANGUAGES(NAME) NULL};
enum { LANGUAGES = sizeof languages / sizeof languages[0] - 1 };
static const struct embedded index_pages[] = {WEB_LANGUAGES(INDEX)}, docs_pages[] = {WEB_LANGUAGES(DOCS)},
                             game_pages[] = {WEB_LANGUAGES(GAME)}, manifests[] = {WEB_LANGUAGES(MANIFEST)};

/* All files of the page come from this server, but for the style and a short script, which stand in it; its icon, and
 * pictures to save, are data: and blob:. */
static const char policy[] = "default-src 'none'; script-src 'self' '" WEB_SCRIPT "'; style-src '" WEB_STYLE "'; "
                             "img-src 'self' data: blob:; connect-src 'self'; base-uri 'self'; form-action 'none'; ";

/* The pages that are an app, besides: see route_app.c. */
static const char app_policy[] = "worker-src 'self'; manifest-src 'self'; ";

/* ---- The first lines ---- */

/* What a page says of itself, by language: src/web/words_*.js. */
struct about {
    const char *name, *title, *text;
};
#define ABOUT(name_, title_, text_) {.name = (name_), .title = (title_), .text = (text_)},
#define ABOUT_PAGES(language) static const struct about about_##language[] = {WEB_ABOUT_##language(ABOUT){0}};
WEB_LANGUAGES(ABOUT_PAGES)
#define ABOUT_OF(language) about_##language,
static const struct about *const abouts[] = {WEB_LANGUAGES(ABOUT_OF)};

/* The page of a path has the name of its first segment there. */
static const struct about *about_of(size_t language, const char *path)
{
    assert(language < LANGUAGES);
    const char *name = strcmp(path, "/") == 0 ? "front" : path + 1;
    const size_t size = strcspn(name, "/");
    const struct about *about = abouts[language];
    while (about->name && (strlen(about->name) != size || memcmp(about->name, name, size) != 0))
        about++;
    assert(about->name);
    return about;
}

/* The host as the client named it, if nothing of it means anything in HTML or in an address. */
static const char *sound_host(struct request *request)
{
    const char *host = MHD_lookup_connection_value(request->mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *const sound = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
    return host && *host && host[strspn(host, sound)] == '\0' ? host : NULL;
}

/* As a trusted proxy says. */
static bool is_secure(struct request *request)
{
    const char *scheme = !request->prefix_varies
                             ? NULL
                             : MHD_lookup_connection_value(request->mhd, MHD_HEADER_KIND, "X-Forwarded-Proto");
    request->reply.schemed = true;
    return scheme && strcmp(scheme, "https") == 0;
}

/* The parameters of /puzzle that name the board of an address: 2026-11-27, of n rows, or a code. */
static void write_board(struct request *request, struct bytes *out)
{
    const char *n = MHD_lookup_connection_value(request->mhd, MHD_GET_ARGUMENT_KIND, "n");
    if (!strchr(request->segment, '-')) {
        bytes_format(out, "puzzle?code=%s&amp;format=png", request->segment);
        return;
    }
    bytes_format(out, "puzzle?kind=regions&amp;daily=%s", request->segment);
    if (n && *n && strlen(n) <= 2 && n[strspn(n, "0123456789")] == '\0')
        bytes_format(out, "&amp;n=%s", n);
    bytes_text(out, "&amp;format=png");
}

/* The same of the board of the first page, see tab_front.js, on the day that it is by UTC: a reader's own may be the
 * one before or after. The page is another one on each day, and has another tag. False: this clock has no such day. */
static bool write_today(struct bytes *out)
{
    enum { ROWS = 6 };
    char day[PUZZLE_DAY_MAX];
    struct tm utc;
    const time_t now = time(NULL);
    if (!gmtime_r(&now, &utc) || !strftime(day, sizeof day, "%Y-%m-%d", &utc))
        return false;
    bytes_format(out, "puzzle?kind=regions&amp;daily=%s&amp;n=%d&amp;format=png", day, ROWS);
    return true;
}

/* The picture that says what the page is about. */
static void write_picture(struct request *request, struct bytes *out)
{
    if (strcmp(request->route->asks.path, "/play/{board}") == 0)
        write_board(request, out);
    else if (strcmp(request->route->asks.path, "/") != 0 || !write_today(out))
        bytes_text(out, "solve?n=8&amp;format=png");
}

/* Where this service is, as the client named it; without a sound name only its prefix. */
static void write_service(struct request *request, struct bytes *out)
{
    const char *host = sound_host(request);
    if (host)
        bytes_format(out, "%s://%s", is_secure(request) ? "https" : "http", host);
    bytes_text(out, request->prefix);
}

/* The page's own address, without a query. */
static void write_address(struct request *request, struct bytes *out)
{
    const char *path = request->route->asks.path, *brace = strchr(path, '{');
    write_service(request, out);
    bytes_add(out, path, brace ? (size_t)(brace - path) : strlen(path));
    if (brace)
        bytes_text(out, request->segment);
}

/* For search engines, which want whole addresses: the page's name, and where a reader of another language finds it. */
static void write_names(struct request *request, struct bytes *out)
{
    bytes_text(out, "  <link rel=\"canonical\" href=\"");
    write_address(request, out);
    bytes_text(out, "\">\n");
    for (size_t i = 0; !request->route->page && languages[i]; i++) {
        bytes_format(out, "  <link rel=\"alternate\" hreflang=\"%s\" href=\"", languages[i]);
        write_address(request, out);
        bytes_format(out, "?lang=%s\">\n", languages[i]);
    }
}

/* Where what the page names relatively is, what it is called, and its picture, which needs a whole address: who shows
 * it is elsewhere. */
static void write_links(struct request *request, const struct embedded *pages, struct bytes *out)
{
    if (pages == index_pages) /* whose addresses change; links inside the others go without a base */
        bytes_format(out, "  <base href=\"%s\">\n", strchr(request->route->asks.path, '{') ? "../" : "./");
    if (pages != game_pages) /* which need a code, and search engines shall not list them */
        write_names(request, out);
    if (!sound_host(request))
        return;
    bytes_text(out, "  <meta property=\"og:image\" content=\"");
    write_service(request, out);
    bytes_char(out, '/');
    write_picture(request, out);
    bytes_text(out, "\">\n");
}

static void write_head(struct request *request, const struct embedded *pages, size_t language, struct bytes *out)
{
    const struct about *about = about_of(language, request->route->asks.path);
    bytes_format(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n  <meta charset=\"utf-8\">\n", languages[language]);
    bytes_format(out, "  <title>%s</title>\n  <meta name=\"description\" content=\"%s\">\n", about->title, about->text);
    bytes_format(out, "  <meta property=\"og:title\" content=\"%s\">\n", about->title);
    bytes_format(out, "  <meta property=\"og:description\" content=\"%s\">\n", about->text);
    bytes_text(out, "  <meta property=\"og:type\" content=\"website\">\n");
    write_links(request, pages, out);
}

/* ---- Pages ---- */

static const char *language_at(size_t i)
{
    return languages[i];
}

#define LANGUAGE_PARAM \
    { \
        .name = "lang", .type = PARAM_CHOICE, .choices = language_at, \
        .summary = "the language of the page; without it one of Accept-Language" \
    }

static const struct param page_params[] = {LANGUAGE_PARAM, {0}};

/* The one that lang names, or that Accept-Language wants most; else the first. */
static size_t language_of(const struct request *request, const struct value *lang)
{
    if (lang->given)
        return lang->number;
    size_t best = 0;
    int most = 0;
    for (size_t i = 0; i < LANGUAGES; i++) {
        const int quality = accept_all(&request->headers.accept_language, languages[i], accept_language_read).quality;
        if (quality > most) {
            most = quality;
            best = i;
        }
    }
    return best;
}

/* pages: one in each language. wanted: lang. */
static enum MHD_Result reply_page(struct request *request, const struct embedded *pages, const struct value *wanted)
{
    const size_t i = language_of(request, wanted);
    struct bytes policies = {0}, head = {0};
    bytes_text(&policies, policy);
    if (pages == index_pages)
        bytes_text(&policies, app_policy);
    ancestors_write(&policies, request->service->options.frame_ancestors);
    write_head(request, pages, i, &head);
    char *text = bytes_take(&policies);
    if (!text) {
        bytes_free(&head);
        return reply_status(request, NQ_NOMEM);
    }
    const struct web_file as = {WEB_HTML, "no-cache", text, languages[i]};
    const enum MHD_Result result = reply_web_page(request, &as, &head, &pages[i]);
    free(text);
    return result;
}

static enum MHD_Result page(struct request *request, const struct value *values)
{
    return reply_page(request, index_pages, values);
}

static enum MHD_Result docs(struct request *request, const struct value *values)
{
    return reply_page(request, docs_pages, values);
}

static enum MHD_Result game(struct request *request, const struct value *values)
{
    return reply_page(request, game_pages, values);
}

enum { CODE = 1 };

/* What the page does with them is its own affair: it asks /puzzle for the board. */
static const struct param game_params[] = {
    LANGUAGE_PARAM,
    [CODE] = {.name = "code",
              .type = PARAM_TEXT,
              .required = true,
              .summary = "the short code of the board of regions, as /puzzle returns it"},
    {0},
};

enum MHD_Result reply_count_page(struct request *request)
{
    return page(request, (struct value[]){{.given = false}});
}

static enum MHD_Result manifest(struct request *request, const struct value *values)
{
    const size_t i = language_of(request, values);
    const struct web_file as = {
        .media_type = request->route->media_type, .cache = "no-cache", .language = languages[i]};
    return reply_web(request, &as, &manifests[i]);
}

/* The name of a script changes with its content. */
static const struct web_file script = {.media_type = WEB_JS, .cache = "public, max-age=31536000, immutable"};

static enum MHD_Result part(struct request *request, const struct value *values)
{
    (void)values;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, request->segment) == 0)
            return reply_web(request, &script, &files[i].file);
    return reply_problem(request, PROBLEM_NOT_FOUND, "The explorer has no such file.");
}

/* The query of a page is its own: what is chosen there. */
#define ROUTE(symbol, path_, summary_) \
    const struct route symbol = {.asks.path = (path_), \
                                 .summary = (summary_), \
                                 .asks.params = page_params, \
                                 .loose = true, \
                                 .media_type = WEB_HTML, \
                                 .handle = page};
ROUTE(route_page, "/", "The explorer: the board of the day, and what else there is")
ROUTE(route_play, "/play", "The explorer: boards to play")
ROUTE(route_play_board, "/play/{board}", "The same with the board of a day or of a code")
ROUTE(route_watch, "/watch", "The explorer: algorithms step by step")
ROUTE(route_watch_algorithm, "/watch/{algorithm}", "The same with one of them")
ROUTE(route_board, "/board", "The explorer: solutions, one by one")
ROUTE(route_build, "/build", "The explorer: constructions of large boards")

const struct route route_docs = {
    .asks.path = "/docs",
    .summary = "The contract as a page",
    .asks.params = page_params,
    .media_type = WEB_HTML,
    .handle = docs,
};

const struct route route_embed = {
    .asks.path = "/embed",
    .example = "/embed?code=131w",
    .summary = "A board to play, without the rest of the explorer, for pages of others",
    .asks.params = game_params,
    .media_type = WEB_HTML,
    .handle = game,
};

const struct route route_web = {
    .asks.path = "/web/{file}",
    .summary = "A script of the explorer",
    .media_type = WEB_JS,
    .handle = part,
};

const struct route route_manifest = {
    .asks.path = "/manifest.webmanifest",
    .asks.params = page_params,
    .summary = "What a browser needs to install the explorer as an app",
    .media_type = "application/manifest+json",
    .handle = manifest,
};
