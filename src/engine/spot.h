/* spot.h - the rank index of all solutions of a small board, made on the spot, one unit after the other: too little
 * work to be shared, kept or waited for. It does not know what it is looked into for. */
#ifndef ENGINE_SPOT_H
#define ENGINE_SPOT_H

#include "count/index.h"

/* Up to so large a board it takes some milliseconds; 150 by the slowest kernel. */
enum { SPOT_MAX_N = 14 };

struct spot {
    struct index *index; /* to be asked once it is made */
    size_t unit;         /* to be counted next */
    bool made;
};

/* n is at most SPOT_MAX_N. NQ_OK or NQ_NOMEM. */
enum nq_status spot_open(struct spot *spot, uint32_t n);
void spot_close(struct spot *spot);

/* Does a millisecond of work or less. NQ_AGAIN: there is more; NQ_OK: it is made; NQ_CANCELLED, NQ_NOMEM. */
enum nq_status spot_make(struct spot *spot, const struct kernel *kernel, const atomic_bool *stop);

#endif
