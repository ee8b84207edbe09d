/* journal_desk.h - a journal on a store that breaks and hangs on demand. */
#ifndef TESTS_UNIT_SUPPORT_JOURNAL_DESK_H
#define TESTS_UNIT_SUPPORT_JOURNAL_DESK_H

#include "support/memory_journal.h"
#include "support/store_facts.h"

extern const struct store_class store_memory;

/* ---- Two stores that break, and record their use; one of them is elsewhere ---- */

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

static struct store_stats fake_stats(const void *self)
{
    return store_memory.stats(self);
}

static void fake_close(void *self)
{
    store_memory.close(self);
}

static const struct store_class store_fake = {
    .name = "fake",
    .open = fake_open,
    .put = fake_put,
    .get = fake_get,
    .each = fake_each,
    .delete_prefix = fake_delete_prefix,
    .stats = fake_stats,
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
    return "no answer";
}

static const struct store_class store_far = {
    .name = "far",
    .open = fake_open,
    .put = fake_put,
    .get = fake_get,
    .each = fake_each,
    .delete_prefix = fake_delete_prefix,
    .check = fake_check,
    .stats = fake_stats,
    .trouble = fake_trouble,
    .close = fake_close,
};

/* ---- A journal on one ---- */

static inline void notified(void *sleeper, enum nq_status status)
{
    (void)status;
    sleeper_wake(sleeper);
}

/* Waits until all that was put so far is stored; false: the store is found broken. */
static inline bool journal_sync(struct journal *journal)
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

static inline void on_trouble(void *who, const char *why)
{
    struct desk *desk = who;
    atomic_fetch_add(&desk->turns, 1);
    if (atomic_exchange(&desk->in_trouble, why) == !!why)
        atomic_fetch_add(&desk->turns, 1000); /* called twice with the same state */
}

static inline void desk_begin(struct desk *desk, const struct store_class *class, uint64_t capacity, size_t most)
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
static inline void desk_end(struct desk *desk)
{
    atomic_store(&fake.broken, false);
    assert_int_equal(journal_close(desk->journal), NQ_OK);
    journal_free(desk->journal);
    store_close(desk->store);
}

static inline void assert_value(struct journal *journal, enum store_kind kind, const char *key, const char *expected)
{
    struct bytes value = {0};
    bytes_text(&value, "before ");
    const enum nq_status status = journal_get(journal, kind, key, FOREVER, &value);
    bytes_char(&value, '\0');
    if (status != (expected ? NQ_OK : NQ_NONE))
        fail_msg("%s: %s", key, nq_status_text(status));
    assert_int_equal(strncmp(value.data, "before ", 7), 0); /* it appends */
    assert_string_equal(value.data + 7, expected ? expected : "");
    bytes_free(&value);
}

struct seen {
    unsigned count;
    struct bytes text; /* "key=value " of each */
};

static inline void see(void *context, const char *key, const void *value, size_t size)
{
    struct seen *seen = context;
    seen->count++;
    bytes_format(&seen->text, "%s=%.*s ", key, (int)size, (const char *)value);
}

/* The journal lists these facts with this status. */
static inline void assert_each(struct journal *journal, enum store_kind kind, const char *prefix, enum nq_status status,
                               const char *expected)
{
    struct seen seen = {0};
    assert_int_equal(journal_each(journal, kind, prefix, FOREVER, see, &seen), status);
    bytes_char(&seen.text, '\0');
    assert_string_equal(seen.text.data, expected);
    bytes_free(&seen.text);
}

#endif
