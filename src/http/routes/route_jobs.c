/* route_jobs.c - POST /jobs: begins a count in the background, or returns what it would cost. The members of the body
 * are the parameters of /count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/count_query.h"
#include "engine/ask/query_values.h"
#include "http/reply/request.h"

enum { DRY_RUN };

static const struct param params[] = {
    [DRY_RUN] = PARAM_FLAG("dry-run", "true: only estimate the cost of the job"),
    {0},
};

/* Reads a member's value as the text that a query would have. No parameter accepts the text of other values than
 * strings and whole numbers. False: out of memory. */
static bool read_member(const char *name, const json_t *value, struct params *query)
{
    char *dumped = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *text = dumped ? dumped : json_string_value(value);
    if (!text)
        return false;
    params_read(query, name, strlen(name), text, dumped ? strlen(dumped) : json_string_length(value));
    free(dumped);
    return true;
}

/* What a job may be asked for. */
PARAM_CHOICES(job_kinds, "count");
PARAM_CHOICES(job_methods, "compute");
PARAM_CHOICES(job_formats, "json");

/* Whether it is a parameter of /count that no job has: then adds an error, which names what goes with it there. */
static bool refuse_member(const char *name, struct validation_errors *errors)
{
    static const struct {
        int row;
        const char *with;
    } others[] = {{COUNT_APART, "regions"},
                  {COUNT_LIMIT, "regions"},
                  {COUNT_WALKS, "method=estimate"},
                  {COUNT_SEED, "method=estimate"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, count_params[others[i].row].name) == 0) {
            reject_param(errors, REFUSED_UNKNOWN, count_params[others[i].row].name,
                         "is not a parameter of a job; /count accepts it with %s", others[i].with);
            return true;
        }
    return false;
}

/* False: out of memory. */
static bool read_members(json_t *body, struct params *query)
{
    const char *name;
    json_t *value;
    bool read = true;
    const char *kind = json_string_value(json_object_get(body, "kind"));
    if (!kind || strcmp(kind, "count") != 0)
        reject_choice(&query->errors, "kind", job_kinds, "must be \"count\"");
    json_object_foreach(body, name, value)
    {
        if (strcmp(name, "kind") != 0 && !refuse_member(name, &query->errors))
            read = read && read_member(name, value, query);
    }
    return read;
}

/* What is wrong with a body: jansson's text, except where that is about jansson's flags. */
static const char *error_text(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_null_character:
    case json_error_null_byte_in_key: return "a string must not contain the character NUL";
    default: return error->text;
    }
}

static enum MHD_Result begin(struct request *request, const struct value *values, bool dry_run)
{
    struct question *question = request_question(request);
    struct principal *principal = &request->requester.principal;
    char space[sizeof "/jobs " + PRINCIPAL_NAME_MAX] = "/count"; /* what a job costs depends on the principal */
    if (principal->keyless)
        principal->seconds = INFINITY;
    if (dry_run) {
        (void)snprintf(space, sizeof space, "/jobs %s", principal->name);
        question->kind = ASK_COST;
        question->uncacheable = true;
    }
    if (!request_canonical_as(request, space, "/count", count_params, values))
        return reply_status(request, NQ_NOMEM);
    return dry_run ? reply_question(request) : reply_job(request);
}

static enum MHD_Result handle(struct request *request, const struct value *own)
{
    struct params query;
    struct value *values = query.values, *method = &values[COUNT_METHOD];
    const struct request_body *text = &request->body;
    json_error_t error;
    json_t *body = NULL;
    if (headers_coding(&request->headers) != CODING_IDENTITY)
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must come without a Content-Encoding.");
    if (!headers_of_type(&request->headers, "application/json"))
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must be application/json.");
    const enum nq_status status =
        text->status == NQ_OK ? json_read(text->data, text->size, JSON_REJECT_DUPLICATES, &body, &error) : text->status;
    if (status != NQ_OK && status != NQ_INVALID)
        return reply_status(request, status);
    if (!json_is_object(body)) {
        json_decref(body);
        return reply_problem(request, PROBLEM_INVALID_PARAMETER, "The body is not a JSON object%s%s.", body ? "" : ": ",
                             body ? "" : error_text(&error));
    }
    params_begin(&query, count_params);
    const bool read = read_members(body, &query);
    params_end(&query);
    json_decref(body);
    if (!read)
        return reply_status(request, NQ_NOMEM);
    if (method->sound && method->number > METHOD_COMPUTE)
        reject_choice(&query.errors, "method", job_methods, "must be compute or absent: a job always computes");
    value_set(method, METHOD_COMPUTE);
    if (values[COUNT_FORMAT].sound && values[COUNT_FORMAT].number != COUNT_FORMAT_JSON)
        reject_choice(&query.errors, "format", job_formats, "must be json or absent: a job has a JSON result");
    value_preset(&count_params[COUNT_FORMAT], &values[COUNT_FORMAT]); /* the same job, whether it is given or not */
    if (values[COUNT_REGIONS_GIVEN].given)
        reject_param(&query.errors, REFUSED_UNKNOWN, "regions",
                     "is not counted by a job: GET /count counts such boards at once");
    if (question_normalise(&count_form, &query))
        count_query_read(values, &query.errors, request_question(request));
    if (query.errors.count)
        return reply_validation_errors(request, &query.errors);
    return begin(request, values, own[DRY_RUN].number);
}

const struct route route_jobs = {
    .asks.path = "/jobs",
    .verb = VERB_POST,
    .summary = "Starts a count as a job, or estimates its cost",
    .asks.params = params,
    .media_type = "application/json",
    .named_origins = true,
    .handle = handle,
};
