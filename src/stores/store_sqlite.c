/* store_sqlite.c - a store in one SQLite file, which one process has at a time. It knows no threads: its caller makes
 * one call at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stores/sqlite_file.h"

/* Pages made free beforehand, so that a full store need not do so at every put. */
enum { ROOM_MOST = 64 };

static void sqlite_close(void *self)
{
    struct sqlite_store *store = self;
    sqlite_disconnect(store);
    free(store->path);
    free(store);
}

static enum nq_status sqlite_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    const uint64_t capacity = options->capacity;
    struct sqlite_store *store = calloc(1, sizeof *store);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!store)
        return NQ_NOMEM;
    store->most = (capacity / SQLITE_PAGE > INT32_MAX ? INT32_MAX : (int64_t)(capacity / SQLITE_PAGE)) - SQLITE_SPARE;
    if (capacity / SQLITE_PAGE < SQLITE_SMALLEST)
        sqlite_refuse(store, NQ_INVALID, "a store in a file needs %d bytes or more", SQLITE_SMALLEST * SQLITE_PAGE);
    /* A relative path goes on from ".", so that SQLite takes none for one of its special names. */
    else if (asprintf(&store->path, "%s%s", where[0] == '/' ? "" : "./", where) < 0)
        store->status = NQ_NOMEM;
    else
        sqlite_connect(store);
    const enum nq_status status = store->status;
    if (status == NQ_OK) {
        *self = store;
        return NQ_OK;
    }
    if (store->trouble[0] && status != NQ_NOMEM)
        memcpy(error, store->trouble, sizeof store->trouble);
    sqlite_close(store);
    return status;
}

/* ---- Using ------------------------------------------------------------------------------------------------------- */

/* Begins a call; opens a file anew that was lost. */
static void enter(struct sqlite_store *store)
{
    store->status = NQ_OK;
    if (store->lost)
        sqlite_disconnect(store);
    if (!store->db)
        sqlite_connect(store);
}

/* Ends a call. For a store that was open, a file that is now locked or not ours is broken. */
static enum nq_status leave(struct sqlite_store *store)
{
    return store->status == NQ_BUSY || store->status == NQ_INVALID ? NQ_BROKEN : store->status;
}

static sqlite3_stmt *bind_text(struct sqlite_store *store, enum store_kind kind, enum verb verb, const char *text)
{
    sqlite3_stmt *statement = store->statements[kind][verb];
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_bind_text64(statement, 1, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8));
    return statement;
}

/* From the prefix up to the least text that is greater than all that begin so: its last byte raised by one. Bytes that
 * cannot be are cut off first; where nothing is left the end is a blob, which comes after every text. */
static sqlite3_stmt *bind_prefix(struct sqlite_store *store, enum store_kind kind, enum verb verb, const char *prefix)
{
    sqlite3_stmt *statement = bind_text(store, kind, verb, prefix);
    size_t size = strlen(prefix);
    while (size && (unsigned char)prefix[size - 1] == 0xff)
        size--;
    char *end = size ? sqlite3_mprintf("%.*s", (int)size, prefix) : NULL;
    if (end)
        end[size - 1]++;
    if (store->status != NQ_OK)
        sqlite3_free(end);
    else if (!size)
        sqlite_judge(store, sqlite3_bind_zeroblob(statement, 2, 0));
    else
        sqlite_judge(store,
                     end ? sqlite3_bind_text64(statement, 2, end, size, sqlite3_free, SQLITE_UTF8) : SQLITE_NOMEM);
    return statement;
}

/* The bytes in a column of a row; never NULL unless there was no memory for them. */
static const void *column(struct sqlite_store *store, sqlite3_stmt *statement, int at, size_t *size)
{
    const void *data = sqlite3_column_blob(statement, at);
    *size = (size_t)sqlite3_column_bytes(statement, at);
    if (!data && sqlite3_errcode(store->db) == SQLITE_NOMEM)
        store->status = NQ_NOMEM;
    return data || store->status != NQ_OK ? data : "";
}

/* A page that was damaged in a place that means nothing to SQLite would give a wrong number. */
static int64_t sum_of(const char *key, const void *value, size_t size)
{
    return (int64_t)hash_bytes(hash_text(HASH_START, key), value, size);
}

/* Whether a fact is what was put, by the sum in a column of its row. */
static bool is_sound(struct sqlite_store *store, sqlite3_stmt *statement, int at, const char *key, const void *value,
                     size_t size)
{
    const bool sound = sqlite3_column_type(statement, at) == SQLITE_NULL ||
                       sqlite3_column_int64(statement, at) == sum_of(key, value, size);
    store->damaged += !sound;
    return sound;
}

static void put_one(struct sqlite_store *store, const struct store_fact *fact)
{
    (void)sqlite_run(store, bind_text(store, fact->kind, DELETE, fact->key));
    if (store->status == NQ_OK)
        store->pending.facts -= (uint64_t)sqlite3_changes(store->db);
    if (!fact->value)
        return;
    sqlite3_stmt *statement = bind_text(store, fact->kind, INSERT, fact->key);
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_bind_blob64(statement, 2, fact->value, fact->size, SQLITE_STATIC));
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_bind_int64(statement, 3, sum_of(fact->key, fact->value, fact->size)));
    (void)sqlite_run(store, statement);
    store->pending.facts++;
}

/* Tries with the room that is free, then deletes more and more of what may be deleted. */
static enum nq_status sqlite_put(void *self, const struct store_fact *facts, size_t count)
{
    struct sqlite_store *store = self;
    uint64_t pages = 8;
    for (size_t i = 0; i < count; i++)
        pages += facts[i].size / SQLITE_PAGE;
    if (pages > (uint64_t)store->most)
        return NQ_LIMIT;
    const int64_t spare = store->most / 64 < ROOM_MOST ? store->most / 64 : ROOM_MOST;
    int64_t room = 0;
    for (bool more = true; more && room < 2 * store->most; room = room ? 2 * room : (int64_t)pages + spare) {
        enter(store);
        sqlite_begin(store);
        more = sqlite_make_room(store, room);
        const int64_t before = sqlite_used_pages(store);
        for (size_t i = 0; i < count && store->status == NQ_OK; i++)
            put_one(store, &facts[i]);
        const int64_t used = sqlite_used_pages(store);
        if (store->status == NQ_OK && used > store->most && used > before)
            store->status = NQ_LIMIT;
        sqlite_finish(store);
        if (store->status != NQ_LIMIT)
            break;
    }
    return leave(store);
}

static enum nq_status sqlite_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct sqlite_store *store = self;
    enter(store);
    sqlite3_stmt *statement = bind_text(store, kind, SELECT, key);
    const int code = store->status == NQ_OK ? sqlite3_step(statement) : SQLITE_OK;
    sqlite_judge(store, code);
    if (code == SQLITE_ROW) {
        size_t size;
        const void *data = column(store, statement, 0, &size);
        if (data && !is_sound(store, statement, 1, key, data, size))
            store->status = NQ_NONE;
        else if (data)
            bytes_add(value, data, size);
        if (value->failed)
            store->status = NQ_NOMEM;
    } else if (store->status == NQ_OK)
        store->status = NQ_NONE;
    (void)sqlite3_reset(statement);
    return leave(store);
}

static enum nq_status sqlite_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit,
                                  void *context)
{
    struct sqlite_store *store = self;
    enter(store);
    sqlite3_stmt *statement = bind_prefix(store, kind, RANGE, prefix);
    int code = SQLITE_DONE;
    while (store->status == NQ_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        size_t size;
        const char *key = (const char *)sqlite3_column_text(statement, 0);
        const void *value = column(store, statement, 1, &size);
        if (!key)
            store->status = NQ_NOMEM;
        else if (value && is_sound(store, statement, 2, key, value, size) && !visit(context, key, value, size))
            break;
    }
    sqlite_judge(store, code);
    (void)sqlite3_reset(statement);
    return leave(store);
}

static enum nq_status sqlite_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    struct sqlite_store *store = self;
    enter(store);
    sqlite_begin(store);
    (void)sqlite_run(store, bind_prefix(store, kind, DELETE_RANGE, prefix));
    if (store->status == NQ_OK)
        store->pending.facts -= (uint64_t)sqlite3_changes(store->db);
    sqlite_finish(store);
    return leave(store);
}

static struct store_stats sqlite_stats(const void *self)
{
    const struct sqlite_store *store = self;
    struct store_stats stats = store->stats;
    stats.damaged = store->damaged;
    return stats;
}

static const char *sqlite_trouble(const void *self)
{
    const struct sqlite_store *store = self;
    return store->trouble;
}

const struct store_class store_sqlite = {
    .name = "sqlite",
    .where = "PATH",
    .open = sqlite_open,
    .put = sqlite_put,
    .get = sqlite_get,
    .each = sqlite_each,
    .delete_prefix = sqlite_delete_prefix,
    .stats = sqlite_stats,
    .trouble = sqlite_trouble,
    .close = sqlite_close,
};
