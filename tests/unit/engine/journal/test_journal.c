/* test_journal.c - tests of src/engine/journal/journal.c: what was put can be read at once and in order, within limits;
 * nothing is lost while the store is slow, broken or hangs, and every barrier is called. */
/* CI builds: address thread */
#include "engine/journal/journal.h"

#include <string.h>

#include "support/memory_journal.h"
#include "support/sanitizer.h"
#include "support/store_facts.h"

extern const struct store_class store_memory;

/* ---- Two stores that break, and record their use; one of them is elsewhere ---- */

static struct {
    atomic_bool broken, full, held;               /* full: it can only be read */
    atomic_uint puts, deletes, failures, waiting; /* waiting: calls that are held */
    atomic_uint most;                             /* facts of one put */
} fake;

static void fake_reset(void)
{
    atomic_store(&fake.broken, false);
    atomic_store(&fake.full, false);
    atomic_store(&fake.held, false);
    atomic_store(&fake.puts, 0);
    atomic_store(&fake.deletes, 0);
    atomic_store(&fake.failures, 0);
    atomic_store(&fake.most, 0);
}

/* Returns when the store is not held. */
static void fake_hang(void)
{
    atomic_fetch_add(&fake.waiting, 1);
    while (atomic_load(&fake.held))
        asking_pause();
    atomic_fetch_sub(&fake.waiting, 1);
}

static bool fake_works(void)
{
    fake_hang();
    const bool works = !atomic_load(&fake.broken) && !atomic_load(&fake.full);
    atomic_fetch_add(&fake.failures, !works);
    return works;
}

static enum nq_status fake_put(void *self, const struct store_fact *facts, size_t count)
{
    if (!fake_works())
        return NQ_BROKEN;
    atomic_fetch_add(&fake.puts, 1);
    if (count > atomic_load(&fake.most))
        atomic_store(&fake.most, (unsigned)count);
    return store_memory.put(self, facts, count);
}

static enum nq_status fake_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    fake_hang();
    return atomic_load(&fake.broken) ? NQ_BROKEN : store_memory.get(self, kind, key, value);
}

/* It fails halfway, as a shared store may. */
static enum nq_status fake_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context)
{
    fake_hang();
    const enum nq_status status = store_memory.each(self, kind, prefix, visit, context);
    return atomic_load(&fake.broken) ? NQ_BROKEN : status;
}

static enum nq_status fake_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    if (!fake_works())
        return NQ_BROKEN;
    atomic_fetch_add(&fake.deletes, 1);
    return store_memory.delete_prefix(self, kind, prefix);
}

static enum nq_status fake_check(void *self, bool all)
{
    (void)self, (void)all;
    return atomic_load(&fake.broken) ? NQ_BROKEN : NQ_OK;
}

static const char *fake_trouble(const void *self)
{
    (void)self;
    return "no answer";
}

static struct store_class store_fake, store_far;

static int make_classes(void **state)
{
    (void)state;
    store_fake = store_memory;
    store_fake.fleeting = false;
    store_fake.put = fake_put;
    store_fake.get = fake_get;
    store_fake.each = fake_each;
    store_fake.delete_prefix = fake_delete_prefix;
    store_far = store_fake;
    store_far.check = fake_check;
    store_far.trouble = fake_trouble;
    return 0;
}

GROUP(make_classes, NULL)

/* ---- A journal on one ---- */

static void notified(void *sleeper, enum nq_status status)
{
    (void)status;
    sleeper_wake(sleeper);
}

/* Waits until all that was put so far is stored; false: the store is found broken. */
static bool journal_sync(struct journal *journal)
{
    struct sleeper sleeper;
    sleeper_begin(&sleeper);
    assert_true(journal_notify(journal, notified, &sleeper));
    assert_true(sleeper_sleep(&sleeper));
    sleeper_end(&sleeper);
    return !journal_stats(journal).broken;
}

struct desk {
    struct store *store;
    struct journal *journal;
    atomic_uint turns; /* of trouble */
    atomic_bool in_trouble;
};

static void on_trouble(void *who, const char *why)
{
    struct desk *desk = who;
    atomic_fetch_add(&desk->turns, 1);
    if (atomic_exchange(&desk->in_trouble, why) == !!why)
        atomic_fetch_add(&desk->turns, 1000); /* called twice with the same state */
}

static void desk_begin(struct desk *desk, const struct store_class *class, uint64_t capacity, size_t most)
{
    char error[STORE_ERROR_MAX] = "";
    *desk = (struct desk){0};
    fake_reset();
    const struct store_options options = {.capacity = capacity};
    assert_int_equal(store_open_class(class, NULL, &options, &desk->store, error), NQ_OK);
    desk->journal = journal_new(desk->store, most, on_trouble, desk);
    assert_non_null(desk->journal);
}

/* The store works again before the end, or that would take long. */
static void desk_end(struct desk *desk)
{
    atomic_store(&fake.broken, false);
    atomic_store(&fake.full, false);
    assert_int_equal(journal_close(desk->journal), NQ_OK);
    journal_free(desk->journal);
    store_close(desk->store);
}

static void assert_value(struct journal *journal, enum store_kind kind, const char *key, const char *expected)
{
    BYTES(value);
    bytes_text(&value, "before ");
    const enum nq_status status = journal_get(journal, kind, key, FOREVER, &value);
    bytes_char(&value, '\0');
    if (status != (expected ? NQ_OK : NQ_NONE))
        fail_msg("%s: %s", key, nq_status_text(status));
    assert_int_equal(strncmp(value.data, "before ", 7), 0); /* it appends */
    assert_string_equal(value.data + 7, expected ? expected : "");
}

struct seen {
    unsigned count;
    struct bytes text; /* "key=value " of each */
};

static void see(void *context, const char *key, const void *value, size_t size)
{
    struct seen *seen = context;
    seen->count++;
    bytes_format(&seen->text, "%s=%.*s ", key, (int)size, (const char *)value);
}

/* The journal lists these facts with this status. */
static void assert_each(struct journal *journal, enum store_kind kind, const char *prefix, enum nq_status status,
                        const char *expected)
{
    struct seen seen = {0};
    assert_int_equal(journal_each(journal, kind, prefix, FOREVER, see, &seen), status);
    bytes_char(&seen.text, '\0');
    assert_string_equal(seen.text.data, expected);
    bytes_free(&seen.text);
}

TEST(test_put_and_get)
{
    static const struct store_class *const classes[] = {&store_memory, &store_fake};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(desk, desk, classes[i], 1 << 20, 1 << 20);
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

/* Whole batches are written at once: to gather facts for 50 ms before each of them would take longer than all. */
TEST(test_whole_batches_are_not_waited_for)
{
    enum { BATCHES = SANITIZED ? 80 : 400, FACTS = 256 * BATCHES };
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
        SCOPED(desk, desk, &store_fake, 1 << 24, 1 << 24);
        atomic_store(&fake.broken, broken);
        for (int i = 0; i < FACTS; i++) {
            assert_true(journal_put(desk.journal, STORE_RESULT, "key", "value"));
            asking_pause();
        }
        assert_true(atomic_load(&fake.puts) < FACTS / 2);
        assert_true(atomic_load(&fake.failures) < FACTS / 2);
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
    char large[200000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    SCOPED(desk, desk, &store_fake, 1 << 17, 1 << 20);
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
    journal_delete(desk.journal, STORE_JOB, "a");
    assert_int_equal(journal_amend(desk.journal, STORE_JOB, "a", append, NULL, &y), NQ_OK);
    assert_each(desk.journal, STORE_JOB, "", NQ_OK, "a=y b=1 ");
    assert_int_equal(journal_stats(desk.journal).written, 8);
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
    char large[200000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    desk_begin(&desk, &store_fake, 1 << 17, 1 << 20);
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
    desk_begin(&desk, &store_memory, 1 << 20, 1 << 20);
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

/* ---- A store in trouble ---- */

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
    assert_false(journal_sync(desk.journal)); /* at once: no reader waits for a disk */
    struct bytes value = {0};
    assert_int_equal(journal_get(desk.journal, STORE_RESULT, "old", FOREVER, &value), NQ_BROKEN);
    assert_int_equal(value.size, 0);
    bytes_free(&value);
    assert_int_equal(journal_stats(desk.journal).waiting, 2);
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

/* A single fact is read as the store has it. Others may be among those that are to be deleted: nothing is listed. */
TEST(test_reading_while_writing_fails)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a 1", "1"));
    assert_true(journal_sync(desk.journal));
    atomic_store(&fake.full, true);
    journal_drop(desk.journal, STORE_UNIT, "a");
    assert_true(journal_put(desk.journal, STORE_UNIT, "a 1", "2"));
    assert_false(journal_sync(desk.journal));
    assert_value(desk.journal, STORE_UNIT, "a 1", "1");
    assert_each(desk.journal, STORE_UNIT, "", NQ_BROKEN, "");
    atomic_store(&fake.full, false);
    WAIT_UNTIL(!journal_stats(desk.journal).broken);
    assert_each(desk.journal, STORE_UNIT, "", NQ_OK, "a 1=2 ");
}

/* Nobody takes a part of the facts for all of them. */
TEST(test_each_while_reading_fails)
{
    SCOPED(desk, desk, &store_fake, 1 << 20, 1 << 20);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a 1", "1"));
    assert_true(journal_sync(desk.journal));
    atomic_store(&fake.broken, true);
    assert_each(desk.journal, STORE_UNIT, "", NQ_BROKEN, "");
    atomic_store(&fake.broken, false);
    assert_each(desk.journal, STORE_UNIT, "", NQ_OK, "a 1=1 ");
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
    atomic_store(&fake.full, false);
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
        BYTES(value);
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

static void *get_it(void *context)
{
    struct closing *closing = context;
    struct bytes value = {0};
    closing->status = journal_get(closing->desk->journal, STORE_UNIT, "a", FOREVER, &value);
    bytes_free(&value);
    return NULL;
}

/* Closing ends with NQ_TIMEOUT, calls every barrier, and no reader goes on waiting. */
TEST(test_closing_a_store_that_hangs)
{
    struct desk desk;
    struct closing reading = {.desk = &desk};
    pthread_t reader;
    desk_begin(&desk, &store_fake, 1 << 20, 1 << 20);
    atomic_store(&fake.held, true);
    assert_true(journal_put(desk.journal, STORE_UNIT, "a", "1"));
    SCOPED(sleeper, sleeper);
    assert_true(journal_notify(desk.journal, notified, &sleeper));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    start(&reader, get_it, &reading);
    assert_int_equal(journal_close(desk.journal), NQ_TIMEOUT);
    assert_int_equal(sleeper.woken, 1);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(reading.status, NQ_CLOSED);
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
    WAIT_UNTIL(!atomic_load(&desk.in_trouble));
    assert_value(desk.journal, STORE_UNIT, "a", "1");
    assert_int_equal(journal_close(desk.journal), NQ_OK);
    journal_free(desk.journal);
    atomic_store(&fake.broken, true);
    desk.journal = journal_new(desk.store, 1 << 20, on_trouble, &desk);
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
}
