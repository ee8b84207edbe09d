/* test_lock.c - the check of lock ranks: the right order passes, a violation aborts and prints the names. It is
 * compiled in here, so that it is tested in builds without it, too. */
/* CI builds: plain address thread */
#ifndef LOCK_RANKS
#define LOCK_RANKS
#endif
#include "base/lock.c"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tests.h"

static struct lock jobs, journal, flights;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* Asserts that the function aborts its process after it has printed the line. */
static void assert_aborts(void (*function)(void), const char *line)
{
    int ends[2], status;
    char printed[200];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)dup2(ends[1], STDERR_FILENO);
        function();
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    const ssize_t size = read(ends[0], printed, sizeof printed - 1);
    close(ends[0]);
    assert_true(size > 0);
    printed[size] = '\0';
    printed[strcspn(printed, "\n")] = '\0';
    assert_string_equal(printed, line);
}

TEST(test_rising_ranks)
{
    for (int i = 0; i < 2; i++) {
        lock_take(&jobs);
        lock_take(&flights);
        lock_release(&jobs); /* in any order */
        lock_release(&flights);
        lock_none_held();
    }
}

static void take_falling(void)
{
    lock_take(&flights);
    lock_take(&jobs);
}

static void take_below_the_second(void)
{
    lock_take(&jobs);
    lock_take(&flights);
    lock_release(&jobs);
    lock_take(&journal);
}

static void take_twice(void)
{
    lock_take(&jobs);
    lock_take(&jobs);
}

static void release_unheld(void)
{
    lock_release(&jobs);
}

static void wait_with_another(void)
{
    lock_take(&jobs);
    lock_take(&flights);
    lock_wait(&condition, &flights);
}

static void call_out(void)
{
    lock_take(&jobs);
    lock_none_held();
}

TEST(test_violations)
{
    assert_aborts(take_falling, "lock order: LOCK_JOBS is taken after LOCK_FLIGHTS");
    assert_aborts(take_below_the_second, "lock order: LOCK_JOURNAL is taken after LOCK_FLIGHTS");
    assert_aborts(take_twice, "lock order: LOCK_JOBS is taken after LOCK_JOBS");
    assert_aborts(release_unheld, "lock order: LOCK_JOBS is released, but not held by this thread");
    assert_aborts(wait_with_another, "lock order: LOCK_JOBS is held by a thread that waits");
    assert_aborts(call_out, "lock order: LOCK_JOBS is held by a thread that calls out or works long");
}

static int begin(void **state)
{
    (void)state;
    lock_init(&jobs, LOCK_JOBS);
    lock_init(&journal, LOCK_JOURNAL);
    lock_init(&flights, LOCK_FLIGHTS);
    return 0;
}

GROUP(begin, NULL)
