/* job_json.h - a job as clients see it. */
#ifndef HTTP_REPLY_JOB_JSON_H
#define HTTP_REPLY_JOB_JSON_H

#include "engine/jobs/jobs.h"

/* Appends a job as one JSON object and a line feed. prefix: the public one, for its links. */
void job_write(struct bytes *out, const struct job_view *view, const char *prefix);

#endif
