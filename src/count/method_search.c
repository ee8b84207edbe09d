/* method_search.c - counting by depth-first search, each solution counted through one of its eight images. It prepares
 * masks and prefixes for a kernel; the searching is the kernel's.
 *
 * Symmetry. Read each of the four border lines by the distance of its queen from the line's nearer end: with the two
 * directions of reading row 0, a solution has eight such readings, one for each symmetry of the square. Only solutions
 * whose own row 0 reads at least as far from the corner as the other three borders are counted, with weight 8/k, where
 * k of the readings share that greatest distance. So the eight images together count as eight, and nothing is ever
 * turned or compared. With the queen of row 0 at distance a, in the left half:
 *   - rows whose own distance from the ends exceeds a may not use the first and last column, the last row only columns
 * at distance <= a: these are constant masks;
 *   - a queen at distance a on another border ties: k = 1 + ties;
 *   - when a is the middle column, both readings of row 0 coincide and the weight is halved.
 * After the border-queen methods of J. Somers (2002) and Takaken (2003), who compared solutions at the end instead. */
#include <stdlib.h>

#include "count/method.h"

/* Below this size the borders meet and the plan is one unit without symmetry. */
enum { SYMMETRY_MIN_N = 5 };

/* A unit is one placement of this many rows: at n = 18 about 1900 units of 15 ms with the scalar kernel. */
enum { PREFIX_ROWS = 3 };

struct unit {
    uint32_t board; /* index into plan.boards */
    struct kernel_prefix prefix;
};

struct plan {
    uint32_t n;
    struct kernel_board boards[KERNEL_MAX_N / 2 + 1]; /* one for each distance a */
    size_t count, capacity;
    struct unit *units;
};

static uint32_t distance(uint32_t n, uint32_t index)
{
    return index < n - 1 - index ? index : n - 1 - index;
}

/* The masks for solutions whose queen of row 0 stands in column a of the left half, the middle included. */
static void lay_out(struct kernel_board *board, uint32_t n, uint32_t a)
{
    const uint32_t full = ~UINT32_C(0) >> (32 - n), sides = UINT32_C(1) | UINT32_C(1) << (n - 1);
    *board = (struct kernel_board){.n = n};
    for (uint32_t row = 0; row < n; row++) {
        board->allow[row] = distance(n, row) > a ? full & ~sides : full;
        board->tie[row] = distance(n, row) == a ? sides : 0;
    }
    board->allow[0] = UINT32_C(1) << a;
    for (uint32_t column = 0; column < n; column++)
        if (distance(n, column) > a)
            board->allow[n - 1] &= ~(UINT32_C(1) << column);
    board->tie[n - 1] |= UINT32_C(1) << a | UINT32_C(1) << (n - 1 - a);
}

static bool add_unit(struct plan *plan, uint32_t board, const struct kernel_prefix *prefix)
{
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? 2 * plan->capacity : 64;
        struct unit *units = realloc(plan->units, capacity * sizeof *units);
        if (!units)
            return false;
        plan->units = units;
        plan->capacity = capacity;
    }
    plan->units[plan->count++] = (struct unit){board, *prefix};
    return true;
}

/* Adds a unit for every placement of rows up to PREFIX_ROWS below a prefix. */
static bool split(struct plan *plan, uint32_t index, const struct kernel_prefix *prefix)
{
    const struct kernel_board *board = &plan->boards[index];
    if (prefix->row == PREFIX_ROWS || prefix->row == board->n)
        return add_unit(plan, index, prefix);
    uint32_t free = board->allow[prefix->row] & ~(prefix->columns | prefix->left | prefix->right);
    for (; free; free &= free - 1) {
        uint32_t queen = free & -free;
        struct kernel_prefix below = {
            .row = prefix->row + 1,
            .columns = prefix->columns | queen,
            .left = (prefix->left | queen) << 1,
            .right = (prefix->right | queen) >> 1,
            .ties = prefix->ties + ((queen & board->tie[prefix->row]) != 0),
        };
        if (!split(plan, index, &below))
            return false;
    }
    return true;
}

static void search_release(void *state)
{
    struct plan *plan = state;
    if (plan)
        free(plan->units);
    free(plan);
}

static enum nq_status search_prepare(uint32_t n, void **out)
{
    const struct kernel_prefix nothing = {0};
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    plan->n = n;
    bool added = true;
    if (n < SYMMETRY_MIN_N) {
        plan->boards[0].n = n;
        for (uint32_t row = 0; row < n; row++)
            plan->boards[0].allow[row] = (UINT32_C(1) << n) - 1;
        added = add_unit(plan, 0, &nothing);
    } else {
        for (uint32_t a = 0; 2 * a < n && added; a++) {
            lay_out(&plan->boards[a], n, a);
            added = split(plan, a, &nothing);
        }
    }
    if (!added) {
        search_release(plan);
        return NQ_NOMEM;
    }
    *out = plan;
    return NQ_OK;
}

static size_t search_units(const void *state)
{
    const struct plan *plan = state;
    return plan->count;
}

static enum nq_status search_count(const void *state, size_t index, const struct kernel *kernel,
                                   const atomic_bool *stop, struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    struct kernel_tally tally = {0};
    enum nq_status status = kernel->count(&plan->boards[unit->board], &unit->prefix, stop, &tally);
    if (status != NQ_OK)
        return status;
    result->nodes = tally.nodes;
    if (plan->n < SYMMETRY_MIN_N) {
        result->parts = tally.solutions[0] * METHOD_PARTS;
        return NQ_OK;
    }
    result->parts = 0;
    for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        result->parts += tally.solutions[ties] * (8 * METHOD_PARTS / (1 + ties));
    if (2 * unit->board + 1 == plan->n)
        result->parts /= 2; /* every weight 24, 12, 8, 6 is even */
    return NQ_OK;
}

const struct method method_search = {
    .name = "search",
    .summary = "depth-first search, each solution counted through one of its eight images with weight 8/k",
    .source = "after the border-queen symmetry breaking of J. Somers (2002) and Takaken (2003)",
    .max_n = 27, /* three times Q(28) still fits 64 bits; beyond, nobody knows */
    .prepare = search_prepare,
    .units = search_units,
    .count = search_count,
    .release = search_release,
};
