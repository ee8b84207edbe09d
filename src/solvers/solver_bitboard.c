/* solver_bitboard.c - depth-first search row by row on bit masks, lexicographic, without recursion: its whole state is
 * one array, so that it can stop after any placement and be put anywhere. The three masks are Richards's (1997). */
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

/* One row: what attacks it, which free squares are still to be tried, and the queen that stands on it (0: none). */
struct level {
    uint64_t columns, left, right;
    uint64_t untried;
    uint64_t queen;
};

/* Where the search stands: rows 0..row-1 hold queens, levels[row] is to be tried next. */
struct search {
    uint32_t n;
    uint32_t row;
    uint32_t position[NQ_SEARCH_MAX_N], position_length;
    bool ended;
    struct level levels[NQ_SEARCH_MAX_N];
};

static uint64_t full(uint32_t n)
{
    return n ? ~UINT64_C(0) >> (64 - n) : 0;
}

/* Puts a queen on the current row and lays out the row below, if there is one. */
static void descend(struct search *search, uint64_t queen)
{
    struct level *level = &search->levels[search->row++];
    level->queen = queen;
    if (search->row == search->n)
        return;
    struct level *below = level + 1;
    below->columns = level->columns | queen;
    below->left = (level->left | queen) << 1;
    below->right = (level->right | queen) >> 1;
    below->untried = full(search->n) & ~(below->columns | below->left | below->right);
}

static uint32_t column_of(uint64_t queen)
{
    return (uint32_t)__builtin_ctzll(queen);
}

/* Everything below the first `length` queens is finished. */
static void finish(struct search *search, uint32_t length)
{
    for (uint32_t row = 0; row < length; row++)
        search->position[row] = column_of(search->levels[row].queen);
    search->position_length = length;
}

static void reset(struct search *search)
{
    search->row = 0;
    search->position_length = 0;
    search->ended = false;
    search->levels[0] = (struct level){.untried = full(search->n)};
}

static enum nq_status bitboard_open(uint32_t n, void **out)
{
    struct search *search = malloc(sizeof *search);
    if (!search)
        return NQ_NOMEM;
    search->n = n;
    reset(search);
    *out = search;
    return NQ_OK;
}

/* The budget is looked at only where a subtree has just been finished: there the position moves on, so that every call
 * gains ground; from anywhere, such a place is at most n placements away. */
static enum nq_status bitboard_next(void *state, uint64_t *budget, uint32_t *columns)
{
    struct search *search = state;
    uint64_t left = *budget;
    enum nq_status status = NQ_END;
    if (search->n == 0 && !search->ended) { /* the empty board is a solution */
        search->ended = true;
        return NQ_OK;
    }
    while (!search->ended) {
        struct level *level = &search->levels[search->row];
        if (level->untried) {
            uint64_t queen = level->untried & -level->untried;
            level->untried ^= queen;
            left -= left > 0;
            descend(search, queen);
            if (search->row < search->n)
                continue;
            finish(search, search->n);
            memcpy(columns, search->position, search->n * sizeof *columns);
            search->row--;
            status = NQ_OK;
            break;
        }
        if (search->row == 0) {
            search->ended = true;
            break;
        }
        search->row--;
        if (left == 0) {
            finish(search, search->row + 1);
            status = NQ_AGAIN;
            break;
        }
    }
    *budget = left;
    return status;
}

static enum nq_status bitboard_seek(void *state, const uint32_t *prefix, uint32_t length)
{
    struct search *search = state, moved = {.n = search->n};
    reset(&moved);
    if (length > moved.n)
        return NQ_INVALID;
    for (uint32_t row = 0; row < length; row++) {
        uint64_t queen = prefix[row] < moved.n ? UINT64_C(1) << prefix[row] : 0;
        struct level *level = &moved.levels[row];
        if (!(level->untried & queen))
            return NQ_INVALID;
        level->untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        descend(&moved, queen);
    }
    if (length) {
        finish(&moved, length);
        moved.row--;
    }
    *search = moved;
    return NQ_OK;
}

static uint32_t bitboard_position(const void *state, uint32_t *prefix)
{
    const struct search *search = state;
    memcpy(prefix, search->position, search->position_length * sizeof *prefix);
    return search->position_length;
}

const struct solver solver_bitboard = {
    .name = "bitboard",
    .summary = "depth-first search row by row, attacks held in three bit masks",
    .order = "lexicographic",
    .complexity = "one placement a node; nodes as in OEIS A319283; O(n) memory",
    .source = "M. Richards, Backtracking Algorithms in MCPL using Bit Patterns and Recursion, Cambridge",
    .year = 1997,
    .max_n = NQ_SEARCH_MAX_N,
    .open = bitboard_open,
    .next = bitboard_next,
    .seek = bitboard_seek,
    .position = bitboard_position,
    .close = free,
};
