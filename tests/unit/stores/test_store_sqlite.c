/* test_store_sqlite.c - tests of src/stores/store_sqlite.c: what only a file can do. What can happen to it is in
 * test_store_sqlite_trouble.c. */
/* CI builds: address */
#include "stores/store.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
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
    struct store *store = folder_open(4 * MEGABYTE);
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
    store_close(store);
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
            ; /* what it reported before it was killed */
        close(ends[0]);
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && last >= enough);
        struct store *store = folder_open(64 * MEGABYTE);
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
        struct store *store = folder_open(MEGABYTE);
        assert_int_equal(put_number(store, STORE_JOB, 1, 1), NQ_OK);
        store_close(store);
        assert_int_equal(access(names[i], F_OK), 0);
        store = folder_open(MEGABYTE);
        assert_int_equal(get_number(store, STORE_JOB, 1, 1), NQ_OK);
        store_close(store);
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
    struct store *store = folder_open(16 * MEGABYTE);
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
    store_close(store);
}

WITH_FOLDER(test_the_log_is_written_back)
{
    struct store *store = folder_open(64 * MEGABYTE);
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
