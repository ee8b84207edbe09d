/* readiness.h - whether requests are welcome, and if not as they should be, why: for whoever is woken up at night. It
 * knows figures, not where they come from. */
#ifndef HTTP_READINESS_H
#define HTTP_READINESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct readiness {
    bool starting, draining;
    size_t active;        /* requests under way */
    const char *fallback; /* why the store that was wanted is not in use, NULL: it is */
    const char *trouble;  /* of the store that is in use, NULL: it has none */
    size_t waiting;       /* facts that it has not taken yet */
    size_t queued, queue; /* searches that wait for a thread, and how many may */
    size_t streams, max_streams, connections, max_connections, jobs, max_jobs;
    bool log_dropping; /* nobody reads the log, and it is full */
};

/* Appends {"status":...} with its reasons and returns the reply's status: 503 for starting and draining, else 200. */
unsigned readiness_write(const struct readiness *readiness, struct bytes *out);

#endif
