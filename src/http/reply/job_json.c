/* job_json.c - the members of a job, with its progress. */
#include "http/reply/job_json.h"

#include <math.h>
#include <time.h>

#include "base/json.h"

/* Significant digits of fractions. */
enum { DIGITS = 12 };

/* RFC 3339, or null. */
static void write_moment(struct bytes *out, const char *name, int64_t seconds)
{
    char text[32];
    const time_t time = (time_t)seconds;
    struct tm utc;
    const bool known = seconds && gmtime_r(&time, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_write_text(out, name, known ? text : NULL);
}

static double fraction_done(const struct job_view *view)
{
    const struct progress *progress = &view->progress;
    if (view->state == JOB_DONE)
        return 1;
    return progress->weight ? (double)progress->weight_done / (double)progress->weight : 0;
}

static void write_links(struct bytes *out, const struct job_view *view, const char *prefix)
{
    const char *const links[][4] = {
        {"query", view->path, "", ""}, {"self", "/jobs/", view->id, ""}, {"events", "/jobs/", view->id, "/events"}};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        json_begin_text(out, links[i][0]);
        bytes_text(out, prefix);
        for (size_t k = 1; k < 4; k++)
            bytes_text(out, links[i][k]);
        json_end_text(out);
    }
}

static void write_progress(struct bytes *out, const struct job_view *view)
{
    const struct progress *progress = &view->progress;
    json_write_real(out, "progress", fraction_done(view), DIGITS);
    if (view->eta_s < 0)
        json_write_null(out, "eta_seconds");
    else
        json_write_number(out, "eta_seconds", (uint64_t)ceil(view->eta_s));
    json_begin_object(out, "units");
    json_write_number(out, "done", progress->units_done);
    json_write_number(out, "total", progress->units);
    json_write_number(out, "restored", progress->units_restored);
    json_end_object(out);
    json_write_number(out, "nodes", progress->nodes);
}

/* Any text may stand in a stored record: what is not JSON is left out. */
static void write_result(struct bytes *out, const struct answer *result)
{
    json_t *json;
    if (json_read(result->bytes, result->size, 0, &json, NULL) != NQ_INVALID)
        json_write_value(out, "result", json, JSON_REAL_PRECISION(DIGITS));
    json_decref(json);
}

void job_write(struct bytes *out, const struct job_view *view, const char *prefix)
{
    const size_t start = out->size;
    json_begin_object(out, NULL);
    json_write_text(out, "id", view->id);
    json_write_text(out, "state", job_state_name(view->state));
    json_write_text(out, "kind", "count");
    write_links(out, view, prefix);
    write_progress(out, view);
    write_moment(out, "created", view->created);
    write_moment(out, "finished", view->finished);
    json_write_bool(out, "stored", view->stored);
    json_write_number(out, "shares", view->owners);
    if (view->fault.text[0])
        json_write_text(out, "why", view->fault.text);
    json_failure(out, &view->fault, DIGITS);
    if (view->result)
        write_result(out, view->result);
    json_end_object(out);
    json_end_document(out, start);
}
