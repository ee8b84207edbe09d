/* vacancies.c - counts of free squares by line, kept up to date as queens are placed and removed. */
#include "solvers/vacancies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "board/matching.h"

/* The images of a square under the turn, itself first. */
struct orbit {
    uint32_t count, row[4], column[4];
};

static struct orbit orbit_of(const struct vacancies *of, uint32_t row, uint32_t column)
{
    struct orbit orbit = {0};
    do {
        orbit.row[orbit.count] = row;
        orbit.column[orbit.count++] = column;
        if (of->turn)
            square_transform(of->turn, of->n, &row, &column);
    } while (row != orbit.row[0] || column != orbit.column[0]);
    return orbit;
}

static void count_square(struct vacancies *of, uint32_t row, uint32_t column, int change)
{
    of->in_row[row] = (uint16_t)(of->in_row[row] + change);
    of->in_column[column] = (uint16_t)(of->in_column[column] + change);
    of->in_sum[row + column] = (uint16_t)(of->in_sum[row + column] + change);
    of->in_difference[column + of->n - 1 - row] = (uint16_t)(of->in_difference[column + of->n - 1 - row] + change);
}

static inline void bar(struct vacancies *of, uint32_t row, uint32_t column)
{
    if (of->bars[row * of->n + column]++ == 0)
        count_square(of, row, column, -1);
}

static inline void unbar(struct vacancies *of, uint32_t row, uint32_t column)
{
    if (--of->bars[row * of->n + column] == 0)
        count_square(of, row, column, 1);
}

/* Bars or unbars what a queen attacks in rows without one, and its own row. */
static inline void sweep(struct vacancies *of, uint32_t row, uint32_t column,
                         void (*change)(struct vacancies *, uint32_t, uint32_t))
{
    const uint32_t n = of->n;
    for (uint32_t at = of->rows.next[n]; at != n; at = of->rows.next[at]) {
        const uint32_t away = at > row ? at - row : row - at;
        change(of, at, column);
        if (column >= away)
            change(of, at, column - away);
        if (column + away < n)
            change(of, at, column + away);
    }
    for (uint32_t at = of->columns.next[n]; at != n; at = of->columns.next[at])
        change(of, row, at);
    change(of, row, column);
}

static void leave_ring(struct ring *ring, uint32_t line)
{
    ring->next[ring->previous[line]] = ring->next[line];
    ring->previous[ring->next[line]] = ring->previous[line];
}

static void rejoin_ring(struct ring *ring, uint32_t line)
{
    ring->next[ring->previous[line]] = ring->previous[ring->next[line]] = (uint16_t)line;
}

void vacancies_place(struct vacancies *of, uint32_t row, uint32_t column)
{
    const struct orbit orbit = orbit_of(of, row, column);
    for (uint32_t i = 0; i < orbit.count; i++) {
        leave_ring(&of->rows, orbit.row[i]);
        leave_ring(&of->columns, orbit.column[i]);
        sweep(of, orbit.row[i], orbit.column[i], bar);
        of->queen_in_row[orbit.row[i]] = (uint16_t)orbit.column[i];
        of->queen_in_column[orbit.column[i]] = (uint16_t)orbit.row[i];
    }
    of->left -= orbit.count;
}

void vacancies_remove(struct vacancies *of, uint32_t row, uint32_t column)
{
    const struct orbit orbit = orbit_of(of, row, column);
    for (uint32_t i = orbit.count; i-- > 0;) {
        sweep(of, orbit.row[i], orbit.column[i], unbar);
        rejoin_ring(&of->columns, orbit.column[i]);
        rejoin_ring(&of->rows, orbit.row[i]);
        of->queen_in_row[orbit.row[i]] = of->queen_in_column[orbit.column[i]] = VACANT;
    }
    of->left += orbit.count;
}

/* Whether a square is on an axis or a diagonal of the board, where its orbit attacks itself: all but the middle. */
static bool attacks_itself(uint32_t n, uint32_t row, uint32_t column)
{
    const bool middle = 2 * row == n - 1 && 2 * column == n - 1;
    return !middle && (row == column || row + column == n - 1 || 2 * row == n - 1 || 2 * column == n - 1);
}

/* Bars the orbits that cannot be placed as a whole. */
static void bar_orbits(struct vacancies *of)
{
    for (uint32_t row = 0; row < of->n; row++) {
        for (uint32_t column = 0; column < of->n; column++) {
            if (vacancies_free(of, row, column) && !attacks_itself(of->n, row, column))
                continue;
            const struct orbit orbit = orbit_of(of, row, column);
            for (uint32_t i = 0; i < orbit.count; i++)
                if (vacancies_free(of, orbit.row[i], orbit.column[i]))
                    bar(of, orbit.row[i], orbit.column[i]);
        }
    }
}

static void bar_filter(struct vacancies *of, const struct filter *filter)
{
    for (uint32_t row = 0; row < of->n; row++)
        for (uint32_t column = 0; column < of->n; column++)
            if (!filter_allows(filter, row, column))
                bar(of, row, column);
}

/* A row with a queen has that square alone; what else it attacks is barred when it is placed. */
static void bar_marks(struct vacancies *of, const struct marks *marks)
{
    for (uint32_t i = 0; i < marks->placed; i++)
        for (uint32_t column = 0; column < of->n; column++)
            if (column != marks->place[i].column - marks->base)
                bar(of, marks->place[i].row - marks->base, column);
    for (uint32_t i = 0; i < marks->excluded; i++)
        bar(of, marks->exclude[i].row - marks->base, marks->exclude[i].column - marks->base);
}

static void begin_ring(struct ring *ring, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++) {
        ring->next[i] = (uint16_t)(i == n ? 0 : i + 1);
        ring->previous[i] = (uint16_t)(i == 0 ? n : i - 1);
    }
}

enum nq_status vacancies_open(const struct query *query, struct vacancies **out)
{
    const uint32_t n = query->filter.n;
    const size_t shorts = 4 * ((size_t)n + 1) + 4 * (size_t)n + 4 * (size_t)n;
    struct vacancies *of = calloc(1, sizeof *of + shorts * sizeof(uint16_t) + (size_t)n * n);
    if (!of)
        return NQ_NOMEM;
    uint16_t *room = (uint16_t *)(of + 1);
    const size_t line = n;
    of->n = of->left = n;
    of->turn = query->symmetry == SYMMETRY_POINT ? 2 : query->symmetry == SYMMETRY_QUARTER ? 1 : 0;
    of->rows = (struct ring){room, room + line + 1};
    of->columns = (struct ring){room + 2 * (line + 1), room + 3 * (line + 1)};
    room += 4 * (line + 1);
    of->in_row = room;
    of->in_column = room + line;
    of->queen_in_row = room + 2 * line;
    of->queen_in_column = room + 3 * line;
    of->in_sum = room + 4 * line;
    of->in_difference = room + 6 * line;
    of->bars = (uint8_t *)(room + 8 * line);
    begin_ring(&of->rows, n);
    begin_ring(&of->columns, n);
    for (uint32_t i = 0; i < n; i++) {
        of->in_row[i] = of->in_column[i] = (uint16_t)n;
        of->queen_in_row[i] = of->queen_in_column[i] = VACANT;
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        of->in_sum[i] = of->in_difference[i] = (uint16_t)(i < n ? i + 1 : 2 * n - 1 - i);
    if (n > FILTER_MAX_N)
        bar_marks(of, &query->marks);
    else
        bar_filter(of, &query->filter);
    if (of->turn)
        bar_orbits(of);
    *out = of;
    return NQ_OK;
}

/* ---- Rows against columns ---- */

struct square {
    uint32_t row, column;
};

/* A line of a ring with at most one free square, counted in `free`; n: there is none. */
static uint32_t scarce_line(const struct vacancies *of, const struct ring *ring, const uint16_t *free)
{
    uint32_t line = ring->next[of->n];
    while (line != of->n && free[line] > 1)
        line = ring->next[line];
    return line;
}

/* The square of a row, or of a column, that is free. */
static struct square last_square(const struct vacancies *of, uint32_t line, bool by_column)
{
    struct square square = {line, line};
    uint32_t *across = by_column ? &square.row : &square.column;
    for (*across = 0; !vacancies_free(of, square.row, square.column); ++*across)
        assert(*across + 1 < of->n);
    return square;
}

/* Places a queen that is forced. NQ_AGAIN, with the square; NQ_END: none is; NQ_NONE: some line has no square left. */
static enum nq_status place_forced(struct vacancies *of, struct square *square)
{
    const uint32_t row = scarce_line(of, &of->rows, of->in_row);
    const uint32_t column = row < of->n ? of->n : scarce_line(of, &of->columns, of->in_column);
    if (row == of->n && column == of->n)
        return NQ_END;
    if ((row < of->n ? of->in_row[row] : of->in_column[column]) == 0)
        return NQ_NONE;
    *square = last_square(of, row < of->n ? row : column, row == of->n);
    vacancies_place(of, square->row, square->column);
    return NQ_AGAIN;
}

/* Whether the rows without a queen can get a column each; those with one keep theirs. */
static bool has_columns(const struct vacancies *of)
{
    const uint32_t words = (of->n + 63) / 64;
    uint64_t *allow = calloc((size_t)of->n * words, sizeof *allow);
    if (!allow)
        return true;
    for (uint32_t row = 0; row < of->n; row++) {
        const uint32_t queen = of->queen_in_row[row];
        for (uint32_t column = 0; column < of->n; column++)
            if (queen == VACANT ? vacancies_free(of, row, column) && of->queen_in_column[column] == VACANT
                                : queen == column)
                allow[(size_t)row * words + column / 64] |= UINT64_C(1) << column % 64;
    }
    const bool perfect = matching_perfect(of->n, words, allow);
    free(allow);
    return perfect;
}

bool vacancies_hopeless(struct vacancies *of)
{
    struct square *placed = calloc(of->n + 1, sizeof *placed);
    uint32_t count = 0;
    enum nq_status status = placed ? NQ_AGAIN : NQ_NOMEM;
    while (status == NQ_AGAIN && of->left) {
        status = place_forced(of, &placed[count]);
        count += status == NQ_AGAIN;
    }
    const bool hopeless = status == NQ_NONE || (status != NQ_NOMEM && !has_columns(of));
    while (count--)
        vacancies_remove(of, placed[count].row, placed[count].column);
    free(placed);
    return hopeless;
}

void vacancies_close(struct vacancies *of)
{
    free(of);
}
