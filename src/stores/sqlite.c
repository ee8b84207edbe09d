/* sqlite.c - statements and transactions, and what the results of SQLite mean. It does not open files.
 */
#include "stores/sqlite.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* While the log cannot be written back, nothing is put beyond this. */
enum { LOG_MOST = 4 * SQLITE_LOG_PAGES };

const char *const sqlite_tables[STORE_KINDS] = {[STORE_RESULT] = "result", [STORE_UNIT] = "unit", [STORE_JOB] = "job"};

static const char *const verbs[VERBS] = {
    [INSERT] = "INSERT INTO %s (key, value, sum) VALUES (?1, ?2, ?3)",
    [DELETE] = "DELETE FROM %s WHERE key = ?1",
    [SELECT] = "SELECT value, sum FROM %s WHERE key = ?1",
    [RANGE] = "SELECT key, value, sum FROM %s WHERE key >= ?1 AND key < ?2 ORDER BY key",
    [DELETE_RANGE] = "DELETE FROM %s WHERE key >= ?1 AND key < ?2",
    [DELETE_OLDEST] = "DELETE FROM %s WHERE id = (SELECT min(id) FROM %s)",
};

void sqlite_refuse(struct sqlite_store *store, enum nq_status status, const char *format, ...)
{
    assert(status != NQ_OK);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(store->trouble, sizeof store->trouble, format, args);
    va_end(args);
    store->status = status;
}

void sqlite_judge(struct sqlite_store *store, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    if (code != SQLITE_FULL && code != SQLITE_TOOBIG && code != SQLITE_NOMEM)
        store->lost = true;
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG: store->status = NQ_LIMIT; break;
    case SQLITE_NOMEM: store->status = NQ_NOMEM; break;
    case SQLITE_BUSY: sqlite_refuse(store, NQ_BUSY, "another process has this store: %s", store->path); break;
    case SQLITE_NOTADB: sqlite_refuse(store, NQ_INVALID, "this file is not a store: %s", store->path); break;
    default: sqlite_refuse(store, NQ_BROKEN, "%s: %s", sqlite3_errmsg(store->db), store->path); break;
    }
}

void sqlite_blame_disk(struct sqlite_store *store)
{
    if (store->status == NQ_LIMIT)
        sqlite_refuse(store, NQ_BROKEN, "the disk is full: %s", store->path);
}

void sqlite_execute(struct sqlite_store *store, const char *format, ...)
{
    if (store->status != NQ_OK)
        return;
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    sqlite_judge(store, sql ? sqlite3_exec(store->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM);
    sqlite3_free(sql);
}

static sqlite3_stmt *prepare(struct sqlite_store *store, const char *format, const char *table)
{
    sqlite3_stmt *statement = NULL;
    char sql[128];
    (void)snprintf(sql, sizeof sql, format, table, table);
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

int64_t sqlite_run(struct sqlite_store *store, sqlite3_stmt *statement)
{
    int64_t number = 0;
    if (store->status == NQ_OK) {
        const int code = sqlite3_step(statement);
        sqlite_judge(store, code);
        number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    }
    (void)sqlite3_reset(statement); /* fails as the step did */
    return number;
}

int64_t sqlite_ask(struct sqlite_store *store, const char *format, const char *table)
{
    sqlite3_stmt *statement = prepare(store, format, table);
    const int64_t number = sqlite_run(store, statement);
    (void)sqlite3_finalize(statement);
    return number;
}

/* ---- Transactions ------------------------------------------------------------------------------------------------ */

int sqlite_committed(void *self, sqlite3 *db, const char *name, int pages)
{
    struct sqlite_store *store = self;
    store->log_pages = pages;
    if (pages >= SQLITE_LOG_PAGES &&
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK)
        store->log_pages = 0;
    return SQLITE_OK;
}

void sqlite_begin(struct sqlite_store *store)
{
    if (store->status == NQ_OK && store->log_pages > LOG_MOST) {
        sqlite_judge(store, sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
        if (store->status == NQ_OK)
            store->log_pages = 0;
    }
    sqlite_execute(store, "BEGIN IMMEDIATE");
    store->pending = store->stats;
    sqlite_blame_disk(store);
}

int64_t sqlite_used_pages(struct sqlite_store *store)
{
    const int64_t pages = sqlite_run(store, store->page_count);
    return pages - sqlite_run(store, store->freelist_count);
}

void sqlite_finish(struct sqlite_store *store)
{
    store->pending.bytes = (uint64_t)sqlite_used_pages(store) * SQLITE_PAGE;
    if (store->status == NQ_OK) {
        sqlite_execute(store, "COMMIT");
        sqlite_blame_disk(store);
    }
    if (store->status == NQ_OK)
        store->stats = store->pending;
    else if (store->db && !sqlite3_get_autocommit(store->db) &&
             sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK)
        store->lost = true;
}

bool sqlite_make_room(struct sqlite_store *store, int64_t pages)
{
    int kind = STORE_RESULT;
    while (store->status == NQ_OK && store->most - sqlite_used_pages(store) < pages) {
        if (kind == STORE_JOB)
            return false;
        (void)sqlite_run(store, store->statements[kind][DELETE_OLDEST]);
        if (store->status == NQ_OK && sqlite3_changes(store->db) == 0) {
            kind++;
        } else {
            store->pending.facts--;
            store->pending.evicted++;
        }
    }
    return true;
}

void sqlite_prepare(struct sqlite_store *store)
{
    store->page_count = prepare(store, "PRAGMA page_count", NULL);
    store->freelist_count = prepare(store, "PRAGMA freelist_count", NULL);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        for (int verb = 0; verb < VERBS; verb++)
            store->statements[kind][verb] = prepare(store, verbs[verb], sqlite_tables[kind]);
    const uint64_t facts = (uint64_t)sqlite_ask(store, "SELECT sum(facts) FROM tally", NULL);
    if (store->status == NQ_OK)
        store->stats.facts = facts;
}
