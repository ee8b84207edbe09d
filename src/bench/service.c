/* service.c - one reader of a stream, with and without sockets between. */
#include "bench/service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "engine/lists/stream.h"

enum { PIECE = 256 << 10, A_DAY = 86400 };

static double seconds_since(uint64_t start)
{
    return (double)(clock_now() - start) / (double)CLOCK_SECOND;
}

/* ---- In memory ---- */

struct sleeper {
    struct lock lock;
    pthread_cond_t woken;
    bool awake;
};

static void wake(void *who)
{
    struct sleeper *sleeper = who;
    lock_take(&sleeper->lock);
    sleeper->awake = true;
    pthread_cond_signal(&sleeper->woken);
    lock_release(&sleeper->lock);
}

static void sleep_until_woken(struct sleeper *sleeper)
{
    lock_take(&sleeper->lock);
    while (!sleeper->awake)
        lock_wait(&sleeper->woken, &sleeper->lock);
    sleeper->awake = false;
    lock_release(&sleeper->lock);
}

static bool read_stream(struct stream *stream, struct sleeper *sleeper, const struct bench_reader *reader)
{
    static char piece[PIECE];
    for (;;) {
        size_t got;
        const enum nq_status status = stream_read(stream, piece, sizeof piece, &got);
        if (status == NQ_OK)
            reader->read(reader->context, piece, got);
        else if (status != NQ_AGAIN)
            return status == NQ_END;
        else if (stream_wait(stream))
            sleep_until_woken(sleeper);
    }
}

bool bench_stream(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds)
{
    struct question question = {.kind = ASK_SOLVE,
                                .n = n,
                                .base = 1,
                                .format = format_find("ndjson"),
                                .key = "",
                                .path = "",
                                .prefix = "",
                                .list.cursor.algorithm = "bitboard",
                                .list.limit = UINT64_MAX};
    struct sleeper sleeper = {.woken = PTHREAD_COND_INITIALIZER};
    lock_init(&sleeper.lock, LOCK_SLEEPER);
    struct pool *pool = pool_new(&(struct pool_options){.threads = threads});
    struct streams *streams = pool ? streams_new(pool, kernel_find("auto"), NULL, 1, A_DAY) : NULL;
    struct stream *stream;
    bool read = false;
    filter_begin(&question.query.filter, n);
    const uint64_t start = clock_now();
    if (streams && stream_open(streams, &question, wake, &sleeper, &stream) == NQ_OK) {
        read = read_stream(stream, &sleeper, reader);
        pending_close(stream_pending(stream));
    }
    *seconds = seconds_since(start);
    if (pool)
        pool_stop(pool);
    if (streams)
        streams_free(streams);
    if (pool)
        pool_free(pool);
    return read;
}

/* ---- Over HTTP ---- */

/* Starts the server; its log goes to *log. */
static bool start(unsigned threads, pid_t *server, FILE **log)
{
    char number[16];
    const char *const arguments[] = {"nqueensd", "serve",  "--listen",  "127.0.0.1:0", "--admin", "off",
                                     "--store",  "memory", "--threads", number,        NULL};
    int ends[2];
    posix_spawn_file_actions_t actions;
    (void)snprintf(number, sizeof number, "%u", threads);
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool started = posix_spawn(server, "/proc/self/exe", &actions, NULL, (char *const *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *log = started ? fdopen(ends[0], "r") : NULL;
    if (!*log)
        close(ends[0]);
    return *log;
}

/* A connection to the server, whose first log line has its address; -1: there is none. */
static int reach(FILE *log)
{
    static const char before[] = "http://127.0.0.1:";
    char line[512];
    const char *at = fgets(line, sizeof line, log) ? strstr(line, before) : NULL;
    const int socket_of = at ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (socket_of < 0)
        return -1;
    address.sin_port = htons((uint16_t)strtoul(at + sizeof before - 1, NULL, 10));
    if (connect(socket_of, (const struct sockaddr *)&address, sizeof address) == 0)
        return socket_of;
    close(socket_of);
    return -1;
}

/* Reads the body; HTTP/1.0 has it as it is. A cut one ends with a reset. */
static bool fetch(int socket_of, uint32_t n, const struct bench_reader *reader)
{
    static char piece[PIECE];
    char request[64];
    const int size = snprintf(request, sizeof request, "GET /solve?n=%u&format=ndjson HTTP/1.0\r\n\r\n", n);
    size_t head = 0; /* of the four bytes that end it, those seen */
    if (send(socket_of, request, (size_t)size, MSG_NOSIGNAL) != size)
        return false;
    for (;;) {
        const ssize_t got = recv(socket_of, piece, sizeof piece, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 && head == 4;
        size_t at = 0;
        for (; head < 4 && at < (size_t)got; at++)
            head = piece[at] == "\r\n\r\n"[head] ? head + 1 : piece[at] == '\r';
        reader->read(reader->context, piece + at, (size_t)got - at);
    }
}

bool bench_service(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds)
{
    pid_t server;
    FILE *log;
    if (!start(threads, &server, &log))
        return false;
    const int socket_of = reach(log);
    const uint64_t begun = clock_now();
    const bool read = socket_of >= 0 && fetch(socket_of, n, reader);
    *seconds = seconds_since(begun);
    if (socket_of >= 0)
        close(socket_of);
    kill(server, SIGTERM);
    while (fgetc(log) != EOF)
        ; /* its last words */
    (void)fclose(log);
    return waitpid(server, NULL, 0) == server && read;
}
