/* route_construct.c - GET /construct: one solution of any size, whole or a stretch of its rows. */
#include "constructions/construction.h"
#include "http/route.h"

enum { N, METHOD, ROWS, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "svg", "png");

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

/* rows=first-last counts from base. */
static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const bool picture = request_format(request)->draw;
    const struct value *rows = &values[ROWS];
    const uint64_t n = values[N].number, base = route_base(&values[BASE]);
    if (picture && values[N].sound && (n == 0 || n > PICTURE_MAX_N))
        complain(complaints, true, "n", "is 1 to %d for a picture", PICTURE_MAX_N);
    if (!rows->given || !rows->sound || !values[N].sound || !values[BASE].sound)
        return;
    if (picture)
        complain(complaints, false, "rows", "does not go with a picture, which shows the whole board");
    else if (rows->number < base)
        complain(complaints, false, "rows", "begins at 1 with base=1");
    else if (rows->last - base >= n)
        complain(complaints, true, "rows", "ends beyond the board of %u rows", (unsigned)n);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    const struct value *rows = &values[ROWS];
    const uint32_t n = (uint32_t)values[N].number, base = route_base(&values[BASE]);
    struct question question = {
        .kind = ASK_CONSTRUCT,
        .n = n,
        .base = base,
        .format = request_format(request),
        .method = construction_names(values[METHOD].number),
        .part = rows->given,
        .first = rows->given ? (uint32_t)rows->number - base : 0,
        .last = rows->given ? (uint32_t)rows->last - base : n - (n > 0),
    };
    if (n == 2 || n == 3)
        return reply_no_solution(request, n);
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    bool small = question.last - question.first < ANSWER_MAX_ROWS;
    return small ? reply_question(request, &question) : reply_stream(request, &question);
}

const struct route route_construct = {
    .path = "/construct",
    .summary = "One solution of any board size",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
