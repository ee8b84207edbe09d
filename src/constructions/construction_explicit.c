/* construction_explicit.c - a closed form: the column of any row in constant time, for every n >= 4 (and 0 and 1).
 * B. Bernhardsson, Explicit solutions to the n-queens problem for all n, SIGART Bulletin 2 (1991); E. Pauls had the
 * same families in 1874. An even n gets its own pattern, an odd n that of n - 1 and a queen in the last corner. */
#include <stdlib.h>

#include "constructions/construction.h"

struct plan {
    uint32_t n, even; /* even: n rounded down to an even number */
};

static enum nq_status explicit_open(uint32_t n, void **out)
{
    struct plan *plan = malloc(sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    *plan = (struct plan){.n = n, .even = n & ~UINT32_C(1)};
    *out = plan;
    return NQ_OK;
}

/* For an even n with n mod 6 != 2: columns 1, 3, 5, ... then 0, 2, 4, ... */
static uint32_t stairs(uint32_t n, uint32_t row)
{
    return row < n / 2 ? 2 * row + 1 : 2 * row - n;
}

/* For an even n with n mod 6 = 2: the stairs begin in the middle and wrap round; the lower half is the upper one turned
 * by 180 degrees. */
static uint32_t turned_stairs(uint32_t n, uint32_t row)
{
    bool upper = row < n / 2;
    uint32_t j = upper ? row : n - 1 - row, column = (uint32_t)((2 * (uint64_t)j + n / 2 - 1) % n);
    return upper ? column : n - 1 - column;
}

static void explicit_rows(const void *state, uint32_t first, uint32_t count, uint32_t *columns)
{
    const struct plan *plan = state;
    bool turned = plan->even % 6 == 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = first + i;
        if (row >= plan->even)
            columns[i] = row; /* the corner of an odd board */
        else
            columns[i] = turned ? turned_stairs(plan->even, row) : stairs(plan->even, row);
    }
}

const struct construction construction_explicit = {
    .name = "explicit",
    .summary = "closed form by n mod 6",
    .complexity = "O(1) a row, O(1) memory",
    .source = "B. Bernhardsson, Explicit solutions to the n-queens problem for all n, SIGART Bulletin 2 (1991)",
    .year = 1991,
    .max_n = 1000000000,
    .open = explicit_open,
    .rows = explicit_rows,
    .close = free,
};
