/* route_jobs.c - POST /jobs: begins a count that nobody waits for, or tells what it would cost. The body names the same
 * parameters as /count takes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "http/ask_count.h"
#include "http/request.h"

enum { DRY_RUN };
PARAM_CHOICES(yes_no, "false", "true");

static const struct param params[] = {
    [DRY_RUN] = {.name = "dry-run",
                 .type = PARAM_CHOICE,
                 .choices = yes_no,
                 .summary = "true: only tells what the job would cost"},
    {0},
};

/* A member's value as the text that a query would have; false when it is neither a string nor a whole number. */
static bool member_text(const json_t *value, char number[static 24], const char **text, size_t *size)
{
    if (json_is_integer(value)) {
        (void)snprintf(number, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        *text = number;
        *size = strlen(number);
    } else {
        *text = json_string_value(value);
        *size = json_string_length(value);
    }
    return *text;
}

/* Reads the members of a body into the values of a counting question. */
static void read_members(json_t *body, struct value *values, struct complaints *complaints)
{
    const char *name;
    json_t *value;
    const char *kind = json_string_value(json_object_get(body, "kind"));
    if (!kind || strcmp(kind, "count") != 0)
        complain(complaints, false, "kind", "must be \"count\"");
    json_object_foreach(body, name, value)
    {
        char number[24];
        const char *text;
        size_t size;
        if (strcmp(name, "kind") == 0)
            continue;
        if (member_text(value, number, &text, &size))
            params_read(ask_count_params, values, name, strlen(name), text, size, complaints);
        else
            complain(complaints, false, name, "must be a string or a whole number");
    }
}

/* JSON, whatever its parameters. */
static bool is_json(const char *content_type)
{
    static const char json[] = "application/json";
    const size_t size = sizeof json - 1;
    return content_type && strncasecmp(content_type, json, size) == 0 &&
           (content_type[size] == '\0' || content_type[size] == ';' || content_type[size] == ' ');
}

static enum MHD_Result begin(struct request *request, struct value *values, bool dry_run)
{
    struct question question;
    ask_count_question(values, &question);
    question.format = format_find("json");
    question.kind = dry_run ? ASK_COST : ASK_COUNT;
    question.fleeting = dry_run;
    if (!request_canonical_as(request, dry_run ? "/jobs" : "/count", "/count", ask_count_params, values, &question))
        return reply_status(request, NQ_NOMEM);
    return dry_run ? reply_question(request, &question) : reply_job(request, &question);
}

static enum MHD_Result handle(struct request *request, struct value *own)
{
    struct complaints complaints = {0};
    struct value values[PARAMS_MAX];
    const struct bytes *text = request_body(request);
    json_error_t error;
    if (!is_json(request->headers.content_type))
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must be application/json.");
    json_t *body =
        text->failed ? NULL : json_loadb(text->data ? text->data : "", text->size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(body)) {
        json_decref(body);
        return reply_problem(request, PROBLEM_INVALID_PARAMETER, "The body is not a JSON object%s%s.",
                             body || text->failed ? "" : ": ", body || text->failed ? "" : error.text);
    }
    params_begin(ask_count_params, values);
    read_members(body, values, &complaints);
    params_end(ask_count_params, values, &complaints);
    json_decref(body);
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
