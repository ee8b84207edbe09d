/* term_tree.c - the backtrack tree for n queens, row by row from the first, without any lookahead: its nodes, which are
 * the placements of non-attacking queens on the first k rows, k = 0 ... n, level by level, or all together. */
#include "sequences/sequence.h"

/* A unit is a pair of squares in the first two rows, the first in the left half of the board or in its middle: the
 * mirror image of the others. The root is in no unit. */
struct pair {
    uint32_t first, second;
    bool apart;      /* they do not attack each other */
    unsigned images; /* that it stands for, itself included */
};

static size_t units(const struct term *term)
{
    const size_t n = term->n;
    return (n + 1) / 2 * n;
}

static struct pair pair_of(const struct term *term, size_t unit)
{
    struct pair pair = {.first = (uint32_t)(unit / term->n), .second = (uint32_t)(unit % term->n)};
    pair.apart = pair.second != pair.first && pair.second + 1 != pair.first && pair.first + 1 != pair.second;
    pair.images = pair.first == term->n - 1 - pair.first ? 1 : 2;
    return pair;
}

/* ---- Its levels, by the fastest kernel ---- */

static size_t levels(const struct term *term)
{
    return term->n + 1;
}

static enum nq_status prepare(struct term *term, const atomic_bool *stop)
{
    uint64_t allow[KERNEL_MAX_N];
    (void)stop;
    for (uint32_t row = 0; row < KERNEL_MAX_N; row++)
        allow[row] = UINT64_MAX;
    term->board = rows_board_of(term->n, MOVE_LEFT | MOVE_RIGHT | ROWS_EVERY, allow);
    return NQ_OK;
}

static void place(const struct rows_board *board, uint32_t column, struct rows_prefix *prefix)
{
    reach_pass(board->moves, board->n, prefix->row++, UINT64_C(1) << column, &prefix->reach);
}

/* Placements by their queens. */
static enum nq_status count(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct pair pair = pair_of(term, unit);
    uint64_t rows[KERNEL_MAX_N] = {0};
    struct rule_tally tally = {.rows = rows};
    struct rows_prefix prefix = {0};
    enum nq_status status = NQ_OK;
    rows[0] = pair.second == 0;
    if (pair.apart) {
        rows[1] = 1;
        place(&term->board, pair.first, &prefix);
        place(&term->board, pair.second, &prefix);
        status = rows_kernel_of(kernel_find("auto"))->count(&term->board, &prefix, stop, &tally);
    }
    for (uint32_t row = 0; row < term->n; row++)
        result[row + 1] = (nq_wide)rows[row] * pair.images;
    return status;
}

/* The root is the placement of no queens, which a row from 1 on has for the board of no rows alone. One queen stands on
 * any of n squares, and two on (n - 1)(n - 2) pairs. */
static bool value(const struct term *term, nq_wide *sums, nq_wide *value)
{
    const uint32_t n = term->n, least = term->sequence->row == ROW_FROM_1 ? 1 : 0;
    *value = 1;
    for (uint32_t queens = 1; queens <= n; queens++) {
        if (term->sequence->row)
            value[queens - least] = sums[queens];
        else
            *value += sums[queens];
    }
    return n == 0 || (sums[1] == n && (n == 1 || sums[2] == (nq_wide)(n - 1) * (n - 2)));
}

/* Units of A319283 had one number, their sum, in stores of earlier builds: that is not what a unit has to have, and
 * they are counted again; terms were the same. */
extern const struct term_class term_tree;
const struct term_class term_tree = {
    .revision = 1, .prepare = prepare, .units = units, .sums = levels, .count = count, .value = value};
