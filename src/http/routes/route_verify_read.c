/* route_verify_read.c - GET /verify: the verdict on queens that the address names, and any position as a picture. */
#include <stdlib.h>

#include "engine/ask/query_values.h"
#include "engine/boards/verify.h"
#include "http/reply/request.h"

enum { N, ROWS, QUEENS, WALLS, MAXIMAL, PLACE, EXCLUDE, RULES, REGIONS, APART, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "svg", "png");

static const struct param params[] = {
    [N] = PARAM_N_OR_REGIONS(0, VERIFY_READ_MAX_N, .bonds = BONDS(PICTURED)),
    [ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, VERIFY_SHAPED),
    [QUEENS] = PARAM_QUEENS(VERIFY_SHAPED),
    [WALLS] = PARAM_WALLS(VERIFY_SHAPED),
    [MAXIMAL] = PARAM_MAXIMAL(VERIFY_SHAPED),
    [PLACE] = {.name = "place", .type = PARAM_SQUARES, .summary = "squares that have queens, row:column,..."},
    [EXCLUDE] = {.name = "exclude",
                 .type = PARAM_SQUARES,
                 .summary = "squares that are crossed, for a picture",
                 .bonds = BONDS(BOND(NEEDS, IS("format=svg|png")))},
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(NEEDS_REGIONS),
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static void add_squares(struct placement *placement, const struct value *squares, uint32_t base, uint32_t *count)
{
    for (size_t i = 0; squares->given && i < squares->number; i++, ++*count)
        placement->queens[placement->count + placement->crossed + i] =
            (struct queen){squares->squares[i].row - base, squares->squares[i].column - base};
}

/* NULL: out of memory. */
static struct placement *placement_of(const struct value *values)
{
    const size_t most = values[PLACE].number + values[EXCLUDE].number;
    struct placement *placement = calloc(1, sizeof *placement + most * sizeof placement->queens[0]);
    uint32_t queens = 0, crosses = 0;
    if (!placement)
        return NULL;
    atomic_init(&placement->references, 1);
    add_squares(placement, &values[PLACE], row_base(&values[BASE]), &queens);
    placement->count = queens;
    add_squares(placement, &values[EXCLUDE], row_base(&values[BASE]), &crosses);
    placement->crossed = crosses;
    return placement;
}

static void free_placement(void *placement)
{
    placement_unref(placement);
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    struct question *question = request_question(request);
    struct regions regions;
    if (!query_regions_read(params, values, errors, &regions) ||
        !verify_shape_read(params, values, errors, &question->shape))
        return true;
    question->kind = ASK_VERIFY;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->query.filter = (struct filter){.n = question->n, .rule = row_rule(&values[RULES])};
    query_paint(&question->query, &regions);
    struct placement *placement = placement_of(values);
    if (!placement)
        return false;
    question->verify.placement = placement;
    request_keep(request, placement, free_placement);
    return true;
}

const struct route route_verify_read = {
    .asks.path = "/verify",
    .summary = "Checks queens that the address names, or shows any position as a picture",
    .asks.params = params,
    .formats = formats_offered,
    .asks.choose = shape_choose,
    .asks.normalise = query_regions_normalise,
    .read = read_question,
    .handle = reply_values,
};
