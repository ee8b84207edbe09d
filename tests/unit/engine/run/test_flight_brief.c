/* test_flight_brief.c - tests of src/engine/run/flight.c: a brief question begins on the thread that asks, as long as
 * that takes little of its time. */
/* CI builds: address thread */
#include <stdio.h>

#include "support/made_up_flights.h"

/* No thread of the pool is to be had, and its queue has no room. A slice may be over before it has begun: then it is
 * asked again. */
TEST(test_a_brief_question_waits_for_nobody)
{
    struct blocker blocker;
    struct caller *caller;
    char key[32];
    unsigned tries = 0;
    SCOPED(flight_fixture, fixture, 1, 0, 1 << 20);
    blocker_begin(&blocker, fixture.pool);
    const uint64_t begin = clock_now();
    do {
        (void)snprintf(key, sizeof key, "key %u", tries++);
        caller = caller_ask_brief(&fixture, key);
        assert_int_equal(caller->sleeper.woken, 1);
        assert_true(clock_now() < begin + PATIENCE);
    } while (caller->waiter->status == NQ_BUSY);
    caller_gets(caller, NQ_OK, key);
    assert_true(caller->waiter->progress.took_off >= caller->waiter->asked);
    caller_gets(caller_ask(&fixture, key), NQ_OK, key); /* it is kept */
    assert_int_equal(fixture.script.finished, 1);
    caller_gets(caller_ask(&fixture, "no room"), NQ_BUSY, NULL);
    blocker_end(&blocker);
}

TEST(test_what_is_not_so_brief_goes_to_the_pool)
{
    struct blocker blocker;
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    blocker_begin(&blocker, fixture.pool);
    fixture.script.slices_each = 3;
    struct caller *caller = caller_ask_brief(&fixture, "key");
    assert_int_equal(caller->sleeper.woken, 0);
    assert_true(fixture.script.slices <= 1);
    assert_int_equal(pool_stats(fixture.pool).bounded, 1);
    caller_gets(caller_ask_brief(&fixture, "another"), NQ_BUSY, NULL); /* its second slice has no room */
    caller_dismiss(caller_ask_brief(&fixture, "key"), NQ_CANCELLED);   /* one of two leaves */
    blocker_end(&blocker);
    caller_gets(caller, NQ_OK, "key");
    assert_int_equal(fixture.script.finished, 1);
}

/* Its first slice has let other tasks into the pool: they end with it, before they have a place, and do not search. */
TEST(test_no_room_for_the_rest_of_several_tasks)
{
    struct blocker blocker;
    char key[32];
    unsigned tries = 0;
    SCOPED(flight_fixture, fixture, 1, 0, 1 << 20);
    fixture.script.tasks = FIXTURE_TASKS;
    fixture.script.hold = true;
    blocker_begin(&blocker, fixture.pool);
    const uint64_t begin = clock_now();
    while (atomic_load(&fixture.script.prepared) == 0) { /* a slice may be over before it has begun */
        (void)snprintf(key, sizeof key, "key %u", tries++);
        caller_gets(caller_ask_brief(&fixture, key), NQ_BUSY, NULL);
        assert_true(clock_now() < begin + PATIENCE);
    }
    assert_true(fixture.script.slices <= 1);
    blocker_end(&blocker);
}

TEST(test_several_tasks_and_failures)
{
    SCOPED(flight_fixture, fixture, 2, 10, 1 << 20);
    fixture.script.tasks = FIXTURE_TASKS;
    caller_gets(caller_ask_brief(&fixture, "all"), NQ_OK, "all");
    fixture.script.open_as = NQ_LIMIT;
    caller_gets(caller_ask_brief(&fixture, "none"), NQ_LIMIT, NULL);
}

/* It goes on in the other pool, or is refused, without having been in the first. */
TEST(test_what_is_lengthy_after_all)
{
    struct blocker blocker, other;
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    fixture.script.lengthy = true;
    blocker_begin(&blocker, fixture.pool);
    blocker_begin(&other, fixture.lengthy);
    struct caller *caller = caller_ask_brief(&fixture, "key");
    caller_gets(caller_ask_brief(&fixture, "no room"), NQ_BUSY, NULL);
    assert_int_equal(caller->sleeper.woken + fixture.script.slices, 0);
    blocker_end(&other);
    caller_gets(caller, NQ_OK, "key");
    blocker_end(&blocker);
}

/* Of all the time that has passed no more than a quarter goes to such questions, beside what a pause gives. */
TEST(test_brief_questions_take_a_share_of_the_time)
{
    enum { PAUSE_NS = 10 * 1000 * 1000, SLICE_NS = 1000 * 1000 };
    uint64_t taken = 0;
    SCOPED(flight_fixture, fixture, 1, 1, 0); /* nothing is kept */
    fixture.script.slice_ns = SLICE_NS;
    const uint64_t begin = clock_now();
    for (unsigned refused = 0; refused < 3;) {
        const uint64_t since = clock_now();
        assert_true(since < begin + PATIENCE);
        struct caller *caller = caller_ask_brief(&fixture, "key");
        caller_gets(caller, NQ_OK, "key");
        const bool here = pthread_equal(fixture.script.carrier, pthread_self());
        assert_true(taken <= (since - begin + PAUSE_NS) / 4 + SLICE_NS);
        taken += here ? SLICE_NS : 0;
        refused += !here;
    }
    assert_true(taken >= SLICE_NS);
}
