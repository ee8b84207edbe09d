/* route_compare.c - GET /compare: what every algorithm does on the same board, or those that ask its rule. */
#include "engine/ask/query_values.h"
#include "http/ask/ask_machine.h"
#include "http/reply/route.h"

enum { N, RULES, STEPS, COLUMN, STRATEGY, SEED, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

enum { STEPS_PRESET = 1000000, STEPS_MOST = 10000000 };

/* The seed of algorithms that draw, unless given: a table is the same every time. */
enum { SEED_PRESET = 1 };

static const struct param params[] = {
    [N] = PARAM_N(1, MACHINE_MAX_N),
    [RULES] = PARAM_RULES(),
    [STEPS] = {.name = "steps",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = STEPS_MOST,
               .has_preset = true,
               .preset = STEPS_PRESET,
               .summary = "maximum number of steps of each algorithm"},
    [COLUMN] = PARAM_COLUMN,
    [STRATEGY] = PARAM_STRATEGY,
    [SEED] = {.name = "seed",
              .type = PARAM_NUMBER,
              .most = SEED_MOST,
              .has_preset = true,
              .preset = SEED_PRESET,
              .summary = "of random algorithms"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    const struct machine_values of = machine_values_of(params, values);
    /* Each algorithm uses the settings it has; those that begin in a column beyond the board are left out. */
    const struct machine any = {.name = "of any kind",
                                .heeds = (values[COLUMN].given ? HEEDS_COLUMN : 0) | HEEDS_STRATEGY | HEEDS_SEED,
                                .max_n = MACHINE_MAX_N};
    struct question *question = request_question(request);
    question->kind = ASK_COMPARE;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->query.filter.rule = row_rule(&values[RULES]);
    question->compare.steps = values[STEPS].number;
    question->seed = values[SEED].number;
    if (ask_machine_sound(&of))
        ask_machine(&of, &any, errors, &question->compare.machine);
    if (!values[COLUMN].given)
        question->compare.machine.column = ASK_FIRST_COLUMN;
    return true;
}

const struct route route_compare = {
    .asks.path = "/compare",
    .example = "/compare?n=8",
    .summary = "Compares the work of all algorithms on one board",
    .asks.params = params,
    .formats = formats_offered,
    .read = read_question,
    .handle = reply_values,
};
