/* rank_lookup.h - the solution of a rank in a list, and the rank of a solution, by the list's index. What the index
 * does not count to the last row is listed, a budget of placements at a time. */
#ifndef ENGINE_LISTS_RANK_LOOKUP_H
#define ENGINE_LISTS_RANK_LOOKUP_H

#include "count/index.h"
#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "kernels/kernel.h"

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

/* ---- Where a list begins ---- */

/* Where a list begins that skips a number of solutions, or behind a solution whose rank is to be found: by its index,
 * on the way to its first solution. */

struct seeking;

/* Whether a question has an index that says where its list begins. */
bool seek_wanted(const struct question *question);

/* Looks that place up, if it is wanted, and puts a question that begins there in place of *question, which must outlive
 * it; *seeking, NULL at first, has it until seek_close(). NQ_OK; NQ_AGAIN: the slice is over; NQ_CANCELLED, NQ_NOMEM.
 */
enum nq_status seek_start(struct seeking **seeking, const struct question **question, const struct kernel *kernel,
                          const struct slice *slice, const atomic_bool *stop);
void seek_close(struct seeking *seeking); /* NULL: nothing */

#endif
