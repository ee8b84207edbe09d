/* ask_machine.c - reads the settings of an algorithm. */
#include "http/ask/ask_machine.h"
#include "engine/ask/query_values.h"
#include "solvers/solver.h"

static const char *const strategies[] = {
    [STRATEGY_BREADTH] = "breadth", [STRATEGY_DEPTH] = "depth", [STRATEGY_PRIORITY] = "priority"};

const char *ask_machine_strategies(size_t i)
{
    return i < sizeof strategies / sizeof strategies[0] ? strategies[i] : NULL;
}

const char *ask_machine_parameter(size_t i, unsigned *bit)
{
    static const struct {
        unsigned bit;
        const char *name;
    } rows[] = {{.bit = HEEDS_COLUMN, .name = "column"},
                {.bit = HEEDS_SPLIT, .name = "split"},
                {.bit = HEEDS_STRATEGY, .name = "strategy"},
                {.bit = HEEDS_SEED, .name = "seed"}};
    if (i >= sizeof rows / sizeof rows[0])
        return NULL;
    *bit = rows[i].bit;
    return rows[i].name;
}

/* Of either family. */
static struct machine machine_named(const char *algorithm)
{
    const struct solver *solver = solver_find(algorithm);
    struct machine machine = {0};
    if (solver)
        return machines_of(solver);
    (void)machines_find(algorithm, &machine);
    return machine;
}

static bool lacks(const char *algorithm, unsigned setting)
{
    return !(machine_named(algorithm).heeds & setting);
}

bool ask_knows_queens_only(const char *algorithm)
{
    return !machine_named(algorithm).by_rule;
}

bool ask_knows_no_shapes(const char *algorithm)
{
    return !machine_named(algorithm).by_shape;
}

bool ask_lacks_column(const char *algorithm)
{
    return lacks(algorithm, HEEDS_COLUMN);
}

bool ask_lacks_split(const char *algorithm)
{
    return lacks(algorithm, HEEDS_SPLIT);
}

bool ask_lacks_strategy(const char *algorithm)
{
    return lacks(algorithm, HEEDS_STRATEGY);
}

bool ask_lacks_seed(const char *algorithm)
{
    return lacks(algorithm, HEEDS_SEED);
}

struct machine_values machine_values_of(const struct param *rows, const struct value *values)
{
    return (struct machine_values){.n = row_value(rows, values, "n"),
                                   .base = row_value(rows, values, "base"),
                                   .column = row_value(rows, values, "column"),
                                   .split = row_value(rows, values, "split"),
                                   .strategy = row_value(rows, values, "strategy"),
                                   .seed = row_value(rows, values, "seed")};
}

static void read_column(const struct machine_values *values, struct validation_errors *errors,
                        struct machine_settings *settings)
{
    const uint32_t n = (uint32_t)values->n->number, base = row_base(values->base);
    settings->column = values->column->given ? (uint32_t)values->column->number - base : ASK_FIRST_COLUMN;
    if (settings->column < n)
        return;
    if (values->column->given)
        reject_param(errors, REFUSED_OFF_BOARD, "column", "must be on the board");
    else
        reject_with(errors, REFUSED_LOWER_LIMIT, "n", MEMBERS(NUMBER(ASK_FIRST_COLUMN + 1)),
                    "must be at least %d for this algorithm, or column must be given", ASK_FIRST_COLUMN + 1);
}

static void read_split(const struct machine_values *values, uint32_t wanted, struct validation_errors *errors,
                       struct machine_settings *settings)
{
    const struct value *split = values->split;
    if (!split->given)
        return;
    if (split->number != wanted) {
        reject_with(errors, REFUSED_NUMBERS, "split", MEMBERS(NUMBER((int)wanted)),
                    "must have %d number%s of rows for this algorithm", (int)wanted, wanted == 1 ? "" : "s");
        return;
    }
    settings->splits = wanted;
    for (uint32_t i = 0; i < wanted; i++) {
        settings->split[i] = split->columns[i];
        if (split->columns[i] == 0 || split->columns[i] > values->n->number ||
            (i && split->columns[i] < split->columns[i - 1])) {
            reject_param(errors, REFUSED_ORDER, "split", "must be numbers of rows from 1 to n in ascending order");
            return;
        }
    }
}

void ask_machine(const struct machine_values *values, const struct machine *machine, struct validation_errors *errors,
                 struct machine_settings *settings)
{
    const unsigned heeds = machine->heeds;
    *settings = (struct machine_settings){.n = (uint32_t)values->n->number};
    if (values->n->number > machine->max_n)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)machine->max_n)),
                    "must be at most %d for the algorithm %s", (int)machine->max_n, machine->name);
    if (heeds & HEEDS_COLUMN)
        read_column(values, errors, settings);
    if (heeds & HEEDS_SPLIT)
        read_split(values, machine->splits, errors, settings);
    if (heeds & HEEDS_STRATEGY)
        settings->strategy = (enum strategy)values->strategy->number;
    settings->seed = heeds & HEEDS_SEED ? values->seed->number : 0;
}
