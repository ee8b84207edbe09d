/* crew_events.c - a binary heap: the next event is its first, and no event comes before the one at (place - 1) / 2. */
#include "bench/crew_events.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

void *pile_add(struct pile *pile, size_t size)
{
    if (pile->count == pile->room) {
        const size_t room = pile->room ? 2 * pile->room : FIRST_ROOM;
        void *item = realloc(pile->item, room * size);
        if (!item)
            return NULL;
        pile->item = item;
        pile->room = room;
    }
    return (char *)pile->item + pile->count++ * size;
}

static bool sooner(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time <= b->time && a->order < b->order);
}

bool events_add(struct events *events, struct event event)
{
    if (!pile_add(&events->heap, sizeof event))
        return false;
    event.order = events->foreseen++;
    struct event *heap = events->heap.item;
    size_t at = events->heap.count - 1;
    for (; at && sooner(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
    return true;
}

struct event events_take(struct events *events)
{
    struct event *heap = events->heap.item;
    const struct event first = heap[0], last = heap[--events->heap.count];
    const size_t count = events->heap.count;
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && sooner(&heap[child + 1], &heap[child]))
            child++;
        if (!sooner(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}
