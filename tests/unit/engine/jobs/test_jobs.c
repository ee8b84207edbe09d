/* test_jobs.c - tests of src/engine/jobs/jobs.c on flights with made-up work: equal questions are one job, which its
 * clients own, each end is announced, and a job outlives its process, whatever else stands in the store. */
/* CI builds: address thread */
#include "engine/jobs/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/ask/digest.h"
#include "support/job_process.h"
#include "support/sanitizer.h"

/* For each test a journal, and a process on it with one thread and up to ten jobs. */
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
static void next_process(unsigned threads, size_t queue, size_t most)
{
    process_end(&process);
    process_begin(&process, &kept, threads, queue, most);
}

/* Must succeed. */
static void enter(const char *key, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_enter(&process, key, id), NQ_OK);
}

/* In a name. */
static void enter_as(const char *name, const char *key, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_enter_as(&process, key, principal_named(name, 9), id), NQ_OK);
}

/* To one that was cancelled, or in its place: the thread of the journal, too, may be ending its flight just now, and
 * until then it is refused. */
static void enter_after_cancel(const char *key, char id[static JOB_ID_SIZE])
{
    WAIT_UNTIL(process_enter(&process, key, id) == NQ_OK);
}

static void cancel(const char *id, const char *name)
{
    assert_int_equal(jobs_cancel(process.jobs, id, name), NQ_OK);
}

/* ---- In one process ---- */

WITH_PROCESS(test_one_job_for_equal_questions)
{
    char a[JOB_ID_SIZE], again[JOB_ID_SIZE], b[JOB_ID_SIZE];
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    enter("a", a);
    assert_int_equal(strlen(a), JOB_ID_SIZE - 1);
    assert_int_equal(strspn(a, "0123456789abcdef"), JOB_ID_SIZE - 1);
    assert_int_equal(process_owners(&process, a), 1);
    enter_as("ann", "a", again);
    assert_string_equal(again, a);
    assert_int_equal(process_owners(&process, a), 2);
    enter("b", b);
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
    enter("a", again); /* it is done already */
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
    OWNED(json_decref) json_t *json = stored_job(&kept, a);
    assert_string_equal(json_string_value(json_object_get(json, "key")), "a");
    assert_string_equal(json_string_value(json_object_get(json, "path")), "/count?a");
    assert_string_equal(json_string_value(json_object_get(json, "state")), "done");
    assert_string_equal(json_string_value(json_object_get(json, "body")), "a");
}

WITH_PROCESS(test_unknown_ids)
{
    static const char *const ids[] = {"", "0", "0123456789abcdef", "xxxxxxxxxxxxxxxx", "0123456789abcdef0", "../../x"};
    char id[JOB_ID_SIZE];
    enter("a", id);
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
    enter("a", id);
    ENDED_BY(job_view_free) struct job_view view = process_look(&process, id);
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
}

/* A job whose answer is in the cache is done when it begins. */
WITH_PROCESS(test_cached_answer)
{
    char id[JOB_ID_SIZE];
    struct caller *caller = caller_ask(&process.fixture, "a");
    caller_gets(caller, NQ_OK, "a");
    enter("a", id);
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
    static const char *const names[] = {"", "ann", "bob"};
    for (int i = 0; i < 3; i++)
        enter_as(names[i], "a", id);
    WAIT_UNTIL(atomic_load(&process.fixture.script.slices) > 0);
    for (unsigned left = 2; left > 0; left--) {
        cancel(id, names[left]);
        assert_int_equal(process_state(&process, id), JOB_RUNNING);
        assert_int_equal(process_owners(&process, id), left);
        expect_stored_job(&kept, id, "running", left);
    }
    assert_int_equal(process.fixture.script.closed, 0);
    cancel(id, "");
    process_expect(&process, id, JOB_CANCELLED, NULL);
    WAIT_UNTIL(atomic_load(&process.fixture.script.closed) == 1);
    assert_int_equal(process.fixture.script.finished, 0);
    expect_stored_job(&kept, id, "cancelled", 0);
    cancel(id, ""); /* nobody is left, but it exists */
    assert_int_equal(process_owners(&process, id), 0);
    struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.cancelled, 1);
    assert_int_equal(stats.active, 0);
    assert_int_equal(stats.failed, 0);
    atomic_store(&process.fixture.script.hold, false);
    enter_after_cancel("a", again); /* once more, from the start */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_DONE, "a");
    assert_int_equal(process_owners(&process, id), 1);
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
    enter("a", id);
    cancel(id, "");
    assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    enter_after_cancel("a", id);
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
    enter("a", id);
    process_expect(&process, id, JOB_FAILED, why);
    expect_stored_job(&kept, id, "failed", 1);
    script->open_why = NULL;
    enter("a", again); /* tried again */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    script->open_as = NQ_OK;
    script->slice_as = NQ_NOMEM;
    enter("a", id);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_NOMEM));
    struct job_view view = process_look(&process, id);
    assert_int_equal(view.fault.why, FAULT_NO_MEMORY);
    job_view_free(&view);
    script->slice_as = NQ_OK;
    script->finish_as = NQ_LIMIT;
    script->work_why = why;
    enter("a", id);
    process_expect(&process, id, JOB_FAILED, why);
    view = process_look(&process, id);
    assert_int_equal(view.fault.why, FAULT_UNITS);
    assert_true(view.fault.numbers[0] == 3);
    job_view_free(&view);
    assert_int_equal(jobs_stats(process.jobs).failed, 4);
    assert_int_equal(jobs_stats(process.jobs).begun, 4);
    assert_int_equal(jobs_stats(process.jobs).kept, 1);
    script->finish_as = NQ_OK;
    enter("a", id);
    process_expect(&process, id, JOB_DONE, "a");
}

WITH_PROCESS(test_most_jobs)
{
    char id[JOB_ID_SIZE], others[3][JOB_ID_SIZE];
    next_process(1, 10, 3);
    process.fixture.script.hold = true;
    enter("a", others[0]);
    enter("b", others[1]);
    enter("c", others[2]);
    assert_int_equal(process_enter(&process, "d", id), NQ_BUSY);
    enter("a", id); /* needs no room */
    assert_int_equal(jobs_stats(process.jobs).refused, 1);
    assert_int_equal(jobs_stats(process.jobs).active, 3);
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 3);
    cancel(others[1], "");
    enter_after_cancel("d", id);
    assert_int_equal(process_enter(&process, "b", id), NQ_BUSY); /* a cancelled one needs room again */
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, others[0], JOB_DONE, "a");
    process_expect(&process, others[2], JOB_DONE, "c");
    enter_after_cancel("b", id);
    process_expect(&process, id, JOB_DONE, "b");
}

/* ---- Many at once ---- */

enum { CLIENTS = 4, EACH = SANITIZED ? 200 : 600, KEYS = 6 };

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
        char id[JOB_ID_SIZE], key[8], name[8];
        struct job_view view;
        (void)snprintf(key, sizeof key, "%u", facts_below(&dice, KEYS));
        (void)snprintf(name, sizeof name, "n%u", client->number);
        const enum nq_status status = process_enter_as(&process, key, principal_named(name, KEYS), id);
        client->refused += status == NQ_BUSY; /* too many, or just being cancelled */
        client->well &= status == NQ_OK || status == NQ_BUSY;
        if (status != NQ_OK)
            continue;
        client->well &= jobs_look(process.jobs, id, false, &view) == NQ_OK;
        if (client->well) {
            client->well &= view.state != JOB_DONE || view.result;
            job_view_free(&view);
        }
        client->well &= jobs_cancel(process.jobs, id, name) == NQ_OK;
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
        WAIT_UNTIL(process_enter(&process, key, id) == NQ_OK);
        assert_true(process_owners(&process, id) == 1 || process_state(&process, id) == JOB_DONE);
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

/* In a name that may have so many jobs. */
static enum nq_status join(const char *key, const char *name, unsigned jobs, char id[static JOB_ID_SIZE])
{
    return process_enter_as(&process, key, principal_named(name, jobs), id);
}

WITH_PROCESS(test_quota_of_each_principal)
{
    char id[JOB_ID_SIZE], first[JOB_ID_SIZE];
    next_process(2, 10, 4);
    process.fixture.script.hold = true;
    assert_int_equal(join("a", "ann", 2, first), NQ_OK);
    assert_int_equal(join("b", "ann", 2, id), NQ_OK);
    assert_int_equal(join("c", "ann", 2, id), NQ_QUOTA);
    assert_int_equal(join("a", "ann", 2, id), NQ_OK); /* she has this one already */
    assert_int_equal(join("c", "", 0, id), NQ_DENIED);
    assert_int_equal(join("a", "", 0, id), NQ_DENIED);
    assert_int_equal(join("a", "bob", 1, id), NQ_OK); /* ann's are not his */
    assert_int_equal(join("d", "bob", 1, id), NQ_QUOTA);
    enter("e", id);
    assert_int_equal(process_owners(&process, first), 2);
    assert_int_equal(jobs_stats(process.jobs).refused, 2);
    cancel(first, "ann");
    assert_int_equal(join("c", "ann", 2, id), NQ_OK);
    assert_int_equal(join("f", "ann", 9, id), NQ_BUSY); /* there are too many in all */
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, first, JOB_DONE, "a");
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    assert_int_equal(join("g", "bob", 1, id), NQ_OK); /* what is over does not count */
    assert_int_equal(join("a", "", 0, id), NQ_OK);    /* and is for everybody */
}

WITH_PROCESS(test_jobs_belong_to_names)
{
    char id[JOB_ID_SIZE], other[JOB_ID_SIZE];
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    enter_as("ann", "a", id);
    enter_as("ann", "a", id); /* she has it already */
    enter_as("bob", "a", id);
    enter_as("bob", "b", other);
    assert_int_equal(process_owners(&process, id), 2);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(jobs_cancel(process.jobs, other, "ann"), NQ_DENIED);
    cancel(id, "bob");
    cancel(id, "bob"); /* he has left: no error */
    assert_int_equal(process_owners(&process, id), 1);
    expect_stored_job(&kept, id, "running", 1);
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(process_owners(&process, id), 1);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    enter("a", id);
    assert_int_equal(process_owners(&process, id), 2);
    cancel(id, "eve"); /* a nameless one, who may have been she */
    cancel(id, "eve");
    assert_int_equal(process_owners(&process, id), 1);
    assert_int_equal(jobs_cancel(process.jobs, id, "fay"), NQ_DENIED);
    cancel(id, ""); /* no key: anybody */
    process_expect(&process, id, JOB_CANCELLED, NULL);
    cancel(id, "eve"); /* nobody is left */
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, other, JOB_DONE, "b");
    enter_as("eve", "b", id); /* it is over: bob's still */
    assert_int_equal(process_owners(&process, other), 1);
    cancel(other, "eve");
    assert_int_equal(process_owners(&process, other), 1);
}

/* Without keys a client is an address. From another one it can end the job of one client, but not of several. */
WITH_PROCESS(test_jobs_belong_to_addresses)
{
    struct principal here = {.limited = true, .seconds = 1, .jobs = 1, .address = "@0123456789abcdef"};
    struct principal there = {.limited = true, .seconds = 1, .jobs = 1, .address = "@fedcba9876543210"};
    char id[JOB_ID_SIZE], other[JOB_ID_SIZE];
    next_process(2, 10, 10);
    process.fixture.script.hold = true;
    assert_int_equal(process_enter_as(&process, "a", here, id), NQ_OK);
    assert_int_equal(process_enter_as(&process, "b", here, other), NQ_QUOTA);
    assert_int_equal(process_enter_as(&process, "b", there, other), NQ_OK);
    assert_int_equal(process_enter_as(&process, "a", there, id), NQ_QUOTA);
    cancel(other, there.address);
    assert_int_equal(process_enter_as(&process, "a", there, id), NQ_OK);
    assert_int_equal(process_owners(&process, id), 2);
    cancel(id, "@aaaaaaaaaaaaaaaa"); /* a third one */
    assert_int_equal(process_owners(&process, id), 2);
    for (int i = 0; i < 3; i++)
        cancel(id, here.address);
    assert_int_equal(process_owners(&process, id), 1);
    assert_false(process_sees_end(&process, id));
    expect_stored_job(&kept, id, "running", 1);
    assert_int_equal(jobs_cancel(process.jobs, id, "ann"), NQ_DENIED);
    cancel(id, "@bbbbbbbbbbbbbbbb");
    process_expect(&process, id, JOB_CANCELLED, NULL);
}

/* ---- From process to process ---- */

static void put_record(const char *id, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(journal_put(kept.journal, STORE_JOB, id, text));
}

static void put_job_of(const char *release, const char *id, const char *key, const char *state, int64_t created,
                       int64_t finished)
{
    put_record(
        id,
        "{\"release\":\"%s\",\"key\":\"%s\",\"path\":\"/count?%s\",\"state\":\"%s\",\"shares\":1,\"created\":%lld,"
        "\"finished\":%lld,\"why\":\"%s\"%s}",
        release, key, key, state, (long long)created, (long long)finished, strcmp(state, "failed") ? "" : "because",
        strcmp(state, "failed") == 0 ? ",\"failure\":{\"code\":\"too-costly\",\"core_seconds\":7.5}"
        : strcmp(state, "done")      ? ""
                                     : ",\"body\":\"the body\",\"units\":7,\"restored\":2,\"nodes\":99");
}

static void put_job(const char *id, const char *key, const char *state, int64_t created, int64_t finished)
{
    put_job_of(NQ_VERSION, id, key, state, created, finished);
}

static const char *numbered(int number, char id[static JOB_ID_SIZE])
{
    (void)snprintf(id, JOB_ID_SIZE, "%016d", number);
    return id;
}

/* "key 7" */
static const char *key_of(int number, char key[static 16])
{
    (void)snprintf(key, 16, "key %d", number);
    return key;
}

static bool is_gone(const char *id)
{
    struct job_view view;
    const enum nq_status status = jobs_look(process.jobs, id, false, &view);
    if (status == NQ_OK)
        job_view_free(&view);
    return status == NQ_NONE;
}

/* Ids are digests of keys: no client can make up a question with the id of another one. A job that an earlier release
 * has named keeps its name, also if it is the digest of another key. */
WITH_PROCESS(test_ids)
{
    char id[JOB_ID_SIZE], digest[JOB_ID_SIZE], again[JOB_ID_SIZE];
    const int64_t now = time(NULL);
    digest_id(build_id, "a", digest);
    enter("a", id);
    assert_string_equal(id, digest);
    process_expect(&process, id, JOB_DONE, "a");
    next_process(1, 10, 10);
    digest_id(build_id, "new", digest);
    put_job("0123456789abcdef", "old", "done", now - 5, now - 4);
    put_job(digest, "other", "done", now - 5, now - 4);
    process_resume(&process, &reopened);
    enter("old", id);
    assert_string_equal(id, "0123456789abcdef");
    process_expect(&process, id, JOB_DONE, "the body");
    enter("other", id);
    assert_string_equal(id, digest);
    enter("new", id);
    assert_string_not_equal(id, digest);
    process_expect(&process, id, JOB_DONE, "new");
    enter("new", again);
    assert_string_equal(again, id);
}

WITH_PROCESS(test_next_process_resumes)
{
    char ids[4][JOB_ID_SIZE], id[JOB_ID_SIZE];
    static const char *const keys[] = {"done", "running", "waiting", "cancelled"};
    enter(keys[0], ids[0]);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process.fixture.script.hold = true;
    for (int i = 1; i < 4; i++)
        enter(keys[i], ids[i]);
    enter_as("ann", keys[1], id);
    cancel(ids[3], "");
    flights_close(process.fixture.flights);
    for (int i = 1; i < 3; i++)
        assert_false(process_sees_end(&process, ids[i])); /* only for this process */
    assert_int_equal(jobs_stats(process.jobs).failed, 0);
    next_process(1, 10, 10);
    expect_stored_job(&kept, ids[0], "done", 1);
    expect_stored_job(&kept, ids[1], "running", 2);
    expect_stored_job(&kept, ids[2], "running", 1);
    expect_stored_job(&kept, ids[3], "cancelled", 0);

    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(jobs_stats(process.jobs).resumed, 2);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process_expect(&process, ids[1], JOB_DONE, keys[1]);
    process_expect(&process, ids[2], JOB_DONE, keys[2]);
    process_expect(&process, ids[3], JOB_CANCELLED, NULL);
    assert_int_equal(process_owners(&process, ids[1]), 2);
    assert_int_equal(process.fixture.script.asked, 2);
    for (int i = 0; i < 4; i++) { /* the same questions are the same jobs still */
        enter(keys[i], id);
        assert_string_equal(id, ids[i]);
    }
    process_expect(&process, ids[3], JOB_DONE, keys[3]);
    next_process(1, 10, 10);
    for (int i = 0; i < 4; i++)
        expect_stored_job(&kept, ids[i], "done", i == 1 ? 2 : 1);
}

/* News come in order, with the trace of the request that began the job, in the next process too. */
WITH_PROCESS(test_news)
{
    static const char trace[] = "0af7651916cd43dd8448eb211c80319c";
    struct question question = ask_named("a");
    char id[JOB_ID_SIZE];
    question.path = "/count?a";
    memcpy(question.trace, trace, sizeof trace);
    process.fixture.script.hold = true;
    struct shared_question *asked = shared(&question);
    assert_int_equal(jobs_begin(process.jobs, asked, id), NQ_OK);
    question_unref(asked);
    enter("a", id); /* joins: no news */
    assert_true(process_news_are(&process, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"));
    process_end(&process);
    assert_string_equal(process.news, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"); /* it is not over */

    process_begin(&process, &kept, 1, 10, 10);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    cancel(id, "");
    cancel(id, "");
    WAIT_UNTIL(process_news_are(&process, "resumed /count?a 0af7651916cd43dd8448eb211c80319c;"
                                          "cancelled /count?a 0af7651916cd43dd8448eb211c80319c;"));
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    assert_true(process_news_are(&process, ""));
    enter("a", id); /* once more, and untraced */
    WAIT_UNTIL(process_news_are(&process, "begun /count?a ;done /count?a ;"));
    process.fixture.script.slice_as = NQ_LIMIT;
    enter("b", id);
    WAIT_UNTIL(process_news_are(&process, "begun /count?a ;done /count?a ;begun /count?b ;failed /count?b ;"));
}

WITH_PROCESS(test_restarted_again_and_again)
{
    char ids[5][JOB_ID_SIZE];
    for (int round = 0; round < 10; round++) {
        reopened = (struct reopened){0};
        next_process(2, 10, 10);
        process.fixture.script.hold = round < 9;
        process_resume(&process, &reopened);
        assert_int_equal(reopened.opened, round < 5 ? round : 5);
        if (round < 5)
            enter((char[]){(char)('a' + round), '\0'}, ids[round]);
    }
    for (int i = 0; i < 5; i++)
        process_expect(&process, ids[i], JOB_DONE, (char[]){(char)('a' + i), '\0'});
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 5);
}

WITH_PROCESS(test_records_of_every_state)
{
    const int64_t now = time(NULL);
    put_job("0000000000000001", "one", "done", now - 100, now - 50);
    put_job("0000000000000002", "two", "failed", now - 90, now - 50);
    put_job("0000000000000003", "three", "cancelled", now - 80, now - 50);
    put_job("0000000000000004", "four", "running", now - 70, 0);
    /* a path that means nothing now, and one that means something else now */
    put_record("0000000000000005", "{\"key\":\"five\",\"path\":\"/five\",\"state\":\"running\",\"shares\":1}");
    put_record("0000000000000006", "{\"key\":\"six\",\"path\":\"/count?7\",\"state\":\"running\",\"shares\":1}");
    /* a later release's, which no other server will take */
    put_record("0000000000000007", "{\"release\":\"99.0.0\",\"key\":\"seven\",\"path\":\"/seven\","
                                   "\"state\":\"running\",\"shares\":1}");
    process_resume(&process, &reopened);
    process_expect(&process, "0000000000000001", JOB_DONE, "the body");
    process_expect(&process, "0000000000000002", JOB_FAILED, "because");
    process_expect(&process, "0000000000000003", JOB_CANCELLED, NULL);
    process_expect(&process, "0000000000000004", JOB_DONE, "four");
    struct job_view view = process_look(&process, "0000000000000001");
    assert_int_equal(view.created, now - 100);
    assert_int_equal(view.finished, now - 50);
    assert_int_equal(view.progress.units, 7);
    assert_int_equal(view.progress.units_done, 7);
    assert_int_equal(view.progress.units_restored, 2);
    assert_int_equal(view.progress.nodes, 99);
    job_view_free(&view);
    view = process_look(&process, "0000000000000002");
    assert_int_equal(view.fault.why, FAULT_COST);
    assert_true(view.fault.numbers[0] == 7.5);
    job_view_free(&view);
    for (int i = 5; i <= 7; i++) {
        char id[JOB_ID_SIZE];
        assert_int_equal(process_state(&process, numbered(i, id)), JOB_FAILED);
        view = process_look(&process, id);
        assert_true(strlen(view.fault.text) > 0);
        assert_int_equal(view.fault.why, FAULT_RETIRED);
        job_view_free(&view);
        expect_stored_job(&kept, id, "failed", 1);
    }
    assert_int_equal(reopened.opened, 4);
    const struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.resumed, 1);
    assert_int_equal(stats.failed, 3); /* the stored failure was counted by the process that saw it */
}

/* Its last owner leaves before its flight starts. */
WITH_PROCESS(test_cancelled_while_it_is_resumed)
{
    put_job("0000000000000004", "four", "running", time(NULL), 0);
    next_process(1, 10, 1);
    process.fixture.script.hold = true;
    reopened = (struct reopened){.cancel_in = process.jobs, .cancel = "0000000000000004"};
    process_resume(&process, &reopened);
    process_expect(&process, "0000000000000004", JOB_CANCELLED, NULL);
    WAIT_UNTIL(flights_stats(process.fixture.flights).running == 0); /* if it had begun */
    assert_int_equal(process.fixture.script.finished, 0);
    expect_stored_job(&kept, "0000000000000004", "cancelled", 0);
    WAIT_UNTIL(process_news_are(&process, "cancelled /count?four ;")); /* nothing is told of it after its end */
    char id[JOB_ID_SIZE];
    atomic_store(&process.fixture.script.hold, false);
    enter("four", id);
    process_expect(&process, id, JOB_DONE, "four");
}

/* All jobs are resumed, though the pool's queue is shorter. */
WITH_PROCESS(test_resuming_more_than_the_queue_takes)
{
    enum { RUNNING = 8 };
    struct blocker blocker;
    char id[JOB_ID_SIZE], key[16];
    for (int i = 0; i < RUNNING; i++)
        put_job(numbered(i, id), key_of(i, key), "running", time(NULL) - i, 0);
    next_process(1, 2, RUNNING);
    blocker_begin(&blocker, process.fixture.pool); /* the searches take their time */
    process_resume(&process, &reopened);
    blocker_end(&blocker);
    for (int i = 0; i < RUNNING; i++)
        process_expect(&process, numbered(i, id), JOB_DONE, key_of(i, key));
}

/* A store is read again when other jobs have begun. */
WITH_PROCESS(test_resuming_once_more)
{
    char id[JOB_ID_SIZE];
    process.fixture.script.hold = true;
    enter("a", id);
    put_job("0000000000000001", "b", "running", time(NULL), 0);
    put_job("0000000000000002", "c", "done", time(NULL) - 5, time(NULL) - 4);
    for (int i = 0; i < 3; i++)
        process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 1); /* this process' own job is not resumed */
    assert_int_equal(jobs_stats(process.jobs).resumed, 1);
    assert_int_equal(jobs_stats(process.jobs).active, 2);
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    process_expect(&process, "0000000000000001", JOB_DONE, "b");
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
}

/* ---- Weeding ---- */

WITH_PROCESS(test_the_oldest_are_forgotten)
{
    enum { ALL = JOBS_KEPT + 150, RUNNING = 20 };
    const int64_t now = time(NULL);
    char id[JOB_ID_SIZE], key[16];
    for (int i = 0; i < ALL; i++)
        put_job(numbered(i, id), key_of(i, key), "done", now - i - 10, now - i - 5);
    for (int i = 0; i < RUNNING; i++) { /* older than all of them */
        (void)snprintf(id, sizeof id, "f%015d", i);
        (void)snprintf(key, sizeof key, "f %d", i);
        put_job(id, key, "running", now - ALL - 100 - i, 0);
    }
    next_process(1, 100, 100);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.kept, JOBS_KEPT);
    assert_int_equal(stats.active, RUNNING);
    WAIT_UNTIL(memory_journal_facts(&kept, STORE_JOB) == JOBS_KEPT + RUNNING);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(is_gone(numbered(i, id)), i >= JOBS_KEPT);
    atomic_store(&process.fixture.script.hold, false);
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    for (int i = 0; i < RUNNING; i++) {
        (void)snprintf(id, sizeof id, "f%015d", i);
        (void)is_gone(id); /* it is over and among the oldest, and may have been forgotten */
    }
    enter("a new one", id);
    stats = jobs_stats(process.jobs);
    assert_true(stats.kept <= JOBS_KEPT + 1);
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    process_expect(&process, id, JOB_DONE, "a new one");
    WAIT_UNTIL(memory_journal_facts(&kept, STORE_JOB) <= JOBS_KEPT + 1);
}

/* What counts is when a job ended, not when it began: one that takes days is not forgotten as soon as it is over. */
WITH_PROCESS(test_a_long_job_is_kept)
{
    static const char id[] = "f000000000000000";
    const int64_t now = time(NULL);
    char other[JOB_ID_SIZE], key[16];
    for (int i = 0; i < JOBS_KEPT; i++)
        put_job(numbered(i, other), key_of(i, key), "done", now - i - 10, now - i - 5);
    put_job(id, "long", "running", now - 86400, 0); /* older than all of them */
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    process_expect(&process, id, JOB_DONE, "long");
    enter("a new one", other);
    process_expect(&process, id, JOB_DONE, "long");
    process_expect(&process, other, JOB_DONE, "a new one");
    assert_true(is_gone(numbered(JOBS_KEPT - 1, other))); /* the one that ended first */
    assert_false(is_gone(numbered(JOBS_KEPT - 2, other)));
    enter("another new one", other); /* forgets the next one */
    assert_true(is_gone(numbered(JOBS_KEPT - 2, other)));
    assert_false(is_gone(numbered(JOBS_KEPT - 3, other)));
    process_expect(&process, id, JOB_DONE, "long");
    expect_stored_job(&kept, id, "done", 1);
}

/* Results of another major version, and what is no record, are removed; its unfinished jobs are resumed. */
WITH_PROCESS(test_records_of_another_release)
{
    const int64_t now = time(NULL);
    put_job_of("0.0.0", "0000000000000001", "one", "done", now, now);
    put_job_of("0.0.0", "0000000000000002", "two", "running", now, 0);
    put_record("0000000000000003", "no record");
    process_resume(&process, &reopened);
    assert_true(is_gone("0000000000000001"));
    assert_true(is_gone("0000000000000003"));
    process_expect(&process, "0000000000000002", JOB_DONE, "two");
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 1);
}

/* A result of another build is what that one answered: its job can be read, and is no answer to a new question. */
WITH_PROCESS(test_results_of_another_build)
{
    static const char theirs[] = "0000000000000001", build[] = NQ_VERSION "+g0123456789ab.dirty.0123456789ab";
    const int64_t now = time(NULL);
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    put_job_of(build, theirs, "one", "done", now, now);
    put_job_of(build, "0000000000000002", "two", "failed", now, now);
    put_job_of(build, "0000000000000003", "three", "running", now, 0);
    process_resume(&process, &reopened);
    process_expect(&process, theirs, JOB_DONE, "the body");
    process_expect(&process, "0000000000000003", JOB_DONE, "three");
    assert_false(jobs_done(process.jobs, "one", id));
    assert_true(jobs_done(process.jobs, "three", id)); /* this build has counted it */
    enter("one", id);
    assert_string_not_equal(id, theirs);
    process_expect(&process, id, JOB_DONE, "one");
    enter("one", again);
    assert_string_equal(again, id);
    enter("two", again); /* a failure is no result: the job begins again */
    assert_string_equal(again, "0000000000000002");
    process_expect(&process, again, JOB_DONE, "two");
    cancel(theirs, ""); /* changes their record, which stays theirs */
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    process_expect(&process, theirs, JOB_DONE, "the body");
    process_expect(&process, id, JOB_DONE, "one");
    assert_true(jobs_done(process.jobs, "one", again));
    assert_string_equal(again, id);
    assert_true(jobs_done(process.jobs, "two", again));
    assert_int_equal(process_owners(&process, theirs), 0);
}

WITH_PROCESS(test_kept_for_a_week)
{
    const int64_t now = time(NULL), day = 86400;
    put_job("0000000000000001", "old", "done", now - 9 * day, now - 8 * day);
    put_job("0000000000000002", "young", "done", now - 6 * day, now - 5 * day);
    put_job("0000000000000003", "failed", "failed", now - 30 * day, now - 29 * day);
    put_job("0000000000000004", "long", "done", now - 9 * day, now - day);
    next_process(1, 100, 100);
    process_resume(&process, &reopened);
    assert_true(is_gone("0000000000000001"));
    assert_true(is_gone("0000000000000003"));
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
    process_expect(&process, "0000000000000004", JOB_DONE, "the body");
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 2);
}
