/* find_levels.h - the search of the finders, written once: each includes it after defining its vectors. It knows no
 * instruction set.
 *
 * Level buffers as in levels.h, row after row from above, with diagonals that slide along: those of 32-bit lanes do for
 * every board up to n = 32. Each placement carries its path in two more words, `late` for the last rows and `early` for
 * those before. Batches and looking ahead are as in levels.h, too; but that keeps nothing of the path, and so is free
 * to take rows in another order, and to count the last two at one look. Here a placement that is put into the
 * last batch is a solution already, or two: what is left is to write it down.
 *
 * To be defined before: what levels.h asks for, but v_left(), v_right(), v_add_where() and v_equal(), with a word of 32
 * bits; and
 * - uint32_t lanes_count(uint32_t), how many bits of alive_lanes() are set;
 * - vec v_up(vec, unsigned), vec v_down(vec, unsigned), shifts of all lanes by less than 32;
 * - vec v_index(vec), the number of the only bit that is set, anything below 32 where none is;
 * - void v_join(uint64_t *to, vec high, vec low, unsigned shift), which writes high << shift | low for every lane. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Placements in a batch before it is drained: all batches together take 100 KB. Million solutions a CPU second for
 * n = 15 (AVX2, Zen 3): 256 14.5, 512 13.9, 1024 14.0. */
enum { BATCH = 256, ROOM = BATCH + 2 * LANES, LEVELS = 16 };

/* With so many rows left, or fewer, all rows and columns are checked; before, the next three rows. From 5 to 8 there is
 * no measurable difference. */
enum { COVER_ROWS = 7 };

struct batch {
    size_t count;
    word columns[ROOM], free[ROOM], sums[ROOM], differences[ROOM]; /* of the row to be filled; columns without queens */
    word early[ROOM], late[ROOM];                                  /* the path */
};

struct search {
    const struct kernel_board *board;
    struct found *found;
    bool full;
    unsigned bits;
    uint32_t late_rows, first; /* rows whose columns are in `late`; the prefix's length */
    uint64_t nodes;
    struct batch batches[LEVELS];
};

/* Partial placements in registers. */
struct lanes {
    vec columns, sums, differences, early, late;
};

static ALWAYS_INLINE struct lanes lanes_at(const struct batch *batch, size_t at)
{
    return (struct lanes){
        .columns = v_load(batch->columns + at),
        .sums = v_load(batch->sums + at),
        .differences = v_load(batch->differences + at),
        .early = v_load(batch->early + at),
        .late = v_load(batch->late + at),
    };
}

/* Puts lanes behind the first `at` of a batch and returns how many it then has. */
static ALWAYS_INLINE size_t put(struct batch *batch, size_t at, uint32_t which, const struct lanes *lanes, vec free)
{
    v_pack(batch->columns + at, which, lanes->columns);
    v_pack(batch->sums + at, which, lanes->sums);
    v_pack(batch->differences + at, which, lanes->differences);
    v_pack(batch->free + at, which, free);
    v_pack(batch->early + at, which, lanes->early);
    v_pack(batch->late + at, which, lanes->late);
    return at + lanes_count(which);
}

/* Stores a whole vector. */
static inline void store(struct batch *batch, size_t at, const struct lanes *lanes, vec free)
{
    v_store(batch->columns + at, lanes->columns);
    v_store(batch->sums + at, lanes->sums);
    v_store(batch->differences + at, lanes->differences);
    v_store(batch->free + at, free);
    v_store(batch->early + at, lanes->early);
    v_store(batch->late + at, lanes->late);
}

/* Lanes of which all have free squares come first in a batch; what lies behind them has none. */
static void pad(struct batch *batch)
{
    const vec zero = v_set(0);
    const struct lanes none = {zero, zero, zero, zero, zero};
    store(batch, batch->count, &none, zero);
}

/* Two rows left, and both are sure to be filled: the columns of the first are given, the other one is the last's. */
static void write_paths(struct search *search, struct batch *batch)
{
    struct found *found = search->found;
    const unsigned bits = search->bits, shift = bits * search->late_rows;
    size_t count = batch->count;
    while (count) {
        size_t kept = 0;
        if (2 * count + LANES > found->capacity - found->count) {
            search->full = true;
            return;
        }
        batch->count = count;
        pad(batch);
        for (size_t i = 0; i < count; i += LANES) {
            const struct lanes lanes = lanes_at(batch, i);
            const vec free = v_load(batch->free + i), rest = v_and(free, v_less_one(free)), queen = v_xor(free, rest);
            const vec pair = v_or(v_up(v_index(queen), bits), v_index(v_xor(lanes.columns, queen)));
            kept = put(batch, kept, alive_lanes(alive_where(ALIVE_ALL, rest, rest)), &lanes, rest);
            v_join(found->paths + found->count + i, lanes.early, v_or(v_up(lanes.late, 2 * bits), pair), shift);
        }
        found->count += count;
        count = kept;
    }
    batch->count = 0;
}

/* Empties the batch of a row but for what does not fill a vector. left: the rows that come after that one, or
 * COVER_ROWS + 1 for any more. */
static ALWAYS_INLINE void drain(struct search *search, uint32_t row, const unsigned left,
                                void (*deeper)(struct search *, uint32_t))
{
    const uint32_t *allow = search->board->allow + row + 1;
    const unsigned look = left <= COVER_ROWS ? left : 3, bits = search->bits;
    struct batch *batch = &search->batches[row - search->first], *next = batch + 1;
    size_t count = batch->count, filled = next->count;
    const vec beyond = v_set(~(~UINT32_C(0) >> (32 - search->board->n)));
    const bool late = left < search->late_rows;
    vec allowed[COVER_ROWS];
    for (unsigned j = 0; j < look; j++)
        allowed[j] = v_set(allow[j]);
    while (count >= LANES) {
        size_t kept = 0, i = 0;
        for (; i + LANES <= count; i += LANES) {
            struct lanes lanes = lanes_at(batch, i);
            const vec free = v_load(batch->free + i), rest = v_and(free, v_less_one(free)), queen = v_xor(free, rest);
            kept = put(batch, kept, alive_lanes(alive_where(ALIVE_ALL, rest, rest)), &lanes, rest);

            lanes.columns = v_xor(lanes.columns, queen);
            lanes.sums = v_down(v_or(lanes.sums, queen), 1);
            lanes.differences = v_up(v_or(lanes.differences, queen), 1);
            if (late)
                lanes.late = v_or(v_up(lanes.late, bits), v_index(queen));
            else
                lanes.early = v_or(v_up(lanes.early, bits), v_index(queen));
            vec squares = v_and(v_allow(allowed[0], lanes.sums, lanes.differences), lanes.columns);
            lane_set alive = ALIVE_ALL;
            if (left == 2) { /* two columns: what one row takes, the other must leave */
                const vec open = v_allow(allowed[1], v_down(lanes.sums, 1), v_up(lanes.differences, 1));
                const vec last = v_and(open, lanes.columns);
                alive = alive_where(alive, last, last);
                alive = alive_unless(alive, lanes.columns, v_up(lanes.columns, 1));
                squares = v_and_some(squares, v_xor(lanes.columns, last));
            } else {
                vec reach = beyond;
                for (unsigned j = 1; j < look; j++) {
                    const vec open = v_allow(allowed[j], v_down(lanes.sums, j), v_up(lanes.differences, j));
                    alive = alive_where(alive, open, lanes.columns);
                    reach = v_or(reach, open);
                }
                if (left <= COVER_ROWS) {
                    const vec only = v_without(lanes.columns, reach);
                    alive = alive_unless(alive, only, v_less_one(only));
                    squares = v_and_some(squares, only);
                }
            }
            alive = alive_where(alive, squares, squares);
            filled = put(next, filled, alive_lanes(alive), &lanes, squares);
            if (filled >= BATCH) {
                next->count = filled;
                deeper(search, row + 1);
                if (search->full)
                    return;
                filled = next->count;
            }
        }
        search->nodes += i;
        const struct lanes others = lanes_at(batch, i);
        store(batch, kept, &others, v_load(batch->free + i));
        count = kept + count - i;
    }
    batch->count = count;
    next->count = filled;
}

/* drain() with constants: its loops over rows are unrolled. */
static void drain_any(struct search *search, uint32_t row)
{
    switch (search->board->n - row - 1) {
    case 1: write_paths(search, &search->batches[row - search->first]); break;
    case 2: drain(search, row, 2, drain_any); break;
    case 3: drain(search, row, 3, drain_any); break;
    case 4: drain(search, row, 4, drain_any); break;
    case 5: drain(search, row, 5, drain_any); break;
    case 6: drain(search, row, 6, drain_any); break;
    case 7: drain(search, row, 7, drain_any); break;
    default: drain(search, row, COVER_ROWS + 1, drain_any);
    }
}

/* Empties all batches, the last lanes included: vectors are filled up with placements that have no square left. */
static void flush(struct search *search)
{
    for (uint32_t row = search->first; row + 1 < search->board->n; row++) {
        struct batch *batch = &search->batches[row - search->first];
        while (batch->count && !search->full) {
            if (row + 2 < search->board->n) {
                const size_t missing = (LANES - batch->count % LANES) % LANES;
                pad(batch);
                batch->count += missing;
                search->nodes -= missing;
            }
            drain_any(search, row);
        }
    }
}

/* The last row, or none: no batch is needed. */
static void find_last(const struct kernel_board *board, const struct kernel_prefix *prefix, struct found *found)
{
    const uint32_t free = prefix->depth < board->n ? kernel_free(board, prefix, prefix->depth) : 1;
    if (free)
        found->paths[found->count++] = (uint64_t)__builtin_ctz(free);
}

/* Two rows: the squares of the first that leave the last one a square. */
static uint32_t last_two(const struct kernel_board *board, const struct kernel_prefix *prefix, uint32_t free)
{
    uint32_t good = 0;
    for (; free; free &= free - 1) {
        const struct kernel_prefix below = kernel_place(board, prefix, free & -free);
        good |= kernel_free(board, &below, below.depth) ? free & -free : 0;
    }
    return good;
}

static enum nq_status find_levels(const struct kernel_board *board, const struct kernel_prefix *prefix, void *workspace,
                                  struct found *found)
{
    const uint32_t n = board->n, row = prefix->depth;
    found->count = 0;
    if (row + 1 >= n) {
        find_last(board, prefix, found);
        return NQ_OK;
    }
    struct search *search = workspace;
    struct batch *batch = &search->batches[0];
    search->board = board;
    search->found = found;
    search->full = false;
    search->bits = find_bits(n);
    search->late_rows = find_rows(n) / 2;
    search->first = row;
    search->nodes = 0;
    for (uint32_t level = 0; level < n - row; level++)
        search->batches[level].count = 0;
    const uint32_t free = kernel_free(board, prefix, row);
    batch->free[0] = row + 2 < n ? free : last_two(board, prefix, free);
    batch->columns[0] = ~prefix->columns & ~UINT32_C(0) >> (32 - n);
    batch->sums[0] = (word)(prefix->sums >> row);
    batch->differences[0] = (word)(prefix->differences >> (n - 1 - row));
    batch->early[0] = batch->late[0] = 0;
    batch->count = batch->free[0] != 0;
    flush(search);
    found->nodes += search->nodes;
    return search->full ? NQ_LIMIT : NQ_OK;
}
