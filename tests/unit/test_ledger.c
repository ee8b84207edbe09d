/* test_ledger.c - tests of src/engine/ledger.c: what was put is there, at once and in order, whether the store works,
 * is slow, or is broken for a while; and everyone who waits hears of it. */
#include "engine/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "archiving.h"
#include "asking.h"

/* The table of stores with two that break on demand, one of them elsewhere. */
#define store_sqlite store_fake
#define store_nats store_far
#include "stores/stores.c"
#undef store_nats
#undef store_sqlite

/* ---- A store that breaks, and tells how it was used ---- */

static struct {
    atomic_bool broken, held;
    atomic_uint puts, deletes, failures, waiting; /* waiting: calls that are held */
    atomic_uint most;                             /* facts of one put */
} fake;

static void fake_reset(void)
{
    atomic_store(&fake.broken, false);
    atomic_store(&fake.held, false);
    atomic_store(&fake.puts, 0);
    atomic_store(&fake.deletes, 0);
    atomic_store(&fake.failures, 0);
    atomic_store(&fake.most, 0);
}

static bool fake_works(void)
{
    atomic_fetch_add(&fake.waiting, 1);
    while (atomic_load(&fake.held))
        asking_pause();
    atomic_fetch_sub(&fake.waiting, 1);
    const bool works = !atomic_load(&fake.broken);
    atomic_fetch_add(&fake.failures, !works);
    return works;
}

static enum nq_status fake_open(const char *where, const struct store_options *options, void **self,
                                char error[static STORE_ERROR_MAX])
{
    return store_memory.open(where, options, self, error);
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

/* Reads hang, too. */
static void fake_hang(void)
{
    atomic_fetch_add(&fake.waiting, 1);
    while (atomic_load(&fake.held))
        asking_pause();
    atomic_fetch_sub(&fake.waiting, 1);
}

static enum nq_status fake_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    fake_hang();
    return atomic_load(&fake.broken) ? NQ_BROKEN : store_memory.get(self, kind, key, value);
}

static enum nq_status fake_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit, void *context)
{
    fake_hang();
    return atomic_load(&fake.broken) ? NQ_BROKEN : store_memory.each(self, kind, prefix, visit, context);
}

static enum nq_status fake_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    if (!fake_works())
        return NQ_BROKEN;
    atomic_fetch_add(&fake.deletes, 1);
    return store_memory.delete_prefix(self, kind, prefix);
}

static struct store_figures fake_figures(const void *self)
{
    return store_memory.figures(self);
}

static void fake_close(void *self)
{
    store_memory.close(self);
}

const struct store_class store_fake = {
    .name = "fake",
    .summary = "in memory, and sometimes not even there",
    .open = fake_open,
    .put = fake_put,
    .get = fake_get,
    .each = fake_each,
    .delete_prefix = fake_delete_prefix,
    .figures = fake_figures,
    .close = fake_close,
};

static enum nq_status fake_check(void *self)
{
    (void)self;
    return atomic_load(&fake.broken) ? NQ_BROKEN : NQ_OK;
}

static const char *fake_trouble(const void *self)
{
    (void)self;
    return "nobody is there";
}

const struct store_class store_far = {
    .name = "far",
    .summary = "the same, and elsewhere",
    .open = fake_open,
    .put = fake_put,
    .get = fake_get,
    .each = fake_each,
    .delete_prefix = fake_delete_prefix,
    .check = fake_check,
    .figures = fake_figures,
    .trouble = fake_trouble,
    .close = fake_close,
};

/* ---- A ledger on one ---- */

static void told(void *sleeper, enum nq_status status)
{
    (void)status;
    sleeper_wake(sleeper);
}

/* Waits until all that was put so far is stored; false: the store is found broken. */
static bool ledger_sync(struct ledger *ledger)
{
    struct sleeper sleeper;
    sleeper_begin(&sleeper);
    assert_true(ledger_notify(ledger, told, &sleeper));
    assert_true(sleeper_sleep(&sleeper));
    sleeper_end(&sleeper);
    return !ledger_figures(ledger).broken;
}

struct desk {
    struct store *store;
    struct ledger *ledger;
    atomic_uint turns; /* of trouble */
    atomic_bool in_trouble;
};

static void on_trouble(void *who, bool broken)
{
    struct desk *desk = who;
    atomic_fetch_add(&desk->turns, 1);
    if (atomic_exchange(&desk->in_trouble, broken) == broken)
        atomic_fetch_add(&desk->turns, 1000); /* told what it was told before */
}

static void desk_begin(struct desk *desk, const char *spec, uint64_t capacity, size_t most)
{
    char error[STORE_ERROR_MAX] = "";
    *desk = (struct desk){0};
    fake_reset();
    assert_int_equal(store_open(spec, &(struct store_options){.capacity = capacity}, &desk->store, error), NQ_OK);
    desk->ledger = ledger_new(desk->store, most, on_trouble, desk);
    assert_non_null(desk->ledger);
}

static void desk_end(struct desk *desk)
{
    assert_true(ledger_close(desk->ledger));
    ledger_free(desk->ledger);
    store_close(desk->store);
}

static void assert_value(struct ledger *ledger, enum store_kind kind, const char *key, const char *expected)
{
    struct bytes value = {0};
    bytes_text(&value, "before ");
    const enum nq_status status = ledger_get(ledger, kind, key, FOREVER, &value);
    bytes_char(&value, '\0');
    if (status != (expected ? NQ_OK : NQ_NONE))
        fail_msg("%s: %s", key, nq_status_text(status));
    assert_int_equal(strncmp(value.data, "before ", 7), 0); /* it appends */
    assert_string_equal(value.data + 7, expected ? expected : "");
    bytes_free(&value);
}

/* Straight from the store. */
static void assert_stored(struct store *store, enum store_kind kind, const char *key, const char *expected)
{
    struct bytes value = {0};
    assert_int_equal(store_get(store, kind, key, &value), expected ? NQ_OK : NQ_NONE);
    bytes_char(&value, '\0');
    assert_string_equal(value.data, expected ? expected : "");
    bytes_free(&value);
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

static void assert_each(struct ledger *ledger, enum store_kind kind, const char *prefix, const char *expected)
{
    struct seen seen = {0};
    assert_int_equal(ledger_each(ledger, kind, prefix, FOREVER, see, &seen), NQ_OK);
    bytes_char(&seen.text, '\0');
    assert_string_equal(seen.text.data, expected);
    bytes_free(&seen.text);
}

/* ---- A store that works ---- */

static void test_put_and_get(void **state)
{
    (void)state;
    static const char *const specs[] = {"memory", "fake"};
    for (size_t i = 0; i < 2; i++) {
        struct desk desk;
        desk_begin(&desk, specs[i], 1 << 20, 1 << 20);
        assert_value(desk.ledger, STORE_RESULT, "a", NULL);
        assert_true(ledger_put(desk.ledger, STORE_RESULT, "a", "1"));
        assert_value(desk.ledger, STORE_RESULT, "a", "1");
        assert_value(desk.ledger, STORE_UNIT, "a", NULL); /* every kind has its own */
        assert_value(desk.ledger, STORE_RESULT, "A", NULL);
        assert_true(ledger_put(desk.ledger, STORE_RESULT, "a", "2"));
        assert_true(ledger_put(desk.ledger, STORE_UNIT, "a", ""));
        assert_true(ledger_put(desk.ledger, STORE_JOB, "", "empty key"));
        assert_value(desk.ledger, STORE_RESULT, "a", "2");
        assert_value(desk.ledger, STORE_UNIT, "a", "");
        assert_value(desk.ledger, STORE_JOB, "", "empty key");
        const struct ledger_figures figures = ledger_figures(desk.ledger);
        assert_false(figures.broken);
        assert_int_equal(figures.waiting, 0);
        assert_int_equal(figures.written, 4);
        assert_int_equal(figures.lost, 0);
        assert_stored(desk.store, STORE_RESULT, "a", "2");
        assert_int_equal(desk.turns, 0);
        desk_end(&desk);
    }
}

/* It copies: whoever puts may do with their text what they like. */
static void test_texts_are_copied(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    atomic_store(&fake.held, true);
    char key[] = "key", value[] = "value";
    assert_true(ledger_put(desk.ledger, STORE_RESULT, key, value));
    memset(key, 'x', 3);
    memset(value, 'x', 5);
    ledger_drop(desk.ledger, STORE_RESULT, key);
    memset(key, 'y', 3);
    atomic_store(&fake.held, false);
    assert_value(desk.ledger, STORE_RESULT, "key", "value");
    desk_end(&desk);
}

static void test_order(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 24, 1 << 24);
    for (int round = 0; round < 300; round++) {
        char value[16];
        (void)snprintf(value, sizeof value, "%d", round);
        assert_true(ledger_put(desk.ledger, STORE_UNIT, "u 1", value));
        assert_true(ledger_put(desk.ledger, STORE_UNIT, "u 2", value));
        assert_true(ledger_put(desk.ledger, STORE_UNIT, "v", value));
        ledger_drop(desk.ledger, STORE_UNIT, "u ");
        assert_true(ledger_put(desk.ledger, STORE_UNIT, "u 2", "again")); /* put afterwards: it stays */
        if (round % 10 == 0) {
            assert_value(desk.ledger, STORE_UNIT, "u 1", NULL);
            assert_value(desk.ledger, STORE_UNIT, "u 2", "again");
            assert_value(desk.ledger, STORE_UNIT, "v", value);
            assert_each(desk.ledger, STORE_UNIT, "u", "u 2=again ");
        }
        ledger_drop(desk.ledger, STORE_RESULT, ""); /* of another kind */
    }
    assert_true(ledger_sync(desk.ledger));
    assert_stored(desk.store, STORE_UNIT, "u 1", NULL);
    assert_stored(desk.store, STORE_UNIT, "v", "299");
    ledger_drop(desk.ledger, STORE_UNIT, "");
    assert_each(desk.ledger, STORE_UNIT, "", "");
    desk_end(&desk);
}

static void test_each(void **state)
{
    (void)state;
    struct desk desk;
    struct seen seen = {0};
    desk_begin(&desk, "memory", 1 << 24, 1 << 24);
    for (int i = 0; i < 1000; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%c %d", 'a' + i % 4, i);
        assert_true(ledger_put(desk.ledger, STORE_UNIT, key, "value"));
        assert_true(ledger_put(desk.ledger, STORE_RESULT, key, "value"));
    }
    assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "b ", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 250);
    assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 1250);
    assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "b 1x", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(ledger_each(desk.ledger, STORE_JOB, "", FOREVER, see, &seen), NQ_OK);
    assert_int_equal(seen.count, 1250);
    bytes_free(&seen.text);
    desk_end(&desk);
}

/* What is put while the store is busy is written together, up to so many at once. */
static void test_batches(void **state)
{
    (void)state;
    enum { FACTS = 1000 };
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 24, 1 << 24);
    atomic_store(&fake.held, true);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "first", "1"));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    for (int i = 0; i < FACTS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%d", i);
        assert_true(ledger_put(desk.ledger, STORE_RESULT, key, "value"));
    }
    assert_int_equal(ledger_figures(desk.ledger).waiting, FACTS + 1);
    atomic_store(&fake.held, false);
    assert_true(ledger_sync(desk.ledger));
    assert_int_equal(ledger_figures(desk.ledger).waiting, 0);
    assert_int_equal(ledger_figures(desk.ledger).written, FACTS + 1);
    assert_true(fake.puts < 10);
    assert_true(fake.most >= 200);
    assert_int_equal(store_figures(desk.store).facts, FACTS + 1);
    desk_end(&desk);
}

/* Facts that come one by one, in no hurry, are not a transaction each; nor is a broken store asked for each of them. */
static void test_facts_are_gathered(void **state)
{
    (void)state;
    enum { FACTS = 200 };
    for (int broken = 0; broken < 2; broken++) {
        struct desk desk;
        desk_begin(&desk, "fake", 1 << 24, 1 << 24);
        atomic_store(&fake.broken, broken);
        for (int i = 0; i < FACTS; i++) {
            assert_true(ledger_put(desk.ledger, STORE_RESULT, "key", "value"));
            asking_pause();
        }
        assert_true(atomic_load(&fake.puts) < FACTS / 2);
        assert_true(atomic_load(&fake.failures) < FACTS / 2);
        desk_end(&desk);
    }
}

/* ---- Bounds ---- */

static void test_most(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 20, 2000);
    atomic_store(&fake.held, true);
    unsigned kept = 0;
    for (int i = 0; i < 100; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key %d", i);
        kept += ledger_put(desk.ledger, STORE_RESULT, key, "0123456789012345678901234567890123456789");
    }
    struct ledger_figures figures = ledger_figures(desk.ledger);
    assert_true(kept > 5 && kept <= 2000 / 45);
    assert_int_equal(figures.waiting, kept);
    assert_int_equal(figures.lost, 100 - kept);
    atomic_store(&fake.held, false);
    assert_true(ledger_sync(desk.ledger));
    figures = ledger_figures(desk.ledger);
    assert_int_equal(figures.waiting, 0);
    assert_int_equal(figures.written, kept);
    assert_int_equal(store_figures(desk.store).facts, kept);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "there is room again", "1"));
    assert_value(desk.ledger, STORE_RESULT, "there is room again", "1");
    char large[3000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_false(ledger_put(desk.ledger, STORE_RESULT, "never", large));
    assert_value(desk.ledger, STORE_RESULT, "never", NULL);
    desk_end(&desk);
}

/* A fact that the store has no room for is lost, and only that one: those that happened to be written with it are not.
 */
static void test_a_fact_too_large_for_the_store(void **state)
{
    (void)state;
    struct desk desk;
    char large[8000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    desk_begin(&desk, "fake", 4000, 1 << 20);
    atomic_store(&fake.held, true);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "first", "1"));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "second", "2"));
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "large", large));
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "third", "3"));
    atomic_store(&fake.held, false);
    assert_true(ledger_sync(desk.ledger));
    assert_int_equal(ledger_figures(desk.ledger).waiting, 0);
    assert_false(ledger_figures(desk.ledger).broken);
    assert_value(desk.ledger, STORE_RESULT, "first", "1");
    assert_value(desk.ledger, STORE_RESULT, "large", NULL);
    assert_value(desk.ledger, STORE_RESULT, "second", "2");
    assert_value(desk.ledger, STORE_RESULT, "third", "3");
    assert_int_equal(ledger_figures(desk.ledger).lost, 1);
    assert_int_equal(ledger_figures(desk.ledger).written, 3);
    desk_end(&desk);
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
static void test_amend(void **state)
{
    (void)state;
    struct desk desk;
    struct appending x = {.letter = "x"}, y = {.letter = "y"};
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &x), NQ_OK);
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &y), NQ_OK);
    assert_value(desk.ledger, STORE_JOB, "a", "xy");
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &y), NQ_OK);
    assert_true(ledger_put(desk.ledger, STORE_JOB, "a", "0"));
    assert_true(ledger_put(desk.ledger, STORE_JOB, "b", "1"));
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &x), NQ_OK);
    assert_each(desk.ledger, STORE_JOB, "", "a=0x b=1 ");
    ledger_drop(desk.ledger, STORE_JOB, "a");
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &y), NQ_OK);
    assert_each(desk.ledger, STORE_JOB, "", "a=y b=1 ");
    assert_int_equal(ledger_figures(desk.ledger).written, 7);
    assert_int_equal(ledger_figures(desk.ledger).waiting, 0);
    assert_false(ledger_is_shared(desk.ledger));
    desk_end(&desk);
    assert_int_equal(x.asked, 2);
    assert_int_equal(y.asked, 3);
}

/* Whoever was out of memory is asked again; and nobody while the store is broken. */
static void test_amend_later(void **state)
{
    (void)state;
    struct desk desk;
    struct appending x = {.letter = "x"};
    struct seen seen = {0};
    desk_begin(&desk, "far", 1 << 20, 1 << 20);
    assert_true(ledger_is_shared(desk.ledger));
    atomic_store(&x.nomem, true);
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &x), NQ_OK);
    WAIT_UNTIL(atomic_load(&x.asked) > 2);
    assert_false(ledger_figures(desk.ledger).broken);
    atomic_store(&x.nomem, false);
    assert_true(ledger_sync(desk.ledger));
    WAIT_UNTIL(ledger_figures(desk.ledger).waiting == 0);
    assert_value(desk.ledger, STORE_JOB, "a", "x");
    atomic_store(&fake.broken, true);
    const unsigned asked = atomic_load(&x.asked);
    assert_int_equal(ledger_amend(desk.ledger, STORE_JOB, "a", append, &x), NQ_OK);
    WAIT_UNTIL(ledger_figures(desk.ledger).broken);
    assert_false(ledger_is_shared(desk.ledger)); /* not now */
    assert_int_equal(ledger_each(desk.ledger, STORE_JOB, "", FOREVER, see, &seen), NQ_BROKEN);
    assert_int_equal(seen.count, 0);
    assert_int_equal(atomic_load(&x.asked), asked);
    atomic_store(&fake.broken, false);
    WAIT_UNTIL(ledger_figures(desk.ledger).waiting == 0);
    assert_value(desk.ledger, STORE_JOB, "a", "xx");
    desk_end(&desk);
}

/* ---- A store that breaks ---- */

static void test_broken_and_whole_again(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "old", "1"));
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "other", "1"));
    assert_true(ledger_sync(desk.ledger));
    atomic_store(&fake.broken, true);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "new", "2"));
    assert_false(ledger_sync(desk.ledger));
    assert_true(ledger_figures(desk.ledger).broken);
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
    assert_int_equal(desk.turns, 1);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "new", "3"));
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "gone", "4"));
    ledger_drop(desk.ledger, STORE_RESULT, "go");
    assert_false(ledger_sync(desk.ledger)); /* at once: nobody waits for a disk */
    assert_value(desk.ledger, STORE_RESULT, "new", "3");
    assert_value(desk.ledger, STORE_RESULT, "gone", NULL);
    struct bytes value = {0};
    assert_int_equal(ledger_get(desk.ledger, STORE_RESULT, "old", FOREVER, &value), NQ_BROKEN);
    assert_int_equal(value.size, 0);
    bytes_free(&value);
    assert_int_equal(ledger_figures(desk.ledger).waiting, 4);
    const unsigned failures = fake.failures;
    WAIT_UNTIL(atomic_load(&fake.failures) > failures + 1); /* it tries again by itself */
    assert_int_equal(desk.turns, 1);                        /* and says nothing new */
    atomic_store(&fake.broken, false);
    WAIT_UNTIL(!ledger_figures(desk.ledger).broken);
    assert_true(ledger_sync(desk.ledger));
    WAIT_UNTIL(!atomic_load(&desk.in_trouble));
    assert_int_equal(desk.turns, 2);
    assert_int_equal(ledger_figures(desk.ledger).waiting, 0);
    assert_int_equal(ledger_figures(desk.ledger).lost, 0);
    assert_each(desk.ledger, STORE_RESULT, "", "new=3 old=1 other=1 ");
    assert_stored(desk.store, STORE_RESULT, "new", "3");
    desk_end(&desk);
}

/* What waits is told of, too, and what is to be forgotten is not. */
static void test_each_while_writing_fails(void **state)
{
    (void)state;
    struct desk desk;
    struct seen seen = {0};
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    atomic_store(&fake.broken, true);
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "a 1", "1"));
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "b 1", "2"));
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "a 2", "3"));
    assert_false(ledger_sync(desk.ledger));
    assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "a", FOREVER, see, &seen), NQ_BROKEN);
    bytes_char(&seen.text, '\0');
    assert_string_equal(seen.text.data, "a 1=1 ");
    bytes_free(&seen.text);
    seen = (struct seen){0};
    ledger_drop(desk.ledger, STORE_UNIT, "a");
    assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "", FOREVER, see, &seen), NQ_BROKEN);
    bytes_char(&seen.text, '\0');
    assert_string_equal(seen.text.data, "b 1=2 ");
    bytes_free(&seen.text);
    desk_end(&desk);
}

/* Many turns, each told once. */
static void test_turns(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    for (unsigned turn = 0; turn < 20; turn++) {
        atomic_store(&fake.broken, turn % 2 == 0);
        assert_true(ledger_put(desk.ledger, STORE_RESULT, "a", "1"));
        WAIT_UNTIL(atomic_load(&desk.turns) == turn + 1);
        assert_int_equal(desk.in_trouble, turn % 2 == 0);
        assert_int_equal(ledger_figures(desk.ledger).broken, turn % 2 == 0);
    }
    desk_end(&desk);
    assert_int_equal(desk.turns, 20);
}

/* ---- Everyone who waits ---- */

static void test_notify(void **state)
{
    (void)state;
    struct desk desk;
    struct sleeper sleepers[6];
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    for (int i = 0; i < 6; i++)
        sleeper_begin(&sleepers[i]);
    assert_true(ledger_notify(desk.ledger, told, &sleepers[0])); /* nothing waits */
    assert_true(sleeper_sleep(&sleepers[0]));
    atomic_store(&fake.held, true);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "a", "1"));
    assert_true(ledger_notify(desk.ledger, told, &sleepers[1]));
    assert_true(ledger_notify(desk.ledger, told, &sleepers[2]));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_int_equal(sleepers[1].woken, 0);
    atomic_store(&fake.held, false);
    assert_true(sleeper_sleep(&sleepers[1]));
    assert_true(sleeper_sleep(&sleepers[2]));
    assert_stored(desk.store, STORE_RESULT, "a", "1");
    atomic_store(&fake.broken, true);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "b", "1"));
    assert_true(ledger_notify(desk.ledger, told, &sleepers[3]));
    assert_true(sleeper_sleep(&sleepers[3])); /* it will not come: nobody waits for that */
    assert_true(ledger_notify(desk.ledger, told, &sleepers[4]));
    assert_true(sleeper_sleep(&sleepers[4]));
    assert_true(ledger_close(desk.ledger));
    assert_true(ledger_notify(desk.ledger, told, &sleepers[5]));
    assert_int_equal(sleepers[5].woken, 1); /* by the time it returns */
    ledger_free(desk.ledger);
    store_close(desk.store);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sleepers[i].woken, 1);
        sleeper_end(&sleepers[i]);
    }
}

/* Whoever is told may put more: nothing is locked. */
static void put_more(void *who, enum nq_status status)
{
    (void)status;
    struct desk *desk = who;
    assert_true(ledger_put(desk->ledger, STORE_RESULT, "more", "1"));
}

static void test_told_ones_may_put(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, "memory", 1 << 20, 1 << 20);
    assert_true(ledger_put(desk.ledger, STORE_RESULT, "a", "1"));
    assert_true(ledger_notify(desk.ledger, put_more, &desk));
    WAIT_UNTIL(ledger_figures(desk.ledger).written == 2);
    assert_value(desk.ledger, STORE_RESULT, "more", "1");
    desk_end(&desk);
}

static void *close_it(void *context)
{
    struct desk *desk = context;
    assert_true(ledger_close(desk->ledger));
    return NULL;
}

static void *sync_it(void *context)
{
    struct desk *desk = context;
    return ledger_sync(desk->ledger) ? context : NULL;
}

/* Closing writes what waits and tells everyone; a store that does not let it holds nobody up. */
static void test_close(void **state)
{
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        struct desk desk;
        struct sleeper sleeper;
        pthread_t closer, syncer;
        void *synced;
        desk_begin(&desk, "fake", 1 << 20, 1 << 20);
        sleeper_begin(&sleeper);
        atomic_store(&fake.held, true);
        for (int i = 0; i < 600; i++) {
            char key[16];
            (void)snprintf(key, sizeof key, "%d", i);
            assert_true(ledger_put(desk.ledger, STORE_RESULT, key, "1"));
        }
        assert_true(ledger_notify(desk.ledger, told, &sleeper));
        start(&syncer, sync_it, &desk);
        start(&closer, close_it, &desk);
        asking_pause();
        assert_int_equal(sleeper.woken, 0);
        atomic_store(&fake.broken, broken);
        atomic_store(&fake.held, false);
        assert_int_equal(pthread_join(closer, NULL), 0);
        assert_int_equal(pthread_join(syncer, &synced), 0);
        assert_int_equal(synced == NULL, broken);
        assert_int_equal(sleeper.woken, 1);
        assert_int_equal(store_figures(desk.store).facts, broken ? 0 : 600);
        assert_int_equal(ledger_figures(desk.ledger).waiting, broken ? 600 : 0);
        assert_int_equal(ledger_sync(desk.ledger), !broken); /* nobody waits for ever */
        ledger_free(desk.ledger);
        store_close(desk.store);
        sleeper_end(&sleeper);
    }
}

/* ---- Many at once ---- */

enum { WRITERS = 4, EACH = 500 };

struct writer {
    struct desk *desk;
    unsigned number;
    atomic_uint told;
    bool well;
};

static void count_one(void *who, enum nq_status status)
{
    (void)status;
    struct writer *writer = who;
    atomic_fetch_add(&writer->told, 1);
}

static void *write_on(void *context)
{
    struct writer *writer = context;
    struct ledger *ledger = writer->desk->ledger;
    writer->well = true;
    for (unsigned i = 0; i < EACH; i++) {
        char key[32], text[16];
        struct bytes value = {0};
        (void)snprintf(key, sizeof key, "%u/%u", writer->number, i % 50);
        (void)snprintf(text, sizeof text, "%u", i);
        writer->well &= ledger_put(ledger, STORE_UNIT, key, text);
        if (i % 7 == 0)
            writer->well &= ledger_notify(ledger, count_one, writer);
        if (i % 11 == 0) { /* what one has put one can get, though the store breaks now and then */
            const enum nq_status status = ledger_get(ledger, STORE_UNIT, key, FOREVER, &value);
            bytes_char(&value, '\0');
            writer->well &= status == NQ_OK && strcmp(value.data, text) == 0;
        }
        if (i % 50 == 49) {
            (void)snprintf(key, sizeof key, "%u/", writer->number);
            ledger_drop(ledger, STORE_UNIT, key);
            (void)ledger_sync(ledger);
        }
        bytes_free(&value);
    }
    return NULL;
}

static void test_many_writers(void **state)
{
    (void)state;
    struct desk desk;
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    desk_begin(&desk, "fake", 1 << 24, 1 << 24);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.desk = &desk, .number = i};
        start(&threads[i], write_on, &writers[i]);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(writers[i].well);
    }
    assert_true(ledger_sync(desk.ledger));
    assert_int_equal(ledger_figures(desk.ledger).lost, 0);
    assert_int_equal(ledger_figures(desk.ledger).written, WRITERS * EACH);
    assert_int_equal(store_figures(desk.store).facts, 0); /* the last drop took the last of them */
    desk_end(&desk);
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(writers[i].told, (EACH + 6) / 7);
}

/* ---- A store that does not answer ---- */

static void never(void *context, const char *key, const void *value, size_t size)
{
    (void)context, (void)key, (void)value, (void)size;
    fail_msg("told of %s", key);
}

struct stopping {
    struct ledger *ledger;
    atomic_bool stop;
    enum nq_status status[2];
};

static void *look(void *context)
{
    struct stopping *stopping = context;
    struct bytes value = {0};
    stopping->status[0] =
        ledger_get(stopping->ledger, STORE_UNIT, "a", (struct patience){&stopping->stop, 60000}, &value);
    stopping->status[1] =
        ledger_each(stopping->ledger, STORE_UNIT, "a", (struct patience){&stopping->stop, 60000}, never, NULL);
    bytes_free(&value);
    return NULL;
}

/* Who may be stopped is not held by it; who has waited long enough goes on without; and then nobody waits at all. */
static void test_a_store_that_hangs(void **state)
{
    (void)state;
    struct desk desk;
    struct stopping stopping = {0};
    struct sleeper sleeper;
    struct bytes value = {0};
    const atomic_bool never_stopped = false;
    const struct patience little = {&never_stopped, 2100};
    pthread_t thread;
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "a", "1"));
    assert_true(ledger_sync(desk.ledger));
    atomic_store(&fake.held, true);
    stopping.ledger = desk.ledger;
    start(&thread, look, &stopping);
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1); /* it reads */
    assert_false(ledger_figures(desk.ledger).broken);
    atomic_store(&stopping.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopping.status[0], NQ_CANCELLED);
    assert_int_equal(stopping.status[1], NQ_CANCELLED);
    assert_int_equal(ledger_get(desk.ledger, STORE_UNIT, "a", little, &value), NQ_TIMEOUT);
    assert_true(ledger_figures(desk.ledger).broken); /* by now everyone can see it */
    for (int i = 0; i < 1000; i++) {                 /* at once, or this takes an hour */
        assert_int_equal(ledger_get(desk.ledger, STORE_UNIT, "a", little, &value), NQ_TIMEOUT);
        assert_int_equal(ledger_each(desk.ledger, STORE_UNIT, "", little, never, NULL), NQ_TIMEOUT);
    }
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "b", "2"));
    sleeper_begin(&sleeper);
    assert_true(ledger_notify(desk.ledger, told, &sleeper));
    assert_int_equal(sleeper.woken, 1);
    assert_int_equal(value.size, 0);
    atomic_store(&fake.held, false);
    WAIT_UNTIL(!ledger_figures(desk.ledger).broken);
    assert_true(ledger_sync(desk.ledger));
    assert_value(desk.ledger, STORE_UNIT, "a", "1");
    assert_value(desk.ledger, STORE_UNIT, "b", "2");
    sleeper_end(&sleeper);
    desk_end(&desk);
}

/* Closing does not wait for ever: it says that it could not, and tells those who wait. */
static void test_closing_a_store_that_hangs(void **state)
{
    (void)state;
    struct desk desk;
    struct sleeper sleeper;
    desk_begin(&desk, "fake", 1 << 20, 1 << 20);
    atomic_store(&fake.held, true);
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "a", "1"));
    sleeper_begin(&sleeper);
    assert_true(ledger_notify(desk.ledger, told, &sleeper));
    WAIT_UNTIL(atomic_load(&fake.waiting) == 1);
    assert_false(ledger_close(desk.ledger));
    assert_int_equal(sleeper.woken, 1);
    atomic_store(&fake.held, false); /* for the test's own sake */
    desk_end(&desk);
    sleeper_end(&sleeper);
}

/* A store that is elsewhere is looked after though nobody uses it, from the beginning. */
static void test_a_store_that_is_elsewhere(void **state)
{
    (void)state;
    struct desk desk;
    char why[STORE_ERROR_MAX];
    desk_begin(&desk, "far", 1 << 20, 1 << 20);
    for (unsigned turn = 1; turn <= 2; turn++) {
        atomic_store(&fake.broken, true);
        WAIT_UNTIL(atomic_load(&desk.in_trouble));
        assert_true(ledger_ails(desk.ledger, why));
        assert_string_equal(why, "nobody is there");
        atomic_store(&fake.broken, false);
        WAIT_UNTIL(!atomic_load(&desk.in_trouble));
        assert_false(ledger_ails(desk.ledger, why));
        assert_int_equal(desk.turns, 2 * turn);
    }
    atomic_store(&fake.broken, true);
    assert_true(ledger_put(desk.ledger, STORE_UNIT, "a", "1"));
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
    atomic_store(&fake.broken, false);
    assert_value(desk.ledger, STORE_UNIT, "a", "1");
    WAIT_UNTIL(!atomic_load(&desk.in_trouble));
    assert_true(ledger_close(desk.ledger));
    ledger_free(desk.ledger);
    atomic_store(&fake.broken, true);
    desk.ledger = ledger_new(desk.store, 1 << 20, on_trouble, &desk);
    WAIT_UNTIL(atomic_load(&desk.in_trouble));
    desk_end(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_and_get),
        cmocka_unit_test(test_texts_are_copied),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_facts_are_gathered),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_a_fact_too_large_for_the_store),
        cmocka_unit_test(test_amend),
        cmocka_unit_test(test_amend_later),
        cmocka_unit_test(test_broken_and_whole_again),
        cmocka_unit_test(test_each_while_writing_fails),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_notify),
        cmocka_unit_test(test_told_ones_may_put),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_many_writers),
        cmocka_unit_test(test_a_store_that_hangs),
        cmocka_unit_test(test_a_store_that_is_elsewhere),
        cmocka_unit_test(test_closing_a_store_that_hangs),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
