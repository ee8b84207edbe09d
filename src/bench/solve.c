/* solve.c - `nqueensd bench solve`: every solution of a size, in order, to memory and as NDJSON lines, against the
 * textbook recursion that prints with printf; then the stream of the service, in memory and read over HTTP. All output
 * is summed up, so that the compiler cannot leave it out, and so that all contestants with the same form must agree. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/options.h"
#include "bench/bench.h"
#include "engine/lists/stream.h"
#include "formats/format.h"
#include "formats/lines.h"
#include "http/wire/address.h"
#include "solvers/lister.h"

/* ---- Lists as the service makes them: in memory, and sent to a client ---- */

/* Gets the bytes of a body as they come. */
struct bench_reader {
    void (*read)(void *context, const char *data, size_t size);
    void *context;
};

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

/* Reads the stream of all solutions of n as NDJSON, made by so many threads of a pool in this process, as fast as it
 * comes. *seconds is how long it took. False: it did not come to its end. */
static bool bench_stream(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds)
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
    static const char before[] = "http://";
    char line[512];
    char *at = fgets(line, sizeof line, log) ? strstr(line, before) : NULL;
    int socket_of = -1;
    if (!at)
        return -1;
    at += sizeof before - 1;
    at[strcspn(at, " ")] = '\0';
    (void)address_connect(at, &socket_of);
    return socket_of;
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

/* The same over HTTP, from a server of its own that this program is started as, without the time that takes. */
static bool bench_service(uint32_t n, unsigned threads, const struct bench_reader *reader, double *seconds)
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

/* ---- Contestants ---- */

enum { CONTESTANTS_MAX = 16, MOST_N = 18, CHUNK = 1024 };

/* The number of items and a checksum that depends on their order: the sum of all words, and the sum of these sums. */
struct sums {
    uint64_t items, bytes, first, second;
    double seconds; /* of a contestant that measures its time itself; else 0 */
};

static inline void add_items(struct sums *sums, const void *items, size_t size, size_t count)
{
    const char *at = items;
    uint64_t first = sums->first, second = sums->second;
    for (size_t i = 0; i < count; i++, at += size) {
        uint64_t word = 0;
        size_t done = 0;
        for (; done + sizeof word <= size; done += sizeof word) {
            memcpy(&word, at + done, sizeof word);
            second += first += word;
        }
        word = 0;
        for (size_t j = done; j < size; j++)
            word = word << 8 | (unsigned char)at[j];
        second += first += word;
    }
    sums->first = first;
    sums->second = second;
    sums->items += count;
    sums->bytes += size * count;
}

/* One way of listing. */
struct contestant {
    char name[80];
    bool (*run)(const struct contestant *contestant, uint32_t n, struct sums *sums);
    const struct finder *finder;
    unsigned threads;
    bool lines, unseen; /* NDJSON, not rows of bytes; the output is not summed */
    bool sent;          /* over HTTP */
    struct sums sums;
    double seconds[BENCH_ROUNDS_MAX];
};

/* ---- The references ---- */

struct printer {
    FILE *to;
    uint32_t n;
    uint32_t columns[MOST_N];
    uint64_t count;
};

static void print_solution(struct printer *printer)
{
    (void)fprintf(printer->to, "{\"permutation\":[");
    for (uint32_t row = 0; row < printer->n; row++)
        (void)fprintf(printer->to, row ? ",%" PRIu32 : "%" PRIu32, printer->columns[row] + 1);
    (void)fprintf(printer->to, "]}\n");
    printer->count++;
}

static void place(struct printer *printer, uint32_t row, uint32_t columns, uint32_t left, uint32_t right)
{
    if (row == printer->n) {
        print_solution(printer);
        return;
    }
    uint32_t free = ~UINT32_C(0) >> (32 - printer->n) & ~(columns | left | right);
    while (free) {
        const uint32_t queen = free & -free;
        free ^= queen;
        printer->columns[row] = (uint32_t)__builtin_ctz(queen);
        place(printer, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
}

static bool run_textbook(const struct contestant *contestant, uint32_t n, struct sums *sums)
{
    (void)contestant;
    struct printer printer = {.to = fopen("/dev/null", "we"), .n = n};
    if (!printer.to)
        return false;
    place(&printer, 0, 0, 0, 0);
    sums->items = printer.count;
    return fclose(printer.to) == 0;
}

/* The cursor, one solution at a time, and the writer of one solution. */
static bool run_cursor(const struct contestant *contestant, uint32_t n, struct sums *sums)
{
    struct nq_cursor *cursor;
    struct bytes text = {0};
    const struct list_head head = {.n = n, .base = 1};
    const struct format *ndjson = format_find("ndjson");
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t budget = UINT64_MAX;
    if (nq_cursor_open(NULL, n, &cursor) != NQ_OK)
        return false;
    while (nq_cursor_next(cursor, &budget, columns) == NQ_OK) {
        uint8_t row[MOST_N];
        if (contestant->lines) {
            text.size = 0;
            ndjson->list_solution(&text, &head, columns, 0, 0);
            add_items(sums, text.data, text.size, 1);
            continue;
        }
        for (uint32_t i = 0; i < n; i++)
            row[i] = (uint8_t)columns[i];
        add_items(sums, row, n, 1);
    }
    nq_cursor_close(cursor);
    bytes_free(&text);
    return true;
}

/* ---- The lister, alone ---- */

static bool run_lister(const struct contestant *contestant, uint32_t n, struct sums *sums)
{
    static uint8_t rows[CHUNK * MOST_N];
    static char text[CHUNK * LINES_MAX_SIZE + LINES_SLACK];
    static struct lines lines;
    struct lister *lister;
    enum nq_status status = NQ_OK;
    uint64_t budget = UINT64_MAX;
    if (lister_open(n, NULL, contestant->finder, 0, &lister) != NQ_OK)
        return false;
    lines_begin(&lines, n, 1);
    while (status == NQ_OK) {
        size_t count;
        struct run run;
        if (contestant->lines) {
            status = lister_take(lister, &budget, CHUNK, &run);
            (void)lines_write_run(&lines, &run, text);
            add_items(sums, text, lines.size, run.count);
        } else {
            status = lister_next(lister, &budget, rows, CHUNK, &count);
            add_items(sums, rows, n, count);
        }
    }
    lister_close(lister);
    return true;
}

/* ---- As the service does, by several threads, for one reader ---- */

/* `left` lines of equal length are to come, and then a last one of another length. */
struct gathering {
    struct sums *sums;
    uint64_t left;
    size_t line, have; /* bytes of a line, and those of an incomplete line in `rest` */
    char rest[256];
};

static size_t gather_lines(struct gathering *gathering, const char *data, size_t size)
{
    const size_t all = size / gathering->line, lines = all < gathering->left ? all : (size_t)gathering->left;
    add_items(gathering->sums, data, gathering->line, lines);
    gathering->left -= lines;
    return lines * gathering->line;
}

static void gather(void *context, const char *data, size_t size)
{
    struct gathering *gathering = context;
    while (size && gathering->left) {
        size_t done = gathering->have ? 0 : gather_lines(gathering, data, size);
        if (!done) {
            const size_t missing = gathering->line - gathering->have;
            done = size < missing ? size : missing;
            memcpy(gathering->rest + gathering->have, data, done);
            gathering->have += done;
        }
        if (gathering->have == gathering->line) {
            (void)gather_lines(gathering, gathering->rest, gathering->line);
            gathering->have = 0;
        }
        data += done;
        size -= done;
    }
}

static bool run_service(const struct contestant *contestant, uint32_t n, struct sums *sums)
{
    static struct lines lines;
    lines_begin(&lines, n, 1);
    struct gathering gathering = {.sums = sums, .line = lines.size};
    if (nq_known_count(n, &gathering.left) != NQ_OK)
        gathering.left = 0;
    const struct bench_reader reader = {gather, &gathering};
    double *seconds = &sums->seconds;
    return contestant->sent ? bench_service(n, contestant->threads, &reader, seconds)
                            : bench_stream(n, contestant->threads, &reader, seconds);
}

/* ---- The race ---- */

struct options {
    unsigned long n, rounds, threads;
    const char *only; /* contestants whose names begin so; NULL: all */
    bool json;
};

static void enter(struct contestant *list, size_t *count, const struct options *options, struct contestant entry,
                  const char *name, const char *after)
{
    (void)snprintf(entry.name, sizeof entry.name, "%s%s%s", name, after, entry.lines ? ", ndjson" : "");
    entry.threads += entry.threads == 0;
    if (*count < CONTESTANTS_MAX && (!options->only || strncmp(entry.name, options->only, strlen(options->only)) == 0))
        list[(*count)++] = entry;
}

static size_t line_up(struct contestant *list, const struct options *options)
{
    size_t count = 0;
    const struct finder *last = NULL;
    enter(list, &count, options, (struct contestant){.run = run_textbook, .unseen = true}, "textbook", ", printf");
    for (int lines = 0; lines < 2; lines++)
        enter(list, &count, options, (struct contestant){.run = run_cursor, .lines = lines}, "cursor", "");
    for (const struct kernel *const *at = kernels; *at; at++) {
        const struct finder *finder = finder_of(*at);
        for (int lines = 0; lines < 2 && finder != last; lines++)
            enter(list, &count, options, (struct contestant){.run = run_lister, .finder = finder, .lines = lines},
                  "lister ", finder->name);
        last = finder;
    }
    for (unsigned threads = 1; threads <= options->threads; threads += threads + 1 < options->threads ? threads : 1)
        for (int sent = 0; sent < 2; sent++) {
            char after[40];
            (void)snprintf(after, sizeof after, "%u thread%s", threads, threads > 1 ? "s" : "");
            enter(list, &count, options,
                  (struct contestant){.run = run_service, .threads = threads, .lines = true, .sent = sent},
                  sent ? "over HTTP, " : "stream, ", after);
        }
    return count;
}

/* One round of one contestant; false, with a message, if its list is wrong or differs from that of another one. */
static bool take_turn(struct contestant *list, size_t which, uint32_t n, unsigned round)
{
    struct contestant *contestant = &list[which];
    struct sums sums = {0};
    uint64_t known = 0;
    const double start = bench_seconds(1);
    bool right = contestant->run(contestant, n, &sums);
    contestant->seconds[round] = sums.seconds > 0 ? sums.seconds : bench_seconds(1) - start;
    contestant->sums = sums;
    right = right && nq_known_count(n, &known) == NQ_OK && sums.items == known;
    for (size_t i = 0; i < which; i++)
        if (list[i].lines == contestant->lines && !list[i].unseen)
            right = right && list[i].sums.first == sums.first && list[i].sums.second == sums.second;
    if (!right)
        fprintf(stderr, "%s: another list, of %" PRIu64 " solutions\n", contestant->name, sums.items);
    return right;
}

/* ---- The first solutions of large boards, one thread ---- */

enum { FIRST = 100 };

/* Seconds of the processor for the first solutions of a board; negative: they were not found. */
static double find_first(uint32_t n)
{
    const double start = bench_seconds(1);
    struct nq_cursor *cursor;
    uint32_t columns[NQ_LIST_MAX_N], found = 0;
    uint64_t budget = UINT64_C(1) << 32;
    if (nq_cursor_open("fewest-first", n, &cursor) != NQ_OK)
        return -1;
    while (found < FIRST && nq_cursor_next(cursor, &budget, columns) == NQ_OK)
        found++;
    nq_cursor_close(cursor);
    return found == FIRST ? bench_seconds(1) - start : -1;
}

/* {"n": 64, "solutions": 100, "seconds": median, "rounds": [seconds of each]} */
static void write_entry(struct bytes *out, uint32_t n, const double *seconds, unsigned rounds)
{
    json_begin_object(out, NULL);
    json_write_number(out, "n", n);
    json_write_number(out, "solutions", FIRST);
    bench_rounds(out, seconds, rounds);
    json_end_object(out);
}

/* The CPU time of them, in at most BENCH_ROUNDS_MAX rounds: an entry for each board, or printed, if json is NULL, as
 * the median. False: some were not found. */
static bool bench_first(unsigned rounds, struct bytes *json)
{
    static const uint32_t sizes[] = {64, 1000};
    if (!json)
        printf("first %d solutions, order=any, median of %u rounds; CPU seconds\n", FIRST, rounds);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double seconds[BENCH_ROUNDS_MAX];
        for (unsigned round = 0; round < rounds; round++) {
            seconds[round] = find_first(sizes[i]);
            if (seconds[round] < 0)
                return false;
        }
        if (json)
            write_entry(json, sizes[i], seconds, rounds);
        else
            printf("n=%-38u %10.4f\n", (unsigned)sizes[i], bench_median(seconds, rounds));
    }
    return true;
}

/* ---- What is printed ---- */

static void print_table(const struct contestant *list, size_t count, const struct options *options)
{
    const unsigned rounds = (unsigned)options->rounds;
    const double reference = bench_median(list[0].seconds, rounds);
    printf("solve n=%lu, median of %u rounds in turns; CPU seconds, of the service elapsed ones\n", options->n, rounds);
    printf("%-40s %10s %10s %14s %10s\n", "", "seconds", "textbook", "M solutions/s", "MB/s");
    for (size_t i = 0; i < count; i++) {
        const double seconds = bench_median(list[i].seconds, rounds);
        printf("%-40s %10.4f %9.2fx %14.3f", list[i].name, seconds, reference / seconds,
               (double)list[i].sums.items / seconds / 1e6);
        if (list[i].unseen)
            printf(" %10s\n", "-");
        else
            printf(" %10.1f\n", (double)list[i].sums.bytes / seconds / 1e6);
    }
}

static int print_json(const struct contestant *list, size_t count, const struct options *options)
{
    const unsigned rounds = (unsigned)options->rounds;
    const double reference = bench_median(list[0].seconds, rounds);
    struct bytes text = {0};
    bench_contest(&text, "solve", options->n, rounds, list[0].name);
    for (size_t i = 0; i < count; i++) {
        const double seconds = bench_median(list[i].seconds, rounds);
        bench_contestant(&text, list[i].name, list[i].threads, list[i].seconds, rounds, reference);
        json_write_real(&text, "solutions_per_second", (double)list[i].sums.items / seconds, BENCH_DIGITS);
        json_write_real(&text, "bytes_per_second", (double)list[i].sums.bytes / seconds, BENCH_DIGITS);
        json_end_object(&text);
    }
    json_end_array(&text);
    json_begin_array(&text, "first");
    if (!bench_first(rounds, &text)) {
        bytes_free(&text);
        return 1;
    }
    json_end_array(&text);
    return bench_print(&text);
}

int bench_solve(int count, char **arguments)
{
    static struct contestant list[CONTESTANTS_MAX];
    struct options options = {.n = 12, .rounds = 5, .threads = 1};
    const struct command_option known[] = {
        {.name = "--n", .number = &options.n, .least = 1, .most = MOST_N},
        {.name = "--rounds", .number = &options.rounds, .least = 1, .most = BENCH_ROUNDS_MAX},
        {.name = "--threads", .number = &options.threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--only", .text = &options.only},
        {.name = "--format", .read = bench_format, .to = &options.json, .form = "table or json"},
        {0},
    };
    if (!options_read("bench", known, count, arguments))
        return 2;
    const size_t contestants = line_up(list, &options);
    if (!contestants) {
        fprintf(stderr, "nqueensd bench: no contestant's name begins with %s\n", options.only);
        return 2;
    }
    for (unsigned round = 0; round < options.rounds; round++)
        for (size_t i = 0; i < contestants; i++)
            if (!take_turn(list, i, (uint32_t)options.n, round))
                return 1;
    if (options.json)
        return print_json(list, contestants, &options);
    print_table(list, contestants, &options);
    return bench_first((unsigned)options.rounds, NULL) ? 0 : 1;
}
