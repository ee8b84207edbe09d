/* heap.h - deadlines in a binary heap, the earliest first. A deadline is a member of what it belongs to and knows its
 * place in the heap, so that it can be moved and removed. It knows no clock and no threads. */
#ifndef HTTP_GUARD_HEAP_H
#define HTTP_GUARD_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

/* All zero but for the owner: in no heap. */
struct heap_deadline {
    uint64_t at;
    size_t place; /* in the heap, from 1 on; 0: in none */
    void *owner;
};

/* All zero: empty. */
struct heap {
    struct heap_deadline **list; /* of the place p: list[p - 1] */
    size_t count, room;
};

/* Makes room for one more than `count`, so that heap_set() cannot fail. False: out of memory. */
bool heap_reserve(struct heap *heap, size_t count);
void heap_free(struct heap *heap); /* the heap is empty, and may be used again */

/* Puts a deadline into the heap, for which there must be room, or moves it to another time. O(log n). */
void heap_set(struct heap *heap, struct heap_deadline *deadline, uint64_t at);

/* O(log n); nothing if it is in none. */
void heap_remove(struct heap *heap, struct heap_deadline *deadline);

/* The owner of the earliest deadline, if that is no later than `now`; NULL: nothing is due. O(1). */
void *heap_due(const struct heap *heap, uint64_t now);

#ifdef CHECKS
/* Asserts that no deadline is before its parent's, and that each knows its place. */
void heap_check(const struct heap *heap);
#endif

#endif
