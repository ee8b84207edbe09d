/* solver_bitboard.c - depth-first search row by row on bit masks, lexicographic, without recursion: its whole state is
 * one array, so that it can stop after any placement and be put anywhere. The three masks are Richards's (1997).
 *
 * Solutions with a symmetry are put together from whole orbits: a queen brings all its images, and a row that has its
 * queen from one above is passed through. The rows above decide what those are, so the order stays the same. */
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "solvers/solver.h"
#include "solvers/squares.h"

/* One row: what attacks it from above, which squares are still to be tried, and the queen that stands on it (0: none).
 */
struct level {
    uint64_t columns, left, right;
    uint64_t untried;
    uint64_t queen;
};

/* With orbits, queens stand below as well. Diagonals are whole lines, bit row + column and bit column - row + n - 1. */
struct lines {
    uint64_t columns, rows;
    nq_wide sums, differences;
};

/* Where the search stands: rows 0..row-1 hold queens, levels[row] is to be tried next. */
struct path {
    uint32_t row;
    uint32_t position[NQ_SEARCH_MAX_N], position_length;
    bool ended;
    uint64_t allow[NQ_SEARCH_MAX_N]; /* below the queen of the first row */
    struct level levels[NQ_SEARCH_MAX_N];
    struct lines lines[NQ_SEARCH_MAX_N];    /* of the orbits above each row */
    uint64_t orbits_queen[NQ_SEARCH_MAX_N]; /* by row, where lines.rows says so */
};

struct search {
    uint32_t n;
    struct squares squares;
    struct path path;
};

static uint32_t column_of(uint64_t queen)
{
    return (uint32_t)__builtin_ctzll(queen);
}

/* Puts a queen's whole orbit on the board: if its row has a queen already, it is a part of one. */
static void put_orbit(const struct search *search, struct path *path, uint32_t row, uint32_t column,
                      struct lines *lines)
{
    const uint32_t n = search->n;
    while (!(lines->rows >> row & 1)) {
        lines->rows |= UINT64_C(1) << row;
        lines->columns |= UINT64_C(1) << column;
        lines->sums |= (nq_wide)1 << (row + column);
        lines->differences |= (nq_wide)1 << (column + n - 1 - row);
        path->orbits_queen[row] = UINT64_C(1) << column;
        square_transform(search->squares.turn, n, &row, &column);
    }
}

/* The squares to be tried below orbits. A square that is free has a free orbit: so have the lines, and what is allowed.
 */
static uint64_t orbit_choices(const struct search *search, const struct path *path, uint32_t row)
{
    const struct lines *lines = &path->lines[row];
    if (lines->rows >> row & 1)
        return path->orbits_queen[row];
    return path->allow[row] &
           ~(lines->columns | (uint64_t)(lines->sums >> row) | (uint64_t)(lines->differences >> (search->n - 1 - row)));
}

/* Puts a queen on the current row and lays out the row below, if there is one. */
static inline void descend(const struct search *search, struct path *path, uint64_t queen)
{
    const uint32_t row = path->row++;
    struct level *level = &path->levels[row], *below = level + 1;
    level->queen = queen;
    if (row == 0)
        squares_below(&search->squares, column_of(queen), path->allow);
    if (row + 1 == search->n)
        return;
    if (search->squares.turn) {
        path->lines[row + 1] = path->lines[row];
        put_orbit(search, path, row, column_of(queen), &path->lines[row + 1]);
        below->untried = orbit_choices(search, path, row + 1);
        return;
    }
    below->columns = level->columns | queen;
    below->left = (level->left | queen) << 1;
    below->right = (level->right | queen) >> 1;
    below->untried = path->allow[row + 1] & ~(below->columns | below->left | below->right);
}

/* Everything below the first `length` queens is finished. */
static void finish(struct path *path, uint32_t length)
{
    for (uint32_t row = 0; row < length; row++)
        path->position[row] = column_of(path->levels[row].queen);
    path->position_length = length;
}

static void reset(const struct search *search, struct path *path)
{
    path->row = 0;
    path->position_length = 0;
    path->ended = false;
    path->levels[0] = (struct level){.untried = search->squares.filter.allow[0]};
    path->lines[0] = (struct lines){0};
}

static enum nq_status bitboard_open(const struct query *query, void **out)
{
    struct search *search = malloc(sizeof *search);
    if (!search)
        return NQ_NOMEM;
    search->n = query->filter.n;
    squares_begin(&search->squares, query);
    reset(search, &search->path);
    *out = search;
    return NQ_OK;
}

/* Whether the queens, one in each row, are what is to be listed. */
static bool listed(const struct search *search)
{
    uint8_t columns[NQ_SEARCH_MAX_N];
    if (search->squares.group == 1)
        return true;
    for (uint32_t row = 0; row < search->n; row++)
        columns[row] = (uint8_t)column_of(search->path.levels[row].queen);
    return query_representative(search->squares.group, search->n, columns);
}

/* The budget is looked at only where a subtree has just been finished: there the position moves on, so that every call
 * gains ground; from anywhere, such a place is at most n placements away. */
static enum nq_status bitboard_next(void *state, uint64_t *budget, uint32_t *columns)
{
    struct search *search = state;
    struct path *path = &search->path;
    uint64_t left = *budget;
    enum nq_status status = NQ_END;
    if (search->n == 0 && !path->ended) { /* the empty board is a solution */
        path->ended = true;
        return NQ_OK;
    }
    while (!path->ended) {
        struct level *level = &path->levels[path->row];
        if (level->untried) {
            uint64_t queen = level->untried & -level->untried;
            level->untried ^= queen;
            left -= left > 0;
            descend(search, path, queen);
            if (path->row < search->n)
                continue;
            if (listed(search)) {
                finish(path, search->n);
                memcpy(columns, path->position, search->n * sizeof *columns);
                path->row--;
                status = NQ_OK;
                break;
            }
        } else if (path->row == 0) {
            path->ended = true;
            break;
        }
        path->row--;
        if (left == 0) {
            finish(path, path->row + 1);
            status = NQ_AGAIN;
            break;
        }
    }
    *budget = left;
    return status;
}

static enum nq_status bitboard_seek(void *state, const uint32_t *prefix, uint32_t length)
{
    struct search *search = state;
    struct path moved;
    reset(search, &moved);
    if (length > search->n)
        return NQ_INVALID;
    for (uint32_t row = 0; row < length; row++) {
        uint64_t queen = prefix[row] < search->n ? UINT64_C(1) << prefix[row] : 0;
        struct level *level = &moved.levels[row];
        if (!(level->untried & queen))
            return NQ_INVALID;
        level->untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        descend(search, &moved, queen);
    }
    if (length) {
        finish(&moved, length);
        moved.row--;
    }
    search->path = moved;
    return NQ_OK;
}

static uint32_t bitboard_position(const void *state, uint32_t *prefix)
{
    const struct path *path = &((const struct search *)state)->path;
    memcpy(prefix, path->position, path->position_length * sizeof *prefix);
    return path->position_length;
}

const struct solver solver_bitboard = {
    .name = "bitboard",
    .summary = "depth-first search row by row, attacks held in three bit masks",
    .order = "lexicographic",
    .complexity = "one placement a node; nodes as in OEIS A319283; O(n) memory",
    .source = "M. Richards, Backtracking Algorithms in MCPL using Bit Patterns and Recursion, Cambridge",
    .year = 1997,
    .max_n = NQ_SEARCH_MAX_N,
    .filters = true,
    .open = bitboard_open,
    .next = bitboard_next,
    .seek = bitboard_seek,
    .position = bitboard_position,
    .close = free,
};
