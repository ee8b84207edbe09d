/* test_flight.c - tests of src/engine/run/flight.c: equal questions share one search, everyone who waits is woken
 * exactly once, a search ends with the last of them, and whatever becomes of it reaches all. A brief question begins on
 * the thread that asks. With many tasks and callers on other threads nothing is lost or woken twice. */
/* CI builds: address thread */
#include <stdio.h>

#include "support/made_up_flights.h"

TEST(test_equal_questions_share_one_search)
{
    enum { CALLERS = 100 };
    struct caller *callers[CALLERS];
    SCOPED(flight_fixture, fixture, 2, 10, 1 << 20);
    fixture.script.hold = true;
    assert_null(caller_peek(&fixture, "n=8"));
    for (int i = 0; i < CALLERS; i++)
        callers[i] = caller_ask(&fixture, "n=8");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 3);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(callers[i]->sleeper.woken, 0);
    assert_int_equal(flights_stats(fixture.flights).running, 1);
    atomic_store(&fixture.script.hold, false);
    for (int i = 0; i < CALLERS; i++) {
        caller_gets(callers[i], NQ_OK, "n=8");
        assert_ptr_equal(callers[i]->waiter->answer, callers[0]->waiter->answer);
        assert_string_equal(callers[i]->waiter->answer->media_type, "application/json");
        assert_true(callers[i]->waiter->asked <= callers[i]->waiter->progress.took_off || i > 0);
        assert_true(callers[i]->waiter->progress.took_off > 0 && callers[i]->waiter->progress.took_off <= clock_now());
    }
    struct caller *late = caller_ask(&fixture, "n=8"); /* now it is cached */
    assert_int_equal(late->sleeper.woken, 1);
    caller_gets(late, NQ_OK, "n=8");
    assert_int_equal(late->waiter->progress.took_off, 0);
    struct answer *peeked = caller_peek(&fixture, "n=8");
    assert_ptr_equal(peeked, late->waiter->answer);
    answer_unref(peeked);
    const struct flight_stats stats = flights_stats(fixture.flights);
    assert_int_equal(stats.started, 1);
    assert_int_equal(stats.misses, CALLERS);
    assert_int_equal(stats.cache.hits, 2);
    assert_int_equal(stats.cancelled, 0);
    assert_int_equal(stats.cache.entries, 1);
    assert_int_equal(fixture.script.opened, 1);
    assert_int_equal(fixture.script.finished, 1);
}

/* A question that is not in the cache: one look, and the lock when it is asked and when it is answered. */
TEST(test_what_a_miss_takes)
{
    uint64_t seen;
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
#ifdef LOCK_RANKS
    const uint64_t taken = lock_taken(LOCK_FLIGHTS), looked = lock_taken(LOCK_CACHE);
#endif
    assert_null(flights_peek(fixture.flights, "key", &seen));
    caller_gets(caller_ask_seen(&fixture, "key", seen), NQ_OK, "key");
#ifdef LOCK_RANKS
    assert_true(lock_taken(LOCK_FLIGHTS) - taken <= 2);
    assert_true(lock_taken(LOCK_CACHE) - looked <= 2); /* to look, and to keep the answer */
#endif
    assert_int_equal(flights_stats(fixture.flights).cache.lookups, 1);
    answer_unref(caller_peek(&fixture, "key"));
    assert_int_equal(flights_stats(fixture.flights).cache.hits, 1);
}

TEST(test_answered_between_peek_and_ask)
{
    uint64_t seen;
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    assert_null(flights_peek(fixture.flights, "key", &seen));
    caller_gets(caller_ask(&fixture, "key"), NQ_OK, "key");
    struct caller *late = caller_ask_seen(&fixture, "key", seen);
    assert_int_equal(late->sleeper.woken, 1);
    caller_gets(late, NQ_OK, "key");
    assert_int_equal(fixture.script.opened, 1);
}

TEST(test_different_questions_do_not)
{
    static const char *const keys[] = {"a", "b", "", "A", "aa", "a ", "json /solve?n=8", "json /solve?n=80"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    struct caller *callers[2 * KEYS];
    SCOPED(flight_fixture, fixture, 2, KEYS, 1 << 20);
    fixture.script.hold = true;
    for (int i = 0; i < 2 * KEYS; i++)
        callers[i] = caller_ask(&fixture, keys[i % KEYS]);
    WAIT_UNTIL(atomic_load(&fixture.script.opened) == KEYS);
    assert_int_equal(flights_stats(fixture.flights).running, KEYS);
    atomic_store(&fixture.script.hold, false);
    for (int i = 0; i < 2 * KEYS; i++)
        caller_gets(callers[i], NQ_OK, keys[i % KEYS]);
    assert_int_equal(flights_stats(fixture.flights).started, KEYS);
}

TEST(test_dismissing_some_leaves_the_others)
{
    enum { CALLERS = 9 };
    struct caller *callers[CALLERS];
    SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
    fixture.script.hold = true;
    for (int i = 0; i < CALLERS; i++)
        callers[i] = caller_ask(&fixture, "key");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 0);
    for (int i = 0; i < CALLERS; i += 2) { /* the first, the last and some between */
        caller_dismiss(callers[i], i % 4 ? NQ_TIMEOUT : NQ_CANCELLED);
        caller_gets(callers[i], i % 4 ? NQ_TIMEOUT : NQ_CANCELLED, NULL);
        caller_dismiss(callers[i], NQ_BUSY); /* has no effect any more */
        assert_int_equal(pending_status(&callers[i]->waiter->pending), i % 4 ? NQ_TIMEOUT : NQ_CANCELLED);
        assert_true(callers[i]->waiter->progress.took_off > 0);
    }
    unsigned slices = fixture.script.slices;
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > slices + 3); /* the search goes on */
    assert_int_equal(flights_stats(fixture.flights).cancelled, 0);
    atomic_store(&fixture.script.hold, false);
    for (int i = 1; i < CALLERS; i += 2) {
        caller_gets(callers[i], NQ_OK, "key");
        caller_dismiss(callers[i], NQ_CANCELLED);
        assert_int_equal(pending_status(&callers[i]->waiter->pending), NQ_OK);
    }
    assert_int_equal(fixture.script.opened, 1);
}

TEST(test_dismissing_all_stops_the_search)
{
    enum { CALLERS = 5 };
    struct caller *callers[CALLERS];
    SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
    fixture.script.hold = true;
    for (int i = 0; i < CALLERS; i++)
        callers[i] = caller_ask(&fixture, "key");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(fixture.script.closed, 0);
        caller_dismiss(callers[i], NQ_CANCELLED);
        caller_gets(callers[i], NQ_CANCELLED, NULL);
    }
    WAIT_UNTIL(atomic_load(&fixture.script.closed) == 1);
    WAIT_UNTIL(flights_stats(fixture.flights).running == 0);
    assert_int_equal(fixture.script.finished, 0);
    assert_int_equal(flights_stats(fixture.flights).cancelled, 1);
    assert_int_equal(flights_stats(fixture.flights).cache.entries, 0);
    atomic_store(&fixture.script.hold, false);
    struct caller *next = caller_ask(&fixture, "key"); /* a new search, not the dead one */
    caller_gets(next, NQ_OK, "key");
    assert_int_equal(fixture.script.opened, 2);
}

/* A search that nobody wants any more is not even begun; who asks the same meanwhile gets one of their own. */
TEST(test_dismissed_before_it_took_off)
{
    struct blocker blocker;
    SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
    blocker_begin(&blocker, fixture.pool);
    struct caller *left = caller_ask(&fixture, "key");
    caller_dismiss(left, NQ_TIMEOUT);
    caller_gets(left, NQ_TIMEOUT, NULL);
    assert_int_equal(left->waiter->progress.took_off, 0);
    struct caller *stays = caller_ask(&fixture, "key");
    blocker_end(&blocker);
    caller_gets(stays, NQ_OK, "key");
    assert_int_equal(fixture.script.opened, 1);
    assert_int_equal(flights_stats(fixture.flights).started, 2);
}

/* What goes wrong with a search reaches all who wait for it, and is not remembered. */
static void check_failure(const struct script *failing, enum nq_status failure)
{
    enum { CALLERS = 10 };
    struct caller *callers[CALLERS];
    struct blocker blocker;
    SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
    fixture.script.open_as = failing->open_as;
    fixture.script.slice_as = failing->slice_as;
    fixture.script.finish_as = failing->finish_as;
    fixture.script.tasks = failing->tasks;
    blocker_begin(&blocker, fixture.pool);
    for (int i = 0; i < CALLERS; i++)
        callers[i] = caller_ask(&fixture, "key");
    blocker_end(&blocker);
    for (int i = 0; i < CALLERS; i++)
        caller_gets(callers[i], failure, NULL);
    WAIT_UNTIL(pool_stats(fixture.pool).running == 0);
    assert_int_equal(fixture.script.asked, 1);
    assert_int_equal(fixture.script.finished, failing->finish_as != NQ_OK);
    assert_int_equal(flights_stats(fixture.flights).cache.entries, 0);
    assert_null(caller_peek(&fixture, "key"));
    fixture.script.open_as = fixture.script.slice_as = fixture.script.finish_as = NQ_OK;
    struct caller *next = caller_ask(&fixture, "key");
    caller_gets(next, NQ_OK, "key");
    assert_int_equal(fixture.script.asked, 2);
}

TEST(test_failures_reach_all)
{
    static const enum nq_status failures[] = {NQ_NOMEM, NQ_LIMIT, NQ_NONE, NQ_INVALID};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        check_failure(&(struct script){.open_as = failures[i], .tasks = 1}, failures[i]);
        check_failure(&(struct script){.slice_as = failures[i], .tasks = 1}, failures[i]);
        check_failure(&(struct script){.slice_as = failures[i], .tasks = 5}, failures[i]);
        check_failure(&(struct script){.finish_as = failures[i], .tasks = 1}, failures[i]);
        check_failure(&(struct script){.finish_as = failures[i], .tasks = 5}, failures[i]);
    }
}

TEST(test_a_full_queue_is_busy)
{
    struct blocker blocker;
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    blocker_begin(&blocker, fixture.pool);
    struct caller *first = caller_ask(&fixture, "a"); /* takes the only place */
    struct caller *other = caller_ask(&fixture, "b");
    caller_gets(other, NQ_BUSY, NULL);
    assert_int_equal(other->waiter->progress.took_off, 0);
    struct caller *same = caller_ask(&fixture, "a"); /* needs none */
    assert_int_equal(same->sleeper.woken, 0);
    assert_int_equal(flights_stats(fixture.flights).refused, 1);
    assert_int_equal(flights_stats(fixture.flights).running, 1);
    blocker_end(&blocker);
    caller_gets(first, NQ_OK, "a");
    caller_gets(same, NQ_OK, "a");
    struct caller *again = caller_ask(&fixture, "b"); /* there is room now, and the refusal was not remembered */
    caller_gets(again, NQ_OK, "b");
    assert_int_equal(flights_stats(fixture.flights).refused, 1);
}

TEST(test_incomplete_answers_are_not_cached)
{
    struct caller *callers[2];
    SCOPED(flight_fixture, fixture, 1, 4, 1 << 20);
    fixture.script.incomplete = true;
    for (unsigned i = 0; i < 2; i++) {
        callers[i] = caller_ask(&fixture, "key");
        caller_gets(callers[i], NQ_OK, "key");
        assert_false(callers[i]->waiter->answer->complete);
        assert_null(caller_peek(&fixture, "key"));
        assert_int_equal(fixture.script.opened, i + 1);
    }
}

/* An answer that fell out of the cache stays with who has it, and is searched for again. */
TEST(test_an_answer_outlives_the_cache)
{
    struct caller *callers[40];
    SCOPED(flight_fixture, fixture, 1, 4, 2000);
    for (int i = 0; i < 40; i++) {
        const char key[] = {(char)('A' + i), '\0'};
        callers[i] = caller_ask(&fixture, key);
        caller_gets(callers[i], NQ_OK, key);
    }
    assert_true(flights_stats(fixture.flights).cache.evictions > 0);
    assert_true(flights_stats(fixture.flights).cache.bytes <= 2000);
    assert_null(caller_peek(&fixture, "A"));
    struct caller *again = caller_ask(&fixture, "A");
    caller_gets(again, NQ_OK, "A");
    assert_int_equal(fixture.script.opened, 41);
    for (int i = 0; i < 40; i++)
        assert_int_equal(callers[i]->waiter->answer->bytes[0], 'A' + i);
}

TEST(test_close_wakes_all_and_lets_nobody_in)
{
    enum { CALLERS = 12 };
    static const char *const keys[] = {"a", "b", "c"}; /* a flies, b and c still wait for a thread */
    struct caller *callers[CALLERS], *after[4];
    struct blocker blocker;
    SCOPED(flight_fixture, fixture, 2, 4, 1 << 20);
    struct caller *before = caller_ask(&fixture, "cached");
    caller_gets(before, NQ_OK, "cached");
    fixture.script.hold = true;
    blocker_begin(&blocker, fixture.pool);
    callers[0] = caller_ask(&fixture, "a");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 1);
    assert_true(pool_stats(fixture.pool).running >= 1);
    for (int i = 1; i < CALLERS; i++)
        callers[i] = caller_ask(&fixture, keys[i % 3]);
    flights_close(fixture.flights);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(callers[i]->sleeper.woken, 1); /* by the time it returns */
        caller_gets(callers[i], NQ_CLOSED, NULL);
        caller_dismiss(callers[i], NQ_CANCELLED);
        assert_int_equal(pending_status(&callers[i]->waiter->pending), NQ_CLOSED);
    }
    for (int i = 0; i < 4; i++) {
        after[i] = caller_ask(&fixture, i < 3 ? keys[i] : "cached");
        caller_gets(after[i], NQ_CLOSED, NULL);
    }
    blocker_end(&blocker);
    WAIT_UNTIL(flights_stats(fixture.flights).running == 0);
    assert_int_equal(flights_stats(fixture.flights).started, 4);
    assert_int_equal(flights_stats(fixture.flights).cancelled, 3);
    assert_int_equal(fixture.script.finished, 1);
}

/* What is lengthy shares the place with what is not. */
TEST(test_lengthy_searches_share_places)
{
    SCOPED(flight_fixture, fixture, 1, 2, 1 << 20);
    fixture.script.lengthy = true;
    fixture.script.tasks = 3;
    fixture.script.hold = true;
    struct caller *lengthy = caller_ask(&fixture, "lengthy");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 3);
    assert_int_equal(pool_stats(fixture.pool).running + pool_stats(fixture.pool).queued, 3);
    fixture.script.lengthy = false;
    fixture.script.tasks = 1;
    struct caller *brief = caller_ask(&fixture, "brief");
    const unsigned slices = atomic_load(&fixture.script.slices);
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > slices + 8); /* all go on, in turn */
    assert_int_equal(pool_stats(fixture.pool).running + pool_stats(fixture.pool).queued, 4);
    atomic_store(&fixture.script.hold, false);
    caller_gets(brief, NQ_OK, "brief");
    caller_gets(lengthy, NQ_OK, "lengthy");
}

/* Once, before any slice; and who waits for it can be told what has become of the search. */
TEST(test_preparing)
{
    for (int lengthy = 0; lengthy < 2; lengthy++) {
        struct progress progress;
        SCOPED(flight_fixture, fixture, 3, 8, 1 << 20);
        fixture.script.lengthy = lengthy;
        fixture.script.tasks = FIXTURE_TASKS;
        fixture.script.slices_each = 5;
        struct caller *caller = caller_ask(&fixture, "key");
        caller_gets(caller, NQ_OK, "key");
        assert_int_equal(fixture.script.prepared, 1);
        assert_int_equal(fixture.script.early, 0);
        assert_int_equal(fixture.script.slices, 5 * FIXTURE_TASKS);

        fixture.script.prepare_as = NQ_NOMEM;
        struct caller *failed = caller_ask(&fixture, "failed");
        caller_gets(failed, NQ_NOMEM, NULL);
        assert_int_equal(fixture.script.slices, 5 * FIXTURE_TASKS);
        assert_int_equal(fixture.script.finished, 1);

        fixture.script.prepare_as = NQ_OK;
        atomic_store(&fixture.script.hold_prepare, true);
        struct caller *left = caller_ask(&fixture, "left");
        WAIT_UNTIL(atomic_load(&fixture.script.opened) == 3);
        assert_true(flights_progress(fixture.flights, left->waiter, &progress)); /* it has taken off */
        caller_dismiss(left, NQ_CANCELLED);
        caller_gets(left, NQ_CANCELLED, NULL);
        WAIT_UNTIL(atomic_load(&fixture.script.closed) == 3);
        assert_int_equal(fixture.script.slices, 5 * FIXTURE_TASKS);
    }
}

struct counted {
    struct on_timeout on_timeout;
    unsigned stays;
};

static enum nq_status stay(struct on_timeout *on_timeout)
{
    ((struct counted *)on_timeout)->stays++;
    return NQ_AGAIN;
}

static void keep_it(struct on_timeout *on_timeout)
{
    (void)on_timeout; /* it is the test's */
}

/* Who has the answer when the time is up needs nothing that outlasts it. */
TEST(test_too_late_to_stay)
{
    struct counted counted = {.on_timeout = {.stay = stay, .free = keep_it}};
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    struct caller *caller = caller_ask_staying(&fixture, "key", &counted.on_timeout);
    caller_gets(caller, NQ_OK, "key");
    caller_dismiss(caller, NQ_TIMEOUT);
    assert_int_equal(pending_status(&caller->waiter->pending), NQ_OK);
    assert_int_equal(counted.stays, 0);
}

/* A pool that stops does not lose what has just become lengthy. */
TEST(test_close_on_the_way)
{
    for (int round = 0; round < 100; round++) {
        enum { CALLERS = 8 };
        struct caller *callers[CALLERS];
        SCOPED(flight_fixture, fixture, 2, CALLERS, 1 << 20);
        fixture.script.lengthy = true;
        fixture.script.tasks = 2;
        fixture.script.hold = true;
        for (int i = 0; i < CALLERS; i++)
            callers[i] = caller_ask(&fixture, (char[]){(char)('a' + i), '\0'});
        field_close(&fixture);
        for (int i = 0; i < CALLERS; i++) {
            caller_gets(callers[i], NQ_CLOSED, NULL);
        }
    }
}

/* Who may not have what a search takes goes, whether it was there before the work was open or came later; the others
 * are not disturbed. */
TEST(test_who_cannot_afford_it_goes)
{
    enum { ANYBODY, POOR, RICH, LATE, ALONE, CALLERS };
    const struct principal principals[CALLERS] = {[POOR] = {.limited = true, .seconds = 9.5},
                                                  [RICH] = {.limited = true, .seconds = 10},
                                                  [LATE] = {.limited = true},
                                                  [ALONE] = {.limited = true, .seconds = 1}};
    struct caller *callers[CALLERS];
    SCOPED(flight_fixture, fixture, 2, 10, 1 << 20);
    fixture.script.seconds = 10;
    fixture.script.hold = true;
    fixture.script.hold_open = true;
    for (int i = ANYBODY; i <= RICH; i++)
        callers[i] = caller_ask_as(&fixture, "dear", principals[i]);
    WAIT_UNTIL(atomic_load(&fixture.script.asked) == 1);
    assert_int_equal(callers[POOR]->sleeper.woken, 0); /* nobody knows yet */
    atomic_store(&fixture.script.hold_open, false);
    caller_gets(callers[POOR], NQ_DENIED, NULL);
    assert_non_null(strstr(callers[POOR]->waiter->fault.text, "about 10 core-seconds"));
    assert_non_null(strstr(callers[POOR]->waiter->fault.text, "9.5"));
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 3);
    callers[LATE] = caller_ask_as(&fixture, "dear", principals[LATE]);
    caller_gets(callers[LATE], NQ_DENIED, NULL);
    callers[ALONE] = caller_ask_as(&fixture, "another", principals[ALONE]);
    caller_gets(callers[ALONE], NQ_DENIED, NULL);
    WAIT_UNTIL(flights_stats(fixture.flights).running == 1); /* nobody is left for that one */
    assert_int_equal(flights_stats(fixture.flights).cancelled, 1);
    assert_int_equal(callers[ANYBODY]->sleeper.woken + callers[RICH]->sleeper.woken, 0);
    atomic_store(&fixture.script.hold, false);
    caller_gets(callers[ANYBODY], NQ_OK, "dear");
    caller_gets(callers[RICH], NQ_OK, "dear");
    callers[LATE] = caller_ask_as(&fixture, "dear", principals[LATE]); /* it is there now: for everybody */
    caller_gets(callers[LATE], NQ_OK, "dear");
}

/* ---- Brief questions, on the thread that asks, as long as that takes little of its time ---- */

static bool run_nothing(struct pool_task *task, const struct slice *slice)
{
    (void)task;
    (void)slice;
    return false;
}

/* Begins a blocker, and lets another task of its client wait: a client of whom nothing waits is admitted to a full
 * queue. */
static void block_and_wait(struct blocker *blocker, struct pool_task *waiting, struct pool *pool)
{
    *waiting = (struct pool_task){.run = run_nothing};
    blocker_begin(blocker, pool);
    assert_true(pool_add(pool, waiting));
}

/* No thread of the pool is to be had, and its queue has no room. A slice may be over before it has begun: then it is
 * asked again. */
TEST(test_a_brief_question_waits_for_nobody)
{
    struct pool_task waiting;
    struct caller *caller;
    char key[32];
    unsigned tries = 0;
    SCOPED(flight_fixture, fixture, 1, 0, 1 << 20);
    ENDED_BY(blocker_end) struct blocker blocker;
    block_and_wait(&blocker, &waiting, fixture.pool);
    const uint64_t begin = clock_now();
    do {
        (void)snprintf(key, sizeof key, "key %u", tries++);
        caller = caller_ask_brief(&fixture, key);
        assert_int_equal(caller->sleeper.woken, 1);
        assert_true(clock_now() < begin + PATIENCE);
    } while (pending_status(&caller->waiter->pending) == NQ_BUSY);
    caller_gets(caller, NQ_OK, key);
    assert_true(caller->waiter->progress.took_off >= caller->waiter->asked);
    caller_gets(caller_ask(&fixture, key), NQ_OK, key); /* it is kept */
    assert_int_equal(fixture.script.finished, 1);
    caller_gets(caller_ask(&fixture, "no room"), NQ_BUSY, NULL);
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
    struct pool_task waiting;
    char key[32];
    unsigned tries = 0;
    SCOPED(flight_fixture, fixture, 1, 0, 1 << 20);
    ENDED_BY(blocker_end) struct blocker blocker;
    fixture.script.tasks = FIXTURE_TASKS;
    fixture.script.hold = true;
    block_and_wait(&blocker, &waiting, fixture.pool);
    const uint64_t begin = clock_now();
    while (atomic_load(&fixture.script.prepared) == 0) { /* a slice may be over before it has begun */
        (void)snprintf(key, sizeof key, "key %u", tries++);
        caller_gets(caller_ask_brief(&fixture, key), NQ_BUSY, NULL);
        assert_true(clock_now() < begin + PATIENCE);
    }
    assert_true(fixture.script.slices <= 1);
}

TEST(test_several_tasks_and_failures)
{
    SCOPED(flight_fixture, fixture, 2, 10, 1 << 20);
    fixture.script.tasks = FIXTURE_TASKS;
    caller_gets(caller_ask_brief(&fixture, "all"), NQ_OK, "all");
    fixture.script.open_as = NQ_LIMIT;
    caller_gets(caller_ask_brief(&fixture, "none"), NQ_LIMIT, NULL);
}

/* Of all the time that has passed no more than a quarter goes to such questions, beside what a pause gives. A slice may
 * be over before it has begun, on a machine with much to do: it is asked until some were answered here, and some not.
 */
TEST(test_brief_questions_take_a_share_of_the_time)
{
    enum { PAUSE_NS = 10 * 1000 * 1000, SLICE_NS = 1000 * 1000 };
    uint64_t taken = 0;
    SCOPED(flight_fixture, fixture, 1, 1, 0); /* nothing is kept */
    fixture.script.slice_ns = SLICE_NS;
    const uint64_t begin = clock_now();
    for (unsigned refused = 0; refused < 3 || taken < 3 * SLICE_NS;) {
        const uint64_t since = clock_now();
        assert_true(since < begin + PATIENCE);
        struct caller *caller = caller_ask_brief(&fixture, "key");
        caller_gets(caller, NQ_OK, "key");
        const bool here = pthread_equal(fixture.script.carrier, pthread_self());
        assert_true(taken <= (since - begin + PAUSE_NS) / 4 + SLICE_NS);
        taken += here ? SLICE_NS : 0;
        refused += !here;
    }
}

/* ---- Many tasks, many callers ---- */

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
            assert_true(pending_status(&waiter->pending) == NQ_CLOSED ||
                        (pending_status(&waiter->pending) == NQ_OK && round % 2 == 0));
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

enum { PRINCIPALS = 3, EACH = SANITIZED ? 1500 : 4000, KEYS = 40 };

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
    got[pending_status(&waiter->pending)]++;
    switch ((int)pending_status(&waiter->pending)) {
    case NQ_OK:
        assert_int_equal(waiter->answer->size, strlen(key));
        assert_memory_equal(waiter->answer->bytes, key, strlen(key));
        break;
    case NQ_TIMEOUT:
    case NQ_LIMIT:
    case NQ_NOMEM:
    case NQ_BUSY: assert_null(waiter->answer); break;
    default: fail_msg("got %s", nq_status_text(pending_status(&waiter->pending)));
    }
    caller_end(caller);
}

TEST(test_guests_come_and_go)
{
    OWNED(free) struct crowd *crowd = calloc(1, sizeof *crowd);
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
}
