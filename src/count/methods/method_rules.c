/* method_rules.c - counting by any rule of the family: depth-first search, row by row, below prefixes of boards with
 * weights. It does not know what the rules are. */
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/method.h"
#include "count/methods/weighted.h"
#include "kernels/rows/rows.h"

/* A unit is split while it is estimated above this many placements: 10 ms with AVX-512, 200 ms with plain C. */
#define UNIT_NODES 16e6
/* Boards with so few rows left are not split, and units are not smaller than this share of the whole. */
enum { WHOLE_ROWS = 8, MOST_UNITS = 20000 };
/* Random descents: for the weight of a unit, first and again if that is above a share of the largest; and for the cost
 * of it all. */
enum { FIRST_WALKS = 4, WALKS = 24, SHARE = 8, COST_WALKS = 2000, LEAST_COST_WALKS = 50 };

struct unit {
    uint16_t board;
    uint8_t length;
    uint8_t columns[KERNEL_MAX_N];
    double weight;
};

struct plan {
    struct weighted_boards boards;
    size_t count, room;
    struct unit *units;
};

static bool rules_suits(const struct filter *filter)
{
    return !rule_by_lines(filter->rule);
}

static struct rows_board rows_board_for(const struct filter *filter)
{
    return rows_board_of(filter->n, filter->rule->moves, filter->allow);
}

/* About how many placements there are below a search's prefix; more walks if it may have to be split. */
static double weigh(const struct rows_board *board, const struct rule_search *search, double most,
                    const atomic_bool *stop)
{
    const struct rows_prefix prefix = rows_prefix_of(search);
    uint64_t seed = search->row;
    for (uint32_t row = 0; row < search->row; row++)
        seed = seed * KERNEL_MAX_N + search->columns[row];
    const double first = rows_walk(board, &prefix, FIRST_WALKS, seed, stop);
    return 1 + (first < most / SHARE ? first : rows_walk(board, &prefix, WALKS, seed, stop));
}

static bool add_unit(struct plan *plan, size_t board, const struct rule_search *search, double weight)
{
    struct unit *units = grow_array(plan->units, plan->count, &plan->room, sizeof *units);
    if (!units)
        return false;
    plan->units = units;
    struct unit *unit = &units[plan->count++];
    *unit = (struct unit){.board = (uint16_t)board, .length = (uint8_t)search->row, .weight = weight};
    for (uint32_t row = 0; row < search->row; row++)
        unit->columns[row] = search->columns[row];
    return true;
}

struct splitting {
    struct plan *plan;
    size_t board;
    struct rows_board rows;
    struct rule_search search;
    double most; /* no unit has much more weight */
    const atomic_bool *stop;
};

/* Adds units for everything below the search's prefix. */
static enum nq_status split(struct splitting *splitting)
{
    struct rule_search *search = &splitting->search;
    const uint32_t n = splitting->rows.n;
    const double weight = weigh(&splitting->rows, search, splitting->most, splitting->stop);
    enum nq_status status = NQ_OK;
    if (stop_wanted(splitting->stop))
        return NQ_CANCELLED;
    if (weight <= splitting->most || n - search->row <= WHOLE_ROWS)
        return add_unit(splitting->plan, splitting->board, search, weight) ? NQ_OK : NQ_NOMEM;
    for (uint32_t column = 0; column < n && status == NQ_OK; column++) {
        if (!rule_search_place(search, column))
            continue;
        if (search->level[search->row].untried)
            status = split(splitting);
        rule_search_remove(search);
    }
    return status;
}

static void rules_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        weighted_close(&plan->boards);
        free(plan->units);
    }
    free(plan);
}

/* The weight of all boards by so many walks each. */
static double boards_weight(const struct weighted_boards *boards, unsigned walks, const atomic_bool *stop)
{
    const struct rows_prefix nothing = {0};
    double weight = 0;
    for (size_t i = 0; i < boards->count && !stop_wanted(stop); i++) {
        const struct rows_board board = rows_board_for(&boards->board[i].filter);
        weight += 1 + rows_walk(&board, &nothing, walks, i, stop);
    }
    return weight;
}

static enum nq_status list_units(struct plan *plan, const atomic_bool *stop)
{
    const double even = boards_weight(&plan->boards, FIRST_WALKS, stop) / MOST_UNITS;
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < plan->boards.count && status == NQ_OK; i++) {
        const struct filter *filter = &plan->boards.board[i].filter;
        struct splitting splitting = {
            .plan = plan, .board = i, .most = even > UNIT_NODES ? even : UNIT_NODES, .stop = stop};
        splitting.rows = rows_board_for(filter);
        rule_search_begin(&splitting.search, filter->rule, filter->n, filter->allow);
        status = split(&splitting);
    }
    return status;
}

static enum nq_status rules_prepare(const struct filter *filter, const struct method_means *means,
                                    const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    (void)means;
    if (!plan)
        return NQ_NOMEM;
    enum nq_status status = weighted_open(filter, stop, &plan->boards);
    if (status == NQ_OK)
        status = list_units(plan, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        rules_release(plan);
    return status;
}

static size_t rules_units(const void *state)
{
    const struct plan *plan = state;
    return plan->count;
}

static double rules_weight(const void *state, size_t index)
{
    const struct plan *plan = state;
    return plan->units[index].weight;
}

static enum nq_status rules_count(const void *state, size_t index, const struct kernel *kernel, const atomic_bool *stop,
                                  struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    const struct weighted *board = &plan->boards.board[unit->board];
    struct rule_search search;
    struct rule_tally tally = {0};
    rule_search_begin(&search, board->filter.rule, board->filter.n, board->filter.allow);
    for (uint32_t row = 0; row < unit->length; row++)
        (void)rule_search_place(&search, unit->columns[row]); /* the plan has done so */
    const struct rows_board rows = rows_board_for(&board->filter);
    const struct rows_prefix prefix = rows_prefix_of(&search);
    const enum nq_status status = rows_kernel_of(kernel)->count(&rows, &prefix, stop, &tally);
    result->nodes = tally.nodes;
    result->parts = (nq_wide)tally.solutions * board->thirds;
    return status;
}

static double rules_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    const unsigned walks = method_walks(COST_WALKS, together, LEAST_COST_WALKS);
    struct weighted_boards boards;
    double weight = 0;
    if (weighted_open(filter, stop, &boards) == NQ_OK && boards.count > 0)
        weight = boards_weight(&boards, walks / (unsigned)boards.count + FIRST_WALKS, stop);
    weighted_close(&boards);
    return weight;
}

const struct method method_rules = {
    .name = "rules",
    .summary = "depth-first search by any rule, each solution counted through one of its images; on a torus, with a "
               "queen in the corner",
    .source = "backtracking; the cost after Knuth (1975)",
    .revision = 3,
    .max_n = KERNEL_MAX_N,
    .suits = rules_suits,
    .symmetry = SYMMETRY_ANY,
    .prepare = rules_prepare,
    .units = rules_units,
    .weight = rules_weight,
    .count = rules_count,
    .release = rules_release,
    .cost = rules_cost,
};
