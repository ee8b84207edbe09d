/* plans.h - the plans of counts, with their tables, shared by all who count the same, and kept for the next ones as
 * long as there is room. It knows neither what a plan is made of nor who counts. */
#ifndef ENGINE_PLANS_H
#define ENGINE_PLANS_H

#include <stddef.h>
#include <stdint.h>

struct plans;
struct plan_source; /* see counting.h */

/* bytes: for all tables together; threads: that may make them at once. NULL: out of memory. */
struct plans *plans_new(size_t bytes, unsigned threads);
void plans_free(struct plans *plans); /* after every plan was given back */

/* For counting_prepare: a plan that somebody else has or had, or a new one; who makes it is waited for. A plan whose
 * tables find no room, beside those that are in use, does without. */
const struct plan_source *plans_source(const struct plans *plans);

struct plans_figures {
    size_t bytes;  /* of tables, in use or kept */
    size_t plans;  /* with tables */
    uint64_t made; /* ever */
};
struct plans_figures plans_figures(struct plans *plans);

#endif
