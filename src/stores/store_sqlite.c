/* store_sqlite.c - a store in one SQLite file, which one process has at a time. It knows no threads: whoever calls sees
 * to it that one call ends before the next. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "stores/store.h"

enum {
    APPLICATION = 0x4e516473, /* "NQds" in the file's header: the mark of our files */
    SCHEMA = 2,               /* raised whenever an older release could not read the file any more */
    PAGE = 4096,
    SMALLEST = 32,            /* pages; an empty store has 8 */
    SPARE = 8,                /* pages that facts leave alone: taking one out can need some for a moment */
    LOG_PAGES = 512,          /* the log is written back into the file when it is so long, 2 MB */
    LOG_MOST = 4 * LOG_PAGES, /* while that cannot be done, nothing is put beyond this */
    ROOM_MOST = 64,           /* pages made free beforehand, so that a full store need not do so at every put */
};

/* One table for each kind: the oldest facts of a kind lie together, and give whole pages back. */
static const char *const tables[STORE_KINDS] = {[STORE_RESULT] = "result", [STORE_UNIT] = "unit", [STORE_JOB] = "job"};

enum verb { INSERT, DELETE, SELECT, RANGE, DELETE_RANGE, DELETE_OLDEST, VERBS };
static const char *const verbs[VERBS] = {
    [INSERT] = "INSERT INTO %s (key, value, sum) VALUES (?1, ?2, ?3)",
    [DELETE] = "DELETE FROM %s WHERE key = ?1",
    [SELECT] = "SELECT value, sum FROM %s WHERE key = ?1",
    [RANGE] = "SELECT key, value, sum FROM %s WHERE key >= ?1 AND key < ?2 ORDER BY key",
    [DELETE_RANGE] = "DELETE FROM %s WHERE key >= ?1 AND key < ?2",
    [DELETE_OLDEST] = "DELETE FROM %s WHERE id = (SELECT min(id) FROM %s)",
};

struct keeper {
    char *path;
    sqlite3 *db;           /* NULL: to be opened before it is used */
    bool lost;             /* it failed in a way that opening the file anew may cure */
    enum nq_status status; /* of the call under way. Failure sticks: what needs the file does nothing then */
    int64_t most;          /* pages that facts may take; the file has SPARE more */
    int log_pages;
    struct store_figures figures, pending; /* as committed, and in the transaction */
    uint64_t damaged;
    sqlite3_stmt *page_count, *freelist_count, *statements[STORE_KINDS][VERBS];
    char trouble[STORE_ERROR_MAX];
};

__attribute__((format(printf, 3, 4))) static void refuse(struct keeper *keeper, enum nq_status status,
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(keeper->trouble, sizeof keeper->trouble, format, args);
    va_end(args);
    keeper->status = status;
}

/* What a result of SQLite comes to. */
static void judge(struct keeper *keeper, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    if (code != SQLITE_FULL && code != SQLITE_TOOBIG && code != SQLITE_NOMEM)
        keeper->lost = true;
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_TOOBIG: keeper->status = NQ_LIMIT; break;
    case SQLITE_NOMEM: keeper->status = NQ_NOMEM; break;
    case SQLITE_BUSY: refuse(keeper, NQ_BUSY, "another process has this store: %s", keeper->path); break;
    case SQLITE_NOTADB: refuse(keeper, NQ_INVALID, "this file is not a store: %s", keeper->path); break;
    default: refuse(keeper, NQ_BROKEN, "%s: %s", sqlite3_errmsg(keeper->db), keeper->path); break;
    }
}

/* Where no limit of ours can have been met it was the disk's. */
static void blame_disk(struct keeper *keeper)
{
    if (keeper->status == NQ_LIMIT)
        refuse(keeper, NQ_BROKEN, "the disk is full: %s", keeper->path);
}

/* Formats as sqlite3_mprintf does. */
static void execute(struct keeper *keeper, const char *format, ...)
{
    if (keeper->status != NQ_OK)
        return;
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    judge(keeper, sql ? sqlite3_exec(keeper->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM);
    sqlite3_free(sql);
}

static sqlite3_stmt *prepare(struct keeper *keeper, const char *format, const char *table)
{
    sqlite3_stmt *statement = NULL;
    char sql[128];
    (void)snprintf(sql, sizeof sql, format, table, table);
    if (keeper->status == NQ_OK)
        judge(keeper, sqlite3_prepare_v3(keeper->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

/* Runs a statement; the number it comes to, 0 when to none. */
static int64_t run(struct keeper *keeper, sqlite3_stmt *statement)
{
    int64_t number = 0;
    if (keeper->status == NQ_OK) {
        const int code = sqlite3_step(statement);
        judge(keeper, code);
        number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    }
    (void)sqlite3_reset(statement); /* fails as the step did */
    return number;
}

static int64_t ask(struct keeper *keeper, const char *format, const char *table)
{
    sqlite3_stmt *statement = prepare(keeper, format, table);
    const int64_t number = run(keeper, statement);
    (void)sqlite3_finalize(statement);
    return number;
}

/* ---- Transactions ------------------------------------------------------------------------------------------------ */

/* Called after each commit. Writes the log back when it is long; a failure to shows in log_pages, not in the commit. */
static int committed(void *self, sqlite3 *db, const char *name, int pages)
{
    struct keeper *keeper = self;
    keeper->log_pages = pages;
    if (pages >= LOG_PAGES && sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK)
        keeper->log_pages = 0;
    return SQLITE_OK;
}

static void begin(struct keeper *keeper)
{
    if (keeper->status == NQ_OK && keeper->log_pages > LOG_MOST) {
        judge(keeper, sqlite3_wal_checkpoint_v2(keeper->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
        if (keeper->status == NQ_OK)
            keeper->log_pages = 0;
    }
    execute(keeper, "BEGIN IMMEDIATE");
    keeper->pending = keeper->figures;
    blame_disk(keeper);
}

static int64_t used_pages(struct keeper *keeper)
{
    const int64_t pages = run(keeper, keeper->page_count);
    return pages - run(keeper, keeper->freelist_count);
}

/* Commits when all went well so far; otherwise, or when that fails, everything is as it was. */
static void finish(struct keeper *keeper)
{
    keeper->pending.bytes = (uint64_t)used_pages(keeper) * PAGE;
    if (keeper->status == NQ_OK) {
        execute(keeper, "COMMIT");
        blame_disk(keeper);
    }
    if (keeper->status == NQ_OK)
        keeper->figures = keeper->pending;
    else if (keeper->db && !sqlite3_get_autocommit(keeper->db) &&
             sqlite3_exec(keeper->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK)
        keeper->lost = true;
}

/* Gives up facts until so many pages are free; false when there are no more to give up. */
static bool make_room(struct keeper *keeper, int64_t pages)
{
    int kind = STORE_RESULT;
    while (keeper->status == NQ_OK && keeper->most - used_pages(keeper) < pages) {
        if (kind == STORE_JOB)
            return false;
        (void)run(keeper, keeper->statements[kind][DELETE_OLDEST]);
        if (keeper->status == NQ_OK && sqlite3_changes(keeper->db) == 0) {
            kind++;
        } else {
            keeper->pending.facts--;
            keeper->pending.evicted++;
        }
    }
    return true;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Makes the file, for nobody else to read, unless it is there. */
static void make_file(struct keeper *keeper)
{
    for (char *slash = strchr(keeper->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(keeper->path, 0700); /* what is still missing shows below */
        *slash = '/';
    }
    const int file = open(keeper->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
        refuse(keeper, NQ_BROKEN, "this file cannot be made: %s: %s", strerrordesc_np(errno), keeper->path);
    if (file >= 0)
        close(file);
}

/* What there is in the file, 0 when nothing is. Any that is not ours is refused, and left alone. */
static int64_t read_schema(struct keeper *keeper)
{
    const int64_t application = ask(keeper, "PRAGMA application_id", NULL);
    const int64_t schema = ask(keeper, "PRAGMA user_version", NULL);
    const int64_t things = ask(keeper, "SELECT count(*) FROM sqlite_master", NULL);
    const bool fresh = application == 0 && schema == 0 && things == 0;
    if (keeper->status != NQ_OK)
        return 0;
    if (!fresh && application != APPLICATION)
        refuse(keeper, NQ_INVALID, "this file belongs to another program: %s", keeper->path);
    else if (schema > SCHEMA)
        refuse(keeper, NQ_INVALID, "a newer release of nqueensd has written this file: %s", keeper->path);
    return schema;
}

/* In one transaction: a file is either empty or complete. */
static void create(struct keeper *keeper)
{
    begin(keeper);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        execute(keeper,
                "CREATE TABLE %s (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL, sum INTEGER)",
                tables[kind]);
    execute(keeper, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION, SCHEMA);
}

/* From the first schema, which had no sums: what was there already goes without. */
static void upgrade(struct keeper *keeper)
{
    begin(keeper);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        execute(keeper, "ALTER TABLE %s ADD COLUMN sum INTEGER", tables[kind]);
    execute(keeper, "PRAGMA user_version = %d; COMMIT", SCHEMA);
}

static void prepare_all(struct keeper *keeper)
{
    keeper->page_count = prepare(keeper, "PRAGMA page_count", NULL);
    keeper->freelist_count = prepare(keeper, "PRAGMA freelist_count", NULL);
    uint64_t facts = 0;
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        for (int verb = 0; verb < VERBS; verb++)
            keeper->statements[kind][verb] = prepare(keeper, verbs[verb], tables[kind]);
        facts += (uint64_t)ask(keeper, "SELECT count(*) FROM %s", tables[kind]);
    }
    if (keeper->status == NQ_OK)
        keeper->figures.facts = facts;
}

/* Holds the file to its size; it may have had a larger one before. Jobs stay even so. */
static void confine(struct keeper *keeper)
{
    begin(keeper);
    (void)make_room(keeper, 0);
    const bool large = run(keeper, keeper->page_count) > keeper->most + SPARE;
    if (large)
        execute(keeper, "PRAGMA incremental_vacuum");
    finish(keeper);
    if (large)
        execute(keeper, "PRAGMA wal_checkpoint(TRUNCATE)");
    execute(keeper, "PRAGMA max_page_count = %lld", (long long)keeper->most + SPARE);
}

static void disconnect(struct keeper *keeper)
{
    for (sqlite3_stmt *at; keeper->db && (at = sqlite3_next_stmt(keeper->db, NULL));)
        (void)sqlite3_finalize(at);
    (void)sqlite3_close(keeper->db);
    keeper->db = NULL;
    keeper->page_count = keeper->freelist_count = NULL;
    memset(keeper->statements, 0, sizeof keeper->statements);
    keeper->lost = false;
    keeper->log_pages = 0;
}

/* Exclusive: the lock on the file lasts until it is closed or the process ends, however it ends; and the log needs no
 * shared memory beside it.
 * Synchronous NORMAL: what is committed is with the kernel, so a kill loses nothing. A power failure may lose the last
 * commits, never one before another, and what they held can be found out again; FULL waits for the disk at every put.
 * No spilling: a transaction writes when it is committed and not before, so SQLITE_FULL tells by itself which limit was
 * met: ours before that, the disk's then. */
static void connect(struct keeper *keeper)
{
    make_file(keeper);
    if (keeper->status != NQ_OK)
        return;
    judge(keeper, sqlite3_open_v2(keeper->path, &keeper->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    if (keeper->status == NQ_OK && sqlite3_db_readonly(keeper->db, "main") == 1)
        refuse(keeper, NQ_BROKEN, "this file may only be read: %s", keeper->path);
    execute(keeper, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF;"
                    "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
    const int64_t schema = read_schema(keeper);
    if (!schema) /* in a file with something in it even these would write */
        execute(keeper, "PRAGMA page_size = %d; PRAGMA auto_vacuum = INCREMENTAL", PAGE);
    execute(keeper, "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = %d", LOG_PAGES * PAGE);
    if (keeper->status == NQ_OK)
        (void)sqlite3_wal_hook(keeper->db, committed, keeper);
    if (!schema)
        create(keeper);
    else if (schema < SCHEMA)
        upgrade(keeper);
    prepare_all(keeper);
    confine(keeper);
    blame_disk(keeper);
    if (keeper->status != NQ_OK)
        disconnect(keeper);
}

static void sqlite_close(void *self)
{
    struct keeper *keeper = self;
    disconnect(keeper);
    free(keeper->path);
    free(keeper);
}

static enum nq_status sqlite_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    const uint64_t capacity = options->capacity;
    struct keeper *keeper = calloc(1, sizeof *keeper);
    (void)snprintf(error, STORE_ERROR_MAX, "out of memory");
    if (!keeper)
        return NQ_NOMEM;
    keeper->most = (capacity / PAGE > INT32_MAX ? INT32_MAX : (int64_t)(capacity / PAGE)) - SPARE;
    if (capacity / PAGE < SMALLEST)
        refuse(keeper, NQ_INVALID, "a store in a file needs %d bytes or more", SMALLEST * PAGE);
    /* A relative path goes on from ".", so that SQLite takes none for one of its special names. */
    else if (asprintf(&keeper->path, "%s%s", where[0] == '/' ? "" : "./", where) < 0)
        keeper->status = NQ_NOMEM;
    else
        connect(keeper);
    const enum nq_status status = keeper->status;
    if (status == NQ_OK) {
        *self = keeper;
        return NQ_OK;
    }
    if (keeper->trouble[0] && status != NQ_NOMEM)
        memcpy(error, keeper->trouble, sizeof keeper->trouble);
    sqlite_close(keeper);
    return status;
}

/* ---- Using ------------------------------------------------------------------------------------------------------- */

/* Begins a call: opens the file anew when it was lost. */
static void enter(struct keeper *keeper)
{
    keeper->status = NQ_OK;
    if (keeper->lost)
        disconnect(keeper);
    if (!keeper->db)
        connect(keeper);
}

/* What the call came to. A file that is locked or not ours any more is broken to whoever had it open. */
static enum nq_status leave(struct keeper *keeper)
{
    return keeper->status == NQ_BUSY || keeper->status == NQ_INVALID ? NQ_BROKEN : keeper->status;
}

static sqlite3_stmt *bind_text(struct keeper *keeper, enum store_kind kind, enum verb verb, const char *text)
{
    sqlite3_stmt *statement = keeper->statements[kind][verb];
    if (keeper->status == NQ_OK)
        judge(keeper, sqlite3_bind_text64(statement, 1, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8));
    return statement;
}

/* From the prefix up to the least text that is greater than all that begin so: its last byte raised by one. Bytes that
 * cannot be are cut off first; where nothing is left the end is a blob, which comes after every text. */
static sqlite3_stmt *bind_prefix(struct keeper *keeper, enum store_kind kind, enum verb verb, const char *prefix)
{
    sqlite3_stmt *statement = bind_text(keeper, kind, verb, prefix);
    size_t size = strlen(prefix);
    while (size && (unsigned char)prefix[size - 1] == 0xff)
        size--;
    char *end = size ? sqlite3_mprintf("%.*s", (int)size, prefix) : NULL;
    if (end)
        end[size - 1]++;
    if (keeper->status != NQ_OK)
        sqlite3_free(end);
    else if (!size)
        judge(keeper, sqlite3_bind_zeroblob(statement, 2, 0));
    else
        judge(keeper, end ? sqlite3_bind_text64(statement, 2, end, size, sqlite3_free, SQLITE_UTF8) : SQLITE_NOMEM);
    return statement;
}

/* The bytes in a column of a row; never NULL unless there was no memory for them. */
static const void *column(struct keeper *keeper, sqlite3_stmt *statement, int at, size_t *size)
{
    const void *data = sqlite3_column_blob(statement, at);
    *size = (size_t)sqlite3_column_bytes(statement, at);
    if (!data && sqlite3_errcode(keeper->db) == SQLITE_NOMEM)
        keeper->status = NQ_NOMEM;
    return data || keeper->status != NQ_OK ? data : "";
}

/* A page that was damaged in a place that means nothing to SQLite would give a wrong number. */
static int64_t sum_of(const char *key, const void *value, size_t size)
{
    return (int64_t)hash_bytes(hash_text(HASH_START, key), value, size);
}

/* Whether a fact is what was put, by the sum in a column of its row. */
static bool is_sound(struct keeper *keeper, sqlite3_stmt *statement, int at, const char *key, const void *value,
                     size_t size)
{
    const bool sound = sqlite3_column_type(statement, at) == SQLITE_NULL ||
                       sqlite3_column_int64(statement, at) == sum_of(key, value, size);
    keeper->damaged += !sound;
    return sound;
}

static void put_one(struct keeper *keeper, const struct store_fact *fact)
{
    (void)run(keeper, bind_text(keeper, fact->kind, DELETE, fact->key));
    if (keeper->status == NQ_OK)
        keeper->pending.facts -= (uint64_t)sqlite3_changes(keeper->db);
    if (!fact->value)
        return;
    sqlite3_stmt *statement = bind_text(keeper, fact->kind, INSERT, fact->key);
    if (keeper->status == NQ_OK)
        judge(keeper, sqlite3_bind_blob64(statement, 2, fact->value, fact->size, SQLITE_STATIC));
    if (keeper->status == NQ_OK)
        judge(keeper, sqlite3_bind_int64(statement, 3, sum_of(fact->key, fact->value, fact->size)));
    (void)run(keeper, statement);
    keeper->pending.facts++;
}

/* Tries with what room there is, and then with more and more, until all is given up that may be. */
static enum nq_status sqlite_put(void *self, const struct store_fact *facts, size_t count)
{
    struct keeper *keeper = self;
    uint64_t pages = 8;
    for (size_t i = 0; i < count; i++)
        pages += facts[i].size / PAGE;
    if (pages > (uint64_t)keeper->most)
        return NQ_LIMIT;
    const int64_t spare = keeper->most / 64 < ROOM_MOST ? keeper->most / 64 : ROOM_MOST;
    int64_t room = 0;
    for (bool more = true; more && room < 2 * keeper->most; room = room ? 2 * room : (int64_t)pages + spare) {
        enter(keeper);
        begin(keeper);
        more = make_room(keeper, room);
        const int64_t before = used_pages(keeper);
        for (size_t i = 0; i < count && keeper->status == NQ_OK; i++)
            put_one(keeper, &facts[i]);
        const int64_t used = used_pages(keeper);
        if (keeper->status == NQ_OK && used > keeper->most && used > before)
            keeper->status = NQ_LIMIT;
        finish(keeper);
        if (keeper->status != NQ_LIMIT)
            break;
    }
    return leave(keeper);
}

static enum nq_status sqlite_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    struct keeper *keeper = self;
    enter(keeper);
    sqlite3_stmt *statement = bind_text(keeper, kind, SELECT, key);
    const int code = keeper->status == NQ_OK ? sqlite3_step(statement) : SQLITE_OK;
    judge(keeper, code);
    if (code == SQLITE_ROW) {
        size_t size;
        const void *data = column(keeper, statement, 0, &size);
        if (data && !is_sound(keeper, statement, 1, key, data, size))
            keeper->status = NQ_NONE;
        else if (data)
            bytes_add(value, data, size);
        if (value->failed)
            keeper->status = NQ_NOMEM;
    } else if (keeper->status == NQ_OK)
        keeper->status = NQ_NONE;
    (void)sqlite3_reset(statement);
    return leave(keeper);
}

static enum nq_status sqlite_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit,
                                  void *context)
{
    struct keeper *keeper = self;
    enter(keeper);
    sqlite3_stmt *statement = bind_prefix(keeper, kind, RANGE, prefix);
    int code = SQLITE_DONE;
    while (keeper->status == NQ_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        size_t size;
        const char *key = (const char *)sqlite3_column_text(statement, 0);
        const void *value = column(keeper, statement, 1, &size);
        if (!key)
            keeper->status = NQ_NOMEM;
        else if (value && is_sound(keeper, statement, 2, key, value, size) && !visit(context, key, value, size))
            break;
    }
    judge(keeper, code);
    (void)sqlite3_reset(statement);
    return leave(keeper);
}

static enum nq_status sqlite_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    struct keeper *keeper = self;
    enter(keeper);
    begin(keeper);
    (void)run(keeper, bind_prefix(keeper, kind, DELETE_RANGE, prefix));
    if (keeper->status == NQ_OK)
        keeper->pending.facts -= (uint64_t)sqlite3_changes(keeper->db);
    finish(keeper);
    return leave(keeper);
}

static struct store_figures sqlite_figures(const void *self)
{
    const struct keeper *keeper = self;
    struct store_figures figures = keeper->figures;
    figures.damaged = keeper->damaged;
    return figures;
}

static const char *sqlite_trouble(const void *self)
{
    const struct keeper *keeper = self;
    return keeper->trouble;
}

const struct store_class store_sqlite = {
    .name = "sqlite",
    .summary = "in a file: survives the process",
    .where = "PATH",
    .open = sqlite_open,
    .put = sqlite_put,
    .get = sqlite_get,
    .each = sqlite_each,
    .delete_prefix = sqlite_delete_prefix,
    .figures = sqlite_figures,
    .trouble = sqlite_trouble,
    .close = sqlite_close,
};
