/* plain.c - the reference of ratios by a rule: the recursion of textbooks, for queens as fast as that of textbook.c. It
 * must not be made faster. */
#include "bench/bench.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* place_x() is this with the moves as a constant, and itself for what is below. */
static ALWAYS_INLINE uint64_t place(uint32_t n, uint32_t row, struct reach reach, unsigned moves,
                                    uint64_t (*below)(uint32_t, uint32_t, struct reach))
{
    if (row == n)
        return 1;
    uint64_t count = 0;
    uint64_t free = ~UINT64_C(0) >> (RULE_MAX_N - n) & ~reach_attacked(&reach);
    while (free) {
        const uint64_t queen = free & -free;
        struct reach passed = reach;
        free ^= queen;
        reach_pass(moves, n, row, queen, &passed);
        count += below(n, row + 1, passed);
    }
    return count;
}

#define PLACE(name, moves) \
    static uint64_t place_##name(uint32_t n, uint32_t row, struct reach reach) \
    { \
        return place(n, row, reach, moves, place_##name); \
    }
PLACE(queens, MOVE_LEFT | MOVE_RIGHT)
MOVES_COMPILED(PLACE)

uint64_t plain_count(const struct rule *rule, uint32_t n)
{
    const struct reach none = {0};
    switch (rule->moves) {
#define COUNT(name, moves) \
    case moves: return place_##name(n, 0, none);
        COUNT(queens, MOVE_LEFT | MOVE_RIGHT)
        MOVES_COMPILED(COUNT)
    default: return 0;
    }
}
