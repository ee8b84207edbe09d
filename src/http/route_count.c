/* route_count.c - GET /count: how many solutions there are, computed, looked up or estimated, and which of these. A
 * count that outlasts the client's patience becomes a job. */
#include "http/ask_count.h"
#include "http/route.h"

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    (void)request;
    ask_count_check(values, complaints);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct question question;
    ask_count_question(values, &question);
    question.format = request_format(request);
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return reply_question(request, &question);
}

const struct route route_count = {
    .path = "/count",
    .summary = "The number of solutions, or of completions, of a board",
    .params = ask_count_params,
    .formats = ask_count_formats,
    .prefer = true,
    .check = check,
    .handle = handle,
};
