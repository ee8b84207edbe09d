/* shape_count.h - how many placements a shape has, by number of queens: a plan lists units of work, which anyone may
 * count, on any number of threads; their sum is the result. It knows neither threads nor storage. */
#ifndef SHAPES_SHAPE_COUNT_H
#define SHAPES_SHAPE_COUNT_H

#include "base/stop.h"
#include "base/wide.h"
#include "shapes/shape.h"

struct shape_plan;

/* Makes a plan for a shape that shape_refusal() does not refuse. group: some of shape_symmetries() that form a group,
 * as bits; 1, the identity: all placements are counted, and with others one of each class. A unit of about more than
 * split_weight placements is split, 0: of some tenths of a second; but if all together weigh more than `most`, none is.
 * With most = 0 that is so of every shape, and the sum of the weights is a quick estimate of the cost, right within a
 * factor of three or so. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL). The same shape has the
 * same units on every machine, if they are split. The caller closes it. */
enum nq_status shape_plan_open(const struct shape *shape, unsigned group, double split_weight, double most,
                               const atomic_bool *stop, struct shape_plan **plan);
void shape_plan_close(struct shape_plan *plan);

/* The largest number of queens of a profile, at most the shape's `most`: it has one entry more. */
uint32_t shape_plan_top(const struct shape_plan *plan);

/* How many units there are, at least one; what their sum is to be divided by, the size of the group (Burnside 1897);
 * and about how many placements a unit tries, more than 0. */
size_t shape_plan_units(const struct shape_plan *plan);
unsigned shape_plan_divisor(const struct shape_plan *plan);
double shape_plan_weight(const struct shape_plan *plan, size_t unit);

/* An estimate of the number of placements, not of classes, by one random descent (Knuth 1975): its mean over many walks
 * is the number, and their spread gives the error. A pure function of its arguments, equal to the last bit on every
 * machine; some microseconds. */
double shape_plan_sample(const struct shape_plan *plan, uint64_t seed, uint64_t walk);

/* Adds a unit's placements of k queens to profile[k], for k from the shape's least on, to 0 .. top; and the number of
 * placements tried to *nodes. NQ_OK, or NQ_CANCELLED within 100 ms of *stop (may be NULL): then the sums mean nothing.
 * Safe on any number of threads at once. */
enum nq_status shape_plan_count(const struct shape_plan *plan, size_t unit, const atomic_bool *stop, nq_wide *profile,
                                uint64_t *nodes);

#endif
