/* sqlite_file.c - makes and opens the file of a store. */
#include "stores/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION = 0x4e516473, /* "NQds" in the file's header: the mark of our files */
    SCHEMA = 2,               /* raised whenever an older release could not read the file any more */
};

/* Makes the file, readable only by its owner, unless it exists. */
static void make_file(struct sqlite_store *store)
{
    for (char *slash = strchr(store->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(store->path, 0700); /* open() reports what is missing */
        *slash = '/';
    }
    const int file = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
        sqlite_refuse(store, NQ_BROKEN, "this file cannot be made: %s: %s", strerrordesc_np(errno), store->path);
    if (file >= 0)
        close(file);
}

/* The schema of the file, 0 for an empty one. A file that is not ours is refused, and not changed. */
static int64_t read_schema(struct sqlite_store *store)
{
    const int64_t application = sqlite_ask(store, "PRAGMA application_id", NULL);
    const int64_t schema = sqlite_ask(store, "PRAGMA user_version", NULL);
    const int64_t things = sqlite_ask(store, "SELECT count(*) FROM sqlite_master", NULL);
    const bool fresh = application == 0 && schema == 0 && things == 0;
    if (store->status != NQ_OK)
        return 0;
    if (!fresh && application != APPLICATION)
        sqlite_refuse(store, NQ_INVALID, "this file belongs to another program: %s", store->path);
    else if (schema > SCHEMA)
        sqlite_refuse(store, NQ_INVALID, "a newer release of nqueensd has written this file: %s", store->path);
    return schema;
}

/* In one transaction: a file is either empty or complete. */
static void create(struct sqlite_store *store)
{
    sqlite_begin(store);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        sqlite_execute(
            store,
            "CREATE TABLE %s (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL, sum INTEGER)",
            sqlite_tables[kind]);
    sqlite_execute(store, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION, SCHEMA);
}

/* From the first schema, which had no sums: its facts have none. */
static void upgrade(struct sqlite_store *store)
{
    sqlite_begin(store);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        sqlite_execute(store, "ALTER TABLE %s ADD COLUMN sum INTEGER", sqlite_tables[kind]);
    sqlite_execute(store, "PRAGMA user_version = %d; COMMIT", SCHEMA);
}

/* The number of facts of each kind, so that no start has to count them. Triggers keep it right, also when an older
 * release writes, which does not know it. A file of such a release is counted, once. */
static void begin_tally(struct sqlite_store *store)
{
    if (store->status != NQ_OK || sqlite_ask(store, "SELECT count(*) FROM sqlite_master WHERE name = 'tally'", NULL))
        return;
    sqlite_begin(store);
    sqlite_execute(store, "CREATE TABLE tally (kind INTEGER PRIMARY KEY, facts INTEGER)");
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        const char *table = sqlite_tables[kind];
        sqlite_execute(store, "INSERT INTO tally SELECT %d, count(*) FROM %s", kind, table);
        sqlite_execute(store,
                       "CREATE TRIGGER %s_put AFTER INSERT ON %s BEGIN"
                       " UPDATE tally SET facts = facts + 1 WHERE kind = %d; END;"
                       "CREATE TRIGGER %s_deleted AFTER DELETE ON %s BEGIN"
                       " UPDATE tally SET facts = facts - 1 WHERE kind = %d; END",
                       table, table, kind, table, table, kind);
    }
    sqlite_execute(store, "COMMIT");
}

/* Shrinks a file that had a larger capacity before. Jobs stay all the same. */
static void confine(struct sqlite_store *store)
{
    sqlite_begin(store);
    (void)sqlite_make_room(store, 0);
    const bool large = sqlite_run(store, store->page_count) > store->most + SQLITE_SPARE;
    if (large)
        sqlite_execute(store, "PRAGMA incremental_vacuum");
    sqlite_finish(store);
    if (large)
        sqlite_execute(store, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite_execute(store, "PRAGMA max_page_count = %lld", (long long)store->most + SQLITE_SPARE);
}

void sqlite_disconnect(struct sqlite_store *store)
{
    for (sqlite3_stmt *at; store->db && (at = sqlite3_next_stmt(store->db, NULL));)
        (void)sqlite3_finalize(at);
    (void)sqlite3_close(store->db);
    store->db = NULL;
    store->page_count = store->freelist_count = NULL;
    memset(store->statements, 0, sizeof store->statements);
    store->lost = false;
    store->log_pages = 0;
}

/* Exclusive: the lock on the file lasts until it is closed or the process ends, however it ends; and the log needs no
 * shared memory beside it.
 * Synchronous NORMAL: what is committed is with the kernel, so a kill loses nothing. A power failure may lose the last
 * commits, never one before another, and what they held can be found out again; FULL waits for the disk at every put.
 * No spilling: a transaction writes when it is committed and not before, so SQLITE_FULL before the commit means our
 * limit, and at the commit the disk's. */
void sqlite_connect(struct sqlite_store *store)
{
    make_file(store);
    if (store->status != NQ_OK)
        return;
    sqlite_judge(store, sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    if (store->status == NQ_OK && sqlite3_db_readonly(store->db, "main") == 1)
        sqlite_refuse(store, NQ_BROKEN, "this file may only be read: %s", store->path);
    sqlite_execute(store, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF;"
                          "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
    const int64_t schema = read_schema(store);
    if (!schema) /* in a file with something in it even these would write */
        sqlite_execute(store, "PRAGMA page_size = %d; PRAGMA auto_vacuum = INCREMENTAL", SQLITE_PAGE);
    sqlite_execute(store, "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = %d", SQLITE_LOG_PAGES * SQLITE_PAGE);
    if (store->status == NQ_OK)
        (void)sqlite3_wal_hook(store->db, sqlite_committed, store);
    if (!schema)
        create(store);
    else if (schema < SCHEMA)
        upgrade(store);
    begin_tally(store);
    sqlite_prepare(store);
    confine(store);
    sqlite_blame_disk(store);
    if (store->status != NQ_OK)
        sqlite_disconnect(store);
}
