/* test_jobs_look.c - tests of jobs_look() in src/engine/jobs/jobs.c: clients see the end of a job when it is stored. */
/* CI builds: address thread */
#include <string.h>

#include "support/shared_store.h"

/* The caller ends the view. */
static struct job_view seen_by_one(const char *id)
{
    struct job_view view;
    memset(&view, 0xa5, sizeof view);
    assert_int_equal(jobs_look(one.process.jobs, id, false, &view), NQ_OK);
    return view;
}

static bool seems_over(const char *id)
{
    struct job_view view = seen_by_one(id);
    const bool over = job_state_over(view.state), stored = view.stored;
    assert_true(over == (view.finished != 0));
    assert_true(over || !view.result);
    job_view_free(&view);
    return over && (stored || atomic_load(&shelf.held) || atomic_load(&shelf.starved));
}

/* eta: in seconds; -1: not known. */
static void assert_seems(const char *id, enum job_state state, double eta, bool stored)
{
    struct job_view view = seen_by_one(id);
    assert_int_equal(view.state, state);
    assert_int_equal(view.stored, stored);
    assert_int_equal(view.result != NULL, state == JOB_DONE);
    assert_true(view.eta_s == eta);
    job_view_free(&view);
}

/* Clients see an end when the store has it. */
WITH_PAIR(test_an_end_is_stored_first)
{
    char id[JOB_ID_SIZE];
    for (int given = 0; given < 2; given++) {
        next_pair();
        subscribe(&one, id);
        memory_journal_settle(&one.kept);
        WAIT_UNTIL(!jobs_seek(one.process.jobs, id, false)); /* it exists, and is stored */
        atomic_store(&shelf.held, true);
        if (given)
            cancel(&one, id, "");
        atomic_store(&one.process.fixture.script.hold, false);
        WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
        assert_seems(id, JOB_RUNNING, given ? -1 : 0, false);
        assert_true(jobs_seek(one.process.jobs, id, false)); /* something is to be stored */
        atomic_store(&shelf.held, false);
        WAIT_UNTIL(seems_over(id));
        assert_seems(id, given ? JOB_CANCELLED : JOB_DONE, -1, true);
        expect_stored_job(&one.kept, id, given ? "cancelled" : "done", !given);
    }
}

/* A store that is broken or slow is not waited for; an end that clients have seen is not withdrawn when it works again.
 */
WITH_PAIR(test_an_end_that_cannot_be_stored)
{
    char id[JOB_ID_SIZE];
    for (int starved = 0; starved < 2; starved++) {
        atomic_bool *fault = starved ? &shelf.starved : &shelf.held;
        next_pair();
        subscribe(&one, id);
        memory_journal_settle(&one.kept);
        atomic_store(fault, true);
        atomic_store(&one.process.fixture.script.hold, false);
        WAIT_UNTIL(seems_over(id));
        assert_seems(id, JOB_DONE, -1, false);
        atomic_store(fault, false);
        for (bool over = false; !over; over = seems_over(id)) {
            struct job_view view = seen_by_one(id);
            assert_int_equal(view.state, JOB_DONE);
            job_view_free(&view);
        }
        assert_seems(id, JOB_DONE, -1, true);
    }
}

/* A client that has waited for the store in vain sees the end all the same. */
WITH_PAIR(test_end_shown_anyway)
{
    char id[JOB_ID_SIZE];
    subscribe(&one, id);
    memory_journal_settle(&one.kept);
    atomic_store(&shelf.held, true);
    cancel(&one, id, "");
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    assert_seems(id, JOB_RUNNING, -1, false);
    assert_int_equal(process_state(&one.process, id), JOB_CANCELLED); /* from now on, to every client */
    assert_seems(id, JOB_CANCELLED, -1, false);
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(seems_over(id));
    assert_seems(id, JOB_CANCELLED, -1, true);
    atomic_store(&shelf.held, true);
    subscribe(&one, id); /* it begins again: its next end must be stored first */
    atomic_store(&one.process.fixture.script.hold, false);
    WAIT_UNTIL(idle(&one) && atomic_load(&shelf.waiting) == 1);
    assert_false(seems_over(id));
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(seems_over(id));
    assert_seems(id, JOB_DONE, -1, true);
}
