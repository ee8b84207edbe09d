/* exposition.h - metrics in the text exposition format of Prometheus, 0.0.4. It knows no metrics but those of the
 * process. */
#ifndef HTTP_WIRE_EXPOSITION_H
#define HTTP_WIRE_EXPOSITION_H

#include "base/bytes.h"

/* The lines HELP and TYPE of a metric. */
void exposition_head(struct bytes *out, const char *name, const char *type, const char *help);

/* A metric with one value: a counter if its name ends with _total, else a gauge. */
void exposition_one(struct bytes *out, const char *name, const char *help, uint64_t value);

/* A counter of seconds. */
void exposition_seconds(struct bytes *out, const char *name, const char *help, uint64_t nanoseconds);

/* The release and the kernel. */
void exposition_build(struct bytes *out, const char *kernel);

/* What the kernel knows of this process, under the names that all client libraries of Prometheus use. */
void exposition_process(struct bytes *out);

#endif
