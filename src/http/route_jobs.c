/* route_jobs.c - POST /jobs: begins a count that nobody waits for, or tells what it would cost. The body names the same
 * parameters as /count takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "http/ask_count.h"
#include "http/request.h"

enum { DRY_RUN };

static const struct param params[] = {
    [DRY_RUN] = {.name = "dry-run",
                 .type = PARAM_CHOICE,
                 .choices = route_no_yes,
                 .summary = "true: only tells what the job would cost"},
    {0},
};

/* Reads a member's value as the text that a query would have: what is neither a string nor a whole number is no value
 * of any parameter. False: out of memory. */
static bool read_member(const char *name, const json_t *value, struct value *values, struct complaints *complaints)
{
    char *dumped = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *text = dumped ? dumped : json_string_value(value);
    if (!text)
        return false;
    params_read(ask_count_params, values, name, strlen(name), text, dumped ? strlen(dumped) : json_string_length(value),
                complaints);
    free(dumped);
    return true;
}

/* Reads the members of a body into the values of a counting question. False: out of memory. */
static bool read_members(json_t *body, struct value *values, struct complaints *complaints)
{
    const char *name;
    json_t *value;
    bool read = true;
    const char *kind = json_string_value(json_object_get(body, "kind"));
    if (!kind || strcmp(kind, "count") != 0)
        complain(complaints, false, "kind", "must be \"count\"");
    json_object_foreach(body, name, value) if (strcmp(name, "kind") != 0) read =
        read && read_member(name, value, values, complaints);
    return read;
}

/* What is wrong with a body, for whoever wrote it: jansson's own words but where they are about its flags. */
static const char *error_text(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_null_character:
    case json_error_null_byte_in_key: return "a string must not hold the character NUL";
    default: return error->text;
    }
}

static enum MHD_Result begin(struct request *request, struct value *values, bool dry_run)
{
    struct question question;
    char space[sizeof "/jobs " + ASKER_NAME_MAX] = "/count"; /* what a job costs is told with what the asker may have */
    if (dry_run)
        (void)snprintf(space, sizeof space, "/jobs %s", request->asker.name);
    ask_count_question(values, &question);
    question.format = format_find("json");
    question.kind = dry_run ? ASK_COST : ASK_COUNT;
    question.fleeting = dry_run;
    if (!request_canonical_as(request, space, "/count", ask_count_params, values, &question))
        return reply_status(request, NQ_NOMEM);
    return dry_run ? reply_question(request, &question) : reply_job(request, &question);
}

static enum MHD_Result handle(struct request *request, struct value *own)
{
    struct complaints complaints = {0};
    struct value values[PARAMS_MAX];
    const struct bytes *text = request_body(request);
    json_error_t error;
    json_t *body;
    if (!headers_of_type(&request->headers, "application/json"))
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must be application/json.");
    const enum nq_status status =
        text->failed ? NQ_NOMEM : json_read(text->data, text->size, JSON_REJECT_DUPLICATES, &body, &error);
    if (status == NQ_NOMEM)
        return reply_status(request, NQ_NOMEM);
    if (!json_is_object(body)) {
        json_decref(body);
        return reply_problem(request, PROBLEM_INVALID_PARAMETER, "The body is not a JSON object%s%s.", body ? "" : ": ",
                             body ? "" : error_text(&error));
    }
    params_begin(ask_count_params, values);
    const bool read = read_members(body, values, &complaints);
    params_end(ask_count_params, values, &complaints);
    json_decref(body);
    if (!read)
        return reply_status(request, NQ_NOMEM);
    if (values[COUNT_METHOD].sound && values[COUNT_METHOD].number > ASK_METHOD_COMPUTE)
        complain(&complaints, false, "method", "must be compute, or nothing: a job computes");
    values[COUNT_METHOD].number = ASK_METHOD_COMPUTE;
    values[COUNT_METHOD].given = true;
    values[COUNT_FORMAT].given = false; /* there is one only: the same job with it and without */
    ask_count_check(values, &complaints);
    if (complaints.count)
        return reply_complaints(request, &complaints);
    return begin(request, values, own[DRY_RUN].number);
}

const struct route route_jobs = {
    .path = "/jobs",
    .verb = VERB_POST,
    .summary = "Begins a count that goes on when nobody waits, or tells its cost",
    .params = params,
    .media_type = "application/json",
    .handle = handle,
};
