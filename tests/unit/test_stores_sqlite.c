/* test_stores_sqlite.c - tests of src/stores/store_sqlite.c: what only a file can do, and what can be done to it. */
#include "stores/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts.h"

enum { MEGABYTE = 1 << 20, SKIPPED = 77 };

static char folder[64], path[128], spec[160];

static int folder_begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/nq_sqlite_XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/db", folder);
    (void)snprintf(spec, sizeof spec, "sqlite:%s", path);
    return 0;
}

static void remove_all(const char *name)
{
    DIR *at = opendir(name);
    for (struct dirent *entry; at && (entry = readdir(at));) {
        char inside[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(inside, sizeof inside, "%s/%s", name, entry->d_name);
        if (entry->d_type == DT_DIR)
            remove_all(inside);
        else
            (void)unlink(inside);
    }
    closedir(at);
    assert_int_equal(rmdir(name), 0);
}

static int folder_end(void **state)
{
    (void)state;
    remove_all(folder);
    return 0;
}

static struct store *open_with(uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    if (store_open(spec, &(struct store_options){.capacity = capacity}, &store, error) != NQ_OK)
        fail_msg("%s", error);
    return store;
}

/* Opens what must be refused; the sentence names the file. */
static void assert_refused(const char *what, enum nq_status expected, const char *sentence)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    const enum nq_status status = store_open(what, &(struct store_options){.capacity = MEGABYTE}, &store, error);
    if (status != expected || !strstr(error, sentence) || !strstr(error, strchr(what, ':') + 1))
        fail_msg("%s: status %d, '%s'", what, (int)status, error);
}

static enum nq_status put_number(struct store *store, enum store_kind kind, unsigned number, size_t size)
{
    static char filler[100000];
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    memset(filler, (int)(number & 127), size);
    const struct store_fact one = {kind, key, filler, size};
    return store_put(store, &one, 1);
}

/* NQ_OK: it is there as it was put. */
static enum nq_status get_number(struct store *store, enum store_kind kind, unsigned number, size_t size)
{
    struct bytes value = {0};
    char key[16];
    (void)snprintf(key, sizeof key, "%06u", number);
    enum nq_status status = store_get(store, kind, key, &value);
    for (size_t i = 0; status == NQ_OK && i < size; i++)
        if (value.size != size || value.data[i] != (char)(number & 127))
            status = NQ_INVALID;
    bytes_free(&value);
    return status;
}

static off_t size_of(const char *suffix)
{
    struct stat file;
    char name[160];
    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &file) == 0 ? file.st_size : 0;
}

static char *read_whole(size_t *size)
{
    *size = (size_t)size_of("");
    char *data = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(data);
    assert_non_null(file);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void write_whole(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* ---- Surviving --------------------------------------------------------------------------------------------------- */

static void test_closing_and_opening(void **state)
{
    (void)state;
    struct store *store = open_with(4 * MEGABYTE);
    for (unsigned i = 0; i < 300; i++)
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(put_number(store, (enum store_kind)kind, i, i), NQ_OK);
    const struct store_figures before = store_figures(store);
    store_close(store);
    assert_int_equal(size_of("-wal"), 0);
    store = open_with(4 * MEGABYTE);
    for (unsigned i = 0; i < 300; i++)
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(get_number(store, (enum store_kind)kind, i, i), NQ_OK);
    assert_int_equal(store_figures(store).facts, before.facts);
    assert_int_equal(store_figures(store).bytes, before.bytes);
    store_close(store);
}

/* A process of its own, which does not outlive the test when that fails. */
static pid_t fork_off(void)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

/* Puts pairs, and says so after each, until it is killed. */
static void put_pairs(int said)
{
    char error[STORE_ERROR_MAX];
    struct store *store;
    if (store_open(spec, &(struct store_options){.capacity = 64 * MEGABYTE}, &store, error) != NQ_OK)
        _exit(1);
    for (unsigned i = 0;; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "%06u", i);
        char value[3000];
        memset(value, (int)(i & 127), sizeof value);
        const struct store_fact pair[] = {{STORE_UNIT, key, value, i % sizeof value}, {STORE_JOB, key, value, 10}};
        if (store_put(store, pair, 2) != NQ_OK || write(said, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

static void test_kill(void **state)
{
    (void)state;
    uint64_t dice = (uint64_t)getpid();
    for (int round = 0; round < 10; round++) {
        int ends[2];
        unsigned last = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork_off();
        if (child == 0)
            put_pairs(ends[1]);
        close(ends[1]);
        const unsigned enough = facts_below(&dice, 1200);
        while (read(ends[0], &last, sizeof last) == sizeof last && last < enough)
            ;
        assert_int_equal(kill(child, SIGKILL), 0);
        while (read(ends[0], &last, sizeof last) == sizeof last)
            ; /* what it said before it died */
        close(ends[0]);
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && last >= enough);
        struct store *store = open_with(64 * MEGABYTE);
        for (unsigned i = 0; i <= last; i++) {
            assert_int_equal(get_number(store, STORE_UNIT, i, i % 3000), NQ_OK);
            assert_int_equal(get_number(store, STORE_JOB, i, 10), NQ_OK);
        }
        assert_int_equal(get_number(store, STORE_UNIT, last + 1, (last + 1) % 3000),
                         get_number(store, STORE_JOB, last + 1, 10)); /* both or none */
        assert_int_equal(store_delete_prefix(store, STORE_UNIT, ""), NQ_OK);
        assert_int_equal(store_delete_prefix(store, STORE_JOB, ""), NQ_OK);
        store_close(store);
    }
}

/* ---- One process at a time --------------------------------------------------------------------------------------- */

/* A process that opens the store, says what that came to, and holds it until it is killed. */
static pid_t open_elsewhere(enum nq_status *status)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork_off();
    if (child == 0) {
        char error[STORE_ERROR_MAX];
        struct store *store;
        *status = store_open(spec, &(struct store_options){.capacity = MEGABYTE}, &store, error);
        (void)!write(ends[1], status, sizeof *status);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], status, sizeof *status), sizeof *status);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_one_process_at_a_time(void **state)
{
    (void)state;
    enum nq_status status;
    pid_t child = open_elsewhere(&status);
    assert_int_equal(status, NQ_OK);
    assert_refused(spec, NQ_BUSY, "another process has this store");
    assert_refused(spec, NQ_BUSY, "another process has this store");
    end(child);
    struct store *store = open_with(MEGABYTE);
    assert_refused(spec, NQ_BUSY, "another process has this store"); /* nor twice in this one, */
    end(open_elsewhere(&status));                                    /* which takes nothing from the first */
    assert_int_equal(status, NQ_BUSY);
    assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
    store_close(store);
    end(open_elsewhere(&status));
    assert_int_equal(status, NQ_OK);
}

/* ---- Files that are none of ours --------------------------------------------------------------------------------- */

static void assert_left_alone(const char *sentence)
{
    size_t before_size, after_size;
    char *before = read_whole(&before_size);
    assert_refused(spec, NQ_INVALID, sentence);
    char *after = read_whole(&after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    assert_int_equal(size_of("-wal") + size_of("-journal") + size_of("-shm"), 0);
    free(before);
    free(after);
    assert_int_equal(unlink(path), 0);
}

static void make_foreign(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_foreign_files(void **state)
{
    (void)state;
    static char text[20000];
    memset(text, 'x', sizeof text);
    write_whole(text, sizeof text);
    assert_left_alone("this file is not a store");
    write_whole("short\n", 6);
    assert_left_alone("this file is not a store");
    make_foreign("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    assert_left_alone("this file belongs to another program");
    make_foreign("PRAGMA auto_vacuum = FULL; CREATE TABLE job (x)");
    assert_left_alone("this file belongs to another program");
    make_foreign("PRAGMA journal_mode = WAL; PRAGMA application_id = 7");
    assert_left_alone("this file belongs to another program");
    store_close(open_with(MEGABYTE));
    make_foreign("PRAGMA user_version = 3");
    assert_left_alone("a newer release of nqueensd has written this file");
    write_whole("", 0);
    store_close(open_with(MEGABYTE));
}

/* ---- Where files are --------------------------------------------------------------------------------------------- */

static mode_t mode_of(const char *name)
{
    struct stat file;
    assert_int_equal(stat(name, &file), 0);
    return file.st_mode & 0777;
}

static void test_folders_are_made(void **state)
{
    (void)state;
    char name[160];
    const mode_t mask = umask(0);
    (void)snprintf(path, sizeof path, "%s/a/b/db", folder);
    (void)snprintf(spec, sizeof spec, "sqlite:%s", path);
    struct store *store = open_with(MEGABYTE);
    assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
    assert_int_equal(mode_of(path), 0600);
    (void)snprintf(name, sizeof name, "%s-wal", path);
    assert_int_equal(mode_of(name), 0600);
    (void)snprintf(name, sizeof name, "%s/a/b", folder);
    assert_int_equal(mode_of(name), 0700);
    (void)snprintf(name, sizeof name, "%s/a", folder);
    assert_int_equal(mode_of(name), 0700);
    store_close(store);
    umask(mask);
}

static void test_relative_and_odd_names(void **state)
{
    (void)state;
    char before[512];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "plain", "sub/plain"};
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(spec, sizeof spec, "sqlite:%s", names[i]);
        struct store *store = open_with(MEGABYTE);
        assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
        store_close(store);
        assert_int_equal(access(names[i], F_OK), 0);
        store = open_with(MEGABYTE);
        assert_int_equal(get_number(store, STORE_JOB, 1, 1), NQ_OK);
        store_close(store);
    }
    assert_int_equal(chdir(before), 0);
}

static void test_places_where_no_file_can_be(void **state)
{
    (void)state;
    assert_refused("sqlite:/proc/nqueensd/db", NQ_BROKEN, "this file cannot be made: No such file or directory");
    write_whole("x", 1);
    (void)snprintf(spec, sizeof spec, "sqlite:%s/db", path);
    assert_refused(spec, NQ_BROKEN, "this file cannot be made: Not a directory");
    (void)snprintf(spec, sizeof spec, "sqlite:%s", folder);
    assert_refused(spec, NQ_BROKEN, "unable to open database file");
    char error[STORE_ERROR_MAX];
    struct store *store;
    assert_int_equal(store_open(spec, &(struct store_options){.capacity = 100000}, &store, error), NQ_INVALID);
    assert_string_equal(error, "a store in a file needs 131072 bytes or more");
}

/* As a user who may read the file but not write it. */
static void test_a_file_that_may_only_be_read(void **state)
{
    (void)state;
    store_close(open_with(MEGABYTE));
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    const pid_t child = fork_off();
    if (child == 0) {
        char error[STORE_ERROR_MAX] = "";
        struct store *store;
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(SKIPPED);
        _exit(store_open(spec, &(struct store_options){.capacity = MEGABYTE}, &store, error) == NQ_BROKEN &&
                      strstr(error, path)
                  ? 0
                  : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WEXITSTATUS(how) == SKIPPED)
        skip();
    assert_int_equal(how, 0);
}

/* ---- Size -------------------------------------------------------------------------------------------------------- */

static void test_a_smaller_capacity(void **state)
{
    (void)state;
    struct store *store = open_with(16 * MEGABYTE);
    for (unsigned i = 0; i < 2000; i++) {
        assert_int_equal(put_number(store, STORE_RESULT, i, 4000), NQ_OK);
        if (i % 20 == 0)
            assert_int_equal(put_number(store, STORE_JOB, i, 1000), NQ_OK);
    }
    store_close(store);
    assert_true(size_of("") > 7 * MEGABYTE);
    store = open_with(MEGABYTE);
    assert_true(size_of("") <= MEGABYTE);
    assert_int_equal(get_number(store, STORE_RESULT, 1999, 4000), NQ_OK);
    assert_int_equal(get_number(store, STORE_RESULT, 0, 4000), NQ_NONE);
    for (unsigned i = 0; i < 2000; i += 20)
        assert_int_equal(get_number(store, STORE_JOB, i, 1000), NQ_OK);
    assert_int_equal(put_number(store, STORE_RESULT, 2000, 4000), NQ_OK);
    store_close(store);
    /* Jobs stay, even where they alone are too large; nothing comes to them, but they can go. */
    store = open_with(8 * MEGABYTE);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(put_number(store, STORE_JOB, i, 4000), NQ_OK);
    store_close(store);
    store = open_with(MEGABYTE);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(get_number(store, STORE_JOB, i, 4000), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, 1001, 4000), NQ_LIMIT);
    const struct store_fact gone = {STORE_JOB, "000001", NULL, 0};
    assert_int_equal(store_put(store, &gone, 1), NQ_OK);
    assert_int_equal(get_number(store, STORE_JOB, 1, 4000), NQ_NONE);
    assert_int_equal(store_delete_prefix(store, STORE_JOB, "000"), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, 1001, 4000), NQ_OK);
    store_close(store);
}

static void test_the_log_is_written_back(void **state)
{
    (void)state;
    struct store *store = open_with(64 * MEGABYTE);
    static char value[50000];
    struct store_fact facts[200];
    char keys[200][16];
    for (unsigned i = 0; i < 200; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%u", i);
        facts[i] = (struct store_fact){STORE_UNIT, keys[i], value, sizeof value};
    }
    assert_int_equal(store_put(store, facts, 200), NQ_OK);
    assert_true(size_of("") > 9 * MEGABYTE);
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(put_number(store, STORE_JOB, i % 100, 100), NQ_OK);
        assert_true(size_of("-wal") <= 2 * MEGABYTE + MEGABYTE / 4);
    }
    store_close(store);
}

/* ---- Trouble ----------------------------------------------------------------------------------------------------- */

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_writes_that_fail(void **state)
{
    (void)state;
    char trouble[STORE_ERROR_MAX];
    (void)signal(SIGXFSZ, SIG_IGN);
    struct store *store = open_with(64 * MEGABYTE);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(put_number(store, STORE_UNIT, i, 500), NQ_OK);
    for (int round = 0; round < 3; round++) {
        enum nq_status puts[3], gets[100], drop;
        limit_files(20000);
        const struct store_figures before = store_figures(store);
        for (unsigned i = 0; i < 3; i++)
            puts[i] = put_number(store, STORE_JOB, i, 50000);
        drop = store_delete_prefix(store, STORE_UNIT, "0000");
        for (unsigned i = 0; i < 100; i++)
            gets[i] = get_number(store, STORE_UNIT, i, 500);
        store_trouble(store, trouble);
        const struct store_figures after = store_figures(store);
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
    store = open_with(64 * MEGABYTE);
    assert_int_equal(get_number(store, STORE_JOB, 0, 50000), NQ_OK);
    assert_int_equal(store_figures(store).facts, 101);
    store_close(store);
}

/* A file that cannot be written back to, while its log still can: what is put stays in the log, up to a bound. */
static void test_a_log_that_cannot_be_written_back(void **state)
{
    (void)state;
    enum { JOBS = 280, MANY = 2000 };
    (void)signal(SIGXFSZ, SIG_IGN);
    struct store *store = open_with(64 * MEGABYTE);
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

/* On a disk of 2 MB, in a process of its own that nobody else sees it from. */
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
    MUST(store_figures(store).facts == count && store_figures(store).evicted == 0);
    MUST(unlink(ballast) == 0);
    MUST(put_number(store, STORE_UNIT, count, 30000) == NQ_OK);
    for (unsigned i = 0; i <= count; i++)
        MUST(get_number(store, STORE_UNIT, i, 30000) == NQ_OK);
    store_close(store);
    _exit(0);
}

static void test_a_full_disk(void **state)
{
    (void)state;
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

static void test_damaged_files(void **state)
{
    (void)state;
    uint64_t dice = 3;
    size_t size;
    unsigned refusals = 0;
    struct store *store = open_with(2 * MEGABYTE);
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

/* Damage where SQLite sees none: whatever there is then, it is what was put, or nothing. */
static bool visit_number(void *context, const char *key, const void *value, size_t size)
{
    const char *text = value;
    (void)context;
    for (size_t i = 0; i < size; i++)
        assert_int_equal(text[i], strtol(key, NULL, 10) & 127);
    assert_int_equal(size, 20);
    return true;
}

static void test_damage_changes_no_fact(void **state)
{
    (void)state;
    enum { FACTS = 40, ROUNDS = 150 };
    uint64_t dice = 4;
    size_t size, missing = 0;
    uint64_t damaged = 0;
    struct store *store = open_with(MEGABYTE);
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
        damaged += store_figures(store).damaged;
        (void)store_each(store, STORE_UNIT, "", visit_number, NULL);
        store_close(store);
        (void)unlink(path);
    }
    assert_true(missing > 0 && damaged > 0 && damaged <= missing);
    free(whole);
}

static void test_a_file_of_the_first_schema(void **state)
{
    (void)state;
    make_foreign("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x4e516473; PRAGMA user_version = 1;"
                 "CREATE TABLE result (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE unit (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE job (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "INSERT INTO unit (key, value) VALUES ('000065', 'AAAA')");
    for (int times = 0; times < 2; times++) {
        struct store *store = open_with(MEGABYTE);
        assert_int_equal(get_number(store, STORE_UNIT, 65, 4), NQ_OK);
        assert_int_equal(put_number(store, STORE_UNIT, 66, 10), NQ_OK);
        assert_int_equal(get_number(store, STORE_UNIT, 66, 10), NQ_OK);
        store_close(store);
    }
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

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
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
        assert_int_equal(store_figures(store).facts, status == NQ_OK ? 3 : 1);
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
    assert_int_equal(store_figures(store).facts, 2);
    store_close(store);
}

#define FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_begin, folder_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER(test_closing_and_opening),
        FOLDER(test_kill),
        FOLDER(test_one_process_at_a_time),
        FOLDER(test_foreign_files),
        FOLDER(test_folders_are_made),
        FOLDER(test_relative_and_odd_names),
        FOLDER(test_places_where_no_file_can_be),
        FOLDER(test_a_file_that_may_only_be_read),
        FOLDER(test_a_smaller_capacity),
        FOLDER(test_the_log_is_written_back),
        FOLDER(test_writes_that_fail),
        FOLDER(test_a_log_that_cannot_be_written_back),
        FOLDER(test_a_full_disk),
        FOLDER(test_damaged_files),
        FOLDER(test_damage_changes_no_fact),
        FOLDER(test_a_file_of_the_first_schema),
        FOLDER(test_every_allocation_fails_once),
    };
    sqlite3_mem_methods scarce;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
        return 1;
    scarce = real;
    scarce.xMalloc = scarce_malloc;
    scarce.xRealloc = scarce_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce) != SQLITE_OK)
        return 1;
    return cmocka_run_group_tests_name("sqlite", tests, NULL, NULL);
}
