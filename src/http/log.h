/* log.h - the log on standard error: a line for each event and each request, as text or JSON. Lines are gathered and
 * written by whoever flushes, so that a request does not wait for the terminal. */
#ifndef HTTP_LOG_H
#define HTTP_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/job.h"

struct log;

struct log *log_new(bool json);
void log_free(struct log *log); /* writes what is left, if somebody reads */

/* Writes out what has been gathered, as far as that goes without waiting; the rest stays for the next time. */
void log_flush(struct log *log);

/* Lines lost because nobody read the log; and whether some have been since it was last read as far as it went. */
uint64_t log_dropped(struct log *log);
bool log_dropping(struct log *log);

struct log_request {
    const char *client;                /* its address */
    const char *key;                   /* whose key it comes with, by name; NULL: none, or one not known */
    const char *trace, *span, *parent; /* of W3C Trace Context; trace "": none */
    const char *job;                   /* the one that it was told of, "": none */
    bool searched;                     /* for it, and that took: */
    uint64_t waited;                   /* nanoseconds for a thread */
    struct cost cost;
    const char *id, *method, *route, *target, *cache;
    unsigned status;
    uint64_t bytes;
    uint64_t nanoseconds;
};
void log_request(struct log *log, const struct log_request *request);

/* What became of a job. */
void log_job(struct log *log, const struct job_news *news);

/* One event with a text, flushed at once. */
void log_event(struct log *log, const char *event, const char *text);

/* The first line: where the service listens. */
void log_listening(struct log *log, const char *address, const char *admin);

#endif
