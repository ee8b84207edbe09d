/* messages.h - what servers and workers publish about a count, as JSON texts. It knows neither queues nor counting. */
#ifndef ENGINE_CLUSTER_MESSAGES_H
#define ENGINE_CLUSTER_MESSAGES_H

#include "base/bytes.h"
#include "engine/run/work.h"
#include "engine/units/units.h"
#include "stores/queue.h"

/* Readers: NQ_OK; NQ_INVALID: it is no such message; NQ_NOMEM. Writers append; see struct bytes. */

/* The longest name of a release that is accepted. */
enum { RELEASE_MAX = 40 };

/* A work, published again and again by the server that leads it. */
enum { MESSAGE_TERMS_MAX = 8 };
struct work_message {
    char *query;  /* canonical path */
    size_t terms; /* that are not counted yet */
    struct message_term {
        uint32_t term; /* see counting.h */
        char *name;
    } term[MESSAGE_TERMS_MAX];
    struct progress progress;      /* but for took_off */
    char release[RELEASE_MAX + 1]; /* of the server; set by the reader */
};
#define MESSAGE_SECONDS_MAX 1e12 /* to go; longer ones are cut */
/* Its id in the queue. */
void work_message_id(const char *query, char id[static 17]);
void work_message_write(const struct work_message *message, struct bytes *text);
/* NQ_DENIED: it is another release's, and only `release` is read. */
enum nq_status work_message_read(struct work_message *message, const char *text, size_t size);
void work_message_free(struct work_message *message); /* of one that was read */

/* A unit of a term, or a piece of it. */
struct message_place {
    uint32_t term, unit, piece; /* piece: or UNIT_WHOLE */
};

/* A batch: runs of units, or of pieces of one, from a place on. */
enum { MESSAGE_RUNS_MAX = 64 };
struct batch_message {
    char not_for[QUEUE_ID_MAX + 1]; /* the worker whose result is audited by it; "": none */
    size_t runs;
    struct message_run {
        struct message_place from;
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

/* What a unit, or a piece, came to. */
enum message_report {
    MESSAGE_COUNTED,
    MESSAGE_CHECKED, /* for an audit */
    MESSAGE_DIFFERS, /* from the store's result */
};
struct report_message {
    char worker[QUEUE_ID_MAX + 1];
    enum message_report report;
    struct message_place place;
    uint64_t parts, nodes;
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
