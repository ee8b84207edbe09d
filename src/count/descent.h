/* descent.h - what random descents know of a board: the rows that have no queen yet, and their free squares. It is
 * private to estimate.c and descent_rule.c. */
#ifndef COUNT_DESCENT_H
#define COUNT_DESCENT_H

#include "base/random.h"
#include "board/query.h"

/* The largest board. */
enum { DESCENT_MAX_N = 40 };

/* The rows without a queen, from the middle of the board outwards. */
struct board {
    uint32_t rows;
    uint8_t row[DESCENT_MAX_N];
    uint8_t count[DESCENT_MAX_N]; /* of its free squares */
    uint64_t free[DESCENT_MAX_N];
};

/* The rows of a settled filter that have more than one square: no queen of the others attacks these. */
static inline void board_begin(struct board *board, const struct filter *filter)
{
    board->rows = 0;
    for (uint32_t i = 0; i < filter->n; i++) {
        const uint32_t middle = (filter->n - 1) / 2, row = i % 2 ? middle + (i + 1) / 2 : middle - i / 2;
        const uint64_t free = filter->allow[row];
        if (free && !(free & (free - 1)))
            continue;
        board->row[board->rows] = (uint8_t)row;
        board->count[board->rows] = (uint8_t)__builtin_popcountll(free);
        board->free[board->rows++] = free;
    }
}

/* The row to be filled next, by its number in the list, which is not empty. */
static inline uint32_t fewest(const struct board *board)
{
    uint32_t least = (uint32_t)board->count[0] << 8;
    for (uint32_t i = 1; i < board->rows; i++) {
        const uint32_t key = (uint32_t)board->count[i] << 8 | i;
        least = key < least ? key : least;
    }
    return least & 0xff;
}

/* Whether a walk by a rule leaves nothing to chance on a board: the rows left are searched. It is not a number of rows:
 * by rules with many solutions that would be too much. */
bool descent_searches(const struct board *board);

/* The value of one walk by a rule, whose attacks on n x n squares are as rule_attacks() lists them. */
double descent_by_rule(const struct board *board, uint32_t n, const uint64_t *attacks, struct random *random);

#endif
