/* job_fixture.h - for each test a journal, and a process on it with one thread and up to ten jobs. */
#ifndef TESTS_UNIT_SUPPORT_JOB_FIXTURE_H
#define TESTS_UNIT_SUPPORT_JOB_FIXTURE_H

#include "support/job_process.h"

static struct memory_journal kept;
static struct process process;
static struct reopened reopened;

static int fixture_begin(void **state)
{
    (void)state;
    reopened = (struct reopened){0};
    memory_journal_begin(&kept);
    process_begin(&process, &kept, 1, 10, 10);
    return 0;
}

static int fixture_end(void **state)
{
    (void)state;
    process_end(&process);
    memory_journal_end(&kept);
    return 0;
}

/* A test with the fixture. */
#define WITH_PROCESS(test) TEST_WITH(test, fixture_begin, fixture_end)

/* Ends the process, and begins the next one. */
static inline void next_process(unsigned threads, size_t queue, size_t most)
{
    process_end(&process);
    process_begin(&process, &kept, threads, queue, most);
}

/* Must succeed. */
static inline void subscribe(const char *key, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_subscribe(&process, key, id), NQ_OK);
}

/* To one that was cancelled, or in its place: the thread of the journal, too, may be ending its flight just now, and
 * until then it is refused. */
static inline void subscribe_after_cancel(const char *key, char id[static JOB_ID_SIZE])
{
    WAIT_UNTIL(process_subscribe(&process, key, id) == NQ_OK);
}

static inline void cancel(const char *id, const char *name)
{
    assert_int_equal(jobs_cancel(process.jobs, id, name), NQ_OK);
}

#endif
