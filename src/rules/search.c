/* search.c - the searches of search.h: one loop over the levels, without recursion. */
#include "rules/search.h"

#include <assert.h>
#include <string.h>

static uint64_t free_squares(const struct rule_search *search, uint32_t row, const struct reach *reach)
{
    return row < search->n ? search->allow[row] & ~reach_attacked(reach) : 0;
}

void rule_search_begin(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow)
{
    search->rule = rule;
    search->allow = allow;
    search->n = n;
    search->row = 0;
    search->level[0].reach = (struct reach){0};
    search->level[0].untried = free_squares(search, 0, &search->level[0].reach);
}

/* Goes down one row. */
static inline __attribute__((always_inline)) void enter(struct rule_search *search, uint64_t queen)
{
    const uint32_t row = search->row++;
    search->columns[row] = (uint8_t)__builtin_ctzll(queen);
    search->level[row + 1].reach = search->level[row].reach;
    rule_pass(search->rule, search->n, row, queen, &search->level[row + 1].reach);
    search->level[row + 1].untried = free_squares(search, row + 1, &search->level[row + 1].reach);
}

bool rule_search_place(struct rule_search *search, uint32_t column)
{
    uint64_t *untried = &search->level[search->row].untried;
    if (search->row >= search->n || column >= search->n || !(*untried >> column & 1))
        return false;
    *untried &= ~UINT64_C(0) << column << 1;
    enter(search, UINT64_C(1) << column);
    return true;
}

void rule_search_remove(struct rule_search *search)
{
    assert(search->row > 0);
    const uint32_t row = --search->row;
    search->level[row].untried = free_squares(search, row, &search->level[row].reach);
}

static bool place_all(struct rule_search *search, const uint8_t *columns, uint32_t length)
{
    while (search->row < length)
        if (!rule_search_place(search, columns[search->row]))
            return false;
    return true;
}

bool rule_search_follow(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow,
                        const uint8_t *columns, uint32_t length)
{
    rule_search_begin(search, rule, n, allow);
    return place_all(search, columns, length);
}

/* ---- Walks ---- */

void rule_walk_begin(struct rule_walk *walk, const struct rule *rule, uint32_t n, const uint64_t *allow,
                     uint32_t length)
{
    assert(length <= n);
    walk->root = walk->position_length = 0;
    walk->length = length;
    walk->inside = walk->ended = false;
    rule_search_begin(&walk->search, rule, n, allow);
}

bool rule_walk_root(struct rule_walk *walk, const uint8_t *columns, uint32_t rows)
{
    walk->root = rows;
    return rows < walk->length && place_all(&walk->search, columns, rows);
}

/* Everything below the first queens is listed. */
static void finish(struct rule_walk *walk, uint32_t length)
{
    memcpy(walk->position, walk->search.columns, length);
    walk->position_length = length;
}

/* Goes up one row, to the next square there. */
static void leave(struct rule_walk *walk)
{
    walk->ended = walk->search.row == walk->root;
    walk->search.row -= !walk->ended;
}

bool rule_walk_seek(struct rule_walk *walk, const uint8_t *columns, uint32_t length)
{
    struct rule_search *search = &walk->search;
    if (length < walk->root || memcmp(columns, search->columns, walk->root) != 0 || !place_all(search, columns, length))
        return false;
    finish(walk, length);
    if (length > walk->length)
        search->row = walk->length;
    leave(walk);
    return true;
}

/* Places the next queen in the first row without one. False: there is no square left. */
static bool place_next(struct rule_search *search)
{
    uint64_t *untried = &search->level[search->row].untried;
    const uint64_t queen = *untried & -*untried;
    *untried ^= queen;
    if (queen)
        enter(search, queen);
    return queen;
}

bool rule_walk_next(struct rule_walk *walk, uint8_t *columns)
{
    struct rule_search *search = &walk->search;
    if (walk->inside)
        leave(walk);
    while (!walk->ended && search->row < walk->length)
        if (!place_next(search))
            leave(walk);
    walk->inside = !walk->ended;
    for (uint32_t row = 0; walk->inside && row < walk->length; row++)
        columns[row] = search->columns[row];
    return walk->inside;
}

enum nq_status rule_walk_list(struct rule_walk *walk, uint64_t *budget, uint8_t *columns, size_t room, size_t *count)
{
    struct rule_search *search = &walk->search;
    const uint32_t n = search->n;
    bool moved = false;
    assert(n > 0 && walk->length == n);
    for (*count = 0; *count < room;) {
        uint64_t *untried = &search->level[search->row].untried;
        if (walk->ended)
            return NQ_END;
        if (*budget == 0 && moved)
            return NQ_AGAIN;
        if (*untried) {
            *budget -= *budget > 0;
            if (search->row + 1 < n) {
                (void)place_next(search);
                continue;
            }
            search->columns[n - 1] = (uint8_t)__builtin_ctzll(*untried);
            *untried &= *untried - 1;
            memcpy(columns + n * (*count)++, search->columns, n);
            finish(walk, n);
            moved = true;
        } else if (search->row == walk->root) {
            walk->ended = true;
        } else {
            finish(walk, search->row--);
            moved = true;
        }
    }
    return NQ_OK;
}
