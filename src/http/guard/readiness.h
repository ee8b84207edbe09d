/* readiness.h - whether the service is ready and, if not or not fully, why, for the person on call. It knows numbers,
 * not where they come from. */
#ifndef HTTP_GUARD_READINESS_H
#define HTTP_GUARD_READINESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct readiness {
    bool starting, draining;
    bool closing;         /* beside draining: no new connections are accepted */
    size_t active;        /* requests under way */
    const char *fallback; /* why the configured store is not in use, NULL: it is */
    const char *trouble;  /* of the store in use, NULL: none */
    bool unread;          /* the jobs in it could not be read so far */
    size_t waiting;       /* facts not stored yet */
    size_t queued, queue; /* searches that wait for a thread, and the limit of them */
    size_t streams, max_streams, connections, max_connections, jobs, max_jobs;
    unsigned workers, foreign;   /* of this release, of another */
    const char *foreign_release; /* "": unknown */
    bool log_dropping;           /* lines are being lost */
    const char *reload_fault;    /* why the last reload of files failed; NULL: it did not */
};

/* Appends what a process replies as long as it can: {"status":"ok"}. */
void readiness_alive(struct bytes *out);

/* Appends {"status":...} with the reasons, and with notes, which change no status: what works, but not as it is set.
 * Returns the status of the reply: 503 while starting and draining, else 200. */
unsigned readiness_write(const struct readiness *readiness, struct bytes *out);

#endif
