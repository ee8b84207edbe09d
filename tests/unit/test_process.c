/* test_process.c - tests of src/base/process.c: what it says of this very process is so. */
#include "base/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "facts.h"

static struct process_figures figures(void)
{
    struct process_figures now;
    assert_true(process_read(&now));
    return now;
}

static void test_descriptors(void **state)
{
    (void)state;
    enum { MORE = 17 };
    int opened[MORE];
    struct rlimit limit;
    const uint64_t before = figures().descriptors;
    assert_true(before >= 3);
    for (int i = 0; i < MORE; i++)
        assert_true((opened[i] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0);
    assert_int_equal(figures().descriptors, before + MORE);
    for (int i = 0; i < MORE; i++)
        close(opened[i]);
    assert_int_equal(figures().descriptors, before); /* looking leaves none open */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(figures().most_descriptors, limit.rlim_cur);
}

static void test_times(void **state)
{
    (void)state;
    const struct process_figures before = figures();
    const double now = (double)time(NULL);
    assert_true(before.start_seconds <= now + 2 && before.start_seconds > now - 3600);
    const uint64_t until = clock_worked() + 200 * CLOCK_MILLISECOND;
    while (clock_worked() < until) {
    }
    const double spent = figures().cpu_seconds - before.cpu_seconds;
    assert_true(spent > 0.1 && spent < 10);
    assert_true(figures().start_seconds == before.start_seconds);
}

static void test_memory(void **state)
{
    (void)state;
    enum { SIZE = 64 << 20 };
    const struct process_figures before = figures();
    assert_true(before.resident_bytes > 100000 && before.resident_bytes < before.virtual_bytes);
    char *memory = malloc(SIZE);
    assert_non_null(memory);
    memset(memory, 'x', SIZE);
    const struct process_figures after = figures();
    assert_true(after.resident_bytes > before.resident_bytes + SIZE / 2);
    assert_true(memory[SIZE - 1] == 'x');
    free(memory);
}

static void *wait(void *semaphore)
{
    (void)sem_wait(semaphore);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    const uint64_t before = figures().threads;
    pthread_t thread;
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, wait, &semaphore), 0);
    assert_int_equal(figures().threads, before + 1);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    sem_destroy(&semaphore);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
