/* test_journal_trouble.c - tests of src/engine/journal/journal.c: nothing is lost while the store is slow,
 * broken or hangs, and every barrier is called. */
/* CI builds: address thread */
#include "engine/journal/journal.h"

#include <string.h>

#include "support/journal_desk.h"

TEST(test_broken_store_recovers)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    assert_true(journal_put(desk.journal, STORE_RESULT, "old", "1"));
    assert_true(journal_put(desk.journal, STORE_RESULT, "other", "1"));
    assert_true(journal_sync(desk.journal));
    atomic_store(&fake.broken, true);
    assert_true(journal_put(desk.journal, STORE_RESULT, "new", "2"));
    assert_false(journal_sync(desk.journal));
    assert_true(journal_stats(desk.journal).broken);
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
    assert_int_equal(desk.turns, 1);
    assert_true(journal_put(desk.journal, STORE_RESULT, "new", "3"));
    assert_true(journal_put(desk.journal, STORE_RESULT, "gone", "4"));
    journal_drop(desk.journal, STORE_RESULT, "go");
    assert_false(journal_sync(desk.journal)); /* at once: no reader waits for a disk */
    assert_value(desk.journal, STORE_RESULT, "new", "3");
    assert_value(desk.journal, STORE_RESULT, "gone", NULL);
    struct bytes value = {0};
    assert_int_equal(journal_get(desk.journal, STORE_RESULT, "old", FOREVER, &value), NQ_BROKEN);
    assert_int_equal(value.size, 0);
    bytes_free(&value);
    assert_int_equal(journal_stats(desk.journal).waiting, 4);
    const unsigned failures = fake.failures;
    WAIT_UNTIL(atomic_load(&fake.failures) > failures + 1); /* it tries again by itself */
    assert_int_equal(desk.turns, 1);                        /* and reports nothing new */
    atomic_store(&fake.broken, false);
    WAIT_UNTIL(!journal_stats(desk.journal).broken);
    assert_true(journal_sync(desk.journal));
    WAIT_UNTIL(!atomic_load(&desk.in_trouble));
    assert_int_equal(desk.turns, 2);
    assert_int_equal(journal_stats(desk.journal).waiting, 0);
    assert_int_equal(journal_stats(desk.journal).lost, 0);
    assert_each(desk.journal, STORE_RESULT, "", NQ_OK, "new=3 old=1 other=1 ");
    assert_text(desk.store, STORE_RESULT, "new", "3");
}

/* It lists entries that wait, but not those that are to be deleted. */
TEST(test_each_while_writing_fails)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    atomic_store(&fake.broken, true);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a 1", "1"));
    assert_true(journal_put(desk.journal, STORE_UNIT, "b 1", "2"));
    assert_true(journal_put(desk.journal, STORE_RESULT, "a 2", "3"));
    assert_false(journal_sync(desk.journal));
    assert_each(desk.journal, STORE_UNIT, "a", NQ_BROKEN, "a 1=1 ");
    journal_drop(desk.journal, STORE_UNIT, "a");
    assert_each(desk.journal, STORE_UNIT, "", NQ_BROKEN, "b 1=2 ");
}

/* It breaks and recovers many times. */
TEST(test_trouble_is_called_once_a_change)
{
    struct desk desk;
    desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
    for (unsigned turn = 0; turn < 20; turn++) {
        atomic_store(&fake.broken, turn % 2 == 0);
        assert_true(journal_put(desk.journal, STORE_RESULT, "a", "1"));
        WAIT_UNTIL(atomic_load(&desk.turns) == turn + 1);
        assert_int_equal(desk.in_trouble, turn % 2 == 0);
        assert_int_equal(journal_stats(desk.journal).broken, turn % 2 == 0);
    }
    desk_end(&desk);
    assert_int_equal(desk.turns, 20);
}

/* ---- Everyone who waits ---- */

TEST(test_notify)
{
    struct desk desk;
    struct sleeper sleepers[6];
    desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
    for (int i = 0; i < 6; i++)
        sleeper_begin(&sleepers[i]);
    assert_true(journal_notify(desk.journal, notified, &sleepers[0])); /* nothing waits */
    assert_true(sleeper_sleep(&sleepers[0]));
    atomic_store(&fake.held, true);
    assert_true(journal_put(desk.journal, STORE_RESULT, "a", "1"));
    assert_true(journal_notify(desk.journal, notified, &sleepers[1]));
    assert_true(journal_notify(desk.journal, notified, &sleepers[2]));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_int_equal(sleepers[1].woken, 0);
    atomic_store(&fake.held, false);
    assert_true(sleeper_sleep(&sleepers[1]));
    assert_true(sleeper_sleep(&sleepers[2]));
    assert_text(desk.store, STORE_RESULT, "a", "1");
    atomic_store(&fake.broken, true);
    assert_true(journal_put(desk.journal, STORE_RESULT, "b", "1"));
    assert_true(journal_notify(desk.journal, notified, &sleepers[3]));
    assert_true(sleeper_sleep(&sleepers[3])); /* a broken store is not waited for */
    assert_true(journal_notify(desk.journal, notified, &sleepers[4]));
    assert_true(sleeper_sleep(&sleepers[4]));
    atomic_store(&fake.broken, false);
    assert_int_equal(journal_close(desk.journal), NQ_OK);
    assert_true(journal_notify(desk.journal, notified, &sleepers[5]));
    assert_int_equal(sleepers[5].woken, 1); /* by the time it returns */
    journal_free(desk.journal);
    store_close(desk.store);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sleepers[i].woken, 1);
        sleeper_end(&sleepers[i]);
    }
}

/* Callbacks may put more: they are called under no lock. */
static void put_more(void *who, enum nq_status status)
{
    (void)status;
    struct desk *desk = who;
    assert_true(journal_put(desk->journal, STORE_RESULT, "more", "1"));
}

TEST(test_barriers_may_put)
{
    SCOPED(desk, desk, &store_memory, 1 << 20, 1 << 20);
    assert_true(journal_put(desk.journal, STORE_RESULT, "a", "1"));
    assert_true(journal_notify(desk.journal, put_more, &desk));
    WAIT_UNTIL(journal_stats(desk.journal).written == 2);
    assert_value(desk.journal, STORE_RESULT, "more", "1");
}

struct closing {
    struct desk *desk;
    enum nq_status status;
};

static void *close_it(void *context)
{
    struct closing *closing = context;
    closing->status = journal_close(closing->desk->journal);
    return NULL;
}

static void *sync_it(void *context)
{
    struct desk *desk = context;
    return journal_sync(desk->journal) ? context : NULL;
}

/* Closing writes what waits and calls every barrier. A store that is broken is tried until it works again; one that
 * does not for so long is left, and it is known what it has not taken. */
TEST(test_close)
{
    enum { WORKS, BREAKS, BREAKS_FOR_A_WHILE };
    for (int way = WORKS; way <= BREAKS_FOR_A_WHILE; way++) {
        struct desk desk;
        struct sleeper sleeper;
        struct closing closing = {.desk = &desk};
        pthread_t closer, syncer;
        void *synced;
        size_t left[STORE_KINDS];
        desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
        sleeper_begin(&sleeper);
        atomic_store(&fake.held, true);
        for (int i = 0; i < 600; i++) {
            char key[16];
            (void)snprintf(key, sizeof key, "%d", i);
            assert_true(journal_put(desk.journal, i < 400 ? STORE_RESULT : STORE_UNIT, key, "1"));
        }
        assert_true(journal_notify(desk.journal, notified, &sleeper));
        start(&syncer, sync_it, &desk);
        start(&closer, close_it, &closing);
        asking_pause();
        assert_int_equal(sleeper.woken, 0);
        atomic_store(&fake.broken, way != WORKS);
        atomic_store(&fake.held, false);
        if (way == BREAKS_FOR_A_WHILE) {
            WAIT_UNTIL(atomic_load(&fake.failures) > 3);
            atomic_store(&fake.broken, false);
        }
        assert_int_equal(pthread_join(closer, NULL), 0);
        assert_int_equal(pthread_join(syncer, &synced), 0);
        assert_int_equal(closing.status, way == BREAKS ? NQ_BROKEN : NQ_OK);
        assert_int_equal(synced != NULL, way == WORKS || (way == BREAKS_FOR_A_WHILE && synced));
        assert_int_equal(sleeper.woken, 1);
        assert_int_equal(store_stats(desk.store).facts, way == BREAKS ? 0 : 600);
        journal_waits(desk.journal, left);
        assert_int_equal(left[STORE_RESULT], way == BREAKS ? 400 : 0);
        assert_int_equal(left[STORE_UNIT], way == BREAKS ? 200 : 0);
        assert_int_equal(left[STORE_JOB], 0);
        assert_true(way != BREAKS || atomic_load(&fake.failures) > 10); /* it was tried again and again */
        assert_int_equal(journal_sync(desk.journal), way != BREAKS);    /* it returns */
        journal_free(desk.journal);
        store_close(desk.store);
        sleeper_end(&sleeper);
    }
}

/* ---- Many at once ---- */

enum { WRITERS = 4, EACH = 500 };

struct writer {
    struct desk *desk;
    unsigned number;
    atomic_uint notified;
    bool well;
};

static void count_one(void *who, enum nq_status status)
{
    (void)status;
    struct writer *writer = who;
    atomic_fetch_add(&writer->notified, 1);
}

static void *write_on(void *context)
{
    struct writer *writer = context;
    struct journal *journal = writer->desk->journal;
    writer->well = true;
    for (unsigned i = 0; i < EACH; i++) {
        char key[32], text[16];
        struct bytes value = {0};
        (void)snprintf(key, sizeof key, "%u/%u", writer->number, i % 50);
        (void)snprintf(text, sizeof text, "%u", i);
        writer->well &= journal_put(journal, STORE_UNIT, key, text);
        if (i % 7 == 0)
            writer->well &= journal_notify(journal, count_one, writer);
        if (i % 11 == 0) { /* what one has put one can get, though the store breaks now and then */
            const enum nq_status status = journal_get(journal, STORE_UNIT, key, FOREVER, &value);
            bytes_char(&value, '\0');
            writer->well &= status == NQ_OK && strcmp(value.data, text) == 0;
        }
        if (i % 50 == 49) {
            (void)snprintf(key, sizeof key, "%u/", writer->number);
            journal_drop(journal, STORE_UNIT, key);
            (void)journal_sync(journal);
        }
        bytes_free(&value);
    }
    return NULL;
}

TEST(test_many_writers)
{
    struct desk desk;
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    desk_begin(&desk, &store_fake, 1 << 24, 1 << 24);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.desk = &desk, .number = i};
        start(&threads[i], write_on, &writers[i]);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(writers[i].well);
    }
    assert_true(journal_sync(desk.journal));
    assert_int_equal(journal_stats(desk.journal).lost, 0);
    assert_int_equal(journal_stats(desk.journal).written, WRITERS * EACH);
    assert_int_equal(store_stats(desk.store).facts, 0); /* the last drop took the last of them */
    desk_end(&desk);
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(writers[i].notified, (EACH + 6) / 7);
}

/* ---- A store that does not answer ---- */

static void never(void *context, const char *key, const void *value, size_t size)
{
    (void)context, (void)key, (void)value, (void)size;
    fail_msg("notified of %s", key);
}

struct stopping {
    struct journal *journal;
    atomic_bool stop;
    enum nq_status status[2];
};

static void *look(void *context)
{
    struct stopping *stopping = context;
    struct bytes value = {0};
    stopping->status[0] =
        journal_get(stopping->journal, STORE_UNIT, "a", (struct deadline){&stopping->stop, 60000}, &value);
    stopping->status[1] =
        journal_each(stopping->journal, STORE_UNIT, "a", (struct deadline){&stopping->stop, 60000}, never, NULL);
    bytes_free(&value);
    return NULL;
}

/* Readers return soon after their stop flag is set or their time is over; then new readers do not wait at all. */
TEST(test_a_store_that_hangs)
{
    struct stopping stopping = {0};
    struct bytes value = {0};
    const atomic_bool never_stopped = false;
    const struct deadline little = {&never_stopped, 2100};
    pthread_t thread;
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a", "1"));
    assert_true(journal_sync(desk.journal));
    atomic_store(&fake.held, true);
    stopping.journal = desk.journal;
    start(&thread, look, &stopping);
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1); /* it reads */
    assert_false(journal_stats(desk.journal).broken);
    atomic_store(&stopping.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopping.status[0], NQ_CANCELLED);
    assert_int_equal(stopping.status[1], NQ_CANCELLED);
    assert_int_equal(journal_get(desk.journal, STORE_UNIT, "a", little, &value), NQ_TIMEOUT);
    assert_true(journal_stats(desk.journal).broken); /* by now the statistics show it */
    for (int i = 0; i < 1000; i++) {                 /* at once, or this takes an hour */
        assert_int_equal(journal_get(desk.journal, STORE_UNIT, "a", little, &value), NQ_TIMEOUT);
        assert_int_equal(journal_each(desk.journal, STORE_UNIT, "", little, never, NULL), NQ_TIMEOUT);
    }
    assert_true(journal_put(desk.journal, STORE_UNIT, "b", "2"));
    SCOPED(sleeper, sleeper);
    assert_true(journal_notify(desk.journal, notified, &sleeper));
    assert_int_equal(sleeper.woken, 1);
    assert_int_equal(value.size, 0);
    atomic_store(&fake.held, false);
    WAIT_UNTIL(!journal_stats(desk.journal).broken);
    assert_true(journal_sync(desk.journal));
    assert_value(desk.journal, STORE_UNIT, "a", "1");
    assert_value(desk.journal, STORE_UNIT, "b", "2");
}

/* Closing ends with NQ_TIMEOUT, and calls every barrier. */
TEST(test_closing_a_store_that_hangs)
{
    struct desk desk;
    desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
    atomic_store(&fake.held, true);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a", "1"));
    SCOPED(sleeper, sleeper);
    assert_true(journal_notify(desk.journal, notified, &sleeper));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_int_equal(journal_close(desk.journal), NQ_TIMEOUT);
    assert_int_equal(sleeper.woken, 1);
    atomic_store(&fake.held, false); /* for the test's own sake */
    desk_end(&desk);
}

/* From the beginning, and while it is not used. */
TEST(test_remote_store_is_checked)
{
    char why[STORE_ERROR_MAX];
    SCOPED(desk, desk, &store_far, 1 << 20, 1 << 20);
    for (unsigned turn = 1; turn <= 2; turn++) {
        atomic_store(&fake.broken, true);
        WAIT_UNTIL(atomic_load(&desk.in_trouble));
        assert_true(journal_fault(desk.journal, why));
        assert_string_equal(why, "no answer");
        atomic_store(&fake.broken, false);
        WAIT_UNTIL(!atomic_load(&desk.in_trouble));
        assert_false(journal_fault(desk.journal, why));
        assert_int_equal(desk.turns, 2 * turn);
    }
    atomic_store(&fake.broken, true);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a", "1"));
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
    atomic_store(&fake.broken, false);
    assert_value(desk.journal, STORE_UNIT, "a", "1");
    WAIT_UNTIL(!atomic_load(&desk.in_trouble));
    assert_int_equal(journal_close(desk.journal), NQ_OK);
    journal_free(desk.journal);
    atomic_store(&fake.broken, true);
    desk.journal = journal_new(desk.store, 1 << 20, on_trouble, &desk);
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
}
