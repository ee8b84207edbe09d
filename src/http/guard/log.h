/* log.h - the log on standard error: a line for each request, job and event, as text or JSON. Lines are buffered and
 * written by log_flush(), so that a request does not wait for the terminal. */
#ifndef HTTP_GUARD_LOG_H
#define HTTP_GUARD_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/jobs/jobs.h"

struct log;

struct log *log_new(bool json);
void log_free(struct log *log); /* writes what is left, unless the reader is stuck */

/* Writes the buffered lines as far as this does not block; the rest stays for the next call. */
void log_flush(struct log *log);

/* Lines lost because the log was not read; and whether any was lost since all buffered lines were last taken. */
uint64_t log_dropped(struct log *log);
bool log_dropping(struct log *log);

struct log_request {
    const char *client;                /* address */
    const char *key;                   /* name of the holder of its key; NULL: no key, or an unknown one */
    const char *trace, *span, *parent; /* W3C Trace Context; trace "": none */
    const char *job;                   /* the job that its reply names, "": none */
    bool searched;                     /* for this request; waited and cost belong to that search */
    uint64_t waited;                   /* for a thread, in nanoseconds */
    struct cost cost;
    const char *id, *method, *route, *target, *cache;
    unsigned status;
    uint64_t bytes;
    uint64_t nanoseconds;
};
void log_request(struct log *log, const struct log_request *request);

/* A change of a job. */
void log_job(struct log *log, const struct job_news *news);

/* An event with a text; flushes. */
void log_event(struct log *log, const char *event, const char *text);

/* The first line: where the service listens. admin "": no second port. */
void log_listening(struct log *log, const char *address, const char *admin);

#endif
