/* test_engine_flight.c - tests of src/engine/flight.c: equal questions share one search, everyone who waits is woken
 * exactly once, a search ends with the last of them, and whatever becomes of it reaches all. */
#include "flying.h"

#include <string.h>

static void test_equal_questions_share_one_search(void **state)
{
    (void)state;
    enum { GUESTS = 100 };
    struct field field;
    struct guest guests[GUESTS], late;
    field_begin(&field, 2, 10, 1 << 20);
    field.script.hold = true;
    assert_null(flights_peek(field.flights, "n=8"));
    for (int i = 0; i < GUESTS; i++)
        guest_ask(&guests[i], &field, "n=8");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 3);
    for (int i = 0; i < GUESTS; i++)
        assert_int_equal(guests[i].sleeper.woken, 0);
    assert_int_equal(flights_figures(field.flights).running, 1);
    atomic_store(&field.script.hold, false);
    for (int i = 0; i < GUESTS; i++) {
        guest_gets(&guests[i], NQ_OK, "n=8");
        assert_ptr_equal(guests[i].ticket->answer, guests[0].ticket->answer);
        assert_string_equal(guests[i].ticket->answer->media_type, "application/json");
        assert_true(guests[i].ticket->asked <= guests[i].ticket->progress.took_off || i > 0);
        assert_true(guests[i].ticket->progress.took_off > 0 && guests[i].ticket->progress.took_off <= clock_now());
    }
    guest_ask(&late, &field, "n=8"); /* now it is cached */
    assert_int_equal(late.sleeper.woken, 1);
    guest_gets(&late, NQ_OK, "n=8");
    assert_int_equal(late.ticket->progress.took_off, 0);
    struct answer *peeked = flights_peek(field.flights, "n=8");
    assert_ptr_equal(peeked, late.ticket->answer);
    answer_unref(peeked);
    const struct flight_figures figures = flights_figures(field.flights);
    assert_int_equal(figures.started, 1);
    assert_int_equal(figures.misses, GUESTS);
    assert_int_equal(figures.hits, 2);
    assert_int_equal(figures.cancelled, 0);
    assert_int_equal(figures.cache.entries, 1);
    assert_int_equal(field.script.opened, 1);
    assert_int_equal(field.script.finished, 1);
    field_end(&field);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
    guest_end(&late);
}

static void test_different_questions_do_not(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", "b", "", "A", "aa", "a ", "json /solve?n=8", "json /solve?n=80"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    struct field field;
    struct guest guests[2 * KEYS];
    field_begin(&field, 2, KEYS, 1 << 20);
    field.script.hold = true;
    for (int i = 0; i < 2 * KEYS; i++)
        guest_ask(&guests[i], &field, keys[i % KEYS]);
    WAIT_UNTIL(atomic_load(&field.script.opened) == KEYS);
    assert_int_equal(flights_figures(field.flights).running, KEYS);
    atomic_store(&field.script.hold, false);
    for (int i = 0; i < 2 * KEYS; i++)
        guest_gets(&guests[i], NQ_OK, keys[i % KEYS]);
    assert_int_equal(flights_figures(field.flights).started, KEYS);
    field_end(&field);
    for (int i = 0; i < 2 * KEYS; i++)
        guest_end(&guests[i]);
}

static void test_dismissing_some_leaves_the_others(void **state)
{
    (void)state;
    enum { GUESTS = 9 };
    struct field field;
    struct guest guests[GUESTS];
    field_begin(&field, 1, 4, 1 << 20);
    field.script.hold = true;
    for (int i = 0; i < GUESTS; i++)
        guest_ask(&guests[i], &field, "key");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 0);
    for (int i = 0; i < GUESTS; i += 2) { /* the first, the last and some between */
        guest_dismiss(&guests[i], i % 4 ? NQ_TIMEOUT : NQ_CANCELLED);
        guest_gets(&guests[i], i % 4 ? NQ_TIMEOUT : NQ_CANCELLED, NULL);
        guest_dismiss(&guests[i], NQ_BUSY); /* has no effect any more */
        assert_int_equal(guests[i].ticket->status, i % 4 ? NQ_TIMEOUT : NQ_CANCELLED);
        assert_true(guests[i].ticket->progress.took_off > 0);
    }
    unsigned slices = field.script.slices;
    WAIT_UNTIL(atomic_load(&field.script.slices) > slices + 3); /* the search goes on */
    assert_int_equal(flights_figures(field.flights).cancelled, 0);
    atomic_store(&field.script.hold, false);
    for (int i = 1; i < GUESTS; i += 2) {
        guest_gets(&guests[i], NQ_OK, "key");
        guest_dismiss(&guests[i], NQ_CANCELLED);
        assert_int_equal(guests[i].ticket->status, NQ_OK);
    }
    assert_int_equal(field.script.opened, 1);
    field_end(&field);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
}

static void test_dismissing_all_stops_the_search(void **state)
{
    (void)state;
    enum { GUESTS = 5 };
    struct field field;
    struct guest guests[GUESTS], next;
    field_begin(&field, 1, 4, 1 << 20);
    field.script.hold = true;
    for (int i = 0; i < GUESTS; i++)
        guest_ask(&guests[i], &field, "key");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 0);
    for (int i = 0; i < GUESTS; i++) {
        assert_int_equal(field.script.closed, 0);
        guest_dismiss(&guests[i], NQ_CANCELLED);
        guest_gets(&guests[i], NQ_CANCELLED, NULL);
    }
    WAIT_UNTIL(atomic_load(&field.script.closed) == 1);
    WAIT_UNTIL(flights_figures(field.flights).running == 0);
    assert_int_equal(field.script.finished, 0);
    assert_int_equal(flights_figures(field.flights).cancelled, 1);
    assert_int_equal(flights_figures(field.flights).cache.entries, 0);
    atomic_store(&field.script.hold, false);
    guest_ask(&next, &field, "key"); /* a new search, not the dead one */
    guest_gets(&next, NQ_OK, "key");
    assert_int_equal(field.script.opened, 2);
    field_end(&field);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
    guest_end(&next);
}

/* A search that nobody wants any more is not even begun; who asks the same meanwhile gets one of their own. */
static void test_dismissed_before_it_took_off(void **state)
{
    (void)state;
    struct field field;
    struct guest left, stays;
    struct plug plug;
    field_begin(&field, 1, 4, 1 << 20);
    plug_in(&plug, field.pool);
    guest_ask(&left, &field, "key");
    guest_dismiss(&left, NQ_TIMEOUT);
    guest_gets(&left, NQ_TIMEOUT, NULL);
    assert_int_equal(left.ticket->progress.took_off, 0);
    guest_ask(&stays, &field, "key");
    plug_out(&plug);
    guest_gets(&stays, NQ_OK, "key");
    assert_int_equal(field.script.opened, 1);
    assert_int_equal(flights_figures(field.flights).started, 2);
    field_end(&field);
    guest_end(&left);
    guest_end(&stays);
}

/* What goes wrong with a search reaches all who wait for it, and is not remembered. */
static void check_failure(const struct script *failing, enum nq_status failure)
{
    enum { GUESTS = 10 };
    struct field field;
    struct guest guests[GUESTS], next;
    struct plug plug;
    field_begin(&field, 1, 4, 1 << 20);
    field.script.open_as = failing->open_as;
    field.script.slice_as = failing->slice_as;
    field.script.finish_as = failing->finish_as;
    field.script.lanes = failing->lanes;
    plug_in(&plug, field.pool);
    for (int i = 0; i < GUESTS; i++)
        guest_ask(&guests[i], &field, "key");
    plug_out(&plug);
    for (int i = 0; i < GUESTS; i++)
        guest_gets(&guests[i], failure, NULL);
    WAIT_UNTIL(pool_figures(field.pool).running == 0);
    assert_int_equal(field.script.asked, 1);
    assert_int_equal(field.script.finished, failing->finish_as != NQ_OK);
    assert_int_equal(flights_figures(field.flights).cache.entries, 0);
    assert_null(flights_peek(field.flights, "key"));
    field.script.open_as = field.script.slice_as = field.script.finish_as = NQ_OK;
    guest_ask(&next, &field, "key");
    guest_gets(&next, NQ_OK, "key");
    assert_int_equal(field.script.asked, 2);
    field_end(&field);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
    guest_end(&next);
}

static void test_failures_reach_all(void **state)
{
    (void)state;
    static const enum nq_status failures[] = {NQ_NOMEM, NQ_LIMIT, NQ_NONE, NQ_INVALID};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        check_failure(&(struct script){.open_as = failures[i], .lanes = 1}, failures[i]);
        check_failure(&(struct script){.slice_as = failures[i], .lanes = 1}, failures[i]);
        check_failure(&(struct script){.slice_as = failures[i], .lanes = 5}, failures[i]);
        check_failure(&(struct script){.finish_as = failures[i], .lanes = 1}, failures[i]);
        check_failure(&(struct script){.finish_as = failures[i], .lanes = 5}, failures[i]);
    }
}

static void test_a_full_queue_is_busy(void **state)
{
    (void)state;
    struct field field;
    struct guest first, same, other, again;
    struct plug plug;
    field_begin(&field, 1, 1, 1 << 20);
    plug_in(&plug, field.pool);
    guest_ask(&first, &field, "a"); /* takes the only place */
    guest_ask(&other, &field, "b");
    guest_gets(&other, NQ_BUSY, NULL);
    assert_int_equal(other.ticket->progress.took_off, 0);
    guest_ask(&same, &field, "a"); /* needs none */
    assert_int_equal(same.sleeper.woken, 0);
    assert_int_equal(flights_figures(field.flights).refused, 1);
    assert_int_equal(flights_figures(field.flights).running, 1);
    plug_out(&plug);
    guest_gets(&first, NQ_OK, "a");
    guest_gets(&same, NQ_OK, "a");
    guest_ask(&again, &field, "b"); /* there is room now, and the refusal was not remembered */
    guest_gets(&again, NQ_OK, "b");
    assert_int_equal(flights_figures(field.flights).refused, 1);
    field_end(&field);
    guest_end(&first);
    guest_end(&same);
    guest_end(&other);
    guest_end(&again);
}

static void test_incomplete_answers_are_not_cached(void **state)
{
    (void)state;
    struct field field;
    struct guest guests[2];
    field_begin(&field, 1, 4, 1 << 20);
    field.script.incomplete = true;
    for (unsigned i = 0; i < 2; i++) {
        guest_ask(&guests[i], &field, "key");
        guest_gets(&guests[i], NQ_OK, "key");
        assert_false(guests[i].ticket->answer->complete);
        assert_null(flights_peek(field.flights, "key"));
        assert_int_equal(field.script.opened, i + 1);
    }
    field_end(&field);
    guest_end(&guests[0]);
    guest_end(&guests[1]);
}

/* An answer that fell out of the cache stays with who has it, and is searched for again. */
static void test_an_answer_outlives_the_cache(void **state)
{
    (void)state;
    struct field field;
    struct guest guests[40], again;
    field_begin(&field, 1, 4, 2000);
    for (int i = 0; i < 40; i++) {
        const char key[] = {(char)('A' + i), '\0'};
        guest_ask(&guests[i], &field, key);
        guest_gets(&guests[i], NQ_OK, key);
    }
    assert_true(flights_figures(field.flights).cache.evictions > 0);
    assert_true(flights_figures(field.flights).cache.bytes <= 2000);
    assert_null(flights_peek(field.flights, "A"));
    guest_ask(&again, &field, "A");
    guest_gets(&again, NQ_OK, "A");
    assert_int_equal(field.script.opened, 41);
    field_end(&field);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(guests[i].ticket->answer->bytes[0], 'A' + i);
        guest_end(&guests[i]);
    }
    guest_end(&again);
}

static void test_close_wakes_all_and_lets_nobody_in(void **state)
{
    (void)state;
    enum { GUESTS = 12 };
    static const char *const keys[] = {"a", "b", "c"}; /* a flies, b and c still wait for a thread */
    struct field field;
    struct guest guests[GUESTS], before, after[4];
    struct plug plug;
    field_begin(&field, 2, 4, 1 << 20);
    guest_ask(&before, &field, "cached");
    guest_gets(&before, NQ_OK, "cached");
    field.script.hold = true;
    plug_in(&plug, field.pool);
    guest_ask(&guests[0], &field, "a");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 1);
    assert_true(pool_figures(field.pool).running >= 1);
    for (int i = 1; i < GUESTS; i++)
        guest_ask(&guests[i], &field, keys[i % 3]);
    flights_close(field.flights);
    for (int i = 0; i < GUESTS; i++) {
        assert_int_equal(guests[i].sleeper.woken, 1); /* by the time it returns */
        guest_gets(&guests[i], NQ_CLOSED, NULL);
        guest_dismiss(&guests[i], NQ_CANCELLED);
        assert_int_equal(guests[i].ticket->status, NQ_CLOSED);
    }
    for (int i = 0; i < 4; i++) {
        guest_ask(&after[i], &field, i < 3 ? keys[i] : "cached");
        guest_gets(&after[i], NQ_CLOSED, NULL);
    }
    plug_out(&plug);
    WAIT_UNTIL(flights_figures(field.flights).running == 0);
    assert_int_equal(flights_figures(field.flights).started, 4);
    assert_int_equal(flights_figures(field.flights).cancelled, 3);
    assert_int_equal(field.script.finished, 1);
    field_end(&field);
    guest_end(&before);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
    for (int i = 0; i < 4; i++)
        guest_end(&after[i]);
}

/* What is lengthy goes on in the other pool, with all its lanes, and holds up nobody in the first one. */
static void test_lengthy_searches_make_room(void **state)
{
    (void)state;
    struct field field;
    struct guest lengthy, brief;
    field_begin(&field, 1, 1, 1 << 20);
    field.script.lengthy = true;
    field.script.lanes = 3;
    field.script.hold = true;
    guest_ask(&lengthy, &field, "lengthy");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 3);
    WAIT_UNTIL(pool_figures(field.pool).running + pool_figures(field.pool).queued == 0); /* it has handed it over */
    assert_int_equal(pool_figures(field.lengthy).running + pool_figures(field.lengthy).queued, 3);
    field.script.lengthy = false;
    field.script.lanes = 1;
    guest_ask(&brief, &field, "brief");
    WAIT_UNTIL(pool_figures(field.pool).running + pool_figures(field.pool).queued == 1);
    atomic_store(&field.script.hold, false);
    guest_gets(&brief, NQ_OK, "brief");
    guest_gets(&lengthy, NQ_OK, "lengthy");
    field_end(&field);
    guest_end(&brief);
    guest_end(&lengthy);
}

/* Once, before any slice; and who waits for it can be told what has become of the search. */
static void test_preparing(void **state)
{
    (void)state;
    for (int lengthy = 0; lengthy < 2; lengthy++) {
        struct field field;
        struct guest guest, failed, left;
        struct progress progress;
        field_begin(&field, 3, 8, 1 << 20);
        field.script.lengthy = lengthy;
        field.script.lanes = FIELD_LANES;
        field.script.slices_each = 5;
        guest_ask(&guest, &field, "key");
        guest_gets(&guest, NQ_OK, "key");
        assert_int_equal(field.script.prepared, 1);
        assert_int_equal(field.script.early, 0);
        assert_int_equal(field.script.slices, 5 * FIELD_LANES);

        field.script.prepare_as = NQ_NOMEM;
        guest_ask(&failed, &field, "failed");
        guest_gets(&failed, NQ_NOMEM, NULL);
        assert_int_equal(field.script.slices, 5 * FIELD_LANES);
        assert_int_equal(field.script.finished, 1);

        field.script.prepare_as = NQ_OK;
        atomic_store(&field.script.hold_prepare, true);
        guest_ask(&left, &field, "left");
        WAIT_UNTIL(atomic_load(&field.script.opened) == 3);
        assert_true(flights_progress(field.flights, left.ticket, &progress)); /* it has taken off */
        guest_dismiss(&left, NQ_CANCELLED);
        guest_gets(&left, NQ_CANCELLED, NULL);
        WAIT_UNTIL(atomic_load(&field.script.closed) == 3);
        assert_int_equal(field.script.slices, 5 * FIELD_LANES);
        field_end(&field);
        guest_end(&guest);
        guest_end(&failed);
        guest_end(&left);
    }
}

struct counted {
    struct outlast outlast;
    unsigned stays;
};

static enum nq_status stay(struct outlast *outlast)
{
    ((struct counted *)outlast)->stays++;
    return NQ_AGAIN;
}

static void keep_it(struct outlast *outlast)
{
    (void)outlast; /* it is the test's */
}

/* Who has the answer when the time is up needs nothing that outlasts it. */
static void test_too_late_to_stay(void **state)
{
    (void)state;
    struct field field;
    struct guest guest;
    struct counted counted = {.outlast = {.stay = stay, .free = keep_it}};
    const struct question question = ask_named("key");
    field_begin(&field, 1, 1, 1 << 20);
    sleeper_begin(&guest.sleeper);
    guest.ticket = flights_ask(field.flights, &question, &counted.outlast, false, sleeper_wake, &guest.sleeper);
    assert_non_null(guest.ticket);
    guest_gets(&guest, NQ_OK, "key");
    guest_dismiss(&guest, NQ_TIMEOUT);
    assert_int_equal(guest.ticket->status, NQ_OK);
    assert_int_equal(counted.stays, 0);
    field_end(&field);
    guest_end(&guest);
}

/* A pool that stops does not lose what is on its way from the one to the other. */
static void test_close_on_the_way(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        enum { GUESTS = 8 };
        struct field field;
        struct guest guests[GUESTS];
        field_begin(&field, 2, GUESTS, 1 << 20);
        field.script.lengthy = true;
        field.script.lanes = 2;
        field.script.hold = true;
        for (int i = 0; i < GUESTS; i++)
            guest_ask(&guests[i], &field, (char[]){(char)('a' + i), '\0'});
        field_end(&field);
        for (int i = 0; i < GUESTS; i++) {
            guest_gets(&guests[i], NQ_CLOSED, NULL);
            guest_end(&guests[i]);
        }
    }
}

/* Who may not have what a search takes goes, whether it was there before the work was open or came later; the others
 * are not disturbed. */
static void test_who_cannot_afford_it_goes(void **state)
{
    (void)state;
    enum { ANYBODY, POOR, RICH, LATE, ALONE, GUESTS };
    const struct asker askers[GUESTS] = {[POOR] = {.limited = true, .seconds = 9.5},
                                         [RICH] = {.limited = true, .seconds = 10},
                                         [LATE] = {.limited = true},
                                         [ALONE] = {.limited = true, .seconds = 1}};
    struct field field;
    struct guest guests[GUESTS];
    field_begin(&field, 2, 10, 1 << 20);
    field.script.seconds = 10;
    field.script.hold = true;
    field.script.hold_open = true;
    for (int i = ANYBODY; i <= RICH; i++)
        guest_ask_as(&guests[i], &field, "dear", askers[i]);
    WAIT_UNTIL(atomic_load(&field.script.asked) == 1);
    assert_int_equal(guests[POOR].sleeper.woken, 0); /* nobody knows yet */
    atomic_store(&field.script.hold_open, false);
    guest_gets(&guests[POOR], NQ_DENIED, NULL);
    assert_non_null(strstr(guests[POOR].ticket->why, "about 10 seconds"));
    assert_non_null(strstr(guests[POOR].ticket->why, "9.5"));
    WAIT_UNTIL(atomic_load(&field.script.slices) > 3);
    guest_ask_as(&guests[LATE], &field, "dear", askers[LATE]);
    guest_gets(&guests[LATE], NQ_DENIED, NULL);
    guest_ask_as(&guests[ALONE], &field, "another", askers[ALONE]);
    guest_gets(&guests[ALONE], NQ_DENIED, NULL);
    WAIT_UNTIL(flights_figures(field.flights).running == 1); /* nobody is left for that one */
    assert_int_equal(flights_figures(field.flights).cancelled, 1);
    assert_int_equal(guests[ANYBODY].sleeper.woken + guests[RICH].sleeper.woken, 0);
    atomic_store(&field.script.hold, false);
    guest_gets(&guests[ANYBODY], NQ_OK, "dear");
    guest_gets(&guests[RICH], NQ_OK, "dear");
    guest_end(&guests[LATE]);
    guest_ask_as(&guests[LATE], &field, "dear", askers[LATE]); /* it is there now: for everybody */
    guest_gets(&guests[LATE], NQ_OK, "dear");
    field_end(&field);
    for (int i = 0; i < GUESTS; i++)
        guest_end(&guests[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_cannot_afford_it_goes),
        cmocka_unit_test(test_equal_questions_share_one_search),
        cmocka_unit_test(test_different_questions_do_not),
        cmocka_unit_test(test_dismissing_some_leaves_the_others),
        cmocka_unit_test(test_dismissing_all_stops_the_search),
        cmocka_unit_test(test_dismissed_before_it_took_off),
        cmocka_unit_test(test_failures_reach_all),
        cmocka_unit_test(test_a_full_queue_is_busy),
        cmocka_unit_test(test_incomplete_answers_are_not_cached),
        cmocka_unit_test(test_an_answer_outlives_the_cache),
        cmocka_unit_test(test_close_wakes_all_and_lets_nobody_in),
        cmocka_unit_test(test_lengthy_searches_make_room),
        cmocka_unit_test(test_preparing),
        cmocka_unit_test(test_close_on_the_way),
        cmocka_unit_test(test_too_late_to_stay),
    };
    return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
