/* plans.h - plans of counts with their tables: counts of the same filter share one, and it is kept for later counts as
 * long as there is room. It knows neither what a plan consists of nor who counts. */
#ifndef ENGINE_UNITS_PLANS_H
#define ENGINE_UNITS_PLANS_H

#include <stddef.h>
#include <stdint.h>

struct plans;
struct plan_source; /* see counting.h */

/* bytes: of all tables together; threads: that may make them at once; split_weight: as of struct method_means. NULL:
 * out of memory. */
struct plans *plans_new(size_t bytes, unsigned threads, double split_weight);
void plans_free(struct plans *plans); /* after every plan was given back */

/* For counting_prepare(): returns a plan in use or kept, or makes one; waits while another thread makes it. If there is
 * no room for its tables beside the plans in use, it has none. */
const struct plan_source *plans_source(const struct plans *plans);

struct plans_stats {
    size_t bytes;  /* of tables, in use or kept */
    size_t plans;  /* with tables */
    uint64_t made; /* ever */
};
struct plans_stats plans_stats(struct plans *plans);

#endif
