/* count_ways.c - what is chosen, and the refusals, which say what else can be asked. */
#include "engine/ask/count_ways.h"

#include "count/counting.h"
#include "count/estimate.h"
#include "count/index.h"
#include "count/known.h"
#include "engine/ask/count_instead.h"
#include "engine/ask/rows.h"

/* Up to so many free rows method=auto computes, by the symmetry of the solutions: it is a matter of seconds. */
enum { COUNT_QUICK_ROWS = 16, COUNT_QUICK_ROWS_POINT = 24, COUNT_QUICK_ROWS_QUARTER = 32 };

static bool is_whole(const struct value *values)
{
    const struct query_values of = count_rows_query(values);
    return query_values_whole(&of);
}

/* The largest board that the table of such solutions has; -1: there is none. */
static int table_most(const struct value *values)
{
    if (!is_whole(values) || values[COUNT_BY].number)
        return -1;
    return known_most(row_rule(&values[COUNT_RULES]), (enum query_distinct)values[COUNT_DISTINCT].number,
                      (enum query_symmetry)values[COUNT_SYMMETRY].number);
}

/* Free rows that are soon computed: with a symmetry by a half more, or twice as many. */
static uint32_t quick_rows(const struct value *values)
{
    static const uint32_t quick[] = {[SYMMETRY_ANY] = COUNT_QUICK_ROWS,
                                     [SYMMETRY_POINT] = COUNT_QUICK_ROWS_POINT,
                                     [SYMMETRY_QUARTER] = COUNT_QUICK_ROWS_QUARTER};
    const struct rule *rule = row_rule(&values[COUNT_RULES]);
    const uint32_t rows = quick[values[COUNT_SYMMETRY].number];
    return rule ? rule->quick_rows * rows / COUNT_QUICK_ROWS : rows;
}

bool count_is_quick(const struct value *values, const struct query *query)
{
    struct filter settled = query->filter;
    filter_settle(&settled);
    return settled.n <= counting_most(query) && (filter_contradictory(&settled) || filter_impossible(&settled) ||
                                                 filter_free_rows(&settled) <= quick_rows(values));
}

/* Whether there is a formula for boards that are too large for an estimate. */
static bool has_formula(const struct value *values)
{
    return is_whole(values) && !values[COUNT_RULES].number;
}

/* Whether method=estimate would accept the question. */
static bool can_estimate(const struct value *values)
{
    return values[COUNT_DISTINCT].number == DISTINCT_ALL && values[COUNT_SYMMETRY].number == SYMMETRY_ANY &&
           !values[COUNT_BY].number && (has_formula(values) || values[COUNT_N].number <= ESTIMATE_MAX_N);
}

enum ask_method count_method_choose(const struct value *values, const struct query *query)
{
    const uint32_t n = query->filter.n;
    const enum ask_method asked = (enum ask_method)values[COUNT_METHOD].number;
    if (asked != METHOD_AUTO && asked != METHOD_ANY)
        return asked;
    if (n <= FILTER_MAX_N && count_is_quick(values, query))
        return METHOD_COMPUTE;
    if ((int)n <= table_most(values))
        return METHOD_TABLE;
    return asked == METHOD_ANY && can_estimate(values) ? METHOD_ESTIMATE : METHOD_AUTO;
}

/* What goes with all solutions only. */
static void check_all_counted(const struct value *values, const char *with, struct validation_errors *errors)
{
    if (values[COUNT_DISTINCT].number != DISTINCT_ALL)
        reject_param(errors, REFUSED_VALUE_WITH, "distinct", "must be %s with %s", "all", with);
    if (values[COUNT_SYMMETRY].number != SYMMETRY_ANY)
        reject_param(errors, REFUSED_VALUE_WITH, "symmetry", "must be %s with %s", "any", with);
    if (values[COUNT_BY].number)
        reject_param(errors, REFUSED_WITH, "by", "cannot be used with %s", with);
}

/* What only an estimate has. */
static void check_no_estimate(const struct value *values, struct validation_errors *errors)
{
    for (int i = COUNT_WALKS; i <= COUNT_SEED; i++)
        if (values[i].given)
            reject_param(errors, REFUSED_WITHOUT, count_params[i].name, "can be used only with %s", "method=estimate");
}

static void check_estimate(const struct value *values, struct validation_errors *errors)
{
    check_all_counted(values, "method=estimate", errors);
    if (!has_formula(values) && values[COUNT_N].number > ESTIMATE_MAX_N)
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d for an estimate %s", ESTIMATE_MAX_N,
                     values[COUNT_RULES].number ? "by another rule" : "with squares placed or excluded");
}

/* The largest n of these filters, without squares, that auto has an answer for. */
static int auto_most(const struct value *values, const struct query *query)
{
    const int quick = (int)quick_rows(values), table = table_most(values);
    if (filter_impossible(&query->filter))
        return (int)counting_most(query);
    return table > quick ? table : quick;
}

/* Says what else can be asked: only what is answered. The cost of a computed count is not known here; but beyond the
 * published counts of whole boards it is years. */
static void refuse_auto(const struct value *values, const struct query *query, struct validation_errors *errors)
{
    const uint64_t n = values[COUNT_N].number;
    const struct rule *rule = row_rule(&values[COUNT_RULES]);
    const bool published =
        is_whole(values) && !values[COUNT_BY].number && values[COUNT_SYMMETRY].number == SYMMETRY_ANY && !rule;
    const bool computed = n <= counting_most(query) && !published, estimated = can_estimate(values);
    const bool quickly = estimated && !count_walks_long(&query->filter);
    if (computed && quickly)
        reject_param(errors, REFUSED_ROWS, "n",
                     "has too many free rows to be counted at once; method=estimate estimates; POST /jobs?dry-run=true "
                     "returns whether method=compute, which counts exactly, is accepted");
    else if (computed)
        reject_param(errors, REFUSED_ROWS_COMPUTE, "n",
                     "has too many free rows to be counted at once; POST /jobs?dry-run=true returns whether "
                     "method=compute is accepted");
    else if (quickly)
        reject_param(errors, REFUSED_ROWS_ESTIMATE, "n",
                     "has too many free rows to be counted at once; method=estimate estimates");
    else if (estimated)
        reject_param(errors, REFUSED_ROWS_WALKS, "n",
                     "has too many free rows to be counted at once; method=estimate with walks=%d takes minutes",
                     ESTIMATE_MOST_WALKS);
    else if (is_whole(values))
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d for these filters",
                     auto_most(values, query));
    else
        reject_param(errors, REFUSED_UPPER_LIMIT, "n",
                     "must be at most %d with squares placed or excluded, and at most %d rows may be free; /solve with "
                     "limit=10000 counts the solutions of larger boards if they are few",
                     (int)counting_most(query), (int)quick_rows(values));
}

static void check_method(const struct value *values, enum ask_method method, const struct query *query,
                         struct validation_errors *errors)
{
    const uint64_t n = values[COUNT_N].number, most = counting_most(query);
    switch (method) {
    case METHOD_AUTO: refuse_auto(values, query, errors); break;
    case METHOD_COMPUTE:
        if (n > most)
            reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d for method=compute%s", (int)most,
                         can_estimate(values) && !count_walks_long(&query->filter)
                             ? "; /count with method=estimate accepts more"
                             : "");
        break;
    case METHOD_TABLE:
        if (table_most(values) < 0)
            reject_param(errors, REFUSED_NO_TABLE, "method",
                         "must not be table: no such counts are published; use another method");
        else if (n > (uint64_t)table_most(values))
            reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d for method=table", table_most(values));
        break;
    case METHOD_ESTIMATE: check_estimate(values, errors); break;
    case METHOD_ANY: break; /* never chosen */
    }
    const bool may_estimate = method == METHOD_ESTIMATE || values[COUNT_METHOD].number == METHOD_ANY;
    if (!may_estimate && method != METHOD_AUTO)
        check_no_estimate(values, errors);
}

void count_method_check(const struct value *values, enum ask_method method, const struct query *query,
                        struct validation_errors *errors)
{
    const uint64_t n = values[COUNT_N].number, by = values[COUNT_BY].number;
    const struct statistic *statistic = count_rows_statistic(values);
    char pair[PARAM_PAIR_MAX];
    if (statistic && query->symmetry != SYMMETRY_ANY)
        reject_param(errors, REFUSED_VALUE_WITH, "symmetry", "must be %s with %s", "any",
                     param_pair(pair, "by", statistic->name));
    if (by == COUNT_BY_SQUARE && query->distinct != DISTINCT_ALL)
        reject_param(errors, REFUSED_VALUE_WITH, "distinct", "must be %s with %s", "all", "by=square");
    if (by == COUNT_BY_SQUARE && n > COUNT_SQUARES_MAX_N)
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d with by=square", COUNT_SQUARES_MAX_N);
    else if (by == COUNT_BY_INDEX && n > index_most(query))
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d with by=index and these filters",
                     (int)index_most(query));
    else if (statistic && n > STATISTICS_MAX_N)
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %d with by=%s", STATISTICS_MAX_N,
                     statistic->name);
    else
        check_method(values, method, query, errors);
}

void count_rule_check(const struct value *values, struct validation_errors *errors)
{
    static const char torus[] = "distinct=torus";
    const struct rule *rule = rules[values[COUNT_RULES].number];
    const struct statistic *statistic = count_rows_statistic(values);
    if (statistic && statistic->queens_only && row_rule(&values[COUNT_RULES]))
        reject_param(errors, REFUSED_RULE, "by", "must be another statistic with rules=%s", rule->name);
    if (values[COUNT_DISTINCT].number != DISTINCT_TORUS)
        return;
    if (!rule->shifts)
        reject_param(errors, REFUSED_RULE, "distinct", "must not be torus with rules=%s: shifts make attacks there",
                     rule->name);
    if (values[COUNT_BY].number == COUNT_BY_INDEX)
        reject_param(errors, REFUSED_WITH, "by", "cannot be index with %s", torus);
    if (statistic)
        reject_param(errors, REFUSED_WITH, "by", "cannot be a statistic with %s", torus);
    if (values[COUNT_SYMMETRY].number != SYMMETRY_ANY)
        reject_param(errors, REFUSED_VALUE_WITH, "symmetry", "must be %s with %s", "any", torus);
    if (values[COUNT_PLACE].given)
        reject_param(errors, REFUSED_WITH, "place", "cannot be used with %s", torus);
    if (values[COUNT_EXCLUDE].given)
        reject_param(errors, REFUSED_WITH, "exclude", "cannot be used with %s", torus);
}

void count_regions_check(const struct value *values, struct validation_errors *errors)
{
    static const char regions[] = "regions";
    if (values[COUNT_METHOD].number != METHOD_AUTO && values[COUNT_METHOD].number != METHOD_COMPUTE)
        reject_param(errors, REFUSED_VALUE_WITH, "method", "must be %s with %s", "compute", regions);
    check_all_counted(values, regions, errors);
    check_no_estimate(values, errors);
}
