/* problem.c - the table of problems, and their JSON. */
#include "http/wire/problem.h"

#include <assert.h>

#define REALM "Bearer realm=\"nqueensd\""

static const struct problem_row rows[] = {
    [PROBLEM_BAD_REQUEST] = {.status = 400, .slug = "bad-request", .title = "Bad request", .close = true},
    [PROBLEM_INVALID_PARAMETER] = {.status = 400, .slug = "invalid-parameter", .title = "Invalid parameter"},
    [PROBLEM_KEY_NEEDED] = {.status = 401, .slug = "key-needed", .title = "Key needed", .challenge = REALM},
    [PROBLEM_KEY_UNKNOWN] = {.status = 401,
                             .slug = "key-unknown",
                             .title = "Key not known",
                             .challenge = REALM ", error=\"invalid_token\""},
    [PROBLEM_FORBIDDEN] = {.status = 403, .slug = "forbidden", .title = "Forbidden"},
    [PROBLEM_NOT_FOUND] = {.status = 404, .slug = "not-found", .title = "Not found"},
    [PROBLEM_METHOD_NOT_ALLOWED] = {.status = 405, .slug = "method-not-allowed", .title = "Method not allowed"},
    [PROBLEM_NOT_ACCEPTABLE] = {.status = 406, .slug = "not-acceptable", .title = "Not acceptable"},
    [PROBLEM_REQUEST_TIMEOUT] = {.status = 408, .slug = "request-timeout", .title = "Request timeout", .close = true},
    [PROBLEM_BODY_TOO_LARGE] = {.status = 413,
                                .slug = "content-too-large",
                                .title = "Content too large",
                                .close = true},
    [PROBLEM_URI_TOO_LONG] = {.status = 414, .slug = "uri-too-long", .title = "URI too long", .close = true},
    [PROBLEM_MEDIA_TYPE] = {.status = 415, .slug = "unsupported-media-type", .title = "Unsupported media type"},
    [PROBLEM_BEYOND_LIMIT] = {.status = 422, .slug = "beyond-limit", .title = "Beyond a limit"},
    [PROBLEM_NO_SOLUTION] = {.status = 422, .slug = "no-solution", .title = "No solution exists"},
    [PROBLEM_TOO_MANY] = {.status = 429, .slug = "too-many-requests", .title = "Too many requests", .retry_after = "1"},
    [PROBLEM_HEADERS_TOO_LARGE] = {.status = 431,
                                   .slug = "headers-too-large",
                                   .title = "Request header fields too large",
                                   .close = true},
    [PROBLEM_INTERNAL] = {.status = 500, .slug = "internal", .title = "Internal error"},
    [PROBLEM_METHOD_UNKNOWN] = {.status = 501,
                                .slug = "method-unknown",
                                .title = "Method not implemented",
                                .close = true},
    [PROBLEM_HTTP_VERSION] = {.status = 505, .slug = "http-version", .title = "HTTP version not supported"},
    [PROBLEM_BUSY] = {.status = 503, .slug = "busy", .title = "Too busy", .retry_after = "1"},
    [PROBLEM_TOO_SLOW] = {.status = 503, .slug = "too-slow", .title = "Not answered in time", .retry_after = "5"},
    [PROBLEM_OUT_OF_MEMORY] = {.status = 503, .slug = "out-of-memory", .title = "Out of memory", .retry_after = "5"},
    [PROBLEM_STORE_UNREAD] = {.status = 503,
                              .slug = "store-unread",
                              .title = "The store cannot be read",
                              .retry_after = "5"},
    [PROBLEM_SHUTTING_DOWN] =
        {.status = 503, .slug = "shutting-down", .title = "Shutting down", .retry_after = "1", .close = true},
    /* Only a client that closes its sending side and still reads gets this: closing it counts as leaving. */
    [PROBLEM_CLIENT_LEFT] = {.status = 503, .slug = "client-left", .title = "Client left", .close = true},
};

const struct problem_row *problem_row(enum problem problem)
{
    return &rows[problem];
}

enum problem problem_of(enum nq_status status)
{
    switch ((int)status) {
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
    case NQ_BROKEN: break; /* a fault of the store never becomes a reply */
    }
    return PROBLEM_INTERNAL;
}

static json_t *choices_json(param_choices choices)
{
    json_t *words = json_array();
    const char *word;
    for (size_t i = 0; (word = choices(i)); i++)
        json_element(&words, json_string(word));
    return words;
}

static json_t *names_json(const struct param *params)
{
    json_t *names = json_array();
    for (; params->name; params++)
        json_element(&names, json_string(params->name));
    return names;
}

static json_t *error_json(const struct validation_error *error)
{
    const struct refusal_row *row = &refusals[error->why];
    json_t *json =
        json_pack("{s:s, s:s, s:s}", "parameter", error->parameter, "code", row->code, "reason", error->reason);
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && error->values[i].given; i++) {
        const struct refusal_value *value = &error->values[i];
        json_member(&json, row->members[i],
                    value->text[0] ? json_string(value->text) : json_integer((json_int_t)value->number));
    }
    if (error->choices)
        json_member(&json, "choices", choices_json(error->choices));
    else if (error->among && error->among->name)
        json_member(&json, "choices", names_json(error->among));
    if (error->suggestion)
        json_member(&json, "suggestion", json_string(error->suggestion));
    return json;
}

json_t *problem_errors(const struct validation_errors *errors)
{
    json_t *members = json_array();
    for (size_t i = 0; i < errors->count; i++)
        json_element(&members, error_json(&errors->list[i]));
    return members;
}

static json_t *methods_json(const char *const *methods)
{
    json_t *names = json_array();
    for (; *methods; methods++)
        json_element(&names, json_string(*methods));
    return names;
}

void problem_write(struct bytes *out, enum problem problem, const char *detail, const struct problem_facts *facts)
{
    static const struct problem_facts none;
    const struct problem_row *row = &rows[problem];
    assert(row->status >= 400);
    json_t *json = json_pack("{s:s+, s:s, s:i, s:s}", "type", "urn:nqueensd:problem:", row->slug, "title", row->title,
                             "status", (int)row->status, "detail", detail);
    facts = facts ? facts : &none;
    if (facts->quota)
        json_member(&json, "quota", json_string(facts->quota));
    if (facts->limited)
        json_member(&json, "maximum", json_integer((json_int_t)facts->maximum));
    if (facts->errors && facts->errors->count)
        json_member(&json, "errors", problem_errors(facts->errors));
    if (facts->fault)
        json_fault(&json, facts->fault);
    if (facts->suggestion)
        json_member(&json, "suggestion", json_string(facts->suggestion));
    if (facts->methods)
        json_member(&json, "methods", methods_json(facts->methods));
    bytes_json(out, json, JSON_COMPACT | JSON_REAL_PRECISION(6));
}
