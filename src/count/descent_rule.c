/* descent_rule.c - random descents by any rule: the row with the fewest free squares is next, one of its squares is
 * chosen, all alike, of those that leave every other row a square, and the last rows are searched. */
#include "count/descent.h"
#include "rules/attacks.h"

/* Standard error after one CPU second, in % of the count (one core of a Zen 4 with other work, gcc 12 -O3, plain
 * x86-64), by so many placements that the rows left would have if no queen attacked another:
 *
 *                                1e5    1e6    1e7    1e8
 *     superqueens, n = 30        1.25   1.00   0.91   0.91
 *     touching, n = 40           0.09   0.16   0.16   0.37
 *     toroidal, n = 25           5.3    4.5    3.8    2.9
 *     reflecting, n = 23         1.28   1.01   0.79   0.69
 *     toroidal-semiqueens, n=25  0.25   0.21   0.20   0.24
 */
#define MOST_SEARCHED 1e7

/* What does not change on the way down. */
struct lines {
    uint32_t n;
    const uint64_t *attacks;
};

/* Of the lowest of some squares in row number `at` of the list. */
static const uint64_t *attacked_by(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares)
{
    return attacks_of(lines->attacks, lines->n, board->row[at], (uint32_t)__builtin_ctzll(squares));
}

/* Whether every other row keeps a square. */
static bool is_open(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares)
{
    const uint64_t *attacked = attacked_by(lines, board, at, squares);
    for (uint32_t i = 0; i < board->rows; i++)
        if (i != at && !(board->free[i] & ~attacked[board->row[i]]))
            return false;
    return true;
}

/* Places a queen on the lowest of some squares in row number `at`; next may be board itself. */
static void place(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares,
                  struct board *next)
{
    const uint64_t *attacked = attacked_by(lines, board, at, squares);
    next->rows = board->rows - 1;
    for (uint32_t i = 0; i < next->rows; i++) {
        const uint32_t from = i + (i >= at);
        const uint64_t free = board->free[from] & ~attacked[board->row[from]];
        next->row[i] = board->row[from];
        next->count[i] = (uint8_t)__builtin_popcountll(free);
        next->free[i] = free;
    }
}

/* All ways to fill the rows. */
static uint64_t complete(const struct lines *lines, const struct board *board)
{
    if (!board->rows)
        return 1;
    const uint32_t at = fewest(board);
    if (board->rows == 1)
        return board->count[at];
    uint64_t ways = 0;
    for (uint64_t rest = board->free[at]; rest; rest &= rest - 1) {
        struct board next;
        place(lines, board, at, rest, &next);
        ways += complete(lines, &next);
    }
    return ways;
}

bool descent_searches(const struct board *board)
{
    double placements = 1;
    for (uint32_t i = 0; i < board->rows; i++)
        placements *= board->count[i];
    return placements <= MOST_SEARCHED;
}

double descent_by_rule(const struct board *board, uint32_t n, const uint64_t *attacks, struct random *random)
{
    const struct lines lines = {n, attacks};
    struct board now = *board;
    double value = 1;
    while (!descent_searches(&now)) {
        const uint32_t at = fewest(&now);
        uint64_t children[DESCENT_MAX_N];
        uint32_t count = 0;
        for (uint64_t rest = now.free[at]; rest; rest &= rest - 1) {
            children[count] = rest;
            count += is_open(&lines, &now, at, rest);
        }
        if (!count)
            return 0;
        place(&lines, &now, at, children[random_below(random, count)], &now);
        value *= count;
    }
    return value * (double)complete(&lines, &now);
}
