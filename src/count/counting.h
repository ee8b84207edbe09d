/* counting.h - a query taken apart: terms, each a filter to be counted by one method, and the units of all of them in
 * one list. Whoever has carried out every unit and added up each term's parts gets the figures from here. It knows
 * neither threads nor storage. */
#ifndef COUNT_COUNTING_H
#define COUNT_COUNTING_H

#include "base/bytes.h"
#include "base/wide.h"
#include "count/method.h"

struct counting;

/* Takes a query apart; its filter need not be settled. NQ_OK, NQ_LIMIT (n beyond every method), NQ_NOMEM. */
enum nq_status counting_open(const struct query *query, struct counting **counting);
void counting_close(struct counting *counting);

/* About how many placements all terms take together but for those that are `done` (by their index; NULL: none are).
 * Takes some milliseconds a term; ends early, with less, when *stop is set (may be NULL). */
double counting_cost(const struct counting *counting, const bool *done, const atomic_bool *stop);

/* ---- Terms ---- */
size_t counting_terms(const struct counting *counting);

/* The method it is counted by: its name. */
const char *counting_method(const struct counting *counting, size_t term);

/* Appends what a term counts, by which method and revision, and which squares are allowed: equal names, equal units. */
void counting_name(const struct counting *counting, size_t term, struct bytes *name);

/* ---- Units: those of term 0, then those of term 1, ... ---- */

/* Where plans come from, and where they go when the count is closed: as method.prepare and method.release. */
struct plan_source {
    enum nq_status (*take)(void *context, const struct method *method, const struct filter *filter,
                           const atomic_bool *stop, void **plan);
    void (*give)(void *context, const struct method *method, void *plan);
    void *context;
};

/* Lists the units of every term that is not `done`. source, which must outlive the counting, may be NULL: plans of its
 * own, with tables of COUNTING_TABLES bytes at most each. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop. */
#define COUNTING_TABLES ((size_t)1 << 30)
enum nq_status counting_prepare(struct counting *counting, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop);

/* What that will take with tables of so many bytes at most for each term, and counting_count() on each thread. */
struct method_memory counting_memory(const struct counting *counting, const bool *done, size_t tables);
size_t counting_units(const struct counting *counting);
size_t counting_first(const struct counting *counting, size_t term); /* of its units; terms: the end of all */
size_t counting_term(const struct counting *counting, size_t unit);
double counting_weight(const struct counting *counting, size_t unit);

/* As method.pieces and method.count_piece. */
enum nq_status counting_pieces(const struct counting *counting, size_t unit, const atomic_bool *stop, size_t *pieces);
enum nq_status counting_count_piece(const struct counting *counting, size_t unit, size_t piece,
                                    const struct kernel *kernel, const atomic_bool *stop, struct unit_result *result);

/* As method.count. */
enum nq_status counting_count(const struct counting *counting, size_t unit, const struct kernel *kernel,
                              const atomic_bool *stop, struct unit_result *result);

/* ---- Figures, from the parts of each term ---- */

/* The number of solutions, or of their classes. */
nq_wide counting_total(const struct counting *counting, const nq_wide *parts);

/* The solutions with a queen on a square; for queries by square. */
nq_wide counting_square(const struct counting *counting, const nq_wide *parts, uint32_t row, uint32_t column);

#endif
