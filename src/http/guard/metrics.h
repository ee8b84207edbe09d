/* metrics.h - counters and gauges of the whole service, as Prometheus reads them. */
#ifndef HTTP_GUARD_METRICS_H
#define HTTP_GUARD_METRICS_H

#include "base/bytes.h"
#include "engine/engine.h"

struct metrics;

/* route: the name of the i-th of `count` routes; one more row, "none", is for requests that match no route. */
struct metrics *metrics_new(size_t count, const char *(*route)(size_t i));
void metrics_free(struct metrics *metrics);

/* Counts a finished request; route = count for "none". Any thread. */
void metrics_request(struct metrics *metrics, size_t route, unsigned status, uint64_t nanoseconds);

/* Stats of the server, beside those of the engine. */
struct metrics_extra {
    size_t active, connections, most_connections, reply_bytes;
    uint64_t log_dropped, connections_refused, clients_refused, access_refused, slow_cut, gave_way;
    bool reload_failed;  /* the last time; and when that was: */
    int64_t reload_time; /* seconds since 1970 */
    bool fallback;       /* the configured store is not in use */
};

/* Appends the metrics in the text exposition format, 0.0.4. */
void metrics_write(const struct metrics *metrics, struct engine *engine, const struct metrics_extra *extra,
                   struct bytes *out);

#endif
