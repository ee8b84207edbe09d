/* heap.c - the heap lies in an array: below the place p are the places 2p and 2p + 1. */
#include "http/guard/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/grow.h"

bool heap_reserve(struct heap *heap, size_t count)
{
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): its elements are pointers */
    struct heap_deadline **list = grow_array(heap->list, count, &heap->room, sizeof *list);
    if (list)
        heap->list = list;
    return list;
}

void heap_free(struct heap *heap)
{
    assert(heap->count == 0);
    free(heap->list);
    *heap = (struct heap){.room = 0};
}

static void put(struct heap *heap, struct heap_deadline *deadline, size_t place)
{
    heap->list[place - 1] = deadline;
    deadline->place = place;
}

/* Moves a deadline up until its parent's is no later. */
static void sift_up(struct heap *heap, struct heap_deadline *deadline)
{
    size_t place = deadline->place;
    for (; place > 1 && heap->list[place / 2 - 1]->at > deadline->at; place /= 2)
        put(heap, heap->list[place / 2 - 1], place);
    put(heap, deadline, place);
}

/* Moves a deadline down until none of its children's is earlier. */
static void sift_down(struct heap *heap, struct heap_deadline *deadline)
{
    size_t place = deadline->place;
    for (size_t child; (child = 2 * place) <= heap->count; place = child) {
        if (child < heap->count && heap->list[child]->at < heap->list[child - 1]->at)
            child++;
        if (heap->list[child - 1]->at >= deadline->at)
            break;
        put(heap, heap->list[child - 1], place);
    }
    put(heap, deadline, place);
}

void heap_set(struct heap *heap, struct heap_deadline *deadline, uint64_t at)
{
    if (!deadline->place) {
        assert(heap->count < heap->room);
        put(heap, deadline, ++heap->count);
    }
    deadline->at = at;
    sift_up(heap, deadline);
    sift_down(heap, deadline);
}

void heap_remove(struct heap *heap, struct heap_deadline *deadline)
{
    const size_t place = deadline->place;
    if (!place)
        return;
    assert(place <= heap->count && heap->list[place - 1] == deadline);
    struct heap_deadline *last = heap->list[--heap->count];
    deadline->place = 0;
    if (last == deadline)
        return;
    put(heap, last, place);
    sift_up(heap, last);
    sift_down(heap, last);
}

void *heap_due(const struct heap *heap, uint64_t now)
{
    return heap->count && heap->list[0]->at <= now ? heap->list[0]->owner : NULL;
}

#ifdef CHECKS
void heap_check(const struct heap *heap)
{
    assert(heap->count <= heap->room);
    for (size_t place = 1; place <= heap->count; place++) {
        assert(heap->list[place - 1]->place == place && heap->list[place - 1]->owner);
        assert(place == 1 || heap->list[place / 2 - 1]->at <= heap->list[place - 1]->at);
    }
}
#endif
