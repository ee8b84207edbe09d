/* scenario.h - what a run consists of, drawn from a seed, and as one line of text: "seed=7 servers=2 ...
 * kill:1@900+3000" (a fault, its process, and when and for how long in milliseconds). */
#ifndef TESTS_SIM_SCENARIO_H
#define TESTS_SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_KILL,   /* the process dies, and another one begins after that */
    FAULT_LEAVE,  /* it is told to end, and another one begins after that */
    FAULT_FREEZE, /* it stands still */
    FAULT_CUT,    /* its connection is lost */
    FAULT_HANG,   /* its connection is lost, and it does not notice for up to five seconds */
    FAULT_STALL,  /* its connection holds everything back */
    FAULT_BROKER, /* all connections are lost */
    FAULT_SILENT, /* the store does not answer */
    FAULT_FULL,   /* the store has no room */
    FAULT_EVICT,  /* the store gives up old units */
    FAULT_JUMP,   /* its clock jumps ahead by that */
    FAULT_GONE,   /* a worker dies, and no other one comes */
    FAULT_KINDS
};

struct sim_fault {
    enum fault_kind kind;
    unsigned process, at_ms, for_ms;
};

enum { SCENARIO_FAULTS = 12, SCENARIO_TEXT = 2000 };

/* Parts in a thousand where nothing else is said. Processes: the servers first, then the workers. */
struct scenario {
    unsigned seed; /* of the schedule */
    unsigned servers, workers, threads;
    unsigned asks; /* bit 2 s + c: server s is asked for count c */
    unsigned terms, units, pieces, unit_ms;
    unsigned bytes; /* 1: the first count is one by a statistic, whose units come to bytes */
    unsigned audit, lease_ms;
    unsigned drift, spread; /* of clocks and of speeds */
    unsigned lost, twice, unanswered, late, late_ms, stale;
    unsigned fault_count;
    struct sim_fault faults[SCENARIO_FAULTS];
};

void scenario_draw(unsigned seed, struct scenario *scenario);
void scenario_write(const struct scenario *scenario, char text[static SCENARIO_TEXT]);
bool scenario_read(const char *text, struct scenario *scenario);

/* Whether nothing goes wrong at all. */
bool scenario_is_calm(const struct scenario *scenario);

/* Every number that may be made smaller to find a simpler scenario that fails, too, and its least value. */
struct scenario_number {
    const char *name;
    size_t offset;
    unsigned least;
};
extern const struct scenario_number scenario_numbers[];
static inline unsigned *scenario_at(struct scenario *scenario, const struct scenario_number *number)
{
    return (unsigned *)((char *)scenario + number->offset);
}

#endif
