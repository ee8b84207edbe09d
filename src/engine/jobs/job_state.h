/* job_state.h - types of jobs that other rooms use, too: ids, states, news, statistics. */
#ifndef ENGINE_JOBS_JOB_STATE_H
#define ENGINE_JOBS_JOB_STATE_H

#include <string.h>

#include "engine/run/flight.h"

enum { JOB_ID_SIZE = 17, JOBS_KEPT = 1000, JOB_KEPT_S = 7 * 86400 };

/* Sixteen hexadecimal digits. No other text is the id of a job: it stands in logs and in paths as it is. */
static inline bool job_id_is_sound(const char *id)
{
    return strlen(id) == JOB_ID_SIZE - 1 && strspn(id, "0123456789abcdef") == JOB_ID_SIZE - 1;
}

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };

static inline const char *job_state_name(enum job_state state)
{
    static const char *const names[] = {
        [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_DONE] = "done",
        [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
    };
    return names[state];
}

/* The job has ended; only a new subscription to a failed or cancelled one begins it again. */
static inline bool job_state_over(enum job_state state)
{
    return state != JOB_QUEUED && state != JOB_RUNNING;
}

/* A job has begun or ended; for a log. */
struct job_news {
    char id[JOB_ID_SIZE];
    char trace[TRACE_ID_SIZE]; /* of the request that began it; "": none */
    char why[FAULT_TEXT_MAX];  /* it failed, else "" */
    const char *path;
    const char *what; /* "begun", "resumed", or the name of the state in which it has ended */
    bool over;        /* and this process has spent on it: */
    uint64_t nanoseconds;
    struct cost cost;
};
/* Any thread, without any lock. */
typedef void (*job_notify)(void *who, const struct job_news *news);

struct job_stats {
    size_t active, kept; /* not over; over and not forgotten yet */
    size_t most;         /* not over */
    bool unread;         /* the store has those of earlier processes, and they could not be read so far */
    uint64_t begun, resumed, done, failed, cancelled, refused;
};

/* Reads the canonical text of a job's query: see count_query_parse(). */
struct query_parser {
    enum nq_status (*parse)(void *context, const char *text, struct shared_question **question);
    void *context;
};

#endif
