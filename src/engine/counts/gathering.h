/* gathering.h - a count whose units have bytes as results: every task takes the next unit until none is left. Results
 * go to the journal, and what it has is not made again. If several servers are asked for the same, one makes it and the
 * others read its units from the store. It does not know what a unit is. */
#ifndef ENGINE_COUNTS_GATHERING_H
#define ENGINE_COUNTS_GATHERING_H

#include "base/lock.h"
#include "engine/units/units.h"

struct coordinator;
struct gathering;
struct shared_count;

struct gathering_class {
    /* Appends a unit's result and adds the placements tried to *nodes. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms
     * of *stop. On any number of threads at once. */
    enum nq_status (*make)(const struct gathering *gathering, size_t unit, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes);
    /* Takes over a result, from here or from the journal: once for each unit, one at a time. NQ_OK, NQ_NOMEM, or
     * NQ_INVALID (the unit cannot have it; nothing is changed). */
    enum nq_status (*put)(struct gathering *gathering, size_t unit, const void *result, size_t size);
    /* About how long a unit takes, in placements of the search method. Takes microseconds. */
    double (*weight)(const struct gathering *gathering, size_t unit);
};

struct gathering {
    struct work work;
    const struct gathering_class *class;
    const struct question *question;
    const struct kernel *kernel;
    struct journal *journal; /* NULL: nothing is kept */
    char *name;              /* in the journal */
    unsigned threads;
    struct units units;
    struct lock lock;                /* so that of two results of a unit one is put; takes below a millisecond */
    struct coordinator *coordinator; /* NULL: there are no other servers */
    struct shared_count *shared;     /* NULL: this server alone makes it */
    atomic_bool is_shared;           /* shared is set; for any thread */
    bool made;                       /* the result is on its way to the store */
    size_t sought;                   /* while another server makes it: all units before it are known */
};

/* Sets all that is not of a certain class, but for name, units and journal. Close in any case. */
void gathering_begin(struct gathering *gathering, const struct gathering_class *class, const struct question *question,
                     const struct tools *tools);

/* Sets the name, which it frees, the units, and how long all takes: `weight` placements. A short one is not kept.
 * NQ_OK, NQ_NOMEM, or NQ_LIMIT: it is longer than is accepted; the caller says so. */
enum nq_status gathering_lay(struct gathering *gathering, struct bytes *name, size_t units, uint64_t weight,
                             const struct tools *tools);

void gathering_close(struct gathering *gathering);

/* As of struct work_class. */
enum nq_status gathering_prepare(struct work *work, const atomic_bool *stop);
enum nq_status gathering_slice(struct work *work, const struct slice *slice, const atomic_bool *stop);
void gathering_progress(struct work *work, struct progress *progress);

#endif
