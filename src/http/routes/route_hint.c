/* route_hint.c - GET /hint: where the next queen may go, and where none can; or what techniques of deduction find. */
#include "engine/ask/query_values.h"
#include "http/reply/route.h"

enum { N, ROWS, QUEENS, WALLS, MAXIMAL, PLACE, EXCLUDE, RULES, REGIONS, APART, STEPS, LANGUAGE, BASE, FORMAT };

enum { STEPS_NEXT, STEPS_ALL };
PARAM_CHOICES(steps_offered, [STEPS_NEXT] = "next", [STEPS_ALL] = "all");
PARAM_CHOICES(formats_offered, "json", "svg", "png");

/* What boards of any shape do not have. */
#define OF_SHAPE \
    .bonds = BONDS(BOND(EXCLUDES, IS("regions")), \
                   BOND(EXCLUDES, IS("steps=all"), .because = ": techniques know square boards without walls"))

static const struct param params[] = {
    [N] = PARAM_N_OR_REGIONS(0, FILTER_MAX_N, .bonds = BONDS(PICTURED)),
    [ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, OF_SHAPE),
    [QUEENS] = PARAM_QUEENS(OF_SHAPE),
    [WALLS] = PARAM_WALLS(OF_SHAPE),
    [MAXIMAL] = PARAM_MAXIMAL(OF_SHAPE),
    [PLACE] = PARAM_PLACE(),
    [EXCLUDE] = PARAM_EXCLUDE(),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(NEEDS_REGIONS),
    [STEPS] = {.name = "steps",
               .type = PARAM_CHOICE,
               .choices = steps_offered,
               .summary = "the next hint, or all steps that techniques of deduction find, with their grade"},
    [LANGUAGE] = {.name = "lang",
                  .type = PARAM_CHOICE,
                  .choices = hint_language,
                  .summary = "the language of the sentences"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static void read_marks(const struct value *squares, uint32_t base, uint64_t *rows)
{
    for (size_t i = 0; i < squares->number; i++)
        rows[squares->squares[i].row - base] |= UINT64_C(1) << (squares->squares[i].column - base);
}

/* A board of any shape, with its queens and crosses. */
static void read_shape(struct question *question, const struct value *values, struct validation_errors *errors)
{
    if (!shape_read(params, values, SHAPE_MAX_SIDE, errors, &question->shape))
        return;
    question->query.filter = (struct filter){.n = question->shape.columns, .rule = question->shape.rule};
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    const struct query_values of = query_values_of(params, values);
    struct question *question = request_question(request);
    struct regions regions;
    if (!query_regions_read(params, values, errors, &regions))
        return true;
    const bool shaped = shape_given(params, values);
    if (shaped)
        read_shape(question, values, errors);
    else if (!query_read(&of, FILTER_MAX_N, errors, &question->query))
        return true;
    query_paint(&question->query, &regions);
    question->kind = ASK_HINT;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->hint.all = values[STEPS].number == STEPS_ALL;
    question->hint.language = values[LANGUAGE].number;
    question->hint.deduced = question->hint.all || regions.n;
    if (shaped) /* its shape has all marks */
        return true;
    question->query.by_square = !question->hint.deduced;
    read_marks(&values[PLACE], question->base, question->hint.placed);
    read_marks(&values[EXCLUDE], question->base, question->hint.excluded);
    return true;
}

const struct route route_hint = {
    .asks.path = "/hint",
    .example = "/hint?n=8",
    .summary = "Suggests the next queen, or the next step, and lists the squares that no completion uses",
    .asks.params = params,
    .formats = formats_offered,
    .asks.choose = shape_choose,
    .asks.normalise = query_regions_normalise,
    .read = read_question,
    .handle = reply_values,
    .board = true,
};
