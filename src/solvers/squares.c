/* squares.c - filters narrowed by symmetry. It knows no search. */
#include "solvers/squares.h"

#include <assert.h>
#include <string.h>

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

void squares_below(const struct squares *squares, uint32_t first_column, uint64_t allow[static FILTER_MAX_N])
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
