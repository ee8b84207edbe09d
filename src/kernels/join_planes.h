/* join_planes.h - a block's words turned into planes, lane by lane, for instruction sets that have nothing better. It
 * knows no instruction set.
 *
 * To be defined before, besides what join_block.h asks for: v_load(const uint32_t *), v_store(uint32_t *, vec),
 * v_set(uint32_t), v_and(vec, vec), v_or(vec, vec), v_without(vec a, vec b) for a and not b, v_select(vec mask, vec a,
 * vec b) for bits of a where the mask has them, else of b; v_up(vec, unsigned) and v_down(vec, unsigned), by lane: bits
 * that cross into another lane do not matter. */
#include "kernels/join_block.h"

/* Exchanges the bits of `a` above those of the mask with the bits of `b` in it. */
static ALWAYS_INLINE void exchange(vec *a, vec *b, unsigned distance, uint32_t mask)
{
    const vec low = v_select(v_set(mask), *a, v_up(*b, distance));
    *b = v_select(v_set(mask), v_down(*a, distance), *b);
    *a = low;
}

/* Transposes a square of 32 x 32 bits in every lane, by exchanging ever smaller quarters of squares (Warren, Hacker's
 * Delight, 7-3). Three rounds and two, so that the rows of a group stay in registers. The i-th pattern becomes bit
 * i / LANES of lane i % LANES. */
static ALWAYS_INLINE void make_planes(const uint32_t *pattern, vec plane[32])
{
    for (int k = 0; k < 4; k++) {
        vec a[8];
        for (int i = 0; i < 8; i++)
            a[i] = v_load(pattern + (size_t)LANES * (unsigned)(k + 4 * i));
        for (int i = 0; i < 4; i++)
            exchange(&a[i], &a[i + 4], 16, 0x0000ffff);
        for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1)
            exchange(&a[i], &a[i + 2], 8, 0x00ff00ff);
        for (int i = 0; i < 8; i += 2)
            exchange(&a[i], &a[i + 1], 4, 0x0f0f0f0f);
        for (int i = 0; i < 8; i++)
            plane[k + 4 * i] = a[i];
    }
    for (int k = 0; k < 32; k += 4) {
        vec *a = plane + k;
        exchange(&a[0], &a[2], 2, 0x33333333);
        exchange(&a[1], &a[3], 2, 0x33333333);
        exchange(&a[0], &a[1], 1, 0x55555555);
        exchange(&a[2], &a[3], 1, 0x55555555);
    }
}

/* The lanes below `count`. */
static ALWAYS_INLINE vec lanes_below(uint32_t count)
{
    static const uint32_t ones[2 * LANES] = {[0 ... LANES - 1] = ~UINT32_C(0)};
    return v_load(ones + LANES - count);
}

/* The bits of `count` patterns that were dealt to `lanes` lanes in turn. */
static ALWAYS_INLINE vec dealt(uint32_t count, uint32_t from, uint32_t lanes)
{
    const uint32_t rounds = count / lanes, more = count % lanes;
    const vec complete = v_set((uint32_t)((UINT64_C(1) << rounds) - 1));
    const vec last = more ? v_and(v_set(UINT32_C(1) << rounds), lanes_below(from + more)) : v_set(0);
    return v_without(v_and(v_or(complete, last), lanes_below(from + lanes)), lanes_below(from));
}

/* Deals the patterns of each group to its lanes. Returns the bits of the patterns. */
static ALWAYS_INLINE vec deal(const struct block *block, uint32_t *to)
{
    const uint32_t lanes = IN_TALLY_LANE * block->first_lanes, others = LANES - lanes;
    for (uint32_t round = 0; round < 32; round++)
        v_store(to + (size_t)round * LANES, v_load(block->pattern + (size_t)round * lanes));
    for (uint32_t i = 0; i < block->seconds; to += LANES)
        for (uint32_t lane = 0; lane < others && i < block->seconds; lane++)
            to[lanes + lane] = block->second[i++];
    return v_or(dealt(block->firsts, 0, lanes), dealt(block->seconds, lanes, others));
}

/* Plane b has the patterns with bit b. Returns the bits of all patterns. */
static ALWAYS_INLINE vec block_planes(const struct block *block, vec plane[32])
{
    _Alignas(vec) uint32_t both[PATTERNS];
    if (block->firsts && block->seconds) {
        const vec present = deal(block, both);
        make_planes(both, plane);
        return present;
    }
    make_planes(block->firsts ? block->pattern : block->second, plane);
    return dealt(block->firsts + block->seconds, 0, LANES);
}

/* ---- join_rank.h for instruction sets that have nothing better: item by item ---- */

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
