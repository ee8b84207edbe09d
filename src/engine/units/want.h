/* want.h - a want of memory that a count waits out: which items are to be counted again, and when. One thread at a
 * time. */
#ifndef ENGINE_UNITS_WANT_H
#define ENGINE_UNITS_WANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct wanted {
    size_t item;
    bool audit;
};

/* All zero at first, and after want_over(), but for the list and its room: memory for it is taken in time. */
struct want {
    struct wanted *list;
    size_t count, room;
    uint64_t since; /* clock_now() of the first failure; 0: there is no want */
    uint64_t until; /* clock_now(): before that nothing is begun */
    unsigned pause_ms;
};

/* room: items that may be on the list. False: out of memory. */
bool want_open(struct want *want, size_t room);
void want_close(struct want *want);

/* An item could not be counted for want of memory. NQ_AGAIN: it is on the list, and a pause begins: 10 ms, twice as
 * long each time, a second at most. NQ_NOMEM: it has been so for a minute. */
enum nq_status want_begin(struct want *want, size_t item, bool audit);

/* An item was counted. */
void want_over(struct want *want);

bool want_pauses(const struct want *want);

/* Takes an item from the list, one that is an audit or one that is none. False: there is none. */
bool want_take(struct want *want, bool audit, size_t *item);

#endif
