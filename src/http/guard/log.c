/* log.c - buffers log lines and writes them to standard error. */
#include "http/guard/log.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/lock.h"

/* Bytes of lines kept while nobody reads them; what does not fit is dropped: a log that is not read must not stop the
 * service. */
enum { BUFFERED_MAX = 4 << 20 };

struct log {
    bool json;
    struct lock lock; /* guards all below; never held while writing */
    struct bytes lines;
    size_t line_start; /* of the line that is being appended */
    time_t second;     /* the second that `date` is for */
    char date[32];
    uint64_t dropped;
    bool dropping; /* lines were, since the last batch was taken */
    bool again;    /* lines are to be written that came while a thread writes: it goes on with them */
    bool writing;  /* a thread is; the next two belong to it */
    struct bytes batch;
    size_t written; /* of the batch */
};

struct log *log_new(bool json)
{
    struct log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->json = json;
    lock_init(&log->lock, LOCK_LOG);
    return log;
}

/* Writes as much of the batch as it can without blocking: a pipe that is not read must stop neither the watcher nor a
 * request. Returns whether all is written. Where poll() reports room, PIPE_BUF bytes do not block. */
static bool write_batch(struct log *log, int deadline_ms)
{
    while (log->written < log->batch.size) {
        struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
        if (poll(&ready, 1, deadline_ms) <= 0 || !(ready.revents & POLLOUT))
            return false;
        const size_t left = log->batch.size - log->written;
        ssize_t wrote = write(STDERR_FILENO, log->batch.data + log->written, left < PIPE_BUF ? left : PIPE_BUF);
        if (wrote <= 0)
            return false;
        log->written += (size_t)wrote;
    }
    return true;
}

/* Whether the calling thread is the one that writes now: then what is left of the batch, or the lines buffered since.
 */
static bool take_batch(struct log *log)
{
    lock_take(&log->lock);
    const bool mine = !log->writing;
    log->writing = true;
    log->again = !mine;
    if (mine && log->written == log->batch.size) {
        struct bytes empty = log->batch;
        empty.size = 0;
        log->batch = log->lines;
        log->lines = empty;
        log->written = 0;
        log->dropping = false;
    }
    lock_release(&log->lock);
    return mine;
}

/* Writes what there is, without a word from anybody else about the lines that come meanwhile: no flush is lost. */
static void flush(struct log *log, int deadline_ms)
{
    for (bool again = true; again && take_batch(log);) {
        const bool whole = write_batch(log, deadline_ms);
        lock_take(&log->lock);
        log->writing = false;
        again = whole && log->again;
        lock_release(&log->lock);
    }
}

void log_flush(struct log *log)
{
    flush(log, 0);
}

void log_free(struct log *log)
{
    enum { DEADLINE_MS = 200 };
    flush(log, DEADLINE_MS); /* the rest of the batch, then the lines buffered after it */
    flush(log, DEADLINE_MS);
    lock_destroy(&log->lock);
    bytes_free(&log->lines);
    bytes_free(&log->batch);
    free(log);
}

uint64_t log_dropped(struct log *log)
{
    lock_take(&log->lock);
    const uint64_t dropped = log->dropped;
    lock_release(&log->lock);
    return dropped;
}

bool log_dropping(struct log *log)
{
    lock_take(&log->lock);
    const bool dropping = log->dropping;
    lock_release(&log->lock);
    return dropping;
}

/* Under the lock: appends "2026-11-21T01:38:00.123Z". The date and time of the last second are kept. */
static void timestamp(struct log *log)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec != log->second) {
        struct tm utc;
        gmtime_r(&now.tv_sec, &utc);
        (void)strftime(log->date, sizeof log->date, "%Y-%m-%dT%H:%M:%S", &utc);
        log->second = now.tv_sec;
    }
    const unsigned milliseconds = (unsigned)(now.tv_nsec / 1000000);
    const char tail[] = {'.', (char)('0' + milliseconds / 100), (char)('0' + milliseconds / 10 % 10),
                         (char)('0' + milliseconds % 10), 'Z'};
    bytes_text(&log->lines, log->date);
    bytes_add(&log->lines, tail, sizeof tail);
}

/* Appends a client's text between quotes: what is not printable ASCII is escaped, so that no line can be forged. */
static void quote(struct bytes *out, const char *text)
{
    bytes_char(out, '"');
    for (;;) {
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] <= '~' && text[plain] != '"' && text[plain] != '\\')
            plain++;
        bytes_add(out, text, plain);
        text += plain;
        if (!*text)
            break;
        if (*text == '"' || *text == '\\')
            bytes_format(out, "\\%c", *text);
        else
            bytes_format(out, "\\u%04x", (unsigned)(unsigned char)*text);
        text++;
    }
    bytes_char(out, '"');
}

/* Takes the lock and begins a line with its time and, in JSON, what it is about. */
static void begin_line(struct log *log, const char *event)
{
    lock_take(&log->lock);
    log->line_start = log->lines.size;
    if (!log->json) {
        timestamp(log);
        return;
    }
    json_begin_object(&log->lines, NULL);
    json_begin_text(&log->lines, "time");
    timestamp(log);
    json_end_text(&log->lines);
    json_write_text(&log->lines, "event", event);
}

/* Ends the line and releases the lock. A line for which there is no memory or no room is dropped. */
static void end_line(struct log *log)
{
    if (log->json) {
        json_end_object(&log->lines);
        json_end_document(&log->lines, log->line_start);
    } else {
        bytes_char(&log->lines, '\n');
    }
    if (log->lines.failed || log->lines.size > BUFFERED_MAX) {
        log->dropping = true;
        log->lines.failed = false;
        log->lines.size = log->line_start;
        log->dropped++;
    }
    lock_release(&log->lock);
}

/* Begins a field, whose value is appended to what is returned. In text its name is not shown: all lines have it. */
static struct bytes *add(struct log *log, const char *field)
{
    if (log->json)
        json_name(&log->lines, field);
    else
        bytes_char(&log->lines, ' ');
    return &log->lines;
}

/* The same for a field that not every line has, so that text shows its name. */
static struct bytes *add_named(struct log *log, const char *field)
{
    struct bytes *line = add(log, field);
    if (!log->json) {
        bytes_text(line, field);
        bytes_char(line, '=');
    }
    return line;
}

/* Appends one of the service's own words: quoted in JSON only. */
static void put_word(const struct log *log, struct bytes *line, const char *text)
{
    bytes_text(line, log->json ? "\"" : "");
    bytes_text(line, text);
    bytes_text(line, log->json ? "\"" : "");
}

static void add_word(struct log *log, const char *field, const char *text)
{
    put_word(log, add(log, field), text);
}

/* NULL or "": nothing. */
static void add_named_word(struct log *log, const char *field, const char *text)
{
    if (text && *text)
        put_word(log, add_named(log, field), text);
}

static void add_cost(struct log *log, const struct cost *cost)
{
    bytes_duration(add_named(log, "cpu"), cost->nanoseconds, 9, 6);
    bytes_number(add_named(log, "nodes"), cost->nodes);
}

void log_request(struct log *log, const struct log_request *request)
{
    begin_line(log, "request");
    add_word(log, "id", request->id);
    add_word(log, "method", request->method);
    quote(add(log, "target"), request->target);
    add_word(log, "route", request->route);
    bytes_number(add(log, "status"), request->status);
    bytes_number(add(log, "bytes"), request->bytes);
    bytes_duration(add(log, "seconds"), request->nanoseconds, 9, 6);
    add_word(log, "cache", request->cache);
    add_word(log, "client", request->client);
    if (request->searched) {
        bytes_duration(add_named(log, "wait"), request->waited, 9, 6);
        add_cost(log, &request->cost);
    }
    add_named_word(log, "job", request->job);
    add_named_word(log, "key", request->key);
    add_named_word(log, "trace", request->trace);
    if (*request->trace) {
        add_named_word(log, "span", request->span);
        add_named_word(log, "parent", request->parent);
    }
    end_line(log);
}

void log_job(struct log *log, const struct job_news *news)
{
    begin_line(log, "job");
    bytes_text(&log->lines, log->json ? "" : " job");
    add_word(log, "id", news->id);
    add_word(log, "state", news->what);
    quote(add(log, "query"), news->path);
    if (news->over) {
        bytes_duration(add_named(log, "seconds"), news->nanoseconds, 9, 6);
        add_cost(log, &news->cost);
    }
    if (*news->why)
        quote(add_named(log, "why"), news->why);
    add_named_word(log, "trace", news->trace);
    end_line(log);
}

void log_event(struct log *log, const char *event, const char *text)
{
    begin_line(log, event);
    if (!log->json)
        bytes_format(&log->lines, " %s:", event);
    quote(add(log, "text"), text);
    end_line(log);
    log_flush(log);
}

void log_listening(struct log *log, const char *address, const char *admin)
{
    begin_line(log, "listening");
    if (log->json) {
        quote(add(log, "address"), address);
        quote(add(log, "admin"), *admin ? admin : "off");
    } else {
        bytes_format(&log->lines, " listening on http://%s (%s%s)", address,
                     *admin ? "health and metrics on http://" : "no health, no metrics", admin);
    }
    end_line(log);
    log_flush(log);
}
