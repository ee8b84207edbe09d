/* route_count.c - GET /count: how many solutions there are, computed or from the table, and which of the two. */
#include "http/route.h"

enum { N, METHOD, BASE, FORMAT };
enum method { AUTO, COMPUTE, TABLE };

PARAM_CHOICES(ways, [AUTO] = "auto", [COMPUTE] = "compute", [TABLE] = "table");
PARAM_CHOICES(formats_offered, "json");

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = NQ_KNOWN_MAX_N, .summary = "board size"},
    [METHOD] = {.name = "method",
                .type = PARAM_CHOICE,
                .choices = ways,
                .summary = "auto computes up to n = 16 and looks up from there on; compute goes up to n = 18"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const enum method method = (enum method)values[METHOD].number;
    struct question question = {
        .kind = ASK_COUNT,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
    };
    question.from_table = method == TABLE || (method == AUTO && question.n > ENGINE_AUTO_COMPUTE_MAX_N);
    if (!question.from_table && question.n > ENGINE_COMPUTE_MAX_N) {
        struct complaints complaints = {0};
        complain(&complaints, true, "n", "is at most %d for method=compute; method=table goes up to %d",
                 ENGINE_COMPUTE_MAX_N, NQ_KNOWN_MAX_N);
        return reply_complaints(request, &complaints);
    }
    if (!request_canonical(request, values, &question))
        return reply_problem(request, PROBLEM_OUT_OF_MEMORY, "There is no memory for this request now.");
    return reply_question(request, &question);
}

const struct route route_count = {
    .path = "/count",
    .summary = "The number of solutions of one board size",
    .params = params,
    .formats = formats_offered,
    .handle = handle,
};
