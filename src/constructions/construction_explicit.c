/* construction_explicit.c - a closed form: the column of any row in constant time, for every n >= 4 (and 0 and 1).
 * B. Bernhardsson, Explicit solutions to the n-queens problem for all n, SIGART Bulletin 2 (1991); E. Pauls had the
 * same families in 1874. An even n gets its own pattern, an odd n that of n - 1 and a queen in the last corner. */
#include <stdlib.h>

#include "constructions/construction.h"

struct plan {
    uint32_t n, even; /* even: n rounded down to an even number */
};

static enum nq_status explicit_open(const struct construction_settings *settings, void **out)
{
    struct plan *plan = malloc(sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    *plan = (struct plan){.n = settings->n, .even = settings->n & ~UINT32_C(1)};
    *out = plan;
    return NQ_OK;
}

/* Rows in which every queen stands two columns to the right of the one above: up to where the next run begins. */
struct run {
    uint32_t column, end;
};

/* For an even n with n mod 6 != 2: columns 1, 3, 5, ... then 0, 2, 4, ... */
static struct run stairs(uint32_t n, uint32_t row)
{
    if (row < n / 2)
        return (struct run){2 * row + 1, n / 2};
    return (struct run){2 * row - n, n};
}

/* For an even n with n mod 6 = 2: the stairs begin in the middle and wrap round; the lower half is the upper one turned
 * by 180 degrees. */
static struct run turned_stairs(uint32_t n, uint32_t row)
{
    const uint32_t half = n / 2, wrap = (half + 2) / 2; /* the first row with 2 row + half - 1 >= n */
    if (row < wrap)
        return (struct run){2 * row + half - 1, wrap};
    if (row < half)
        return (struct run){2 * row + half - 1 - n, half};
    if (row < n - wrap)
        return (struct run){2 * row + 2 - half, n - wrap};
    return (struct run){2 * row + 2 - half - n, n};
}

static void explicit_rows(const void *state, uint32_t first, uint32_t count, uint32_t *columns)
{
    const struct plan *plan = state;
    const bool turned = plan->even % 6 == 2;
    const uint32_t end = first + count;
    for (uint32_t row = first; row < end;) {
        struct run run = {row, row + 1}; /* the corner of an odd board */
        if (row < plan->even)
            run = turned ? turned_stairs(plan->even, row) : stairs(plan->even, row);
        if (run.end > end)
            run.end = end;
        for (uint32_t i = 0; i < run.end - row; i++)
            columns[row - first + i] = run.column + 2 * i;
        row = run.end;
    }
}

const struct construction construction_explicit = {
    .name = "explicit",
    .title = "Bernhardsson 1991, n mod 6",
    .summary = "closed form by n mod 6",
    .complexity = "O(1) a row, O(1) memory",
    .source = "B. Bernhardsson, Explicit solutions to the n-queens problem for all n, SIGART Bulletin 2 (1991)",
    .year = 1991,
    .max_n = 1000000000,
    .open = explicit_open,
    .rows = explicit_rows,
    .close = free,
};
