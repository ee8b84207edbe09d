/* effort.h - what algorithms are asked, and what that costs: placements tried, and time of the processors. It knows
 * them by their names in the tables below, and nothing of what they do. Whoever works tells a meter, and the meter adds
 * up what is told between two looks at the clock: nothing here is done for every placement. */
#ifndef ENGINE_RUN_EFFORT_H
#define ENGINE_RUN_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct efforts;

/* One row for every solver, construction and counting method there is. NULL: out of memory. */
struct efforts *efforts_new(void);
void efforts_free(struct efforts *efforts);

struct effort_stats {
    const char *family, *name;
    uint64_t searches, nodes, nanoseconds; /* of processors; threads add up */
};

/* The i-th row, false after the last. Any thread. */
bool efforts_get(const struct efforts *efforts, size_t i, struct effort_stats *stats);

/* One thread's. */
struct meter {
    struct efforts *efforts; /* NULL: only what a slice costs is measured */
    struct effort *row;      /* of the algorithm at work; NULL: none that has one */
    uint64_t since;          /* clock_worked() when it took over */
    uint64_t untold;         /* nodes since then */
    uint64_t began, nodes;   /* the slice: clock_worked() when it began, and nodes since */
};

/* What some work has cost so far. */
struct cost {
    uint64_t nodes, nanoseconds;
};

/* On the thread that works; efforts may be NULL. */
void meter_open(struct meter *meter, struct efforts *efforts);

/* A slice is over: tells what is untold, and returns what the slice cost. The next one begins at once. */
struct cost meter_turn(struct meter *meter);

/* For those who work within a slice; without a meter (NULL) they do nothing.
 * What is done from now on is done by an algorithm; NULL: by none that has a row. */
void meter_by(struct meter *meter, const char *algorithm);
/* The same, and that is the beginning of a search. */
void meter_begin(struct meter *meter, const char *algorithm);
/* What the slice has cost so far. */
struct cost meter_read(const struct meter *meter);

static inline void meter_did(struct meter *meter, uint64_t nodes)
{
    if (meter)
        meter->untold += nodes;
}

#endif
