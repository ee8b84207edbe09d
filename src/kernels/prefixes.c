/* prefixes.c - a depth-first walk, one step of the kernels' at a time. */
#include "kernels/prefixes.h"

#include <assert.h>
#include <string.h>

bool prefixes_place(const struct kernel_board *board, const uint8_t *columns, uint32_t length,
                    struct kernel_prefix *prefix)
{
    *prefix = (struct kernel_prefix){0};
    if (length > board->n)
        return false;
    for (uint32_t row = 0; row < length; row++) {
        const uint32_t queen = columns[row] < board->n ? UINT32_C(1) << columns[row] : 0;
        if (!(kernel_free(board, prefix, row) & queen))
            return false;
        *prefix = kernel_place(board, prefix, queen);
    }
    return true;
}

/* Goes to a prefix, whose next row is tried from here on. */
static void enter(struct prefixes *prefixes, const struct kernel_prefix *prefix)
{
    const uint32_t free = prefix->depth < prefixes->board->n ? kernel_free(prefixes->board, prefix, prefix->depth) : 0;
    prefixes->row = prefix->depth;
    prefixes->level[prefix->depth].prefix = *prefix;
    prefixes->level[prefix->depth].untried = free ? kernel_choices(prefixes->board, prefix, free) : 0;
    prefixes->entered = true;
}

void prefixes_begin(struct prefixes *prefixes, const struct kernel_board *board, uint32_t length)
{
    assert(board->n <= KERNEL_MAX_N && board->rows == board->n && length <= board->n);
    prefixes->board = board;
    prefixes->length = length;
    enter(prefixes, &(struct kernel_prefix){0});
}

bool prefixes_seek(struct prefixes *prefixes, const uint8_t *columns, uint32_t length)
{
    struct kernel_prefix prefix;
    if (!prefixes_place(prefixes->board, columns, length, &prefix))
        return false;
    if (length > prefixes->length)
        length = prefixes->length;
    enter(prefixes, &(struct kernel_prefix){0});
    for (uint32_t row = 0; row < length; row++) {
        const uint32_t queen = UINT32_C(1) << columns[row];
        prefixes->level[row].untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        prefixes->columns[row] = columns[row];
        prefix = kernel_place(prefixes->board, &prefixes->level[row].prefix, queen);
        enter(prefixes, &prefix);
    }
    prefixes->level[length].untried = 0;
    prefixes->entered = false;
    return true;
}

/* Whether the prefix is complete, not excluded by lookahead, and not returned yet. */
static bool arrived(struct prefixes *prefixes)
{
    const bool entered = prefixes->entered;
    prefixes->entered = false;
    return entered && prefixes->row == prefixes->length &&
           (prefixes->row == prefixes->board->n || prefixes->level[prefixes->row].untried);
}

bool prefixes_next(struct prefixes *prefixes, uint8_t *columns, struct kernel_prefix *prefix)
{
    for (;;) {
        const uint32_t row = prefixes->row;
        if (arrived(prefixes)) {
            if (row)
                memcpy(columns, prefixes->columns, row);
            *prefix = prefixes->level[row].prefix;
            return true;
        }
        const uint32_t untried = prefixes->level[row].untried;
        if (row < prefixes->length && untried) {
            const uint32_t queen = untried & -untried;
            prefixes->level[row].untried = untried ^ queen;
            prefixes->columns[row] = (uint8_t)__builtin_ctz(queen);
            const struct kernel_prefix below = kernel_place(prefixes->board, &prefixes->level[row].prefix, queen);
            enter(prefixes, &below);
            continue;
        }
        if (row == 0)
            return false;
        prefixes->row--;
    }
}
