/* readiness.c - a sentence for everything that is not as it should be, each with what it is about and what it means. */
#include "http/readiness.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"

enum { DETAIL_MAX = 800 };

static void add(json_t *reasons, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(json_t *reasons, const char *what, const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    for (char *at = detail; *at; at++) /* paths may hold anything; a body is UTF-8 */
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    (void)json_array_append_new(reasons, json_pack("{s:s, s:s}", "what", what, "detail", detail));
}

static void add_store(const struct readiness *now, json_t *reasons)
{
    if (now->fallback)
        add(reasons, "store",
            "The store could not be opened when this process started: %s. What is found out is kept in memory and ends "
            "with the process; mend the store and restart.",
            now->fallback);
    if (now->trouble)
        add(reasons, "store",
            "The store cannot be written: %s. %zu facts wait in memory, and are written when it can be again; they "
            "would be lost with the process. Answers go on.",
            *now->trouble ? now->trouble : "it says nothing of why", now->waiting);
}

static void add_full(const struct readiness *now, json_t *reasons)
{
    if (now->queue && now->queued >= now->queue)
        add(reasons, "queue",
            "%zu searches wait for a thread, as many as may (--queue): what is not cached is refused with 503.",
            now->queued);
    if (now->max_streams && now->streams >= now->max_streams)
        add(reasons, "streams", "%zu streams are open, as many as may be (--max-streams): more are refused with 503.",
            now->streams);
    if (now->max_jobs && now->jobs >= now->max_jobs)
        add(reasons, "jobs", "%zu jobs are not over, as many as may be (--max-jobs): more are refused with 503.",
            now->jobs);
    if (now->max_connections && now->connections >= now->max_connections)
        add(reasons, "connections",
            "%zu clients are connected, as many as may be (--max-connections): others wait until one leaves.",
            now->connections);
    if (now->log_dropping)
        add(reasons, "log", "Nobody reads the log on standard error, and no more of it can be kept: lines are lost.");
}

unsigned readiness_write(const struct readiness *now, struct bytes *out)
{
    json_t *reasons = json_array();
    if (now->draining)
        add(reasons, "draining",
            "The service was told to stop: nobody new is let in, %zu requests are still under way, and then it ends.",
            now->active);
    else if (now->starting)
        add(reasons, "starting", "The public port is not open yet.");
    add_store(now, reasons);
    add_full(now, reasons);
    const bool ill = json_array_size(reasons) > 0;
    const char *status = now->draining ? "draining" : now->starting ? "starting" : ill ? "degraded" : "ready";
    json_t *body = json_pack("{s:s}", "status", status);
    if (ill)
        (void)json_object_set(body, "reasons", reasons);
    bytes_json(out, body, JSON_COMPACT);
    json_decref(reasons);
    return now->draining || now->starting ? 503 : 200;
}
