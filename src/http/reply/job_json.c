/* job_json.c - the members of a job, with its progress. */
#include "http/reply/job_json.h"

#include <math.h>
#include <time.h>

#include "base/json.h"

/* RFC 3339, or null. */
static json_t *moment(int64_t seconds)
{
    char text[32];
    const time_t time = (time_t)seconds;
    struct tm utc;
    if (!seconds || !gmtime_r(&time, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return json_null();
    return json_string(text);
}

static json_t *link(const char *prefix, const char *path, const char *rest)
{
    return json_sprintf("%s%s%s", prefix, path, rest);
}

static double fraction_done(const struct job_view *view)
{
    const struct progress *progress = &view->progress;
    if (view->state == JOB_DONE)
        return 1;
    return progress->weight ? (double)progress->weight_done / (double)progress->weight : 0;
}

void job_write(struct bytes *out, const struct job_view *view, const char *prefix)
{
    const struct progress *progress = &view->progress;
    char self[32];
    (void)snprintf(self, sizeof self, "/jobs/%s", view->id);
    json_t *eta = view->eta_s < 0 ? json_null() : json_integer((json_int_t)ceil(view->eta_s));
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:f, s:o, s:{s:I, s:I, s:I}, s:I, s:o, s:o, s:b, s:i}", "id", view->id, "state",
        job_state_name(view->state), "kind", "count", "query", link(prefix, view->path, ""), "self",
        link(prefix, self, ""), "events", link(prefix, self, "/events"), "progress", fraction_done(view), "eta_seconds",
        eta, "units", "done", (json_int_t)progress->units_done, "total", (json_int_t)progress->units, "restored",
        (json_int_t)progress->units_restored, "nodes", (json_int_t)progress->nodes, "created", moment(view->created),
        "finished", moment(view->finished), "stored", (int)view->stored, "shares", (int)view->subscriptions);
    if (view->fault.text[0])
        json_text(&json, "why", view->fault.text);
    json_failure(&json, "failure", &view->fault);
    json_t *result;
    if (view->result && json_read(view->result->bytes, view->result->size, 0, &result, NULL) != NQ_INVALID)
        json_member(&json, "result", result);
    bytes_json(out, json, JSON_COMPACT | JSON_REAL_PRECISION(12));
}
