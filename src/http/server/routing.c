/* routing.c - finds the route of a request by path and method, reads its parameters, negotiates its representation. It
 * sends refusals only; the routes send all other replies. */
#include "http/server/routing.h"

#include <string.h>
#include <strings.h>

#include "http/reply/refusal.h"
#include "http/routes/routes.h"
#include "http/wire/accept.h"

/* The path below the public prefix, which a proxy strips or leaves. */
static const char *local_path(const struct service *service, const char *path)
{
    if (strncasecmp(path, "http://", 7) == 0) { /* absolute form */
        const char *slash = strchr(path + 7, '/');
        path = slash ? slash : "/";
    }
    const char *prefix = service->options.base_path;
    const size_t size = strlen(prefix);
    if (size && strncmp(path, prefix, size) == 0 && path[size] == '/')
        path += size;
    return path;
}

/* The value of the parameter `format`, NULL for a route without one. */
static struct value *find_format(const struct route *route, struct value *values)
{
    for (size_t i = 0; route->params && route->params[i].name; i++)
        if (strcmp(route->params[i].name, "format") == 0)
            return &values[i];
    return NULL;
}

/* Chooses a representation: by `format` if it was given, else by Accept. A choice by Accept is written into the values
 * as `format`, so that links lead to the same representation. False: Accept admits none. */
static bool negotiate(struct request *request, struct value *values)
{
    struct value *format = find_format(request->route, values);
    if (format && format->given && format->sound) {
        request->representation = format->number;
        return true;
    }
    request->reply.negotiated = true;
    const struct field_list *fields = &request->headers.accept;
    if (fields->count == 0)
        return true;
    const size_t acceptable = request->route->acceptable ? request->route->acceptable(values) : SIZE_MAX;
    int best = 0;
    const char *media_type;
    for (size_t i = 0; i < acceptable && (media_type = route_media_type(request->route, i)); i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < fields->count; k++)
            accept_read(fields->at[k], media_type, &accept);
        if (accept.quality > best) {
            best = accept.quality;
            request->representation = i;
        }
    }
    if (format && request->representation) {
        format->given = true;
        format->number = request->representation;
    }
    return best > 0;
}

struct reading {
    struct request *request;
    struct params params;
};

static enum MHD_Result read_param(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct reading *query = cls;
    (void)kind;
    if (memchr(name, '\0', name_size) || (value && memchr(value, '\0', value_size)))
        query->request->reply.close = true; /* a proxy may have read it up to the NUL only */
    params_read(&query->params, name, name_size, value, value_size);
    return MHD_YES;
}

const struct method_row *method_row(const char *method)
{
    /* The last row stands for all others: the client's words stay out of the log. */
    static const struct method_row rows[] = {
        {.name = "GET", .verb = VERB_READ},        {.name = "HEAD", .verb = VERB_READ},
        {.name = "OPTIONS", .verb = VERB_OPTIONS}, {.name = "POST", .verb = VERB_POST},
        {.name = "PUT", .verb = VERB_OTHER},       {.name = "PATCH", .verb = VERB_OTHER},
        {.name = "DELETE", .verb = VERB_DELETE},   {.name = "unknown", .verb = VERB_UNKNOWN},
    };
    const struct method_row *row = rows;
    while (row->verb != VERB_UNKNOWN && strcmp(row->name, method) != 0)
        row++;
    return row;
}

/* Reads the parameters and calls the route. */
static enum MHD_Result call_route(struct request *request)
{
    static const struct param none[] = {{0}};
    const struct route *route = request->route;
    struct reading query;
    struct params *params = &query.params;
    query.request = request;
    params_begin(params, route->params ? route->params : none);
    (void)MHD_get_connection_values_n(request->mhd, MHD_GET_ARGUMENT_KIND, read_param, &query);
    if (params_end_empty(request->target))
        params_read(params, "", 0, NULL, 0);
    params_end(params);
    const bool acceptable = negotiate(request, params->values);
    const bool read = !route->read || route->read(request, params->values, &params->errors);
    if (params->errors.count)
        return reply_validation_errors(request, &params->errors);
    if (!read)
        return reply_status(request, NQ_NOMEM);
    if (!acceptable)
        return reply_problem(
            request, PROBLEM_NOT_ACCEPTABLE,
            "This route has no representation that the Accept header allows. Send another Accept header, or none.");
    return route->handle(request, params->values);
}

const struct body_reader *routing_body_reader(const struct request *request, const char *url)
{
    struct route_match match;
    if (request->method->verb != VERB_POST)
        return NULL;
    const struct route *route = route_find(request->port, local_path(request->service, url), VERB_POST, &match);
    return route ? route->body : NULL;
}

enum MHD_Result routing_dispatch(struct request *request, const char *url)
{
    const enum verb verb = request->method->verb;
    struct route_match match;
    if (verb == VERB_UNKNOWN)
        return reply_problem(
            request, PROBLEM_METHOD_UNKNOWN,
            "The service does not know this method. Use one of those that OPTIONS lists for this path.");
    request->verbs = ~0u;
    if (verb == VERB_OPTIONS && strcmp(url, "*") == 0)
        return reply_options(request);
    request->route = route_find(request->port, local_path(request->service, url), verb, &match);
    request->verbs = match.verbs;
    memcpy(request->segment, match.segment, sizeof request->segment);
    if (request->requester.strange)
        return reply_strange(request);
    if (request->route)
        return call_route(request);
    request->route = match.any;
    if (!match.any)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "There is nothing at this path. GET /openapi.yaml on the public port lists the paths.");
    return verb == VERB_OPTIONS ? reply_options(request) : reply_method_not_allowed(request);
}
