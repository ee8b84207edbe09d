/* route_app.c - what browsers and crawlers ask for by themselves, and what makes an app of the explorer besides its
 * manifest: icons, the service worker, and robots.txt. Embedded when the binary is built: see src/web/pack.sh. */
#include <string.h>

#include "http/reply/request.h"
#include <web_files.h>

EMBED(web_robots, "robots.txt", "robots.txt.gz")
EMBED(web_worker, "worker.js", "worker.js.gz")

/* Pictures are compressed already. */
#define EMBED_PICTURE(symbol, name) EMBED_ONE(web_##symbol, name)
#define PICTURE(symbol) \
    { \
        .begin = web_##symbol##_begin, .end = web_##symbol##_end \
    }
EMBED_PICTURE(favicon, "favicon.ico")
EMBED_PICTURE(touch, "icon-touch.png")
#define ICONS(ICON) ICON(icon_192, "192.png") ICON(icon_512, "512.png") ICON(icon_maskable, "maskable.png")
#define EMBED_ICON(symbol, name) EMBED_PICTURE(symbol, "icon-" name)
ICONS(EMBED_ICON)

#define PNG "image/png"

static const struct embedded robots_file = EMBEDDED(web_robots), worker_file = EMBEDDED(web_worker),
                             favicon_file = PICTURE(favicon), touch_file = PICTURE(touch);
static const struct {
    const char *name;
    struct embedded file;
} icon_files[] = {
#define ROW(symbol, name_) {.name = (name_), .file = PICTURE(symbol)},
    ICONS(ROW)
#undef ROW
};

/* Their names do not change with their content: a day is how long browsers may show an older one. */
static enum MHD_Result reply_for_a_day(struct request *request, const struct embedded *file)
{
    const struct web_file as = {.media_type = request->route->media_type, .cache = "public, max-age=86400"};
    return reply_web(request, &as, file);
}

static enum MHD_Result favicon(struct request *request, const struct value *values)
{
    (void)values;
    return reply_for_a_day(request, &favicon_file);
}

static enum MHD_Result touch(struct request *request, const struct value *values)
{
    (void)values;
    return reply_for_a_day(request, &touch_file);
}

static enum MHD_Result icon(struct request *request, const struct value *values)
{
    (void)values;
    for (size_t i = 0; i < sizeof icon_files / sizeof icon_files[0]; i++)
        if (strcmp(icon_files[i].name, request->segment) == 0)
            return reply_for_a_day(request, &icon_files[i].file);
    return reply_problem(request, PROBLEM_NOT_FOUND, "There is no such icon: 192.png, 512.png or maskable.png.");
}

static enum MHD_Result robots(struct request *request, const struct value *values)
{
    (void)values;
    return reply_for_a_day(request, &robots_file);
}

/* The policy of a worker is that of its own reply, not of the page: it may ask this server, and load nothing. A browser
 * looks for a newer one at each visit, so it must not be kept. */
static enum MHD_Result worker(struct request *request, const struct value *values)
{
    (void)values;
    const struct web_file as = {.media_type = request->route->media_type,
                                .cache = "no-cache",
                                .policy = "default-src 'none'; connect-src 'self'"};
    return reply_web(request, &as, &worker_file);
}

const struct route route_favicon = {
    .asks.path = "/favicon.ico",
    .summary = "The icon that browsers ask for",
    .media_type = "image/vnd.microsoft.icon",
    .handle = favicon,
};

const struct route route_touch_icon = {
    .asks.path = "/apple-touch-icon.png",
    .summary = "The icon on the home screen of an iPhone or iPad",
    .media_type = PNG,
    .handle = touch,
};

const struct route route_icon = {
    .asks.path = "/icons/{icon}",
    .summary = "An icon that the manifest names",
    .media_type = PNG,
    .handle = icon,
};

const struct route route_robots = {
    .asks.path = "/robots.txt",
    .summary = "What crawlers should leave alone",
    .media_type = "text/plain; charset=utf-8",
    .handle = robots,
};

const struct route route_worker = {
    .asks.path = "/worker.js",
    .summary = "The service worker of the explorer, for games without a network",
    .media_type = "text/javascript; charset=utf-8",
    .handle = worker,
};
