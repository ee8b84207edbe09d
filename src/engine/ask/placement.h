/* placement.h - queens as somebody has placed them, shared by reference count and never changed once shared. It does
 * not know what is asked about them. */
#ifndef ENGINE_ASK_PLACEMENT_H
#define ENGINE_ASK_PLACEMENT_H

#include <stdatomic.h>
#include <stdlib.h>

#include "board/conflicts.h"

struct placement {
    atomic_uint references;
    uint32_t count, crossed; /* queens; squares after them that are crossed, for a picture */
    struct queen queens[];   /* on the board, 0-based */
};

static inline struct placement *placement_ref(struct placement *placement)
{
    atomic_fetch_add_explicit(&placement->references, 1, memory_order_relaxed);
    return placement;
}

/* NULL is allowed. */
static inline void placement_unref(struct placement *placement)
{
    if (placement && atomic_fetch_sub_explicit(&placement->references, 1, memory_order_acq_rel) == 1)
        free(placement);
}

#endif
