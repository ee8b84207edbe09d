/* count_rows.c - the table of parameters; it does not know which of them go together. */
#include "engine/ask/count_rows.h"

#include "count/estimate.h"
#include "engine/ask/rows.h"

enum { REGIONS_LIMIT = 1000000, REGIONS_LIMIT_MAX = 100000000 };

enum { WALKS_LEAST = 100, WALKS_PRESET = 100000, N_MOST = 1000000000 };

PARAM_CHOICES(methods_offered, [METHOD_AUTO] = "auto", [METHOD_COMPUTE] = "compute", [METHOD_TABLE] = "table",
              [METHOD_ESTIMATE] = "estimate", [METHOD_ANY] = "any");

/* The statistics come last. */
static const char *bys(size_t i)
{
    static const char *const names[] = {
        [COUNT_BY_NONE] = "none", [COUNT_BY_SQUARE] = "square", [COUNT_BY_INDEX] = "index"};
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

const struct param count_params[] = {
    [COUNT_N] = {.name = "n",
                 .type = PARAM_NUMBER,
                 .required = true,
                 .unless = "regions",
                 .most = N_MOST,
                 .sizes = COUNT_SIZES_MAX,
                 .summary = "board size, or a range of sizes, first-last"},
    [COUNT_METHOD] = {.name = "method",
                      .type = PARAM_CHOICE,
                      .choices = methods_offered,
                      .summary = "auto computes up to 16 free rows, and takes larger whole boards from a table; any "
                                 "estimates where auto has no answer"},
    [COUNT_DISTINCT] = PARAM_DISTINCT,
    [COUNT_SYMMETRY] = PARAM_SYMMETRY,
    [COUNT_PLACE] = PARAM_PLACE,
    [COUNT_EXCLUDE] = PARAM_EXCLUDE,
    [COUNT_RULES] = PARAM_RULES,
    [COUNT_REGIONS_GIVEN] = PARAM_REGIONS,
    [COUNT_APART] = PARAM_APART,
    [COUNT_LIMIT] = {.name = "limit",
                     .type = PARAM_NUMBER,
                     .least = 1,
                     .most = REGIONS_LIMIT_MAX,
                     .has_preset = true,
                     .preset = REGIONS_LIMIT,
                     .summary = "with regions: more solutions than this are not counted; 1 finds out whether the "
                                "board has exactly one"},
    [COUNT_BY] = {.name = "by",
                  .type = PARAM_CHOICE,
                  .choices = bys,
                  .summary =
                      "square: for each square the number of solutions with a queen on it, n at most 18; index: "
                      "makes the index that offset, sample and rank of /solve use, n at most 20; a statistic: the "
                      "number of solutions of each value, n at most 20"},
    [COUNT_WALKS] = {.name = "walks",
                     .type = PARAM_NUMBER,
                     .least = WALKS_LEAST,
                     .most = ESTIMATE_MOST_WALKS,
                     .has_preset = true,
                     .preset = WALKS_PRESET,
                     .summary = "number of random descents of an estimate"},
    [COUNT_SEED] = PARAM_SEED("of an estimate; without it the server draws and returns one"),
    [COUNT_BASE] = PARAM_BASE,
    [COUNT_FORMAT] = PARAM_FORMAT(count_formats),
    {0},
};

struct query_values count_rows_query(const struct value *values)
{
    return (struct query_values){.n = &values[COUNT_N],
                                 .base = &values[COUNT_BASE],
                                 .distinct = &values[COUNT_DISTINCT],
                                 .symmetry = &values[COUNT_SYMMETRY],
                                 .place = &values[COUNT_PLACE],
                                 .exclude = &values[COUNT_EXCLUDE],
                                 .rules = &values[COUNT_RULES]};
}

const struct statistic *count_rows_statistic(const struct value *values)
{
    const uint64_t by = values[COUNT_BY].number;
    return by >= COUNT_BY_STATISTICS ? statistics[by - COUNT_BY_STATISTICS] : NULL;
}

bool count_values_sound(const struct value *values)
{
    for (int i = 0; i < COUNT_FORMAT; i++)
        if (!values[i].sound)
            return false;
    return true;
}
