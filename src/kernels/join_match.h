/* join_match.h - trying items against patterns, written once: each instruction set includes it after defining its
 * vectors. It knows no instruction set.
 *
 * Patterns are taken in blocks of PATTERNS, a bit of a vector for each. The block's words are turned into planes: plane
 * b says which patterns have bit b. A word is cut into as few chunks as will do, of five and of six bits. For each of
 * them there is a table that says, for each of the chunk's 32 or 64 values, which patterns have none of its bits. To
 * try an item against the whole block, look up each of its chunks and intersect: five or six loads. Where an item's
 * chunks are found is the same for all blocks, so AT_ONCE of them are tried together. All their tables lie in the
 * first-level cache.
 *
 * To be defined before:
 * - AT_ONCE, 1 or 2; vec, LANES of 32 bits each; v_load(const uint32_t *), v_set(uint32_t), v_and(vec, vec), v_or(vec,
 *   vec), v_without(vec a, vec b) for a and not b, v_select(vec mask, vec a, vec b) for bits of a where the mask has
 * them, else of b; v_left(vec, int) and v_right(vec, int), by lane: bits that cross into another lane do not matter;
 * - struct tally, initialised by zeros; tally_add(struct tally *, vec) counts a vector's bits, at most TALLY_ROOM times
 *   between two calls of tally_settle(struct tally *); uint64_t tally_sum(const struct tally *). */

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { PATTERNS = 32 * LANES, NARROW = 5, MOST_CHUNKS = 6, TABLE = 2 << NARROW };

/* What an item is looked up in, by block, chunk and value. */
struct tables {
    vec of[AT_ONCE][MOST_CHUNKS][TABLE];
};

/* ---- Planes ---- */

/* Exchanges the bits of `a` above those of the mask with the bits of `b` in it. */
static ALWAYS_INLINE void exchange(vec *a, vec *b, int distance, uint32_t mask)
{
    const vec low = v_select(v_set(mask), *a, v_left(*b, distance));
    *b = v_select(v_set(mask), v_right(*a, distance), *b);
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

/* Of the first `count` patterns of all blocks those that are in one of them. */
static ALWAYS_INLINE vec first_patterns(size_t count, uint32_t block)
{
    uint32_t lane[LANES];
    const size_t before = (size_t)block * PATTERNS, here = count > before ? count - before : 0;
    if (here >= PATTERNS)
        return v_set(~UINT32_C(0));
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t rows = ((uint32_t)here + LANES - 1 - i) / LANES;
        lane[i] = rows < 32 ? (UINT32_C(1) << rows) - 1 : ~UINT32_C(0);
    }
    return v_load(lane);
}

/* ---- Tables ---- */

/* A chunk's table, from its planes; `all` are the patterns that there are. */
static ALWAYS_INLINE void make_table(const vec *plane, uint32_t width, vec all, vec *table)
{
    vec low[8];
    low[0] = all;
    for (uint32_t b = 0; b < 3; b++)
        for (uint32_t i = 0; i < 1U << b; i++)
            low[i + (1U << b)] = v_without(low[i], plane[b]);
    for (uint32_t high = 0; high < 1U << (width - 3); high++) {
        vec without = v_set(0); /* any of the planes from the fourth on */
        for (uint32_t b = 0; b < width - 3; b++)
            if (high >> b & 1)
                without = v_or(without, plane[3 + b]);
        for (uint32_t i = 0; i < 8; i++)
            table[8 * high + i] = v_without(low[i], without);
    }
}

static ALWAYS_INLINE uint32_t chunks_of(uint32_t bits)
{
    return (bits + NARROW) / (NARROW + 1);
}

/* How many bits a chunk has: the narrow ones come first. Fewer bits are smaller tables: at 28 bits, 256 values for five
 * chunks where all six bits wide are 320. */
static ALWAYS_INLINE uint32_t width_of(uint32_t chunk, uint32_t chunks, uint32_t bits)
{
    return NARROW + (chunk >= (NARROW + 1) * chunks - bits);
}

/* Those of a block. Not a copy for each number of bits: that took a minute to compile, and 2 to 4 % longer to run. */
static __attribute__((noinline)) void make_tables(const uint32_t *pattern, vec present, uint32_t bits,
                                                  vec table[MOST_CHUNKS][TABLE])
{
    const uint32_t chunks = chunks_of(bits);
    vec plane[32];
    make_planes(pattern, plane);
    for (uint32_t i = 0, from = 0; i < chunks; from += width_of(i++, chunks, bits)) {
        const vec all = i ? v_set(~UINT32_C(0)) : present;
        if (width_of(i, chunks, bits) == NARROW)
            make_table(plane + from, NARROW, all, table[i]);
        else
            make_table(plane + from, NARROW + 1, all, table[i]);
    }
}

/* To the right. One instruction, where shifting is two because the word is kept: 11 % of an item's time with AVX2. */
static ALWAYS_INLINE uint32_t rotate(uint32_t word, uint32_t count)
{
    return word >> (count % 32) | word << (-count % 32);
}

/* The patterns of each block that an item goes with. */
static ALWAYS_INLINE void look_up(const struct tables *tables, uint32_t item, uint32_t bits, uint32_t blocks,
                                  vec found[AT_ONCE])
{
    const uint32_t chunks = chunks_of(bits);
    for (uint32_t i = 0, shift = 0; i < chunks; shift += width_of(i++, chunks, bits)) {
        const uint32_t mask = ((UINT32_C(1) << width_of(i, chunks, bits)) - 1) * (uint32_t)sizeof(vec);
        const uint32_t at = rotate(item, shift - (uint32_t)__builtin_ctz(sizeof(vec))) & mask;
        for (uint32_t b = 0; b < blocks; b++) {
            const vec here = *(const vec *)((const char *)tables->of[b][i] + at);
            found[b] = i ? v_and(found[b], here) : here;
        }
    }
}

/* ---- Matching ---- */

/* Items of one group against the blocks at hand. With `mixed` patterns, those of group 1 are told apart by masks. */
static ALWAYS_INLINE void match_ranges(const struct tables *tables, const struct join_range *range, size_t ranges,
                                       const vec seconds[AT_ONCE], uint64_t found[2], uint32_t bits, uint32_t blocks,
                                       bool mixed)
{
    struct tally all[AT_ONCE] = {0}, second[AT_ONCE] = {0};
    for (size_t i = 0; i < ranges; i++) {
        const uint32_t *item = range[i].begin, *const end = range[i].end;
        while (item < end) {
            const uint32_t *const pause = end - item > TALLY_ROOM ? item + TALLY_ROOM : end;
            for (; item < pause; item++) {
                vec matching[AT_ONCE];
                look_up(tables, *item, bits, blocks, matching);
                for (uint32_t b = 0; b < blocks; b++) {
                    tally_add(&all[b], matching[b]);
                    if (mixed)
                        tally_add(&second[b], v_and(matching[b], seconds[b]));
                }
            }
            for (uint32_t b = 0; b < blocks; b++) {
                tally_settle(&all[b]);
                tally_settle(&second[b]);
            }
        }
    }
    for (uint32_t b = 0; b < blocks; b++) {
        const uint64_t of_second = tally_sum(&second[b]);
        found[0] += tally_sum(&all[b]) - of_second;
        found[1] += of_second;
    }
}

/* The next `blocks` blocks of patterns, the last of which may not be full. */
static ALWAYS_INLINE void match_blocks(const struct join_task *task, size_t at, uint64_t found[2][2], uint32_t bits,
                                       uint32_t blocks)
{
    const size_t left = task->patterns - at, firsts = task->firsts > at ? task->firsts - at : 0;
    const bool mixed = firsts > 0 && firsts < left && firsts < (size_t)blocks * PATTERNS;
    struct tables tables;
    vec seconds[AT_ONCE];
    for (uint32_t b = 0; b < blocks; b++) {
        const vec present = first_patterns(left, b);
        make_tables(task->pattern + at + (size_t)b * PATTERNS, present, bits, tables.of[b]);
        seconds[b] = v_without(present, first_patterns(firsts, b));
    }
    const struct join_range *range = task->range;
    for (int group = 0; group < 2; range += task->ranges[group++]) {
        uint64_t here[2] = {0};
        if (mixed)
            match_ranges(&tables, range, task->ranges[group], seconds, here, bits, blocks, true);
        else
            match_ranges(&tables, range, task->ranges[group], seconds, here, bits, blocks, false);
        found[group][firsts == 0] += here[0];
        found[group][1] += here[1];
    }
}

static ALWAYS_INLINE void match_bits(const struct join_task *task, uint64_t found[2][2], uint32_t bits)
{
    size_t at = 0;
    for (; AT_ONCE > 1 && task->patterns > at + PATTERNS; at += (size_t)AT_ONCE * PATTERNS)
        match_blocks(task, at, found, bits, AT_ONCE);
    for (; at < task->patterns; at += PATTERNS)
        match_blocks(task, at, found, bits, 1);
}

/* A function for each number of bits, so that the compiler knows all shifts; a few more bits than asked for may be
 * looked at. */
static void match(const struct join_task *task, uint64_t found[2][2])
{
    switch (task->bits) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: match_bits(task, found, 5); break;
    case 6: match_bits(task, found, 6); break;
    case 7:
    case 8:
    case 9:
    case 10: match_bits(task, found, 10); break;
    case 11: match_bits(task, found, 11); break;
    case 12: match_bits(task, found, 12); break;
    case 13:
    case 14:
    case 15: match_bits(task, found, 15); break;
    case 16: match_bits(task, found, 16); break;
    case 17: match_bits(task, found, 17); break;
    case 18: match_bits(task, found, 18); break;
    case 19:
    case 20: match_bits(task, found, 20); break;
    case 21: match_bits(task, found, 21); break;
    case 22: match_bits(task, found, 22); break;
    case 23: match_bits(task, found, 23); break;
    case 24: match_bits(task, found, 24); break;
    case 25: match_bits(task, found, 25); break;
    case 26: match_bits(task, found, 26); break;
    case 27: match_bits(task, found, 27); break;
    case 28: match_bits(task, found, 28); break;
    case 29: match_bits(task, found, 29); break;
    case 30: match_bits(task, found, 30); break;
    case 31: match_bits(task, found, 31); break;
    default: match_bits(task, found, 32); break;
    }
}
