/* small_index.h - the rank index of all solutions of a small board, made on the spot, one unit after the other: too
 * little work to be shared, kept or waited for. It does not know what it is looked into for. */
#ifndef ENGINE_RUN_SMALL_INDEX_H
#define ENGINE_RUN_SMALL_INDEX_H

#include "base/random.h"
#include "count/index.h"

/* Up to so large a board it takes some milliseconds; 150 by the slowest kernel. */
enum { SMALL_INDEX_MAX_N = 14 };

/* The same by a rule: a row less than is counted by square. */
uint32_t small_index_most(const struct rule *rule);

struct small_index {
    struct index *index; /* NULL: not opened. To be asked once it is made */
    const struct kernel *kernel;
    size_t unit; /* to be counted next */
    bool made;
};

/* *small_index is all zero before, and n at most small_index_most(). NQ_OK or NQ_NOMEM. */
enum nq_status small_index_open(struct small_index *small_index, const struct rule *rule, uint32_t n,
                                const struct kernel *kernel);
void small_index_close(struct small_index *small_index);

/* Does a millisecond of work or less. NQ_AGAIN: there is more; NQ_OK: it is made; NQ_CANCELLED, NQ_NOMEM. */
enum nq_status small_index_make(struct small_index *small_index, const atomic_bool *stop);

/* Draws a solution from an index that is made, each as likely as any other: columns[0..n). NQ_OK, NQ_CANCELLED;
 * NQ_NONE: the board has none. */
enum nq_status small_index_draw(const struct small_index *small_index, struct random *random, const atomic_bool *stop,
                                uint32_t *columns);

#endif
