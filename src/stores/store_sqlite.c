/* store_sqlite.c - a store in one SQLite file, which one process has at a time; and the same in memory. It knows no
 * threads: its caller makes one call at a time. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "stores/store.h"

/* ---- Statements and transactions ---- */

/* Statements and transactions on the SQLite file of a store. */

enum {
    SQLITE_HEAD = 100, /* bytes at the beginning that describe the file */
    SQLITE_PAGE = 4096,
    SQLITE_LOG_PAGES = 512, /* the log is written back into the file when it is so long, 2 MB */
};

enum verb { INSERT, DELETE, SELECT, RANGE, DELETE_RANGE, DELETE_OLDEST, VERBS };

struct sqlite_store {
    char *path;
    bool fleeting;         /* the path names no file, but memory: it is never opened anew */
    sqlite3 *db;           /* NULL: to be opened before it is used */
    bool lost;             /* it failed in a way that opening the file anew may cure */
    enum nq_status status; /* of the call under way. Failure sticks: what needs the file does nothing then */
    int64_t most;          /* pages that facts may take; the file has SPARE more */
    int log_pages;
    struct store_stats stats, pending; /* as committed, and in the transaction */
    uint64_t damaged;
    sqlite3_stmt *page_count, *freelist_count, *facts, *statements[STORE_KINDS][VERBS];
    char trouble[STORE_ERROR_MAX];
};

/* While the log cannot be written back, nothing is put beyond this. */
enum { LOG_MOST = 4 * SQLITE_LOG_PAGES };

/* One table for each kind: the oldest facts of a kind lie together, and free whole pages when they are given up. */
static const char *const sqlite_tables[STORE_KINDS] = {
    [STORE_RESULT] = "result", [STORE_UNIT] = "unit", [STORE_JOB] = "job"};

static const char *const verbs[VERBS] = {
    [INSERT] = "INSERT INTO %s (key, value, sum) VALUES (?1, ?2, ?3)",
    [DELETE] = "DELETE FROM %s WHERE key = ?1",
    [SELECT] = "SELECT value, sum FROM %s WHERE key = ?1",
    [RANGE] = "SELECT key, value, sum FROM %s WHERE key >= ?1 AND key < ?2 ORDER BY key",
    [DELETE_RANGE] = "DELETE FROM %s WHERE key >= ?1 AND key < ?2",
    [DELETE_OLDEST] = "DELETE FROM %s WHERE id = (SELECT min(id) FROM %s)",
};

/* Ends the call under way with a status and a sentence. */
__attribute__((format(printf, 3, 4))) static void sqlite_refuse(struct sqlite_store *store, enum nq_status status,
                                                                const char *format, ...)
{
    assert(status != NQ_OK);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(store->trouble, sizeof store->trouble, format, args);
    va_end(args);
    store->status = status;
}

/* Whether the second page is as in every store, and hardly in any other file: SQLite lists there what the pages after
 * it are, and the first ones are the roots of a table and its index for each kind. */
static bool has_second_page(const char *path)
{
    enum { ENTRY = 5, ROOT = 1 }; /* a byte and the number of a parent, 0 */
    static const unsigned char root[ENTRY] = {ROOT};
    unsigned char page[2 * STORE_KINDS * ENTRY];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool same = file >= 0 && pread(file, page, sizeof page, SQLITE_PAGE) == sizeof page;
    for (size_t at = 0; same && at < sizeof page; at += ENTRY)
        same = memcmp(page + at, root, ENTRY) == 0;
    if (file >= 0)
        close(file);
    return same;
}

/* Whether the file has only some of the first bytes of every store. */
static bool is_cut(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its zero byte; the rest of the head differs */
    char head[SQLITE_HEAD];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t size = file >= 0 ? pread(file, head, sizeof head, 0) : 0;
    if (file >= 0)
        close(file);
    return size > 0 && size < (ssize_t)sizeof head &&
           memcmp(head, magic, (size_t)size < sizeof magic ? (size_t)size : sizeof magic) == 0;
}

/* Gives a damaged file another name, with what SQLite keeps beside it, so that it can be repaired and a new store can
 * begin. False: its folder does not permit that, or a hundred are there already. */
static bool keep_aside(const char *path, char name[static PATH_MAX])
{
    enum { MOST = 100 };
    static const char *const beside[] = {"-wal", "-shm"};
    for (unsigned i = 1; i <= MOST; i++) {
        char from[PATH_MAX + 8], to[PATH_MAX + 8];
        const int size = snprintf(name, PATH_MAX, "%s.damaged-%u", path, i);
        if (size < 0 || size >= PATH_MAX)
            return false;
        if (renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) != 0) {
            if (errno == EEXIST)
                continue;
            return false;
        }
        for (size_t k = 0; k < sizeof beside / sizeof beside[0]; k++) {
            (void)snprintf(from, sizeof from, "%s%s", path, beside[k]);
            (void)snprintf(to, sizeof to, "%s%s", name, beside[k]);
            (void)rename(from, to); /* there may be none */
        }
        return true;
    }
    return false;
}

/* A file that does not begin as one of SQLite: a store whose first page is damaged, or another program's. */
static void refuse_file(struct sqlite_store *store)
{
    char name[PATH_MAX];
    if (!has_second_page(store->path) && !is_cut(store->path))
        sqlite_refuse(store, NQ_INVALID, "this file is not a store: %s", store->path);
    else if (keep_aside(store->path, name))
        sqlite_refuse(store, NQ_BROKEN,
                      "the first page of this store was damaged; it is kept as %s, and the next start begins a new one",
                      name);
    else
        sqlite_refuse(store, NQ_BROKEN, "the first page of this store is damaged: %s", store->path);
}

/* Turns a result code of SQLite into the status of the call. */
static void sqlite_judge(struct sqlite_store *store, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    if (code != SQLITE_FULL && code != SQLITE_TOOBIG && code != SQLITE_NOMEM)
        store->lost = !store->fleeting;
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG: store->status = NQ_LIMIT; break;
    case SQLITE_NOMEM: store->status = NQ_NOMEM; break;
    case SQLITE_BUSY: sqlite_refuse(store, NQ_BUSY, "another process has this store: %s", store->path); break;
    case SQLITE_NOTADB: refuse_file(store); break;
    default: sqlite_refuse(store, NQ_BROKEN, "%s: %s", sqlite3_errmsg(store->db), store->path); break;
    }
}

/* Where no limit of ours can have been reached: NQ_LIMIT was the disk's, and becomes NQ_BROKEN. */
static void sqlite_blame_disk(struct sqlite_store *store)
{
    if (store->status == NQ_LIMIT)
        sqlite_refuse(store, NQ_BROKEN, "the disk is full: %s", store->path);
}

/* Executes statements, formatted as by sqlite3_mprintf. */
static void sqlite_execute(struct sqlite_store *store, const char *format, ...)
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

/* Runs a statement and returns its number; 0 if it has none. */
static int64_t sqlite_run(struct sqlite_store *store, sqlite3_stmt *statement)
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

static int64_t sqlite_ask(struct sqlite_store *store, const char *format, const char *table)
{
    sqlite3_stmt *statement = prepare(store, format, table);
    const int64_t number = sqlite_run(store, statement);
    (void)sqlite3_finalize(statement);
    return number;
}

/* ---- Transactions ------------------------------------------------------------------------------------------------ */

/* A hook for sqlite3_wal_hook: called after each commit, in the thread that commits. Writes the log back when it is
 * long; a failure shows in log_pages, not in the commit. */
static int sqlite_committed(void *self, sqlite3 *db, const char *name, int pages)
{
    struct sqlite_store *store = self;
    store->log_pages = pages;
    if (pages >= SQLITE_LOG_PAGES &&
        sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK)
        store->log_pages = 0;
    return SQLITE_OK;
}

/* Transactions. sqlite_finish() commits if the status is NQ_OK; otherwise, or if that fails, nothing is changed. */
static void sqlite_begin(struct sqlite_store *store)
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

static int64_t sqlite_used_pages(struct sqlite_store *store)
{
    const int64_t pages = sqlite_run(store, store->page_count);
    return pages - sqlite_run(store, store->freelist_count);
}

static void sqlite_finish(struct sqlite_store *store)
{
    store->pending.bytes = (uint64_t)sqlite_used_pages(store) * SQLITE_PAGE;
    store->pending.facts = (uint64_t)sqlite_run(store, store->facts);
    if (store->status == NQ_OK) {
        sqlite_execute(store, "COMMIT");
        sqlite_blame_disk(store);
    }
    if (store->status == NQ_OK)
        store->stats = store->pending;
    else if (store->db && !sqlite3_get_autocommit(store->db) &&
             sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK)
        store->lost = !store->fleeting;
}

/* Gives up the oldest facts until so many pages are free; false if there are no more to give up. */
static bool sqlite_make_room(struct sqlite_store *store, int64_t pages)
{
    int kind = STORE_RESULT;
    while (store->status == NQ_OK && store->most - sqlite_used_pages(store) < pages) {
        if (kind == STORE_JOB)
            return false;
        (void)sqlite_run(store, store->statements[kind][DELETE_OLDEST]);
        if (store->status == NQ_OK && sqlite3_changes(store->db) == 0)
            kind++;
        else
            store->pending.evicted++;
    }
    return true;
}

/* Prepares every statement of the store. */
static void sqlite_prepare(struct sqlite_store *store)
{
    store->page_count = prepare(store, "PRAGMA page_count", NULL);
    store->freelist_count = prepare(store, "PRAGMA freelist_count", NULL);
    store->facts = prepare(store, "SELECT sum(facts) FROM tally", NULL);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        for (int verb = 0; verb < VERBS; verb++)
            store->statements[kind][verb] = prepare(store, verbs[verb], sqlite_tables[kind]);
}

/* ---- The file ---- */

/* The file of a store in SQLite: made, recognised, brought to the present schema and to its size. */

/* Pages: the smallest store (an empty one has 8), and those that facts leave alone: to take one out may need some for a
 * moment. */
enum { SQLITE_SMALLEST = 32, SQLITE_SPARE = 8 };

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

/* Closes the file; what is not open is skipped. */
static void sqlite_disconnect(struct sqlite_store *store)
{
    for (sqlite3_stmt *at; store->db && (at = sqlite3_next_stmt(store->db, NULL));)
        (void)sqlite3_finalize(at);
    (void)sqlite3_close(store->db);
    store->db = NULL;
    store->page_count = store->freelist_count = store->facts = NULL;
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
static void sqlite_connect(struct sqlite_store *store)
{
    if (!store->fleeting)
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

/* ---- The store ---- */

/* Pages made free beforehand, so that a full store need not do so at every put. */
enum { ROOM_MOST = 64 };

static void sqlite_close(void *self)
{
    struct sqlite_store *store = self;
    sqlite_disconnect(store);
    free(store->path);
    free(store);
}

/* A file that can be written, or a folder in which it can be made. Its content is not looked at. */
static enum nq_status sqlite_check_settings(const char *where, const struct store_options *options,
                                            char error[static STORE_ERROR_MAX])
{
    struct stat info;
    if (options->capacity / SQLITE_PAGE < SQLITE_SMALLEST) {
        (void)snprintf(error, STORE_ERROR_MAX, "a store in a file needs %d bytes or more",
                       SQLITE_SMALLEST * SQLITE_PAGE);
        return NQ_INVALID;
    }
    char *path = strdup(where), *slash;
    if (!path) {
        (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
        return NQ_NOMEM;
    }
    const bool there = stat(path, &info) == 0;
    bool sound = there && S_ISREG(info.st_mode) && access(path, R_OK | W_OK) == 0;
    while (!there && stat(path, &info) != 0 && (slash = strrchr(path, '/')) && slash > path)
        *slash = '\0';
    if (!there) /* path: the nearest folder that exists, or a name in this one */
        sound = access(stat(path, &info) == 0 ? path
                       : *where == '/'        ? "/"
                                              : ".",
                       W_OK | X_OK) == 0 &&
                (stat(path, &info) != 0 || S_ISDIR(info.st_mode));
    free(path);
    if (!sound)
        (void)snprintf(error, STORE_ERROR_MAX, "this file cannot be %s: %.300s", there ? "read and written" : "made",
                       where);
    return sound ? NQ_OK : NQ_INVALID;
}

static enum nq_status open_at(const char *where, bool fleeting, const struct store_options *options, void **self,
                              char error[static STORE_ERROR_MAX])
{
    const uint64_t capacity = options->capacity;
    struct sqlite_store *store = calloc(1, sizeof *store);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!store)
        return NQ_NOMEM;
    store->fleeting = fleeting;
    store->most = (capacity / SQLITE_PAGE > INT32_MAX ? INT32_MAX : (int64_t)(capacity / SQLITE_PAGE)) - SQLITE_SPARE;
    if (capacity / SQLITE_PAGE < SQLITE_SMALLEST)
        sqlite_refuse(store, NQ_INVALID, "a store in a file needs %d bytes or more", SQLITE_SMALLEST * SQLITE_PAGE);
    /* A relative path goes on from ".", so that SQLite takes none for one of its special names. */
    else if (asprintf(&store->path, "%s%s", fleeting || where[0] == '/' ? "" : "./", where) < 0)
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

static enum nq_status sqlite_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    return open_at(where, false, options, self, error);
}

static enum nq_status memory_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    (void)where;
    return open_at(":memory:", true, options, self, error);
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
    if (!fact->value)
        return;
    sqlite3_stmt *statement = bind_text(store, fact->kind, INSERT, fact->key);
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_bind_blob64(statement, 2, fact->value, fact->size, SQLITE_STATIC));
    if (store->status == NQ_OK)
        sqlite_judge(store, sqlite3_bind_int64(statement, 3, sum_of(fact->key, fact->value, fact->size)));
    (void)sqlite_run(store, statement);
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
    .check_settings = sqlite_check_settings,
    .put = sqlite_put,
    .get = sqlite_get,
    .each = sqlite_each,
    .delete_prefix = sqlite_delete_prefix,
    .stats = sqlite_stats,
    .trouble = sqlite_trouble,
    .close = sqlite_close,
};

const struct store_class store_memory = {
    .name = "memory",
    .fleeting = true,
    .open = memory_open,
    .put = sqlite_put,
    .get = sqlite_get,
    .each = sqlite_each,
    .delete_prefix = sqlite_delete_prefix,
    .stats = sqlite_stats,
    .trouble = sqlite_trouble,
    .close = sqlite_close,
};
