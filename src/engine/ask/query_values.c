/* query_values.c - reads squares into a filter. */
#include "engine/ask/query_values.h"

#include <stdlib.h>

#include "engine/ask/rows.h"

static const char *const distincts[] = {[DISTINCT_ALL] = "all",
                                        [DISTINCT_FUNDAMENTAL] = "fundamental",
                                        [DISTINCT_MIRROR] = "mirror",
                                        [DISTINCT_TORUS] = "torus"};
static const char *const symmetries[] = {
    [SYMMETRY_ANY] = "any", [SYMMETRY_POINT] = "point", [SYMMETRY_QUARTER] = "quarter"};

const char *query_distincts(size_t i)
{
    return i < sizeof distincts / sizeof distincts[0] ? distincts[i] : NULL;
}

const char *query_symmetries(size_t i)
{
    return i < sizeof symmetries / sizeof symmetries[0] ? symmetries[i] : NULL;
}

struct query_values query_values_of(const struct param *rows, const struct value *values)
{
    return (struct query_values){.n = row_value(rows, values, "n"),
                                 .base = row_value(rows, values, "base"),
                                 .distinct = row_value(rows, values, "distinct"),
                                 .symmetry = row_value(rows, values, "symmetry"),
                                 .place = row_value(rows, values, "place"),
                                 .exclude = row_value(rows, values, "exclude"),
                                 .rules = row_value(rows, values, "rules")};
}

bool query_values_sound(const struct query_values *values)
{
    return values->n->sound && values->base->sound && values->distinct->sound && values->symmetry->sound &&
           values->place->sound && values->exclude->sound && values->rules->sound;
}

bool query_values_whole(const struct query_values *values)
{
    return !values->place->given && !values->exclude->given;
}

/* Places or excludes the squares of one parameter. */
static bool read_squares(const struct query_values *values, const struct value *squares, const char *name,
                         void (*apply)(struct filter *filter, uint32_t row, uint32_t column),
                         struct validation_errors *errors, struct filter *filter)
{
    const uint32_t n = filter->n, base = row_base(values->base);
    for (size_t i = 0; i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        const uint32_t row = square->row - base, column = square->column - base; /* 0 - 1 is off the board too */
        if (row >= n || column >= n) {
            reject_param(errors, REFUSED_SQUARE, name, "names square %d:%d, which is not on the board", square->row,
                         square->column);
            return false;
        }
        apply(filter, row, column);
    }
    return true;
}

/* The symmetries that carry the squares of one parameter, all on the board, into themselves. */
static unsigned square_symmetries(const struct query_values *values, const struct value *squares)
{
    const uint32_t base = row_base(values->base);
    struct filter marks = {.n = (uint32_t)values->n->number};
    for (size_t i = 0; i < squares->number; i++)
        marks.allow[squares->squares[i].row - base] |= UINT64_C(1) << (squares->squares[i].column - base);
    return filter_symmetries(&marks);
}

/* The same on a board of any size: squares are in order, row by row. */
static int compare_squares(const void *a, const void *b)
{
    const struct param_square *left = a, *right = b;
    return left->row != right->row ? left->row - right->row : left->column - right->column;
}

static unsigned mark_symmetries(uint32_t n, uint32_t base, const struct value *squares)
{
    unsigned kept = SYMMETRIES_ALL;
    for (size_t i = 0; i < squares->number; i++)
        for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
            uint32_t row = squares->squares[i].row - base, column = squares->squares[i].column - base;
            square_transform(symmetry, n, &row, &column);
            const struct param_square image = {(uint16_t)(row + base), (uint16_t)(column + base)};
            if (!bsearch(&image, squares->squares, squares->number, sizeof image, compare_squares))
                kept &= ~(1U << symmetry);
        }
    return kept;
}

static bool check_squares(const struct query_values *values, const struct value *squares, const char *name,
                          struct validation_errors *errors)
{
    const uint32_t n = (uint32_t)values->n->number, base = row_base(values->base);
    for (size_t i = 0; i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        if (square->row - base < n && square->column - base < n)
            continue;
        reject_param(errors, REFUSED_SQUARE, name, "names square %d:%d, which is not on the board", square->row,
                     square->column);
        return false;
    }
    return true;
}

/* Squares of a board that is too large for a filter. */
static bool read_marks(const struct query_values *values, struct validation_errors *errors, struct query *query)
{
    const uint32_t n = query->filter.n, base = row_base(values->base);
    const bool placed = check_squares(values, values->place, "place", errors);
    if (!check_squares(values, values->exclude, "exclude", errors) || !placed)
        return false;
    query->marks.base = base;
    if (values->place->given) {
        query->marks.place = values->place->squares;
        query->marks.placed = (uint32_t)values->place->number;
        query->broken |= SYMMETRIES_ALL & ~mark_symmetries(n, base, values->place);
    }
    if (values->exclude->given) {
        query->marks.exclude = values->exclude->squares;
        query->marks.excluded = (uint32_t)values->exclude->number;
        query->broken |= SYMMETRIES_ALL & ~mark_symmetries(n, base, values->exclude);
    }
    return true;
}

bool query_read(const struct query_values *values, uint32_t most, struct validation_errors *errors, struct query *query)
{
    const uint32_t n = (uint32_t)values->n->number;
    *query = (struct query){.filter = {.n = n, .rule = row_rule(values->rules)},
                            .distinct = (enum query_distinct)values->distinct->number,
                            .symmetry = (enum query_symmetry)values->symmetry->number};
    if (n > FILTER_MAX_N) {
        if (!query_values_whole(values) && n > most)
            reject_param(errors, REFUSED_UPPER_LIMIT, "n",
                         "must be at most %d with squares placed or excluded; /solve with limit=10000 counts the "
                         "solutions of larger boards if they are few",
                         (int)most);
        return n > most ? query_values_whole(values) : read_marks(values, errors, query);
    }
    filter_begin(&query->filter, n);
    query->filter.rule = row_rule(values->rules);
    const bool placed = read_squares(values, values->place, "place", filter_place, errors, &query->filter);
    if (!read_squares(values, values->exclude, "exclude", filter_exclude, errors, &query->filter) || !placed)
        return false;
    if (values->place->given)
        query->broken |= SYMMETRIES_ALL & ~square_symmetries(values, values->place);
    if (values->exclude->given)
        query->broken |= SYMMETRIES_ALL & ~square_symmetries(values, values->exclude);
    return true;
}
