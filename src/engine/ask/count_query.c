/* count_query.c - values, ranges of sizes and canonical texts become questions. */
#include "engine/ask/count_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/counting.h"
#include "count/estimate.h"
#include "count/index.h"
#include "count/known.h"
#include "engine/ask/query_values.h"
#include "engine/ask/question.h"

/* ---- Rows of parameters ---- */

enum { REGIONS_LIMIT = 1000000, REGIONS_LIMIT_MAX = 100000000 };

enum { WALKS_LEAST = 100, WALKS_PRESET = 100000, N_MOST = 1000000000 };

PARAM_CHOICES(methods_offered, [METHOD_AUTO] = "auto", [METHOD_COMPUTE] = "compute", [METHOD_TABLE] = "table",
              [METHOD_ESTIMATE] = "estimate", [METHOD_ANY] = "any");

/* The statistics come last. */
static const char *bys(size_t i)
{
    static const char *const names[] = {[COUNT_BY_NONE] = "none",
                                        [COUNT_BY_SQUARE] = "square",
                                        [COUNT_BY_INDEX] = "index",
                                        [COUNT_BY_QUEENS] = "queens"};
    if (i < COUNT_BY_STATISTICS)
        return names[i];
    i -= COUNT_BY_STATISTICS;
    return i < statistics_count ? statistics[i]->name : NULL;
}

const char *count_formats(size_t i)
{
    static const char *const names[] = {[COUNT_FORMAT_JSON] = "json", [COUNT_FORMAT_BFILE] = "bfile"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- Bonds ---- */

static const struct statistic *statistic_named(const char *by)
{
    const struct statistic *found = NULL;
    for (size_t i = 0; i < statistics_count && !found; i++)
        if (strcmp(statistics[i]->name, by) == 0)
            found = statistics[i];
    return found;
}

static bool is_statistic(const char *by)
{
    return statistic_named(by);
}

static bool is_of_queens_only(const char *by)
{
    const struct statistic *statistic = statistic_named(by);
    return statistic && statistic->queens_only;
}

static bool is_of_squares_only(const char *by)
{
    return strcmp(by, "none") != 0 && strcmp(by, bys(COUNT_BY_QUEENS)) != 0;
}

static bool does_not_shift(const char *rule)
{
    return !rules[rule_find(rule, strlen(rule))]->shifts;
}

/* What is counted in one way only: an estimate, and a board with regions. */
#define OF_ALL_SOLUTIONS(value_) \
    BOND(MUST_BE, IS("method=estimate"), .value = (value_)), BOND(MUST_BE, IS("regions"), .value = (value_))

#define OF_ESTIMATE BONDS(BOND(EXCLUDES, IS("regions")), BOND(NEEDS, IS("method=estimate|any")))
#define NOT_OF_TORUS BONDS(BOND(EXCLUDES, IS("distinct=torus")))

/* What is counted of boards of any shape. */
#define OF_SHAPE \
    BOND(EXCLUDES, IS("regions")), BOND(EXCLUDES, IS("method=table")), BOND(EXCLUDES, IS("distinct=torus")), \
        BOND(EXCLUDES, IS("symmetry=point|quarter")), BOND(EXCLUDES, IS("by", .has = is_of_squares_only))

const struct param count_params[] = {
    [COUNT_N] = {.name = "n",
                 .type = PARAM_NUMBER,
                 .required = true,
                 .unless = "regions",
                 .most = N_MOST,
                 .sizes = COUNT_SIZES_MAX,
                 .summary = "board size, or a range of sizes, first-last"},
    [COUNT_ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, .bonds = BONDS(OF_SHAPE)),
    [COUNT_QUEENS] = PARAM_QUEENS(.bonds = BONDS(OF_SHAPE)),
    [COUNT_WALLS] = PARAM_WALLS(.bonds = BONDS(OF_SHAPE)),
    [COUNT_MAXIMAL] = PARAM_MAXIMAL(.bonds = BONDS(OF_SHAPE)),
    [COUNT_METHOD] = {.name = "method",
                      .type = PARAM_CHOICE,
                      .choices = methods_offered,
                      .neutral = true,
                      .summary = "auto computes up to 16 free rows, and takes larger whole boards from a table; any "
                                 "estimates where auto has no answer",
                      .bonds = BONDS(BOND(MUST_BE, IS("regions"), .value = "compute"),
                                     BOND(EXCLUDES, IS("format=bfile"), .own = "estimate|any",
                                          .because = ", which has exact counts only"))},
    [COUNT_DISTINCT] =
        PARAM_DISTINCT(.bonds = BONDS(OF_ALL_SOLUTIONS("all"), BOND(MUST_BE, IS("by=square"), .value = "all"),
                                      BOND(EXCLUDES, IS("rules", .has = does_not_shift), .own = "torus",
                                           .because = ": shifts make attacks there", .why = REFUSED_RULE))),
    [COUNT_SYMMETRY] = PARAM_SYMMETRY(.bonds = BONDS(OF_ALL_SOLUTIONS("any"),
                                                     BOND(MUST_BE, IS("by", .has = is_statistic), .value = "any"),
                                                     BOND(MUST_BE, IS("distinct=torus"), .value = "any"))),
    [COUNT_PLACE] = PARAM_PLACE(.bonds = NOT_OF_TORUS),
    [COUNT_EXCLUDE] = PARAM_EXCLUDE(.bonds = NOT_OF_TORUS),
    [COUNT_RULES] = PARAM_RULES(),
    [COUNT_REGIONS_GIVEN] = PARAM_REGIONS(.bonds = BONDS(BOND(EXCLUDES, IS("n=")), BOND(EXCLUDES, IS("format=bfile")))),
    [COUNT_APART] = PARAM_APART(NEEDS_REGIONS),
    [COUNT_LIMIT] = {.name = "limit",
                     .type = PARAM_NUMBER,
                     .least = 1,
                     .most = REGIONS_LIMIT_MAX,
                     .has_preset = true,
                     .preset = REGIONS_LIMIT,
                     .summary = "with regions: more solutions than this are not counted; 1 finds out whether the "
                                "board has exactly one",
                     NEEDS_REGIONS},
    [COUNT_BY] = {.name = "by",
                  .type = PARAM_CHOICE,
                  .choices = bys,
                  .neutral = true,
                  .summary =
                      "square: for each square the number of solutions with a queen on it, n at most 18; index: "
                      "makes the index that offset, sample and rank of /solve use, n at most 20; queens: placements by "
                      "the number of queens; a statistic: the number of solutions of each value, n at most 20",
                  .bonds = BONDS(BOND(EXCLUDES, IS("method=estimate")), BOND(EXCLUDES, IS("regions")),
                                 BOND(EXCLUDES, IS("method=table"), .own = "queens"),
                                 BOND(EXCLUDES, IS("distinct=torus"), .own = "queens"),
                                 BOND(EXCLUDES, IS("symmetry=point|quarter"), .own = "queens"),
                                 BOND(EXCLUDES, IS("n="), .own = "index", .because = ": ask for one size at a time"),
                                 BOND(EXCLUDES, IS("distinct=torus"), .own = "index"),
                                 BOND(EXCLUDES, IS("distinct=torus"), .own_has = is_statistic),
                                 BOND(EXCLUDES, IS("rules"), .own_has = is_of_queens_only, .why = REFUSED_RULE,
                                      .because = ": take another statistic"),
                                 BOND(EXCLUDES, IS("format=bfile"), .because = ", which has one number for each n"))},
    [COUNT_WALKS] = {.name = "walks",
                     .type = PARAM_NUMBER,
                     .least = WALKS_LEAST,
                     .most = ESTIMATE_MOST_WALKS,
                     .has_preset = true,
                     .preset = WALKS_PRESET,
                     .summary = "number of random descents of an estimate",
                     .bonds = OF_ESTIMATE},
    [COUNT_SEED] = PARAM_SEED("of an estimate; without it the server draws and returns one", .bonds = OF_ESTIMATE),
    [COUNT_BASE] = PARAM_BASE,
    [COUNT_FORMAT] = PARAM_FORMAT(count_formats),
    {0},
};

/* Which solutions are meant. */
static struct query_values count_rows_query(const struct value *values)
{
    return (struct query_values){.n = &values[COUNT_N],
                                 .base = &values[COUNT_BASE],
                                 .distinct = &values[COUNT_DISTINCT],
                                 .symmetry = &values[COUNT_SYMMETRY],
                                 .place = &values[COUNT_PLACE],
                                 .exclude = &values[COUNT_EXCLUDE],
                                 .rules = &values[COUNT_RULES]};
}

/* NULL: it is counted by nothing, by square or by index. */
static const struct statistic *count_rows_statistic(const struct value *values)
{
    const uint64_t by = values[COUNT_BY].number;
    return by >= COUNT_BY_STATISTICS ? statistics[by - COUNT_BY_STATISTICS] : NULL;
}

/* Whether all values but the format are sound. */
static bool values_sound(const struct value *values)
{
    for (int i = 0; i < COUNT_FORMAT; i++)
        if (!values[i].sound)
            return false;
    return true;
}

/* ---- What to ask instead ---- */

/* Whether an estimate takes minutes. n is at most FILTER_MAX_N. */
static bool count_walks_long(const struct filter *filter)
{
    struct filter settled = *filter;
    if (!filter->rule->walked_rows)
        return false;
    filter_settle(&settled);
    return filter_free_rows(&settled) > filter->rule->walked_rows;
}

const char *count_instead(const struct question *question)
{
    const struct query *query = &question->query;
    if (!question_computed(question) || query->by_square || question->count.indexed || question->count.statistic ||
        question->shape.rows)
        return "";
    if (query_whole(query) && (int)question->n <= known_most(query->filter.rule, query->distinct, query->symmetry))
        return " /count with method=table returns the published count.";
    const bool estimated = query->distinct == DISTINCT_ALL && query->symmetry == SYMMETRY_ANY;
    return estimated && !count_walks_long(&query->filter) ? " /count with method=estimate is quick." : "";
}

/* ---- Ways of counting ---- */

/* Which ways of counting go with which questions, and how large boards may be. Values are sound. */

/* Up to so many free rows method=auto computes, by the symmetry of the solutions: it is a matter of seconds. */
enum { COUNT_QUICK_ROWS = 16, COUNT_QUICK_ROWS_POINT = 24, COUNT_QUICK_ROWS_QUARTER = 32 };

/* Whether the board is a shape, if only because queens of any number are counted. */
static bool is_shape(const struct value *values)
{
    return values[COUNT_BY].number == COUNT_BY_QUEENS || shape_given(count_params, values);
}

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
    return rule->quick_rows * rows / COUNT_QUICK_ROWS;
}

/* Whether it is a matter of seconds to compute this: method=auto does. */
static bool count_is_quick(const struct value *values, const struct query *query)
{
    struct filter settled = query->filter;
    filter_settle(&settled);
    return settled.n <= counting_most(query) && (filter_contradictory(&settled) || filter_impossible(&settled) ||
                                                 filter_free_rows(&settled) <= quick_rows(values));
}

/* Whether there is a formula for boards that are too large for an estimate. */
static bool has_formula(const struct value *values)
{
    return is_whole(values) && rule_by_lines(row_rule(&values[COUNT_RULES]));
}

/* Whether method=estimate would accept the question. */
static bool can_estimate(const struct value *values)
{
    return values[COUNT_DISTINCT].number == DISTINCT_ALL && values[COUNT_SYMMETRY].number == SYMMETRY_ANY &&
           !values[COUNT_BY].number && (has_formula(values) || values[COUNT_N].number <= ESTIMATE_MAX_N);
}

/* The method that auto and any choose; METHOD_AUTO: none. */
static enum ask_method count_method_choose(const struct value *values, const struct query *query)
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

static void check_estimate(const struct value *values, struct validation_errors *errors)
{
    if (!has_formula(values) && values[COUNT_N].number > ESTIMATE_MAX_N)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(ESTIMATE_MAX_N)),
                    "must be at most %d for an estimate %s", ESTIMATE_MAX_N,
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
    const bool published = is_whole(values) && !values[COUNT_BY].number &&
                           values[COUNT_SYMMETRY].number == SYMMETRY_ANY && rule_by_lines(rule);
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
        reject_with(errors, REFUSED_ROWS_WALKS, "n", MEMBERS(NUMBER(ESTIMATE_MOST_WALKS)),
                    "has too many free rows to be counted at once; method=estimate with walks=%d takes minutes",
                    ESTIMATE_MOST_WALKS);
    else if (is_whole(values))
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(auto_most(values, query))),
                    "must be at most %d for these filters", auto_most(values, query));
    else
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)counting_most(query))),
                    "must be at most %d with squares placed or excluded, and at most %d rows may be free; /solve with "
                    "limit=10000 counts the solutions of larger boards if they are few",
                    (int)counting_most(query), (int)quick_rows(values));
}

static void check_method(const struct value *values, enum ask_method method, const struct query *query,
                         struct validation_errors *errors)
{
    const uint64_t n = values[COUNT_N].number, most = counting_most(query);
    switch (method) {
    case METHOD_AUTO:
    case METHOD_ANY: refuse_auto(values, query, errors); break;
    case METHOD_COMPUTE:
        if (n > most)
            reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)most)),
                        "must be at most %d for method=compute%s", (int)most,
                        can_estimate(values) && !count_walks_long(&query->filter)
                            ? "; /count with method=estimate accepts more"
                            : "");
        break;
    case METHOD_TABLE:
        if (table_most(values) < 0)
            reject_param(errors, REFUSED_NO_TABLE, "method",
                         "must not be table: no such counts are published; use another method");
        else if (n > (uint64_t)table_most(values))
            reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(table_most(values))),
                        "must be at most %d for method=table", table_most(values));
        break;
    case METHOD_ESTIMATE: check_estimate(values, errors); break;
    }
}

/* Adds validation errors of what the method does not have, or is too large for it. */
static void count_method_check(const struct value *values, enum ask_method method, const struct query *query,
                               struct validation_errors *errors)
{
    const uint64_t n = values[COUNT_N].number, by = values[COUNT_BY].number;
    const struct statistic *statistic = count_rows_statistic(values);
    if (by == COUNT_BY_SQUARE && n > COUNT_SQUARES_MAX_N)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(COUNT_SQUARES_MAX_N)),
                    "must be at most %d with by=square", COUNT_SQUARES_MAX_N);
    else if (by == COUNT_BY_INDEX && n > index_most(query))
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)index_most(query))),
                    "must be at most %d with by=index and these filters", (int)index_most(query));
    else if (statistic && n > STATISTICS_MAX_N)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(STATISTICS_MAX_N)),
                    "must be at most %d with by=%s", STATISTICS_MAX_N, statistic->name);
    else
        check_method(values, method, query, errors);
}

/* ---- Questions ---- */

/* Whether one of the sizes is estimated. */
static bool range_estimates(const struct value *values)
{
    struct value own[COUNT_FORMAT + 1];
    const struct value *n = &values[COUNT_N];
    for (uint64_t at = n->number; at <= n->last && at <= ESTIMATE_MAX_N; at++) {
        memcpy(own, values, sizeof own);
        own[COUNT_N] = (struct value){.given = true, .sound = true, .number = at};
        count_normalise(count_params, own);
        if (own[COUNT_METHOD].number == METHOD_ESTIMATE)
            return true;
    }
    return false;
}

/* Whether each size of a range, or of a b-file, is a question of its own, which chooses its own method. */
static bool has_sizes(const struct value *values)
{
    return values[COUNT_N].ranged || values[COUNT_FORMAT].number == COUNT_FORMAT_BFILE;
}

bool count_draws(const struct value *values)
{
    const uint64_t method = values[COUNT_METHOD].number;
    if (method != METHOD_ESTIMATE && method != METHOD_ANY)
        return false;
    return values[COUNT_N].ranged
               ? range_estimates(values)
               : method == METHOD_ESTIMATE && (values[COUNT_N].number <= ESTIMATE_MAX_N || is_shape(values));
}

/* The method that a size comes to; METHOD_AUTO: none. */
static enum ask_method method_of(const struct value *values)
{
    const struct query_values of = count_rows_query(values);
    struct validation_errors ignored;
    struct query query;
    ignored.made = ignored.count = 0;
    ignored.invalid = false;
    return query_read(&of, FILTER_MAX_N, &ignored, &query) ? count_method_choose(values, &query) : METHOD_AUTO;
}

void count_normalise(const struct param *rows, struct value *values)
{
    struct value *method = &values[COUNT_METHOD];
    const uint64_t asked = method->number;
    query_regions_normalise(rows, values);
    if (!values_sound(values))
        return;
    shape_choose(rows, values);
    const enum ask_method chosen = values[COUNT_REGIONS_GIVEN].given ? METHOD_COMPUTE
                                   : has_sizes(values)               ? METHOD_AUTO
                                   : is_shape(values) ? (asked == METHOD_ESTIMATE ? METHOD_ESTIMATE : METHOD_COMPUTE)
                                                      : method_of(values);
    if (chosen != METHOD_AUTO) { /* auto and what it chooses have one canonical form */
        value_set(method, chosen);
    }
    if (asked == METHOD_ANY && !(chosen == METHOD_ESTIMATE || count_draws(values))) /* no estimate is made */
        for (int i = COUNT_WALKS; i <= COUNT_SEED; i++)
            value_preset(&rows[i], &values[i]);
}

static void set_estimate(const struct value *values, struct question *question)
{
    question->count.way = COUNT_ESTIMATE;
    question->count.walks = values[COUNT_WALKS].number;
    question->seed = values[COUNT_SEED].number;
}

static void set_way(const struct value *values, struct question *question)
{
    static const enum count_way ways[] = {[METHOD_COMPUTE] = COUNT_COMPUTE, [METHOD_TABLE] = COUNT_TABLE};
    const enum ask_method method = (enum ask_method)values[COUNT_METHOD].number;
    if (method == METHOD_ESTIMATE) {
        set_estimate(values, question);
        if (question->n > ESTIMATE_MAX_N)
            question->count.way = COUNT_ASYMPTOTIC;
    } else {
        question->count.way = ways[method];
        question->count.quick =
            method == METHOD_COMPUTE && !values[COUNT_BY].number && count_is_quick(values, &question->query);
    }
}

static void read_regions(const struct value *values, const struct regions *regions, struct question *question)
{
    query_paint(&question->query, regions);
    question->kind = ASK_COUNT;
    question->n = regions->n;
    question->base = row_base(&values[COUNT_BASE]);
    question->format = format_find("json");
    question->count.way = COUNT_REGIONS;
    question->count.limit = values[COUNT_LIMIT].number;
}

/* Squares that are searched in a second or two, however many queens there are; and few queens on larger boards. Behind
 * walls there is room for many more, and for many times as many placements. */
static bool shape_quick(const struct shape *shape)
{
    enum { SQUARES = 100, BEHIND_WALLS = 36, FEW = 3, SQUARES_OF_FEW = 1600 };
    const uint32_t squares = shape->rows * shape->columns;
    return squares <= (shape_walled(shape) ? BEHIND_WALLS : SQUARES) ||
           (shape->most <= FEW && squares <= SQUARES_OF_FEW);
}

static void read_shape(const struct value *values, struct validation_errors *errors, struct question *question)
{
    const struct query_values of = count_rows_query(values);
    struct query *query = &question->query;
    if (!shape_read(count_params, values, SHAPE_MAX_SIDE, errors, &question->shape))
        return;
    question->kind = ASK_COUNT;
    question->n = question->shape.columns;
    question->base = row_base(&values[COUNT_BASE]);
    question->format = format_find("json");
    filter_begin(&query->filter, question->n);
    query->filter.rule = question->shape.rule;
    query->distinct = (enum query_distinct)of.distinct->number;
    question->count.by_queens = values[COUNT_BY].number == COUNT_BY_QUEENS;
    if (values[COUNT_METHOD].number == METHOD_ESTIMATE) {
        set_estimate(values, question);
        return;
    }
    question->count.way = COUNT_COMPUTE;
    question->count.quick = shape_quick(&question->shape);
}

void count_query_read(const struct value *values, struct validation_errors *errors, struct question *question)
{
    const uint64_t n = values[COUNT_N].number, by = values[COUNT_BY].number;
    struct regions regions;
    const struct query_values of = count_rows_query(values);
    const size_t before = errors->made;
    struct query *query = &question->query;
    if (values[COUNT_N].ranged) {
        reject_param(errors, REFUSED_RANGE, "n", "must be one number: a job counts one board");
        return;
    }
    if (is_shape(values)) {
        read_shape(values, errors, question);
        return;
    }
    if (!query_regions_read(count_params, values, errors, &regions) || !query_read(&of, FILTER_MAX_N, errors, query))
        return;
    if (regions.n) {
        read_regions(values, &regions, question);
        return;
    }
    count_method_check(values, (enum ask_method)values[COUNT_METHOD].number, query, errors);
    if (errors->made > before)
        return;
    question->kind = ASK_COUNT;
    question->n = (uint32_t)n;
    question->base = row_base(&values[COUNT_BASE]);
    question->format = format_find("json");
    query->by_square = by == COUNT_BY_SQUARE;
    question->count.indexed = by == COUNT_BY_INDEX;
    question->count.statistic = count_rows_statistic(values);
    set_way(values, question);
}

const struct form count_form = COUNT_FORM;

/* Gives a question its names, and shares it. NULL: out of memory. */
static struct shared_question *share(const struct value *values, struct question *question)
{
    const struct canonical names = {
        .format = "json", .space = count_form.path, .path = count_form.path, .params = count_params, .values = values};
    char *key, *path;
    if (!canonical_names(&names, &key, &path))
        return NULL;
    question->key = key;
    question->path = path;
    question->prefix = "";
    struct shared_question *shared = question_share(question);
    free(key);
    free(path);
    return shared;
}

/* The first row or column, 0-based, that no square of a list lies beyond; 0: there are no squares. With m rows, the
 * first column. */
static uint64_t span(const struct value *values, const struct value *squares)
{
    uint64_t most = 0;
    for (size_t i = 0; i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        const bool column = square->column > square->row || values[COUNT_ROWS].given;
        const uint64_t far = column ? square->column : square->row;
        most = far + 1 > most ? far + 1 : most;
    }
    return most ? most - row_base(&values[COUNT_BASE]) : 0;
}

void count_range_check(const struct value *values, struct validation_errors *errors)
{
    static const int lists[] = {COUNT_PLACE, COUNT_EXCLUDE, COUNT_WALLS};
    uint64_t least = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const uint64_t own = span(values, &values[lists[i]]);
        least = own > least ? own : least;
    }
    if (values[COUNT_N].number < least)
        reject_with(errors, REFUSED_LESS, "n", MEMBERS(NUMBER((int)least)),
                    "must begin at %d or later: smaller boards lack a square placed or excluded%s", (int)least,
                    values[COUNT_WALLS].given ? ", or a wall" : "");
}

bool count_range_size(const struct value *values, uint64_t n, struct validation_errors *errors,
                      struct shared_question **out)
{
    struct value own[COUNT_FORMAT + 1];
    struct question question = {0};
    memcpy(own, values, sizeof own);
    value_preset(&count_params[COUNT_FORMAT], &own[COUNT_FORMAT]);
    own[COUNT_N] = (struct value){.given = true, .sound = true, .number = n};
    const bool ranged = values[COUNT_N].ranged;
    count_normalise(count_params, own);
    count_query_read(own, errors, &question);
    if (!errors->made && ranged && question.count.way == COUNT_COMPUTE &&
        !(question.shape.rows ? question.count.quick : count_is_quick(own, &question.query)))
        reject_param(errors, REFUSED_ROWS_RANGE, "n",
                     "has too many free rows to be computed within a range: ask for it by itself, or leave method out");
    *out = errors->made ? NULL : share(own, &question);
    return errors->made || *out;
}

enum nq_status count_query_parse(const char *text, struct shared_question **out)
{
    struct params params;
    struct question question = {0};
    *out = NULL;
    if (!question_parse(&count_form, text, &params))
        return NQ_INVALID;
    question.uncacheable = question_draw(&count_form, params.values);
    count_query_read(params.values, &params.errors, &question);
    if (params.errors.made || question.count.way == COUNT_REGIONS) /* such a count is never handed on */
        return NQ_INVALID;
    *out = share(params.values, &question);
    return *out ? NQ_OK : NQ_NOMEM;
}
