/* slips.h - what a server and its workers tell each other of a count, as JSON texts. It knows neither queues nor
 * counting. */
#ifndef ENGINE_SLIPS_H
#define ENGINE_SLIPS_H

#include "base/bytes.h"
#include "engine/units.h"
#include "engine/work.h"
#include "stores/queue.h"

/* Readers: NQ_OK; NQ_INVALID: it is none, or not of this release; NQ_NOMEM. Writers append; see struct bytes. */

/* A work that is under way: said again and again by the server that hands it out. */
enum { SLIP_TERMS_MAX = 8 };
struct work_slip {
    char *query;  /* canonical path */
    size_t terms; /* that are still counted */
    struct slip_term {
        uint32_t term; /* see counting.h */
        char *name;
    } term[SLIP_TERMS_MAX];
    struct progress progress; /* but for took_off */
};
/* What the queue knows it by. */
void work_slip_id(const char *query, char id[static 17]);
void work_slip_write(const struct work_slip *slip, struct bytes *text);
enum nq_status work_slip_read(struct work_slip *slip, const char *text, size_t size);
void work_slip_free(struct work_slip *slip); /* of one that was read */

/* A unit of a term, or a piece of it. */
struct slip_place {
    uint32_t term, unit, piece; /* piece: or UNIT_WHOLE */
};

/* A batch: runs of units, or of pieces of one, from a place on. */
enum { SLIP_RUNS_MAX = 64 };
struct batch_slip {
    char not_for[QUEUE_ID_MAX + 1]; /* a worker, whose result is to be checked by another; "": nobody's */
    size_t runs;
    struct slip_run {
        struct slip_place from;
        uint32_t count;
    } run[SLIP_RUNS_MAX];
};

/* The one that is so many after the first. */
static inline struct slip_place slip_place(const struct slip_run *run, uint32_t index)
{
    const bool whole = run->from.piece == UNIT_WHOLE;
    return (struct slip_place){run->from.term, run->from.unit + (whole ? index : 0),
                               run->from.piece + (whole ? 0 : index)};
}

void batch_slip_write(const struct batch_slip *slip, struct bytes *text);
enum nq_status batch_slip_read(struct batch_slip *slip, const char *text, size_t size);

/* What has become of one unit, or piece. */
enum slip_report {
    SLIP_COUNTED,
    SLIP_CHECKED, /* for an audit */
    SLIP_DIFFERS, /* from what another has stored */
};
struct report_slip {
    char worker[QUEUE_ID_MAX + 1];
    enum slip_report report;
    struct slip_place place;
    uint64_t parts, nodes;
    double seconds; /* of its thread */
};
void report_slip_write(const struct report_slip *slip, struct bytes *text);
enum nq_status report_slip_read(struct report_slip *slip, const char *text, size_t size);

/* A worker that is there. */
struct worker_slip {
    uint32_t threads;
};
void worker_slip_write(const struct worker_slip *slip, struct bytes *text);
enum nq_status worker_slip_read(struct worker_slip *slip, const char *text, size_t size);

#endif
