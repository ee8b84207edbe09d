/* rank_lookup.h - the solution of a rank in a list, and the rank of a solution, by the list's index. What the index
 * does not count to the last row is listed, a budget of placements at a time. */
#ifndef ENGINE_LISTS_RANK_LOOKUP_H
#define ENGINE_LISTS_RANK_LOOKUP_H

#include "count/index.h"
#include "engine/ask/question.h"

struct rank_lookup {
    const struct question *question; /* with its index */
    const struct index *index;
    const struct kernel *kernel;
    struct nq_cursor *cursor; /* while something has to be listed */
    uint64_t left;            /* solutions to be listed before the wanted one */
    uint64_t rank;
    uint32_t length; /* of columns: 0, or all n */
    uint32_t columns[NQ_SEARCH_MAX_N];
    bool by_rank; /* else solutions are counted up to `columns` */
};

/* The question must have its index, and outlive the search. */
void rank_lookup_begin(struct rank_lookup *lookup, const struct question *question, const struct kernel *kernel);
void rank_lookup_end(struct rank_lookup *lookup);

/* Looks for the solution of a rank, which must be below the total: call rank_lookup_go_on() until it is found. NQ_OK,
 * NQ_NOMEM, NQ_CANCELLED. */
enum nq_status rank_lookup_find(struct rank_lookup *lookup, uint64_t rank, const atomic_bool *stop);

/* The same for how many solutions of the list come before or are this placement of n queens. */
enum nq_status rank_lookup_count(struct rank_lookup *lookup, const uint32_t *columns, const atomic_bool *stop);

/* Lists for so many placements. NQ_AGAIN: not yet; NQ_OK: the solution is in lookup->columns, or the number of
 * solutions in lookup->rank; NQ_NOMEM. */
enum nq_status rank_lookup_go_on(struct rank_lookup *lookup, uint64_t budget);

#endif
