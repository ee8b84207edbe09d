/* counting.h - a query as terms, each a filter to be counted by one method, and the units of all terms in one list. The
 * caller counts every unit and adds up the parts of each term; from these sums come the figures. It knows neither
 * threads nor storage. */
#ifndef COUNT_COUNTING_H
#define COUNT_COUNTING_H

#include "base/bytes.h"
#include "base/wide.h"
#include "count/methods/method.h"

struct counting;

/* The largest board of a query's rule and symmetry that some method counts; without a method, by a theorem that there
 * are none, of any size. */
uint32_t counting_most(const struct query *query);

/* Lists the terms of a query, whose filter need not be settled; by square that takes some milliseconds. NQ_OK, NQ_LIMIT
 * (no method counts boards of such n), NQ_NOMEM, NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status counting_open(const struct query *query, const atomic_bool *stop, struct counting **counting);
void counting_close(struct counting *counting);

/* What the terms take that are not done[term] (NULL: none is done), about: placements, and seconds of one core, where
 * the kernel tries so many placements of the search a second. Takes some milliseconds a term; returns less soon after
 * *stop (may be NULL). */
struct count_cost {
    double placements, seconds;
};
struct count_cost counting_cost(const struct counting *counting, const bool *done, double nodes_per_second,
                                const atomic_bool *stop);

/* ---- Terms ---- */
size_t counting_terms(const struct counting *counting);

/* The name of the method that counts it. */
const char *counting_method(const struct counting *counting, size_t term);

/* Appends the method, its revision and which squares are allowed: equal names mean equal units. */
void counting_name(const struct counting *counting, size_t term, struct bytes *name);

/* ---- Units: those of term 0, then those of term 1, ... ---- */

/* Where plans come from, and where they go when the count is closed: as method.prepare and method.release. */
struct plan_source {
    enum nq_status (*take)(void *context, const struct method *method, const struct filter *filter,
                           const atomic_bool *stop, void **plan);
    void (*give)(void *context, const struct method *method, void *plan);
    void *context;
};

/* Plans for one count alone, by means that must outlive it; without tables where memory does not suffice for them. */
struct plan_source plan_source_alone(const struct method_means *means);

/* Lists the units of every term that is not done. source must outlive the counting; NULL: it makes plans of its own,
 * with tables of at most COUNTING_TABLES bytes each. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop. */
#define COUNTING_TABLES ((size_t)1 << 30)
enum nq_status counting_prepare(struct counting *counting, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop);

/* The memory that counting_prepare() takes with tables of so many bytes at most for each term, and counting_count() on
 * each thread. */
struct method_memory counting_memory(const struct counting *counting, const bool *done, size_t tables);
size_t counting_units(const struct counting *counting);
size_t counting_first(const struct counting *counting,
                      size_t term); /* of the term's units; the end of all for the number of terms */
size_t counting_term(const struct counting *counting, size_t unit);
double counting_weight(const struct counting *counting, size_t unit);

/* As method.pieces and method.count; a unit that is never split is its only piece. */
enum nq_status counting_pieces(const struct counting *counting, size_t unit, const atomic_bool *stop, size_t *pieces);
enum nq_status counting_count(const struct counting *counting, size_t unit, size_t piece, const struct kernel *kernel,
                              const atomic_bool *stop, struct unit_result *result);

/* The largest parts that a unit of a term, or a piece of one, can have: what is stored or reported of it is no more. */
nq_wide counting_parts_most(const struct counting *counting, size_t term);

/* The thirds of a term, from the sum of the parts of its units, modulo 2^128. False: no count comes to that, so some
 * unit is wrong. */
bool counting_value(const struct counting *counting, size_t term, nq_wide sum, nq_wide *thirds);

/* ---- Figures, from the thirds of each term ---- */

/* The number of solutions, or of their classes. */
nq_wide counting_total(const struct counting *counting, const nq_wide *thirds);

/* The same from the sums of the parts of each term, which become thirds. False: counting_value() says so of one. */
bool counting_sum(const struct counting *counting, nq_wide *sums, nq_wide *total);

/* The solutions with a queen on a square; for queries by square. */
nq_wide counting_square(const struct counting *counting, const nq_wide *thirds, uint32_t row, uint32_t column);

#endif
