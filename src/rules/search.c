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
static void enter(struct rule_search *search, uint64_t queen)
{
    const uint32_t row = search->row++;
    search->columns[row] = (uint8_t)__builtin_ctzll(queen);
    search->level[row + 1].reach = search->level[row].reach;
    rule_pass(search->rule, search->n, row, queen, &search->level[row + 1].reach);
    search->level[row + 1].untried = free_squares(search, row + 1, &search->level[row + 1].reach);
}

bool rule_search_place(struct rule_search *search, uint32_t column)
{
    if (search->row >= search->n || column >= search->n || !(search->level[search->row].untried >> column & 1))
        return false;
    enter(search, UINT64_C(1) << column);
    return true;
}

void rule_search_remove(struct rule_search *search)
{
    assert(search->row > 0);
    const uint32_t row = --search->row;
    search->level[row].untried = free_squares(search, row, &search->level[row].reach);
}

/* ---- Prefixes ---- */

/* A walk by placing and removing queens. */

void rule_prefixes_begin(struct rule_prefixes *prefixes, const struct rule *rule, uint32_t n, const uint64_t *allow,
                         uint32_t length)
{
    assert(length <= n);
    prefixes->length = length;
    prefixes->begun = false;
    prefixes->next[0] = 0;
    rule_search_begin(&prefixes->search, rule, n, allow);
}

/* Places the next queen in the first row without one. False: there is no square left. */
static bool place(struct rule_prefixes *prefixes)
{
    struct rule_search *search = &prefixes->search;
    const uint32_t row = search->row;
    while (prefixes->next[row] < search->n)
        if (rule_search_place(search, prefixes->next[row]++)) {
            prefixes->next[row + 1] = 0;
            return true;
        }
    return false;
}

bool rule_prefixes_next(struct rule_prefixes *prefixes, uint8_t *columns)
{
    struct rule_search *search = &prefixes->search;
    if (prefixes->begun && search->row == 0)
        return false;
    if (prefixes->begun)
        rule_search_remove(search);
    prefixes->begun = true;
    while (search->row < prefixes->length)
        if (!place(prefixes)) {
            if (search->row == 0)
                return false;
            rule_search_remove(search);
        }
    for (uint32_t row = 0; row < prefixes->length; row++)
        columns[row] = search->columns[row];
    return true;
}

bool rule_prefixes_seek(struct rule_prefixes *prefixes, const uint8_t *columns, uint32_t length)
{
    struct rule_search *search = &prefixes->search;
    if (!rule_search_follow(search, search->rule, search->n, search->allow, columns, length))
        return false;
    while (search->row > prefixes->length)
        rule_search_remove(search);
    for (uint32_t row = 0; row < search->row; row++)
        prefixes->next[row] = columns[row] + 1U;
    prefixes->begun = true;
    return true;
}

bool rule_search_follow(struct rule_search *search, const struct rule *rule, uint32_t n, const uint64_t *allow,
                        const uint8_t *columns, uint32_t length)
{
    rule_search_begin(search, rule, n, allow);
    for (uint32_t row = 0; row < length; row++)
        if (!rule_search_place(search, columns[row]))
            return false;
    return true;
}

/* ---- Lists ---- */

/* Depth-first search, row by row, that can be left after any placement. */

/* Goes down one row. */
static void enter_row(struct rule_lister *lister, uint32_t column)
{
    const uint32_t row = lister->row++;
    struct reach *reach = &lister->level[row + 1].reach;
    lister->columns[row] = (uint8_t)column;
    *reach = lister->level[row].reach;
    rule_pass(lister->rule, lister->n, row, UINT64_C(1) << column, reach);
    lister->level[row + 1].untried = row + 1 < lister->n ? lister->allow[row + 1] & ~reach_attacked(reach) : 0;
}

/* Goes down along queens; the squares up to each are done. False: one of them cannot stand there. */
static bool follow(struct rule_lister *lister, const uint8_t *columns, uint32_t length)
{
    while (lister->row < length) {
        const uint32_t column = columns[lister->row];
        uint64_t *untried = &lister->level[lister->row].untried;
        if (column >= lister->n || !(*untried >> column & 1))
            return false;
        *untried &= ~UINT64_C(0) << column << 1;
        enter_row(lister, column);
    }
    return true;
}

static void finish(struct rule_lister *lister, uint32_t length)
{
    memcpy(lister->position, lister->columns, length);
    lister->position_length = length;
}

enum nq_status rule_lister_begin(struct rule_lister *lister, const struct rule *rule, uint32_t n, const uint64_t *allow,
                                 const uint8_t *prefix, uint32_t length)
{
    lister->rule = rule;
    lister->allow = allow;
    lister->n = n;
    lister->root = length;
    lister->row = lister->position_length = 0;
    lister->ended = false;
    lister->level[0].reach = (struct reach){0};
    lister->level[0].untried = allow[0];
    return length < n && follow(lister, prefix, length) ? NQ_OK : NQ_INVALID;
}

enum nq_status rule_lister_seek(struct rule_lister *lister, const uint8_t *position, uint32_t length)
{
    if (length < lister->root || length > lister->n || memcmp(position, lister->columns, lister->root) != 0)
        return NQ_INVALID;
    lister->row = lister->root;
    if (!follow(lister, position, length))
        return NQ_INVALID;
    finish(lister, length);
    lister->ended = length == lister->root;
    lister->row = lister->ended ? length : length - 1;
    return NQ_OK;
}

enum nq_status rule_lister_next(struct rule_lister *lister, uint64_t *budget, uint8_t *columns, size_t room,
                                size_t *count)
{
    const uint32_t n = lister->n;
    bool moved = false;
    for (*count = 0; *count < room;) {
        uint64_t *untried = &lister->level[lister->row].untried;
        if (lister->ended)
            return NQ_END;
        if (*budget == 0 && moved)
            return NQ_AGAIN;
        if (*untried) {
            const uint32_t column = (uint32_t)__builtin_ctzll(*untried);
            *untried &= *untried - 1;
            *budget -= *budget > 0;
            if (lister->row + 1 < n) {
                enter_row(lister, column);
                continue;
            }
            lister->columns[n - 1] = (uint8_t)column;
            memcpy(columns + n * (*count)++, lister->columns, n);
            finish(lister, n);
            moved = true;
        } else if (lister->row == lister->root) {
            lister->ended = true;
        } else {
            finish(lister, lister->row--);
            moved = true;
        }
    }
    return NQ_OK;
}
