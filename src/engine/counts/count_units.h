/* count_units.h - the units of a count, and the pieces of those that are split: which is to be counted next, what is
 * known of each, and what the terms come to. Results go to the journal. It does not know who counts.
 *
 * An item is a unit or a piece of one: see split.h. */
#ifndef ENGINE_COUNTS_COUNT_UNITS_H
#define ENGINE_COUNTS_COUNT_UNITS_H

#include "engine/counts/count_state.h"

/* Takes the next item that is to be counted. False: there is none, or count->failing is set. *later (may be NULL):
 * there may be one soon, for a unit is being planned. Plans a unit of a large board for up to a second, unless *stop is
 * set. */
bool count_take(struct count_work *count, const atomic_bool *stop, size_t *item, bool *later);

/* An item that was taken could not be counted: out of memory. NQ_AGAIN: it will be taken again, after a pause in which
 * none is. NQ_NOMEM: that is no use, for the count is soon done or has waited for a minute. */
enum nq_status count_put_off(struct count_work *count, size_t item, bool audit);

/* An item was counted. */
void count_found_memory(struct count_work *count);

/* Whether such a pause lasts. If none does, *audit is an audit that was put off; SIZE_MAX: there is none. */
bool count_pauses(struct count_work *count, size_t *audit);

/* All items that are not known may be taken once more. */
void count_rewind(struct count_work *count);

/* Whether an item whose unit exists exists itself; if its unit is split, that is under way from then on. May take as
 * long as count_take(); false, too, soon after *stop. */
bool count_has_item(struct count_work *count, size_t item, const atomic_bool *stop);

bool count_knows(struct count_work *count, size_t item);
double count_weight(struct count_work *count, size_t item);

/* What the result of an item makes known. */
struct settled {
    bool fresh;            /* the item was not known before */
    bool split;            /* the unit is split, */
    bool whole;            /* and known with this item */
    struct unit_made made; /* of the pieces that are known, or of the unit */
    uint64_t weight;       /* that was not known before */
};

/* Notes the result of an item. The caller adds it to the sum of the term. NQ_OK; or as division_put(): then nothing is
 * fresh. */
enum nq_status count_settle(struct count_work *count, size_t item, const struct unit_made *made,
                            struct settled *settled);

/* Adds the result of an item that was counted, and puts into the journal what follows from it; also the result itself,
 * if it is ours: workers have stored theirs. As count_settle(). */
enum nq_status count_add(struct count_work *count, size_t item, const struct unit_made *made, bool ours);

/* Puts what the units of a term come to into the journal in their place, unless no count comes to that. */
void count_keep_term(struct count_work *count, size_t term);

/* Deletes the units of a term, or of all terms, from the journal. */
void count_drop_term(struct count_work *count, size_t term);
void count_drop_units(struct count_work *count);

#endif
