/* test_http_log_flow.c - tests of src/http/log.c: lines stay whole and in order, from any number of threads, while
 * nobody takes them and while standard error is slow. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "asking.h"
#include "capture.h"
#include "http/log.h"

/* Lines are told apart by their ids. */
static void log_line(struct log *log, const char *id)
{
    const struct log_request request = {
        .id = id, .method = "GET", .route = "/solve", .target = "/solve?n=8", .cache = "miss", .status = 200};
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
    json_t *json = capture_json(line);
    (void)snprintf(id, 32, "%s", json_string_value(json_object_get(json, "id")));
    json_decref(json);
    return true;
}

/* While nobody takes the lines, only so many are kept; then it goes on. */
static void test_a_log_that_stands_still(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    struct log *log = new_log();
    char id[32];
    size_t size;
    unsigned count = 0;
    capture_begin();
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(id, sizeof id, "%u", i);
        log_line(log, id);
    }
    log_flush(log);
    log_line(log, "last");
    log_free(log);
    char *text = capture_end(&size), *rest = text;
    assert_true(size > 1 << 20 && size < 5 << 20);
    while (next_id(&rest, id) && strcmp(id, "last") != 0)
        assert_int_equal(strtoul(id, NULL, 10), count++);
    assert_string_equal(id, "last");
    assert_string_equal(rest, "");
    assert_true(count < MANY);
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

/* Every line of every thread is there once, and those of one thread keep their order. */
static void test_many_threads(void **state)
{
    (void)state;
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

/* Flushes, and says when that is done. */
struct flusher {
    struct log *log;
    atomic_bool done;
};

static void *flush(void *context)
{
    struct flusher *flusher = context;
    log_flush(flusher->log);
    atomic_store(&flusher->done, true);
    return NULL;
}

static bool wait_for(const atomic_bool *flag)
{
    const uint64_t given_up = clock_now() + PATIENCE / 4;
    while (!atomic_load(flag) && clock_now() < given_up)
        asking_pause();
    return atomic_load(flag);
}

/* Waits until the pipe takes no more: whoever writes to it stands still then. */
static void wait_until_full(int out)
{
    int before = -1, now = 0;
    for (; now != before || now == 0; before = now, (void)ioctl(out, FIONREAD, &now))
        for (int i = 0; i < 50; i++)
            asking_pause();
}

/* While one writes to a terminal that takes nothing, others who flush leave their lines to it and go on. */
static void test_a_slow_terminal(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    struct flusher first = {.log = new_log()}, second = {.log = first.log};
    struct bytes text = {0};
    pthread_t threads[2];
    char id[32];
    unsigned count = 0;
    int ends[2];
    for (unsigned i = 0; i < MANY; i++) { /* far more than a pipe holds */
        (void)snprintf(id, sizeof id, "%u", i);
        log_line(first.log, id);
    }
    assert_int_equal(pipe(ends), 0);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(ends[1]);
    const bool started = pthread_create(&threads[0], NULL, flush, &first) == 0;
    wait_until_full(ends[0]);
    log_line(first.log, "last");
    const bool again = pthread_create(&threads[1], NULL, flush, &second) == 0;
    const bool went_on = wait_for(&second.done);
    const bool stood = !atomic_load(&first.done);
    for (size_t lines = 0; started && lines < MANY + 1;) {
        char *to = bytes_reserve(&text, 4097);
        const ssize_t got = read(ends[0], to, 4096);
        for (ssize_t k = 0; k < got; k++)
            lines += to[k] == '\n';
        text.size += got > 0 ? (size_t)got : 0;
        text.data[text.size] = '\0';
    }
    if (started)
        (void)pthread_join(threads[0], NULL);
    if (again)
        (void)pthread_join(threads[1], NULL);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept);
    (void)close(ends[0]);
    log_free(first.log);
    assert_true(started && again);
    assert_true(stood);
    assert_true(went_on);
    char *rest = text.data;
    while (next_id(&rest, id) && strcmp(id, "last") != 0)
        assert_int_equal(strtoul(id, NULL, 10), count++);
    assert_string_equal(id, "last"); /* in order: after all that stood before it */
    assert_int_equal(count, MANY);
    assert_string_equal(rest, "");
    bytes_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_log_that_stands_still),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_a_slow_terminal),
    };
    return cmocka_run_group_tests_name("log flow", tests, NULL, NULL);
}
