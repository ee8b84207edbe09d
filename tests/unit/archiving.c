/* archiving.c - see archiving.h. */
#include "archiving.h"

static void no_trouble(void *who, bool broken)
{
    (void)who, (void)broken;
}

void archive_begin_at(struct archive *archive, const char *spec)
{
    char error[STORE_ERROR_MAX];
    assert_int_equal(store_open(spec, &(struct store_options){.capacity = 1 << 26}, &archive->store, error), NQ_OK);
    archive->ledger = ledger_new(archive->store, 1 << 26, no_trouble, NULL);
    assert_non_null(archive->ledger);
}

void archive_begin(struct archive *archive)
{
    archive_begin_at(archive, "memory");
}

void archive_end(struct archive *archive)
{
    assert_true(ledger_close(archive->ledger));
    ledger_free(archive->ledger);
    store_close(archive->store);
}

void archive_settle(struct archive *archive)
{
    struct bytes value = {0};
    assert_int_equal(ledger_get(archive->ledger, STORE_JOB, "none", FOREVER, &value), NQ_NONE);
    bytes_free(&value);
}

static void count_one(void *context, const char *key, const void *value, size_t size)
{
    (void)key, (void)value, (void)size;
    ++*(unsigned *)context;
}

unsigned archive_facts(struct archive *archive, enum store_kind kind)
{
    unsigned count = 0;
    assert_int_equal(ledger_each(archive->ledger, kind, "", FOREVER, count_one, &count), NQ_OK);
    return count;
}
