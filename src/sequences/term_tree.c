/* term_tree.c - the backtrack tree for n queens, row by row from the first, without any lookahead: its nodes, which are
 * the placements of non-attacking queens on the first k rows, k = 0 ... n, all together, and level by level. */
#include "sequences/sequence.h"

/* Nodes between two looks at the stop flag: well under a millisecond. */
enum { POLL_NODES = 1 << 16 };

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

/* ---- All nodes, by the fastest kernel ---- */

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

static enum nq_status count_nodes(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct pair pair = pair_of(term, unit);
    struct rule_tally tally = {.nodes = (uint64_t)(pair.second == 0) + pair.apart}; /* the two queens */
    struct rows_prefix prefix = {0};
    enum nq_status status = NQ_OK;
    if (pair.apart) {
        place(&term->board, pair.first, &prefix);
        place(&term->board, pair.second, &prefix);
        status = rows_kernel_of(kernel_find("auto"))->count(&term->board, &prefix, stop, &tally);
    }
    *result = (nq_wide)tally.nodes * pair.images;
    return status;
}

static bool all_nodes(const struct term *term, nq_wide *sums, nq_wide *value)
{
    (void)term;
    *value = *sums + 1; /* the root */
    return true;
}

extern const struct term_class term_nodes;
const struct term_class term_nodes = {
    .revision = 1, .prepare = prepare, .units = units, .count = count_nodes, .value = all_nodes};

/* ---- By the queens that stand ---- */

static size_t levels(const struct term *term)
{
    return term->n + 1;
}

struct descent {
    uint32_t n;
    uint64_t row; /* all columns */
    const atomic_bool *stop;
    uint64_t unseen;
    bool stopped;
    nq_wide *levels;
};

/* The placements below one that has so many queens. Columns, and diagonals as they come to the next row. */
static void descend(struct descent *descent, uint32_t queens, uint64_t columns, uint64_t left, uint64_t right)
{
    uint64_t free = descent->row & ~(columns | left | right);
    descent->levels[queens + 1] += (nq_wide)__builtin_popcountll(free);
    if (++descent->unseen >= POLL_NODES) {
        descent->unseen = 0;
        descent->stopped = descent->stopped || stop_wanted(descent->stop);
    }
    for (; queens + 2 <= descent->n && free && !descent->stopped; free &= free - 1) {
        const uint64_t queen = free & -free;
        descend(descent, queens + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
}

static enum nq_status count_levels(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct pair pair = pair_of(term, unit);
    const uint64_t queen = UINT64_C(1) << pair.first, other = UINT64_C(1) << pair.second;
    struct descent descent = {.n = term->n, .row = (UINT64_C(1) << term->n) - 1, .stop = stop, .levels = result};
    result[1] += pair.second == 0;
    if (pair.apart) {
        result[2]++;
        descent.stopped = stop_wanted(stop);
        if (term->n > 2 && !descent.stopped)
            descend(&descent, 2, queen | other, (queen << 1 | other) << 1, (queen >> 1 | other) >> 1);
    }
    for (uint32_t queens = 1; queens <= term->n; queens++)
        result[queens] *= pair.images;
    return descent.stopped ? NQ_CANCELLED : NQ_OK;
}

/* The root is the placement of no queens, which a row from 1 on has for the board of no rows alone. One queen stands on
 * any of n squares, and two on (n - 1)(n - 2) pairs. */
static bool each_level(const struct term *term, nq_wide *sums, nq_wide *value)
{
    const uint32_t n = term->n, least = term->sequence->row == ROW_FROM_1 ? 1 : 0;
    *value = 1;
    for (uint32_t queens = 1; queens <= n; queens++)
        value[queens - least] = sums[queens];
    return n == 0 || (sums[1] == n && (n == 1 || sums[2] == (nq_wide)(n - 1) * (n - 2)));
}

extern const struct term_class term_levels;
const struct term_class term_levels = {
    .revision = 1, .units = units, .sums = levels, .count = count_levels, .value = each_level};
