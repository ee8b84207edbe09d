/* route_count.c - GET /count: how many solutions there are, computed, looked up or estimated, and which of these. A
 * count that takes longer than the client waits becomes a job. */
#include "engine/ask/count_query.h"
#include "http/routes/counts.h"

static bool read_question(struct request *request, struct value *values, struct validation_errors *errors)
{
    if (counts_wanted(values))
        return counts_read(request, values, errors);
    count_query_read(values, errors, request_question(request));
    return true;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    return counts_wanted(values) ? reply_counts(request, values) : reply_values(request, values);
}

const struct route route_count = {
    .path = "/count",
    .summary = "Counts the solutions of a board, or the completions of a placement",
    .params = count_params,
    .formats = count_formats,
    .prefer = true,
    .read = read_question,
    .handle = handle,
};
