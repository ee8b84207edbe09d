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

static void write_error(struct bytes *out, const struct validation_error *error)
{
    const struct refusal_row *row = &refusals[error->why];
    json_begin_object(out, NULL);
    json_write_text(out, "parameter", error->parameter);
    json_write_text(out, "code", row->code);
    json_write_text(out, "reason", error->reason);
    for (size_t i = 0; i < REFUSAL_MEMBERS_MAX && error->values[i].given; i++) {
        const struct refusal_value *value = &error->values[i];
        if (value->text[0])
            json_write_text(out, row->members[i], value->text);
        else
            json_write_number(out, row->members[i], value->number);
    }
    if (error->choices) {
        json_write_words(out, "choices", error->choices);
    } else if (error->among && error->among->name) {
        json_begin_array(out, "choices");
        for (const struct param *params = error->among; params->name; params++)
            json_write_text(out, NULL, params->name);
        json_end_array(out);
    }
    json_text_if(out, "suggestion", error->suggestion);
    json_end_object(out);
}

void problem_errors(struct bytes *out, const struct validation_errors *errors)
{
    json_begin_array(out, "errors");
    for (size_t i = 0; i < errors->count; i++)
        write_error(out, &errors->list[i]);
    json_end_array(out);
}

static void write_methods(struct bytes *out, const char *const *methods)
{
    json_begin_array(out, "methods");
    for (; *methods; methods++)
        json_write_text(out, NULL, *methods);
    json_end_array(out);
}

void problem_write(struct bytes *out, enum problem problem, const char *detail, const struct problem_facts *facts)
{
    static const struct problem_facts none;
    const struct problem_row *row = &rows[problem];
    const size_t start = out->size;
    assert(row->status >= 400);
    facts = facts ? facts : &none;
    json_begin_object(out, NULL);
    json_begin_text(out, "type");
    bytes_text(out, "urn:nqueensd:problem:");
    bytes_text(out, row->slug);
    json_end_text(out);
    json_write_text(out, "title", row->title);
    json_write_number(out, "status", row->status);
    json_write_text(out, "detail", detail);
    json_text_if(out, "quota", facts->quota);
    if (facts->limited)
        json_write_number(out, "maximum", facts->maximum);
    if (facts->errors && facts->errors->count)
        problem_errors(out, facts->errors);
    if (facts->fault)
        json_fault(out, facts->fault, PROBLEM_DIGITS);
    json_text_if(out, "suggestion", facts->suggestion);
    if (facts->methods)
        write_methods(out, facts->methods);
    json_end_object(out);
    json_end_document(out, start);
}
