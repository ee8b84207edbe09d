/* test_store_sqlite.c - tests of src/stores/store_sqlite.c: what only a file can do, and what can happen to it: writes
 * that fail, a full disk, damaged files, and too little memory. */
/* CI builds: address */
#include "stores/store.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/facts.h"
#include "support/sqlite_folder.h"

/* Opens what must be refused; the sentence names the file. */
static void assert_refused(const char *what, enum nq_status expected, const char *sentence)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    const enum nq_status status = store_open(what, &(struct store_options){.capacity = MEGABYTE}, &store, error);
    if (status != expected || !strstr(error, sentence) || !strstr(error, strchr(what, ':') + 1))
        fail_msg("%s: status %d, '%s'", what, (int)status, error);
}

/* ---- Surviving --------------------------------------------------------------------------------------------------- */

WITH_FOLDER(test_closing_and_opening)
{
    OWNED(store_close) struct store *store = folder_open(4 * MEGABYTE);
    for (unsigned i = 0; i < 300; i++)
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(put_number(store, (enum store_kind)kind, i, i), NQ_OK);
    const struct store_stats before = store_stats(store);
    store_close(store);
    assert_int_equal(size_of("-wal"), 0);
    store = folder_open(4 * MEGABYTE);
    for (unsigned i = 0; i < 300; i++)
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(get_number(store, (enum store_kind)kind, i, i), NQ_OK);
    assert_int_equal(store_stats(store).facts, before.facts);
    assert_int_equal(store_stats(store).bytes, before.bytes);
}

/* Puts pairs, and reports the number of each, until it is killed. */
static void put_pairs(int report)
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
        if (store_put(store, pair, 2) != NQ_OK || write(report, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

WITH_FOLDER(test_kill)
{
    uint64_t dice = (uint64_t)getpid();
    for (int round = 0; round < 4; round++) {
        int ends[2];
        unsigned last = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork_off();
        if (child == 0)
            put_pairs(ends[1]);
        close(ends[1]);
        const unsigned enough = facts_below(&dice, 600);
        while (read(ends[0], &last, sizeof last) == sizeof last && last < enough)
            ;
        assert_int_equal(kill(child, SIGKILL), 0);
        while (read(ends[0], &last, sizeof last) == sizeof last)
            ; /* what it reported before it was killed */
        close(ends[0]);
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && last >= enough);
        OWNED(store_close) struct store *store = folder_open(64 * MEGABYTE);
        for (unsigned i = 0; i <= last; i++) {
            assert_int_equal(get_number(store, STORE_UNIT, i, i % 3000), NQ_OK);
            assert_int_equal(get_number(store, STORE_JOB, i, 10), NQ_OK);
        }
        assert_int_equal(get_number(store, STORE_UNIT, last + 1, (last + 1) % 3000),
                         get_number(store, STORE_JOB, last + 1, 10)); /* both or none */
        assert_int_equal(store_delete_prefix(store, STORE_UNIT, ""), NQ_OK);
        assert_int_equal(store_delete_prefix(store, STORE_JOB, ""), NQ_OK);
    }
}

/* ---- One process at a time --------------------------------------------------------------------------------------- */

/* A process that opens the store, reports the status, and holds the store until it is killed. */
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

WITH_FOLDER(test_one_process_at_a_time)
{
    enum nq_status status;
    pid_t child = open_elsewhere(&status);
    assert_int_equal(status, NQ_OK);
    assert_refused(spec, NQ_BUSY, "another process has this store");
    assert_refused(spec, NQ_BUSY, "another process has this store");
    end(child);
    struct store *store = folder_open(MEGABYTE);
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

WITH_FOLDER(test_foreign_files)
{
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
    store_close(folder_open(MEGABYTE));
    make_foreign("PRAGMA user_version = 3");
    assert_left_alone("a newer release of nqueensd has written this file");
    write_whole("", 0);
    store_close(folder_open(MEGABYTE));
}

/* What the first page had is lost, but not that the file is ours: it is kept under another name, where it may be
 * mended, and is no reason not to serve. */
WITH_FOLDER(test_damaged_first_page)
{
    enum { PAGE = 4096 };
    size_t size;
    struct store *store = folder_open(MEGABYTE);
    assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
    store_close(store);
    OWNED(free) char *whole = read_whole(&size);
    for (int filler = 0; filler < 256; filler += 85) {
        write_whole(whole, size);
        OWNED(free) char *damaged = read_whole(&size);
        memset(damaged, filler, PAGE);
        write_whole(damaged, size);
        char kept[PATH_MAX];
        (void)snprintf(kept, sizeof kept, "%s.damaged-%d", path, filler / 85 + 1);
        assert_refused(spec, NQ_BROKEN, "the first page of this store was damaged; it is kept as ");
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(rename(kept, path), 0);
        size_t after_size;
        OWNED(free) char *after = read_whole(&after_size);
        assert_int_equal(after_size, size);
        assert_memory_equal(after, damaged, size);
        assert_int_equal(size_of("-wal") + size_of("-journal") + size_of("-shm"), 0);
        memset(damaged + PAGE, 'x', PAGE); /* nothing is left that is as in a store */
        write_whole(damaged, size);
        assert_refused(spec, NQ_INVALID, "this file is not a store");
        write_whole("", 0);
        assert_int_equal(rename(path, kept), 0); /* the next one has another name */
    }
    write_whole(whole, size);
    store = folder_open(MEGABYTE);
    assert_int_equal(get_number(store, STORE_JOB, 1, 1), NQ_OK);
    store_close(store);
}

/* ---- Where files are --------------------------------------------------------------------------------------------- */

static mode_t mode_of(const char *name)
{
    struct stat file;
    assert_int_equal(stat(name, &file), 0);
    return file.st_mode & 0777;
}

WITH_FOLDER(test_folders_are_made)
{
    char name[160];
    const mode_t mask = umask(0);
    (void)snprintf(path, sizeof path, "%s/a/b/db", folder);
    (void)snprintf(spec, sizeof spec, "sqlite:%s", path);
    struct store *store = folder_open(MEGABYTE);
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

WITH_FOLDER(test_relative_and_odd_names)
{
    char before[512];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "plain", "sub/plain"};
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(spec, sizeof spec, "sqlite:%s", names[i]);
        OWNED(store_close) struct store *store = folder_open(MEGABYTE);
        assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
        store_close(store);
        assert_int_equal(access(names[i], F_OK), 0);
        store = folder_open(MEGABYTE);
        assert_int_equal(get_number(store, STORE_JOB, 1, 1), NQ_OK);
    }
    assert_int_equal(chdir(before), 0);
}

WITH_FOLDER(test_paths_that_cannot_be_files)
{
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
WITH_FOLDER(test_read_only_file)
{
    store_close(folder_open(MEGABYTE));
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

WITH_FOLDER(test_a_smaller_capacity)
{
    OWNED(store_close) struct store *store = folder_open(16 * MEGABYTE);
    for (unsigned i = 0; i < 2000; i++) {
        assert_int_equal(put_number(store, STORE_RESULT, i, 4000), NQ_OK);
        if (i % 20 == 0)
            assert_int_equal(put_number(store, STORE_JOB, i, 1000), NQ_OK);
    }
    store_close(store);
    assert_true(size_of("") > 7 * MEGABYTE);
    store = folder_open(MEGABYTE);
    assert_true(size_of("") <= MEGABYTE);
    assert_int_equal(get_number(store, STORE_RESULT, 1999, 4000), NQ_OK);
    assert_int_equal(get_number(store, STORE_RESULT, 0, 4000), NQ_NONE);
    for (unsigned i = 0; i < 2000; i += 20)
        assert_int_equal(get_number(store, STORE_JOB, i, 1000), NQ_OK);
    assert_int_equal(put_number(store, STORE_RESULT, 2000, 4000), NQ_OK);
    store_close(store);
    /* Jobs stay, even where they alone are too large; nothing comes to them, but they can go. */
    store = folder_open(8 * MEGABYTE);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(put_number(store, STORE_JOB, i, 4000), NQ_OK);
    store_close(store);
    store = folder_open(MEGABYTE);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(get_number(store, STORE_JOB, i, 4000), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, 1001, 4000), NQ_LIMIT);
    const struct store_fact gone = {STORE_JOB, "000001", NULL, 0};
    assert_int_equal(store_put(store, &gone, 1), NQ_OK);
    assert_int_equal(get_number(store, STORE_JOB, 1, 4000), NQ_NONE);
    assert_int_equal(store_delete_prefix(store, STORE_JOB, "000"), NQ_OK);
    assert_int_equal(put_number(store, STORE_JOB, 1001, 4000), NQ_OK);
}

WITH_FOLDER(test_the_log_is_written_back)
{
    OWNED(store_close) struct store *store = folder_open(64 * MEGABYTE);
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
}

/* ---- Trouble -------------------------------------------------------------------------------------------------------
 */

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
    OWNED(store_close) struct store *store = folder_open(64 * MEGABYTE);
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
}

/* A file that cannot be written back to, while its log still can: what is put stays in the log, up to a bound. */
WITH_FOLDER(test_a_log_that_cannot_be_written_back)
{
    enum { JOBS = 280, MANY = 2000 };
    (void)signal(SIGXFSZ, SIG_IGN);
    OWNED(store_close) struct store *store = folder_open(64 * MEGABYTE);
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
            BYTES(value);
            char key[16];
            (void)snprintf(key, sizeof key, "%06u", i * 200);
            came[50 + i] = store_get(store, (enum store_kind)kind, key, &value);
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
    OWNED(free) char *whole = read_whole(&size), *damaged = malloc(size);
    assert_non_null(damaged);
    for (int round = 0; round < 24; round++) {
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
    assert_true(refusals > 12);
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
    enum { FACTS = 40, ROUNDS = 60 };
    uint64_t dice = 4;
    size_t size, missing = 0;
    uint64_t damaged = 0;
    struct store *store = folder_open(MEGABYTE);
    for (unsigned i = 0; i < FACTS; i++)
        assert_int_equal(put_number(store, STORE_UNIT, i, 20), NQ_OK);
    store_close(store);
    OWNED(free) char *whole = read_whole(&size);
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
}

WITH_FOLDER(test_a_file_of_the_first_schema)
{
    make_foreign("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x4e516473; PRAGMA user_version = 1;"
                 "CREATE TABLE result (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE unit (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "CREATE TABLE job (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL);"
                 "INSERT INTO unit (key, value) VALUES ('000065', 'AAAA')");
    for (int times = 0; times < 2; times++) {
        OWNED(store_close) struct store *store = folder_open(MEGABYTE);
        assert_int_equal(get_number(store, STORE_UNIT, 65, 4), NQ_OK);
        assert_int_equal(put_number(store, STORE_UNIT, 66, 10), NQ_OK);
        assert_int_equal(get_number(store, STORE_UNIT, 66, 10), NQ_OK);
        assert_int_equal(store_stats(store).facts, 2);
    }
}

WITH_FOLDER(test_an_older_release_has_written)
{
    OWNED(store_close) struct store *store = folder_open(MEGABYTE);
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

/* Each of the first ones, and some of those that come later. */
WITH_FOLDER(test_an_allocation_fails)
{
    char error[STORE_ERROR_MAX], value[9000] = "";
    const struct store_fact pair[] = {{STORE_JOB, "a", value, sizeof value}, {STORE_RESULT, "b", "new", 3}};
    enum nq_status status = NQ_NOMEM;
    OWNED(store_close) struct store *store = NULL;
    for (int i = 0; status != NQ_OK; i += 1 + i / 60) {
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
}
