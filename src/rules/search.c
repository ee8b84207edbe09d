/* search.c - the searches of search.h: one loop over the levels, without recursion. */
#include "rules/search.h"

#include <assert.h>

#include "base/random.h"
#include "base/stop.h"

/* Placements, and walks, between two looks at the stop flag: some tens of microseconds. */
enum { POLL_NODES = 1 << 12, POLL_WALKS = 16 };

static uint64_t free_squares(const struct rule_search *search, uint32_t row, const struct reach *reach)
{
    return row < search->n ? search->allow[row] & ~reach_attacked(reach) : 0;
}

void rule_search_begin(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow)
{
    search->rule = rule;
    search->allow = allow;
    search->n = n;
    search->first = search->row = 0;
    search->level[0].reach = (struct reach){0};
    search->level[0].untried = free_squares(search, 0, &search->level[0].reach);
}

/* Goes down one row. */
static inline __attribute__((always_inline)) void enter(struct rule_search *search, unsigned moves, uint64_t queen)
{
    const uint32_t row = search->row++;
    search->columns[row] = (uint8_t)__builtin_ctzll(queen);
    search->level[row + 1].reach = search->level[row].reach;
    reach_pass(moves, search->n, row, queen, &search->level[row + 1].reach);
    search->level[row + 1].untried = free_squares(search, row + 1, &search->level[row + 1].reach);
}

bool rule_search_place(struct rule_search *search, uint32_t column)
{
    if (search->row >= search->n || column >= search->n || !(search->level[search->row].untried >> column & 1))
        return false;
    enter(search, search->rule->moves, UINT64_C(1) << column);
    search->first = search->row;
    return true;
}

void rule_search_remove(struct rule_search *search)
{
    assert(search->row > 0);
    const uint32_t row = --search->row;
    search->first = row;
    search->level[row].untried = free_squares(search, row, &search->level[row].reach);
}

/* rule_search_count() with the moves as a constant. */
static inline __attribute__((always_inline)) bool count(struct rule_search *search, unsigned moves,
                                                        const atomic_bool *stop, struct rule_tally *tally)
{
    for (uint64_t poll = tally->nodes + POLL_NODES;;) {
        uint64_t *untried = &search->level[search->row].untried;
        if (tally->nodes >= poll) {
            if (stop_wanted(stop))
                return false;
            poll = tally->nodes + POLL_NODES;
        }
        if (*untried && search->row + 1 < search->n) {
            const uint64_t queen = *untried & -*untried;
            *untried ^= queen;
            tally->nodes++;
            enter(search, moves, queen);
            continue;
        }
        tally->solutions += (unsigned)__builtin_popcountll(*untried); /* of the last row, or none */
        tally->nodes += (unsigned)__builtin_popcountll(*untried);
        *untried = 0;
        if (search->row == search->first)
            return true;
        search->row--;
    }
}

bool rule_search_count(struct rule_search *search, const atomic_bool *stop, struct rule_tally *tally)
{
    if (search->first == search->n) {
        tally->solutions++;
        return true;
    }
    switch (search->rule->moves) {
#define COUNT(name, moves) \
    case moves: return count(search, moves, stop, tally);
        MOVES_COMPILED(COUNT)
#undef COUNT
    default: return count(search, search->rule->moves, stop, tally);
    }
}

/* The k-th lowest bit, from 0 on. */
static uint64_t bit_of(uint64_t mask, uint32_t k)
{
    assert(k < (uint32_t)__builtin_popcountll(mask));
    while (k--)
        mask &= mask - 1;
    return mask & -mask;
}

double rule_search_walk(const struct rule_search *search, unsigned walks, uint64_t seed, const atomic_bool *stop)
{
    double nodes = 0;
    for (unsigned walk = 0; walk < walks; walk++) {
        struct random random = random_begin(seed, walk);
        struct reach reach = search->level[search->row].reach;
        uint64_t untried = search->level[search->row].untried;
        double weight = 1;
        if (walk % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        for (uint32_t row = search->row; untried; untried = free_squares(search, ++row, &reach)) {
            const uint32_t choices = (uint32_t)__builtin_popcountll(untried);
            weight *= choices;
            nodes += weight;
            rule_pass(search->rule, search->n, row, bit_of(untried, random_below(&random, choices)), &reach);
        }
    }
    return walks ? nodes / walks : 0;
}
