/* test_journal.c - tests of src/engine/journal/journal.c: what was put can be read at once and in order, within limits.
 */
/* CI builds: address thread */
#include "engine/journal/journal.h"

#include <string.h>

#include "support/journal_desk.h"

TEST(test_put_and_get)
{
    static const struct store_class *const classes[] = {&store_memory, &store_fake};
    for (size_t i = 0; i < 2; i++) {
        struct desk desk;
        desk_begin(&desk, classes[i], 1 << 20, 1 << 20);
        assert_value(desk.journal, STORE_RESULT, "a", NULL);
        assert_true(journal_put(desk.journal, STORE_RESULT, "a", "1"));
        assert_value(desk.journal, STORE_RESULT, "a", "1");
        assert_value(desk.journal, STORE_UNIT, "a", NULL); /* every kind has its own */
        assert_value(desk.journal, STORE_RESULT, "A", NULL);
        assert_true(journal_put(desk.journal, STORE_RESULT, "a", "2"));
        assert_true(journal_put(desk.journal, STORE_UNIT, "a", ""));
        assert_true(journal_put(desk.journal, STORE_JOB, "", "empty key"));
        assert_value(desk.journal, STORE_RESULT, "a", "2");
        assert_value(desk.journal, STORE_UNIT, "a", "");
        assert_value(desk.journal, STORE_JOB, "", "empty key");
        const struct journal_stats stats = journal_stats(desk.journal);
        assert_false(stats.broken);
        assert_int_equal(stats.waiting, 0);
        assert_int_equal(stats.written, 4);
        assert_int_equal(stats.lost, 0);
        assert_text(desk.store, STORE_RESULT, "a", "2");
        assert_int_equal(desk.turns, 0);
        desk_end(&desk);
    }
}

/* It copies: the text may be overwritten after the call. */
TEST(test_texts_are_copied)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    atomic_store(&fake.held, true);
    char key[] = "key", value[] = "value";
    assert_true(journal_put(desk.journal, STORE_RESULT, key, value));
    memset(key, 'x', 3);
    memset(value, 'x', 5);
    journal_drop(desk.journal, STORE_RESULT, key);
    memset(key, 'y', 3);
    atomic_store(&fake.held, false);
    assert_value(desk.journal, STORE_RESULT, "key", "value");
}

/* Whole batches are written at once: to gather facts for 50 ms before each of them would take 20 seconds. */
TEST(test_whole_batches_are_not_waited_for)
{
    enum { BATCHES = 400, FACTS = 256 * BATCHES };
    SCOPED(desk, desk, &store_memory, 1 << 26, 1 << 26);
    const uint64_t begun = clock_now();
    for (unsigned i = 0; i < FACTS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%u", i % 1000);
        assert_true(journal_put(desk.journal, STORE_UNIT, key, "1"));
    }
    WAIT_UNTIL(journal_stats(desk.journal).waiting == 0);
    assert_true(clock_now() - begun < BATCHES * 50 * CLOCK_MILLISECOND * tests_patience());
    assert_int_equal(journal_stats(desk.journal).written, FACTS);
}

TEST(test_order)
{
    SCOPED(desk, desk, &store_fake, 1 << 24, 1 << 24);
    for (int round = 0; round < 300; round++) {
        char value[16];
        (void)snprintf(value, sizeof value, "%d", round);
        assert_true(journal_put(desk.journal, STORE_UNIT, "u 1", value));
        assert_true(journal_put(desk.journal, STORE_UNIT, "u 2", value));
        assert_true(journal_put(desk.journal, STORE_UNIT, "v", value));
        journal_drop(desk.journal, STORE_UNIT, "u ");
        assert_true(journal_put(desk.journal, STORE_UNIT, "u 2", "again")); /* put afterwards: it stays */
        if (round % 10 == 0) {
            assert_value(desk.journal, STORE_UNIT, "u 1", NULL);
            assert_value(desk.journal, STORE_UNIT, "u 2", "again");
            assert_value(desk.journal, STORE_UNIT, "v", value);
            assert_each(desk.journal, STORE_UNIT, "u", NQ_OK, "u 2=again ");
        }
        journal_drop(desk.journal, STORE_RESULT, ""); /* of another kind */
    }
    assert_true(journal_sync(desk.journal));
    assert_false(has(desk.store, STORE_UNIT, "u 1"));
    assert_text(desk.store, STORE_UNIT, "v", "299");
    journal_drop(desk.journal, STORE_UNIT, "");
    assert_each(desk.journal, STORE_UNIT, "", NQ_OK, "");
}

TEST(test_each)
{
    struct seen seen = {0};
    SCOPED(desk, desk, &store_memory, 1 << 24, 1 << 24);
    for (int i = 0; i < 1000; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%c %d", 'a' + i % 4, i);
        assert_true(journal_put(desk.journal, STORE_UNIT, key, "value"));
        assert_true(journal_put(desk.journal, STORE_RESULT, key, "value"));
    }
    assert_int_equal(journal_each(desk.journal, STORE_UNIT, "b ", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 250);
    assert_int_equal(journal_each(desk.journal, STORE_UNIT, "", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 1250);
    assert_int_equal(journal_each(desk.journal, STORE_UNIT, "b 1x", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(journal_each(desk.journal, STORE_JOB, "", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 1250);
    bytes_free(&seen.text);
}

/* What is put while the store is busy is written together, up to so many at once. */
TEST(test_batches)
{
    enum { FACTS = 1000 };
    SCOPED(desk, desk, &store_fake, 1 << 24, 1 << 24);
    atomic_store(&fake.held, true);
    assert_true(journal_put(desk.journal, STORE_RESULT, "first", "1"));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    for (int i = 0; i < FACTS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%d", i);
        assert_true(journal_put(desk.journal, STORE_RESULT, key, "value"));
    }
    assert_int_equal(journal_stats(desk.journal).waiting, FACTS + 1);
    atomic_store(&fake.held, false);
    assert_true(journal_sync(desk.journal));
    assert_int_equal(journal_stats(desk.journal).waiting, 0);
    assert_int_equal(journal_stats(desk.journal).written, FACTS + 1);
    assert_true(fake.puts < 10);
    assert_true(fake.most >= 200);
    assert_int_equal(store_stats(desk.store).facts, FACTS + 1);
}

/* Facts that come one by one, in no hurry, are not a transaction each; nor is a broken store asked for each of them. */
TEST(test_facts_are_gathered)
{
    enum { FACTS = 200 };
    for (int broken = 0; broken < 2; broken++) {
        struct desk desk;
        desk_begin(&desk, &store_fake, 1 << 24, 1 << 24);
        atomic_store(&fake.broken, broken);
        for (int i = 0; i < FACTS; i++) {
            assert_true(journal_put(desk.journal, STORE_RESULT, "key", "value"));
            asking_pause();
        }
        assert_true(atomic_load(&fake.puts) < FACTS / 2);
        assert_true(atomic_load(&fake.failures) < FACTS / 2);
        desk_end(&desk);
    }
}

/* ---- Bounds ---- */

TEST(test_limit_of_waiting_bytes)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 2000);
    atomic_store(&fake.held, true);
    unsigned kept = 0;
    for (int i = 0; i < 100; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key %d", i);
        kept += journal_put(desk.journal, STORE_RESULT, key, "0123456789012345678901234567890123456789");
    }
    struct journal_stats stats = journal_stats(desk.journal);
    assert_true(kept > 5 && kept <= 2000 / 45);
    assert_int_equal(stats.waiting, kept);
    assert_int_equal(stats.lost, 100 - kept);
    atomic_store(&fake.held, false);
    assert_true(journal_sync(desk.journal));
    stats = journal_stats(desk.journal);
    assert_int_equal(stats.waiting, 0);
    assert_int_equal(stats.written, kept);
    assert_int_equal(store_stats(desk.store).facts, kept);
    assert_true(journal_put(desk.journal, STORE_RESULT, "there is room again", "1"));
    assert_value(desk.journal, STORE_RESULT, "there is room again", "1");
    char large[3000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_false(journal_put(desk.journal, STORE_RESULT, "never", large));
    assert_value(desk.journal, STORE_RESULT, "never", NULL);
}

/* A fact that the store has no room for is lost, and only that one: those that happened to be written with it are not.
 */
TEST(test_a_fact_too_large_for_the_store)
{
    char large[8000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    SCOPED(desk, desk, &store_fake, 4000, 1 << 20);
    atomic_store(&fake.held, true);
    assert_true(journal_put(desk.journal, STORE_RESULT, "first", "1"));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_true(journal_put(desk.journal, STORE_RESULT, "second", "2"));
    assert_true(journal_put(desk.journal, STORE_RESULT, "large", large));
    assert_true(journal_put(desk.journal, STORE_RESULT, "third", "3"));
    atomic_store(&fake.held, false);
    assert_true(journal_sync(desk.journal));
    assert_int_equal(journal_stats(desk.journal).waiting, 0);
    assert_false(journal_stats(desk.journal).broken);
    assert_value(desk.journal, STORE_RESULT, "first", "1");
    assert_value(desk.journal, STORE_RESULT, "large", NULL);
    assert_value(desk.journal, STORE_RESULT, "second", "2");
    assert_value(desk.journal, STORE_RESULT, "third", "3");
    assert_int_equal(journal_stats(desk.journal).lost, 1);
    assert_int_equal(journal_stats(desk.journal).written, 3);
}

/* ---- Changes ---- */

struct appending {
    const char *letter;
    atomic_uint asked;
    atomic_bool nomem;
};

static enum nq_status append(void *context, const char *key, const void *value, size_t size, struct bytes *next)
{
    struct appending *appending = context;
    assert_string_equal(key, "a");
    atomic_fetch_add(&appending->asked, 1);
    if (atomic_load(&appending->nomem))
        return NQ_NOMEM;
    if (value)
        bytes_add(next, value, size);
    bytes_text(next, appending->letter);
    return NQ_OK;
}

/* In order with all else that is put. */
TEST(test_amend)
{
    struct desk desk;
    struct appending x = {.letter = "x"}, y = {.letter = "y"};
    desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &x), NQ_OK);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &y), NQ_OK);
    assert_value(desk.journal, STORE_JOB, "a", "xy");
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &y), NQ_OK);
    assert_true(journal_put(desk.journal, STORE_JOB, "a", "0"));
    assert_true(journal_put(desk.journal, STORE_JOB, "b", "1"));
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &x), NQ_OK);
    assert_each(desk.journal, STORE_JOB, "", NQ_OK, "a=0x b=1 ");
    journal_drop(desk.journal, STORE_JOB, "a");
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &y), NQ_OK);
    assert_each(desk.journal, STORE_JOB, "", NQ_OK, "a=y b=1 ");
    assert_int_equal(journal_stats(desk.journal).written, 7);
    assert_int_equal(journal_stats(desk.journal).waiting, 0);
    assert_false(journal_is_shared(desk.journal));
    desk_end(&desk);
    assert_int_equal(x.asked, 2);
    assert_int_equal(y.asked, 3);
}

struct outcomes {
    struct appending appending;
    atomic_uint stored, lost;
};

static enum nq_status append_more(void *context, const char *key, const void *value, size_t size, struct bytes *next)
{
    return append(&((struct outcomes *)context)->appending, key, value, size, next);
}

static void see_outcome(void *context, const char *key, enum nq_status status)
{
    struct outcomes *outcomes = context;
    assert_string_equal(key, "a");
    assert_true(status == NQ_OK || status == NQ_LIMIT);
    atomic_fetch_add(status == NQ_OK ? &outcomes->stored : &outcomes->lost, 1);
}

/* Once, and not before the change is stored or the store has no room for it. */
TEST(test_stored_is_called_with_the_outcome)
{
    struct desk desk;
    struct outcomes outcomes = {.appending = {.letter = "x"}};
    char large[2000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    desk_begin(&desk, &store_fake, 1000, 1 << 20);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append_more, see_outcome, &outcomes), NQ_OK);
    assert_true(journal_sync(desk.journal));
    assert_int_equal(outcomes.stored, 1); /* before the barriers are called */
    atomic_store(&fake.broken, true);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append_more, see_outcome, &outcomes), NQ_OK);
    assert_false(journal_sync(desk.journal));
    const unsigned asked = atomic_load(&outcomes.appending.asked);
    WAIT_UNTIL(journal_stats(desk.journal).failures > 2);
    assert_int_equal(outcomes.stored, 1);
    atomic_store(&fake.broken, false);
    WAIT_UNTIL(atomic_load(&outcomes.stored) == 2 && !journal_stats(desk.journal).broken);
    assert_true(atomic_load(&outcomes.appending.asked) >= asked);
    outcomes.appending.letter = large;
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append_more, see_outcome, &outcomes), NQ_OK);
    assert_true(journal_sync(desk.journal));
    assert_int_equal(outcomes.stored, 2);
    assert_int_equal(outcomes.lost, 1);
    assert_value(desk.journal, STORE_JOB, "a", "xx");
    assert_true(journal_lasts(desk.journal));
    desk_end(&desk);
    desk_begin(&desk, &store_memory, 1000, 1 << 20);
    assert_false(journal_lasts(desk.journal));
    desk_end(&desk);
}

/* Not while the store is broken. */
TEST(test_change_out_of_memory_is_tried_again)
{
    struct appending x = {.letter = "x"};
    SCOPED(desk, desk, &store_far, 1 << 20, 1 << 20);
    assert_true(journal_is_shared(desk.journal));
    atomic_store(&x.nomem, true);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &x), NQ_OK);
    WAIT_UNTIL(atomic_load(&x.asked) > 2);
    assert_false(journal_stats(desk.journal).broken);
    atomic_store(&x.nomem, false);
    assert_true(journal_sync(desk.journal));
    WAIT_UNTIL(journal_stats(desk.journal).waiting == 0);
    assert_value(desk.journal, STORE_JOB, "a", "x");
    atomic_store(&fake.broken, true);
    const unsigned asked = atomic_load(&x.asked);
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &x), NQ_OK);
    WAIT_UNTIL(journal_stats(desk.journal).broken);
    assert_false(journal_is_shared(desk.journal)); /* not now */
    assert_each(desk.journal, STORE_JOB, "", NQ_BROKEN, "");
    assert_int_equal(atomic_load(&x.asked), asked);
    atomic_store(&fake.broken, false);
    WAIT_UNTIL(journal_stats(desk.journal).waiting == 0);
    assert_value(desk.journal, STORE_JOB, "a", "xx");
}
