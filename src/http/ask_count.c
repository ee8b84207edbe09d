/* ask_count.c - which ways of counting go with which questions, and how large they may be. */
#include "http/ask_count.h"

#include <stdlib.h>
#include <string.h>

#include "count/estimate.h"
#include "count/index.h"
#include "count/known.h"
#include "engine/engine.h"
#include "http/ask_query.h"
#include "http/canonical.h"
#include "http/route.h"

enum { WALKS_LEAST = 100, WALKS_PRESET = 100000, WALKS_MOST = 10000000, N_MOST = 1000000000 };

PARAM_CHOICES(methods_offered, [ASK_AUTO] = "auto", [ASK_METHOD_COMPUTE] = "compute", [ASK_METHOD_TABLE] = "table",
              [ASK_METHOD_ESTIMATE] = "estimate");
PARAM_CHOICES(bys, [COUNT_BY_NONE] = "none", [COUNT_BY_SQUARE] = "square", [COUNT_BY_INDEX] = "index");

const char *ask_count_formats(size_t i)
{
    return i == 0 ? "json" : NULL;
}

const struct param ask_count_params[] = {
    [COUNT_N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = N_MOST, .summary = "board size"},
    [COUNT_METHOD] = {.name = "method",
                      .type = PARAM_CHOICE,
                      .choices = methods_offered,
                      .summary = "auto computes what is quick (up to 16 free rows), and looks up whole boards beyond"},
    [COUNT_DISTINCT] = PARAM_DISTINCT,
    [COUNT_SYMMETRY] = PARAM_SYMMETRY,
    [COUNT_PLACE] = PARAM_PLACE,
    [COUNT_EXCLUDE] = PARAM_EXCLUDE,
    [COUNT_BY] = {.name = "by",
                  .type = PARAM_CHOICE,
                  .choices = bys,
                  .summary = "square: for every square the solutions with a queen on it, n at most 18; index: makes "
                             "the index that offset, sample and rank of /solve look into, n at most 20"},
    [COUNT_WALKS] = {.name = "walks",
                     .type = PARAM_NUMBER,
                     .least = WALKS_LEAST,
                     .most = WALKS_MOST,
                     .has_preset = true,
                     .preset = WALKS_PRESET,
                     .summary = "random descents of an estimate"},
    [COUNT_SEED] = PARAM_SEED("of an estimate; drawn, and told, when there is none"),
    [COUNT_BASE] = PARAM_BASE,
    [COUNT_FORMAT] = PARAM_FORMAT(ask_count_formats),
    {0},
};

static struct query_values query_values(const struct value *values)
{
    return (struct query_values){.n = &values[COUNT_N],
                                 .base = &values[COUNT_BASE],
                                 .distinct = &values[COUNT_DISTINCT],
                                 .symmetry = &values[COUNT_SYMMETRY],
                                 .place = &values[COUNT_PLACE],
                                 .exclude = &values[COUNT_EXCLUDE]};
}

static bool is_whole(const struct value *values)
{
    const struct query_values of = query_values(values);
    return ask_query_whole(&of);
}

/* The largest board that the table of such solutions has; -1: there is none. */
static int table_most(const struct value *values)
{
    if (!is_whole(values) || values[COUNT_BY].number)
        return -1;
    return known_most((enum query_distinct)values[COUNT_DISTINCT].number,
                      (enum query_symmetry)values[COUNT_SYMMETRY].number);
}

static bool is_quick(const struct value *values, const struct filter *filter)
{
    static const uint32_t quick[] = {[SYMMETRY_ANY] = ENGINE_QUICK_ROWS,
                                     [SYMMETRY_POINT] = ENGINE_QUICK_ROWS_POINT,
                                     [SYMMETRY_QUARTER] = ENGINE_QUICK_ROWS_QUARTER};
    struct filter settled = *filter;
    filter_settle(&settled);
    return filter->n <= ENGINE_COMPUTE_MAX_N &&
           (filter_contradictory(&settled) || filter_free_rows(&settled) <= quick[values[COUNT_SYMMETRY].number]);
}

/* What auto comes to; ASK_AUTO: nothing. */
static enum ask_method choose(const struct value *values, const struct filter *filter)
{
    if (values[COUNT_METHOD].number != ASK_AUTO)
        return (enum ask_method)values[COUNT_METHOD].number;
    if (filter->n <= FILTER_MAX_N && is_quick(values, filter))
        return ASK_METHOD_COMPUTE;
    return (int)filter->n <= table_most(values) ? ASK_METHOD_TABLE : ASK_AUTO;
}

/* Whether method=estimate would take the question. */
static bool can_estimate(const struct value *values)
{
    return values[COUNT_DISTINCT].number == DISTINCT_ALL && values[COUNT_SYMMETRY].number == SYMMETRY_ANY &&
           !values[COUNT_BY].number && (is_whole(values) || values[COUNT_N].number <= ESTIMATE_MAX_N);
}

static void check_estimate(const struct value *values, struct complaints *complaints)
{
    if (values[COUNT_DISTINCT].number != DISTINCT_ALL)
        complain(complaints, false, "distinct", "must be all for method=estimate");
    if (values[COUNT_SYMMETRY].number != SYMMETRY_ANY)
        complain(complaints, false, "symmetry", "must be any for method=estimate");
    if (values[COUNT_BY].number)
        complain(complaints, false, "by", "does not go with method=estimate");
    if (!is_whole(values) && values[COUNT_N].number > ESTIMATE_MAX_N)
        complain(complaints, true, "n", "is at most %d for an estimate of completions", ESTIMATE_MAX_N);
}

static void check_method(const struct value *values, enum ask_method method, struct complaints *complaints)
{
    const uint64_t n = values[COUNT_N].number;
    switch (method) {
    case ASK_AUTO:
        complain(complaints, true, "n", "leaves more free rows than are computed without asking%s%s",
                 n > ENGINE_COMPUTE_MAX_N ? "" : "; method=compute counts exactly, as a job if need be",
                 can_estimate(values) ? "; method=estimate estimates" : "");
        break;
    case ASK_METHOD_COMPUTE:
        if (n > ENGINE_COMPUTE_MAX_N)
            complain(complaints, true, "n", "is at most %d for method=compute; method=estimate goes on",
                     ENGINE_COMPUTE_MAX_N);
        break;
    case ASK_METHOD_TABLE:
        if (table_most(values) < 0)
            complain(complaints, false, "method", "table has no such counts; it has those of whole boards");
        else if (n > (uint64_t)table_most(values))
            complain(complaints, true, "n", "is at most %d for method=table", table_most(values));
        break;
    case ASK_METHOD_ESTIMATE: check_estimate(values, complaints); break;
    }
    if (method != ASK_METHOD_ESTIMATE && method != ASK_AUTO) {
        if (values[COUNT_WALKS].given)
            complain(complaints, false, "walks", "goes with method=estimate only");
        if (values[COUNT_SEED].given)
            complain(complaints, false, "seed", "goes with method=estimate only");
    }
}

void ask_count_check(const struct value *values, struct complaints *complaints)
{
    const uint64_t n = values[COUNT_N].number;
    for (int i = 0; i < COUNT_FORMAT; i++)
        if (!values[i].sound)
            return;
    struct query query;
    const struct query_values of = query_values(values);
    if (!ask_query(&of, complaints, &query))
        return;
    const bool squares = values[COUNT_BY].number == COUNT_BY_SQUARE;
    if (squares && values[COUNT_DISTINCT].number != DISTINCT_ALL)
        complain(complaints, false, "distinct", "must be all with by=square");
    if (squares && n > ENGINE_SQUARES_MAX_N)
        complain(complaints, true, "n", "is at most %d with by=square", ENGINE_SQUARES_MAX_N);
    else if (values[COUNT_BY].number == COUNT_BY_INDEX && n > index_most(&query))
        complain(complaints, true, "n", "is at most %d with by=index and such a filter", (int)index_most(&query));
    else
        check_method(values, choose(values, &query.filter), complaints);
}

static void lay_estimate(struct value *values, struct question *question)
{
    question->way = question->n > ESTIMATE_MAX_N ? COUNT_ASYMPTOTIC : COUNT_ESTIMATE;
    question->walks = values[COUNT_WALKS].number;
    question->fleeting = question->way == COUNT_ESTIMATE && route_draw_seed(&values[COUNT_SEED]);
    question->seed = values[COUNT_SEED].number;
}

void ask_count_question(struct value *values, struct question *question)
{
    static const enum count_way ways[] = {[ASK_METHOD_COMPUTE] = COUNT_COMPUTE, [ASK_METHOD_TABLE] = COUNT_TABLE};
    *question = (struct question){.kind = ASK_COUNT};
    question->n = (uint32_t)values[COUNT_N].number;
    question->base = route_base(&values[COUNT_BASE]);
    struct complaints none = {0};
    const struct query_values of = query_values(values);
    (void)ask_query(&of, &none, &question->query);
    question->query.by_square = values[COUNT_BY].number == COUNT_BY_SQUARE;
    question->indexed = values[COUNT_BY].number == COUNT_BY_INDEX;
    if (question->query.distinct != DISTINCT_ALL)
        question->distinct = ask_query_distincts(question->query.distinct);
    if (question->query.symmetry != SYMMETRY_ANY)
        question->symmetry = ask_query_symmetries(question->query.symmetry);
    const enum ask_method method = choose(values, &question->query.filter);
    if (method == ASK_METHOD_ESTIMATE)
        lay_estimate(values, question);
    else
        question->way = ways[method];
    values[COUNT_METHOD].given = true; /* auto is one of the others: they have one canonical form */
    values[COUNT_METHOD].number = method;
}

static const char path_of_count[] = "/count";

/* The question that values stand for, complete and with strings of its own. */
static bool complete(struct value *values, struct question *question)
{
    char *key, *target;
    ask_count_question(values, question);
    question->format = format_find("json");
    if (!canonical_names("json", path_of_count, path_of_count, ask_count_params, values, &key, &target))
        return false;
    question->key = key;
    question->path = target;
    question->prefix = strdup("");
    return question->prefix;
}

bool ask_count_for(const struct query_values *query, enum count_by by, struct question *question)
{
    struct value values[PARAMS_MAX];
    params_begin(ask_count_params, values);
    values[COUNT_N] = *query->n;
    values[COUNT_DISTINCT] = *query->distinct;
    values[COUNT_SYMMETRY] = *query->symmetry;
    values[COUNT_PLACE] = *query->place;
    values[COUNT_EXCLUDE] = *query->exclude;
    values[COUNT_BASE] = *query->base;
    values[COUNT_METHOD].number = ASK_METHOD_COMPUTE;
    values[COUNT_BY].given = true;
    values[COUNT_BY].number = by;
    if (complete(values, question))
        return true;
    question_free(question);
    return false;
}

enum nq_status ask_count_reopen(void *context, const char *path, struct question *question)
{
    struct value values[PARAMS_MAX];
    struct complaints complaints = {0};
    const size_t size = strlen(path_of_count);
    (void)context;
    *question = (struct question){0};
    if (strncmp(path, path_of_count, size) != 0 || path[size] != '?')
        return NQ_INVALID;
    params_begin(ask_count_params, values);
    for (const char *at = path + size; *at;) { /* canonical paths hold nothing that is encoded */
        const char *name = at + 1, *end = name + strcspn(name, "&"), *equals = memchr(name, '=', (size_t)(end - name));
        if (!equals)
            return NQ_INVALID;
        params_read(ask_count_params, values, name, (size_t)(equals - name), equals + 1, (size_t)(end - equals - 1),
                    &complaints);
        at = end;
    }
    params_end(ask_count_params, values, &complaints);
    ask_count_check(values, &complaints);
    if (complaints.count)
        return NQ_INVALID;
    return complete(values, question) ? NQ_OK : NQ_NOMEM;
}

void ask_count_release(struct question *question)
{
    question_free(question);
}
