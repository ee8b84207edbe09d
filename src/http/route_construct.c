/* route_construct.c - GET /construct: one solution of any size, whole or a stretch of its rows. */
#include "constructions/construction.h"
#include "http/route.h"

enum { N, METHOD, ROWS, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "ndjson");

static const char *construction_names(size_t i)
{
    return constructions[i] ? constructions[i]->name : NULL;
}

/* Up to so many rows are one cached answer, more are a stream. */
enum { ANSWER_MAX_ROWS = 16384, MAX_N = 1000000000 };

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = MAX_N, .summary = "board size"},
    [METHOD] = {.name = "method", .type = PARAM_CHOICE, .choices = construction_names, .summary = "which construction"},
    [ROWS] = {.name = "rows",
              .type = PARAM_RANGE,
              .most = MAX_N,
              .summary = "only these rows, first-last, numbered from base"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

/* Reads rows=first-last, which counts from base, into the question. */
static void read_rows(const struct value *rows, struct question *question, struct complaints *complaints)
{
    question->last = question->n ? question->n - 1 : 0;
    if (!rows->given)
        return;
    const uint32_t base = question->base;
    question->part = true;
    if (rows->number < base)
        complain(complaints, false, "rows", "begins at 1 with base=1");
    else if (question->n == 0 || rows->last - base >= question->n)
        complain(complaints, true, "rows", "ends beyond the board of %u rows", question->n);
    question->first = (uint32_t)(rows->number - base);
    question->last = (uint32_t)(rows->last - base);
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    struct complaints complaints = {0};
    struct question question = {
        .kind = ASK_CONSTRUCT,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
        .method = construction_names(values[METHOD].number),
    };
    read_rows(&values[ROWS], &question, &complaints);
    if (complaints.count)
        return reply_complaints(request, &complaints);
    if (question.n == 2 || question.n == 3)
        return reply_problem(request, PROBLEM_NO_SOLUTION, "No %u queens fit on a board of %u x %u without attack.",
                             question.n, question.n, question.n);
    if (!request_canonical(request, values, &question))
        return reply_problem(request, PROBLEM_OUT_OF_MEMORY, "There is no memory for this request now.");
    bool small = question.last - question.first < ANSWER_MAX_ROWS;
    return small ? reply_question(request, &question) : reply_stream(request, &question);
}

const struct route route_construct = {
    .path = "/construct",
    .summary = "One solution of any board size",
    .params = params,
    .formats = formats_offered,
    .handle = handle,
};
