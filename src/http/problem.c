/* problem.c - the table of problems, and their JSON. */
#include "http/problem.h"

#include "base/json.h"

#define REALM "Bearer realm=\"nqueensd\""

static const struct problem_row rows[] = {
    [PROBLEM_BAD_REQUEST] = {400, "bad-request", "Bad request", NULL, true, NULL},
    [PROBLEM_INVALID_PARAMETER] = {400, "invalid-parameter", "Invalid parameter", NULL, false, NULL},
    [PROBLEM_KEY_NEEDED] = {401, "key-needed", "Key needed", NULL, false, REALM},
    [PROBLEM_KEY_UNKNOWN] = {401, "key-unknown", "Key not known", NULL, false, REALM ", error=\"invalid_token\""},
    [PROBLEM_FORBIDDEN] = {403, "forbidden", "Forbidden", NULL, false, NULL},
    [PROBLEM_NOT_FOUND] = {404, "not-found", "Not found", NULL, false, NULL},
    [PROBLEM_METHOD_NOT_ALLOWED] = {405, "method-not-allowed", "Method not allowed", NULL, false, NULL},
    [PROBLEM_NOT_ACCEPTABLE] = {406, "not-acceptable", "Not acceptable", NULL, false, NULL},
    [PROBLEM_REQUEST_TIMEOUT] = {408, "request-timeout", "Request timeout", NULL, true, NULL},
    [PROBLEM_BODY_TOO_LARGE] = {413, "content-too-large", "Content too large", NULL, true, NULL},
    [PROBLEM_URI_TOO_LONG] = {414, "uri-too-long", "URI too long", NULL, true, NULL},
    [PROBLEM_MEDIA_TYPE] = {415, "unsupported-media-type", "Unsupported media type", NULL, false, NULL},
    [PROBLEM_BEYOND_LIMIT] = {422, "beyond-limit", "Beyond a limit", NULL, false, NULL},
    [PROBLEM_NO_SOLUTION] = {422, "no-solution", "No solution exists", NULL, false, NULL},
    [PROBLEM_TOO_MANY] = {429, "too-many-requests", "Too many requests", "1", false, NULL},
    [PROBLEM_HEADERS_TOO_LARGE] = {431, "headers-too-large", "Request header fields too large", NULL, true, NULL},
    [PROBLEM_INTERNAL] = {500, "internal", "Internal error", NULL, false, NULL},
    [PROBLEM_METHOD_UNKNOWN] = {501, "method-unknown", "Method not implemented", NULL, true, NULL},
    [PROBLEM_HTTP_VERSION] = {505, "http-version", "HTTP version not supported", NULL, false, NULL},
    [PROBLEM_BUSY] = {503, "busy", "Too busy", "1", false, NULL},
    [PROBLEM_TOO_SLOW] = {503, "too-slow", "Not answered in time", "5", false, NULL},
    [PROBLEM_OUT_OF_MEMORY] = {503, "out-of-memory", "Out of memory", "5", false, NULL},
    [PROBLEM_SHUTTING_DOWN] = {503, "shutting-down", "Shutting down", "1", true, NULL},
    /* Seen only by a client that closed its sending side and still reads: that counts as leaving. */
    [PROBLEM_CLIENT_LEFT] = {503, "client-left", "Client left", NULL, true, NULL},
};

const struct problem_row *problem_row(enum problem problem)
{
    return &rows[problem];
}

enum problem problem_of(enum nq_status status)
{
    switch (status) {
    case NQ_INVALID: return PROBLEM_INVALID_PARAMETER;
    case NQ_LIMIT: return PROBLEM_BEYOND_LIMIT;
    case NQ_NONE: return PROBLEM_NO_SOLUTION;
    case NQ_NOMEM: return PROBLEM_OUT_OF_MEMORY;
    case NQ_BUSY: return PROBLEM_BUSY;
    case NQ_TIMEOUT: return PROBLEM_TOO_SLOW;
    case NQ_CLOSED: return PROBLEM_SHUTTING_DOWN;
    case NQ_CANCELLED: return PROBLEM_CLIENT_LEFT;
    case NQ_DENIED: return PROBLEM_FORBIDDEN;
    case NQ_QUOTA: return PROBLEM_TOO_MANY;
    case NQ_OK:
    case NQ_END:
    case NQ_AGAIN:
    case NQ_BROKEN: break; /* the store's trouble never becomes a reply's */
    }
    return PROBLEM_INTERNAL;
}

void problem_write(struct bytes *out, enum problem problem, const char *detail, const struct complaints *complaints)
{
    const struct problem_row *row = &rows[problem];
    json_t *json = json_pack("{s:s+, s:s, s:i, s:s}", "type", "urn:nqueensd:problem:", row->slug, "title", row->title,
                             "status", (int)row->status, "detail", detail);
    if (complaints && complaints->count) {
        json_t *errors = json_array();
        for (size_t i = 0; i < complaints->count; i++)
            json_element(&errors, json_pack("{s:s, s:s}", "parameter", complaints->list[i].parameter, "reason",
                                            complaints->list[i].reason));
        json_member(&json, "errors", errors);
    }
    bytes_json(out, json, JSON_COMPACT);
}
