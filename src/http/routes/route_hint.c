/* route_hint.c - GET /hint: where the next queen may go, and where none can. */
#include "engine/ask/query_values.h"
#include "engine/ask/rows.h"
#include "http/reply/route.h"

enum { N, PLACE, RULES, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

static const struct param params[] = {
    [N] = PARAM_N(0, FILTER_MAX_N),
    [PLACE] = PARAM_PLACE,
    [RULES] = PARAM_RULES,
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static bool read_question(struct request *request, struct value *values, struct validation_errors *errors)
{
    const struct query_values of = query_values_of(params, values);
    struct question *question = request_question(request);
    if (!query_values_sound(&of) || !query_read(&of, FILTER_MAX_N, errors, &question->query))
        return true;
    question->kind = ASK_HINT;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->query.by_square = true;
    for (size_t i = 0; i < values[PLACE].number; i++) {
        const struct param_square *square = &values[PLACE].squares[i];
        question->hint.placed[square->row - question->base] |= UINT64_C(1) << (square->column - question->base);
    }
    return true;
}

const struct route route_hint = {
    .path = "/hint",
    .summary = "Suggests the next queen, and lists the squares that no completion uses",
    .params = params,
    .formats = formats_offered,
    .read = read_question,
    .handle = reply_values,
};
