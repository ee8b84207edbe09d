/* archiving.c - see archiving.h. */
#include "archiving.h"

static void no_trouble(void *who, bool broken)
{
    (void)who, (void)broken;
}

void archive_begin(struct archive *archive)
{
    char error[STORE_ERROR_MAX];
    assert_int_equal(store_open("memory", &(struct store_options){.capacity = 1 << 26}, &archive->store, error), NQ_OK);
    archive->ledger = ledger_new(archive->store, 1 << 26, no_trouble, NULL);
    assert_non_null(archive->ledger);
}

void archive_end(struct archive *archive)
{
    assert_true(ledger_close(archive->ledger));
    ledger_free(archive->ledger);
    store_close(archive->store);
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
