/* deduction.c - a search that fills the row or the column with fewest squares left. */
#include "count/deduction.h"

#include <assert.h>

#include "base/stop.h"

/* Squares tried between two looks at the stop flag: some tens of microseconds, a millisecond at most. */
enum { POLL = 16 };

/* The reflection at the diagonal, as a bit. */
enum { TRANSPOSED = 1 << 7 };

enum outcome { DEAD, WHOLE, CHOICE };

static uint64_t bit(uint32_t index)
{
    return UINT64_C(1) << index;
}

void deduction_begin(struct deduction *deduction, uint32_t n, const struct rule *rule)
{
    assert(n <= FILTER_MAX_N);
    struct deduction_level *level = &deduction->levels[0];
    filter_begin(&level->rows, n);
    level->rows.rule = rule;
    level->columns = level->rows;
    level->open_rows = level->open_columns = n ? ~UINT64_C(0) >> (64 - n) : 0;
    level->untried = 0;
    deduction->random = NULL;
    deduction->depth = deduction->forced = 0;
    deduction->entered = false;
    deduction->guesses = 0;
}

/* What the rows lose, the columns lose. */
static void place_by_rows(struct deduction_level *level, uint32_t row, uint32_t column)
{
    const struct filter before = level->rows;
    filter_place(&level->rows, row, column);
    for (uint32_t other = 0; other < before.n; other++)
        for (uint64_t lost = before.allow[other] & ~level->rows.allow[other]; lost; lost &= lost - 1)
            level->columns.allow[__builtin_ctzll(lost)] &= ~bit(other);
}

static void place(struct deduction_level *level, uint32_t row, uint32_t column)
{
    if (level->rows.rule->symmetries & TRANSPOSED) { /* it attacks along columns as it does along rows */
        filter_place(&level->rows, row, column);
        filter_place(&level->columns, column, row);
    } else {
        place_by_rows(level, row, column);
    }
    level->open_rows &= ~bit(row);
    level->open_columns &= ~bit(column);
}

void deduction_place(struct deduction *deduction, uint32_t row, uint32_t column)
{
    assert(filter_allows(&deduction->levels[0].rows, row, column));
    place(&deduction->levels[0], row, column);
}

void deduction_exclude(struct deduction *deduction, uint32_t row, uint32_t column)
{
    assert(row < deduction->levels[0].rows.n && column < deduction->levels[0].rows.n);
    filter_exclude(&deduction->levels[0].rows, row, column);
    filter_exclude(&deduction->levels[0].columns, column, row);
}

/* Finds the first open line with fewest squares left, if these are fewer than *fewest. */
static void look(const struct filter *lines, uint64_t open, bool by_column, struct deduction_level *level,
                 uint32_t *fewest)
{
    for (; open && *fewest > 0; open &= open - 1) {
        const uint32_t line = (uint32_t)__builtin_ctzll(open);
        const uint32_t squares = (uint32_t)__builtin_popcountll(lines->allow[line]);
        if (squares >= *fewest)
            continue;
        *fewest = squares;
        level->line = line;
        level->by_column = by_column;
        level->untried = lines->allow[line];
    }
}

/* A queen on a square of the line. */
static void place_on_line(struct deduction_level *level, const struct deduction_level *of, uint64_t square)
{
    const uint32_t other = (uint32_t)__builtin_ctzll(square);
    if (of->by_column)
        place(level, other, of->line);
    else
        place(level, of->line, other);
}

static void spend(uint64_t *budget)
{
    *budget -= *budget > 0;
}

/* Places the queens that follow, and finds the line to try next. */
static enum outcome follow(struct deduction *deduction, struct deduction_level *level, uint64_t *budget)
{
    if (filter_impossible(&level->rows))
        return DEAD;
    while (level->open_rows) {
        uint32_t fewest = UINT32_MAX;
        look(&level->rows, level->open_rows, false, level, &fewest);
        look(&level->columns, level->open_columns, true, level, &fewest);
        if (fewest != 1)
            return fewest ? CHOICE : DEAD;
        place_on_line(level, level, level->untried);
        deduction->forced += !deduction->guesses;
        spend(budget);
    }
    return WHOLE;
}

/* Takes one of the squares that were not tried. */
static uint64_t choose(struct deduction *deduction, struct deduction_level *level)
{
    uint64_t squares = level->untried;
    assert(squares); /* of none, the lowest is none: a queen would stand nowhere */
    if (deduction->random)
        for (uint32_t skip = random_below(deduction->random, (uint32_t)__builtin_popcountll(squares)); skip; skip--)
            squares &= squares - 1;
    squares &= -squares;
    level->untried &= ~squares;
    return squares;
}

enum nq_status deduction_next(struct deduction *deduction, uint64_t *budget, const atomic_bool *stop)
{
    for (unsigned i = 1;; i++) {
        if (i % POLL == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        struct deduction_level *level = &deduction->levels[deduction->depth];
        if (!deduction->entered) {
            const enum outcome outcome = follow(deduction, level, budget);
            deduction->entered = true;
            if (outcome != CHOICE)
                level->untried = 0;
            if (outcome == WHOLE) {
                for (uint32_t row = 0; row < level->rows.n; row++)
                    deduction->columns[row] = (uint32_t)__builtin_ctzll(level->rows.allow[row]);
                return NQ_OK;
            }
        }
        while (!level->untried && deduction->depth)
            level = &deduction->levels[--deduction->depth];
        if (!level->untried)
            return NQ_END;
        if (!*budget)
            return NQ_AGAIN;
        const uint64_t square = choose(deduction, level);
        level[1] = level[0];
        place_on_line(&level[1], level, square);
        deduction->depth++;
        deduction->guesses++;
        deduction->entered = false;
        spend(budget);
    }
}
