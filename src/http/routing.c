/* routing.c - from a whole request to its route: path, method, parameters, representation. It neither waits nor replies
 * with anything but refusals; the routes do. */
#include <string.h>
#include <strings.h>

#include "http/accept.h"
#include "http/request.h"

/* The path below the public prefix: what a proxy that strips it, or one that does not, asks for. */
static const char *local_path(const struct server *server, const char *path)
{
    if (strncasecmp(path, "http://", 7) == 0) { /* absolute form */
        const char *slash = strchr(path + 7, '/');
        path = slash ? slash : "/";
    }
    const char *prefix = server_prefix(server);
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

/* Settles on a representation: `format` if it was given, else by Accept. What Accept chose goes on as if it had been
 * asked for by name: links must lead to the same. False: none is wanted. */
static bool negotiate(struct request *request, struct value *values)
{
    struct value *format = find_format(request->route, values);
    if (format && format->given && format->sound) {
        request->representation = format->number;
        return true;
    }
    request->negotiated = true;
    if (request->headers.accepts == 0)
        return true;
    int best = 0;
    const char *media_type;
    for (size_t i = 0; (media_type = route_media_type(request->route, i)); i++) {
        struct accept accept = ACCEPT_UNREAD;
        for (unsigned k = 0; k < request->headers.accepts; k++)
            accept_read(request->headers.accept[k], media_type, &accept);
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
    const struct param *params;
    struct value values[PARAMS_MAX];
    struct complaints complaints;
};

static enum MHD_Result read_param(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
    struct reading *query = cls;
    (void)kind;
    if (memchr(name, '\0', name_size) || (value && memchr(value, '\0', value_size)))
        query->request->close = true; /* others may have read it to the NUL only */
    params_read(query->params, query->values, name, name_size, value, value_size, &query->complaints);
    return MHD_YES;
}

const struct method_row *request_method(const char *method)
{
    /* The last row stands for whatever a stranger invents, whose words stay out of the log. */
    static const struct method_row rows[] = {
        {"GET", VERB_READ},  {"HEAD", VERB_READ},   {"OPTIONS", VERB_OPTIONS}, {"POST", VERB_POST},
        {"PUT", VERB_OTHER}, {"PATCH", VERB_OTHER}, {"DELETE", VERB_DELETE},   {"unknown", VERB_UNKNOWN},
    };
    const struct method_row *row = rows;
    while (row->verb != VERB_UNKNOWN && strcmp(row->name, method) != 0)
        row++;
    return row;
}

/* Reads the parameters and hands over to the route. */
static enum MHD_Result call_route(struct request *request)
{
    static const struct param none[] = {{0}};
    struct reading
        query; /* large, and begun where it is used: clearing all of it would cost as much as a cached answer */
    query.request = request;
    query.params = request->route->params ? request->route->params : none;
    query.complaints.made = 0;
    query.complaints.count = 0;
    query.complaints.invalid = false;
    params_begin(query.params, query.values);
    (void)MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, read_param, &query);
    params_end(query.params, query.values, &query.complaints);
    const bool admitted = negotiate(request, query.values);
    if (request->route->check)
        request->route->check(request, query.values, &query.complaints);
    if (query.complaints.count)
        return reply_complaints(request, &query.complaints);
    if (!admitted)
        return reply_problem(request, PROBLEM_NOT_ACCEPTABLE, "This route has no representation that Accept admits.");
    return request->route->handle(request, query.values);
}

const struct intake *request_intake(const struct request *request, const char *url)
{
    char segment[SEGMENT_MAX + 1];
    const struct route *any,
        *route = request->method->verb == VERB_POST
                     ? route_find(request->port, local_path(request->server, url), VERB_POST, segment, &any)
                     : NULL;
    return route ? route->intake : NULL;
}

enum MHD_Result request_dispatch(struct request *request, const char *url)
{
    const enum verb verb = request->method->verb;
    if (verb == VERB_UNKNOWN)
        return reply_problem(request, PROBLEM_METHOD_UNKNOWN, "This method is not known here.");
    if (verb == VERB_OPTIONS && strcmp(url, "*") == 0)
        return reply_options(request);
    const struct route *any;
    request->route = route_find(request->port, local_path(request->server, url), verb, request->segment, &any);
    if (request->strange)
        return reply_strange(request);
    if (request->route)
        return call_route(request);
    request->route = any;
    if (!any)
        return reply_problem(request, PROBLEM_NOT_FOUND, "There is nothing at this path.");
    return verb == VERB_OPTIONS ? reply_options(request) : reply_method_not_allowed(request);
}
