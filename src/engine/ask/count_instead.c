/* count_instead.c - the published count, if there is one, or an estimate if that is quick. */
#include "engine/ask/count_instead.h"

#include "count/known.h"

bool count_walks_long(const struct filter *filter)
{
    struct filter settled = *filter;
    if (!filter->rule || !filter->rule->walked_rows)
        return false;
    filter_settle(&settled);
    return filter_free_rows(&settled) > filter->rule->walked_rows;
}

const char *count_instead(const struct question *question)
{
    const struct query *query = &question->query;
    if (!question_computed(question) || query->by_square || question->count.indexed || question->count.statistic)
        return "";
    if (query_whole(query) && (int)question->n <= known_most(query->filter.rule, query->distinct, query->symmetry))
        return " /count with method=table returns the published count.";
    const bool estimated = query->distinct == DISTINCT_ALL && query->symmetry == SYMMETRY_ANY;
    return estimated && !count_walks_long(&query->filter) ? " /count with method=estimate is quick." : "";
}
