/* sqlite_folder.c - makes, opens and removes the file of a SQLite store. */
#include "support/sqlite_folder.h"

#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

char folder[64], path[128], spec[160];

int folder_begin(void **state)
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

int folder_end(void **state)
{
    (void)state;
    remove_all(folder);
    return 0;
}

struct store *folder_open(uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store = NULL;
    if (store_open(spec, &(struct store_options){.capacity = capacity}, &store, error) != NQ_OK)
        fail_msg("%s", error);
    return store;
}

off_t size_of(const char *suffix)
{
    struct stat file;
    char name[160];
    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &file) == 0 ? file.st_size : 0;
}

pid_t fork_off(void)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

void make_foreign(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

char *read_whole(size_t *size)
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

void write_whole(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}
