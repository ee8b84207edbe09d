/* route_hint.c - GET /hint: where the next queen may go, and where none can. */
#include "http/ask_query.h"
#include "http/route.h"

enum { N, PLACE, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = FILTER_MAX_N, .summary = "board size"},
    [PLACE] = PARAM_PLACE,
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static bool ask(const struct value *values, struct complaints *complaints, struct query *query)
{
    static const struct value unsaid = {.sound = true};
    const struct query_values of = {.n = &values[N],
                                    .base = &values[BASE],
                                    .distinct = &unsaid,
                                    .symmetry = &unsaid,
                                    .place = &values[PLACE],
                                    .exclude = &unsaid};
    return ask_query_sound(&of) && ask_query(&of, complaints, query);
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    struct query query;
    (void)request;
    (void)ask(values, complaints, &query);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct complaints none = {0};
    struct question question = {
        .kind = ASK_HINT,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
    };
    (void)ask(values, &none, &question.query);
    question.query.by_square = true;
    for (size_t i = 0; i < values[PLACE].number; i++) {
        const struct param_square *square = &values[PLACE].squares[i];
        question.placed[square->row - question.base] |= UINT64_C(1) << (square->column - question.base);
    }
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return reply_question(request, &question);
}

const struct route route_hint = {
    .path = "/hint",
    .summary = "Where the next queen may go, and where none can",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
