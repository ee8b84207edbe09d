/* test_log_flow.c - tests of src/http/guard/log.c: lines stay whole and in order, from any number of threads, while the
 * log is not read and while standard error is slow. */
/* CI builds: address thread */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/guard/log.h"
#include "support/captured_log.h"
#include "support/questions.h"

/* Lines differ by their ids. */
static void log_line(struct log *log, const char *id)
{
    const struct log_request request = {.client = "::1",
                                        .trace = "",
                                        .job = "",
                                        .id = id,
                                        .method = "GET",
                                        .route = "/solve",
                                        .target = "/solve?n=8",
                                        .cache = "miss",
                                        .status = 200};
    log_request(log, &request);
}

static struct log *new_log(void)
{
    struct log *log = log_new(true);
    assert_non_null(log);
    return log;
}

/* Takes the next line off and reads its id into `id`; false when there is none. */
static bool next_id(char **text, char id[static 32])
{
    const char *line = capture_line(text);
    if (!line)
        return false;
    OWNED(json_decref) json_t *json = capture_json(line);
    (void)snprintf(id, 32, "%s", json_string_value(json_object_get(json, "id")));
    return true;
}

/* While the log is not read, only so many lines are kept; then it continues. */
TEST(test_full_buffer)
{
    enum { MANY = 30000 };
    struct log *log;
    char id[32];
    size_t size;
    unsigned count = 0;
    if (THREAD_SANITIZED) /* it is of one thread */
        skip();
    log = new_log();
    capture_begin();
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(id, sizeof id, "%u", i);
        log_line(log, id);
    }
    log_flush(log);
    log_line(log, "last");
    const uint64_t dropped = log_dropped(log);
    log_free(log);
    char *text = capture_end(&size), *rest = text;
    assert_true(size > 1 << 20 && size < 5 << 20);
    while (next_id(&rest, id) && strcmp(id, "last") != 0)
        assert_int_equal(strtoul(id, NULL, 10), count++);
    assert_string_equal(id, "last");
    assert_string_equal(rest, "");
    assert_int_equal(count + dropped, MANY);
    assert_true(dropped > 0);
    free(text);
}

enum { WRITERS = 4, EACH = 2000 };

struct writer {
    struct log *log;
    unsigned number;
};

static void *write_lines(void *context)
{
    const struct writer *writer = context;
    for (unsigned i = 0; i < EACH; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "%u-%u", writer->number, i);
        log_line(writer->log, id);
        log_flush(writer->log);
    }
    return NULL;
}

/* Every line of every thread is written once, and those of one thread keep their order. */
TEST(test_many_threads)
{
    struct log *log = new_log();
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    unsigned next[WRITERS] = {0};
    int started = 0;
    char id[32], *dash;
    capture_begin();
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){log, i};
        started += pthread_create(&threads[i], NULL, write_lines, &writers[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    log_free(log);
    char *text = capture_end(NULL), *rest = text;
    assert_int_equal(started, WRITERS);
    while (next_id(&rest, id)) {
        const unsigned long writer = strtoul(id, &dash, 10);
        assert_true(writer < WRITERS && *dash == '-');
        assert_int_equal(strtoul(dash + 1, NULL, 10), next[writer]++);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(next[i], EACH);
    free(text);
}

/* Standard error as a pipe, and its reader. */
struct terminal {
    int out, kept;
    struct bytes text;
    atomic_size_t lines; /* read so far */
    atomic_bool read;    /* all of it */
};

static void terminal_begin(struct terminal *terminal)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *terminal = (struct terminal){.out = ends[0], .kept = dup(STDERR_FILENO)};
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(ends[1]);
}

/* From here on standard error is the old one, and the pipe has no writer. */
static void terminal_end(struct terminal *terminal)
{
    (void)dup2(terminal->kept, STDERR_FILENO);
    (void)close(terminal->kept);
}

static void *read_terminal(void *context)
{
    struct terminal *terminal = context;
    ssize_t got;
    do {
        char *to = bytes_reserve(&terminal->text, 4096);
        got = read(terminal->out, to, 4095);
        for (ssize_t i = 0; i < got; i++)
            atomic_fetch_add(&terminal->lines, to[i] == '\n');
        terminal->text.size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    bytes_char(&terminal->text, '\0');
    atomic_store(&terminal->read, true);
    return NULL;
}

/* An action on a log, on a thread of its own. */
struct action {
    struct log *log;
    void (*act)(struct log *log);
    pthread_t thread;
    atomic_bool done;
};

static void *act(void *context)
{
    struct action *action = context;
    action->act(action->log);
    atomic_store(&action->done, true);
    return NULL;
}

/* Runs it, and waits for its end. False: it blocks. It must be joined. */
static bool completes(struct action *action)
{
    const uint64_t given_up = clock_now() + PATIENCE / 4;
    if (pthread_create(&action->thread, NULL, act, action) != 0)
        abort();
    while (!atomic_load(&action->done) && clock_now() < given_up)
        asking_pause();
    return atomic_load(&action->done);
}

static void log_event_now(struct log *log)
{
    log_event(log, "event", "");
}

/* Two threads have an event each, perhaps at one time: both lines are there, though nobody flushes later. */
TEST(test_events_at_one_time)
{
    enum { ROUNDS = SANITIZED ? 500 : 2000, WHO = 2 };
    struct log *log = new_log();
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct action actions[WHO] = {{.log = log, .act = log_event_now}, {.log = log, .act = log_event_now}};
        unsigned lines = 0;
        capture_begin();
        for (unsigned j = 0; j < WHO; j++)
            if (pthread_create(&actions[j].thread, NULL, act, &actions[j]) != 0)
                abort();
        for (unsigned j = 0; j < WHO; j++)
            (void)pthread_join(actions[j].thread, NULL);
        char *text = capture_end(NULL);
        for (char *rest = text; capture_line(&rest);)
            lines++;
        free(text);
        assert_int_equal(lines, WHO);
    }
    log_free(log);
}

/* Far more lines than a pipe holds. */
static void log_many(struct log *log, unsigned many)
{
    for (unsigned i = 0; i < many; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "%u", i);
        log_line(log, id);
    }
}

/* No thread waits for a terminal that is not read; once it is, the rest is written, in order. */
TEST(test_slow_terminal)
{
    enum { MANY = 2000 };
    struct log *log = new_log();
    struct action actions[3] = {
        {.log = log, .act = log_flush}, {.log = log, .act = log_flush}, {.log = log, .act = log_event_now}};
    struct terminal terminal;
    pthread_t reader;
    bool went[3];
    log_many(log, MANY);
    terminal_begin(&terminal);
    for (int i = 0; i < 3; i++)
        went[i] = completes(&actions[i]);
    log_line(log, "last");
    if (pthread_create(&reader, NULL, read_terminal, &terminal) != 0)
        abort();
    const uint64_t given_up = clock_now() + PATIENCE / 4;
    for (; atomic_load(&terminal.lines) < MANY + 2 && clock_now() < given_up; asking_pause())
        log_flush(log);
    for (int i = 0; i < 3; i++)
        (void)pthread_join(actions[i].thread, NULL);
    log_free(log);
    terminal_end(&terminal);
    (void)pthread_join(reader, NULL);
    (void)close(terminal.out);
    for (int i = 0; i < 3; i++)
        assert_true(went[i]);
    assert_int_equal(terminal.lines, MANY + 2);
    char *rest = terminal.text.data, id[32];
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(next_id(&rest, id));
        assert_int_equal(strtoul(id, NULL, 10), i);
    }
    assert_non_null(strstr(capture_line(&rest), "\"event\":\"event\""));
    assert_true(next_id(&rest, id));
    assert_string_equal(id, "last");
    bytes_free(&terminal.text);
}

/* The end of the service does not wait long for it either. */
TEST(test_stuck_terminal)
{
    struct action action = {.log = new_log(), .act = log_free};
    struct terminal terminal;
    log_many(action.log, 2000);
    terminal_begin(&terminal);
    const bool went = completes(&action);
    (void)close(terminal.out); /* an action that still blocks fails now */
    terminal_end(&terminal);
    (void)pthread_join(action.thread, NULL);
    assert_true(went);
}

static int begin(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN); /* as the service does */
    return 0;
}

GROUP(begin, NULL)
