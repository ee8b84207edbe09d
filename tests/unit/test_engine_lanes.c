/* test_engine_lanes.c - tests of src/engine/flight.c with many hands: a search on several lanes lands once, and nothing
 * is lost or woken twice while guests come and go on other threads. */
#include <stdlib.h>
#include <string.h>

#include "flying.h"

static void test_all_lanes_run_and_land_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++)
        for (unsigned lanes = 1; lanes <= FIELD_LANES; lanes++) {
            struct field field;
            struct guest guest;
            field_begin(&field, threads, 1, 1 << 20); /* the lanes need no place in the queue */
            field.script.lanes = lanes;
            field.script.slices_each = 3;
            guest_ask(&guest, &field, "key");
            guest_gets(&guest, NQ_OK, "key");
            assert_int_equal(field.script.slices, 3 * lanes);
            assert_int_equal(field.script.finished, 1);
            field_end(&field);
            assert_int_equal(field.script.slices, 3 * lanes);
            assert_int_equal(field.script.finished, 1);
            assert_int_equal(field.script.closed, 1);
            guest_end(&guest);
        }
}

/* Each lane is in the pool at the same time: as many tasks are there as lanes. */
static void test_lanes_are_tasks(void **state)
{
    (void)state;
    struct field field;
    struct guest guest;
    field_begin(&field, 1, 1, 1 << 20);
    field.script.lanes = FIELD_LANES;
    field.script.hold = true;
    guest_ask(&guest, &field, "key");
    WAIT_UNTIL(atomic_load(&field.script.slices) > 2 * FIELD_LANES);
    struct pool_figures figures = pool_figures(field.pool);
    assert_int_equal(figures.queued + figures.running, FIELD_LANES);
    guest_dismiss(&guest, NQ_CANCELLED);
    guest_gets(&guest, NQ_CANCELLED, NULL);
    WAIT_UNTIL(atomic_load(&field.script.closed) == 1); /* every lane heeded it */
    WAIT_UNTIL(pool_figures(field.pool).queued + pool_figures(field.pool).running == 0);
    assert_int_equal(field.script.finished, 0);
    field_end(&field);
    guest_end(&guest);
}

/* Closing while lanes fly, with the pool stopped at once after it. */
static void test_close_while_lanes_fly(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct field field;
        struct guest guests[6];
        field_begin(&field, 3, 64, 1 << 20);
        field.script.lanes = FIELD_LANES;
        field.script.hold = round % 2;
        field.script.slices_each = 5;
        for (int i = 0; i < 6; i++)
            guest_ask(&guests[i], &field, (char[]){(char)('a' + i % 3), '\0'});
        for (int i = 0; i < round % 5; i++)
            asking_pause();
        field_end(&field);
        for (int i = 0; i < 6; i++) {
            const struct ticket *ticket = guests[i].ticket;
            assert_true(ticket->status == NQ_CLOSED || (ticket->status == NQ_OK && round % 2 == 0));
            guest_end(&guests[i]);
        }
    }
}

enum { ASKERS = 3, EACH = 4000, KEYS = 40 };

/* A crowd that asks on several threads while another one throws guests out. */
struct crowd {
    struct field field;
    struct guest guests[ASKERS][EACH];
    atomic_uint there[ASKERS]; /* guests[k][0..there[k]) have asked */
    atomic_bool over;
};

struct visitor {
    struct crowd *crowd;
    unsigned number;
};

static void key_of(unsigned asker, unsigned i, char key[static 16])
{
    uint64_t dice = (uint64_t)asker << 32 | i;
    (void)snprintf(key, 16, "key %u", facts_below(&dice, KEYS));
}

static void *ask_on(void *context)
{
    const struct visitor *asker = context;
    struct crowd *crowd = asker->crowd;
    for (unsigned i = 0; i < EACH; i++) {
        struct guest *guest = &crowd->guests[asker->number][i];
        char key[16];
        key_of(asker->number, i, key);
        const struct question question = ask_named(key);
        guest->ticket = flights_ask(crowd->field.flights, &question, NULL, false, sleeper_wake, &guest->sleeper);
        if (!guest->ticket)
            break;
        atomic_store(&crowd->there[asker->number], i + 1);
        if (i % 4 == 3 && !sleeper_sleep(&guest->sleeper)) /* so that not all ask before the first is answered */
            break;
        answer_unref(flights_peek(crowd->field.flights, key));
    }
    return NULL;
}

static void *throw_out(void *context)
{
    struct crowd *crowd = context;
    uint64_t dice = 1;
    while (!atomic_load(&crowd->over)) {
        const unsigned asker = facts_below(&dice, ASKERS), there = atomic_load(&crowd->there[asker]);
        const unsigned recent = there < 32 ? there : 32;
        if (recent)
            guest_dismiss(&crowd->guests[asker][there - 1 - facts_below(&dice, recent)], NQ_TIMEOUT);
    }
    return NULL;
}

/* What a guest may have got: the answer to their own question, the reason of a dismissal, or a failure of the script or
 * of the queue. */
static void check_guest(struct guest *guest, const char *key, unsigned got[static NQ_BROKEN + 1])
{
    const struct ticket *ticket = guest->ticket;
    got[ticket->status]++;
    switch (ticket->status) {
    case NQ_OK:
        assert_int_equal(ticket->answer->size, strlen(key));
        assert_memory_equal(ticket->answer->bytes, key, strlen(key));
        break;
    case NQ_TIMEOUT:
    case NQ_LIMIT:
    case NQ_NOMEM:
    case NQ_BUSY: assert_null(ticket->answer); break;
    default: fail_msg("got %s", nq_status_text(ticket->status));
    }
    guest_end(guest);
}

static void test_guests_come_and_go(void **state)
{
    (void)state;
    struct crowd *crowd = calloc(1, sizeof *crowd);
    struct visitor askers[ASKERS];
    pthread_t threads[ASKERS], thrower;
    unsigned got[NQ_QUOTA + 1] = {0};
    assert_non_null(crowd);
    field_begin(&crowd->field, 3, 24, 1500);
    crowd->field.script.mixed = true;
    for (unsigned k = 0; k < ASKERS; k++) {
        askers[k] = (struct visitor){crowd, k};
        for (unsigned i = 0; i < EACH; i++)
            sleeper_begin(&crowd->guests[k][i].sleeper);
    }
    for (unsigned k = 0; k < ASKERS; k++)
        start(&threads[k], ask_on, &askers[k]);
    start(&thrower, throw_out, crowd);
    for (unsigned k = 0; k < ASKERS; k++)
        assert_int_equal(pthread_join(threads[k], NULL), 0);
    atomic_store(&crowd->over, true);
    assert_int_equal(pthread_join(thrower, NULL), 0);
    WAIT_UNTIL(flights_figures(crowd->field.flights).running == 0);
    const struct flight_figures figures = flights_figures(crowd->field.flights);
    field_end(&crowd->field); /* nobody waits any more, so nobody gets NQ_CLOSED */
    for (unsigned k = 0; k < ASKERS; k++) {
        assert_int_equal(crowd->there[k], EACH);
        for (unsigned i = 0; i < EACH; i++) {
            char key[16];
            key_of(k, i, key);
            check_guest(&crowd->guests[k][i], key, got);
        }
    }
    assert_true(got[NQ_OK] > 0);
    assert_true(figures.started <= figures.misses);
    assert_true(figures.started >= crowd->field.script.asked + figures.refused);
    free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lanes_run_and_land_once),
        cmocka_unit_test(test_lanes_are_tasks),
        cmocka_unit_test(test_close_while_lanes_fly),
        cmocka_unit_test(test_guests_come_and_go),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
