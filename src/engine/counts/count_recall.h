/* count_recall.h - what the store has of a count is taken over, not counted again. */
#ifndef ENGINE_COUNTS_COUNT_RECALL_H
#define ENGINE_COUNTS_COUNT_RECALL_H

#include "engine/counts/count_state.h"
#include "engine/journal/journal.h"

/* Takes over the sums of terms; one thread at a time. A store that does not answer in time is not asked for more, and
 * count->unsure is set. NQ_OK or NQ_CANCELLED. */
enum nq_status count_recall_terms(struct count_work *count, struct deadline deadline);

/* Lays out the units of the terms that are not done, and takes over those that the store has: once, before any is
 * taken. NQ_OK, NQ_NOMEM or NQ_CANCELLED. */
enum nq_status count_recall_units(struct count_work *count, struct deadline deadline);

#endif
