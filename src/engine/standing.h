/* standing.h - where solutions stand in a list, by its index: the one of a rank, and the rank of one. What the index
 * does not know to the last row is listed, little by little. */
#ifndef ENGINE_STANDING_H
#define ENGINE_STANDING_H

#include "count/index.h"
#include "engine/question.h"

/* One search; all its state. */
struct standing {
    const struct question *question; /* with its index */
    const struct index *index;
    const struct kernel *kernel;
    struct nq_cursor *cursor; /* while something has to be listed */
    uint64_t left;            /* solutions to be listed before the wanted one */
    uint64_t rank;
    uint32_t length; /* of columns: 0, or all n */
    uint32_t columns[NQ_SEARCH_MAX_N];
    bool by_rank; /* or to be listed up to `columns` */
};

/* The question must have its index, and outlive the search. */
void standing_begin(struct standing *standing, const struct question *question, const struct kernel *kernel);
void standing_end(struct standing *standing);

/* Looks for the solution of a rank, which must be below the total: call standing_go_on() until it is found. NQ_OK,
 * NQ_NOMEM, NQ_CANCELLED. */
enum nq_status standing_find(struct standing *standing, uint64_t rank, const atomic_bool *stop);

/* Looks for how many solutions of the list come before or are this placement of n queens. Likewise. */
enum nq_status standing_count(struct standing *standing, const uint32_t *columns, const atomic_bool *stop);

/* Lists for so many placements. NQ_AGAIN: not yet; NQ_OK: the solution is in standing->columns, or what was counted in
 * standing->rank; NQ_NOMEM. */
enum nq_status standing_go_on(struct standing *standing, uint64_t budget);

#endif
