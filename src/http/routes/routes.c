/* routes.c - the table of endpoints, and the search in it. */
#include <string.h>

#include "base/json.h"
#include "base/nearest.h"
#include "http/routes/routes.h"

extern const struct route route_solve, route_count, route_construct, route_algorithms, route_openapi,
    route_openapi_json;
extern const struct route route_trace, route_compare;
extern const struct route route_puzzle, route_hint;
extern const struct route route_verify;
extern const struct route route_verify_read;
extern const struct route route_jobs, route_job, route_job_delete, route_job_events, route_job_units;
extern const struct route route_page, route_play, route_play_board, route_watch, route_watch_algorithm, route_board,
    route_build;
extern const struct route route_docs, route_embed, route_web;
extern const struct route route_favicon, route_touch_icon, route_icon, route_robots, route_manifest, route_worker;
extern const struct route route_healthz, route_readyz, route_metrics;

const struct route *const routes[] = {
    &route_solve,
    &route_count,
    &route_construct,
    &route_trace,
    &route_compare,
    &route_puzzle,
    &route_hint,
    &route_verify_read,
    &route_verify,
    &route_jobs,
    &route_job,
    &route_job_delete,
    &route_job_events,
    &route_job_units,
    &route_algorithms,
    &route_openapi,
    &route_openapi_json,
    &route_page,
    &route_play,
    &route_play_board,
    &route_watch,
    &route_watch_algorithm,
    &route_board,
    &route_build,
    &route_docs,
    &route_embed,
    &route_web,
    &route_favicon,
    &route_touch_icon,
    &route_icon,
    &route_robots,
    &route_manifest,
    &route_worker,
    &route_healthz,
    &route_readyz,
    &route_metrics,
    NULL,
};

size_t routes_count(void)
{
    return sizeof routes / sizeof routes[0] - 1;
}

const char *routes_path(size_t i)
{
    return routes[i]->asks.path;
}

/* Bytes of the longest path that is looked up, with its end. */
enum { PATH_MOST = 256 };

/* Whether a path matches a pattern; segment: what its {name} stands for. */
static bool matches(const char *pattern, const char *path, char segment[static SEGMENT_MAX + 1])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;
    segment[0] = '\0';
    if (!close)
        return strcmp(pattern, path) == 0;
    const size_t before = (size_t)(open - pattern);
    if (strncmp(pattern, path, before) != 0)
        return false;
    const size_t size = strspn(path + before, letters);
    if (size == 0 || size > SEGMENT_MAX || strcmp(close + 1, path + before + size) != 0)
        return false;
    memcpy(segment, path + before, size);
    segment[size] = '\0';
    return true;
}

/* The path as it is meant: slashes that follow each other are one, and one at the end is none. False: it is longer than
 * any path that has a route. */
static bool tidy_path(const char *path, char tidy[static PATH_MOST])
{
    size_t size = 0;
    for (; *path; path++) {
        if (*path == '/' && size && tidy[size - 1] == '/')
            continue;
        if (size == PATH_MOST - 1)
            return false;
        tidy[size++] = *path;
    }
    if (size > 1 && tidy[size - 1] == '/')
        size--;
    tidy[size] = '\0';
    return true;
}

const struct route *route_find(enum port port, const char *given, enum verb verb, struct route_match *match)
{
    const struct route *found = NULL;
    char path[PATH_MOST], segment[SEGMENT_MAX + 1];
    if (!tidy_path(given, path))
        path[0] = '\0';
    *match = (struct route_match){.any = NULL};
    for (const struct route *const *at = routes; *at; at++) {
        if ((*at)->port != port || !matches((*at)->asks.path, path, segment))
            continue;
        match->any = *at;
        match->verbs |= route_verbs(*at);
        memcpy(match->segment, segment, sizeof segment);
        if (route_verbs(*at) >> verb & 1)
            found = *at;
    }
    return found;
}

/* The routes of a port that have one path each, which a wrong path may mean. */
static const char *open_path(const void *port, size_t i)
{
    size_t seen = 0;
    for (const struct route *const *at = routes; *at; at++)
        if ((*at)->port == *(const enum port *)port && !strchr((*at)->asks.path, '{') && seen++ == i)
            return (*at)->asks.path;
    return NULL;
}

static const char *example_of(enum port port, const char *path)
{
    for (const struct route *const *at = routes; *at; at++)
        if ((*at)->port == port && strcmp((*at)->asks.path, path) == 0)
            return (*at)->example ? (*at)->example : path;
    return NULL;
}

const char *routes_nearest(enum port port, const char *path)
{
    while (*path) {
        char segment[SEGMENT_MAX];
        const size_t size = strcspn(path, "/");
        if (size && size < sizeof segment) {
            memcpy(segment, path, size);
            segment[size] = '\0';
            const char *found = names_nearest(segment, open_path, &port);
            if (found)
                return example_of(port, found);
        }
        path += size + (path[size] == '/');
    }
    return NULL;
}

/* NULL: the route has no such parameter. */
static const struct param *param_named(const struct route *route, const struct condition *condition)
{
    const struct param *param = &route->asks.params[condition_place(route->asks.params, condition)];
    return param->name ? param : NULL;
}

/* What a condition names, and the words for which it holds. */
static void write_condition(struct bytes *out, const char *name, const struct route *route,
                            const struct condition *condition)
{
    if (!condition->text)
        return;
    const size_t size = strcspn(condition->text, "=");
    const bool ranged = condition->text[size] == '=' && !condition->text[size + 1];
    const struct param *param = param_named(route, condition);
    json_begin_object(out, name);
    json_write_part(out, "name", condition->text, size);
    json_text_if(out, "called", condition->called);
    if (ranged)
        json_write_bool(out, "ranged", true);
    if (param && !ranged && (condition->text[size] || condition->has)) {
        json_begin_array(out, "values");
        for (size_t i = 0; param->choices(i); i++)
            if (condition_admits(condition, param->choices(i)))
                json_write_text(out, NULL, param->choices(i));
        json_end_array(out);
    }
    json_end_object(out);
}

static void write_bond(struct bytes *out, const struct route *route, const struct param *param, const struct bond *bond)
{
    static const char *const kinds[] = {[EXCLUDES] = "excludes", [NEEDS] = "needs",       [MUST_BE] = "must-be",
                                        [AT_MOST] = "at-most",   [AT_LEAST] = "at-least", [NEVER] = "never"};
    json_begin_object(out, NULL);
    json_write_text(out, "kind", kinds[bond->kind]);
    if (bond->own || bond->own_has) {
        json_begin_array(out, "own");
        for (size_t i = 0; param->choices(i); i++)
            if (bond_admits(bond, param->choices(i)))
                json_write_text(out, NULL, param->choices(i));
        json_end_array(out);
    }
    write_condition(out, "with", route, &bond->with);
    write_condition(out, "also", route, &bond->also);
    write_condition(out, "unless", route, &bond->unless);
    json_text_if(out, "unless_any", bond->unless_any);
    json_text_if(out, "value", bond->value);
    if (bond->kind == AT_MOST || bond->kind == AT_LEAST)
        json_write_number(out, "limit", bond->limit);
    json_text_if(out, "because", bond->because);
    json_end_object(out);
}

static void write_range(struct bytes *out, const struct param *param)
{
    json_write_number(out, "minimum", param->least);
    json_write_number(out, "maximum", param->most);
    if (param->sizes)
        json_write_number(out, "sizes", param->sizes);
    json_text_if(out, "all", param->all);
    if (param->has_preset)
        json_write_number(out, "default", param->preset);
}

static void write_param(struct bytes *out, const struct route *route, const struct param *param)
{
    static const char *const types[] = {
        [PARAM_NUMBER] = "number", [PARAM_CHOICE] = "choice",   [PARAM_TOKEN] = "token",
        [PARAM_RANGE] = "range",   [PARAM_SQUARES] = "squares", [PARAM_COLUMNS] = "columns",
        [PARAM_QUEENS] = "queens", [PARAM_FACTORS] = "factors", [PARAM_TEXT] = "text"};
    json_begin_object(out, NULL);
    json_write_text(out, "name", param->name);
    json_write_text(out, "type", param->board ? "board" : types[param->type]);
    json_write_bool(out, "required", param->required && !param->unless);
    json_write_text(out, "summary", param->summary);
    json_text_if(out, "unless", param->unless);
    if (param->type == PARAM_NUMBER)
        write_range(out, param);
    if (param->type == PARAM_CHOICE) {
        json_write_words(out, "choices", param->choices);
        json_text_if(out, "default", param->required ? NULL : param->choices(0));
    }
    json_begin_array(out, "bonds");
    for (const struct bond *bond = param->bonds; bond && bond->kind; bond++)
        if (!bond->with.text || param_named(route, &bond->with)) /* rows that several routes have */
            write_bond(out, route, param, bond);
    json_end_array(out);
    json_end_object(out);
}

static void write_route(struct bytes *out, const struct route *route, enum verb verb)
{
    static const char *const methods[] = {[VERB_READ] = "GET", [VERB_POST] = "POST", [VERB_DELETE] = "DELETE"};
    json_begin_object(out, NULL);
    json_write_text(out, "path", route->asks.path);
    json_write_text(out, "port", route->port == PORT_PUBLIC ? "public" : "admin");
    json_write_text(out, "summary", route->summary);
    json_write_text(out, "method", methods[verb]);
    json_write_bool(out, "any_parameter", route->loose);
    json_write_bool(out, "board", route->board && verb == VERB_POST);
    json_begin_array(out, "parameters");
    for (const struct param *param = route->asks.params; param && param->name; param++)
        write_param(out, route, param);
    json_end_array(out);
    json_begin_array(out, "media_types");
    for (size_t i = 0; route_media_type(route, i); i++)
        json_write_text(out, NULL, route_media_type(route, i));
    json_end_array(out);
    json_end_object(out);
}

void routes_write(struct bytes *out)
{
    const size_t start = out->size;
    json_begin_array(out, NULL);
    for (const struct route *const *at = routes; *at; at++)
        for (enum verb verb = VERB_READ; verb <= VERB_DELETE; verb++)
            if (route_verbs(*at) >> verb & 1)
                write_route(out, *at, verb);
    json_end_array(out);
    json_end_indented(out, start);
}
