/* crew_events.h - what is to come: events in the order of their times, and arrays that grow. It does not know what
 * happens. */
#ifndef BENCH_CREW_EVENTS_H
#define BENCH_CREW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of things of one size. */
struct pile {
    void *item;
    size_t count, room;
};

/* Room for one more at the end; NULL when there is not memory enough, and the pile is as it was. */
void *pile_add(struct pile *pile, size_t size);

struct event {
    double time;
    uint64_t order; /* of two at one time, the one foreseen first comes first */
    size_t who;
    uint32_t life; /* of the one it was foreseen for */
    int what;
};

struct events {
    struct pile heap;
    uint64_t foreseen; /* how many, ever */
};

/* Adds one, and gives it its order; false when there is not memory enough. */
bool events_add(struct events *events, struct event event);

/* Takes the next one, which there must be. */
struct event events_take(struct events *events);

#endif
