/* rows_levels.h - level buffers, as in kernels/levels.h, for boards that are filled row by row by the moves of any
 * rule: each kernel includes it after defining its vectors. It knows no instruction set.
 *
 * To be defined before, beside what rows_step.h needs: LANES; word, an integer of a lane's width; vec v_load(const
 * word *), void v_store(word *, vec); void v_pack(word *to, uint32_t lanes, vec), which may write LANES words;
 * ROWS_MAX_N; rows_otherwise, the kernel for larger boards. */
#include <string.h>

#include "kernels/rows/rows_step.h"

/* Placements in a batch before it is drained; 512 and 2048 made no difference. */
enum { BATCH = 1024, ROOM = BATCH + 2 * LANES };

/* Batches between two looks at the stop flag: about a tenth of a millisecond. */
enum { POLL_BATCHES = 32 };

struct batch {
    size_t count;
    word free[ROOM], columns[ROOM], left[ROOM], right[ROOM], later[ROOM];
};

struct search {
    const struct rows_board *board;
    const atomic_bool *stop;
    bool stopped;
    unsigned polls;
    uint64_t solutions, tried[KERNEL_MAX_N];
    struct batch batches[ROWS_MAX_N];
};

static ALWAYS_INLINE struct lanes lanes_at(const struct batch *batch, size_t at, unsigned moves)
{
    struct lanes lanes = {.columns = v_load(batch->columns + at)};
    lanes.left = moves & MOVE_LEFT ? v_load(batch->left + at) : v_set(0);
    lanes.right = moves & MOVE_RIGHT ? v_load(batch->right + at) : v_set(0);
    lanes.later = moves & MOVES_TO_AFTER ? v_load(batch->later + at) : v_set(0);
    return lanes;
}

/* Appends those of the lanes that are alive to the first `count` of a batch; returns how many there are then. */
static ALWAYS_INLINE size_t put(struct batch *batch, size_t count, uint32_t alive, const struct lanes *lanes, vec free,
                                unsigned moves)
{
    v_pack(batch->free + count, alive, free);
    v_pack(batch->columns + count, alive, lanes->columns);
    if (moves & MOVE_LEFT)
        v_pack(batch->left + count, alive, lanes->left);
    if (moves & MOVE_RIGHT)
        v_pack(batch->right + count, alive, lanes->right);
    if (moves & MOVES_TO_AFTER)
        v_pack(batch->later + count, alive, lanes->later);
    return count + (size_t)__builtin_popcount(alive);
}

static ALWAYS_INLINE void store(struct batch *batch, size_t at, const struct lanes *lanes, vec free)
{
    v_store(batch->free + at, free);
    v_store(batch->columns + at, lanes->columns);
    v_store(batch->left + at, lanes->left);
    v_store(batch->right + at, lanes->right);
    v_store(batch->later + at, lanes->later);
}

/* Empties the batch of a row but for what does not fill a vector. left: the rows that come after that one, or
 * ROWS_FAR for more than are all looked at. deeper: does the same to the next. */
static ALWAYS_INLINE void drain(struct search *search, uint32_t row, const unsigned left, const unsigned moves,
                                void (*deeper)(struct search *, uint32_t))
{
    struct batch *batch = &search->batches[row], *next = batch + 1;
    size_t count = batch->count, filled = next->count;
    const struct level level = level_of(search->board, row, rows_look(moves, left));
    while (count >= LANES) {
        size_t kept = 0, i = 0;
        for (; i + LANES <= count; i += LANES) {
            struct lanes lanes = lanes_at(batch, i, moves);
            const vec free = v_load(batch->free + i), rest = v_and(free, v_less_one(free)), queen = v_xor(free, rest);
            kept = put(batch, kept, alive_lanes(alive_where(ALIVE_ALL, rest, rest)), &lanes, rest, moves);
            place(&level, &lanes, queen, moves);
            if (left == ROWS_SETTLED) {
                search->solutions += settle(&level, &lanes, moves, search->tried + row + 1);
                continue;
            }
            lane_set alive;
            const vec squares = worth_trying(&level, &lanes, left, moves, &alive);
            filled = put(next, filled, alive_lanes(alive), &lanes, squares, moves);
            if (filled >= BATCH) {
                next->count = filled;
                deeper(search, row + 1);
                if (search->stopped)
                    return;
                filled = next->count;
            }
        }
        search->tried[row] += i;
        const struct lanes others = lanes_at(batch, i, moves);
        store(batch, kept, &others, v_load(batch->free + i));
        count = kept + count - i;
    }
    batch->count = count;
    next->count = filled;
}

/* drain() with constants: its loops over rows are unrolled. (With one case for all that look no further, reflecting
 * queens took a sixth longer.) */
static ALWAYS_INLINE void drain_with(struct search *search, uint32_t row, const unsigned moves,
                                     void (*deeper)(struct search *, uint32_t))
{
    if (search->polls++ % POLL_BATCHES == 0)
        search->stopped = stop_wanted(search->stop);
    if (search->stopped)
        return;
    const unsigned left = search->board->n - 1 - row;
    switch (left) {
    case 2: drain(search, row, 2, moves, deeper); break;
    case 3: drain(search, row, 3, moves, deeper); break;
    case 4: drain(search, row, 4, moves, deeper); break;
    case 5: drain(search, row, 5, moves, deeper); break;
    case 6: drain(search, row, 6, moves, deeper); break;
    case 7: drain(search, row, 7, moves, deeper); break;
    case 8: drain(search, row, 8, moves, deeper); break;
    case 9: drain(search, row, 9, moves, deeper); break;
    case 10: drain(search, row, 10, moves, deeper); break;
    default: drain(search, row, ROWS_FAR, moves, deeper);
    }
}

static void drain_any(struct search *search, uint32_t row)
{
    drain_with(search, row, search->board->moves, drain_any);
}

#define DRAIN(name, moves) \
    static void drain_##name(struct search *search, uint32_t row) \
    { \
        drain_with(search, row, moves, drain_##name); \
    }
ROWS_COMPILED(DRAIN)

static void drain_batch(struct search *search, uint32_t row)
{
    switch (search->board->moves) {
#define DRAIN_CASE(name, moves) \
    case moves: drain_##name(search, row); break;
        ROWS_COMPILED(DRAIN_CASE)
    default: drain_any(search, row);
    }
}

/* Puts the prefix into its batch. */
static void begin(struct search *search, const struct rows_prefix *prefix)
{
    const uint32_t n = search->board->n, full = ~UINT32_C(0) >> (32 - n);
    struct batch *batch = &search->batches[prefix->row];
    for (uint32_t row = prefix->row; row < n; row++)
        search->batches[row].count = 0;
    batch->free[0] = (word)(search->board->allow[prefix->row] & ~(uint32_t)reach_attacked(&prefix->reach));
    batch->columns[0] = (word)(~prefix->reach.columns & full);
    batch->left[0] = (word)(prefix->reach.left & full);
    batch->right[0] = (word)(prefix->reach.right & full);
    batch->later[0] = (word)(prefix->reach.later & full);
    batch->count = batch->free[0] != 0;
}

/* Empties all batches, the last lanes included: vectors are filled up with placements that have no square left. */
static void flush(struct search *search, uint32_t from)
{
    const vec zero = v_set(0);
    const struct lanes none = {.columns = zero, .left = zero, .right = zero, .later = zero};
    for (uint32_t row = from; row + ROWS_SETTLED < search->board->n; row++) {
        struct batch *batch = &search->batches[row];
        while (batch->count && !search->stopped) {
            const size_t missing = (LANES - batch->count % LANES) % LANES;
            store(batch, batch->count, &none, zero);
            batch->count += missing;
            search->tried[row] -= missing;
            drain_batch(search, row);
        }
    }
}

static enum nq_status count_levels(const struct rows_board *board, const struct rows_prefix *prefix,
                                   const atomic_bool *stop, struct rule_tally *tally)
{
    if (board->n > ROWS_MAX_N || prefix->row + ROWS_SETTLED >= board->n)
        return rows_otherwise.count(board, prefix, stop, tally);
    struct search search;
    search.board = board;
    search.stop = stop;
    search.stopped = false;
    search.polls = 0;
    search.solutions = 0;
    memset(search.tried, 0, sizeof search.tried);
    begin(&search, prefix);
    flush(&search, prefix->row);
    if (search.stopped)
        return NQ_CANCELLED;
    add_found(board, search.solutions, search.tried, tally);
    return NQ_OK;
}
