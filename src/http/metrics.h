/* metrics.h - what has been served, in numbers, as Prometheus reads them. */
#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include "base/bytes.h"
#include "engine/engine.h"

struct metrics;

/* routes[0..count): names of the routes; one more row, "none", takes requests that found no route. */
struct metrics *metrics_new(size_t count, const char *const *routes);
void metrics_free(struct metrics *metrics);

/* Counts one finished request; route = count for "none". Any thread. */
void metrics_request(struct metrics *metrics, size_t route, unsigned status, uint64_t nanoseconds);

/* Figures of the server itself. */
struct metrics_extra {
    size_t active, connections, most_connections, reply_bytes;
    uint64_t log_dropped, connections_refused, clients_refused, access_refused, slow_cut;
    bool fallback; /* the store that was wanted is not in use */
};

/* Appends the text exposition format, 0.0.4. */
void metrics_write(const struct metrics *metrics, struct engine *engine, const struct metrics_extra *extra,
                   struct bytes *out);

#endif
