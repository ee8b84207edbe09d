/* route_compare.c - GET /compare: what every algorithm does on the same board, or those that ask its rule. */
#include <inttypes.h>

#include "engine/ask/query_values.h"
#include "http/ask/ask_machine.h"
#include "http/reply/route.h"

enum { N, RULES, STEPS, COLUMN, STRATEGY, SEED, SEEDS, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "csv");

enum { STEPS_PRESET = 1000000, STEPS_MOST = 10000000 };

/* Sizes in one table; and steps of all its sizes and seeds, if each took as many as it may. */
enum { SIZES_MAX = 16, STEPS_OF_ALL = 400000000 };

/* The seed of algorithms that draw, unless given: a table is the same every time. */
enum { SEED_PRESET = 1 };

static const struct param params[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .required = true,
           .least = 1,
           .most = MACHINE_MAX_N,
           .sizes = SIZES_MAX,
           .summary = "board size, or a range of sizes, first-last"},
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
    [SEEDS] = {.name = "seeds",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = COMPARE_SEEDS_MAX,
               .has_preset = true,
               .preset = 1,
               .summary = "runs of each random algorithm, with seeds from seed on"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static void check_steps(const struct value *values, struct validation_errors *errors)
{
    const uint64_t sizes = values[N].ranged ? values[N].last - values[N].number + 1 : 1;
    const uint64_t most = STEPS_OF_ALL / (sizes * values[SEEDS].number);
    if (values[STEPS].number > most)
        reject_with(errors, REFUSED_UPPER_LIMIT, "steps", MEMBERS(NUMBER(most)),
                    "must be at most %" PRIu64 " for so many sizes and seeds", most);
    if (values[SEED].number + values[SEEDS].number - 1 > SEED_MOST)
        reject_with(errors, REFUSED_UPPER_LIMIT, "seed", MEMBERS(NUMBER(SEED_MOST - values[SEEDS].number + 1)),
                    "must be at most %" PRIu64 " with so many seeds", (uint64_t)SEED_MOST - values[SEEDS].number + 1);
}

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
    question->compare.last = values[N].ranged ? (uint32_t)values[N].last : 0;
    question->compare.seeds = (uint32_t)values[SEEDS].number;
    check_steps(values, errors);
    ask_machine(&of, &any, errors, &question->compare.machine);
    if (!values[COLUMN].given)
        question->compare.machine.column = ASK_FIRST_COLUMN;
    return true;
}

const struct route route_compare = {
    .asks.path = "/compare",
    .example = "/compare?n=8",
    .summary = "Compares the work of all algorithms",
    .asks.params = params,
    .formats = formats_offered,
    .read = read_question,
    .handle = reply_values,
};
