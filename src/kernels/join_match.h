/* join_match.h - trying items against patterns, written once: each instruction set includes it after defining its
 * vectors. It knows no instruction set.
 *
 * Patterns are taken in blocks of PATTERNS, a bit of a vector for each. The block's words are turned into planes: plane
 * b says which patterns have bit b. For every chunk of five or six bits of a word there is a table that says, for each
 * of the chunk's 32 or 64 values, which patterns have none of its bits. To try an item against the whole block, look up
 * each of its chunks and intersect: five or six loads. All tables of a block lie in the first-level cache.
 *
 * To be defined before:
 * - vec, LANES of 32 bits each; v_load(const uint32_t *), v_set(uint32_t), v_and(vec, vec), v_without(vec
 *   a, vec b) for a and not b, v_select(vec mask, vec a, vec b) for bits of a where the mask has them, else of b;
 * v_left(vec, int) and v_right(vec, int), by lane: bits that cross into another lane do not matter;
 * - struct tally, initialised by zeros; tally_add(struct tally *, vec) counts a vector's bits, at most TALLY_ROOM times
 *   between two calls of tally_settle(struct tally *); uint64_t tally_sum(const struct tally *). */

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { PATTERNS = 32 * LANES, WIDEST = 6, MOST_CHUNKS = 6, TABLE = 1 << WIDEST };

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

/* The bits of the first `count` patterns of a block. */
static ALWAYS_INLINE vec first_patterns(size_t count)
{
    uint32_t lane[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t rows = ((uint32_t)count + LANES - 1 - i) / LANES;
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
        for (uint32_t b = 0; b < width - 3; b++) /* one more bit than an earlier value has */
            if (high >> b == 1)
                for (uint32_t i = 0; i < 8; i++)
                    table[8 * high + i] = v_without(table[8 * (high - (1U << b)) + i], plane[3 + b]);
        if (high == 0)
            for (uint32_t i = 0; i < 8; i++)
                table[i] = low[i];
    }
}

/* The patterns of the block that an item goes with. */
static ALWAYS_INLINE vec look_up(const vec tables[MOST_CHUNKS][TABLE], uint32_t item, uint32_t chunks, uint32_t width)
{
    const uint64_t scaled = (uint64_t)item * sizeof(vec), mask = ((UINT64_C(1) << width) - 1) * sizeof(vec);
    vec found = *(const vec *)((const char *)tables[0] + (scaled & mask));
    for (uint32_t i = 1; i < chunks; i++)
        found = v_and(found, *(const vec *)((const char *)tables[i] + (scaled >> (i * width) & mask)));
    return found;
}

/* ---- Matching ---- */

/* Items of one group against one block. With `mixed` patterns, those of group 1 are told apart by a mask. */
static ALWAYS_INLINE void match_ranges(const vec tables[MOST_CHUNKS][TABLE], const struct join_range *range,
                                       size_t ranges, vec seconds, uint64_t found[2], uint32_t chunks, uint32_t width,
                                       bool mixed)
{
    struct tally all = {0}, second = {0};
    for (size_t i = 0; i < ranges; i++) {
        const uint32_t *item = range[i].begin, *const end = range[i].end;
        while (item < end) {
            const uint32_t *const pause = end - item > TALLY_ROOM ? item + TALLY_ROOM : end;
            for (; item < pause; item++) {
                const vec matching = look_up(tables, *item, chunks, width);
                tally_add(&all, matching);
                if (mixed)
                    tally_add(&second, v_and(matching, seconds));
            }
            tally_settle(&all);
            tally_settle(&second);
        }
    }
    const uint64_t of_second = tally_sum(&second);
    found[0] += tally_sum(&all) - of_second;
    found[1] += of_second;
}

static ALWAYS_INLINE void match_chunks(const struct join_task *task, uint64_t found[2][2], uint32_t chunks,
                                       uint32_t width)
{
    vec plane[36], tables[MOST_CHUNKS][TABLE];
    for (uint32_t b = 32; b < 36; b++)
        plane[b] = v_set(0);
    for (size_t at = 0; at < task->patterns; at += PATTERNS) {
        const size_t left = task->patterns - at, firsts = task->firsts > at ? task->firsts - at : 0;
        const vec present = left < PATTERNS ? first_patterns(left) : v_set(~UINT32_C(0));
        make_planes(task->pattern + at, plane);
        for (uint32_t i = 0; i < chunks; i++)
            make_table(plane + (size_t)i * width, width, i ? v_set(~UINT32_C(0)) : present, tables[i]);
        const struct join_range *range = task->range;
        for (int group = 0; group < 2; range += task->ranges[group++]) {
            uint64_t here[2] = {0};
            if (firsts >= left || firsts >= PATTERNS || firsts == 0) {
                match_ranges(tables, range, task->ranges[group], present, here, chunks, width, false);
                found[group][firsts == 0] += here[0];
                continue;
            }
            const vec seconds = v_without(present, first_patterns(firsts));
            match_ranges(tables, range, task->ranges[group], seconds, here, chunks, width, true);
            found[group][0] += here[0];
            found[group][1] += here[1];
        }
    }
}

/* Chunks of five bits where as many of six would not be fewer. */
static void match(const struct join_task *task, uint64_t found[2][2])
{
    switch (task->bits) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: match_chunks(task, found, 1, 5); break;
    case 6: match_chunks(task, found, 1, 6); break;
    case 7:
    case 8:
    case 9:
    case 10: match_chunks(task, found, 2, 5); break;
    case 11:
    case 12: match_chunks(task, found, 2, 6); break;
    case 13:
    case 14:
    case 15: match_chunks(task, found, 3, 5); break;
    case 16:
    case 17:
    case 18: match_chunks(task, found, 3, 6); break;
    case 19:
    case 20: match_chunks(task, found, 4, 5); break;
    case 21:
    case 22:
    case 23:
    case 24: match_chunks(task, found, 4, 6); break;
    case 25: match_chunks(task, found, 5, 5); break;
    case 26:
    case 27:
    case 28:
    case 29:
    case 30: match_chunks(task, found, 5, 6); break;
    default: match_chunks(task, found, 6, 6); break;
    }
}
