/* query.c - filters as masks, and the symmetries they have. */
#include "board/query.h"

#include <assert.h>
#include <string.h>

#include "board/matching.h"

static uint64_t bit(uint32_t column)
{
    assert(column < FILTER_MAX_N);
    return UINT64_C(1) << column;
}

void filter_begin(struct filter *filter, uint32_t n)
{
    assert(n <= FILTER_MAX_N);
    *filter = (struct filter){.n = n, .rule = rules[0]};
    for (uint32_t row = 0; row < n; row++)
        filter->allow[row] = ~UINT64_C(0) >> (64 - n);
}

void filter_exclude(struct filter *filter, uint32_t row, uint32_t column)
{
    assert(row < FILTER_MAX_N);
    filter->allow[row] &= ~bit(column);
}

/* filter_place(), compiled for the moves of queens, too: that takes half of the instructions. */
static inline __attribute__((always_inline)) void place(struct filter *filter, unsigned moves, uint32_t row,
                                                        uint32_t column)
{
    for (uint32_t other = 0; other < filter->n; other++)
        filter->allow[other] &= other == row ? bit(column) : ~moves_mask(moves, filter->n, row, column, other);
}

void filter_place(struct filter *filter, uint32_t row, uint32_t column)
{
    assert(filter->rule && row < filter->n);
    if (rule_by_lines(filter->rule))
        place(filter, MOVE_LEFT | MOVE_RIGHT, row, column);
    else
        place(filter, filter->rule->moves, row, column);
}

static const struct motion identity;

bool filter_fixed(const struct filter *filter)
{
    for (size_t i = 0; i < FILTER_MOTIONS; i++)
        if (memcmp(&filter->fixed[i], &identity, sizeof identity) != 0)
            return true;
    return false;
}

bool filter_equal(const struct filter *a, const struct filter *b)
{
    return a->n == b->n && a->rule == b->rule && memcmp(a->fixed, b->fixed, sizeof a->fixed) == 0 &&
           memcmp(a->allow, b->allow, sizeof a->allow) == 0;
}

bool filter_whole(const struct filter *filter)
{
    struct filter whole;
    filter_begin(&whole, filter->n);
    return memcmp(filter->allow, whole.allow, sizeof whole.allow) == 0;
}

void filter_name(const struct filter *filter, struct bytes *name)
{
    bytes_format(name, "n=%u", filter->n);
    if (rule_word(filter->rule))
        bytes_format(name, " rules=%s", rule_word(filter->rule));
    for (size_t i = 0; i < FILTER_MOTIONS && filter_fixed(filter); i++)
        bytes_format(name, "%s%u+%u+%u", i ? "," : " fixed=", filter->fixed[i].symmetry, filter->fixed[i].down,
                     filter->fixed[i].right);
    if (filter_whole(filter))
        return;
    for (uint32_t row = 0; row < filter->n; row++)
        bytes_format(name, "%c%llx", row ? ',' : ' ', (unsigned long long)filter->allow[row]);
}

static bool one(uint64_t mask)
{
    return mask && !(mask & (mask - 1));
}

static void place_last_squares(struct filter *filter)
{
    uint64_t settled = 0; /* rows */
    for (bool more = true; more;) {
        more = false;
        for (uint32_t row = 0; row < filter->n; row++) {
            if ((settled & bit(row)) || !one(filter->allow[row]))
                continue;
            filter_place(filter, row, (uint32_t)__builtin_ctzll(filter->allow[row]));
            settled |= bit(row);
            more = true; /* others may have one square left now */
        }
    }
}

/* Places a queen on the last square of a column, in a row that has more. False: no column has such a square. */
static bool place_in_column(struct filter *filter)
{
    uint64_t once = 0, twice = 0;
    for (uint32_t row = 0; row < filter->n; row++) {
        twice |= once & filter->allow[row];
        once |= filter->allow[row];
    }
    for (uint32_t row = 0; row < filter->n; row++) {
        const uint64_t last = filter->allow[row] & once & ~twice;
        if (!last || one(filter->allow[row]))
            continue;
        filter_place(filter, row, (uint32_t)__builtin_ctzll(last));
        return true;
    }
    return false;
}

/* Whether every row can get a column of its own, with the queens that rows and columns with one square left force. */
static bool has_columns(const struct filter *filter)
{
    struct filter forced = *filter;
    do
        place_last_squares(&forced);
    while (place_in_column(&forced));
    return matching_perfect(forced.n, 1, forced.allow);
}

void filter_settle(struct filter *filter)
{
    place_last_squares(filter);
    if (!has_columns(filter))
        filter->allow[0] = 0;
}

bool filter_contradictory(const struct filter *filter)
{
    for (uint32_t row = 0; row < filter->n; row++)
        if (!filter->allow[row])
            return true;
    return false;
}

bool filter_impossible(const struct filter *filter)
{
    return rule_note(filter->rule, filter->n);
}

uint32_t filter_free_rows(const struct filter *filter)
{
    uint32_t rows = 0;
    for (uint32_t row = 0; row < filter->n; row++)
        rows += !one(filter->allow[row]) && filter->allow[row];
    return rows;
}

void filter_transform(unsigned symmetry, const struct filter *filter, struct filter *image)
{
    assert(symmetry < NQ_SYMMETRIES);
    *image = *filter;
    memset(image->allow, 0, sizeof image->allow);
    for (uint32_t row = 0; row < filter->n; row++) {
        for (uint64_t rest = filter->allow[row]; rest; rest &= rest - 1) {
            uint32_t to_row = row, to_column = (uint32_t)__builtin_ctzll(rest);
            square_transform(symmetry, filter->n, &to_row, &to_column);
            image->allow[to_row] |= bit(to_column);
        }
    }
}

void regions_transform(unsigned symmetry, const struct regions *regions, struct regions *image)
{
    const uint32_t n = regions->n;
    *image = (struct regions){.n = n};
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t row = square / n, column = square % n;
        square_transform(symmetry, n, &row, &column);
        image->of[row * n + column] = regions->of[square];
    }
    regions_number(image);
}

unsigned filter_symmetries(const struct filter *filter)
{
    unsigned symmetries = 0;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        struct filter image;
        filter_transform(symmetry, filter, &image);
        if (filter_equal(&image, filter))
            symmetries |= 1U << symmetry;
    }
    return symmetries & filter->rule->symmetries;
}

unsigned distinct_group(enum query_distinct distinct, unsigned symmetries)
{
    enum { IDENTITY = 1 << SYMMETRY_IDENTITY, REFLECTION = 1 << SYMMETRY_REFLECTION };
    switch (distinct) {
    case DISTINCT_ALL: return IDENTITY;
    case DISTINCT_MIRROR: return symmetries & (IDENTITY | REFLECTION);
    case DISTINCT_FUNDAMENTAL:
    case DISTINCT_TORUS: break;
    }
    return symmetries;
}

unsigned query_group(const struct query *query)
{
    if (query->filter.n < 2 || query->distinct == DISTINCT_ALL)
        return 1U << SYMMETRY_IDENTITY;
    const unsigned of_squares =
        query->filter.n > FILTER_MAX_N ? (unsigned)SYMMETRIES_ALL : filter_symmetries(&query->filter);
    return distinct_group(query->distinct, of_squares & ~query->broken);
}

/* How an image's columns are read, from row 0 on: off the permutation or its inverse, from its first or its last row
 * on, each column counted from the left or from the right. By number of nq_transform, those that need no inverse first.
 */
static const struct reading {
    unsigned symmetry;
    bool inverse, backward, flipped;
} readings[] = {
    {.symmetry = 4, .flipped = true},
    {.symmetry = 6, .backward = true},
    {.symmetry = 2, .backward = true, .flipped = true},
    {.symmetry = 7, .inverse = true},
    {.symmetry = 1, .inverse = true, .flipped = true},
    {.symmetry = 3, .inverse = true, .backward = true},
    {.symmetry = 5, .inverse = true, .backward = true, .flipped = true},
};

static bool image_less(const struct reading *reading, uint32_t n, const uint8_t *lines, const uint8_t *columns)
{
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t line = lines[reading->backward ? n - 1 - row : row];
        const uint32_t column = reading->flipped ? n - 1 - line : line;
        if (column != columns[row])
            return column < columns[row];
    }
    return false;
}

bool query_representative(unsigned group, uint32_t n, const uint8_t *columns)
{
    uint8_t inverse[FILTER_MAX_N];
    bool inverted = false;
    for (const struct reading *at = readings; at < readings + sizeof readings / sizeof readings[0]; at++) {
        if (!(group >> at->symmetry & 1))
            continue;
        if (at->inverse && !inverted)
            for (uint32_t row = 0; row < n; row++)
                inverse[columns[row]] = (uint8_t)row;
        inverted |= at->inverse;
        if (image_less(at, n, at->inverse ? inverse : columns, columns))
            return false;
    }
    return true;
}

bool query_all_squares(const struct query *query)
{
    if (query->filter.n > FILTER_MAX_N)
        return query->marks.placed + query->marks.excluded == 0;
    return !query->regions.n && filter_whole(&query->filter);
}

static bool marks_permit(const struct marks *marks, const uint32_t *columns)
{
    const uint32_t base = marks->base;
    for (uint32_t i = 0; i < marks->placed; i++)
        if (columns[marks->place[i].row - base] != marks->place[i].column - base)
            return false;
    for (uint32_t i = 0; i < marks->excluded; i++)
        if (columns[marks->exclude[i].row - base] == marks->exclude[i].column - base)
            return false;
    return true;
}

bool query_permits(const struct query *query, const uint32_t *columns)
{
    if (query->filter.n > FILTER_MAX_N)
        return marks_permit(&query->marks, columns);
    for (uint32_t row = 0; row < query->filter.n; row++)
        if (!filter_allows(&query->filter, row, columns[row]))
            return false;
    return true;
}

bool query_whole(const struct query *query)
{
    return query->distinct == DISTINCT_ALL && query->symmetry == SYMMETRY_ANY && query_all_squares(query);
}
