/* survey.h - the solutions of a query counted by a statistic, in units: each goes through the solutions that begin with
 * one prefix. It knows neither threads nor storage.
 *
 * Life of a survey: survey_open() lays out its units; each unit is counted once, by anyone, and its result is bytes;
 * survey_put() takes every result; then the figures are complete. */
#ifndef STATISTICS_SURVEY_H
#define STATISTICS_SURVEY_H

#include "base/bytes.h"
#include "base/wide.h"
#include "board/query.h"
#include "kernels/kernel.h"
#include "statistics/statistic.h"

struct survey;

/* Lays out the units in some milliseconds. The filter need not be settled; the query's symmetry must be SYMMETRY_ANY,
 * and its by_square is ignored. nodes_per_second: of the search method on one thread. NQ_OK, NQ_LIMIT (n is above
 * STATISTICS_MAX_N), NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be NULL, here and below). */
enum nq_status survey_open(const struct query *query, const struct statistic *statistic, double nodes_per_second,
                           const atomic_bool *stop, struct survey **survey);
void survey_close(struct survey *survey); /* NULL: nothing */

/* Appends the statistic, its revision, and which solutions are counted: equal names mean equal units. */
void survey_name(const struct survey *survey, struct bytes *name);

/* ---- Units ---- */

size_t survey_units(const struct survey *survey);

/* About how long a unit takes, in placements of the search method; more than 0. Takes microseconds. */
double survey_weight(const struct survey *survey, size_t unit, const atomic_bool *stop);

/* Bytes of the figures, and of so many threads that count; rather more than less. */
size_t survey_memory(const struct survey *survey, unsigned threads);

/* How many numbers a unit comes to, one for each value from 0 on; one of n = 0, where some statistics have no values.
 */
uint32_t survey_values(const struct survey *survey);

/* Adds a unit's solutions of each value to row[0..survey_values()), and the placements tried to *nodes. NQ_OK,
 * NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop; then the sums are of no use. Safe on any number of threads at once.
 */
enum nq_status survey_count(const struct survey *survey, size_t unit, const struct kernel *kernel,
                            const atomic_bool *stop, nq_wide *row, uint64_t *nodes);

#endif
