/* levels.h - the search of the vector kernels, written once: each includes it after defining its vectors. It knows no
 * instruction set.
 *
 * Level buffers. For every depth there is a batch of partial placements, as a structure of arrays. A step takes LANES
 * of them, splits off the lowest untried square of each, puts those with squares left back into the same batch, packed,
 * where it has been read, and the surviving children into the next batch; when that is full, it is drained first. What
 * does not fill a vector waits for more, so that all lanes are always in use however unevenly the tree branches.
 * Children survive, and are left squares, by the rules of kernel_choices().
 *
 * To be defined before:
 * - LANES; word, an integer of a lane's width; vec;
 * - lane_set with ALIVE_ALL, alive_where(lane_set, vec a, vec b) for those of them where a and b have a bit in common,
 *   alive_unless(lane_set, vec, vec) for the others, uint32_t alive_lanes(lane_set), a bit each;
 * - vec v_set(uint32_t), vec v_load(const word *), void v_store(word *, vec);
 * - vec v_and(vec, vec), vec v_or(vec, vec), vec v_xor(vec, vec), vec v_less_one(vec);
 * - vec v_without(vec a, vec b) for a and not b, vec v_allow(vec a, vec b, vec c) for a and neither b nor c;
 * - vec v_and_some(vec a, vec b), which is a and b where b is not zero, and a where it is;
 * - vec v_left(vec, vec counts), vec v_right(vec, vec counts), which are zero for counts of the lane's width;
 * - vec v_add_where(vec a, vec where, uint32_t), which adds in lanes where `where` is not zero;
 * - uint32_t v_equal(vec, vec) with a bit a lane;
 * - void v_pack(word *to, uint32_t lanes, vec), which may write LANES words;
 * - with LANES_SHORT, for lanes of 16 bits, instead of v_right(): vec v_left_over(vec, vec counts), what v_left()
 *   loses at the upper end, and vec v_right_both(vec low, vec high, vec counts), the lower half of both together. */
#include <assert.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Placements in a batch before it is drained. CPU seconds for n = 16 on Zen 4, AVX-512 and AVX2: 128 0.071, 0.082; 256
 * 0.058, 0.081; 512 0.052, 0.071; 1024 0.049, 0.070; 2048 0.049, 0.070. The next size brings 2 %; at
 * 2048 the batches take a megabyte of stack. Prefetching, padding against aliases, a queue without passes and two
 * vectors refilled in registers by vpexpandd brought nothing. */
enum { BATCH = 2048, ROOM = BATCH + 2 * LANES };

/* How diagonals are kept.
 * ABSOLUTE: the words of sums and differences are those of the prefix; the queen of row r sees them shifted by r and by
 * n-1-r. The corners at the upper end, one square each, attack nothing, so 32 bits do up to n = 17. Lanes of 16 bits
 * keep the upper halves in vectors of their own.
 * SPILLING: the same; diagonals that do not fit lie in the columns from bit n on, differences first. They concern the
 * outer rows, which are filled late. At n = 20 that is one bit too many for the tie counter: there all diagonals are
 * moved by one, and the corners at the lower end are lost too, which only the edge rows notice.
 * SLIDING: relative to the row to be filled next, n bits each, for boards whose rows are in increasing order. */
enum layout { ABSOLUTE, SPILLING, SLIDING };
#ifdef LANES_SHORT
enum { LEVELS_MAX_N = 16 };
#else
enum { ABSOLUTE_MAX_N = 17, SPILLING_MAX_N = 20, LEVELS_MAX_N = 30 };
#endif

/* The tie counter: the top bits of the columns, or those of sums and differences, which n <= 16 leaves free. */
enum { TIE_SHIFT = 30, TIE_BIT_SHORT = 0x8000 };

/* Batches between two looks at the stop flag: about a tenth of a millisecond. */
enum { POLL_BATCHES = 32 };

/* How a row sees the diagonals: shifted by so much. */
struct view {
    vec allow, sums, differences;
    bool spills, edge;               /* the rest is for SPILLING, in rows that need it */
    vec spill, spilled;              /* how far the spilled diagonals are shifted, and onto which columns */
    vec sums_back, differences_back; /* by one in the edge rows */
};

struct batch {
    size_t count;
    word columns[ROOM], free[ROOM];
    word sums[ROOM], differences[ROOM];
#ifdef LANES_SHORT
    word sums_high[ROOM], differences_high[ROOM];
#endif
};

struct search {
    const struct kernel_board *board;
    const atomic_bool *stop;
    bool stopped;
    unsigned polls;
    struct kernel_tally tally;
    struct batch batches[LEVELS_MAX_N];
};

/* Partial placements in registers: columns without queens, and attacked diagonals. */
struct lanes {
    vec columns, sums, differences;
#ifdef LANES_SHORT
    vec sums_high, differences_high;
#endif
};

/* The first diagonal that does not fit, and how many there are. */
static inline uint32_t spill_from(uint32_t n)
{
    return n == 20 ? 33 : 32;
}

static inline uint32_t spill_width(uint32_t n)
{
    return 2 * n - 2 - spill_from(n);
}

/* In the upper rows it is a difference that does not fit, in the lower ones a sum. */
static inline void view_spilling(struct view *view, const struct kernel_board *board, uint32_t k)
{
    const uint32_t n = board->n, row = board->row[k], moved = spill_from(n) - 32, wide = spill_width(n);
    const uint32_t upper = n - 1 - row, lower = row, most = upper > lower ? upper : lower;
    const uint32_t first = spill_from(n) - most; /* the column where it meets the row */
    view->sums = v_set(lower >= moved ? lower - moved : 32);
    view->differences = v_set(upper >= moved ? upper - moved : 32);
    view->spills = first < n;
    view->spill = v_set(view->spills ? (upper > lower ? n : n + wide) - first : 32);
    view->spilled = v_set(view->spills ? ((UINT32_C(1) << wide) - 1) << first & ~UINT32_C(0) >> (32 - n) : 0);
    view->edge = lower < moved || upper < moved;
    view->sums_back = v_set(lower < moved ? 1 : 32);
    view->differences_back = v_set(upper < moved ? 1 : 32);
}

/* The view of the k-th row, for lanes that stand in that of `from`. */
static ALWAYS_INLINE struct view view_of(const struct kernel_board *board, uint32_t from, uint32_t k,
                                         enum layout layout)
{
    const uint32_t row = board->row[k], below = row - board->row[from];
    struct view view = {.allow = v_set(board->allow[k])};
    view.sums = v_set(layout == SLIDING ? below : row);
    view.differences = v_set(layout == SLIDING ? below : board->n - 1 - row);
    if (layout == SPILLING)
        view_spilling(&view, board, k);
    return view;
}

/* Squares of a row that neither its mask nor a diagonal forbids; unless `exact`, diagonals that are spilled may be
 * overlooked, which is good enough for looking ahead, and as fast as with ABSOLUTE. */
static ALWAYS_INLINE vec open_squares(const struct lanes *lanes, const struct view *view, bool exact,
                                      enum layout layout)
{
#ifdef LANES_SHORT
    (void)exact;
    (void)layout;
    return v_allow(view->allow, v_right_both(lanes->sums, lanes->sums_high, view->sums),
                   v_right_both(lanes->differences, lanes->differences_high, view->differences));
#else
    vec sums = v_right(lanes->sums, view->sums);
    vec differences = layout == SLIDING ? v_left(lanes->differences, view->differences)
                                        : v_right(lanes->differences, view->differences);
    if (layout == SPILLING && exact && view->spills)
        sums = v_or(sums, v_and(v_right(lanes->columns, view->spill), view->spilled));
    if (layout == SPILLING && view->edge) {
        sums = v_or(sums, v_left(lanes->sums, view->sums_back));
        differences = v_or(differences, v_left(lanes->differences, view->differences_back));
    }
    return v_allow(view->allow, sums, differences);
#endif
}

/* A queen for each lane in the row of a view; with SLIDING the lanes then stand `step` rows below. */
static ALWAYS_INLINE void place(struct lanes *lanes, vec queen, const struct view *view, vec step, enum layout layout)
{
    lanes->columns = v_xor(lanes->columns, queen);
#ifdef LANES_SHORT
    (void)step;
    (void)layout;
    lanes->sums_high = v_or(lanes->sums_high, v_left_over(queen, view->sums));
    lanes->differences_high = v_or(lanes->differences_high, v_left_over(queen, view->differences));
#else
    if (layout == SLIDING) {
        lanes->sums = v_right(v_or(lanes->sums, queen), step);
        lanes->differences = v_left(v_or(lanes->differences, queen), step);
        return;
    }
    if (layout == SPILLING && view->spills)
        lanes->columns = v_or(lanes->columns, v_left(v_and(queen, view->spilled), view->spill));
    if (layout == SPILLING && view->edge) {
        lanes->sums = v_or(lanes->sums, v_right(queen, view->sums_back));
        lanes->differences = v_or(lanes->differences, v_right(queen, view->differences_back));
    }
#endif
    lanes->sums = v_or(lanes->sums, v_left(queen, view->sums));
    lanes->differences = v_or(lanes->differences, v_left(queen, view->differences));
}

/* Adds a tie where `where` is not zero. */
static ALWAYS_INLINE void add_tie(struct lanes *lanes, vec where)
{
#ifdef LANES_SHORT
    const vec before = lanes->sums_high;
    lanes->sums_high = v_add_where(before, where, TIE_BIT_SHORT);
    const vec carry = v_without(before, lanes->sums_high);
    lanes->differences_high = v_add_where(lanes->differences_high, carry, TIE_BIT_SHORT);
#else
    lanes->columns = v_add_where(lanes->columns, where, UINT32_C(1) << TIE_SHIFT);
#endif
}

/* Of the lanes' tie counters, the lower and the upper bit. */
static ALWAYS_INLINE uint32_t ties_low(const struct lanes *lanes)
{
#ifdef LANES_SHORT
    return alive_lanes(alive_where(ALIVE_ALL, lanes->sums_high, v_set(TIE_BIT_SHORT)));
#else
    return alive_lanes(alive_where(ALIVE_ALL, lanes->columns, v_set(UINT32_C(1) << TIE_SHIFT)));
#endif
}

static ALWAYS_INLINE uint32_t ties_high(const struct lanes *lanes)
{
#ifdef LANES_SHORT
    return alive_lanes(alive_where(ALIVE_ALL, lanes->differences_high, v_set(TIE_BIT_SHORT)));
#else
    return alive_lanes(alive_where(ALIVE_ALL, lanes->columns, v_set(UINT32_C(2) << TIE_SHIFT)));
#endif
}

/* ---- Batches ---- */

static ALWAYS_INLINE struct lanes lanes_at(const struct batch *batch, size_t at)
{
    return (struct lanes){
        .columns = v_load(batch->columns + at),
        .sums = v_load(batch->sums + at),
        .differences = v_load(batch->differences + at),
#ifdef LANES_SHORT
        .sums_high = v_load(batch->sums_high + at),
        .differences_high = v_load(batch->differences_high + at),
#endif
    };
}

/* Puts lanes behind the first `at` of a batch and returns how many it then has. */
static ALWAYS_INLINE size_t put(struct batch *batch, size_t at, uint32_t which, const struct lanes *lanes, vec free)
{
    v_pack(batch->columns + at, which, lanes->columns);
    v_pack(batch->sums + at, which, lanes->sums);
    v_pack(batch->differences + at, which, lanes->differences);
    v_pack(batch->free + at, which, free);
#ifdef LANES_SHORT
    v_pack(batch->sums_high + at, which, lanes->sums_high);
    v_pack(batch->differences_high + at, which, lanes->differences_high);
#endif
    return at + (size_t)__builtin_popcount(which);
}

/* Stores a whole vector. */
static inline void store(struct batch *batch, size_t at, const struct lanes *lanes, vec free)
{
    v_store(batch->columns + at, lanes->columns);
    v_store(batch->sums + at, lanes->sums);
    v_store(batch->differences + at, lanes->differences);
    v_store(batch->free + at, free);
#ifdef LANES_SHORT
    v_store(batch->sums_high + at, lanes->sums_high);
    v_store(batch->differences_high + at, lanes->differences_high);
#endif
}

/* Puts the prefix into the first batch. */
static void begin(const struct kernel_board *board, const struct kernel_prefix *prefix, enum layout layout,
                  struct batch *batch)
{
    const uint32_t n = board->n, row = board->row[prefix->depth], full = ~UINT32_C(0) >> (32 - n);
    const uint32_t open = full & ~prefix->columns;
    batch->free[0] = (word)kernel_free(board, prefix, prefix->depth);
    batch->count = batch->free[0] != 0;
#ifdef LANES_SHORT
    (void)row;
    (void)layout;
    batch->columns[0] = (word)open;
    batch->sums[0] = (word)prefix->sums;
    batch->differences[0] = (word)prefix->differences;
    batch->sums_high[0] = (word)(prefix->sums >> 16 | (prefix->ties & 1 ? TIE_BIT_SHORT : 0));
    batch->differences_high[0] = (word)(prefix->differences >> 16 | (prefix->ties & 2 ? TIE_BIT_SHORT : 0));
#else
    const uint32_t moved = layout == SPILLING ? spill_from(n) - 32 : 0;
    batch->columns[0] = open | prefix->ties << TIE_SHIFT;
    batch->sums[0] = (word)(prefix->sums >> (layout == SLIDING ? row : moved));
    batch->differences[0] = (word)(prefix->differences >> (layout == SLIDING ? n - 1 - row : moved));
    if (layout == SPILLING) {
        const uint32_t from = spill_from(n), wide = spill_width(n), mask = (UINT32_C(1) << wide) - 1;
        batch->columns[0] |= ((uint32_t)(prefix->differences >> from) & mask) << n;
        batch->columns[0] |= ((uint32_t)(prefix->sums >> from) & mask) << (n + wide);
    }
#endif
}

/* ---- The search ---- */

/* Two rows left, with tie squares: lane by lane. */
static void settle_ties(struct search *search, uint32_t which, const struct lanes *lanes, vec first, vec second)
{
    const struct kernel_board *board = search->board;
    const uint32_t low = ties_low(lanes), high = ties_high(lanes), *tie = &board->tie[board->rows - 2];
    word columns[LANES], squares[2][LANES];
    v_store(columns, lanes->columns);
    v_store(squares[0], first);
    v_store(squares[1], second);
    for (; which; which &= which - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(which);
        const uint32_t both = columns[lane] & ~UINT32_C(0) >> (32 - board->n), a = both & -both, b = both ^ a;
        const uint32_t ties = (low >> lane & 1) + 2 * (high >> lane & 1);
        if (squares[0][lane] & a && squares[1][lane] & b)
            search->tally.solutions[ties + ((tie[0] & a) != 0) + ((tie[1] & b) != 0)]++;
        if (squares[0][lane] & b && squares[1][lane] & a)
            search->tally.solutions[ties + ((tie[0] & b) != 0) + ((tie[1] & a) != 0)]++;
    }
}

/* Two rows left, and two columns: unless those two squares of either row attack those of the other on a diagonal, one
 * solution, or two where both rows have both. */
static ALWAYS_INLINE void settle(struct search *search, const struct lanes *lanes, vec first, vec second, vec columns,
                                 vec distance)
{
    const struct kernel_board *board = search->board;
    lane_set alive = alive_where(ALIVE_ALL, first, first);
    alive = alive_where(alive, second, second);
    alive = alive_unless(alive, v_without(columns, first), v_without(columns, second));
    alive = alive_unless(alive, columns, v_left(columns, distance));
    const uint32_t once = alive_lanes(alive);
    if (board->tie[board->rows - 2] | board->tie[board->rows - 1]) {
        settle_ties(search, once, lanes, first, second);
        return;
    }
    const uint32_t twice = once & v_equal(first, second), low = ties_low(lanes), high = ties_high(lanes);
    const uint32_t by_ties[] = {~(low | high), low & ~high, high & ~low, low & high};
    for (int ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        search->tally.solutions[ties] +=
            (uint64_t)(__builtin_popcount(once & by_ties[ties]) + __builtin_popcount(twice & by_ties[ties]));
}

/* Empties the batch of a depth but for what does not fill a vector. left: the rows that come after that one, or
 * KERNEL_COVER_ROWS + 1 for any more. deeper: does the same to the next. */
static ALWAYS_INLINE void drain(struct search *search, uint32_t k, const unsigned left, const enum layout layout,
                                void (*deeper)(struct search *, uint32_t))
{
    const struct kernel_board *board = search->board;
    const unsigned look = left <= KERNEL_COVER_ROWS ? left : 3;
    struct batch *batch = &search->batches[k], *next = batch + 1;
    size_t count = batch->count, filled = next->count;
    const uint32_t full = ~UINT32_C(0) >> (32 - board->n);
    const vec tie = v_set(board->tie[k]);
    const struct view here = view_of(board, k, k, layout);
    const vec step = v_set(board->row[k + 1] - board->row[k]); /* for SLIDING */
    const bool ties = board->tie[k];
    struct view views[KERNEL_COVER_ROWS];
    for (unsigned j = 0; j < look; j++)
        views[j] = view_of(board, k + 1, k + 1 + j, layout);
    vec distance = step;
    if (left == 2) {
        const uint32_t a = board->row[k + 1], b = board->row[k + 2];
        distance = v_set(a < b ? b - a : a - b);
    }
    while (count >= LANES) {
        size_t kept = 0, i = 0;
        for (; i + LANES <= count; i += LANES) {
            struct lanes lanes = lanes_at(batch, i);
            const vec free = v_load(batch->free + i), rest = v_and(free, v_less_one(free)), queen = v_xor(free, rest);
            kept = put(batch, kept, alive_lanes(alive_where(ALIVE_ALL, rest, rest)), &lanes, rest);

            place(&lanes, queen, &here, step, layout);
            if (ties)
                add_tie(&lanes, v_and(queen, tie));
            vec squares = v_and(open_squares(&lanes, &views[0], true, layout), lanes.columns);
            if (left == KERNEL_SETTLED_ROWS) {
                const vec last = v_and(open_squares(&lanes, &views[1], true, layout), lanes.columns);
                settle(search, &lanes, squares, last, v_and(lanes.columns, v_set(full)), distance);
                continue;
            }
            lane_set alive = ALIVE_ALL;
            vec reach = v_set(~full);
            for (unsigned j = 1; j < look; j++) {
                const vec open = open_squares(&lanes, &views[j], false, layout);
                alive = alive_where(alive, open, lanes.columns);
                reach = v_or(reach, open);
            }
            if (left <= KERNEL_COVER_ROWS) {
                const vec only = v_without(lanes.columns, reach);
                alive = alive_unless(alive, only, v_less_one(only));
                squares = v_and_some(squares, only);
            }
            alive = alive_where(alive, squares, squares);
            filled = put(next, filled, alive_lanes(alive), &lanes, squares);
            if (filled >= BATCH) {
                next->count = filled;
                deeper(search, k + 1);
                if (search->stopped)
                    return;
                filled = next->count;
            }
        }
        search->tally.nodes += i;
        const struct lanes others = lanes_at(batch, i);
        store(batch, kept, &others, v_load(batch->free + i));
        count = kept + count - i;
    }
    batch->count = count;
    next->count = filled;
}

/* drain() with constants: its loops over rows are unrolled. */
static ALWAYS_INLINE void drain_any(struct search *search, uint32_t k, const enum layout layout,
                                    void (*deeper)(struct search *, uint32_t))
{
    if (search->polls++ % POLL_BATCHES == 0)
        search->stopped = stop_wanted(search->stop);
    if (search->stopped)
        return;
    switch (search->board->rows - k - 1) {
    case 2: drain(search, k, 2, layout, deeper); break;
    case 3: drain(search, k, 3, layout, deeper); break;
    case 4: drain(search, k, 4, layout, deeper); break;
    case 5: drain(search, k, 5, layout, deeper); break;
    case 6: drain(search, k, 6, layout, deeper); break;
    case 7: drain(search, k, 7, layout, deeper); break;
    case 8: drain(search, k, 8, layout, deeper); break;
    default: drain(search, k, KERNEL_COVER_ROWS + 1, layout, deeper);
    }
}

static void drain_absolute(struct search *search, uint32_t k)
{
    drain_any(search, k, ABSOLUTE, drain_absolute);
}

#ifndef LANES_SHORT
static void drain_spilling(struct search *search, uint32_t k)
{
    drain_any(search, k, SPILLING, drain_spilling);
}

static void drain_sliding(struct search *search, uint32_t k)
{
    drain_any(search, k, SLIDING, drain_sliding);
}

static bool rows_increase(const struct kernel_board *board)
{
    for (uint32_t k = 1; k < board->rows; k++)
        if (board->row[k] <= board->row[k - 1])
            return false;
    return true;
}
#endif

/* Empties all batches, the last lanes included: vectors are filled up with placements that have no square left. */
static void flush(struct search *search, uint32_t from, void (*drain_batch)(struct search *, uint32_t))
{
    const vec zero = v_set(0);
    const struct lanes none = {.columns = zero, .sums = zero, .differences = zero};
    for (uint32_t k = from; k + KERNEL_SETTLED_ROWS < search->board->rows; k++) {
        struct batch *batch = &search->batches[k];
        while (batch->count && !search->stopped) {
            const size_t missing = (LANES - batch->count % LANES) % LANES;
            store(batch, batch->count, &none, zero);
            batch->count += missing;
            search->tally.nodes -= missing;
            drain_batch(search, k);
        }
    }
}

static enum nq_status count_levels(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                   const atomic_bool *stop, struct kernel_tally *tally)
{
    const uint32_t n = board->n;
    assert(n <= KERNEL_MAX_N && board->rows <= n && prefix->depth <= board->rows); /* or batches have no room */
    enum layout layout = ABSOLUTE;
    void (*drain_batch)(struct search *, uint32_t) = drain_absolute;
    bool able = n <= LEVELS_MAX_N && prefix->depth + KERNEL_SETTLED_ROWS < board->rows;
#ifndef LANES_SHORT
    if (n > SPILLING_MAX_N) {
        layout = SLIDING;
        drain_batch = drain_sliding;
        able = able && rows_increase(board);
    } else if (n > ABSOLUTE_MAX_N) {
        layout = SPILLING;
        drain_batch = drain_spilling;
    }
#endif
    if (!able)
        return kernel_otherwise.count(board, prefix, stop, tally);
    struct search search;
    search.board = board;
    search.stop = stop;
    search.stopped = false;
    search.polls = 0;
    search.tally = (struct kernel_tally){0};
    for (uint32_t k = 0; k < board->rows; k++)
        search.batches[k].count = 0;
    begin(board, prefix, layout, &search.batches[prefix->depth]);
    flush(&search, prefix->depth, drain_batch);
    if (search.stopped)
        return NQ_CANCELLED;
    for (int ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        tally->solutions[ties] += search.tally.solutions[ties];
    tally->nodes += search.tally.nodes;
    return NQ_OK;
}
