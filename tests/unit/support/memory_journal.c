/* memory_journal.c - see memory_journal.h. */
#include "support/memory_journal.h"

extern const struct store_class store_memory;

static void no_trouble(void *who, const char *why)
{
    (void)who, (void)why;
}

void memory_journal_begin_on(struct memory_journal *kept, const struct store_class *class)
{
    char error[STORE_ERROR_MAX];
    const struct store_options options = {.capacity = 1 << 26};
    assert_int_equal(store_open_class(class, NULL, &options, &kept->store, error), NQ_OK);
    kept->journal = journal_new(kept->store, 1 << 26, no_trouble, NULL);
    assert_non_null(kept->journal);
}

void memory_journal_begin(struct memory_journal *kept)
{
    memory_journal_begin_on(kept, &store_memory);
}

void memory_journal_end(struct memory_journal *kept)
{
    assert_int_equal(journal_close(kept->journal), NQ_OK);
    journal_free(kept->journal);
    store_close(kept->store);
}

void memory_journal_settle(struct memory_journal *kept)
{
    BYTES(value);
    assert_int_equal(journal_get(kept->journal, STORE_JOB, "none", FOREVER, &value), NQ_NONE);
}

static void count_one(void *context, const char *key, const void *value, size_t size)
{
    (void)key, (void)value, (void)size;
    ++*(unsigned *)context;
}

unsigned memory_journal_facts(struct memory_journal *kept, enum store_kind kind)
{
    unsigned count = 0;
    assert_int_equal(journal_each(kept->journal, kind, "", FOREVER, count_one, &count), NQ_OK);
    return count;
}
