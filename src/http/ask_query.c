/* ask_query.c - squares as filters. */
#include "http/ask_query.h"

#include "http/route.h"

static const char *const distincts[] = {
    [DISTINCT_ALL] = "all", [DISTINCT_FUNDAMENTAL] = "fundamental", [DISTINCT_MIRROR] = "mirror"};
static const char *const symmetries[] = {
    [SYMMETRY_ANY] = "any", [SYMMETRY_POINT] = "point", [SYMMETRY_QUARTER] = "quarter"};

const char *ask_query_distincts(size_t i)
{
    return i < sizeof distincts / sizeof distincts[0] ? distincts[i] : NULL;
}

const char *ask_query_symmetries(size_t i)
{
    return i < sizeof symmetries / sizeof symmetries[0] ? symmetries[i] : NULL;
}

bool ask_query_sound(const struct query_values *values)
{
    return values->n->sound && values->base->sound && values->distinct->sound && values->symmetry->sound &&
           values->place->sound && values->exclude->sound;
}

bool ask_query_whole(const struct query_values *values)
{
    return !values->place->given && !values->exclude->given;
}

/* Places or excludes the squares of one parameter. */
static bool read_squares(const struct query_values *values, const struct value *squares, const char *name,
                         void (*apply)(struct filter *filter, uint32_t row, uint32_t column),
                         struct complaints *complaints, struct filter *filter)
{
    const uint32_t n = filter->n, base = route_base(values->base);
    for (size_t i = 0; i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        const uint32_t row = square->row - base, column = square->column - base; /* 0 - 1 is off the board too */
        if (row >= n || column >= n) {
            complain(complaints, false, name, "names square %d:%d, which is off the board", square->row,
                     square->column);
            return false;
        }
        apply(filter, row, column);
    }
    return true;
}

bool ask_query(const struct query_values *values, struct complaints *complaints, struct query *query)
{
    const uint32_t n = (uint32_t)values->n->number;
    *query = (struct query){.filter.n = n,
                            .distinct = (enum query_distinct)values->distinct->number,
                            .symmetry = (enum query_symmetry)values->symmetry->number};
    if (n > FILTER_MAX_N) {
        if (!ask_query_whole(values))
            complain(complaints, true, "n", "is at most %d with squares placed or excluded", FILTER_MAX_N);
        return ask_query_whole(values);
    }
    filter_begin(&query->filter, n);
    const bool placed = read_squares(values, values->place, "place", filter_place, complaints, &query->filter);
    return read_squares(values, values->exclude, "exclude", filter_exclude, complaints, &query->filter) && placed;
}
