/* test_flight.c - tests of src/engine/run/flight.c: equal questions share one search, everyone who waits is
 * woken exactly once, a search ends with the last of them, and whatever becomes of it reaches all. */
/* CI builds: address thread */
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
        assert_int_equal(callers[i]->waiter->status, i % 4 ? NQ_TIMEOUT : NQ_CANCELLED);
        assert_true(callers[i]->waiter->progress.took_off > 0);
    }
    unsigned slices = fixture.script.slices;
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > slices + 3); /* the search goes on */
    assert_int_equal(flights_stats(fixture.flights).cancelled, 0);
    atomic_store(&fixture.script.hold, false);
    for (int i = 1; i < CALLERS; i += 2) {
        caller_gets(callers[i], NQ_OK, "key");
        caller_dismiss(callers[i], NQ_CANCELLED);
        assert_int_equal(callers[i]->waiter->status, NQ_OK);
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
        assert_int_equal(callers[i]->waiter->status, NQ_CLOSED);
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

/* What is lengthy goes on in the other pool, with all its tasks, and holds up nobody in the first one; and as many may
 * wait there as in the first one. */
TEST(test_lengthy_searches_make_room)
{
    SCOPED(flight_fixture, fixture, 1, 1, 1 << 20);
    fixture.script.lengthy = true;
    fixture.script.tasks = 3;
    fixture.script.hold = true;
    struct caller *lengthy = caller_ask(&fixture, "lengthy");
    WAIT_UNTIL(atomic_load(&fixture.script.slices) > 3);
    WAIT_UNTIL(pool_stats(fixture.pool).running + pool_stats(fixture.pool).queued == 0); /* it has handed it over */
    assert_int_equal(pool_stats(fixture.lengthy).running + pool_stats(fixture.lengthy).queued, 3);
    struct blocker blocker;
    blocker_begin(&blocker, fixture.lengthy); /* now all that is lengthy waits */
    struct caller *second = caller_ask(&fixture, "second");
    caller_gets(second, NQ_BUSY, NULL);
    struct caller *third = caller_ask_admitted(&fixture, "third"); /* bounded elsewhere */
    WAIT_UNTIL(pool_stats(fixture.lengthy).queued == 4);
    blocker_end(&blocker);
    fixture.script.lengthy = false;
    fixture.script.tasks = 1;
    struct caller *brief = caller_ask(&fixture, "brief");
    WAIT_UNTIL(pool_stats(fixture.pool).running + pool_stats(fixture.pool).queued == 1);
    atomic_store(&fixture.script.hold, false);
    caller_gets(brief, NQ_OK, "brief");
    caller_gets(lengthy, NQ_OK, "lengthy");
    caller_gets(third, NQ_OK, "third");
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
    assert_int_equal(caller->waiter->status, NQ_OK);
    assert_int_equal(counted.stays, 0);
}

/* A pool that stops does not lose what is on its way from the one to the other. */
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
