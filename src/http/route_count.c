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

static bool from_table(const struct value *values)
{
    const enum method method = (enum method)values[METHOD].number;
    return method == TABLE || (method == AUTO && values[N].number > ENGINE_AUTO_COMPUTE_MAX_N);
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    (void)request;
    if (values[N].sound && values[METHOD].sound && !from_table(values) && values[N].number > ENGINE_COMPUTE_MAX_N)
        complain(complaints, true, "n", "is at most %d for method=compute; method=table goes up to %d",
                 ENGINE_COMPUTE_MAX_N, NQ_KNOWN_MAX_N);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct question question = {
        .kind = ASK_COUNT,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
        .from_table = from_table(values),
    };
    values[METHOD].given = true; /* auto is one of the two: they have one canonical form */
    values[METHOD].number = question.from_table ? TABLE : COMPUTE;
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return reply_question(request, &question);
}

const struct route route_count = {
    .path = "/count",
    .summary = "The number of solutions of one board size",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
