/* count_shared.h - a count that other servers and workers may have a part in. */
#ifndef ENGINE_COUNTS_COUNT_SHARED_H
#define ENGINE_COUNTS_COUNT_SHARED_H

#include "engine/counts/count_state.h"

/* Sets count->shared if others may have a part in the count: if it takes long, and few names in the store stand for it.
 * May wait some seconds for the broker. NQ_OK or NQ_NOMEM. */
enum nq_status count_share(struct count_work *count);

/* Makes the plan, and takes over what the store has of the units; they can be taken from then on. A shared count is
 * laid out by the coordinator's call of begin(). NQ_OK, NQ_NOMEM or NQ_CANCELLED. */
enum nq_status count_lay_out(struct count_work *count, const atomic_bool *stop);

#endif
