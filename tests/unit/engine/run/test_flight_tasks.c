/* test_flight_tasks.c - tests of src/engine/run/flight.c with many hands: a search on several tasks lands once, and
 * nothing is lost or woken twice while callers come and go on other threads. */
/* CI builds: address thread */
#include "support/made_up_flights.h"

TEST(test_all_tasks_run_and_land_once)
{
    for (unsigned threads = 1; threads <= 4; threads++)
        for (unsigned tasks = 1; tasks <= FIXTURE_TASKS; tasks++) {
            SCOPED(flight_fixture, fixture, threads, 1, 1 << 20); /* the tasks need no place in the queue */
            fixture.script.tasks = tasks;
            fixture.script.slices_each = 3;
            struct caller *caller = caller_ask(&fixture, "key");
            caller_gets(caller, NQ_OK, "key");
            assert_int_equal(fixture.script.slices, 3 * tasks);
            assert_int_equal(fixture.script.finished, 1);
            field_close(&fixture);
            assert_int_equal(fixture.script.slices, 3 * tasks);
            assert_int_equal(fixture.script.finished, 1);
            assert_int_equal(fixture.script.closed, 1);
        }
}

/* Each task is in the pool at the same time: as many tasks are there as tasks. */
TEST(test_tasks_are_tasks)
{
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    fixture.script.tasks = FIXTURE_TASKS;
    fixture.script.hold = true;
    struct caller *caller = caller_ask(&fixture, "key");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 2 * FIXTURE_TASKS);
    struct pool_stats stats = pool_stats(fixture.pool);
    assert_int_equal(stats.queued + stats.running, FIXTURE_TASKS);
    caller_dismiss(caller, NQ_CANCELLED);
    caller_gets(caller, NQ_CANCELLED, NULL);
    WAIT_UNTIL(atomic_load(&fixture.script.closed) == 1); /* every task heeded it */
    WAIT_UNTIL(pool_stats(fixture.pool).queued + pool_stats(fixture.pool).running == 0);
    assert_int_equal(fixture.script.finished, 0);
}

/* Closing while tasks fly, with the pool stopped at once after it. */
TEST(test_close_while_tasks_fly)
{
    for (int round = 0; round < 50; round++) {
        struct caller *callers[6];
        SCOPED(flight_fixture, fixture, 3, 64, 1 << 20);
        fixture.script.tasks = FIXTURE_TASKS;
        fixture.script.hold = round % 2;
        fixture.script.slices_each = 5;
        for (int i = 0; i < 6; i++)
            callers[i] = caller_ask(&fixture, (char[]){(char)('a' + i % 3), '\0'});
        for (int i = 0; i < round % 5; i++)
            asking_pause();
        field_close(&fixture);
        for (int i = 0; i < 6; i++) {
            const struct waiter *waiter = callers[i]->waiter;
            assert_true(waiter->status == NQ_CLOSED || (waiter->status == NQ_OK && round % 2 == 0));
        }
    }
}

struct looker {
    struct flight_fixture *fixture;
    struct caller *caller;
};

static void *look(void *context)
{
    const struct looker *looker = context;
    struct progress progress;
    (void)flights_progress(looker->fixture->flights, looker->caller->waiter, &progress);
    return NULL;
}

/* The last task ends while another thread looks: that thread, which serves all clients, does not make the answer. It
 * does so only if the pool is stopping. */
TEST(test_who_looks_does_not_complete)
{
    for (int stops = 0; stops < 2; stops++) {
        struct blocker blocker;
        pthread_t thread;
        SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
        fixture.script.hold = true;
        struct looker looker = {&fixture, caller_ask(&fixture, "key")};
        WAIT_UNTIL(atomic_load(&fixture.script.slices) > 0);
        atomic_store(&fixture.script.hold_progress, true);
        start(&thread, look, &looker);
        WAIT_UNTIL(atomic_load(&fixture.script.asked_progress));
        atomic_store(&fixture.script.hold, false);
        WAIT_UNTIL(pool_stats(fixture.pool).queued + pool_stats(fixture.pool).running == 0);
        if (stops)
            pool_stop(fixture.pool);
        else
            blocker_begin(&blocker, fixture.pool); /* it waits for no place either */
        atomic_store(&fixture.script.hold_progress, false);
        caller_gets(looker.caller, NQ_OK, "key");
        assert_int_equal(pthread_equal(fixture.script.finisher, thread) != 0, stops);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(fixture.script.finished, 1);
        if (!stops)
            blocker_end(&blocker);
        else
            fixture.stopped = true;
    }
}

enum { PRINCIPALS = 3, EACH = 4000, KEYS = 40 };

/* A crowd that asks on several threads while another one throws callers out. */
struct crowd {
    struct flight_fixture fixture;
    struct caller callers[PRINCIPALS][EACH];
    atomic_uint there[PRINCIPALS]; /* callers[k][0..there[k]) have asked */
    atomic_bool over;
};

struct visitor {
    struct crowd *crowd;
    unsigned number;
};

static void key_of(unsigned principal, unsigned i, char key[static 16])
{
    uint64_t dice = (uint64_t)principal << 32 | i;
    (void)snprintf(key, 16, "key %u", facts_below(&dice, KEYS));
}

static void *ask_on(void *context)
{
    const struct visitor *principal = context;
    struct crowd *crowd = principal->crowd;
    for (unsigned i = 0; i < EACH; i++) {
        struct caller *caller = &crowd->callers[principal->number][i];
        char key[16];
        key_of(principal->number, i, key);
        const struct question question = ask_named(key);
        struct shared_question *asked = shared(&question);
        caller->waiter =
            flights_ask(crowd->fixture.flights, asked, &(struct asking){.wake = sleeper_wake, .who = &caller->sleeper});
        question_unref(asked);
        if (!caller->waiter)
            break;
        atomic_store(&crowd->there[principal->number], i + 1);
        if (i % 4 == 3 && !sleeper_sleep(&caller->sleeper)) /* so that not all ask before the first is answered */
            break;
        answer_unref(caller_peek(&crowd->fixture, key));
    }
    return NULL;
}

static void *throw_out(void *context)
{
    struct crowd *crowd = context;
    uint64_t dice = 1;
    while (!atomic_load(&crowd->over)) {
        const unsigned principal = facts_below(&dice, PRINCIPALS), there = atomic_load(&crowd->there[principal]);
        const unsigned recent = there < 32 ? there : 32;
        if (recent)
            caller_dismiss(&crowd->callers[principal][there - 1 - facts_below(&dice, recent)], NQ_TIMEOUT);
        if (facts_below(&dice, 16) == 0)
            CHECKED(flights_check(crowd->fixture.flights));
    }
    return NULL;
}

/* What a caller may have got: the answer to their own question, the reason of a dismissal, or a failure of the script
 * or of the queue. */
static void check_guest(struct caller *caller, const char *key, unsigned got[static NQ_BROKEN + 1])
{
    const struct waiter *waiter = caller->waiter;
    got[waiter->status]++;
    switch ((int)waiter->status) {
    case NQ_OK:
        assert_int_equal(waiter->answer->size, strlen(key));
        assert_memory_equal(waiter->answer->bytes, key, strlen(key));
        break;
    case NQ_TIMEOUT:
    case NQ_LIMIT:
    case NQ_NOMEM:
    case NQ_BUSY: assert_null(waiter->answer); break;
    default: fail_msg("got %s", nq_status_text(waiter->status));
    }
    caller_end(caller);
}

TEST(test_guests_come_and_go)
{
    struct crowd *crowd = calloc(1, sizeof *crowd);
    struct visitor principals[PRINCIPALS];
    pthread_t threads[PRINCIPALS], thrower;
    unsigned got[NQ_QUOTA + 1] = {0};
    assert_non_null(crowd);
    flight_fixture_begin(&crowd->fixture, 3, 24, 1500);
    crowd->fixture.script.mixed = true;
    for (unsigned k = 0; k < PRINCIPALS; k++) {
        principals[k] = (struct visitor){crowd, k};
        for (unsigned i = 0; i < EACH; i++)
            sleeper_begin(&crowd->callers[k][i].sleeper);
    }
    for (unsigned k = 0; k < PRINCIPALS; k++)
        start(&threads[k], ask_on, &principals[k]);
    start(&thrower, throw_out, crowd);
    for (unsigned k = 0; k < PRINCIPALS; k++)
        assert_int_equal(pthread_join(threads[k], NULL), 0);
    atomic_store(&crowd->over, true);
    assert_int_equal(pthread_join(thrower, NULL), 0);
    WAIT_UNTIL(flights_stats(crowd->fixture.flights).running == 0);
    const struct flight_stats stats = flights_stats(crowd->fixture.flights);
    flight_fixture_end(&crowd->fixture); /* nobody waits any more, so nobody gets NQ_CLOSED */
    for (unsigned k = 0; k < PRINCIPALS; k++) {
        assert_int_equal(crowd->there[k], EACH);
        for (unsigned i = 0; i < EACH; i++) {
            char key[16];
            key_of(k, i, key);
            check_guest(&crowd->callers[k][i], key, got);
        }
    }
    assert_true(got[NQ_OK] > 0);
    assert_true(stats.started <= stats.misses);
    assert_true(stats.started >= crowd->fixture.script.asked + stats.refused);
    free(crowd);
}
