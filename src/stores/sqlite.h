/* sqlite.h - statements and transactions on the SQLite file of a store. */
#ifndef STORES_SQLITE_H
#define STORES_SQLITE_H

#include <sqlite3.h>

#include "stores/store.h"

enum {
    SQLITE_PAGE = 4096,
    SQLITE_LOG_PAGES = 512, /* the log is written back into the file when it is so long, 2 MB */
};

/* One table for each kind: the oldest facts of a kind lie together, and free whole pages when they are given up. */
extern const char *const sqlite_tables[STORE_KINDS];

enum verb { INSERT, DELETE, SELECT, RANGE, DELETE_RANGE, DELETE_OLDEST, VERBS };

struct sqlite_store {
    char *path;
    sqlite3 *db;           /* NULL: to be opened before it is used */
    bool lost;             /* it failed in a way that opening the file anew may cure */
    enum nq_status status; /* of the call under way. Failure sticks: what needs the file does nothing then */
    int64_t most;          /* pages that facts may take; the file has SPARE more */
    int log_pages;
    struct store_stats stats, pending; /* as committed, and in the transaction */
    uint64_t damaged;
    sqlite3_stmt *page_count, *freelist_count, *statements[STORE_KINDS][VERBS];
    char trouble[STORE_ERROR_MAX];
};

/* Ends the call under way with a status and a sentence. */
__attribute__((format(printf, 3, 4))) void sqlite_refuse(struct sqlite_store *store, enum nq_status status,
                                                         const char *format, ...);

/* Turns a result code of SQLite into the status of the call. */
void sqlite_judge(struct sqlite_store *store, int code);

/* Where no limit of ours can have been reached: NQ_LIMIT was the disk's, and becomes NQ_BROKEN. */
void sqlite_blame_disk(struct sqlite_store *store);

/* Executes statements, formatted as by sqlite3_mprintf. */
void sqlite_execute(struct sqlite_store *store, const char *format, ...);

/* Runs a statement and returns its number; 0 if it has none. */
int64_t sqlite_run(struct sqlite_store *store, sqlite3_stmt *statement);
/* The same with the text of one, in which %s is a table. */
int64_t sqlite_ask(struct sqlite_store *store, const char *format, const char *table);

/* Prepares every statement of the store, and reads the number of its facts. */
void sqlite_prepare(struct sqlite_store *store);

/* A hook for sqlite3_wal_hook: called after each commit, in the thread that commits. Writes the log back when it is
 * long; a failure shows in log_pages, not in the commit. */
int sqlite_committed(void *store, sqlite3 *db, const char *name, int pages);

/* Transactions. sqlite_finish() commits if the status is NQ_OK; otherwise, or if that fails, nothing is changed. */
void sqlite_begin(struct sqlite_store *store);
void sqlite_finish(struct sqlite_store *store);

int64_t sqlite_used_pages(struct sqlite_store *store);

/* Gives up the oldest facts until so many pages are free; false if there are no more to give up. */
bool sqlite_make_room(struct sqlite_store *store, int64_t pages);

#endif
