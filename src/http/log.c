/* log.c - gathers log lines and writes them to standard error. */
#include "http/log.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"

/* Lines kept while nobody takes them; beyond it they are dropped: a log that stands still must not stop the service. */
enum { GATHER_MAX = 4 << 20 };

struct log {
    bool json;
    pthread_mutex_t lock; /* guards all below; never held while writing */
    struct bytes lines;
    size_t begun;  /* where the line being written begins */
    time_t second; /* the one `date` tells */
    char date[32];
    uint64_t dropped;
    bool dropping; /* some were since the last batch was taken */
    bool writing;  /* somebody is: the next two are theirs */
    struct bytes batch;
    size_t written; /* of the batch */
};

struct log *log_new(bool json)
{
    struct log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->json = json;
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

/* Writes what it can of the batch without waiting: a pipe that is not read must stop neither the watcher nor a request.
 * Returns whether all is written. Where poll says there is room, PIPE_BUF bytes do not block. */
static bool write_batch(struct log *log, int patience_ms)
{
    while (log->written < log->batch.size) {
        struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
        if (poll(&ready, 1, patience_ms) <= 0 || !(ready.revents & POLLOUT))
            return false;
        const size_t left = log->batch.size - log->written;
        ssize_t wrote = write(STDERR_FILENO, log->batch.data + log->written, left < PIPE_BUF ? left : PIPE_BUF);
        if (wrote <= 0)
            return false;
        log->written += (size_t)wrote;
    }
    return true;
}

/* Writes the batch, and takes the lines gathered since as the next one. */
static void flush(struct log *log, int patience_ms)
{
    pthread_mutex_lock(&log->lock);
    bool mine = !log->writing;
    log->writing = true;
    if (mine && log->written == log->batch.size) {
        struct bytes empty = log->batch;
        empty.size = 0;
        log->batch = log->lines;
        log->lines = empty;
        log->written = 0;
        log->dropping = false;
    }
    pthread_mutex_unlock(&log->lock);
    if (!mine)
        return;
    (void)write_batch(log, patience_ms);
    pthread_mutex_lock(&log->lock);
    log->writing = false;
    pthread_mutex_unlock(&log->lock);
}

void log_flush(struct log *log)
{
    flush(log, 0);
}

void log_free(struct log *log)
{
    enum { PATIENCE_MS = 200 };
    flush(log, PATIENCE_MS); /* the rest of the batch, then what was gathered behind it */
    flush(log, PATIENCE_MS);
    pthread_mutex_destroy(&log->lock);
    bytes_free(&log->lines);
    bytes_free(&log->batch);
    free(log);
}

uint64_t log_dropped(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    const uint64_t dropped = log->dropped;
    pthread_mutex_unlock(&log->lock);
    return dropped;
}

bool log_dropping(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    const bool dropping = log->dropping;
    pthread_mutex_unlock(&log->lock);
    return dropping;
}

/* Appends "2026-11-21T01:38:00.123Z". Under the lock: the date and time of the last second are kept. */
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

/* A stranger's text between quotes: what is not plain ASCII is escaped, so that no line can be forged. */
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

/* Begins a line with its time and takes the lock; the line is written to what is returned, then ended. */
static struct bytes *begin_line(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    log->begun = log->lines.size;
    bytes_text(&log->lines, log->json ? "{\"time\":\"" : "");
    timestamp(log);
    return &log->lines;
}

/* Ends the line. One that finds no memory, or no room, is dropped; what stood before is still there. */
static void end_line(struct log *log)
{
    if (log->lines.failed || log->lines.size > GATHER_MAX) {
        log->dropping = true;
        log->lines.failed = false;
        log->lines.size = log->begun;
        log->dropped++;
    }
    pthread_mutex_unlock(&log->lock);
}

/* Appends ,"name": or a blank, as the form wants it. */
static void name(struct bytes *line, bool json, const char *field)
{
    if (json) {
        bytes_text(line, ",\"");
        bytes_text(line, field);
        bytes_text(line, "\":");
    } else {
        bytes_char(line, ' ');
    }
}

/* A word of our own, quoted only in JSON. */
static void word(struct bytes *line, bool json, const char *field, const char *text)
{
    name(line, json, field);
    bytes_text(line, json ? "\"" : "");
    bytes_text(line, text);
    bytes_text(line, json ? "\"" : "");
}

/* What not every line has tells its name in either form. */
static void extra(struct bytes *line, bool json, const char *field)
{
    name(line, json, field);
    if (!json) {
        bytes_text(line, field);
        bytes_char(line, '=');
    }
}

/* The same with a word of our own; "": nothing. */
static void extra_word(struct bytes *line, bool json, const char *field, const char *text)
{
    if (!*text)
        return;
    extra(line, json, field);
    bytes_text(line, json ? "\"" : "");
    bytes_text(line, text);
    bytes_text(line, json ? "\"" : "");
}

static void add_cost(struct bytes *line, bool json, const struct cost *cost)
{
    extra(line, json, "cpu");
    bytes_duration(line, cost->nanoseconds, 9, 6);
    extra(line, json, "nodes");
    bytes_number(line, cost->nodes);
}

void log_request(struct log *log, const struct log_request *request)
{
    struct bytes *line = begin_line(log);
    const bool json = log->json;
    bytes_text(line, json ? "\",\"event\":\"request\"" : "");
    word(line, json, "id", request->id);
    word(line, json, "method", request->method);
    name(line, json, "target");
    quote(line, request->target);
    word(line, json, "route", request->route);
    name(line, json, "status");
    bytes_number(line, request->status);
    name(line, json, "bytes");
    bytes_number(line, request->bytes);
    name(line, json, "seconds");
    bytes_duration(line, request->nanoseconds, 9, 6);
    word(line, json, "cache", request->cache);
    word(line, json, "client", request->client);
    if (request->searched) {
        extra(line, json, "wait");
        bytes_duration(line, request->waited, 9, 6);
        add_cost(line, json, &request->cost);
    }
    extra_word(line, json, "job", request->job);
    if (request->key)
        extra_word(line, json, "key", request->key);
    extra_word(line, json, "trace", request->trace);
    if (*request->trace) {
        extra_word(line, json, "span", request->span);
        extra_word(line, json, "parent", request->parent);
    }
    bytes_text(line, json ? "}\n" : "\n");
    end_line(log);
}

void log_job(struct log *log, const struct job_news *news)
{
    struct bytes *line = begin_line(log);
    const bool json = log->json;
    bytes_text(line, json ? "\",\"event\":\"job\"" : " job");
    word(line, json, "id", news->id);
    word(line, json, "state", news->what);
    name(line, json, "query");
    quote(line, news->path);
    if (news->over) {
        extra(line, json, "seconds");
        bytes_duration(line, news->nanoseconds, 9, 6);
        add_cost(line, json, &news->cost);
    }
    if (*news->why) {
        extra(line, json, "why");
        quote(line, news->why);
    }
    extra_word(line, json, "trace", news->trace);
    bytes_text(line, json ? "}\n" : "\n");
    end_line(log);
}

void log_event(struct log *log, const char *event, const char *text)
{
    struct bytes *line = begin_line(log);
    if (log->json) {
        bytes_format(line, "\",\"event\":\"%s\",\"text\":", event);
        quote(line, text);
        bytes_text(line, "}\n");
    } else {
        bytes_format(line, " %s: ", event);
        quote(line, text);
        bytes_char(line, '\n');
    }
    end_line(log);
    log_flush(log);
}

void log_listening(struct log *log, const char *address, const char *admin)
{
    struct bytes *line = begin_line(log);
    if (log->json) {
        bytes_text(line, "\",\"event\":\"listening\",\"address\":");
        quote(line, address);
        bytes_text(line, ",\"admin\":");
        quote(line, *admin ? admin : "off");
        bytes_text(line, "}\n");
    } else if (*admin)
        bytes_format(line, " listening on http://%s (health and metrics on http://%s)\n", address, admin);
    else
        bytes_format(line, " listening on http://%s (no health, no metrics)\n", address);
    end_line(log);
    log_flush(log);
}
