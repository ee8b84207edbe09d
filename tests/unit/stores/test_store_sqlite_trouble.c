/* test_store_sqlite_trouble.c - tests of src/stores/store_sqlite.c: writes that fail, a full disk, damaged files,
 * and too little memory. */
/* CI builds: address */
#include "stores/store.h"

#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/facts.h"
#include "support/sqlite_folder.h"

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

WITH_FOLDER(test_writes_that_fail)
{
    char trouble[STORE_ERROR_MAX];
    (void)signal(SIGXFSZ, SIG_IGN);
    struct store *store = folder_open(64 * MEGABYTE);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(put_number(store, STORE_UNIT, i, 500), NQ_OK);
    for (int round = 0; round < 3; round++) {
        enum nq_status puts[3], gets[100], drop;
        limit_files(20000);
        const struct store_stats before = store_stats(store);
        for (unsigned i = 0; i < 3; i++)
            puts[i] = put_number(store, STORE_JOB, i, 50000);
        drop = store_delete_prefix(store, STORE_UNIT, "0000");
        for (unsigned i = 0; i < 100; i++)
            gets[i] = get_number(store, STORE_UNIT, i, 500);
        store_trouble(store, trouble);
        const struct store_stats after = store_stats(store);
        limit_files(RLIM_INFINITY);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(puts[i], NQ_BROKEN);
        assert_true(drop == NQ_BROKEN || drop == NQ_OK); /* it may be small enough */
        for (unsigned i = 0; i < 100; i++)
            assert_int_equal(gets[i], drop == NQ_OK ? NQ_NONE : NQ_OK);
        if (drop != NQ_OK)
            assert_int_equal(after.facts, before.facts);
        assert_non_null(strstr(trouble, path));
        for (unsigned i = 0; i < 100; i++)
            assert_int_equal(put_number(store, STORE_UNIT, i, 500), NQ_OK);
        assert_int_equal(get_number(store, STORE_JOB, 0, 50000), NQ_NONE);
    }
    assert_int_equal(put_number(store, STORE_JOB, 0, 50000), NQ_OK);
    store_close(store);
    store = folder_open(64 * MEGABYTE);
    assert_int_equal(get_number(store, STORE_JOB, 0, 50000), NQ_OK);
    assert_int_equal(store_stats(store).facts, 101);
    store_close(store);
}

/* A file that cannot be written back to, while its log still can: what is put stays in the log, up to a bound. */
WITH_FOLDER(test_a_log_that_cannot_be_written_back)
{
    enum { JOBS = 280, MANY = 2000 };
    (void)signal(SIGXFSZ, SIG_IGN);
    struct store *store = folder_open(64 * MEGABYTE);
    for (unsigned i = 0; i < JOBS; i++)
        assert_int_equal(put_number(store, STORE_JOB, i, 50000), NQ_OK);
    assert_true(size_of("") > 12 * MEGABYTE);
    limit_files(11 * MEGABYTE);
    enum nq_status status = NQ_OK;
    unsigned count = 0;
    for (; count < MANY && status == NQ_OK; count++)
        status = put_number(store, STORE_JOB, JOBS - 1 - count % 40, 50000);
    const off_t log = size_of("-wal");
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, NQ_BROKEN);
    assert_true(count > 30);
    assert_true(log > 7 * MEGABYTE && log < 9 * MEGABYTE);
    for (unsigned i = 0; i < JOBS; i++)
        assert_int_equal(get_number(store, STORE_JOB, i, 50000), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, 0, 50000), NQ_OK);
    assert_true(size_of("-wal") < 2 * MEGABYTE);
    store_close(store);
}

#define MUST(condition) \
    do { \
        if (!(condition)) \
            _exit(__LINE__ % 70 + 1); \
    } while (0)

/* On a disk of 2 MB, mounted for a process of its own. */
static void fill_a_disk(void)
{
    char error[STORE_ERROR_MAX], trouble[STORE_ERROR_MAX] = "", ballast[128];
    struct store *store;
    static char filler[300000];
    unsigned count = 0;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=2m") != 0)
        _exit(SKIPPED);
    (void)snprintf(ballast, sizeof ballast, "%s/ballast", folder);
    FILE *file = fopen(ballast, "wb");
    MUST(file && fwrite(filler, 1, sizeof filler, file) == sizeof filler && fclose(file) == 0);
    MUST(store_open(spec, &(struct store_options){.capacity = 64 * MEGABYTE}, &store, error) == NQ_OK);
    enum nq_status status;
    while ((status = put_number(store, STORE_UNIT, count, 30000)) == NQ_OK)
        count++;
    MUST(status == NQ_BROKEN && count > 20);
    store_trouble(store, trouble);
    MUST(strstr(trouble, "the disk is full"));
    for (unsigned i = 0; i < count; i++)
        MUST(get_number(store, STORE_UNIT, i, 30000) == NQ_OK);
    MUST(put_number(store, STORE_UNIT, count, 30000) == NQ_BROKEN);
    MUST(store_stats(store).facts == count && store_stats(store).evicted == 0);
    MUST(unlink(ballast) == 0);
    MUST(put_number(store, STORE_UNIT, count, 30000) == NQ_OK);
    for (unsigned i = 0; i <= count; i++)
        MUST(get_number(store, STORE_UNIT, i, 30000) == NQ_OK);
    store_close(store);
    _exit(0);
}

WITH_FOLDER(test_a_full_disk)
{
    int how;
    const pid_t child = fork_off();
    if (child == 0)
        fill_a_disk();
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFEXITED(how) && WEXITSTATUS(how) == SKIPPED)
        skip();
    assert_int_equal(how, 0);
}

static bool look(void *context, const char *key, const void *value, size_t size)
{
    const char *bytes = value;
    unsigned sum = (unsigned)strlen(key);
    for (size_t i = 0; i < size; i++)
        sum += (unsigned char)bytes[i];
    *(unsigned *)context += sum;
    return true;
}

/* Does everything to a damaged store; whether any of it was refused. */
static bool use_damaged(void)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    unsigned sum = 0;
    bool refused = false;
    const enum nq_status opened = store_open(spec, &(struct store_options){.capacity = 2 * MEGABYTE}, &store, error);
    if (opened != NQ_OK) {
        assert_true(opened == NQ_INVALID || opened == NQ_BROKEN);
        assert_non_null(strstr(error, path));
        return true;
    }
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        enum nq_status came[60];
        for (unsigned i = 0; i < 50; i++)
            came[i] = put_number(store, (enum store_kind)kind, i * 20, 2000);
        for (unsigned i = 0; i < 8; i++) {
            struct bytes value = {0};
            char key[16];
            (void)snprintf(key, sizeof key, "%06u", i * 200);
            came[50 + i] = store_get(store, (enum store_kind)kind, key, &value);
            bytes_free(&value);
        }
        came[58] = store_each(store, (enum store_kind)kind, "", look, &sum);
        came[59] = store_delete_prefix(store, (enum store_kind)kind, "0001");
        for (size_t i = 0; i < 60; i++) {
            assert_true(came[i] == NQ_OK || came[i] == NQ_NONE || came[i] == NQ_BROKEN || came[i] == NQ_LIMIT);
            refused |= came[i] == NQ_BROKEN;
        }
    }
    store_close(store);
    return refused;
}

WITH_FOLDER(test_damaged_files)
{
    uint64_t dice = 3;
    size_t size;
    unsigned refusals = 0;
    struct store *store = folder_open(2 * MEGABYTE);
    for (unsigned i = 0; i < 400; i++)
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(put_number(store, (enum store_kind)kind, i, 20 * (size_t)(i % 50)), NQ_OK);
    store_close(store);
    char *whole = read_whole(&size), *damaged = malloc(size);
    assert_non_null(damaged);
    for (int round = 0; round < 60; round++) {
        memcpy(damaged, whole, size);
        const bool cut = round % 6 == 0, bits = round % 2;
        for (uint32_t hits = 1 + facts_below(&dice, bits ? 200 : 8); hits; hits--) {
            const size_t at = facts_below(&dice, (uint32_t)(size / 4096)) * (size_t)4096;
            if (bits)
                damaged[at + facts_below(&dice, 100)] ^= (char)(1 << facts_below(&dice, 8));
            else
                for (size_t i = 0; i < 4096; i++)
                    damaged[at + i] = (char)facts_random(&dice);
        }
        write_whole(damaged, cut ? facts_below(&dice, (uint32_t)size) : size);
        refusals += use_damaged();
        (void)unlink(path);
    }
    assert_true(refusals > 30);
    free(damaged);
    free(whole);
}

/* Damage that SQLite does not see: every fact is what was put, or missing. */
static bool visit_number(void *context, const char *key, const void *value, size_t size)
{
    const char *text = value;
    (void)context;
    for (size_t i = 0; i < size; i++)
        assert_int_equal(text[i], strtol(key, NULL, 10) & 127);
    assert_int_equal(size, 20);
    return true;
}

WITH_FOLDER(test_damage_changes_no_fact)
{
    enum { FACTS = 40, ROUNDS = 150 };
    uint64_t dice = 4;
    size_t size, missing = 0;
    uint64_t damaged = 0;
    struct store *store = folder_open(MEGABYTE);
    for (unsigned i = 0; i < FACTS; i++)
        assert_int_equal(put_number(store, STORE_UNIT, i, 20), NQ_OK);
    store_close(store);
    char *whole = read_whole(&size);
    for (int round = 0; round < ROUNDS; round++) {
        const size_t at = 4096 + facts_below(&dice, (uint32_t)size - 4096);
        const char was = whole[at];
        char error[STORE_ERROR_MAX];
        whole[at] ^= (char)(1 << facts_below(&dice, 8));
        write_whole(whole, size);
        whole[at] = was;
        if (store_open(spec, &(struct store_options){.capacity = MEGABYTE}, &store, error) != NQ_OK)
            continue;
        for (unsigned i = 0; i < FACTS; i++) {
            const enum nq_status status = get_number(store, STORE_UNIT, i, 20);
            assert_true(status == NQ_OK || status == NQ_NONE || status == NQ_BROKEN);
            missing += status == NQ_NONE;
        }
        damaged += store_stats(store).damaged;
        (void)store_each(store, STORE_UNIT, "", visit_number, NULL);
        store_close(store);
        (void)unlink(path);
    }
    assert_true(missing > 0 && damaged > 0 && damaged <= missing);
    free(whole);
}

WITH_FOLDER(test_a_file_of_the_first_schema)
{
    make_foreign("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x4e516473; PRAGMA user_version = 1;"
                 "CREATE TABLE result (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE unit (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE job (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "INSERT INTO unit (key, value) VALUES ('000065', 'AAAA')");
    for (int times = 0; times < 2; times++) {
        struct store *store = folder_open(MEGABYTE);
        assert_int_equal(get_number(store, STORE_UNIT, 65, 4), NQ_OK);
        assert_int_equal(put_number(store, STORE_UNIT, 66, 10), NQ_OK);
        assert_int_equal(get_number(store, STORE_UNIT, 66, 10), NQ_OK);
        assert_int_equal(store_stats(store).facts, 2);
        store_close(store);
    }
}

WITH_FOLDER(test_an_older_release_has_written)
{
    struct store *store = folder_open(MEGABYTE);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(put_number(store, STORE_UNIT, i, i), NQ_OK);
    store_close(store);
    make_foreign("INSERT INTO job (key, value) VALUES ('a', 'A'), ('b', 'B');"
                 "DELETE FROM unit WHERE key < '000003'");
    store = folder_open(MEGABYTE);
    assert_int_equal(store_stats(store).facts, 9);
    assert_int_equal(store_delete_prefix(store, STORE_UNIT, ""), NQ_OK);
    store_close(store);
    store = folder_open(MEGABYTE);
    assert_int_equal(store_stats(store).facts, 2);
    store_close(store);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static sqlite3_mem_methods real;
static int left = -1; /* allocations of SQLite's that succeed before all others fail; below 0: none fails */

static bool is_out(void)
{
    if (left == 0)
        return true;
    if (left > 0)
        left--;
    return false;
}

static void *scarce_malloc(int size)
{
    return is_out() ? NULL : real.xMalloc(size);
}

static void *scarce_realloc(void *data, int size)
{
    return is_out() ? NULL : real.xRealloc(data, size);
}

/* SQLite takes its functions of memory before it is first used. */
static int make_memory_scarce(void **state)
{
    sqlite3_mem_methods scarce;
    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
        abort();
    scarce = real;
    scarce.xMalloc = scarce_malloc;
    scarce.xRealloc = scarce_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce) != SQLITE_OK)
        abort();
    return 0;
}

GROUP(make_memory_scarce, NULL)

WITH_FOLDER(test_every_allocation_fails_once)
{
    char error[STORE_ERROR_MAX], value[9000] = "";
    const struct store_fact pair[] = {{STORE_JOB, "a", value, sizeof value}, {STORE_RESULT, "b", "new", 3}};
    enum nq_status status = NQ_NOMEM;
    struct store *store = NULL;
    for (int i = 0; status != NQ_OK; i++) {
        left = i;
        status = store_open(spec, &(struct store_options){.capacity = MEGABYTE}, &store, error);
        left = -1;
        assert_true(status == NQ_OK || status == NQ_NOMEM || status == NQ_BROKEN);
        assert_true(i < 10000);
    }
    assert_int_equal(put_number(store, STORE_UNIT, 1, 10), NQ_OK);
    status = NQ_NOMEM;
    for (int i = 0; status != NQ_OK; i++) {
        left = i;
        status = store_put(store, pair, 2);
        left = -1;
        assert_true(status == NQ_OK || status == NQ_NOMEM || status == NQ_BROKEN);
        assert_int_equal(store_stats(store).facts, status == NQ_OK ? 3 : 1);
        assert_int_equal(get_number(store, STORE_UNIT, 1, 10), NQ_OK);
        struct bytes got = {0};
        assert_int_equal(store_get(store, STORE_JOB, "a", &got), status == NQ_OK ? NQ_OK : NQ_NONE);
        bytes_free(&got);
        assert_true(i < 10000);
    }
    status = NQ_NOMEM;
    for (int i = 0; status != NQ_OK; i++) {
        struct bytes got = {0};
        unsigned sum = 0;
        left = i;
        status = store_get(store, STORE_JOB, "a", &got);
        if (status == NQ_OK)
            status = store_each(store, STORE_JOB, "a", look, &sum);
        if (status == NQ_OK)
            status = store_delete_prefix(store, STORE_JOB, "a");
        left = -1;
        assert_true(status == NQ_OK || status == NQ_NOMEM || status == NQ_BROKEN);
        bytes_free(&got);
        assert_true(i < 10000);
    }
    assert_int_equal(store_stats(store).facts, 2);
    store_close(store);
}
