/* textbook.c - the reference of all ratios: the recursion of textbooks. It must not be made faster.
 */
#include "bench/bench.h"

static uint64_t place(uint32_t full, uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == full)
        return 1;
    uint64_t count = 0;
    uint32_t free = full & ~(columns | left | right);
    while (free) {
        uint32_t queen = free & -free;
        free ^= queen;
        count += place(full, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return count;
}

uint64_t textbook_count(uint32_t n)
{
    return place(n ? ~UINT32_C(0) >> (32 - n) : 0, 0, 0, 0);
}
