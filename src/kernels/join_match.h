/* join_match.h - trying items against patterns, written once: each instruction set includes it after defining its
 * vectors. It knows no instruction set.
 *
 * Patterns are taken in blocks of PATTERNS, one bit of a vector each. The block's words are turned into planes: plane b
 * has the patterns with bit b. A word is divided into as few chunks as possible, of five and of six bits. Each chunk
 * has a table: for each of its 32 or 64 values, the patterns with none of these bits. To try an item against the whole
 * block is to look up each of its chunks and intersect: five or six loads. The index of a chunk is the same for all
 * blocks, so AT_ONCE blocks are tried together. All their tables fit into the first-level cache.
 *
 * To be defined before:
 * - AT_ONCE, 1 or 2; vec, LANES of 32 bits each; v_set(uint32_t), v_and(vec, vec), v_all(vec, vec, vec) for all three
 * of them, v_or(vec, vec), v_without(vec a, vec b) for a and not b;
 * - struct tally, initialised by zeros, with TALLY_LANES, each as wide as one or two of the vector's; tally_add(struct
 *   tally *, vec) counts a vector's bits, at most TALLY_ROOM times between two calls of tally_settle(struct tally *);
 *   tally_counts(const struct tally *, uint64_t *) writes how many there were in each of its lanes;
 * - what join_block.h defines, and block_planes(const struct block *, vec plane[32]), which makes planes and returns
 *   which bits of them are patterns of the block: those of group 0 in the first of the tally's lanes. */

/* Five chunks of six bits have the most values. */
enum { NARROW = 5, MOST_CHUNKS = 6, MOST_VALUES = 5 * (2 << NARROW) };

/* What an item is looked up in, by block: the chunks' tables one after another, so that they fill the cache evenly. */
struct tables {
    vec of[AT_ONCE][MOST_VALUES];
    struct block block[AT_ONCE];
};

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

/* How many chunks are narrow. */
static ALWAYS_INLINE uint32_t narrow_of(uint32_t bits)
{
    return (NARROW + 1) * chunks_of(bits) - bits;
}

/* How many bits a chunk has: the narrow ones come first. Fewer bits are smaller tables: at 28 bits, 256 values for five
 * chunks where all six bits wide are 320. */
static ALWAYS_INLINE uint32_t width_of(uint32_t chunk, uint32_t bits)
{
    return NARROW + (chunk >= narrow_of(bits));
}

/* Where its table begins. */
static ALWAYS_INLINE uint32_t first_of(uint32_t chunk, uint32_t bits)
{
    const uint32_t narrow = narrow_of(bits);
    return (chunk < narrow ? chunk : 2 * chunk - narrow) << NARROW;
}

/* The tables of a block. Not inlined for each number of bits: that took a minute to compile, and ran 2 to 4 % slower.
 */
static __attribute__((noinline)) void make_tables(const struct block *block, uint32_t bits, vec *table)
{
    const uint32_t chunks = chunks_of(bits);
    vec plane[32];
    const vec present = block_planes(block, plane);
    for (uint32_t i = 0, from = 0; i < chunks; from += width_of(i++, bits)) {
        const vec all = i ? v_set(~UINT32_C(0)) : present;
        vec *of_chunk = table + first_of(i, bits);
        if (width_of(i, bits) == NARROW)
            make_table(plane + from, NARROW, all, of_chunk);
        else
            make_table(plane + from, NARROW + 1, all, of_chunk);
    }
}

/* To the right. It is one instruction; a shift is two, because the word is kept: 11 % of an item's time with AVX2. */
static ALWAYS_INLINE uint32_t rotate(uint32_t word, uint32_t count)
{
    return word >> (count % 32) | word << (-count % 32);
}

static ALWAYS_INLINE vec entry(const vec *table, uint32_t bytes)
{
    return *(const vec *)((const char *)table + bytes);
}

/* The patterns of each block that are disjoint from an item. */
static ALWAYS_INLINE void look_up(const struct tables *tables, uint32_t item, uint32_t bits, uint32_t blocks,
                                  vec found[AT_ONCE])
{
    const uint32_t chunks = chunks_of(bits);
    uint32_t at[MOST_CHUNKS];
    for (uint32_t i = 0, shift = 0; i < chunks; shift += width_of(i++, bits)) {
        const uint32_t mask = ((UINT32_C(1) << width_of(i, bits)) - 1) * (uint32_t)sizeof(vec);
        at[i] = rotate(item, shift - (uint32_t)__builtin_ctz(sizeof(vec))) & mask;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        const vec *table = tables->of[b];
        uint32_t i = 1;
        found[b] = entry(table, at[0]);
        for (; i + 1 < chunks; i += 2)
            found[b] = v_all(found[b], entry(table + first_of(i, bits), at[i]),
                             entry(table + first_of(i + 1, bits), at[i + 1]));
        if (i < chunks)
            found[b] = v_and(found[b], entry(table + first_of(i, bits), at[i]));
    }
}

/* ---- Matching ---- */

/* Adds the pairs of the items of one group with the blocks' patterns to found[group of the pattern]. */
static ALWAYS_INLINE void match_ranges(const struct tables *tables, const struct join_range *range, size_t ranges,
                                       uint64_t found[2], uint32_t bits, uint32_t blocks)
{
    struct tally tally[AT_ONCE] = {0};
    for (size_t i = 0; i < ranges; i++) {
        const uint32_t *item = range[i].begin, *const end = range[i].end;
        while (item < end) {
            const uint32_t *const pause = end - item > TALLY_ROOM ? item + TALLY_ROOM : end;
            for (; item < pause; item++) {
                vec matching[AT_ONCE];
                look_up(tables, *item, bits, blocks, matching);
                for (uint32_t b = 0; b < blocks; b++)
                    tally_add(&tally[b], matching[b]);
            }
            for (uint32_t b = 0; b < blocks; b++)
                tally_settle(&tally[b]);
        }
    }
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t lane[TALLY_LANES];
        tally_counts(&tally[b], lane);
        for (uint32_t i = 0; i < TALLY_LANES; i++)
            found[i >= tables->block[b].first_lanes] += lane[i];
    }
}

static ALWAYS_INLINE void match_blocks(const struct join_task *task, struct tables *tables, uint64_t found[2][2],
                                       uint32_t bits, uint32_t blocks)
{
    for (uint32_t b = 0; b < blocks; b++)
        make_tables(&tables->block[b], bits, tables->of[b]);
    const struct join_range *range = task->range;
    for (int group = 0; group < 2; range += task->ranges[group++])
        if (task->ranges[group])
            match_ranges(tables, range, task->ranges[group], found[group], bits, blocks);
}

static ALWAYS_INLINE void match_bits(const struct join_task *task, uint64_t found[2][2], uint32_t bits)
{
    struct tables tables;
    size_t taken[2] = {0};
    while (next_block(task, taken, &tables.block[0])) {
        if (AT_ONCE > 1 && next_block(task, taken, &tables.block[AT_ONCE - 1]))
            match_blocks(task, &tables, found, bits, AT_ONCE);
        else
            match_blocks(task, &tables, found, bits, 1);
    }
}

/* A function for each number of bits, so that the compiler knows all shifts; a few more bits than asked for may be
 * looked at. */
static void match(const struct join_task *task, uint64_t found[2][2])
{
    switch (task->bits) {
    case 0 ... 5: match_bits(task, found, 5); break;
    case 6: match_bits(task, found, 6); break;
    case 7 ... 10: match_bits(task, found, 10); break;
    case 11: match_bits(task, found, 11); break;
    case 12: match_bits(task, found, 12); break;
    case 13 ... 15: match_bits(task, found, 15); break;
    case 16: match_bits(task, found, 16); break;
    case 17: match_bits(task, found, 17); break;
    case 18: match_bits(task, found, 18); break;
    case 19 ... 20: match_bits(task, found, 20); break;
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
    case 32: match_bits(task, found, 32); break;
    default: break;
    }
}
