/* term_shapes.c - placements on boards of n x n: of k queens, of any number, and sets to which none can be added. */
#include <math.h>
#include <stdlib.h>

#include "sequences/sequence.h"
#include "shapes/shape.h"

static enum nq_status prepare(struct term *term, const atomic_bool *stop)
{
    const struct sequence *sequence = term->sequence;
    struct shape shape;
    if (!term->n)
        return NQ_OK;
    shape_begin(&shape, term->n, term->n);
    shape.least = sequence->queens;
    shape.most = sequence->queens ? sequence->queens : term->n * term->n;
    shape.maximal = sequence->maximal;
    return shape_plan_open(&shape, 1, 0, INFINITY, stop, &term->shape);
}

static void release(struct term *term)
{
    if (term->shape)
        shape_plan_close(term->shape);
}

static size_t units(const struct term *term)
{
    return term->shape ? shape_plan_units(term->shape) : 0;
}

static enum nq_status count(const struct term *term, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const uint32_t top = shape_plan_top(term->shape);
    nq_wide *profile = calloc(top + 1, sizeof *profile);
    uint64_t nodes = 0;
    if (!profile)
        return NQ_NOMEM;
    const enum nq_status status = shape_plan_count(term->shape, unit, stop, profile, &nodes);
    for (uint32_t queens = 0; queens <= top; queens++)
        *result += profile[queens];
    free(profile);
    return status;
}

/* A board without squares has one placement, without queens. */
static bool value(const struct term *term, nq_wide *sums, nq_wide *value)
{
    *value = *sums + (!term->n && !term->sequence->queens);
    return true;
}

extern const struct term_class term_shapes;
const struct term_class term_shapes = {
    .revision = 1, .prepare = prepare, .units = units, .count = count, .value = value, .release = release};
