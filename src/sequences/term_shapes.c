/* term_shapes.c - placements on boards of n x n: of k queens, of any number, and sets to which none can be added. */
#include <math.h>
#include <stdlib.h>

#include "sequences/term.h"
#include "shapes/shape_count.h"

/* queens: how many; 0: any number. The plan of a board without squares is NULL. */
static enum nq_status prepare(uint32_t queens, bool maximal, uint32_t n, const atomic_bool *stop, void **plan)
{
    struct shape_plan *made = NULL;
    struct shape shape;
    enum nq_status status = NQ_OK;
    if (n) {
        shape_begin(&shape, n, n);
        shape.least = queens;
        shape.most = queens ? queens : n * n;
        shape.maximal = maximal;
        status = shape_plan_open(&shape, 1, 0, INFINITY, stop, &made);
    }
    *plan = made;
    return status;
}

static void release(void *plan)
{
    shape_plan_close(plan);
}

static size_t units(const void *plan)
{
    return plan ? shape_plan_units(plan) : 0;
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const uint32_t top = shape_plan_top(plan);
    nq_wide *profile = calloc(top + 1, sizeof *profile);
    uint64_t nodes = 0;
    if (!profile)
        return NQ_NOMEM;
    const enum nq_status status = shape_plan_count(plan, unit, stop, profile, &nodes);
    for (uint32_t queens = 0; queens <= top; queens++)
        *result += profile[queens];
    free(profile);
    return status;
}

static bool value(const void *plan, const nq_wide *results, nq_wide *value)
{
    *value = 0;
    for (size_t unit = 0; unit < units(plan); unit++)
        *value += results[unit];
    return true;
}

/* A board without squares has one placement, without queens. */
static bool value_of_any(const void *plan, const nq_wide *results, nq_wide *any)
{
    const bool sound = value(plan, results, any);
    *any += !plan;
    return sound;
}

#define TERM(id, queens, maximal, called, says, sum) \
    static enum nq_status prepare_##id(uint32_t n, const atomic_bool *stop, void **plan) \
    { \
        return prepare(queens, maximal, n, stop, plan); \
    } \
    extern const struct term_method term_##id; \
    const struct term_method term_##id = { \
        .name = (called), \
        .summary = (says), \
        .revision = 1, \
        .max_n = SHAPE_MAX_SIDE, \
        .prepare = prepare_##id, \
        .units = units, \
        .count = count, \
        .value = (sum), \
        .release = release, \
    }

#define SEARCH "search row by row, some of which stay empty"

TERM(queens_2, 2, false, "queens-2", SEARCH, value);
TERM(queens_3, 3, false, "queens-3", SEARCH, value);
TERM(queens_4, 4, false, "queens-4", SEARCH, value);
TERM(queens_5, 5, false, "queens-5", SEARCH, value);
TERM(queens_6, 6, false, "queens-6", SEARCH, value);
TERM(queens_7, 7, false, "queens-7", SEARCH, value);
TERM(queens_8, 8, false, "queens-8", SEARCH, value);
TERM(any, 0, false, "queens-any", SEARCH, value_of_any);
TERM(maximal, 0, true, "maximal", SEARCH "; only placements to which no queen can be added", value);
