/* exposition.h - figures in the text exposition format of Prometheus, 0.0.4. It knows none by itself but those of the
 * process. */
#ifndef HTTP_EXPOSITION_H
#define HTTP_EXPOSITION_H

#include "base/bytes.h"

/* The two lines before the values of a metric. */
void exposition_head(struct bytes *out, const char *name, const char *type, const char *help);

/* A metric with one value. */
void exposition_one(struct bytes *out, const char *name, const char *type, const char *help, uint64_t value);

/* A counter of seconds, from nanoseconds. */
void exposition_seconds(struct bytes *out, const char *name, const char *help, uint64_t nanoseconds);

/* The release and the kernel. */
void exposition_build(struct bytes *out, const char *kernel);

/* What the system knows of this process, under the names that every client library of Prometheus gives it. */
void exposition_process(struct bytes *out);

#endif
