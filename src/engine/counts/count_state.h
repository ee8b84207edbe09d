/* count_state.h - a count in units: what the files that carry it out share. It has no functions of its own. */
#ifndef ENGINE_COUNTS_COUNT_STATE_H
#define ENGINE_COUNTS_COUNT_STATE_H

#include "base/lock.h"
#include "engine/cluster/coordinator.h"
#include "engine/units/division.h"
#include "engine/units/plans.h"
#include "engine/units/split.h"
#include "engine/units/want.h"

/* What one term comes to. */
struct sum {
    nq_wide parts;  /* of its units that are known */
    nq_wide stored; /* the thirds of the whole term, when it is done */
    size_t left;    /* units that are not known */
    bool keep;      /* the journal gets its units and its sum */
    atomic_bool begun;
    atomic_bool found; /* the sum is in the store: nobody needs the units there */
    char *name;        /* in the journal */
};

struct count_work {
    struct work work;
    const struct question *question;
    work_answer *answer;
    const struct kernel *kernel;
    struct journal *journal;
    struct plans *plans, *tableless; /* the latter without tables */
    struct coordinator *coordinator; /* NULL: there are no other servers and no workers */
    unsigned threads;

    struct division *division;
    struct sum *sums;            /* by term */
    bool *done;                  /* by term: the store has its sum. Only changed while no task counts */
    atomic_bool unsure;          /* more terms may be done: the store has not answered in time */
    double scale;                /* of weights: even those of the largest boards add up to a whole number */
    bool without_tables;         /* the plan has none: workers, who have their own, count the units */
    atomic_bool complete;        /* another server has stored the sums of all terms */
    bool kept;                   /* the result is on its way to the store */
    atomic_uint tasks;           /* that have not ended */
    atomic_int failing;          /* why no more units can be taken; NQ_OK */
    struct shared_count *shared; /* NULL: this server alone counts it */
    atomic_bool is_shared;       /* shared is set; for any thread */
    atomic_bool closing; /* nothing is wanted of the count any more: the stop flag of the coordinator's thread */

    /* Guards all below, work.fault, and what tasks change in sums. Nothing that can take long runs under it: a
     * unit is planned without. */
    struct lock lock;
    struct units units;
    struct splits splits;
    struct want want;
    nq_wide *parts;    /* by unit, of those that are known; NULL: their list is not kept */
    unsigned planning; /* threads that find out how a unit is split */
};

/* Whether a term has units: it was not done when they were laid out. */
static inline bool count_has_units(const struct count_work *count, size_t term)
{
    return division_first(count->division, term) < division_first(count->division, term + 1);
}

static inline uint64_t count_unit_weight(const struct count_work *count, size_t unit)
{
    return (uint64_t)(division_weight(count->division, unit) * count->scale);
}

#endif
