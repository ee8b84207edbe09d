/* join_rank_plain.h - join_rank.h for instruction sets that have nothing better: item by item. */

static inline uint64_t shared(uint64_t items, uint64_t patterns, const uint64_t apart[64])
{
    uint64_t pairs = 0;
    for (; items; items &= items - 1)
        pairs += (uint64_t)__builtin_popcountll(apart[__builtin_ctzll(items)] & patterns);
    return pairs;
}

static inline void part(uint64_t items, uint64_t patterns, uint64_t apart[64])
{
    for (; items; items &= items - 1)
        apart[__builtin_ctzll(items)] &= ~patterns;
}

#include "kernels/join_rank.h"
