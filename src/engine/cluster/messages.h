/* messages.h - what servers and workers publish about a count, as JSON texts. It knows neither queues nor counting. */
#ifndef ENGINE_CLUSTER_MESSAGES_H
#define ENGINE_CLUSTER_MESSAGES_H

#include "base/bytes.h"
#include "engine/run/work.h"
#include "engine/units/units.h"
#include "stores/queue.h"

/* Readers: NQ_OK; NQ_INVALID: it is no such message; NQ_NOMEM. Writers append; see struct bytes. */

/* The longest name of a release that is accepted; the most terms of a count whose units are handed out. */
enum { RELEASE_MAX = 40, MESSAGE_TERMS_MAX = 8 };

/* The id of a work in the queue: no client must be able to make up a question with the id of another, for reports are
 * told apart by it. query: its canonical path. */
void work_id(const char *query, char id[static 17]);

/* How far a work is, but for took_off: the note of its leader. */
#define MESSAGE_SECONDS_MAX 1e12 /* to go; longer ones are cut */
void progress_write(const struct progress *progress, struct bytes *text);
enum nq_status progress_read(struct progress *progress, const char *text, size_t size);

/* A unit of a term, or a piece of it. */
struct message_place {
    uint32_t term, unit, piece; /* term: see counting.h; piece: or UNIT_WHOLE */
};

/* A batch: runs of units of a term, or of pieces of one, from a place on; at least one run. */
enum { MESSAGE_RUNS_MAX = 64 };
struct batch_message {
    char *query, *name; /* canonical path; the term's name */
    size_t runs;
    struct message_run {
        struct message_place from; /* of one term all */
        uint32_t count;
    } run[MESSAGE_RUNS_MAX];
};

/* The place so many after the first. */
static inline struct message_place message_place(const struct message_run *run, uint32_t index)
{
    const bool whole = run->from.piece == UNIT_WHOLE;
    return (struct message_place){run->from.term, run->from.unit + (whole ? index : 0),
                                  run->from.piece + (whole ? 0 : index)};
}

void batch_message_write(const struct batch_message *message, struct bytes *text);
enum nq_status batch_message_read(struct batch_message *message, const char *text, size_t size);
void batch_message_free(struct batch_message *message); /* of one that was read */

/* What a unit, or a piece, came to. */
enum message_report {
    MESSAGE_COUNTED,
    MESSAGE_CHECKED, /* for an audit */
};
struct report_message {
    char worker[QUEUE_ID_MAX + 1];
    enum message_report report;
    struct message_place place;
    nq_wide parts;
    uint64_t nodes;
    double seconds; /* of its thread */
};
void report_message_write(const struct report_message *message, struct bytes *text);
enum nq_status report_message_read(struct report_message *message, const char *text, size_t size);

/* A worker that runs, or leaves. */
struct worker_message {
    uint32_t threads;              /* 0: it takes no more batches */
    char release[RELEASE_MAX + 1]; /* set by the reader; "": a release that does not send it */
};
void worker_message_write(const struct worker_message *message, struct bytes *text);
enum nq_status worker_message_read(struct worker_message *message, const char *text, size_t size);

#endif
