/* levels.h - the search of the vector kernels, written once: each includes it after defining its vector of 32-bit
 * lanes. It knows no instruction set.
 *
 * Level buffers. For every row there is a batch of partial placements, as a structure of arrays. A step takes LANES of
 * them, splits off the lowest untried square of each, puts those with squares left back into the same batch, packed,
 * behind what has been read, and the surviving children into the batch of the next row; when that is full, it is
 * emptied first. So the lanes stay full however unevenly the tree branches, and a batch lies in the first-level cache.
 * A child survives when the next three rows each have a free square, and, towards the end, every free column has a
 * free square in some row to come.
 *
 * To be defined before:
 * - LANES, ALL_LANES (a bit for each) and vec;
 * - vec v_set(uint32_t), vec v_load(const uint32_t *);
 * - vec v_and(vec, vec), vec v_or3(vec, vec, vec), vec v_without(vec a, vec b) for a and not b;
 * - vec v_minus_one(vec), vec v_left(vec, unsigned), vec v_right(vec, unsigned);
 * - vec v_add_where(uint32_t lanes, vec, uint32_t), uint32_t v_nonzero(vec) with a bit a lane;
 * - void v_pack(uint32_t *to, uint32_t lanes, vec), which may write LANES words. */

/* Placements in a batch before it is emptied. CPU seconds for n = 16 on AVX-512 (Zen 5): 64 0.143, 128 0.118, 256
 * 0.106, 512 0.099, 1024 0.100, 2048 0.095; at 512 the batches of all rows take 250 KB of stack. */
enum { BATCH = 512 };

/* The tie counter lives in the top two bits of the column mask; boards that need those go to the scalar kernel. */
enum { TIE_SHIFT = 30, LEVELS_MAX_N = 30 };

/* With so many rows left, or fewer, the columns are checked. For n = 16: 129 M placements at 4, 113 M at 7, 111.6 M at
 * 8, 110.8 M at 10, and the same time from 6 to 12, within the noise of 4 %. */
enum { COVER_ROWS = 8 };

/* Batches between two looks at the stop flag: about a tenth of a millisecond. */
enum { POLL_BATCHES = 64 };

struct batch {
    size_t count;
    uint32_t columns[BATCH + LANES], left[BATCH + LANES], right[BATCH + LANES], free[BATCH + LANES];
};

struct search {
    const struct kernel_board *board;
    const atomic_bool *stop;
    bool stopped;
    unsigned polls;
    struct kernel_tally tally;
    struct batch batches[LEVELS_MAX_N];
};

/* Partial placements in registers: their masks, for the row the lanes stand in. */
struct lanes {
    vec columns, left, right;
};

/* Puts lanes behind the first `at` of a batch and returns how many it then has. */
static inline size_t put(struct batch *batch, size_t at, uint32_t which, struct lanes lanes, vec free)
{
    v_pack(batch->columns + at, which, lanes.columns);
    v_pack(batch->left + at, which, lanes.left);
    v_pack(batch->right + at, which, lanes.right);
    v_pack(batch->free + at, which, free);
    return at + (size_t)__builtin_popcount(which);
}

/* Free squares k rows below the one the lanes stand in. */
static inline vec free_below(struct lanes lanes, vec allow, unsigned k)
{
    return v_without(allow, v_or3(lanes.columns, v_left(lanes.left, k), v_right(lanes.right, k)));
}

/* Which lanes can still be completed, as far as a look at the rows below tells. free: of the row they stand in. */
static inline uint32_t survivors(const struct kernel_board *board, uint32_t row, uint32_t which, struct lanes lanes,
                                 vec free)
{
    const uint32_t rows = board->n - row; /* left, this one included */
    which &= v_nonzero(free);
    if (rows < 2)
        return which;
    vec reach = free_below(lanes, v_set(board->allow[row + 1]), 1);
    which &= v_nonzero(reach);
    if (rows < 3)
        return which;
    vec third = free_below(lanes, v_set(board->allow[row + 2]), 2);
    which &= v_nonzero(third);
    if (rows < 4 || rows > COVER_ROWS)
        return which;
    reach = v_or3(reach, third, v_or3(free, lanes.columns, lanes.columns));
    for (unsigned k = 3; k < rows; k++)
        reach = v_or3(reach, free_below(lanes, v_set(board->allow[row + k]), k), reach);
    const uint32_t full = ~UINT32_C(0) >> (32 - board->n);
    return which & ~v_nonzero(v_without(v_set(full), reach));
}

/* The last row: a lane has at most one free square, for all columns but one are taken. */
static void finish(struct search *search, uint32_t which, vec columns, vec free)
{
    const uint32_t tie = search->board->tie[search->board->n - 1];
    uint32_t taken[LANES], last[LANES];
    v_pack(taken, which, columns);
    v_pack(last, which, free);
    for (int i = 0; i < __builtin_popcount(which); i++)
        search->tally.solutions[(taken[i] >> TIE_SHIFT) + ((last[i] & tie) != 0)]++;
}

static void look_at_stop(struct search *search)
{
    if (search->polls++ % POLL_BATCHES == 0)
        search->stopped = search->stop && atomic_load_explicit(search->stop, memory_order_relaxed);
}

/* Empties the batch of a row, which is not the last: what does not fill the next row's batch is left there. */
static void empty(struct search *search, uint32_t row)
{
    const struct kernel_board *board = search->board;
    struct batch *batch = &search->batches[row], *next = batch + 1;
    const vec tie = v_set(board->tie[row]), allow = v_set(board->allow[row + 1]);
    const bool ties = board->tie[row], last = row + 2 == board->n;
    look_at_stop(search);
    while (batch->count && !search->stopped) {
        size_t kept = 0;
        for (size_t i = 0; i < batch->count && !search->stopped; i += LANES) {
            const size_t left = batch->count - i;
            const uint32_t active = left >= LANES ? ALL_LANES : (UINT32_C(1) << left) - 1;
            struct lanes lanes = {v_load(batch->columns + i), v_load(batch->left + i), v_load(batch->right + i)};
            const vec free = v_load(batch->free + i), rest = v_and(free, v_minus_one(free)),
                      queen = v_without(free, rest);
            search->tally.nodes += (uint64_t)__builtin_popcount(active);
            kept = put(batch, kept, active & v_nonzero(rest), lanes, rest);

            lanes.columns = v_or3(lanes.columns, queen, queen);
            lanes.left = v_left(v_or3(lanes.left, queen, queen), 1);
            lanes.right = v_right(v_or3(lanes.right, queen, queen), 1);
            if (ties)
                lanes.columns = v_add_where(v_nonzero(v_and(queen, tie)), lanes.columns, UINT32_C(1) << TIE_SHIFT);
            const vec below = free_below(lanes, allow, 0);
            const uint32_t alive = survivors(board, row + 1, active, lanes, below);
            if (last) {
                finish(search, alive, lanes.columns, below);
                continue;
            }
            assert(next->count < BATCH);
            next->count = put(next, next->count, alive, lanes, below);
            if (next->count >= BATCH)
                empty(search, row + 1);
        }
        batch->count = kept;
    }
}

static enum nq_status count_levels(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                   const atomic_bool *stop, struct kernel_tally *tally)
{
    if (board->n > LEVELS_MAX_N || prefix->row + 2 > board->n)
        return kernel_scalar.count(board, prefix, stop, tally);
    struct search search;
    search.board = board;
    search.stop = stop;
    search.stopped = false;
    search.polls = 0;
    search.tally = (struct kernel_tally){0};
    for (uint32_t row = 0; row < board->n; row++)
        search.batches[row].count = 0;
    struct batch *first = &search.batches[prefix->row];
    first->columns[0] = prefix->columns | prefix->ties << TIE_SHIFT;
    first->left[0] = prefix->left;
    first->right[0] = prefix->right;
    first->free[0] = board->allow[prefix->row] & ~(prefix->columns | prefix->left | prefix->right);
    first->count = first->free[0] != 0;
    for (uint32_t row = prefix->row; row + 1 < board->n && !search.stopped; row++)
        empty(&search, row);
    if (search.stopped)
        return NQ_CANCELLED;
    for (int ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        tally->solutions[ties] += search.tally.solutions[ties];
    tally->nodes += search.tally.nodes;
    return NQ_OK;
}
