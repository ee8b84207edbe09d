/* test_process.c - tests of src/base/process.c: what it says of this very process is so. */
/* CI builds: address */
#include "base/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/facts.h"

static struct process_stats stats(void)
{
    struct process_stats now;
    assert_true(process_read(&now));
    return now;
}

/* From the system's generator: nobody knows the next number. */
TEST(test_draw)
{
    assert_true(process_draw() != process_draw());
}

TEST(test_descriptors)
{
    enum { MORE = 17 };
    int opened[MORE];
    struct rlimit limit;
    const uint64_t before = stats().descriptors;
    assert_true(before >= 3);
    for (int i = 0; i < MORE; i++)
        assert_true((opened[i] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0);
    assert_int_equal(stats().descriptors, before + MORE);
    for (int i = 0; i < MORE; i++)
        close(opened[i]);
    assert_int_equal(stats().descriptors, before); /* looking leaves none open */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(stats().most_descriptors, limit.rlim_cur);
}

TEST(test_times)
{
    const struct process_stats before = stats();
    const double now = (double)time(NULL);
    assert_true(before.start_seconds <= now + 2 && before.start_seconds > now - 3600);
    const uint64_t until = clock_worked() + 200 * CLOCK_MILLISECOND;
    while (clock_worked() < until) {
    }
    const double spent = stats().cpu_seconds - before.cpu_seconds;
    assert_true(spent > 0.1 && spent < 10);
    assert_true(stats().start_seconds == before.start_seconds);
}

/* A container or a unit may be given some of the machine's. */
TEST(test_processors)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(process_processors(), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(process_processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(test_memory)
{
    enum { SIZE = 64 << 20 };
    const struct process_stats before = stats();
    assert_true(before.resident_bytes > 100000 && before.resident_bytes < before.virtual_bytes);
    OWNED(free) char *memory = malloc(SIZE);
    assert_non_null(memory);
    memset(memory, 'x', SIZE);
    const struct process_stats after = stats();
    assert_true(after.resident_bytes > before.resident_bytes + SIZE / 2);
    assert_true(memory[SIZE - 1] == 'x');
}

static void *wait(void *semaphore)
{
    (void)sem_wait(semaphore);
    return NULL;
}

TEST(test_threads)
{
    const uint64_t before = stats().threads;
    pthread_t thread;
    ENDED_BY(sem_destroy) sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, wait, &semaphore), 0);
    assert_int_equal(stats().threads, before + 1);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
}
