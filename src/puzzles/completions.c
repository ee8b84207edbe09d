/* completions.c - the search of completions.h: one loop over the levels, without recursion. */
#include "puzzles/completions.h"

#include <assert.h>
#include <string.h>

#include "base/stop.h"

/* Placements between two looks at the stop flag: some tens of microseconds. */
enum { POLL_NODES = 1 << 10 };

/* So many rows are filled faster in their order than by looking for the group with fewest squares. */
enum { PLAIN_ROWS = 5 };

/* The last solution's queens are where levels have no square left: each level keeps the queen that leads to the next.
 */
void completions_begin(struct completions *search, const struct grid *grid, const struct position *position,
                       bool ordered)
{
    struct completions_level *level = search->level;
    search->grid = grid;
    search->ordered = ordered;
    search->plain = PLAIN_ROWS;
    search->entered = false;
    search->nodes = search->looked = 0;
    search->start = search->depth = (uint32_t)__builtin_popcountll(position->filled[GROUP_ROW]);
    assert(search->depth <= grid->n); /* there is one level more than rows */
    level += search->depth;
    memcpy(level->free, position->free, grid->words * sizeof *level->free);
    memcpy(level->filled, position->filled, sizeof level->filled);
    memcpy(search->columns, position->columns, grid->n);
}

static void choose(const struct grid *grid, struct completions_level *level, unsigned kind, uint32_t index)
{
    const uint64_t *group = grid_group(grid, kind, index);
    for (uint32_t i = 0; i < grid->words; i++)
        level->untried[i] = level->free[i] & group[i];
    level->first = kind == GROUP_ROW ? index * grid->n / 64 : 0;
}

/* Rows without a queen, as bits. */
static uint64_t open_rows(const struct completions *search)
{
    return grid_all(search->grid) & ~search->level[search->depth].filled[GROUP_ROW];
}

/* Chooses the group with fewest free squares; in lexicographic order the first row, unless a group has one square or
 * none. */
static void choose_fewest(struct completions *search, struct completions_level *level)
{
    const struct grid *grid = search->grid;
    const uint64_t all = grid_all(grid);
    uint32_t fewest = search->ordered ? 2 : grid->n * grid->n + 1, index = (uint32_t)__builtin_ctzll(open_rows(search));
    unsigned best = GROUP_ROW;
    for (unsigned kind = 0; kind < grid->kinds && fewest > 0; kind++)
        for (uint64_t open = all & ~level->filled[kind]; open && fewest > 0; open &= open - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(open);
            const uint32_t count = squares_shared(grid, level->free, grid_group(grid, kind, at), fewest);
            search->looked++;
            if (count < fewest) {
                fewest = count;
                best = kind;
                index = at;
            }
        }
    choose(grid, level, best, index);
}

/* Chooses the group that the level at depth fills. */
static void choose_next(struct completions *search)
{
    struct completions_level *level = &search->level[search->depth];
    if (search->grid->n - search->depth > search->plain)
        choose_fewest(search, level);
    else
        choose(search->grid, level, GROUP_ROW, (uint32_t)__builtin_ctzll(open_rows(search)));
    search->entered = true;
}

/* Takes the next untried square; false: there is none. */
static bool take(const struct grid *grid, struct completions_level *level, uint32_t *square)
{
    for (; level->first < grid->words; level->first++) {
        uint64_t *word = &level->untried[level->first];
        if (*word) {
            *square = level->first * 64 + (uint32_t)__builtin_ctzll(*word);
            *word &= *word - 1;
            return true;
        }
    }
    return false;
}

static void put_back(struct completions_level *level, uint32_t square)
{
    level->untried[level->first] |= UINT64_C(1) << square % 64;
}

static void descend(struct completions *search, uint32_t square)
{
    const struct grid *grid = search->grid;
    struct completions_level *level = &search->level[search->depth];
    struct completions_level *next = &search->level[++search->depth];
    const uint64_t *cleared = grid_cleared(grid, square);
    level->square = square;
    for (uint32_t i = 0; i < grid->words; i++)
        next->free[i] = level->free[i] & ~cleared[i];
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        next->filled[kind] = level->filled[kind] | UINT64_C(1) << grid->of[kind][square];
    search->columns[grid->of[GROUP_ROW][square]] = grid->of[GROUP_COLUMN][square];
    search->entered = false;
    search->nodes++;
}

/* Nothing is left to try at the level at depth. */
static void finish(struct completions *search)
{
    search->entered = true;
    search->level[search->depth].first = search->grid->words;
}

/* The next step, but that a square to place a queen on has only been taken. */
static enum completions_event advance(struct completions *search, uint32_t *square)
{
    if (!search->entered && search->depth == search->grid->n) {
        finish(search);
        return COMPLETIONS_SOLUTION;
    }
    if (!search->entered)
        choose_next(search);
    if (take(search->grid, &search->level[search->depth], square))
        return COMPLETIONS_PLACED;
    if (search->depth == search->start)
        return COMPLETIONS_ENDED;
    search->depth--;
    return COMPLETIONS_REMOVED;
}

enum nq_status completions_next(struct completions *search, uint64_t *budget, const atomic_bool *stop)
{
    for (;;) {
        uint32_t square;
        const enum completions_event event = advance(search, &square);
        if (event == COMPLETIONS_REMOVED)
            continue;
        if (event != COMPLETIONS_PLACED)
            return event == COMPLETIONS_SOLUTION ? NQ_OK : NQ_END;
        const bool stopped = *budget && search->nodes % POLL_NODES == 0 && stop_wanted(stop);
        if (!*budget || stopped) {
            put_back(&search->level[search->depth], square);
            return stopped ? NQ_CANCELLED : NQ_AGAIN;
        }
        --*budget;
        descend(search, square);
    }
}

enum completions_event completions_step(struct completions *search, uint32_t *square)
{
    const enum completions_event event = advance(search, square);
    if (event == COMPLETIONS_PLACED)
        descend(search, *square);
    if (event == COMPLETIONS_REMOVED)
        *square = search->level[search->depth].square;
    return event;
}

/* A queen that was removed finishes a prefix if she stood on the first row that had none: a forced one further down
 * does not. */
uint32_t completions_position(const struct completions *search, uint32_t *prefix)
{
    const struct grid *grid = search->grid;
    uint32_t rows = grid->n;
    if (search->depth < rows) {
        rows = (uint32_t)__builtin_ctzll(open_rows(search)) + 1;
        if (grid->of[GROUP_ROW][search->level[search->depth].square] != rows - 1)
            return 0;
    }
    for (uint32_t row = 0; row < rows; row++)
        prefix[row] = search->columns[row];
    return rows;
}

/* Takes the next square that is not before the prefix, which agrees with the rows above. False: all that is left comes
 * after the prefix. */
static bool take_from(struct completions *search, const uint32_t *prefix, uint32_t row, uint32_t *square)
{
    const struct grid *grid = search->grid;
    struct completions_level *level = &search->level[search->depth];
    while (take(grid, level, square)) {
        const uint32_t column = grid->of[GROUP_COLUMN][*square];
        if (grid->of[GROUP_ROW][*square] != row || column == prefix[row])
            return true;
        if (column > prefix[row]) {
            put_back(level, *square);
            return false;
        }
    }
    return false;
}

void completions_follow(struct completions *search, const uint32_t *prefix, uint32_t length)
{
    const struct grid *grid = search->grid;
    uint32_t square;
    while (length) {
        const uint64_t open = open_rows(search);
        uint32_t row = 0;
        while (row < length && !(open >> row & 1) && search->columns[row] == prefix[row])
            row++;
        const bool decided = row < length && !(open >> row & 1);
        if (decided && search->columns[row] > prefix[row])
            return;
        if (decided || row == length) {
            finish(search);
            return;
        }
        choose_next(search);
        if (!take_from(search, prefix, row, &square))
            return;
        if (grid->of[GROUP_ROW][square] == row && row + 1 == length && length < grid->n)
            return; /* she was removed */
        descend(search, square);
    }
}

enum nq_status completions_count(struct completions *search, uint64_t limit, uint64_t *count, uint64_t *budget,
                                 const atomic_bool *stop)
{
    while (*count < limit) {
        const enum nq_status status = completions_next(search, budget, stop);
        if (status != NQ_OK)
            return status == NQ_END ? NQ_OK : status;
        ++*count;
    }
    return NQ_OK;
}
