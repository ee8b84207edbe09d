/* path.c - laying out rows below queens, where it is more than three masks. It knows no budgets. */
#include "solvers/path.h"

#include <assert.h>
#include <string.h>

/* ---- Squares ---- */

/* Filters narrowed by symmetry. It knows no search. */

/* Whether a square is attacked from none of the others of its orbit. */
static bool peaceful(const struct filter *filter, unsigned turn, uint32_t row, uint32_t column)
{
    const uint32_t n = filter->n;
    uint32_t r = row, c = column;
    for (square_transform(turn, n, &r, &c); r != row || c != column; square_transform(turn, n, &r, &c))
        if (rule_attack(filter->rule, n, row, column, r, c))
            return false;
    return true;
}

/* Leaves whole orbits only, of queens that can stand together. */
static void close_orbits(struct filter *filter, unsigned turn)
{
    const uint32_t n = filter->n;
    for (uint32_t row = 0; row < n; row++) {
        for (uint64_t rest = filter->allow[row]; rest; rest &= rest - 1) {
            uint32_t r = row, c = (uint32_t)__builtin_ctzll(rest);
            bool whole = true;
            for (int i = 0; i < 4; i++) { /* an orbit is of four squares at most */
                whole = whole && filter_allows(filter, r, c) && peaceful(filter, turn, r, c);
                square_transform(turn, n, &r, &c);
            }
            if (!whole)
                filter_exclude(filter, row, (uint32_t)__builtin_ctzll(rest));
        }
    }
}

/* The squares from which a symmetry of the group leads to (0, b) with b < column, left out. */
static void narrow(const struct squares *squares, uint32_t column, uint64_t allow[static FILTER_MAX_N])
{
    assert(column < squares->filter.n);
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
        for (uint32_t left = 0; left < column && (squares->group >> symmetry & 1); left++) {
            uint32_t r = 0, c = left; /* with a symmetry, the group has its inverse */
            square_transform(symmetry, squares->filter.n, &r, &c);
            allow[r] &= ~(UINT64_C(1) << c);
        }
    }
}

/* Writes the squares allowed in row 1 and below, given a queen on an allowed square of the first row. It leaves out
 * squares that a symmetry of the group maps to the left of that queen: that image of the solution would come first. */
static void squares_below(const struct squares *squares, uint32_t first_column, uint64_t allow[static FILTER_MAX_N])
{
    memcpy(allow, squares->filter.allow, sizeof squares->filter.allow);
    if (squares->group != 1)
        narrow(squares, first_column, allow);
}

void squares_begin(struct squares *squares, const struct query *query)
{
    static const unsigned turns[] = {[SYMMETRY_ANY] = 0, [SYMMETRY_POINT] = 2, [SYMMETRY_QUARTER] = 1};
    struct filter *filter = &squares->filter;
    uint64_t allow[FILTER_MAX_N], first = 0;
    *squares = (struct squares){.filter = query->filter, .group = query_group(query), .turn = turns[query->symmetry]};
    if (squares->turn)
        close_orbits(filter, squares->turn);
    filter_settle(filter);
    if (filter_contradictory(filter))
        memset(filter->allow, 0, sizeof filter->allow);
    for (uint64_t rest = filter->allow[0]; rest; rest &= rest - 1) {
        squares_below(squares, (uint32_t)__builtin_ctzll(rest), allow);
        first |= allow[0] & (rest & -rest);
    }
    filter->allow[0] = first;
}

/* ---- The path ---- */

static uint32_t column_of(uint64_t queen)
{
    return (uint32_t)__builtin_ctzll(queen);
}

void path_begin(struct path *path, const struct squares *squares)
{
    const uint32_t n = squares->filter.n;
    path->special = squares->turn || !rule_by_lines(squares->filter.rule) || n < 2 ? n : 2;
    path->level[0] = (struct path_level){.untried = squares->filter.allow[0]};
    path->orbits[0] = (struct path_orbits){0};
    path->reach[0] = (struct reach){0};
}

/* Whether a square and its images are free. */
static bool whole(const struct filter *left, unsigned turn, uint32_t row, uint32_t column)
{
    bool free = filter_allows(left, row, column);
    for (int i = 0; free && i < 3; i++) { /* an orbit is of four squares at most */
        square_transform(turn, left->n, &row, &column);
        free = filter_allows(left, row, column);
    }
    return free;
}

/* Places the orbit of the queen above a row by a rule, and lays out the row. A queen of an orbit that has been placed
 * changes nothing. */
static void lay_out_orbits(struct path *path, const struct squares *squares, uint32_t row)
{
    struct filter *left = &path->left[row];
    uint32_t r = row - 1, column = column_of(path->level[row - 1].queen);
    if (row > 1) {
        *left = left[-1];
    } else {
        *left = squares->filter;
        memcpy(left->allow, path->allow, sizeof left->allow);
    }
    for (int i = 0; i < 4; i++) {
        filter_place(left, r, column);
        square_transform(squares->turn, left->n, &r, &column);
    }
    path->level[row].untried = 0;
    for (uint64_t rest = left->allow[row]; rest; rest &= rest - 1)
        if (whole(left, squares->turn, row, column_of(rest)))
            path->level[row].untried |= rest & -rest;
}

/* Lays out a row by a rule, without orbits. */
static void pass_on(struct path *path, const struct squares *squares, uint32_t row)
{
    struct reach *reach = &path->reach[row];
    *reach = reach[-1];
    rule_pass(squares->filter.rule, squares->filter.n, row - 1, path->level[row - 1].queen, reach);
    path->level[row].untried = path->allow[row] & ~reach_attacked(reach);
}

/* The squares of a row that the orbits of some others leave free. Each has a free orbit: so have the lines, and what is
 * allowed. */
static uint64_t free_of_orbits(const struct path *path, uint32_t n, const struct path_orbits *orbits, uint32_t row)
{
    return path->allow[row] &
           ~(orbits->columns | (uint64_t)(orbits->sums >> row) | (uint64_t)(orbits->differences >> (n - 1 - row)));
}

static void put_orbit(struct path *path, const struct squares *squares, uint32_t row, struct path_orbits *orbits)
{
    const uint32_t n = squares->filter.n;
    uint32_t column = column_of(path->level[row].queen);
    while (!(orbits->rows >> row & 1)) { /* or else it is a part of one that has been put */
        orbits->rows |= UINT64_C(1) << row;
        orbits->columns |= UINT64_C(1) << column;
        orbits->sums |= (nq_wide)1 << (row + column);
        orbits->differences |= (nq_wide)1 << (column + n - 1 - row);
        path->orbit_queen[row] = UINT64_C(1) << column;
        square_transform(squares->turn, n, &row, &column);
    }
}

void path_lay_out(struct path *path, const struct squares *squares, uint32_t row)
{
    struct path_level *level = &path->level[row];
    struct path_orbits *orbits = &path->orbits[row];
    const uint64_t queen = level[-1].queen;
    if (row == 1)
        squares_below(squares, column_of(queen), path->allow);
    if (!rule_by_lines(squares->filter.rule)) {
        (squares->turn ? lay_out_orbits : pass_on)(path, squares, row);
        return;
    }
    if (!squares->turn) { /* the second row */
        level->columns = queen;
        level->left = queen << 1;
        level->right = queen >> 1;
        level->untried = path->allow[row] & ~(queen | queen << 1 | queen >> 1);
        return;
    }
    *orbits = orbits[-1];
    put_orbit(path, squares, row - 1, orbits);
    level->untried =
        orbits->rows >> row & 1 ? path->orbit_queen[row] : free_of_orbits(path, squares->filter.n, orbits, row);
}

uint32_t path_follow(struct path *path, const struct squares *squares, const uint32_t *prefix, uint32_t length)
{
    const uint32_t n = squares->filter.n;
    path_begin(path, squares);
    for (uint32_t row = 0; row < length; row++) {
        const uint64_t queen = prefix[row] < n ? UINT64_C(1) << prefix[row] : 0;
        struct path_level *level = &path->level[row];
        const bool stands = level->untried & queen;
        level->untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        if (!stands)
            return row;
        path_descend(path, squares, row, queen);
    }
    return length;
}

void path_columns(const struct path *path, uint32_t rows, uint8_t *columns)
{
    assert(rows <= FILTER_MAX_N);
    for (uint32_t row = 0; row < rows; row++)
        columns[row] = (uint8_t)column_of(path->level[row].queen);
}

void path_rest(const struct path *path, const struct squares *squares, uint32_t row, struct path_rest *rest)
{
    const uint32_t n = squares->filter.n;
    const uint64_t all = ~UINT64_C(0) >> (64 - n);
    const struct path_level *level = &path->level[row];
    const struct path_orbits *orbits = &path->orbits[row];
    rest->rows = squares->turn ? all & ~orbits->rows : all >> row << row;
    rest->columns = all & ~(squares->turn ? orbits->columns : level->columns);
    for (uint32_t at = row; at < n; at++)
        rest->free[at] = squares->turn ? free_of_orbits(path, n, orbits, at)
                                       : path->allow[at] &
                                             ~(level->columns | level->left << (at - row) | level->right >> (at - row));
}
