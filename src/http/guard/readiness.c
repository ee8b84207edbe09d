/* readiness.c - one sentence for each thing that is wrong: what it is and what follows from it. */
#include "http/guard/readiness.h"

#include <nqueens.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/process.h"

enum { DETAIL_MAX = 800 };

__attribute__((format(printf, 3, 4))) static void add(struct bytes *reasons, const char *what, const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    for (char *at = detail; *at; at++) /* a path may contain any bytes, but a body is UTF-8 */
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    json_begin_object(reasons, NULL);
    json_write_text(reasons, "what", what);
    json_write_text(reasons, "detail", detail);
    json_end_object(reasons);
}

static void add_store(const struct readiness *now, struct bytes *reasons)
{
    if (now->fallback)
        add(reasons, "store",
            "The store could not be opened when this process started: %s. Results are kept in memory and lost when "
            "the process ends. Repair the store and restart.",
            now->fallback);
    if (now->trouble)
        add(reasons, "store",
            "The store cannot be written: %s. %zu facts wait in memory until it works again; they are "
            "lost if the process ends first. The service still answers.",
            *now->trouble ? now->trouble : "no reason is known", now->waiting);
    else if (now->unread)
        add(reasons, "store",
            "The jobs in the store cannot be read: they do not continue, and requests for them return 503. This is "
            "tried "
            "again every second. If the file is damaged, mend it or move it aside, and restart.");
}

static void add_full(const struct readiness *now, struct bytes *reasons)
{
    if (now->queue && now->queued >= now->queue)
        add(reasons, "queue",
            "%zu searches wait for a thread, the limit (--queue): questions that are not cached return 503.",
            now->queued);
    if (now->max_streams && now->streams >= now->max_streams)
        add(reasons, "streams", "%zu streams are open, the limit (--max-streams): further streams return 503.",
            now->streams);
    if (now->max_jobs && now->jobs >= now->max_jobs)
        add(reasons, "jobs", "%zu jobs are unfinished, the limit (--max-jobs): further jobs return 503.", now->jobs);
    if (now->max_connections && now->connections >= now->max_connections)
        add(reasons, "connections",
            "%zu clients are connected, the limit (--max-connections): others wait until a connection closes or is "
            "idle.",
            now->connections);
    if (now->log_dropping)
        add(reasons, "log", "Standard error is not read, and the buffer of the log is full: log lines are lost.");
}

static void add_workers(const struct readiness *now, struct bytes *reasons)
{
    if (now->foreign)
        add(reasons, "workers",
            "%u of %u workers run another release (%s) than this server (%s): they get no work from it%s.",
            now->foreign, now->workers + now->foreign, *now->foreign_release ? now->foreign_release : "unknown",
            build_id, now->workers ? "" : ", and the server counts alone");
}

static void add_notes(const struct readiness *now, struct bytes *notes)
{
    if (now->reload_fault)
        add(notes, "reload",
            "The last reload of files (SIGHUP) failed: %s. What was in force before still is. Correct the file and "
            "send "
            "SIGHUP again.",
            now->reload_fault);
}

void readiness_alive(struct bytes *out)
{
    json_begin_object(out, NULL);
    json_write_text(out, "status", "ok");
    json_end_object(out);
    json_end_document(out, 0);
}

/* Appends a member unless it is empty, and frees it. */
static void write_list(struct bytes *out, const char *name, struct bytes *list)
{
    if (list->size) {
        json_begin_array(out, name);
        bytes_add(out, list->data, list->size);
        json_end_array(out);
    }
    out->failed |= list->failed;
    bytes_free(list);
}

unsigned readiness_write(const struct readiness *now, struct bytes *out)
{
    const size_t start = out->size;
    struct bytes list = {0}, *reasons = &list, *notes = &list;
    if (now->draining)
        add(reasons, "draining",
            now->closing ? "The service is stopping: it accepts no new connections. %zu requests are still under way, "
                           "then it exits."
                         : "The service stops after --drain-delay: until then it accepts connections. %zu requests are "
                           "under way.",
            now->active);
    else if (now->starting)
        add(reasons, "starting", "The public port is not open yet.");
    add_store(now, reasons);
    add_full(now, reasons);
    add_workers(now, reasons);
    const char *ill = list.size ? "degraded" : "ready";
    json_begin_object(out, NULL);
    json_write_text(out, "status", now->draining ? "draining" : now->starting ? "starting" : ill);
    write_list(out, "reasons", reasons);
    add_notes(now, notes);
    write_list(out, "notes", notes);
    json_end_object(out);
    json_end_document(out, start);
    return now->draining || now->starting ? 503 : 200;
}
