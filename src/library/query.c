/* query.c - the public query. It collects squares; nothing is searched here. */
#include "library/query.h"

#include <stdlib.h>
#include <string.h>

bool library_rule(const char *name, const struct rule **rule)
{
    const size_t i = name ? rule_find(name, strlen(name)) : 0;
    *rule = rules[i];
    return *rule;
}

enum nq_status nq_query_open(uint32_t n, const char *rule, struct nq_query **out)
{
    const struct rule *its;
    if (!library_rule(rule, &its))
        return NQ_INVALID;
    if (n > FILTER_MAX_N)
        return NQ_LIMIT;
    struct nq_query *query = calloc(1, sizeof *query);
    if (!query)
        return NQ_NOMEM;
    query->n = n;
    query->rule = its;
    *out = query;
    return NQ_OK;
}

static enum nq_status mark(uint64_t *rows, uint32_t n, uint32_t row, uint32_t column)
{
    if (row >= n || column >= n)
        return NQ_INVALID;
    rows[row] |= UINT64_C(1) << column;
    return NQ_OK;
}

enum nq_status nq_query_place(struct nq_query *query, uint32_t row, uint32_t column)
{
    return mark(query->placed, query->n, row, column);
}

enum nq_status nq_query_exclude(struct nq_query *query, uint32_t row, uint32_t column)
{
    return mark(query->excluded, query->n, row, column);
}

enum nq_status nq_query_symmetry(struct nq_query *query, enum nq_symmetry symmetry)
{
    static const enum query_symmetry of[] = {[NQ_SYMMETRY_NONE] = SYMMETRY_ANY,
                                             [NQ_SYMMETRY_POINT] = SYMMETRY_POINT,
                                             [NQ_SYMMETRY_QUARTER] = SYMMETRY_QUARTER};
    if ((unsigned)symmetry >= sizeof of / sizeof of[0])
        return NQ_INVALID;
    query->symmetry = of[symmetry];
    return NQ_OK;
}

enum nq_status nq_query_distinct(struct nq_query *query, enum nq_distinct distinct)
{
    static const enum query_distinct of[] = {[NQ_DISTINCT_ALL] = DISTINCT_ALL,
                                             [NQ_DISTINCT_FUNDAMENTAL] = DISTINCT_FUNDAMENTAL,
                                             [NQ_DISTINCT_MIRROR] = DISTINCT_MIRROR};
    if ((unsigned)distinct >= sizeof of / sizeof of[0])
        return NQ_INVALID;
    query->distinct = of[distinct];
    return NQ_OK;
}

void nq_query_close(struct nq_query *query)
{
    free(query);
}

/* Applies a function to the squares of a set. Returns the symmetries, as bits, that do not carry it into itself. */
static unsigned apply(const uint64_t *rows, struct filter *filter,
                      void (*function)(struct filter *filter, uint32_t row, uint32_t column))
{
    struct filter marks;
    filter_begin(&marks, filter->n);
    memcpy(marks.allow, rows, sizeof marks.allow);
    for (uint32_t row = 0; row < filter->n; row++)
        for (uint64_t left = rows[row]; left; left &= left - 1)
            function(filter, row, (uint32_t)__builtin_ctzll(left));
    return SYMMETRIES_ALL & ~filter_symmetries(&marks);
}

void library_query(const struct nq_query *query, struct query *out)
{
    *out = (struct query){.distinct = query->distinct, .symmetry = query->symmetry};
    filter_begin(&out->filter, query->n);
    out->filter.rule = query->rule;
    out->broken = apply(query->placed, &out->filter, filter_place);
    out->broken |= apply(query->excluded, &out->filter, filter_exclude);
}
