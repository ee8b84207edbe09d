/* count_query.c - values, ranges of sizes and canonical texts become questions. */
#include "engine/ask/count_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/estimate.h"
#include "engine/ask/canonical.h"
#include "engine/ask/count_ways.h"
#include "engine/ask/rows.h"

static void set_way(struct value *values, enum ask_method method, struct question *question)
{
    static const enum count_way ways[] = {[METHOD_COMPUTE] = COUNT_COMPUTE, [METHOD_TABLE] = COUNT_TABLE};
    if (method == METHOD_ESTIMATE) {
        question->count.way = question->n > ESTIMATE_MAX_N ? COUNT_ASYMPTOTIC : COUNT_ESTIMATE;
        question->count.walks = values[COUNT_WALKS].number;
        question->uncacheable = question->count.way == COUNT_ESTIMATE && seed_draw(&values[COUNT_SEED]);
        question->seed = values[COUNT_SEED].number;
    } else {
        question->count.way = ways[method];
        question->count.quick =
            method == METHOD_COMPUTE && !values[COUNT_BY].number && count_is_quick(values, &question->query);
        values[COUNT_WALKS].given = values[COUNT_SEED].given = false; /* with any; no estimate is made */
    }
    values[COUNT_METHOD].given = true; /* auto and what it chooses have one canonical form */
    values[COUNT_METHOD].number = method;
}

static void read_regions(struct value *values, const struct regions *regions, struct question *question)
{
    query_paint(&question->query, regions);
    question->kind = ASK_COUNT;
    question->n = regions->n;
    question->base = row_base(&values[COUNT_BASE]);
    question->format = format_find("json");
    question->count.way = COUNT_REGIONS;
    question->count.limit = values[COUNT_LIMIT].number;
    values[COUNT_METHOD].given = true; /* auto and compute have one canonical form */
    values[COUNT_METHOD].number = METHOD_COMPUTE;
}

void count_query_read(struct value *values, struct validation_errors *errors, struct question *question)
{
    const uint64_t n = values[COUNT_N].number, by = values[COUNT_BY].number;
    struct regions regions;
    const struct query_values of = count_rows_query(values);
    const size_t before = errors->made;
    struct query *query = &question->query;
    if (!count_values_sound(values))
        return;
    if (values[COUNT_N].ranged) {
        reject_param(errors, REFUSED_RANGE, "n", "must be one number: a job counts one board");
        return;
    }
    if (values[COUNT_LIMIT].given && !values[COUNT_REGIONS_GIVEN].given)
        reject_param(errors, REFUSED_WITHOUT, "limit", "can be used only with %s", "regions");
    if (!query_regions_read(count_params, values, errors, &regions) || !query_read(&of, FILTER_MAX_N, errors, query))
        return;
    if (regions.n) {
        count_regions_check(values, errors);
        read_regions(values, &regions, question);
        return;
    }
    count_rule_check(values, errors);
    if (errors->made > before)
        return;
    const enum ask_method method = count_method_choose(values, query);
    count_method_check(values, method, query, errors);
    if (errors->made > before)
        return;
    question->kind = ASK_COUNT;
    question->n = (uint32_t)n;
    question->base = row_base(&values[COUNT_BASE]);
    question->format = format_find("json");
    query->by_square = by == COUNT_BY_SQUARE;
    question->count.indexed = by == COUNT_BY_INDEX;
    question->count.statistic = count_rows_statistic(values);
    set_way(values, method, question);
}

static const char path_of_count[] = "/count";

/* Gives a question its names, and shares it. NULL: out of memory. */
static struct shared_question *share(const struct value *values, struct question *question)
{
    const struct canonical names = {
        .format = "json", .space = path_of_count, .path = path_of_count, .params = count_params, .values = values};
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

/* The first row or column, 0-based, that no square of a list lies beyond; 0: there are no squares. */
static uint64_t span(const struct value *values, const struct value *squares)
{
    uint64_t most = 0;
    for (size_t i = 0; i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        const uint64_t far = square->row > square->column ? square->row : square->column;
        most = far + 1 > most ? far + 1 : most;
    }
    return most ? most - row_base(&values[COUNT_BASE]) : 0;
}

void count_range_check(const struct value *values, struct validation_errors *errors)
{
    const uint64_t placed = span(values, &values[COUNT_PLACE]), excluded = span(values, &values[COUNT_EXCLUDE]);
    const uint64_t least = placed > excluded ? placed : excluded;
    char sizes[PARAM_PAIR_MAX];
    (void)snprintf(sizes, sizeof sizes, "n=%" PRIu64 "-%" PRIu64, values[COUNT_N].number, values[COUNT_N].last);
    if (values[COUNT_REGIONS_GIVEN].given)
        reject_param(errors, REFUSED_WITH, "regions", "cannot be used with %s", sizes);
    if (values[COUNT_BY].number == COUNT_BY_INDEX)
        reject_param(errors, REFUSED_WITH, "by", "must not be index with %s: ask for one size at a time", sizes);
    if (values[COUNT_N].number < least)
        reject_param(errors, REFUSED_LESS, "n",
                     "must begin at %d or later: smaller boards lack a square placed or excluded", (int)least);
}

bool count_range_size(const struct value *values, uint64_t n, struct validation_errors *errors,
                      struct shared_question **out)
{
    struct value own[COUNT_FORMAT + 1];
    struct question question = {0};
    memcpy(own, values, sizeof own);
    own[COUNT_FORMAT].given = false;
    own[COUNT_N] = (struct value){.given = true, .sound = true, .number = n};
    const bool ranged = values[COUNT_N].ranged;
    count_query_read(own, errors, &question);
    if (!errors->made && ranged && question.count.way == COUNT_COMPUTE && !count_is_quick(own, &question.query))
        reject_param(errors, REFUSED_ROWS_RANGE, "n",
                     "has too many free rows to be computed within a range: ask for it by itself, or leave method out");
    *out = errors->made ? NULL : share(own, &question);
    return errors->made || *out;
}

struct shared_question *count_query_for(const struct query_values *query, enum count_by by)
{
    struct value values[PARAMS_MAX];
    struct validation_errors errors = {0};
    struct question question = {0};
    params_preset(count_params, values);
    values[COUNT_N] = *query->n;
    values[COUNT_DISTINCT] = *query->distinct;
    values[COUNT_SYMMETRY] = *query->symmetry;
    values[COUNT_PLACE] = *query->place;
    values[COUNT_EXCLUDE] = *query->exclude;
    values[COUNT_RULES] = *query->rules;
    values[COUNT_BASE] = *query->base;
    values[COUNT_METHOD].number = METHOD_COMPUTE;
    values[COUNT_BY].given = true;
    values[COUNT_BY].number = by;
    count_query_read(values, &errors, &question);
    return errors.made ? NULL : share(values, &question);
}

enum nq_status count_query_parse(const char *text, struct shared_question **out)
{
    struct params params;
    const size_t size = strlen(path_of_count);
    struct question question = {0};
    *out = NULL;
    if (strncmp(text, path_of_count, size) != 0 || text[size] != '?')
        return NQ_INVALID;
    params_begin(&params, count_params);
    for (const char *at = text + size; *at;) { /* canonical text holds nothing that is percent-encoded */
        const char *name = at + 1, *end = name + strcspn(name, "&"), *equals = memchr(name, '=', (size_t)(end - name));
        if (!equals)
            return NQ_INVALID;
        params_read(&params, name, (size_t)(equals - name), equals + 1, (size_t)(end - equals - 1));
        at = end;
    }
    params_end(&params);
    count_query_read(params.values, &params.errors, &question);
    if (params.errors.count || question.count.way == COUNT_REGIONS) /* such a count is never handed on */
        return NQ_INVALID;
    *out = share(params.values, &question);
    return *out ? NQ_OK : NQ_NOMEM;
}
