/* grid.c - groups and attacks of a board as sets of squares, and queens placed on it. */
#include "puzzles/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *group_kind_name(enum group_kind kind)
{
    static const char *const names[] = {[GROUP_ROW] = "row", [GROUP_COLUMN] = "column", [GROUP_REGION] = "region"};
    return names[kind];
}

static void set_add(uint64_t *set, uint32_t square)
{
    set[square / 64] |= UINT64_C(1) << square % 64;
}

static uint64_t *set_at(const struct grid *grid, uint64_t *sets, uint32_t index)
{
    return sets + (size_t)index * grid->words;
}

/* What a queen attacks in every row. */
static void add_attacks(struct grid *grid, uint32_t row, uint32_t column)
{
    const uint32_t n = grid->n;
    uint64_t *attacked = set_at(grid, grid->attacked, row * n + column);
    for (uint32_t other = 0; other < n; other++) {
        uint64_t columns = other == row ? ~(UINT64_C(1) << column) : rule_mask(grid->rule, n, row, column, other);
        for (columns &= grid_all(grid); columns; columns &= columns - 1)
            set_add(attacked, other * n + (uint32_t)__builtin_ctzll(columns));
    }
}

static void add_group(struct grid *grid, unsigned kind, uint32_t index, uint32_t square)
{
    assert(kind < GROUP_KINDS && index < grid->n); /* regions are numbered below n */
    grid->of[kind][square] = (uint8_t)index;
    set_add(set_at(grid, grid->groups, kind * grid->n + index), square);
}

struct grid *grid_new(const struct rule *rule, uint32_t n, const uint8_t *regions)
{
    assert(n <= GRID_MAX_N); /* sets of squares have no more words */
    const uint32_t squares = n * n, words = n ? (squares + 63) / 64 : 1;
    struct grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return NULL;
    *grid = (struct grid){.n = n, .words = words, .kinds = GROUP_REGION, .rule = rule};
    grid->groups = calloc((size_t)GROUP_KINDS * n + 2 * (size_t)squares + !n, words * sizeof *grid->groups);
    if (!grid->groups) {
        free(grid);
        return NULL;
    }
    grid->attacked = grid->groups + (size_t)GROUP_KINDS * n * words;
    grid->cleared = grid->attacked + (size_t)squares * words;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            add_group(grid, GROUP_ROW, row, row * n + column);
            add_group(grid, GROUP_COLUMN, column, row * n + column);
            add_attacks(grid, row, column);
        }
    memcpy(grid->cleared, grid->attacked, (size_t)squares * words * sizeof *grid->cleared);
    for (uint32_t square = 0; square < squares; square++)
        set_add(set_at(grid, grid->cleared, square), square);
    if (regions)
        grid_paint(grid, regions);
    return grid;
}

void grid_free(struct grid *grid)
{
    if (grid)
        free(grid->groups);
    free(grid);
}

void grid_paint(struct grid *grid, const uint8_t *regions)
{
    const uint32_t squares = grid->n * grid->n, words = grid->words;
    grid->kinds = GROUP_KINDS;
    memset(set_at(grid, grid->groups, GROUP_REGION * grid->n), 0, (size_t)grid->n * words * sizeof *grid->groups);
    for (uint32_t square = 0; square < squares; square++)
        add_group(grid, GROUP_REGION, regions[square], square);
    for (uint32_t square = 0; square < squares; square++) {
        const uint64_t *attacked = grid_attacked(grid, square),
                       *region = grid_group(grid, GROUP_REGION, regions[square]);
        uint64_t *cleared = set_at(grid, grid->cleared, square);
        for (uint32_t i = 0; i < words; i++)
            cleared[i] = attacked[i] | region[i];
    }
}

void grid_turn(struct grid *grid, unsigned symmetry)
{
    const uint32_t n = grid->n, words = grid->words;
    for (uint32_t square = 0; square < n * n; square++) {
        uint64_t *cleared = set_at(grid, grid->cleared, square);
        uint32_t row = square / n, column = square % n, orbit[4];
        for (unsigned i = 0; i < 4; i++) { /* an orbit is of four squares at most */
            orbit[i] = row * n + column;
            const uint64_t *attacked = grid_attacked(grid, orbit[i]);
            for (uint32_t word = 0; word < words; word++)
                cleared[word] |= attacked[word];
            if (grid->kinds > GROUP_REGION) {
                const uint64_t *region = grid_group(grid, GROUP_REGION, grid->of[GROUP_REGION][orbit[i]]);
                for (uint32_t word = 0; word < words; word++)
                    cleared[word] |= region[word];
            }
            square_transform(symmetry, n, &row, &column);
        }
        for (unsigned i = 0; i < 4; i++)
            cleared[orbit[i] / 64] &= ~(UINT64_C(1) << orbit[i] % 64);
        set_add(cleared, square);
    }
}

void position_begin(const struct grid *grid, struct position *position)
{
    const uint32_t squares = grid->n * grid->n;
    memset(position->free, 0xff, grid->words * sizeof *position->free);
    if (squares % 64)
        position->free[squares / 64] = (UINT64_C(1) << squares % 64) - 1;
    memset(position->filled, 0, sizeof position->filled);
    memset(position->columns, 0, grid->n);
}

bool position_place(const struct grid *grid, struct position *position, uint32_t square)
{
    assert(square < grid->n * grid->n);
    if (!position_free(position, square))
        return false;
    const uint64_t *cleared = grid_cleared(grid, square);
    for (uint32_t i = 0; i < grid->words; i++)
        position->free[i] &= ~cleared[i];
    for (unsigned kind = 0; kind < grid->kinds; kind++)
        position->filled[kind] |= UINT64_C(1) << grid->of[kind][square];
    position->columns[square / grid->n] = (uint8_t)(square % grid->n);
    return true;
}

bool position_dead(const struct grid *grid, const struct position *position, unsigned *kind, uint32_t *index)
{
    for (*kind = 0; *kind < grid->kinds; ++*kind)
        for (uint64_t open = position_open(grid, position, *kind); open; open &= open - 1) {
            *index = (uint32_t)__builtin_ctzll(open);
            if (!squares_meet(grid, position->free, grid_group(grid, *kind, *index)))
                return true;
        }
    return false;
}

void position_allow(const struct grid *grid, struct position *position, const uint64_t *allow)
{
    for (uint32_t square = 0; square < grid->n * grid->n; square++)
        if (!(allow[square / grid->n] >> square % grid->n & 1))
            position_cross(position, square);
}

uint32_t position_free_squares(const struct grid *grid, const struct position *position)
{
    return squares_shared(grid, position->free, position->free, UINT32_MAX);
}
