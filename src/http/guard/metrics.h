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

/* Appends the metrics of requests and of the engine in the text exposition format, 0.0.4. */
void metrics_write(const struct metrics *metrics, struct engine *engine, struct bytes *out);

#endif
