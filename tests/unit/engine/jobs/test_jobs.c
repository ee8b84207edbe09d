/* test_jobs.c - tests of src/engine/jobs/jobs.c on flights with made-up work: equal questions are one job,
 * each client has a subscription, and what a job has come to outlives the process. */
/* CI builds: address thread */
#include "engine/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/job_fixture.h"
#include "support/sanitizer.h"

/* ---- In one process ---- */

WITH_PROCESS(test_one_job_for_equal_questions)
{
    char a[JOB_ID_SIZE], again[JOB_ID_SIZE], b[JOB_ID_SIZE];
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    subscribe("a", a);
    assert_int_equal(strlen(a), JOB_ID_SIZE - 1);
    assert_int_equal(strspn(a, "0123456789abcdef"), JOB_ID_SIZE - 1);
    assert_int_equal(process_subscriptions(&process, a), 1);
    subscribe("a", again);
    assert_string_equal(again, a);
    assert_int_equal(process_subscriptions(&process, a), 2);
    subscribe("b", b);
    assert_string_not_equal(b, a);
    WAIT_UNTIL(atomic_load(&process.fixture.script.opened) == 2);
    struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.active, 2);
    assert_int_equal(stats.kept, 0);
    assert_int_equal(stats.begun, 2);
    expect_stored_job(&kept, a, "running", 2);
    assert_false(jobs_done(process.jobs, "a", again));
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, a, JOB_DONE, "a");
    process_expect(&process, b, JOB_DONE, "b");
    memset(again, 0, sizeof again);
    assert_true(jobs_done(process.jobs, "a", again));
    assert_string_equal(again, a);
    assert_false(jobs_done(process.jobs, "c", again));
    subscribe("a", again); /* it is done already */
    assert_string_equal(again, a);
    process_expect(&process, a, JOB_DONE, "a");
    assert_int_equal(process.fixture.script.asked, 2);
    stats = jobs_stats(process.jobs);
    assert_int_equal(stats.active, 0);
    assert_int_equal(stats.kept, 2);
    assert_int_equal(stats.begun, 2);
    assert_int_equal(stats.done, 2);
    assert_int_equal(stats.failed + stats.cancelled + stats.refused + stats.resumed, 0);
    next_process(1, 10, 10);
    json_t *json = stored_job(&kept, a);
    assert_string_equal(json_string_value(json_object_get(json, "key")), "a");
    assert_string_equal(json_string_value(json_object_get(json, "path")), "/count?a");
    assert_string_equal(json_string_value(json_object_get(json, "state")), "done");
    assert_string_equal(json_string_value(json_object_get(json, "body")), "a");
    json_decref(json);
}

WITH_PROCESS(test_unknown_ids)
{
    static const char *const ids[] = {"", "0", "0123456789abcdef", "xxxxxxxxxxxxxxxx", "0123456789abcdef0", "../../x"};
    char id[JOB_ID_SIZE];
    subscribe("a", id);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct job_view view;
        assert_int_equal(jobs_look(process.jobs, ids[i], false, &view), NQ_NONE);
        assert_int_equal(jobs_cancel(process.jobs, ids[i], ""), NQ_NONE);
    }
}

/* It waits for a thread, is counted, and is done. */
WITH_PROCESS(test_states_and_progress)
{
    struct blocker blocker;
    char id[JOB_ID_SIZE];
    process.fixture.script.hold = true;
    process.fixture.script.progress = (struct progress){.weight = 1000,
                                                        .weight_done = 400,
                                                        .weight_restored = 300,
                                                        .units = 10,
                                                        .units_done = 4,
                                                        .units_restored = 3,
                                                        .nodes = UINT64_C(1) << 40};
    blocker_begin(&blocker, process.fixture.pool);
    subscribe("a", id);
    struct job_view view = process_look(&process, id);
    assert_int_equal(view.state, JOB_QUEUED);
    assert_true(view.eta_s < 0);
    assert_int_equal(view.progress.units, 0);
    assert_string_equal(view.path, "/count?a");
    assert_true(view.created > 0 && view.created <= time(NULL));
    assert_int_equal(view.finished, 0);
    assert_null(view.result);
    job_view_free(&view);
    blocker_end(&blocker);
    WAIT_UNTIL(atomic_load(&process.fixture.script.slices) > 3);
    view = process_look(&process, id);
    assert_int_equal(view.state, JOB_RUNNING);
    assert_int_equal(view.progress.units, 10);
    assert_int_equal(view.progress.nodes, UINT64_C(1) << 40);
    const double elapsed = (double)(clock_now() - view.progress.took_off) / (double)CLOCK_SECOND;
    assert_true(view.eta_s > 0 && view.eta_s <= elapsed * 6.01); /* 100 were done here, 600 are left */
    job_view_free(&view);
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    view = process_look(&process, id);
    assert_int_equal(view.progress.units, 10);
    assert_int_equal(view.progress.nodes, UINT64_C(1) << 40);
    job_view_free(&view);
}

/* A job whose answer is in the cache is done when it begins. */
WITH_PROCESS(test_cached_answer)
{
    char id[JOB_ID_SIZE];
    struct caller *caller = caller_ask(&process.fixture, "a");
    caller_gets(caller, NQ_OK, "a");
    subscribe("a", id);
    assert_int_equal(process_state(&process, id), JOB_DONE);
    process_expect(&process, id, JOB_DONE, "a");
    assert_int_equal(process.fixture.script.asked, 1);
    expect_stored_job(&kept, id, "done", 1);
    next_process(1, 10, 10);
}

WITH_PROCESS(test_the_last_cancel_stops_the_search)
{
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    next_process(1, 10, 1);
    process.fixture.script.hold = true;
    for (int i = 0; i < 3; i++)
        subscribe("a", id);
    WAIT_UNTIL(atomic_load(&process.fixture.script.slices) > 0);
    for (unsigned left = 2; left > 0; left--) {
        cancel(id, "");
        assert_int_equal(process_state(&process, id), JOB_RUNNING);
        assert_int_equal(process_subscriptions(&process, id), left);
        expect_stored_job(&kept, id, "running", left);
    }
    assert_int_equal(process.fixture.script.closed, 0);
    cancel(id, "");
    process_expect(&process, id, JOB_CANCELLED, NULL);
    WAIT_UNTIL(atomic_load(&process.fixture.script.closed) == 1);
    assert_int_equal(process.fixture.script.finished, 0);
    expect_stored_job(&kept, id, "cancelled", 0);
    cancel(id, ""); /* it has no subscription any more, but exists */
    assert_int_equal(process_subscriptions(&process, id), 0);
    struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.cancelled, 1);
    assert_int_equal(stats.active, 0);
    assert_int_equal(stats.failed, 0);
    atomic_store(&process.fixture.script.hold, false);
    subscribe_after_cancel("a", again); /* once more, from the start */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_DONE, "a");
    assert_int_equal(process_subscriptions(&process, id), 1);
    assert_int_equal(process.fixture.script.opened, 2);
    cancel(id, ""); /* what is done stays */
    process_expect(&process, id, JOB_DONE, "a");
    expect_stored_job(&kept, id, "done", 0);
}

/* A cancelled job does not end a flight that others wait for, nor do they end the job's. */
WITH_PROCESS(test_other_waiters_keep_the_flight)
{
    char id[JOB_ID_SIZE];
    process.fixture.script.hold = true;
    struct caller *first = caller_ask(&process.fixture, "a");
    subscribe("a", id);
    cancel(id, "");
    assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    subscribe_after_cancel("a", id);
    caller_dismiss(first, NQ_CANCELLED);
    caller_gets(first, NQ_CANCELLED, NULL);
    struct caller *second = caller_ask(&process.fixture, "a");
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    caller_gets(second, NQ_OK, "a");
    assert_int_equal(process.fixture.script.opened, 1);
    next_process(1, 10, 10);
}

WITH_PROCESS(test_failures_have_a_reason)
{
    static const char why[] = "it is \"too\" long \xe2\x80\x93 far too long";
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    struct script *script = &process.fixture.script;
    script->open_as = NQ_LIMIT;
    script->open_why = why;
    subscribe("a", id);
    process_expect(&process, id, JOB_FAILED, why);
    expect_stored_job(&kept, id, "failed", 1);
    script->open_why = NULL;
    subscribe("a", again); /* tried again */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    script->open_as = NQ_OK;
    script->slice_as = NQ_NOMEM;
    subscribe("a", id);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_NOMEM));
    struct job_view view = process_look(&process, id);
    assert_int_equal(view.fault.why, FAULT_NO_MEMORY);
    job_view_free(&view);
    script->slice_as = NQ_OK;
    script->finish_as = NQ_LIMIT;
    script->work_why = why;
    subscribe("a", id);
    process_expect(&process, id, JOB_FAILED, why);
    view = process_look(&process, id);
    assert_int_equal(view.fault.why, FAULT_UNITS);
    assert_true(view.fault.numbers[0] == 3);
    job_view_free(&view);
    assert_int_equal(jobs_stats(process.jobs).failed, 4);
    assert_int_equal(jobs_stats(process.jobs).begun, 4);
    assert_int_equal(jobs_stats(process.jobs).kept, 1);
    script->finish_as = NQ_OK;
    subscribe("a", id);
    process_expect(&process, id, JOB_DONE, "a");
}

WITH_PROCESS(test_most_jobs)
{
    char id[JOB_ID_SIZE], others[3][JOB_ID_SIZE];
    next_process(1, 10, 3);
    process.fixture.script.hold = true;
    subscribe("a", others[0]);
    subscribe("b", others[1]);
    subscribe("c", others[2]);
    assert_int_equal(process_subscribe(&process, "d", id), NQ_BUSY);
    subscribe("a", id); /* needs no room */
    assert_int_equal(jobs_stats(process.jobs).refused, 1);
    assert_int_equal(jobs_stats(process.jobs).active, 3);
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 3);
    cancel(others[1], "");
    subscribe_after_cancel("d", id);
    assert_int_equal(process_subscribe(&process, "b", id), NQ_BUSY); /* a cancelled one needs room again */
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, others[0], JOB_DONE, "a");
    process_expect(&process, others[2], JOB_DONE, "c");
    subscribe_after_cancel("b", id);
    process_expect(&process, id, JOB_DONE, "b");
}

/* ---- Many at once ---- */

enum { CLIENTS = 4, EACH = 600, KEYS = 6 };

struct client {
    unsigned number, refused;
    bool well;
};

static void *come_and_go(void *context)
{
    struct client *client = context;
    uint64_t dice = client->number;
    client->well = true;
    for (unsigned i = 0; i < EACH; i++) {
        char id[JOB_ID_SIZE], key[8];
        struct job_view view;
        (void)snprintf(key, sizeof key, "%u", facts_below(&dice, KEYS));
        const enum nq_status status = process_subscribe(&process, key, id);
        client->refused += status == NQ_BUSY; /* too many, or just being cancelled */
        client->well &= status == NQ_OK || status == NQ_BUSY;
        if (status != NQ_OK)
            continue;
        client->well &= jobs_look(process.jobs, id, false, &view) == NQ_OK;
        if (client->well) {
            client->well &= view.state != JOB_DONE || view.result;
            job_view_free(&view);
        }
        client->well &= jobs_cancel(process.jobs, id, "") == NQ_OK;
    }
    return NULL;
}

static void clients_begin(struct client *clients, pthread_t *threads, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        clients[i] = (struct client){.number = i};
        start(&threads[i], come_and_go, &clients[i]);
    }
}

/* Returns how many times they were refused. */
static unsigned clients_end(const struct client *clients, const pthread_t *threads, unsigned count)
{
    unsigned refused = 0;
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(clients[i].well);
        refused += clients[i].refused;
    }
    return refused;
}

WITH_PROCESS(test_clients_come_and_go)
{
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    next_process(3, 64, 5);
    process.fixture.script.mixed = true;
    process.fixture.script.incomplete = true; /* so that it is not cached */
    clients_begin(clients, threads, CLIENTS);
    assert_true(clients_end(clients, threads, CLIENTS) < CLIENTS * EACH);
    WAIT_UNTIL(flights_stats(process.fixture.flights).running == 0);
    const struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.active, 0); /* all were cancelled */
    assert_int_equal(stats.begun, stats.done + stats.failed + stats.cancelled);
    for (unsigned i = 0; i < KEYS; i++) {
        char id[JOB_ID_SIZE], key[8];
        (void)snprintf(key, sizeof key, "%u", i);
        WAIT_UNTIL(process_subscribe(&process, key, id) == NQ_OK);
        assert_int_equal(process_subscriptions(&process, id), 1);
    }
}

/* Each job is over or found by the next process. */
WITH_PROCESS(test_closing_while_clients_come)
{
    for (int round = 0; round < (SANITIZED ? 10 : 30); round++) {
        struct client clients[2];
        pthread_t threads[2];
        fixture_end(state);
        fixture_begin(state);
        next_process(2, 64, 5);
        process.fixture.script.mixed = true;
        clients_begin(clients, threads, 2);
        for (int i = 0; i < round % 5; i++)
            asking_pause();
        flights_close(process.fixture.flights);
        (void)clients_end(clients, threads, 2);
        assert_int_equal(jobs_stats(process.jobs).active, 0);
    }
}

/* ---- Principals with a name ---- */

/* In a name that may have so many jobs; own: with a subscription of its own. */
static enum nq_status join(const char *key, const char *name, unsigned jobs, bool own, char id[static JOB_ID_SIZE])
{
    return process_join_as(&process, key, principal_named(name, jobs), own, id);
}

WITH_PROCESS(test_quota_of_each_principal)
{
    char id[JOB_ID_SIZE], first[JOB_ID_SIZE];
    next_process(2, 10, 4);
    process.fixture.script.hold = true;
    assert_int_equal(join("a", "ann", 2, true, first), NQ_OK);
    assert_int_equal(join("b", "ann", 2, false, id), NQ_OK);
    assert_int_equal(join("c", "ann", 2, true, id), NQ_QUOTA);
    assert_int_equal(join("c", "ann", 2, false, id), NQ_QUOTA);
    assert_int_equal(join("a", "ann", 2, true, id), NQ_OK); /* she has this one already */
    assert_int_equal(join("c", "", 0, true, id), NQ_DENIED);
    assert_int_equal(join("a", "", 0, false, id), NQ_DENIED);
    assert_int_equal(join("a", "bob", 1, true, id), NQ_OK); /* ann's are not his */
    assert_int_equal(join("d", "bob", 1, true, id), NQ_QUOTA);
    subscribe("e", id);
    assert_int_equal(process_subscriptions(&process, first), 3);
    assert_int_equal(jobs_stats(process.jobs).refused, 3);
    cancel(first, "ann");
    assert_int_equal(join("c", "ann", 2, true, id), NQ_QUOTA); /* she has one more subscription to it */
    cancel(first, "ann");
    assert_int_equal(join("c", "ann", 2, true, id), NQ_OK);
    assert_int_equal(join("f", "ann", 9, true, id), NQ_BUSY); /* there are too many in all */
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, first, JOB_DONE, "a");
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    assert_int_equal(join("g", "bob", 1, true, id), NQ_OK); /* what is over does not count */
    assert_int_equal(join("a", "", 0, false, id), NQ_OK);   /* and is for everybody */
}

WITH_PROCESS(test_subscriptions_belong_to_names)
{
    char id[JOB_ID_SIZE], other[JOB_ID_SIZE];
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    assert_int_equal(join("a", "ann", 9, true, id), NQ_OK);
    assert_int_equal(join("a", "ann", 9, false, id), NQ_OK);
    assert_int_equal(join("a", "ann", 9, false, id), NQ_OK); /* once and for all */
    assert_int_equal(join("a", "bob", 9, false, id), NQ_OK);
    assert_int_equal(join("b", "bob", 9, true, other), NQ_OK);
    assert_int_equal(process_subscriptions(&process, id), 3);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(jobs_cancel(process.jobs, other, "ann"), NQ_DENIED);
    cancel(id, "bob");
    cancel(id, "bob"); /* he has none any more: no error */
    assert_int_equal(process_subscriptions(&process, id), 2);
    expect_stored_job(&kept, id, "running", 2);
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(process_subscriptions(&process, id), 2);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(join("a", "ann", 9, false, id), NQ_OK); /* she has that one already */
    assert_int_equal(process_subscriptions(&process, id), 2);
    subscribe("a", id);
    cancel(id, "eve"); /* an anonymous one */
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    cancel(id, "ann");
    cancel(id, ""); /* no name: any */
    process_expect(&process, id, JOB_CANCELLED, NULL);
    cancel(id, "eve"); /* none is left */
}
