/* parameter_table.c - a table of parameters of every type, and queries against it; it knows param.h only. */
#include "support/parameter_table.h"

#include <stdlib.h>
#include <string.h>

PARAM_CHOICES(colours, "red", "green", "blue-ish");

const struct param query_rows[PARAMS + 1] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .unless = "tex text", .least = 2, .most = 64},
    [LIMIT] = {.name = "limit", .type = PARAM_NUMBER, .least = 1, .most = INT64_MAX},
    [COUNT] = {.name = "count", .type = PARAM_NUMBER, .most = 1000, .has_preset = true, .preset = 100},
    [COLOUR] = {.name = "colour", .type = PARAM_CHOICE, .choices = colours},
    [SHADE] = {.name = "shade", .type = PARAM_CHOICE, .required = true, .choices = colours},
    [TINT] = {.name = "tint", .type = PARAM_CHOICE, .choices = colours, .keep = true},
    [ROWS] = {.name = "rows", .type = PARAM_RANGE, .most = 1000},
    [PLACES] = {.name = "places", .type = PARAM_SQUARES},
    [FACTORS] = {.name = "factors", .type = PARAM_FACTORS, .most = 1000000000},
    [TEXT] = {.name = "text", .type = PARAM_TEXT},
    [BEFORE] = {.name = "before", .type = PARAM_QUEENS, .place = true},
    [AFTER] = {.name = "after", .type = PARAM_COLUMNS, .place = true},
    [CURSOR] = {.name = "cursor", .type = PARAM_TOKEN, .place = true},
    {0},
};

void query_begin(struct params *query)
{
    memset(query, 0xa5, sizeof *query); /* nothing may be left to chance */
    params_begin(query, query_rows);
}

void query_bytes(struct params *query, const char *name, size_t name_size, const char *value, size_t value_size)
{
    char *name_copy = malloc(name_size + !name_size), *value_copy = value ? malloc(value_size + !value_size) : NULL;
    assert_non_null(name_copy);
    memcpy(name_copy, name, name_size);
    if (value_copy)
        memcpy(value_copy, value, value_size);
    params_read(query, name_copy, name_size, value_copy, value_size);
    free(name_copy);
    free(value_copy);
}

void query_text(struct params *query, const char *name, const char *value)
{
    query_bytes(query, name, strlen(name), value, value ? strlen(value) : 0);
}

void assert_rejects(const struct params *query, size_t at, const char *parameter, bool policy, const char *reason)
{
    assert_true(at < query->errors.count);
    const struct validation_error *error = &query->errors.list[at];
    assert_string_equal(error->parameter, parameter);
    assert_string_equal(error->reason, reason);
    assert_int_equal(refusals[error->why].policy, policy);
}
