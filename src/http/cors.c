/* cors.c - origins of pages, and what their browsers are told (https://fetch.spec.whatwg.org, 3.2). */
#include "http/cors.h"

#include <ctype.h>
#include <string.h>

#include "http/request.h"
#include "http/response.h"

/* One origin: scheme://host or scheme://host:port, in lower case and without a path. */
static bool is_origin(const char *text, size_t size)
{
    static const char *const schemes[] = {"https://", "http://"};
    size_t scheme = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && !scheme; i++)
        if (size > strlen(schemes[i]) && strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            scheme = strlen(schemes[i]);
    for (size_t i = scheme; i < size; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && !strchr("-.:[]", text[i]))
            return false;
    return scheme > 0;
}

bool cors_sound(const char *origins)
{
    if (*origins == '\0' || strcmp(origins, "*") == 0)
        return true;
    for (;;) {
        const size_t size = strcspn(origins, ",");
        if (!is_origin(origins, size))
            return false;
        if (!origins[size])
            return true;
        origins += size + 1;
    }
}

bool cors_has(const char *origins, const char *origin)
{
    if (strcmp(origins, "*") == 0)
        return true;
    for (; *origins; origins += strspn(origins, ",")) {
        const size_t size = strcspn(origins, ",");
        if (strlen(origin) == size && strncmp(origins, origin, size) == 0)
            return true;
        origins += size;
    }
    return false;
}

bool cors_varies(const struct request *request)
{
    const char *origins = server_origins(request->server);
    return request->port == PORT_PUBLIC && *origins && strcmp(origins, "*") != 0;
}

/* Whether the page that asks may; NULL is no page. */
static const char *allowed(const struct request *request)
{
    const char *origins = server_origins(request->server), *origin = request->headers.origin;
    if (request->port != PORT_PUBLIC || !origin || !cors_has(origins, origin))
        return NULL;
    return strcmp(origins, "*") == 0 ? "*" : origin;
}

void cors_allow(struct request *request, struct MHD_Response *response)
{
    const char *origin = allowed(request);
    if (!origin)
        return;
    response_header(request, response, "Access-Control-Allow-Origin", origin);
    response_header(request, response, "Access-Control-Expose-Headers",
                    "Content-Location, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, "
                    "Retry-After, Server-Timing, Traceresponse, WWW-Authenticate, X-Request-Id");
}

void cors_preflight(struct request *request, struct MHD_Response *response, const char *methods)
{
    if (!allowed(request) || !request->headers.preflight)
        return;
    response_header(request, response, "Access-Control-Allow-Methods", methods);
    response_header(request, response, "Access-Control-Allow-Headers",
                    server_has_keys(request->server)
                        ? "Authorization, Content-Type, If-None-Match, Last-Event-ID, Prefer, Traceparent, X-API-Key, "
                          "X-Request-Id"
                        : "Content-Type, If-None-Match, Last-Event-ID, Prefer, Traceparent, X-Request-Id");
    response_header(request, response, "Access-Control-Max-Age", "86400");
}
