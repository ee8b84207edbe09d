/* lister.c - depth-first search, row by row, that can be left after any placement. */
#include "rules/lister.h"

#include <string.h>

/* Goes down one row. */
static void enter(struct rule_lister *lister, uint32_t column)
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
        enter(lister, column);
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
                enter(lister, column);
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
