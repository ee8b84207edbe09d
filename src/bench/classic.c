/* classic.c - the second yardstick: the eightfold solver as the last twenty years knew it, written from its description
 * (T. Takahashi, "takaken", 2003). It is not tuned beyond what that describes.
 *
 * The queen of row 0 stands in column a of the left half, and no queen on any border is nearer to a corner than a: so
 * of eight images one is counted, and counts eight. Only a turned image can be as near: a reflected one would put two
 * queens on one line. Then the solution must be the least of those images, and counts as many as there are different
 * ones. With a = 0 the corner is held, and a reflection in the diagonal remains: the queen of row 1 stands to the left
 * of where that of column 1 stands below. */
#include <nqueens.h>

#include "bench/bench.h"

enum { MOST = 32 };

struct board {
    uint32_t n, a, second; /* second: the column of row 1's queen, for a = 0 */
    uint32_t sides;        /* first and last column */
    uint32_t columns[MOST];
    uint64_t count;
};

/* Compares the board with itself after some quarter turns: negative when the image comes first. */
static int compare_turned(const struct board *board, unsigned turns)
{
    uint32_t image[MOST];
    nq_transform(turns, board->n, board->columns, image);
    for (uint32_t i = 0; i < board->n; i++)
        if (image[i] != board->columns[i])
            return image[i] < board->columns[i] ? -1 : 1;
    return 0;
}

/* How many solutions this one stands for; 0 when another image of it does. */
static unsigned weigh(const struct board *board)
{
    const uint32_t n = board->n, a = board->a;
    const uint32_t *columns = board->columns;
    unsigned weight = 8;
    if (a == 0)
        return weight;
    for (unsigned turns = 1; turns <= 3; turns++) {
        const bool tie = turns == 1   ? columns[n - 1 - a] == 0
                         : turns == 2 ? columns[n - 1] == n - 1 - a
                                      : columns[a] == n - 1;
        if (!tie)
            continue;
        const int order = compare_turned(board, turns);
        if (order < 0)
            return 0;
        if (order == 0 && turns == 1)
            return 2;
        if (order == 0)
            weight = 4;
    }
    return weight;
}

/* Where row `row` may not have its queen, but for lines. */
static uint32_t barred(const struct board *board, uint32_t row)
{
    const uint32_t n = board->n, a = board->a;
    if (a == 0)
        return row < board->second ? 2U : 0;
    uint32_t mask = row < a || row > n - 1 - a ? board->sides : 0;
    if (row == n - 1) /* columns nearer to its ends than a */
        mask |= ((1U << a) - 1) | ((1U << a) - 1) << (n - a);
    return mask;
}

static void place(struct board *board, uint32_t row, uint32_t columns, uint32_t left, uint32_t right)
{
    if (board->a && row == board->n - board->a && (columns & board->sides) != board->sides)
        return; /* no row to come may take them */
    uint32_t free = ((1U << board->n) - 1) & ~(columns | left | right | barred(board, row));
    for (; free; free &= free - 1) {
        const uint32_t queen = free & -free;
        board->columns[row] = (uint32_t)__builtin_ctz(queen);
        if (row + 1 == board->n)
            board->count += weigh(board);
        else
            place(board, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
}

uint64_t classic_count(uint32_t n)
{
    if (n < 2)
        return 1;
    struct board board = {.n = n, .sides = 1U | 1U << (n - 1)};
    for (board.second = 2; board.second < n; board.second++) {
        const uint32_t queen = 1U << board.second;
        board.columns[0] = 0;
        board.columns[1] = board.second;
        if (n > 2)
            place(&board, 2, 1U | queen, (1U << 1 | queen) << 1, queen >> 1);
    }
    for (board.a = 1; 2 * board.a < n; board.a++) {
        const uint32_t queen = 1U << board.a;
        board.columns[0] = board.a;
        place(&board, 1, queen, queen << 1, queen >> 1);
    }
    return board.count;
}
