/* log.c - gathers log lines and writes them to standard error. */
#include "http/log.h"

#include <inttypes.h>
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
    bool writing; /* somebody is: they will write the new lines too, so that lines keep their order */
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

void log_free(struct log *log)
{
    log_flush(log);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

static void write_all(const struct bytes *lines)
{
    for (size_t at = 0; at < lines->size;) {
        ssize_t wrote = write(STDERR_FILENO, lines->data + at, lines->size - at);
        if (wrote <= 0)
            return;
        at += (size_t)wrote;
    }
}

void log_flush(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    while (!log->writing && log->lines.size) {
        struct bytes lines = log->lines;
        log->lines = (struct bytes){0};
        log->writing = true;
        pthread_mutex_unlock(&log->lock);
        write_all(&lines);
        bytes_free(&lines);
        pthread_mutex_lock(&log->lock);
        log->writing = false;
    }
    pthread_mutex_unlock(&log->lock);
}

/* "2026-11-21T01:38:00.123Z" */
static void timestamp(char text[static 32])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t size = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    const unsigned milliseconds = (unsigned)(now.tv_nsec / 1000000);
    const char tail[] = {'.',
                         (char)('0' + milliseconds / 100),
                         (char)('0' + milliseconds / 10 % 10),
                         (char)('0' + milliseconds % 10),
                         'Z',
                         '\0'};
    memcpy(text + size, tail, sizeof tail);
}

/* A stranger's text between quotes: what is not plain ASCII is escaped, so that no line can be forged. */
static void quote(struct bytes *out, const char *text)
{
    bytes_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            bytes_char(out, '\\');
        if (*text >= ' ' && *text <= '~')
            bytes_char(out, *text);
        else
            bytes_format(out, "\\u%04x", (unsigned)(unsigned char)*text);
    }
    bytes_char(out, '"');
}

/* Takes a whole line; one that finds no memory is dropped. */
static void gather(struct log *log, struct bytes *line)
{
    pthread_mutex_lock(&log->lock);
    if (!line->failed && log->lines.size + line->size <= GATHER_MAX)
        bytes_add(&log->lines, line->data, line->size);
    if (log->lines.failed)
        bytes_free(&log->lines);
    pthread_mutex_unlock(&log->lock);
    bytes_free(line);
}

void log_request(struct log *log, const struct log_request *request)
{
    struct bytes line = {0};
    char time[32];
    timestamp(time);
    if (log->json) {
        bytes_format(
            &line,
            "{\"time\":\"%s\",\"event\":\"request\",\"id\":\"%s\",\"method\":\"%s\",\"route\":\"%s\",\"target\":", time,
            request->id, request->method, request->route);
        quote(&line, request->target);
        bytes_format(&line, ",\"status\":%u,\"bytes\":%" PRIu64 ",\"seconds\":%.6f,\"cache\":\"%s\"}\n",
                     request->status, request->bytes, request->seconds, request->cache);
    } else {
        bytes_format(&line, "%s %s ", time, request->method);
        quote(&line, request->target);
        bytes_format(&line, " %u %" PRIu64 " bytes %.6f s %s %s\n", request->status, request->bytes, request->seconds,
                     request->cache, request->id);
    }
    gather(log, &line);
}

void log_event(struct log *log, const char *event, const char *text)
{
    struct bytes line = {0};
    char time[32];
    timestamp(time);
    if (log->json) {
        bytes_format(&line, "{\"time\":\"%s\",\"event\":\"%s\",\"text\":", time, event);
        quote(&line, text);
        bytes_text(&line, "}\n");
    } else {
        bytes_format(&line, "%s %s: %s\n", time, event, text);
    }
    gather(log, &line);
    log_flush(log);
}

void log_listening(struct log *log, const char *address, const char *admin)
{
    struct bytes line = {0};
    char time[32];
    timestamp(time);
    if (log->json)
        bytes_format(&line, "{\"time\":\"%s\",\"event\":\"listening\",\"address\":\"%s\",\"admin\":\"%s\"}\n", time,
                     address, admin);
    else
        bytes_format(&line, "%s listening on http://%s (health and metrics on http://%s)\n", time, address, admin);
    gather(log, &line);
    log_flush(log);
}
