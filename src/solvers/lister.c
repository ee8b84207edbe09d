/* lister.c - the search above the finders, and their paths as rows of columns. */
#include "solvers/lister.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

/* One row of the search: the prefix above it, and the squares still to be tried. */
struct level {
    struct kernel_prefix prefix;
    uint32_t untried;
};

struct lister {
    struct kernel_board board;
    const struct finder *finder;
    void *workspace;
    uint64_t *paths[2]; /* where a finder writes, and what sorting needs besides */
    size_t room;

    uint32_t depth; /* finders are called from here on */
    uint32_t root;  /* length of the prefix */
    struct kernel_prefix start;
    bool begun;   /* the prefix has been entered */
    uint32_t row; /* that is tried next; all above have queens */
    bool ended;
    struct level levels[LISTER_MAX_N];
    uint8_t columns[LISTER_MAX_N]; /* of the rows above */

    const uint64_t *found; /* sorted paths below the first `length` columns, of which `next` is to be written next */
    size_t next, count;
    uint32_t length;

    uint8_t position[LISTER_MAX_N];
    uint32_t position_length;
    bool moved; /* the position has, since a call began */
};

/* How deep to go by the search above, so that what is found at once is hundreds to thousands of solutions (at most 3426
 * for n = 15, 4439 for n = 14), and paths hold the rest. */
uint32_t lister_rows(uint32_t n)
{
    if (n <= 10)
        return 0;
    if (n <= 12)
        return 1;
    if (n <= 14)
        return 2;
    return n <= 16 ? n - 12 : n - find_rows(n);
}

/* ---- The order of paths ---- */

/* A radix sort by the first bits that differ, from the last of them to the first (H. H. Seward, 1954), and an insertion
 * sort for the few numbers that agree in all of these. */

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Fewer numbers than this are inserted at once; fewer than that are sorted by two digits, not three. */
enum { FEW = 40, MANY = 512, MOST_DIGITS = 3 };

static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    uint32_t begin[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        begin[from[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0, sum = 0; digit < DIGITS; digit++) {
        const uint32_t size = begin[digit];
        begin[digit] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++)
        to[begin[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static void insert(uint64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* The first digits, from the top, in which numbers differ at all. */
static unsigned choose_digits(const uint64_t *numbers, size_t count, unsigned *shifts)
{
    assert(count > 0);
    const unsigned most = count < MANY ? MOST_DIGITS - 1 : MOST_DIGITS;
    unsigned chosen = 0;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= numbers[i] ^ numbers[0];
    while (differ && chosen < most) {
        const unsigned top = 63 - (unsigned)__builtin_clzll(differ);
        const unsigned shift = top < DIGIT_BITS ? 0 : top - DIGIT_BITS + 1;
        shifts[chosen++] = shift;
        differ &= (UINT64_C(1) << shift) - 1;
    }
    return chosen;
}

uint64_t *lister_sort(uint64_t *numbers, uint64_t *spare, size_t count)
{
    unsigned shifts[MOST_DIGITS], digits = count < FEW ? 0 : choose_digits(numbers, count, shifts);
    while (digits) {
        uint64_t *sorted = spare;
        sort_digit(numbers, sorted, count, shifts[--digits]);
        spare = numbers;
        numbers = sorted;
    }
    insert(numbers, count);
    return numbers;
}

/* ---- Paths as rows of columns ---- */

/* Eight fields of so many bits, the last row's lowest, to eight bytes in memory, the last row's last. */
static inline __attribute__((always_inline)) uint64_t spread(uint64_t fields, const unsigned bits)
{
    const uint64_t four = (UINT64_C(1) << 4 * bits) - 1;
    const uint64_t two = ((UINT64_C(1) << 2 * bits) - 1) * UINT64_C(0x100000001);
    const uint64_t one = ((UINT64_C(1) << bits) - 1) * UINT64_C(0x1000100010001);
    fields = (fields & four) | (fields & four << 4 * bits) << (32 - 4 * bits);
    fields = (fields & two) | (fields & two << 2 * bits) << (16 - 2 * bits);
    fields = (fields & one) | (fields & one << bits) << (8 - bits);
    return __builtin_bswap64(fields);
}

/* Writes the first `rows` columns of some fields, and whatever else fits into eight bytes. */
static inline void put_fields(uint8_t *to, uint64_t fields, uint32_t rows)
{
    const uint64_t bytes = htole64(fields >> 8 * (8 - rows));
    memcpy(to, &bytes, sizeof bytes);
}

/* Bytes that writing a solution may touch: 32 of the prefix and 8 of a path behind the last column but one. */
enum { TOUCHED = 48 };

/* Writes a solution; touches more. */
static inline __attribute__((always_inline)) void write_solution(struct run run, uint32_t n, uint64_t path, uint8_t *to,
                                                                 const unsigned bits)
{
    const uint32_t late = 32 / bits, left = n - run.length;
    memcpy(to, run.columns, 16);
    if (run.length > 16)
        memcpy(to + 16, run.columns + 16, 16);
    if (left > late)
        put_fields(to + run.length, spread(path >> late * bits, bits), left - late);
    if (left)
        put_fields(to + (left > late ? n - late : run.length), spread(path & ((UINT64_C(1) << late * bits) - 1), bits),
                   left > late ? late : left);
}

static inline __attribute__((always_inline)) void write_all(struct run run, uint32_t n, uint8_t *to,
                                                            const unsigned bits)
{
    size_t i = 0;
    for (; n * (run.count - i) >= TOUCHED; i++)
        write_solution(run, n, run.paths[i], to + n * i, bits);
    for (; i < run.count; i++) {
        uint8_t solution[TOUCHED];
        write_solution(run, n, run.paths[i], solution, bits);
        memcpy(to + n * i, solution, n);
    }
}

void lister_rows_of(const struct run *run, uint32_t n, uint8_t *to)
{
    if (find_bits(n) == 4)
        write_all(*run, n, to, 4);
    else
        write_all(*run, n, to, 5);
}

/* Hands out what is ready, at most `room` of it. */
static struct run take_ready(struct lister *lister, size_t room)
{
    assert(lister->next <= lister->count);
    const size_t ready = lister->count - lister->next;
    const struct run run = {.length = lister->length,
                            .columns = lister->columns,
                            .paths = lister->found + lister->next,
                            .count = ready < room ? ready : room};
    lister->next += run.count;
    return run;
}

/* The position is a solution: the last one of a run. */
static void stand_at_last(struct lister *lister, const struct run *run)
{
    struct run last = *run;
    if (!run->count)
        return;
    last.paths += run->count - 1;
    last.count = 1;
    lister_rows_of(&last, lister->board.n, lister->position);
    lister->position_length = lister->board.n;
    lister->moved = true;
}

/* ---- The search ---- */

static void finish(struct lister *lister, uint32_t length)
{
    assert(length <= lister->board.n);
    memcpy(lister->position, lister->columns, length);
    lister->position_length = length;
    lister->moved = true;
}

/* Finds all that is below a prefix; false when it is too much. Adds to *nodes. */
static bool find(struct lister *lister, const struct kernel_prefix *prefix, uint64_t *nodes)
{
    struct found found = {.paths = lister->paths[0], .capacity = lister->room};
    const enum nq_status status = lister->finder->find(&lister->board, prefix, lister->workspace, &found);
    *nodes += found.nodes;
    if (status != NQ_OK)
        return false;
    assert(found.count <= lister->room);
    lister->found = lister_sort(lister->paths[0], lister->paths[1], found.count);
    lister->next = 0;
    lister->count = found.count;
    lister->length = prefix->depth;
    return true;
}

/* The squares worth trying in the row below a prefix. */
static uint32_t choices(const struct lister *lister, const struct kernel_prefix *prefix)
{
    const uint32_t free = kernel_free(&lister->board, prefix, prefix->depth);
    return free ? kernel_choices(&lister->board, prefix, free) : 0;
}

/* Takes up a prefix whose columns are in lister->columns: finds what is below, or lays out its next row. */
static void enter(struct lister *lister, const struct kernel_prefix *prefix, uint64_t *nodes)
{
    lister->row = prefix->depth;
    if (prefix->depth < lister->board.n)
        lister->levels[prefix->depth] = (struct level){.prefix = *prefix};
    if (prefix->depth >= lister->depth && find(lister, prefix, nodes))
        return;
    lister->levels[prefix->depth].untried = choices(lister, prefix);
}

/* The next placement, or one row up again where there is none. */
static void step(struct lister *lister, uint64_t *nodes)
{
    struct level *level = &lister->levels[lister->row];
    if (!lister->begun) {
        lister->begun = true;
        enter(lister, &lister->start, nodes);
        return;
    }
    if (lister->row < lister->board.n && level->untried) {
        const uint32_t queen = level->untried & -level->untried;
        level->untried ^= queen;
        lister->columns[lister->row] = (uint8_t)__builtin_ctz(queen);
        const struct kernel_prefix below = kernel_place(&lister->board, &level->prefix, queen);
        ++*nodes;
        enter(lister, &below, nodes);
        return;
    }
    if (lister->row == lister->root) {
        lister->ended = true;
        return;
    }
    finish(lister, lister->row);
    lister->row--;
}

/* One more step, unless everything is listed (NQ_END), or the budget ran out after some progress (NQ_AGAIN). */
static enum nq_status go_on(struct lister *lister, uint64_t *budget)
{
    uint64_t nodes = 0;
    if (lister->ended)
        return NQ_END;
    if (*budget == 0 && lister->moved)
        return NQ_AGAIN;
    step(lister, &nodes);
    *budget -= nodes < *budget ? nodes : *budget;
    return NQ_OK;
}

enum nq_status lister_take(struct lister *lister, uint64_t *budget, size_t room, struct run *run)
{
    enum nq_status status = NQ_OK;
    lister->moved = false;
    while (status == NQ_OK && lister->next == lister->count)
        status = go_on(lister, budget);
    *run = take_ready(lister, room);
    stand_at_last(lister, run);
    return status;
}

uint32_t lister_done_length(const struct lister *lister)
{
    const bool done = lister->count && lister->next == lister->count;
    return done && lister->position_length == lister->board.n ? lister->length : 0;
}

enum nq_status lister_next(struct lister *lister, uint64_t *budget, uint8_t *columns, size_t room, size_t *count)
{
    const uint32_t n = lister->board.n;
    enum nq_status status = NQ_OK;
    *count = 0;
    lister->moved = false;
    for (;;) {
        const struct run run = take_ready(lister, room - *count);
        lister_rows_of(&run, n, columns + n * *count);
        stand_at_last(lister, &run);
        *count += run.count;
        assert(*count <= room);
        if (*count == room)
            return lister->ended && lister->next == lister->count ? NQ_END : NQ_OK;
        status = go_on(lister, budget);
        if (status != NQ_OK)
            return status;
    }
}

enum nq_status lister_begin(struct lister *lister, const uint8_t *prefix, uint32_t length)
{
    struct kernel_prefix start;
    if (!prefixes_place(&lister->board, prefix, length, &start))
        return NQ_INVALID;
    if (length)
        memcpy(lister->columns, prefix, length);
    lister->root = length;
    lister->row = length;
    lister->start = start;
    lister->begun = lister->ended = false;
    lister->next = lister->count = 0;
    lister->position_length = 0;
    return NQ_OK;
}

/* Skips the paths that are not after a position, below whose first columns they were found. */
static void skip(struct lister *lister, const uint8_t *position, uint32_t length)
{
    assert(length >= lister->length);
    const unsigned bits = find_bits(lister->board.n), others = bits * (lister->board.n - length);
    uint64_t last = 0;
    for (uint32_t row = lister->length; row < length; row++)
        last = last << bits | position[row];
    while (lister->next < lister->count && lister->found[lister->next] >> others <= last)
        lister->next++;
}

enum nq_status lister_seek(struct lister *lister, const uint8_t *position, uint32_t length)
{
    struct kernel_prefix prefix;
    uint64_t nodes = 0;
    if (length == 0 && lister->root == 0)
        return lister_begin(lister, NULL, 0);
    if (length < lister->root || !prefixes_place(&lister->board, position, length, &prefix) ||
        (lister->root && memcmp(position, lister->columns, lister->root) != 0))
        return NQ_INVALID;
    lister->begun = true;
    lister->ended = false;
    lister->next = lister->count = 0;
    prefix = lister->start;
    while (prefix.depth < length) {
        const uint32_t row = prefix.depth, queen = UINT32_C(1) << position[row];
        enter(lister, &prefix, &nodes);
        if (lister->count)
            break;
        lister->levels[row].untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        lister->columns[row] = position[row];
        prefix = kernel_place(&lister->board, &prefix, queen);
    }
    if (lister->count)
        skip(lister, position, length);
    else if (length == lister->root)
        lister->ended = true;
    memcpy(lister->position, position, length);
    lister->position_length = length;
    return NQ_OK;
}

uint32_t lister_position(const struct lister *lister, uint8_t *position)
{
    if (lister->position_length)
        memcpy(position, lister->position, lister->position_length);
    return lister->position_length;
}

enum nq_status lister_open(uint32_t n, const uint64_t *allow, const struct finder *finder, size_t room,
                           struct lister **out)
{
    if (n > LISTER_MAX_N)
        return NQ_LIMIT;
    struct lister *lister = calloc(1, sizeof *lister);
    if (!lister)
        return NQ_NOMEM;
    lister->finder = finder ? finder : finder_of(kernel_find("auto"));
    lister->room = (room == 0                  ? (size_t)LISTER_ROOM
                    : room < LISTER_LEAST_ROOM ? (size_t)LISTER_LEAST_ROOM
                                               : room) +
                   FIND_SLACK;
    lister->depth = lister_rows(n);
    lister->board = kernel_board_of(n, allow);
    lister->workspace = malloc(lister->finder->workspace);
    for (int i = 0; i < 2; i++)
        lister->paths[i] = malloc(lister->room * sizeof *lister->paths[i]);
    if (!lister->workspace || !lister->paths[0] || !lister->paths[1]) {
        lister_close(lister);
        return NQ_NOMEM;
    }
    (void)lister_begin(lister, NULL, 0);
    *out = lister;
    return NQ_OK;
}

void lister_close(struct lister *lister)
{
    if (!lister)
        return;
    free(lister->workspace);
    free(lister->paths[0]);
    free(lister->paths[1]);
    free(lister);
}
